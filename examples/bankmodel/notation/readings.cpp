// SPDX-License-Identifier: MIT
// What a kernel in C++ leaves open is assumed, and read again with other assumptions if it does not
// fit.
#include <algorithm>

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
  open_launch(const source& of, const reading& known)
      : of_(of), known_(known), tokens_(with_macros_replaced(of, tokens_of(of))) {
    const std::vector<kernel_head> all = kernel_heads(tokens_);
    const auto is_wanted = [&](const kernel_head& one) {
      return known.values.kernel.empty() ? all.size() == 1 : one.name.text == known.values.kernel;
    };
    const auto found = std::find_if(all.begin(), all.end(), is_wanted);
    if (found != all.end()) head_ = *found;
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
      for (const bm::block_dim& each : blocks(with_arrays))
        for (const long long bytes : dynamic_bytes()) {
          reading& one = result.emplace_back(known_);
          one.pointers = pointers_;
          one.not_counted = not_counted_;
          take(number, one);
          one.assumed_dynamic_bytes = bytes;
          if (has_block()) continue;
          one.values.block = each;
          one.is_block_assumed = true;
        }
    return result;
  }

 private:
  bool reads(std::string_view vector, std::string_view axis) const {
    for (std::size_t at = head_->body; at + 2 < head_->end; ++at)
      if (tokens_[at].is(vector) && tokens_[at + 1].is(".") && tokens_[at + 2].is(axis))
        return true;
    return false;
  }
  bool has_block() const { return known_.values.block.has_value() || has_block_line(); }
  bool has_block_line() const {
    for (std::size_t at = 0; at < head_->first; ++at)
      if (tokens_[at].is("block") && tokens_[at].first_of_line && is_directive_at(tokens_, at))
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
    for (const kernel_array& one : arrays(with_arrays)) {
      const bm::layout& layout = one.description.layout;
      if (one.description.memory != bm::memory_space::shared) continue;
      std::vector<long long>& extents = of_kernel.extents.emplace_back();
      for (int rank = 0; rank < layout.rank; ++rank) extents.push_back(layout.extent[rank]);
    }
    return candidate_blocks(of_kernel);
  }
  std::vector<kernel_array> arrays(const reading& how) const {
    for (const assumed_numbers& number : fitting_)
      if (const auto found = arrays_with(how, number)) return *found;
    return {};
  }
  // Nothing if it cannot be read with this number.
  std::optional<std::vector<kernel_array>> arrays_with(const reading& how,
                                                       const assumed_numbers& number) const {
    try {
      reading one = how;
      one.pointers = pointers_;
      take(number, one);
      return read_kernel_file(of_, one).arrays;
    } catch (const refusal&) {
      return {};
    }
  }
  // Without those with which no compiler accepts the declared arrays, unless it is so with all.
  std::vector<assumed_numbers> numbers_that_fit(const reading& how) const {
    const std::vector<assumed_numbers> all = numbers();
    if (all.size() == 1) return all;
    std::vector<assumed_numbers> result;
    for (const assumed_numbers& number : all) {
      long long bytes = 0;
      for (const kernel_array& one : arrays_with(how, number).value_or(std::vector<kernel_array>{}))
        if (one.description.memory == bm::memory_space::shared && !one.is_dynamic)
          bytes += one.description.layout.required_size() * one.description.element_bytes;
      if (bytes <= most_declared_bytes) result.push_back(number);
    }
    return result.empty() ? all : result;
  }

  static void take(const assumed_numbers& numbers, reading& to) {
    to.assumed_number = numbers.argument;
    to.assumed_template_number = numbers.of_template;
  }
  bool has_open_number(bool is_of_template) const {
    return std::any_of(
        head_->parameters.begin(), head_->parameters.end(), [&](const kernel_parameter& one) {
          return one.is == kernel_parameter::kind::number && (!one.value || !is_of_template) &&
                 one.is_of_template == is_of_template &&
                 known_.values.numbers.count(std::string(one.name.text)) == 0;
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
    return std::any_of(tokens_.begin(), tokens_.end(),
                       [](const token& one) { return one.is("extern"); });
  }
  std::vector<long long> dynamic_bytes() const {
    if (known_.dynamic_bytes != 0 || !needs_dynamic_bytes()) return {0};
    return {std::begin(dynamic_bytes_in_order), std::end(dynamic_bytes_in_order)};
  }

  // All pointers, or those with which the kernel can be read.
  void choose_pointers(const reading& how) {
    std::vector<std::string> all;
    for (const kernel_parameter& one : head_->parameters)
      if (one.is == kernel_parameter::kind::pointer && is_used(one.name.text))
        all.emplace_back(one.name.text);
    if (!why_not(how, all)) {
      pointers_ = all;
      return;
    }
    for (const std::string& name : all)
      if (!why_not(how, with(name))) pointers_.push_back(name);
    // Without any access the error is why there is none.
    if (pointers_.empty() && why_not(how, {})) {
      pointers_ = all;
      return;
    }
    // The reason is that beside all others.
    for (const std::string& name : all)
      if (std::find(pointers_.begin(), pointers_.end(), name) == pointers_.end())
        if (const auto why = why_not(how, with(name))) not_counted_.emplace_back(name, *why);
  }
  bool is_used(std::string_view name) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(head_->body),
                       tokens_.begin() + static_cast<std::ptrdiff_t>(head_->end),
                       [&](const token& one) { return one.is(name); });
  }
  std::vector<std::string> with(const std::string& pointer) const {
    std::vector<std::string> result = pointers_;
    result.push_back(pointer);
    return result;
  }
  std::optional<refusal> why_not(const reading& how,
                                 const std::vector<std::string>& pointers) const {
    std::optional<refusal> result;
    bool is_own = false;
    for (std::size_t at = 0; at < std::min(fitting_.size(), most_probes); ++at) try {
        reading one = how;
        one.pointers = pointers;
        take(fitting_[at], one);
        (void)read_kernel_file(of_, one);
        return std::nullopt;
      } catch (const refusal& why) {
        // Of a number that is wrong for another reason too it is not the pointer's.
        if (is_own || (result && !arrays_with(how, fitting_[at]))) continue;
        result = why;
        is_own = arrays_with(how, fitting_[at]).has_value();
      }
    return result;
  }

  // Whether an access can be read seldom depends on a number.
  static constexpr std::size_t most_probes = 3;

  const source& of_;
  const reading& known_;
  std::vector<assumed_numbers> fitting_;  // numbers_that_fit()
  std::vector<token> tokens_;
  std::optional<kernel_head> head_;
  std::vector<std::string> pointers_;
  std::vector<std::pair<std::string, refusal>> not_counted_;
};

}  // namespace

std::vector<reading> readings_of(const source& of, const reading& known) {
  return open_launch(of, known).readings();
}

}  // namespace command_line
