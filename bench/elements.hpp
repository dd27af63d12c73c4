// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_ELEMENTS_HPP
#define BANKMODEL_BENCH_ELEMENTS_HPP

#include <bankmodel/model/geometry.hpp>
#include <bankmodel/model/pattern.hpp>

#include <vector>

// The elements that a warp's lanes touch, one by one: the input of plain counting.
namespace bench {

namespace bm = bankmodel;

inline std::vector<long long> elements_of(const bm::geometry& g, const bm::access_1d& a) {
  std::vector<long long> result;
  for (int lane = 0; lane < (a.lanes == 0 ? g.bank_num : a.lanes); ++lane)
    result.push_back(a.offset + a.stride * lane);
  return result;
}

inline std::vector<long long> elements_of(const bm::geometry&, const bm::access_2d& a) {
  std::vector<long long> result;
  for (int y = 0; y < a.repeat_y; ++y)
    for (int x = 0; x < a.repeat_x; ++x)
      result.push_back(a.offset + a.stride_x * x + a.stride_y * y);
  return result;
}

}  // namespace bench

#endif
