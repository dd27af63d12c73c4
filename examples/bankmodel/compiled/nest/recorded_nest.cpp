// SPDX-License-Identifier: MIT
#include "recorded_nest.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../code/control_flow.hpp"
#include "../engine/memory.hpp"
#include "../engine/prepared_kernel.hpp"
#include "../engine/unit_notes.hpp"
#include "access_counter.hpp"
#include "separated_lanes.hpp"

namespace compiled {

namespace {

// Some tenths of a second each: requests of accesses, and of pairs; pairs.
constexpr long long most_requests_of_accesses = 1 << 16, most_requests_of_pairs = 1 << 17,
                    most_pairs = 1 << 20;

// Accesses to one memory between which a compiler may move them, see recorder.
struct near_stretch {
  bm::access_kind kind = bm::access_kind::load;
  std::vector<const instruction*> accesses;

  void begin(bm::access_kind next) {
    kind = next;
    accesses.clear();
  }
};

// The requests of an access, all together.
struct recorded_requests {
  int number = -1;  // in the recorder
  std::uint64_t requests = 0;
  long long lowest = std::numeric_limits<long long>::max(),
            highest = std::numeric_limits<long long>::min();  // of their addresses

  void add(const repeated_request& request) {
    requests += request.times;
    for_each_lane(request.active, [&](int lane) {
      lowest = std::min(lowest, request.address[slot(lane)]);
      highest = std::max(highest, request.address[slot(lane)]);
    });
  }
  // Whether both may be equally far apart each time, by less than most_joined_bytes.
  bool may_be_near(const recorded_requests& other) const {
    const long long distance = lowest - other.lowest;
    return std::abs(distance) < most_joined_bytes && highest - other.highest == distance &&
           requests == other.requests;
  }
};

class nest_recorder {
 public:
  nest_recorder(const kernel_analysis& analysis, const launch& options)
      : kernel_(analysis.kernel()),
        settings_(options),
        origins_(kernel_),
        prepared_(analysis, options, origins_, recorder_),
        run_(analysis, options, missing_arguments::are_symbols),
        is_separated_(separated_lanes(options, run_)) {
    for (std::size_t block = 0; block < kernel_.blocks.size(); ++block)
      for (const step& item : prepared_.block(static_cast<int>(block))) steps_[item.code] = &item;
    for (const symbolic_access& item : run_.accesses()) accesses_[item.code] = &item;
  }

  recording result() {
    for (std::size_t loop = 0; loop < run_.structure().loops.size(); ++loop)
      for (const path_item& item : run_.loop(static_cast<int>(loop)).assumed)
        require_arguments(item.truth, item.location);
    // What has no nest is found before much is counted.
    for_each_live_block([&](int block) { require_nest(block); });
    const std::vector<bool> fails = only_fails(kernel_);
    for_each_live_block([&](int block) { require_no_trap(block, fails); });
    for_each_live_block([&](int block) { record(block); });
    for_each_live_block([&](int block) { find_near(block); });
    if (run_.forms().believes()) throw inexpressible{"numbers may not fit in their types"};
    recording output;
    output.accesses = recorder_.finish();
    output.has_merged_bases = true;
    output.notes = notes_of_elections(kernel_);
    count_instructions(output);
    return output;
  }

  recording without_conditions(const std::set<int>& accesses) {
    drops_conditions_ = true;
    for (const code_block& block : kernel_.blocks)
      for (const instruction& item : block.instructions) {
        require_model(item);
        if (item.operation != opcode::access || accesses_.count(&item) == 0) continue;
        const symbolic_access& access = *accesses_.at(&item);
        if (accesses.count(access.number) == 0) continue;
        if (!is_counted(item) || !access.path.reason.empty() || !access.reason.empty() ||
            !access.source_reason.empty())
          throw inexpressible{"an access without an address"};
        if (item.memory.operation != access_does::copy &&
            memory_of(access, prepared_.analysis().may_be_shared()) != memory_kind::shared)
          continue;
        require_arguments(access_to(item, false).path);
        record(item, false);
      }
    // Only numbers computed from arguments may overflow, and no address here has one.
    recording output;
    output.accesses = recorder_.finish();
    output.has_merged_bases = true;
    return output;
  }

 private:
  // ---- arguments ----

