// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_ACCESS_HPP
#define BANKMODEL_KERNEL_ACCESS_HPP

#include <bankmodel/kernel/array.hpp>
#include <bankmodel/kernel/loop.hpp>
#include <bankmodel/kernel/variables.hpp>
#include <bankmodel/model/machine.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Accesses as they are written in a kernel:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 33);  // __shared__ float tile[32][33];
//   constexpr auto read =                                       // for (j = 0; j < 32; j += 8)
//       load(for_loop(j, range(0, 32, 8), tile[tx][ty + j]));   //   .. = tile[tx][ty + j];
//   static_assert(total(nvidia::sm_90, block_dim{32, 8}, read).requests == 32);
//
// An access with its loops and filters is one value, access_expression<wrappers, nodes>: the
// array, the subscripts, and the wrappers (loops and filters) from the outermost inwards. The
// programs of all subscripts, bounds and conditions share one array of nodes. A loop or a
// filter takes one body or several; each access inside gets a copy of it, and several accesses
// form an access_list.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void too_many_subscripts(long long rank) {
  detail::fail(__func__,
               "more than % subscripts on an array of % dimensions; remove the extra ones", rank,
               rank);
}
[[noreturn]] BANKMODEL_FN void too_few_subscripts(long long subscripts, long long rank) {
  detail::fail(__func__, "% subscripts on an array of % dimensions; give one for each", subscripts,
               rank);
}
[[noreturn]] BANKMODEL_FN void subscripts_must_stand_inside_loops_and_filters() {
  detail::fail(__func__,
               "a subscript is applied to a loop, a filter or a vectorized access; write "
               "for_loop(.., array[a][b])");
}
[[noreturn]] BANKMODEL_FN void for_loop_must_be_given_a_loop_variable() {
  detail::fail(__func__,
               "the first argument of for_loop is not a loop variable; use i, j, k, l, m, n or "
               "a loop_variable()");
}
[[noreturn]] BANKMODEL_FN void an_access_must_be_a_load_or_a_store_not_both() {
  detail::fail(__func__,
               "an access is marked with two different kinds, such as load() around store(); "
               "mark it once. A read-modify-write that is not atomic is two accesses, "
               "load(a[..]) and store(a[..])");
}
[[noreturn]] BANKMODEL_FN void accesses_must_have_1_2_4_8_12_or_16_bytes_a_lane(long long elements,
                                                                                long long bytes) {
  detail::fail(__func__,
               "no access has the width of vectorized<%> with elements of % bytes; use 1, 2, 4, "
               "8, 12 or 16 bytes in total",
               elements, bytes);
}
[[noreturn]] BANKMODEL_FN void an_access_must_be_vectorized_once() {
  detail::fail(__func__, "vectorized<> is applied twice; apply it once");
}
}  // namespace rule

// One access with its loops and filters. Not written by hand: array[..], for_loop(),
// if_threads(), vectorized() and load() make it.
template <int Wrappers, int Nodes>
struct access_expression {
  array_description array;
  int subscripts = 0;
  slice subscript[max_rank];
  int vector = 1;       // elements that each lane touches
  bool stated = false;  // the kind was given explicitly; the default is load
  access_kind kind = access_kind::load;
  // Wrappers in use; fewer than Wrappers only in expressions built at run time.
  int depth = Wrappers;
  wrapper wrappers[Wrappers == 0 ? 1 : Wrappers];  // from the outermost inwards
  node nodes[Nodes];

  // Returns the access with one more subscript.
  // Error: the array has no further dimension; the access is already inside a loop, a filter or
  // vectorized().
  template <detail::index_or_number Index>
  BANKMODEL_FN auto operator[](const Index& index) const {
    if (depth != 0 || vector != 1 || stated) rule::subscripts_must_stand_inside_loops_and_filters();
    if (subscripts == array.layout.rank) rule::too_many_subscripts(array.layout.rank);
    const auto program = detail::as_index(index);
    constexpr int added = detail::nodes_of<Index>;
    access_expression<Wrappers, Nodes + added> result{};
    result.array = array;
    result.subscripts = subscripts + 1;
    for (int dimension = 0; dimension < subscripts; ++dimension)
      result.subscript[dimension] = subscript[dimension];
    result.subscript[subscripts] = {Nodes, added};
    detail::copy_nodes(result.nodes, nodes, Nodes);
    detail::copy_nodes(result.nodes + Nodes, program.nodes, added);
    return result;
  }
};

