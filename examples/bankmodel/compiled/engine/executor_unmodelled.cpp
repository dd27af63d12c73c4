// SPDX-License-Identifier: MIT
// Instructions and calls that are not modelled: what they may have changed becomes unknown.
#include <algorithm>
#include <string_view>

#include "executor.hpp"

namespace compiled {

namespace {

// An access to a texture or a surface, of CUDA or of PTX.
bool is_of_textures(const instruction& code) {
  constexpr std::string_view names[] = {"tex", "surf", "tld4", "suld", "sust", "sured"};
  return code.may_access_global && !code.may_access_shared &&
         std::ranges::any_of(
             names, [&](std::string_view name) { return code.description.starts_with(name); });
}

}  // namespace

void executor::execute_unknown(warp& current, const step& action, std::uint64_t active) {
  const instruction& code = *action.code;
  bool is_elsewhere = !action.operands.empty();
  if (is_elsewhere) {
    const lane_values address = operand_of(current, action, 0);
    is_elsewhere = is_true_for_all(active, [&](int lane) {
      return !has(address.unknown, lane) && global_number(address[lane]) >= 0;
    });
  }
  leave_out(current, action, active, is_elsewhere);
  forget_results(current, code, active, origins_.intern(code.description, code.location));
}

// Executed by `lanes`, or perhaps. `is_elsewhere`: its address is in global memory.
void executor::leave_out(warp& current, const step& action, std::uint64_t lanes,
                         bool is_elsewhere) {
  const instruction& code = *action.code;
  if (code.operation != opcode::unknown) return;
  if (code.unit != memory_unit::warp) return use_unit(current, action, lanes);
  if (!(code.may_access_global || code.may_access_shared)) return;
  const bool in_shared = action.may_be_shared && !is_elsewhere;
  leaves_out_ = true;
  data_.store_anywhere();
  const int changed = origins_.intern(code.description, code.location);
  if (code.may_access_shared && kernel_.local_bytes > 0)
    for_each_lane(lanes, [&](int lane) {
      local_of(current, lane).forget(0, static_cast<std::uint64_t>(kernel_.local_bytes), changed);
    });
  if (in_shared) {
    leaves_out_shared_ = true;
    recorder_.begin_stretch();
    forget_shared(current, changed);
  }
  if (is_of_textures(code)) {
    const std::string location = text(kernel_, code.location);
    if (!includes(textures_, location)) textures_.push_back(location);
    return;
  }
  leaves_out_more_ = true;
  note(code.description + " at " + text(kernel_, code.location) +
       " is not modelled; what it accesses in " +
       (in_shared ? "shared and global memory is not counted, and no layout is proposed"
                  : "global memory is not counted"));
}

// All bytes may have been changed.
void executor::forget_shared(const warp& current, int changed) {
  shared_.forget(0, shared_.size(), changed);
  shared_times_.note(0, shared_.size(), time_, current.number);
}

}  // namespace compiled
