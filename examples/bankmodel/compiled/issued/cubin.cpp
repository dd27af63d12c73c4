// SPDX-License-Identifier: MIT
#include "cubin.hpp"

#include <algorithm>
#include <optional>

#include "../code/linkage.hpp"
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

std::optional<machine_access> decoded(std::uint64_t low, std::uint64_t high) {
  for (const encoding& one : encodings)
    if (one.opcode == (low & 0x1ff)) {
      machine_access result;
      result.does = one.does;
      result.is_shared = one.is_shared;
      result.is_global = one.is_global;
      result.bytes = one.bytes != 0 ? one.bytes : bytes_of_width[high >> 9 & 7];
      return result;
    }
  return std::nullopt;
}

// Instructions that a jump to an earlier one repeats. Where it jumps is known of BRA alone: calls
// and jumps by a register (CALL, BRX, JMP, JMX, BRXU) may repeat each instruction.
class repeated_code {
 public:
  repeated_code(std::string_view instructions, int model) {
    for (std::size_t at = 0; at + instruction_bytes <= instructions.size();
         at += instruction_bytes) {
      byte_reader from(instructions, at);
      const std::uint64_t low = from.number(8), opcode = low & 0x1ff;
      const std::int64_t high = static_cast<std::int32_t>(low >> 32);
      // Bytes from the next instruction on; from sm_90 on words, whose low 8 bits are elsewhere.
      const std::int64_t distance =
          model < 90 ? high : ((high >> 2) * 256 + static_cast<std::int64_t>(low >> 16 & 0xff)) * 4;
      const auto next = static_cast<std::int64_t>(at + instruction_bytes);
      if (opcode == 0x147 && distance < 0) jumps_.push_back({next + distance, next});
      for (const std::uint64_t other : {0x143u, 0x144u, 0x149u, 0x14au, 0x14cu, 0x158u})
        is_unknown_ = is_unknown_ || opcode == other;
    }
  }
  bool has(std::size_t at) const {
    const auto place = static_cast<std::int64_t>(at);
    return is_unknown_ || std::any_of(jumps_.begin(), jumps_.end(), [&](const auto& one) {
             return one.first <= place && place < one.second;
           });
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> jumps_;  // to, from behind
  bool is_unknown_ = false;
};

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

machine_code read_cubin(std::string_view text, const std::string& linkage) {
  const elf_file file(text);
  machine_code result;
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
  const repeated_code repeated(instructions, result.model);
  auto row = lines.begin();
  for (std::uint64_t at = 0; at + instruction_bytes <= instructions.size();
       at += instruction_bytes) {
    while (row + 1 != lines.end() && (row + 1)->address <= at) ++row;
    byte_reader from(instructions, at);
    const std::uint64_t low = from.number(8), high = from.number(8);
    std::optional<machine_access> one = decoded(low, high);
    if (!one || row->address > at || row->is_end) continue;
    one->file = row->file;
    one->line = row->line;
    one->is_repeated = repeated.has(at);
    result.accesses.push_back(*one);
  }
  return result;
}

}  // namespace compiled
