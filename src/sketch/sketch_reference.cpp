#include "sketch_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "scvet/base/error.h"
#include "scvet/base/parallel.h"
#include "scvet/base/progress.h"
#include "set_hash.h"

namespace scvet::sketch {
namespace {

constexpr std::int64_t kTask = 1024;  // rows a worker reads at a time

struct Scratch {
  std::vector<std::uint16_t> tokens;
  MinHasher::Scratch hasher;
  SlotGenes genes;
};

// Calls body(row, scratch) with the tokens of every row, all workers.
template <typename Body>
void for_rows(const SetSource& source, const char* label, const Body& body) {
  const std::int64_t n_rows = source.n_cells();
  ProgressScope progress(label, n_rows);
  std::vector<std::unique_ptr<Scratch>> state(static_cast<std::size_t>(workers()));
  parallel_for((n_rows + kTask - 1) / kTask, [&](std::int64_t task, int worker) {
    auto& own = state[static_cast<std::size_t>(worker)];
    if (!own) own = std::make_unique<Scratch>();
    const std::int64_t first = task * kTask, count = std::min(kTask, n_rows - first);
    for (std::int64_t row = first; row < first + count; ++row) {
      source.read_tokens(row, own->tokens);
      body(row, *own);
    }
    source.forget(first, count);
    progress.advance(count);
  });
}

HashedRow hashed(std::int64_t row, const std::vector<std::uint16_t>& tokens, const TokenHash& hash) {
  std::uint64_t sum = 0;
  for (const std::uint16_t token : tokens) sum += hash(token);
  return {tokens.empty() ? -1 : row, TokenHash::finish(sum, tokens.size())};
}

std::vector<std::uint64_t> token_numbers(std::uint32_t n_tokens) {
  std::vector<std::uint64_t> keys(n_tokens);
  std::iota(keys.begin(), keys.end(), std::uint64_t{0});
  return keys;
}

}  // namespace

SlotPlanes::SlotPlanes(std::int64_t n_rows, SlotForm form) {
  const auto bytes = static_cast<std::size_t>(n_rows) * kSlots;
  try {
    low_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
    if (form == SlotForm::kGenes) high_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw ResourceError(
        fmt::format("the sketches of {} cells need {} MB of memory, which are not there; search a "
                    "subsample, or use the engine 'exact', which needs little",
                    n_rows, (form == SlotForm::kGenes ? 2 : 1) * bytes >> 20));
  }
}

void SlotPlanes::set(std::int64_t row, SlotForm form, const MinHasher& hasher, const SlotGenes& genes) {
  std::uint8_t* const low_bytes = low(row);
  if (form == SlotForm::kLowBytes) {
    for (int slot = 0; slot < kSlots; ++slot)
      low_bytes[slot] = static_cast<std::uint8_t>(hasher.hash(slot, genes[static_cast<std::size_t>(slot)]));
    return;
  }
  std::uint8_t* const high_bytes = high(row);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    low_bytes[slot] = static_cast<std::uint8_t>(genes[slot]);
    high_bytes[slot] = static_cast<std::uint8_t>(genes[slot] >> 8);
  }
}

std::uint32_t equal_genes(const std::uint8_t* low_a, const std::uint8_t* high_a, const std::uint8_t* low_b,
                          const std::uint8_t* high_b) {
  std::uint8_t equal = 0;  // bytes, so that the compiler counts many slots at once; 128 fit
  for (int slot = 0; slot < kSlots; ++slot)
    equal = static_cast<std::uint8_t>(equal + ((low_a[slot] == low_b[slot]) & (high_a[slot] == high_b[slot])));
  return equal;
}

SketchReference::SketchReference(const SetSource& source, std::uint64_t seed, SlotForm form, bool use_stored)
    : source_(source), form_(form) {
  hidden_.assign(static_cast<std::size_t>(source.n_cells() + 63) / 64, 0);
  const auto keys = form == SlotForm::kLowBytes && use_stored ? source.sketch_keys() : std::span<const std::uint64_t>();
  if (!keys.empty() && source.n_cells() > 0) {
    hasher_.emplace(keys, kStoreSeed);
    group(stored_hashes());
  } else {
    hasher_.emplace(token_numbers(source.n_tokens()), seed);
    planes_ = SlotPlanes(source.n_cells(), form);
    group(sketch_all());
  }
}

std::string SketchReference::note() const {
  return stored() ? fmt::format("searched the sketches that the corpus keeps (of gene keys, seed {})", kStoreSeed)
                  : "sketched the corpus cells on the genes that both sides measured";
}