  // Error (cannot_run): the form depends on an argument that nobody gave; (inexpressible): the same
  // where the launch does not require it.
  void require_arguments(const form& value, const char* subject, const place& location) const {
    int argument = -1;
    (void)run_.forms().has(value, [&](int number) {
      const atom& item = run_.forms()[number];
      if (item.is == atom::kind::argument) argument = item.number;
      return argument >= 0;
    });
    if (argument < 0) return;
    const std::string name = run_.symbols()[slot(argument)].name;
    const std::string wrong = std::string(subject) + " depends on the argument '" + name + "'";
    if (!settings_.requires_arguments) throw inexpressible{wrong};
    throw cannot_run(location, wrong, "give --arg " + name + "=..",
                     {missing_fact::kind::argument, name});
  }
  void require_arguments(const condition_pointer& test, const place& location) const {
    if (test == nullptr) return;
    require_arguments(test->left, "a branch", location);
    require_arguments(test->right, "a branch", location);
    for (const condition_pointer& part : test->parts) require_arguments(part, location);
  }
  void require_arguments(const execution_path& path) const {
    for (const path_item& item : path.items) {
      if (item.loop < 0) {
        require_arguments(item.truth, item.location);
        continue;
      }
      const counted_loop& loop = run_.loop(item.loop);
      require_arguments(loop.first, "the end of the loop", loop.location);
      require_arguments(loop.last, "the end of the loop", loop.location);
      require_arguments(loop.stays, loop.location);
    }
  }

  // ---- requests ----

  static void require_model(const instruction& item) {
    const bool is_unmodelled =
        item.operation == opcode::unknown &&
        (item.may_access_shared || item.may_access_global || item.unit != memory_unit::warp);
    if (is_unmodelled || item.operation == opcode::map_to_block)
      throw inexpressible{"an instruction that is not modelled"};
  }

  void require_nest(int block) const {
    for (const instruction& item : kernel_.blocks[slot(block)].instructions) {
      require_model(item);
      if (item.operation == opcode::barrier) require_uniform(block, item);
      if (item.operation == opcode::warp_sync && item.guard >= 0)
        throw inexpressible{"a fence of a part of the threads"};
      if (is_counted(item)) require_nest(block, item);
    }
  }

  // An access to shared or global memory that the run executes.
  bool is_counted(const instruction& item) const {
    return item.operation == opcode::access && item.memory.memory != memory_kind::arguments &&
           item.memory.memory != memory_kind::local &&
           item.memory.memory != memory_kind::constant && steps_.count(&item) != 0 &&
           !accesses_.at(&item)->path.is_dead;
  }

  void require_nest(int block, const instruction& item) const {
    const symbolic_access& access = *accesses_.at(&item);
    require_arguments(access.path);
    if (!access.path.reason.empty()) throw inexpressible{access.path.reason};
    if (!access.reason.empty()) throw inexpressible{access.reason};
    if (is_separated_[slot(block)]) throw inexpressible{"lanes that wait for others on the way"};
    if (!access.source_reason.empty()) throw inexpressible{access.source_reason};
    if (item.location.is_moved) throw inexpressible{"an access that the compiler moved"};
  }

  // A check that fails is the run's to say; one of data is passed over, there too. `fails`: by
  // block, each way from it ends in a trap.
  void require_no_trap(int block, const std::vector<bool>& fails) {
    const std::vector<int>& next = successors(kernel_.blocks[slot(block)]);
    const condition_pointer branch = run_.branch_condition(block);
    for (std::size_t arm = 0; arm < next.size(); ++arm) {
      if (fails[slot(block)] || !fails[slot(next[arm])] || (next.size() == 2 && branch == nullptr))
        continue;
      if (next.size() == 1 || !run_.path(block).reason.empty())
        throw inexpressible{"a check that may fail"};
      instruction nothing;
      nothing.operation = opcode::access;
      symbolic_access failed;
      failed.code = &nothing;
      failed.path = run_.path(block);
      failed.path.items.push_back({-1, false, arm == 0 ? branch : opposite(branch)});
      if (!requests_of({kernel_, settings_, run_, failed, false}, left_).empty())
        throw inexpressible{"a check that fails"};
    }
  }

