#include "hdf5/filters.h"

#include <lzf.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>

#include "codecs/codecs.h"

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

// Decodes the pipeline's buffer. No exception may cross HDF5: the reason goes to its error stack.
template <typename Decode>
std::size_t decode_buffer(std::size_t bytes, std::size_t* capacity, void** buffer, Decode decode) {
  try {
    const std::vector<std::byte> decoded = decode(Bytes(static_cast<const std::byte*>(*buffer), bytes));
    void* out = H5allocate_memory(std::max<std::size_t>(decoded.size(), 1), false);
    if (!out) return 0;
    if (!decoded.empty()) std::memcpy(out, decoded.data(), decoded.size());
    return replace(buffer, capacity, out, std::max<std::size_t>(decoded.size(), 1), decoded.size());
  } catch (const std::exception& error) {
    H5Epush2(H5E_DEFAULT, __FILE__, "decode_buffer", __LINE__, H5E_ERR_CLS, H5E_PLINE, H5E_CANTFILTER, "%s",
             error.what());
    return 0;
  }
}

// HDF5's own limit of a chunk.
constexpr std::size_t kMostChunkBytes = std::numeric_limits<std::uint32_t>::max();

std::size_t decode_with(Codec codec, std::size_t bytes, std::size_t* capacity, void** buffer) {
  return decode_buffer(bytes, capacity, buffer, [&](Bytes in) { return decode_all(codec, in, kMostChunkBytes); });
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

std::size_t lzf_filter(unsigned flags, std::size_t, const unsigned[], std::size_t bytes, std::size_t* capacity,
                       void** buffer) {
  if (bytes > std::numeric_limits<unsigned>::max() / 128) return 0;
  return flags & H5Z_FLAG_REVERSE ? decode_with(Codec::kLzf, bytes, capacity, buffer)
                                  : encode_lzf(bytes, capacity, buffer);
}

std::size_t zstd_filter(unsigned flags, std::size_t count, const unsigned parameters[], std::size_t bytes,
                        std::size_t* capacity, void** buffer) {
  if (flags & H5Z_FLAG_REVERSE) return decode_with(Codec::kZstd, bytes, capacity, buffer);
  const std::size_t bound = ZSTD_compressBound(bytes);
  void* out = H5allocate_memory(bound, false);
  if (!out) return 0;
  const int level = count > 0 ? static_cast<int>(parameters[0]) : ZSTD_CLEVEL_DEFAULT;
  const std::size_t got = ZSTD_compress(out, bound, *buffer, bytes, level);
  if (!ZSTD_isError(got)) return replace(buffer, capacity, out, bound, got);
  H5free_memory(out);
  return 0;
}

// These are read only.
std::size_t blosc_filter(unsigned flags, std::size_t, const unsigned[], std::size_t bytes, std::size_t* capacity,
                         void** buffer) {
  return flags & H5Z_FLAG_REVERSE ? decode_with(Codec::kBlosc, bytes, capacity, buffer) : 0;
}

std::size_t lz4_filter(unsigned flags, std::size_t, const unsigned[], std::size_t bytes, std::size_t* capacity,
                       void** buffer) {
  return flags & H5Z_FLAG_REVERSE ? decode_with(Codec::kLz4Hdf5, bytes, capacity, buffer) : 0;
}

// Parameters: two of its version, bytes of an element, elements of a block, what is inside (0, 2: lz4, 3: zstd).
std::size_t bitshuffle_filter(unsigned flags, std::size_t count, const unsigned parameters[], std::size_t bytes,
                              std::size_t* capacity, void** buffer) {
  if (!(flags & H5Z_FLAG_REVERSE) || count < 3) return 0;
  const unsigned block = count > 3 ? parameters[3] : 0, inside = count > 4 ? parameters[4] : 0;
  if (inside != 0 && inside != 2 && inside != 3) return 0;
  return decode_buffer(bytes, capacity, buffer, [&](Bytes in) {
    return decode_all_bitshuffle(inside == 0   ? BitshuffleInside::kNothing
                                 : inside == 2 ? BitshuffleInside::kLz4
                                               : BitshuffleInside::kZstd,
                                 parameters[2], block, in, kMostChunkBytes);
  });
}

H5Z_class2_t filter_class(H5Z_filter_t id, const char* name, H5Z_func_t filter, bool writes,
                          H5Z_set_local_func_t set_local = nullptr) {
  return {H5Z_CLASS_T_VERS, id, writes ? 1u : 0u, 1, name, nullptr, set_local, filter};
}

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
    for (const H5Z_class2_t& known :
         {filter_class(kLzfFilter, "lzf", lzf_filter, true, set_lzf_parameters),
          filter_class(kBloscFilter, "blosc", blosc_filter, false), filter_class(kLz4Filter, "lz4", lz4_filter, false),
          filter_class(kBitshuffleFilter, "bitshuffle", bitshuffle_filter, false),
          filter_class(kZstdFilter, "zstd", zstd_filter, true)})
      H5Zregister(&known);
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
      case kLz4Filter:
        most *= 256;
        break;
      default:
        most *= 1 << 15;
    }
  }
  return most;
}

}  // namespace scvet::io
