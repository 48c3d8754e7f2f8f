// Pickles of dictionaries: one input is tokens, medians and a map of ids (see split_parts).
#include <cstdlib>
#include <optional>

#include "forked.h"
#include "scvet/io/dictionary.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  const auto parts = fuzz::split_parts(data, size, 3);
  const char* const names[] = {"tokens.pkl", "medians.pkl", "map.pkl"};
  std::string tokens;
  for (std::size_t part = 0; part < 3; ++part) {
    const std::string path = folder.put(names[part], parts[part].data(), parts[part].size());
    if (part == 0) tokens = path;
  }
  fuzz::expect_own_errors([&] { io::read_dictionary_pickle(tokens); });
  std::optional<Vocabulary> read;
  fuzz::expect_own_errors([&] { read = io::load_dictionary(folder.path()); });
  if (read && Vocabulary::parse(read->to_text(), "again").to_text() != read->to_text()) std::abort();
  return 0;
}
