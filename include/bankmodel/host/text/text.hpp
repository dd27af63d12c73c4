// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_TEXT_HPP
#define BANKMODEL_HOST_TEXT_TEXT_HPP

#include <bankmodel/host/text/detail/places.hpp>
#include <bankmodel/host/text/detail/verbs.hpp>
#include <bankmodel/kernel/access.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Text for people (host only): subscripts, conditions, accesses, machines, layouts, plans and
// explanations. Every function is called text() and returns a std::string.
//
// Example: the transpose through float tile[32][32] in blocks of 32 x 8 threads:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto read = load(for_loop(j, range(0, 32, 8), tile[tx][ty + j]));
//   constexpr auto transpose =
//       kernel(block_dim{32, 8}, store(for_loop(j, range(0, 32, 8), tile[ty + j][tx])), read);
//   assert(text(read) == "for (j = 0; j < 32; j += 8) load tile[tx][ty + j]");
//   assert(text(nvidia::sm_35) == "sm_35, 4-byte banks");
//   assert(text(optimize(nvidia::sm_90, transpose)) ==
//          "conflicts 992 -> 0, wavefronts 1,056 -> 64, 4,224 bytes, 8 resident blocks, best of "
//          "the families searched\n"
//          "  tile[32][33], at byte 0\n");
//   assert(text(explain(nvidia::sm_90, block_dim{32, 8}, read)) ==
//          "32 requests take 1,024 wavefronts, ideal 32: 992 conflicts, worst in warp 0, j = 0: "
//          "lanes 0, 1, 2, .. 31 touch words 0, 32, 64, .. 992 of bank 0, 32 layers of it, and "
//          "the request takes 32 wavefronts instead of 1. Declared as tile[32][33], which takes "
//          "128 bytes more, it has no conflict.");
//
// Why text and not only numbers? The numbers are in cost, layout_plan and explanation, for
// programs. The texts use the kernel's own notation and the profiler's words, so they can be
// compared with both. Not covered: pictures (draw.hpp) and the comparison with a profiler
// (profile.hpp).
namespace bankmodel {

namespace detail {

inline const char* variable_name(variable id) {
  constexpr const char* names[variables] = {"tx",   "ty", "tz", "bx", "by", "bz", "tid", "lane",
                                            "warp", "i",  "j",  "k",  "l",  "m",  "n"};
  return names[static_cast<int>(id)];
}

inline phrase phrase_of(const node* program, int size) {
  std::vector<phrase> stack;
  for (int index = 0; index < size; ++index) {
    const operation op = program[index].op;
    const long long value = program[index].value;
    const char* const symbol = spelling_of(op).symbol;
    if (op == operation::constant) {
      stack.push_back({std::to_string(value), value < 0 ? operation::negate : op, false});
      continue;
    }
    if (op == operation::variable) {
      const auto id = static_cast<variable>(value);
      stack.push_back({variable_name(id), op,
                       id < variable::bx || (id > variable::bz && id < variable::loop_0)});
      continue;
    }
    if (op == operation::negate || op == operation::logical_not) {
      const phrase& operand = stack.back();
      const bool two_signs = op == operation::negate && operand.outermost == operation::negate;
      stack.back() = {
          line_of(symbol, operand.in_parentheses_if(binding(operand.outermost) < 11 || two_signs)),
          op, operand.of_thread};
      continue;
    }

    phrase right;
    if (op == operation::skip_if_false || op == operation::skip_if_true) {
      right = phrase_of(program + index + 1, static_cast<int>(value));
      index += static_cast<int>(value);
    } else {
      right = stack.back();
      stack.pop_back();
    }
    const phrase left = stack.back();
    // tx > 3 is kept as 3 < tx
    if (binding(op) == binding(operation::less) && right.of_thread && !left.of_thread)
      stack.back() = joined_phrases(op, op == operation::less ? " > " : " >= ", right, left);
    else
      stack.back() = joined_phrases(op, symbol, left, right);
  }
  return stack.back();
}

inline std::string text(const node* nodes, const slice& program) {
  return phrase_of(nodes + program.first, program.size).words;
}

inline bool is_constant(const node* nodes, const slice& program) {
  return program.size == 1 && nodes[program.first].op == operation::constant;
}

// "for (j = 0; j < 32; j += 8) ", "if (tx < i) "
inline std::string text_of_wrapper(const wrapper& w, const node* nodes) {
  if (w.kind == wrapper_kind::filter) return line_of("if (", text(nodes, w.first), ") ");
  const std::string name = variable_name(w.variable);
  if (w.kind == wrapper_kind::values) {
    std::string list;
    for (int item = 0; item < w.first.size; ++item)
      list += line_of(item == 0 ? "" : ", ", text(nodes, {w.first.first + item, 1}));
    return line_of("for (", name, " : {", list, "}) ");
  }

  const std::string first = text(nodes, w.first), last = text(nodes, w.last),
                    step = text(nodes, w.step);
  const auto loop = [&](const char* comparison, const std::string& advance) {
    return line_of("for (", name, " = ", first, "; ", name, comparison, last, "; ", advance, ") ");
  };
  if (w.kind == wrapper_kind::powers_up) return loop(" < ", line_of(name, " *= ", step));
  if (w.kind == wrapper_kind::powers_down) return loop(" > ", line_of(name, " /= ", step));
  // the direction of the loop depends on values
  if (w.kind == wrapper_kind::powers || !is_constant(nodes, w.step))
    return line_of("for (", name, w.kind == wrapper_kind::range ? " : range(" : " : powers(", first,
                   ", ", last, ", ", step, ")) ");
  if (nodes[w.step.first].value > 0)
    return loop(" < ", step == "1" ? line_of("++", name) : line_of(name, " += ", step));
  return loop(" > ", step == "-1" ? line_of("--", name) : line_of(name, " -= ", step.substr(1)));
}

}  // namespace detail

// Returns a subscript as in the kernel, with the parentheses that C needs. Loop variables are
// i j k l m n.
//
//   assert(text((ty + j) ^ tx) == "(ty + j) ^ tx");
template <int Nodes>
std::string text(const index_expression<Nodes>& index) {
  return detail::text(index.nodes, {0, Nodes});
}

// Returns a condition, with the thread on the left of comparisons.
//
//   assert(text(tx < i && ty != 0) == "tx < i && ty != 0");
template <int Nodes>
std::string text(const condition<Nodes>& predicate) {
  return detail::text(predicate.nodes, {0, Nodes});
}

// Returns a name.
//
//   assert(text(name_of("tile")) == "tile");
inline std::string text(const array_name& name) {
  std::string result;
  for (int index = 0; name[index] != '\0'; ++index) result += name[index];
  return result;
}

// Returns one access on one line, as in the kernel: "for (j = 0; j < 32; j += 8) if (tx < 16)
// load tile[tx][ty + j]". A vectorized access is "load 4 x a[4 * tx]"; other kinds are "atomic
// a[tx]" and "ldmatrix 8 x a[lane][0]".
template <int Wrappers, int Nodes>
std::string text(const access_expression<Wrappers, Nodes>& access) {
  std::string result;
  for (int level = 0; level < access.depth; ++level)
    result += detail::text_of_wrapper(access.wrappers[level], access.nodes);
  result += detail::line_of(detail::instruction_of(access.kind), " ");
  if (access.vector != 1) result += detail::line_of(std::to_string(access.vector), " x ");
  result += text(access.array.name);
  for (int dimension = 0; dimension < access.subscripts; ++dimension)
    result += detail::line_of("[", detail::text(access.nodes, access.subscript[dimension]), "]");
  return result;
}

// Returns a machine's name: "sm_90", "gfx90a"; "sm_35, 4-byte banks" if the bank width can be
// chosen; "machine 7" for one of neither vendor with .model = 7.
inline std::string text(const machine& m) {
  std::string name =
      detail::line_of(m.made_by == vendor::nvidia ? "sm_" : "machine ", std::to_string(m.model));
  if (m.made_by == vendor::amd) {
    std::string digits;
    for (int rest = m.model; rest != 0; rest /= 16)
      digits.insert(digits.begin(), "0123456789abcdef"[rest % 16]);
    name = detail::line_of("gfx", digits);
  }
  return m.other_bank_width == 0
             ? name
             : detail::line_of(name, ", ", std::to_string(m.bank_width), "-byte banks");
}

// Returns a number with commas.
//
//   assert(grouped(2176000000) == "2,176,000,000");
inline std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string result;
  for (std::size_t digit = 0; digit < digits.size(); ++digit) {
    if (digit > 0 && (digits.size() - digit) % 3 == 0) result += ',';
    result += digits[digit];
  }
  return result;
}

