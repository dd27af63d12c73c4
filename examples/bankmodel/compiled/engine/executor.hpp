// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "global_data.hpp"
#include "loop_passes.hpp"
#include "made_up_memory.hpp"
#include "prepared_kernel.hpp"
#include "stored_arrays.hpp"

// Executes the warps of one block.
namespace compiled {

// Lanes of a warp that go on together.
struct lane_group {
  enum class waiting : std::uint8_t { none, for_lanes, at_barrier };

  int rank = 0;  // block_order's, of what they execute next
  int block = 0, step = 0;
  std::uint64_t lanes = 0;
  waiting waits = waiting::none;
  int barrier = 0;                   // at_barrier: which
  std::uint64_t threads_needed = 0;  // 0: all of the block
  // The lanes for which they wait never come: they go on without them.
  bool is_alone = false;
  std::uint64_t waits_for = 0;  // for_lanes: which
};

// The groups of a warp, or those that execute what is between a branch on an unknown value and its
// post-dominator. Of those that do not wait, the group with the lowest rank goes on.
struct lane_scope {
  std::vector<lane_group> ready;  // the lowest rank last
  std::vector<lane_group> waiting = {};
  int meets_in = the_end;  // where lanes leave the scope: the one below has them there
  // The lanes may run this or not: stores make memory unknown, and requests are bounded.
  bool is_possible = false;
  int origin = 0;
  // If possible: what it writes, which becomes unknown in lanes that are in several groups or not
  // in any, and all lanes that it has.
  const region* branch_region = nullptr;
  std::uint64_t doubtful = 0, lanes = 0;
};

// Adds a group to those that are ready or wait; lanes at one place are one group.
void add_to(lane_scope& scope, const lane_group& group);

struct warp {
  warp(register_file file, loop_passes counted)
      : registers(std::move(file)), passes(std::move(counted)) {}

  int number = 0;
  std::uint64_t live = 0;  // lanes that have not ended
  register_file registers;
  loop_passes passes;
  std::vector<fixed_values> specials;
  std::vector<tracked_bytes> local;  // of each lane
  std::vector<lane_scope> scopes;    // the last one is executed; none: the warp has ended
  bool waits = false;                // at a barrier
  int barrier = 0;
  std::uint64_t threads_needed = 0;  // 0: all of the block
  place waits_at = {};
};

class executor {
 public:
  // `changed`: as for global_data. `values`: the run computes all values, from this memory and into
  // it; null: unknown values are carried along.
  executor(const kernel_analysis& analysis, const launch& settings, const std::set<int>& changed,
           made_up_memory* values = nullptr);

  // Runs all warps until they have ended, or are stopped. Called once.
  recording run_block();

 private:
  // Runs a warp until it has ended, waits at a barrier, or all are stopped.
  void run(warp& current);
  // The warps that wait at barriers go on: those of one barrier, if all its threads are there.
  // Error: no barrier has all of its threads.
  void pass_barriers();
  recording finish();

  // ---- executor.cpp ----
  std::unique_ptr<warp> new_warp(int number);
  lane_values operand_of(const warp& current, const step& action, std::size_t number) const;
  // Lanes of `active` whose guard is set; `unknown` are those whose guard is unknown.
  std::uint64_t guarded(const warp& current, const instruction& code, std::uint64_t active,
                        std::uint64_t& unknown) const;
  void execute(warp& current, const step& action, std::uint64_t active);
  void execute_known(warp& current, const step& action, std::uint64_t active);
  void execute_both(warp& current, const step& action, std::uint64_t active, std::uint64_t unknown,
                    int origin);
  void compute(warp& current, const step& action, std::uint64_t active);
  void select(warp& current, const step& action, std::uint64_t active);
  // Writes an unknown result to all registers of the instruction.
  void forget_results(warp& current, const instruction& code, std::uint64_t lanes, int origin);
  // True if launch::data has this pointer.
  bool has_data(const std::string& pointer) const;
  bool must_be_given(int origin) const;
  std::string remedy_by_data(const std::string& pointer, const char* begin) const;
  using assumptions = std::map<int, assumption>;  // by source line
  cannot_run dependence(const place& position, const std::string& subject, int origin,
                        const std::string& instead, missing_fact::kind missing) const;
  assumptions::iterator assume_branch(const place& position, const std::string& subject, int origin,
                                      const std::string& instead);
  [[noreturn]] void depends(const place& position, const std::string& subject, int origin,
                            const std::string& instead,
                            missing_fact::kind missing = missing_fact::kind::none) const;
  void note(const std::string& text);

  // ---- executor_barriers.cpp, with pass_barriers() ----
  void wait(warp& current, const step& action, std::uint64_t active);
  void wait_at_barrier(warp& current, const lane_group& first);
  void pass_barrier(warp& current);
  void add_predicates(warp& current, const step& action, std::size_t number, std::uint64_t lanes);
  void set_reduction(warp& current, const lane_group& group);

