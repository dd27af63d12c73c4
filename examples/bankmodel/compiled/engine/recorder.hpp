// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "known_alignment.hpp"
#include "run.hpp"

// Merges the requests of each access into classes as they come.
namespace compiled {

class recorder {
 public:
  // Returns the number of a new access, of which nothing is recorded yet. `number`: its own among
  // the access instructions of the code.
  int add(const instruction& code, int number, bool is_global, const low_part& of_addresses);

  // The bytes of shared memory that unknown addresses of this access can be in.
  void limit(int access, const byte_range& bytes);

  // A warp begins a basic block, or waits in it: later accesses are not near earlier ones.
  void begin_stretch();

  // `address[lane]` are those of the active lanes. `array`: of the first of them. `source`: of a
  // copy, as in recorded_class.
  void request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
               const std::uint64_t* address, int array,
               const std::optional<bm::request>& source = {});
  // The same made `times` times, of accesses whose neighbours are given instead: set_near().
  void requests(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                const std::uint64_t* address, int array, const std::optional<bm::request>& source,
                std::uint64_t times);
  // Each request of `access` is made with one of `other`, by the same lanes, `distance` further.
  void set_near(int access, int other, long long distance);
  // A request of which some addresses are unknown (`address` is null), or that may be made by a
  // part of these lanes only or not at all (`is_possible`).
  void bounded_request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                       const std::uint64_t* address, bool is_possible, const std::string& reason);
  // The array that a bounded request is to; -1: it is not known.
  void set_array(int access, int array);
  // A request to addresses that are these and one unknown multiple of 2^zeros.
  struct moved_request {
    bm::access_kind kind = bm::access_kind::load;
    int bytes = 0;
    std::uint64_t active = 0;
    const std::uint64_t* address = nullptr;
    int array = -1, zeros = 0;
    bool is_possible = false;
  };
  void request(int access, const moved_request& moved, const std::string& reason);
  // A request of which some addresses are unknown, or that may not be made.
  void unknown_request(int access, bm::access_kind kind, const std::string& reason);
  // Requests may be made that are not recorded at all.
  void mark_partial(int access, const std::string& reason);

  // The accesses that were executed, or passed over behind unknown branches.
  std::vector<recorded_access> finish();

 private:
  // A pair of accesses that may be near: near_access if it is so each time.
  struct pair {
    near_access neighbour;
    std::uint64_t times = 0;                // that it was so
    std::size_t mine = 0, other_class = 0;  // classes of the same lanes, as compared last
  };
  struct state {
    recorded_access recorded;
    bool is_used = false, has_array = false;
    std::size_t last = 0;                                         // the class of the last request
    std::unordered_multimap<std::uint64_t, std::size_t> classes;  // by hash
    std::uint64_t base = 0, stretch = 0;                          // of the last request
    std::vector<pair> pairs;
    byte_range limit = {};
  };
  // Accesses to one memory that a compiler may join, as far as what is between them is concerned.
  struct stretch {
    std::uint64_t number = 0;
    bm::access_kind kind = bm::access_kind::load;
    std::vector<int> accesses;
  };
  static void set_array(state& record, int array);
  static void set_partial(state& record, const std::string& reason);
  void add_requests(state& record, const bm::request& lanes, std::uint64_t base, int array,
                    const std::optional<bm::request>& source, std::uint64_t times);
  std::size_t class_of(state& record, const bm::request& lanes,
                       const std::optional<bm::request>& source);
  bool are_near(const state& record, const state& other, long long distance) const;
  void begin_stretch(stretch& current, bm::access_kind kind);
  void end_stretch(const state& record, bm::access_kind kind);
  stretch& stretch_of(const state& record) { return record.recorded.is_global ? global_ : shared_; }
  void find_pairs(int access);

  std::vector<state> states_;
  std::uint64_t stretches_ = 0;
  stretch shared_, global_;
};

}  // namespace compiled