template <detail::index_or_number Index>
BANKMODEL_FN auto array_description::operator[](const Index& index) const {
  const auto program = detail::as_index(index);
  constexpr int added = detail::nodes_of<Index>;
  access_expression<0, added> result{};
  result.array = *this;
  result.subscripts = 1;
  result.subscript[0] = {0, added};
  detail::copy_nodes(result.nodes, program.nodes, added);
  return result;
}

// Several accesses, in the order of the kernel; made by for_loop, if_threads and kernel with
// several bodies.
template <class... Accesses>
struct access_list;
template <>
struct access_list<> {};
template <class First, class... Rest>
struct access_list<First, Rest...> {
  First first;
  access_list<Rest...> rest;
};

namespace detail {

template <class T>
inline constexpr bool is_accesses = false;
template <int Wrappers, int Nodes>
inline constexpr bool is_accesses<access_expression<Wrappers, Nodes>> = true;
template <class... Accesses>
inline constexpr bool is_accesses<access_list<Accesses...>> = true;
template <class T>
concept accesses = is_accesses<T>;

template <class First, class... Rest>
BANKMODEL_FN access_list<First, Rest...> list_of_two(const First& first,
                                                     const access_list<Rest...>& rest) {
  return {first, rest};
}

BANKMODEL_FN access_list<> list_of() { return {}; }
template <class First, class... Rest>
BANKMODEL_FN access_list<First, Rest...> list_of(const First& first, const Rest&... rest) {
  return {first, list_of(rest...)};
}

// The access with one more wrapper around it.
template <int Added, int Wrappers, int Nodes>
BANKMODEL_FN auto wrapped(const wrapper& outer, const node (&nodes)[Added],
                          const access_expression<Wrappers, Nodes>& body) {
  access_expression<Wrappers + 1, Nodes + Added> result{};
  result.array = body.array;
  result.subscripts = body.subscripts;
  result.vector = body.vector;
  result.stated = body.stated;
  result.kind = body.kind;
  for (int dimension = 0; dimension < max_rank; ++dimension)
    result.subscript[dimension] = {body.subscript[dimension].first + Added,
                                   body.subscript[dimension].size};
  result.wrappers[0] = outer;
  result.depth = body.depth + 1;
  for (int level = 0; level < Wrappers; ++level) {
    wrapper inner = body.wrappers[level];
    inner.first.first += Added, inner.last.first += Added, inner.step.first += Added;
    result.wrappers[level + 1] = inner;
  }
  copy_nodes(result.nodes, nodes, Added);
  copy_nodes(result.nodes + Added, body.nodes, Nodes);
  return result;
}
template <int Added>
BANKMODEL_FN access_list<> wrapped(const wrapper&, const node (&)[Added], const access_list<>&) {
  return {};
}
template <int Added, class First, class... Rest>
BANKMODEL_FN auto wrapped(const wrapper& outer, const node (&nodes)[Added],
                          const access_list<First, Rest...>& list) {
  return list_of_two(wrapped(outer, nodes, list.first), wrapped(outer, nodes, list.rest));
}

// Returns one body as it is, and several as a list.
template <class Body>
BANKMODEL_FN const Body& as_accesses(const Body& body) {
  return body;
}
template <class First, class Second, class... Rest>
BANKMODEL_FN auto as_accesses(const First& first, const Second& second, const Rest&... rest) {
  return list_of(first, second, rest...);
}

template <int Wrappers, int Nodes>
BANKMODEL_FN auto directed(access_kind kind, access_expression<Wrappers, Nodes> access) {
  if (access.subscripts < access.array.layout.rank)
    rule::too_few_subscripts(access.subscripts, access.array.layout.rank);
  if (access.stated && access.kind != kind) rule::an_access_must_be_a_load_or_a_store_not_both();
  access.stated = true;
  access.kind = kind;
  return access;
}
BANKMODEL_FN access_list<> directed(access_kind, const access_list<>& list) { return list; }
template <class First, class... Rest>
BANKMODEL_FN access_list<First, Rest...> directed(access_kind kind,
                                                  const access_list<First, Rest...>& list) {
  return {directed(kind, list.first), directed(kind, list.rest)};
}

template <int Wrappers, int Nodes>
BANKMODEL_FN auto widened(int elements, access_expression<Wrappers, Nodes> access) {
  if (access.subscripts < access.array.layout.rank)
    rule::too_few_subscripts(access.subscripts, access.array.layout.rank);
  if (access.vector != 1) rule::an_access_must_be_vectorized_once();
  const int bytes = elements * access.array.element_bytes;
  if (bytes > 16 || (bytes != 12 && !is_power_of_two(bytes)))
    rule::accesses_must_have_1_2_4_8_12_or_16_bytes_a_lane(elements, access.array.element_bytes);
  access.vector = elements;
  return access;
}
BANKMODEL_FN access_list<> widened(int, const access_list<>& list) { return list; }
template <class First, class... Rest>
BANKMODEL_FN access_list<First, Rest...> widened(int elements,
                                                 const access_list<First, Rest...>& list) {
  return {widened(elements, list.first), widened(elements, list.rest)};
}

}  // namespace detail

