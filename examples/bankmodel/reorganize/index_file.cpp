// SPDX-License-Identifier: MIT
#include "index_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include "../npy_header.hpp"
#include "../source.hpp"

namespace reorganizing {

using command_line::input_error;
using command_line::joined;

// The bytes of a file, read-only.
class index_file::mapped_file {
 public:
  explicit mapped_file(const std::string& name) {
    const int number = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    const bool is_file = number >= 0 && fstat(number, &status) == 0 && S_ISREG(status.st_mode);
    size_ = is_file ? static_cast<std::size_t>(status.st_size) : 0;
    if (size_ > 0) data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, number, 0);
    if (number >= 0) (void)close(number);
    if (!is_file || data_ == MAP_FAILED)
      throw input_error(joined("cannot read ", name), "name a file with an index array");
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (size_ > 0) (void)munmap(data_, size_);
  }
  const unsigned char* data() const { return static_cast<const unsigned char*>(data_); }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian, and mapped");

// The numbers of `(3, 4)`; false if there are others than one or two.
bool read_shape(std::string_view text, std::vector<std::size_t>& shape) {
  for (std::size_t position = 0; position < text.size();) {
    if (std::string_view("(), ").find(text[position]) != text.npos) {
      ++position;
      continue;
    }
    std::size_t number = 0;
    const auto [end, wrong] =
        std::from_chars(text.data() + position, text.data() + text.size(), number);
    if (wrong != std::errc()) return false;
    shape.push_back(number);
    position = static_cast<std::size_t>(end - text.data());
  }
  return shape.size() == 1 || shape.size() == 2;
}

}  // namespace

index_file::index_file(const std::string& name)
    : name_(name), file_(std::make_shared<const mapped_file>(name)) {
  if (command_line::is_npy(file_->text())) {
    read_npy();
  } else if (name.ends_with(".npy")) {
    throw input_error(joined(name, " does not begin as NumPy's files do"),
                      "write it with numpy.save()");
  } else if (name.ends_with(".txt") || name.ends_with(".csv")) {
    read_text();
  } else {
    if (file_->size() % 4 != 0)
      throw input_error(joined(name, " has ", file_->size(), " bytes, which is no multiple of 4"),
                        "write integers of 32 bits, or a .npy, .txt or .csv file");
    add(file_->data(), 1, file_->size() / 4, 4, true);
  }
  if (references_.empty() || references_[0].size() == 0)
    throw input_error(joined(name, " has no indices"), "give an index for each thread");
}

void index_file::read_npy() {
  const std::string_view text = file_->text();
  const command_line::npy_header header = command_line::npy_header_of(text);
  if (!header.is_known)
    throw input_error(joined(name_, " begins as NumPy's files do and has no such header"),
                      "write it with numpy.save()");
  const std::string_view type = header.type;
  const bool is_integer = type.size() == 5 && type[1] == '<' &&
                          (type[2] == 'i' || type[2] == 'u') &&
                          std::string_view("248").find(type[3]) != type.npos;
  if (!is_integer)
    throw input_error(joined(name_, " has elements of ", type.empty() ? "no type" : type),
                      "write little-endian integers, as numpy.save(file, array.astype('<i4'))");
  std::vector<std::size_t> shape;
  if (!header.is_in_order_of_c || !read_shape(header.shape, shape))
    throw input_error(joined(name_, " is not an array of one or two dimensions in the order of C"),
                      "write [thread] or [reference][thread], numpy.ascontiguousarray(array)");
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  const std::size_t bytes = static_cast<std::size_t>(type[3] - '0'),
                    left = text.size() - header.end;
  if (shape[0] == 0 || shape[1] == 0) return;
  if (left / bytes / shape[0] != shape[1] || left != shape[0] * shape[1] * bytes)
    throw input_error(joined(name_, " has ", left, " bytes for ", shape[0], " x ", shape[1],
                             " numbers of ", bytes),
                      "write it again, it is cut off or has bytes left");
  add(file_->data() + header.end, shape[0], shape[1], static_cast<int>(bytes), type[2] == 'i');
}

void index_file::read_text() {
  const std::string_view text = file_->text();
  std::vector<std::uint32_t>& indices = converted_.emplace_back();
  std::size_t line = 1;
  for (std::size_t position = 0; position < text.size();) {
    if (std::string_view(" \t\r\n,").find(text[position]) != text.npos) {
      line += text[position++] == '\n';
      continue;
    }
    long long index = 0;
    const auto [end, wrong] =
        std::from_chars(text.data() + position, text.data() + text.size(), index);
    const auto next = static_cast<std::size_t>(end - text.data());
    const bool ends =
        next == text.size() || std::string_view(" \t\r\n,").find(text[next]) != text.npos;
    if (wrong != std::errc() || !ends || index < -1 || index >= 0xffffffffll)
      throw input_error(
          joined(name_, ":", line, ": `",
                 text.substr(position, text.find_first_of(" \t\r\n,", position) - position),
                 "` is no index"),
          "write whole numbers from 0 (-1: no access) between white space or commas");
    indices.push_back(static_cast<std::uint32_t>(index));
    position = next;
  }
  references_.emplace_back(std::span<const std::uint32_t>(indices));
}

void index_file::add(const unsigned char* data, std::size_t references, std::size_t threads,
                     int bytes, bool is_signed) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % 4 == 0;
  converted_.reserve(references);
  for (std::size_t reference = 0; reference < references; ++reference) {
    const unsigned char* const source =
        data + reference * threads * static_cast<std::size_t>(bytes);
    if (bytes == 4 && is_aligned) {
      if (is_signed)
        references_.emplace_back(std::span(reinterpret_cast<const std::int32_t*>(source), threads));
      else
        references_.emplace_back(
            std::span(reinterpret_cast<const std::uint32_t*>(source), threads));
      continue;
    }
    std::vector<std::uint32_t>& indices = converted_.emplace_back(threads);
    for (std::size_t thread = 0; thread < threads; ++thread) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, source + thread * static_cast<std::size_t>(bytes),
                  static_cast<std::size_t>(bytes));
      const int unused = 64 - 8 * bytes;
      const auto value = is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                                   : static_cast<std::int64_t>(bits);
      if (value < -1 || value >= 0xffffffffll || (!is_signed && value < 0))
        throw input_error(joined(name_, " has the number ", value, " at ", reference, ", ", thread),
                          "write indices from 0 to 4294967293 (-1: no access)");
      indices[thread] = static_cast<std::uint32_t>(value);
    }
    references_.emplace_back(std::span<const std::uint32_t>(indices));
  }
}

}  // namespace reorganizing
