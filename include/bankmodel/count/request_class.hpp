// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_REQUEST_CLASS_HPP
#define BANKMODEL_COUNT_REQUEST_CLASS_HPP

#include <bankmodel/model/request.hpp>

// The form in which requests are passed to counting, searches, explanations and pictures.
namespace bankmodel {

// `trips` bases, each `step` bytes after the previous one.
struct progression {
  long long step = 0, trips = 1;
};

// Requests with the same lane pattern, whose bases are a nest of progressions. Their source does
// not matter: an expression, a compiled kernel or a trace.
//
// Example: one warp of 32 lanes, and an array at byte 1024:
//
//   constexpr auto a = shared_array<float>("a", 1024).at(1024);
//   for_each_request_class(
//       nvidia::sm_90, block_dim{32}, for_loop(i, range(0, 8), a[2 * tx + 64 * i]),
//       [](const request_class& requests) {
//         assert(requests.lanes.active == 0xffffffff && requests.lanes.address[3] == 8 * 3);
//         assert(requests.base == 1024 && requests.loops == 1 && requests.times == 1);
//         assert(requests.loop[0].step == 256 && requests.loop[0].trips == 8);
//       });
struct request_class {
  // Active lanes, bytes and kind of access; address[lane] is the distance from the base in bytes.
  request lanes = {};
  long long base = 0;  // of the first request, in bytes from the start of shared memory
  // The bases are base + k * loop[0].step + l * loop[1].step + .., with 0 <= k < loop[0].trips,
  // 0 <= l < loop[1].trips and so on.
  static constexpr int max_loops = 9;
  progression loop[max_loops] = {};
  int loops = 0;
  std::uint64_t times = 1;  // how often each of these requests is made; 1 or more
};

}  // namespace bankmodel

#endif
