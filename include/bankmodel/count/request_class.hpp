// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_REQUEST_CLASS_HPP
#define BANKMODEL_COUNT_REQUEST_CLASS_HPP

#include <bankmodel/kernel/index.hpp>
#include <bankmodel/model/request.hpp>

// The form in which requests are passed to counting, searches, explanations and pictures.
namespace bankmodel {

// `trips` bases, each `step` bytes after the previous one.
struct progression {
  long long step = 0, trips = 1;
};

// A place among the requests of a block: the warp, and the iteration of each loop by the number of
// its variable (i is 0), 0 of variables without a loop.
struct request_place {
  int warp = -1;  // -1: not known
  long long trip[loop_variables] = {};
};
// What a step of a progression advances: the loop of a variable, or (loop -1) the warp.
struct place_step {
  int loop = -1;
  long long step = 0;
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
//         assert(requests.first.warp == 0 && requests.place({5}).trip[0] == 5);
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

  // Where the first of them is made, and what a step of each progression advances: set by
  // for_each_request_class(). Of requests that are made several times, the first place counts.
  request_place first = {};
  place_step advance[max_loops] = {};

  // Returns the place of the request after `steps` steps of each progression.
  // Requires: the class has places, as those of for_each_request_class() have.
  BANKMODEL_FN request_place place(const long long (&steps)[max_loops]) const {
    request_place result = first;
    for (int level = 0; level < loops; ++level) {
      if (advance[level].loop < 0)
        result.warp += static_cast<int>(advance[level].step * steps[level]);
      else
        result.trip[advance[level].loop] += advance[level].step * steps[level];
    }
    return result;
  }
};

}  // namespace bankmodel

#endif
