// SPDX-License-Identifier: MIT
// Layouts as layout policies of mdspan: the requirements of [mdspan.layout.reqmts] by concepts, and
// every element of some layouts of each family. The same file is compiled with each mdspan:
// -DMDSPAN_IN=std, Kokkos or cuda::std, and without one, where only mappings are tested.
#include <array>
#include <bankmodel/analyze.hpp>
#include <bankmodel/interop/mdspan.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <concepts>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef MDSPAN_HEADER
#include MDSPAN_HEADER
#endif

namespace bm = bankmodel;

namespace {

#ifdef MDSPAN_IN
template <class Index, std::size_t... Extents>
using extents = MDSPAN_IN::extents<Index, Extents...>;
constexpr std::size_t dynamic = MDSPAN_IN::dynamic_extent;
#else
// The part of std::extents that mappings use, with static extents alone.
template <class Index, std::size_t... Extents>
struct extents {
  using index_type = Index;
  using size_type = std::make_unsigned_t<Index>;
  using rank_type = std::size_t;
  static constexpr rank_type rank() { return sizeof...(Extents); }
  static constexpr Index extent(rank_type d) {
    return std::array{static_cast<Index>(Extents)...}[d];
  }
  constexpr extents() = default;
  template <std::convertible_to<Index>... Values>
  constexpr explicit extents(Values...) {}
};
#endif

template <class M>
concept layout_mapping =
    std::copyable<M> && std::equality_comparable<M> && std::is_nothrow_move_constructible_v<M> &&
    std::is_nothrow_move_assignable_v<M> && std::is_nothrow_swappable_v<M> &&
    std::same_as<typename M::index_type, typename M::extents_type::index_type> &&
    std::same_as<typename M::rank_type, typename M::extents_type::rank_type> &&
    std::same_as<typename M::size_type, typename M::extents_type::size_type> &&
    std::same_as<typename M::layout_type::template mapping<typename M::extents_type>, M> &&
    requires(const M& m, typename M::rank_type r) {
      { m.extents() } -> std::same_as<const typename M::extents_type&>;
      { m.required_span_size() } -> std::same_as<typename M::index_type>;
      { m.is_unique() } -> std::same_as<bool>;
      { m.is_exhaustive() } -> std::same_as<bool>;
      { m.is_strided() } -> std::same_as<bool>;
      { m.stride(r) } -> std::same_as<typename M::index_type>;
      { M::is_always_unique() } -> std::same_as<bool>;
      { M::is_always_exhaustive() } -> std::same_as<bool>;
      { M::is_always_strided() } -> std::same_as<bool>;
      requires std::bool_constant<(M::is_always_unique(), M::is_always_exhaustive(),
                                   M::is_always_strided(), true)>::value;
    };

int failures = 0, layouts = 0;
void require(bool holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  std::printf("line %d: %s\n", line, what);
}
#define REQUIRE(condition) require(condition, #condition, __LINE__)

// Calls visit(coordinates) for each element.
template <class Visit>
void for_each_element(const bm::layout& l, Visit visit) {
  std::array<int, 4> at{};
  for (at[0] = 0; at[0] < l.extent[0]; ++at[0])
    for (at[1] = 0; at[1] < (l.rank > 1 ? l.extent[1] : 1); ++at[1])
      for (at[2] = 0; at[2] < (l.rank > 2 ? l.extent[2] : 1); ++at[2])
        for (at[3] = 0; at[3] < (l.rank > 3 ? l.extent[3] : 1); ++at[3]) visit(at);
}

template <class Mapping, std::size_t... D>
long long place(const Mapping& m, const std::array<int, 4>& at, std::index_sequence<D...>) {
  static_assert(std::same_as<decltype(m(at[D]...)), typename Mapping::index_type>);
  return static_cast<long long>(m(at[D]...));
}

// What the standard says of the results of a mapping's functions, by counting.
template <bm::layout L, class Mapping>
void test_results(const Mapping& m) {
  constexpr auto dimensions = std::make_index_sequence<L.rank>{};
  const auto span = static_cast<long long>(m.required_span_size());
  std::vector<int> elements(static_cast<std::size_t>(span));
  long long largest = -1, count = 0;
  for_each_element(L, [&](const std::array<int, 4>& at) {
    const long long here = place(m, at, dimensions);
    REQUIRE(here == L({at[0], at[1], at[2], at[3]}));
    REQUIRE(here >= 0 && here < span);
    if (here >= 0 && here < span) ++elements[static_cast<std::size_t>(here)];
    largest = here > largest ? here : largest;
    ++count;
    for (std::size_t d = 0; m.is_strided() && d < L.rank; ++d) {
      std::array<int, 4> next = at;
      if (++next[d] < L.extent[static_cast<int>(d)])
        REQUIRE(place(m, next, dimensions) - here == static_cast<long long>(m.stride(d)));
    }
  });
  REQUIRE(span == largest + 1);
  REQUIRE(span <= L.required_size());
  bool unique = true;
  for (const int here : elements) unique = unique && here <= 1;
  REQUIRE(unique && m.is_unique() && m.is_always_unique());
  REQUIRE(m.is_exhaustive() == (count == span));
  REQUIRE(m.is_always_exhaustive() == m.is_exhaustive());
  REQUIRE(m.is_always_strided() == m.is_strided());
  REQUIRE(m.is_strided() == L.is_strided());
  for (std::size_t d = 0; d < L.rank; ++d)
    REQUIRE(static_cast<long long>(m.extents().extent(d)) == L.extent[static_cast<int>(d)]);
}

#ifdef MDSPAN_IN
// Writing through an mdspan, reading where the layout says; other types of extents.
template <bm::layout L, std::size_t... D>
void test_spans(std::index_sequence<D...>) {
  using policy = bm::mdspan_layout<L>;
  using fixed = extents<int, static_cast<std::size_t>(L.extent[static_cast<int>(D)])...>;
  using any = extents<long long, (static_cast<void>(D), dynamic)...>;
  std::vector<int> memory(
      static_cast<std::size_t>(typename policy::template mapping<fixed>{}.required_span_size()),
      -1);
  const MDSPAN_IN::mdspan<int, fixed, policy> t(memory.data());
  const MDSPAN_IN::mdspan<int, any, policy> u(memory.data(), L.extent[static_cast<int>(D)]...);
  const MDSPAN_IN::mdspan<int, any, policy> v(t);
  static_assert(layout_mapping<typename policy::template mapping<any>>);
  static_assert(std::is_trivially_copyable_v<decltype(t)> && sizeof(t) == sizeof(int*));
  int number = 0;
  for_each_element(L, [&](const std::array<int, 4>& at) {
    t[ARRAY_IN::array<int, sizeof...(D)>{at[D]...}] = ++number;
    REQUIRE((u[ARRAY_IN::array<int, sizeof...(D)>{at[D]...}]) == number);
    REQUIRE(memory[static_cast<std::size_t>(L({at[0], at[1], at[2], at[3]}))] == number);
  });
  REQUIRE(t.mapping() == u.mapping() && u.mapping() == v.mapping());
  REQUIRE(v.extents() == t.extents());
  test_results<L>(typename policy::template mapping<any>{});
  test_results<L>(u.mapping());
  static_assert(!std::is_convertible_v<decltype(u), std::remove_const_t<decltype(t)>>);
}
#endif

template <bm::layout L>
void test() {
  ++layouts;
  []<std::size_t... D>(std::index_sequence<D...> dimensions) {
    using mapping = typename bm::mdspan_layout<L>::template mapping<
        extents<int, static_cast<std::size_t>(L.extent[static_cast<int>(D)])...>>;
    static_assert(layout_mapping<mapping>);
    test_results<L>(mapping{});
    REQUIRE(mapping{} == mapping(typename mapping::extents_type{}));
#ifdef MDSPAN_IN
    test_spans<L>(dimensions);
#else
    (void)dimensions;
#endif
  }(std::make_index_sequence<L.rank>{});
}

namespace planned {
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto kernel = bm::kernel(
    bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
constexpr auto plan = bm::optimize(bm::nvidia::sm_90, kernel);
constexpr bm::layout layout = plan.layout("tile");
static_assert(plan.after().conflicts() == 0);
}  // namespace planned

}  // namespace

#ifdef __CUDACC__
__global__ void kernel(float* out) {
  __shared__ float memory[32 * 33];
  const cuda::std::mdspan<float, extents<int, 32, 32>, bm::mdspan_layout<planned::layout>> t(
      memory);
  t[cuda::std::array<unsigned, 2>{threadIdx.y, threadIdx.x}] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[cuda::std::array<unsigned, 2>{threadIdx.x, threadIdx.y}];
}
#endif

int main() {
  constexpr bm::layout square = bm::row_major(32, 32);
  test<square>();
  test<square.padded(1)>();
  test<bm::row_major(7)>();
  test<bm::row_major(1, 8)>();
  test<bm::row_major(100).padded_every(32, 1)>();
  test<bm::row_major(96).padded_every(32, 5)>();
  test<bm::row_major(4, 8, 32).padded(1, 1).padded(2, 0)>();
  test<bm::row_major(2, 3, 4, 5).padded(3)>();
  test<square.permuted(bm::xor_swizzle(5, 0, 5))>();
  test<bm::row_major(5, 24).permuted(bm::xor_swizzle(2, 0, 3))>();
  test<bm::row_major(6, 12).padded(4).permuted(bm::rotation(1))>();
  test<bm::row_major(3, 4, 8).permuted(bm::rotation(2))>();
  test<square.permuted(bm::triangular())>();
  test<bm::row_major(24, 24).permuted(bm::modular({5, 7, 7, 10}))>();
  test<bm::row_major(16, 16).permuted(bm::linear(bm::identity_matrix(8)))>();
  test<planned::layout>();
  if (failures == 0) std::printf("mdspan: every element of %d layouts\n", layouts);
  return failures == 0 ? 0 : 1;
}
