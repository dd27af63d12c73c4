// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_KERNEL_HPP
#define BANKMODEL_KERNEL_KERNEL_HPP

#include <bankmodel/kernel/access.hpp>

namespace bankmodel {

// The threads of a block, as blockDim: block_dim{32, 8} has 256.
struct block_dim {
  int x = 1, y = 1, z = 1;
  bool operator==(const block_dim&) const = default;
};

// The block index: the values of bx, by and bz.
struct block_index {
  long long x = 0, y = 0, z = 0;
  bool operator==(const block_index&) const = default;
};

// A block shape and the accesses of one kernel; made by kernel().
template <class... Accesses>
struct kernel_description {
  block_dim block;
  access_list<Accesses...> accesses;
};

namespace detail {
template <class T>
inline constexpr bool follows_a_machine = accesses<T>;
template <>
inline constexpr bool follows_a_machine<block_dim> = true;
template <class... Accesses>
inline constexpr bool follows_a_machine<kernel_description<Accesses...>> = true;
// What a call has first if its machine was forgotten. Each question has an overload for it, and one
// for a forgotten block, whose static_assert says so; else compilers print all candidates.
template <class T>
concept not_a_machine = follows_a_machine<T>;
template <class T>
inline constexpr bool is_never = false;
}  // namespace detail

// Returns the description of a kernel: its block shape and its accesses, in their order.
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto transpose = kernel(block_dim{32, 8}, store(tile[ty][tx]), load(tile[tx][ty]));
//   static_assert(total(nvidia::sm_90, transpose) == cost{16, 264, 16, 32});
template <detail::accesses... Accesses>
BANKMODEL_FN kernel_description<Accesses...> kernel(const block_dim& block,
                                                    const Accesses&... accesses) {
  return {block, detail::list_of(accesses...)};
}

// Calls visit(access) for each single access of an access, a list or a kernel, in their order.
template <int Wrappers, int Nodes, class Visit>
constexpr void for_each_access(const access_expression<Wrappers, Nodes>& access, Visit&& visit) {
  visit(access);
}
template <class Visit>
constexpr void for_each_access(const access_list<>&, Visit&&) {}
template <class First, class... Rest, class Visit>
constexpr void for_each_access(const access_list<First, Rest...>& list, Visit&& visit) {
  for_each_access(list.first, visit);
  for_each_access(list.rest, visit);
}
template <class... Accesses, class Visit>
constexpr void for_each_access(const kernel_description<Accesses...>& kernel, Visit&& visit) {
  for_each_access(kernel.accesses, visit);
}

}  // namespace bankmodel

#endif
