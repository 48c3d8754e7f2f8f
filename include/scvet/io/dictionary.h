// Token dictionaries of rank-encoded models, as their authors publish them (pickles) or in our text form.
#pragma once

#include <memory>
#include <string>

#include "scvet/data/vocabulary.h"

namespace scvet::io {

// `path`: a folder that holds a token dictionary and a median dictionary (*.pkl, told apart by their content), one
// pickle of tokens (medians are then 1), or a file in the vocabulary's text form. Pickles are read by a restricted
// machine that runs nothing (pickle.h). DataError names the file, the key or the global that is refused.
Vocabulary load_dictionary(const std::string& path);

}  // namespace scvet::io
