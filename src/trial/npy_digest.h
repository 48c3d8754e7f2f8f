// SHA-256 over the values of a .npy file: little-endian float64, row-major, as the manifest's arrays are hashed.
#pragma once

#include <string>

namespace scvet::trial {

// What it is instead, in words, for a file that is no such array: never equal to a digest.
std::string npy_values_sha256(const std::string& path);

}  // namespace scvet::trial
