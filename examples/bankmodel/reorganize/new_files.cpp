// SPDX-License-Identifier: MIT
#include "new_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../source.hpp"

namespace reorganizing {

using command_line::joined;
using command_line::refusal;

namespace {

constexpr std::uint64_t header_bytes = 128;

refusal cannot_write(const std::string& name) {
  return {{},
          joined("cannot write ", name, ": ", std::strerror(errno)),
          "choose a folder with room that can be written, --out FOLDER/NAME"};
}

// 0666 without the bits of the user's mask, which mkstemp() does not use.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  (void)umask(mask);
  return 0666 & ~mask;
}

}  // namespace

new_file::new_file(const std::string& name) : name_(name), temporary_(name + ".XXXXXX") {
  number_ = mkstemp(temporary_.data());
  if (number_ < 0) throw cannot_write(name);
  if (fchmod(number_, usual_mode()) != 0) {
    const refusal reason = cannot_write(name);
    (void)close(number_);
    (void)unlink(temporary_.c_str());
    throw reason;
  }
}

new_file::~new_file() {
  (void)close(number_);
  if (!temporary_.empty()) (void)unlink(temporary_.c_str());
}

void new_file::write_bytes(std::uint64_t offset, const void* bytes, std::size_t size) {
  const char* source = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t done = pwrite(number_, source, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw cannot_write(name_);
    source += done;
    offset += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

void new_file::write(std::uint64_t element, std::span<const std::uint32_t> numbers) {
  write_bytes(header_bytes + 4 * element, numbers.data(), numbers.size_bytes());
}

void new_file::append(std::span<const std::uint32_t> numbers) {
  write(size_, numbers);
  size_ += numbers.size();
}

void new_file::finish(const std::vector<std::uint64_t>& shape) {
  std::string text = "{'descr': '<u4', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t extent : shape) text += joined(extent, shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  std::string header = "\x93NUMPY";
  header += '\1';
  header += '\0';
  header += static_cast<char>(header_bytes - 10);
  header += '\0';
  text.resize(header_bytes - 11, ' ');
  header += text + '\n';
  write_bytes(0, header.data(), header.size());
  if (fsync(number_) != 0) throw cannot_write(name_);
}

void new_files::place() {
  for (auto file = files_.begin(); file != files_.end(); ++file) {
    if (std::rename(file->temporary_.c_str(), file->name_.c_str()) == 0) {
      file->temporary_.clear();
      continue;
    }
    const refusal reason = cannot_write(file->name_);
    for (auto other = files_.begin(); other != file; ++other) (void)unlink(other->name_.c_str());
    throw reason;
  }
}

}  // namespace reorganizing
