// SPDX-License-Identifier: MIT
#include "statement_reader.hpp"

namespace command_line {

void statement_reader::read_statement() {
  const deeper nesting(*this);
  const token first = front();
  if (take_if(";")) return;
  if (is_array(first.text) && peek(1).is("[")) return read_other();
  if (first.is("{")) return read_block();
  if (first.is("for")) return read_loop();
  if (first.is("if")) return read_if();
  if (first.is("while") || first.is("do") || first.is("switch")) return read_uncounted();
  if (first.is("return") || first.is("continue") || first.is("break")) return read_jump();
  const bool is_access = first.is("load") || first.is("store") || first.is("atomic");
  if (is_access && !is_assigning(peek(1)) && !peek(1).is(".")) return read_accesses();
  if (is_directive_at(tokens_, cursor())) return read_directive();
  if (read_outer_braces() || read_type_definition()) return;
  if (!first.is("shared") && !first.is("global") && read_function()) return;
  if (is_shared_word(first) || is_global_word(first)) return read_arrays();
  if (first.is("__syncthreads") || first.is("__syncwarp")) {
    (void)take();
    (void)expect("(", joined("after ", first.text));
    if (!front().is(")")) (void)read_value();
    (void)expect(")", joined("after ", first.text, "("));
    return end_statement();
  }
  read_other();
}

void statement_reader::read_block() {
  const token begin = take();
  const std::size_t names = begin_names(), arrays = file_.arrays.size(),
                    pointers = pointers_.size();
  while (!front().is("}")) {
    if (front().kind == token_kind::end)
      throw refusal{begin.location, "a brace that is not closed", "close it with }"};
    read_statement();
  }
  (void)take();
  end_names(names);
  for (std::size_t array = arrays; array < file_.arrays.size(); ++array)
    file_.arrays[array].is_over = true;
  pointers_.erase(pointers_.begin() + static_cast<std::ptrdiff_t>(pointers), pointers_.end());
}

// `namespace a::b {` and `extern "C" {`: what is in them is read.
bool statement_reader::read_outer_braces() {
  std::size_t offset = 0;
  if (front().is("namespace")) {
    for (++offset; peek(offset).kind == token_kind::name || peek(offset).is("::"); ++offset) {
    }
  } else if (front().is("extern") && peek(1).text == "\"C\"") {
    offset = 2;
  }
  if (offset == 0 || !peek(offset).is("{")) return false;
  cursor_ += offset;
  read_block();
  return true;
}

// `struct point { .. };`: its members are not followed.
bool statement_reader::read_type_definition() {
  const std::size_t first = cursor();
  std::size_t position = first;
  if (tokens_[position].is("typedef")) ++position;
  const token& word = tokens_[position];
  if (!word.is("struct") && !word.is("class") && !word.is("union") && !word.is("enum"))
    return false;
  while (position + 1 < tokens_.size() && !tokens_[position].is("{") &&
         !tokens_[position].is(";") && !tokens_[position].is("(") && !tokens_[position].is("="))
    ++position;
  if (!tokens_[position].is("{")) return false;
  position = after_bracket(tokens_, position);
  while (position + 1 < tokens_.size() && !tokens_[position].is(";")) ++position;
  for (std::size_t index = first; index < position; ++index)
    if (is_shared_word(tokens_[index]) || tokens_[index].is("__global__"))
      throw refusal{tokens_[index].location,
                    joined("`", tokens_[index].text, "` within a type is not read"),
                    "write it outside of the type"};
  cursor_ = std::min(position + 1, tokens_.size() - 1);
  return true;
}

// The body of a loop or a condition: names declared in it end with it.
void statement_reader::read_body() {
  const std::size_t names = begin_names();
  if (front().kind == token_kind::end) unexpected("an access or a block in braces");
  ++conditional_depth_;
  read_statement();
  --conditional_depth_;
  end_names(names);
}

void statement_reader::read_loop() {
  const std::size_t first = cursor(), end = end_of_statement(tokens_, first);
  const std::size_t names = begin_names();
  forget_assigned(end_of_head(tokens_, first), end, "changed in a loop");
  const std::size_t name_count = names_.size();
  std::optional<wrapping> loop;
  try {
    loop = read_loop_head(static_cast<int>(loops_around()));
  } catch (const refusal&) {
    if (is_final_ || touches_arrays(first, end) || !is_finished(tokens_, first, end)) throw;
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(name_count), names_.end());
    end_names(names);
    return skip(first, end);
  }
  require_counted(*loop, first, end);
  wrappers_.push_back(*loop);
  read_body();
  // Conditions that `continue` left are inside the loop; those of `return` are before it.
  while (wrappers_.back().kind == bm::wrapper_kind::filter) wrappers_.pop_back();
  wrappers_.pop_back();
  end_names(names);
  forget_assigned(first, cursor(), "changed in a loop");
  leave_loop(first, end);
}

