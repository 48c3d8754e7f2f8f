#include "stratified_folds.h"

#include "scvet/numeric/mt19937.h"

namespace scvet::metrics {
namespace {

// Cells of each label, labels in the order of their first cell.
std::vector<std::vector<std::size_t>> by_first_appearance(std::span<const std::int32_t> labels) {
  std::vector<std::vector<std::size_t>> members;
  std::vector<std::int64_t> code;
  for (std::size_t cell = 0; cell < labels.size(); ++cell) {
    if (labels[cell] < 0) continue;
    const auto label = static_cast<std::size_t>(labels[cell]);
    if (label >= code.size()) code.resize(label + 1, -1);
    if (code[label] < 0) {
      code[label] = std::ssize(members);
      members.emplace_back();
    }
    members[static_cast<std::size_t>(code[label])].push_back(cell);
  }
  return members;
}

}  // namespace

std::vector<std::int32_t> stratified_folds(std::span<const std::int32_t> labels, std::int32_t n_folds,
                                           std::uint32_t seed) {
  std::vector<std::int32_t> fold(labels.size(), -1);
  numeric::Mt19937 stream(seed);
  std::size_t first = 0;  // of the label in the sorted codes
  for (const std::vector<std::size_t>& cells : by_first_appearance(labels)) {
    // The label fills positions first .. first + size of the sorted codes; position p counts for fold p mod n_folds.
    std::vector<std::int64_t> share(static_cast<std::size_t>(n_folds), 0);
    for (std::size_t at = 0; at < cells.size(); ++at) ++share[(first + at) % share.size()];
    first += cells.size();
    std::vector<std::int32_t> deal;
    for (std::int32_t to = 0; to < n_folds; ++to)
      deal.insert(deal.end(), static_cast<std::size_t>(share[static_cast<std::size_t>(to)]), to);
    const auto order = stream.permutation(static_cast<std::uint32_t>(deal.size()));
    for (std::size_t at = 0; at < cells.size(); ++at) fold[cells[at]] = deal[order[at]];
  }
  return fold;
}

}  // namespace scvet::metrics
