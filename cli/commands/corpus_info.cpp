// scvet corpus info: what a store holds, on one screen.
#include <cstdio>
#include <memory>

#include "command.h"
#include "scvet/jobs/corpus.h"

namespace scvet::cli {
namespace {

struct Flags {
  std::string path;
  bool json = false;
};

std::function<void()> add(CLI::App& app, const CommonFlags&) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("FILE", flags->path, "the store")->required();
  app.add_flag("--json", flags->json, "the same and more as a JSON object");
  app.footer("Example:\n  scvet corpus info lung.corpus\nExit codes: 0 done, 3 not a sound corpus.");
  return [flags] {
    const jobs::CorpusInfo info = jobs::corpus_info(flags->path);
    const std::string text = flags->json ? jobs::corpus_info_json(info) : jobs::corpus_info_text(info);
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
}

}  // namespace

extern const CommandRecord corpus_info_command = {"corpus info", "show what a corpus holds", add};

}  // namespace scvet::cli
