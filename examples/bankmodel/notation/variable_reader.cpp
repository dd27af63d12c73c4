// SPDX-License-Identifier: MIT
// Declarations of variables, assignments and calls.
#include <algorithm>
#include <initializer_list>

#include "statement_reader.hpp"

namespace command_line {

namespace {

constexpr std::string_view statements =
    "a statement: load, store, atomic, for, if, shared, global, block, grid, machine, define, or "
    "an "
    "assignment";

}  // namespace

void statement_reader::read_other() {
  const std::size_t first = cursor(), accesses = file_.accesses.size(), unknown = unknown_names_;
  const token begin = front();
  const std::size_t names = names_.size();
  const bool is_plain = find(begin.text) != nullptr && is_assigning(peek(1));
  bool is_declaration = false;
  try {
    is_declaration = is_type_here() || front().is("auto");
    const auto declared_type = begin.is("(") ? std::nullopt : read_declared_type();
    is_declaration = declared_type.has_value();
    if (declared_type)
      read_variables(*declared_type);
    else
      read_expression();
  } catch (const refusal& error) {
    const std::size_t end = end_of_statement(tokens_, first);
    if (is_final_ || file_.accesses.size() > accesses || touches_arrays(first, end) ||
        !is_finished(tokens_, first, end))
      throw;
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(names), names_.end());
    forget_assigned(first, end, "changed by a statement that is not read");
    if (is_declaration) declare_unread(first, end, error);
    return skip(first, end);
  }
  follow_references(first, accesses);
  if (file_.accesses.size() == accesses &&
      (unknown_names_ > unknown || (!is_declaration && !is_plain)))
    file_.skipped.statements.push_back(begin.location);
}

// After a statement: what it made reachable by another name.
void statement_reader::follow_references(std::size_t first, std::size_t accesses) {
  if (file_.accesses.size() > accesses && declares_reference(tokens_, first, cursor()))
    throw refusal{span(first), "a reference to an element: what happens to it is not seen",
                  "leave out & if it is read once here, or write the element where it is used"};
  for (const possible_change& candidate : possible_changes(tokens_, first, cursor()))
    if (candidate.kind == change_kind::aliased)
      may_change(candidate, "reached by a pointer or a reference");
}

// The variables of a declaration that is not read: the reason is said where one is used. Its type
// is not known, so an assignment does not make one known.
void statement_reader::declare_unread(std::size_t first, std::size_t end, const refusal& reason) {
  bool is_value = false;  // not a name that is declared
  for (std::size_t position = first + 1; position < end; ++position) {
    const token &word = tokens_[position], &previous = tokens_[position - 1];
    const bool is_binding =  // auto [x, y] = ..
        word.is("[") && !is_value && (previous.is("auto") || previous.is("&") || previous.is("&&"));
    if (!is_binding && (word.is("(") || word.is("[") || word.is("{")))
      position = after_bracket(tokens_, position) - 1;
    is_value = !word.is(",") && (is_value || word.is("=") || word.is("(") || word.is("{"));
    if (!is_value && is_declarator(position)) {
      declare(word, name_kind::value, unknown_program(reason.location, reason.wrong, reason.right),
              true);
      names_.back().is_pointer = previous.is("*");
    }
  }
}

bool statement_reader::is_declarator(std::size_t position) const {
  const token &previous = tokens_[position - 1], &next = tokens_[position + 1];
  const auto is_any = [](const token& word, std::initializer_list<std::string_view> wanted) {
    return std::ranges::any_of(wanted, [&](std::string_view symbol) { return word.is(symbol); });
  };
  return tokens_[position].kind == token_kind::name &&
         (previous.kind == token_kind::name || is_any(previous, {"*", "&", "&&", ",", ">", "["})) &&
         is_any(next, {"=", ";", ",", "[", "]", "(", "{"});
}

// A type, also one that is not known: `cg::thread_block block = ..;`
std::optional<statement_reader::type> statement_reader::read_declared_type() {
  if (is_type_here() || front().is("auto")) return read_type();
  if (front().kind != token_kind::name || find(front().text) != nullptr || is_array(front().text))
    return {};
  std::size_t offset = 1;
  while (peek(offset).is("::") ||
         (peek(offset - 1).is("::") && peek(offset).kind == token_kind::name))
    ++offset;
  const std::size_t words_of_type = offset;
  while (peek(offset).is("*")) ++offset;
  const bool is_reference = peek(offset).is("&") || peek(offset).is("&&");
  if (is_reference) ++offset;
  const bool is_named = peek(offset).kind == token_kind::name && !is_array(peek(offset).text) &&
                        !peek(offset).first_of_line;
  const token& next = peek(offset + 1);
  if (!is_named || (is_reference && !next.is("=")) ||
      !(next.is("=") || next.is(";") || next.is(",") || next.is("[")) ||
      !is_finished(tokens_, cursor(), end_of_statement(tokens_, cursor())))
    return {};
  const std::size_t first = cursor();
  while (cursor() < first + words_of_type) (void)take();
  ++unknown_names_;
  return type{words(first), 4, false, span(first)};
}

