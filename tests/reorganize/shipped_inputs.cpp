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

launch as_launch(const inputs::input& from) {
  launch result;
  result.indices = from.indices;
  result.of = from.references(128);
  result.look();
  return result;
}

void replay_all(const inputs::input& input) {
  INFO(input.name);
  const launch from = as_launch(input);
  const auto unchanged = from.indices;
  const auto before = re::traffic(from.of);
  REQUIRE(before == counted_with_sets(from.of, from.indices));
  for (const double ratio : {1.0, 0.3}) replay(from, re::duplicate(from.of, ratio));
  for (const auto how : {re::filling::all_elements, re::filling::missing_elements}) {
    const auto padded = re::pad(from.of, how);
    replay(from, padded);
    const auto after = re::traffic_after(from.of, padded);
    CHECK(after.non_coalesced == 0);
    CHECK(after == counted_with_sets(from.of, padded.indices));
    CHECK(after.transactions < before.transactions);
  }
  for (const auto how :
       {re::clustering::none, re::clustering::first_come, re::clustering::from_seeds}) {
    auto shared = re::share(from.of, {.clusters = how});
    replay(from, shared);
    CHECK(re::traffic_after(from.of, shared).non_coalesced == 0);
    CHECK(re::traffic_after(from.of, shared).transactions < before.transactions);
    const auto conflicts = re::tile_cost(bm::nvidia::sm_90, from.of, shared).conflicts();
    re::lower_conflicts(bm::nvidia::sm_90, from.of, shared);
    replay(from, shared);
    CHECK(re::tile_cost(bm::nvidia::sm_90, from.of, shared).conflicts() <= conflicts);
  }
  for (const auto& result : {re::reposition(from.of), re::swap_threads(from.of)}) {
    replay(from, result);
    CHECK(re::traffic_after(from.of, result).transactions <= before.transactions);
  }
  CHECK(from.indices == unchanged);
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
  for (const auto& one : box.indices)
    for (const std::uint32_t other : one) accesses += other != re::no_element;
  CHECK(accesses > 3000 * 6);
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
