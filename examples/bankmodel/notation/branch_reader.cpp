// SPDX-License-Identifier: MIT
// `if` and `else`: the values of variables after them.
#include <algorithm>

#include "as_in_c.hpp"
#include "statement_reader.hpp"

namespace command_line {

void statement_reader::read_if() {
  const token keyword = take();
  if (here().is("constexpr")) (void)take();
  (void)expect("(", "after `if`");
  const std::size_t first = now();
  const program condition = as_condition(read_value());
  const std::string text = words(first);
  (void)expect(")", "after the condition");
  const std::size_t before = journal_.size();
  const auto branch = [&](bool holds) {
    around_.push_back(filter_of(condition, text, holds));
    around_.back().where = keyword.where;
    read_body();
    around_.pop_back();
  };
  branch(true);
  const std::vector<change> then = take_changes(before);
  if (take_if("else")) branch(false);
  join(condition, then, take_changes(before));
}

// The changes of a branch, which are undone.
std::vector<statement_reader::change> statement_reader::take_changes(std::size_t first) {
  std::vector<change> result;
  for (std::size_t at = first; at < journal_.size(); ++at) {
    const auto& [name, old] = journal_[at];
    const bool is_ours = name < names_.size() && names_[name].name == old.name;
    const bool is_first =
        std::none_of(result.begin(), result.end(),
                     [&, which = name](const change& c) { return c.name == which; });
    if (is_ours && is_first) result.push_back({name, old, names_[name]});
  }
  for (const change& one : result) names_[one.name] = one.old;
  journal_.resize(first, {0, known_name{}});
  return result;
}

// After `if`, a variable has one value or the other.
void statement_reader::join(const program& condition, const std::vector<change>& then,
                            const std::vector<change>& otherwise) {
  const auto of = [](const std::vector<change>& all, const change& one) {
    for (const change& each : all)
      if (each.name == one.name) return each.now;
    return one.old;
  };
  std::vector<change> all = then;
  all.insert(all.end(), otherwise.begin(), otherwise.end());
  for (const change& one : all) {
    known_name& known = names_[one.name];
    const known_name yes = of(then, one), no = of(otherwise, one);
    journal_.emplace_back(one.name, one.old);
    const bool is_known = yes.kind == name_kind::index && no.kind == name_kind::index &&
                          !condition.is_unknown && !yes.is_bool;
    known = yes;
    known.is_integer = yes.is_integer && no.is_integer;
    if (!is_known || !choose(known, condition, no.meaning)) make_unknown(known, condition.where);
  }
}

// False: the expression is too long.
bool statement_reader::choose(known_name& known, const program& condition,
                              const program& otherwise) {
  try {
    known.meaning = selected(condition, condition.where, known.meaning, otherwise);
    return true;
  } catch (const refusal&) {
    return false;
  }
}

void statement_reader::make_unknown(known_name& known, const place& where) {
  known.kind = name_kind::value;
  known.meaning =
      unknown_program(where,
                      joined("the value of ", known.name,
                             " is not known: it is changed under the condition in "
                             "line ",
                             line_number(source_, where.first)),
                      "compute the subscript from thread variables, loop variables and constants");
}

}  // namespace command_line
