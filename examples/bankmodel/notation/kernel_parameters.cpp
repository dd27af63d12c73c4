// SPDX-License-Identifier: MIT
// The arguments of a kernel in C++, and of its template: numbers, types and arrays.
#include <algorithm>

#include "../element_types.hpp"
#include "../sequences.hpp"
#include "as_in_c.hpp"
#include "statement_reader.hpp"

namespace command_line {

void statement_reader::declare_parameters(const kernel_head& head) {
  file_.name = head.name.text;
  file_.name_place = head.name.location;
  kernel_end_ = head.end;
  is_in_kernel_ = true;
  using kind = kernel_parameter::kind;
  for (const kernel_parameter& parameter : head.parameters) switch (parameter.is) {
      case kind::number:
      case kind::flag: declare_number(parameter); break;
      case kind::type: declare_type(parameter); break;
      case kind::pointer:
        if (includes(options_.pointers, parameter.name.text)) declare_array(parameter);
        break;
      case kind::other: break;
    }
}

// What the kernel does not read is not said.
void statement_reader::assume(const kernel_parameter& parameter, const std::string& value) {
  int uses = 0;
  for (std::size_t position = 1; position < kernel_end_; ++position)
    uses += tokens_[position].location.first > parameter.name.location.first &&
                    tokens_[position].is(parameter.name.text) && !tokens_[position - 1].is(".") &&
                    !tokens_[position - 1].is("->")
                ? 1
                : 0;
  if (uses > 0) file_.assumed.push_back({std::string(parameter.name.text), value});
}

void statement_reader::declare_type(const kernel_parameter& parameter) {
  const element_type* const stated =
      parameter.stated_type.empty() ? nullptr : type_named(parameter.stated_type);
  type_names_.emplace_back(parameter.name.text,
                           stated != nullptr ? *stated : *find_element_type("float"));
  if (stated == nullptr) assume(parameter, "float");
}

// A variable: the kernel may change it.
void statement_reader::declare_number(const kernel_parameter& parameter) {
  const bool is_flag = parameter.is == kernel_parameter::kind::flag;
  const type parameter_type = type_of(parameter);
  // A variable of the file is another one than the argument; what `define` says is meant for it.
  const known_name* const outer = find(parameter.name.text);
  const bool is_defined = outer != nullptr && outer->kind == name_kind::constant;
  const auto argument = options_.values.numbers.find(std::string(parameter.name.text));
  // A signed char has no more.
  const long long assumed =
      parameter.is_of_template ? options_.assumed_template_number : options_.assumed_number;
  long long number = is_flag ? 1 : std::min(assumed, parameter_type.bytes == 1 ? 64ll : 1024ll);
  if (argument != options_.values.numbers.end())
    number = argument->second;
  else if (is_defined && outer->meaning.constant())
    number = *outer->meaning.constant();
  else if (parameter.value && parameter.is_of_template)
    number = *parameter.value;
  else
    assume(parameter, is_flag ? "true" : std::to_string(number));
  program value = constant_program(number, parameter.name.location);
  value = is_flag ? as_condition(value) : converted(value, parameter_type.number());
  if (!is_flag && value.constant() != number)
    throw refusal{
        parameter.name.location,
        joined(parameter.name.text, " = ", number, " does not fit in ", parameter_type.name),
        "give a number that its type has"};
  declare(parameter.name, name_kind::index, value, true);
  known_name& known = names_.back();
  known.is_integer = true;
  known.is_const = parameter_type.is_const;
  known.is_bool = is_flag;
  known.type = is_flag ? value.type : parameter_type.number();
}

void statement_reader::declare_array(const kernel_parameter& parameter) {
  add_pointer(type_of(parameter), parameter.name);
  file_.arrays.back().is_argument = true;
  pointers_.push_back({parameter.name.text, static_cast<int>(file_.arrays.size()) - 1, {}});
}

statement_reader::type statement_reader::type_of(const kernel_parameter& parameter) {
  const std::size_t start = cursor_;
  cursor_ = parameter.type;
  while (front().is("__grid_constant__")) (void)take();
  const std::optional<type> parameter_type = read_type();
  if (!parameter_type)
    throw refusal{front().location,
                  joined("`", front().text.substr(0, 40), "` is not a known element type"),
                  type_question()};
  cursor_ = start;
  return *parameter_type;
}

}  // namespace command_line
