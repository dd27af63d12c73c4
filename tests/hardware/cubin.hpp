// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_CUBIN_HPP
#define BANKMODEL_TESTS_HARDWARE_CUBIN_HPP

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

// The machine code of each kernel in a file that nvcc -cubin wrote.
namespace hardware {

class cubin {
 public:
  explicit cubin(const char* name) {
    std::ifstream stream(name, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
  }

  // The code of each function by its mangled name: sections .text.NAME of a 64-bit ELF file.
  std::map<std::string, std::vector<std::uint64_t>> functions() const {
    std::map<std::string, std::vector<std::uint64_t>> result;
    const auto sections = read<std::uint64_t>(0x28);
    const auto names = read<std::uint64_t>(section(sections, read<std::uint16_t>(0x3e)) + 0x18);
    for (int number = 0; number < read<std::uint16_t>(0x3c); ++number) {
      const std::uint64_t header = section(sections, number);
      const std::string name = text(names + read<std::uint32_t>(header));
      if (name.rfind(".text.", 0) != 0) continue;
      const auto offset = read<std::uint64_t>(header + 0x18),
                 size = read<std::uint64_t>(header + 0x20);
      for (std::uint64_t byte = 0; byte + 8 <= size; byte += 8)
        result[name.substr(6)].push_back(read<std::uint64_t>(offset + byte));
    }
    return result;
  }

 private:
  template <class T>
  T read(std::uint64_t offset) const {
    T value{};
    if (offset + sizeof value <= bytes_.size())
      std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::uint64_t section(std::uint64_t sections, int number) const {
    return sections + static_cast<std::uint64_t>(number) * read<std::uint16_t>(0x3a);
  }
  std::string text(std::uint64_t offset) const {
    std::string result;
    for (char c = 0; (c = read<char>(offset)) != 0; ++offset) result += c;
    return result;
  }

  std::vector<char> bytes_;
};

}  // namespace hardware

#endif
