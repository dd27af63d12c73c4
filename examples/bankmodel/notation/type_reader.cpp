// SPDX-License-Identifier: MIT
// Types, casts and sizeof within expressions.
#include "../element_types.hpp"
#include "as_in_c.hpp"
#include "expression_reader.hpp"

namespace command_line {

namespace {

bool is_cast_word(const token& word) {
  return word.is("static_cast") || word.is("reinterpret_cast") || word.is("const_cast");
}

}  // namespace

const element_type* expression_reader::type_named(std::string_view name) const {
  for (const auto& [known, meant] : type_names_)
    if (known == name) return &meant;
  return find_element_type(name);
}

bool expression_reader::is_type_here() const {
  const token& word = here();
  if (is_qualifier(word.text) || word.is("unsigned") || word.is("signed") || word.is("long"))
    return true;
  return word.kind == token_kind::name && find(word.text) == nullptr &&
         type_named(word.text) != nullptr;
}

std::optional<expression_reader::type> expression_reader::read_type() {
  const std::size_t first = now();
  type result{{}, 4, true, {}};
  bool any = false, is_signed = false;
  for (; is_qualifier(here().text); any = true) {
    result.is_const = result.is_const || here().is("const") || here().is("constexpr");
    result.is_static = take().is("static") || result.is_static;
  }
  if (here().is("unsigned") || here().is("signed"))
    is_signed = true, result.is_unsigned = take().is("unsigned");
  const element_type* const named =
      here().kind == token_kind::name ? type_named(here().text) : nullptr;
  if (here().is("long")) {
    (void)take();
    // Where CUDA runs most it has 8 bytes.
    if (!take_if("long") && !is_in_kernel_)
      throw refusal{from(first), "`long` has 8 bytes on Linux and 4 on Windows",
                    "write int or long long"};
    result.is_unsigned = take_if("unsigned") || result.is_unsigned;
    (void)take_if("int");
    result.bytes = 8;
  } else if (!is_signed && here().is("auto")) {
    result.is_auto = take().is("auto");
  } else if (named != nullptr &&
             (!is_signed || here().is("char") || here().is("short") || here().is("int"))) {
    result.bytes = named->bytes;
    result.counts = named->counts;
    result.is_bool = here().is("bool");
    result.is_unsigned = result.is_unsigned || here().text[0] == 'u' || here().is("size_t");
    const bool is_short = here().is("short");
    (void)take();
    if (is_short) (void)take_if("int");
  } else if (!is_signed) {
    if (any) unexpected("a type");
    return {};
  }
  result.name = words(first);
  result.is_const = take_if("const") || result.is_const;
  result.where = from(first);
  return result;
}

program expression_reader::read_as(const type& of, const program& value) const {
  if (value.is_unknown || of.is_auto) return value;
  if (of.is_bool) return as_condition(value);
  if (!of.counts)
    return unknown_program(value.where, joined("a value of type ", of.name), "use an integer");
  return converted(value, of.number());
}

// ---- casts and sizeof ----

// After `(`: `int) a`, `float*) p`
program expression_reader::read_cast(const token& first) {
  const auto to = read_type();
  if (!to) unexpected("a type");
  bool is_pointer = false, is_reference = false;
  for (; here().is("*") || here().is("&") || here().is("const"); is_pointer = true)
    is_reference = take().is("&") || is_reference;
  (void)expect(")", "after the type");
  const std::size_t operand = now();
  if (is_reference) require_no_element(operand, *to);
  const bool is_vector =
      to->bytes > 8 || (!to->counts && to->name.find_first_of("234") != std::string::npos);
  if (is_vector && !is_pointer && is_array(here().text))
    throw refusal{first.where, joined("a loaded value that is converted to ", to->name),
                  joined("write *(", to->name, "*)&", here().text, "[..] for one wide access")};
  program result = read_unary();
  if (is_reference)
    for (const token& one : bare_names(tokens_, operand, now()))
      may_change({one, change_kind::aliased}, "reached by a reference");
  if (is_pointer) result = unknown_program(first.where, "a pointer", "use numbers");
  result = read_as(*to, result);
  result.where = {first.where.first, result.where.first + result.where.size - first.where.first};
  return result;
}

// `(float4&)a[tx]` does not read the element, but is one of another type.
void expression_reader::require_no_element(std::size_t at, const type& as) const {
  while (tokens_[at].is("(")) ++at;
  if (!is_array(tokens_[at].text)) return;
  throw refusal{tokens_[at].where, joined("an element that is used as ", as.name),
                joined("write *(", as.name, "*)&", tokens_[at].text, "[..]")};
}

// `static_cast<int>(a)`, `int(a)`
std::optional<program> expression_reader::read_named_cast() {
  const std::size_t first = now();
  if (is_cast_word(here())) {
    (void)take();
    (void)expect("<", "and a type");
    const bool is_known = is_type_here();
    const auto to = is_known ? read_type() : std::nullopt;
    while (!here().is(">") && here().kind != token_kind::end && !here().is(";")) (void)take();
    (void)expect(">", "after the type");
    const bool is_reference = tokens_[at_ - 2].is("&");
    const bool is_pointer = tokens_[at_ - 2].is("*") || is_reference;
    (void)expect("(", "and a value");
    const std::size_t operand = now();
    if (is_reference && to) require_no_element(operand, *to);
    const program value = read_value();
    if (is_reference)
      for (const token& one : bare_names(tokens_, operand, now()))
        may_change({one, change_kind::aliased}, "reached by a reference");
    (void)expect(")", "after the value");
    if (!to || is_pointer) return unknown_program(from(first), "a pointer", "use numbers");
    return read_as(*to, value);
  }
  if (!is_type_here() || !peek(1).is("(")) return {};
  const auto to = read_type();
  (void)expect("(", "and a value");
  const program value = read_value();
  (void)expect(")", "after the value");
  program result = to ? read_as(*to, value) : value;
  result.where = from(first);
  return result;
}

// The operand is not computed, so it loads nothing.
program expression_reader::read_sizeof() {
  const std::size_t first = now();
  (void)take();
  const bool parenthesis = take_if("(");
  long long bytes = 0;
  if (is_type_here()) {
    const auto of = read_type();
    bytes = of && !of->is_auto ? of->bytes : 0;
    if (take_if("*")) bytes = 8;
  } else if (is_array(here().text)) {
    const std::string_view name = take().text;
    int subscripts = 0;
    for (; take_if("["); ++subscripts) {
      int open = 1;
      for (; open > 0 && here().kind != token_kind::end; (void)take())
        open += here().is("[") ? 1 : here().is("]") ? -1 : 0;
    }
    bytes = bytes_of(name, subscripts);
  } else {
    int open = 0;
    do {
      open += here().is("(") ? 1 : here().is(")") ? -1 : 0;
      if (open >= 0) (void)take();
    } while (open >= 0 && parenthesis && here().kind != token_kind::end);
  }
  if (parenthesis) (void)expect(")", "after the operand of sizeof");
  if (bytes == 0)
    return unknown_program(from(first), "the size of something that is not known",
                           "write its bytes");
  program result = constant_program(bytes, from(first));
  result.type = size_type;
  return result;
}

}  // namespace command_line
