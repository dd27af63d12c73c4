// SPDX-License-Identifier: MIT
// Assignments to elements and to variables, and the conditions of parts of an expression.
#include <algorithm>

#include "access_reader.hpp"
#include "as_in_c.hpp"

namespace command_line {

// ---- conditions ----

void access_reader::enter(const program& condition, const std::string& text, bool holds) {
  ++lazy_;
  around_.push_back(filter_of(condition, text, holds));
}

void access_reader::leave() {
  --lazy_;
  around_.pop_back();
}

wrapping access_reader::filter_of(const program& condition, const std::string& text, bool holds) {
  wrapping result{bm::wrapper_kind::filter, bm::variable::loop_0, condition, {}, {}, {}, {}};
  if (!holds) result.first = opposite(condition);
  result.text = holds ? joined("if (", text, ")") : joined("if (!(", text, "))");
  result.where = condition.where;
  return result;
}

std::size_t access_reader::loops_around() const {
  return static_cast<std::size_t>(
      std::count_if(around_.begin(), around_.end(), [](const wrapping& one) {
        return one.kind != bm::wrapper_kind::filter;
      }));
}

void access_reader::skip_rest(std::size_t first, const token& keyword) {
  program all = as_condition(constant_program(1, keyword.where));
  std::string text;
  for (std::size_t at = first; at < around_.size(); ++at) {
    const wrapping& one = around_[at];
    all = at == first ? one.first : combined("&&", keyword.where, all, one.first);
    const std::string condition = one.text.substr(4, one.text.size() - 5);
    const bool alone = first + 1 == around_.size();
    text += joined(at == first ? "" : " && ", alone ? "" : "(", condition, alone ? "" : ")");
  }
  if (all.is_unknown)
    all.why.wrong = joined("`", keyword.text, "` in line ",
                           line_number(source_, keyword.where.first), ": ", all.why.wrong);
  around_.insert(around_.begin() + static_cast<std::ptrdiff_t>(first),
                 filter_of(all, text.empty() ? "1" : text, false));
}

// ---- assignments ----

// `a[tx] = 1`, `a[tx]++`, `++a[tx]`, `row += 8`
program access_reader::read_assignment() {
  const bool before = here().is("++") || here().is("--");
  const token prefix = before ? take() : token();
  if (is_array(here().text) && peek(1).is("[")) {
    const element target = read_place();
    return read_assigned(target, before ? prefix : take());
  }
  return read_variable_assignment(prefix);
}

// `tile[ty][tx] = line[tx] + 1` loads line and stores tile; `+=` loads tile first.
program access_reader::read_assigned(const element& target, const token& symbol) {
  if (!is_assignment(symbol))
    throw refusal{symbol.where, joined("`", symbol.text.substr(0, 40), "` after ", target.text),
                  "write = and a value, or `load` or `store` before it"};
  if (!symbol.is("=")) add_access(bm::access_kind::load, target);
  program result = unknown_program(target.where, "a value from memory", "use numbers");
  if (!symbol.is("++") && !symbol.is("--")) {
    const program value = read_value();
    if (symbol.is("=")) result = value;
  }
  add_access(bm::access_kind::store, target);
  return result;
}

program access_reader::read_variable_assignment(const token& prefix) {
  const token name = here();
  if (name.kind != token_kind::name) unexpected("the name of a variable");
  (void)take();
  const known_name* const known = find(name.text);
  if (known == nullptr) note_unknown(name, here().is("[") || here().is("->"));
  bool is_part = false;
  for (; !here().first_of_line && (here().is("[") || here().is(".") || here().is("->"));
       is_part = true) {
    const token symbol = take();
    if (symbol.is("[")) {
      (void)read_value();
      (void)expect("]", "after the subscript");
    } else {
      (void)take();
    }
  }
  const token symbol = prefix.text.empty() ? take() : prefix;
  if (known != nullptr && !is_part) {
    if (known->kind == name_kind::loop || known->kind == name_kind::constant)
      cannot_change(name, *known);
    const program value = new_value(name, symbol, known->meaning);
    set_value(name, value);
    return value;
  }
  if (!symbol.is("++") && !symbol.is("--")) (void)read_value();
  return unknown_program(name.where, joined("the value of ", name.text, " is not known"),
                         "use thread variables, loop variables and constants");
}

void access_reader::cannot_change(const token& name, const known_name& known) const {
  throw refusal{name.where,
                joined(name.text.substr(0, 40),
                       known.kind == name_kind::loop ? " is the variable of a loop"
                                                     : " is a name for one value",
                       " and cannot be changed"),
                "use another name, or describe the loop"};
}

program access_reader::new_value(const token& name, const token& symbol, const program& before) {
  token plain = symbol;
  if (symbol.is("++") || symbol.is("--")) {
    plain.text.remove_suffix(1);
    return combined(plain.text, name.where, before, constant_program(1, symbol.where));
  }
  const program value = read_value();
  if (symbol.is("=")) return value;
  plain.text.remove_suffix(1);
  return combined(plain.text, symbol.where, before, value);
}

void access_reader::set_value(const token& name, const program& value) {
  known_name* const known = find(name.text);
  if (known == nullptr || !known->is_integer) return;
  journal_.emplace_back(static_cast<std::size_t>(known - names_.data()), *known);
  if (lazy_ > 0)
    return expression_reader::forget_value(name, "changed within an expression");
  known->kind = value.is_unknown ? name_kind::value : name_kind::index;
  known->meaning = value.is_unknown ? value
                   : known->is_bool ? as_condition(value)
                                    : converted(value, known->type);
  if (value.is_unknown) {
    known->meaning.why.wrong = joined("the value of ", name.text, " is not known: ",
                                      value.why.wrong);
  }
}

void access_reader::forget_value(const token& name, const std::string& because) {
  if (const known_name* const known = find(name.text))
    journal_.emplace_back(static_cast<std::size_t>(known - names_.data()), *known);
  expression_reader::forget_value(name, because);
}

void access_reader::note_unknown(const token& name, bool is_memory) {
  ++unknown_names_;
  std::vector<std::string>& all = file_.skipped.memory;
  if (is_memory && std::find(all.begin(), all.end(), name.text) == all.end())
    all.emplace_back(name.text);
}

}  // namespace command_line
