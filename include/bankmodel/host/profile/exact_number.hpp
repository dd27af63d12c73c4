// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_EXACT_NUMBER_HPP
#define BANKMODEL_HOST_PROFILE_EXACT_NUMBER_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/host/text/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <bankmodel/core/hide_macros.hpp>

// Numbers as profilers print them, without rounding.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void numbers_of_a_profile_must_be_exact(long long row) {
  detail::fail(__func__,
               "line % of the profile has a counter that is not an exact number: not collected, "
               "rounded, with a unit, or with another language's separators; export it with "
               "LC_ALL=C, and with ncu --print-units base",
               row);
}
}  // namespace rule

// A decimal number digits / 10^places: {15500000, 6} is 15.500000. A count has 0 places.
struct exact_number {
  long long digits = 0;
  int places = 0;

  bool operator==(const exact_number&) const = default;
};

// Returns a number as text: "1,048,664", "-88", "15.500000".
inline std::string text(const exact_number& number) {
  const auto absolute = number.digits < 0 ? 0 - static_cast<std::uint64_t>(number.digits)
                                          : static_cast<std::uint64_t>(number.digits);
  std::uint64_t scale = 1;
  for (int place = 0; place < number.places; ++place) scale *= 10;
  std::string result = number.digits < 0 ? "-" : "";
  result += grouped(absolute / scale);
  if (number.places == 0) return result;
  const std::string decimals = std::to_string(absolute % scale);
  result += '.';
  result.append(static_cast<std::size_t>(number.places) - decimals.size(), '0');
  return result + decimals;
}

namespace detail {

inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// The digits without commas, if there are none or one before each group of three; empty for
// other text.
inline std::string digits_of(std::string_view text) {
  const std::size_t first = text.find(',');
  if (first == 0 || (first != std::string_view::npos && first > 3)) return {};
  std::string result;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const bool is_comma =
        first != std::string_view::npos && index >= first && (index - first) % 4 == 0;
    if (is_comma ? text[index] != ',' : !is_digit(text[index])) return {};
    if (!is_comma) result += text[index];
  }
  return first == std::string_view::npos || (text.size() - first) % 4 == 0 ? result : std::string();
}

constexpr int most_places = 12;

// Reads a number of a profile: "1048664", "1,048,664", "15.500000", "16384.000000" and
// "1.08134400e+06" (rocprof). Three digits after a single point are not accepted: if the comma
// is the decimal sign, 1.048 means 1048. An exponent larger than the number of decimals is not
// accepted either: then digits have been rounded away.
inline exact_number exact_number_of(std::string_view text, long long row) {
  std::size_t end = text.find_first_of("eE");
  int exponent = 0;
  if (end != std::string_view::npos) {
    std::string_view power = text.substr(end + 1);
    if (!power.empty() && power[0] == '+') power.remove_prefix(1);
    if (power.empty() || power.size() > 2) rule::numbers_of_a_profile_must_be_exact(row);
    for (const char letter : power) {
      if (!is_digit(letter)) rule::numbers_of_a_profile_must_be_exact(row);
      exponent = 10 * exponent + (letter - '0');
    }
  } else {
    end = text.size();
  }
  const std::size_t point = text.substr(0, end).find('.');
  const std::string integer_part =
      digits_of(text.substr(0, point == std::string_view::npos ? end : point));
  const std::string_view decimals = point == std::string_view::npos
                                        ? std::string_view()
                                        : text.substr(point + 1, end - point - 1);
  const bool may_be_a_thousand = decimals.size() == 3 && end == text.size();
  const bool is_number = !integer_part.empty() &&
                         (point == std::string_view::npos || !decimals.empty()) &&
                         !may_be_a_thousand;
  if (!is_number || decimals.size() > most_places || exponent > static_cast<int>(decimals.size()))
    rule::numbers_of_a_profile_must_be_exact(row);

  exact_number result{0, static_cast<int>(decimals.size()) - exponent};
  const auto add = [&](char letter) {
    const int digit = letter - '0';
    if (!is_digit(letter) || result.digits > (int64_max - digit) / 10)
      rule::numbers_of_a_profile_must_be_exact(row);
    result.digits = 10 * result.digits + digit;
  };
  for (const char letter : integer_part) add(letter);
  for (const char letter : decimals) add(letter);
  return result;
}

// Returns "16384" for "16384.000000": a count of up to 9.2e18 has no room for more zeros. Returns
// other text, and what may be thousands, as it is.
inline std::string_view without_zero_decimals(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return text;
  const std::string_view decimals = text.substr(point + 1);
  const bool is_zero = decimals.find_first_not_of('0') == std::string_view::npos;
  const bool may_be_thousands = decimals.size() == 3;
  if (!is_zero || decimals.empty() || decimals.size() > most_places || may_be_thousands)
    return text;
  return text.substr(0, point);
}

// Reads a count: all decimals must be zero.
inline exact_number count_of(std::string_view text, long long row) {
  exact_number result = exact_number_of(without_zero_decimals(text), row);
  for (; result.places > 0; --result.places, result.digits /= 10)
    if (result.digits % 10 != 0) rule::numbers_of_a_profile_must_be_exact(row);
  return result;
}

inline exact_number count(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(int64_max)) rule::counts_must_fit_in_64_bits();
  return {static_cast<long long>(number), 0};
}

// Returns dividend / divisor with `places` decimal places; 0 for 0 / 0, as nvprof does. If two
// results are equally near, it returns the one that equals `measured`.
inline exact_number ratio(std::uint64_t dividend, std::uint64_t divisor,
                          const exact_number& measured) {
  exact_number result{0, measured.places};
  if (divisor == 0) return result;
  std::uint64_t digits = dividend / divisor, rest = dividend % divisor;
  for (int place = 0; place < measured.places; ++place) {
    const std::uint64_t tens = checked_count_product(rest, 10);
    digits = checked_count_sum(checked_count_product(digits, 10), tens / divisor);
    rest = tens % divisor;
  }
  result = {count(digits).digits, measured.places};
  const bool rounds_up =
      rest > divisor - rest || (rest == divisor - rest && measured.digits == result.digits + 1);
  if (rounds_up) ++result.digits;
  return result;
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
