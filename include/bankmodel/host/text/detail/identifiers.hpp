// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_DETAIL_IDENTIFIERS_HPP
#define BANKMODEL_HOST_TEXT_DETAIL_IDENTIFIERS_HPP

#include <bankmodel/host/text/phrases.hpp>

#include <string>
#include <string_view>
#include <vector>

// Names in C++, made from names of any kind.
namespace bankmodel::detail {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// True if C++ reserves the word, or a header that code() writes uses it itself.
inline bool is_taken(std::string_view word) {
  static constexpr std::string_view words =
      " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
      "char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
      "consteval "
      "constexpr constinit continue decltype default delete do double dynamic_cast else enum "
      "explicit export extern false float for friend goto if inline int long mutable namespace new "
      "noexcept not not_eq nullptr operator or or_eq private protected public register "
      "reinterpret_cast requires return short signed sizeof static static_assert static_cast "
      "struct switch template this thread_local throw true try typedef typeid typename union "
      "unsigned using virtual void volatile wchar_t while xor xor_eq bankmodel std "
      "block machine tx ty tz bx by bz tid lane warp i j k l m n ";
  return words.find(line_of(" ", word, " ")) != std::string_view::npos;
}

// True if the text can be the name of a namespace: letters, digits and single underscores, neither
// a word of C++ nor a name that C++ reserves.
inline bool is_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text[0]) || (text[0] >= '0' && text[0] <= '9')) return false;
  for (std::size_t position = 0; position < text.size(); ++position)
    if (!is_letter(text[position]) && (text[position] != '_' || text.substr(position, 2) == "__"))
      return false;
  return !is_taken(text);
}

// Returns an identifier that is like the text and none of `names`: "in.a" becomes in_a, "int"
// int_array, and a second "in.a" in_a_2.
inline std::string identifier_like(std::string_view text, const std::vector<std::string>& names) {
  std::string like;
  for (const char c : text)
    if (is_letter(c))
      like += c;
    else if (!like.empty() && like.back() != '_')
      like += '_';
  while (!like.empty() && like.back() == '_') like.pop_back();
  if (like.empty() || (like[0] >= '0' && like[0] <= '9'))
    like = line_of("array", like.empty() ? "" : "_", like);
  if (is_taken(like)) like += "_array";
  std::string result = like;
  const auto is_another = [&] {
    for (const std::string& other : names)
      if (other == result) return true;
    return false;
  };
  for (int number = 2; is_another(); ++number) result = line_of(like, "_", std::to_string(number));
  return result;
}

// Returns the text for a comment on one line.
inline std::string in_a_comment(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~' || c == '\\') c = '?';
  return text;
}

}  // namespace bankmodel::detail

#endif
