// SPDX-License-Identifier: MIT
// Plans as headers: the text, the names in it, and the errors. report/written/ compiles such
// headers and compares them with the plans.
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>

#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {

const auto tile = bm::shared_array<float>("tile", 32, 32);
const auto transpose = bm::kernel(bm::block_dim{32, 8},
                                  bm::store(bm::for_loop(i, bm::range(0, 32, 8), tile[ty + i][tx])),
                                  bm::load(bm::for_loop(i, bm::range(0, 32, 8), tile[tx][ty + i])));

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string error(const char* rule, const std::string& text) {
  return std::string(rule) + ": " + text;
}
std::string refused(const auto& call) {
  try {
    (void)call();
  } catch (const bm::error& e) {
    return std::string(e.what()).substr(11);
  }
  return "";
}

std::string code_on(const bm::machine& m, const bm::machine_in_code& name = {}) {
  const auto kernel = bm::kernel(bm::block_dim{m.lanes}, bm::load(tile[tx % 32][0]));
  return bm::code(m, kernel, bm::optimize(m, kernel, {.shared_bytes = 8192}), "plan", name);
}

}  // namespace

TEST_CASE("the header of a plan", "[code]") {
  CHECK(bm::code(sm_90, transpose, bm::optimize(sm_90, transpose), "transpose_plan") ==
        text_of_file(std::filesystem::path(__FILE__).parent_path() /
                     "../../examples/guide/transpose_plan.hpp"));
}

TEST_CASE("machines have their names in C++", "[code]") {
  const auto named = [](const bm::machine& m, const bm::machine_in_code& name = {}) {
    const std::string text = code_on(m, name);
    const std::size_t begin = text.find("machine machine = ") + 18;
    return text.substr(begin, text.find(';', begin) - begin);
  };
  int known = 0;
  for (int capability = 10; capability < 130; ++capability) {
    bm::machine m;
    try {
      m = bm::nvidia::compute_capability(capability / 10, capability % 10);
    } catch (const bm::error&) {
      continue;
    }
    ++known;
    CHECK(has(named(m), "bankmodel::nvidia::sm_" + std::to_string(capability)));
  }
  for (int number = 0x600; number < 0x1300; ++number) {
    const bm::machine m = bm::amd::detail::record(number);
    if (m.lanes == 0) continue;
    ++known;
    CHECK(named(m) == "bankmodel::amd::" + bm::text(m));
  }
  CHECK(known >= 74);
  CHECK(named(bm::amd::in_wave64(bm::amd::gfx1100)) ==
        "bankmodel::amd::in_wave64(bankmodel::amd::gfx1100)");
  CHECK(named(bm::amd::gfx950_with_64_banks_for_4_bytes) ==
        "bankmodel::amd::gfx950_with_64_banks_for_4_bytes");

  // The plan's bank width, whichever the machine was passed with.
  const auto doubles = bm::shared_array<double>("d", 32, 32);
  const auto kernel = bm::kernel(bm::block_dim{32}, bm::load(doubles[tx][0]));
  for (const int width : {4, 8}) {
    const bm::machine m = bm::nvidia::sm_35.with_bank_width(width);
    const auto plan = bm::optimize(m, kernel, {.layouts = bm::layouts::as_declared});
    CHECK(has(bm::code(m, kernel, plan, "plan"),
              plan.bank_width() == 4 ? "= bankmodel::nvidia::sm_35;"
                                     : "= bankmodel::nvidia::sm_35.with_bank_width(8);"));
  }

  bm::machine mine = sm_90;
  mine.limits.shared_granularity = 512;
  CHECK(refused([&] { return code_on(mine); }) ==
        error("a_machine_in_code_must_have_a_name",
              "machine 90 is none of the library's records; give "
              "code() its "
              "name in C++ and the header that declares it"));
  CHECK(named(mine, {"gpus::mine", "gpus/mine.hpp"}) == "gpus::mine");
  CHECK(has(code_on(mine, {"gpus::mine", "gpus/mine.hpp"}), "\n#include <gpus/mine.hpp>\n"));
}

TEST_CASE("names are identifiers, one for each array", "[code]") {
  const auto identifier = [](const char* text, const std::vector<std::string>& used = {}) {
    return bm::detail::identifier_like(text, used);
  };
  CHECK(identifier("tile") == "tile");
  CHECK(identifier("in.tile") == "in_tile");
  CHECK(identifier("_a__b_") == "a_b");
  CHECK(identifier("2d") == "array_2d");
  CHECK(identifier("") == "array");
  CHECK(identifier("\xc3\xa9") == "array");
  CHECK(identifier("float") == "float_array");
  CHECK(identifier("tx") == "tx_array");
  CHECK(identifier("machine") == "machine_array");
  CHECK(identifier("a-b", {"a_b"}) == "a_b_2");
  CHECK(identifier("a-b", {"a_b", "a_b_2"}) == "a_b_3");
  CHECK(bm::detail::in_a_comment("a\\\nb\t\xc3") == "a??b??");

  for (const char* const name :
       {"", "a b", "2d", "_a", "a__b", "namespace", "std", "a::b", "\xc3\xa9"})
    CHECK(
        refused([&] { return bm::code(sm_90, transpose, bm::optimize(sm_90, transpose), name); }) ==
        error("the_name_of_code_must_be_an_identifier",
              "the name of a header's namespace, of " + std::to_string(std::string(name).size()) +
                  " letters, is not an identifier of C++; use letters, digits and single "
                  "underscores, and no word of "
                  "the language"));
}

