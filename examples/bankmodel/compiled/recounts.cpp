// SPDX-License-Identifier: MIT
#include "recounts.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include "../processors.hpp"
#include "chosen_kernels.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

using line_of_file = std::pair<std::string, int>;
using code_pointer = std::shared_ptr<const code_of_file>;

question question_about(const question& asked, const changed_texts& changed,
                        std::uint64_t dynamic_bytes = 0) {
  question result = asked;
  set_texts(changed, result);
  result.kernels.clear();
  result.plan = false;
  result.limits = {};
  result.is_recount = true;
  result.tell = {};
  if (dynamic_bytes > 0) result.dynamic_shared_bytes = static_cast<long long>(dynamic_bytes);
  return result;
}

std::size_t error_count(const std::string& diagnostics) {
  constexpr std::string_view mark = ": error: ";
  std::size_t result = 0;
  for (std::size_t place = diagnostics.find(mark); place != diagnostics.npos;
       place = diagnostics.find(mark, place + mark.size()))
    ++result;
  return result;
}

// Returns the first kernel that compiles without a change and does not compile with it; a null
// pointer if there is none.
const unread_kernel* newly_unread(const code_of_file& changed, const code_of_file& previous) {
  for (const unread_kernel& kernel : changed.unread)
    if (std::none_of(previous.unread.begin(), previous.unread.end(),
                     [&](const unread_kernel& known) { return known.name == kernel.name; }))
      return &kernel;
  return nullptr;
}

// Kernels that do not compile without a change either: whether they have code that it changes.
enum class unread_kernels : bool { may_be_changed, are_as_before };

// Error (refusal): a kernel that may be changed does not compile, or the file has more errors than
// before.
code_pointer code_with(const changed_texts& changed, const std::vector<planned_kernel>& kernels,
                       unread_kernels unread) {
  question asked = question_about(*kernels.front().asked, changed);
  for (const planned_kernel& kernel : kernels)
    asked.kernels.push_back(kernel.counted->kernel->linkage);
  auto result = std::make_shared<const code_of_file>(read_code(asked));
  const code_of_file& previous = *kernels.front().counted->code;
  const unread_kernel* kernel = result->unread.empty() ? nullptr : &result->unread[0];
  if (unread == unread_kernels::are_as_before) kernel = newly_unread(*result, previous);
  if (kernel != nullptr)
    throw does_not_compile(joined("the kernel ", kernel->name), kernel->reason,
                           result->missing_headers);
  if (error_count(result->errors) > error_count(previous.errors))
    throw does_not_compile("the file", result->errors, result->missing_headers);
  return result;
}

std::vector<std::unique_ptr<counted_kernel>> counted_in_code(
    const code_pointer& code, const std::vector<planned_kernel>& kernels,
    const changed_texts& changed, std::uint64_t dynamic_bytes) {
  std::vector<std::unique_ptr<counted_kernel>> result;
  for (const planned_kernel& kernel : kernels) {
    question asked = question_about(*kernel.asked, changed, dynamic_bytes);
    asked.kernels = {kernel.counted->kernel->linkage};
    asked.previous_run = run_of(*kernel.counted);
    result.push_back(counted_in(asked, code, chosen_kernel(*code, asked)));
  }
  return result;
}

// Debug information and Clang may write the same folder differently.
line_of_file line_in(const std::string& file, int line) {
  return {std::filesystem::path(file).filename().string(), line};
}

// Returns the lines that the code of a kernel has, inlined code included.
std::set<line_of_file> lines_of(const kernel_code& kernel) {
  std::set<line_of_file> result;
  const auto add = [&](const place& position) {
    if (position.file >= 0 && position.line > 0)
      result.insert(line_in(kernel.files[static_cast<std::size_t>(position.file)], position.line));
  };
  for (const code_block& block : kernel.blocks)
    for (const instruction& step : block.instructions) add(step.location);
  for (const code_array& array : kernel.shared) add(array.location);
  return result;
}

// What changes that are read together have.
struct batch {
  std::string file;
  bool is_local = true;
  std::set<std::string> kernels;               // by linkage
  std::set<line_of_file> lines, edited_lines;  // of the kernels, and of the edits
};

bool have_common(const auto& some, const auto& other) {
  return std::any_of(some.begin(), some.end(),
                     [&](const auto& element) { return other.count(element) != 0; });
}

