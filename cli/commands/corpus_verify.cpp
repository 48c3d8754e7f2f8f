// scvet corpus verify: every checksum and every promise of the format.
#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/jobs/corpus.h"

namespace scvet::cli {
namespace {

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto path = std::make_shared<std::string>();
  app.add_option("FILE", *path, "the store")->required();
  app.footer(
      "Reads the whole file: checksums, order and range of everything, and each cell's hashes and sketch, computed\n"
      "again. Names the first section that is wrong.\n"
      "Example:\n  scvet corpus verify lung.corpus\nExit codes: 0 sound, 3 damaged.");
  return [path] { std::printf("%s\n", jobs::verify_corpus(*path).c_str()); };
}

}  // namespace

extern const CommandRecord corpus_verify_command = {"corpus verify", "check that a corpus is whole", add};

}  // namespace scvet::cli
