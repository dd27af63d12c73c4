// SPDX-License-Identifier: MIT
#include "cubin.hpp"

#include <algorithm>
#include <optional>

#include "../linkage.hpp"
#include "elf_reader.hpp"

namespace compiled {

namespace {

constexpr std::uint64_t instruction_bytes = 16;

// Instructions of 128 bits: bits 0 to 8 are the opcode, bits 73 to 75 the width. Found with nvcc
// 13.0 from accesses of each width, alike on sm_75, 80, 86 to 90, 100, 103, 110, 120 and 121.
struct encoding {
  unsigned opcode;
  access_does does;
  bool is_shared, is_global;
  int bytes = 0;  // 0: the width says how many
};
constexpr encoding encodings[] = {
    {0x184, access_does::load, true, false},       // LDS
    {0x188, access_does::store, true, false},      // STS
    {0x181, access_does::load, false, true},       // LDG
    {0x186, access_does::store, false, true},      // STG
    {0x180, access_does::load, true, true},        // LD, of a generic address
    {0x185, access_does::store, true, true},       // ST
    {0x17e, access_does::load, false, true, 32},   // LDG of 256 bits, from sm_100 on
    {0x17f, access_does::store, false, true, 32},  // STG of 256 bits
};
// Unsigned and signed bytes and halves, then 32, 64 and 128 bits.
constexpr int bytes_of_width[] = {1, 1, 2, 2, 4, 8, 16, 16};

std::optional<cubin_access> decoded(std::uint64_t low, std::uint64_t high) {
  for (const encoding& one : encodings)
    if (one.opcode == (low & 0x1ff)) {
      cubin_access result;
      result.does = one.does;
      result.is_shared = one.is_shared;
      result.is_global = one.is_global;
      result.bytes = one.bytes != 0 ? one.bytes : bytes_of_width[high >> 9 & 7];
      return result;
    }
  return std::nullopt;
}

constexpr const char* of_code = ".text.";

std::string kernels_of(const elf_file& file) {
  std::string result;
  const std::string prefix = of_code;
  for (const elf_section& one : file.sections())
    if (one.name.rfind(prefix, 0) == 0)
      result += (result.empty() ? "" : ", ") + one.name.substr(prefix.size());
  return result;
}

// The section with the code of a kernel; 0 if there is none.
std::size_t find_kernel(const elf_file& file, const std::string& linkage) {
  if (const std::size_t found = file.find(of_code + linkage); found != 0) return found;
  const std::string prefix = of_code, wanted = common_linkage(linkage);
  for (const elf_section& one : file.sections())
    if (one.name.rfind(prefix, 0) == 0 && common_linkage(one.name.substr(prefix.size())) == wanted)
      return file.find(one.name);
  return 0;
}

}  // namespace

cubin_code read_cubin(std::string_view text, const std::string& linkage) {
  const elf_file file(text);
  cubin_code result;
  result.model = file.model();
  if (result.model < 75 || result.model > 121)
    throw cubin_error(
        "is for sm_" + std::to_string(result.model) + ", whose instructions are not decoded",
        "give one for sm_75 to sm_121");
  const std::size_t code = find_kernel(file, linkage);
  if (code == 0) throw cubin_error("has no kernel " + linkage, "it has " + kernels_of(file));
  const std::vector<line_row> lines = line_table(file, code);
  if (lines.empty())
    throw cubin_error("has no line information of " + linkage, "compile it with nvcc -lineinfo");
  const std::string_view instructions = file.sections()[code].content;
  auto row = lines.begin();
  for (std::uint64_t at = 0; at + instruction_bytes <= instructions.size();
       at += instruction_bytes) {
    while (row + 1 != lines.end() && (row + 1)->address <= at) ++row;
    byte_reader from(instructions, at);
    const std::uint64_t low = from.number(8), high = from.number(8);
    std::optional<cubin_access> one = decoded(low, high);
    if (!one || row->address > at || row->is_end) continue;
    one->file = row->file;
    one->line = row->line;
    result.accesses.push_back(*one);
  }
  return result;
}

}  // namespace compiled
