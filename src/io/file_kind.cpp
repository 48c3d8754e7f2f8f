#include "file_kind.h"

#include <algorithm>
#include <fstream>

#include "hdf5/hdf5_file.h"
#include "scvet/base/text.h"
#include "zarr/zarr_store.h"
#include "zip/zip_file.h"

namespace scvet::io {
namespace {

struct Signature {
  std::string_view bytes;
  const char* meaning;
};
constexpr Signature kSignatures[] = {
    {"\x89HDF\r\n\x1a\n", "it is an HDF5 file"},
    {"\x1f\x8b", "it is gzip-compressed: run gunzip first"},
    {"BZh", "it is bzip2-compressed: run bunzip2 first"},
    {std::string_view("\xfd"
                      "7zXZ\0",
                      6),
     "it is xz-compressed: run unxz first"},
    {"\x28\xb5\x2f\xfd", "it is zstd-compressed: run unzstd first"},
    {"PAR1", "it is a parquet file"},
    {"ARROW1", "it is an Arrow file"},
    {"RDX", "it is an R object: save it as h5ad with anndataR or zellkonverter"},
    {"%PDF", "it is a PDF document"},
    {"version https://git-lfs", "it is a Git LFS pointer: run 'git lfs pull'"},
};

// Names at the root of well-known HDF5 files that hold no matrix for us.
struct KnownRoot {
  const char* members[3];
  const char* meaning;
};
constexpr KnownRoot kKnownRoots[] = {
    {{"barcode_idx", "umi", nullptr},
     "it is a 10x molecule_info file (molecules, not a matrix): give "
     "filtered_feature_bc_matrix.h5 of the same run"},
    {{"barcode", "umi", "gene"},
     "it is an old 10x molecule_info file (molecules, not a matrix): give "
     "filtered_gene_bc_matrices_h5.h5 of the same run"},
    {{"assays", "cell.names", nullptr}, "it is an h5Seurat file: write it as h5ad"},
    {{"model_weights", nullptr, nullptr}, "it is a Keras model"},
};

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char byte) { return byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r'; });
}

}  // namespace

std::string describe_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char head[512] = {};
  if (!file) return "it cannot be read: no permission?";
  file.read(head, sizeof head);
  const std::string_view bytes(head, static_cast<std::size_t>(file.gcount()));
  if (bytes.empty()) return "it is empty";
  if (is_zip(path)) return zarr::is_store(path) ? zarr::describe_store(path) : describe_zip(path);
  for (const Signature& signature : kSignatures)
    if (bytes.starts_with(signature.bytes)) return signature.meaning;
  const std::string start = lower(trim(bytes.substr(0, 64)));
  if (start.starts_with("<!doctype html") || start.starts_with("<html"))
    return "it is a web page: the download gave an error or a sign-in page; download it again";
  if (start.starts_with("<?xml")) return "it is XML, perhaps a storage service's error message; download it again";
  if (bytes.find_first_not_of('\0') == std::string_view::npos) return "it starts with zero bytes: a broken copy";
  if (!is_printable(bytes)) return "its first bytes are those of no format that scvet knows";
  const std::string_view line = bytes.substr(0, std::min<std::size_t>(bytes.find_first_of("\r\n"), 40));
  return "it is a text file that starts with '" + std::string(line) + "'";
}

std::string describe_hdf5(const std::string& path) {
  const hdf5::Group root = hdf5::open_file(path);
  for (const KnownRoot& known : kKnownRoots)
    if (std::all_of(std::begin(known.members), std::end(known.members),
                    [&](const char* member) { return !member || root.kind(member) != hdf5::LinkKind::kMissing; }))
      return known.meaning;
  const std::vector<std::string> members = root.members();
  return members.empty() ? "it is an HDF5 file that holds nothing"
                         : "it is an HDF5 file that holds " + join_some(members);
}

}  // namespace scvet::io
