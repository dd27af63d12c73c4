// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_FIRST_PADDING_HPP
#define BANKMODEL_SEARCH_FIRST_PADDING_HPP

#include <bankmodel/count/request_taker.hpp>
#include <bankmodel/kernel/access_view.hpp>
#include <bankmodel/model/degree.hpp>
#include <bankmodel/search/detail/paddings.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The first padding without a conflict, in closed form: the change that an explanation proposes for
// most accesses, without a search.
namespace bankmodel::detail {

// Sets `choice` to the padding with the fewest bytes, at most `most_bytes` for the whole array,
// with which no request of the access has a conflict: none if there is no conflict now. Returns
// false if there is none, or if there may be one that this function does not find.
// Requires: some request of the access has all lanes of a warp; `lanes` is known.
//
// It is for accesses in the conventional mapping. The lanes are in equal steps of each subscript,
// and the other requests have the same lanes or fewer. A warp without a conflict stays so without
// some of its lanes. So one stride decides.
//
// Example: the columns of float tile[32][32], 32 elements from lane to lane. One element of padding
// makes that 33:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto read = load(tile[tx][ty]);
//   const detail::lane_steps steps{.known = true, .step = {1, 0}};
//   detail::padding_choice choice{};
//   assert(detail::find_first_padding(nvidia::sm_90, detail::view_of(read), steps, 49152, choice));
//   assert(choice.elements[0] == 1);
BANKMODEL_FN bool find_first_padding(const machine& m, const access_view& access,
                                     const lane_steps& lanes, long long most_bytes,
                                     padding_choice& choice) {
  const array_description& array = access.array;
  const service rules = m.served(access.bytes(), access.kind);
  const int bytes = array.element_bytes;
  if (m.other_bank_width != 0 || !array.layout.is_strided() || !rules.is_plain() ||
      rules.phases.bits() != 0 || access.vector != 1 || rules.W != bytes || rules.N != bytes)
    return false;
  bool found = false;
  const auto try_padding = [&](const padding_choice& next) {
    const padded_strides padded(array.layout, next);
    if (next.interval != 0 || padded.size * bytes > most_bytes) return false;
    long long stride = 0;
    for (int d = 0; d < array.layout.rank; ++d) stride += lanes.step[d] * padded.rows.stride[d];
    choice = next;
    found = degree(rules.banks(bytes), access_1d{.stride = stride, .lanes = m.lanes}) == 1;
    return !found;
  };
  paddings(array.layout, 1, rules.bank_num, 1, 0).enumerate(try_padding);
  return found;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
