// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Sections of a cubin, an ELF file of 64 bits, and the line table in it. Each read is checked: what
// is outside the file is an error (machine_code_error).
namespace compiled {

// Reads numbers one after the other, lowest byte first.
class byte_reader {
 public:
  explicit byte_reader(std::string_view text, std::size_t offset = 0)
      : text_(text), position_(offset) {}

  std::uint64_t number(int bytes);
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }
  std::string_view word();  // up to a byte of 0, which is read too
  void skip(std::uint64_t bytes);

  std::size_t position() const { return position_; }
  bool is_at_end() const { return position_ >= text_.size(); }

 private:
  std::uint64_t leb(bool is_signed);

  std::string_view text_;
  std::size_t position_;
};

struct elf_section {
  std::string name;
  std::string_view content;
};

class elf_file {
 public:
  explicit elf_file(std::string_view text);

  int model() const { return model_; }
  const std::vector<elf_section>& sections() const { return sections_; }
  // Its number; 0 if there is none of that name.
  std::size_t find(const std::string& name) const;
  // The section that the address at byte `byte` of section `name` is in; 0 if nothing says so.
  std::size_t section_of_address(const std::string& name, std::uint64_t byte) const;

 private:
  std::string_view text_;
  int model_ = 0;
  std::vector<elf_section> sections_;
};

// A row of a line table: instructions from here on are of this line.
struct line_row {
  std::uint64_t address = 0;
  std::string file;  // without folders
  int line = 0;
  bool is_end = false;  // no instruction is from here on
};

// The rows of the code in section number `code`, by their addresses.
std::vector<line_row> line_table(const elf_file& file, std::size_t code);

}  // namespace compiled
