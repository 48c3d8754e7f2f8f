// The messages of an Arrow IPC stream, found once without reading their bodies.
#pragma once

#include <arrow/api.h>
#include <arrow/ipc/message.h>

#include <memory>
#include <string>
#include <vector>

#include "scvet/base/files.h"

namespace scvet::io {

struct IpcEntry {
  std::int64_t metadata = 0, metadata_bytes = 0, body = 0, body_bytes = 0;  // places in the file
  bool is_batch = false;                                                    // else a dictionary
  std::int64_t first_row = 0, n_rows = 0;                                   // of a batch
};

// A mapped file: a stream, or the stream inside a file of the FILE form. Every place and length is checked against the
// file's end, and what Arrow gets to see are slices of the mapping.
class IpcMessages {
 public:
  explicit IpcMessages(const std::string& path);
  const std::string& path() const { return file_.path(); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(file_.bytes().size()); }
  bool file_form() const { return file_form_; }
  const IpcEntry& schema() const { return schema_; }
  const std::vector<IpcEntry>& entries() const { return entries_; }  // batches and dictionaries in order
  std::int64_t n_rows() const { return n_rows_; }
  std::unique_ptr<arrow::ipc::Message> message(const IpcEntry& entry) const;
  // Bodies that will be read next, and that will not be read again.
  void announce(const IpcEntry& entry) const;
  void forget(const IpcEntry& entry) const;

 private:
  void find_stream(std::int64_t& begin, std::int64_t& end);
  void scan(std::int64_t begin, std::int64_t end);
  bool next(std::int64_t& at, std::int64_t end, bool& is_schema, IpcEntry& entry) const;
  [[noreturn]] void cut_short(std::int64_t at, std::int64_t needed, std::int64_t end, const char* what) const;
  std::shared_ptr<arrow::Buffer> slice(std::int64_t at, std::int64_t size) const;
  void advise(std::int64_t at, std::int64_t size, int advice) const;

  MappedFile file_;
  bool file_form_ = false;
  IpcEntry schema_;
  std::vector<IpcEntry> entries_;
  std::int64_t n_rows_ = 0;
};

}  // namespace scvet::io
