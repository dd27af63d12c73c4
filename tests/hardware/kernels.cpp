// SPDX-License-Identifier: MIT
// kernels MODEL CUBIN..: checks that each kernel of measure.cu contains its instruction 16
// times and no other of shared memory, in ptxas's machine code for compute capability 7.5 to
// 12.x (MODEL 75 to 121). Exit code 0, or 1 with the error.
#include "cubin.hpp"
#include "instructions.hpp"

#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace hardware;

namespace {

// The opcode of an instruction in machine code: bits 0 to 11 of the first word. Those that
// access shared memory.
const char* shared_instruction(std::uint64_t word) {
  switch (word & 0xfff) {
    case 0x984: return "LDS";
    case 0x388:
    case 0x988: return "STS";
    case 0x83b: return "LDSM";
    case 0x844: return "STSM";
    case 0x38c:
    case 0x98c: return "ATOMS";
    case 0x38d:
    case 0x98d: return "ATOMS.CAS";
    case 0xfae: return "LDGSTS";
    case 0x980:
    case 0x385: return "a generic access";
    default: return nullptr;
  }
}

// Bits 9 to 11 of the second word are the width of loads and stores.
std::string with_width(const char* name, std::uint64_t second) {
  constexpr const char* widths[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", "?"};
  const bool has_width = std::strcmp(name, "LDS") == 0 || std::strcmp(name, "STS") == 0;
  return has_width ? std::string(name) + widths[second >> 9 & 7] : name;
}

std::string expected(instruction by) {
  if (is_copy(by)) return "LDGSTS";
  switch (describe(by).kind) {
    case bankmodel::access_kind::load_matrix: return "LDSM";
    case bankmodel::access_kind::store_matrix: return "STSM";
    case bankmodel::access_kind::atomic: return "ATOMS";
    default: break;
  }
  const char* const width = describe(by).bytes == 1    ? ".U8"
                            : describe(by).bytes == 2  ? ".U16"
                            : describe(by).bytes == 8  ? ".64"
                            : describe(by).bytes == 16 ? ".128"
                                                       : "";
  return std::string(describe(by).kind == bankmodel::access_kind::load ? "LDS" : "STS") + width;
}

}  // namespace

int main(int argc, char** argv) {
  int wrong = 0, checked = 0;
  for (int file = 2; file < argc; file += 2) {
    const int model = std::atoi(argv[file - 1]);
    const auto functions = cubin(argv[file]).functions();
    for (int which = 0; which < instruction_count; ++which) {
      const instruction by = nth_instruction(which);
      const std::string mangled =
          std::to_string(std::strlen(describe(by).name)) + describe(by).name + "E";
      bool found = false;
      for (const auto& [name, words] : functions) {
        if (name.find("kernels" + mangled) == std::string::npos) continue;
        found = true;
        std::map<std::string, int> count;
        // instructions have two words; predicate 15 is never true
        for (std::size_t at = 0; at + 1 < words.size(); at += 2)
          if (const char* one = shared_instruction(words[at]);
              one != nullptr && (words[at] >> 12 & 15) != 15)
            ++count[with_width(one, words[at + 1])];
        const bool missing = describe(by).since > model && count.empty();
        if (!missing && (count.size() != 1 || count[expected(by)] != 16)) {
          ++wrong;
          std::cout << argv[file] << ": " << describe(by).name << " should be 16 " << expected(by)
                    << ", is";
          for (const auto& [text, times] : count) std::cout << ' ' << times << ' ' << text;
          std::cout << '\n';
        }
        checked += !missing;
      }
      if (!found) ++wrong, std::cout << argv[file] << ": no kernel " << describe(by).name << '\n';
    }
  }
  std::cout << checked << " kernels checked\n";
  return wrong == 0 && checked > 0 ? 0 : 1;
}
