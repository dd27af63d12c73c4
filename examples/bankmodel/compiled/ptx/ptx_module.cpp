// SPDX-License-Identifier: MIT
#include "ptx_module.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "ptx_variable_reader.hpp"

namespace compiled {

namespace {

class parser : ptx_variable_reader {
 public:
  explicit parser(std::string_view text) : ptx_variable_reader(text) {}

  ptx_module all() {
    while (here().kind != ptx_kind::end) read_directive();
    for (std::size_t at = 0; at < file_numbers_.size(); ++at) {
      const auto name = file_names_.find(file_numbers_[at]);
      made_.files.push_back(name != file_names_.end() ? std::string(name->second) : "");
    }
    return std::move(made_);
  }

 private:
  void skip_braces() {
    expect("{");
    for (int depth = 1; depth > 0;) {
      if (here().kind == ptx_kind::end) unexpected("`}`");
      depth += here().is("{") ? 1 : here().is("}") ? -1 : 0;
      (void)take();
    }
  }
  void skip_statement() {
    while (!here().is(";")) {
      if (here().kind == ptx_kind::end) unexpected("`;`");
      (void)take();
    }
    (void)take();
  }

  void read_directive() {
    const std::string_view word = here().kind == ptx_kind::word ? here().text : "";
    if (word == ".version" || word == ".target" || word == ".address_size") {
      const int line = take().line;
      if (word == ".target" && here().text.starts_with("sm_")) {
        const std::string_view number = here().text.substr(3);  // of more digits: no machine's
        int machine = 0;
        if (std::from_chars(number.data(), number.data() + number.size(), machine).ec ==
            std::errc())
          made_.machine = machine;
      }
      while (here().line == line && here().kind != ptx_kind::end) (void)take();
    } else if (word == ".file") {
      read_file();
    } else if (word == ".section") {
      (void)take();
      (void)take();
      skip_braces();
    } else if (is_linkage(word)) {
      (void)take();
    } else if (word == ".entry" || word == ".func") {
      read_function();
    } else if (is_space(word)) {
      ptx_variable& made = made_.variables.emplace_back(read_variable());
      made_.variable[made.name] = &made;
      while (take_if(",")) {
        ptx_variable& next = made_.variables.emplace_back(read_declarator(made));
        made_.variable[next.name] = &next;
      }
      expect(";");
    } else if (word == ".alias" || word == ".pragma") {
      skip_statement();
    } else if (word == ".loc") {
      read_place();
    } else if (!take_if(";")) {
      unexpected("a directive, such as .entry");
    }
  }

  void read_file() {
    (void)take();
    const std::uint64_t file = number();
    if (here().kind != ptx_kind::string) unexpected("a file's name");
    file_names_[file] = take().text;
    while (take_if(",")) (void)number();
  }

  place read_file_and_line() {
    const std::uint64_t file = number();
    const auto line = static_cast<int>(number());
    const auto column = static_cast<int>(number());
    const auto found = std::find(file_numbers_.begin(), file_numbers_.end(), file);
    const auto index = found - file_numbers_.begin();
    if (found == file_numbers_.end()) file_numbers_.push_back(file);
    return {static_cast<int>(index), line, column};
  }

  // .loc 2 5122 1, function_name LABEL+1, inlined_at 1 4 3: the place of the call comes before,
  // with the call that it was inlined at.
  void read_place() {
    (void)take();
    place next = read_file_and_line();
    std::vector<place> calls = {next};
    while (take_if(",")) {
      if (name() != "inlined_at") {
        if (here().kind == ptx_kind::word) (void)take();
        if (take_if("+")) (void)number();
        continue;
      }
      const place call = read_file_and_line();
      const auto known = calls_.find({call.file, call.line, call.column});
      if (known == calls_.end())
        calls.push_back(call);
      else
        calls.insert(calls.end(), known->second.begin(), known->second.end());
    }
    made_.has_places = true;
    // Code that the compiler moved has no line: it is counted where the call is, or the code
    // before.
    const bool is_moved = next.line == 0;
    if (is_moved && calls.size() > 1) {
      calls.erase(calls.begin());
      next = calls.front();
    } else if (is_moved) {
      where_.is_moved = true;
      return;
    }
    constexpr std::size_t most_calls = 256;
    if (calls.size() <= most_calls) calls_[{next.file, next.line, next.column}] = calls;
    where_ = next;
    where_.is_moved = is_moved;
    if (calls.size() == 1) return;
    const auto [number, is_new] =
        numbers_of_calls_.emplace(key_of(calls), static_cast<int>(made_.calls.size()));
    if (is_new) made_.calls.push_back(std::move(calls));
    where_.calls = number->second;
  }
  static std::vector<int> key_of(const std::vector<place>& calls) {
    std::vector<int> result;
    for (const place& one : calls) result.insert(result.end(), {one.file, one.line, one.column});
    return result;
  }

