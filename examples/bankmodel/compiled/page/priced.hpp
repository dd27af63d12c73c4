// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/explain.hpp>
#include <bankmodel/global/copies.hpp>
#include <bankmodel/global/memory_traffic.hpp>
#include <bankmodel/model/cost.hpp>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "../engine/run.hpp"

// What the recorded requests of a compiled kernel cost on a machine.
namespace compiled {

// Requests about which data decide: the fewest and the most wavefronts (in global memory
// transactions) that they take together, and how many there are at most. Copies whose cost is a
// range are counted elsewhere with the fewest, and here with what they may take more.
struct bounded_cost {
  std::uint64_t minimum = 0, maximum = 0, bounded_requests = 0;
  void add(const bounded_cost& other) {
    minimum += other.minimum;
    maximum += other.maximum;
    bounded_requests += other.bounded_requests;
  }
};

// The instructions that the compiler makes of accesses, see issued.hpp. There are none if those of
// other accesses do these too.
struct issued_instructions {
  std::set<int> bytes;                     // their widths
  std::vector<bm::request_class> classes;  // in shared memory
  bm::cost cost;                           // in shared memory
  bm::memory_traffic traffic;              // in global memory
  bounded_cost bounded;                    // in shared memory, beside `cost`
  bounded_cost bounded_traffic;            // in global memory, beside `traffic`
  issued_label label = issued_label::estimate;
  std::string difference = {};  // between the estimate and the machine code, for people
};

// The worst request of an access that an expression describes: one of both, that of its memory.
struct explained_access {
  bm::explanation shared;
  bm::traffic_explanation global;
  std::vector<std::string> loop_names;
};

// Of all blocks of a grid, which is known.
struct grid_cost {
  std::uint64_t blocks = 0;
  bm::cost cost;
  bm::memory_traffic traffic;
};

// The accesses of one place in the source that do the same with the same width, such as those of an
// unrolled loop. Costs are as written; `cost` leaves the bounded requests out.
struct priced_access : bounded_cost {
  const recorded_access* first = nullptr;
  std::set<int> calls;  // of those that were inlined, in kernel_code::calls
  std::vector<bm::request_class> classes;
  bm::cost cost;                    // in shared memory
  bm::memory_traffic traffic;       // in global memory
  bm::request worst;                // in global memory: the most transactions beyond the ideal
  bm::copy_cost copied;             // of cp.async in shared memory: both sides
  bool has_unknown_source = false;  // of some of these copies
  std::uint64_t lanes = 0;          // active lanes of all requests whose addresses are known
  bool is_partial = false;
  std::string reason;
  bool is_unbounded = false;        // some requests are in neither
  bool stays_in_its_array = false;  // which `maximum` takes for granted
  issued_instructions issued;
  // Instead of `classes`; null: they are there.
  std::shared_ptr<const explained_access> explained = {};
  std::string not_explained = {};  // why its worst request is not known
  std::optional<grid_cost> of_grid = {};
  std::string text = {};  // of an expression: with its loops and conditions, on one line
};

// Conflicts, or transactions of global memory beyond the ideal: the most that data may decide.
std::uint64_t most_excessive(const priced_access& entry);

// The machine with the rule of this access: loads that bypass the first cache move sectors.
bm::machine met_by(const memory_access& access, const bm::machine& m);

// The fewest and the most wavefronts of a request to shared memory by these active lanes, with this
// width and kind, whose addresses are unknown.
std::pair<std::uint64_t, std::uint64_t> limits_of_unknown(const bm::machine& m, bm::request lanes);

// The same of global memory: transactions.
std::pair<std::uint64_t, std::uint64_t> limits_of_unknown_traffic(const bm::machine& m,
                                                                  bm::request lanes);

// True of cp.async on a machine that has it. One without it loads and stores instead.
bool is_copy_on(const bm::machine& m, const memory_access& access);

// The cost of the copies of one class: of both sides, or of the destination and a source that is
// not known.
bm::copy_cost copied_on(const bm::machine& m, const recorded_class& group);

// True if the row of a page counts the access, or would in another run of the kernel.
bool is_counted_in(const priced_access& row, const recorded_access& access);

// True if the compiler makes the same instructions of it as are written, or if it has no request.
bool is_issued_as_written(const priced_access& entry);

struct priced : bounded_cost {
  std::vector<priced_access> shared, global;  // by their place in the source
  bm::cost cost;
  bm::memory_traffic traffic;
  // Not all accesses to this memory are counted.
  bool is_partial_shared = false, is_partial_global = false;
  bounded_cost bounded_traffic;  // of the accesses to global memory
  // What is not counted of shared memory, or of global memory, is not all in these bounds.
  bool is_unbounded = false, is_unbounded_traffic = false;
  bm::cost issued_cost;
  bounded_cost issued_bounded;
  bm::memory_traffic issued_traffic;
  issued_instructions without_row;  // those of no access: their place is not that of one
  bool has_merged_lines = false;    // an instruction of several accesses is in the row of the first
  std::optional<grid_cost> of_grid = {};
  // As recording::instructions, as issued.
  std::optional<instruction_counts> instructions = {};
  std::optional<std::uint64_t> executed = {};  // recording::executed, as issued
};

// `issued`: the requests as issued, of the code that a compiler makes; null: those of `recorded`.
// Instructions are those of the access of their place, or else of their line.
// Error: the errors of total(machine, request_class) and of traffic(machine, request).
priced priced_on(const bm::machine& m, const recording& recorded,
                 const recording* issued = nullptr);

}  // namespace compiled