// Returns a layout as its array is to be declared in C: text(row_major(32, 32).padded(1)) is
// "[32][33]". If elements are not stored at their own subscripts, it gives the place: "[1055],
// element c at c + c / 32", "[32][32], element [r][c] at [r][c ^ r]", or with the number e that
// C would give the element, "[1056], element [r][c] at e ^ (e >> 5) for e = 33 * r + c". Unused
// elements that do not fill whole rows are stated. Rows are r, columns c, planes p, volumes v.
inline std::string text(const layout& array_layout) {
  const auto position = detail::formulas_of_layout(array_layout, {"c", "r", "p", "v"}).place();
  std::string extents, suffix;
  for (int d = 0; d < array_layout.rank; ++d) {
    const bool divides = d == 0 || array_layout.stride[d - 1] % array_layout.stride[d] == 0;
    extents += detail::line_of(
        "[",
        std::to_string(divides && d > 0 ? array_layout.stride[d - 1] / array_layout.stride[d]
                                        : array_layout.extent[d]),
        "]");
    if (!divides)
      suffix +=
          detail::line_of(", ", std::to_string(array_layout.padding(d - 1)),
                          d == array_layout.rank - 2 ? " after each plane" : " after each volume");
  }
  const bool is_flat = position.place.size() == 1;  // declared as one dimension
  if (is_flat)
    extents = detail::line_of("[", std::to_string(array_layout.required_size()), "]"),
    suffix.clear();
  if (position.is_as_written()) return extents + suffix;
  return detail::line_of(
      extents, suffix, ", element ",
      array_layout.rank == 1 ? position.element[0].text() : detail::in_brackets(position.element),
      " at ", is_flat ? position.place[0].text() : detail::in_brackets(position.place),
      position.number.empty() ? "" : " for e = ",
      position.number.empty() ? "" : position.number[0].text());
}