  // ---- functions ----
  void read_parameters(ptx_function& to, std::vector<const ptx_variable*>& list) {
    if (!take_if("(")) return;
    while (!take_if(")")) {
      ptx_variable& made = to.variables.emplace_back(read_variable());
      list.push_back(&made);
      to.scopes[0].variables[made.name] = &made;
      if (!here().is(")")) expect(",");
    }
  }

  // One to three numbers; the others are 1.
  std::array<int, 3> read_sizes(std::string_view directive) {
    std::array<int, 3> block = {1, 1, 1};
    for (int& each : block) {
      const ptx_token& number = take();
      constexpr std::uint64_t most_threads = 1024;
      if (number.kind != ptx_kind::number || number.value < 1 || number.value > most_threads)
        throw ptx_error(number.line,
                        "'" + std::string(number.text) + "' after " + std::string(directive),
                        "write one to three numbers from 1 to 1024");
      each = static_cast<int>(number.value);
      if (!take_if(",")) break;
    }
    return block;
  }

  void read_function() {
    ptx_function& made = made_.functions.emplace_back();
    made.is_entry = take().is(".entry");
    made.line = here().line;
    made.scopes.emplace_back();
    // .attribute(.unified(..)) and .noreturn may come before the name
    if (!made.is_entry) read_parameters(made, made.results);
    made.name = name();
    read_parameters(made, made.parameters);
    while (!here().is("{") && !here().is(";")) {
      if (here().kind == ptx_kind::end) unexpected("the body of a function");
      const std::string_view directive = take().text;
      if (directive == ".reqntid") made.required_block = read_sizes(directive);
      if (directive == ".reqnctapercluster") made.required_cluster = read_sizes(directive);
      if (directive != ".maxntid") continue;
      const auto [x, y, z] = read_sizes(directive);
      made.most_threads = std::min(x * y * z, 1024);
    }
    where_ = {};
    calls_.clear();
    if (!take_if(";")) {
      made.has_body = true;
      read_block(made, 0);
    }
    const auto [found, is_new] = made_.function.emplace(made.name, &made);
    if (!is_new && made.has_body) found->second = &made;
  }

  void read_block(ptx_function& to, int first_scope) {
    expect("{");
    std::vector<int> open = {first_scope};
    while (!open.empty()) {
      const int scope = open.back();
      if (here().kind == ptx_kind::end) unexpected("`}`");
      if (take_if("}")) {
        open.pop_back();
      } else if (take_if("{")) {
        open.push_back(static_cast<int>(to.scopes.size()));
        to.scopes.push_back({scope, {}, {}, {}, {}});
      } else if (!take_if(";")) {
        read_statement(to, scope);
      }
    }
  }

  void read_statement(ptx_function& to, int scope) {
    const ptx_token first = here();
    if (first.kind == ptx_kind::word && here(1).is(":")) {
      (void)take();
      (void)take();
      if (here().is(".branchtargets") || here().is(".calltargets")) {
        (void)take();
        auto& targets = to.scopes[static_cast<std::size_t>(scope)].targets[first.text];
        do targets.push_back(name());
        while (take_if(","));
        expect(";");
      } else if (here().is(".callprototype")) {
        skip_statement();
      } else {
        ptx_statement label;
        label.label = first.text;
        label.scope = scope;
        label.line = first.line;
        to.statements.push_back(std::move(label));
      }
    } else if (first.is(".loc")) {
      read_place();
      if (to.definition.line == 0 && where_.calls < 0 && !where_.is_moved) to.definition = where_;
    } else if (first.is(".file")) {
      read_file();
    } else if (first.is(".reg")) {
      read_registers(to.scopes[static_cast<std::size_t>(scope)]);
    } else if (first.kind == ptx_kind::word && is_space(first.text)) {
      ptx_variable& made = to.variables.emplace_back(read_variable());
      to.scopes[static_cast<std::size_t>(scope)].variables[made.name] = &made;
      expect(";");
    } else if (first.kind == ptx_kind::word && first.text.starts_with(".")) {
      skip_statement();  // .pragma "nounroll";
    } else {
      read_instruction(to, scope);
    }
  }

