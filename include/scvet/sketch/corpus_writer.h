// Writing a store: new (appears whole or not at all) or appended to (the old content stays valid at every moment).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scvet/data/rank_encoding.h"
#include "scvet/sketch/corpus.h"

namespace scvet::sketch {

// Names of the cells of one batch, parallel to its rows; donors and datasets may be empty vectors.
struct CellNames {
  std::vector<std::string> cells, donors, datasets;
};

class CorpusWriter {
 public:
  // A new store under a temporary name until finish(). `rule` and `card` describe the whole store.
  static std::unique_ptr<CorpusWriter> create(const std::string& path, const FingerprintRule& rule,
                                              const CorpusCard& card);
  // Opens an existing store for appending and locks it against other writers. DataError when `rule` differs.
  static std::unique_ptr<CorpusWriter> append(const std::string& path, const FingerprintRule& rule);
  virtual ~CorpusWriter() = default;

  virtual void set_card(const CorpusCard& card) = 0;
  virtual bool has_source(const std::string& sha256) const = 0;
  // Between the two calls, batches of one file. `source.panel`, row and cell numbers are filled in here.
  virtual void begin_source(const CorpusSource& source, const GenePanel& panel) = 0;
  // Values are counts when source.has_counts; else they only enter the content hash.
  virtual void add(const RankedCells& cells, const CellNames& names) = 0;
  virtual void end_source(std::vector<std::string> notes, const RankLosses& losses) = 0;
  // All cells of another store with the same rule, bytes copied.
  virtual void add_store(const Corpus& other) = 0;
  // When appending: makes what was added so far part of the store. New stores: nothing until finish().
  virtual void checkpoint() = 0;
  virtual void finish() = 0;
};

}  // namespace scvet::sketch
