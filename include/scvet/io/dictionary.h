// Token dictionaries of rank-encoded models, as their authors publish them (pickles) or in our text form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scvet/data/vocabulary.h"
#include "scvet/io/format.h"

namespace scvet::io {

// `path`: a folder that holds a token dictionary and a median dictionary (*.pkl, told apart by their content), one
// pickle of tokens (medians are then 1), or a file in the vocabulary's text form. Pickles are read by a restricted
// machine that runs nothing (pickle.h). DataError names the file, the key or the global that is refused.
Vocabulary load_dictionary(const std::string& path);

// The table at `dictionary` that names the genes of count lists, "" where it is none but a model's dictionary: a parquet
// or Arrow file, a file called gene_metadata*.csv or .tsv, or in a folder without *.pkl (or its metadata/) a file called
// gene_metadata*. Never throws.
std::string gene_metadata_table(const std::string& dictionary);

// What names the tokens of a token list: options.vocabulary, else options.dictionary; null when neither is given.
std::shared_ptr<const Vocabulary> token_vocabulary(const OpenOptions& options);

// True when the file is named *.pkl, or begins and ends like a binary pickle; never throws.
bool looks_like_pickle(const std::string& path);

// One pickle of a dictionary, for people.
struct DictionaryPickle {
  enum class Kind { kTokens, kMedians, kIdMap, kSymbolMap, kOther };
  Kind kind = Kind::kOther;
  int protocol = 0;
  std::int64_t n_entries = 0;
  std::vector<std::pair<std::string, std::string>> first;  // up to 5 entries
  // kTokens
  std::vector<SpecialToken> special;
  std::int64_t n_genes = 0, largest_token = -1, n_ensembl = 0;
  VocabularyKind model = VocabularyKind::kOther;
  // kMedians
  double least = 0, middle = 0, greatest = 0;
  std::int64_t n_changed = 0;  // kIdMap: ids that stand for another
};
DictionaryPickle read_dictionary_pickle(const std::string& path);
const char* dictionary_kind_name(DictionaryPickle::Kind kind);  // tokens, medians, id_map, symbol_map, other

}  // namespace scvet::io
