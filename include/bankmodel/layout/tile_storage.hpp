// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_TILE_STORAGE_HPP
#define BANKMODEL_LAYOUT_TILE_STORAGE_HPP

#include <bankmodel/layout/detail/tile_parts.hpp>

// Storage whose size and indexing come from a layout, so that changing the layout does not change
// the kernel:
//
//   constexpr auto padded = row_major(32, 32).padded(1);
//   __shared__ tile<float, padded> t;     // as float t[32][33]
//   t(threadIdx.y, threadIdx.x) = 1;      // the same instructions as t[threadIdx.y][threadIdx.x]
//   static_assert(sizeof(t) == sizeof(float[32][33]));
//
//   // The same in dynamic shared memory, after the first 512 bytes.
//   extern __shared__ __align__(16) unsigned char memory[];
//   const auto u = tile_view<float, padded>::at<512>(memory);
namespace bankmodel {

// Returns L(coordinates...), the element of storage at these coordinates, in 32 bits instead of 64:
// for storage of your own.
// Requires: one integer of any type for each dimension. Bounds are not checked.
// Example:
//
//   static_assert(element<row_major(32, 32).padded(1)>(1, 0) == 33);
template <layout L, detail::number... Coordinates>
BANKMODEL_FN int element(Coordinates... coordinates) {
  static_assert(rule::a_tile_must_have_1_element_to_2_gigabytes<L.required_size(), 1>::value);
  const detail::place position = detail::placed<L>(coordinates...);
  if constexpr (detail::is_placed_as_a_whole<L>()) return position.dimension_0;
  return position.dimension_0 * static_cast<int>(L.stride.dimension_0) +
         position.dimension_1 * static_cast<int>(L.stride.dimension_1) +
         position.dimension_2 * static_cast<int>(L.stride.dimension_2) +
         position.dimension_3 * static_cast<int>(L.stride.dimension_3);
}

// `Count` neighbours that one instruction loads or stores. Its alignment is its size if that is a
// power of two, else that of T: vector_of<float, 4> has the size and alignment of CUDA's float4,
// vector_of<float, 3> those of float3.
template <class T, int Count>
struct alignas(detail::is_power_of_two(Count* static_cast<long long>(sizeof(T)))
                   ? Count * sizeof(T)
                   : alignof(T)) vector_of {
  static_assert(Count >= 1, "bankmodel: vector_of<T, Count> takes 1 element or more");

  T elements[Count];

  // Returns neighbour `i`, 0 to Count - 1. Bounds are not checked.
  BANKMODEL_FN T& operator[](int i) { return elements[i]; }
  BANKMODEL_FN const T& operator[](int i) const { return elements[i]; }
};

// An array of T with one to four dimensions and layout L: a __shared__ variable, a local variable
// or a member. Its elements are uninitialized, as in a built-in array. It is trivially
// constructible and copyable if T is.
//
// It is always aligned to 16 bytes, because costs are counted for an aligned base: if W = N, a base
// aligned to a word and to the access is enough. (If W > N, on Kepler, declare it
// alignas(bank_num * W).) Therefore sizeof may exceed size_bytes by up to 15 bytes.
template <class T, layout L>
class tile {
  static_assert(
      rule::a_tile_must_have_1_element_to_2_gigabytes<L.required_size(), sizeof(T)>::value);

 public:
  // The layout L. Device code cannot call its functions at run time: read its members, or call them
  // in constant expressions.
  static constexpr bankmodel::layout layout = L;

  // The size of all elements in bytes, padding included: 32 * 33 * 4 in the example at the top.
  static constexpr int size_bytes =
      static_cast<int>(L.required_size() * static_cast<long long>(sizeof(T)));

  // Returns the element at these coordinates.
  // Requires: one integer of any type for each dimension. Bounds are not checked.
  template <detail::number... Coordinates>
  BANKMODEL_FN T& operator()(Coordinates... coordinates) {
    return detail::element_of<detail::placed_rank<L>>(elements_, detail::placed<L>(coordinates...));
  }
  template <detail::number... Coordinates>
  BANKMODEL_FN const T& operator()(Coordinates... coordinates) const {
    return detail::element_of<detail::placed_rank<L>>(elements_, detail::placed<L>(coordinates...));
  }

