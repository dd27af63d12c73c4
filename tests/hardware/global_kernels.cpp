// SPDX-License-Identifier: MIT
// global_kernels CUBIN..: checks that each kernel of measure_global.cu contains its instruction 16
// times and no other of global, generic or local memory, in ptxas's machine code for compute
// capability 7.5 to 12.x. Exit code 0, or 1 with the error.
#include "cubin.hpp"
#include "global_patterns.hpp"

#include <cstring>
#include <iostream>

using namespace hardware;

namespace {

// By the opcode, bits 0 to 11 of the first word: those that access memory other than shared and
// constant memory.
const char* memory_instruction(std::uint64_t word) {
  switch (word & 0xfff) {
    case 0x381:
    case 0x981: return "LDG";
    case 0x386:
    case 0x986: return "STG";
    case 0x3a8:
    case 0x9a8: return "ATOMG";
    case 0x3a9:
    case 0x9a9: return "ATOMG.CAS";
    case 0x38e:
    case 0x98e: return "RED";
    case 0x980:
    case 0x385:
    case 0x985: return "a generic access";
    case 0x983:
    case 0x387:
    case 0x987: return "a local access";
    default: return nullptr;
  }
}

// Bits 9 to 11 of the second word are the width of loads and stores.
std::string with_width(const std::string& name, std::uint64_t second) {
  constexpr const char* widths[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", "?"};
  return name == "LDG" || name == "STG" ? name + widths[second >> 9 & 7] : name;
}

std::string expected(global_instruction opcode) {
  if (opcode == global_instruction::global_atomic_4) return "ATOMG";
  if (opcode == global_instruction::global_reduction_4) return "RED";
  const char* const width = describe(opcode).bytes == 1    ? ".U8"
                            : describe(opcode).bytes == 2  ? ".U16"
                            : describe(opcode).bytes == 8  ? ".64"
                            : describe(opcode).bytes == 16 ? ".128"
                                                           : "";
  return std::string(describe(opcode).kind == bankmodel::access_kind::load ? "LDG" : "STG") + width;
}

// Instructions have two words; predicate 15 is never true.
std::map<std::string, int> counted(const std::vector<std::uint64_t>& words) {
  std::map<std::string, int> count;
  for (std::size_t word = 0; word + 1 < words.size(); word += 2)
    if (const char* mnemonic = memory_instruction(words[word]);
        mnemonic != nullptr && (words[word] >> 12 & 15) != 15)
      ++count[with_width(mnemonic, words[word + 1])];
  return count;
}

// Returns how many kernels are wrong.
int check(const char* file) {
  const auto functions = cubin(file).functions();
  int wrong = 0;
  for (int number = 0; number < global_instruction_count; ++number) {
    const global_instruction opcode = nth_global_instruction(number);
    const std::string mangled = "kernels" + std::to_string(std::strlen(describe(opcode).name)) +
                                describe(opcode).name + "E";
    std::map<std::string, int> count;
    for (const auto& [name, words] : functions)
      if (name.find(mangled) != std::string::npos) count = counted(words);
    if (count.size() == 1 && count[expected(opcode)] == 16) continue;
    ++wrong;
    std::cout << file << ": " << describe(opcode).name << " should be 16 " << expected(opcode)
              << ", is";
    for (const auto& [text, times] : count) std::cout << ' ' << times << ' ' << text;
    std::cout << '\n';
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int wrong = argc < 2;
  for (int file = 1; file < argc; ++file) wrong += check(argv[file]);
  std::cout << (argc - 1) * global_instruction_count - wrong << " kernels checked\n";
  return wrong == 0 ? 0 : 1;
}
