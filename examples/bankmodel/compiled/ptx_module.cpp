// SPDX-License-Identifier: MIT
#include "ptx_module.hpp"

#include <algorithm>

#include "ptx_token.hpp"

namespace compiled {

namespace {

ptx_space space_of(std::string_view word) {
  if (word == ".shared") return ptx_space::shared;
  if (word == ".const") return ptx_space::constant;
  if (word == ".local") return ptx_space::local;
  if (word == ".param") return ptx_space::parameter;
  if (word == ".reg") return ptx_space::reg;
  return ptx_space::global;
}
bool is_space(std::string_view word) {
  return space_of(word) != ptx_space::global || word == ".global";
}

class parser {
 public:
  explicit parser(std::string_view text) : tokens_(ptx_tokens(text)) {}

  ptx_module all() {
    while (here().kind != ptx_kind::end) read_directive();
    for (std::size_t at = 0; at < file_numbers_.size(); ++at) {
      const auto name = file_names_.find(file_numbers_[at]);
      made_.files.push_back(name != file_names_.end() ? std::string(name->second) : "");
    }
    return std::move(made_);
  }

 private:
  const ptx_token& here(std::size_t ahead = 0) const {
    return tokens_[std::min(now_ + ahead, tokens_.size() - 1)];
  }
  const ptx_token& take() {
    const ptx_token& result = here();
    if (now_ + 1 < tokens_.size()) ++now_;
    return result;
  }
  bool take_if(std::string_view what) {
    if (!here().is(what)) return false;
    (void)take();
    return true;
  }
  void expect(std::string_view what) {
    if (!take_if(what)) unexpected("`" + std::string(what) + "`");
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    const std::string found = here().kind == ptx_kind::end
                                  ? "the end"
                                  : "`" + std::string(here().text.substr(0, 40)) + "`";
    throw ptx_error(here().line, found + " in place of " + wanted,
                    "give PTX text as nvcc -ptx writes it");
  }
  std::string_view name() {
    if (here().kind != ptx_kind::word) unexpected("a name");
    return take().text;
  }
  std::uint64_t number() {
    const bool is_negative = take_if("-");
    if (here().kind != ptx_kind::number) unexpected("a number");
    const std::uint64_t value = take().value;
    return is_negative ? 0 - value : value;
  }
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
      while (here().line == line && here().kind != ptx_kind::end) (void)take();
    } else if (word == ".file") {
      read_file();
    } else if (word == ".section") {
      (void)take();
      (void)take();
      skip_braces();
    } else if (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") {
      is_extern_ = word == ".extern";
      (void)take();
      return;
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
    is_extern_ = false;
  }

  void read_file() {
    (void)take();
    const std::uint64_t file = number();
    if (here().kind != ptx_kind::string) unexpected("a file's name");
    file_names_[file] = take().text;
    while (take_if(",")) (void)number();
  }

  void read_place() {
    (void)take();
    const std::uint64_t file = number();
    const auto line = static_cast<int>(number());
    const auto column = static_cast<int>(number());
    while (take_if(",")) {
      (void)name();  // function_name LABEL+1, inlined_at 1 23 3
      if (here().kind == ptx_kind::word) (void)take();
      if (take_if("+")) (void)number();
      while (here().kind == ptx_kind::number) (void)take();
    }
    made_.has_places = true;
    if (line == 0) return;  // the compiler's own: it belongs to what is around it
    const auto found = std::find(file_numbers_.begin(), file_numbers_.end(), file);
    const auto index = found - file_numbers_.begin();
    if (found == file_numbers_.end()) file_numbers_.push_back(file);
    where_ = {static_cast<int>(index), line, column};
  }

  // ---- variables ----
  ptx_variable read_variable() {
    ptx_variable made;
    made.space = space_of(name());
    made.line = here().line;
    int vector = 1;
    for (bool has_type = false; !has_type;) {
      const std::string_view word = name();
      const std::string_view type = word.substr(word.empty() ? 0 : 1);
      if (word == ".align") {
        made.alignment = static_cast<int>(std::clamp<std::uint64_t>(number(), 1, 1 << 20));
        made_alignment_ = true;
      } else if (word == ".ptr") {
        made.is_pointer = true;
      } else if (word == ".attribute") {
        expect("(");
        while (!take_if(")")) {
          if (here().kind == ptx_kind::end) unexpected("`)`");
          (void)take();
        }
      } else if (word == ".v2" || word == ".v4" || word == ".v8") {
        vector = word[2] - '0';
      } else if (ptx_type_bytes(type) > 0 || type == "pred" || type == "texref" ||
                 type == "samplerref" || type == "surfref") {
        made.type = type;
        made.element_bytes = std::max(1, ptx_type_bytes(type)) * vector;
        if (!made_alignment_) made.alignment = made.element_bytes;
        has_type = true;
      } else {
        unexpected("a type");
      }
    }
    made_alignment_ = false;
    // .param .u64 .ptr .global .align 4 name
    while (here().kind == ptx_kind::word && here().text.starts_with(".")) {
      const std::string_view word = take().text;
      if (word == ".ptr") made.is_pointer = true;
      if (word == ".align") (void)number();
    }
    return read_declarator(std::move(made));
  }

  // name, name[4][8], name[] = {..}
  ptx_variable read_declarator(ptx_variable made) {
    made.content.clear();
    made.is_unsized = false;
    made.name = name();
    made.bytes = static_cast<std::uint64_t>(made.element_bytes);
    while (take_if("[")) {
      made.is_unsized = made.is_unsized || here().is("]");
      if (!here().is("]")) {
        const std::uint64_t extent = number();
        if (extent > (std::uint64_t{1} << 40)) unexpected("an extent below 2^40");
        made.bytes *= extent;
      }
      expect("]");
    }
    if (made.is_unsized) made.bytes = 0;
    if (take_if("=")) read_content(made);
    return made;
  }

  void read_content(ptx_variable& made) {
    bool is_known = true;
    int depth = 0;
    do {
      if (here().kind == ptx_kind::end) unexpected("`}`");
      if (here().is("{")) {
        ++depth;
        (void)take();
      } else if (here().is("}")) {
        --depth;
        (void)take();
      } else if (!take_if(",")) {
        is_known = read_element(made) && is_known;
      }
    } while (depth > 0);
    if (!is_known || made.content.size() > made.bytes) {
      made.content.clear();
      return;
    }
    if (made.bytes <= (1u << 28)) made.content.resize(made.bytes);
  }

  // False if it is an address, of a variable or a function.
  bool read_element(ptx_variable& made) {
    const bool is_negative = take_if("-");
    const ptx_token one = take();
    while (here().is("+") || here().is("(") || here().is(")") || here().kind == ptx_kind::word)
      (void)take();  // generic(name)+4
    if (one.kind != ptx_kind::number && one.kind != ptx_kind::floating) return false;
    const std::uint64_t value = is_negative ? 0 - one.value : one.value;
    for (int byte = 0; byte < made.element_bytes; ++byte)
      made.content.push_back(static_cast<std::uint8_t>(byte < 8 ? value >> (8 * byte) : 0));
    return true;
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
      (void)take();  // .maxntid 256, 1, 1
    }
    where_ = {};
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

  std::vector<ptx_token> tokens_;
  std::size_t now_ = 0;
  bool is_extern_ = false, made_alignment_ = false;
  place where_;
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
