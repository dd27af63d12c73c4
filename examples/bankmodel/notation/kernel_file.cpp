// SPDX-License-Identifier: MIT
#include "kernel_file.hpp"

#include <algorithm>

#include "../table.hpp"
#include "statement_reader.hpp"

namespace command_line {

kernel_file statement_reader::run() {
  for (std::size_t position = 0; position + 1 < tokens_.size(); ++position) {
    if (tokens_[position].is("goto"))
      throw refusal{tokens_[position].location, "`goto` leaves open which statements are executed",
                    "write `if`, `else` and `for`"};
    const function_head head = tokens_[position].kind == token_kind::name
                                   ? function_at(tokens_, position)
                                   : function_head{};
    if (head.name == 0) continue;
    own_functions_.push_back(tokens_[head.name].text);
    const bool is_passed_over = head.body == 0 || is_other_kernel(position, head);
    position = is_passed_over ? head.end - 1 : head.body;
  }
  while (front().kind != token_kind::end) read_statement();
  const place end{source_.text.size(), 0};
  if (!options_.values.kernel.empty() && !has_kernel_)
    throw refusal{end, joined("there is no kernel ", options_.values.kernel.substr(0, 40)),
                  "use a name that follows __global__ void"};
  if (block_.x == 0)
    throw refusal{end, "the number of threads of a block is missing",
                  "write a line such as `block 32 8`"};
  if (file_.accesses.empty())
    throw refusal{end, "there is no access to shared or global memory",
                  "write lines such as `load tile[ty][tx]`"};
  file_.block = block_;
  file_.skipped.pointers = options_.not_counted;
  const auto is_dynamic = [](const kernel_array& array) { return array.is_dynamic; };
  if (options_.dynamic_bytes == 0 && std::ranges::any_of(file_.arrays, is_dynamic))
    file_.assumed.insert(file_.assumed.begin(),
                         {"dynamic bytes", std::to_string(options_.assumed_dynamic_bytes)});
  if (is_grid_assumed_) file_.assumed.insert(file_.assumed.begin(), {"grid", "1"});
  if (options_.is_block_assumed)
    file_.assumed.insert(file_.assumed.begin(), {"block", option_text(block_)});
  if (grid_.x != 0) file_.grid = grid_;
  file_.reads_block_index = reads_block_index_;
  file_.reads_warp_size = reads_warp_size_;
  return std::move(file_);
}

// True for a kernel that is not asked about.
bool statement_reader::is_other_kernel(std::size_t first, const function_head& head) const {
  const std::string& wanted = options_.values.kernel;
  if (wanted.empty() || tokens_[head.name].text == wanted) return false;
  return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(first),
                     tokens_.begin() + static_cast<std::ptrdiff_t>(head.name),
                     [](const token& word) { return word.is("__global__"); });
}

// The kernel's arguments are not known. Other functions are not executed here: their calls are.
bool statement_reader::read_function() {
  const std::size_t first = cursor();
  const function_head head = function_at(tokens_, first);
  const auto has = [&](std::string_view word) {
    for (std::size_t position = first; position < head.name; ++position)
      if (tokens_[position].is(word)) return true;
    return false;
  };
  const bool is_marked = has("__global__") || has("__device__") || has("__host__");
  if (head.name == 0 || (head.body == 0 && !is_marked && !has("template"))) return false;
  if (head.body == 0 || !has("__global__")) {
    if (head.body != 0) skip_function(head);
    cursor_ = head.end;
    return true;
  }
  if (is_other_kernel(first, head)) {
    cursor_ = head.end;
    return true;
  }
  if (has_kernel_)
    throw refusal{tokens_[head.name].location, joined("a second kernel, ", tokens_[head.name].text),
                  options_.values.kernel.empty()
                      ? "name one of them with --kernel, or describe one kernel in a file"
                      : "leave one of those with this name"};
  has_kernel_ = true;
  const std::size_t names = begin_names();
  for (const kernel_head& kernel : kernel_heads(tokens_))
    if (kernel.body == head.body) declare_parameters(kernel);
  hide_thread_variables(first, head.name, head.body);
  cursor_ = head.body;
  read_block();
  end_names(names);
  pointers_.clear();
  return true;
}

void statement_reader::skip_function(const function_head& head) {
  for (std::size_t position = head.body; position < head.end; ++position)
    if (is_shared_word(tokens_[position]) ||
        (is_array(tokens_[position].text) &&
         !file_.arrays[static_cast<std::size_t>(number_of(tokens_[position].text))].is_argument))
      throw refusal{tokens_[position].location,
                    joined(tokens_[head.name].text.substr(0, 40), " uses ", tokens_[position].text,
                           ", and only the accesses of the kernel are counted"),
                    "write its statements where it is called"};
}

// `__global__ void kernel(float tx)`: an argument is no thread variable.
void statement_reader::hide_thread_variables(std::size_t first, std::size_t name, std::size_t end) {
  for (std::size_t position = first; position < end; ++position) {
    const token& word = tokens_[position];
    if (position == name || word.kind != token_kind::name || !is_thread_variable(word.text) ||
        find(word.text) != nullptr || is_array(word.text))
      continue;
    declare(word, name_kind::value,
            unknown_program(word.location,
                            joined(word.text, " is an argument of the kernel, which is not known"),
                            "use another name for it, and give its value with `define`"),
            true);
  }
}

kernel_file read_kernel_file(const source& input, const reading& options) {
  if (input.text.size() > most_bytes)
    throw refusal{{most_bytes, 1},
                  joined("a kernel file of ", input.text.size(), " bytes"),
                  joined("at most ", most_bytes, " are read")};
  return statement_reader(input, options).run();
}

}  // namespace command_line
