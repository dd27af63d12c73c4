// SPDX-License-Identifier: MIT
// The arguments of a kernel in C++, and of its template: numbers, types and arrays.
#include <algorithm>

#include "../element_types.hpp"
#include "as_in_c.hpp"
#include "statement_reader.hpp"

namespace command_line {

void statement_reader::declare_parameters(const kernel_head& of) {
  file_.name = of.name.text;
  file_.name_place = of.name.where;
  kernel_end_ = of.end;
  is_in_kernel_ = true;
  using kind = kernel_parameter::kind;
  for (const kernel_parameter& one : of.parameters) switch (one.is) {
      case kind::number:
      case kind::flag: declare_number(one); break;
      case kind::type: declare_type(one); break;
      case kind::pointer:
        if (std::find(how_.pointers.begin(), how_.pointers.end(), one.name.text) !=
            how_.pointers.end())
          declare_array(one);
        break;
      case kind::other: break;
    }
}

// What the kernel does not read is not said.
void statement_reader::assume(const kernel_parameter& one, const std::string& value) {
  int uses = 0;
  for (std::size_t at = 1; at < kernel_end_; ++at)
    uses += tokens_[at].where.first > one.name.where.first && tokens_[at].is(one.name.text) &&
                    !tokens_[at - 1].is(".") && !tokens_[at - 1].is("->")
                ? 1
                : 0;
  if (uses > 0) file_.assumed.push_back({std::string(one.name.text), value});
}

void statement_reader::declare_type(const kernel_parameter& one) {
  const element_type* const stated =
      one.stated_type.empty() ? nullptr : type_named(one.stated_type);
  type_names_.emplace_back(one.name.text,
                           stated != nullptr ? *stated : *find_element_type("float"));
  if (stated == nullptr) assume(one, "float");
}

// A variable: the kernel may change it.
void statement_reader::declare_number(const kernel_parameter& one) {
  const bool is_flag = one.is == kernel_parameter::kind::flag;
  const type of = type_of(one);
  // A variable of the file is another one than the argument; what `define` says is meant for it.
  const known_name* const outer = find(one.name.text);
  const bool is_defined = outer != nullptr && outer->kind == name_kind::constant;
  const auto given = how_.values.numbers.find(std::string(one.name.text));
  // A signed char has no more.
  const long long assumed = one.is_of_template ? how_.assumed_template_number : how_.assumed_number;
  long long number = is_flag ? 1 : std::min(assumed, of.bytes == 1 ? 64ll : 1024ll);
  if (given != how_.values.numbers.end())
    number = given->second;
  else if (is_defined && outer->meaning.constant())
    number = *outer->meaning.constant();
  else if (one.value && one.is_of_template)
    number = *one.value;
  else
    assume(one, is_flag ? "true" : std::to_string(number));
  program value = constant_program(number, one.name.where);
  value = is_flag ? as_condition(value) : converted(value, of.number());
  if (!is_flag && value.constant() != number)
    throw refusal{one.name.where,
                  joined(one.name.text, " = ", number, " does not fit in ", of.name),
                  "give a number that its type has"};
  declare(one.name, name_kind::index, value, true);
  known_name& known = names_.back();
  known.is_integer = true;
  known.is_const = of.is_const;
  known.is_bool = is_flag;
  known.type = is_flag ? value.type : of.number();
}

void statement_reader::declare_array(const kernel_parameter& one) {
  add_pointer(type_of(one), one.name);
  file_.arrays.back().is_argument = true;
  pointers_.push_back({one.name.text, static_cast<int>(file_.arrays.size()) - 1, {}});
}

statement_reader::type statement_reader::type_of(const kernel_parameter& one) {
  const std::size_t before = at_;
  at_ = one.type;
  while (here().is("__grid_constant__")) (void)take();
  const std::optional<type> of = read_type();
  if (!of)
    throw refusal{here().where,
                  joined("`", here().text.substr(0, 40), "` is not a known element type"),
                  type_question()};
  at_ = before;
  return *of;
}

}  // namespace command_line
