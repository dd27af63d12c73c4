// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_PICTURE_HPP
#define BANKMODEL_BENCH_PICTURE_HPP

#include <string>
#include <utility>
#include <vector>

// A picture of how times grow, as SVG.
namespace bench {

struct series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // size, nanoseconds
};

// Both axes are logarithmic. At most three series; each point is a measurement.
std::string log_log(const std::string& title, const std::string& sizes,
                    const std::vector<series>& curves);

}  // namespace bench

#endif
