// SPDX-License-Identifier: MIT
#include "elf_reader.hpp"

#include "cubin.hpp"

namespace compiled {

namespace {

constexpr std::uint64_t most_name_bytes = 1 << 16;

[[noreturn]] void cut_off() {
  throw machine_code_error("is cut off", "compile it again with nvcc -cubin -lineinfo");
}

std::string_view part(std::string_view text, std::uint64_t first, std::uint64_t bytes) {
  if (first > text.size() || bytes > text.size() - first) cut_off();
  return text.substr(first, bytes);
}

void require_cubin(std::string_view text) {
  constexpr std::string_view magic = "\x7f\x45LF";
  constexpr int machine_of_cuda = 190;
  const char* const right = "give the file that nvcc -cubin -lineinfo writes";
  if (text.substr(0, 4) != magic) throw machine_code_error("is not a cubin (an ELF file)", right);
  if (part(text, 0, 64)[4] != 2 || byte_reader(text, 18).number(2) != machine_of_cuda)
    throw machine_code_error("is an ELF file, but not of a GPU", right);
}

// Where the flags have it: ELFABIVERSION_CUDA_V1 and _V2 in LLVM's BinaryFormat/ELF.h.
int model_of(std::string_view text) {
  const std::uint64_t flags = byte_reader(text, 48).number(4);
  return static_cast<int>((text[8] >= 8 ? flags >> 8 : flags) & 0xff);
}

}  // namespace

std::uint64_t byte_reader::number(int bytes) {
  std::uint64_t result = 0;
  const std::string_view content = part(text_, position_, static_cast<std::uint64_t>(bytes));
  for (int index = 0; index < bytes; ++index)
    result |= static_cast<std::uint64_t>(
                  static_cast<unsigned char>(content[static_cast<std::size_t>(index)]))
              << (8 * index);
  position_ += static_cast<std::size_t>(bytes);
  return result;
}

std::uint64_t byte_reader::leb(bool is_signed) {
  std::uint64_t result = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint64_t byte = number(1);
    if (shift < 64) result |= (byte & 0x7f) << shift;
    if ((byte & 0x80) != 0) continue;
    if (is_signed && shift + 7 < 64 && (byte & 0x40) != 0)
      result |= ~std::uint64_t{0} << (shift + 7);
    return result;
  }
}

std::string_view byte_reader::word() {
  const std::size_t end = text_.find('\0', position_);
  if (end == std::string_view::npos || end - position_ > most_name_bytes) cut_off();
  const std::string_view result = text_.substr(position_, end - position_);
  position_ = end + 1;
  return result;
}

void byte_reader::skip(std::uint64_t bytes) {
  (void)part(text_, position_, bytes);
  position_ += static_cast<std::size_t>(bytes);
}

elf_file::elf_file(std::string_view text) : text_(text) {
  require_cubin(text);
  model_ = model_of(text);
  const std::uint64_t headers = byte_reader(text, 40).number(8);
  const std::uint64_t count = byte_reader(text, 60).number(2);
  const std::uint64_t of_names = byte_reader(text, 62).number(2);
  constexpr std::uint64_t header_bytes = 64, no_content = 8;
  (void)part(text, headers, count * header_bytes);
  std::vector<std::uint64_t> name;
  for (std::uint64_t index = 0; index < count; ++index) {
    byte_reader reader(text, headers + index * header_bytes);
    name.push_back(reader.number(4));
    const std::uint64_t kind = reader.number(4);
    reader.skip(16);
    const std::uint64_t first = reader.number(8), bytes = reader.number(8);
    sections_.push_back({{}, kind == no_content ? std::string_view() : part(text, first, bytes)});
  }
  if (of_names >= count) cut_off();
  for (std::size_t index = 0; index < sections_.size(); ++index)
    sections_[index].name = byte_reader(sections_[of_names].content, name[index]).word();
}

std::size_t elf_file::find(const std::string& name) const {
  for (std::size_t index = 0; index < sections_.size(); ++index)
    if (sections_[index].name == name) return index;
  return 0;
}

std::size_t elf_file::section_of_address(const std::string& name, std::uint64_t byte) const {
  const std::string_view symbols = sections_[find(".symtab")].content;
  // Before 9.0 ptxas writes .rel, whose entries have no addend; the address itself is it.
  for (const bool has_addend : {true, false}) {
    const std::size_t entries = find((has_addend ? ".rela" : ".rel") + name);
    for (byte_reader reader(sections_[entries].content); !reader.is_at_end();) {
      const std::uint64_t offset = reader.number(8), info = reader.number(8);
      if (has_addend) reader.skip(8);
      if (offset != byte) continue;
      constexpr std::uint64_t symbol_bytes = 24, before_section = 6;
      return byte_reader(part(symbols, (info >> 32) * symbol_bytes, symbol_bytes), before_section)
          .number(2);
    }
  }
  return 0;
}

}  // namespace compiled
