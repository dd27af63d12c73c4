// SPDX-License-Identifier: MIT
#include "argument_value.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>

namespace compiled {

namespace {

template <class Number>
std::optional<std::uint64_t> bits_of(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (sizeof(Number) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else
    return std::bit_cast<std::uint64_t>(value);
}

}  // namespace

std::optional<std::uint64_t> floating_bits(std::string_view text, int bytes) {
  if (bytes != 4 && bytes != 8) return std::nullopt;
  return bytes == 4 ? bits_of<float>(text) : bits_of<double>(text);
}

bool has_sign(const code_parameter& parameter) {
  constexpr std::string_view types[] = {"signed char", "short",   "int",      "long",
                                        "long long",   "int8_t",  "int16_t",  "int32_t",
                                        "int64_t",     "ssize_t", "ptrdiff_t"};
  std::string_view type = parameter.type;
  if (type.substr(0, 6) == "const ") type.remove_prefix(6);
  return std::ranges::find(types, type) != std::end(types);
}

std::int64_t most_signed(int bytes) {
  return static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - 8 * bytes));
}

std::optional<std::uint64_t> argument_bits(const code_parameter& parameter, std::string_view text) {
  if (parameter.bytes < 1 || parameter.bytes > 8) return std::nullopt;
  std::optional<std::uint64_t> result;
  if (parameter.holds != value_kind::floating) result = integer_bits(text, parameter.bytes);
  // Hexadecimal digits are the bits.
  const bool is_decimal =
      !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (result && is_decimal && has_sign(parameter) &&
      *result > static_cast<std::uint64_t>(most_signed(parameter.bytes)))
    return std::nullopt;
  if (!result && parameter.holds != value_kind::integer)
    result = floating_bits(text, parameter.bytes);
  return result;
}

}  // namespace compiled
