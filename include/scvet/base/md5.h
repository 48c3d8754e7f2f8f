// MD5 (RFC 1321): to make the seeds that a published tool derives from names. For nothing that must resist forgery.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace scvet {

std::array<std::uint8_t, 16> md5(std::string_view text);

}  // namespace scvet
