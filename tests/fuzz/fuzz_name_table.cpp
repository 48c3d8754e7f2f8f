// The table of gene names.
#include "forked.h"
#include "scvet/data/genes.h"
#include "temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  const std::string path = folder.put("genes.tsv", data, size);
  fuzz::expect_own_errors([&] {
    const NameTable table = NameTable::load(path);
    table.ensembl("TP53", "human");
  });
  return 0;
}
