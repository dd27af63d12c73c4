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

header header_of(byte_reader& reader, std::uint64_t version) {
  header result;
  result.files.emplace_back();
  result.step = reader.number(1);
  if (version >= 4) reader.skip(1);
  reader.skip(1);
  result.line_base = static_cast<std::int8_t>(reader.number(1));
  result.line_range = std::max<std::uint64_t>(1, reader.number(1));
  result.first_special = reader.number(1);
  result.operands.resize(1);
  for (std::uint64_t opcode = 1; opcode < result.first_special; ++opcode)
    result.operands.push_back(reader.number(1));
  while (!reader.word().empty()) {  // folders
  }
  for (std::string_view name = reader.word(); !name.empty(); name = reader.word()) {
    result.files.emplace_back(name.substr(name.rfind('/') + 1));
    for (int field = 0; field < 3; ++field) reader.unsigned_leb();  // folder, time, size
  }
  return result;
}

// The machine that a line table is a program of.
class line_program {
 public:
  line_program(const elf_file& file, std::size_t code, header table_header,
               std::vector<line_row>& rows)
      : elf_(file), code_(code), header_(std::move(table_header)), rows_(rows) {}

  void run(byte_reader& reader, std::size_t end) {
    while (reader.position() < end) {
      const std::uint64_t opcode = reader.number(1);
      if (opcode >= header_.first_special)
        special(opcode - header_.first_special);
      else if (opcode == 0)
        extended(reader);
      else
        standard(opcode, reader);
    }
  }

 private:
  void add_row(bool is_end = false) {
    if (section_ != code_) return;
    const bool is_named = file_ < header_.files.size();
    rows_.push_back({address_, is_named ? header_.files[file_] : std::string(),
                     static_cast<int>(line_), is_end});
  }
  void special(std::uint64_t adjusted) {
    address_ += adjusted / header_.line_range * header_.step;
    line_ += header_.line_base + static_cast<std::int64_t>(adjusted % header_.line_range);
    add_row();
  }
  void standard(std::uint64_t opcode, byte_reader& reader) {
    switch (opcode) {
      case 1: return add_row();
      case 2: address_ += reader.unsigned_leb() * header_.step; return;
      case 3: line_ += reader.signed_leb(); return;
      case 4: file_ = reader.unsigned_leb(); return;
      case 8: address_ += (255 - header_.first_special) / header_.line_range * header_.step; return;
      case 9: address_ += reader.number(2); return;
      default:
        for (std::uint64_t left = header_.operands[opcode]; left > 0; --left) reader.unsigned_leb();
    }
  }
  // 1: the end of a sequence, 2: an address. Others, such as ptxas's of inlined calls, are skipped.
  void extended(byte_reader& reader) {
    const std::uint64_t bytes = reader.unsigned_leb();
    if (bytes == 0) return;
    const std::uint64_t opcode = reader.number(1);
    if (opcode == 2 && bytes == 9) {
      section_ = elf_.section_of_address(section, reader.position());
      address_ = reader.number(8);
      return;
    }
    reader.skip(bytes - 1);
    if (opcode != 1) return;
    add_row(true);
    address_ = section_ = 0;
    file_ = 1;
    line_ = 1;
  }

  const elf_file& elf_;
  std::size_t code_;
  header header_;
  std::vector<line_row>& rows_;
  std::uint64_t address_ = 0, file_ = 1;
  std::size_t section_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

std::vector<line_row> line_table(const elf_file& file, std::size_t code) {
  std::vector<line_row> result;
  const std::string_view content = file.sections()[file.find(section)].content;
  for (byte_reader reader(content); !reader.is_at_end();) {
    const std::uint64_t bytes = reader.number(4);
    const std::size_t end = reader.position() + bytes;
    const std::uint64_t version = reader.number(2);
    if (version < 2 || version > 4)
      throw machine_code_error(
          "has a line table of DWARF " + std::to_string(version) + ", which is not read",
          "compile it with nvcc -cubin -lineinfo of CUDA 11 to 13");
    const std::uint64_t header_bytes = reader.number(4);
    const std::size_t begin = reader.position() + header_bytes;
    header names = header_of(reader, version);
    if (begin < reader.position())
      throw machine_code_error("has a wrong line table", "compile it again");
    reader.skip(begin - reader.position());
    line_program(file, code, std::move(names), result).run(reader, end);
  }
  std::ranges::stable_sort(result, {}, &line_row::address);
  return result;
}

}  // namespace compiled