TEST_CASE("a plan of another kernel or machine is an error", "[code]") {
  const auto plan = bm::optimize(sm_90, transpose);
  const auto other =
      bm::kernel(bm::block_dim{32, 4}, transpose.accesses.first, transpose.accesses.rest.first);
  CHECK(refused([&] { return bm::code(sm_90, other, plan, "plan"); }) ==
        error("code_must_be_of_a_plan_of_its_kernel",
              "access 0 takes 16 wavefronts where the plan says "
              "32; pass the "
              "machine and the kernel that the plan was made for"));
  CHECK(has(refused([&] { return bm::code(bm::nvidia::sm_13, transpose, plan, "plan"); }),
            "code_must_be_of_a_plan_of_its_kernel: access 0 takes 64"));
  const auto fewer = bm::kernel(transpose.block, transpose.accesses.first);
  CHECK(has(refused([&] { return bm::code(sm_90, fewer, plan, "plan"); }),
            "code_must_be_of_a_plan_of_its_kernel: access 1"));
  CHECK(has(refused([&] { return bm::code(sm_90, transpose, bm::optimize(sm_90, fewer), "plan"); }),
            "code_must_be_of_a_plan_of_its_kernel: access 1"));
  const auto line = bm::shared_array<float>("line", 32);
  CHECK(has(refused([&] {
              return bm::code(sm_90,
                              bm::kernel(transpose.block, bm::load(line[tx]), bm::load(line[tx])),
                              plan, "plan");
            }),
            "code_must_be_of_a_plan_of_its_kernel: access 0"));
}

TEST_CASE("what C++ cannot say is an error", "[code]") {
  // A comparison as a number, which only a program made by hand can have.
  const auto number = bm::kernel(bm::block_dim{8}, bm::load(tile[tx + 1][0]));
  auto changed = number;
  changed.accesses.first.nodes[2].op = bm::operation::less;
  CHECK(
      refused([&] { return bm::code(sm_90, changed, bm::optimize(sm_90, changed), "plan"); }) ==
      error(
          "expressions_in_code_must_be_of_the_index_language",
          "operation " + std::to_string(static_cast<int>(bm::operation::less)) +
              " is used where the index language has none; make subscripts and conditions with its "
              "operators"));

  // Parameters that no call of rotation() gives.
  bm::layout by_hand = bm::row_major(4, 4).permuted(bm::rotation(1));
  by_hand.permutation.number[1] = 5;
  CHECK(has(refused([&] { return bm::detail::code_of_layout(by_hand); }), "a layout of family 2 "));
  const auto table = bm::conflict_free_table(sm_90, bm::block_dim{32, 32}, bm::load(tile[tx][ty]));
  CHECK(refused([&] { return bm::detail::code_of_layout(table.as_layout()); }) ==
        error("a_layout_in_code_must_be_of_a_family_of_the_library",
              "a layout of family 6 cannot be "
              "written as C++; use "
              "padding and the families of layout/families.hpp, neither tables nor families of "
              "your own"));
}

TEST_CASE("accesses that take long to count are counted by a function", "[code]") {
  const auto a = bm::shared_array<float>("a", 64);
  const auto kernel =
      bm::kernel(bm::block_dim{32}, bm::load(a[tx]),
                 bm::load(bm::for_loop(i, bm::range(0, 5000), a[((i * i) ^ tx) % 33])));
  const std::string text = bm::code(sm_90, kernel, bm::optimize(sm_90, kernel), "plan");
  CHECK(has(text, "bankmodel::load(a[tx])).wavefronts,\n    1>::value);\n"));
  CHECK(has(text, R"(
// The accesses that take more steps to count than compilers allow in a constant expression
// by default: call it in a test.
inline bool holds() {
  auto not_constant = machine;
  return bankmodel::total(
        not_constant, block,
        bankmodel::for_loop(i, bankmodel::range(0, 5000), bankmodel::load(a[((i * i) ^ tx) % 33]))).wavefronts == )"));
}

TEST_CASE("numbers that C++ would compute itself keep their 64 bits", "[code]") {
  const auto text = [](const auto& index) {
    bm::detail::index_code code(index.nodes);
    return code.index({0, static_cast<int>(std::size(index.nodes))});
  };
  const auto large = bm::detail::as_index(3'000'000'000);
  CHECK(text(large * 4) ==
        "bankmodel::index_expression<1>{{{bankmodel::operation::constant, 3000000000}}} * 4");
  CHECK(text(tx + large) == "tx + 3000000000");
  CHECK(text(tx - -5) == "tx - -5");
  CHECK(text(bm::detail::as_index(-0x7fffffffffffffff - 1) + tx) ==
        "(-9223372036854775807 - 1) + tx");
  CHECK(text((tx << 2 | ty) ^ (tx & 12)) == "((tx << 2) | ty) ^ (tx & 12)");
  CHECK(text(bm::min(tx, bm::max(ty, 3))) == "bankmodel::min(tx, bankmodel::max(ty, 3))");
}
