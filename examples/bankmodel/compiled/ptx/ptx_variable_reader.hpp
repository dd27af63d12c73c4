// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PTX_PTX_VARIABLE_READER_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PTX_PTX_VARIABLE_READER_HPP

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx_module.hpp"
#include "ptx_token.hpp"

// Reads the words of PTX, and declarations of variables: the part of the parser that needs no
// function.
namespace compiled {

inline ptx_space space_of(std::string_view word) {
  if (word == ".shared") return ptx_space::shared;
  if (word == ".const") return ptx_space::constant;
  if (word == ".local") return ptx_space::local;
  if (word == ".param") return ptx_space::parameter;
  if (word == ".reg") return ptx_space::reg;
  return ptx_space::global;
}
inline bool is_space(std::string_view word) {
  return space_of(word) != ptx_space::global || word == ".global";
}

// What a linker asks: nothing that decides about accesses.
inline bool is_linkage(std::string_view word) {
  constexpr std::string_view all[] = {".visible", ".extern",   ".weak",     ".common",
                                      ".hidden",  ".internal", ".protected"};
  return std::find(std::begin(all), std::end(all), word) != std::end(all);
}

class ptx_variable_reader {
 public:
  explicit ptx_variable_reader(std::string_view text) : tokens_(ptx_tokens(text)) {}

 protected:
  const ptx_token& here(std::size_t ahead = 0) const {
    return tokens_[std::min(now_ + ahead, tokens_.size() - 1)];
  }
  const ptx_token& take() {
    const ptx_token& result = here();
    if (now_ + 1 < tokens_.size()) ++now_;
    return result;
  }
  bool take_if(std::string_view what) {
    if (!here().is(what)) return false;
    (void)take();
    return true;
  }
  void expect(std::string_view what) {
    if (!take_if(what)) unexpected("`" + std::string(what) + "`");
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    const std::string found = here().kind == ptx_kind::end
                                  ? "the end"
                                  : "`" + std::string(here().text.substr(0, 40)) + "`";
    throw ptx_error(here().line, found + " in place of " + wanted,
                    "give PTX text as nvcc -ptx writes it");
  }
  std::string_view name() {
    if (here().kind != ptx_kind::word) unexpected("a name");
    return take().text;
  }
  std::uint64_t number() {
    const bool is_negative = take_if("-");
    if (here().kind != ptx_kind::number) unexpected("a number");
    const std::uint64_t value = take().value;
    return is_negative ? 0 - value : value;
  }

  ptx_variable read_variable() {
    ptx_variable made;
    while (is_linkage(here().text)) (void)take();
    made.space = space_of(name());
    made.line = here().line;
    int vector = 1;
    bool has_alignment = false;
    for (bool has_type = false; !has_type;) {
      const std::string_view word = name();
      const std::string_view type = word.substr(word.empty() ? 0 : 1);
      if (word == ".align") {
        made.alignment = static_cast<int>(std::clamp<std::uint64_t>(number(), 1, 1 << 20));
        has_alignment = true;
      } else if (word == ".ptr") {
        made.is_pointer = true;
      } else if (word == ".attribute") {
        expect("(");
        while (!take_if(")")) {
          if (here().kind == ptx_kind::end) unexpected("`)`");
          (void)take();
        }
      } else if (word == ".v2" || word == ".v4" || word == ".v8") {
        vector = word[2] - '0';
      } else if (ptx_type_bytes(type) > 0 || type == "pred" || type == "texref" ||
                 type == "samplerref" || type == "surfref") {
        made.type = type;
        made.element_bytes = std::max(1, ptx_type_bytes(type)) * vector;
        if (!has_alignment) made.alignment = made.element_bytes;
        has_type = true;
      } else {
        unexpected("a type");
      }
    }
    // .param .u64 .ptr .global .align 4 name
    while (here().kind == ptx_kind::word && here().text.starts_with(".")) {
      const std::string_view word = take().text;
      if (word == ".ptr") made.is_pointer = true;
      if (word == ".align") (void)number();
    }
    return read_declarator(std::move(made));
  }

  // name, name[4][8], name[] = {..}
  ptx_variable read_declarator(ptx_variable made) {
    made.content.clear();
    made.is_unsized = false;
    made.name = name();
    made.bytes = static_cast<std::uint64_t>(made.element_bytes);
    while (take_if("[")) {
      made.is_unsized = made.is_unsized || here().is("]");
      if (!here().is("]")) {
        const std::uint64_t extent = number();
        if (extent > (std::uint64_t{1} << 40)) unexpected("an extent below 2^40");
        made.bytes *= extent;
      }
      expect("]");
    }
    if (made.is_unsized) made.bytes = 0;
    if (take_if("=")) read_content(made);
    return made;
  }

  void read_content(ptx_variable& made) {
    bool is_known = true;
    int depth = 0;
    do {
      if (here().kind == ptx_kind::end) unexpected("`}`");
      if (here().is("{")) {
        ++depth;
        (void)take();
      } else if (here().is("}")) {
        --depth;
        (void)take();
      } else if (!take_if(",")) {
        is_known = read_element(made) && is_known;
      }
    } while (depth > 0);
    if (!is_known || made.content.size() > made.bytes) {
      made.content.clear();
      return;
    }
    if (made.bytes <= (1u << 28)) made.content.resize(made.bytes);
  }

  // False if it is an address, of a variable or a function.
  bool read_element(ptx_variable& made) {
    const bool is_negative = take_if("-");
    const ptx_token one = take();
    while (here().is("+") || here().is("(") || here().is(")") || here().kind == ptx_kind::word)
      (void)take();  // generic(name)+4
    if (one.kind != ptx_kind::number && one.kind != ptx_kind::floating) return false;
    const std::uint64_t value = is_negative ? 0 - one.value : one.value;
    for (int byte = 0; byte < made.element_bytes; ++byte)
      made.content.push_back(static_cast<std::uint8_t>(byte < 8 ? value >> (8 * byte) : 0));
    return true;
  }

 private:
  std::vector<ptx_token> tokens_;
  std::size_t now_ = 0;
};

}  // namespace compiled

#endif
