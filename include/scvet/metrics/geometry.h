// Geometry of an embedding: how many directions it uses, how narrow a cone it fills, whether neighbours in expression
// stay neighbours. Variants: src/metrics/probes/<name>.cpp. docs/geometry.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scvet/base/csr_view.h"
#include "scvet/base/matrix_view.h"
#include "scvet/data/groups.h"

namespace scvet::metrics {

// What a probe may look at: the cells used, in the order of the file of counts.
struct GeometryInput {
  std::string dataset_id, method;  // of them and `seed` the seeds are made
  std::int64_t seed = 0;
  MatrixView<const float> z;                // cells x dimensions, finite
  MatrixView<const float> standard;         // standardise(z)
  const Groups* labels = nullptr;           // null: no such column; -1 missing. The names "" and "nan" may occur
  const Groups* batches = nullptr;          // null: no such column; else no cell without one
  std::string batch_key = "batch_id";       // for the note
  CsrView counts = {};                      // cells x genes
  std::span<const std::string> genes = {};  // names of their columns
  std::span<const std::uint8_t> technical_genes = {};  // 1: not to be used whatever its name; empty: none
  std::int64_t n_genes = 2000;                         // of the reference graph of R_NX
};

// Nothing and NaN are empty fields.
using ProbeValue = std::variant<std::monostate, std::int64_t, double, std::string>;

// R_NX of one batch, for the table of batches.
struct RnxBatch {
  std::string batch;
  std::int64_t n_cells = 0, k = 0;
  double rnx = 0;
};

struct ProbeOutput {
  std::vector<ProbeValue> values;      // one a column of the record
  std::string note = {};               // pr=exact_covariance_frobenius
  std::vector<RnxBatch> batches = {};  // ascending by batch, then k
};

struct ProbeRecord {
  const char* name;                      // pr
  const char* label;                     // for people
  std::span<const char* const> columns;  // of the table
  const char* source;                    // paper or DOI
  const char* meaning;                   // how to read the values, in words
  const char* range;                     // of the values, in words
  const char* undefined;                 // when the values are empty, in words
  const char* version;                   // of this definition; changes with any change of values
  int order, note_order;                 // place among the columns, and among the notes
  bool optional;                         // its failure is a note, and the row is complete without it
  ProbeOutput (*compute)(const GeometryInput& input);
};

// The table that cmake/Variants.cmake writes, sorted by file name.
std::span<const ProbeRecord* const> probes();
// In the order of the table's columns.
std::vector<const ProbeRecord*> ordered_probes();

struct GeometryValues {
  std::vector<ProbeValue> values;  // one a column of ordered_probes(); empty ones from a failing probe on
  std::string failure = {};        // "RuntimeError:..." of the probe that failed; "": completed
  std::string notes = {};          // joined by ';'; "" where failed
  std::vector<RnxBatch> batches = {};
};

// Every probe of the table. What a probe throws is the row's failure or, of an optional one, a note; Ctrl-C and want of
// memory are passed on.
GeometryValues measure_geometry(const GeometryInput& input);

// <Type>:<text> as the tables name failures: errors of data and usage are a ValueError, others a RuntimeError.
std::string failure_text(const std::exception& error);

// Per column: mean subtracted, divided by the standard deviation (divisor n), both in float64; constant columns
// (deviation at most 1e-8) become 0. Stored as float32, as the peer does.
struct Standardised {
  std::vector<float> values;  // rows x columns
  std::int64_t zero_var_dims = 0;
};
Standardised standardise(MatrixView<const float> z);

// (base + the first 32 bits of the MD5 of the parts joined by '|') modulo 2^31 - 1.
std::uint64_t probe_seed(std::int64_t base, std::span<const std::string> parts);

// The rows of a file of `n` cells that are used: all, or a sorted draw of `max_cells` without replacement that depends
// on seed and data set only. max_cells 0: all.
std::vector<std::int64_t> used_cells(std::int64_t n, std::int64_t max_cells, std::int64_t seed,
                                     const std::string& dataset_id);

}  // namespace scvet::metrics
