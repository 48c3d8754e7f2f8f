// Which panel gene each column of a file is.
#pragma once

#include <string>
#include <vector>

#include "scvet/data/gene_panel.h"
#include "scvet/data/table.h"
#include "scvet/jobs/cell_input.h"

namespace scvet::jobs {

// Columns of a counted file by their names in var: symbols through the name table where the vocabulary has Ensembl ids,
// collapsed ids to the gene they stand for. Fills what it found into `facts`.
PanelColumns name_columns(const Table& var, const CellInputOptions& options, const std::string& file,
                          CellInputFacts& facts);

// Columns of a token list: column t is token t of the dictionary. `special` marks tokens that are no genes.
struct TokenColumns {
  PanelColumns columns;
  std::vector<std::uint8_t> special;
};
// DataError when no dictionary names the tokens, or when the file has more of them.
TokenColumns name_tokens(std::int64_t n_tokens, const CellInputOptions& options, const std::string& file,
                         CellInputFacts& facts);

// DataError when cells are framed by tokens 2 and 3, as Geneformer V2 does, and the dictionary has genes there: it is
// the dictionary of another model. `chunk`: ranked cells, larger values earlier.
void check_framing(const CellChunk& chunk, const Vocabulary& tokens, const std::string& file);
const Vocabulary* token_names(const CellInputOptions& options);  // tokens, else vocabulary; may be null

}  // namespace scvet::jobs
