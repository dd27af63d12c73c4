// SPDX-License-Identifier: MIT
#include "integer_bits.hpp"

#include <charconv>

namespace compiled {

std::optional<std::uint64_t> integer_bits(std::string_view text, int bytes) {
  const bool is_negative = !text.empty() && text[0] == '-';
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  const bool is_hex = digits.substr(0, 2) == "0x";
  const std::string_view number = digits.substr(is_hex ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value, is_hex ? 16 : 10);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - 8 * bytes);
  if (value > (is_negative ? largest / 2 + 1 : largest)) return std::nullopt;
  return is_negative ? 0 - value : value;
}

}  // namespace compiled
