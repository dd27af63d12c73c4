// SPDX-License-Identifier: MIT
// The lines that describe the launch: machine, block, grid and define.
#include <algorithm>

#include "declaration_reader.hpp"
#include "kernel_heads.hpp"

#include "../known_machines.hpp"

namespace command_line {

namespace {

// and 1024 threads, on every known machine
constexpr bm::block_dim largest_block{1024, 1024, 64};
constexpr long long most_threads = 1024;
// of a launch since compute capability 3.0
constexpr bm::grid_dim largest_grid{2147483647, 65535, 65535};

bool is_in_parentheses(std::string_view text) {
  if (text.empty() || text[0] != '(') return false;
  int open = 0;
  for (std::size_t position = 0; position < text.size(); ++position) {
    open += text[position] == '(' ? 1 : text[position] == ')' ? -1 : 0;
    if (open == 0) return position + 1 == text.size();
  }
  return false;
}

// 0 is the first axis: "x".
std::string axis_name(int number) { return std::string(1, static_cast<char>('x' + number)); }

void require_extent(const place& position, const char* subject, long long extent, int axis,
                    long long limit) {
  if (extent < 1 || extent > limit)
    throw refusal{position,
                  joined("a ", subject, " of ", extent,
                         std::string_view(subject) == "block" ? " threads" : " blocks", " along ",
                         axis_name(axis)),
                  joined("use 1 to ", limit)};
}

void require_threads(const place& position, long long threads) {
  if (threads > most_threads)
    throw refusal{position, joined("a block of ", threads, " threads"),
                  joined("use at most ", most_threads)};
}

}  // namespace

declaration_reader::declaration_reader(const source& input, const reading& options)
    : loop_reader(input, options.lanes), options_(options) {
  take_given_values();
}

void declaration_reader::take_given_values() {
  const launch_values& values = options_.values;
  if (values.block) {
    const bm::block_dim& block = *values.block;
    require_extent({}, "block", block.z, 2, largest_block.z);
    require_threads({}, 1ll * block.x * block.y * block.z);
    block_ = block;
  }
  if (values.grid) {
    require_extent({}, "grid", values.grid->y, 1, largest_grid.y);
    require_extent({}, "grid", values.grid->z, 2, largest_grid.z);
    grid_ = *values.grid;
  }
  for (const auto& [name, number] : values.numbers) {
    const token* use = nullptr;
    bool is_defined = false;
    nearest_word nearest(name);
    for (std::size_t position = 0; position < tokens_.size(); ++position) {
      const token& word = tokens_[position];
      if (word.kind != token_kind::name) continue;
      nearest.offer(word.text);
      if (word.text != name) continue;
      if (use == nullptr) use = &word;
      is_defined = is_defined || (position > 0 && tokens_[position - 1].is("define"));
    }
    if (use == nullptr && values.has_others) continue;
    if (use == nullptr)
      throw input_error(
          joined("--arg gives ", name.substr(0, 40), ", and the file has no such name"),
          nearest.question("leave it out"));
    if (!is_defined && !is_argument(name))
      declare(*use, name_kind::constant, constant_program(number, use->location), false);
  }
}

// Of the kernel that is read: it is declared with it.
bool declaration_reader::is_argument(const std::string& name) const {
  for (const kernel_head& head : kernel_heads(tokens_)) {
    if (!options_.values.kernel.empty() && head.name.text != options_.values.kernel) continue;
    for (const kernel_parameter& parameter : head.parameters)
      if (parameter.name.text == name) return true;
  }
  return false;
}

void declaration_reader::read_directive() {
  const token keyword = take();
  if (conditional_depth_ > 0)
    throw refusal{keyword.location, joined("`", keyword.text, "` within a loop or a condition"),
                  "write it above"};
  read_one_line(true);
  if (keyword.is("machine"))
    read_machine();
  else if (keyword.is("block"))
    read_threads(keyword);
  else if (keyword.is("grid"))
    read_grid(keyword);
  else
    read_define(keyword);
  (void)take_if(";");
  if (front().kind != token_kind::end)
    unexpected(joined("nothing more after this `", keyword.text, "`"));
  read_one_line(false);
}

void declaration_reader::read_machine() {
  do {
    if (front().kind == token_kind::end || front().is(";")) unexpected("a machine, such as sm_90");
    const token name = take();
    file_.machines.push_back(machine_of(name.text, name.location));
  } while (take_if(",") || (front().kind != token_kind::end && !front().is(";")));
}

void declaration_reader::read_threads(const token& keyword) {
  if (has_block_line_)
    throw refusal{keyword.location, "a second `block`", "describe one kernel in a file"};
  has_block_line_ = true;
  int extent[3] = {1, 1, 1};
  const std::size_t first = cursor();
  for (int axis = 0; axis < 3; ++axis) {
    if (axis > 0 && (front().kind == token_kind::end || front().is(";"))) break;
    const program value = read_product();
    const auto threads = value.constant();
    if (!threads)
      throw refusal{value.location, "the threads of a block must be constants",
                    "use numbers and names from define"};
    const int limit = axis == 0 ? largest_block.x : axis == 1 ? largest_block.y : largest_block.z;
    require_extent(value.location, "block", *threads, axis, limit);
    extent[axis] = static_cast<int>(*threads);
    (void)take_if(",");
  }
  const long long total = 1ll * extent[0] * extent[1] * extent[2];
  require_threads(span(first), total);
  if (!options_.values.block) block_ = {extent[0], extent[1], extent[2]};
}

// `grid 32 32`, or `grid 32 x 32`
void declaration_reader::read_grid(const token& keyword) {
  if (has_grid_line_)
    throw refusal{keyword.location, "a second `grid`", "describe one launch in a file"};
  has_grid_line_ = true;
  long long extent[3] = {1, 1, 1};
  const long long limits[3] = {largest_grid.x, largest_grid.y, largest_grid.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (axis > 0 && (front().kind == token_kind::end || front().is(";"))) break;
    const program value = read_product();
    const auto blocks = value.constant();
    if (!blocks)
      throw refusal{value.location, "the blocks of a grid must be constants",
                    "use numbers and names from define"};
    require_extent(value.location, "grid", *blocks, axis, limits[axis]);
    extent[axis] = *blocks;
    if (!take_if(",") && front().is("x") && find("x") == nullptr) (void)take();
  }
  if (!options_.values.grid) grid_ = {extent[0], extent[1], extent[2]};
}

void declaration_reader::read_define(const token& keyword) {
  const token name = front();
  if (name.kind != token_kind::name) unexpected("the name of a constant");
  (void)take();
  // With # or ##, which is not followed.
  if (front().is("(") && front().location.first == name.location.first + name.location.size) {
    macros_.push_back(name.text);
    while (front().kind != token_kind::end) (void)take();
    return;
  }
  if (front().kind == token_kind::end) unexpected(joined("the value of ", name.text));
  const std::size_t first = cursor();
  program value = read_number();
  const bool is_changing =
      std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(first),
                  tokens_.begin() + static_cast<std::ptrdiff_t>(cursor()), is_assigning);
  if (is_changing || !value.constant())
    throw refusal{value.location, joined("the value of ", name.text, " must be a constant"),
                  "use numbers and names from define"};
  const bool pasted = keyword.location.size == 7,
             single = cursor() - first == 1 ||
                      (cursor() - first == 2 && value.nodes.size() == 1 && words(first)[0] == '-');
  if (pasted && !single && !is_in_parentheses(words(first)))
    throw refusal{value.location,
                  joined("C inserts ", name.text, " textually into the surrounding expression"),
                  "put parentheses around its value"};
  const auto argument = options_.values.numbers.find(std::string(name.text));
  if (argument != options_.values.numbers.end())
    value = constant_program(argument->second, value.location);
  declare(name, name_kind::constant, value, false);
}

}  // namespace command_line
