// SPDX-License-Identifier: MIT
// The arguments of a kernel in C++, and of its template: numbers, types and arrays.
#include <algorithm>

#include "as_in_c.hpp"
#include "element_types.hpp"
#include "statement_reader.hpp"

namespace command_line {

void statement_reader::declare_parameters(const kernel_head& of) {
  file_.name = of.name.text;
  kernel_end_ = of.end;
  may_assume_grid_ = true;
  using kind = kernel_parameter::kind;
  for (const kernel_parameter& one : of.parameters) switch (one.is) {
      case kind::number:
      case kind::flag: declare_number(one); break;
      case kind::type:
        type_names_.emplace_back(one.name.text, *find_element_type("float"));
        assume(one, "float");
        break;
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
  for (std::size_t at = 0; at < kernel_end_; ++at)
    uses += tokens_[at].where.first > one.name.where.first && tokens_[at].is(one.name.text) ? 1 : 0;
  if (uses > 0) file_.assumed.push_back({std::string(one.name.text), value});
}

// A variable: the kernel may change it.
void statement_reader::declare_number(const kernel_parameter& one) {
  const bool is_flag = one.is == kernel_parameter::kind::flag;
  const type of = type_of(one);
  const known_name* const given = find(one.name.text);
  long long number = is_flag ? 1 : how_.assumed_number;
  const auto stated = given == nullptr ? std::optional<long long>() : given->meaning.constant();
  if (stated)
    number = *stated;
  else if (one.value)
    number = *one.value;
  else
    assume(one, is_flag ? "true" : std::to_string(number));
  program value = constant_program(number, one.name.where);
  value = is_flag ? as_condition(value) : converted(value, of.number());
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
}

statement_reader::type statement_reader::type_of(const kernel_parameter& one) {
  const std::size_t before = at_;
  at_ = one.type;
  while (here().is("__grid_constant__")) (void)take();
  // `long` has 8 bytes where CUDA runs most.
  const bool is_long = here().is("long") || (here().is("unsigned") && peek(1).is("long")) ||
                       (here().is("const") && peek(1).is("long"));
  std::optional<type> of;
  if (is_long)
    of = type{"long", 8, true, here().where, here().is("unsigned")};
  else
    of = read_type();
  if (!of)
    throw refusal{here().where,
                  joined("`", here().text.substr(0, 40), "` is not a known element type"),
                  type_question()};
  at_ = before;
  return *of;
}

}  // namespace command_line
