// SPDX-License-Identifier: MIT
#include "kernel_file.hpp"

#include <algorithm>
#include <optional>

#include "access_reader.hpp"
#include "as_in_c.hpp"
#include "statement_scan.hpp"

namespace command_line {

namespace {

constexpr std::string_view statements =
    "a statement: load, store, atomic, for, if, shared, global, block, grid, machine, define, or "
    "an "
    "assignment";

class kernel_reader : public access_reader {
 public:
  using access_reader::access_reader;

  kernel_file run() {
    while (here().kind != token_kind::end) read_statement();
    const place end{source_.text.size(), 0};
    if (block_.x == 0)
      throw refusal{end, "the number of threads of a block is missing",
                    "write a line such as `block 32 8`"};
    if (file_.accesses.empty())
      throw refusal{end, "there is no access to shared or global memory",
                    "write lines such as `load tile[ty][tx]`"};
    file_.block = block_;
    if (grid_.x != 0) file_.grid = grid_;
    file_.reads_block_index = reads_block_index_;
    file_.reads_warp_size = reads_warp_size_;
    return std::move(file_);
  }

 private:
  // ---- statements ----

  void read_statement() {
    const deeper one(*this);
    const token first = here();
    if (take_if(";")) return;
    if (is_array(first.text) && peek(1).is("[")) return read_other();
    if (first.is("{")) return read_block();
    if (first.is("for")) return read_loop();
    if (first.is("if")) return read_if();
    if (first.is("while") || first.is("do") || first.is("switch")) return read_uncounted();
    if (first.is("return") || first.is("continue") || first.is("break")) return read_jump();
    if (first.is("load") || first.is("store") || first.is("atomic")) {
      read_accesses();
      return end_statement();
    }
    if (first.is("machine") || first.is("block") || first.is("grid") || first.is("define"))
      return read_directive();
    if (first.is("__global__") || first.is("template")) return read_function_head();
    if (is_shared_word(first) || is_global_word(first)) return read_arrays();
    if (first.is("__syncthreads") || first.is("__syncwarp")) {
      (void)take();
      (void)expect("(", joined("after ", first.text));
      if (!here().is(")")) (void)read_value();
      (void)expect(")", joined("after ", first.text, "("));
      return end_statement();
    }
    read_other();
  }

  void read_block() {
    const token begin = take();
    const std::size_t names = begin_names();
    while (!here().is("}")) {
      if (here().kind == token_kind::end)
        throw refusal{begin.where, "a brace that is not closed", "close it with }"};
      read_statement();
    }
    (void)take();
    end_names(names);
  }

  // The body of a loop or a condition: names declared in it end with it.
  void read_body() {
    const std::size_t names = begin_names();
    if (here().kind == token_kind::end) unexpected("an access or a block in braces");
    ++conditional_depth_;
    read_statement();
    --conditional_depth_;
    end_names(names);
  }

  // ---- loops ----

  void read_loop() {
    const std::size_t first = now(), end = end_of_statement(tokens_, first);
    const std::size_t names = begin_names(), around = around_.size();
    forget_assigned(first, end, "changed in a loop");
    const std::size_t before = names_.size();
    std::optional<wrapping> loop;
    try {
      loop = read_loop_head(static_cast<int>(loops_around()));
    } catch (const refusal&) {
      if (touches_arrays(first, end) || !is_finished(tokens_, first, end)) throw;
      names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(before), names_.end());
      end_names(names);
      return skip(first, end);
    }
    require_counted(*loop, first, end);
    around_.push_back(*loop);
    const std::size_t accesses = file_.accesses.size();
    read_body();
    around_.resize(around);
    end_names(names);
    forget_assigned(first, now(), "changed in a loop");
    leave_loop(accesses, first, end);
  }

  // `break` and `return` end a loop at an iteration that the library's loops do not have.
  void require_counted(wrapping& loop, std::size_t first, std::size_t end) {
    const std::size_t exit = exit_of_loop(tokens_, first, end);
    if (exit == end) return;
    loop.first = unknown_program(
        tokens_[exit].where, joined("`", tokens_[exit].text, "` ends the loop at an iteration that "
                                                             "is not known"),
        "write the iterations that are executed as the loop's bound");
  }

  // After a loop with `return` it is not known which threads continue.
  void leave_loop(std::size_t, std::size_t first, std::size_t end) {
    for (std::size_t at = first; at < end; ++at)
      if (tokens_[at].is("return")) {
        const program unknown = unknown_program(
            tokens_[at].where, "`return` in a loop leaves open which threads continue",
            "describe the accesses after it for the threads that reach them, with `if`");
        around_.insert(around_.begin(), filter_of(unknown, "..", true));
        return;
      }
  }

