// read_screen FILE [WORKERS] [MEMORY_MB] [audits]: labels, features and digests of a screen (or its label audits), as one
// line of JSON: seconds, CPU seconds, peak memory in MB, cells, rows, genes, digest of the counts. ROW_KEY and so on are
// the defaults.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "../usage.h"
#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/io/format.h"
#include "scvet/trial/label_audits.h"
#include "scvet/trial/screen.h"

namespace {

using Clock = std::chrono::steady_clock;

void print_used(const char* what, Clock::time_point start) {
  const std::chrono::duration<double> wall = Clock::now() - start;
  fmt::print("{{\"stage\": \"{}\", \"seconds\": {:.2f}, \"cpu_so_far\": {:.2f}, \"peak_mb\": {:.0f}}}\n", what,
             wall.count(), cpu_seconds(), peak_mb());
}

}  // namespace

using namespace scvet;

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: read_screen FILE [WORKERS] [MEMORY_MB] [audits]\n");
    return 2;
  }
  try {
    if (count > 2) set_workers(std::atoi(words[2]));
    const std::int64_t memory = (count > 3 ? std::atoll(words[3]) : 2500) << 20;
    auto start = Clock::now();
    const auto file = io::open_cells(words[1]);
    const auto source = file->open_matrix("X");
    const trial::Design design = trial::read_design(file->obs(), {}, words[1]);
    print_used("design", start);
    start = Clock::now();
    const trial::Screen screen = trial::scan_screen(*source, design, {.memory_bytes = memory}, words[1]);
    print_used("screen", start);
    if (count > 4) {
      start = Clock::now();
      trial::scan_label_audits(*source, design, screen.eligible, {.memory_bytes = memory}, words[1]);
      print_used("audits", start);
    }
    fmt::print("{{\"cells\": {}, \"rows\": {}, \"genes\": {}, \"counts_digest\": \"{}\"}}\n", design.cell_names.size(),
               screen.eligible.size(), screen.n_genes, screen.counts_digest);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
