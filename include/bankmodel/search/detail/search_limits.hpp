// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_SEARCH_LIMITS_HPP
#define BANKMODEL_SEARCH_DETAIL_SEARCH_LIMITS_HPP

#include <bankmodel/model/occupancy.hpp>
#include <bankmodel/search/options.hpp>

// The limits of a search, of the machine and of the options together.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_arrays_of_a_kernel_must_fit(long long minimum, long long limit) {
  detail::fail(__func__,
               "the arrays need at least % bytes without padding, plus alignment and "
               "search.row_stride_bytes, but only % are allowed; make them smaller, or raise "
               "search.shared_bytes (or require fewer .resident_blocks)",
               minimum, limit);
}
[[noreturn]] BANKMODEL_FN void a_search_must_have_limits_that_are_not_negative(long long value) {
  detail::fail(__func__, "a field of search is %; use 0 for no limit, or 1 or more", value);
}
[[noreturn]] BANKMODEL_FN void shared_bytes_must_be_what_a_block_can_have(long long asked,
                                                                          long long maximum) {
  detail::fail(__func__,
               "search.shared_bytes is %, but a block of this machine can have at most % by "
               "opting in; use no more",
               asked, maximum);
}
}  // namespace rule

namespace detail {

constexpr long long no_limit_of_bytes = 1ll << 61;

BANKMODEL_FN void require_not_negative(const search& options) {
  const long long limits[] = {
      options.shared_bytes,     options.resident_blocks, options.registers_per_thread,
      options.row_stride_bytes, options.effort,          options.copy_engine_bytes};
  for (const long long value : limits)
    if (value < 0) rule::a_search_must_have_limits_that_are_not_negative(value);
}

// The number of resident blocks if they used no shared memory; 0 if the machine's limits are
// unknown.
BANKMODEL_FN int blocks_without_memory(const machine& m, int threads, const search& options) {
  m.require_valid();
  if (m.limits.shared_per_multiprocessor == 0 || options.registers_per_thread < 0) return 0;
  return resident(m, {threads, 0, options.registers_per_thread}).blocks;
}

// The most bytes of shared memory that a block may use.
// Error: the options allow more than the machine has.
BANKMODEL_FN long long most_bytes_of(const machine& m, int threads, const search& options) {
  const residency& limits = m.limits;
  if (limits.shared_per_block_opt_in > 0 && options.shared_bytes > limits.shared_per_block_opt_in)
    rule::shared_bytes_must_be_what_a_block_can_have(options.shared_bytes,
                                                     limits.shared_per_block_opt_in);
  const long long limit = options.shared_bytes > 0      ? options.shared_bytes
                          : limits.shared_per_block > 0 ? limits.shared_per_block
                                                        : no_limit_of_bytes;
  if (options.resident_blocks == 0) return limit;
  const long long with_blocks =
      largest_shared_bytes(m, threads, options.resident_blocks, options.registers_per_thread);
  return with_blocks < limit ? with_blocks : limit;
}

}  // namespace detail
}  // namespace bankmodel

#endif
