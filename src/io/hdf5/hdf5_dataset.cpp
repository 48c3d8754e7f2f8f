// Reading of HDF5 data sets: sizes checked before memory is taken, bounded retries, conversion to our three types.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <type_traits>

#include "hdf5/filters.h"
#include "hdf5/hdf5_chunks.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/hdf5_heap.h"
#include "scvet/base/text.h"
#include "store/convert.h"

namespace scvet::io::hdf5 {
namespace {

constexpr std::int64_t kTextBlock = 1 << 16;  // strings read at a time

template <typename T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_B8;
}

// A compound type with the one field `member`, so that HDF5 hands out a single column.
Handle wrap(hid_t type, const std::string& member, std::size_t bytes) {
  Handle compound(H5Tcreate(H5T_COMPOUND, bytes));
  H5Tinsert(compound.get(), member.c_str(), 0, type);
  return compound;
}

std::int64_t size_on_disk(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<std::int64_t>(info.st_size) : -1;
}

std::string trim_padding(std::string text, H5T_str_t padding) {
  if (padding == H5T_STR_NULLTERM) {
    text.resize(std::strlen(text.c_str()));
    return text;
  }
  while (!text.empty() && (text.back() == '\0' || (padding == H5T_STR_SPACEPAD && text.back() == ' '))) text.pop_back();
  return text;
}

}  // namespace

bool wait_to_retry(int attempt, bool storage) {
  if (attempt >= kReadTries) return false;
  if (storage) std::this_thread::sleep_for(std::chrono::milliseconds(50 * attempt));
  return true;
}

Dataset::~Dataset() = default;
Dataset::Dataset(Dataset&& other) noexcept = default;
Dataset& Dataset::operator=(Dataset&& other) noexcept = default;

Dataset::Dataset(Handle handle, std::shared_ptr<const FileInfo> file, std::string name)
    : Object(std::move(handle), std::move(file), std::move(name)) {
  const Handle type(H5Dget_type(id()));
  const Handle space(H5Dget_space(id()));
  if (!type || !space) throw error("its type or shape cannot be read: " + take_error().text, "damaged");
  type_ = element_type(type.get());
  null_ = H5Sget_simple_extent_type(space.get()) == H5S_NULL;
  hsize_t dims[H5S_MAX_RANK] = {};
  const int rank = null_ ? 0 : H5Sget_simple_extent_dims(space.get(), dims, nullptr);
  size_ = null_ ? 0 : 1;
  for (int dim = 0; dim < rank; ++dim) {
    const bool fits = dims[dim] <= static_cast<hsize_t>(INT64_MAX);
    shape_.push_back(fits ? static_cast<std::int64_t>(dims[dim]) : -1);
    if (!fits || __builtin_mul_overflow(size_, shape_.back(), &size_) ||
        (dim > 0 && __builtin_mul_overflow(row_size_, shape_.back(), &row_size_)))
      throw error("its shape is too large to be true", "damaged");
  }
  const Handle list(H5Dget_create_plist(id()));
  if (!list) throw error("its layout cannot be read: " + take_error().text, "damaged");
  if (H5Pget_layout(list.get()) == H5D_CHUNKED) {
    hsize_t chunk[H5S_MAX_RANK] = {};
    const int n_dims = H5Pget_chunk(list.get(), H5S_MAX_RANK, chunk);
    for (int dim = 0; dim < n_dims; ++dim) chunk_.push_back(static_cast<std::int64_t>(chunk[dim]));
  }
}

// Layouts that lead out of the file, and filters that nobody here can undo.
void Dataset::check_decodable() const {
  const Handle list(H5Dget_create_plist(id()));
  if (H5Pget_layout(list.get()) == H5D_VIRTUAL || H5Pget_external_count(list.get()) > 0)
    throw error("its data lie in another file, which is never followed", "external");
  const std::vector<std::string> missing = missing_filters(list.get());
  if (!missing.empty())
    throw error(
        "it is compressed with HDF5 filter " + join(missing, ", ") +
            ", which is not available here (known: gzip, szip, lzf, zstd, blosc, lz4, bitshuffle); write it again with gzip, or set "
            "HDF5_PLUGIN_PATH to a folder that has the filter",
        "missing_filter");
  const hsize_t stored = H5Dget_storage_size(id());
  if (stored > file_bytes()) throw error("it claims more bytes than the file has", "damaged");
  // Unchunked, it lies in one piece (none: never written). HDF5 would read on past the end of a piece that is too small.
  const Handle type(H5Dget_type(id()));
  if (chunk_.empty() && stored > 0 &&
      stored / std::max<hsize_t>(H5Tget_size(type.get()), 1) < static_cast<hsize_t>(size_))
    throw error("it claims " + format_count(size_) + " values but stores only " +
                    format_count(static_cast<std::int64_t>(stored)) + " bytes: its header is broken",
                "damaged");
}

