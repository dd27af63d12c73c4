// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_BUFFER_HPP
#define BANKMODEL_SEARCH_BUFFER_HPP

#include <bankmodel/layout/tile_storage.hpp>
#include <bankmodel/search/plan.hpp>

// Storage for all arrays of a plan, each at its offset. Example, in a kernel:
//
//   static constexpr auto rows = shared_array<float>("rows", 32, 8);
//   static constexpr auto sums = shared_array<int>("sums", 256);
//   static constexpr auto plan = optimize(
//       nvidia::sm_90, kernel(block_dim{32, 8}, load(rows[tx][ty]), store(sums[tid])));
//   __shared__ plan_buffer<plan> memory;                          // static
//   const auto r = memory.view<float, rows>();                    // r(row, column)
//   extern __shared__ unsigned char more[];                       // dynamic, plan.bytes() bytes
//   const auto s = plan_memory<plan>(more).view<int, sums>();
//   static_assert(plan.after().conflicts() == 0);
namespace bankmodel {

namespace rule {
template <long long Given, long long Planned>
struct an_array_must_be_viewed_with_elements_of_its_size {
  static_assert(Given == Planned,
                "bankmodel: view<T, array>() requires a T of the array's element size, see "
                "an_array_must_be_viewed_with_elements_of_its_size<bytes of T, bytes in the plan>");
  static constexpr bool value = true;
};
}  // namespace rule

namespace detail {
template <class T, const auto& Plan, const auto& Array>
BANKMODEL_HOST_DEVICE auto view_of_planned(unsigned char* memory) {
  constexpr layout planned = Plan.layout(Array);
  constexpr long long offset = Plan.offset_bytes(Array);
  static_assert(rule::an_array_must_be_viewed_with_elements_of_its_size<
                sizeof(T), Plan.array(Array).declared.element_bytes>::value);
  return tile_view<T, planned>::template at<offset>(memory);
}
}  // namespace detail

// A __shared__ variable that holds all arrays of `Plan`: Plan.bytes() bytes with
// Plan.alignment(), rounded up to it.
// Requires: `Plan` has static storage duration.
template <const auto& Plan>
class plan_buffer {
 public:
  // Returns a tile_view of T on the plan's array of that description or name.
  // Requires: T has the array's element size, and the plan has the array; else it does not
  // compile.
  template <class T, const auto& Array>
  BANKMODEL_HOST_DEVICE auto view() {
    return detail::view_of_planned<T, Plan, Array>(memory_);
  }

 private:
  alignas(Plan.alignment()) unsigned char memory_[static_cast<unsigned long long>(Plan.bytes())];
};

// A non-owning version for dynamic shared memory: `memory` points to Plan.bytes() bytes that
// are aligned to Plan.alignment().
template <const auto& Plan>
class plan_memory {
 public:
  BANKMODEL_FN explicit plan_memory(unsigned char* memory) : memory_(memory) {}

  template <class T, const auto& Array>
  BANKMODEL_HOST_DEVICE auto view() const {
    return detail::view_of_planned<T, Plan, Array>(memory_);
  }

 private:
  unsigned char* memory_;
};

}  // namespace bankmodel

#endif
