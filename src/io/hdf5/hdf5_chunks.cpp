#include "hdf5/hdf5_chunks.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "scvet/base/parallel.h"
#include "scvet/base/text.h"

namespace scvet::io::hdf5 {
namespace {

constexpr std::size_t kTaskBytes = 256 << 10;  // decoded by a task, where chunks are smaller
constexpr std::int64_t kLeastPiece = 1 << 20;  // bytes; below, threads do not pay
constexpr std::size_t kMostKept = std::size_t{512} << 20;

// HDF5 is called by whichever worker is next, never by two at once.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::optional<NumberType> number_type(hid_t type) {
  if (H5Tget_class(type) == H5T_ENUM) return number_type(Handle(H5Tget_super(type)).get());
  const std::pair<hid_t, NumberType> known[] = {
      {H5T_STD_I8LE, NumberType::kInt8},      {H5T_STD_U8LE, NumberType::kUint8},
      {H5T_STD_I16LE, NumberType::kInt16},    {H5T_STD_U16LE, NumberType::kUint16},
      {H5T_STD_I32LE, NumberType::kInt32},    {H5T_STD_U32LE, NumberType::kUint32},
      {H5T_STD_I64LE, NumberType::kInt64},    {H5T_STD_U64LE, NumberType::kUint64},
      {H5T_IEEE_F32LE, NumberType::kFloat32}, {H5T_IEEE_F64LE, NumberType::kFloat64},
  };
  for (const auto& [candidate, number] : known)
    if (H5Tequal(type, candidate) > 0) return number;
  return std::nullopt;
}

// The file descriptor behind a data set, -1 where HDF5 reads by other means.
int descriptor_of(hid_t dataset) {
  const Handle file(H5Iget_file_id(dataset));
  const Handle access(file ? H5Fget_access_plist(file.get()) : -1);
  void* handle = nullptr;
  if (!access || H5Pget_driver(access.get()) != H5FD_SEC2 || H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle) < 0 ||
      !handle)
    return -1;
  return *static_cast<int*>(handle);
}

// Fills `room` from `offset`; what came back short is asked for again. Says why where it cannot.
std::string read_piece_of_file(int descriptor, std::int64_t offset, std::span<std::byte> room) {
  while (!room.empty()) {
    const ssize_t got = pread(descriptor, room.data(), room.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) return "the file ends early";
    room = room.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
  return {};
}

}  // namespace

std::unique_ptr<RawReader> RawReader::of(const Dataset& dataset) {
  const std::size_t rank = dataset.shape().size();
  if ((rank != 1 && rank != 2) || dataset.is_null()) return nullptr;
  const Handle type(H5Dget_type(dataset.id()));
  const Handle list(H5Dget_create_plist(dataset.id()));
  if (!type || !list) return nullptr;
  const std::optional<NumberType> number = number_type(type.get());
  if (!number) return nullptr;
  std::unique_ptr<RawReader> reader(new RawReader);
  reader->type_ = *number;
  reader->width_ = width_of(*number);
  reader->rank_ = static_cast<int>(rank);
  reader->cols_ = dataset.row_size();
  const bool chunked = H5Pget_layout(list.get()) == H5D_CHUNKED;
  if (!(chunked ? reader->plan_chunks(dataset, list.get()) : reader->plan_piece(dataset))) return nullptr;
  return reader;
}

