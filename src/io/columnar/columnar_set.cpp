#include "columnar/columnar_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "scvet/base/error.h"
#include "scvet/base/progress.h"
#include "scvet/base/text.h"

namespace scvet::io {
namespace {

constexpr std::size_t kMostOpen = 64;
// Text of more rows than this is kept as categories while there are few: a text takes 32 bytes, a code 4.
constexpr std::int64_t kMostPlainRows = 1'000'000;
constexpr std::size_t kMostCategories = 65536;

std::vector<std::string> names_of(const std::vector<ColumnarField>& fields) {
  std::vector<std::string> names;
  for (const ColumnarField& field : fields) names.push_back(field.name);
  return names;
}

template <typename Value>
void append(std::vector<Value>& to, const std::vector<Value>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Categories in order of appearance.
Column as_categories(const Column& text) {
  Column result;
  result.name = text.name;
  result.kind = Column::Kind::kCategorical;
  result.dtype = "category";
  std::unordered_map<std::string_view, std::int32_t> known;
  for (std::int64_t row = 0; row < text.size(); ++row) {
    if (text.is_missing(row)) {
      result.codes.push_back(-1);
      continue;
    }
    const std::string& value = text.strings[static_cast<std::size_t>(row)];
    const auto [found, fresh] = known.emplace(value, static_cast<std::int32_t>(result.categories.size()));
    if (fresh) result.categories.push_back(value);
    result.codes.push_back(found->second);
  }
  return result;
}

Column as_text(const Column& categories) {
  Column result = string_column(categories.name, {});
  result.dtype = "object";
  bool any_missing = false;
  for (std::int64_t row = 0; row < categories.size(); ++row) {
    result.strings.push_back(categories.text(row));
    result.missing.push_back(categories.is_missing(row));
    any_missing = any_missing || categories.is_missing(row);
  }
  if (!any_missing) result.missing.clear();
  return result;
}

// Codes of `from` in terms of the categories of `to`, which grow.
void append_codes(Column& to, const Column& from) {
  std::unordered_map<std::string_view, std::int32_t> known;
  for (std::size_t at = 0; at < to.categories.size(); ++at)
    known.emplace(to.categories[at], static_cast<std::int32_t>(at));
  std::vector<std::int32_t> code_of;
  std::vector<std::string> fresh;
  for (const std::string& category : from.categories) {
    const auto next = static_cast<std::int32_t>(to.categories.size() + fresh.size());
    const auto [found, is_new] = known.emplace(category, next);
    if (is_new) fresh.push_back(category);
    code_of.push_back(found->second);
  }
  append(to.categories, fresh);
  for (const std::int32_t code : from.codes)
    to.codes.push_back(code < 0 ? -1 : code_of[static_cast<std::size_t>(code)]);
}

void append_column(Column& to, const Column& from, std::int64_t rows_before) {
  if (!from.missing.empty() && to.missing.empty() && to.kind != Column::Kind::kCategorical) {
    to.missing.assign(static_cast<std::size_t>(rows_before), 0);
    to.dtype = from.dtype;
  }
  if (from.missing.empty() && !to.missing.empty())
    to.missing.resize(to.missing.size() + static_cast<std::size_t>(from.size()), 0);
  append(to.missing, from.missing);
  if (to.kind == Column::Kind::kCategorical) append_codes(to, from);
  append(to.strings, from.strings);
  append(to.integers, from.integers);
  append(to.reals, from.reals);
}

// A column that grows by the shards' parts. Text of very many rows is kept as categories while these are few.
class GrowingColumn {
 public:
  explicit GrowingColumn(bool compact) : compact_(compact) {}

  void add(Column part, std::int64_t first_row) {
    const bool is_text = part.kind == Column::Kind::kString;
    if (is_text && compact_) part = as_categories(part);
    if (empty_) {
      all_ = std::move(part);
      empty_ = false;
    } else {
      if (part.kind != all_.kind) part = is_text ? as_categories(part) : as_text(part);  // one shard coded, another not
      append_column(all_, part, first_row);
    }
    if (is_text && compact_ && all_.categories.size() > kMostCategories) {
      all_ = as_text(all_);
      compact_ = false;
    }
  }
  Column take() { return std::move(all_); }

 private:
  Column all_;
  bool compact_, empty_ = true;
};

}  // namespace

ColumnarSet::ColumnarSet(std::string path, std::vector<std::string> files)
    : path_(std::move(path)), files_(std::move(files)), open_(files_.size()) {
  for (std::size_t shard = 0; shard < files_.size(); ++shard) add_shard(shard);
}

void ColumnarSet::add_shard(std::size_t shard) {
  throw_if_stopped();
  const ColumnarFile& file = open(shard);
  std::error_code error;
  bytes_ += static_cast<std::int64_t>(std::filesystem::file_size(files_[shard], error));
  piece_rows_ = std::max(piece_rows_, file.piece_rows());
  first_rows_.push_back(n_rows() + file.n_rows());
  if (shard == 0) {
    fields_ = file.fields();
    layout_ = file.layout();
    for (std::size_t at = 0; at < fields_.size(); ++at)
      for (std::size_t before = 0; before < at; ++before)
        if (fields_[before].name == fields_[at].name)
          throw DataError(fmt::format("{}: two columns are named '{}'", files_[0], fields_[at].name),
                          {.file = files_[0], .field = fields_[at].name, .reason = "duplicate_column"});
    return;
  }
  for (ColumnarField& field : fields_) {
    const auto same = std::find_if(file.fields().begin(), file.fields().end(),
                                   [&](const ColumnarField& other) { return other.name == field.name; });
    if (same == file.fields().end() || same->kind != field.kind)
      throw DataError(
          fmt::format("{}: expected column '{}' ({}) as in {}, found {}", files_[shard], field.name, field.type,
                      base_name(files_[0]),
                      same == file.fields().end() ? "only " + join_some(names_of(file.fields())) : same->type),
          {.file = files_[shard], .field = field.name, .reason = "shards_differ"});
    field.rough_stored =
        field.rough_stored < 0 || same->rough_stored < 0 ? -1 : field.rough_stored + same->rough_stored;
  }
}

ColumnarFile& ColumnarSet::open(std::size_t shard) {
  std::erase(used_, shard);
  if (!open_[shard]) {
    if (used_.size() >= kMostOpen) {
      open_[used_.front()].reset();
      used_.erase(used_.begin());
    }
    open_[shard] = open_columnar(files_[shard]);
    const bool known = shard + 1 < first_rows_.size();
    if (known && open_[shard]->n_rows() != first_rows_[shard + 1] - first_rows_[shard])
      throw DataError(files_[shard] + " changed while it was read", {.file = files_[shard], .reason = "changed"});
  }
  used_.push_back(shard);
  return *open_[shard];
}

const ColumnarField* ColumnarSet::find(std::string_view name) const {
  for (const ColumnarField& field : fields_)
    if (field.name == name) return &field;
  return nullptr;
}

std::size_t ColumnarSet::index_of(std::string_view name) const {
  return static_cast<std::size_t>(find(name) - fields_.data());
}

std::size_t ColumnarSet::shard_of(std::int64_t row) const {
  return static_cast<std::size_t>(std::upper_bound(first_rows_.begin(), first_rows_.end(), row) - first_rows_.begin() -
                                  1);
}

std::vector<std::size_t> ColumnarSet::columns_in(std::size_t shard, const std::vector<std::size_t>& columns) {
  const std::vector<ColumnarField>& fields = open(shard).fields();
  std::vector<std::size_t> result;
  for (const std::size_t column : columns)
    for (std::size_t at = 0; at < fields.size(); ++at)
      if (fields[at].name == fields_[column].name) result.push_back(at);
  return result;
}

void ColumnarSet::read_lists(const std::vector<std::size_t>& columns, std::int64_t first, std::int64_t count,
                             std::vector<ColumnarLists>& lists) {
  if (first < 0 || count < 0 || count > n_rows() - first)
    throw InternalError(fmt::format("rows {} to {} of {} were asked for in {}", first, first + count, n_rows(), path_));
  if (count > 0)
    if (const std::size_t shard = shard_of(first); first + count <= first_rows_[shard + 1]) {
      open(shard).read_lists(columns_in(shard, columns), first - first_rows_[shard], count, lists);
      return;
    }
  lists.assign(columns.size(), {});
  for (ColumnarLists& list : lists) list.offsets.push_back(0);
  std::vector<ColumnarLists> part;
  while (count > 0) {
    const std::size_t shard = shard_of(first);
    const std::int64_t n = std::min(count, first_rows_[shard + 1] - first);
    open(shard).read_lists(columns_in(shard, columns), first - first_rows_[shard], n, part);
    for (std::size_t at = 0; at < columns.size(); ++at) {
      if (lists[at].offsets.size() == 1) {
        lists[at] = std::move(part[at]);
        continue;
      }
      const std::int64_t base = lists[at].offsets.back();
      for (std::size_t row = 1; row < part[at].offsets.size(); ++row)
        lists[at].offsets.push_back(base + part[at].offsets[row]);
      append(lists[at].integers, part[at].integers);
      append(lists[at].reals, part[at].reals);
    }
    first += n;
    count -= n;
  }
}

std::vector<Column> ColumnarSet::read_columns(const std::vector<std::size_t>& columns) {
  std::vector<GrowingColumn> all(columns.size(), GrowingColumn(n_rows() > kMostPlainRows));
  for (std::size_t shard = 0; shard < files_.size(); ++shard) {
    throw_if_stopped();
    const std::vector<std::size_t> places = columns_in(shard, columns);
    for (std::size_t at = 0; at < columns.size(); ++at)
      all[at].add(open(shard).read_column(places[at]), first_rows_[shard]);
  }
  std::vector<Column> result;
  for (GrowingColumn& column : all) result.push_back(column.take());
  return result;
}

std::string ColumnarSet::place(std::int64_t row) const {
  if (files_.size() == 1) return fmt::format("row {}", row);
  const std::size_t shard = shard_of(row);
  return fmt::format("row {} ({}, row {})", row, base_name(files_[shard]), row - first_rows_[shard]);
}

}  // namespace scvet::io
