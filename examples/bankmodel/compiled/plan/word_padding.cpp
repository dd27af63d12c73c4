// SPDX-License-Identifier: MIT
#include "word_padding.hpp"

#include <algorithm>

#include "../../source.hpp"

namespace compiled {

using command_line::joined;

namespace {

constexpr int word_bytes = 4;

long long elements_of_word(const instance_rows& instance) {
  return word_bytes / instance.element_bytes;
}

// The words that two instances with other elements have at the end of their rows; nothing if they
// are not whole.
std::optional<long long> words_of(const instance_rows& some, const instance_rows& other) {
  const long long elements = elements_of_word(other) - elements_of_word(some);
  const long long difference = other.planned - some.planned;
  if (elements == 0 || difference % elements != 0 || difference / elements < 1) return std::nullopt;
  return difference / elements;
}

}  // namespace

std::optional<std::string> extent_in_words(const array_source& source,
                                           const std::vector<instance_rows>& instances) {
  if (source.element_type.empty() || source.extents.empty() || instances.empty())
    return std::nullopt;
  std::optional<long long> words;
  for (const instance_rows& other : instances)
    if (!words) words = words_of(instances.front(), other);
  if (!words) return std::nullopt;
  const auto rest_of = [&](const instance_rows& instance) {
    return instance.planned - *words * elements_of_word(instance) - instance.declared;
  };
  const long long rest = rest_of(instances.front());
  if (std::any_of(instances.begin(), instances.end(),
                  [&](const instance_rows& instance) { return rest_of(instance) != rest; }))
    return std::nullopt;
  const spelled_extent& extent = source.extents.back();
  const long long number = extent.number + rest;
  if (number < 0) return std::nullopt;
  const std::string first = joined(extent.prefix, number == 0 ? "" : joined(number, " + "));
  const std::string word = joined(word_bytes, " / sizeof(", source.element_type, ")");
  return joined(first, *words == 1 ? word : joined(*words, " * (", word, ")"));
}

}  // namespace compiled