// Before memory for the whole is taken.
void Dataset::check_claim(std::size_t bytes_each) const {
  check_decodable();
  const hsize_t stored = H5Dget_storage_size(id());
  // Beyond what the filters can expand, only values that were never written are left: 64 MiB of those are believed.
  const Handle list(H5Dget_create_plist(id()));
  const double most = 64.0 * (1 << 20) + most_expansion(list.get()) * static_cast<double>(stored);
  if (static_cast<double>(size_) * static_cast<double>(bytes_each) > most)
    throw error("it claims " + format_count(size_) + " values but stores only " +
                    format_count(static_cast<std::int64_t>(stored)) + " bytes: its header is broken",
                "damaged");
}

void Dataset::check_rows(std::int64_t first, std::int64_t count, std::size_t room) const {
  check_decodable();
  std::int64_t needed = 0;
  if (first < 0 || count < 0 || first > rows() || count > rows() - first ||
      __builtin_mul_overflow(count, row_size_, &needed) || static_cast<std::uint64_t>(needed) != room)
    throw InternalError("rows " + std::to_string(first) + " + " + std::to_string(count) + " asked of " + name_ +
                        ", which has " + std::to_string(rows()));
}

const ElementType& Dataset::field(const std::string& member) const {
  if (member.empty()) return type_;
  const Member* found = type_.find(member);
  if (!found) throw error("has no field '" + member + "'", "missing");
  return found->type;
}

void Dataset::read_memory(const Window& window, hid_t memory_type, void* out) const {
  if (window.count == 0 || window.width == 0 || null_) return;
  start_library();
  const Handle file_space(H5Dget_space(id()));
  Handle memory_space;
  if (!shape_.empty()) {
    std::vector<hsize_t> start(shape_.size(), 0), extent(shape_.begin(), shape_.end());
    start[0] = static_cast<hsize_t>(window.first);
    extent[0] = static_cast<hsize_t>(window.count);
    if (window.width != row_size_) {  // of two dimensions
      start[1] = static_cast<hsize_t>(window.left);
      extent[1] = static_cast<hsize_t>(window.width);
    }
    H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
    // Of the file's own rank: HDF5 maps a flat memory space to chunks value by value.
    memory_space = Handle(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr));
  } else {
    memory_space = Handle(H5Screate(H5S_SCALAR));
  }
  for (int attempt = 1;; ++attempt) {
    if (H5Dread(id(), memory_type, memory_space.get(), file_space.get(), H5P_DEFAULT, out) >= 0) break;
    const LibraryError failure = take_error();
    if (!wait_to_retry(attempt, failure.storage)) throw unreadable(window.first, window.count, failure);
  }
  check_not_shrunk();
}

// HDF5 fills what lies beyond the end of a file with zeros, without a word.
void Dataset::check_not_shrunk() const {
  const std::int64_t now = size_on_disk(file());
  if (now >= 0 && static_cast<std::uint64_t>(now) < file_bytes())
    throw error("the file shrank from " + format_count(static_cast<std::int64_t>(file_bytes())) + " to " +
                    format_count(now) + " bytes while it was read; copy it again",
                "truncated");
}

DataError Dataset::unreadable(std::int64_t first, std::int64_t count, const LibraryError& failure) const {
  return error("rows " + std::to_string(first) + " to " + std::to_string(first + count - 1) + " cannot be read, in " +
                   std::to_string(kReadTries) + " tries: " + failure.text +
                   (failure.storage ? "; the storage is the likely cause: copy the file to a local disk"
                                    : "; the file is damaged, or the storage returned wrong bytes: copy it again"),
               failure.storage ? "storage" : "damaged", first);
}

DataError Dataset::not_whole(double value, std::int64_t row) const {
  return error("expected whole numbers, found " + format_number(value), "wrong_type", row);
}

