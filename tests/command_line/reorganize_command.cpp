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
  for (std::string& one : words) arguments.push_back(one.data());
  (void)std::fflush(stdout);
  const int out = dup(STDOUT_FILENO), nothing = open("/dev/null", O_WRONLY);
  (void)dup2(nothing, STDOUT_FILENO);
  const int code = reorganizing::run(static_cast<int>(arguments.size()), arguments.data());
  (void)std::fflush(stdout);
  (void)dup2(out, STDOUT_FILENO);
  (void)close(out);
  (void)close(nothing);
  return code;
}

std::vector<std::vector<std::uint32_t>> lists(const std::string& file) {
  const reorganizing::index_file from(file);
  std::vector<std::vector<std::uint32_t>> result;
  for (const re::index_array& one : from.references())
    result.emplace_back(one.data(), one.data() + one.size());
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
    launch from = random_launch(dice, 600);
    from.of.warp = 32;
    from.of.block = 64;
    INFO("seed " << seed);
    const std::string input = (folder / "in.npy").string(), out = (folder / "out").string();
    {
      reorganizing::new_files files;
      reorganizing::new_file& to = files.add(input);
      for (const auto& one : from.indices) to.append(one);
      to.finish({from.indices.size(), from.of.threads()});
      files.place();
    }
    const auto reorganize = [&](std::vector<std::string> words) {
      for (const char* what :
           {"data_order", "indices", "thread_order", "block_begin", "block_size"})
        std::filesystem::remove(out + "." + what + ".npy");
      for (const std::string& one :
           {input, std::string("--out"), out, std::string("--elements"),
            std::to_string(from.of.elements), std::string("--element-bytes"),
            std::to_string(from.of.element_bytes), std::string("--block"), std::string("64")})
        words.push_back(one);
      if (from.of.may_skip) words.push_back("--skip");
      REQUIRE(run(words) == 0);
    };
    for (const char* how : {"padding", "repositioning", "swapping"}) {
      reorganize({how});
      replay(from, {list(out + ".data_order.npy"), lists(out + ".indices.npy"),
                    list(out + ".thread_order.npy")});
    }
    for (const char* how : {"none", "first-come", "from-seeds", "hierarchical"}) {
      reorganize({"sharing", "--clusters", how});
      const re::shared_blocks shared{list(out + ".data_order.npy"), list(out + ".block_begin.npy"),
                                     list(out + ".block_size.npy"), lists(out + ".indices.npy"),
                                     list(out + ".thread_order.npy")};
      replay(from, shared);
    }
    reorganize({"duplication"});
    from.of.segment_bytes = 32;  // of the machine sm_90
    CHECK(list(out + ".data_order.npy") == re::duplicate(from.of).data_order);
    CHECK(lists(input) == from.indices);
  }
  std::filesystem::remove_all(folder);
}
