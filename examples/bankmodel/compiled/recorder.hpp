// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_RECORDER_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_RECORDER_HPP

#include <string>
#include <unordered_map>
#include <vector>

#include "run.hpp"

// Merges the requests of each access into classes as they come.
namespace compiled {

class recorder {
 public:
  // Returns the number of a new access, of which nothing is recorded yet. `number`: its own among
  // the access instructions of the code.
  int add(const instruction& of, int number, bool is_global);

  // `address[lane]` are those of the active lanes. `array`: of the first of them.
  void request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
               const std::uint64_t* address, int array);
  // A request of which some addresses are unknown.
  void unknown_request(int access, const std::string& reason);
  void mark_partial(int access, const std::string& reason);

  // The accesses that were executed, or passed over behind unknown branches.
  std::vector<recorded_access> finish();

 private:
  struct state {
    recorded_access made;
    bool is_used = false, has_array = false;
    std::size_t last = 0;                                         // the class of the last request
    std::unordered_multimap<std::uint64_t, std::size_t> classes;  // by hash
  };
  std::vector<state> all_;
};

}  // namespace compiled

#endif
