// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_TILE_STORAGE_HPP
#define BANKMODEL_LAYOUT_TILE_STORAGE_HPP

#include <bankmodel/layout/detail/tile_parts.hpp>

// Storage whose size and index function come from a layout, so that another layout is no edit of
// the kernel:
//
//   constexpr auto padded = row_major(32, 32).padded(1);
//   __shared__ tile<float, padded> t;              // as __shared__ float t[32][33];
//   t(threadIdx.y, threadIdx.x) = 1;               // as t[threadIdx.y][threadIdx.x], and not one
//   instruction more
//
//   // the same in dynamic shared memory, behind the first 512 bytes
//   extern __shared__ __align__(16) unsigned char memory[];
//   const auto u = tile_view<float, padded>::at<512>(memory);
namespace bankmodel {

// The element of storage at these coordinates: the number that L(coordinates...) is, in 32 bits
// instead of 64, for storage of one's own.
//   element<row_major(32, 32).padded(1)>(1, 0) is 33
// Integers of any type, as many as the rank, or it does not compile. No bounds are checked.
template <layout L, detail::number... Coordinates>
BANKMODEL_FN int element(Coordinates... coordinates) {
  static_assert(rule::a_tile_must_have_1_element_to_2_gigabytes<L.required_size(), 1>::value);
  const detail::place at = detail::placed<L>(coordinates...);
  if constexpr (detail::is_placed_as_a_whole<L>()) return at.dimension_0;
  return at.dimension_0 * static_cast<int>(L.stride.dimension_0) +
         at.dimension_1 * static_cast<int>(L.stride.dimension_1) +
         at.dimension_2 * static_cast<int>(L.stride.dimension_2) +
         at.dimension_3 * static_cast<int>(L.stride.dimension_3);
}

// `Count` neighbours that one instruction moves, aligned to all of them where their bytes are a
// power of two, else to one: vector_of<float, 4> has the 16 bytes and the alignment of CUDA's
// float4, vector_of<float, 3> those of float3.
template <class T, int Count>
struct alignas(detail::is_power_of_two(Count* static_cast<long long>(sizeof(T)))
                   ? Count * sizeof(T)
                   : alignof(T)) vector_of {
  static_assert(Count >= 1, "bankmodel: vector_of<T, Count> takes 1 element or more");

  T elements[Count];

  // Neighbour `i` of 0 .. Count - 1. No bounds are checked.
  BANKMODEL_FN T& operator[](int i) { return elements[i]; }
  BANKMODEL_FN const T& operator[](int i) const { return elements[i]; }
};

// An array of T with one to four dimensions, placed by L: a __shared__ variable, a local one or a
// member. Like any array it begins with what lay there; it is trivially constructible and copyable
// where T is.
//
// It is aligned to 16 bytes, also where its rows allow no wide access, because costs are counted
// for an aligned base: where W = N it is enough that the base is aligned to a word and to the
// access. (Where W > N, on Kepler, declare it alignas(bank_num * W).) For that, sizeof may exceed
// size_bytes, by 15 bytes at most.
template <class T, layout L>
class tile {
  static_assert(
      rule::a_tile_must_have_1_element_to_2_gigabytes<L.required_size(), sizeof(T)>::value);

 public:
  // The layout that it was made with. In device code read its numbers, or call it with constants
  // in a constant expression: nvcc knows no function of it at run time.
  static constexpr bankmodel::layout layout = L;

  // Bytes of its elements, padding included: 32 * 33 * 4 in the example at the top.
  static constexpr int size_bytes =
      static_cast<int>(L.required_size() * static_cast<long long>(sizeof(T)));

  // The element at these coordinates: integers of any type, as many as the rank, or it does not
  // compile. No bounds are checked. t(1, 0) lies 33 elements behind t(0, 0) in the example.
  template <detail::number... Coordinates>
  BANKMODEL_FN T& operator()(Coordinates... coordinates) {
    return detail::element_of<detail::placed_rank<L>>(elements_, detail::placed<L>(coordinates...));
  }
  template <detail::number... Coordinates>
  BANKMODEL_FN const T& operator()(Coordinates... coordinates) const {
    return detail::element_of<detail::placed_rank<L>>(elements_, detail::placed<L>(coordinates...));
  }

  // This element and its next neighbours as one `Wide` made of T: t.as<float4>(row, 4 * column) is
  // moved by one instruction. It has 1, 2, 4, 8, 12 or 16 bytes, and the rows are a multiple of
  // its alignment apart, or it does not compile. That the last coordinate is a multiple of its
  // elements, and they all lie in the row, is up to the caller.
  template <class Wide, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE Wide& as(Coordinates... coordinates) {
    return detail::wide<Wide, L>(operator()(coordinates...));
  }
  template <class Wide, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE const Wide& as(Coordinates... coordinates) const {
    return detail::wide<Wide, L>(operator()(coordinates...));
  }

  // The same as a vector_of<T, Count>: t.vector<4>(row, 4 * column)[3] is t(row, 4 * column + 3).
  template <int Count, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE vector_of<T, Count>& vector(Coordinates... coordinates) {
    return as<vector_of<T, Count>>(coordinates...);
  }
  template <int Count, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE const vector_of<T, Count>& vector(Coordinates... coordinates) const {
    return as<vector_of<T, Count>>(coordinates...);
  }

  // The first of layout.size() elements in the order of storage; t(row, column) is
  // data()[layout(row, column)].
  BANKMODEL_FN T* data() { return &detail::element_of<detail::placed_rank<L>>(elements_, {}); }
  BANKMODEL_FN const T* data() const {
    return &detail::element_of<detail::placed_rank<L>>(elements_, {});
  }

 private:
  alignas(alignof(T) > 16 ? alignof(T) : 16) typename detail::storage<T, L>::type elements_;
};

// The same over memory that lies elsewhere: dynamic shared memory, or a part of a buffer. A copy
// views the same elements. A const view does not make them const, no more than a const pointer
// does; tile_view<const float, L> does.
template <class T, layout L>
class tile_view {
  static_assert(
      rule::a_tile_must_have_1_element_to_2_gigabytes<L.required_size(), sizeof(T)>::value);

 public:
  // As in tile. size_bytes is what the memory must hold.
  static constexpr bankmodel::layout layout = L;
  static constexpr int size_bytes =
      static_cast<int>(L.required_size() * static_cast<long long>(sizeof(T)));

  // The view of layout.size() elements from `first` on. `first` is aligned to the wide accesses
  // that will be made, and for a cost to hold, as the base that it was counted with.
  // tile_view<float, L>(t.data()) views a tile.
  BANKMODEL_FN explicit tile_view(T* first) : first_(first) {}

  // The view of what begins `Bytes` behind `memory`, as `unsigned char[]` or whatever it was
  // declared; a multiple of T's alignment, or it does not compile. Two views one behind the other:
  // at<0>(memory) and at<size_bytes>(memory).
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

  // The element and its next neighbours as one `Wide` or as a vector_of, as in tile; const where T
  // is.
  template <class Wide, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE auto& as(Coordinates... coordinates) const {
    return detail::wide<Wide, L>(operator()(coordinates...));
  }
  template <int Count, detail::number... Coordinates>
  BANKMODEL_HOST_DEVICE auto& vector(Coordinates... coordinates) const {
    return as<vector_of<decltype(detail::without_const(first_)), Count>>(coordinates...);
  }

  // The first of its elements.
  BANKMODEL_FN T* data() const { return first_; }

 private:
  T* first_;
};

}  // namespace bankmodel

#endif
