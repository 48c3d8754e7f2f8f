// A file as a method sees it: names, counts, labels and batches.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "scvet/data/cells.h"
#include "scvet/data/csr_matrix.h"
#include "scvet/data/groups.h"
#include "scvet/embed/method.h"
#include "scvet/jobs/embed.h"

namespace scvet::jobs {

struct EmbedInput {
  std::unique_ptr<CellFile> file;
  std::string matrix;  // X, or layers/<name>; "" where the method looks at no value
  std::string values;  // state of the values: counts, logged, ...; "" likewise
  std::vector<std::string> genes;
  CsrMatrix counts;  // without a stored value where the method looks at none
  std::optional<Groups> labels, batches;
};

// DataError where cell or gene names repeat, or values are no counts where the method needs those (unless as_is);
// UsageError where the label column is missing, or the batch column of a method that cannot do without (an integration
// takes all cells for one batch, with a warning).
EmbedInput read_embed_input(const std::string& path, const embed::MethodRecord& method, const EmbedOptions& options);

// Only what names cells and genes: for programs that read the file themselves.
EmbedInput open_embed_input(const std::string& path);

}  // namespace scvet::jobs
