// SPDX-License-Identifier: MIT
// Declarations of variables, assignments and calls.
#include <algorithm>
#include <initializer_list>

#include "../element_types.hpp"
#include "as_in_c.hpp"
#include "statement_reader.hpp"

namespace command_line {

namespace {

constexpr std::string_view statements =
    "a statement: load, store, atomic, for, if, shared, global, block, grid, machine, define, or "
    "an "
    "assignment";

}  // namespace

void statement_reader::read_other() {
  const std::size_t first = now(), accesses = file_.accesses.size(), unknown = unknown_names_;
  const token begin = here();
  const std::size_t names = names_.size();
  const bool is_plain = find(begin.text) != nullptr && is_assigning(peek(1));
  bool is_declaration = false;
  try {
    is_declaration = is_type_here() || here().is("auto");
    const auto of = begin.is("(") ? std::nullopt : read_declared_type();
    is_declaration = of.has_value();
    if (of)
      read_variables(*of);
    else
      read_expression();
  } catch (const refusal& why) {
    const std::size_t end = end_of_statement(tokens_, first);
    if (is_final_ || file_.accesses.size() > accesses || touches_arrays(first, end) ||
        !is_finished(tokens_, first, end))
      throw;
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(names), names_.end());
    forget_assigned(first, end, "changed by a statement that is not read");
    if (is_declaration) declare_unread(first, end, why);
    return skip(first, end);
  }
  follow_references(first, accesses);
  if (file_.accesses.size() == accesses &&
      (unknown_names_ > unknown || (!is_declaration && !is_plain)))
    file_.skipped.statements.push_back(begin.where);
}

// After a statement: what it made reachable by another name.
void statement_reader::follow_references(std::size_t first, std::size_t accesses) {
  if (file_.accesses.size() > accesses && declares_reference(tokens_, first, now()))
    throw refusal{from(first), "a reference to an element: what happens to it is not seen",
                  "leave out & if it is read once here, or write the element where it is used"};
  for (const possible_change& one : possible_changes(tokens_, first, now()))
    if (one.how == change_kind::aliased) may_change(one, "reached by a pointer or a reference");
}

// The variables of a declaration that is not read: the reason is said where one is used. Its type
// is not known, so an assignment does not make one known.
void statement_reader::declare_unread(std::size_t first, std::size_t end, const refusal& why) {
  bool is_value = false;  // not a name that is declared
  for (std::size_t at = first + 1; at < end; ++at) {
    const token &one = tokens_[at], &before = tokens_[at - 1];
    const bool is_binding =  // auto [x, y] = ..
        one.is("[") && !is_value && (before.is("auto") || before.is("&") || before.is("&&"));
    if (!is_binding && (one.is("(") || one.is("[") || one.is("{")))
      at = after_bracket(tokens_, at) - 1;
    is_value = !one.is(",") && (is_value || one.is("=") || one.is("(") || one.is("{"));
    if (!is_value && is_declarator(at)) {
      declare(one, name_kind::value, unknown_program(why.where, why.wrong, why.right), true);
      names_.back().is_pointer = before.is("*");
    }
  }
}

bool statement_reader::is_declarator(std::size_t at) const {
  const token &before = tokens_[at - 1], &after = tokens_[at + 1];
  const auto is_any = [](const token& one, std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(), [&](std::string_view each) { return one.is(each); });
  };
  return tokens_[at].kind == token_kind::name &&
         (before.kind == token_kind::name || is_any(before, {"*", "&", "&&", ",", ">", "["})) &&
         is_any(after, {"=", ";", ",", "[", "]", "(", "{"});
}

// A type, also one that is not known: `cg::thread_block block = ..;`
std::optional<statement_reader::type> statement_reader::read_declared_type() {
  if (is_type_here() || here().is("auto")) return read_type();
  if (here().kind != token_kind::name || find(here().text) != nullptr || is_array(here().text))
    return {};
  std::size_t at = 1;
  while (peek(at).is("::") || (peek(at - 1).is("::") && peek(at).kind == token_kind::name)) ++at;
  const std::size_t words_of_type = at;
  while (peek(at).is("*")) ++at;
  const bool is_reference = peek(at).is("&") || peek(at).is("&&");
  if (is_reference) ++at;
  const bool is_named =
      peek(at).kind == token_kind::name && !is_array(peek(at).text) && !peek(at).first_of_line;
  const token& after = peek(at + 1);
  if (!is_named || (is_reference && !after.is("=")) ||
      !(after.is("=") || after.is(";") || after.is(",") || after.is("[")) ||
      !is_finished(tokens_, now(), end_of_statement(tokens_, now())))
    return {};
  const std::size_t first = now();
  while (now() < first + words_of_type) (void)take();
  ++unknown_names_;
  return type{words(first), 4, false, from(first)};
}

