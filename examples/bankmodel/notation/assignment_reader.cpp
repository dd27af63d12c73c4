// SPDX-License-Identifier: MIT
// Assignments to elements and to variables, and the conditions of parts of an expression.
#include <algorithm>

#include "../sequences.hpp"
#include "access_reader.hpp"
#include "as_in_c.hpp"

namespace command_line {

// ---- conditions ----

void access_reader::enter(const program& condition, const std::string& text, bool holds) {
  ++lazy_;
  wrappers_.push_back(filter_of(condition, text, holds));
}

void access_reader::leave() {
  --lazy_;
  wrappers_.pop_back();
}

wrapping access_reader::filter_of(const program& condition, const std::string& text, bool holds) {
  wrapping result{bm::wrapper_kind::filter, bm::variable::loop_0, condition, {}, {}, {}, {}};
  if (!holds) result.first = opposite(condition);
  const bool has_own = text.size() > 1 && text.front() == '(' && text.find(')') == text.size() - 1;
  result.text = holds     ? joined("if (", text, ")")
                : has_own ? joined("if (!", text, ")")
                          : joined("if (!(", text, "))");
  result.location = condition.location;
  return result;
}

std::size_t access_reader::loops_around() const {
  return static_cast<std::size_t>(std::count_if(
      wrappers_.begin(), wrappers_.end(),
      [](const wrapping& wrapper) { return wrapper.kind != bm::wrapper_kind::filter; }));
}

void access_reader::skip_rest(std::size_t first, const token& keyword) {
  program conjunction = as_condition(constant_program(1, keyword.location));
  std::string text;
  for (std::size_t level = first; level < wrappers_.size(); ++level) {
    const wrapping& wrapper = wrappers_[level];
    if (wrapper.is_exit) continue;  // it holds here anyway
    const std::string condition = joined("(", wrapper.text.substr(4, wrapper.text.size() - 5), ")");
    conjunction =
        text.empty() ? wrapper.first : combined("&&", keyword.location, conjunction, wrapper.first);
    text += joined(text.empty() ? "" : " && ", condition);
  }
  if (conjunction.is_unknown)
    conjunction.reason.wrong =
        joined("`", keyword.text, "` in line ", line_number(source_, keyword.location.first), ": ",
               conjunction.reason.wrong);
  add_exit(first, filter_of(conjunction, text.empty() ? "1" : text, false));
}

void access_reader::add_exit(std::size_t first, const wrapping& remaining) {
  constexpr std::size_t limit = 64;
  if (wrappers_.size() > limit)
    throw refusal{remaining.location, joined("more than ", limit, " conditions at a time"),
                  "describe the kernel in several files"};
  const auto entry =
      wrappers_.insert(wrappers_.begin() + static_cast<std::ptrdiff_t>(first), remaining);
  entry->is_exit = true;
}

// ---- assignments ----

// `a[tx] = 1`, `a[tx]++`, `++a[tx]`, `row += 8`
program access_reader::read_assignment() {
  const bool has_prefix = front().is("++") || front().is("--");
  const token prefix = has_prefix ? take() : token();
  if (is_array(front().text) && peek(1).is("[")) {
    const std::size_t first = cursor(), changes = journal_.size();
    const element target = read_place();
    const std::size_t middle = cursor(), middle_changes = journal_.size();
    const program result = read_assigned(target, has_prefix ? prefix : take());
    require_order(first, middle, changes, middle_changes);
    return result;
  }
  return read_variable_assignment(prefix);
}

// C++ computes the right side of an assignment first, and C either: a variable that one side
// changes and the other reads has no value here. The left side is from token `first` on, the
// right one from `middle` on; their changes are those from these numbers on.
void access_reader::require_order(std::size_t first, std::size_t middle, std::size_t changes,
                                  std::size_t changes_between) const {
  for (std::size_t entry = changes; entry < journal_.size(); ++entry) {
    const bool is_left = entry < changes_between;
    const std::size_t begin = is_left ? middle : first, end = is_left ? cursor() : middle;
    for (std::size_t other = begin; other < end; ++other)
      if (tokens_[other].is(journal_[entry].second.name))
        throw refusal{
            tokens_[other].location,
            joined("one side of `=` changes ", tokens_[other].text, ", and the other one reads it"),
            joined("write two statements, or +", tokens_[other].text,
                   " where only its value is read")};
  }
}

// `tile[ty][tx] = line[tx] + 1` loads line and stores tile; `+=` loads tile first.
program access_reader::read_assigned(const element& target, const token& symbol) {
  if (!is_assigning(symbol))
    throw refusal{symbol.location, joined("`", symbol.text.substr(0, 40), "` after ", target.text),
                  "write = and a value, or `load` or `store` before it"};
  if (!symbol.is("=")) add_access(bm::access_kind::load, target);
  if (!symbol.is("++") && !symbol.is("--")) (void)read_value();
  add_access(bm::access_kind::store, target);
  return unknown_program(target.location, "the value of an element after its assignment",
                         "use the value that is assigned");
}

// `row += 8`, `++row`. C's value of it: of `row++` that before.
program access_reader::read_variable_assignment(const token& prefix) {
  const token name = front();
  if (name.kind != token_kind::name) unexpected("the name of a variable");
  (void)take();
  const bool is_part = front().is("[") || front().is(".") || front().is("->");
  if (is_part && !front().first_of_line) return read_part_assignment(name, prefix);
  if (is_array(name.text)) {
    if (read_moved_pointer(prefix, name))
      return unknown_program(name.location, "the value of a pointer", "use numbers");
    throw refusal{name.location,
                  joined(name.text, " is changed, and accesses through it are not followed"),
                  joined("leave ", name.text, " as it is, and add to its subscripts")};
  }
  if (const known_name* const known = find(name.text); known != nullptr && known->is_memory)
    note_unknown(name, true);
  const token symbol = prefix.text.empty() ? take() : prefix;
  require_variable({name, change_kind::assigned}, "assigned");
  program result =
      unknown_program(name.location, joined("the value of ", name.text, " is not known"),
                      "use thread variables, loop variables and constants");
  if (find(name.text) == nullptr) {
    note_unknown(name, false);
    if (!symbol.is("++") && !symbol.is("--")) (void)read_value();
    return result;
  }
  const program previous = find(name.text)->meaning;
  set_value(name, new_value(name, symbol, previous));
  const bool is_after = prefix.text.empty() && (symbol.is("++") || symbol.is("--"));
  if (find(name.text)->is_integer) result = is_after ? previous : find(name.text)->meaning;
  result.location = name.location;
  return result;
}

// `v.x = 1`, `v[2] = 1`, of what is not declared as an array
program access_reader::read_part_assignment(const token& name, const token& prefix) {
  if (find(name.text) == nullptr) note_unknown(name, front().is("[") || front().is("->"));
  while (!front().first_of_line && (front().is("[") || front().is(".") || front().is("->"))) {
    const token symbol = take();
    if (symbol.is("[")) {
      (void)read_value();
      (void)expect("]", "after the subscript");
    } else {
      (void)take();
    }
  }
  const token symbol = prefix.text.empty() ? take() : prefix;
  if (!symbol.is("++") && !symbol.is("--")) (void)read_value();
  return unknown_program(name.location, joined("the value of ", name.text, " is not known"),
                         "use thread variables, loop variables and constants");
}

// A loop's variable, a constant and a thread's number have values of their own.
void access_reader::require_variable(const possible_change& change, const std::string& because) {
  const token& name = change.name;
  const known_name* const known = find(name.text);
  if (known == nullptr) {
    is_final_ = change.kind == change_kind::assigned && is_thread_variable(name.text);
    if (!is_final_) return;
    throw refusal{name.location, joined(name.text, " is a thread variable, and is ", because),
                  joined("use another name, or give it a type: int ", name.text)};
  }
  const bool is_given = change.kind == change_kind::passed;
  const bool is_loop = known->kind == name_kind::loop;
  if (!is_loop && (known->kind != name_kind::constant || is_given)) return;
  is_final_ = true;
  throw refusal{name.location,
                joined(name.text.substr(0, 40),
                       is_loop ? " is the variable of a loop" : " is a name for one value",
                       ", and is ", because),
                is_given ? joined("write +", name.text, " there if only its value is read")
                         : "use another name, or describe the loop"};
}

void access_reader::may_change(const possible_change& change, const std::string& because) {
  require_variable(change, because);
  const known_name* const known = find(change.name.text);
  if (known == nullptr || known->is_const) return;
  forget_value(change, because);
  // What is reached by a pointer or a reference is not known after an assignment either.
  if (change.kind == change_kind::aliased) find(change.name.text)->is_integer = false;
}

program access_reader::new_value(const token& name, const token& symbol, const program& previous) {
  token plain = symbol;
  if (symbol.is("++") || symbol.is("--")) {
    plain.text.remove_suffix(1);
    return combined(plain.text, name.location, previous, constant_program(1, symbol.location));
  }
  const program value = read_value();
  if (symbol.is("=")) return value;
  plain.text.remove_suffix(1);
  return combined(plain.text, symbol.location, previous, value);
}

void access_reader::set_value(const token& name, const program& value) {
  known_name* const known = find(name.text);
  if (known == nullptr || !known->is_integer) return;
  if (lazy_ > 0) return forget_value({name, change_kind::assigned}, "changed within an expression");
  journal_.emplace_back(static_cast<std::size_t>(known - names_.data()), *known);
  known->kind = value.is_unknown ? name_kind::value : name_kind::index;
  known->meaning = value.is_unknown ? value
                   : known->is_bool ? as_condition(value)
                                    : converted(value, known->type);
  if (value.is_unknown) {
    known->meaning.reason.wrong =
        joined("the value of ", name.text, " is not known: ", value.reason.wrong);
  }
}

// Makes its value unknown for all later statements.
void access_reader::forget_value(const possible_change& change, const std::string& because) {
  const token& name = change.name;
  known_name* const known = find(name.text);
  if (known == nullptr || (known->kind != name_kind::index && known->kind != name_kind::value))
    return;
  journal_.emplace_back(static_cast<std::size_t>(known - names_.data()), *known);
  known->kind = name_kind::value;
  known->meaning = unknown_program(
      name.location,
      joined("the value of ", name.text, " is not known here: in line ",
             line_number(source_, name.location.first), " it is ", because),
      change.kind == change_kind::passed
          ? joined("write +", name.text, " there if only its value is read")
          : "compute the subscript from thread variables, loop variables and constants");
}

void access_reader::note_unknown(const token& name, bool is_memory) {
  ++unknown_names_;
  std::vector<std::string>& names = file_.skipped.memory;
  if (is_memory && !includes(names, name.text)) names.emplace_back(name.text);
}

}  // namespace command_line
