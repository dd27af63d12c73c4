// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_KNOWN_MACHINES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_KNOWN_MACHINES_HPP

#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace command_line {

namespace bm = bankmodel;

// Every machine that the library has a record of: NVIDIA's, then AMD's, the oldest first.
inline const std::vector<bm::machine>& known_machines() {
  static const std::vector<bm::machine> all = [] {
    std::vector<bm::machine> found;
    for (int capability = 10; capability < 130; ++capability) {
      try {
        found.push_back(bm::nvidia::compute_capability(capability / 10, capability % 10));
      } catch (const bm::error&) {  // there is no such number
      }
    }
    for (int number = 0x600; number < 0x1300; ++number) {
      const bm::machine one = bm::amd::detail::record(number);
      if (one.lanes != 0) found.push_back(one);
    }
    return found;
  }();
  return all;
}

// The name without the bank width.
inline std::string name_of(const bm::machine& m) {
  const std::string all = bm::text(m);
  return all.substr(0, all.find(','));
}

// The machine with the name sm_90, 9.0, gfx942 or gfx90a:xnack-.
inline bm::machine machine_of(std::string_view name, const place& where) {
  if (name.substr(0, 3) == "gfx") {
    try {
      return bm::amd::gfx(std::string(name).c_str());
    } catch (const bm::error& why) {
      const std::string text = why.what();
      throw refusal{where, joined("there is no machine ", name.substr(0, 40)),
                    text.substr(text.find(why.rule()) + std::string(why.rule()).size() + 2)};
    }
  }
  std::string all;
  for (const bm::machine& one : known_machines()) {
    const std::string capability = joined(one.model / 10, ".", one.model % 10);
    if (name == name_of(one) || (one.made_by == bm::vendor::nvidia && name == capability))
      return one;
    all += joined(all.empty() ? "" : ", ", name_of(one));
  }
  throw refusal{where, joined("there is no machine ", name.substr(0, 40)),
                joined("known are ", all)};
}

}  // namespace command_line

#endif
