#include "counts_store.h"

namespace scvet::trial {

void CountsStore::encode(std::span<const std::uint32_t> genes, std::span<const std::uint32_t> counts,
                         std::vector<std::uint8_t>& out) {
  std::uint32_t before = 0;
  for (std::size_t at = 0; at < genes.size(); ++at) {
    std::uint32_t gap = genes[at] - before;
    before = genes[at];
    for (; gap >= 128; gap >>= 7) out.push_back(static_cast<std::uint8_t>(gap | 128));
    out.push_back(static_cast<std::uint8_t>(gap));
    if (counts[at] < kWideCount) {
      out.push_back(static_cast<std::uint8_t>(counts[at]));
      continue;
    }
    out.push_back(kWideCount);
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(counts[at] >> shift));
  }
}

}  // namespace scvet::trial
