// SPDX-License-Identifier: MIT
// bankmodel reorganize: the files that it writes, replayed.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "examples/bankmodel/reorganize/index_file.hpp"
#include "examples/bankmodel/reorganize/new_files.hpp"
#include "examples/bankmodel/reorganize/reorganize.hpp"
#include "irregular.hpp"

using namespace irregular;

namespace {

// Runs the subcommand without its output.
int run(std::vector<std::string> words) {
  words.insert(words.begin(), "reorganize");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  (void)std::fflush(stdout);
  const int output = dup(STDOUT_FILENO), nothing = open("/dev/null", O_WRONLY);
  (void)dup2(nothing, STDOUT_FILENO);
  const int code = reorganizing::run(static_cast<int>(arguments.size()), arguments.data());
  (void)std::fflush(stdout);
  (void)dup2(output, STDOUT_FILENO);
  (void)close(output);
  (void)close(nothing);
  return code;
}

std::vector<std::vector<std::uint32_t>> lists(const std::string& file) {
  const reorganizing::index_file input(file);
  std::vector<std::vector<std::uint32_t>> result;
  for (const re::index_array& array : input.references())
    result.emplace_back(array.data(), array.data() + array.size());
  return result;
}
std::vector<std::uint32_t> list(const std::string& file) {
  return std::filesystem::exists(file) ? lists(file).at(0) : std::vector<std::uint32_t>();
}

}  // namespace

TEST_CASE("the files of each algorithm") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("bankmodel_reorganize_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    dice dice{std::mt19937_64(seed)};
    launch original = random_launch(dice, 600);
    original.references.warp = 32;
    original.references.block = 64;
    INFO("seed " << seed);
    const std::string input = (folder / "in.npy").string(), output = (folder / "out").string();
    {
      reorganizing::new_files files;
      reorganizing::new_file& file = files.add(input);
      for (const auto& indices : original.indices) file.append(indices);
      file.finish({original.indices.size(), original.references.threads()});
      files.place();
    }
    const auto reorganize = [&](std::vector<std::string> words) {
      for (const char* part :
           {"data_order", "indices", "thread_order", "block_begin", "block_size"})
        std::filesystem::remove(output + "." + part + ".npy");
      for (const std::string& argument :
           {input, std::string("--out"), output, std::string("--elements"),
            std::to_string(original.references.elements), std::string("--element-bytes"),
            std::to_string(original.references.element_bytes), std::string("--block"),
            std::string("64")})
        words.push_back(argument);
      if (original.references.may_skip) words.push_back("--skip");
      REQUIRE(run(words) == 0);
    };
    for (const char* method : {"padding", "repositioning", "swapping"}) {
      reorganize({method});
      replay(original, {list(output + ".data_order.npy"), lists(output + ".indices.npy"),
                        list(output + ".thread_order.npy")});
    }
    for (const char* method : {"none", "first-come", "from-seeds", "hierarchical"}) {
      reorganize({"sharing", "--clusters", method});
      const re::shared_blocks shared{
          list(output + ".data_order.npy"), list(output + ".block_begin.npy"),
          list(output + ".block_size.npy"), lists(output + ".indices.npy"),
          list(output + ".thread_order.npy")};
      replay(original, shared);
    }
    reorganize({"duplication"});
    original.references.segment_bytes = 32;  // of the machine sm_90
    CHECK(list(output + ".data_order.npy") == re::duplicate(original.references).data_order);
    CHECK(lists(input) == original.indices);
  }
  std::filesystem::remove_all(folder);
}
