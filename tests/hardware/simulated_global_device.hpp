// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_SIMULATED_GLOBAL_DEVICE_HPP
#define BANKMODEL_TESTS_HARDWARE_SIMULATED_GLOBAL_DEVICE_HPP

#include "global_measured.hpp"
#include "simulated_device.hpp"

// A device whose global memory follows rules that are written here once more, with sets, and the
// output of ncu for it.
namespace hardware {

// The rules of the records of 7.0 and later, and wrong ones to be found.
struct global_rules {
  int sector = 32;
  int lanes_together_of_16 = 32;   // lanes of 16 bytes that are counted together
  bool stores_by_lane = false;     // each lane's sectors are counted
  bool atomics_in_rounds = false;  // each lane on one word is counted
  bool cg_by_lines = false;        // loads past the first cache count all sectors of a line
};

class simulated_global_device {
 public:
  explicit simulated_global_device(const global_rules& options) : rules_(options) {}

  int sectors(global_instruction opcode, const bankmodel::request& asked) const {
    const int group_size = asked.bytes == 16 ? rules_.lanes_together_of_16 : 32;
    const bool is_atomic = describe(opcode).kind == bankmodel::access_kind::atomic,
               is_store = describe(opcode).kind == bankmodel::access_kind::store;
    std::set<std::vector<long long>> counted;  // group, round, sector
    std::map<long long, long long> times;      // lanes so far on an address
    for (int lane = 0; lane < 32; ++lane) {
      if ((asked.active >> lane & 1) == 0) continue;
      const long long round = is_atomic && rules_.atomics_in_rounds ? times[asked.address[lane]]++
                              : is_store && rules_.stores_by_lane   ? lane
                                                                    : 0;
      for (int byte = 0; byte < asked.bytes; ++byte)
        add(opcode, counted, lane / group_size, round, asked.address[lane] + byte);
    }
    return static_cast<int>(counted.size());
  }

 private:
  void add(global_instruction opcode, std::set<std::vector<long long>>& counted, long long group,
           long long round, long long byte) const {
    const bool is_cg = opcode == global_instruction::global_load_cg_4 ||
                       opcode == global_instruction::global_load_cg_16;
    if (!is_cg || !rules_.cg_by_lines)
      counted.insert({group, round, byte / rules_.sector});
    else
      for (long long sector = 0; sector < 4; ++sector)
        counted.insert({group, round, byte / 128 * 4 + sector});
  }

  global_rules rules_;
};

// The launches of measure_global.cu.
inline std::vector<launch_of<global_instruction>> global_launches(
    const std::vector<global_pattern>& patterns, int times) {
  std::vector<launch_of<global_instruction>> result;
  for (const global_pattern& p : patterns) {
    if (result.empty() || result.back().opcode != p.opcode)
      result.push_back({p.opcode, std::nullopt, 0});
    result.push_back({p.opcode, p.id, times});
  }
  return result;
}

// ncu writes every requested metric of every launch, those of other operations too.
inline std::string profiled(const simulated_global_device& device,
                            const std::vector<launch_of<global_instruction>>& launches,
                            const std::vector<global_pattern>& patterns) {
  std::string text =
      "==PROF== Connected to process 4711 (/tmp/measure_global)\n\"ID\",\"Kernel Name\","
      "\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (std::size_t number = 0; number < launches.size(); ++number) {
    const auto& entry = launches[number];
    const std::string start =
        "\"" + std::to_string(number) +
        "\",\"void hardware::issue_global<hardware::kernels::" + describe(entry.opcode).name +
        ">(hardware::global_task)\",\"(1, 1, 1)\",";
    const long long sectors =
        entry.id ? device.sectors(entry.opcode, patterns[static_cast<std::size_t>(*entry.id)].asked)
                 : 0;
    for (const std::string& metric : global_metrics()) {
      const long long noise = 5;  // that every launch has
      long long value = noise;
      if (metric == sectors_metric(entry.opcode) || metric == by_code_metric(entry.opcode))
        value += sectors * entry.times;
      if (metric == requests_metric(entry.opcode)) value += entry.times;
      text += start + "\"" + metric + "\",\"sector\",\"" + with_thousands(value) + "\"\n";
    }
  }
  return text;
}

}  // namespace hardware

#endif
