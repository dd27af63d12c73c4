// SPDX-License-Identifier: MIT
// The line table of DWARF 2 to 4 (section 6.2 of the standard's version 4), as ptxas writes it.
#include <algorithm>

#include "cubin.hpp"
#include "elf_reader.hpp"

namespace compiled {

namespace {

constexpr const char* section = ".debug_line";

struct header {
  std::uint64_t step = 1;  // the bytes of an instruction, as the table counts
  int line_base = 0;
  std::uint64_t line_range = 1, first_special = 1;
  std::vector<std::uint64_t> operands;  // of each opcode
  std::vector<std::string> files;       // from number 1 on
};

header header_of(byte_reader& from, std::uint64_t version) {
  header result;
  result.files.emplace_back();
  result.step = from.number(1);
  if (version >= 4) from.skip(1);
  from.skip(1);
  result.line_base = static_cast<std::int8_t>(from.number(1));
  result.line_range = std::max<std::uint64_t>(1, from.number(1));
  result.first_special = from.number(1);
  result.operands.resize(1);
  for (std::uint64_t at = 1; at < result.first_special; ++at)
    result.operands.push_back(from.number(1));
  while (!from.word().empty()) {  // folders
  }
  for (std::string_view name = from.word(); !name.empty(); name = from.word()) {
    result.files.emplace_back(name.substr(name.rfind('/') + 1));
    for (int at = 0; at < 3; ++at) from.unsigned_leb();  // folder, time, size
  }
  return result;
}

// The machine that a line table is a program of.
class line_program {
 public:
  line_program(const elf_file& of, std::size_t code, header all, std::vector<line_row>& rows)
      : of_(of), code_(code), all_(std::move(all)), rows_(rows) {}

  void run(byte_reader& from, std::size_t end) {
    while (from.at() < end) {
      const std::uint64_t opcode = from.number(1);
      if (opcode >= all_.first_special)
        special(opcode - all_.first_special);
      else if (opcode == 0)
        extended(from);
      else
        standard(opcode, from);
    }
  }

 private:
  void add_row(bool is_end = false) {
    if (section_ != code_) return;
    const bool is_named = file_ < all_.files.size();
    rows_.push_back(
        {address_, is_named ? all_.files[file_] : std::string(), static_cast<int>(line_), is_end});
  }
  void special(std::uint64_t adjusted) {
    address_ += adjusted / all_.line_range * all_.step;
    line_ += all_.line_base + static_cast<std::int64_t>(adjusted % all_.line_range);
    add_row();
  }
  void standard(std::uint64_t opcode, byte_reader& from) {
    switch (opcode) {
      case 1: return add_row();
      case 2: address_ += from.unsigned_leb() * all_.step; return;
      case 3: line_ += from.signed_leb(); return;
      case 4: file_ = from.unsigned_leb(); return;
      case 8: address_ += (255 - all_.first_special) / all_.line_range * all_.step; return;
      case 9: address_ += from.number(2); return;
      default:
        for (std::uint64_t left = all_.operands[opcode]; left > 0; --left) from.unsigned_leb();
    }
  }
  // 1: the end of a sequence, 2: an address. Others, such as ptxas's of inlined calls, are skipped.
  void extended(byte_reader& from) {
    const std::uint64_t bytes = from.unsigned_leb();
    if (bytes == 0) return;
    const std::uint64_t which = from.number(1);
    if (which == 2 && bytes == 9) {
      section_ = of_.section_of_address(section, from.at());
      address_ = from.number(8);
      return;
    }
    from.skip(bytes - 1);
    if (which != 1) return;
    add_row(true);
    address_ = section_ = 0;
    file_ = 1;
    line_ = 1;
  }

  const elf_file& of_;
  std::size_t code_;
  header all_;
  std::vector<line_row>& rows_;
  std::uint64_t address_ = 0, file_ = 1;
  std::size_t section_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

std::vector<line_row> line_table(const elf_file& of, std::size_t code) {
  std::vector<line_row> result;
  const std::string_view all = of.sections()[of.find(section)].content;
  for (byte_reader from(all); !from.is_at_end();) {
    const std::uint64_t bytes = from.number(4);
    const std::size_t end = from.at() + bytes;
    const std::uint64_t version = from.number(2);
    if (version < 2 || version > 4)
      throw machine_code_error(
          "has a line table of DWARF " + std::to_string(version) + ", which is not read",
          "compile it with nvcc -cubin -lineinfo of CUDA 11 to 13");
    const std::uint64_t header_bytes = from.number(4);
    const std::size_t begin = from.at() + header_bytes;
    header names = header_of(from, version);
    if (begin < from.at()) throw machine_code_error("has a wrong line table", "compile it again");
    from.skip(begin - from.at());
    line_program(of, code, std::move(names), result).run(from, end);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const line_row& a, const line_row& b) { return a.address < b.address; });
  return result;
}

}  // namespace compiled
