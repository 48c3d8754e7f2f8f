// Small text helpers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scvet {

// Shortest decimal that reads back to the same double; "nan", "inf", "-inf". Independent of the locale.
std::string format_number(double value);
// The same digits as Python and pandas print them: 1 -> "1.0", 0.0001 -> "0.0001", 1e-5 -> "1e-05", 1e16 -> "1e+16".
std::string format_python(double value);
// 1234567 -> "1,234,567", for people.
std::string format_count(std::int64_t value);
// .0512 -> "5.1 %", for people.
std::string format_percent(double share, int digits = 1);
// A bound for people, never rounded to the flattering side; more digits where the share is below 1 %.
std::string format_upper_percent(double share);
std::string format_lower_percent(double share);

// Each once, ascending by their bytes.
std::vector<std::string> sorted_distinct(std::span<const std::string> names);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
// The first `most` parts, then ", ..." when there are more.
std::string join_some(std::span<const std::string> parts, std::size_t most = 8);

std::optional<std::int64_t> parse_integer(std::string_view text);  // whole text or nothing
std::optional<double> parse_number(std::string_view text);         // whole text or nothing; locale-free

// The candidate nearest to `name` by edit distance (case ignored), when near enough to be a typing error.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

// Base name without its folder; without the last extension (".h5ad") and ".gz" before it.
std::string base_name(std::string_view path);
std::string stem(std::string_view path);

// Escapes for the formats that we write by hand.
std::string csv_field(std::string_view text);
std::string html_escape(std::string_view text);

}  // namespace scvet
