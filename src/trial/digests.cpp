#include "scvet/trial/digests.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"

namespace scvet::trial {
namespace {

static_assert(std::endian::native == std::endian::little, "digests are taken over little-endian bytes");
constexpr std::size_t kSketch = 64;

std::string hex(const CellHash& hash, std::size_t bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes; ++at) text += fmt::format("{:02x}", hash[at]);
  return text;
}

}  // namespace

GeneOrder order_genes(const std::vector<std::string>& names, const std::string& file) {
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
  GeneOrder genes;
  genes.rank.resize(names.size());
  Sha256 hash;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::string& name = names[order[rank]];
    if (rank > 0 && name == names[order[rank - 1]])
      throw DataError(fmt::format("{}: the gene name '{}' occurs twice; genes are told by their names: make var_names "
                                  "unique (reason=duplicate_names)",
                                  file, name),
                      {.file = file, .field = "var", .gene = name, .reason = "duplicate_names"});
    if (name.find_first_of("\t\r\n") != std::string::npos)
      throw DataError(fmt::format("{}: the gene name '{}' holds a tab or a line end; rename it", file, name),
                      {.file = file, .field = "var", .gene = name, .reason = "bad_name"});
    hash.update(name + "\n");
    genes.rank[order[rank]] = static_cast<std::uint32_t>(rank);
  }
  genes.sha256 = hash.finish();
  return genes;
}

CellHashes hash_cell(std::string_view name, std::span<const std::uint32_t> record) {
  // One buffer, hashed whole and again from behind the name.
  thread_local std::vector<std::byte> bytes;
  const std::size_t start = name.size() + 1;
  bytes.resize(start + record.size_bytes());
  std::memcpy(bytes.data(), name.data(), name.size());
  bytes[name.size()] = std::byte{0};
  if (!record.empty()) std::memcpy(bytes.data() + start, record.data(), record.size_bytes());
  return {sha256_bytes(bytes), sha256_bytes(std::span<const std::byte>(bytes).subspan(start))};
}

std::string counts_digest(const std::string& genes_sha256, std::vector<CellHash> named) {
  std::sort(named.begin(), named.end());
  Sha256 hash;
  hash.update("scvet counts 1\n" + genes_sha256 + "\n");
  for (const CellHash& cell : named) hash.update(std::as_bytes(std::span(cell)));
  return hash.finish();
}

std::vector<std::string> cell_sketch(std::vector<CellHash> unnamed) {
  const auto end = unnamed.begin() + static_cast<std::ptrdiff_t>(std::min(kSketch, unnamed.size()));
  std::partial_sort(unnamed.begin(), end, unnamed.end());
  std::vector<std::string> sketch;
  for (auto cell = unnamed.begin(); cell != end; ++cell) sketch.push_back(hex(*cell, 8));
  return sketch;
}

std::string array_sha256(std::span<const double> values) {
  Sha256 hash;
  hash.update(std::as_bytes(values));
  return hash.finish();
}

}  // namespace scvet::trial
