#include "hdf5/chunk_filters.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/codecs_outcome.h"
#include "hdf5/filters.h"

namespace scvet::io {
namespace {

bool compresses(H5Z_filter_t filter) { return filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32; }

constexpr std::size_t kChecksumBytes = 4;

Bytes without_checksum(Bytes in) {
  if (in.size() < kChecksumBytes) throw CodecError("fletcher32: shorter than its checksum");
  const Bytes data = in.first(in.size() - kChecksumBytes);
  const std::uint32_t stated = little_endian32(in.data() + data.size()), found = fletcher32(data);
  if (stated != found && stated != swapped_fletcher32(found)) throw CodecError("fletcher32: the checksum differs");
  return data;
}

}  // namespace

std::optional<ChunkFilters> ChunkFilters::of(hid_t creation_list) {
  ChunkFilters found;
  const int count = H5Pget_nfilters(creation_list);
  if (count < 0 || count > 32) return std::nullopt;
  bool compressed = false;
  for (int at = 0; at < count; ++at) {
    unsigned flags = 0, config = 0, parameters[16] = {};
    std::size_t n_parameters = 16;
    Step step{H5Pget_filter2(creation_list, static_cast<unsigned>(at), &flags, &n_parameters, parameters, 0, nullptr,
                             &config),
              1u << at};
    switch (step.filter) {
      case H5Z_FILTER_SHUFFLE:
        if (n_parameters < 1) return std::nullopt;
        step.width = parameters[0];
        break;
      case kBitshuffleFilter:
        if (n_parameters < 3 || parameters[2] == 0) return std::nullopt;
        step.width = parameters[2];
        step.block = n_parameters > 3 ? parameters[3] : 0;
        step.inside = n_parameters > 4 ? parameters[4] : 0;
        if (step.inside != 0 && step.inside != 2 && step.inside != 3) return std::nullopt;
        break;
      case H5Z_FILTER_FLETCHER32:
      case H5Z_FILTER_DEFLATE:
      case kLzfFilter:
      case kBloscFilter:
      case kLz4Filter:
      case kZstdFilter:
        break;
      default:
        return std::nullopt;
    }
    // What a second compressor was given has no known size.
    if (compressed && compresses(step.filter)) return std::nullopt;
    compressed |= compresses(step.filter);
    found.steps_.push_back(step);
  }
  return found;
}

std::size_t ChunkFilters::undo_one(const Step& step, Bytes in, std::span<std::byte> out) {
  switch (step.filter) {
    case H5Z_FILTER_SHUFFLE:
      unshuffle(step.width, in, out);
      return out.size();
    case kBitshuffleFilter:
      return decode_bitshuffle(step.inside == 0   ? BitshuffleInside::kNothing
                               : step.inside == 2 ? BitshuffleInside::kLz4
                                                  : BitshuffleInside::kZstd,
                               step.width, step.block, in, out);
    case H5Z_FILTER_DEFLATE:
      return decode(Codec::kZlib, in, out);
    case kLzfFilter:
      return decode(Codec::kLzf, in, out);
    case kBloscFilter:
      return decode(Codec::kBlosc, in, out);
    case kLz4Filter:
      return decode(Codec::kLz4Hdf5, in, out);
    default:
      return decode(Codec::kZstd, in, out);
  }
}

void ChunkFilters::undo(Bytes stored, std::uint32_t skipped, std::span<std::byte> out, Scratch& scratch) const {
  // Checksums before a filter lengthen what it was given.
  std::size_t size = out.size();
  for (const Step& step : steps_)
    if (!(skipped & step.bit) && step.filter == H5Z_FILTER_FLETCHER32) size += kChecksumBytes;
  Bytes current = stored;
  int next = 0;
  const auto is_last = [&](std::size_t at) {
    for (std::size_t before = 0; before < at; ++before)
      if (!(skipped & steps_[before].bit)) return false;
    return true;
  };
  for (std::size_t at = steps_.size(); at-- > 0;) {
    const Step& step = steps_[at];
    if (skipped & step.bit) continue;
    if (step.filter == H5Z_FILTER_FLETCHER32) {
      current = without_checksum(current);
      size -= kChecksumBytes;
      continue;
    }
    std::span<std::byte> target = out;
    if (!is_last(at)) {
      std::vector<std::byte>& room = scratch[next];
      next ^= 1;
      if (room.size() < size) room.resize(size);
      target = std::span(room).first(size);
    }
    const std::size_t got = undo_one(step, current, target);
    if (got != size)
      throw CodecError("the chunk gives " + std::to_string(got) + " bytes, expected " + std::to_string(size));
    current = target;
  }
  if (current.size() != out.size())
    throw CodecError("the chunk gives " + std::to_string(current.size()) + " bytes, expected " +
                     std::to_string(out.size()));
  if (current.data() != out.data() && !out.empty()) std::memcpy(out.data(), current.data(), out.size());
}

bool ChunkFilters::believable(std::size_t stored, std::size_t chunk_bytes) const {
  const auto most = static_cast<double>(most_expansion(Codec::kZlib)) * static_cast<double>(stored) + (64 << 20);
  return static_cast<double>(chunk_bytes) <= most;
}

}  // namespace scvet::io