// `break` and `return` end a loop at an iteration that the library's loops do not have.
void statement_reader::require_counted(wrapping& loop, std::size_t first, std::size_t end) {
  const std::size_t exit = exit_of_loop(tokens_, first, end);
  if (exit == end) return;
  loop.first = unknown_program(tokens_[exit].location,
                               joined("`", tokens_[exit].text,
                                      "` ends the loop at an iteration that "
                                      "is not known"),
                               "write the iterations that are executed as the loop's bound");
}

// while, do and switch: how often their statements are executed is not known.
void statement_reader::read_uncounted() {
  const std::size_t first = cursor(), end = end_of_statement(tokens_, first);
  if (touches_arrays(first, end) || !is_finished(tokens_, first, end))
    throw refusal{front().location,
                  joined("`", front().text,
                         "` does not begin a statement of the notation: how "
                         "often it runs is not known"),
                  front().is("switch") ? "write `if` and `else`" : "write a `for` loop"};
  forget_assigned(first, end, "changed in a loop");
  skip(first, end);
}

void statement_reader::read_jump() {
  const token keyword = take();
  if (keyword.is("return") && !front().is(";") && !front().first_of_line) (void)read_value();
  end_statement();
  const std::size_t first = begin_of_iteration();
  if (first == 0 && !keyword.is("return"))
    throw refusal{keyword.location, joined("`", keyword.text, "` outside of a loop"), "remove it"};
  if (keyword.is("break")) return;  // the loop's number of iterations is not known anyway
  if (keyword.is("return") && first != 0) return;
  skip_rest(first, keyword);
}

// What is left by `continue`: the conditions from this one on are in the innermost loop.
std::size_t statement_reader::begin_of_iteration() const {
  std::size_t first = wrappers_.size();
  while (first > 0 && wrappers_[first - 1].kind == bm::wrapper_kind::filter) --first;
  return first;
}

// After a loop or a skipped statement with `return` it is not known which threads continue.
void statement_reader::leave_loop(std::size_t first, std::size_t end) {
  for (std::size_t position = first; position < end; ++position)
    if (tokens_[position].is("return")) return add_unknown_exit(0, tokens_[position]);
}

void statement_reader::add_unknown_exit(std::size_t first, const token& keyword) {
  const program unknown = unknown_program(
      keyword.location, joined("`", keyword.text, "` here leaves open which threads continue"),
      "describe the accesses after it for the threads that reach them, with `if`");
  const bool is_said =
      first < wrappers_.size() && wrappers_[first].is_exit && wrappers_[first].first.is_unknown;
  if (!is_said) add_exit(first, filter_of(unknown, "..", true));
}

// True if a declared array or a word of the notation is in the statement.
bool statement_reader::touches_arrays(std::size_t first, std::size_t end) const {
  for (std::size_t position = first; position < end; ++position) {
    const token& word = tokens_[position];
    if (word.kind != token_kind::name) continue;
    if (is_array(word.text) || is_shared_word(word) || is_global_word(word)) return true;
    const bool is_keyword = word.is("load") || word.is("store") || word.is("atomic");
    if (is_keyword && tokens_[position + 1].kind == token_kind::name) return true;
  }
  return false;
}

void statement_reader::skip(std::size_t first, std::size_t end) {
  file_.skipped.statements.push_back(tokens_[first].location);
  leave_loop(first, end);
  const std::size_t next = continue_of_loop(tokens_, first, end);
  if (next != end) add_unknown_exit(begin_of_iteration(), tokens_[next]);
  cursor_ = end;
}

void statement_reader::forget_assigned(std::size_t first, std::size_t end,
                                       const std::string& because) {
  for (const possible_change& candidate : possible_changes(tokens_, first, end)) {
    const known_name* const known = find(candidate.name.text);
    const bool is_variable =
        known != nullptr && (known->kind == name_kind::index || known->kind == name_kind::value);
    // An inner variable of the same name.
    if (!is_variable && is_declared_in(tokens_, first, end, candidate.name.text)) continue;
    may_change(candidate, candidate.kind == change_kind::assigned ? because
                          : candidate.kind == change_kind::passed
                              ? "given to a function"
                              : "reached by a pointer or a reference");
  }
}

}  // namespace command_line