// Returns the accesses with a loop around them:
// for_loop(j, range(0, 32, 8), store(tile[ty + j][tx])).
// Requires: `variable` is i .. n or a loop_variable(), and no other loop around or inside uses
// it.
// Error: `variable` is not a loop variable; in total(), another loop of the nest has the same
// variable.
template <int Nodes, detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto for_loop(const index_expression<1>& variable, const loop_range<Nodes>& range,
                           const Bodies&... bodies) {
  if (variable.nodes[0].op != operation::variable ||
      variable.nodes[0].value < static_cast<long long>(bankmodel::variable::loop_0))
    rule::for_loop_must_be_given_a_loop_variable();
  wrapper loop = range.bounds;
  loop.variable = static_cast<bankmodel::variable>(variable.nodes[0].value);
  return detail::wrapped(loop, range.nodes, detail::as_accesses(bodies...));
}

// Returns the accesses with a condition around them: if_threads(tx < i, load(a[2 * tx])). Lanes
// for which it is false are inactive: their subscripts are not checked, and a warp with no
// active lane issues no request.
template <int Nodes, detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto if_threads(const condition<Nodes>& guard, const Bodies&... bodies) {
  const wrapper filter{wrapper_kind::filter, variable::loop_0, {0, Nodes}, {}, {}};
  return detail::wrapped(filter, guard.nodes, detail::as_accesses(bodies...));
}

// Returns the accesses widened: each lane touches `Elements` consecutive elements with one
// instruction, from the subscripted element on. vectorized<4>(a[4 * tx]) is a float4.
// Requires: Elements times the element size is 1, 2, 4, 8, 12 or 16 bytes, and the subscripted
// address is a multiple of it (of 4 for 12 bytes).
// Error: another width; the access is vectorized already or lacks subscripts; in total(), the
// address is not aligned.
template <int Elements, detail::accesses Body>
BANKMODEL_FN Body vectorized(const Body& body) {
  static_assert(Elements >= 1 && Elements <= 16,
                "bankmodel: vectorized<Elements> takes 1 to 16 elements");
  return detail::widened(Elements, body);
}

// Marks accesses as loads, which is the default.
// Error: an access is marked as another kind, or lacks subscripts.
template <detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto load(const Bodies&... bodies) {
  return detail::directed(access_kind::load, detail::as_accesses(bodies...));
}

// Marks accesses as stores.
// Error: an access is marked as another kind, or lacks subscripts.
template <detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto store(const Bodies&... bodies) {
  return detail::directed(access_kind::store, detail::as_accesses(bodies...));
}

// Marks accesses as atomic read-modify-writes of 4 or 8 bytes, such as
// atomicAdd(&histogram[bin], 1). Lanes of a phase that touch one bank are served one after
// another, even if they share an address. `ideal` counts the lanes that share an address,
// because no layout can separate them. (NVIDIA documents native shared-memory atomics since
// Maxwell but not how lanes are served; this is inferred.)
// Error: an access is marked as another kind, or lacks subscripts.
// Example:
//
//   constexpr auto bins = shared_array<int>("bins", 1024);
//   constexpr block_dim warp{32};
//   static_assert(total(nvidia::sm_90, warp, atomic(bins[tx / 8])) == cost{1, 8, 8, 8});
//   static_assert(total(nvidia::sm_90, warp, atomic(bins[32 * tx])) == cost{1, 32, 1, 32});
template <detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto atomic(const Bodies&... bodies) {
  return detail::directed(access_kind::atomic, detail::as_accesses(bodies...));
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
