// SPDX-License-Identifier: MIT
// Requests of warps as they are counted without the library.
#ifndef BANKMODEL_TESTS_WARP_REQUESTS_HPP
#define BANKMODEL_TESTS_WARP_REQUESTS_HPP

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace cuda_on_cpu {

enum class kind { load, store, atomic };

// One request of a warp.
struct request {
  bool is_global = false;
  kind operation = kind::load;
  int bytes = 0;  // of a lane
  // The kernel's parameter whose pointer it is, for global memory; else -1.
  int parameter = -1;
  // By lane: from the parameter's pointer, or from the lowest byte of shared memory that the block
  // accesses; -1 in inactive lanes.
  std::vector<long long> address;
  auto operator<=>(const request&) const = default;
};
// How often each is made.
using requests = std::map<request, std::uint64_t>;

}  // namespace cuda_on_cpu

#endif