  // while, do and switch: how often their statements are executed is not known.
  void read_uncounted() {
    const std::size_t first = now(), end = end_of_statement(tokens_, first);
    if (touches_arrays(first, end) || !is_finished(tokens_, first, end))
      throw refusal{here().where,
                    joined("`", here().text, "` does not begin a statement of the notation: how "
                           "often it runs is not known"),
                    here().is("switch") ? "write `if` and `else`" : "write a `for` loop"};
    forget_assigned(first, end, "changed in a loop");
    skip(first, end);
  }

  // ---- conditions ----

  void read_if() {
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

  // A variable before and after one branch.
  struct change {
    std::size_t name;
    known_name old, now;
  };

  // The changes of a branch, which are undone.
  std::vector<change> take_changes(std::size_t first) {
    std::vector<change> result;
    for (std::size_t at = first; at < journal_.size(); ++at) {
      const auto& [name, old] = journal_[at];
      const bool is_ours = name < names_.size() && names_[name].name == old.name;
      const bool is_first = std::none_of(result.begin(), result.end(),
                                         [&, which = name](const change& c) { return c.name == which; });
      if (is_ours && is_first) result.push_back({name, old, names_[name]});
    }
    for (const change& one : result) names_[one.name] = one.old;
    journal_.resize(first, {0, known_name{}});
    return result;
  }

  // After `if`, a variable has one value or the other.
  void join(const program& condition, const std::vector<change>& then,
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
      if (is_known)
        known.meaning = selected(condition, condition.where, yes.meaning, no.meaning);
      else
        make_unknown(known, condition.where);
    }
  }

  void make_unknown(known_name& known, const place& where) {
    known.kind = name_kind::value;
    known.meaning = unknown_program(
        where,
        joined("the value of ", known.name, " is not known: it is changed under the condition in "
               "line ", line_number(source_, where.first)),
        "compute the subscript from thread variables, loop variables and constants");
  }

  // ---- return, continue, break ----

  void read_jump() {
    const token keyword = take();
    if (keyword.is("return") && !here().is(";") && !here().first_of_line) (void)read_value();
    end_statement();
    std::size_t first = 0;  // of the conditions that it leaves
    for (std::size_t at = 0; at < around_.size(); ++at)
      if (around_[at].kind != bm::wrapper_kind::filter) first = at + 1;
    if (first == 0 && !keyword.is("return"))
      throw refusal{keyword.where, joined("`", keyword.text, "` outside of a loop"), "remove it"};
    if (keyword.is("break")) return;  // the loop's number of iterations is not known anyway
    if (keyword.is("return") && first != 0) return;
    skip_rest(first, keyword);
  }

  // ---- a function's head ----

  // `__global__ void kernel(const float* in, int n)`, whose arguments are not known.
  void read_function_head() {
    while (here().kind != token_kind::end && !here().is("{") && !here().is(";")) {
      const token one = take();
      if (one.kind == token_kind::name && (here().is(",") || here().is(")")) &&
          find(one.text) == nullptr && !is_array(one.text))
        arguments_.push_back(one.text);
    }
  }

  // ---- all other statements ----

  void read_other() {
    const std::size_t first = now(), accesses = file_.accesses.size(), unknown = unknown_names_;
    const token begin = here();
    const std::size_t names = names_.size();
    const bool is_plain = find(begin.text) != nullptr && is_assignment(peek(1));
    bool is_declaration = false;
    try {
      const auto of = begin.is("(") ? std::nullopt : read_declared_type();
      is_declaration = of.has_value();
      if (of)
        read_variables(*of);
      else
        read_expression();
    } catch (const refusal&) {
      const std::size_t end = end_of_statement(tokens_, first);
      if (file_.accesses.size() > accesses || touches_arrays(first, end) ||
          !is_finished(tokens_, first, end))
        throw;
      names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(names), names_.end());
      forget_assigned(first, end, "changed by a statement that is not read");
      return skip(first, end);
    }
    if (file_.accesses.size() == accesses &&
        (unknown_names_ > unknown || (!is_declaration && !is_plain)))
      file_.skipped.statements.push_back(begin.where);
  }

  void read_expression() {
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
      throw refusal{here().where,
                    joined("`", here().text.substr(0, 40), "` after ", words(before)),
                    "write = and a value, or `load` or `store` before it, or a semicolon"};
    end_statement();
  }

  [[noreturn]] void no_statement(const token& first) const {
    nearest_word nearest(first.text);
    for (const std::string_view word : {"load", "store", "atomic", "for", "if", "shared", "global",
                                        "block", "grid", "machine", "define"})
      nearest.offer(word);
    throw refusal{first.where,
                  joined("`", first.text.substr(0, 40), "` does not begin a statement"),
                  nearest.question(joined("write ", statements))};
  }

