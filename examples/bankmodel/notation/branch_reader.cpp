// SPDX-License-Identifier: MIT
// `if` and `else`: the values of variables after them.

#include "../sequences.hpp"
#include "statement_reader.hpp"

namespace command_line {

void statement_reader::read_if() {
  const token keyword = take();
  if (front().is("constexpr")) (void)take();
  (void)expect("(", "after `if`");
  const std::size_t first = cursor();
  const program condition = as_condition(read_value());
  const std::string text = words(first);
  (void)expect(")", "after the condition");
  const std::size_t first_change = journal_.size();
  const auto branch = [&](bool holds) {
    wrappers_.push_back(filter_of(condition, text, holds));
    wrappers_.back().location = keyword.location;
    read_body();
    wrappers_.pop_back();
  };
  branch(true);
  const std::vector<change> consequent = take_changes(first_change);
  if (take_if("else")) branch(false);
  join(condition, consequent, take_changes(first_change));
}

// The changes of a branch, which are undone.
std::vector<statement_reader::change> statement_reader::take_changes(std::size_t first) {
  std::vector<change> result;
  for (std::size_t index = first; index < journal_.size(); ++index) {
    const auto& [name, old] = journal_[index];
    const bool is_ours = name < names_.size() && names_[name].name == old.name;
    const bool is_first = !includes(result, name, &change::name);
    if (is_ours && is_first) result.push_back({name, old, names_[name]});
  }
  for (const change& entry : result) names_[entry.name] = entry.old;
  journal_.resize(first, {0, known_name{}});
  return result;
}

// After `if`, a variable has one value or the other.
void statement_reader::join(const program& condition, const std::vector<change>& consequent,
                            const std::vector<change>& otherwise) {
  const auto find_value = [](const std::vector<change>& branch, const change& wanted) {
    for (const change& candidate : branch)
      if (candidate.name == wanted.name) return candidate.current;
    return wanted.old;
  };
  std::vector<change> changes = consequent;
  append(changes, otherwise);
  for (const change& entry : changes) {
    known_name& known = names_[entry.name];
    const known_name yes = find_value(consequent, entry),
                     alternative = find_value(otherwise, entry);
    journal_.emplace_back(entry.name, entry.old);
    const bool is_known = yes.kind == name_kind::index && alternative.kind == name_kind::index &&
                          !condition.is_unknown && !yes.is_bool;
    known = yes;
    known.is_integer = yes.is_integer && alternative.is_integer;
    if (!is_known || !choose(known, condition, alternative.meaning))
      make_unknown(known, condition.location);
  }
}

// False: the expression is too long.
bool statement_reader::choose(known_name& known, const program& condition,
                              const program& otherwise) {
  try {
    known.meaning = selected(condition, condition.location, known.meaning, otherwise);
    return true;
  } catch (const refusal&) {
    return false;
  }
}

void statement_reader::make_unknown(known_name& known, const place& position) {
  known.kind = name_kind::value;
  known.meaning =
      unknown_program(position,
                      joined("the value of ", known.name,
                             " is not known: it is changed under the condition in "
                             "line ",
                             line_number(source_, position.first)),
                      "compute the subscript from thread variables, loop variables and constants");
}

}  // namespace command_line
