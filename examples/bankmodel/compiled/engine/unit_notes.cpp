// SPDX-License-Identifier: MIT
#include "unit_notes.hpp"

#include <map>
#include <set>

namespace compiled {

namespace {

// "gemm.cu:71, 77 and 90, pipe.cuh:12"
std::string lines_of(const kernel_code& kernel, const std::vector<place>& places) {
  std::map<int, std::set<int>> lines;  // by file
  for (const place& position : places)
    if (position.line > 0) lines[position.file].insert(position.line);
  std::string result;
  for (const auto& [file, in_file] : lines) {
    std::string name = file < 0 ? std::string("line ") : kernel.files[slot(file)] + ":";
    if (const std::size_t slash = name.rfind('/'); slash != std::string::npos)
      name.erase(0, slash + 1);
    result += (result.empty() ? "" : ", ") + name;
    std::size_t number = 0;
    for (const int line : in_file) {
      if (number > 0) result += number + 1 == in_file.size() ? " and " : ", ";
      result += std::to_string(line);
      ++number;
    }
  }
  return result.empty() ? "" : " at " + result;
}

}  // namespace

std::string note_of_unit(const kernel_code& kernel, memory_unit unit,
                         const std::vector<place>& places) {
  const std::string lines = lines_of(kernel, places);
  switch (unit) {
    case memory_unit::barrier_object:
      return "mbarrier objects" + lines +
             ": a wait is taken to end at its first test; their operations are no requests to "
             "arrays, and are not counted";
    case memory_unit::copy_engine:
      return "bulk copies" + lines +
             ": a copy engine moves the bytes; these are no requests of warps, and are not counted";
    default:
      return "matrix instructions" + lines +
             ": a tensor core reads its matrices in shared memory itself; these are no requests of "
             "warps, and are not counted";
  }
}

std::vector<std::string> notes_of_elections(const kernel_code& kernel) {
  std::vector<place> places;
  for (const code_block& block : kernel.blocks)
    for (const instruction& election : block.instructions)
      if (election.operation == opcode::equal && election.description == "elect.sync")
        places.push_back(election.location);
  if (places.empty()) return {};
  return {"elect.sync" + lines_of(kernel, places) +
          " is taken to elect the lowest lane of its mask, which PTX leaves open"};
}

}  // namespace compiled
