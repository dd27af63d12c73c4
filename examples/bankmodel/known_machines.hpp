// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace command_line {

namespace bm = bankmodel;

// Every machine that the library has a record of: NVIDIA's, then AMD's, the oldest first.
inline const std::vector<bm::machine>& known_machines() {
  static const std::vector<bm::machine> machines = [] {
    std::vector<bm::machine> records;
    for (int capability = 10; capability < 130; ++capability) {
      try {
        records.push_back(bm::nvidia::compute_capability(capability / 10, capability % 10));
      } catch (const bm::error&) {  // there is no such number
      }
    }
    for (int number = 0x600; number < 0x1300; ++number) {
      const bm::machine candidate = bm::amd::detail::record(number);
      if (candidate.lanes != 0) records.push_back(candidate);
    }
    return records;
  }();
  return machines;
}

// The name without the bank width.
inline std::string name_of(const bm::machine& m) {
  const std::string full_name = bm::text(m);
  return full_name.substr(0, full_name.find(','));
}

// The same for people: "sm_35 with 8-byte banks" where they are not those that it begins with.
std::string shown_name(const bm::machine& m);

// Of an NVIDIA machine's name 'a' of sm_90a, 'f' of sm_100f, and 0 of sm_90. A product has all that
// it can: 'a'.
char suffix_of_architecture(std::string_view name);

// The machine where none is named.
inline constexpr std::string_view default_machine = "sm_90";

// The machine with the name sm_90, sm_90a, sm90, 9.0, gfx942, gfx90a:xnack-, h100 or MI300X.
bm::machine machine_of(std::string_view name, const place& position);

// The machines with these names, each once; those of `otherwise` if there is no name, or the
// default one. `bank_width`: in bytes; 0: as they begin; of all machines those that offer it.
// Error (refusal): a name that is not known; a machine does not offer that width.
std::vector<bm::machine> machines_named(const std::vector<std::string>& names, bool is_each_known,
                                        const std::vector<bm::machine>& otherwise, int bank_width);

}  // namespace command_line
