// The record of a run: run.json (version, arguments, options, seed, input digests, machine, times, status) and log.txt.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace scvet::jobs {

// The arguments after the program's name, as completed by the command line.
void set_command_line(std::vector<std::string> arguments);
const std::vector<std::string>& command_line();

class RunFolder {
 public:
  // `options_json` is the JSON object of every option that can change the result. Inputs are digested here.
  // The folder is created; log.txt is appended to from now on.
  RunFolder(std::string folder, std::string command, std::string options_json, std::uint64_t seed,
            const std::vector<std::string>& inputs);
  ~RunFolder();  // status failed or interrupted unless finished
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& folder() const;
  std::string path(const std::string& name) const;  // <folder>/<name>
  // (path, SHA-256), in the order given.
  const std::vector<std::pair<std::string, std::string>>& inputs() const;
  // True when run.json here says that the same version, command, options, seed and input digests ended well and every
  // output it lists is still there with the same digest.
  bool complete() const;
  // Writes run.json with status ok and the digests of `outputs` (names in the folder).
  void finish(const std::vector<std::string>& outputs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scvet::jobs
