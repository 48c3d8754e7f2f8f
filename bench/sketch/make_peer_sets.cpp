// make_peer_sets N GENES QUERIES WITHIN OUT: OUT.reference.sets and OUT.queries.sets (files of FileSets) for peer_lsh.py.
// N simulated cells of about GENES genes; the first half of the queries are thinned copies of references below row WITHIN
// (95, 80, 65 and 50 % of the genes in turn), the others fresh cells.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "simulated_corpus.h"

namespace scvet::sketch::bench {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr double kKept[] = {.95, .8, .65, .5};

void write_sets(const std::string& path, const CellSets& cells) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) throw ResourceError("cannot write " + path, {.file = path});
  const auto put = [&](const void* from, std::size_t bytes) {
    if (std::fwrite(from, 1, bytes, file.get()) != bytes) throw ResourceError("cannot write " + path, {.file = path});
  };
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t row = 0; row < cells.n_cells(); ++row)
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(cells.tokens(row).size()));
  const std::int64_t n_cells = cells.n_cells();
  put(&n_cells, 8);
  put(offsets.data(), 8 * offsets.size());
  for (std::int64_t row = 0; row < n_cells; ++row) put(cells.tokens(row).data(), 2 * cells.tokens(row).size());
}

void make(std::int64_t n_cells, int n_genes, std::int64_t n_queries, std::int64_t within, const std::string& out) {
  const CellSimulator simulator(n_genes, kSeed);
  FileSets::write(out + ".reference.sets", simulator, n_cells);
  CellSets queries(kUniverse);
  Stream stream(mix(kSeed));
  CellSet cell;
  const std::int64_t n_copies = n_queries / 2;
  for (std::int64_t copy = 0; copy < n_copies; ++copy) {
    std::vector<std::uint16_t> whole;
    simulator.cell(copy * within / n_copies, whole);
    cell.tokens.clear();
    for (const std::uint16_t token : whole)
      if (stream.unit() < kKept[copy % 4]) cell.tokens.push_back(token);
    queries.add(cell);
  }
  for (std::int64_t fresh = n_copies; fresh < n_queries; ++fresh) {
    simulator.cell(n_cells + fresh, cell.tokens);
    queries.add(cell);
  }
  write_sets(out + ".queries.sets", queries);
}

}  // namespace
}  // namespace scvet::sketch::bench

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "make_peer_sets N GENES QUERIES WITHIN OUT\n");
    return 2;
  }
  try {
    scvet::sketch::bench::make(std::atoll(argv[1]), std::atoi(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]),
                               argv[5]);
  } catch (const scvet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