template <typename T>
bool Dataset::read_raw(const Window& window, T* out) const {
  // A file that is being written has bytes that only HDF5 knows.
  if (!file_->heap || null_) return false;
  if (!raw_planned_) {
    start_library();
    raw_ = RawReader::of(*this);
    raw_planned_ = true;
  }
  if (!raw_ || !raw_->read(*this, window, out)) return false;
  check_not_shrunk();
  return true;
}

template <typename T>
void Dataset::read_numbers(const Window& window, const std::string& member, T* out) const {
  const ElementType& element = field(member);
  if (!element.is_number())
    throw error((member.empty() ? "" : "field '" + member + "': ") + std::string("expected numbers, found ") +
                    (element.kind == ElementType::Kind::kText ? "text" : "another type of data"),
                "wrong_type");
  if (member.empty() && read_raw(window, out)) return;
  const std::int64_t total = window.count * window.width;
  // Reads as U, then widens to T.
  const auto read_as = [&]<typename U>(U) {
    const Handle wrapped = member.empty() ? Handle() : wrap(native_type<U>(), member, sizeof(U));
    const hid_t memory_type = member.empty() ? native_type<U>() : wrapped.get();
    if constexpr (std::is_same_v<U, T>) {
      read_memory(window, memory_type, out);
    } else {
      std::vector<U> values(static_cast<std::size_t>(total));
      read_memory(window, memory_type, values.data());
      const std::int64_t bad = convert<U>(reinterpret_cast<const std::byte*>(values.data()), total, out);
      if (bad >= 0) throw not_whole(static_cast<double>(values[static_cast<std::size_t>(bad)]), window.first + bad);
    }
  };
  const Handle file_type(H5Dget_type(id()));
  const bool bits = member.empty() && H5Tget_class(file_type.get()) == H5T_BITFIELD;
  if (bits) return read_as(std::uint8_t{});
  if (element.kind == ElementType::Kind::kReal) {
    if (element.bytes <= 4) return read_as(float{});
    return read_as(double{});
  }
  if (element.bytes == 4 && element.is_signed && element.kind == ElementType::Kind::kInteger)
    return read_as(std::int32_t{});
  if (element.bytes == 4 && element.kind == ElementType::Kind::kInteger) return read_as(std::uint32_t{});
  if (element.bytes >= 8 && !element.is_signed) return read_as(std::uint64_t{});
  return read_as(std::int64_t{});
}

std::vector<double> Dataset::read_reals(const std::string& member) const {
  check_claim(sizeof(double));
  std::vector<double> values(static_cast<std::size_t>(size_));
  read_numbers(rows_window(0, rows()), member, values.data());
  return values;
}

std::vector<std::int64_t> Dataset::read_integers(const std::string& member) const {
  check_claim(sizeof(std::int64_t));
  std::vector<std::int64_t> values(static_cast<std::size_t>(size_));
  read_numbers(rows_window(0, rows()), member, values.data());
  return values;
}

void Dataset::read_rows(std::int64_t first, std::int64_t count, std::span<double> out) const {
  check_rows(first, count, out.size());
  read_numbers(rows_window(first, count), {}, out.data());
}

void Dataset::read_rows(std::int64_t first, std::int64_t count, std::span<float> out) const {
  check_rows(first, count, out.size());
  read_numbers(rows_window(first, count), {}, out.data());
}

void Dataset::read_rows(std::int64_t first, std::int64_t count, std::span<std::int64_t> out) const {
  check_rows(first, count, out.size());
  read_numbers(rows_window(first, count), {}, out.data());
}

void Dataset::read_indices(std::int64_t first, std::int64_t count, std::span<std::uint32_t> out) const {
  check_rows(first, count, out.size());
  read_numbers(rows_window(first, count), {}, out.data());
}

void Dataset::read_window(const Window& window, std::span<double> out) const {
  check_rows(window.first, window.count, static_cast<std::size_t>(window.count * row_size_));
  if (shape_.size() != 2 || window.left < 0 || window.width < 0 || window.left > row_size_ - window.width ||
      static_cast<std::uint64_t>(window.count * window.width) != out.size())
    throw InternalError("columns " + std::to_string(window.left) + " + " + std::to_string(window.width) + " asked of " +
                        name_ + ", which has " + std::to_string(row_size_));
  read_numbers(window, {}, out.data());
}

