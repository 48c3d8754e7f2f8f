// The page and the JSON object of one pickle of a dictionary.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scvet/io/dictionary.h"

namespace scvet::jobs {

std::string dictionary_text(const io::DictionaryPickle& pickle);  // lines of 'label content'
nlohmann::json dictionary_json(const io::DictionaryPickle& pickle);

}  // namespace scvet::jobs
