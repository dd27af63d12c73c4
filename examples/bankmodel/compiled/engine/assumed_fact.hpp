// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace compiled {

// Which block of the grid is counted; its fact says how many blocks there are too.
constexpr std::string_view subject_of_block_index = "block index";

// A fact about a launch or its data that nobody gave.
struct assumed_fact {
  std::string subject;       // "K", "block", "dynamic bytes", "line 12", "block index"
  std::string value;         // "1024", "32x8", "goes on once"
  std::string option;        // the option that gives another value: "--arg K=.."
  std::string reason;        // "the end of the loop at gemm.cu:6:3 depends on it"
  bool is_flag = false;      // an argument of type bool
  bool is_branch = false;    // a branch that is taken or not
  bool is_opposite = false;  // of what the kernel was counted with first
  bool is_reduced = false;   // instead of a value that is known
  bool is_ranged = false;    // a value of a range that is given
  bool operator==(const assumed_fact&) const = default;
};

// "assumed: K = 1024, since the end of the loop at gemm.cu:6:3 depends on it; give --arg K=.."
std::string text_of(const assumed_fact& fact);

}  // namespace compiled
