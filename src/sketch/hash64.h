// XXH3 (64 bit, seed 0), compiled in from the library's header.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace scvet::sketch {

inline std::uint64_t xxh3(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

}  // namespace scvet::sketch