  // ---- executor_groups.cpp ----
  void arrive(lane_scope& scope, int source, int target, std::uint64_t lanes);
  void go(warp& current, int target);
  bool wait_for_lanes(warp& current, const step& action);
  void prefer_awaited(const warp& current, lane_scope& scope);
  bool leads_to(int begin, int block);
  void pass_waiting(warp& current);
  void forget_doubtful(warp& current);
  void end_scope(warp& current);

  // ---- executor_branches.cpp ----
  // Lanes of a branch on an unknown value: those that take it; those that pass it over; those that
  // may go both ways.
  struct decision {
    std::uint64_t jumping = 0, waiting = 0, undecided = 0;
    int origin = 0;
  };
  void branch(warp& current, const step& action);
  void leave(warp& current, const step& action);
  void split_in_both(warp& current, std::uint64_t taken_lanes, std::uint64_t not_taken,
                     const decision& choice);
  std::uint64_t taken_if_checks_hold(const instruction& branch, std::uint64_t lanes,
                                     std::uint64_t taken_lanes);
  decision decide_unknown(warp& current, const step& action, std::uint64_t lanes, int origin);
  void pass_over(warp& current, const region& skipped, const place& branch, std::uint64_t lanes,
                 int origin);
  bool assumed_arm(const step& action, int block, const region& branch_region, bool holds);
  std::string what_is_assumed(const step& action, int block, bool holds, bool first) const;
  bool is_end_of_loop(const place& position) const;
  bool is_jump(const place& position) const;
  [[noreturn]] void refuse_passes(const place& position) const;
  decision assumed_passes(const warp& current, const step& action, const iterations& goes_on,
                          std::uint64_t lanes, int origin);

  // ---- executor_bases.cpp ----
  // What is known of an unknown result: its base, or the result itself, since operands have the
  // same base.
  struct result_base {
    unknown_base base;
    bool is_known = false;
  };
  result_base base_of_result(const warp& current, const step& action, std::uint64_t active,
                             const lane_values* operands, std::uint64_t* results);
  unknown_base base_of(const warp& current, const step& action, std::size_t number) const;
  unknown_base new_base(std::uint64_t lanes, int zeros = 0);
  // All lanes have loaded the same unknown value.
  void set_loaded_base(warp& current, const instruction& code, int number, std::uint64_t lanes);

  // ---- executor_accesses.cpp ----
  void access(warp& current, const step& action, std::uint64_t active);
  std::string thread_of(const warp& current, int lane) const;

  // ---- executor_shared.cpp ----
  void access_shared(warp& current, const step& action, std::uint64_t lanes,
                     const std::uint64_t* address, const std::optional<bm::request>& source = {});
  void load_shared(warp& current, const step& action, std::uint64_t lanes,
                   const std::uint64_t* address);
  void store_shared(warp& current, const step& action, std::uint64_t lanes,
                    const std::uint64_t* address);
  void require_aligned(const warp& current, const instruction& code, int lane,
                       std::uint64_t address, std::uint64_t bytes) const;
  std::string outside_text(const memory_access& memory, std::uint64_t address) const;
  void access_outside(warp& current, const step& action, std::uint64_t lanes,
                      const std::uint64_t* address, int outside);
  void map_to_block(warp& current, const step& action, std::uint64_t active);
  // Lanes of which at least one may access another block's memory. `unknown`: have no address.
  void access_another_block(warp& current, const step& action, std::uint64_t lanes,
                            const std::uint64_t* address, std::uint64_t unknown, int origin);
  void forget_shared(const warp& current, std::uint64_t lanes, const std::uint64_t* address,
                     std::uint64_t bytes, int origin);
  // With launch::bounds: an access of which some addresses are unknown.
  void access_unknown_shared(warp& current, const step& action, std::uint64_t lanes, int origin);

  // ---- executor_memories.cpp: all other memory ----
  // `base`: the addresses of the lanes in `unknown` are distances from it; null: nothing is known.
  void access_global(warp& current, const step& action, std::uint64_t lanes, std::uint64_t unknown,
                     int origin, const std::uint64_t* address, const unknown_base* base = nullptr);
  void access_local(warp& current, const step& action, std::uint64_t lanes, std::uint64_t unknown,
                    int origin, const std::uint64_t* address);
  void load_argument(warp& current, const step& action, std::uint64_t lanes, std::uint64_t unknown,
                     const std::uint64_t* address);
  void store_global(warp& current, const step& action, std::uint64_t lanes, std::uint64_t unknown,
                    const std::uint64_t* address);
  void store_somewhere(const instruction& code);
  void copy_global(warp& current, const step& action, std::uint64_t active);
  // The lanes of a copy that load, of which some addresses are unknown; `origin` says why.
  struct loading_lanes {
    std::uint64_t lanes = 0, unknown = 0;
    int origin = 0;
  };
  loading_lanes loading(const warp& current, const step& action, std::uint64_t active) const;
  std::optional<bm::request> source_of(const warp& current, const step& action,
                                       std::uint64_t active) const;
  // Loads the elements of these lanes; load(lane, address) returns the content. `same`: the lanes
  // that load from one address, if the other ones of them are unknown.
  template <class Load>
  void load_elements(warp& current, const instruction& code, std::uint64_t lanes,
                     const std::uint64_t* address, std::uint64_t same, const Load& load) {
    const memory_access& memory = code.memory;
    for (std::size_t element = 0; element < code.results.size(); ++element) {
      const int target = code.results[element];
      std::uint64_t* const values = current.registers.values(target);
      int origin = no_origin;
      const std::uint64_t unknown = lanes_where(lanes, [&](int lane) {
        const tracked_bytes::content content =
            load(lane, address[lane] + element * static_cast<std::uint64_t>(memory.bytes));
        if (content.origin == no_origin)
          values[lane] =
              memory.sign_extends ? sign_extended(content.value, 8 * memory.bytes) : content.value;
        else
          origin = content.origin;
        return content.origin != no_origin;
      });
      current.registers.mark(target, lanes, unknown, origin);
      if (same != 0 && (unknown | (same & ~lanes)) == same)
        set_loaded_base(current, code, target, same);
    }
  }
  // The name that --data has for the array; empty if it has none.
  int only_array_of(const instruction& access);
  std::string pointer_to(int array) const;
  tracked_bytes& local_of(warp& current, int lane);

