// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace compiled {

// The instructions of an assembly text that a jump to an earlier one repeats. They are given in
// their order.
class repeated_lines {
 public:
  // The label of the next instruction.
  void add_label(const std::string& name) { labels_[name] = count_; }
  void next() { ++count_; }
  std::size_t place() const { return count_ - 1; }  // of the last one

  // A jump of the last instruction.
  void add_jump(const std::string& label) {
    if (const auto entry = labels_.find(label); entry != labels_.end())
      ranges_.emplace_back(entry->second, place());
  }
  // A call, or a jump by a register: it may repeat each instruction.
  void add_unknown_jump() { has_unknown_jump_ = true; }

  bool has(std::size_t place) const {
    if (has_unknown_jump_) return true;
    for (const auto& [first, last] : ranges_)
      if (first <= place && place <= last) return true;
    return false;
  }

 private:
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
  bool has_unknown_jump_ = false;
};

}  // namespace compiled