bool RawReader::plan_chunks(const Dataset& dataset, hid_t creation_list) {
  unsigned options = 0;  // chunks at the edge may be stored without filters: unusual
  H5D_fill_time_t when = H5D_FILL_TIME_NEVER;
  H5D_fill_value_t state = H5D_FILL_VALUE_ERROR;
  if (H5Pget_chunk_opts(creation_list, &options) < 0 || options != 0) return false;
  if (H5Pget_fill_time(creation_list, &when) < 0 || when == H5D_FILL_TIME_NEVER) return false;
  if (H5Pfill_value_defined(creation_list, &state) < 0 || state == H5D_FILL_VALUE_ERROR) return false;
  const std::vector<std::int64_t>& chunk = dataset.chunk();
  if (chunk.size() != static_cast<std::size_t>(rank_)) return false;
  high_ = chunk[0];
  wide_ = rank_ == 2 ? chunk[1] : 1;
  std::int64_t values = 0, bytes = 0;
  if (high_ < 1 || wide_ < 1 || __builtin_mul_overflow(high_, wide_, &values) ||
      __builtin_mul_overflow(values, static_cast<std::int64_t>(width_), &bytes))
    return false;
  chunk_bytes_ = static_cast<std::size_t>(bytes);
  n_across_ = std::max<std::int64_t>((cols_ + wide_ - 1) / wide_, 1);
  fill_.assign(width_, std::byte{0});
  const Handle type(H5Dget_type(dataset.id()));
  if (state == H5D_FILL_VALUE_USER_DEFINED && H5Pget_fill_value(creation_list, type.get(), fill_.data()) < 0)
    return false;
  const std::optional<ChunkFilters> filters = ChunkFilters::of(creation_list);
  if (!filters) return false;
  filters_ = *filters;
  return true;
}

bool RawReader::plan_piece(const Dataset& dataset) {
  if (dataset.size() * static_cast<std::int64_t>(width_) < kLeastPiece) return false;
  const haddr_t offset = H5Dget_offset(dataset.id());
  descriptor_ = descriptor_of(dataset.id());
  if (offset == HADDR_UNDEF || descriptor_ < 0) return false;
  offset_ = static_cast<std::int64_t>(offset);
  return offset_ >= 0;
}

template <typename T>
bool RawReader::read(const Dataset& dataset, const Window& window, T* out) {
  if (window.count == 0 || window.width == 0) return true;
  workers_.resize(static_cast<std::size_t>(std::max(workers(), 1)));
  const Request<T> request{dataset, window, out};
  return descriptor_ >= 0 ? read_piece(request) : read_chunks(request);
}

template <typename T>
bool RawReader::read_piece(const Request<T>& request) {
  const Window& window = request.window;
  if (window.width != cols_) return false;
  const std::int64_t block = kLeastPiece / static_cast<std::int64_t>(width_);
  const std::int64_t total = window.count * cols_, begin = window.first * cols_;
  parallel_for((total + block - 1) / block, [&](std::int64_t task, int worker) {
    const std::int64_t at = task * block, count = std::min(block, total - at);
    const std::size_t bytes = static_cast<std::size_t>(count) * width_;
    std::vector<std::byte>& room = workers_[static_cast<std::size_t>(worker)].stored;
    if (!is_same_type<T>(type_) && room.size() < bytes) room.resize(bytes);
    const std::span<std::byte> target =
        is_same_type<T>(type_) ? std::as_writable_bytes(std::span(request.out + at, static_cast<std::size_t>(count)))
                               : std::span(room).first(bytes);
    for (int attempt = 1;; ++attempt) {
      const std::string why =
          read_piece_of_file(descriptor_, offset_ + (begin + at) * static_cast<std::int64_t>(width_), target);
      if (why.empty()) break;
      if (wait_to_retry(attempt, true)) continue;
      request.dataset.check_not_shrunk();
      throw request.dataset.unreadable(window.first, window.count, {why, true});
    }
    if (!is_same_type<T>(type_)) convert_run(request, target, at, count);
  });
  return true;
}

