// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/host/reorganize/index_array.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Files with index arrays.
namespace reorganizing {

namespace re = bankmodel::reorganize;

// The index arrays of a file:
//
//   begins as NumPy's files  integers of 2, 4 or 8 bytes, little-endian, in the order of C; one
//                            dimension is one reference, two are [reference][thread]
//   name.txt, name.csv       whole numbers between white space and commas; one reference
//   any other                little-endian integers of 4 bytes; one reference
//
// Integers of 4 bytes are not copied: the file is mapped into memory. -1 stays no_element.
// Error (command_line::refusal), with the file's name: it cannot be read or is empty; it is cut off
// or has bytes left; numbers of another kind, or that do not fit in 32 bits.
class index_file {
 public:
  explicit index_file(const std::string& name);

  // They view this object.
  const std::vector<re::index_array>& references() const { return references_; }

 private:
  class mapped_file;

  void read_npy();
  void read_text();
  void add(const unsigned char* data, std::size_t references, std::size_t threads, int bytes,
           bool is_signed);

  std::string name_;
  std::shared_ptr<const mapped_file> file_;
  std::vector<std::vector<std::uint32_t>> converted_;
  std::vector<re::index_array> references_;
};

}  // namespace reorganizing
