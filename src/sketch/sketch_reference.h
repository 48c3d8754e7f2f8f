// The sketches of a reference and of what is searched in it, as planes of bytes, and which rows hold the same set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact_groups.h"
#include "scvet/sketch/cell_sets.h"
#include "scvet/sketch/minhash.h"

namespace scvet::sketch {

enum class SlotForm {
  kLowBytes,  // the low byte of each slot's hash, in plane `low`
  kGenes,     // the gene that gave each slot, its low byte in plane `low`, the other in `high`: equal where slots are
};

// kSlots bytes a row.
class SlotPlanes {
 public:
  SlotPlanes() = default;
  SlotPlanes(std::int64_t n_rows, SlotForm form);  // ResourceError when the memory is not there
  std::uint8_t* low(std::int64_t row) const { return low_.get() + row * kSlots; }
  std::uint8_t* high(std::int64_t row) const { return high_ ? high_.get() + row * kSlots : nullptr; }
  void set(std::int64_t row, SlotForm form, const MinHasher& hasher, const SlotGenes& genes);

 private:
  std::unique_ptr<std::uint8_t[]> low_, high_;
};

// Slots that two rows of form kGenes share.
std::uint32_t equal_genes(const std::uint8_t* low_a, const std::uint8_t* high_a, const std::uint8_t* low_b,
                          const std::uint8_t* high_b);

struct QuerySketches {
  SlotPlanes planes;
  std::vector<std::int64_t> rows;  // queries of at least one gene; the others' planes are not set
};

// Consecutive rows whose sketches lie in one piece.
struct SketchPiece {
  std::int64_t first = 0, count = 0;
  const std::uint8_t* low = nullptr;
  const std::uint8_t* high = nullptr;  // form kGenes
};

class SketchReference {
 public:
  // Takes the sketches that the source keeps where it has them, `use_stored` allows it and the form is kLowBytes; they were
  // made of gene keys with kStoreSeed. Else every row is read and sketched once, from token numbers and `seed`.
  SketchReference(const SetSource& source, std::uint64_t seed, SlotForm form, bool use_stored);

  const SetSource& source() const { return source_; }
  bool stored() const { return !stored_.empty(); }
  std::string note() const;
  QuerySketches sketch(const CellSets& queries) const;
  std::vector<SketchPiece> pieces(std::int64_t most_rows) const;

  std::int64_t n_rows() const { return source_.n_cells(); }
  std::int64_t n_distinct() const { return n_distinct_; }  // non-empty sets
  // The row is the lowest of a non-empty set.
  bool stands(std::int64_t row) const { return !((hidden_[static_cast<std::size_t>(row / 64)] >> (row % 64)) & 1); }
  // The set of a row when other rows hold it too.
  const RepeatedSet* repeated(std::int64_t row) const;

 private:
  std::vector<HashedRow> stored_hashes();
  std::vector<HashedRow> sketch_all();
  std::vector<HashedRow> hash_all(std::uint64_t salt) const;
  void group(std::vector<HashedRow> hashes);

  const SetSource& source_;
  SlotForm form_;
  std::vector<SketchPiece> stored_;
  std::optional<MinHasher> hasher_;
  SlotPlanes planes_;
  std::vector<std::uint64_t> hidden_;  // bit per row: empty, or not the lowest row of its set
  std::vector<RepeatedSet> sets_;
  std::vector<std::pair<std::int64_t, std::size_t>> repeats_;  // rows of `sets_`, ascending, and which
  std::int64_t n_distinct_ = 0;
};

}  // namespace scvet::sketch
