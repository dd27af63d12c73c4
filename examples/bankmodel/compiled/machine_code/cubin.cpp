// SPDX-License-Identifier: MIT
#include "cubin.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "../code/linkage.hpp"
#include "elf_reader.hpp"

namespace compiled {

namespace {

constexpr std::uint64_t instruction_bytes = 16;

// Bytes of a lane by the field of an instruction that says its type; 0: not known.
using widths = std::array<int, 8>;
// Unsigned and signed bytes and halves, then 32, 64 and 128 bits.
constexpr widths of_accesses = {1, 1, 2, 2, 4, 8, 16, 16};
// From sm_100 on, of a copy, and before.
constexpr widths of_copies = {4, 0, 8, 0, 16, 0, 0, 0}, of_older_copies = {0, 0, 0, 0, 4, 8, 16, 0};
// u32, s32, u64, then before sm_90 f32, f16x2, s64, f64, and from there on s64.
constexpr widths of_atomics = {4, 4, 8, 8, 0, 0, 0, 0}, of_older_atomics = {4, 4, 8, 4, 4, 8, 8, 0};
// f32, f32x2, f32x4 and f64; f16x2, f16x4, f16x8 and the same of bf16.
constexpr widths of_floats = {0, 4, 8, 16, 0, 0, 0, 8}, of_halves = {4, 8, 16, 4, 8, 16, 0, 0};
// One, two or four matrices of 8 x 8 halves.
constexpr widths of_matrices = {4, 8, 16, 0, 4, 8, 16, 0};

enum class typed : unsigned char { access, long_access, copy, atomic, floating, matrix };

// Instructions of 128 bits: bits 0 to 8 are the opcode. Found with nvcc 13.0 from accesses of each
// width and type, alike on sm_75, 80, 86 to 90, 100, 103, 110, 120 and 121 but for what is named.
struct encoding {
  unsigned opcode;
  access_does operation;
  bool is_shared, is_global;
  typed category = typed::access;
};
constexpr encoding encodings[] = {
    {0x184, access_does::load, true, false},                      // LDS
    {0x188, access_does::store, true, false},                     // STS
    {0x181, access_does::load, false, true},                      // LDG
    {0x186, access_does::store, false, true},                     // STG
    {0x180, access_does::load, true, true},                       // LD, of a generic address
    {0x185, access_does::store, true, true},                      // ST
    {0x17e, access_does::load, false, true, typed::long_access},  // LDG of 256 bits, from sm_100 on
    {0x17f, access_does::store, false, true, typed::long_access},    // STG of 256 bits
    {0x03b, access_does::load_matrix, true, false, typed::matrix},   // LDSM
    {0x044, access_does::store_matrix, true, false, typed::matrix},  // STSM
    {0x1ae, access_does::copy, true, true, typed::copy},             // LDGSTS
    {0x18c, access_does::atomic, true, false, typed::atomic},        // ATOMS
    {0x18d, access_does::atomic, true, false, typed::atomic},        // ATOMS.CAS
    {0x18a, access_does::atomic, true, true, typed::atomic},         // ATOM, of a generic address
    {0x18b, access_does::atomic, true, true, typed::atomic},         // ATOM.CAS
    {0x18e, access_does::atomic, false, true, typed::atomic},        // RED
    {0x1a8, access_does::atomic, false, true, typed::atomic},        // ATOMG
    {0x1a9, access_does::atomic, false, true, typed::atomic},        // ATOMG.CAS
    {0x1a2, access_does::atomic, true, true, typed::floating},       // ATOM, from sm_90 on
    {0x1a3, access_does::atomic, false, true, typed::floating},      // ATOMG
    {0x1a6, access_does::atomic, false, true, typed::floating},      // RED
};

int bytes_of(typed kind, std::uint64_t high, int model) {
  const std::size_t type = high >> 9 & 7;
  switch (kind) {
    case typed::long_access: return 32;
    case typed::copy: return (model < 100 ? of_older_copies : of_copies)[type];
    case typed::atomic: return (model < 90 ? of_older_atomics : of_atomics)[type];
    case typed::floating: return ((high >> 12 & 1) != 0 ? of_floats : of_halves)[type];
    case typed::matrix: return of_matrices[high >> 8 & 7];
    default: return of_accesses[type];
  }
}

std::optional<machine_access> decoded(std::uint64_t low, std::uint64_t high, int model) {
  constexpr unsigned never = 15;  // the predicate !PT: something for the machine to wait for
  if ((low >> 12 & 15) == never) return std::nullopt;
  for (const encoding& entry : encodings)
    if (entry.opcode == (low & 0x1ff)) {
      machine_access result;
      result.operation = entry.operation;
      result.is_shared = entry.is_shared;
      result.is_global = entry.is_global;
      result.bytes = bytes_of(entry.category, high, model);
      return result;
    }
  return std::nullopt;
}

// Instructions that a jump to an earlier one repeats. Where it jumps is known of BRA alone: calls
// and jumps by a register (CALL, BRX, JMP, JMX, BRXU) may repeat each instruction.
class repeated_code {
 public:
  repeated_code(std::string_view instructions, int model) {
    for (std::size_t offset = 0; offset + instruction_bytes <= instructions.size();
         offset += instruction_bytes) {
      byte_reader reader(instructions, offset);
      const std::uint64_t low = reader.number(8), opcode = low & 0x1ff;
      const std::int64_t high = static_cast<std::int32_t>(low >> 32);
      // Bytes from the next instruction on; from sm_90 on words, whose low 8 bits are elsewhere.
      const std::int64_t distance =
          model < 90 ? high : ((high >> 2) * 256 + static_cast<std::int64_t>(low >> 16 & 0xff)) * 4;
      const auto next = static_cast<std::int64_t>(offset + instruction_bytes);
      if (opcode == 0x147 && distance < 0) jumps_.push_back({next + distance, next});
      for (const std::uint64_t other : {0x143u, 0x144u, 0x149u, 0x14au, 0x14cu, 0x158u})
        is_unknown_ = is_unknown_ || opcode == other;
    }
  }
  bool has(std::size_t offset) const {
    const auto place = static_cast<std::int64_t>(offset);
    return is_unknown_ || std::ranges::any_of(jumps_, [&](const auto& entry) {
             return entry.first <= place && place < entry.second;
           });
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> jumps_;  // to, from behind
  bool is_unknown_ = false;
};

constexpr const char* code_prefix = ".text.";

std::string kernels_of(const elf_file& file) {
  std::string result;
  const std::string prefix = code_prefix;
  for (const elf_section& entry : file.sections())
    if (entry.name.starts_with(prefix))
      result += (result.empty() ? "" : ", ") + entry.name.substr(prefix.size());
  return result;
}

// The section with the code of a kernel; 0 if there is none.
std::size_t find_kernel(const elf_file& file, const std::string& linkage) {
  if (const std::size_t section_number = file.find(code_prefix + linkage); section_number != 0)
    return section_number;
  const std::string prefix = code_prefix, wanted = common_linkage(linkage);
  for (const elf_section& entry : file.sections())
    if (entry.name.starts_with(prefix) &&
        common_linkage(entry.name.substr(prefix.size())) == wanted)
      return file.find(entry.name);
  return 0;
}

// CuPy's cache has a hash before the file, and names.
std::string_view from_magic(std::string_view text) {
  constexpr std::size_t most_before = 1 << 16;
  const std::size_t begin = text.substr(0, most_before).find("\x7f\x45LF");
  return begin == std::string_view::npos ? text : text.substr(begin);
}

elf_file decoded_file(std::string_view input) {
  const std::string_view text = from_magic(input);
  elf_file result(text);
  if (result.model() < 75 || result.model() > 121)
    throw machine_code_error(
        "is for sm_" + std::to_string(result.model()) + ", whose instructions are not decoded",
        "give one for sm_75 to sm_121");
  return result;
}

// The code in section number `code`; without line information its lines are 0.
machine_code code_in(const elf_file& file, std::size_t code) {
  machine_code result;
  result.model = file.model();
  const std::vector<line_row> lines = line_table(file, code);
  const std::string_view instructions = file.sections()[code].content;
  const repeated_code repeated(instructions, result.model);
  auto row = lines.begin();
  for (std::uint64_t offset = 0; offset + instruction_bytes <= instructions.size();
       offset += instruction_bytes) {
    while (!lines.empty() && row + 1 != lines.end() && (row + 1)->address <= offset) ++row;
    byte_reader reader(instructions, offset);
    const std::uint64_t low = reader.number(8), high = reader.number(8);
    std::optional<machine_access> access = decoded(low, high, result.model);
    if (!access || (!lines.empty() && (row->address > offset || row->is_end))) continue;
    if (!lines.empty()) {
      access->file = row->file;
      access->line = row->line;
    }
    access->is_repeated = repeated.has(offset);
    result.accesses.push_back(*access);
  }
  return result;
}

}  // namespace

machine_code read_cubin(std::string_view text, const std::string& linkage) {
  const elf_file file = decoded_file(text);
  const std::size_t code = find_kernel(file, linkage);
  if (code == 0) throw machine_code_error("has no kernel " + linkage, "it has " + kernels_of(file));
  if (line_table(file, code).empty())
    throw machine_code_error("has no line information of " + linkage,
                             "compile it with nvcc -lineinfo");
  return code_in(file, code);
}

machine_file kernels_in_cubin(std::string_view text) {
  const elf_file file = decoded_file(text);
  machine_file result{"sm_" + std::to_string(file.model())};
  const std::string prefix = code_prefix;
  for (std::size_t code = 0; code < file.sections().size(); ++code) {
    const std::string& name = file.sections()[code].name;
    if (!name.starts_with(prefix)) continue;
    const std::string linkage = name.substr(prefix.size());
    result.kernels.push_back({demangled(linkage), linkage, code_in(file, code)});
  }
  return result;
}

}  // namespace compiled
