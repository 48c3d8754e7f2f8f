#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/log.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"
#include "scvet/io/dictionary.h"
#include "scvet/jobs/corpus.h"
#include "scvet/jobs/run_folder.h"
#include "scvet/sketch/corpus_writer.h"

namespace scvet::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kRecord = "corpus.json";

bool is_store(const std::string& path) { return lower(fs::path(path).extension().string()) == ".corpus"; }

// Tables that are read beside the inputs: another content is another run.
std::string digest_of(const std::string& table) { return table.empty() ? "" : sha256_path(table); }

std::string options_json(const CorpusBuildOptions& options, const sketch::FingerprintRule& rule,
                         const sketch::CorpusCard& card) {
  const CellInputOptions& input = options.input;
  const json all = {{"out", options.out},
                    {"card", json::parse(card.to_json())},
                    {"donor_key", options.donor_key},
                    {"dataset_key", options.dataset_key},
                    {"fingerprint", rule.kind()},
                    {"top_k", rule.top_k},
                    {"vocabulary", rule.vocabulary ? rule.vocabulary->digest() : "universe"},
                    {"append", options.append},
                    {"dictionary", options.dictionary},
                    {"gene_metadata", digest_of(io::gene_metadata_table(options.dictionary))},
                    {"gene_table", options.gene_table},
                    {"gene_table_digest", input.names ? digest_of(input.names->path()) : ""},
                    {"gene_key", input.gene_key},
                    {"layer", input.layer},
                    {"genome", input.genome},
                    {"modality", input.modality},
                    {"organism", input.organism},
                    {"duplicate_genes", static_cast<int>(input.duplicate_genes)},
                    {"as_is", input.as_is},
                    {"primary_only", input.primary_only}};
  return all.dump();
}

// The rule that the flags name; where they name none, that of the store that is added to or merged.
sketch::FingerprintRule choose_rule(const CorpusBuildOptions& options, const std::vector<std::string>& inputs) {
  const RuleFlags flags{options.fingerprint, options.top_k, options.vocabulary, options.dictionary};
  const bool unsaid = flags.fingerprint.empty() && flags.top_k == 0 &&
                      (flags.vocabulary.empty() || flags.vocabulary == "universe") &&
                      (flags.dictionary.empty() || !io::gene_metadata_table(flags.dictionary).empty());
  if (unsaid && options.append && fs::exists(options.out)) return sketch::Corpus::open(options.out)->rule();
  if (unsaid && is_store(inputs.front())) return sketch::Corpus::open(inputs.front())->rule();
  return fingerprint_rule(flags);
}

sketch::CorpusCard choose_card(const CorpusBuildOptions& options) {
  sketch::CorpusCard card;
  if (!options.card.empty())
    card = sketch::CorpusCard::parse(read_file(options.card), options.card);
  else if (options.append && fs::exists(options.out))
    card = sketch::Corpus::open(options.out)->card();
  if (!options.name.empty()) card.name = options.name;
  if (!options.cutoff.empty()) {
    try {
      card.cutoff = sketch::CorpusCard::parse(json({{"cutoff", options.cutoff}}).dump(), "--cutoff").cutoff;
    } catch (const DataError& error) {
      throw UsageError(error.what(), {.field = "--cutoff"});
    }
  }
  return card;
}

// The column that was asked for, or the usual one where the file has it.
const Column* name_column(const CellInput& input, const std::string& asked, const char* usual, const char* flag) {
  if (!asked.empty()) return &require_column(input.obs(), asked, input.path(), flag);
  return input.obs().find(usual);
}

void add_names(const CellInput& input, std::int64_t first, std::int64_t count, const Column* donor,
               const Column* dataset, sketch::CellNames& names) {
  names = {};
  for (std::int64_t cell = first; cell < first + count; ++cell) {
    const std::int64_t row = input.file_row(cell);
    names.cells.push_back(input.obs().names[static_cast<std::size_t>(row)]);
    if (donor) names.donors.push_back(donor->text(row));
    if (dataset) names.datasets.push_back(dataset->text(row));
  }
}

