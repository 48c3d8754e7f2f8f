#include "filters.h"

#include <lzf.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>

namespace scvet::io {
namespace {

// Takes over `bytes` of fresh memory as the pipeline's buffer.
std::size_t replace(void** buffer, std::size_t* capacity, void* fresh, std::size_t fresh_capacity, std::size_t bytes) {
  H5free_memory(*buffer);
  *buffer = fresh;
  *capacity = fresh_capacity;
  return bytes;
}

// Third parameter, as h5py writes it: the chunk's size in bytes, so that decoding needs one try.
herr_t set_lzf_parameters(hid_t creation_list, hid_t type, hid_t) {
  unsigned flags = 0, parameters[8] = {};
  std::size_t count = 8;
  if (H5Pget_filter_by_id2(creation_list, kLzfFilter, &flags, &count, parameters, 0, nullptr, nullptr) < 0) return -1;
  hsize_t chunk[H5S_MAX_RANK];
  const int rank = H5Pget_chunk(creation_list, H5S_MAX_RANK, chunk);
  if (rank < 0) return -1;
  std::size_t bytes = H5Tget_size(type);
  for (int dim = 0; dim < rank; ++dim) bytes *= chunk[dim];
  parameters[0] = 4;  // version of the parameters
  parameters[1] = LZF_VERSION;
  parameters[2] = static_cast<unsigned>(bytes);
  return H5Pmodify_filter(creation_list, kLzfFilter, flags, 3, parameters);
}

std::size_t decode_lzf(std::size_t count, const unsigned parameters[], std::size_t bytes, std::size_t* capacity,
                       void** buffer) {
  // Three bytes of input give at most 264 of output, whatever the file claims.
  const std::size_t most = bytes * 88 + 264;
  std::size_t size = count >= 3 && parameters[2] != 0 ? parameters[2] : *capacity;
  for (;; size *= 2) {
    if (size > most) size = most;
    void* out = H5allocate_memory(size, false);
    if (!out) return 0;
    const unsigned got = lzf_decompress(*buffer, static_cast<unsigned>(bytes), out, static_cast<unsigned>(size));
    if (got != 0) return replace(buffer, capacity, out, size, got);
    const bool too_small = errno == E2BIG;
    H5free_memory(out);
    if (!too_small || size == most) return 0;
  }
}

std::size_t encode_lzf(std::size_t bytes, std::size_t* capacity, void** buffer) {
  if (bytes < 5) return 0;
  void* out = H5allocate_memory(bytes, false);
  if (!out) return 0;
  const unsigned got = lzf_compress(*buffer, static_cast<unsigned>(bytes), out, static_cast<unsigned>(bytes - 1));
  if (got != 0) return replace(buffer, capacity, out, bytes, got);
  H5free_memory(out);  // does not shrink: an optional filter is then left out for this chunk
  return 0;
}

std::size_t lzf_filter(unsigned flags, std::size_t count, const unsigned parameters[], std::size_t bytes,
                       std::size_t* capacity, void** buffer) {
  if (bytes > std::numeric_limits<unsigned>::max() / 128) return 0;
  return flags & H5Z_FLAG_REVERSE ? decode_lzf(count, parameters, bytes, capacity, buffer)
                                  : encode_lzf(bytes, capacity, buffer);
}

std::size_t decode_zstd(std::size_t bytes, std::size_t* capacity, void** buffer) {
  const unsigned long long claimed = ZSTD_getFrameContentSize(*buffer, bytes);
  // A block of at least 4 bytes gives at most 128 KiB; HDF5 limits a chunk to 4 GiB.
  const unsigned long long most =
      std::min<unsigned long long>(bytes / 4 * (128ull << 10) + 1024, std::numeric_limits<unsigned>::max());
  unsigned long long size = claimed;
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return 0;
  if (claimed == ZSTD_CONTENTSIZE_UNKNOWN) size = std::max<unsigned long long>(*capacity, 4 * bytes);
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed > most) return 0;
  for (;; size *= 2) {
    if (size > most) size = most;
    void* out = H5allocate_memory(size == 0 ? 1 : size, false);
    if (!out) return 0;
    const std::size_t got = ZSTD_decompress(out, size, *buffer, bytes);
    if (!ZSTD_isError(got)) return replace(buffer, capacity, out, size, got);
    H5free_memory(out);
    if (claimed != ZSTD_CONTENTSIZE_UNKNOWN || size == most) return 0;
  }
}

std::size_t zstd_filter(unsigned flags, std::size_t count, const unsigned parameters[], std::size_t bytes,
                        std::size_t* capacity, void** buffer) {
  if (flags & H5Z_FLAG_REVERSE) return decode_zstd(bytes, capacity, buffer);
  const std::size_t bound = ZSTD_compressBound(bytes);
  void* out = H5allocate_memory(bound, false);
  if (!out) return 0;
  const int level = count > 0 ? static_cast<int>(parameters[0]) : ZSTD_CLEVEL_DEFAULT;
  const std::size_t got = ZSTD_compress(out, bound, *buffer, bytes, level);
  if (!ZSTD_isError(got)) return replace(buffer, capacity, out, bound, got);
  H5free_memory(out);
  return 0;
}

const H5Z_class2_t kLzfClass = {H5Z_CLASS_T_VERS, kLzfFilter, 1, 1, "lzf", nullptr, set_lzf_parameters, lzf_filter};
const H5Z_class2_t kZstdClass = {H5Z_CLASS_T_VERS, kZstdFilter, 1, 1, "zstd", nullptr, nullptr, zstd_filter};

struct KnownFilter {
  H5Z_filter_t id;
  const char* name;
};
// Names in the public registry of HDF5 filters.
constexpr KnownFilter kKnownFilters[] = {
    {H5Z_FILTER_DEFLATE, "gzip"},
    {H5Z_FILTER_SHUFFLE, "shuffle"},
    {H5Z_FILTER_FLETCHER32, "fletcher32"},
    {H5Z_FILTER_SZIP, "szip"},
    {H5Z_FILTER_NBIT, "nbit"},
    {H5Z_FILTER_SCALEOFFSET, "scale-offset"},
    {305, "LZO"},
    {307, "bzip2"},
    {32000, "lzf"},
    {32001, "blosc"},
    {32002, "MAFISC"},
    {32003, "Snappy"},
    {32004, "lz4"},
    {32008, "bitshuffle"},
    {32012, "jpeg-xr"},
    {32013, "zfp"},
    {32014, "fpzip"},
    {32015, "zstd"},
    {32017, "SZ"},
    {32018, "fcidecomp"},
    {32019, "jpeg"},
    {32022, "granular BitRound"},
    {32024, "SZ3"},
    {32026, "blosc2"},
};

}  // namespace