batch batch_of(const source_change& change) {
  batch result;
  result.file = change.kernels.front().asked->file;
  result.is_local = change.is_local;
  for (const planned_kernel& kernel : change.kernels) {
    result.kernels.insert(kernel.counted->kernel->linkage);
    result.lines.merge(lines_of(*kernel.counted->kernel));
  }
  for (const text_edit& edit : change.edits)
    for (int line = edit.piece.line; line <= std::max(edit.piece.line, edit.piece.end_line); ++line)
      result.edited_lines.insert(line_in(edit.piece.file, line));
  return result;
}

bool can_be_together(const batch& some, const batch& other) {
  return some.is_local && other.is_local && some.file == other.file &&
         !have_common(some.kernels, other.kernels) &&
         !have_common(some.lines, other.edited_lines) &&
         !have_common(other.lines, some.edited_lines) &&
         !have_common(some.edited_lines, other.edited_lines);
}

// Returns what `count` makes, or the error that it ends with.
template <class Count>
recount recount_or_error(const Count& count) {
  recount result;
  try {
    result.kernels = count();
  } catch (const refusal& reason) {
    result.error = reason.wrong;
  } catch (const bm::error& failure) {
    result.error = joined("it cannot be counted: ", failure.what());
  }
  return result;
}

// No other kernel can name an array that is declared in a kernel, or has code of its body.
unread_kernels unread_kernels_after(const source_change& change) {
  return change.is_local ? unread_kernels::are_as_before : unread_kernels::may_be_changed;
}

// If the text does not compile with all of these changes, it is halved until it does.
void count_batch(const std::vector<source_change>& changes, const std::vector<std::size_t>& numbers,
                 const recount_taker& take) {
  std::vector<planned_kernel> kernels;
  std::vector<text_edit> edits;
  unread_kernels unread = unread_kernels::are_as_before;
  for (const std::size_t number : numbers) {
    const source_change& change = changes[number];
    unread = std::min(unread, unread_kernels_after(change));
    kernels.insert(kernels.end(), change.kernels.begin(), change.kernels.end());
    edits.insert(edits.end(), change.edits.begin(), change.edits.end());
  }
  const changed_texts changed = texts_with(*kernels.front().asked, edits);
  code_pointer code;
  const recount read = recount_or_error([&] {
    code = code_with(changed, kernels, unread);
    return std::vector<std::unique_ptr<counted_kernel>>();
  });
  if (read.error.empty()) {
    command_line::do_parts(numbers.size(), [&](std::size_t part) {
      const source_change& change = changes[numbers[part]];
      take(numbers[part], recount_or_error([&] {
             return counted_in_code(code, change.kernels, changed, change.dynamic_bytes);
           }));
    });
  } else if (numbers.size() == 1) {
    take(numbers.front(), read);
  } else {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    count_batch(changes, {numbers.begin(), middle}, take);
    count_batch(changes, {middle, numbers.end()}, take);
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> read_together(const std::vector<source_change>& changes) {
  std::vector<batch> batches;
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t number = 0; number < changes.size(); ++number) {
    batch added = batch_of(changes[number]);
    const auto match = std::find_if(batches.begin(), batches.end(), [&](const batch& other) {
      return can_be_together(other, added);
    });
    if (match == batches.end()) {
      batches.push_back(std::move(added));
      result.push_back({number});
      continue;
    }
    result[static_cast<std::size_t>(match - batches.begin())].push_back(number);
    match->kernels.merge(added.kernels);
    match->lines.merge(added.lines);
    match->edited_lines.merge(added.edited_lines);
  }
  return result;
}

void count_changes(const std::vector<source_change>& changes, const recount_taker& take) {
  const std::vector<std::vector<std::size_t>> batches = read_together(changes);
  command_line::do_parts(batches.size(),
                         [&](std::size_t number) { count_batch(changes, batches[number], take); });
}

std::vector<std::unique_ptr<counted_kernel>> counted_again(
    const std::vector<planned_kernel>& kernels, const changed_texts& changed) {
  // Changes of code that unread kernels may have were refused when each change was counted.
  const code_pointer code = code_with(changed, kernels, unread_kernels::are_as_before);
  return counted_in_code(code, kernels, changed, 0);
}

}  // namespace compiled
