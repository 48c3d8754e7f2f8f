// What `scvet check` tells beyond the peer's tests.
#pragma once

#include <span>

#include "check_rules.h"
#include "scvet/data/genes.h"

namespace scvet::jobs {

// Cramer's V of labels and batches, over cells that have both.
Confounding confounding_of(const Groups& labels, const Groups& batches);

// A model's genes, and how it names them.
struct GeneVocabulary {
  std::string name;
  std::vector<std::string> genes;
  std::vector<std::pair<std::string, std::string>> collapse = {};  // ids that stand for another
};
// A folder or file as io/dictionary.h reads it, or JSON: an object whose keys are genes, or a list of genes. UsageError
// where there is no such file; DataError where it is none of these.
GeneVocabulary load_gene_vocabulary(const std::string& path);
// `totals`: counts of each gene of the file. Ids are compared without versions; where the vocabulary has ids and the
// file symbols alone, the name table that set-up made maps them.
VocabularyShare measure_vocabulary(const GeneVocabulary& vocabulary, const GeneNames& names,
                                   const std::vector<std::string>& index, std::span<const double> totals);

// Appends to report.ours and fills the facts.
void add_extras(const CheckSubject& subject, std::span<const GeneVocabulary> vocabularies, CheckReport& report);

}  // namespace scvet::jobs
