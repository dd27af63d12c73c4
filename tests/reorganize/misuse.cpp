// SPDX-License-Identifier: MIT
// Arguments that are errors, each by its name and text.
#include "breaks.hpp"
#include "irregular.hpp"

#include <cmath>

using namespace irregular;

namespace {

launch good() { return of_letters("abcdefgh", 4, 8); }
void valid(const re::irregular_references& references) { references.require_valid(); }

}  // namespace

TEST_CASE("launches") {
  launch original = good();
  valid(original.references);

  breaks("references_must_have_threads", {"0 index arrays", "0 threads"},
         [] { valid({.references = {}, .elements = 8}); });
  const std::vector<int> nothing;
  breaks("references_must_have_threads", {"1 index arrays for 0 threads"},
         [&] { valid({.references = {std::span<const int>(nothing)}, .elements = 8}); });
  breaks("references_must_have_an_index_for_each_thread", {"index array 1", "7 indices", "has 8"},
         [] {
           launch wrong = good();
           wrong.indices.push_back(wrong.indices[0]);
           wrong.indices[1].pop_back();
           wrong.look();
           (void)re::pad(wrong.references);
         });

  const auto changed = [&](auto change) {
    return [&original, change] {
      launch wrong = original;
      change(wrong.references);
      (void)re::duplicate(wrong.references);
    };
  };
  for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{0xffffffff}})
    breaks("the_data_must_have_1_to_4294967294_elements", {},
           changed([=](auto& references) { references.elements = elements; }));
  for (const int bytes : {0, -4, 3, 12, 32})
    breaks("referenced_elements_must_have_1_2_4_8_or_16_bytes", {std::to_string(bytes).c_str()},
           changed([=](auto& references) { references.element_bytes = bytes; }));
  for (const int bytes : {0, -32, 2, 24, 48, 1 << 21}) {
    breaks("segments_must_be_powers_of_two", {std::to_string(bytes).c_str()},
           changed([=](auto& references) { references.segment_bytes = bytes; }));
    if (bytes != 0)
      breaks("segments_must_be_powers_of_two", {std::to_string(bytes).c_str()},
             changed([=](auto& references) { references.line_bytes = bytes; }));
  }
  for (const int warp : {0, -1, 3, 24, 128})
    breaks("warps_must_be_powers_of_two_up_to_64", {std::to_string(warp).c_str()},
           changed([=](auto& references) { references.warp = warp; }));
  for (const int block : {0, -8, 2, 6, 1 << 21})
    breaks("blocks_must_be_multiples_of_the_warp", {std::to_string(block).c_str(), "warps of 4"},
           changed([=](auto& references) { references.block = block; }));
  CHECK(rule_of(changed([](auto& references) { references.line_bytes = 0; })) == "none");
}

TEST_CASE("indices outside the data") {
  launch original = good();
  original.indices[0][5] = 8;
  for (const auto& call : {std::function<void()>([&] { (void)re::duplicate(original.references); }),
                           std::function<void()>([&] { (void)re::pad(original.references); }),
                           std::function<void()>([&] { (void)re::share(original.references); }),
                           std::function<void()>([&] { (void)re::traffic(original.references); })})
    breaks("indices_must_lie_within_the_data", {"array 0", "index 8", "thread 5"}, call);
  original.references.may_skip = true;
  breaks("indices_must_lie_within_the_data", {"index 8"},
         [&] { (void)re::pad(original.references); });
  original.indices[0][5] = re::no_element;
  CHECK(rule_of([&] { (void)re::pad(original.references); }) == "none");
  original.references.may_skip = false;
  breaks("indices_must_lie_within_the_data", {"4294967295"},
         [&] { (void)re::pad(original.references); });

  std::vector<int> of_int = {0, 1, -1, 2};
  re::irregular_references kernel{.references = {std::span<const int>(of_int)}, .elements = 4};
  breaks("indices_must_lie_within_the_data", {"index -1", "thread 2"}, [&] { valid(kernel); });
  kernel.may_skip = true;
  CHECK(rule_of([&] { valid(kernel); }) == "none");
  of_int[0] = -2;
  breaks("indices_must_lie_within_the_data", {"index -2", "thread 0"}, [&] { valid(kernel); });
  kernel.elements = 0xfffffffe;  // negative numbers are no large ones
  of_int[0] = -3;
  breaks("indices_must_lie_within_the_data", {"index -3", "thread 0"}, [&] { valid(kernel); });
}

