// SPDX-License-Identifier: MIT
// Names and calls within expressions.
#include <algorithm>

#include "../element_types.hpp"
#include "../sequences.hpp"
#include "expression_reader.hpp"

namespace command_line {

namespace {

constexpr std::size_t most_names = 1000;

struct thread_word {
  std::string_view name;
  bm::variable variable;
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
  for (const thread_word& word : thread_words)
    if (word.name == name) return &word;
  return nullptr;
}

bool is_keyword(std::string_view name) {
  for (const std::string_view keyword : keywords)
    if (keyword == name) return true;
  return find_element_type(name) != nullptr;
}

}  // namespace

// ---- names ----

program expression_reader::read_name() {
  const token first = front();
  if (const known_name* const known = find(first.text)) {
    program result = known->meaning;
    result.location = take().location;
    if (known->is_memory || (known->is_pointer && (front().is("[") || front().is("->"))))
      note_unknown(first, true);
    if (result.is_unknown) result.reason.location = result.location;
    return result;
  }
  if (is_array(first.text)) {
    if (peek(1).is("[")) return read_element();
    address_is_used(first);
  }
  if (first.is("true") || first.is("false"))
    return constant_program(take().is("true") ? 1 : 0, first.location);
  if (first.is("sizeof")) return read_sizeof();
  if (auto cast = read_named_cast()) return *cast;
  if (is_atomic_here()) return read_element();
  (void)take();
  while (front().is("::") && peek(1).kind == token_kind::name) (void)take(), (void)take();
  const token last = tokens_[cursor_ - 1];
  if (first.is("threadIdx") || first.is("blockIdx") || first.is("blockDim") || first.is("gridDim"))
    return read_member(first);
  if (first.is("warpSize")) {
    reads_warp_size_ = true;
    return constant_program(lanes_, first.location);
  }
  if (const thread_word* const word = find_thread_word(first.text)) {
    reads_block_index_ = reads_block_index_ ||
                         (word->variable >= bm::variable::bx && word->variable <= bm::variable::bz);
    return variable_program(word->variable, first.location, range_of_variable(word->variable));
  }
  if (includes(macros_, first.text)) {
    is_final_ = true;  // whatever it stands for
    throw refusal{first.location, joined(first.text, " is a macro that is not read"),
                  "write what it stands for"};
  }
  if (const std::size_t end = end_of_template(cursor_)) cursor_ = end;
  if (front().is("(") && !front().first_of_line) return read_call(last);
  note_unknown(first, front().is("[") || front().is("->"));
  return unknown_name(first);
}

void expression_reader::address_is_used(const token& array) const {
  throw refusal{
      array.location,
      joined("the address of ", array.text, " is used, and accesses through it are not seen"),
      joined("write each access as ", array.text, "[..], or *(float4*)&", array.text,
             "[..] if it is wide, or remove the statement")};
}

// The token after `<int, 32>` before `(`; 0 if this is not one.
std::size_t expression_reader::end_of_template(std::size_t position) const {
  if (position >= tokens_.size() || !tokens_[position].is("<")) return 0;
  int open = 0;
  const std::size_t end = std::min(tokens_.size() - 1, position + 64);
  for (; position < end; ++position) {
    const token& word = tokens_[position];
    open += word.is("<") ? 1 : word.is(">") ? -1 : word.is(">>") ? -2 : 0;
    if (open <= 0) return tokens_[position + 1].is("(") ? position + 1 : 0;
    if (word.kind == token_kind::symbol && !word.is("<") && !word.is(",") && !word.is("::") &&
        !word.is("*") && !word.is(">"))
      return 0;
  }
  return 0;
}

program expression_reader::read_member(const token& object) {
  (void)expect(".", joined("and x, y or z after ", object.text));
  const token member = take();
  const int axis = member.is("x") ? 0 : member.is("y") ? 1 : member.is("z") ? 2 : 3;
  if (axis == 3)
    throw refusal{member.location,
                  joined(object.text, " has no member ", member.text.substr(0, 40)),
                  "write .x, .y or .z"};
  const place position{object.location.first,
                       member.location.first + member.location.size - object.location.first};
  if (object.is("gridDim") && grid_.x == 0 && is_in_kernel_) {
    is_grid_assumed_ = true;
    program assumed = constant_program(1, position);
    assumed.type = unsigned_type;
    return assumed;
  }
  if (object.is("gridDim") && grid_.x == 0)
    return unknown_program(object.location, "the name gridDim is not known",
                           "write the blocks of the launch above, `grid X Y Z`");
  if (object.is("blockDim") && block_.x == 0)
    return unknown_program(position, "blockDim before the threads of a block are known",
                           "write the line `block X Y Z` above");
  program result;
  if (object.is("blockDim")) {
    result = constant_program(axis == 0 ? block_.x : axis == 1 ? block_.y : block_.z, position);
  } else if (object.is("gridDim")) {
    result = constant_program(axis == 0 ? grid_.x : axis == 1 ? grid_.y : grid_.z, position);
  } else {
    reads_block_index_ = reads_block_index_ || object.is("blockIdx");
    const auto first = object.is("blockIdx") ? bm::variable::bx : bm::variable::tx;
    const auto variable = static_cast<bm::variable>(static_cast<int>(first) + axis);
    result = variable_program(variable, position, range_of_variable(variable));
  }
  result.type = unsigned_type;
  return result;
}

bounds expression_reader::range_of_variable(bm::variable variable) const {
  const bool known = block_.x != 0;
  const double x = known ? block_.x : 1024, y = known ? block_.y : 1024, z = known ? block_.z : 64;
  const double threads = known ? x * y * z : 1024;
  // Without a grid the first block is counted; a grid may still follow.
  const bool follows = grid_.x == 0 && has_grid_;
  const auto blocks = [&](long long stated) {
    return follows ? two_to_31 : std::max(static_cast<double>(stated), 1.0);
  };
  const double end_of[] = {x,
                           y,
                           z,
                           blocks(grid_.x),
                           blocks(grid_.y),
                           blocks(grid_.z),
                           threads,
                           64.0,
                           std::max(threads / 32, 1.0) + 1};
  const auto number = static_cast<std::size_t>(variable);
  return number < std::size(end_of) ? bounds{0, end_of[number] - 1} : bounds{};
}

bool expression_reader::is_thread_variable(std::string_view name) {
  return find_thread_word(name) != nullptr;
}

// ---- calls ----

program expression_reader::read_call(const token& name) {
  const bool known = name.is("min") || name.is("max");
  if (!known) return read_arguments(name);
  (void)expect("(", joined("after ", name.text));
  program result;
  int count = 0;
  if (!front().is(")")) do {
      const program argument = read_value();
      result = count == 0 ? argument : combined(name.text, name.location, result, argument);
      ++count;
    } while (take_if(","));
  const place end = expect(")", joined("after the arguments of ", name.text));
  if (count != 2)
    throw refusal{name.location,
                  joined(name.text, " of ", count, count == 1 ? " value" : " values"),
                  joined("write ", name.text, "(a, b)")};
  result.location = {name.location.first, end.first + end.size - name.location.first};
  return result;
}

bool expression_reader::takes_values(const token& function) const {
  return is_by_value(function.text) && !includes(own_functions_, function.text);
}

// A function that is not known may take a variable or an element by reference.
void expression_reader::read_argument(const token& function) {
  const std::size_t first = cursor();
  (void)read_value();
  if (takes_values(function)) return;
  for (const token& name : bare_names(tokens_, first, cursor())) {
    if (is_array(name.text))
      throw refusal{
          name.location,
          joined(function.text.substr(0, 40), " may read or write this element of ", name.text),
          joined("write +", name.text,
                 "[..] if its value is read once, or `load` and "
                 "`store` for what happens")};
    may_change({name, change_kind::passed}, joined("given to ", function.text.substr(0, 40)));
  }
}

// `sqrtf(a[tx])`: the arguments are computed, the value is not known.
program expression_reader::read_arguments(const token& name) {
  (void)expect("(", joined("after ", name.text));
  if (!takes_values(name)) note_unknown(name, false);
  if (!front().is(")")) do
      read_argument(name);
    while (take_if(","));
  (void)expect(")", joined("after the arguments of ", name.text));
  return unknown_program(name.location,
                         joined("the function ", name.text.substr(0, 40), " is not known"),
                         "use min, max and operators");
}

// ---- names ----

const known_name* expression_reader::find(std::string_view name) const {
  for (std::size_t index = names_.size(); index-- > 0;)
    if (names_[index].name == name) return &names_[index];
  return nullptr;
}
known_name* expression_reader::find(std::string_view name) {
  return const_cast<known_name*>(std::as_const(*this).find(name));
}

std::size_t expression_reader::begin_names() {
  const std::size_t previous = scope_;
  scope_ = names_.size();
  return previous;
}

void expression_reader::end_names(std::size_t begin) {
  names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(scope_), names_.end());
  scope_ = begin;
}