// Chunks are taken band by band, from the top left. Small ones share a task.
template <typename T>
bool RawReader::read_chunks(const Request<T>& request) {
  const Window& window = request.window;
  const std::int64_t first_band = window.first / high_, last_band = (window.end() - 1) / high_;
  const std::int64_t left = window.left / wide_, n_wide = (window.left + window.width - 1) / wide_ - left + 1;
  const std::int64_t n_chunks = (last_band - first_band + 1) * n_wide;
  Band fresh;
  if (window.end() % high_ != 0 && window.end() < request.dataset.rows() && window.width == cols_ &&
      last_band != kept_.number && chunk_bytes_ <= kMostKept / static_cast<std::size_t>(n_across_)) {
    fresh.number = last_band;
    fresh.chunks.resize(static_cast<std::size_t>(n_across_));
  }
  const auto per_task = static_cast<std::int64_t>(std::max<std::size_t>(kTaskBytes / chunk_bytes_, 1));
  std::atomic<bool> refused{false};
  parallel_for((n_chunks + per_task - 1) / per_task, [&](std::int64_t task, int number) {
    Worker& worker = workers_[static_cast<std::size_t>(number)];
    worker.pieces.clear();
    for (std::int64_t at = task * per_task; at < std::min((task + 1) * per_task, n_chunks); ++at)
      worker.pieces.push_back({first_band + at / n_wide, left + at % n_wide});
    if (refused) return;
    if (!fetch(request, worker)) {
      refused = true;
      return;
    }
    for (Stored& piece : worker.pieces) take(request, piece, fresh, worker);
  });
  if (refused) return false;
  if (fresh.number >= 0) kept_ = std::move(fresh);
  return true;
}

// The raw bytes of the worker's pieces, one after another; false when one of them should be left to HDF5.
template <typename T>
bool RawReader::fetch(const Request<T>& request, Worker& worker) const {
  const std::lock_guard lock(library_mutex());
  start_library();  // silences HDF5 in this thread
  std::size_t used = 0;
  for (Stored& piece : worker.pieces) {
    piece.begin = used;
    if (piece.band == kept_.number) continue;
    fetch_one(request, piece, worker);
    if (!piece.missing && !filters_.believable(piece.bytes, chunk_bytes_)) return false;
    used += piece.bytes;
  }
  return true;
}

template <typename T>
void RawReader::fetch_one(const Request<T>& request, Stored& piece, Worker& worker) const {
  const hsize_t corner[2] = {static_cast<hsize_t>(piece.band * high_), static_cast<hsize_t>(piece.across * wide_)};
  for (int attempt = 1;; ++attempt) {
    hsize_t bytes = 0;
    LibraryError failure;
    bool good = H5Dget_chunk_storage_size(request.dataset.id(), corner, &bytes) >= 0;
    if (!good) failure = take_error();
    // HDF5 has no other word for a chunk that was never written.
    piece.missing = good ? bytes == 0 : failure.text.find("chunk address isn't defined") != std::string::npos;
    if (piece.missing) return;
    if (good && bytes > request.dataset.file_bytes())
      throw request.dataset.error("a chunk claims more bytes than the file has", "damaged", piece.band * high_);
    if (good) {
      piece.bytes = static_cast<std::size_t>(bytes);
      if (worker.stored.size() < piece.begin + piece.bytes) worker.stored.resize(piece.begin + piece.bytes);
      good = H5Dread_chunk(request.dataset.id(), H5P_DEFAULT, corner, &piece.skipped,
                           worker.stored.data() + piece.begin) >= 0;
      if (!good) failure = take_error();
    }
    if (good) return;
    if (!wait_to_retry(attempt, failure.storage))
      throw request.dataset.unreadable(request.window.first, request.window.count, failure);
  }
}

// One chunk from the file's form to its place in the caller's array.
template <typename T>
void RawReader::take(const Request<T>& request, Stored& piece, Band& fresh, Worker& worker) const {
  const auto across = static_cast<std::size_t>(piece.across);
  if (piece.band == kept_.number) return place(request, piece, kept_.chunks[across]);
  if (piece.missing) return place(request, piece, {});
  if (piece.band == fresh.number) {
    fresh.chunks[across].resize(chunk_bytes_);
    decode(request, piece, fresh.chunks[across], worker);
    return place(request, piece, fresh.chunks[across]);
  }
  if (const std::span<std::byte> target = whole_target(request, piece.band); !target.empty())
    return decode(request, piece, target, worker);
  if (worker.chunk.size() < chunk_bytes_) worker.chunk.resize(chunk_bytes_);
  const std::span<std::byte> room = std::span(worker.chunk).first(chunk_bytes_);
  decode(request, piece, room, worker);
  place(request, piece, room);
}

