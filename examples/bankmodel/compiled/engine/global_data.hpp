// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "../code/code.hpp"
#include "run.hpp"

// The data in global memory that are known: what launch::data gives, with what this block stores
// there, and initial values of the module's arrays that the kernel does not store to: which of its
// blocks would have stored before a load is not known.
namespace compiled {

// Returns the number, as recorded_access::array, of the pointer among the arguments or of the array
// of the module with this name; nothing if there is none.
std::optional<int> number_in_global(const kernel_code& kernel, const std::string& name);

// A value was loaded from arrays that the kernel stores to after all: run again without them.
struct data_change {
  std::set<int> arrays;
};

class global_data {
 public:
  // Who accesses it, and when.
  struct moment {
    int warp = 0;
    std::uint32_t time = 0;     // barriers that were passed
    long long instruction = 0;  // another number for each one that a warp executes
  };

  // Arrays have the numbers of recorded_access::array.
  // Error (cannot_run): launch::data names what is no pointer among the arguments and no array.
  global_data(const kernel_code& kernel, const launch& settings, const std::set<int>& changed);

  // The value of 1 to 8 bytes; nothing if it is not known.
  std::optional<std::uint64_t> load(std::uint64_t address, int bytes, const moment& stamp);
  // The value of 1 to 8 bytes; nothing if it is not known, or if it may not be stored.
  // Error (data_change): a value was loaded before, and which block stores first is not known.
  void store(std::uint64_t address, int bytes, std::optional<std::uint64_t> value,
             const moment& stamp);
  // Some address in the array, or any address, is stored to.
  // Error (data_change): a value was loaded from there before.
  void store_somewhere(int array);
  void store_anywhere();

  bool is_empty() const { return known_.empty(); }

  // "the array table is taken to have its initial values", of each array that was loaded from; and
  // which of launch::data the kernel changes.
  std::vector<std::string> notes() const;

 private:
  static constexpr int several = -1;  // in place of a warp
  struct stored_byte {
    std::uint8_t value = 0;
    bool is_known = false;
    moment stored = {};
  };
  struct loaded_byte {
    std::uint8_t value = 0;
    std::uint32_t time = 0;
    int warp = 0;
  };
  struct known_array {
    int number = 0;
    const std::vector<std::uint8_t>* bytes = nullptr;
    std::string note, changed_note;  // what is said if it was loaded from; if it changes
    bool is_given = false;           // launch::data has it
    bool is_constant = false, is_changed = false, was_loaded = false;
    bool may_be_stored = true;
    // By place; the loads if the kernel may store to it.
    std::unordered_map<std::uint64_t, stored_byte> stored = {};
    std::unordered_map<std::uint64_t, loaded_byte> loaded = {};
  };
  known_array* array_of(int number);
  static void change(known_array& array, data_change& loaded);

  std::vector<known_array> known_;
};

}  // namespace compiled
