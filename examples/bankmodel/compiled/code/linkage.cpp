// SPDX-License-Identifier: MIT
#include "linkage.hpp"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace compiled {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The number that begins there, which is passed over; 0 if there is none, or too many digits.
std::size_t number(std::string_view text, std::size_t& position) {
  std::size_t result = 0;
  for (int digits = 0; position < text.size() && is_digit(text[position]); ++position, ++digits)
    result = digits < 6 ? 10 * result + static_cast<std::size_t>(text[position] - '0') : 0;
  return result;
}

// With -rdc=true: __nv_static_26_<26 characters>__Z1kPf is a static _Z1kPf.
std::string_view without_module(std::string_view linkage) {
  constexpr std::string_view prefix = "__nv_static_";
  if (linkage.substr(0, prefix.size()) != prefix) return linkage;
  std::size_t position = prefix.size();
  const std::size_t length = number(linkage, position), first = position + 1 + length + 1;
  return length == 0 || first >= linkage.size() ? linkage : linkage.substr(first);
}

// Clang marks static functions: _ZL1kPf, _ZN1bL1kEPf.
std::string without_mark(std::string_view linkage) {
  if (linkage.substr(0, 2) != "_Z") return std::string(linkage);
  std::size_t position = 2;
  if (position < linkage.size() && linkage[position] == 'N') ++position;
  std::string result(linkage.substr(0, position));
  while (position < linkage.size()) {
    if (linkage[position] == 'L' && position + 1 < linkage.size() &&
        is_digit(linkage[position + 1]))
      ++position;
    const std::size_t first = position, length = number(linkage, position);
    if (length == 0 || length > linkage.size() - position)
      return result.append(linkage.substr(first));
    position += length;
    result += linkage.substr(first, position - first);
  }
  return result;
}

// Clang: 12_GLOBAL__N_1; nvcc: 37_GLOBAL__N__5bf76e68_5_st_cu__Z3runPf, of the file.
std::string with_common_namespace(std::string text) {
  constexpr std::string_view begin = "_GLOBAL__N__", common = "12_GLOBAL__N_1";
  for (std::size_t match = text.find(begin); match != std::string::npos;
       match = text.find(begin, match + 1)) {
    // Digits before the length belong to another name.
    for (std::size_t digits = 2; digits <= 3 && digits <= match; ++digits) {
      std::size_t position = match - digits;
      const std::size_t length = number(text, position);
      if (position != match || length <= begin.size() || length > text.size() - match) continue;
      text.replace(match - digits, digits + length, common);
      break;
    }
  }
  return text;
}

}  // namespace

std::string common_linkage(const std::string& linkage) {
  return with_common_namespace(without_mark(without_module(linkage)));
}

namespace {

// "void (anonymous namespace)::sum<4>(float*, int)" -> "(anonymous namespace)::sum<4>"
std::string without_types(const std::string& name) {
  if (name.empty() || name.back() != ')') return name;
  std::size_t begin = name.size();
  for (int depth = 0; begin > 0;) {
    const char c = name[--begin];
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  std::string result = name.substr(0, begin);
  // The result's type is present if the function is a template.
  int depth = 0;
  for (std::size_t offset = result.size(); offset-- > 0;) {
    const char c = result[offset];
    depth += c == '>' || c == ')' ? 1 : c == '<' || c == '(' ? -1 : 0;
    if (c == ' ' && depth == 0) return result.substr(offset + 1);
  }
  return result;
}

}  // namespace

std::string demangled(const std::string& linkage) {
  if (!linkage.starts_with("_Z")) return linkage;  // alone, `a` would be the type signed char
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(linkage.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name ? without_types(name.get()) : linkage;
}

}  // namespace compiled
