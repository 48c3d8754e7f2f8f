#include "neighbour_cache.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/parallel.h"

namespace scvet::jobs {
namespace {

constexpr std::string_view kMagic = "scvet neighbours 1\n";
constexpr std::size_t kDigestLength = 64;

template <typename T>
std::span<const std::byte> bytes_of(const T* data, std::size_t count) {
  return std::as_bytes(std::span<const T>(data, count));
}

std::string content_digest(MatrixView<const float> x, std::int64_t k) {
  Sha256 digest;
  digest.update(kMagic);
  const std::int64_t shape[] = {x.rows, x.cols, k};
  digest.update(bytes_of(shape, 3));
  for (std::int64_t row = 0; row < x.rows; ++row) digest.update(bytes_of(x.row(row), static_cast<std::size_t>(x.cols)));
  return digest.finish();
}

std::string file_digest(std::string_view body) {
  Sha256 digest;
  digest.update(body);
  return digest.finish();
}

void add_distances(MatrixView<const float> x, graph::Neighbours& lists) {
  lists.distances.resize(lists.cells.size());
  parallel_for(lists.n_cells, [&](std::int64_t cell, int) {
    const float* const own = x.row(cell);
    for (std::int64_t at = cell * lists.k; at < (cell + 1) * lists.k; ++at) {
      const float* const other = x.row(lists.cells[static_cast<std::size_t>(at)]);
      double sum = 0;
      for (std::int64_t dim = 0; dim < x.cols; ++dim) {
        const double difference = static_cast<double>(own[dim]) - static_cast<double>(other[dim]);
        sum += difference * difference;
      }
      lists.distances[static_cast<std::size_t>(at)] = std::sqrt(sum);
    }
  });
}

// Nothing where the file is missing, cut or changed.
std::optional<graph::Neighbours> load(const std::string& path, MatrixView<const float> x, std::int64_t k) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string text = read_file(path);
  graph::Neighbours lists;
  lists.n_cells = x.rows;
  lists.k = std::clamp<std::int64_t>(k, 1, x.rows);
  const std::size_t n_entries = static_cast<std::size_t>(lists.n_cells * lists.k);
  const std::size_t body = kMagic.size() + n_entries * sizeof(std::uint32_t);
  if (text.size() != body + kDigestLength || !text.starts_with(kMagic) ||
      text.substr(body) != file_digest(std::string_view(text).substr(0, body))) {
    log_warning(path + ": damaged; the neighbours are computed again");
    return std::nullopt;
  }
  lists.cells.resize(n_entries);
  std::memcpy(lists.cells.data(), text.data() + kMagic.size(), n_entries * sizeof(std::uint32_t));
  add_distances(x, lists);
  return lists;
}

void save(const std::string& path, const graph::Neighbours& lists) {
  std::string text(kMagic);
  text.append(reinterpret_cast<const char*>(lists.cells.data()), lists.cells.size() * sizeof(std::uint32_t));
  text += file_digest(text);
  try {
    write_file(path, text);
  } catch (const Error& error) {
    log_warning(std::string("neighbours not kept: ") + error.what());
  }
}

}  // namespace

graph::Neighbours cached_neighbours(const std::string& folder, MatrixView<const float> x, std::int64_t k) {
  if (folder.empty()) return graph::exact_neighbours(x, k);
  const std::string path = folder + "/" + content_digest(x, k) + ".nn";
  if (auto kept = load(path, x, k)) return std::move(*kept);
  graph::Neighbours lists = graph::exact_neighbours(x, k);
  save(path, lists);
  return lists;
}

}  // namespace scvet::jobs
