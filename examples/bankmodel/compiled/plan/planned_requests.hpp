// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "../page/page.hpp"

// The requests to one array that a plan is made for.
namespace compiled {

// The requests to one array as they are issued, with bases from its start: a layout that takes
// accesses apart which the compiler joins would cost more than it says.
struct requests_to_plan {
  std::vector<bm::request_class> classes;  // none if not all are known
  int widest = 0;                          // the bytes of the widest access
  bool is_as_issued = false;               // some are not issued as they are written
  // Among them copies whose source takes more wavefronts than a destination in order: these, by
  // base, and what the source takes whatever the layout is.
  struct slow_copy {
    bm::request_class requests;
    std::uint64_t source = 0;  // of one request
  };
  std::vector<slow_copy> slow_copies = {};
};

enum class widths : std::uint8_t { as_issued, as_written };

// True of `extern __shared__` arrays, whose bytes are those of the launch.
inline bool is_dynamic(const code_array& array) { return array.bytes == 0; }

// True if the compiler removes all accesses to the array, such as stores that no code loads: a plan
// is then made for those that are written.
bool is_never_issued(const page& kernel_page, int array);

// True if some accesses to the array are not issued as they are written.
bool is_issued_otherwise(const page& kernel_page, int array);

// Those to array `number`, which starts at byte `start`.
requests_to_plan requests_of(const page& kernel_page, int number, long long start, widths wanted);

// True if lanes access parts of elements, as of structures, and none accesses parts of several.
bool are_of_members(const requests_to_plan& requests, int element_bytes);

// How many they are if each base is a request of its own.
std::uint64_t requests_without_loops(const std::vector<bm::request_class>& classes);

// The extents that accesses use: columns at the end of each row that none does are left out.
std::vector<long long> used_extents(const std::vector<long long>& declared, int element_bytes,
                                    const std::vector<bm::request_class>& classes);

// The same requests with each byte of the array where `moved` has it, without loops.
std::vector<bm::request_class> moved_requests(const std::vector<bm::request_class>& classes,
                                              const std::function<long long(long long)>& moved);

// The same requests to an array of fewer columns, without loops.
// Requires: they use no others.
std::vector<bm::request_class> in_used_columns(const std::vector<bm::request_class>& classes,
                                               const std::vector<long long>& declared,
                                               const std::vector<long long>& used,
                                               int element_bytes);

}  // namespace compiled
