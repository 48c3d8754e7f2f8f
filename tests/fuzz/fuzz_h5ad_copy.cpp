// Annotated copies of mutated h5ad files, in a child process: the copy is whole or absent.
#include <cstdlib>
#include <filesystem>

#include "forked.h"
#include "scvet/base/registry.h"
#include "scvet/io/format.h"
#include "scvet/io/h5ad_writer.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  static const io::FormatRecord& format = find_variant(io::formats(), "h5ad", "format");
  const std::string path = folder.put("input.h5ad", data, size), copy = folder.path() + "/copy.h5ad";
  folder.remove("copy.h5ad");
  fuzz::run_forked([&] {
    fuzz::expect_own_errors([&] {
      const std::unique_ptr<CellFile> file = format.open(path, {});
      if (file->obs().rows() > 10000) return;  // bounds the work of one input
      const auto rows = static_cast<std::size_t>(file->obs().rows());
      io::annotate_copy(*file, copy, {real_column("scvet_jstar", std::vector<double>(rows, 0.5))});
      if (format.open(copy, {})->obs().find("scvet_jstar") == nullptr) std::abort();
    });
  });
  return 0;
}
