// Elements of an h5ad file as anndata's on-disk format names them: typed groups, arrays, texts, columns and frames.
// Every failure is a ResourceError naming the file and the object, with HDF5's reason.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdf5/hdf5_file.h"
#include "scvet/data/table.h"
#include "scvet/io/h5ad_writer.h"

namespace scvet::io {

using hdf5::Handle;

// A file that is being written: what every element needs to know.
class H5adOut {
 public:
  // Creates `path` (a temporary name of `target`), with the root's encoding attributes.
  H5adOut(const std::string& path, std::string target, const WriteOptions& options);
  hid_t root() const { return file_.get(); }
  void close();  // flushes; a full disk shows here at the latest

  // Throws when `status` is negative.
  void check(std::int64_t status, const std::string& object) const;
  Handle own(hid_t id, const std::string& object) const;

  // Creation list of a data set: chunked and compressed when the options say so and it is large enough to gain.
  Handle layout(std::span<const hsize_t> shape, std::size_t element_bytes) const;
  // One that grows along its only dimension, to about `expected` elements (0 or less: unknown).
  Handle growing_layout(std::int64_t expected) const;

  void note(std::string text);
  std::vector<std::string> notes() && { return std::move(notes_); }

 private:
  void compress(hid_t creation_list) const;
  std::string target_;
  WriteOptions options_;
  Handle file_;
  std::vector<std::string> notes_;
};

// encoding-type and encoding-version of anndata's specification.
struct Encoding {
  const char* type;
  const char* version;
};
constexpr Encoding kAnnData = {"anndata", "0.1.0"}, kDict = {"dict", "0.1.0"}, kRaw = {"raw", "0.1.0"},
                   kFrame = {"dataframe", "0.2.0"}, kArray = {"array", "0.2.0"}, kText = {"string", "0.2.0"},
                   kTexts = {"string-array", "0.2.0"}, kCategorical = {"categorical", "0.2.0"},
                   kNullableInteger = {"nullable-integer", "0.1.0"}, kNullableBoolean = {"nullable-boolean", "0.1.0"},
                   kCsr = {"csr_matrix", "0.1.0"}, kCsc = {"csc_matrix", "0.1.0"};

void set_encoding(const H5adOut& out, hid_t object, Encoding encoding);
void set_text(const H5adOut& out, hid_t object, const char* attribute, std::string_view text);
void set_texts(const H5adOut& out, hid_t object, const char* attribute, std::span<const std::string> texts);
void set_integers(const H5adOut& out, hid_t object, const char* attribute, std::span<const std::int64_t> values);
void set_boolean(const H5adOut& out, hid_t object, const char* attribute, bool value);
void remove_attribute(const H5adOut& out, hid_t object, const char* attribute);

Handle make_group(const H5adOut& out, hid_t parent, const std::string& name, Encoding encoding);
Handle open_object(const H5adOut& out, hid_t parent, const std::string& name);

// HDF5's enumeration FALSE, TRUE over one byte, which h5py reads as NumPy's bool.
Handle boolean_type();

// An array of `shape` from memory of type `memory`, stored as `stored`.
void write_array(const H5adOut& out, hid_t parent, const std::string& name, hid_t stored, hid_t memory,
                 std::span<const hsize_t> shape, const void* values);
void write_integers(const H5adOut& out, hid_t parent, const std::string& name, hid_t stored,
                    std::span<const std::int64_t> values);
void write_mask(const H5adOut& out, hid_t parent, const std::string& name, std::span<const std::uint8_t> values);
// Variable-length UTF-8. Bytes that are not UTF-8 are taken for Latin-1 and noted.
void write_texts(H5adOut& out, hid_t parent, const std::string& name, std::span<const std::string> texts);
void write_text(H5adOut& out, hid_t parent, const std::string& name, const std::string& text);

// A categorical group without its categories: codes in the smallest signed type.
Handle write_codes(const H5adOut& out, hid_t parent, const std::string& name, std::span<const std::int64_t> codes,
                   std::int64_t n_categories, bool ordered);

// One column of a frame, as widely read as its kind allows.
void write_column(H5adOut& out, hid_t frame, const std::string& name, const Column& column);
// A name that HDF5 and anndata accept, noted when it differs; `index` is the name of the frame's index.
std::string column_name(H5adOut& out, const std::string& frame, const std::string& name, const std::string& index,
                        std::span<const std::string> taken);
void write_frame(H5adOut& out, hid_t parent, const std::string& name, const Table& table);

}  // namespace scvet::io