  // Returns this element and its next neighbours as one `Wide`, which one instruction loads or
  // stores: t.as<float4>(row, 4 * column).
  // Requires (checked by the compiler): Wide has 1, 2, 4, 8, 12 or 16 bytes; the stride of rows is
  // a multiple of its alignment; the layout keeps its elements together. Not checked: the last
  // coordinate is a multiple of the number of its elements, and all of them are in the row.
  template <class Wide, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE Wide& as(Coordinates... coordinates) {
    return detail::wide<Wide, L>(operator()(coordinates...));
  }
  template <class Wide, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE const Wide& as(Coordinates... coordinates) const {
    return detail::wide<Wide, L>(operator()(coordinates...));
  }

  // The same as a vector_of<T, Count>; its element k is that at the coordinates plus k columns.
  template <int Count, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE vector_of<T, Count>& vector(Coordinates... coordinates) {
    return as<vector_of<T, Count>>(coordinates...);
  }
  template <int Count, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE const vector_of<T, Count>& vector(Coordinates... coordinates) const {
    return as<vector_of<T, Count>>(coordinates...);
  }

  // Returns the first of layout.required_size() elements in the order of storage; t(row, column)
  // is data()[layout(row, column)].
  BANKMODEL_FN T* data() { return &detail::element_of<detail::placed_rank<L>>(elements_, {}); }
  BANKMODEL_FN const T* data() const {
    return &detail::element_of<detail::placed_rank<L>>(elements_, {});
  }

 private:
  alignas(alignof(T) > 16 ? alignof(T) : 16) typename detail::storage<T, L>::type elements_;
};

// A non-owning view with the same interface, for dynamic shared memory or part of a buffer. A copy
// views the same elements. Like a pointer, a const view can change its elements; use
// tile_view<const float, L> for constant ones.
template <class T, layout L>
class tile_view {
  static_assert(
      rule::a_tile_must_have_1_element_to_2_gigabytes<L.required_size(), sizeof(T)>::value);

 public:
  // As in tile. The memory must have at least size_bytes bytes.
  static constexpr bankmodel::layout layout = L;
  static constexpr int size_bytes =
      static_cast<int>(L.required_size() * static_cast<long long>(sizeof(T)));

  // Makes a view of the layout.required_size() elements from `first` on.
  // Requires: `first` is aligned to the wide accesses that are made, and for a counted cost to
  // hold, as the base that was counted.
  // Example:
  //
  //   constexpr layout padded = row_major(32, 32).padded(1);
  //   static tile<float, padded> t;
  //   const tile_view<float, padded> view(t.data());
  //   assert(&view(1, 0) == t.data() + 33);
  BANKMODEL_FN explicit tile_view(T* first) : first_(first) {}

  // Returns the view of the elements that start `Bytes` bytes after `memory`.
  // Requires (checked by the compiler): Bytes is a multiple of T's alignment.
  // Example: two views, one after the other:
  //
  //   constexpr layout rows = row_major(32, 32);
  //   using view = tile_view<float, rows>;
  //   alignas(16) static unsigned char memory[2 * view::size_bytes];
  //   assert(view::at<view::size_bytes>(memory).data() == view::at<0>(memory).data() + 1024);
  template <long long Bytes>
  BANKMODEL_HOST_DEVICE static tile_view at(void* memory) {
    static_assert(
        rule::a_tile_in_a_buffer_must_be_aligned_to_its_element<Bytes, alignof(T)>::value);
    return tile_view(reinterpret_cast<T*>(static_cast<unsigned char*>(memory) + Bytes));
  }

  // The element at these coordinates, as in tile.
  template <detail::number... Coordinates>
  BANKMODEL_FN T& operator()(Coordinates... coordinates) const {
    return first_[element<L>(coordinates...)];
  }

  // The element and its next neighbours as one `Wide` or as a vector_of, as in tile; const if T is.
  template <class Wide, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE auto& as(Coordinates... coordinates) const {
    return detail::wide<Wide, L>(operator()(coordinates...));
  }
  template <int Count, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE auto& vector(Coordinates... coordinates) const {
    return as<vector_of<decltype(detail::without_const(first_)), Count>>(coordinates...);
  }

  // Returns the first element.
  BANKMODEL_FN T* data() const { return first_; }

 private:
  T* first_;
};

}  // namespace bankmodel

#endif