std::vector<HashedRow> SketchReference::stored_hashes() {
  const std::uint64_t empty = hash_cell({}).set;
  std::vector<HashedRow> hashes(static_cast<std::size_t>(n_rows()));
  for (std::int64_t first = 0; first < n_rows();) {
    const StoredSketches part = source_.stored_sketches(first);
    if (part.count <= 0) throw InternalError(fmt::format("no stored sketch for cell {}", first));
    stored_.push_back({first, part.count, part.low_bytes, nullptr});
    for (std::int64_t at = 0; at < part.count; ++at)
      hashes[static_cast<std::size_t>(first + at)] = {part.hashes[at].set == empty ? -1 : first + at,
                                                      part.hashes[at].set};
    first += part.count;
  }
  return hashes;
}

std::vector<HashedRow> SketchReference::sketch_all() {
  const TokenHash hash(0);
  std::vector<HashedRow> hashes(static_cast<std::size_t>(n_rows()));
  for_rows(source_, "Sketching the reference", [&](std::int64_t row, Scratch& own) {
    hashes[static_cast<std::size_t>(row)] = hashed(row, own.tokens, hash);
    if (own.tokens.empty()) {
      std::fill_n(planes_.low(row), kSlots, std::uint8_t{0xFF});  // of 2^64-1, the hash of no gene
      return;
    }
    hasher_->slot_genes(own.tokens, own.hasher, own.genes);
    planes_.set(row, form_, *hasher_, own.genes);
  });
  return hashes;
}

std::vector<HashedRow> SketchReference::hash_all(std::uint64_t salt) const {
  const TokenHash hash(salt);
  std::vector<HashedRow> hashes(static_cast<std::size_t>(n_rows()));
  for_rows(source_, "Hashing the reference", [&](std::int64_t row, Scratch& own) {
    hashes[static_cast<std::size_t>(row)] = hashed(row, own.tokens, hash);
  });
  return hashes;
}

void SketchReference::group(std::vector<HashedRow> hashes) {
  for (std::size_t row = 0; row < hashes.size(); ++row)
    if (hashes[row].row < 0) hidden_[row / 64] |= std::uint64_t{1} << (row % 64);
  std::optional<SetGroups> groups(std::in_place, std::move(hashes));
  constexpr std::uint64_t kAttempts = 8;
  for (std::uint64_t salt = 1; !groups->confirm(source_); ++salt) {
    if (salt == kAttempts)
      throw InternalError("different gene sets had equal hashes under eight seeds: a row reads differently twice");
    groups.emplace(hash_all(salt));
  }
  n_distinct_ = groups->n_distinct();
  groups->for_repeated([&](const RepeatedSet& set, std::span<const HashedRow> rows) {
    for (const HashedRow& one : rows) {
      repeats_.emplace_back(one.row, sets_.size());
      if (one.row != set.first) hidden_[static_cast<std::size_t>(one.row) / 64] |= std::uint64_t{1} << (one.row % 64);
    }
    sets_.push_back(set);
  });
  std::sort(repeats_.begin(), repeats_.end());
}

const RepeatedSet* SketchReference::repeated(std::int64_t row) const {
  const auto at = std::lower_bound(repeats_.begin(), repeats_.end(), row,
                                   [](const auto& entry, std::int64_t wanted) { return entry.first < wanted; });
  return at != repeats_.end() && at->first == row ? &sets_[at->second] : nullptr;
}

QuerySketches SketchReference::sketch(const CellSets& queries) const {
  QuerySketches all;
  all.planes = SlotPlanes(queries.n_cells(), form_);
  for_rows(queries, "Sketching the queries", [&](std::int64_t row, Scratch& own) {
    if (own.tokens.empty()) return;
    hasher_->slot_genes(own.tokens, own.hasher, own.genes);
    all.planes.set(row, form_, *hasher_, own.genes);
  });
  for (std::int64_t row = 0; row < queries.n_cells(); ++row)
    if (!queries.tokens(row).empty()) all.rows.push_back(row);
  return all;
}

std::vector<SketchPiece> SketchReference::pieces(std::int64_t most_rows) const {
  std::vector<SketchPiece> whole = stored_, cut;
  if (!stored() && n_rows() > 0) whole.push_back({0, n_rows(), planes_.low(0), planes_.high(0)});
  for (const SketchPiece& part : whole)
    for (std::int64_t at = 0; at < part.count; at += most_rows)
      cut.push_back({part.first + at, std::min(most_rows, part.count - at), part.low + at * kSlots,
                     part.high ? part.high + at * kSlots : nullptr});
  return cut;
}

}  // namespace scvet::sketch
