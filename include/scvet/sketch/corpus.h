// The store of a pretraining corpus: one memory-mapped file. Layout: docs/corpus-format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/data/gene_panel.h"
#include "scvet/sketch/cell_sets.h"
#include "scvet/sketch/fingerprint.h"
#include "scvet/sketch/minhash.h"

namespace scvet::sketch {

// What the makers say of their corpus. Empty text: not stated.
struct CorpusCard {
  std::string name, version, cutoff;                        // cutoff: YYYY-MM
  std::vector<std::string> sources, inclusion, exclusions;  // empty: not stated
  std::string extra_json;                                   // further keys of the user's card, "" or a JSON object
  static CorpusCard parse(std::string_view json, const std::string& where);  // DataError names the key
  std::string to_json() const;                                               // every field, "not stated" where so
};

// One file that went in.
struct CorpusSource {
  std::string file, sha256, format, matrix;  // path as given, digest of its bytes, format name, matrix that was read
  std::string dataset;                       // name of the data set where cells have none of their own
  int panel = 0;
  bool has_counts = true;  // false: values as they were, only sets and hashes
  bool ranked = false;     // token lists: no counts, but true ranks of a model's encoding
  std::int64_t n_cells = 0, n_empty = 0;
  std::int64_t first_row = 0;                                  // row of its first cell in the store
  std::int64_t n_entries = 0, n_outside = 0, n_cut_cells = 0;  // RankLosses
  std::vector<std::string> notes;
};

struct CellOrigin {
  std::string file, cell, donor, dataset;  // "" where the corpus does not say
  std::int64_t source = -1;
};

struct CorpusFault {
  std::string section;  // "header", "table of contents", "segment 3 tokens", ...
  std::string message;
};

// A view of the cells of one panel, restricted to a universe. Rows count the panel's cells in store order.
class PanelView : public SetSource {
 public:
  virtual std::int64_t store_row(std::int64_t row) const = 0;
};

// Open for reading. Every access is checked against the file's bounds: a damaged or hostile file gives a DataError,
// never a wild read. Thread-safe.
class Corpus {
 public:
  static std::shared_ptr<const Corpus> open(const std::string& path);
  virtual ~Corpus() = default;

  virtual const std::string& path() const = 0;
  virtual std::string digest() const = 0;  // SHA-256 of the table of contents: names the whole content
  virtual const CorpusCard& card() const = 0;
  virtual const FingerprintRule& rule() const = 0;
  virtual std::int64_t n_cells() const = 0;
  virtual std::int64_t n_segments() const = 0;
  virtual const std::vector<GenePanel>& panels() const = 0;
  virtual const std::vector<CorpusSource>& sources() const = 0;
  virtual std::int64_t panel_cells(int panel) const = 0;
  virtual const std::vector<std::string>& donors(std::size_t source) const = 0;  // names that its cells bear
  virtual const std::vector<std::string>& datasets(std::size_t source) const = 0;

  // Keep the Corpus alive while views are used (a view holds a share of it). At most kMaxTokens universe genes.
  virtual std::unique_ptr<PanelView> view(int panel, TokenMap map, std::uint32_t n_universe) const = 0;
  // Cells of the panel that have the gene, one a token.
  virtual std::vector<std::int64_t> detection(int panel) const = 0;

  virtual CellOrigin origin(std::int64_t store_row) const = 0;
  virtual std::uint32_t cell_size(std::int64_t store_row) const = 0;  // genes stored
  virtual CellHashes hashes(std::int64_t store_row) const = 0;        // over gene keys of the whole stored cell
  virtual LowBytes sketch(std::int64_t store_row) const = 0;
  // Rank order, panel tokens; counts empty where there are none.
  virtual void read_cell(std::int64_t store_row, std::vector<std::uint32_t>& tokens,
                         std::vector<std::uint32_t>& counts) const = 0;

  // Every checksum and every structural promise; the faults in file order (at most `most`), empty when sound.
  virtual std::vector<CorpusFault> verify(std::size_t most = 1) const = 0;
};

}  // namespace scvet::sketch
