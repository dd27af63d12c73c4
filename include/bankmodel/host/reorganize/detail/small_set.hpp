// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_SMALL_SET_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_SMALL_SET_HPP

#include <bankmodel/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// Sets of numbers that are emptied very often: those of one request, and those of one block.
namespace bankmodel::detail {

// A hash table from numbers to numbers that is emptied in constant time.
class small_map {
 public:
  // Requires: at most `capacity` different numbers are added before it is emptied.
  explicit small_map(std::size_t capacity) {
    while (slots() < 2 * capacity) ++bits_;
    entries_.resize(slots());
  }
  void clear() {
    if (++generation_ != 0) return;
    entries_.assign(slots(), {});
    generation_ = 1;
  }
  // The value of `key`, which is `value` if the key is new; `is_new` says so.
  std::uint32_t insert(std::uint32_t key, std::uint32_t value, bool& is_new) {
    std::size_t slot = (key * 0x9e3779b9u) >> (32 - bits_);
    for (;; slot = (slot + 1) & (slots() - 1)) {
      entry& candidate = entries_[slot];
      if (candidate.time != generation_) {
        candidate = {key, value, generation_};
        is_new = true;
        return value;
      }
      if (candidate.key == key) {
        is_new = false;
        return candidate.value;
      }
    }
  }
  bool insert(std::uint32_t key) {
    bool is_new = false;
    (void)insert(key, 0, is_new);
    return is_new;
  }

 private:
  struct entry {
    std::uint32_t key = 0, value = 0, time = 0;
  };
  std::size_t slots() const { return std::size_t{1} << bits_; }
  int bits_ = 4;
  std::uint32_t generation_ = 1;
  std::vector<entry> entries_;
};

}  // namespace bankmodel::detail

#endif