  // A barrier that some threads do not come to is the run's to judge.
  void require_uniform(int block, const instruction& barrier) const {
    const execution_path& path = run_.path(block);
    const auto is_constant = [](const operand& item) { return item.is == operand::kind::constant; };
    bool is_uniform = path.reason.empty() && barrier.guard < 0 && !barrier.is_of_cluster &&
                      !barrier.only_arrives &&
                      std::all_of(barrier.operands.begin(),
                                  barrier.operands.begin() +
                                      std::min<std::ptrdiff_t>(2, std::ssize(barrier.operands)),
                                  is_constant);
    const auto is_of_threads = [&](int number) {
      return run_.forms()[number].is == atom::kind::thread;
    };
    for (const path_item& item : path.items) {
      if (item.loop < 0) {
        is_uniform = is_uniform && !has(run_.forms(), item.truth, is_of_threads);
        continue;
      }
      const counted_loop& loop = run_.loop(item.loop);
      is_uniform = is_uniform && loop.reason.empty() &&
                   !run_.forms().has(loop.last - loop.first, is_of_threads);
    }
    if (!is_uniform) throw inexpressible{"a barrier that some threads may not come to"};
  }

  void record(int block) {
    for (const instruction& item : kernel_.blocks[slot(block)].instructions)
      if (is_counted(item)) record(item);
  }

  void record(const instruction& item) {
    if (item.memory.operation == access_does::copy) {
      record(item, false);
      record(item, true);
      return;
    }
    const memory_kind kind = memory_of(*accesses_.at(&item), prepared_.analysis().may_be_shared());
    if (kind == memory_kind::shared || kind == memory_kind::global)
      record(item, kind == memory_kind::global);
  }

  void record(const instruction& item, bool is_global) {
    const symbolic_access access = access_to(item, is_global);
    const bool has_argument = run_.forms().has_kind(access.address, atom::kind::argument) ||
                              run_.forms().has_kind(access.source, atom::kind::argument);
    if (has_argument) {
      // An address that no thread accesses may depend on it.
      symbolic_access executed = access;
      executed.address = executed.source = {};
      if (requests_of({kernel_, settings_, run_, executed, false}, left_).empty()) return;
      require_arguments(access.address, "an address", item.location);
      require_arguments(access.source, "an address", item.location);
    }
    const step& prepared = *steps_.at(&item);
    recorded_requests totals{is_global ? prepared.global_access : prepared.shared_access};
    for (const repeated_request& request :
         requests_of({kernel_, settings_, run_, access, is_global}, left_)) {
      add(item.memory, is_global, totals.number, request);
      totals.add(request);
    }
    if (totals.requests > 0) recorded_.emplace(std::pair(&item, is_global), totals);
  }

  // The access to one memory: of a copy the load from global memory, or the rest.
  symbolic_access access_to(const instruction& item, bool is_global) const {
    symbolic_access result = *accesses_.at(&item);
    if (drops_conditions_) drop_conditions(result);
    if (item.memory.operation != access_does::copy || !is_global) return result;
    result.address = result.source - constant_form(item.memory.offset);
    result.source = {};
    return result;
  }

  // And the loops that only say how often an address is accessed.
  void drop_conditions(symbolic_access& access) const {
    std::vector<path_item>& items = access.path.items;
    std::vector<form> used = {access.address, access.source};
    for (std::size_t next = items.size(); next-- > 0;) {
      const int number = items[next].loop;
      const auto has_trip = [&](const form& value) {
        return run_.forms().has_atom(value, run_.loop(number).trip);
      };
      if (number < 0 || std::ranges::none_of(used, has_trip)) {
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(next));
        continue;
      }
      used.push_back(run_.loop(number).first);
      used.push_back(run_.loop(number).last);
    }
  }

  void add(const memory_access& memory, bool is_global, int number,
           const repeated_request& request) {
    const auto bytes = static_cast<std::uint64_t>(bytes_as_written(memory));
    std::array<std::uint64_t, most_lanes> address{};
    bool is_aligned = true;
    for_each_lane(request.active, [&](int lane) {
      address[slot(lane)] = static_cast<std::uint64_t>(request.address[slot(lane)]);
      is_aligned =
          is_aligned && address[slot(lane)] % static_cast<std::uint64_t>(alignment_of(memory)) == 0;
    });
    if (!is_aligned) throw inexpressible{"an access that is not aligned"};
    const placed_lanes lanes =
        is_global ? placed_in_global(arrays_in_global(kernel_), request.active, address.data())
                  : placed(prepared_.shared(), memory.shared_array, request.active, address.data(),
                           bytes);
    if (lanes.outside >= 0) throw inexpressible{"an access outside all arrays"};
    std::optional<bm::request> source;
    if (memory.operation == access_does::copy && !is_global) {
      source.emplace();
      source->bytes = memory.bytes;
      source->active = request.active;
      for_each_lane(request.active,
                    [&](int lane) { source->address[lane] = request.source[slot(lane)]; });
    }
    recorder_.requests(number, kind_of(memory, is_global), static_cast<int>(bytes), request.active,
                       address.data(), lanes.array, source, request.times);
  }

