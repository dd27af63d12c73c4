// SPDX-License-Identifier: MIT
#include "growth.hpp"

#include <cmath>
#include <cstdio>

namespace bench {
namespace {

std::string ratio(double dividend, double other) {
  return std::isnan(dividend) || std::isnan(other) ? "" : number_text(dividend / other);
}
std::string time(double ns) { return std::isnan(ns) ? "" : time_text(ns); }

void check(const std::string& text, const plain::counts& first, const plain::counts& other) {
  require_same(text + ", requests", first.requests, other.requests);
  require_same(text + ", wavefronts", first.wavefronts, other.wavefronts);
}

// The exponent of n between the last measurement and the first of at least a sixteenth of its size.
double exponent_of(const series& curve) {
  const auto& [last, last_ns] = curve.points.back();
  for (const auto& [size, ns] : curve.points)
    if (size < last && 16 * size >= last) return std::log(last_ns / ns) / std::log(last / size);
  return not_measured;
}
std::string power_of(const series& curve) {
  const double exponent = curve.points.empty() ? not_measured : exponent_of(curve);
  char text[32];
  std::snprintf(text, sizeof text, "n^%.2f", exponent);
  return std::isnan(exponent) ? "" : text;
}

}  // namespace

times growth::add(double size, const std::string& text, const count& total,
                  const count& each_iteration, const count& counted) {
  // Results are kept while they are timed, so that nothing is computed a second time to compare.
  plain::counts by_total, by_iteration, by_counting;
  const auto timed = [](const count& call, plain::counts& result) {
    return [&] { benchmark::DoNotOptimize(result = call()); };
  };
  const auto t = timed(total, by_total), i = timed(each_iteration, by_iteration),
             c = timed(counted, by_counting);
  times ns;
  if (counted) {
    const auto minima = least_ns(c, i, t);
    ns = {minima[0], minima[1], minima[2]};
    check(text + ", counted and total()", by_counting, by_total);
  } else if (each_iteration) {
    const auto minima = least_ns(i, t);
    ns = {not_measured, minima[0], minima[1]};
  } else {
    ns.total = least_ns(t)[0];
  }
  if (each_iteration) check(text + ", each iteration and total()", by_iteration, by_total);
  const double values[] = {ns.counted, ns.each_iteration, ns.total};
  for (std::size_t way = 0; way < 3; ++way)
    if (!std::isnan(values[way])) lines_[way].points.push_back({size, values[way]});
  rows_.push_back({text, ratio(ns.counted, ns.total), ratio(ns.each_iteration, ns.total),
                   time(ns.counted), time(ns.each_iteration), time(ns.total)});
  return ns;
}

std::string growth::total_grows_as() const { return power_of(lines_[2]); }

void growth::write(page& output, const std::string& sizes) const {
  auto rows = rows_;
  rows.push_back(
      {"grows as", "", "", power_of(lines_[0]), power_of(lines_[1]), power_of(lines_[2])});
  output.table({sizes, "counting / total()", "each iteration / total()", "counting",
                "each iteration", "total()"},
               rows);
}

}  // namespace bench
