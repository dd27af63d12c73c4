// SPDX-License-Identifier: MIT
// The inputs of examples/reorganize: every algorithm replayed on each, with the sanitizers on.
#include <bankmodel/machines/nvidia.hpp>

#include "examples/reorganize/inputs.hpp"
#include "examples/reorganize/matrix_market.hpp"
#include "irregular.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

using namespace irregular;

namespace {

launch as_launch(const inputs::input& input) {
  launch result;
  result.indices = input.indices;
  result.references = input.references(128);
  result.look();
  return result;
}

void replay_all(const inputs::input& input) {
  INFO(input.name);
  const launch original = as_launch(input);
  const auto unchanged = original.indices;
  const auto previous = re::traffic(original.references);
  REQUIRE(previous == counted_with_sets(original.references, original.indices));
  for (const double ratio : {1.0, 0.3}) replay(original, re::duplicate(original.references, ratio));
  for (const auto method : {re::filling::all_elements, re::filling::missing_elements}) {
    const auto padded = re::pad(original.references, method);
    replay(original, padded);
    const auto changed = re::traffic_after(original.references, padded);
    CHECK(changed.non_coalesced == 0);
    CHECK(changed == counted_with_sets(original.references, padded.indices));
    CHECK(changed.transactions < previous.transactions);
  }
  for (const auto method :
       {re::clustering::none, re::clustering::first_come, re::clustering::from_seeds}) {
    auto shared = re::share(original.references, {.clusters = method});
    replay(original, shared);
    CHECK(re::traffic_after(original.references, shared).non_coalesced == 0);
    CHECK(re::traffic_after(original.references, shared).transactions < previous.transactions);
    const auto conflicts =
        re::tile_cost(bm::nvidia::sm_90, original.references, shared).conflicts();
    re::lower_conflicts(bm::nvidia::sm_90, original.references, shared);
    replay(original, shared);
    CHECK(re::tile_cost(bm::nvidia::sm_90, original.references, shared).conflicts() <= conflicts);
  }
  for (const auto& result :
       {re::reposition(original.references), re::swap_threads(original.references)}) {
    replay(original, result);
    CHECK(re::traffic_after(original.references, result).transactions <= previous.transactions);
  }
  CHECK(original.indices == unchanged);
}

std::string written(const std::string& text) {
  const std::string name = "matrix_of_shipped_inputs.mtx";
  std::ofstream(name) << text;
  return name;
}

}  // namespace

TEST_CASE("neighbour lists") {
  const auto box = inputs::molecular_dynamics(3000, 2);
  replay_all(box);
  // Neighbours are mutual, unless a list of 16 is full.
  std::size_t accesses = 0;
  for (const auto& neighbours : box.indices)
    for (const std::uint32_t other : neighbours) accesses += other != re::no_element;
  CHECK(accesses > 3000 * 6);
}

TEST_CASE("inputs of the paper's benchmarks") {
  const auto benchmarks = inputs::benchmarks_of_paper(2, 3);
  REQUIRE(benchmarks.size() == 8);
  for (const inputs::input& source : benchmarks) {
    INFO(source.name);
    replay_all(source);
    CHECK(source.indices[0].size() >= 1000);
    // What its structure says: MERGE reads and writes at one index, NN uses each record once.
    const re::irregular_references references = source.references(256);
    CHECK(re::have_one_pattern(references) ==
          (source.name == "CG" || source.name == "UNWRAP" || source.name == "MERGE"));
    const auto loads = re::data_bytes(references, re::duplicate(references)),
               tiles = re::data_bytes(references, re::share(references));
    CHECK((tiles == loads) == (source.name == "NN"));
  }
}

TEST_CASE("sparse matrix") {
  const auto mesh = inputs::sparse_matrix(BANKMODEL_MESH);
  CHECK(mesh.elements == 784);
  replay_all(mesh);
}

TEST_CASE("unstructured grid") { replay_all(inputs::unstructured_grid(40, 3)); }

TEST_CASE("Matrix Market files") {
  const auto read = inputs::read_matrix_market(
      written("%%MatrixMarket matrix coordinate real Symmetric\n% a comment\n3 3 3\n2 1 .5\n3 3 1\n"
              "\n3 1 2e3\n"));
  REQUIRE(read.entries.size() == 5);
  CHECK(read.entries[0].column == 1);
  CHECK(read.entries[1].column == 2);
  CHECK(read.entries[4].row == 2);
  for (const char* const wrong :
       {"", "3 3 1\n1 1\n", "%%MatrixMarket matrix array real general\n1 1\n1\n",
        "%%MatrixMarket matrix coordinate pattern general\n",
        "%%MatrixMarket matrix coordinate pattern general\n0 1 1\n1 1\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n2 2\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 0\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\none two\n"}) {
    INFO(wrong);
    CHECK_THROWS_AS(inputs::read_matrix_market(written(wrong)), std::runtime_error);
  }
  CHECK_THROWS_AS(inputs::read_matrix_market("none.mtx"), std::runtime_error);
  (void)std::remove("matrix_of_shipped_inputs.mtx");
}
