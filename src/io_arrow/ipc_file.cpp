// Arrow IPC, stream and FILE form: batches by number, lists of any rows.
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/reader.h>
#include <fmt/format.h>

#include <algorithm>

#include "arrow_support.h"
#include "ipc_messages.h"
#include "readers.h"
#include "scvet/base/error.h"

namespace scvet::io {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// All messages of a file in order, for Arrow's own stream reader: it knows what dictionaries mean.
class AllMessages : public arrow::ipc::MessageReader {
 public:
  explicit AllMessages(const IpcMessages& messages) : messages_(messages) {}
  arrow::Result<std::unique_ptr<arrow::ipc::Message>> ReadNextMessage() override {
    const std::size_t at = next_++;
    if (at == 0) return messages_.message(messages_.schema());
    if (at <= messages_.entries().size()) return messages_.message(messages_.entries()[at - 1]);
    return nullptr;
  }

 private:
  const IpcMessages& messages_;
  std::size_t next_ = 0;
};

class IpcFile : public ColumnarFile {
 public:
  explicit IpcFile(const std::string& path) : messages_(path), memory_(messages_.bytes()) {
    const auto head = messages_.message(messages_.schema());
    schema_ = require(arrow::ipc::ReadSchema(*head, &memo_), path, "read the schema");
    if (!schema_->is_native_endian())
      throw DataError(path + ": it was written on a big-endian machine; write it again on another",
                      {.file = path, .reason = "endianness"});
    for (const auto& field : schema_->fields()) fields_.push_back(describe_field(*field));
    for (std::size_t entry = 0; entry < messages_.entries().size(); ++entry)
      if (messages_.entries()[entry].is_batch) batches_.push_back(entry);
    require_plausible(messages_.n_rows(), messages_.bytes(), path);
    count_lists();
  }

  const std::string& path() const override { return messages_.path(); }
  const char* layout() const override { return messages_.file_form() ? "Arrow file" : "Arrow stream"; }
  const std::vector<ColumnarField>& fields() const override { return fields_; }
  std::int64_t n_rows() const override { return messages_.n_rows(); }
  std::int64_t piece_rows() const override { return piece_rows_; }
  void read_lists(const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                  std::vector<ColumnarLists>& lists) override;
  Column read_column(std::size_t column) override;

 private:
  const IpcEntry& batch(std::size_t number) const { return messages_.entries()[batches_[number]]; }
  arrow::ipc::IpcReadOptions options(const std::vector<std::size_t>& columns) {
    arrow::ipc::IpcReadOptions result;
    result.memory_pool = memory_.pool();
    result.use_threads = false;
    result.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
    for (const std::size_t column : columns) result.included_fields.push_back(static_cast<int>(column));
    std::sort(result.included_fields.begin(), result.included_fields.end());
    return result;
  }
  std::shared_ptr<arrow::RecordBatch> load(std::size_t number, const std::vector<std::size_t>& columns);
  void count_lists();

