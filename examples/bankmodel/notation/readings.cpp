// SPDX-License-Identifier: MIT
// What a kernel in C++ leaves open is assumed, and read again with other assumptions if it does not
// fit.
#include <algorithm>

#include "../sequences.hpp"
#include "candidate_blocks.hpp"
#include "kernel_file.hpp"
#include "kernel_heads.hpp"
#include "macros.hpp"
#include "statement_scan.hpp"

namespace command_line {

namespace {

// Of a kernel's arguments, and of its template's: sizes of the data, and sizes of a tile.
constexpr long long numbers_in_order[] = {1024, 128, 32, 4, 1};
constexpr long long template_numbers_in_order[] = {32, 16, 8, 64, 128, 4, 1};
struct assumed_numbers {
  long long argument = numbers_in_order[0], of_template = template_numbers_in_order[0];
};
constexpr long long most_declared_bytes = 49152;                 // of a block, without `extern`
constexpr long long dynamic_bytes_in_order[] = {49152, 232448};  // of most machines, of the largest

class open_launch {
 public:
  open_launch(const source& input, const reading& known)
      : source_(input), known_(known), tokens_(with_macros_replaced(input, tokens_of(input))) {
    const std::vector<kernel_head> heads = kernel_heads(tokens_);
    const auto is_wanted = [&](const kernel_head& head) {
      return known.values.kernel.empty() ? heads.size() == 1
                                         : head.name.text == known.values.kernel;
    };
    const auto match = std::ranges::find_if(heads, is_wanted);
    if (match != heads.end()) head_ = *match;
  }

  std::vector<reading> readings() {
    if (!head_) return {known_};
    reading with_arrays = known_;
    with_arrays.values.block = block();
    if (known_.dynamic_bytes == 0 && needs_dynamic_bytes())
      with_arrays.assumed_dynamic_bytes = dynamic_bytes_in_order[0];
    fitting_ = numbers_that_fit(with_arrays);
    choose_pointers(with_arrays);
    std::vector<reading> result;
    for (const assumed_numbers& number : fitting_)
      for (const bm::block_dim& block_shape : blocks(with_arrays))
        for (const long long bytes : dynamic_bytes()) {
          reading& candidate = result.emplace_back(known_);
          candidate.pointers = pointers_;
          candidate.not_counted = not_counted_;
          take(number, candidate);
          candidate.assumed_dynamic_bytes = bytes;
          if (has_block()) continue;
          candidate.values.block = block_shape;
          candidate.is_block_assumed = true;
        }
    return result;
  }

 private:
  bool reads(std::string_view vector, std::string_view axis) const {
    for (std::size_t position = head_->body; position + 2 < head_->end; ++position)
      if (tokens_[position].is(vector) && tokens_[position + 1].is(".") &&
          tokens_[position + 2].is(axis))
        return true;
    return false;
  }
  bool has_block() const { return known_.values.block.has_value() || has_block_line(); }
  bool has_block_line() const {
    for (std::size_t position = 0; position < head_->first; ++position)
      if (tokens_[position].is("block") && tokens_[position].first_of_line &&
          is_directive_at(tokens_, position))
        return true;
    return false;
  }
  // One to read its arrays with.
  std::optional<bm::block_dim> block() const {
    if (has_block()) return known_.values.block;
    return candidate_blocks(use()).front();
  }
  block_use use() const {
    block_use result;
    result.has_y = reads("threadIdx", "y") || reads("blockDim", "y");
    result.has_z = reads("threadIdx", "z");
    if (head_->most_threads >= 1 && head_->most_threads <= 1024)
      result.most_threads = static_cast<int>(head_->most_threads);
    return result;
  }
  std::vector<bm::block_dim> blocks(const reading& with_arrays) const {
    if (has_block()) return {bm::block_dim{}};
    block_use of_kernel = use();
    for (const kernel_array& array : arrays(with_arrays)) {
      const bm::layout& layout = array.description.layout;
      if (array.description.memory != bm::memory_space::shared) continue;
      std::vector<long long>& extents = of_kernel.extents.emplace_back();
      for (int rank = 0; rank < layout.rank; ++rank) extents.push_back(layout.extent[rank]);
    }
    return candidate_blocks(of_kernel);
  }
  std::vector<kernel_array> arrays(const reading& options) const {
    for (const assumed_numbers& number : fitting_)
      if (const auto result = arrays_with(options, number)) return *result;
    return {};
  }
  // Nothing if it cannot be read with this number.
  std::optional<std::vector<kernel_array>> arrays_with(const reading& options,
                                                       const assumed_numbers& number) const {
    try {
      reading attempt = options;
      attempt.pointers = pointers_;
      take(number, attempt);
      return read_kernel_file(source_, attempt).arrays;
    } catch (const refusal&) {
      return {};
    }
  }
  // Without those with which no compiler accepts the declared arrays, unless it is so with all.
  std::vector<assumed_numbers> numbers_that_fit(const reading& options) const {
    const std::vector<assumed_numbers> candidates = numbers();
    if (candidates.size() == 1) return candidates;
    std::vector<assumed_numbers> result;
    for (const assumed_numbers& number : candidates) {
      long long bytes = 0;
      for (const kernel_array& array :
           arrays_with(options, number).value_or(std::vector<kernel_array>{}))
        if (array.description.memory == bm::memory_space::shared && !array.is_dynamic)
          bytes += array.description.layout.required_size() * array.description.element_bytes;
      if (bytes <= most_declared_bytes) result.push_back(number);
    }
    return result.empty() ? candidates : result;
  }

