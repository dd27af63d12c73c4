// SPDX-License-Identifier: MIT
// Irregular references that tests make, and the replay of every reference after a reorganization.
#ifndef BANKMODEL_TESTS_IRREGULAR_HPP
#define BANKMODEL_TESTS_IRREGULAR_HPP

#include <bankmodel/reorganize.hpp>

#include "catch.hpp"
#include "dice.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace irregular {

namespace bm = bankmodel;
namespace re = bankmodel::reorganize;

// Index arrays with the references to them.
struct launch {
  std::vector<std::vector<std::uint32_t>> indices;
  re::irregular_references references;

  void look() {
    references.references.clear();
    for (const auto& list : indices)
      references.references.push_back(std::span<const std::uint32_t>(list));
  }
  launch() = default;
  launch(const launch& other) : indices(other.indices), references(other.references) { look(); }
  launch& operator=(const launch&) = delete;
};

// The letters of `text` as indices: a is 0.
inline launch of_letters(const std::string& text, int warp, int block) {
  launch result;
  std::vector<std::uint32_t> indices;
  for (const char letter : text) indices.push_back(static_cast<std::uint32_t>(letter - 'a'));
  result.indices = {indices};
  result.references = {
      .references = {}, .elements = 8, .warp = warp, .block = block, .segment_bytes = 16};
  result.look();
  return result;
}
// The letters of an order, with _ for an empty place.
inline std::string letters(const std::vector<std::uint32_t>& order) {
  std::string result;
  for (const std::uint32_t element : order)
    result += element == re::no_element ? '_' : static_cast<char>('a' + element);
  return result;
}

// Random references: scattered, in neighbourhoods, or with few elements that are frequent.
inline launch random_launch(dice& dice, long long most_threads = 700) {
  launch result;
  re::irregular_references& references = result.references;
  references.element_bytes = static_cast<int>(dice.one_of({1, 2, 4, 4, 4, 8, 16}));
  references.segment_bytes = static_cast<int>(dice.one_of({16, 32, 32, 64, 128, 256}));
  references.line_bytes = static_cast<int>(dice.one_of({0, 128, 256}));
  references.warp = static_cast<int>(dice.one_of({1, 4, 8, 32, 32, 64}));
  references.block = references.warp * static_cast<int>(dice.number(1, 8));
  references.elements = static_cast<std::uint64_t>(dice.number(1, 2 * most_threads));
  references.may_skip = dice.number(0, 3) == 0;
  references.cores = static_cast<int>(dice.number(1, 3));
  const long long threads = dice.number(1, most_threads), kind = dice.number(0, 2);
  const long long last = static_cast<long long>(references.elements) - 1;
  result.indices.resize(static_cast<std::size_t>(dice.number(1, 3)));
  for (auto& indices : result.indices)
    for (long long thread = 0; thread < threads; ++thread) {
      long long index = dice.number(0, last);
      if (kind == 1) index = std::min(last, thread * last / threads + dice.number(0, 20));
      if (kind == 2 && dice.number(0, 1) == 0) index = std::min(last, dice.number(0, 3));
      const bool skips = references.may_skip && dice.number(0, 5) == 0;
      indices.push_back(skips ? re::no_element : static_cast<std::uint32_t>(index));
    }
  if (result.indices.size() > 1 && dice.number(0, 2) == 0) result.indices[1] = result.indices[0];
  result.look();
  return result;
}

// The data of each test: an element's value tells its number.
inline std::vector<long long> values(std::uint64_t elements) {
  std::vector<long long> result;
  for (std::uint64_t element = 0; element < elements; ++element)
    result.push_back(static_cast<long long>(element) * 7 + 1);
  return result;
}

inline void require_permutation(const std::vector<std::uint32_t>& order, std::uint64_t size) {
  REQUIRE(order.size() == size);
  std::vector<bool> seen(size);
  for (const std::uint32_t element : order) {
    REQUIRE(element < size);
    REQUIRE(!seen[element]);
    seen[element] = true;
  }
}

