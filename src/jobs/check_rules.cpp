#include "check_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "prepare_genes.h"
#include "prepare_obs.h"
#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

constexpr double kLogLook = 30;  // logged values stay below
constexpr std::int64_t kFewGenes = 15'000;
constexpr std::size_t kNamesLooked = 5'000;
constexpr std::int64_t kSmallClass = 5, kAnchorCells = 30;

class Rules {
 public:
  Rules(const CheckSubject& subject, CheckReport& report) : subject_(subject), report_(report) {}
  void apply() {
    info("shape", fmt::format("{} cells x {} genes", format_count(report_.n_cells), format_count(report_.n_genes)));
    values();
    genes();
    cells();
    labels();
    batches();
    spatial();
  }

 private:
  void add(CheckLevel level, const char* test, std::string text) {
    report_.lines.push_back({level, test, std::move(text)});
  }
  void ok(const char* test, std::string text) { add(CheckLevel::kOk, test, std::move(text)); }
  void info(const char* test, std::string text) { add(CheckLevel::kInfo, test, std::move(text)); }
  void warn(const char* test, std::string text) { add(CheckLevel::kWarn, test, std::move(text)); }
  void fail(const char* test, std::string text) { add(CheckLevel::kFail, test, std::move(text)); }
  const Table& obs() const { return subject_.file.obs(); }
  const Table& var() const { return subject_.file.var(); }

  void values();
  void whole_values(const std::string& stored);
  void fractional_values(const std::string& stored);
  std::string other_counts() const;
  void genes();
  void gene_columns();
  void cells();
  void labels();
  void batches();
  void spatial();

  const CheckSubject& subject_;
  CheckReport& report_;
};

std::string number(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{:.4g}", value);
}