// Where a chunk may be decoded in the caller's array itself; else empty.
template <typename T>
std::span<std::byte> RawReader::whole_target(const Request<T>& request, std::int64_t band) const {
  const Window& window = request.window;
  const bool whole =
      wide_ == cols_ && window.width == cols_ && band * high_ >= window.first && (band + 1) * high_ <= window.end();
  if (!is_same_type<T>(type_) || !whole) return {};
  return std::as_writable_bytes(
      std::span(request.out + (band * high_ - window.first) * cols_, static_cast<std::size_t>(high_ * cols_)));
}

// Wrong bytes may come from the storage: they are asked for again before the file is called damaged.
template <typename T>
void RawReader::decode(const Request<T>& request, Stored& piece, std::span<std::byte> out, Worker& worker) const {
  for (int attempt = 1;; ++attempt) {
    try {
      return filters_.undo(Bytes(worker.stored).subspan(piece.begin, piece.bytes), piece.skipped, out, worker.scratch);
    } catch (const CodecError& error) {
      const std::int64_t top = piece.band * high_;
      if (!wait_to_retry(attempt, false))
        throw request.dataset.unreadable(top, std::min(high_, request.dataset.rows() - top), {error.what(), false});
    }
    const std::lock_guard lock(library_mutex());
    // Behind the others that wait in this buffer: they keep their places.
    piece.begin = worker.pieces.back().begin + worker.pieces.back().bytes;
    fetch_one(request, piece, worker);
  }
}

template <typename T>
void RawReader::place(const Request<T>& request, const Stored& piece, Bytes values) const {
  const Window& window = request.window;
  const std::int64_t corner = piece.band * high_, edge = piece.across * wide_;
  const std::int64_t top = std::max(window.first, corner), bottom = std::min(window.end(), corner + high_);
  const std::int64_t left = std::max(window.left, edge), right = std::min(window.left + window.width, edge + wide_);
  // Rows that follow one another in the chunk as in the array are one run.
  const bool solid = wide_ == cols_ && window.width == cols_;
  const std::int64_t run = solid ? (bottom - top) * cols_ : right - left;
  for (std::int64_t row = top; row < bottom; row = solid ? bottom : row + 1) {
    const std::int64_t at = (row - window.first) * window.width + left - window.left;
    const auto from = static_cast<std::size_t>((row - corner) * wide_ + left - edge) * width_;
    if (values.empty()) {
      convert_run(request, fill_, at, 1);
      std::fill_n(request.out + at, run, request.out[at]);
    } else {
      convert_run(request, values.subspan(from), at, run);
    }
  }
}

// `count` numbers to place `at` of the caller's array.
template <typename T>
void RawReader::convert_run(const Request<T>& request, Bytes values, std::int64_t at, std::int64_t count) const {
  const std::int64_t bad = convert(type_, values.data(), count, request.out + at);
  if (bad < 0) return;
  double value = 0;
  convert(type_, values.data() + static_cast<std::size_t>(bad) * width_, 1, &value);
  throw request.dataset.not_whole(value, request.window.first + at + bad);
}

template bool RawReader::read(const Dataset&, const Window&, double*);
template bool RawReader::read(const Dataset&, const Window&, float*);
template bool RawReader::read(const Dataset&, const Window&, std::int64_t*);
template bool RawReader::read(const Dataset&, const Window&, std::uint32_t*);

}  // namespace scvet::io::hdf5