void expression_reader::declare(const token& name, name_kind kind, const program& meaning,
                                bool typed) {
  require_new_name(name, typed);
  names_.push_back({name.text, kind, meaning});
}

void expression_reader::require_new_name(const token& name, bool typed) const {
  if (is_keyword(name.text))
    throw refusal{name.location, joined(name.text, " is a reserved word"), "use another name"};
  if (!typed && find_thread_word(name.text) != nullptr)
    throw refusal{name.location, joined(name.text, " is a reserved word"),
                  joined("use another name, or give it a type: int ", name.text)};
  // An inner name with a type hides an outer one, as in C.
  const bool is_here =
      std::any_of(names_.begin() + static_cast<std::ptrdiff_t>(typed ? scope_ : 0), names_.end(),
                  [&](const known_name& known) { return known.name == name.text; });
  if (is_here || (is_array(name.text) && !(typed && scope_ > 0)))
    throw refusal{name.location, joined("the name ", name.text.substr(0, 40), " is already used"),
                  "use another one"};
  if (names_.size() == most_names)
    throw refusal{name.location, joined("more than ", most_names, " names at a time"),
                  "remove those that are not used"};
}

program expression_reader::unknown_name(const token& name) const {
  nearest_word nearest(name.text);
  offer_arrays(nearest);
  for (const known_name& known : names_) nearest.offer(known.name);
  for (const thread_word& word : thread_words) nearest.offer(word.name);
  for (const std::string_view keyword :
       {"threadIdx", "blockIdx", "blockDim", "warpSize", "min", "max"})
    nearest.offer(keyword);
  return unknown_program(
      name.location, joined("the name ", name.text.substr(0, 40), " is not known"),
      nearest.question(joined("give its value above, define ", name.text.substr(0, 40),
                              " 1024, or use a variable of a loop around it")));
}

}  // namespace command_line