// `int row = ty + j`, which replaces row wherever it is read; or `float sum = tile[ty][tx]`,
// whose value is not known.
void statement_reader::read_variables(const type& of) {
  do {
    bool is_number = of.counts || of.is_auto;
    const bool may_be_pointer = here().is("*") || of.is_auto, is_pointer = here().is("*");
    while (here().is("*") || here().is("&") || here().is("&&") || here().is("const") ||
           here().is("__restrict__")) {
      const token word = take();
      is_number = is_number && word.is("const");
    }
    const token name = here();
    if (name.kind != token_kind::name) unexpected("the name of a variable");
    (void)take();
    if (may_be_pointer && here().is("=") && read_pointer(of, name)) continue;
    while (take_if("[")) {
      is_number = false;
      if (!here().is("]")) (void)read_value();
      (void)expect("]", "after the extent");
    }
    const bool has_extents = tokens_[at_ - 1].is("]");
    read_variable(of, name, is_number || of.is_bool);
    names_.back().is_pointer = is_pointer && !has_extents;
  } while (take_if(","));
  end_statement();
}

// `= a + e`: another name for elements of the array. False, and nothing is read: it is none.
bool statement_reader::read_pointer(const type& of, const token& name) {
  const std::size_t before = now();
  (void)take();
  const auto pointer = read_pointer_value();
  const bool is_alike =
      pointer &&
      (of.is_auto ||
       file_.arrays[static_cast<std::size_t>(pointer->array)].description.element_bytes ==
           of.bytes);
  if (!is_alike) {
    at_ = before;
    return false;
  }
  require_new_name(name, true);
  pointers_.push_back({name.text, pointer->array, pointer->offset});
  return true;
}

void statement_reader::read_variable(const type& of, const token& name, bool is_number) {
  program meaning = value_without_name(name);
  bool is_known = false;
  const bool has_value = here().is("=") || here().is("(") || here().is("{");
  if (has_value) {
    const bool is_list = here().is("{") || (here().is("=") && peek(1).is("{"));
    (void)take_if("=");
    const program value = read_as(of, read_value());
    is_known = is_number && !value.is_unknown && !is_list;
    if (of.is_static && !of.is_const) {
      is_known = false;
      meaning = unknown_program(name.where,
                                joined(name.text, " is static: all threads have the same one"),
                                "leave out `static`, or write `constexpr`");
    }
    if (is_known) meaning = value;
    if (value.is_unknown && is_number && !is_memory(value))
      meaning.why = {name.where,
                     joined("the value of ", name.text, " is not known: ", value.why.wrong),
                     value.why.right};
  }
  declare(name, is_known ? name_kind::index : name_kind::value, meaning, true);
  known_name& known = names_.back();
  known.is_const = of.is_const;
  known.is_integer =
      is_number && !(of.is_static && !of.is_const) && (has_value ? is_known || !of.is_auto : true);
  known.is_bool = of.is_bool || (of.is_auto && meaning.is_condition);
  known.type = of.is_auto || of.is_bool ? meaning.type : of.number();
}

bool statement_reader::is_memory(const program& value) {
  return value.why.wrong.find("before the kernel runs") != std::string::npos;
}

program statement_reader::value_without_name(const token& name) {
  return unknown_program(
      name.where,
      joined(name.text, " is a value from memory, which is not known before the kernel runs"),
      "use thread variables, loop variables and constants");
}

void statement_reader::read_expression() {
  const token first = here();
  if (first.kind != token_kind::name && !first.is("*") && !first.is("(") && !first.is("++") &&
      !first.is("--") && !first.is("&"))
    unexpected(statements);
  if (first.kind == token_kind::name && find(first.text) == nullptr && !is_array(first.text) &&
      (peek(1).kind == token_kind::name || peek(1).kind == token_kind::number))
    no_statement(first);
  const std::size_t before = now();
  (void)read_value();
  // `tile[ty][tx];` and `n;` do nothing that is worth a line.
  if (now() == before + 1) no_statement(first);
  if (!here().is(";") && !here().first_of_line && !here().is("}"))
    throw refusal{here().where, joined("`", here().text.substr(0, 40), "` after ", words(before)),
                  "write = and a value, or `load` or `store` before it, or a semicolon"};
  end_statement();
}

void statement_reader::no_statement(const token& first) const {
  nearest_word nearest(first.text);
  for (const std::string_view word : {"load", "store", "atomic", "for", "if", "shared", "global",
                                      "block", "grid", "machine", "define"})
    nearest.offer(word);
  throw refusal{first.where, joined("`", first.text.substr(0, 40), "` does not begin a statement"),
                nearest.question(joined("write ", statements))};
}

}  // namespace command_line
