// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <vector>

// Files that appear all or not at all.
namespace reorganizing {

// A file of NumPy with 32-bit numbers (`<u4`) under a temporary name, which is removed unless it is
// placed.
class new_file {
 public:
  // Error (command_line::refusal), here and below: it cannot be written.
  explicit new_file(const std::string& name);
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file();

  // Writes numbers at `element`.
  void write(std::uint64_t element, std::span<const std::uint32_t> numbers);
  // Adds numbers at the end.
  void append(std::span<const std::uint32_t> numbers);
  // Writes the header for this shape, and everything to the disk. The numbers written must be those
  // of the shape.
  void finish(const std::vector<std::uint64_t>& shape);

 private:
  friend class new_files;
  void write_bytes(std::uint64_t offset, const void* bytes, std::size_t size);

  std::string name_, temporary_;
  int number_ = -1;
  std::uint64_t size_ = 0;  // elements
};

// The files of one result.
class new_files {
 public:
  // Begins a file; it lives as long as this object.
  new_file& add(const std::string& name) { return files_.emplace_back(name); }
  // Gives all files their names. Before this none is there; if one cannot be renamed, those that
  // were are removed again.
  void place();

 private:
  std::list<new_file> files_;
};

}  // namespace reorganizing
