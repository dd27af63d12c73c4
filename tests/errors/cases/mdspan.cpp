// SPDX-License-Identifier: MIT
// expect: bankmodel: an mdspan of another rank than its layout
// expect-g++: an_mdspan_must_have_the_rank_of_its_layout<1, 2>
// expect-clang++: an_mdspan_must_have_the_rank_of_its_layout<1, 2>
// expect: bankmodel: the index type of an mdspan's extents is too narrow
// expect-g++: an_mdspan_must_have_an_index_type_for_its_elements<31, 1055>
// expect-clang++: an_mdspan_must_have_an_index_type_for_its_elements<31, 1055>
// Extents of another rank, and with an index type of 8 bits for 1055 elements.
#include <bankmodel/interop/mdspan.hpp>

namespace bm = bankmodel;

template <class Index, unsigned Rank>
struct extents {
  using index_type = Index;
  using size_type = Index;
  using rank_type = unsigned;
  static constexpr unsigned rank() { return Rank; }
  template <class... Values>
  constexpr explicit extents(Values...) {}
};

#ifdef BROKEN
constexpr bool broken = true;
using narrow = unsigned char;
#else
constexpr bool broken = false;
using narrow = int;
#endif
using policy = bm::mdspan_layout<bm::row_major(32, 32).padded(1)>;
static_assert(sizeof(policy::mapping<extents<int, broken ? 1 : 2>>) == 1);
static_assert(policy::mapping<extents<narrow, 2>>().required_span_size() == 1055);