std::vector<double> Dataset::read_array_field(const std::string& member) const {
  const ElementType& element = field(member);
  if (element.kind != ElementType::Kind::kArray)
    throw error("field '" + member + "': expected arrays of numbers", "wrong_type");
  std::vector<hsize_t> dims(element.dims.begin(), element.dims.end());
  std::int64_t width = 1, total = 0, bytes = 0;
  for (const std::int64_t dim : element.dims)
    if (__builtin_mul_overflow(width, dim, &width))
      throw error("field '" + member + "' is too large to be true", "damaged");
  if (__builtin_mul_overflow(width, size_, &total) || __builtin_mul_overflow(width, std::int64_t{8}, &bytes))
    throw error("field '" + member + "' is too large to be true", "damaged");
  check_claim(static_cast<std::size_t>(bytes));
  const Handle array(H5Tarray_create2(H5T_NATIVE_DOUBLE, static_cast<unsigned>(dims.size()), dims.data()));
  const Handle memory = wrap(array.get(), member, static_cast<std::size_t>(bytes));
  std::vector<double> values(static_cast<std::size_t>(total));
  read_memory(rows_window(0, rows()), memory.get(), values.data());
  return values;
}

std::vector<std::string> Dataset::read_fixed_texts(hid_t memory_type, std::size_t width) const {
  const H5T_str_t padding = H5Tget_strpad(
      H5Tget_class(memory_type) == H5T_COMPOUND ? Handle(H5Tget_member_type(memory_type, 0)).get() : memory_type);
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(size_));
  std::string block;
  for (std::int64_t first = 0; first < rows(); first += kTextBlock) {
    const std::int64_t count = std::min(kTextBlock, rows() - first);
    const auto n = static_cast<std::size_t>(shape_.empty() ? 1 : count * row_size_);
    block.assign(n * width, '\0');
    read_memory(rows_window(first, count), memory_type, block.data());
    for (std::size_t at = 0; at < n; ++at) texts.push_back(trim_padding(block.substr(at * width, width), padding));
  }
  return texts;
}

std::vector<std::string> Dataset::read_variable_texts(const std::string& member) const {
  if (!file_->heap) throw InternalError("texts read from " + file() + " while it is being written");
  GlobalHeap& heap = *file_->heap;
  const std::size_t width = heap.reference_bytes();
  Handle type(heap.reference_type());
  if (!member.empty()) type = wrap(type.get(), member, width);
  std::vector<std::string> texts(static_cast<std::size_t>(size_));
  // A broken heap may hand out one long text for every row.
  const std::uint64_t most = (std::uint64_t{256} << 20) + 64 * file_bytes();
  std::uint64_t total = 0;
  std::size_t at = 0;
  std::vector<unsigned char> block;
  std::string why;
  for (std::int64_t first = 0; first < rows(); first += kTextBlock) {
    const std::int64_t count = std::min(kTextBlock, rows() - first);
    const auto n = static_cast<std::size_t>(shape_.empty() ? 1 : count * row_size_);
    block.assign(n * width, 0);
    read_memory(rows_window(first, count), type.get(), block.data());
    for (std::size_t row = 0; row < n; ++row, ++at) {
      if (!heap.read(block.data() + row * width, texts[at], why))
        throw error("text " + std::to_string(at) + " cannot be read: " + why + "; the file is damaged", "damaged",
                    static_cast<std::int64_t>(at));
      total += texts[at].size();
      if (total > most) throw error("its texts are longer than the file: the file is damaged", "damaged");
    }
  }
  return texts;
}

std::vector<std::string> Dataset::read_texts(const std::string& member) const {
  const ElementType& element = field(member);
  if (element.kind != ElementType::Kind::kText)
    throw error((member.empty() ? "" : "field '" + member + "': ") + std::string("expected text, found ") +
                    (element.is_number() ? "numbers (" + element.dtype + ")" : "another type of data"),
                "wrong_type");
  const std::size_t width = element.variable_length ? sizeof(char*) : std::max<std::size_t>(element.bytes, 1);
  check_claim(std::max(width, sizeof(std::string)));
  if (element.variable_length) return read_variable_texts(member);
  Handle type(H5Dget_type(id()));
  if (!member.empty()) {
    const int index = H5Tget_member_index(type.get(), member.c_str());
    type = Handle(H5Tget_member_type(type.get(), static_cast<unsigned>(index)));
    type = wrap(type.get(), member, width);
  }
  return read_fixed_texts(type.get(), width);
}

}  // namespace scvet::io::hdf5
