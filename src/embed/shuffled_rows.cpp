#include "shuffled_rows.h"

#include <algorithm>
#include <numeric>

#include "scvet/base/random.h"

namespace scvet::embed {

std::vector<std::int64_t> shuffled_within(const Groups& groups, std::span<const std::string> cell_names,
                                          std::uint64_t seed) {
  std::vector<std::int64_t> source(cell_names.size());
  std::iota(source.begin(), source.end(), std::int64_t{0});
  std::uint64_t group = 0;
  for (std::vector<std::int64_t> cells : groups.members()) {
    std::sort(cells.begin(), cells.end(), [&](std::int64_t a, std::int64_t b) {
      return cell_names[static_cast<std::size_t>(a)] < cell_names[static_cast<std::size_t>(b)];
    });
    std::vector<std::int64_t> shuffled = cells;
    Stream stream(stream_key(seed, ++group));
    for (std::size_t last = shuffled.size(); last > 1; --last)
      std::swap(shuffled[last - 1], shuffled[stream.below(last)]);
    for (std::size_t at = 0; at < cells.size(); ++at) source[static_cast<std::size_t>(cells[at])] = shuffled[at];
  }
  return source;
}

MethodOutput with_rows(MethodOutput embedding, std::span<const std::int64_t> source_rows) {
  std::vector<float> values;
  values.reserve(embedding.values.size());
  for (const std::int64_t row : source_rows) {
    const auto first = embedding.values.begin() + row * embedding.n_dims;
    values.insert(values.end(), first, first + embedding.n_dims);
  }
  embedding.values = std::move(values);
  return embedding;
}

}  // namespace scvet::embed
