#include "check_extra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scvet/base/text.h"

namespace scvet::jobs {
namespace {

constexpr double kStrongV = 0.9, kFewKnown = 0.5;
constexpr std::size_t kBatchesShown = 5;

class Extras {
 public:
  Extras(const CheckSubject& subject, CheckReport& report)
      : subject_(subject), report_(report), names_(read_gene_names(subject.file.var(), "", subject.file.path())) {}
  void add_all(std::span<const GeneVocabulary> vocabularies) {
    values();
    batch_values();
    empty_cells();
    gene_names();
    for (const GeneVocabulary& vocabulary : vocabularies) share(vocabulary);
    labels_and_batches();
    methods();
    notes();
  }

 private:
  void add(CheckLevel level, const char* test, std::string text) {
    report_.ours.push_back({level, test, std::move(text)});
  }
  void values();
  void batch_values();
  void empty_cells();
  void gene_names();
  void share(const GeneVocabulary& vocabulary);
  void missing(const Column& column, const std::string& key, const Groups& groups);
  void labels_and_batches();
  void methods();
  void notes();
  std::string cell(std::int64_t row) const { return subject_.file.obs().names[static_cast<std::size_t>(row)]; }
  std::string gene(std::int64_t column) const { return subject_.file.var().names[static_cast<std::size_t>(column)]; }

