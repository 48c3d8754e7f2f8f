// Files to cells. Formats are variants: src/io/formats/<name>.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "scvet/data/cells.h"

namespace scvet {
class Vocabulary;
}

namespace scvet::io {

struct OpenOptions {
  std::string genome = {};    // 10x v2 files with several genomes
  std::string modality = {};  // h5mu
  // Names the tokens of files that hold token lists: what io/dictionary.h reads, or a folder or file of gene metadata.
  std::string dictionary = {};
  // The same for token lists, in memory (that of a corpus); stands above `dictionary`. See token_vocabulary().
  std::shared_ptr<const Vocabulary> vocabulary = {};
};

struct FormatRecord {
  const char* name;        // "h5ad"
  const char* summary;     // one line for people
  const char* extensions;  // "h5ad" or "h5,hdf5"; for help only
  // True when the path is of this format, judged by its content; must not throw on foreign or broken files.
  bool (*recognises)(const std::string& path);
  std::unique_ptr<CellFile> (*open)(const std::string& path, const OpenOptions& options);
};
std::span<const FormatRecord* const> formats();

// Opens a file or folder of any known format. DataError when missing, broken or of no known format: the message says
// what the file looks like (truncated HDF5, molecule_info, HTML page, ...) and what is needed instead.
std::unique_ptr<CellFile> open_cells(const std::string& path, const OpenOptions& options = {});

}  // namespace scvet::io
