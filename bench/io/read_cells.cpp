// read_cells FILE [MATRIX] [WORKERS]: streams all cells through open_cells and prints one line of JSON: seconds, CPU
// seconds, peak memory in MB, cells, stored values, their sum. Run by read_h5ad.py, which sets it against anndata.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>

#include "../usage.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/io/format.h"

using namespace scvet;

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: read_cells FILE [MATRIX] [WORKERS]\n");
    return 2;
  }
  try {
    if (count > 3) set_workers(std::atoi(words[3]));
    const auto start = std::chrono::steady_clock::now();
    const auto file = io::open_cells(words[1]);
    const auto source = file->open_matrix(count > 2 ? words[2] : "X");
    const std::int64_t n_cells = source->info().n_cells, step = source->chunk_cells();
    CellChunk chunk;
    std::int64_t stored = 0;
    double sum = 0;
    for (std::int64_t first = 0; first < n_cells; first += step) {
      source->read(first, std::min(step, n_cells - first), chunk);
      stored += chunk.indptr.back();
      sum += std::reduce(chunk.values.begin(), chunk.values.end());
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    fmt::print(
        "{{\"seconds\": {:.4f}, \"cpu\": {:.3f}, \"peak_mb\": {:.0f}, \"cells\": {}, \"stored\": {}, \"sum\": {:.1f}}}\n",
        wall.count(), cpu_seconds(), peak_mb(), n_cells, stored, sum);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