  const CheckSubject& subject_;
  CheckReport& report_;
  GeneNames names_;
};

void Extras::values() {
  if (!subject_.scan) return;
  const ValueSummary& values = subject_.scan->values;
  const bool counts = values.state == ValueState::kCounts;
  std::string text = fmt::format("{} holds {}: {}", subject_.x->name, value_state_name(values.state), values.why);
  std::vector<std::string> examples;
  for (const ValueSummary::Example& example : values.examples)
    examples.push_back(fmt::format("cell {} gene {}: {:.6g}", cell(example.cell), gene(example.gene), example.value));
  if (!counts && !examples.empty()) text += " (" + join(examples, "; ") + ")";
  if (counts) return add(CheckLevel::kInfo, "value_state", text);
  if (subject_.needs.counts)
    return add(CheckLevel::kFail, "value_state", text + "; " + subject_.needs.name + " refuses what is no count");
  add(CheckLevel::kWarn, "value_state", text + "; methods that need counts refuse it");
}

// Counts of one batch and something else in another is how joined atlases go wrong.
void Extras::batch_values() {
  const Column* column = subject_.file.obs().find(subject_.options.batch_key);
  if (!subject_.scan || !column || subject_.scan->batches.empty()) return;
  const Groups groups = make_groups(*column);
  std::vector<std::string> odd;
  for (std::size_t batch = 0; batch < subject_.scan->batches.size(); ++batch) {
    const BatchValues& values = subject_.scan->batches[batch];
    if (values.n_fractional == 0) continue;
    odd.push_back(
        fmt::format("'{}': {} of its non-zero values (cell {} gene {}: {:.6g})", groups.names[batch],
                    format_percent(static_cast<double>(values.n_fractional) / static_cast<double>(values.n_nonzero)),
                    cell(values.example.cell), gene(values.example.gene), values.example.value));
  }
  if (odd.empty()) return;
  add(CheckLevel::kWarn, "batch_values",
      fmt::format("values that are not whole in {} of {} batches: {}", odd.size(), groups.names.size(),
                  join_some(odd, kBatchesShown)));
}

void Extras::empty_cells() {
  if (!subject_.scan || subject_.scan->values.n_zero_rows == 0) return;
  const std::vector<double>& sums = subject_.scan->values.row_sums;
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < sums.size() && cells.size() < 4; ++row)
    if (sums[row] == 0) cells.push_back(subject_.file.obs().names[row]);
  add(CheckLevel::kWarn, "empty_cells",
      fmt::format("{} cells have no value but zero ({}): a method cannot place them",
                  format_count(subject_.scan->values.n_zero_rows), join_some(cells, 3)));
}

void Extras::gene_names() {
  report_.organism = names_.organism;
  report_.symbols_from = names_.symbol_from;
  report_.ensembl_from = names_.ensembl_from;
  report_.gene_names = gene_kind_name(names_.index_kind);
  const auto place = [](const std::string& from) { return from == "index" ? from : "var['" + from + "']"; };
  const auto example = [](const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (!name.empty()) return " (" + name + ", ...)";
    return std::string();
  };
  std::vector<std::string> found;
  if (!names_.symbol.empty()) found.push_back("symbols in " + place(names_.symbol_from) + example(names_.symbol));
  if (!names_.ensembl.empty())
    found.push_back("Ensembl ids in " + place(names_.ensembl_from) + example(names_.ensembl));
  add(CheckLevel::kInfo, "gene_names",
      fmt::format("gene names: {}; organism: {}", found.empty() ? "none that name genes" : join(found, ", "),
                  names_.organism.empty() ? "unknown" : names_.organism));
  if (names_.index_kind == GeneKind::kNumber)
    add(CheckLevel::kWarn, "numbered_genes",
        found.empty()
            ? "the gene index only numbers the genes, and no column of var names them"
            : "the gene index only numbers the genes, as some converters leave them: run 'scvet prepare' with "
              "--symbol-key " +
                  (names_.symbol_from.empty() ? names_.ensembl_from : names_.symbol_from));
}

void Extras::share(const GeneVocabulary& vocabulary) {
  const std::vector<std::string>& index = subject_.file.var().names;
  VocabularyShare share = measure_vocabulary(
      vocabulary, names_, index,
      subject_.scan ? std::span<const double>(subject_.scan->gene_totals) : std::span<const double>());
  const double genes = share.n_genes == 0 ? 0 : static_cast<double>(share.n_known) / static_cast<double>(share.n_genes);
  const bool few = share.share_counts < kFewKnown || share.n_known == 0;
  add(few ? CheckLevel::kWarn : CheckLevel::kInfo, "vocabulary",
      fmt::format("vocabulary {} ({} genes by {}): {} of the file's {} genes and {} of its counts are in it{}",
                  share.name, format_count(share.n_vocabulary), share.gene_ids == "ensembl" ? "Ensembl id" : "symbol",
                  format_percent(genes), format_count(share.n_genes),
                  std::isnan(share.share_counts) ? "an unknown share" : format_percent(share.share_counts),
                  share.unknown.empty() ? "" : "; outside, most counts first: " + join(share.unknown, ", ")));
  report_.vocabularies.push_back(std::move(share));
}

void Extras::missing(const Column& column, const std::string& key, const Groups& groups) {
  const auto n = std::count(groups.of_cell.begin(), groups.of_cell.end(), -1);
  if (n > 0 && n < column.size())
    add(CheckLevel::kInfo, "missing_values",
        fmt::format("{} cells have no obs['{}']: the benchmark leaves them out", format_count(n), key));
}

void Extras::labels_and_batches() {
  const Table& obs = subject_.file.obs();
  const Column* labels = obs.find(subject_.options.label_key);
  const Column* batches = obs.find(subject_.options.batch_key);
  const Groups label_groups = labels ? make_groups(*labels) : Groups{};
  const Groups batch_groups = batches ? make_groups(*batches) : Groups{};
  if (labels) missing(*labels, subject_.options.label_key, label_groups);
  if (batches) missing(*batches, subject_.options.batch_key, batch_groups);
  Confounding& found = report_.confounding;
  if (!labels || !batches) {
    found.cramers_v = std::numeric_limits<double>::quiet_NaN();
    found.undefined = "labels and batches are not both there";
    return;
  }
  found = confounding_of(label_groups, batch_groups);
  if (std::isnan(found.cramers_v))
    return add(CheckLevel::kInfo, "confounding", "whether labels go with batches is undefined: " + found.undefined);
  std::string text = fmt::format(
      "labels and batches: Cramer's V {:.2f} (0: the same mixture in every batch, 1: a label "
      "tells its batch)",
      found.cramers_v);
  if (!found.single_batch.empty())
    text += fmt::format(
        "; in one batch only: {} ({} of the cells), where mixing and biology cannot be told apart",
        join_some(found.single_batch, 6),
        format_percent(static_cast<double>(found.n_single_batch_cells) / static_cast<double>(found.n_cells)));
  add(found.cramers_v > kStrongV ? CheckLevel::kWarn : CheckLevel::kInfo, "confounding", text);
}

std::string size_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", std::max(bytes / 1e6, 1.0)) : fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string time_text(double seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

void Extras::methods() {
  if (!subject_.scan) return;
  report_.methods =
      method_estimates(subject_.needs.name, report_.n_cells, report_.n_genes, subject_.scan->values.stored);
  for (const MethodEstimate& method : report_.methods)
    add(CheckLevel::kInfo, "estimate",
        fmt::format("{}: about {} of memory and {} of processor time; {}", method.name, size_text(method.bytes),
                    time_text(method.seconds),
                    method.gene_ids == "any" ? "it takes any gene" : "its genes are named by " + method.gene_ids));
  if (!subject_.needs.name.empty() && report_.methods.empty())
    add(CheckLevel::kInfo, "estimate",
        subject_.needs.name +
            " is no method of this version: its memory, time and vocabulary are not known here "
            "(--vocabulary FILE measures a vocabulary)");
}

void Extras::notes() {
  for (const std::string& note : subject_.file.notes()) add(CheckLevel::kInfo, "file", note);
}

}  // namespace