  IpcMessages messages_;
  FileMemory memory_;
  arrow::ipc::DictionaryMemo memo_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ColumnarField> fields_;
  std::vector<std::size_t> batches_;  // entries of messages_
  std::int64_t piece_rows_ = 1;
  // The batch read last: compressed ones are costly to read again.
  std::size_t held_ = kNone;
  std::vector<std::size_t> held_columns_;
  std::shared_ptr<arrow::RecordBatch> held_batch_;
};

std::shared_ptr<arrow::RecordBatch> IpcFile::load(std::size_t number, const std::vector<std::size_t>& columns) {
  const auto message = messages_.message(batch(number));
  auto loaded = require(arrow::ipc::ReadRecordBatch(*message, schema_, &memo_, options(columns)), path(),
                        fmt::format("read record batch {}", number));
  if (loaded->num_rows() != batch(number).n_rows)
    throw DataError(fmt::format("{}: record batch {} has {} rows where it claims {}", path(), number,
                                loaded->num_rows(), batch(number).n_rows),
                    {.file = path(), .reason = "bad_size"});
  return loaded;
}

// What lists hold in all, and that every batch can hold the rows it claims: nothing may be sized by a mere claim.
void IpcFile::count_lists() {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < fields_.size(); ++column)
    if (fields_[column].kind == ColumnarKind::kIntegerList || fields_[column].kind == ColumnarKind::kRealList) {
      columns.push_back(column);
      fields_[column].rough_stored = 0;
    }
  for (std::size_t number = 0; number < batches_.size(); ++number) {
    piece_rows_ = std::max(piece_rows_, batch(number).n_rows);
    if (columns.empty()) continue;
    const auto loaded = load(number, columns);
    for (std::size_t at = 0; at < columns.size(); ++at) {
      ColumnarField& field = fields_[columns[at]];
      field.rough_stored +=
          count_stored(*loaded->column(static_cast<int>(at)), {&path(), &field.name, batch(number).first_row});
    }
    messages_.forget(batch(number));
  }
}

void IpcFile::read_lists(const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                         std::vector<ColumnarLists>& lists) {
  clear_lists(lists, columns.size());
  std::vector<std::size_t> sorted = columns;
  std::sort(sorted.begin(), sorted.end());
  const std::int64_t end = first + count;
  auto number = static_cast<std::size_t>(std::upper_bound(batches_.begin(), batches_.end(), first,
                                                          [&](std::int64_t row, std::size_t entry) {
                                                            return row < messages_.entries()[entry].first_row;
                                                          }) -
                                         batches_.begin());
  if (number > 0) --number;
  for (; number < batches_.size() && batch(number).first_row < end; ++number) {
    const IpcEntry& entry = batch(number);
    const std::int64_t from = std::max(first, entry.first_row), to = std::min(end, entry.first_row + entry.n_rows);
    if (from >= to) continue;
    if (held_ != number || held_columns_ != sorted) {
      held_batch_.reset();
      const bool reading_on = held_ != kNone && number == held_ + 1;
      if (held_ != kNone) messages_.forget(batch(held_));
      messages_.announce(entry);
      if (reading_on && number + 1 < batches_.size()) messages_.announce(batch(number + 1));
      held_batch_ = load(number, sorted);
      held_ = number;
      held_columns_ = sorted;
    }
    for (std::size_t at = 0; at < columns.size(); ++at) {
      const auto place = std::lower_bound(sorted.begin(), sorted.end(), columns[at]) - sorted.begin();
      append_lists(*held_batch_->column(static_cast<int>(place))->Slice(from - entry.first_row, to - from),
                   {&path(), &fields_[columns[at]].name, from}, lists[at]);
    }
  }
}

Column IpcFile::read_column(std::size_t column) {
  const ColumnarField& field = fields_[column];
  const std::string doing = fmt::format("read column '{}'", field.name);
  const auto reader =
      require(arrow::ipc::RecordBatchStreamReader::Open(std::make_unique<AllMessages>(messages_), options({column})),
              path(), doing);
  ColumnGatherer gatherer(*schema_->field(static_cast<int>(column)), text_limit(messages_.bytes()));
  ColumnPlace place{&path(), &field.name, 0};
  while (true) {
    std::shared_ptr<arrow::RecordBatch> next;
    require(reader->ReadNext(&next), path(), doing);
    if (!next) break;
    gatherer.add(*next->column(0), place);
    place.first_row += next->num_rows();
  }
  if (place.first_row != n_rows())
    throw DataError(
        fmt::format("{}: column '{}' has {} rows, expected {}", path(), field.name, place.first_row, n_rows()),
        {.file = path(), .field = field.name, .reason = "bad_size"});
  return gatherer.finish();
}

}  // namespace

std::unique_ptr<ColumnarFile> open_ipc(const std::string& path) { return std::make_unique<IpcFile>(path); }

}  // namespace scvet::io