  static void take(const assumed_numbers& numbers, reading& target) {
    target.assumed_number = numbers.argument;
    target.assumed_template_number = numbers.of_template;
  }
  bool has_open_number(bool is_of_template) const {
    return std::any_of(head_->parameters.begin(), head_->parameters.end(),
                       [&](const kernel_parameter& parameter) {
                         return parameter.is == kernel_parameter::kind::number &&
                                (!parameter.value || !is_of_template) &&
                                parameter.is_of_template == is_of_template &&
                                known_.values.numbers.count(std::string(parameter.name.text)) == 0;
                       });
  }
  std::vector<assumed_numbers> numbers() const {
    std::vector<assumed_numbers> result;
    for (const long long argument : numbers_in_order) {
      for (const long long of_template : template_numbers_in_order) {
        result.push_back({argument, of_template});
        if (!has_open_number(true)) break;
      }
      if (!has_open_number(false)) break;
    }
    return result;
  }
  bool needs_dynamic_bytes() const {
    return std::ranges::any_of(tokens_, [](const token& word) { return word.is("extern"); });
  }
  std::vector<long long> dynamic_bytes() const {
    if (known_.dynamic_bytes != 0 || !needs_dynamic_bytes()) return {0};
    return {std::begin(dynamic_bytes_in_order), std::end(dynamic_bytes_in_order)};
  }

  // All pointers, or those with which the kernel can be read.
  void choose_pointers(const reading& options) {
    std::vector<std::string> names;
    for (const kernel_parameter& parameter : head_->parameters)
      if (parameter.is == kernel_parameter::kind::pointer && is_used(parameter.name.text))
        names.emplace_back(parameter.name.text);
    if (!why_not(options, names)) {
      pointers_ = names;
      return;
    }
    for (const std::string& name : names)
      if (!why_not(options, extended(name))) pointers_.push_back(name);
    // Without any access the error is why there is none.
    if (pointers_.empty() && why_not(options, {})) {
      pointers_ = names;
      return;
    }
    // The reason is that beside all others.
    for (const std::string& name : names)
      if (!includes(pointers_, name))
        if (const auto reason = why_not(options, extended(name)))
          not_counted_.emplace_back(name, *reason);
  }
  bool is_used(std::string_view name) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(head_->body),
                       tokens_.begin() + static_cast<std::ptrdiff_t>(head_->end),
                       [&](const token& word) { return word.is(name); });
  }
  std::vector<std::string> extended(const std::string& pointer) const {
    std::vector<std::string> result = pointers_;
    result.push_back(pointer);
    return result;
  }
  std::optional<refusal> why_not(const reading& options,
                                 const std::vector<std::string>& pointers) const {
    std::optional<refusal> result;
    bool is_own = false;
    for (std::size_t probe = 0; probe < std::min(fitting_.size(), most_probes); ++probe) try {
        reading attempt = options;
        attempt.pointers = pointers;
        take(fitting_[probe], attempt);
        (void)read_kernel_file(source_, attempt);
        return std::nullopt;
      } catch (const refusal& error) {
        // Of a number that is wrong for another reason too it is not the pointer's.
        if (is_own || (result && !arrays_with(options, fitting_[probe]))) continue;
        result = error;
        is_own = arrays_with(options, fitting_[probe]).has_value();
      }
    return result;
  }

  // Whether an access can be read seldom depends on a number.
  static constexpr std::size_t most_probes = 3;

  const source& source_;
  const reading& known_;
  std::vector<assumed_numbers> fitting_;  // numbers_that_fit()
  std::vector<token> tokens_;
  std::optional<kernel_head> head_;
  std::vector<std::string> pointers_;
  std::vector<std::pair<std::string, refusal>> not_counted_;
};

}  // namespace

std::vector<reading> readings_of(const source& input, const reading& known) {
  return open_launch(input, known).readings();
}

}  // namespace command_line
