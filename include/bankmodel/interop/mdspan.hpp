// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_MDSPAN_HPP
#define BANKMODEL_INTEROP_MDSPAN_HPP

#include <bankmodel/layout/tile_storage.hpp>

// A layout, of a plan or by hand, as the layout policy of an mdspan:
// std::mdspan<float, std::extents<int, 32, 32>, mdspan_layout<swizzled>> t(memory).
// Example: t[1, 0] is stored at memory[33]:
//
//   constexpr layout swizzled = row_major(32, 32).permuted(xor_swizzle(5, 0, 5));
//   static_assert(element<swizzled>(1, 0) == 33);
//
// This header includes no mdspan: it works with the one of the standard library, with Kokkos's
// (the reference implementation) and with cuda::std::mdspan, in kernels too. Requires: memory for
// required_span_size() elements, aligned as the base that was counted. Subscripts are computed as
// in tile<T, L>: in 32 bits, and without a check of bounds.
namespace bankmodel {

namespace rule {
template <long long Given, long long Rank>
struct an_mdspan_must_have_the_rank_of_its_layout {
  static_assert(Given == Rank,
                "bankmodel: an mdspan of another rank than its layout; give extents of each of the "
                "layout's dimensions, see an_mdspan_must_have_the_rank_of_its_layout<rank of the "
                "mdspan, rank of the layout>");
  static constexpr bool value = true;
};
template <long long Given, long long Elements>
struct an_mdspan_must_have_an_index_type_for_its_elements {
  static_assert(Given == Elements,
                "bankmodel: the index type of an mdspan's extents is too narrow for the elements "
                "of its layout; take int, see an_mdspan_must_have_an_index_type_for_its_elements<"
                "elements converted to the index type, elements>");
  static constexpr bool value = true;
};
[[noreturn]] BANKMODEL_FN void an_mdspan_must_have_the_extents_of_its_layout(
    long long dimension, long long mdspan_extent, long long extent) {
  detail::fail(__func__,
               "extent % of an mdspan is %, but its layout has % there; give the extents of the "
               "layout, or plan a layout for these",
               dimension, mdspan_extent, extent);
}
[[noreturn]] BANKMODEL_FN void an_mdspan_must_be_strided_for_its_strides(long long dimension) {
  detail::fail(__func__,
               "stride % of an mdspan whose layout permutes its elements or pads one dimension; "
               "call is_strided() first",
               dimension);
}
}  // namespace rule

namespace detail {

// 1 more than the largest place of an element: without the padding after the last one, which
// layout::required_size() includes.
BANKMODEL_FN long long span_size(const layout& l) {
  long long size = l.required_size();
  while (size > 1 && l.coordinates(size - 1)[0] < 0) --size;
  return size;
}

template <class Index>
concept convertible_to_an_index = requires(Index i) { static_cast<long long>(i); };

// 0, 1, .. as a type: <utility> costs too much here.
template <int... D>
struct dimension_list {};
template <int Rank, int... D>
struct dimensions {
  using type = typename dimensions<Rank - 1, Rank - 1, D...>::type;
};
template <int... D>
struct dimensions<0, D...> {
  using type = dimension_list<D...>;
};

}  // namespace detail

// Meets the requirements of layout mapping policies, [mdspan.layout.policy.reqmts]; its mappings
// meet those of layout mappings, [mdspan.layout.reqmts].
template <layout L>
struct mdspan_layout {
  template <class Extents>
  class mapping {
   public:
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = typename Extents::rank_type;
    using layout_type = mdspan_layout;

    // The extents of L, also those that are dynamic in Extents.
    BANKMODEL_FN mapping()
        : extents_(extents_of_layout(typename detail::dimensions<L.rank>::type{})) {}

    // Error: an extent is not that of L.
    BANKMODEL_FN mapping(const extents_type& extents) : extents_(extents) {
      for (int d = 0; d < L.rank; ++d)
        if (static_cast<long long>(extents.extent(static_cast<rank_type>(d))) != extent_of(d))
          rule::an_mdspan_must_have_the_extents_of_its_layout(
              d, static_cast<long long>(extents.extent(static_cast<rank_type>(d))), extent_of(d));
    }

    // The same layout for extents of another type, such as dynamic ones.
    template <class Others>
      requires requires(const Others& other) { extents_type(other); }
    BANKMODEL_FN explicit(!requires(const Others& other, void (&take)(extents_type)) {
      take(other);
    }) mapping(const mapping<Others>& other) : mapping(extents_type(other.extents())) {}

    BANKMODEL_FN const extents_type& extents() const noexcept { return extents_; }

    // 1 more than the largest result of operator().
    BANKMODEL_FN index_type required_span_size() const noexcept {
      return static_cast<index_type>(span);
    }

    // The element of storage at these coordinates. Bounds are not checked.
    template <detail::convertible_to_an_index... Indices>
      requires(sizeof...(Indices) == Extents::rank())
    BANKMODEL_FN index_type operator()(Indices... indices) const noexcept {
      return static_cast<index_type>(element<L>(static_cast<index_type>(indices)...));
    }

    // No two elements have one place; every place below required_span_size() has an element; the
    // place is a sum of multiples of the coordinates. They are known to the compiler.
    BANKMODEL_FN static bool is_always_unique() noexcept { return true; }
    BANKMODEL_FN static bool is_always_exhaustive() noexcept { return exhaustive; }
    BANKMODEL_FN static bool is_always_strided() noexcept { return strided; }
    BANKMODEL_FN static bool is_unique() noexcept { return true; }
    BANKMODEL_FN static bool is_exhaustive() noexcept { return exhaustive; }
    BANKMODEL_FN static bool is_strided() noexcept { return strided; }

    // Elements from one coordinate to the next. Error: the layout is not strided.
    BANKMODEL_FN index_type stride(rank_type dimension) const {
      constexpr detail::four strides = L.stride;
      if constexpr (!strided)
        rule::an_mdspan_must_be_strided_for_its_strides(static_cast<long long>(dimension));
      return static_cast<index_type>(strides[static_cast<int>(dimension)]);
    }

    // Mappings of one layout differ in nothing but the types of their extents.
    template <class Others>
    friend BANKMODEL_FN bool operator==(const mapping&, const mapping<Others>&) noexcept {
      return true;
    }

   private:
    BANKMODEL_FN static long long extent_of(int dimension) {
      constexpr detail::four extents = L.extent;
      return extents[dimension];
    }
    template <int... D>
    BANKMODEL_FN static extents_type extents_of_layout(detail::dimension_list<D...>) {
      return extents_type(static_cast<index_type>(extent_of(D))...);
    }

    static constexpr long long span = detail::span_size(L);
    static constexpr bool strided = L.is_strided();
    static constexpr bool exhaustive =
        span == detail::checked_multiply(L.rows(), L.extent[L.rank - 1]);
    static_assert(rule::an_mdspan_must_have_the_rank_of_its_layout<
                  static_cast<long long>(Extents::rank()), L.rank>::value);
    static_assert(rule::an_mdspan_must_have_an_index_type_for_its_elements<
                  static_cast<long long>(static_cast<index_type>(span)), span>::value);

    [[no_unique_address]] extents_type extents_;
  };
};

}  // namespace bankmodel

#endif