  // ---- executor_unmodelled.cpp ----
  void execute_unknown(warp& current, const step& action, std::uint64_t active);
  void leave_out(warp& current, const step& action, std::uint64_t lanes, bool is_elsewhere);
  void forget_shared(const warp& current, int changed);

  // ---- executor_units.cpp ----
  void use_unit(warp& current, const step& action, std::uint64_t lanes);

  // ---- executor_values.cpp: runs that compute all values ----
  using values_by_lane = std::array<std::uint64_t, most_lanes>;
  values_by_lane inputs_of(const warp& current, const step& action, std::uint64_t active) const;
  void make_up_results(warp& current, const instruction& code, std::uint64_t active,
                       const values_by_lane& inputs);
  template <class Load, class Store>
  void transfer(warp& current, const step& action, std::uint64_t lanes,
                const std::uint64_t* address, const Load& load, const Store& store);
  void transfer_global(warp& current, const step& action, std::uint64_t lanes,
                       const std::uint64_t* address);
  void transfer_shared(warp& current, const step& action, std::uint64_t lanes,
                       const std::uint64_t* address);
  void copy_values(warp& current, const step& action, std::uint64_t lanes,
                   const std::uint64_t* address);
  void transfer_matrices(warp& current, const step& action, std::uint64_t active,
                         std::uint64_t addressing, const std::uint64_t* address);

  // ---- executor_exchanges.cpp ----
  void shuffle(warp& current, const step& action, std::uint64_t active);
  void vote(warp& current, const step& action, std::uint64_t active);
  void vote_of(warp& current, const step& action, std::uint64_t group, std::uint64_t active);

  const kernel_code& kernel_;
  const launch& settings_;
  assumptions assumed_;            // those of the launch, and what it assumes meanwhile
  std::set<int> undecided_lines_;  // of branches on unknown values that no assumption decided
  made_up_memory* const values_;
  origin_table origins_;
  recorder recorder_;
  prepared_kernel prepared_;
  loop_ends loop_ends_;
  tracked_bytes shared_;
  store_times shared_times_;
  std::uint32_t time_ = 1;  // barriers that were passed
  int never_stored_local_ = 0;
  global_data data_;
  std::optional<pointed_arrays> pointed_;
  std::map<const instruction*, int> only_arrays_;  // as only_array_of()
  std::vector<std::unique_ptr<warp>> warps_;
  bool blocks_store_ = false;  // blocks of a cluster may store to each other's shared memory
  static constexpr std::size_t most_barriers = 16;  // of a block: PTX's bar.sync
  static constexpr std::size_t cluster_barrier = most_barriers, barriers = most_barriers + 1;
  std::vector<std::uint64_t> arrived_;  // lanes, by barrier, of bar.arrive
  // By barrier: the threads that wait there with a predicate.
  struct block_predicates {
    std::uint64_t set = 0, clear = 0, unknown = 0;
    int origin = 0;
  };
  std::array<block_predicates, barriers> predicates_;
  std::vector<std::string> notes_;
  std::set<std::string> noted_;
  std::map<int, bool> assumed_arms_;                 // by block: the first arm is entered
  std::map<int, std::vector<bool>> reached_blocks_;  // by the block that they are behind
  std::uint64_t bases_ = 0;                          // how many new_base() made
  long long steps_ = 0;                              // as launch::most_steps counts them
  long long instructions_ = 0;                       // of warps, which take the time
  std::vector<std::uint64_t> executions_;            // of each block of code, by warps
  bool leaves_out_ = false, leaves_out_shared_ = false, leaves_out_more_ = false;
  std::vector<std::string> textures_;  // places of accesses to them
  std::map<memory_unit, std::vector<place>> units_;
  std::set<int> arrays_of_units_;  // as recording::arrays_of_units
  bool is_stopped_ = false, leaves_arrays_ = false;
  bool is_possible_ = false;  // the current instruction may be executed or not
  int possible_origin_ = 0;   // what decides about that
};

}  // namespace compiled
