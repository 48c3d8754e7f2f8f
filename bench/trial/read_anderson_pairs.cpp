// The Anderson-Darling statistics of groups of cells against a pool, by the code of the label, for
// bench/numeric/peer_anderson.py: read_anderson_pairs <samples> <statistics out> <repeats>. One thread.
// Samples: int64 genes, groups, pool cells; int64 cells of each group; then the counts of the groups' cells and of the
// pool's, cell by cell, uint16. Statistics: groups x genes float64, NaN where there is none.
// Prints seconds: making the pool ready (its histograms, and what depends on a group's size alone), and one pass over all
// groups (their histograms and all statistics).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <numeric>
#include <string>

#include "../../src/trial/label.h"
#include "scvet/base/parallel.h"

namespace {

using namespace scvet;
using namespace scvet::trial;

template <class T>
std::vector<T> read_values(std::ifstream& file, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file) throw std::runtime_error("the file of samples is too short");
  return values;
}

CountsStore store_of(std::ifstream& file, std::int64_t n_cells, std::int64_t n_genes) {
  CountsStore store;
  std::vector<std::uint32_t> genes, counts;
  std::vector<std::uint8_t> encoded;
  for (std::int64_t cell = 0; cell < n_cells; ++cell) {
    const std::vector<std::uint16_t> values = read_values<std::uint16_t>(file, n_genes);
    genes.clear();
    counts.clear();
    encoded.clear();
    for (std::size_t gene = 0; gene < values.size(); ++gene) {
      if (values[gene] == 0) continue;
      genes.push_back(static_cast<std::uint32_t>(gene));
      counts.push_back(values[gene]);
    }
    CountsStore::encode(genes, counts, encoded);
    store.add(encoded);
  }
  return store;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int compare(const std::string& in, const std::string& out, int repeats) {
  std::ifstream file(in, std::ios::binary);
  const std::vector<std::int64_t> shape = read_values<std::int64_t>(file, 3);
  const std::int64_t n_genes = shape[0], n_groups = shape[1], n_pool = shape[2];
  const std::vector<std::int64_t> sizes = read_values<std::int64_t>(file, n_groups);
  std::vector<CountsStore> groups;
  for (const std::int64_t size : sizes) groups.push_back(store_of(file, size, n_genes));
  const CountsStore pool = store_of(file, n_pool, n_genes);

  const auto ready = std::chrono::steady_clock::now();
  std::vector<std::int64_t> cells(static_cast<std::size_t>(n_pool));
  std::iota(cells.begin(), cells.end(), std::int64_t{0});
  const Histograms histograms(pool, cells, n_genes);
  PoolTest test(histograms);
  test.prepare(sizes);
  const double preparing = seconds_since(ready);

  GroupCounter counter(n_genes);
  std::vector<double> statistics(static_cast<std::size_t>(n_groups * n_genes),
                                 std::numeric_limits<double>::quiet_NaN());
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t group = 0; group < n_groups; ++group) {
      counter.count(groups[static_cast<std::size_t>(group)]);
      test.each_finite(counter, sizes[static_cast<std::size_t>(group)], [&](std::int64_t gene, double value) {
        statistics[static_cast<std::size_t>(group * n_genes + gene)] = value;
      });
    }
    best = std::min(best, seconds_since(start));
  }
  std::ofstream(out, std::ios::binary)
      .write(reinterpret_cast<const char*>(statistics.data()),
             static_cast<std::streamsize>(statistics.size() * sizeof(double)));
  std::cout << preparing << ' ' << best << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: read_anderson_pairs <samples> <statistics out> <repeats>\n";
    return 2;
  }
  scvet::set_workers(1);
  try {
    return compare(argv[1], argv[2], std::atoi(argv[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
