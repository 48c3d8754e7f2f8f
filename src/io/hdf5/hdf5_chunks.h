// Numbers of HDF5 data sets read around the library's pipeline: raw bytes come one after another, as HDF5 is not made
// for threads, while filters are undone and types converted in threads, straight into the caller's array.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hdf5/chunk_filters.h"
#include "hdf5/hdf5_file.h"
#include "store/convert.h"

namespace scvet::io::hdf5 {

class RawReader {
 public:
  // Null where the layout, the type or a filter is not known here: then H5Dread must do it.
  static std::unique_ptr<RawReader> of(const Dataset& dataset);

  // Rows [first, first + count), and of them columns [left, left + width), row after row; `dataset` is the one given to
  // of(). False, with `out` in any state: H5Dread must do it. Where columns are whole, what was decoded of the last band
  // of chunks is kept, so that ascending ranges decode no chunk twice.
  template <typename T>
  bool read(const Dataset& dataset, const Window& window, T* out);

 private:
  // A chunk as it is in the file, in Worker::stored.
  struct Stored {
    std::int64_t band = 0, across = 0;  // which: counted down and across in chunks
    std::size_t begin = 0, bytes = 0;
    std::uint32_t skipped = 0;  // filters, as in ChunkFilters
    bool missing = false;       // never written: it holds the fill value
  };
  struct Worker {
    std::vector<std::byte> stored, chunk;
    std::vector<Stored> pieces;
    ChunkFilters::Scratch scratch;
  };
  // The chunks that hold the same rows, left to right; an empty one was never written.
  struct Band {
    std::int64_t number = -1;
    std::vector<std::vector<std::byte>> chunks = {};
  };
  template <typename T>
  struct Request {
    const Dataset& dataset;
    Window window;
    T* out;
  };

  RawReader() = default;
  bool plan_chunks(const Dataset& dataset, hid_t creation_list);
  bool plan_piece(const Dataset& dataset);
  template <typename T>
  bool read_chunks(const Request<T>& request);
  template <typename T>
  bool read_piece(const Request<T>& request);
  template <typename T>
  bool fetch(const Request<T>& request, Worker& worker) const;
  template <typename T>
  void fetch_one(const Request<T>& request, Stored& piece, Worker& worker) const;
  template <typename T>
  void take(const Request<T>& request, Stored& piece, Band& fresh, Worker& worker) const;
  template <typename T>
  std::span<std::byte> whole_target(const Request<T>& request, std::int64_t band) const;
  template <typename T>
  void decode(const Request<T>& request, Stored& piece, std::span<std::byte> out, Worker& worker) const;
  template <typename T>
  void place(const Request<T>& request, const Stored& piece, Bytes values) const;
  template <typename T>
  void convert_run(const Request<T>& request, Bytes values, std::int64_t at, std::int64_t count) const;

  NumberType type_{};
  std::size_t width_ = 0;                            // bytes of a number
  std::int64_t cols_ = 1;                            // numbers of a row
  std::int64_t high_ = 1, wide_ = 1, n_across_ = 1;  // rows and columns of a chunk; chunks side by side
  std::size_t chunk_bytes_ = 0;
  int rank_ = 1;
  ChunkFilters filters_;
  std::vector<std::byte> fill_;  // one number
  Band kept_;
  std::vector<Worker> workers_;
  int descriptor_ = -1;  // of the file, where the data set is one piece of it
  std::int64_t offset_ = 0;
};

}  // namespace scvet::io::hdf5
