// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "kernel_analysis.hpp"
#include "made_up_memory.hpp"
#include "memory.hpp"
#include "origins.hpp"
#include "recorder.hpp"
#include "run.hpp"
#include "values.hpp"

// A kernel prepared for one launch: operands are looked up, arguments have their values.
namespace compiled {

// The number of the parameter that has this name in launch::arguments: "width", "p2", or as PTX
// names it; nothing if there is none.
std::optional<std::size_t> parameter_number(const kernel_code& kernel, const std::string& name);

// The range in launch::ranges of an argument, or of its part, that `name` and the number of its
// parameter say; null if there is none.
const std::pair<long long, long long>* range_of_argument(const kernel_code& kernel,
                                                         const launch& settings,
                                                         const std::string& name, int parameter);

struct operand_reference {
  enum class table : std::uint8_t { registers, fixed, specials };
  table storage = table::fixed;
  int index = 0;
};

struct step {
  const instruction* code = nullptr;
  std::vector<operand_reference> operands;
  int shared_access = -1, global_access = -1;  // numbers in the recorder
  bool may_be_shared = false;
  int names_lanes = -1;     // the number of the operand with the lanes that it waits for
  bool only_meets = false;  // its result is not needed
};

class prepared_kernel {
 public:
  // `values`: has what nobody knows of the arguments, and all is computed; null: that is unknown.
  prepared_kernel(const kernel_analysis& analysis, const launch& settings, origin_table& origins,
                  recorder& target, const made_up_memory* values = nullptr);

  // Without instructions that decide about no request, unless all is computed.
  const std::vector<step>& block(int number) const { return blocks_[slot(number)]; }
  const kernel_analysis& analysis() const { return analysis_; }

  const shared_layout& shared() const { return shared_; }
  const tracked_bytes& arguments() const { return arguments_; }
  const fixed_values& fixed(int number) const { return fixed_[slot(number)]; }

  static constexpr int specials = static_cast<int>(special::last) + 1;
  // True if an instruction reads it.
  bool uses_special(int number) const { return uses_special_[slot(number)]; }

 private:
  void set_arguments(origin_table& origins, const made_up_memory* values);
  operand_reference reference(const operand& source, int bytes, int never_written);

  const kernel_analysis& analysis_;
  const kernel_code& kernel_;
  const launch& settings_;
  shared_layout shared_;
  tracked_bytes arguments_;
  std::vector<std::vector<step>> blocks_;
  std::vector<fixed_values> fixed_;
  std::array<bool, specials> uses_special_{};
  std::map<std::tuple<operand::kind, std::uint64_t, int>, int> fixed_numbers_;
};

}  // namespace compiled