// A layout as parts of a declaration and an index in C: `float tile[32][33];` and `tile[y][x]`.
// The coordinates are x, y, z, w, the last dimension first.
struct layout_in_c {
  std::string extents;  // "[32][33]"; one dimension if C has no other form for it
  // The subscripts without a layout, "[y][x]" (for the inverse of triangular columns: at the
  // stored place).
  std::string element;
  std::string place;   // the subscripts to write instead: "[y][(x + y) % 32]", "[e ^ (e >> 5)]"
  std::string number;  // the meaning of e, if the place uses it: "33 * y + x"
  bool is_as_written() const { return element == place; }
};
// Returns a layout as parts of C: in_c(row_major(32, 32).padded(1)) has extents "[32][33]" and
// place "[y][x]".
inline layout_in_c in_c(const layout& array_layout) {
  const detail::formulas_of_layout formulas(array_layout, {"x", "y", "z", "w"});
  auto position = formulas.place();
  bool is_flat = position.place.size() == 1;
  for (int d = 1; d < array_layout.rank && !is_flat; ++d)
    is_flat = array_layout.stride[d - 1] % array_layout.stride[d] != 0;
  layout_in_c result;
  for (int d = 0; d < array_layout.rank; ++d)
    result.extents +=
        detail::line_of("[",
                        std::to_string(d > 0 ? array_layout.stride[d - 1] / array_layout.stride[d]
                                             : array_layout.extent[d]),
                        "]");
  if (is_flat)
    result.extents = detail::line_of("[", std::to_string(array_layout.required_size()), "]");
  result.element = detail::in_brackets(position.element);
  if (is_flat && position.place.size() > 1) position.place = {formulas.number(position.place)};
  result.place = detail::in_brackets(position.place);
  if (!position.number.empty()) result.number = position.number[0].text();
  return result;
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
