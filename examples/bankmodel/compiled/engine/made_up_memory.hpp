// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../code/code.hpp"
#include "run.hpp"

// Global memory and arguments with made-up contents, for a run that computes values.
namespace compiled {

// Numbers in which bits of all words together decide about each bit.
constexpr std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}
constexpr std::uint64_t mixed(std::uint64_t value, std::uint64_t other) {
  return mixed(mixed(value + 0x9e3779b97f4a7c15u) ^ other);
}

// What the bits of an element are.
struct element_format {
  enum class content : std::uint8_t {
    integer,
    half,
    brain_float,
    single,
    double_precision,
    address
  };
  content is = content::single;
  int bytes = 4;
};

class made_up_memory {
 public:
  using contents = std::unordered_map<std::uint64_t, std::uint8_t>;

  // Both must outlive it. Arrays have what launch::data gives, if it has them.
  made_up_memory(const kernel_code& kernel, const launch& settings);

  // The value of 1 to 8 bytes: what was stored last, else what the array has at first. That is its
  // initial value if it has one. Else, by the type of its elements, numbers from -8 to 8 without 0,
  // so that sums of products are exact in whichever order they are computed; integers from 0 to 7,
  // which may be indices; addresses in the same array.
  std::uint64_t load(std::uint64_t address, int bytes) const;
  void store(std::uint64_t address, int bytes, std::uint64_t value);

  // The value of 1 to 8 bytes, from this byte of the argument on.
  std::uint64_t argument(std::size_t number, std::uint64_t first, int bytes) const;

  // By address, what was stored last.
  const contents& stored() const { return stored_; }

 private:
  struct array {
    element_format elements, pointed;  // what addresses among the elements point to
    const std::vector<std::uint8_t>* content = nullptr;
  };
  std::uint8_t initial(std::uint64_t address) const;

  const kernel_code& kernel_;
  std::vector<array> arrays_;  // as global_number()
  contents stored_;
};

}  // namespace compiled
