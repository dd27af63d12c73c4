// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_KNOWN_MACHINES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_KNOWN_MACHINES_HPP

#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace command_line {

namespace bm = bankmodel;

// Every machine that the library has a record of, the oldest first.
inline const std::vector<bm::machine>& known_machines() {
  static const std::vector<bm::machine> all = [] {
    std::vector<bm::machine> found;
    for (int capability = 30; capability < 130; ++capability) {
      try {
        found.push_back(bm::nvidia::compute_capability(capability / 10, capability % 10));
      } catch (const bm::error&) {  // there is none of that number
      }
    }
    return found;
  }();
  return all;
}

inline std::string name_of(const bm::machine& m) { return joined("sm_", m.model); }

// The machine that is called sm_90 or 9.0.
inline bm::machine machine_of(std::string_view name, const place& where) {
  std::string all;
  for (const bm::machine& one : known_machines()) {
    const std::string capability = joined(one.model / 10, ".", one.model % 10);
    if (name == name_of(one) || name == capability) return one;
    all += joined(all.empty() ? "" : ", ", name_of(one));
  }
  throw refusal{where, joined("there is no machine ", name.substr(0, 40)), joined("known are ", all)};
}

}  // namespace command_line

#endif