void register_filters() {
  static std::once_flag once;
  std::call_once(once, [] {
    H5Zregister(&kLzfClass);
    H5Zregister(&kZstdClass);
  });
}

bool add_zstd(hid_t creation_list, unsigned level) {
  register_filters();
  return H5Pset_filter(creation_list, kZstdFilter, H5Z_FLAG_MANDATORY, 1, &level) >= 0;
}

std::string filter_name(H5Z_filter_t filter) {
  for (const KnownFilter& known : kKnownFilters)
    if (known.id == filter) return std::to_string(filter) + " (" + known.name + ")";
  return std::to_string(filter);
}

std::vector<std::string> missing_filters(hid_t creation_list) {
  std::vector<std::string> missing;
  const int count = H5Pget_nfilters(creation_list);
  for (int at = 0; at < count; ++at) {
    unsigned flags = 0, config = 0;
    std::size_t n_parameters = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation_list, static_cast<unsigned>(at), &flags, &n_parameters, nullptr, 0, nullptr, &config);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0) missing.push_back(filter_name(filter));
  }
  return missing;
}

double most_expansion(hid_t creation_list) {
  double most = 8;  // a narrow type is widened to at most 8 bytes
  const int count = H5Pget_nfilters(creation_list);
  for (int at = 0; at < count; ++at) {
    unsigned flags = 0, config = 0;
    std::size_t n_parameters = 0;
    switch (
        H5Pget_filter2(creation_list, static_cast<unsigned>(at), &flags, &n_parameters, nullptr, 0, nullptr, &config)) {
      case H5Z_FILTER_SHUFFLE:
      case H5Z_FILTER_FLETCHER32:
        break;
      case H5Z_FILTER_DEFLATE:
        most *= 1040;
        break;
      case kLzfFilter:
        most *= 90;
        break;
      default:
        most *= 1 << 15;
    }
  }
  return most;
}

}  // namespace scvet::io
