// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PADDING_SEARCH_HPP
#define BANKMODEL_SEARCH_DETAIL_PADDING_SEARCH_HPP

#include <bankmodel/search/detail/array_options.hpp>
#include <bankmodel/search/detail/footprints.hpp>
#include <bankmodel/search/detail/interval_prices.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The search for paddings of one array.
namespace bankmodel::detail {

// A machine with one of its bank widths, the accesses of a kernel, and their requests.
struct search_input {
  const machine& m;
  const kernel_accesses& accesses;
  collected_requests& collected;
  interval_prices& intervals;
  footprints& touched;
};

class padding_search {
 public:
  // `prices`: of the array, or nullptr if it has too many requests.
  BANKMODEL_FN padding_search(const search_input& input, array_options& options,
                              const strided_prices* prices, bool without_conflict,
                              long long steps_of_declared, effort_left& effort)
      : input_(input),
        options_(options),
        prices_(prices),
        without_conflict_(without_conflict),
        effort_(effort),
        most_steps_(steps_of_declared) {
    option_.permuted = as_declared;
  }

  // Tries all paddings of at most most_bytes(array number) bytes, in the order of their bytes.
  // most_bytes() is called again whenever one without a conflict was found.
  template <class MostBytes>
  BANKMODEL_FN void run(MostBytes& most_bytes) {
    most_bytes_ = most_bytes(options_.number());
    input_.intervals.begin();
    options_.find_rows(input_.m, input_.accesses, effort_);
    const collected_requests::mark start = input_.collected.current();
    const auto look_at = [&](const padding_choice& choice) { return look(choice, most_bytes); };
    options_.all_paddings().enumerate(look_at);
    input_.collected.rewind(start);
  }

 private:
  // Returns false if it is too large, or the effort is spent: then no later one is tried either.
  template <class MostBytes>
  BANKMODEL_FN bool look(const padding_choice& choice, MostBytes& most_bytes) {
    const array_description& array = options_.array();
    const padded_strides padded(array.layout, choice);
    option_.padding = choice;
    option_.bytes = padded.size * array.element_bytes;
    option_.index = static_cast<signed char>(options_.index_of(choice));
    if (option_.bytes > most_bytes_ || option_.bytes >= options_.enough_bytes()) return false;
    effort_.spend(60 + 15ll * array.layout.rank);  // and for finding this choice
    const bool in_rows = choice.interval == 0;
    if (padded.is_declared || (in_rows && !options_.has_stride(padded.rows))) return true;
    const strided_prices* const prices = in_rows ? prices_ : prices_of_intervals(choice.interval);
    // A first option is necessary: rows as declared may be too close to each other.
    const long long steps = effort_.steps();
    if (options_.count() > 0 && (prices == nullptr || steps < most_steps_ + most_steps_ / 2)) {
      options_.leave_out();
      return steps > 0;
    }
    // The cost of an option with as few bytes and as simple an index function.
    const std::uint64_t enough = options_.least_wavefronts(option_.bytes, option_.index),
                        limit = without_conflict_ ? options_.ideal() : enough - 1;
    costs_by_base costs;
    costs.count = options_.bases();
    if (prices == nullptr)
      price_by_counting(input_.m, input_.accesses, options_.number(),
                        array.with(options_.layout_of(option_)), options_.align(), costs);
    else
      prices->price_layout(input_.m, input_.collected, padded.rows, options_.align(), limit, costs,
                           effort_);
    if (steps - effort_.steps() > most_steps_) most_steps_ = steps - effort_.steps();
    if (options_.bases() == 1 && costs.wavefronts[0] > limit && options_.count() > 0) return true;
    const long long previous_bytes = options_.enough_bytes();
    options_.add(option_, costs);
    if (options_.enough_bytes() < previous_bytes) most_bytes_ = most_bytes(options_.number());
    return true;
  }

  // Returns nullptr if there are too many requests.
  BANKMODEL_FN const strided_prices* prices_of_intervals(int interval) {
    if (!input_.touched.collect(input_.m, input_.accesses, options_.number(), options_.array(),
                                effort_))
      return nullptr;
    return input_.intervals.prices(trailing_zeros(static_cast<std::uint64_t>(interval)), input_.m,
                                   input_.touched.touched(), options_.array().layout.extent[0],
                                   options_.bases_matter(), options_.bases(), input_.collected,
                                   effort_);
  }

  const search_input& input_;
  array_options& options_;
  const strided_prices* prices_;
  // True if only layouts without a conflict are accepted.
  bool without_conflict_;
  effort_left& effort_;
  long long most_steps_;  // the most that one layout has taken
  long long most_bytes_ = 0;
  array_option option_ = {};
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
