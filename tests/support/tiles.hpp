// SPDX-License-Identifier: MIT
// Tiles against their layouts, element by element.
#ifndef BANKMODEL_TESTS_TILES_HPP
#define BANKMODEL_TESTS_TILES_HPP

#include <bankmodel/tile.hpp>

#include "catch.hpp"

#include <type_traits>
#include <vector>

namespace tiles {

namespace bm = bankmodel;

// Calls it with all coordinates of the layout.
template <bm::layout L, class Visit>
constexpr void at_all_coordinates(const Visit& visit) {
  const auto& extent = L.extent;
  for (int a = 0; a < extent[0]; ++a)
    if constexpr (L.rank == 1)
      visit(a);
    else
      for (int b = 0; b < extent[1]; ++b)
        if constexpr (L.rank == 2)
          visit(a, b);
        else
          for (int c = 0; c < extent[2]; ++c)
            if constexpr (L.rank == 3)
              visit(a, b, c);
            else
              for (int d = 0; d < extent[3]; ++d) visit(a, b, c, d);
}

// Each element is stored where the layout says, in the tile and in a view; no two share a
// place.
template <bm::layout L>
int wrong_in() {
  bm::tile<int, L> t{};
  std::vector<int> buffer(static_cast<std::size_t>(L.required_size()), -1);
  const bm::tile_view<int, L> view(buffer.data());
  int visited = 0, wrong = 0;
  at_all_coordinates<L>([&](auto... c) {
    const long long expected = L(c...);
    int& in_the_buffer = view(static_cast<unsigned>(c)...);
    wrong += bm::element<L>(c...) != expected || &t(c...) != t.data() + expected ||
             &in_the_buffer != buffer.data() + expected || in_the_buffer != -1;  // not used before
    in_the_buffer = ++visited;
  });
  using tile = bm::tile<int, L>;
  static_assert(tile::layout == L && bm::tile_view<int, L>::layout == L);
  static_assert(tile::size_bytes == 4 * L.required_size() &&
                bm::tile_view<int, L>::size_bytes == 4 * L.required_size());
  static_assert(sizeof(tile) == (tile::size_bytes + 15) / 16 * 16 && alignof(tile) == 16);
  static_assert(std::is_trivially_default_constructible_v<tile> &&
                std::is_trivially_copyable_v<tile> && std::is_standard_layout_v<tile>);
  long long elements = 1;
  for (int dimension = 0; dimension < L.rank; ++dimension) elements *= L.extent[dimension];
  if (wrong != 0 || visited != elements)
    UNSCOPED_INFO("family " << static_cast<int>(L.permutation.family) << ", form "
                            << int{L.permutation.form} << ", rank " << L.rank);
  return visited == elements ? wrong : 1'000'000;
}

}  // namespace tiles

#endif