TEST_CASE("limits that nothing can meet") {
  launch original = good();
  original.references.byte_limit = 8 * 4 - 1;
  breaks("the_new_data_must_fit_in_the_byte_limit", {"32 bytes", "31 are"},
         [&] { (void)re::duplicate(original.references); });
  breaks("the_new_data_must_fit_in_the_byte_limit", {"31 are"},
         [&] { (void)re::pad(original.references); });
  breaks("the_new_data_must_fit_in_the_byte_limit", {"31 are"},
         [&] { (void)re::share(original.references); });
  breaks("the_new_data_must_fit_in_the_byte_limit", {"31 are"},
         [&] { (void)re::duplicate_within_limit(original.references); });  // the only block
  original.references.block = 4;
  CHECK(re::duplicate_within_limit(original.references).copied_threads == 4);
  original.references.byte_limit = 32;
  CHECK(re::duplicate_within_limit(original.references).copied_threads == 8);
  CHECK(re::duplicate(original.references).data_order.size() == 8);
  original.references.byte_limit = 15;
  breaks("the_new_data_must_fit_in_the_byte_limit", {"16 bytes", "15 are"},
         [&] { (void)re::duplicate_within_limit(original.references); });
  original.references.byte_limit = ~std::uint64_t{0};
  breaks("a_block_must_fit_in_shared_memory", {"block 0", "16 bytes", "15 are"},
         [&] { (void)re::share(original.references, {.shared_bytes = 15}); });
  CHECK(re::share(original.references, {.shared_bytes = 16}).block_size.size() == 2);
}

TEST_CASE("places that 32 bits cannot count") {
  // 2^20 places for each of 4096 references to the same 32 indices would do, but a launch of its
  // own is cheaper to make: segments of 2^20 bytes for each of 4096 references.
  const std::vector<std::uint32_t> single(1, 0);
  re::irregular_references kernel{.references = {},
                                  .elements = 1,
                                  .element_bytes = 1,
                                  .segment_bytes = 1 << 20,
                                  .line_bytes = 0};
  kernel.references.assign(4097, std::span<const std::uint32_t>(single));
  breaks("places_must_fit_in_32_bits", {"4294967297 places"}, [&] { (void)re::duplicate(kernel); });
}

TEST_CASE("lists that 32 bits cannot count") {
  const std::vector<std::uint32_t> zeros(1 << 20);
  re::irregular_references kernel{.references = {}, .elements = 1};
  kernel.references.assign(4096, std::span<const std::uint32_t>(zeros));
  const std::vector<std::function<void()>> calls = {
      [&] { (void)re::clustered_threads(kernel, re::clustering::first_come); },
      [&] { (void)re::reposition(kernel); }, [&] { (void)re::swap_threads(kernel); }};
  for (const auto& call : calls)
    breaks("accesses_must_fit_in_32_bits", {"4294967296 accesses"}, call);
}

TEST_CASE("ratios, parts, orders and hierarchies") {
  const launch original = good();
  for (const double ratio : {0.0, -0.5, 1.5, 1e300, std::nan("")})
    breaks("a_ratio_must_be_above_0_and_at_most_1", {"percent"},
           [&] { (void)re::duplicate(original.references, ratio); });
  breaks("blocks_of_a_part_must_exist", {"2 blocks from block 0", "1 blocks"},
         [&] { (void)original.references.part(0, 2); });
  breaks("blocks_of_a_part_must_exist", {"block 1 on"},
         [&] { (void)original.references.part(1, 1); });
  breaks("blocks_of_a_part_must_exist", {"0 blocks"},
         [&] { (void)original.references.part(0, 0); });
  breaks("an_order_must_be_of_this_array", {"2 entries", "entry 2"},
         [] { (void)re::in_order(std::vector<int>{1, 2}, std::vector<std::uint32_t>{0, 2}); });
  breaks("an_order_must_be_of_this_array", {"2 entries", "entry 5"},
         [] { (void)re::threads_by_old({0, 5}); });
  CHECK(re::threads_by_old({2, 0, 1}) == std::vector<std::uint32_t>{1, 2, 0});
  CHECK(re::in_order(std::vector<char>{'a', 'b'}, {1, re::no_element, 1}) ==
        std::vector<char>{'b', '\0', 'b'});

  launch large;
  large.indices = {std::vector<std::uint32_t>(8193)};
  large.references.elements = 1;
  large.look();
  breaks("a_hierarchical_clustering_must_have_few_threads", {"8193 threads", "8192 are"},
         [&] { (void)re::clustered_threads(large.references, re::clustering::hierarchical); });
}
