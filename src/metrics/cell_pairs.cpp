#include "cell_pairs.h"

namespace scvet::metrics {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Draws anew, all of them at a time, those of `right` that equal their partner.
void separate(const Numbers& left, Numbers& right, std::uint32_t n, numeric::NumpyRandom& random) {
  while (true) {
    std::vector<std::size_t> equal;
    for (std::size_t at = 0; at < left.size(); ++at)
      if (left[at] == right[at]) equal.push_back(at);
    if (equal.empty()) return;
    for (const std::size_t at : equal) right[at] = random.below(n);
  }
}

std::uint32_t size_of(const std::vector<std::int64_t>& cells) { return static_cast<std::uint32_t>(cells.size()); }

// Places at which `drawn` names each group.
std::vector<std::vector<std::size_t>> places_of(const Numbers& drawn, std::size_t n_groups) {
  std::vector<std::vector<std::size_t>> places(n_groups);
  for (std::size_t at = 0; at < drawn.size(); ++at) places[drawn[at]].push_back(at);
  return places;
}

}  // namespace

std::vector<CellPair> mixed_pairs(std::uint32_t n, std::size_t count, numeric::NumpyRandom& random) {
  const Numbers left = random.integers(n, count);
  Numbers right = random.integers(n, count);
  separate(left, right, n, random);
  std::vector<CellPair> pairs;
  for (std::size_t at = 0; at < count; ++at) pairs.emplace_back(left[at], right[at]);
  return pairs;
}

std::vector<CellPair> within_pairs(const Groups& groups, std::size_t count, numeric::NumpyRandom& random) {
  std::vector<std::vector<std::int64_t>> members;
  for (auto& cells : groups.members())
    if (cells.size() >= 2) members.push_back(std::move(cells));
  if (members.empty()) return {};
  const Numbers drawn = random.integers(static_cast<std::uint32_t>(members.size()), count);
  const auto places = places_of(drawn, members.size());
  std::vector<CellPair> pairs(count);
  for (std::size_t group = 0; group < members.size(); ++group) {
    if (places[group].empty()) continue;
    const auto& cells = members[group];
    const Numbers left = random.integers(size_of(cells), places[group].size());
    Numbers right = random.integers(size_of(cells), places[group].size());
    separate(left, right, size_of(cells), random);
    for (std::size_t at = 0; at < left.size(); ++at)
      pairs[places[group][at]] = {static_cast<std::uint32_t>(cells[left[at]]),
                                  static_cast<std::uint32_t>(cells[right[at]])};
  }
  return pairs;
}

std::vector<CellPair> between_pairs(const Groups& groups, std::size_t count, numeric::NumpyRandom& random) {
  const auto n_groups = static_cast<std::uint32_t>(groups.size());
  if (n_groups < 2) return {};
  const Numbers left = random.integers(n_groups, count);
  Numbers right = random.integers(n_groups, count);
  separate(left, right, n_groups, random);
  const auto members = groups.members();
  const auto left_places = places_of(left, members.size()), right_places = places_of(right, members.size());
  std::vector<CellPair> pairs(count);
  for (std::size_t group = 0; group < members.size(); ++group) {
    const auto& cells = members[group];
    for (const std::size_t at : left_places[group])
      pairs[at].first = static_cast<std::uint32_t>(cells[random.below(size_of(cells))]);
    for (const std::size_t at : right_places[group])
      pairs[at].second = static_cast<std::uint32_t>(cells[random.below(size_of(cells))]);
  }
  return pairs;
}

}  // namespace scvet::metrics
