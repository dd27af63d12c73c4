// SPDX-License-Identifier: MIT
#pragma once

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
  constexpr std::string_view linkages[] = {".visible", ".extern",   ".weak",     ".common",
                                           ".hidden",  ".internal", ".protected"};
  return std::ranges::find(linkages, word) != std::end(linkages);
}

class ptx_variable_reader {
 public:
  explicit ptx_variable_reader(std::string_view text) : tokens_(ptx_tokens(text)) {}

 protected:
  const ptx_token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(cursor_ + ahead, tokens_.size() - 1)];
  }
  const ptx_token& take() {
    const ptx_token& result = peek();
    if (cursor_ + 1 < tokens_.size()) ++cursor_;
    return result;
  }
  bool take_if(std::string_view expected) {
    if (!peek().is(expected)) return false;
    (void)take();
    return true;
  }
  void expect(std::string_view expected) {
    if (!take_if(expected)) unexpected("`" + std::string(expected) + "`");
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    const std::string actual = peek().kind == ptx_kind::end
                                   ? "the end"
                                   : "`" + std::string(peek().text.substr(0, 40)) + "`";
    throw ptx_error(peek().line, actual + " in place of " + wanted,
                    "give PTX text as nvcc -ptx writes it");
  }
  std::string_view name() {
    if (peek().kind != ptx_kind::word) unexpected("a name");
    return take().text;
  }
  std::uint64_t number() {
    const bool is_negative = take_if("-");
    if (peek().kind != ptx_kind::number) unexpected("a number");
    const std::uint64_t value = take().value;
    return is_negative ? 0 - value : value;
  }

  ptx_variable read_variable() {
    ptx_variable declared;
    while (is_linkage(peek().text)) (void)take();
    declared.space = space_of(name());
    declared.line = peek().line;
    int vector = 1;
    bool has_alignment = false;
    for (bool has_type = false; !has_type;) {
      const std::string_view word = name();
      const std::string_view type = word.substr(word.empty() ? 0 : 1);
      if (word == ".align") {
        declared.alignment = static_cast<int>(std::clamp<std::uint64_t>(number(), 1, 1 << 20));
        has_alignment = true;
      } else if (word == ".ptr") {
        declared.is_pointer = true;
      } else if (word == ".attribute") {
        expect("(");
        while (!take_if(")")) {
          if (peek().kind == ptx_kind::end) unexpected("`)`");
          (void)take();
        }
      } else if (word == ".v2" || word == ".v4" || word == ".v8") {
        vector = word[2] - '0';
      } else if (ptx_type_bytes(type) > 0 || type == "pred" || type == "texref" ||
                 type == "samplerref" || type == "surfref") {
        declared.type = type;
        declared.element_bytes = std::max(1, ptx_type_bytes(type)) * vector;
        if (!has_alignment) declared.alignment = declared.element_bytes;
        has_type = true;
      } else {
        unexpected("a type");
      }
    }
    // .param .u64 .ptr .global .align 4 name
    while (peek().kind == ptx_kind::word && peek().text.starts_with(".")) {
      const std::string_view word = take().text;
      if (word == ".ptr") declared.is_pointer = true;
      if (word == ".align") (void)number();
    }
    return read_declarator(std::move(declared));
  }

  // name, name[4][8], name[] = {..}
  ptx_variable read_declarator(ptx_variable declared) {
    declared.content.clear();
    declared.is_unsized = false;
    declared.name = name();
    declared.bytes = static_cast<std::uint64_t>(declared.element_bytes);
    while (take_if("[")) {
      declared.is_unsized = declared.is_unsized || peek().is("]");
      if (!peek().is("]")) {
        const std::uint64_t extent = number();
        if (extent > (std::uint64_t{1} << 40)) unexpected("an extent below 2^40");
        declared.bytes *= extent;
      }
      expect("]");
    }
    if (declared.is_unsized) declared.bytes = 0;
    if (take_if("=")) read_content(declared);
    return declared;
  }

  void read_content(ptx_variable& declared) {
    bool is_known = true;
    int depth = 0;
    do {
      if (peek().kind == ptx_kind::end) unexpected("`}`");
      if (peek().is("{")) {
        ++depth;
        (void)take();
      } else if (peek().is("}")) {
        --depth;
        (void)take();
      } else if (!take_if(",")) {
        is_known = read_element(declared) && is_known;
      }
    } while (depth > 0);
    if (!is_known || declared.content.size() > declared.bytes) {
      declared.content.clear();
      return;
    }
    if (declared.bytes <= (1u << 28)) declared.content.resize(declared.bytes);
  }

  // False if it is an address, of a variable or a function.
  bool read_element(ptx_variable& declared) {
    const bool is_negative = take_if("-");
    const ptx_token token = take();
    while (peek().is("+") || peek().is("(") || peek().is(")") || peek().kind == ptx_kind::word)
      (void)take();  // generic(name)+4
    if (token.kind != ptx_kind::number && token.kind != ptx_kind::floating) return false;
    const std::uint64_t value = is_negative ? 0 - token.value : token.value;
    for (int byte = 0; byte < declared.element_bytes; ++byte)
      declared.content.push_back(static_cast<std::uint8_t>(byte < 8 ? value >> (8 * byte) : 0));
    return true;
  }

 private:
  std::vector<ptx_token> tokens_;
  std::size_t cursor_ = 0;
};

}  // namespace compiled
