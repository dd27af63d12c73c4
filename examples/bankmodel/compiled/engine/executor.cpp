// SPDX-License-Identifier: MIT
#include "executor.hpp"
#include "unit_notes.hpp"

#include <algorithm>

#include "floating_operations.hpp"
#include "integer_operations.hpp"

namespace compiled {

namespace {

std::uint64_t special_value(const launch& how, const kernel_code& kernel, special which,
                            int warp_number, int lane) {
  const auto lanes = static_cast<long long>(kernel.lanes);
  const long long thread = warp_number * lanes + lane;
  const bm::block_dim& block = how.block;
  const std::array<int, 3> cluster = kernel.required_cluster.value_or(std::array{1, 1, 1});
  const std::uint64_t up_to = low_bits(lane + 1), below = low_bits(lane);
  const std::uint64_t all = low_bits(kernel.lanes);
  const auto value = [&]() -> long long {
    switch (which) {
      case special::thread_x: return thread % block.x;
      case special::thread_y: return thread / block.x % block.y;
      case special::thread_z: return thread / block.x / block.y;
      case special::block_x: return how.at.x;
      case special::block_y: return how.at.y;
      case special::block_z: return how.at.z;
      case special::threads_x: return block.x;
      case special::threads_y: return block.y;
      case special::threads_z: return block.z;
      case special::blocks_x: return how.grid.x;
      case special::blocks_y: return how.grid.y;
      case special::blocks_z: return how.grid.z;
      case special::lane: return lane;
      case special::warp: return warp_number;
      case special::warp_size: return kernel.lanes;
      case special::dynamic_shared_bytes: return how.dynamic_shared_bytes;
      case special::cluster_block_x: return how.at.x % cluster[0];
      case special::cluster_block_y: return how.at.y % cluster[1];
      case special::cluster_block_z: return how.at.z % cluster[2];
      case special::cluster_rank:
        return how.at.x % cluster[0] +
               cluster[0] * (how.at.y % cluster[1] + 1ll * cluster[1] * (how.at.z % cluster[2]));
      case special::cluster_blocks: return 1ll * cluster[0] * cluster[1] * cluster[2];
      case special::cluster_x: return how.at.x / cluster[0];
      case special::cluster_y: return how.at.y / cluster[1];
      case special::cluster_z: return how.at.z / cluster[2];
      case special::clusters_x: return how.grid.x / cluster[0];
      case special::clusters_y: return how.grid.y / cluster[1];
      case special::clusters_z: return how.grid.z / cluster[2];
      default: return 0;
    }
  };
  switch (which) {
    case special::lanes_equal: return up_to & ~below;
    case special::lanes_below: return below;
    case special::lanes_up_to: return up_to;
    case special::lanes_above: return all & ~up_to;
    case special::lanes_from: return all & ~below;
    default: return static_cast<std::uint64_t>(value());
  }
}

}  // namespace

executor::executor(const kernel_analysis& analysis, const launch& how, const std::set<int>& changed)
    : kernel_(analysis.kernel()),
      how_(how),
      assumed_(how.assumed),
      origins_(kernel_),
      prepared_(analysis, how, origins_, recorder_),
      loop_ends_(analysis, how),
      shared_(prepared_.shared().total, origins_.of("shared memory that was never stored to", {})),
      shared_times_(prepared_.shared().total),
      never_stored_local_(origins_.of("a local variable that was never stored", {})),
      data_(kernel_, how, changed),
      blocks_store_(may_store_to_blocks(kernel_)),
      arrived_(barriers) {
  const long long threads = 1ll * how.block.x * how.block.y * how.block.z;
  const int warps = static_cast<int>((threads + kernel_.lanes - 1) / kernel_.lanes);
  for (int number = 0; number < warps; ++number) warps_.push_back(new_warp(number));
}

std::unique_ptr<warp> executor::new_warp(int number) {
  const long long threads = 1ll * how_.block.x * how_.block.y * how_.block.z;
  const auto rest = threads - 1ll * number * kernel_.lanes;
  const int never_written = origins_.of("a register that was never written", {});
  auto made = std::make_unique<warp>(register_file(kernel_.registers, kernel_.lanes, never_written),
                                     loop_passes(loop_ends_, kernel_.lanes));
  made->number = number;
  made->live = low_bits(static_cast<int>(std::min<long long>(rest, kernel_.lanes)));
  for (int which = 0; which < prepared_kernel::specials; ++which) {
    fixed_values values;
    for (int lane = 0; prepared_.uses_special(which) && lane < most_lanes; ++lane)
      values.value.push_back(
          special_value(how_, kernel_, static_cast<special>(which), number, lane));
    made->specials.push_back(std::move(values));
  }
  made->local.resize(static_cast<std::size_t>(kernel_.lanes));
  if (!kernel_.blocks.empty())
    made->scopes.push_back(
        {.ready = {{.rank = prepared_.analysis().order().rank[0], .lanes = made->live}}});
  return made;
}

recording executor::finish() {
  for (const auto& [line, how] : assumed_) {
    const std::string begin = "line " + std::to_string(line) + " was assumed ";
    if (std::none_of(notes_.begin(), notes_.end(),
                     [&](const std::string& one) { return one.rfind(begin, 0) == 0; }))
      note("--assume " + std::to_string(line) +
           " decides nothing: at this line no branch on unknown data decides about memory");
  }
  recording result;
  result.accesses = recorder_.finish();
  result.notes = std::move(notes_);
  for (const std::string& text : data_.notes()) result.notes.push_back(text);
  for (const recorded_access& one : result.accesses)
    if (one.where.is_moved) {
      const std::string moved = "line " + std::to_string(one.where.line) +
                                " has accesses that the compiler moved, and whose own line it does "
                                "not say";
      if (std::find(result.notes.begin(), result.notes.end(), moved) == result.notes.end())
        result.notes.push_back(moved);
    }
  if (!textures_.empty()) {
    std::string all;
    for (const std::string& where : textures_) all += (all.empty() ? "" : ", ") + where;
    result.notes.push_back("accesses to textures and surfaces at " + all +
                           " are not modelled; what they access in global memory is not counted");
  }
  for (const auto& [unit, places] : units_)
    result.notes.push_back(note_of_unit(kernel_, unit, places));
  result.arrays_of_units = std::move(arrays_of_units_);
  for (std::string& text : notes_of_elections(kernel_)) result.notes.push_back(std::move(text));
  result.leaves_out = leaves_out_;
  result.leaves_out_textures_alone = leaves_out_ && !leaves_out_more_;
  result.leaves_out_shared = leaves_out_shared_;
  result.steps = steps_;
  result.is_stopped = is_stopped_;
  result.leaves_arrays = leaves_arrays_;
  return result;
}

lane_values executor::operand_of(const warp& of, const step& one, std::size_t number) const {
  const operand_reference& to = one.from[number];
  switch (to.in) {
    case operand_reference::table::registers: return of.registers[to.at];
    case operand_reference::table::specials: return of.specials[static_cast<std::size_t>(to.at)];
    default: return prepared_.fixed(to.at);
  }
}

std::uint64_t executor::guarded(const warp& of, const instruction& one, std::uint64_t active,
                                std::uint64_t& unknown) const {
  if (one.guard < 0) return active;
  const lane_values guard = of.registers[one.guard];
  unknown = active & guard.unknown;
  std::uint64_t result = 0;
  for_each_lane(active & ~unknown, [&](int lane) {
    if (((guard[lane] & 1) != 0) != one.guard_is_negated) result |= std::uint64_t{1} << lane;
  });
  return result;
}

void executor::run(warp& of) {
  while (!of.scopes.empty() && !of.waits) {
    lane_scope& in = of.scopes.back();
    if (in.ready.empty()) {
      pass_waiting(of);
      continue;
    }
    if (!in.waiting.empty() && in.ready.back().at == 0) prefer_awaited(of, in);
    lane_group& now = in.ready.back();
    is_possible_ = in.is_possible;
    possible_origin_ = in.origin;
    const std::vector<step>& steps = prepared_.block(now.block);
    if (static_cast<std::size_t>(now.at) >= steps.size())
      throw std::logic_error("a block of a compiled kernel that does not end with a branch");
    const step& one = steps[static_cast<std::size_t>(now.at)];
    if (now.at == 0) recorder_.begin_stretch();
    if (one.names_lanes >= 0 && now.lanes != of.live && wait_for_lanes(of, one)) continue;
    steps_ += std::max(std::popcount(now.lanes), launch::fewest_steps);
    if (++instructions_ == launch::long_run && how_.tell_long_run) how_.tell_long_run();
    is_stopped_ = how_.may_stop && steps_ > how_.most_steps;
    if (is_stopped_) return;
    if (steps_ > how_.most_steps)
      throw cannot_run(
          one.does->where,
          "the block takes more than " + std::to_string(how_.most_steps) + " steps",
          "give smaller --arg values, a larger --grid, or more with --max-steps; --describe needs "
          "the first steps alone",
          {missing_fact::kind::steps});
    if (one.does->does == opcode::branch) {
      branch(of, one);
      continue;
    }
    if (one.does->does == opcode::leave) {
      leave(of, one);
      continue;
    }
    ++now.at;
    if (!one.only_meets) execute(of, one, now.lanes);
  }
}

void executor::execute(warp& of, const step& one, std::uint64_t active) {
  const instruction& does = *one.does;
  std::uint64_t unknown = 0;
  active = guarded(of, does, active, unknown);
  if (unknown != 0) {
    const int origin = of.registers[does.guard].origin;
    const bool may_be_counted = does.does == opcode::access || does.does == opcode::barrier;
    if (may_be_counted && must_be_given(origin))
      depends(does.where, "whether this is executed", origin, "");
    const bool is_shared =
        does.does != opcode::unknown && (does.does == opcode::barrier || one.may_be_shared);
    if (is_shared || may_access_global(does)) {
      auto assumed = assumed_.find(does.where.line);
      const bool has_bounds = does.does == opcode::access && (how_.bounds || !is_shared);
      if (assumed != assumed_.end() && assumed->second.goes_on) refuse_passes(does.where);
      const bool is_required = is_shared ? how_.requires_shared_branches : how_.requires_branches;
      if (assumed == assumed_.end() && (!has_bounds || is_required))
        assumed = assume_branch(does.where, "whether this is executed", origin,
                                "give --assume " + std::to_string(does.where.line) +
                                    "=taken or =not-taken" +
                                    (does.does == opcode::access ? ", or --bounds" : ""));
      if (assumed == assumed_.end()) {
        undecided_lines_.insert(does.where.line);
        return execute_both(of, one, active, unknown, origin);
      }
      note("line " + std::to_string(does.where.line) + " was assumed to be " +
           (assumed->second.is_taken ? "executed" : "passed over") + "; it depends on " +
           origins_.text(origin));
      if (assumed->second.is_taken) active |= unknown;
    } else {
      leave_out(of, one, unknown, false);
      forget_results(of, does, unknown, origin);
      if (does.does == opcode::access && does.memory.does != access_does::load)
        access_local(of, one, 0, unknown, origin, nullptr);
    }
  }
  if (active == 0) return;
  switch (does.does) {
    case opcode::select: return select(of, one, active);
    case opcode::map_to_block: return map_to_block(of, one, active);
    case opcode::unknown: return execute_unknown(of, one, active);
    case opcode::access: return access(of, one, active);
    case opcode::barrier: return wait(of, one, active);
    case opcode::warp_sync: return one.names_lanes < 0 ? recorder_.begin_stretch() : void();
    case opcode::shuffle: return shuffle(of, one, active);
    case opcode::vote: return vote(of, one, active);
    default: return compute(of, one, active);
  }
}

// Lanes in `unknown` may execute it or not.
void executor::execute_both(warp& of, const step& one, std::uint64_t active, std::uint64_t unknown,
                            int origin) {
  is_possible_ = true;
  possible_origin_ = origin;
  access(of, one, active | unknown);
  forget_results(of, *one.does, unknown, origin);
}

void executor::compute(warp& of, const step& one, std::uint64_t active) {
  const instruction& does = *one.does;
  lane_values from[4];
  std::uint64_t unknown = 0;
  int origin = 0;
  for (std::size_t at = 0; at < one.from.size() && at < 4; ++at) {
    from[at] = operand_of(of, one, at);
    if ((from[at].unknown & active) == 0) continue;
    // A stride that nobody gave is asked for, whatever it is multiplied by.
    const bool is_stride = does.does == opcode::multiply && must_be_given(from[at].origin);
    if (unknown == 0 || is_stride) origin = from[at].origin;
    unknown |= from[at].unknown & active;
  }
  std::uint64_t* const to = of.registers.values(does.to[0]);
  if (does.does == opcode::floating) {
    const std::uint64_t more = compute_floating(does, from, active & ~unknown, to);
    if (unknown == 0 && more != 0) origin = origins_.of("floating-point arithmetic", does.where);
    unknown |= more;
  } else {
    const std::uint64_t computed = active & ~unknown;
    if (unknown != 0) unknown &= ~compute_absorbed(does, from, unknown, to);
    const std::uint64_t more = compute_integers(does, from, computed, to);
    if (more != 0 && unknown == 0) origin = origins_.of("a division by 0", does.where);
    unknown |= more;
  }
  // Nothing was written so far: operands may be in the same register.
  const result_base found =
      unknown == active ? base_of_result(of, one, active, from, to) : result_base{};
  of.registers.mark(does.to[0], active, found.is_known ? 0 : unknown, origin);
  if (found.base.lanes != 0) of.registers.set_base(does.to[0], found.base);
}

void executor::select(warp& of, const step& one, std::uint64_t active) {
  const lane_values which = operand_of(of, one, 0), yes = operand_of(of, one, 1),
                    no = operand_of(of, one, 2);
  const int to = one.does->to[0];
  const std::uint64_t all = low_bits(one.does->bits);
  std::uint64_t unknown = 0;
  int origin = which.origin;
  std::uint64_t* const result = of.registers.values(to);
  for_each_lane(active, [&](int lane) {
    if (has(which.unknown, lane)) {
      const bool same = !has(yes.unknown | no.unknown, lane) && ((yes[lane] ^ no[lane]) & all) == 0;
      if (!same) unknown |= std::uint64_t{1} << lane;
      if (same) result[lane] = yes[lane] & all;
      return;
    }
    const lane_values& chosen = (which[lane] & 1) != 0 ? yes : no;
    if (has(chosen.unknown, lane)) {
      unknown |= std::uint64_t{1} << lane;
      origin = chosen.origin;
    }
    result[lane] = chosen[lane] & all;
  });
  of.registers.mark(to, active, unknown, origin);
}

void executor::forget_results(warp& of, const instruction& one, std::uint64_t lanes, int origin) {
  for (const int to : one.to) of.registers.mark(to, lanes, lanes, origin);
}

bool executor::has_data(const std::string& pointer) const {
  const auto number = parameter_number(kernel_, pointer);
  return std::any_of(how_.data.begin(), how_.data.end(), [&](const auto& one) {
    return one.first == pointer || (number && parameter_number(kernel_, one.first) == number);
  });
}

// True if the origin is an argument that the caller gives rather than accept bounds.
bool executor::must_be_given(int origin) const {
  return how_.requires_arguments && !origins_[origin].argument.empty();
}

// What --data of the pointer does about it; empty without a pointer. `begin`: before the option.
std::string executor::remedy_by_data(const std::string& pointer, const char* begin) const {
  if (pointer.empty()) return {};
  if (has_data(pointer))
    return "; --data " + pointer + " does not say it, since the kernel may change " + pointer +
           " before, or loads more than the file has";
  return begin + ("--data " + pointer) + "=FILE";
}

cannot_run executor::dependence(const place& where, const std::string& subject, int origin,
                                const std::string& instead, missing_fact::kind missing) const {
  const auto& [reason, at, argument, pointer] = origins_[origin];
  std::string right = instead;
  if (!argument.empty()) {
    right = "give --arg " + argument + "=..";
    missing = missing_fact::kind::argument;
  } else {
    right += remedy_by_data(pointer, ", or ");
  }
  return {where, subject + " depends on " + origins_.text(origin), right, {missing, argument}};
}

void executor::depends(const place& where, const std::string& subject, int origin,
                       const std::string& instead, missing_fact::kind missing) const {
  throw dependence(where, subject, origin, instead, missing);
}

// Error: no assumption is made, or one would have decided before at this line.
executor::assumptions::iterator executor::assume_branch(const place& where,
                                                        const std::string& subject, int origin,
                                                        const std::string& instead) {
  const cannot_run lacking =
      dependence(where, subject, origin, instead, missing_fact::kind::branch);
  const bool is_first = undecided_lines_.count(where.line) == 0;
  if (how_.assume_branch && is_first && lacking.missing.is == missing_fact::kind::branch)
    if (const auto made = how_.assume_branch(lacking))
      return assumed_.insert_or_assign(where.line, *made).first;
  throw lacking;
}

void executor::note(const std::string& text) {
  if (noted_.insert(text).second) notes_.push_back(text);
}

}  // namespace compiled