  // ---- neighbours, by the recorder's rules ----

  void find_near(int block) {
    near_stretch shared, global;
    for (const instruction& item : kernel_.blocks[slot(block)].instructions) {
      if (item.operation == opcode::barrier ||
          (item.operation == opcode::warp_sync && mask_operand(item) < 0)) {
        shared.begin(shared.kind);
        global.begin(global.kind);
      }
      for (const bool is_global : {false, true})
        find_near(item, is_global, is_global ? global : shared);
    }
  }

  void find_near(const instruction& item, bool is_global, near_stretch& stretch) {
    const auto entry = recorded_.find({&item, is_global});
    if (entry == recorded_.end()) return;
    const bm::access_kind kind = kind_of(item.memory, is_global);
    if (kind != stretch.kind) stretch.begin(kind);
    bool is_near_one = false;
    for (const instruction* const other : stretch.accesses) {
      if (++pairs_ > most_pairs) throw inexpressible{"too many accesses that may be near"};
      const distances gap = distances_of(item, *other, is_global);
      if (gap.distance)
        recorder_.set_near(entry->second.number, recorded_.at({other, is_global}).number,
                           *gap.distance);
      is_near_one = is_near_one || gap.distance.has_value();
      if (gap.differ_near && kind != bm::access_kind::load)
        throw inexpressible{"stores that are near one another at times"};
    }
    if (kind != bm::access_kind::load && !is_near_one) stretch.begin(kind);
    stretch.accesses.push_back(&item);
  }

  // How much further than `other` the access is.
  struct distances {
    std::optional<long long> distance = {};  // each time; nothing if that is not near
    bool differ_near = false;                // it may be near at times
  };
  // Error (inexpressible): they are not known, or not made together.
  distances distances_of(const instruction& item, const instruction& other_item, bool is_global) {
    const form distance =
        address_of(item, is_global) - address_of(other_item, is_global) +
        constant_form(offset_of(item, is_global) - offset_of(other_item, is_global));
    const auto is_near = [](long long bytes) { return std::abs(bytes) < most_joined_bytes; };
    if (distance.is_constant() && !is_near(distance.constant)) return {};
    const recorded_requests &requests = recorded_.at({&item, is_global}),
                            &other_requests = recorded_.at({&other_item, is_global});
    const bool is_load = kind_of(item.memory, is_global) == bm::access_kind::load;
    // All addresses in shared memory are there.
    if (is_load && !is_global && !requests.may_be_near(other_requests)) return {std::nullopt, true};
    const execution_path &path = accesses_.at(&item)->path,
                         &other = accesses_.at(&other_item)->path;
    run_.enter(path);
    const value_range range = run_.forms().range_of(distance);
    if (range.highest <= -most_joined_bytes || range.lowest >= most_joined_bytes) return {};
    const bool is_together = std::ranges::equal(path.items, other.items, is_same_item);
    if (!is_together) throw inexpressible{"accesses that may be near one another at times"};
    if (distance.is_constant()) return {distance.constant, false};
    // The distances are collected as if they were addresses.
    symbolic_access distance_access = access_to(item, is_global);
    distance_access.address = distance - constant_form(item.memory.offset);
    distance_access.source = {};
    const nest_access site{kernel_, settings_, run_, distance_access, false};
    if (const std::optional<long long> gap = only_address(site, left_of_pairs_))
      return is_near(*gap) ? distances{*gap, false} : distances{};
    if (is_load) return {std::nullopt, true};
    bool differ_near = false;
    for (const repeated_request& request : requests_of(site, left_of_pairs_))
      for_each_lane(request.active, [&](int lane) {
        differ_near = differ_near || is_near(request.address[slot(lane)]);
      });
    return {std::nullopt, differ_near};
  }

  static bool is_same_item(const path_item& item, const path_item& other) {
    return item.loop == other.loop && item.after_test == other.after_test &&
           (item.loop >= 0 || are_equal(item.truth, other.truth));
  }