std::string count_of(std::int64_t n, const char* one, const char* several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

void Rules::values() {
  if (!subject_.x) return fail("values", "adata.X is absent: the benchmark reads raw counts from X");
  if (!subject_.scan) return fail("values", "adata.X cannot be read: " + subject_.fault);
  const ValueSummary& values = subject_.scan->values;
  if (values.stored == 0 || values.n_cells == 0) return fail("values", "adata.X is empty");
  if (values.n_nan + values.n_infinite > 0)
    return fail("values", fmt::format("adata.X holds {} NaN and {} infinite values", format_count(values.n_nan),
                                      format_count(values.n_infinite)));
  if (values.n_negative > 0)
    return fail("values", fmt::format("adata.X holds {} negative values (least {}): it is scaled or an embedding, not "
                                      "raw counts",
                                      format_count(values.n_negative), number(values.min_stored)));
  const std::string kind = subject_.x->kind == "ndarray" ? "dense (ndarray)" : "sparse (" + subject_.x->kind + ")";
  subject_.scan->probe.all_whole ? whole_values(kind) : fractional_values(kind);
}

void Rules::whole_values(const std::string& stored) {
  const double most = subject_.scan->probe.max;
  if (most < kLogLook)
    warn("values", fmt::format("adata.X is integer-valued, {}, but its maximum is only {}: are these raw counts?",
                               stored, number(most)));
  else
    ok("values", fmt::format("adata.X is integer-valued (raw counts), {}, maximum {}", stored, number(most)));
}

std::string Rules::other_counts() const {
  std::vector<std::string> places;
  for (const MatrixInfo& info : subject_.file.matrices()) {
    for (const char* name : {"counts", "raw_counts", "count"})
      if (info.name == std::string("layers/") + name) places.push_back(fmt::format("adata.layers['{}']", name));
    if (info.name == "raw/X") places.push_back("adata.raw");
  }
  return places.empty() ? "the file has no layer called counts and no raw slot"
                        : "look for counts in " + join(places, " or ");
}

void Rules::fractional_values(const std::string& stored) {
  const double most = subject_.scan->probe.max;
  if (most < kLogLook)
    fail("values", fmt::format("adata.X is not integer-valued, {}, maximum {}: it looks log-normalised; {}", stored,
                               number(most), other_counts()));
  else
    warn("values",
         fmt::format("adata.X is not integer-valued, {}, maximum {}: not raw counts as they were measured; {}", stored,
                     number(most), other_counts()));
}

void Rules::genes() {
  if (report_.n_genes < kFewGenes)
    warn("n_genes",
         fmt::format("only {} genes: models match genes against their own vocabulary, so an HVG-subset input "
                     "is scored on your gene selection rather than on the model (fine for a targeted panel)",
                     format_count(report_.n_genes)));
  else
    ok("n_genes", fmt::format("{} genes", format_count(report_.n_genes)));
  const Duplicate duplicate = find_duplicate(var().names);
  if (duplicate.row_a < 0)
    ok("gene_index", "gene index is unique");
  else
    fail("gene_index",
         fmt::format("gene index is not unique: {} names repeat another, the first is '{}' (rows {} and {})",
                     format_count(duplicate.n_duplicated), duplicate.name, duplicate.row_a, duplicate.row_b));
  const std::size_t looked = std::min(kNamesLooked, var().names.size());
  const auto ids = std::count_if(var().names.begin(), var().names.begin() + static_cast<std::ptrdiff_t>(looked),
                                 [](const std::string& name) { return looks_like_ensembl(name); });
  const double share = looked == 0 ? 0 : static_cast<double>(ids) / static_cast<double>(looked);
  if (share > 0.9)
    warn("gene_ids", fmt::format("the gene index holds Ensembl ids ({}), and symbols are wanted: run 'scvet prepare'",
                                 var().names.front()));
  else if (share > 0)
    info("gene_ids",
         fmt::format("{} of the gene index are Ensembl ids, as for genes without a symbol", format_percent(share)));
  gene_columns();
}

void Rules::gene_columns() {
  const Column* symbols = var().find("gene_symbol");
  if (!symbols) {
    fail("gene_symbol", "var['gene_symbol'] is missing: run 'scvet prepare'");
  } else {
    std::vector<std::string> texts;
    for (std::int64_t row = 0; row < symbols->size(); ++row) texts.push_back(symbols->text(row));
    const Duplicate duplicate = find_duplicate(texts);
    const std::int64_t differing = count_differing(*symbols, string_column("", var().names));
    if (duplicate.row_a >= 0)
      warn("gene_symbol", fmt::format("var['gene_symbol'] has duplicates: {} repeat another, the first is '{}'",
                                      format_count(duplicate.n_duplicated), duplicate.name));
    else if (differing > 0)
      warn("gene_symbol",
           fmt::format("var['gene_symbol'] differs from the gene index in {} genes", format_count(differing)));
    else
      ok("gene_symbol", "var['gene_symbol'] present and equal to the gene index");
  }
  if (var().find("ensembl_id")) return ok("ensembl_id", "var['ensembl_id'] present");
  if (subject_.needs.ensembl)
    return fail("ensembl_id", fmt::format("var['ensembl_id'] is missing, and {} needs it", subject_.needs.name));
  info("ensembl_id", "var['ensembl_id'] is missing");
  report_.limitations.push_back("without var['ensembl_id'] you cannot run geneformer or scprint");
}

void Rules::cells() {
  const Duplicate names = find_duplicate(obs().names);
  if (names.row_a >= 0)
    fail("cell_index", fmt::format("obs_names are not unique: {} repeat another, the first is '{}' (rows {} and {})",
                                   format_count(names.n_duplicated), names.name, names.row_a, names.row_b));
  const Column* barcode = obs().find("barcode");
  if (!barcode) return fail("barcode", "obs['barcode'] is missing: run 'scvet prepare'");
  std::vector<std::string> texts;
  for (std::int64_t row = 0; row < barcode->size(); ++row) texts.push_back(barcode->text(row));
  const Duplicate duplicate = find_duplicate(texts);
  const std::int64_t differing = count_differing(*barcode, string_column("", obs().names));
  if (duplicate.row_a >= 0)
    fail("barcode", fmt::format("obs['barcode'] has duplicates: {} repeat another, the first is '{}'",
                                format_count(duplicate.n_duplicated), duplicate.name));
  else if (differing > 0)
    warn("barcode", fmt::format("obs['barcode'] differs from obs_names in {} cells", format_count(differing)));
  else
    ok("barcode", "obs['barcode'] present, unique and equal to obs_names");
}

void Rules::labels() {
  const std::string& key = subject_.options.label_key;
  const Column* column = obs().find(key);
  if (!column) {
    if (subject_.options.role == "reference")
      return fail("labels", fmt::format("obs['{}'] is missing, and a reference needs it", key));
    info("labels", fmt::format("obs['{}'] is missing", key));
    report_.limitations.push_back(fmt::format(
        "without obs['{}'] you cannot score the conservation of cell types or use the file as a reference", key));
    return;
  }
  const std::vector<std::int64_t> counts = make_groups(*column).counts();
  if (counts.empty()) return warn("labels", fmt::format("obs['{}'] present, but no cell has a value", key));
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  ok("labels", fmt::format("obs['{}'] present: {}, smallest has {}, largest {}", key,
                           count_of(static_cast<std::int64_t>(counts.size()), "class", "classes"),
                           count_of(*least, "cell", "cells"), count_of(*most, "cell", "cells")));
  if (*least < kSmallClass)
    warn("small_class", fmt::format("a class has fewer than {} cells: its scores rest on very little", kSmallClass));
  if (counts.size() == 1) warn("one_class", "a single class: separation of cell types is undefined");
}

void Rules::batches() {
  const std::string& key = subject_.options.batch_key;
  const Column* column = obs().find(key);
  if (!column) {
    if (subject_.needs.integration)
      return fail("batches", fmt::format("obs['{}'] is missing, and {} integrates batches", key, subject_.needs.name));
    info("batches", fmt::format("obs['{}'] is missing", key));
    report_.limitations.push_back(
        fmt::format("without obs['{}'] you cannot run integration methods or score batch mixing", key));
    return;
  }
  const std::vector<std::int64_t> counts = make_groups(*column).counts();
  if (counts.empty()) return warn("batches", fmt::format("obs['{}'] present, but no cell has a value", key));
  const std::int64_t least = *std::min_element(counts.begin(), counts.end());
  ok("batches", fmt::format("obs['{}'] present: {}, smallest has {}", key,
                            count_of(static_cast<std::int64_t>(counts.size()), "batch", "batches"),
                            count_of(least, "cell", "cells")));
  if (counts.size() == 1)
    info("one_batch", "a single batch: integration methods have nothing to correct and batch metrics are undefined");
  if (least <= kAnchorCells)
    add(subject_.needs.seurat_anchors ? CheckLevel::kWarn : CheckLevel::kInfo, "small_batch",
        fmt::format(
            "the smallest batch has {}: seurat_cca and seurat_rpca cannot integrate batches of 30 cells or fewer "
            "(harmony can)",
            count_of(least, "cell", "cells")));
}

void Rules::spatial() {
  const std::vector<NamedShape> arrays = subject_.file.obsm();
  const bool present =
      std::any_of(arrays.begin(), arrays.end(), [](const NamedShape& array) { return array.name == "spatial"; });
  if (present)
    info("spatial", "obsm['spatial'] present");
  else if (subject_.needs.spatial)
    fail("spatial", fmt::format("obsm['spatial'] is missing, and {} needs it", subject_.needs.name));
}

}  // namespace

void apply_rules(const CheckSubject& subject, CheckReport& report) { Rules(subject, report).apply(); }

}  // namespace scvet::jobs