Confounding confounding_of(const Groups& labels, const Groups& batches) {
  Confounding found;
  const auto n_labels = static_cast<std::size_t>(labels.size()), n_batches = static_cast<std::size_t>(batches.size());
  std::vector<std::int64_t> table(n_labels * n_batches, 0), of_label(n_labels, 0), of_batch(n_batches, 0);
  for (std::size_t cell = 0; cell < labels.of_cell.size(); ++cell) {
    const std::int32_t label = labels.of_cell[cell], batch = batches.of_cell[cell];
    if (label < 0 || batch < 0) continue;
    ++table[static_cast<std::size_t>(label) * n_batches + static_cast<std::size_t>(batch)];
    ++of_label[static_cast<std::size_t>(label)];
    ++of_batch[static_cast<std::size_t>(batch)];
    ++found.n_cells;
  }
  const auto used = [](const std::vector<std::int64_t>& counts) {
    return std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; });
  };
  const auto n = static_cast<double>(found.n_cells);
  double sum = 0;  // of observed^2 / expected, less n: chi-squared
  for (std::size_t label = 0; label < n_labels; ++label) {
    std::int64_t met = 0;
    for (std::size_t batch = 0; batch < n_batches; ++batch) {
      const std::int64_t cells = table[label * n_batches + batch];
      met += cells > 0;
      if (cells > 0)
        sum += static_cast<double>(cells) * static_cast<double>(cells) * n /
               (static_cast<double>(of_label[label]) * static_cast<double>(of_batch[batch]));
    }
    if (met != 1 || used(of_batch) < 2) continue;
    found.single_batch.push_back(labels.names[label]);
    found.n_single_batch_cells += of_label[label];
  }
  const auto least = std::min(used(of_label), used(of_batch));
  if (least < 2) {
    found.cramers_v = std::numeric_limits<double>::quiet_NaN();
    found.undefined = found.n_cells == 0 ? "no cell has both" : "there is a single label or a single batch";
    return found;
  }
  found.cramers_v = std::min(std::sqrt(std::max(sum - n, 0.0) / (n * static_cast<double>(least - 1))), 1.0);
  return found;
}

void add_extras(const CheckSubject& subject, std::span<const GeneVocabulary> vocabularies, CheckReport& report) {
  Extras(subject, report).add_all(vocabularies);
}

}  // namespace scvet::jobs