// Requires that read(reference, new thread) is the value that the old thread read before.
template <class Result, class Read>
void require_replay(const launch& source, const Result& result, const Read& read) {
  const auto data = values(source.references.elements);
  for (std::size_t reference = 0; reference < source.indices.size(); ++reference)
    for (std::uint64_t thread = 0; thread < source.references.threads(); ++thread) {
      const std::uint32_t old = source.indices[reference][result.old_thread(thread)];
      if (old == re::no_element) continue;
      if (read(reference, thread) != data[old]) {
        CAPTURE(reference, thread, old);
        REQUIRE(read(reference, thread) == data[old]);
      }
    }
}
inline void replay(const launch& source, const re::reorganization& result) {
  const auto old = values(source.references.elements);
  const auto data = result.data_order.empty() ? old : re::in_order(old, result.data_order);
  if (!result.thread_order.empty())
    require_permutation(result.thread_order, source.references.threads());
  require_replay(source, result, [&](std::size_t reference, std::uint64_t thread) {
    return data.at(result.indices[reference][thread]);
  });
}
inline void replay(const launch& source, const re::shared_blocks& result) {
  const auto data = re::in_order(values(source.references.elements), result.data_order);
  if (!result.thread_order.empty())
    require_permutation(result.thread_order, source.references.threads());
  require_replay(source, result, [&](std::size_t reference, std::uint64_t thread) {
    const std::uint64_t block = thread / static_cast<std::uint64_t>(source.references.block);
    const std::uint32_t place = result.indices[reference][thread];
    REQUIRE(place < result.block_size[block]);
    return data.at(result.block_begin[block] + place);
  });
}
inline void replay(const launch& source, const re::duplication& result) {
  const auto old = values(source.references.elements);
  const auto data = re::in_order(old, result.data_order);
  struct {
    std::uint64_t old_thread(std::uint64_t thread) const { return thread; }
  } none_moves;
  require_replay(source, none_moves, [&](std::size_t reference, std::uint64_t thread) {
    if (thread >= result.copied_threads) return old[source.indices[reference][thread]];
    return data.at(result.place(reference, thread));
  });
}

// The traffic of references counted a second time, with sets; places[reference][thread].
inline re::reference_traffic counted_with_sets(
    const re::irregular_references& references,
    const std::vector<std::vector<std::uint32_t>>& places) {
  re::reference_traffic sum;
  const std::uint64_t warp = static_cast<std::uint64_t>(references.warp);
  for (const auto& indices : places)
    for (std::uint64_t begin = 0; begin < indices.size(); begin += warp) {
      std::set<std::uint64_t> elements, segments, lines;
      for (std::uint64_t thread = begin; thread < indices.size() && thread < begin + warp;
           ++thread) {
        if (indices[thread] == re::no_element) continue;
        const std::uint64_t byte =
            std::uint64_t{indices[thread]} * static_cast<unsigned>(references.element_bytes);
        elements.insert(byte);
        segments.insert(byte / static_cast<unsigned>(references.segment_bytes));
        if (references.line_bytes != 0)
          lines.insert(byte / static_cast<unsigned>(references.line_bytes));
      }
      if (elements.empty()) continue;
      const std::uint64_t segment = static_cast<std::uint64_t>(references.segment_bytes);
      const std::uint64_t bytes = elements.size() * static_cast<unsigned>(references.element_bytes);
      ++sum.requests;
      sum.transactions += segments.size();
      sum.ideal += (bytes + segment - 1) / segment;
      sum.lines += lines.size();
      sum.bytes_used += bytes;
      sum.bytes_moved += segments.size() * segment;
      sum.non_coalesced += segments.size() * segment >= bytes + segment;
    }
  return sum;
}

}  // namespace irregular

#endif
