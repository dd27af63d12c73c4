// SPDX-License-Identifier: MIT
// Names, types, casts and calls within expressions.
#include <algorithm>

#include "as_in_c.hpp"
#include "element_types.hpp"
#include "expression_reader.hpp"

namespace command_line {

namespace {

constexpr std::size_t most_names = 1000;

struct thread_word {
  std::string_view name;
  bm::variable which;
};
constexpr thread_word thread_words[] = {
    {"tx", bm::variable::tx},   {"ty", bm::variable::ty},     {"tz", bm::variable::tz},
    {"bx", bm::variable::bx},   {"by", bm::variable::by},     {"bz", bm::variable::bz},
    {"tid", bm::variable::tid}, {"lane", bm::variable::lane}, {"warp", bm::variable::warp}};
// Reserved names, even with a type. (An array may be called block, as in one of the CUDA
// samples.)
constexpr std::string_view keywords[] = {"for",      "if",         "else",      "define",
                                         "shared",   "__shared__", "threadIdx", "blockIdx",
                                         "blockDim", "warpSize",   "min",       "max"};

const thread_word* find_thread_word(std::string_view name) {
  for (const thread_word& one : thread_words)
    if (one.name == name) return &one;
  return nullptr;
}

bool is_keyword(std::string_view name) {
  for (const std::string_view one : keywords)
    if (one == name) return true;
  return find_element_type(name) != nullptr;
}

// Words of a type before its name.
bool is_qualifier(const token& word) {
  for (const std::string_view one : {"const", "volatile", "static", "constexpr", "register"})
    if (word.is(one)) return true;
  return false;
}

bool is_cast_word(const token& word) {
  return word.is("static_cast") || word.is("reinterpret_cast") || word.is("const_cast");
}

// Functions whose arguments are values: those of the compiler and of <cmath>, and `make_float4`.
bool is_by_value(std::string_view name) {
  constexpr std::string_view known[] = {"abs",  "fabs", "sqrt", "rsqrt", "exp",    "exp2", "log",
                                        "log2", "sin",  "cos",  "tanh",  "pow",    "fma",  "fmin",
                                        "fmax", "ceil", "floor", "round", "printf", "assert"};
  if (name.substr(0, 2) == "__" || name.substr(0, 5) == "make_") return true;
  const std::string_view without_f = name.substr(0, name.size() - (name.back() == 'f' ? 1 : 0));
  return std::any_of(std::begin(known), std::end(known),
                     [&](std::string_view one) { return one == name || one == without_f; });
}

}  // namespace

// ---- types ----

bool expression_reader::is_type_here() const {
  const token& word = here();
  if (is_qualifier(word) || word.is("unsigned") || word.is("signed") || word.is("long"))
    return true;
  return word.kind == token_kind::name && find(word.text) == nullptr &&
         find_element_type(word.text) != nullptr;
}

std::optional<expression_reader::type> expression_reader::read_type() {
  const std::size_t first = now();
  type result{{}, 4, true, {}};
  bool any = false, is_signed = false;
  for (; is_qualifier(here()); any = true)
    result.is_const = here().is("const") || here().is("constexpr") || result.is_const, (void)take();
  if (here().is("unsigned") || here().is("signed"))
    is_signed = true, result.is_unsigned = take().is("unsigned");
  const element_type* const named =
      here().kind == token_kind::name ? find_element_type(here().text) : nullptr;
  if (here().is("long")) {
    (void)take();
    if (!here().is("long"))
      throw refusal{from(first), "`long` has 8 bytes on Linux and 4 on Windows",
                    "write int or long long"};
    (void)take();
    result.is_unsigned = take_if("unsigned") || result.is_unsigned;
    (void)take_if("int");
    result.bytes = 8;
  } else if (!is_signed && here().is("auto")) {
    result.is_auto = take().is("auto");
  } else if (named != nullptr &&
             (!is_signed || here().is("char") || here().is("short") || here().is("int"))) {
    result.bytes = named->bytes;
    result.counts = named->counts;
    result.is_bool = here().is("bool");
    result.is_unsigned = result.is_unsigned || here().text[0] == 'u' || here().is("size_t");
    const bool is_short = here().is("short");
    (void)take();
    if (is_short) (void)take_if("int");
  } else if (!is_signed) {
    if (any) unexpected("a type");
    return {};
  }
  result.name = words(first);
  result.is_const = take_if("const") || result.is_const;
  result.where = from(first);
  return result;
}

program expression_reader::read_as(const type& of, const program& value) const {
  if (value.is_unknown || of.is_auto) return value;
  if (of.is_bool) return as_condition(value);
  if (!of.counts)
    return unknown_program(value.where, joined("a value of type ", of.name), "use an integer");
  return converted(value, of.number());
}

// ---- casts and sizeof ----

// After `(`: `int) a`, `float*) p`
program expression_reader::read_cast(const token& first) {
  const auto to = read_type();
  if (!to) unexpected("a type");
  bool is_pointer = false;
  while (here().is("*") || here().is("&") || here().is("const")) is_pointer = true, (void)take();
  (void)expect(")", "after the type");
  const bool is_vector = to->bytes > 8 || (!to->counts && to->name.find_first_of("234") !=
                                                              std::string::npos);
  if (is_vector && !is_pointer && is_array(here().text))
    throw refusal{first.where, joined("a loaded value that is converted to ", to->name),
                  joined("write *(", to->name, "*)&", here().text, "[..] for one wide access")};
  program result = read_unary();
  if (is_pointer) result = unknown_program(first.where, "a pointer", "use numbers");
  result = read_as(*to, result);
  result.where = {first.where.first, result.where.first + result.where.size - first.where.first};
  return result;
}

// `static_cast<int>(a)`, `int(a)`
std::optional<program> expression_reader::read_named_cast() {
  const std::size_t first = now();
  if (is_cast_word(here())) {
    (void)take();
    (void)expect("<", "and a type");
    const bool is_known = is_type_here();
    const auto to = is_known ? read_type() : std::nullopt;
    while (!here().is(">") && here().kind != token_kind::end && !here().is(";")) (void)take();
    (void)expect(">", "after the type");
    const bool is_pointer = tokens_[at_ - 2].is("*") || tokens_[at_ - 2].is("&");
    (void)expect("(", "and a value");
    const program value = read_value();
    (void)expect(")", "after the value");
    if (!to || is_pointer) return unknown_program(from(first), "a pointer", "use numbers");
    return read_as(*to, value);
  }
  if (!is_type_here() || !peek(1).is("(")) return {};
  const auto to = read_type();
  (void)expect("(", "and a value");
  const program value = read_value();
  (void)expect(")", "after the value");
  program result = to ? read_as(*to, value) : value;
  result.where = from(first);
  return result;
}

// The operand is not computed, so it loads nothing.
program expression_reader::read_sizeof() {
  const std::size_t first = now();
  (void)take();
  const bool parenthesis = take_if("(");
  long long bytes = 0;
  if (is_type_here()) {
    const auto of = read_type();
    bytes = of && !of->is_auto ? of->bytes : 0;
    if (take_if("*")) bytes = 8;
  } else if (is_array(here().text)) {
    const std::string_view name = take().text;
    int subscripts = 0;
    for (; take_if("["); ++subscripts) {
      int open = 1;
      for (; open > 0 && here().kind != token_kind::end; (void)take())
        open += here().is("[") ? 1 : here().is("]") ? -1 : 0;
    }
    bytes = bytes_of(name, subscripts);
  } else {
    (void)read_unary();
  }
  if (parenthesis) (void)expect(")", "after the operand of sizeof");
  if (bytes == 0)
    return unknown_program(from(first), "the size of something that is not known",
                           "write its bytes");
  program result = constant_program(bytes, from(first));
  result.type = size_type;
  return result;
}

// ---- names ----

program expression_reader::read_name() {
  const token first = here();
  if (const known_name* const known = find(first.text)) {
    program result = known->meaning;
    result.where = take().where;
    if (result.is_unknown) result.why.where = result.where;
    return result;
  }
  if (is_array(first.text)) {
    if (peek(1).is("[")) return read_element();
    throw refusal{first.where,
                  joined("the address of ", first.text,
                         " is used, and accesses through it are not seen"),
                  joined("write each access as ", first.text,
                         "[..], or remove the statement and describe its accesses")};
  }
  if (first.is("true") || first.is("false"))
    return constant_program(take().is("true") ? 1 : 0, first.where);
  if (first.is("sizeof")) return read_sizeof();
  if (auto cast = read_named_cast()) return *cast;
  if (is_atomic_here()) return read_element();
  (void)take();
  while (here().is("::") && peek(1).kind == token_kind::name) (void)take(), (void)take();
  const token last = tokens_[at_ - 1];
  if (first.is("threadIdx") || first.is("blockIdx") || first.is("blockDim") || first.is("gridDim"))
    return read_member(first);
  if (first.is("warpSize")) {
    reads_warp_size_ = true;
    return constant_program(lanes_, first.where);
  }
  if (const thread_word* const word = find_thread_word(first.text)) {
    reads_block_index_ =
        reads_block_index_ || (word->which >= bm::variable::bx && word->which <= bm::variable::bz);
    return variable_program(word->which, first.where, range_of_variable(word->which));
  }
  if (const std::size_t end = end_of_template(at_)) at_ = end;
  if (here().is("(") && !here().first_of_line) return read_call(last);
  note_unknown(first, here().is("[") || here().is("->"));
  return unknown_name(first);
}

// The token after `<int, 32>` before `(`; 0 if this is not one.
std::size_t expression_reader::end_of_template(std::size_t at) const {
  if (at >= tokens_.size() || !tokens_[at].is("<")) return 0;
  int open = 0;
  for (; at + 1 < tokens_.size(); ++at) {
    const token& one = tokens_[at];
    open += one.is("<") ? 1 : one.is(">") ? -1 : one.is(">>") ? -2 : 0;
    if (open <= 0) return tokens_[at + 1].is("(") ? at + 1 : 0;
    if (one.kind == token_kind::symbol && !one.is("<") && !one.is(",") && !one.is("::") &&
        !one.is("*") && !one.is(">"))
      return 0;
  }
  return 0;
}

program expression_reader::read_member(const token& of) {
  (void)expect(".", joined("and x, y or z after ", of.text));
  const token member = take();
  const int which = member.is("x") ? 0 : member.is("y") ? 1 : member.is("z") ? 2 : 3;
  if (which == 3)
    throw refusal{member.where, joined(of.text, " has no member ", member.text.substr(0, 40)),
                  "write .x, .y or .z"};
  const place where{of.where.first, member.where.first + member.where.size - of.where.first};
  if (of.is("gridDim") && grid_.x == 0)
    return unknown_program(of.where, "the name gridDim is not known",
                           "write the blocks of the launch above, `grid X Y Z`");
  if (of.is("blockDim") && block_.x == 0)
    return unknown_program(where, "blockDim before the threads of a block are known",
                           "write the line `block X Y Z` above");
  program result;
  if (of.is("blockDim")) {
    result = constant_program(which == 0 ? block_.x : which == 1 ? block_.y : block_.z, where);
  } else if (of.is("gridDim")) {
    result = constant_program(which == 0 ? grid_.x : which == 1 ? grid_.y : grid_.z, where);
  } else {
    reads_block_index_ = reads_block_index_ || of.is("blockIdx");
    const auto first = of.is("blockIdx") ? bm::variable::bx : bm::variable::tx;
    const auto variable = static_cast<bm::variable>(static_cast<int>(first) + which);
    result = variable_program(variable, where, range_of_variable(variable));
  }
  result.type = unsigned_type;
  return result;
}

bounds expression_reader::range_of_variable(bm::variable which) const {
  const bool known = block_.x != 0;
  const double x = known ? block_.x : 1024, y = known ? block_.y : 1024, z = known ? block_.z : 64;
  const double all = known ? x * y * z : 1024;
  // Without a grid the first block is counted; a grid may still follow.
  const bool follows = grid_.x == 0 && std::any_of(tokens_.begin() + static_cast<long>(at_),
                                                   tokens_.end(),
                                                   [](const token& one) { return one.is("grid"); });
  const auto blocks = [&](long long stated) {
    return follows ? two_to_31 : std::max(static_cast<double>(stated), 1.0);
  };
  const double end_of[] = {x,   y,    z, blocks(grid_.x), blocks(grid_.y), blocks(grid_.z),
                           all, 64.0, std::max(all / 32, 1.0) + 1};
  const auto at = static_cast<std::size_t>(which);
  return at < std::size(end_of) ? bounds{0, end_of[at] - 1} : bounds{};
}

// ---- calls ----

program expression_reader::read_call(const token& name) {
  const bool known = name.is("min") || name.is("max");
  if (!known) return read_arguments(name);
  (void)expect("(", joined("after ", name.text));
  program result;
  int count = 0;
  if (!here().is(")")) do {
      const program argument = read_value();
      result = count == 0 ? argument : combined(name.text, name.where, result, argument);
      ++count;
    } while (take_if(","));
  const place end = expect(")", joined("after the arguments of ", name.text));
  if (count != 2)
    throw refusal{name.where, joined(name.text, " of ", count, count == 1 ? " value" : " values"),
                  joined("write ", name.text, "(a, b)")};
  result.where = {name.where.first, end.first + end.size - name.where.first};
  return result;
}

// `sqrtf(a[tx])`: the arguments are computed, the value is not known.
program expression_reader::read_arguments(const token& name) {
  (void)expect("(", joined("after ", name.text));
  if (!is_by_value(name.text)) note_unknown(name, false);
  if (!here().is(")")) do {
      // It may take a variable by reference.
      const bool alone = here().kind == token_kind::name && (peek(1).is(",") || peek(1).is(")"));
      if (alone && !is_by_value(name.text)) {
        known_name* const passed = find(here().text);
        if (passed != nullptr && passed->kind == name_kind::index && !passed->is_const) {
          const token given = take();
          forget_value(given, joined("given to ", name.text));
          continue;
        }
      }
      (void)read_value();
    } while (take_if(","));
  (void)expect(")", joined("after the arguments of ", name.text));
  return unknown_program(name.where,
                         joined("the function ", name.text.substr(0, 40), " is not known"),
                         "use min, max and operators");
}

// ---- names ----

const known_name* expression_reader::find(std::string_view name) const {
  for (std::size_t at = names_.size(); at-- > 0;)
    if (names_[at].name == name) return &names_[at];
  return nullptr;
}
known_name* expression_reader::find(std::string_view name) {
  for (std::size_t at = names_.size(); at-- > 0;)
    if (names_[at].name == name) return &names_[at];
  return nullptr;
}

// From here on its value cannot be followed.
void expression_reader::forget_value(const token& name, const std::string& because) {
  known_name* const known = find(name.text);
  if (known == nullptr || (known->kind != name_kind::index && known->kind != name_kind::value))
    return;
  known->kind = name_kind::value;
  known->meaning = unknown_program(
      name.where,
      joined("the value of ", name.text, " is not known here: in line ",
             line_number(source_, name.where.first), " it is ", because),
      joined("compute the subscript from thread variables, loop variables and constants"));
}

std::size_t expression_reader::begin_names() {
  const std::size_t before = scope_;
  scope_ = names_.size();
  return before;
}

void expression_reader::end_names(std::size_t before) {
  names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(scope_), names_.end());
  scope_ = before;
}