void add_file(const CorpusBuildOptions& options, const sketch::FingerprintRule& rule, const std::string& path,
              const std::string& digest, sketch::CorpusWriter& writer) {
  CellInputOptions reading = options.input;
  reading.vocabulary = rule.vocabulary;
  reading.gene_metadata = io::gene_metadata_table(options.dictionary);
  const std::unique_ptr<CellInput> input = CellInput::open(path, reading);
  const Column* const donor = name_column(*input, options.donor_key, "donor_id", "--donor-key");
  const Column* const dataset = name_column(*input, options.dataset_key, "dataset_id", "--dataset-key");
  sketch::CorpusSource source;
  source.file = path;
  source.sha256 = digest;
  source.format = input->facts().format;
  source.matrix = input->facts().matrix;
  source.dataset = stem(path);
  source.has_counts = input->has_counts();
  source.ranked = input->ranked();
  log_verbose(fmt::format("{}: {} cells, {} genes, {} ({})", path, input->n_cells(), input->panel().size(),
                          source.matrix, input->facts().why));
  writer.begin_source(source, input->panel());
  const RankPolicy policy = rule.policy(input->panel(), input->ranked());
  ProgressScope progress(base_name(path), input->n_cells());
  CellBatch batch;
  RankedCells ranked;
  RankLosses losses;
  sketch::CellNames names;
  for (std::int64_t first = 0; first < input->n_cells(); first += input->chunk_cells()) {
    throw_if_stopped();
    const std::int64_t count = std::min(input->chunk_cells(), input->n_cells() - first);
    input->read(first, count, batch);
    rank_cells(batch, policy, ranked, losses);
    add_names(*input, first, count, donor, dataset, names);
    writer.add(ranked, names);
    progress.advance(count);
  }
  if (const std::string cut = cut_note(*input, rule.top_k); !cut.empty()) log_warning(cut);
  const std::vector<std::string> notes = input->facts().notes();
  for (const std::string& note : notes) log_info(base_name(path) + ": " + note);
  if (losses.n_outside > 0)
    log_info(
        fmt::format("{}: {} of the values above 0 are of genes outside the vocabulary", base_name(path),
                    format_percent(static_cast<double>(losses.n_outside) / static_cast<double>(losses.n_entries))));
  writer.end_source(notes, losses);
}

void add_store(const std::string& path, sketch::CorpusWriter& writer) {
  const auto store = sketch::Corpus::open(path);
  for (const sketch::CorpusSource& source : store->sources())
    if (writer.has_source(source.sha256))
      throw DataError(
          fmt::format("{} holds the cells of {}, which are in the corpus already; merging would count them twice", path,
                      source.file),
          {.file = path, .reason = "repeated_source"});
  writer.add_store(*store);
}

// True when the store is still what this very run made.
bool is_unchanged(const RunFolder& run, const CorpusBuildOptions& options) {
  if (!run.complete() || options.force || options.append || !fs::exists(options.out)) return false;
  const json record = json::parse(read_file(run.path(kRecord)), nullptr, false);
  try {
    return record.is_object() && record.value("digest", "") == sketch::Corpus::open(options.out)->digest();
  } catch (const DataError&) {
    return false;
  }
}

CorpusBuildResult describe(const CorpusBuildOptions& options, const RunFolder& run) {
  const auto corpus = sketch::Corpus::open(options.out);
  CorpusBuildResult result;
  result.path = options.out;
  result.digest = corpus->digest();
  result.run_folder = run.folder();
  result.n_cells = corpus->n_cells();
  result.n_sources = static_cast<std::int64_t>(corpus->sources().size());
  return result;
}

}  // namespace

CorpusBuildResult build_corpus(const CorpusBuildOptions& given) {
  CorpusBuildOptions options = given;
  if (!options.gene_table.empty())
    options.input.names = std::make_shared<const NameTable>(NameTable::load(options.gene_table));
  if (options.out.empty()) throw UsageError("name the corpus to write with --out FILE.corpus", {.field = "--out"});
  if (fs::is_directory(options.out))
    throw UsageError(options.out + " is a folder; --out names a file", {.field = "--out"});
  const std::vector<std::string> inputs = expand_inputs(options.inputs);
  for (const std::string& input : inputs)
    if (fs::exists(options.out) && fs::equivalent(input, options.out))
      throw UsageError(input + " is both input and output", {.field = "--out"});
  const sketch::FingerprintRule rule = choose_rule(options, inputs);
  const sketch::CorpusCard card = choose_card(options);
  RunFolder run(options.out + ".run", "corpus build", options_json(options, rule, card), options.seed, inputs);
  if (is_unchanged(run, options)) {
    CorpusBuildResult result = describe(options, run);
    result.unchanged = true;
    return result;
  }

  const bool append = options.append && fs::exists(options.out);
  const std::int64_t before = append ? sketch::Corpus::open(options.out)->n_cells() : 0;
  const auto writer =
      append ? sketch::CorpusWriter::append(options.out, rule) : sketch::CorpusWriter::create(options.out, rule, card);
  writer->set_card(card);
  std::vector<std::string> skipped;
  for (const auto& [path, digest] : run.inputs()) {
    if (is_store(path)) {
      add_store(path, *writer);
    } else if (writer->has_source(digest)) {
      log_warning(path + ": the corpus holds this very file already; it was passed over");
      skipped.push_back(path);
      continue;
    } else {
      add_file(options, rule, path, digest, *writer);
    }
    writer->checkpoint();
  }
  writer->finish();

  CorpusBuildResult result = describe(options, run);
  result.n_added = result.n_cells - before;
  result.skipped = skipped;
  const json record = {{"path", result.path},     {"digest", result.digest},     {"cells", result.n_cells},
                       {"added", result.n_added}, {"sources", result.n_sources}, {"skipped", skipped}};
  write_file(run.path(kRecord), record.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  run.finish({kRecord});
  return result;
}

}  // namespace scvet::jobs
