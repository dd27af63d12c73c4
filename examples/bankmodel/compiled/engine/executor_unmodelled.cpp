// SPDX-License-Identifier: MIT
// Instructions and calls that are not modelled: what they may have changed becomes unknown.
#include <algorithm>
#include <string_view>

#include "executor.hpp"

namespace compiled {

namespace {

// An access to a texture or a surface, of CUDA or of PTX.
bool is_of_textures(const instruction& does) {
  constexpr std::string_view names[] = {"tex", "surf", "tld4", "suld", "sust", "sured"};
  return does.may_access_global && !does.may_access_shared &&
         std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return does.what.starts_with(name); });
}

}  // namespace

void executor::execute_unknown(warp& of, const step& one, std::uint64_t active) {
  const instruction& does = *one.does;
  bool is_elsewhere = !one.from.empty();
  if (is_elsewhere) {
    const lane_values address = operand_of(of, one, 0);
    is_elsewhere = (address.unknown & active) == 0;
    for_each_lane(active, [&](int lane) {
      is_elsewhere = is_elsewhere && global_number(address[lane]) >= 0;
    });
  }
  leave_out(of, one, active, is_elsewhere);
  forget_results(of, does, active, origins_.of(does.what, does.where));
}

// Executed by `lanes`, or perhaps. `is_elsewhere`: its address is in global memory.
void executor::leave_out(warp& of, const step& one, std::uint64_t lanes, bool is_elsewhere) {
  const instruction& does = *one.does;
  if (does.does != opcode::unknown) return;
  if (does.unit != memory_unit::warp) return use_unit(of, one, lanes);
  if (!(does.may_access_global || does.may_access_shared)) return;
  const bool in_shared = one.may_be_shared && !is_elsewhere;
  leaves_out_ = true;
  data_.store_anywhere();
  const int changed = origins_.of(does.what, does.where);
  if (does.may_access_shared && kernel_.local_bytes > 0)
    for_each_lane(lanes, [&](int lane) {
      local_of(of, lane).forget(0, static_cast<std::uint64_t>(kernel_.local_bytes), changed);
    });
  if (in_shared) {
    leaves_out_shared_ = true;
    recorder_.begin_stretch();
    forget_shared(of, changed);
  }
  if (is_of_textures(does)) {
    const std::string where = text(kernel_, does.where);
    if (std::find(textures_.begin(), textures_.end(), where) == textures_.end())
      textures_.push_back(where);
    return;
  }
  leaves_out_more_ = true;
  note(does.what + " at " + text(kernel_, does.where) + " is not modelled; what it accesses in " +
       (in_shared ? "shared and global memory is not counted, and no layout is proposed"
                  : "global memory is not counted"));
}

// All bytes may have been changed.
void executor::forget_shared(const warp& of, int changed) {
  shared_.forget(0, shared_.size(), changed);
  shared_times_.note(0, shared_.size(), time_, of.number);
}

}  // namespace compiled
