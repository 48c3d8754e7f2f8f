// The store of a corpus. Its checksums would turn nearly every mutation away at the door, so an input that says so in its
// last byte is sealed again first: header, digest and checksums are made to fit the mutated content.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "corpus_layout.h"
#include "forked.h"
#include "scvet/base/digest.h"
#include "scvet/base/log.h"
#include "scvet/base/parallel.h"
#include "scvet/sketch/corpus.h"
#include "temporary_file.h"

namespace scvet {
namespace {
using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

std::span<const std::byte> part(const Bytes& bytes, std::uint64_t offset, std::uint64_t length) {
  if (offset > bytes.size() || length > bytes.size() - offset) return {};
  return std::as_bytes(std::span(bytes)).subspan(offset, length);
}

// Puts the checksum of the bytes that it names into every blob of a table of contents.
void seal_blobs(json& value, const Bytes& bytes) {
  if (value.is_object() && value.contains("xxh3") && value.contains("offset") && value.contains("length") &&
      value["offset"].is_number_unsigned() && value["length"].is_number_unsigned()) {
    const auto blob = part(bytes, value["offset"].get<std::uint64_t>(), value["length"].get<std::uint64_t>());
    value["xxh3"] = sketch::hex64(sketch::checksum(blob));
    return;
  }
  if (value.is_structured())
    for (json& inner : value) seal_blobs(inner, bytes);
}

void seal(Bytes& bytes) {
  sketch::Header header;
  std::uint64_t fields[4] = {};
  if (bytes.size() < sketch::kContentStart) return;
  std::memcpy(fields, bytes.data() + 24, sizeof fields);
  const auto toc = part(bytes, fields[1], fields[2]);
  const std::string_view old(reinterpret_cast<const char*>(toc.data()), toc.size());
  json contents = json::parse(old, nullptr, false);
  std::string text(old);
  if (!contents.is_discarded()) {
    seal_blobs(contents, bytes);
    text = contents.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  bytes.resize(sketch::aligned(bytes.size()));
  header.generation = std::max<std::uint64_t>(fields[0], 1);
  header.toc_offset = bytes.size();
  header.toc_length = text.size();
  bytes.insert(bytes.end(), text.begin(), text.end());
  header.end = bytes.size();
  header.toc_sha256 = sketch::digest_bytes(sha256(text));
  const auto made = sketch::write_header(header);
  std::memcpy(bytes.data(), made.data(), made.size());
}

void read_rows(const sketch::Corpus& corpus) {
  std::vector<std::uint32_t> tokens, counts;
  const std::int64_t n = corpus.n_cells();
  for (std::int64_t row = 0; row < n; row += std::max<std::int64_t>(n / 200, 1)) {
    fuzz::expect_own_errors([&] { corpus.read_cell(row, tokens, counts); });
    fuzz::expect_own_errors([&] { corpus.cell_size(row); });
    fuzz::expect_own_errors([&] { corpus.origin(row); });
    corpus.hashes(row);
    corpus.sketch(row);
  }
}

void read_view(const std::shared_ptr<const sketch::Corpus>& corpus, int panel) {
  const std::uint32_t genes = corpus->panels()[static_cast<std::size_t>(panel)].size();
  const std::uint32_t universe = std::min(genes, sketch::kMaxTokens);
  TokenMap map;
  for (std::uint32_t gene = 0; gene < genes; ++gene)
    map.to_universe.push_back(gene < universe ? static_cast<std::int32_t>(gene) : -1);
  const auto view = corpus->view(panel, std::move(map), universe);
  sketch::CellSet cell;
  const std::int64_t n = view->n_cells();
  for (std::int64_t row = 0; row < n; row += std::max<std::int64_t>(n / 200, 1))
    fuzz::expect_own_errors([&] {
      view->read(row, cell);
      if (!cell.counts.empty() && cell.counts.size() != cell.tokens.size()) std::abort();
      for (const std::uint16_t token : cell.tokens)
        if (token >= universe) std::abort();
    });
  if (n > 0) view->forget(0, n);
}

}  // namespace
}  // namespace scvet

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scvet;
  static const fuzz::TemporaryFolder folder;
  static const bool quiet = [] {
    set_log_options({LogLevel::kQuiet, false});
    set_workers(1);
    return true;
  }();
  Bytes bytes(data, data + size);
  if (quiet && size > 0 && data[size - 1] % 2 == 1) seal(bytes);
  const std::string path = folder.put("input.corpus", bytes.data(), bytes.size());
  fuzz::expect_own_errors([&] {
    const std::shared_ptr<const sketch::Corpus> corpus = sketch::Corpus::open(path);
    read_rows(*corpus);
    for (int panel = 0; panel < static_cast<int>(corpus->panels().size()); ++panel) {
      corpus->panel_cells(panel);
      corpus->detection(panel);
      fuzz::expect_own_errors([&] { read_view(corpus, panel); });
    }
    corpus->verify(5);
  });
  return 0;
}
