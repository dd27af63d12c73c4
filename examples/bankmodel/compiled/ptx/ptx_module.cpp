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

  ptx_module parse() {
    while (peek().kind != ptx_kind::end) read_directive();
    for (std::size_t index = 0; index < file_numbers_.size(); ++index) {
      const auto name = file_names_.find(file_numbers_[index]);
      module_.files.push_back(name != file_names_.end() ? std::string(name->second) : "");
    }
    return std::move(module_);
  }

 private:
  void skip_braces() {
    expect("{");
    for (int depth = 1; depth > 0;) {
      if (peek().kind == ptx_kind::end) unexpected("`}`");
      depth += peek().is("{") ? 1 : peek().is("}") ? -1 : 0;
      (void)take();
    }
  }
  void skip_statement() {
    while (!peek().is(";")) {
      if (peek().kind == ptx_kind::end) unexpected("`;`");
      (void)take();
    }
    (void)take();
  }

  void read_directive() {
    const std::string_view word = peek().kind == ptx_kind::word ? peek().text : "";
    if (word == ".version" || word == ".target" || word == ".address_size") {
      const int line = take().line;
      if (word == ".target" && peek().text.starts_with("sm_")) {
        const std::string_view number = peek().text.substr(3);  // of more digits: no machine's
        int machine = 0;
        if (std::from_chars(number.data(), number.data() + number.size(), machine).ec ==
            std::errc())
          module_.machine = machine;
      }
      while (peek().line == line && peek().kind != ptx_kind::end) (void)take();
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
      ptx_variable& declared = module_.variables.emplace_back(read_variable());
      module_.variable[declared.name] = &declared;
      while (take_if(",")) {
        ptx_variable& next = module_.variables.emplace_back(read_declarator(declared));
        module_.variable[next.name] = &next;
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
    if (peek().kind != ptx_kind::string) unexpected("a file's name");
    file_names_[file] = take().text;
    while (take_if(",")) (void)number();
  }

  place read_file_and_line() {
    const std::uint64_t file = number();
    const auto line = static_cast<int>(number());
    const auto column = static_cast<int>(number());
    const auto entry = std::ranges::find(file_numbers_, file);
    const auto index = entry - file_numbers_.begin();
    if (entry == file_numbers_.end()) file_numbers_.push_back(file);
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
        if (peek().kind == ptx_kind::word) (void)take();
        if (take_if("+")) (void)number();
        continue;
      }
      const place call = read_file_and_line();
      const auto known = calls_.find({call.file, call.line, call.column});
      if (known == calls_.end())
        calls.push_back(call);
      else
        append(calls, known->second);
    }
    module_.has_places = true;
    // Code that the compiler moved has no line: it is counted where the call is, or the code
    // before.
    const bool is_moved = next.line == 0;
    if (is_moved && calls.size() > 1) {
      calls.erase(calls.begin());
      next = calls.front();
    } else if (is_moved) {
      location_.is_moved = true;
      return;
    }
    constexpr std::size_t most_calls = 256;
    if (calls.size() <= most_calls) calls_[{next.file, next.line, next.column}] = calls;
    location_ = next;
    location_.is_moved = is_moved;
    if (calls.size() == 1) return;
    const auto [number, is_new] =
        numbers_of_calls_.emplace(key_of(calls), static_cast<int>(module_.calls.size()));
    if (is_new) module_.calls.push_back(std::move(calls));
    location_.calls = number->second;
  }
  static std::vector<int> key_of(const std::vector<place>& calls) {
    std::vector<int> result;
    for (const place& call : calls)
      result.insert(result.end(), {call.file, call.line, call.column});
    return result;
  }

  // ---- functions ----
  void read_parameters(ptx_function& function, std::vector<const ptx_variable*>& list) {
    if (!take_if("(")) return;
    while (!take_if(")")) {
      ptx_variable& declared = function.variables.emplace_back(read_variable());
      list.push_back(&declared);
      function.scopes[0].variables[declared.name] = &declared;
      if (!peek().is(")")) expect(",");
    }
  }

  // One to three numbers; the others are 1.
  std::array<int, 3> read_sizes(std::string_view directive) {
    std::array<int, 3> block = {1, 1, 1};
    for (int& size : block) {
      const ptx_token& number = take();
      constexpr std::uint64_t most_threads = 1024;
      if (number.kind != ptx_kind::number || number.value < 1 || number.value > most_threads)
        throw ptx_error(number.line,
                        "'" + std::string(number.text) + "' after " + std::string(directive),
                        "write one to three numbers from 1 to 1024");
      size = static_cast<int>(number.value);
      if (!take_if(",")) break;
    }
    return block;
  }

  void read_function() {
    ptx_function& function = module_.functions.emplace_back();
    function.is_entry = take().is(".entry");
    function.line = peek().line;
    function.scopes.emplace_back();
    // .attribute(.unified(..)) and .noreturn may come before the name
    if (!function.is_entry) read_parameters(function, function.results);
    function.name = name();
    read_parameters(function, function.parameters);
    while (!peek().is("{") && !peek().is(";")) {
      if (peek().kind == ptx_kind::end) unexpected("the body of a function");
      const std::string_view directive = take().text;
      if (directive == ".reqntid") function.required_block = read_sizes(directive);
      if (directive == ".reqnctapercluster") function.required_cluster = read_sizes(directive);
      if (directive != ".maxntid") continue;
      const auto [x, y, z] = read_sizes(directive);
      function.most_threads = std::min(x * y * z, 1024);
    }
    location_ = {};
    calls_.clear();
    if (!take_if(";")) {
      function.has_body = true;
      read_block(function, 0);
    }
    const auto [entry, is_new] = module_.function.emplace(function.name, &function);
    if (!is_new && function.has_body) entry->second = &function;
  }

  void read_block(ptx_function& function, int first_scope) {
    expect("{");
    std::vector<int> open = {first_scope};
    while (!open.empty()) {
      const int scope = open.back();
      if (peek().kind == ptx_kind::end) unexpected("`}`");
      if (take_if("}")) {
        open.pop_back();
      } else if (take_if("{")) {
        open.push_back(static_cast<int>(function.scopes.size()));
        function.scopes.push_back({scope, {}, {}, {}, {}});
      } else if (!take_if(";")) {
        read_statement(function, scope);
      }
    }
  }

  void read_statement(ptx_function& function, int scope) {
    const ptx_token first = peek();
    if (first.kind == ptx_kind::word && peek(1).is(":")) {
      (void)take();
      (void)take();
      if (peek().is(".branchtargets") || peek().is(".calltargets")) {
        (void)take();
        auto& targets = function.scopes[slot(scope)].targets[first.text];
        do targets.push_back(name());
        while (take_if(","));
        expect(";");
      } else if (peek().is(".callprototype")) {
        skip_statement();
      } else {
        ptx_statement label;
        label.label = first.text;
        label.scope = scope;
        label.line = first.line;
        function.statements.push_back(std::move(label));
      }
    } else if (first.is(".loc")) {
      read_place();
      if (function.definition.line == 0 && location_.calls < 0 && !location_.is_moved)
        function.definition = location_;
    } else if (first.is(".file")) {
      read_file();
    } else if (first.is(".reg")) {
      read_registers(function.scopes[slot(scope)]);
    } else if (first.kind == ptx_kind::word && is_space(first.text)) {
      ptx_variable& declared = function.variables.emplace_back(read_variable());
      function.scopes[slot(scope)].variables[declared.name] = &declared;
      expect(";");
    } else if (first.kind == ptx_kind::word && first.text.starts_with(".")) {
      skip_statement();  // .pragma "nounroll";
    } else {
      read_instruction(function, scope);
    }
  }

  void read_registers(ptx_scope& scope) {
    (void)take();
    std::string_view type = name().substr(1);
    while (peek().kind == ptx_kind::word && peek().text.starts_with(".")) type = name().substr(1);
    const int bits = type == "pred" ? 1 : 8 * ptx_type_bytes(type);
    do {
      const std::string_view word = name();
      if (take_if("<")) {
        (void)number();
        expect(">");
        scope.ranges[word] = bits;
      } else {
        scope.registers[word] = bits;
      }
    } while (take_if(","));
    expect(";");
  }

  void read_instruction(ptx_function& function, int scope) {
    ptx_statement statement;
    statement.scope = scope;
    statement.line = peek().line;
    statement.location = location_;
    if (take_if("@")) {
      statement.guard_is_negated = take_if("!");
      statement.guard = name();
    }
    statement.name = name();
    statement.parts = dotted_parts(statement.name);
    if (statement.parts.empty()) unexpected("an instruction");
    while (!peek().is(";")) {
      statement.operands.push_back(read_term(0));
      if (!peek().is(";")) expect(",");
    }
    (void)take();
    function.statements.push_back(std::move(statement));
  }

  ptx_term read_term(int depth) {
    if (depth > 8) unexpected("fewer brackets");
    ptx_term term;
    term.is_negated = take_if("!");
    const auto read_list = [&](std::string_view end, ptx_term::kind is) {
      term.is = is;
      (void)take();
      while (!take_if(end)) {
        term.parts.push_back(read_term(depth + 1));
        if (!peek().is(end)) expect(",");
      }
    };
    if (peek().is("{")) {
      read_list("}", ptx_term::kind::list);
    } else if (peek().is("[")) {
      read_list("]", ptx_term::kind::address);
    } else if (peek().is("(")) {
      read_list(")", ptx_term::kind::group);
    } else if (peek().is("-") || peek().kind == ptx_kind::number ||
               peek().kind == ptx_kind::floating) {
      const bool is_negative = take_if("-");
      if (peek().kind != ptx_kind::number && peek().kind != ptx_kind::floating)
        unexpected("a number");
      term.is = peek().kind == ptx_kind::number ? ptx_term::kind::number : ptx_term::kind::floating;
      term.text = peek().text;
      term.value = is_negative ? 0 - take().value : take().value;
    } else {
      term.text = name();
    }
    if (take_if("+")) {
      term.offset = static_cast<long long>(number());
    } else if (peek().is("-")) {
      term.offset = static_cast<long long>(number());
    } else if (take_if("|")) {
      ptx_term pair;
      pair.is = ptx_term::kind::pair;
      pair.parts = {term, read_term(depth + 1)};
      return pair;
    }
    return term;
  }

  place location_;
  std::map<std::vector<int>, std::vector<place>> calls_;  // by the innermost of them
  std::map<std::vector<int>, int> numbers_of_calls_;
  std::vector<std::uint64_t> file_numbers_;
  std::map<std::uint64_t, std::string_view> file_names_;
  ptx_module module_;
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

ptx_module parse_ptx(std::string_view text) { return parser(text).parse(); }

}  // namespace compiled
