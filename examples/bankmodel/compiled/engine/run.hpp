// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/count/request_class.hpp>
#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../code/code.hpp"
#include "../code/instruction_counts.hpp"

// Runs one block of a compiled kernel, all its warps in lockstep, with values that are known or
// unknown, and records the requests to shared and to global memory.
//
// Data from global memory are unknown, unless launch::data has them, and are carried along. A run
// ends with an error where the address of a shared access, or a branch that decides about one,
// depends on an unknown value.
namespace compiled {

namespace bm = bankmodel;

struct iterations {
  std::uint64_t minimum = 0, maximum = 0;
  bool operator==(const iterations&) const = default;
};

// The assumption about a branch on unknown values.
struct assumption {
  // The guarded code is executed (of two arms the one that is first in the source), a jump too;
  // where a loop's condition is, the loop goes on. False: it is passed over.
  bool is_taken = false;
  // Instead, of the condition of a loop: how often each thread goes on with the loop here, each
  // time that it comes to the loop. A `for` or a `while` has this many iterations, a `do` one more.
  std::optional<iterations> goes_on = {};
  bool operator==(const assumption&) const = default;
};

struct cannot_run;

struct launch {
  bm::block_dim block;
  // Why nobody gives the block, which has 0 threads along the axes of which nobody says them.
  std::string unknown_block = {};
  bm::grid_dim grid = {1, 1, 1};
  bool is_grid_known = true;  // else one block was assumed
  bm::block_index grid_index = {};
  bool is_any_block = false;  // of nests: `grid_index` and `grid` are as arguments that nobody gave
  long long dynamic_shared_bytes = 0;
  // The known arguments, as bits, by name: "width"; also by number, "p2", and a member of a
  // structure by its distance from the argument's first byte: "p2+8".
  std::map<std::string, std::uint64_t> arguments = {};
  // Integer arguments of which a range is given, by name as above; both ends included.
  std::map<std::string, std::pair<long long, long long>> ranges = {};
  // What arrays in global memory contain, little-endian, by the name of the pointer among the
  // arguments or of the array: "indices", "p0".
  struct contents {
    std::string file;  // for notes
    std::vector<std::uint8_t> bytes;
  };
  std::map<std::string, contents> data = {};
  std::map<int, assumption> assumed = {};  // by source line
  // An instruction of a warp counts as one of each of its threads, and as these at least: it takes
  // about as long.
  static constexpr int fewest_steps = 16;
  // Instructions that the threads of the block may execute together: some 20 seconds of work.
  long long most_steps = 1ll << 31;
  // Where nobody sets `most_steps`: what takes more is counted with smaller arguments.
  long long steps_at_once = 1ll << 29;
  // The same where sizes are assumed, and others would do as well: some tenths of a second.
  long long steps_of_a_guess = 1ll << 25;
  // True: after `most_steps` the run ends without an error, and its recording is a part.
  bool may_stop = false;
  // Called once after `long_run` instructions of warps: the run takes more than some seconds.
  static constexpr long long long_run = 1ll << 24;
  std::function<void()> tell_long_run = {};
  // Where an address of shared memory, or a branch around accesses to it, depends on unknown data:
  // false ends the run there; true records what the accesses are at least and at most.
  bool bounds = false;
  // For run_with_assumptions(): a branch on data that decides about shared memory is not assumed.
  bool bounds_shared_branches = false;
  // With bounds, too, the run ends where a branch or an address depends on an unknown argument.
  bool requires_arguments = false;
  // The same where a branch on other unknown values decides about global memory alone, or about
  // shared memory.
  bool requires_branches = false, requires_shared_branches = false;
  // For launches with assumed numbers: a check that fails is taken to hold, like checks of unknown
  // values.
  bool checks_hold = false;
  // Called before an error about a branch. The run continues with the assumption that it returns,
  // as if `assumed` had it; the error is thrown if it returns none.
  std::function<std::optional<assumption>(const cannot_run&)> assume_branch = {};
};

// Requests of one access that differ by their bases alone.
struct recorded_class {
  bm::request lanes;  // address[lane]: the distance from the base, the lowest active lane's address
  std::map<long long, std::uint64_t> times;  // by base, how often
  // Of a copy whose source is known: its request to global memory, with addresses from a multiple
  // of copied_from on.
  std::optional<bm::request> source = {};
};
// A copy's cost depends on its source's addresses modulo the banks and lines of the first cache.
constexpr long long copied_from = 1024;

// Bytes of shared memory, both included.
struct byte_range {
  std::int64_t first = 0, last = -1;
  bool operator==(const byte_range&) const = default;
};

// Requests that are not known exactly: their addresses are unknown, and only the
// active lanes and the width are meant; or it is unknown whether they are made; or both.
struct bounded_class {
  recorded_class requests;
  bool has_addresses = false;
  bool is_possible = false;  // made by these lanes or a part of them, or not at all
  byte_range bytes = {};     // that unknown addresses are in; empty if that is not known
};

// Requests of one lane pattern to addresses that are a known distance from one unknown number,
// which is a multiple of 2^zeros.
struct moved_class {
  recorded_class requests;  // bases are those distances, modulo moved_period
  int zeros = 0;
  bool is_possible = false;  // as in bounded_class
};
// A cost depends on the base modulo a layer of all banks or a segment of memory.
constexpr long long moved_period = 4096;
// What requests to global memory cost depends on their addresses modulo this, on all machines: a
// multiple of the lines and sectors of their caches.
constexpr long long global_period = 512;

// An earlier access of the same basic block, to less than most_joined_bytes away: with no barrier
// in between and, for loads, no store to the same memory, for stores, nothing else to it. Both are
// executed each time together, by the same lanes and equally far apart.
constexpr int most_joined_bytes = 16;
struct near_access {
  int access = -1;         // its number in recording::accesses
  long long distance = 0;  // the address of the later access minus the address of this one
};

// How the widths of instructions as issued are known.
enum class issued_label : std::uint8_t {
  estimate,   // by the rules of issued.hpp
  confirmed,  // machine code has the same widths at this line
  corrected,  // machine code has others or none, and that is taken
  differs,    // machine code has others, and it is not known which access has which
};

// One access instruction of the code.
struct recorded_access {
  place location;
  int number = 0;  // among the access instructions of the code
  memory_access memory;
  bool is_global = false;
  // The shared array, or the parameter whose pointer it is, if all its requests are in one; else
  // -1. Arrays of the module in global memory follow the parameters: parameters.size() is the
  // first of them. Bases are distances from the start of what the pointer points to, or -1 of
  // all global addresses.
  int array = -1;
  std::vector<recorded_class> classes;
  std::vector<bounded_class> bounded;  // of shared memory with launch::bounds
  std::vector<moved_class> moved;      // which have one cost, or bounds
  std::string moved_reason;
  std::uint64_t requests = 0;  // executed, those with unknown addresses included
  // Not all of its requests are known: it lies behind a branch on an unknown value, or some of its
  // addresses are unknown. `reason` says which, with the place.
  bool is_partial = false;
  std::string reason;
  bool lacks_requests = false;  // those that may be made are not all in `requests`
  std::vector<near_access> neighbours = {};
  // Each address is `remainder` more than a multiple of this power of 2, at most 16, whatever the
  // launch and the data are, as compilers find it from the code.
  int alignment = 1, remainder = 0;
  // As issued, see issued.hpp. The access whose instruction does this one too; -1: it has its own.
  int issued_with = -1;
  // Of the instruction that does this access: its bytes, 0 as written, and the distance of its
  // first byte from this access's address.
  int issued_bytes = 0, issued_offset = 0;
  issued_label label = issued_label::estimate;
  std::string difference = {};  // between the estimate and the cubin, for people
};

struct recording {
  std::vector<recorded_access> accesses;  // in the order of the code; those that were executed
  std::vector<std::string> notes;         // branches that were assumed, and the like
  bool leaves_out = false;                // accesses to global memory that are not modelled
  bool leaves_out_shared = false;         // to shared memory, too
  // Of accesses to global memory, those to textures and surfaces and no others.
  bool leaves_out_textures_alone = false;
  long long steps = 0;      // as launch::most_steps counts them
  bool is_stopped = false;  // by launch::may_stop
  // As fewest_instructions() counts them, without those that data may pass over. Empty: not known.
  std::optional<instruction_counts> instructions = {};
  // counted_instructions() that warps execute, without those that data may pass over.
  std::optional<std::uint64_t> executed = {};
  bool leaves_arrays = false;  // an access is outside the array that it is derived from
  // In global memory requests that are a multiple of global_period apart may have one base.
  bool has_merged_bases = false;
  // The arrays in shared memory that units beside the warps access, which are no requests; -1: it
  // is not known which.
  std::set<int> arrays_of_units = {};
};

// A fact about the launch or the data without which a run cannot go on.
struct missing_fact {
  enum class kind : std::uint8_t {
    none,
    argument,
    branch,
    loop,
    address,
    dynamic_bytes,
    steps,
    check  // numbers with which a check holds
  };
  kind is = kind::none;
  std::string argument = {};  // the name of an argument
};

// An error with its place in the source, and what to do.
struct cannot_run : std::runtime_error {
  place location;
  std::string right;
  missing_fact missing;
  cannot_run(const place& place_of_error, const std::string& wrong, std::string what_to_do,
             missing_fact lacks = {})
      : std::runtime_error(wrong),
        location(place_of_error),
        right(std::move(what_to_do)),
        missing(std::move(lacks)) {}
};

// "transpose.cu:12:7"; empty if the place is unknown.
std::string text(const kernel_code& kernel, const place& position);

// Of its requests to shared or to global memory: a copy has both.
bm::access_kind kind_of(const memory_access& memory, bool is_global);

// Returns the requests of one block. Arrays in shared memory follow one another from byte 0, each
// aligned as it demands, the dynamic one last.
// Error (cannot_run): an address of shared memory or a branch that decides about an access to it
// depends on an unknown value, and launch::bounds is not set; an access that is not aligned, or
// outside all arrays while the size of a dynamic one is missing; a barrier that some threads do not
// reach; more steps than `most_steps`; launch::arguments or launch::data name what the kernel does
// not have.
recording run(const kernel_code& kernel, const launch& settings);

// The same with what is known of the kernel's code, for several runs of one kernel.
class kernel_analysis;
recording run(const kernel_analysis& analysis, const launch& settings);

}  // namespace compiled
