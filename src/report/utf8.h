// Names come from other people's files: bytes that are not UTF-8 become U+FFFD, in pages and in JSON alike.
#pragma once

#include <string>
#include <string_view>

namespace scvet::report {

std::string valid_utf8(std::string_view text);

}  // namespace scvet::report
