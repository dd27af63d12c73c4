// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../code/code.hpp"

// A PTX file, parsed: its functions with their statements, and its variables. Texts are views of
// the file's text.
namespace compiled {

// An operand of a statement.
struct ptx_term {
  enum class kind : std::uint8_t { word, number, floating, list, address, group, pair };
  kind is = kind::word;
  std::string_view text;
  std::uint64_t value = 0;
  long long offset = 0;         // of name+4, also in brackets
  bool is_negated = false;      // !%p
  std::vector<ptx_term> parts;  // of {..}, [..], (..) and a|b
};

struct ptx_statement {
  std::string_view label;  // if it is a label; else an instruction
  std::string_view name;   // ld.global.f32
  std::vector<std::string_view> parts;
  std::string_view guard;
  bool guard_is_negated = false;
  std::vector<ptx_term> operands;
  int scope = 0;
  place location;
  int line = 0;  // of the PTX text
};

enum class ptx_space : std::uint8_t { reg, shared, global, constant, local, parameter };

struct ptx_variable {
  std::string_view name;
  ptx_space space = ptx_space::global;
  std::string_view type;  // f32
  int alignment = 4, element_bytes = 4;
  std::uint64_t bytes = 0;
  bool is_unsized = false;  // name[]
  bool is_pointer = false;  // .ptr
  std::vector<std::uint8_t> content;
  int line = 0;
};

// The names between braces. `ranges` are registers declared as %r<9>.
struct ptx_scope {
  int parent = -1;
  std::map<std::string_view, int> registers, ranges;  // their bits
  std::map<std::string_view, const ptx_variable*> variables;
  std::map<std::string_view, std::vector<std::string_view>> targets;  // of .branchtargets
};

struct ptx_function {
  std::string_view name;
  bool is_entry = false, has_body = false;
  std::optional<std::array<int, 3>> required_block;    // .reqntid
  int most_threads = 0;                                // .maxntid, in all; 0: not there
  std::optional<std::array<int, 3>> required_cluster;  // .reqnctapercluster
  std::vector<const ptx_variable*> parameters, results;
  std::deque<ptx_variable> variables;
  std::vector<ptx_scope> scopes;
  std::vector<ptx_statement> statements;
  int line = 0;
  place definition;  // the first place that is not of inlined code
};

struct ptx_module {
  std::deque<ptx_variable> variables;
  std::map<std::string_view, const ptx_variable*> variable;
  std::deque<ptx_function> functions;
  std::map<std::string_view, const ptx_function*> function;  // definitions first
  std::vector<std::string> files;                            // by the number that a place has
  bool has_places = false;
  int machine = 0;  // 90 of `.target sm_90a`
  // As kernel_code::calls.
  std::vector<std::vector<place>> calls;
};

// Bytes of a type: 4 of "f32"; 0 if it is none.
int ptx_type_bytes(std::string_view type);

// Error (ptx_error): the text is not PTX.
ptx_module parse_ptx(std::string_view text);

}  // namespace compiled
