// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ENGINE_GLOBAL_DATA_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ENGINE_GLOBAL_DATA_HPP

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../code/code.hpp"
#include "run.hpp"

// The data in global memory that are known: what launch::data gives, and initial values of the
// module's arrays. Only those of arrays that the kernel does not store to: which of its threads and
// blocks would have stored before a load is not known.
namespace compiled {

// A value was loaded from arrays that the kernel stores to after all: run again without them.
struct data_change {
  std::set<int> arrays;
};

class global_data {
 public:
  // Arrays have the numbers of recorded_access::array.
  // Error (cannot_run): launch::data names what is no pointer among the arguments and no array.
  global_data(const kernel_code& kernel, const launch& how, const std::set<int>& changed);

  // The value of 1 to 8 bytes; nothing if it is not known.
  std::optional<std::uint64_t> load(std::uint64_t address, int bytes);
  // The kernel stores there, or nobody knows where.
  // Error (data_change): a value was loaded from there before.
  void store(std::uint64_t address);
  void store_anywhere();

  // "the array table is taken to have its initial values", of each array that was loaded from; and
  // which of launch::data the kernel changes.
  std::vector<std::string> notes() const;

 private:
  struct known_array {
    int number = 0;
    const std::vector<std::uint8_t>* bytes = nullptr;
    std::string note, changed_note;  // what is said if it was loaded from; if it changes
    bool is_constant = false, is_changed = false, was_loaded = false;
  };
  known_array* array_at(std::uint64_t address);

  std::vector<known_array> known_;
};

}  // namespace compiled

#endif
