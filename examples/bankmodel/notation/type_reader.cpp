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
  const token& word = front();
  if (is_qualifier(word.text) || word.is("unsigned") || word.is("signed") || word.is("long"))
    return true;
  return word.kind == token_kind::name && find(word.text) == nullptr &&
         type_named(word.text) != nullptr;
}

std::optional<expression_reader::type> expression_reader::read_type() {
  const std::size_t first = cursor();
  type result{{}, 4, true, {}};
  bool has_qualifier = false, is_signed = false;
  for (; is_qualifier(front().text); has_qualifier = true) {
    result.is_const = result.is_const || front().is("const") || front().is("constexpr");
    result.is_static = take().is("static") || result.is_static;
  }
  if (front().is("unsigned") || front().is("signed"))
    is_signed = true, result.is_unsigned = take().is("unsigned");
  const element_type* const named =
      front().kind == token_kind::name ? type_named(front().text) : nullptr;
  if (front().is("long")) {
    (void)take();
    // Where CUDA runs most it has 8 bytes.
    if (!take_if("long") && !is_in_kernel_)
      throw refusal{span(first), "`long` has 8 bytes on Linux and 4 on Windows",
                    "write int or long long"};
    result.is_unsigned = take_if("unsigned") || result.is_unsigned;
    (void)take_if("int");
    result.bytes = 8;
  } else if (!is_signed && front().is("auto")) {
    result.is_auto = take().is("auto");
  } else if (named != nullptr &&
             (!is_signed || front().is("char") || front().is("short") || front().is("int"))) {
    result.bytes = named->bytes;
    result.counts = named->counts;
    result.is_bool = front().is("bool");
    result.is_unsigned = result.is_unsigned || front().text[0] == 'u' || front().is("size_t");
    const bool is_short = front().is("short");
    (void)take();
    if (is_short) (void)take_if("int");
  } else if (!is_signed) {
    if (has_qualifier) unexpected("a type");
    return {};
  }
  result.name = words(first);
  result.is_const = take_if("const") || result.is_const;
  result.location = span(first);
  return result;
}

program expression_reader::read_as(const type& target, const program& value) const {
  if (value.is_unknown || target.is_auto) return value;
  if (target.is_bool) return as_condition(value);
  if (!target.counts)
    return unknown_program(value.location, joined("a value of type ", target.name),
                           "use an integer");
  return converted(value, target.number());
}

// ---- casts and sizeof ----

// After `(`: `int) a`, `float*) p`
program expression_reader::read_cast(const token& first) {
  const auto target = read_type();
  if (!target) unexpected("a type");
  bool is_pointer = false, is_reference = false;
  for (; front().is("*") || front().is("&") || front().is("const"); is_pointer = true)
    is_reference = take().is("&") || is_reference;
  (void)expect(")", "after the type");
  const std::size_t operand = cursor();
  if (is_reference) require_no_element(operand, *target);
  const bool is_vector =
      target->bytes > 8 ||
      (!target->counts && target->name.find_first_of("234") != std::string::npos);
  if (is_vector && !is_pointer && is_array(front().text))
    throw refusal{
        first.location, joined("a loaded value that is converted to ", target->name),
        joined("write *(", target->name, "*)&", front().text, "[..] for one wide access")};
  program result = read_unary();
  if (is_reference) note_reference(operand);
  if (is_pointer) result = unknown_program(first.location, "a pointer", "use numbers");
  result = read_as(*target, result);
  result.location = {first.location.first,
                     result.location.first + result.location.size - first.location.first};
  return result;
}

// `(float4&)a[tx]` does not read the element, but is one of another type.
void expression_reader::require_no_element(std::size_t position, const type& target) const {
  while (tokens_[position].is("(")) ++position;
  if (!is_array(tokens_[position].text)) return;
  throw refusal{tokens_[position].location, joined("an element that is used as ", target.name),
                joined("write *(", target.name, "*)&", tokens_[position].text, "[..]")};
}

// The names from there on may be changed by the reference that was read.
void expression_reader::note_reference(std::size_t operand) {
  for (const token& name : bare_names(tokens_, operand, cursor()))
    may_change({name, change_kind::aliased}, "reached by a reference");
}

// `static_cast<int>(a)`, `int(a)`
std::optional<program> expression_reader::read_named_cast() {
  const std::size_t first = cursor();
  if (is_cast_word(front())) {
    (void)take();
    (void)expect("<", "and a type");
    const bool is_known = is_type_here();
    const auto target = is_known ? read_type() : std::nullopt;
    while (!front().is(">") && front().kind != token_kind::end && !front().is(";")) (void)take();
    (void)expect(">", "after the type");
    const bool is_reference = tokens_[cursor_ - 2].is("&");
    const bool is_pointer = tokens_[cursor_ - 2].is("*") || is_reference;
    (void)expect("(", "and a value");
    const std::size_t operand = cursor();
    if (is_reference && target) require_no_element(operand, *target);
    const program value = read_value();
    if (is_reference) note_reference(operand);
    (void)expect(")", "after the value");
    if (!target || is_pointer) return unknown_program(span(first), "a pointer", "use numbers");
    return read_as(*target, value);
  }
  if (!is_type_here() || !peek(1).is("(")) return {};
  const auto target = read_type();
  (void)expect("(", "and a value");
  const program value = read_value();
  (void)expect(")", "after the value");
  program result = target ? read_as(*target, value) : value;
  result.location = span(first);
  return result;
}

// The operand is not computed, so it loads nothing.
program expression_reader::read_sizeof() {
  const std::size_t first = cursor();
  (void)take();
  const bool parenthesis = take_if("(");
  long long bytes = 0;
  if (is_type_here()) {
    const auto operand = read_type();
    bytes = operand && !operand->is_auto ? operand->bytes : 0;
    if (take_if("*")) bytes = 8;
  } else if (is_array(front().text)) {
    const std::string_view name = take().text;
    int subscripts = 0;
    for (; take_if("["); ++subscripts) {
      int open = 1;
      for (; open > 0 && front().kind != token_kind::end; (void)take())
        open += front().is("[") ? 1 : front().is("]") ? -1 : 0;
    }
    bytes = bytes_of(name, subscripts);
  } else {
    int open = 0;
    do {
      open += front().is("(") ? 1 : front().is(")") ? -1 : 0;
      if (open >= 0) (void)take();
    } while (open >= 0 && parenthesis && front().kind != token_kind::end);
  }
  if (parenthesis) (void)expect(")", "after the operand of sizeof");
  if (bytes == 0)
    return unknown_program(span(first), "the size of something that is not known",
                           "write its bytes");
  program result = constant_program(bytes, span(first));
  result.type = size_type;
  return result;
}

}  // namespace command_line
