// SPDX-License-Identifier: MIT
#include "executor.hpp"
#include "unit_notes.hpp"

#include <algorithm>

#include "floating_operations.hpp"
#include "integer_operations.hpp"

namespace compiled {

namespace {

std::uint64_t special_value(const launch& settings, const kernel_code& kernel, special quantity,
                            int warp_number, int lane) {
  const auto lanes = static_cast<long long>(kernel.lanes);
  const long long thread = warp_number * lanes + lane;
  const bm::block_dim& block = settings.block;
  const std::array<int, 3> cluster = kernel.required_cluster.value_or(std::array{1, 1, 1});
  const std::uint64_t up_to = low_bits(lane + 1), lower = low_bits(lane);
  const std::uint64_t mask = low_bits(kernel.lanes);
  const auto value = [&]() -> long long {
    switch (quantity) {
      case special::thread_x: return thread % block.x;
      case special::thread_y: return thread / block.x % block.y;
      case special::thread_z: return thread / block.x / block.y;
      case special::block_x: return settings.grid_index.x;
      case special::block_y: return settings.grid_index.y;
      case special::block_z: return settings.grid_index.z;
      case special::threads_x: return block.x;
      case special::threads_y: return block.y;
      case special::threads_z: return block.z;
      case special::blocks_x: return settings.grid.x;
      case special::blocks_y: return settings.grid.y;
      case special::blocks_z: return settings.grid.z;
      case special::lane: return lane;
      case special::warp: return warp_number;
      case special::warp_size: return kernel.lanes;
      case special::dynamic_shared_bytes: return settings.dynamic_shared_bytes;
      case special::cluster_block_x: return settings.grid_index.x % cluster[0];
      case special::cluster_block_y: return settings.grid_index.y % cluster[1];
      case special::cluster_block_z: return settings.grid_index.z % cluster[2];
      case special::cluster_rank:
        return settings.grid_index.x % cluster[0] +
               cluster[0] * (settings.grid_index.y % cluster[1] +
                             1ll * cluster[1] * (settings.grid_index.z % cluster[2]));
      case special::cluster_blocks: return 1ll * cluster[0] * cluster[1] * cluster[2];
      case special::cluster_x: return settings.grid_index.x / cluster[0];
      case special::cluster_y: return settings.grid_index.y / cluster[1];
      case special::cluster_z: return settings.grid_index.z / cluster[2];
      case special::clusters_x: return settings.grid.x / cluster[0];
      case special::clusters_y: return settings.grid.y / cluster[1];
      case special::clusters_z: return settings.grid.z / cluster[2];
      default: return 0;
    }
  };
  switch (quantity) {
    case special::lanes_equal: return up_to & ~lower;
    case special::lanes_below: return lower;
    case special::lanes_up_to: return up_to;
    case special::lanes_above: return mask & ~up_to;
    case special::lanes_from: return mask & ~lower;
    default: return static_cast<std::uint64_t>(value());
  }
}

}  // namespace

executor::executor(const kernel_analysis& analysis, const launch& settings,
                   const std::set<int>& changed, made_up_memory* values)
    : kernel_(analysis.kernel()),
      settings_(settings),
      assumed_(settings.assumed),
      values_(values),
      origins_(kernel_),
      prepared_(analysis, settings, origins_, recorder_, values),
      loop_ends_(analysis, settings),
      shared_(prepared_.shared().total,
              origins_.intern("shared memory that was never stored to", {})),
      shared_times_(prepared_.shared().total),
      never_stored_local_(origins_.intern("a local variable that was never stored", {})),
      data_(kernel_, settings, changed),
      blocks_store_(may_store_to_blocks(kernel_)),
      arrived_(barriers) {
  const long long threads = 1ll * settings.block.x * settings.block.y * settings.block.z;
  const int warps = static_cast<int>((threads + kernel_.lanes - 1) / kernel_.lanes);
  executions_.resize(kernel_.blocks.size());
  for (int number = 0; number < warps; ++number) warps_.push_back(new_warp(number));
}

std::unique_ptr<warp> executor::new_warp(int number) {
  const long long threads = 1ll * settings_.block.x * settings_.block.y * settings_.block.z;
  const auto rest = threads - 1ll * number * kernel_.lanes;
  const int never_written = origins_.intern("a register that was never written", {});
  auto result =
      std::make_unique<warp>(register_file(kernel_.registers, kernel_.lanes, never_written),
                             loop_passes(loop_ends_, kernel_.lanes));
  result->number = number;
  result->live = low_bits(static_cast<int>(std::min<long long>(rest, kernel_.lanes)));
  for (int quantity = 0; quantity < prepared_kernel::specials; ++quantity) {
    fixed_values values;
    for (int lane = 0; prepared_.uses_special(quantity) && lane < most_lanes; ++lane)
      values.value.push_back(
          special_value(settings_, kernel_, static_cast<special>(quantity), number, lane));
    result->specials.push_back(std::move(values));
  }
  result->local.resize(static_cast<std::size_t>(kernel_.lanes));
  if (!kernel_.blocks.empty())
    result->scopes.push_back(
        {.ready = {{.rank = prepared_.analysis().order().rank[0], .lanes = result->live}}});
  return result;
}

recording executor::run_block() {
  for (bool is_running = true; is_running;) {
    is_running = false;
    for (auto& current : warps_) {
      run(*current);
      if (is_stopped_) return finish();
      is_running = is_running || current->waits;
    }
    pass_barriers();
  }
  return finish();
}

recording executor::finish() {
  for (const auto& [line, assumed] : assumed_) {
    const std::string begin = "line " + std::to_string(line) + " was assumed ";
    if (std::ranges::none_of(notes_,
                             [&](const std::string& entry) { return entry.starts_with(begin); }))
      note("--assume " + std::to_string(line) +
           " decides nothing: at this line no branch on unknown data decides about memory");
  }
  recording result;
  result.accesses = recorder_.finish();
  result.notes = std::move(notes_);
  for (const std::string& text : data_.notes()) result.notes.push_back(text);
  for (const recorded_access& access : result.accesses)
    if (access.location.is_moved) {
      const std::string moved = "line " + std::to_string(access.location.line) +
                                " has accesses that the compiler moved, and whose own line it does "
                                "not say";
      if (!includes(result.notes, moved)) result.notes.push_back(moved);
    }
  if (!textures_.empty()) {
    std::string list;
    for (const std::string& position : textures_) list += (list.empty() ? "" : ", ") + position;
    result.notes.push_back("accesses to textures and surfaces at " + list +
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
  if (!is_stopped_) {
    result.instructions.emplace();
    result.executed = 0;
    const std::vector<std::uint64_t> instructions = counted_instructions(kernel_);
    for (std::size_t block = 0; block < executions_.size(); ++block) {
      result.instructions->add(fewest_instructions(kernel_.blocks[block]), executions_[block]);
      *result.executed += executions_[block] * instructions[block];
    }
  }
  result.is_stopped = is_stopped_;
  result.leaves_arrays = leaves_arrays_;
  return result;
}

lane_values executor::operand_of(const warp& current, const step& action,
                                 std::size_t number) const {
  const operand_reference& operand = action.operands[number];
  switch (operand.storage) {
    case operand_reference::table::registers: return current.registers[operand.index];
    case operand_reference::table::specials: return current.specials[slot(operand.index)];
    default: return prepared_.fixed(operand.index);
  }
}

std::uint64_t executor::guarded(const warp& current, const instruction& code, std::uint64_t active,
                                std::uint64_t& unknown) const {
  if (code.guard < 0) return active;
  const lane_values guard = current.registers[code.guard];
  unknown = active & guard.unknown;
  return lanes_where(active & ~unknown,
                     [&](int lane) { return ((guard[lane] & 1) != 0) != code.guard_is_negated; });
}

void executor::run(warp& current) {
  while (!current.scopes.empty() && !current.waits) {
    lane_scope& scope = current.scopes.back();
    if (scope.ready.empty()) {
      pass_waiting(current);
      continue;
    }
    if (!scope.waiting.empty() && scope.ready.back().step == 0) prefer_awaited(current, scope);
    lane_group& group = scope.ready.back();
    is_possible_ = scope.is_possible;
    possible_origin_ = scope.origin;
    const std::vector<step>& steps = prepared_.block(group.block);
    if (static_cast<std::size_t>(group.step) >= steps.size())
      throw std::logic_error("a block of a compiled kernel that does not end with a branch");
    const step& action = steps[slot(group.step)];
    if (group.step == 0) recorder_.begin_stretch();
    if (action.names_lanes >= 0 && group.lanes != current.live && wait_for_lanes(current, action))
      continue;
    if (group.step == 0 && !is_possible_) ++executions_[slot(group.block)];
    steps_ += std::max(std::popcount(group.lanes), launch::fewest_steps);
    if (++instructions_ == launch::long_run && settings_.tell_long_run) settings_.tell_long_run();
    is_stopped_ = settings_.may_stop && steps_ > settings_.most_steps;
    if (is_stopped_) return;
    if (steps_ > settings_.most_steps)
      throw cannot_run(
          action.code->location,
          "the block takes more than " + std::to_string(settings_.most_steps) + " steps",
          "give smaller --arg values, a larger --grid, or more with --max-steps; --describe needs "
          "the first steps alone",
          {missing_fact::kind::steps});
    if (action.code->operation == opcode::branch) {
      branch(current, action);
      continue;
    }
    if (action.code->operation == opcode::leave) {
      leave(current, action);
      continue;
    }
    ++group.step;
    if (!action.only_meets) execute(current, action, group.lanes);
  }
}

void executor::execute(warp& current, const step& action, std::uint64_t active) {
  const instruction& code = *action.code;
  std::uint64_t unknown = 0;
  active = guarded(current, code, active, unknown);
  if (unknown != 0) {
    const int origin = current.registers[code.guard].origin;
    const bool may_be_counted =
        code.operation == opcode::access || code.operation == opcode::barrier;
    if (may_be_counted && must_be_given(origin))
      depends(code.location, "whether this is executed", origin, "");
    const bool is_shared = code.operation != opcode::unknown &&
                           (code.operation == opcode::barrier || action.may_be_shared);
    if (is_shared || may_access_global(code)) {
      auto assumed = assumed_.find(code.location.line);
      const bool has_bounds = code.operation == opcode::access && (settings_.bounds || !is_shared);
      if (assumed != assumed_.end() && assumed->second.goes_on) refuse_passes(code.location);
      const bool is_required =
          is_shared ? settings_.requires_shared_branches : settings_.requires_branches;
      if (assumed == assumed_.end() && (!has_bounds || is_required))
        assumed = assume_branch(code.location, "whether this is executed", origin,
                                "give --assume " + std::to_string(code.location.line) +
                                    "=taken or =not-taken" +
                                    (code.operation == opcode::access ? ", or --bounds" : ""));
      if (assumed == assumed_.end()) {
        undecided_lines_.insert(code.location.line);
        return execute_both(current, action, active, unknown, origin);
      }
      note("line " + std::to_string(code.location.line) + " was assumed to be " +
           (assumed->second.is_taken ? "executed" : "passed over") + "; it depends on " +
           origins_.text(origin));
      if (assumed->second.is_taken) active |= unknown;
    } else {
      leave_out(current, action, unknown, false);
      forget_results(current, code, unknown, origin);
      if (code.operation == opcode::access && code.memory.operation != access_does::load)
        access_local(current, action, 0, unknown, origin, nullptr);
    }
  }
  if (active == 0) return;
  if (values_ == nullptr) return execute_known(current, action, active);
  const values_by_lane inputs = inputs_of(current, action, active);
  execute_known(current, action, active);
  make_up_results(current, code, active, inputs);
}

// Its guard is known.
void executor::execute_known(warp& current, const step& action, std::uint64_t active) {
  switch (action.code->operation) {
    case opcode::select: return select(current, action, active);
    case opcode::map_to_block: return map_to_block(current, action, active);
    case opcode::unknown: return execute_unknown(current, action, active);
    case opcode::access: return access(current, action, active);
    case opcode::barrier: return wait(current, action, active);
    case opcode::warp_sync: return action.names_lanes < 0 ? recorder_.begin_stretch() : void();
    case opcode::shuffle: return shuffle(current, action, active);
    case opcode::vote: return vote(current, action, active);
    default: return compute(current, action, active);
  }
}

// Lanes in `unknown` may execute it or not.
void executor::execute_both(warp& current, const step& action, std::uint64_t active,
                            std::uint64_t unknown, int origin) {
  is_possible_ = true;
  possible_origin_ = origin;
  access(current, action, active | unknown);
  forget_results(current, *action.code, unknown, origin);
}

void executor::compute(warp& current, const step& action, std::uint64_t active) {
  const instruction& code = *action.code;
  lane_values operands[4];
  std::uint64_t unknown = 0;
  int origin = 0;
  for (std::size_t number = 0; number < action.operands.size() && number < 4; ++number) {
    operands[number] = operand_of(current, action, number);
    if ((operands[number].unknown & active) == 0) continue;
    // A stride that nobody gave is asked for, whatever it is multiplied by or added to.
    const bool is_part_of_value =
        code.operation != opcode::floating && !is_comparison(code.operation);
    if (unknown == 0 || (is_part_of_value && must_be_given(operands[number].origin)))
      origin = operands[number].origin;
    unknown |= operands[number].unknown & active;
  }
  std::uint64_t* const results = current.registers.values(code.results[0]);
  if (code.operation == opcode::floating) {
    const std::uint64_t failed = compute_floating(code, operands, active & ~unknown, results);
    if (unknown == 0 && failed != 0)
      origin = origins_.intern("floating-point arithmetic", code.location);
    unknown |= failed;
  } else {
    const std::uint64_t computed = active & ~unknown;
    if (unknown != 0) unknown &= ~compute_absorbed(code, operands, unknown, results);
    const std::uint64_t failed = compute_integers(code, operands, computed, results);
    if (failed != 0 && unknown == 0) origin = origins_.intern("a division by 0", code.location);
    unknown |= failed;
  }
  // Nothing was written so far: operands may be in the same register.
  const result_base outcome = unknown == active
                                  ? base_of_result(current, action, active, operands, results)
                                  : result_base{};
  current.registers.mark(code.results[0], active, outcome.is_known ? 0 : unknown, origin);
  if (outcome.base.lanes != 0) current.registers.set_base(code.results[0], outcome.base);
}

void executor::select(warp& current, const step& action, std::uint64_t active) {
  const lane_values condition = operand_of(current, action, 0),
                    consequent = operand_of(current, action, 1),
                    alternative = operand_of(current, action, 2);
  const int target = action.code->results[0];
  const std::uint64_t mask = low_bits(action.code->bits);
  std::uint64_t unknown = 0;
  int origin = condition.origin;
  std::uint64_t* const result = current.registers.values(target);
  for_each_lane(active, [&](int lane) {
    if (has(condition.unknown, lane)) {
      const bool same = !has(consequent.unknown | alternative.unknown, lane) &&
                        ((consequent[lane] ^ alternative[lane]) & mask) == 0;
      if (!same) unknown |= std::uint64_t{1} << lane;
      if (same) result[lane] = consequent[lane] & mask;
      return;
    }
    const lane_values& chosen = (condition[lane] & 1) != 0 ? consequent : alternative;
    if (has(chosen.unknown, lane)) {
      unknown |= std::uint64_t{1} << lane;
      origin = chosen.origin;
    }
    result[lane] = chosen[lane] & mask;
  });
  current.registers.mark(target, active, unknown, origin);
}

void executor::forget_results(warp& current, const instruction& code, std::uint64_t lanes,
                              int origin) {
  for (const int target : code.results) current.registers.mark(target, lanes, lanes, origin);
}

bool executor::has_data(const std::string& pointer) const {
  const auto number = parameter_number(kernel_, pointer);
  return std::ranges::any_of(settings_.data, [&](const auto& entry) {
    return entry.first == pointer || (number && parameter_number(kernel_, entry.first) == number);
  });
}

// True if the origin is an argument that the caller gives rather than accept bounds.
bool executor::must_be_given(int origin) const {
  return settings_.requires_arguments && !origins_[origin].argument.empty();
}

// What --data of the pointer does about it; empty without a pointer. `begin`: before the option.
std::string executor::remedy_by_data(const std::string& pointer, const char* begin) const {
  if (pointer.empty()) return {};
  if (has_data(pointer))
    return "; --data " + pointer + " does not say it, since the kernel may change " + pointer +
           " before, or loads more than the file has";
  return begin + ("--data " + pointer) + "=FILE";
}

cannot_run executor::dependence(const place& position, const std::string& subject, int origin,
                                const std::string& instead, missing_fact::kind missing) const {
  const auto& [reason, location, argument, pointer] = origins_[origin];
  std::string right = instead;
  if (!argument.empty()) {
    right = "give --arg " + argument + "=..";
    missing = missing_fact::kind::argument;
  } else {
    right += remedy_by_data(pointer, ", or ");
  }
  return {position, subject + " depends on " + origins_.text(origin), right, {missing, argument}};
}

void executor::depends(const place& position, const std::string& subject, int origin,
                       const std::string& instead, missing_fact::kind missing) const {
  throw dependence(position, subject, origin, instead, missing);
}

// Error: no assumption is made, or one would have decided before at this line.
executor::assumptions::iterator executor::assume_branch(const place& position,
                                                        const std::string& subject, int origin,
                                                        const std::string& instead) {
  const cannot_run lacking =
      dependence(position, subject, origin, instead, missing_fact::kind::branch);
  const bool is_first = undecided_lines_.count(position.line) == 0;
  if (settings_.assume_branch && is_first && lacking.missing.is == missing_fact::kind::branch)
    if (const auto assumption = settings_.assume_branch(lacking))
      return assumed_.insert_or_assign(position.line, *assumption).first;
  throw lacking;
}

void executor::note(const std::string& text) {
  if (noted_.insert(text).second) notes_.push_back(text);
}

}  // namespace compiled
