// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_KNOWN_CONFLICTS_HPP
#define BANKMODEL_BENCH_KNOWN_CONFLICTS_HPP

#include "generated_kernels.hpp"
#include "heuristics.hpp"

#include <bankmodel/count/total.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace dissertation {

// The exact conflicts of a generated kernel's arrays, counted once for each padding and base: all
// heuristics ask for the same again and again.
class known_conflicts {
 public:
  known_conflicts(const bm::machine& machine, const generated::kernel& kernel) : kernel_(kernel) {
    for (const int width : {machine.bank_width, machine.other_bank_width})
      if (width != 0) machines_.push_back(machine.with_bank_width(width));
    known_.resize(machines_.size() * kernel.arrays.size() * paddings * bases, unknown);
  }

  kernel_to_pad to_pad() {
    kernel_to_pad result;
    for (const auto& array : kernel_.arrays)
      result.arrays.push_back({array.layout.extent[0], array.layout.extent[1] * array.element_bytes,
                               array.element_bytes});
    for (const auto& machine : machines_) {
      auto& banks = result.banks.emplace_back();
      for (const auto& array : kernel_.arrays)
        banks.push_back(machine.banks(array.element_bytes, bm::access_kind::load));
    }
    result.conflicts = [this](std::size_t width, std::size_t array, long long padding,
                              long long base_bytes) {
      return conflicts(width, array, padding, base_bytes);
    };
    return result;
  }

 private:
  static constexpr std::size_t paddings = 64, bases = 64;
  static constexpr unsigned long long unknown = std::numeric_limits<unsigned long long>::max();

  unsigned long long conflicts(std::size_t width, std::size_t number, long long padding,
                               long long base_bytes) {
    const bm::machine& machine = machines_[width];
    const bm::array_description& array = kernel_.arrays[number];
    const bm::geometry banks = machine.banks(array.element_bytes, bm::access_kind::load);
    const long long period =
        std::max(banks.W == banks.N ? banks.N : banks.bank_num * banks.W, array.element_bytes);
    const long long base = base_bytes % period;
    const std::size_t place =
        ((width * kernel_.arrays.size() + number) * paddings + static_cast<std::size_t>(padding)) *
        bases;
    unsigned long long& known =
        known_[place + static_cast<std::size_t>(base / array.element_bytes)];
    if (known != unknown) return known;
    known = 0;
    for (const std::size_t index : {2 * number, 2 * number + 1}) {
      generated::access access = kernel_.accesses[index];
      access.array = array.with(array.layout.padded(padding)).at(base);
      known += bm::total(machine, kernel_.block, access).conflicts();
    }
    return known;
  }

  const generated::kernel& kernel_;
  std::vector<bm::machine> machines_;
  std::vector<unsigned long long> known_;
};

}  // namespace dissertation

#endif