  // A type, also one that is not known: `cg::thread_block block = ..;`
  std::optional<type> read_declared_type() {
    if (is_type_here() || here().is("auto")) return read_type();
    if (here().kind != token_kind::name || find(here().text) != nullptr || is_array(here().text))
      return {};
    std::size_t at = 1;
    while (peek(at).is("::") || (peek(at - 1).is("::") && peek(at).kind == token_kind::name)) ++at;
    while (peek(at).is("*")) ++at;
    const bool is_named = peek(at).kind == token_kind::name && !is_array(peek(at).text) &&
                          !peek(at).first_of_line;
    const token& after = peek(at + 1);
    if (!is_named || !(after.is("=") || after.is(";") || after.is(",") || after.is("[")) ||
        !is_finished(tokens_, now(), end_of_statement(tokens_, now())))
      return {};
    const std::size_t first = now();
    for (std::size_t skipped = 0; skipped < at && !here().is("*"); ++skipped) (void)take();
    ++unknown_names_;
    return type{words(first), 4, false, from(first)};
  }

  // `int row = ty + j`, which replaces row wherever it is read; or `float sum = tile[ty][tx]`,
  // whose value is not known.
  void read_variables(const type& of) {
    do {
      bool is_number = of.counts || of.is_auto;
      while (here().is("*") || here().is("&") || here().is("const") || here().is("__restrict__"))
        is_number = is_number && take().is("const");
      const token name = here();
      if (name.kind != token_kind::name) unexpected("the name of a variable");
      (void)take();
      while (take_if("[")) {
        is_number = false;
        if (!here().is("]")) (void)read_value();
        (void)expect("]", "after the extent");
      }
      read_variable(of, name, is_number || of.is_bool);
    } while (take_if(","));
    end_statement();
  }

  void read_variable(const type& of, const token& name, bool is_number) {
    program meaning = value_without_name(name);
    bool is_known = false;
    const bool has_value = here().is("=") || here().is("(") || here().is("{");
    if (has_value) {
      const bool is_list = here().is("{") || (here().is("=") && peek(1).is("{"));
      (void)take_if("=");
      const program value = read_as(of, read_value());
      is_known = is_number && !value.is_unknown && !is_list;
      if (is_known) meaning = value;
      if (value.is_unknown && is_number && !is_memory(value))
        meaning.why = {name.where,
                       joined("the value of ", name.text, " is not known: ", value.why.wrong),
                       value.why.right};
    }
    declare(name, is_known ? name_kind::index : name_kind::value, meaning, true);
    known_name& known = names_.back();
    known.is_const = of.is_const;
    known.is_integer = is_number && (has_value ? is_known || !of.is_auto : true);
    known.is_bool = of.is_bool || (of.is_auto && meaning.is_condition);
    known.type = of.is_auto || of.is_bool ? meaning.type : of.number();
  }

  static bool is_memory(const program& value) {
    return value.why.wrong.find("before the kernel runs") != std::string::npos;
  }
  static program value_without_name(const token& name) {
    return unknown_program(
        name.where,
        joined(name.text, " is a value from memory, which is not known before the kernel runs"),
        "use thread variables, loop variables and constants");
  }

  // ---- statements that are skipped ----

  // True if a declared array or a word of the notation is in the statement.
  bool touches_arrays(std::size_t first, std::size_t end) const {
    for (std::size_t at = first; at < end; ++at) {
      const token& one = tokens_[at];
      if (one.kind != token_kind::name) continue;
      if (is_array(one.text) || is_shared_word(one) || is_global_word(one)) return true;
      const bool is_keyword = one.is("load") || one.is("store") || one.is("atomic");
      if (is_keyword && tokens_[at + 1].kind == token_kind::name) return true;
    }
    return false;
  }

  void skip(std::size_t first, std::size_t end) {
    file_.skipped.statements.push_back(tokens_[first].where);
    for (std::size_t at = first; at < end; ++at)
      if (tokens_[at].is("return")) {
        const program unknown = unknown_program(
            tokens_[at].where, "`return` leaves open which threads continue",
            "describe the accesses after it for the threads that reach them, with `if`");
        around_.insert(around_.begin(), filter_of(unknown, "..", true));
        break;
      }
    at_ = end;
  }

  void forget_assigned(std::size_t first, std::size_t end, const std::string& because) {
    for (const token& one : assigned_names(tokens_, first, end)) {
      const known_name* const known = find(one.text);
      if (known != nullptr && !known->is_const) forget_value(one, because);
    }
  }

  std::vector<std::string_view> arguments_;  // of the function, not known
};

}  // namespace

kernel_file read_kernel_file(const source& of, const reading& how) {
  if (of.text.size() > most_bytes)
    throw refusal{{most_bytes, 1},
                  joined("a kernel file of ", of.text.size(), " bytes"),
                  joined("at most ", most_bytes, " are read")};
  return kernel_reader(of, how).run();
}

}  // namespace command_line