  void read_registers(ptx_scope& to) {
    (void)take();
    std::string_view type = name().substr(1);
    while (here().kind == ptx_kind::word && here().text.starts_with(".")) type = name().substr(1);
    const int bits = type == "pred" ? 1 : 8 * ptx_type_bytes(type);
    do {
      const std::string_view word = name();
      if (take_if("<")) {
        (void)number();
        expect(">");
        to.ranges[word] = bits;
      } else {
        to.registers[word] = bits;
      }
    } while (take_if(","));
    expect(";");
  }

  void read_instruction(ptx_function& to, int scope) {
    ptx_statement made;
    made.scope = scope;
    made.line = here().line;
    made.where = where_;
    if (take_if("@")) {
      made.guard_is_negated = take_if("!");
      made.guard = name();
    }
    made.name = name();
    made.parts = dotted_parts(made.name);
    if (made.parts.empty()) unexpected("an instruction");
    while (!here().is(";")) {
      made.operands.push_back(read_term(0));
      if (!here().is(";")) expect(",");
    }
    (void)take();
    to.statements.push_back(std::move(made));
  }

  ptx_term read_term(int depth) {
    if (depth > 8) unexpected("fewer brackets");
    ptx_term made;
    made.is_negated = take_if("!");
    const auto read_list = [&](std::string_view end, ptx_term::kind is) {
      made.is = is;
      (void)take();
      while (!take_if(end)) {
        made.parts.push_back(read_term(depth + 1));
        if (!here().is(end)) expect(",");
      }
    };
    if (here().is("{")) {
      read_list("}", ptx_term::kind::list);
    } else if (here().is("[")) {
      read_list("]", ptx_term::kind::address);
    } else if (here().is("(")) {
      read_list(")", ptx_term::kind::group);
    } else if (here().is("-") || here().kind == ptx_kind::number ||
               here().kind == ptx_kind::floating) {
      const bool is_negative = take_if("-");
      if (here().kind != ptx_kind::number && here().kind != ptx_kind::floating)
        unexpected("a number");
      made.is = here().kind == ptx_kind::number ? ptx_term::kind::number : ptx_term::kind::floating;
      made.text = here().text;
      made.value = is_negative ? 0 - take().value : take().value;
    } else {
      made.text = name();
    }
    if (take_if("+")) {
      made.offset = static_cast<long long>(number());
    } else if (here().is("-")) {
      made.offset = static_cast<long long>(number());
    } else if (take_if("|")) {
      ptx_term pair;
      pair.is = ptx_term::kind::pair;
      pair.parts = {made, read_term(depth + 1)};
      return pair;
    }
    return made;
  }

  place where_;
  std::map<std::vector<int>, std::vector<place>> calls_;  // by the innermost of them
  std::map<std::vector<int>, int> numbers_of_calls_;
  std::vector<std::uint64_t> file_numbers_;
  std::map<std::uint64_t, std::string_view> file_names_;
  ptx_module made_;
};

}  // namespace

int ptx_type_bytes(std::string_view type) {
  if (type == "b128") return 16;
  if (type == "f16x2" || type == "bf16x2" || type == "tf32") return 4;
  if (type == "bf16") return 2;
  if (type.size() < 2 || std::string_view("busf").find(type[0]) == std::string_view::npos) return 0;
  const std::string_view bits = type.substr(1);
  return bits == "8" ? 1 : bits == "16" ? 2 : bits == "32" ? 4 : bits == "64" ? 8 : 0;
}

ptx_module parse_ptx(std::string_view text) { return parser(text).all(); }

}  // namespace compiled
