// SPDX-License-Identifier: MIT
// Properties of every file of `bankmodel reorganize` (the first byte says what its name ends in)
// and of `--data`: its numbers are read, or it gives one message with what to do.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "examples/bankmodel/compiled/data_file.hpp"
#include "examples/bankmodel/reorganize/index_file.hpp"
#include "examples/bankmodel/source.hpp"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_index_file: not so: %s\n", what);
  std::abort();
}

// A file in memory, if the system has such a folder, which is removed at the end.
struct scratch_file {
  std::string name;
  explicit scratch_file(const char* ending) {
    const std::filesystem::path memory = "/dev/shm";
    const auto folder =
        std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
    name = folder / ("bankmodel_fuzz_" + std::to_string(getpid()) + ending);
  }
  ~scratch_file() { std::filesystem::remove(name); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  void write(const std::uint8_t* data, std::size_t size) const {
    std::FILE* const to = std::fopen(name.c_str(), "wb");
    require(to != nullptr && std::fwrite(data, 1, size, to) == size, "the file is written");
    std::fclose(to);
  }
};

template <class Read>
void reads_or_refuses(const Read& read) {
  try {
    read();
  } catch (const command_line::refusal& why) {
    require(!why.wrong.empty() && !why.right.empty(), "what is wrong and what would be right");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const char* const endings[] = {".bin", ".npy", ".txt", ".csv"};
  const scratch_file file(endings[data[0] % 4]);
  file.write(data + 1, size - 1);
  reads_or_refuses([&] {
    const reorganizing::index_file from(file.name);
    require(!from.references().empty(), "a file that is read has references");
    std::uint64_t sum = 0;
    for (const auto& one : from.references()) {
      require(one.size() == from.references()[0].size(), "references have as many threads");
      for (std::size_t at = 0; at < one.size(); ++at) sum += one[at];
    }
    require(sum <= 0xffffffffull * 4 * size, "numbers of 32 bits");
  });
  reads_or_refuses([&] {
    const auto all = compiled::data_of(file.name);
    require(all.bytes.size() < size, "no more bytes than the file has");
  });
  return 0;
}
