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

std::string expected(instruction opcode) {
  if (is_copy(opcode)) return "LDGSTS";
  switch (describe(opcode).kind) {
    case bankmodel::access_kind::load_matrix: return "LDSM";
    case bankmodel::access_kind::store_matrix: return "STSM";
    case bankmodel::access_kind::atomic: return "ATOMS";
    default: break;
  }
  const char* const width = describe(opcode).bytes == 1    ? ".U8"
                            : describe(opcode).bytes == 2  ? ".U16"
                            : describe(opcode).bytes == 8  ? ".64"
                            : describe(opcode).bytes == 16 ? ".128"
                                                           : "";
  return std::string(describe(opcode).kind == bankmodel::access_kind::load ? "LDS" : "STS") + width;
}

}  // namespace

int main(int argc, char** argv) {
  int wrong = 0, checked = 0;
  for (int file = 2; file < argc; file += 2) {
    const int model = std::atoi(argv[file - 1]);
    const auto functions = cubin(argv[file]).functions();
    for (int number = 0; number < instruction_count; ++number) {
      const instruction opcode = nth_instruction(number);
      const std::string mangled =
          std::to_string(std::strlen(describe(opcode).name)) + describe(opcode).name + "E";
      bool has_kernel = false;
      for (const auto& [name, words] : functions) {
        if (name.find("kernels" + mangled) == std::string::npos) continue;
        has_kernel = true;
        std::map<std::string, int> count;
        // instructions have two words; predicate 15 is never true
        for (std::size_t word = 0; word + 1 < words.size(); word += 2)
          if (const char* mnemonic = shared_instruction(words[word]);
              mnemonic != nullptr && (words[word] >> 12 & 15) != 15)
            ++count[with_width(mnemonic, words[word + 1])];
        const bool missing = describe(opcode).capability > model && count.empty();
        if (!missing && (count.size() != 1 || count[expected(opcode)] != 16)) {
          ++wrong;
          std::cout << argv[file] << ": " << describe(opcode).name << " should be 16 "
                    << expected(opcode) << ", is";
          for (const auto& [text, times] : count) std::cout << ' ' << times << ' ' << text;
          std::cout << '\n';
        }
        checked += !missing;
      }
      if (!has_kernel)
        ++wrong, std::cout << argv[file] << ": no kernel " << describe(opcode).name << '\n';
    }
  }
  std::cout << checked << " kernels checked\n";
  return wrong == 0 && checked > 0 ? 0 : 1;
}