// `int row = ty + j`, which replaces row wherever it is read; or `float sum = tile[ty][tx]`,
// whose value is not known.
void statement_reader::read_variables(const type& declared_type) {
  do {
    bool is_number = declared_type.counts || declared_type.is_auto;
    const bool may_be_pointer = front().is("*") || declared_type.is_auto,
               is_pointer = front().is("*");
    while (front().is("*") || front().is("&") || front().is("&&") || front().is("const") ||
           front().is("__restrict__")) {
      const token word = take();
      is_number = is_number && word.is("const");
    }
    const token name = front();
    if (name.kind != token_kind::name) unexpected("the name of a variable");
    (void)take();
    if (may_be_pointer && front().is("=") && read_pointer(declared_type, name)) continue;
    while (take_if("[")) {
      is_number = false;
      if (!front().is("]")) (void)read_value();
      (void)expect("]", "after the extent");
    }
    const bool has_extents = tokens_[cursor_ - 1].is("]");
    read_variable(declared_type, name, is_number || declared_type.is_bool);
    names_.back().is_pointer = is_pointer && !has_extents;
  } while (take_if(","));
  end_statement();
}

// `= a + e`: another name for elements of the array. False, and nothing is read: it is none.
bool statement_reader::read_pointer(const type& declared_type, const token& name) {
  const std::size_t begin = cursor();
  (void)take();
  const auto pointer = read_pointer_value();
  const bool is_alike =
      pointer &&
      (declared_type.is_auto ||
       file_.arrays[static_cast<std::size_t>(pointer->array)].description.element_bytes ==
           declared_type.bytes);
  if (!is_alike) {
    cursor_ = begin;
    return false;
  }
  require_new_name(name, true);
  pointers_.push_back({name.text, pointer->array, pointer->offset});
  return true;
}

void statement_reader::read_variable(const type& declared_type, const token& name, bool is_number) {
  program meaning = value_without_name(name);
  bool is_known = false;
  const bool has_value = front().is("=") || front().is("(") || front().is("{");
  if (has_value) {
    const bool is_list = front().is("{") || (front().is("=") && peek(1).is("{"));
    (void)take_if("=");
    const program value = read_as(declared_type, read_value());
    is_known = is_number && !value.is_unknown && !is_list;
    if (declared_type.is_static && !declared_type.is_const) {
      is_known = false;
      meaning = unknown_program(name.location,
                                joined(name.text, " is static: all threads have the same one"),
                                "leave out `static`, or write `constexpr`");
    }
    if (is_known) meaning = value;
    if (value.is_unknown && is_number && !is_memory(value))
      meaning.reason = {name.location,
                        joined("the value of ", name.text, " is not known: ", value.reason.wrong),
                        value.reason.right};
  }
  declare(name, is_known ? name_kind::index : name_kind::value, meaning, true);
  known_name& known = names_.back();
  known.is_const = declared_type.is_const;
  known.is_integer = is_number && !(declared_type.is_static && !declared_type.is_const) &&
                     (has_value ? is_known || !declared_type.is_auto : true);
  known.is_bool = declared_type.is_bool || (declared_type.is_auto && meaning.is_condition);
  known.type =
      declared_type.is_auto || declared_type.is_bool ? meaning.type : declared_type.number();
}

bool statement_reader::is_memory(const program& value) {
  return value.reason.wrong.find("before the kernel runs") != std::string::npos;
}

program statement_reader::value_without_name(const token& name) {
  return unknown_program(
      name.location,
      joined(name.text, " is a value from memory, which is not known before the kernel runs"),
      "use thread variables, loop variables and constants");
}

void statement_reader::read_expression() {
  const token first = front();
  if (first.kind != token_kind::name && !first.is("*") && !first.is("(") && !first.is("++") &&
      !first.is("--") && !first.is("&"))
    unexpected(statements);
  if (first.kind == token_kind::name && find(first.text) == nullptr && !is_array(first.text) &&
      (peek(1).kind == token_kind::name || peek(1).kind == token_kind::number))
    no_statement(first);
  const std::size_t begin = cursor();
  (void)read_value();
  // `tile[ty][tx];` and `n;` do nothing that is worth a line.
  if (cursor() == begin + 1) no_statement(first);
  if (!front().is(";") && !front().first_of_line && !front().is("}"))
    throw refusal{front().location,
                  joined("`", front().text.substr(0, 40), "` after ", words(begin)),
                  "write = and a value, or `load` or `store` before it, or a semicolon"};
  end_statement();
}

void statement_reader::no_statement(const token& first) const {
  nearest_word nearest(first.text);
  for (const std::string_view word : {"load", "store", "atomic", "for", "if", "shared", "global",
                                      "block", "grid", "machine", "define"})
    nearest.offer(word);
  throw refusal{first.location,
                joined("`", first.text.substr(0, 40), "` does not begin a statement"),
                nearest.question(joined("write ", statements))};
}

}  // namespace command_line
