// Methods: cells to an embedding. Variants: src/embed/methods/<name>.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "scvet/base/csr_view.h"
#include "scvet/data/groups.h"

namespace scvet::embed {

struct MethodInput {
  CsrView counts;                           // cells x genes
  std::span<const std::string> cell_names;  // unique
  std::span<const std::string> gene_names;  // var index, unique
  const Groups* labels = nullptr;           // where the record needs them; may have missing cells
  const Groups* batches = nullptr;          // where the record needs them
  std::uint64_t seed = 42;
  std::map<std::string, std::string> parameters;  // by name; those not given have the record's default
};

// One row a cell, always; a row that could not be embedded is all NaN and has a reason.
struct MethodOutput {
  std::int64_t n_dims = 0;
  std::vector<float> values;                      // cells x n_dims
  std::vector<std::string> missing_reason = {};   // one a cell, "" where embedded; empty: every cell was
  std::vector<std::string> genes = {};            // of each dimension, where dimensions are genes
  std::map<std::string, std::string> facts = {};  // for the record: genes kept, cut-off, ...
};

struct MethodParameter {
  const char* name;      // pca_n_top_genes
  const char* standard;  // the default, as text
  const char* help;
};

struct MethodRecord {
  const char* name;      // pca
  const char* label;     // for people
  const char* source;    // paper, DOI or specification
  const char* category;  // baseline, control, integration, model, external
  const char* gene_ids;  // any, symbol, ensembl: what var must name
  const char* species;   // any, human, ...
  const char* values;    // counts: refuses others; any; none: looks at no value
  bool needs_labels, needs_batches;
  bool uses_labels;  // ranks list such methods apart
  bool needs_weights, uses_gpu;
  bool transductive;  // a cell's row depends on the other cells
  std::span<const MethodParameter> parameters;
  MethodOutput (*embed)(const MethodInput& input);  // null: a program that the user names (external)
  // Peak bytes (the counts included) and CPU seconds for n cells with `stored` values in all and so many genes, with the
  // default parameters; for `check`. NaN: not known.
  double (*estimate_bytes)(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored);
  double (*estimate_seconds)(std::int64_t n_cells, std::int64_t n_genes, std::int64_t stored);
};
std::span<const MethodRecord* const> methods();
// By name, in any case; UsageError with the nearest name.
const MethodRecord& method(const std::string& name);
// The parameter as given, or its default. UsageError where it is no number of that kind.
std::int64_t integer_parameter(const MethodRecord& record, const MethodInput& input, const char* name);

}  // namespace scvet::embed