  template <class Do>
  void for_each_live_block(const Do& do_for) {
    for (int block = 0; block < static_cast<int>(kernel_.blocks.size()); ++block)
      if (!run_.path(block).is_dead) do_for(block);
  }

  // No access depends on these: what is not known of one block of code is left out.
  void count_instructions(recording& output) {
    output.instructions.emplace();
    output.executed = 0;
    const std::vector<std::uint64_t> read = counted_instructions(kernel_);
    for_each_live_block([&](int block) {
      const instruction_counts fewest = fewest_instructions(kernel_.blocks[slot(block)]);
      try {
        if (!output.instructions && !output.executed) return;
        const std::uint64_t times = executions_of(block);
        if (output.instructions) output.instructions->add(fewest, times);
        if (output.executed) *output.executed += times * read[slot(block)];
      } catch (const inexpressible&) {
        output.executed.reset();
        if (!(fewest == instruction_counts{})) output.instructions.reset();
      }
    });
  }

  // How often warps execute a block of code, counted as the requests of an access that is in it.
  std::uint64_t executions_of(int block) {
    if (is_separated_[slot(block)]) throw inexpressible{"lanes that wait for others on the way"};
    instruction load;
    load.operation = opcode::access;
    load.memory.memory = memory_kind::shared;
    symbolic_access executed;
    executed.code = &load;
    executed.path = run_.path(block);
    if (!executed.path.reason.empty()) throw inexpressible{executed.path.reason};
    require_arguments(executed.path);
    std::uint64_t result = 0;
    for (const repeated_request& request :
         requests_of({kernel_, settings_, run_, executed, false}, left_))
      result += request.times;
    return result;
  }

  // Of a copy's load from global memory the source, which has no offset.
  const form& address_of(const instruction& item, bool is_global) const {
    const symbolic_access& access = *accesses_.at(&item);
    return item.memory.operation == access_does::copy && is_global ? access.source : access.address;
  }
  static long long offset_of(const instruction& item, bool is_global) {
    return item.memory.operation == access_does::copy && is_global ? 0 : item.memory.offset;
  }

  const kernel_code& kernel_;
  const launch& settings_;
  origin_table origins_;
  recorder recorder_;
  prepared_kernel prepared_;
  symbolic_run run_;
  std::vector<bool> is_separated_;  // by block
  bool drops_conditions_ = false;
  std::map<const instruction*, const step*> steps_;
  std::map<const instruction*, const symbolic_access*> accesses_;
  std::map<std::pair<const instruction*, bool>, recorded_requests> recorded_;  // by `is_global`
  long long left_ = most_requests_of_accesses, left_of_pairs_ = most_requests_of_pairs, pairs_ = 0;
};

}  // namespace

recording recorded_nest(const kernel_analysis& analysis, const launch& options) {
  if (!options.assumed.empty() || !options.data.empty())
    throw inexpressible{"assumptions or data decide"};
  try {
    return nest_recorder(analysis, options).result();
  } catch (const formula_error& failure) {
    throw inexpressible{failure.what()};
  }
}

recording recorded_without_conditions(const kernel_code& kernel, const launch& options,
                                      const std::set<int>& accesses) {
  const kernel_analysis analysis(kernel);
  try {
    return nest_recorder(analysis, options).without_conditions(accesses);
  } catch (const formula_error& failure) {
    throw inexpressible{failure.what()};
  }
}

recording recorded_nest(const kernel_code& kernel, const launch& options) {
  return recorded_nest(kernel_analysis(kernel), options);
}

recording recorded_block(const kernel_analysis& analysis, const launch& options, known_ways& ways) {
  constexpr long long some_steps = 1ll << 21;
  if (options.may_stop || options.most_steps <= some_steps || !ways.has_nest)
    return run(analysis, options);
  if (!ways.is_long) {
    launch soon = options;
    soon.most_steps = some_steps;
    try {
      return run(analysis, soon);
    } catch (const cannot_run& failure) {
      if (failure.missing.is != missing_fact::kind::steps) throw;
    }
    ways.is_long = true;
  }
  try {
    return recorded_nest(analysis, options);
  } catch (const inexpressible&) {  // the run says it, step by step
    ways.has_nest = false;
    return run(analysis, options);
  }
}

recording recorded_block(const kernel_analysis& analysis, const launch& options) {
  known_ways ways;
  return recorded_block(analysis, options, ways);
}

}  // namespace compiled
