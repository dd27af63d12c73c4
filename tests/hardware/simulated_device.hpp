// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_SIMULATED_DEVICE_HPP
#define BANKMODEL_TESTS_HARDWARE_SIMULATED_DEVICE_HPP

#include "calibration.hpp"
#include "patterns.hpp"
#include "profiler.hpp"

#include <map>
#include <set>

// A device that follows rules written here once more, with sets, to test the comparison of
// devices with the model.
namespace hardware {

// The rules, and wrong ones to be found.
struct rules {
  bool loads_merge = true, stores_merge = false, matrices_merge = false;
  bool quarters_of_16 = true;  // or else halves
  bool atomics_lane_by_lane = true;
  bool copies_lane_by_lane = true, uncached_copies_at_once = true;
  bool sources_take_wavefronts = true;  // of cp.async to places in order
  int banks = 32;
};

class simulated_device {
 public:
  explicit simulated_device(const rules& options) : rules_(options) {}

  // cycles = a + b * wavefronts + noise, at least `min_cycles` (which is how long an instruction
  // takes to issue, or its data to return).
  double a = 3.5, b = 1.03, min_cycles = 0, noise = 0;

  int wavefronts(instruction opcode, const bankmodel::request& asked) const {
    int sum = 0;
    for (const std::set<int>& phase : phases(opcode, asked)) {
      std::map<long long, std::set<long long>> rows;  // of each bank
      std::map<long long, int> lanes;
      for (const int lane : phase) {
        std::set<long long> words;
        // aligned
        for (int byte = 0; byte < asked.bytes; byte += 4)
          words.insert((asked.address[lane] + byte) / 4);
        for (const long long word : words) {
          rows[word % rules_.banks].insert(word / rules_.banks);
          ++lanes[word % rules_.banks];
        }
      }
      int highest = 0;
      const bool is_bypass =
          opcode == instruction::copy_16_bypass || opcode == instruction::copy_16_bypass_from;
      const bool counts_lanes =
          is_copy(opcode) ? rules_.copies_lane_by_lane
                          : opcode == instruction::atomic_4 && rules_.atomics_lane_by_lane;
      for (const auto& [bank, different] : rows)
        highest =
            std::max(highest, counts_lanes ? lanes[bank] : static_cast<int>(different.size()));
      const bool is_free = has_source_pattern(opcode) && !rules_.sources_take_wavefronts;
      sum +=
          is_free || (is_bypass && rules_.uncached_copies_at_once) ? std::min(highest, 1) : highest;
    }
    return sum;
  }

  timing time(instruction opcode, const bankmodel::request& asked) {
    const double exact = std::max(min_cycles, a + b * wavefronts(opcode, asked));
    // The median of the repetitions exceeds the fewest by the same amount.
    return {exact + noise * (random_.draw(1001) / 1000.0), noise * (random_.draw(1001) / 1000.0)};
  }

 private:
  std::vector<std::set<int>> phases(instruction opcode, const bankmodel::request& asked) const {
    int lanes_of_phase = asked.bytes <= 4                             ? 32
                         : asked.bytes == 8 || !rules_.quarters_of_16 ? 16
                                                                      : 8;
    const bool may_merge = is_matrix(opcode) ? rules_.matrices_merge
                           : is_copy(opcode) ? false
                           : describe(opcode).kind == bankmodel::access_kind::load
                               ? rules_.loads_merge
                               : rules_.stores_merge;
    if (lanes_of_phase < 32 && may_merge && (agree(asked, 1) || agree(asked, 2)))
      lanes_of_phase *= 2;
    std::vector<std::set<int>> result(static_cast<std::size_t>(32 / lanes_of_phase));
    for (int lane = 0; lane < 32; ++lane)
      if ((asked.active >> lane & 1) != 0)
        result[static_cast<std::size_t>(lane / lanes_of_phase)].insert(lane);
    return result;
  }

  // Every active lane's partner is inactive or has the same address.
  static bool agree(const bankmodel::request& asked, int partner) {
    for (int lane = 0; lane < 32; ++lane) {
      const int other = lane ^ partner;
      if ((asked.active >> lane & 1) == 0 || (asked.active >> other & 1) == 0) continue;
      if (asked.address[lane] != asked.address[other]) return false;
    }
    return true;
  }

  rules rules_;
  dice random_{7};
};

// The launches of measure.cu for these patterns, and the output of ncu for them.
inline std::vector<launch> launches_of(const std::vector<pattern>& patterns, int times) {
  std::vector<launch> result;
  for (const pattern& p : patterns) {
    if (result.empty() || result.back().opcode != p.opcode)
      result.push_back({p.opcode, std::nullopt, 0});
    result.push_back({p.opcode, p.id, times});
  }
  return result;
}

inline std::string with_thousands(long long value) {
  std::string text = std::to_string(value);
  for (std::size_t position = text.size(); position > 3;)
    text.insert(position -= 3, 1, ',');  // not ",": g++ 12 warns wrongly
  return text;
}

inline std::string profiled(const simulated_device& device, const std::vector<launch>& launches,
                            const std::vector<pattern>& patterns) {
  std::string text =
      "==PROF== Connected to process 4711 (/tmp/measure)\n==PROF== Disconnected from process 4711\n"
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "
      "Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
      "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (std::size_t number = 0; number < launches.size(); ++number) {
    const launch& entry = launches[number];
    const long long noise = 5;  // that every launch has
    const long long counted =
        noise + (entry.id
                     ? static_cast<long long>(entry.times) *
                           device.wavefronts(entry.opcode,
                                             patterns[static_cast<std::size_t>(*entry.id)].asked)
                     : 0);
    const std::string start =
        "\"" + std::to_string(number) +
        "\",\"4711\",\"measure\",\"127.0.0.1\",\"void hardware::issue<hardware::kernels::" +
        describe(entry.opcode).name +
        ">(hardware::task)\",\"1\",\"7\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"Command line "
        "profiler metrics\",";
    text += start + "\"" + counter_metric + "\",\"\",\"" + with_thousands(counted) + "\"\n";
    text += start + "\"" + source_metric + "\",\"byte\",\"" + with_thousands(counted - noise) +
            ".00\"\n";
  }
  return text;
}

}  // namespace hardware

#endif
