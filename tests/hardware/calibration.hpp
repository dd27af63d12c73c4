// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_CALIBRATION_HPP
#define BANKMODEL_TESTS_HARDWARE_CALIBRATION_HPP

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

// Converts clock cycles of an instruction into wavefronts: cycles = a + b * wavefronts, fitted
// to patterns with known wavefronts.
//
// Few wavefronts may be hidden by something that takes as long: an instruction cannot be issued
// each clock, and the data of 32 lanes of 16 bytes take several clocks to return. So the line
// starts where the known patterns begin to follow it.
namespace hardware {

// The fewest cycles of one instruction, and the distance of the repetitions' median above it.
struct timing {
  double cycles = 0, spread = 0;
};

struct sample {
  int wavefronts = 0;
  timing took = {};
};

constexpr double tolerance = 0.2;  // the largest distance of a sure answer from a whole number

struct calibration {
  double a = 0, b = 0;
  int lowest = 0, highest = -1;  // the wavefronts that it can determine
  double hidden = 0;             // it is unsure of fewer cycles than these
  std::string unusable;          // the reason if it can determine none, or empty

  double exactly(double cycles) const { return (cycles - a) / b; }

  // The wavefronts, or nothing if it is unsure.
  std::optional<int> wavefronts(const timing& took) const {
    if (!unusable.empty()) return std::nullopt;
    const double value = exactly(took.cycles), nearest = std::round(value);
    if (!(std::abs(value - nearest) <= tolerance) || nearest < lowest || nearest > highest)
      return std::nullopt;
    if (nearest < hidden + 0.5 || took.spread / b > tolerance) return std::nullopt;
    return static_cast<int>(nearest);
  }
};

namespace detail {

inline calibration fit(const std::vector<sample>& samples, std::size_t first) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t index = first; index < samples.size(); ++index) {
    const double w = samples[index].wavefronts, c = samples[index].took.cycles;
    n += 1, x += w, y += c, xx += w * w, xy += w * c;
  }
  calibration line;
  line.b = (n * xy - x * y) / (n * xx - x * x);
  line.a = (y - line.b * x) / n;
  line.lowest = samples[first].wavefronts;
  line.highest = samples.back().wavefronts;
  return line;
}

inline double worst_residual(const calibration& line, const std::vector<sample>& samples,
                             std::size_t first) {
  double worst = 0;
  for (std::size_t index = first; index < samples.size(); ++index)
    worst = std::max(
        worst, std::abs(line.exactly(samples[index].took.cycles) - samples[index].wavefronts));
  return worst;
}

}  // namespace detail

// Fits the line through as many samples as possible, leaving out the fewest wavefronts first;
// no result is given for cycles up to those that were left out. `broadcast`: all lanes at one
// address; if it takes longer than one wavefront, no result is given up to that time.
inline calibration calibrate(std::vector<sample> samples,
                             const std::optional<timing>& broadcast = std::nullopt) {
  std::sort(samples.begin(), samples.end(),
            [](const sample& a, const sample& b) { return a.wavefronts < b.wavefronts; });
  calibration result;
  for (std::size_t first = 0; first + 4 <= samples.size(); ++first) {
    if (samples.back().wavefronts < 2 * samples[first].wavefronts) break;
    calibration line = detail::fit(samples, first);
    // Half the tolerance is used here, the other half is left for the measured value.
    if (!(line.b > 0.2) || !(detail::worst_residual(line, samples, first) <= tolerance / 2))
      continue;
    for (std::size_t index = 0; index < first; ++index)
      line.hidden = std::max(line.hidden, line.exactly(samples[index].took.cycles));
    if (broadcast && line.exactly(broadcast->cycles) > 1 + tolerance)
      line.hidden = std::max(line.hidden, line.exactly(broadcast->cycles));
    return line;
  }
  result.unusable = samples.size() < 4 ? "fewer than four patterns of known wavefronts"
                                       : "the patterns of known wavefronts are not on a line";
  return result;
}

}  // namespace hardware

#endif