void expression_reader::declare(const token& name, name_kind kind, const program& meaning,
                                bool typed) {
  require_new_name(name, typed);
  names_.push_back({name.text, kind, meaning});
}

void expression_reader::require_new_name(const token& name, bool typed) const {
  if (is_keyword(name.text))
    throw refusal{name.where, joined(name.text, " is a reserved word"), "use another name"};
  if (!typed && find_thread_word(name.text) != nullptr)
    throw refusal{name.where, joined(name.text, " is a reserved word"),
                  joined("use another name, or give it a type: int ", name.text)};
  // An inner name with a type hides an outer one, as in C.
  const bool is_here =
      std::any_of(names_.begin() + static_cast<std::ptrdiff_t>(typed ? scope_ : 0), names_.end(),
                  [&](const known_name& one) { return one.name == name.text; });
  if (is_here || (is_array(name.text) && !(typed && scope_ > 0)))
    throw refusal{name.where, joined("the name ", name.text.substr(0, 40), " is already used"),
                  "use another one"};
  if (names_.size() == most_names)
    throw refusal{name.where, joined("more than ", most_names, " names at a time"),
                  "remove those that are not used"};
}

program expression_reader::unknown_name(const token& name) const {
  nearest_word nearest(name.text);
  offer_arrays(nearest);
  for (const known_name& one : names_) nearest.offer(one.name);
  for (const thread_word& one : thread_words) nearest.offer(one.name);
  for (const std::string_view one : {"threadIdx", "blockIdx", "blockDim", "warpSize", "min", "max"})
    nearest.offer(one);
  return unknown_program(
      name.where, joined("the name ", name.text.substr(0, 40), " is not known"),
      nearest.question(joined("give its value above, define ", name.text.substr(0, 40),
                              " 1024, or use a variable of a loop around it")));
}

}  // namespace command_line
