// SPDX-License-Identifier: MIT
// The worked examples of PPoPP 2013.
#include "irregular.hpp"

namespace {

using namespace irregular;

// Figure 4. Its list of threads shows 24 objects; the frequencies 6 4 3 3 3 1 1 1 of its original
// layout a c e g b d f h are those of these 22 accesses.
const std::string figure_4 = "aabbccddeeaabbcdefghaa";

}  // namespace

TEST_CASE("figure 4: the frequencies of the original layout") {
  const launch original = of_letters(figure_4, 4, 16);
  std::vector<std::uint32_t> frequency(8);
  for (const std::uint32_t element : original.indices[0]) ++frequency[element];
  CHECK(frequency == std::vector<std::uint32_t>{6, 4, 3, 3, 3, 1, 1, 1});
  // The numbers of bankmodel/reorganize.hpp.
  CHECK(re::traffic(original.references).requests == 6);
  CHECK(re::traffic(original.references).transactions == 7);
  CHECK(re::traffic(original.references).non_coalesced == 1);
}

TEST_CASE("figure 4(b): duplication") {
  const launch original = of_letters(figure_4, 4, 16);
  const auto result = re::duplicate(original.references);
  CHECK(letters(result.data_order) == figure_4);
  replay(original, result);
  CHECK(re::traffic_after(original.references, result).non_coalesced == 0);
  CHECK(re::data_bytes(original.references, result) == 22 * 4);
}

TEST_CASE("figure 4(c): padding") {
  const launch original = of_letters(figure_4, 4, 16);
  const auto result = re::pad(original.references);
  CHECK(letters(result.data_order) == "abc_cdefgh");
  replay(original, result);
  const auto result_traffic = re::traffic_after(original.references, result);
  CHECK(result_traffic.non_coalesced == 0);
  CHECK(result_traffic.transactions == 6);  // one for each warp
  // The accesses of each place: 6 4 2 0 1 3 3 1 1 1.
  std::vector<int> frequency(10);
  for (const std::uint32_t place : result.indices[0]) ++frequency[place];
  CHECK(frequency == std::vector<int>{6, 4, 2, 0, 1, 3, 3, 1, 1, 1});
}

TEST_CASE("figure 4(c): 8 places are enough if only missing elements are counted") {
  const launch original = of_letters(figure_4, 4, 16);
  const auto result = re::pad(original.references, re::filling::missing_elements);
  CHECK(letters(result.data_order) == "abcdefgh");
  replay(original, result);
  CHECK(re::traffic_after(original.references, result).non_coalesced == 0);
}

TEST_CASE("padding: a warp whose elements the full segment has all goes with it") {
  const launch original = of_letters("aaaaaaaabbbbbbbbccccccccdddddddd", 4, 16);
  CHECK(letters(re::pad(original.references).data_order) == "abcd");
  CHECK(letters(re::pad(original.references, re::filling::missing_elements).data_order) == "abcd");
}

TEST_CASE("figure 4(c): the original layout does not decide") {
  // The same with the elements numbered as figure 4(a) stores them: a c e g b d f h.
  launch original = of_letters(figure_4, 4, 16);
  const std::string stored = "acegbdfh";
  for (std::uint32_t& element : original.indices[0])
    element = static_cast<std::uint32_t>(stored.find(static_cast<char>('a' + element)));
  std::string order;
  for (const std::uint32_t element : re::pad(original.references).data_order)
    order += element == re::no_element ? '_' : stored[element];
  CHECK(order == "abc_cdefgh");
}

TEST_CASE("figure 4(d): sharing") {
  const launch original = of_letters(figure_4, 4, 16);
  for (const auto method : {re::clustering::first_come, re::clustering::hierarchical}) {
    const auto result = re::share(original.references, {.clusters = method});
    replay(original, result);
    CHECK(result.block_begin == std::vector<std::uint32_t>{0, 4});
    CHECK(result.block_size == std::vector<std::uint32_t>{4, 4});
    CHECK(result.data_order.size() == 8);
    CHECK(re::traffic_after(original.references, result).non_coalesced == 0);
    if (method == re::clustering::first_come) CHECK(letters(result.data_order) == "abcdefgh");
  }
  // Without clustering e and a are in both blocks.
  const auto none = re::share(original.references, {.clusters = re::clustering::none});
  replay(original, none);
  CHECK(letters(none.data_order) == "abcde___efgha___");
}

TEST_CASE("section 2.2.1: sixteen entries of P") {
  // The example of irregular_references, as it is written there.
  using namespace re;
  // clang-format off
  std::vector<int> P = {8, 23, 46, 93, 8, 9, 10, 67, 5, 11, 41, 67, 9, 41, 55, 59};
  irregular_references kernel{.references = {index_array(P)}, .elements = 94, .warp = 4,
                              .block = 8, .segment_bytes = 16};
  // clang-format on
  // Segments 2 5 11 23 | 2 2 2 16 | 1 2 10 16 | 2 10 13 14 of one element each but for 2.
  const auto previous = re::traffic(kernel);
  CHECK(previous.requests == 4);
  CHECK(previous.transactions == 4 + 2 + 4 + 4);
  CHECK(previous.ideal == 4);
  CHECK(previous.non_coalesced == 4);
  CHECK(previous.bytes_used == 64);
  CHECK(previous.bytes_moved == 14 * 16);
  for (const auto& changed : {re::traffic_after(kernel, re::duplicate(kernel)),
                              re::traffic_after(kernel, re::pad(kernel))}) {
    CHECK(changed.transactions == 4);
    CHECK(changed.non_coalesced == 0);
  }
}
