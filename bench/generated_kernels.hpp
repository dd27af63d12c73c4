// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_GENERATED_KERNELS_HPP
#define BANKMODEL_BENCH_GENERATED_KERNELS_HPP

#include <bankmodel/kernel/kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

// Kernels by the thousand: two to four arrays of two dimensions, each written and read by columns
// or by rows, with strides, in loops of different lengths.
namespace generated {

namespace bm = bankmodel;

class random_numbers {
 public:
  explicit random_numbers(unsigned seed) : engine_(seed) {}
  // Not std::uniform_int_distribution, which is not the same with every standard library.
  std::size_t draw(std::size_t n) { return engine_() % n; }
  template <std::size_t Count>
  int one_of(const int (&list)[Count]) {
    return list[draw(Count)];
  }

 private:
  std::mt19937 engine_;
};

// The subscript x * tx + y * ty + more.
struct affine {
  int x, y, offset;
  long long extent(const bm::block_dim& block) const {
    return x * (block.x - 1) + y * (block.y - 1) + offset + 1;
  }
};

using access = bm::access_expression<1, 24>;

// Leaves out what is zero, so that the access reads as a person would have written it.
class access_writer {
 public:
  access_writer(const bm::array_description& array, bm::access_kind kind) {
    written_.array = array;
    written_.kind = kind;
    written_.stated = true;
  }
  access_writer& subscript(const affine& form) {
    const int first = count_;
    term(bm::variable::tx, form.x, first);
    term(bm::variable::ty, form.y, first);
    if (form.offset != 0 || count_ == first) {
      const bool alone = count_ == first;
      put(bm::operation::constant, form.offset);
      if (!alone) put(bm::operation::add, 0);
    }
    written_.subscript[written_.subscripts++] = {first, count_ - first};
    return *this;
  }
  access repeated(int trips) {
    written_.depth = trips > 1 ? 1 : 0;
    written_.wrappers[0] = {bm::wrapper_kind::range,
                            bm::variable::loop_0,
                            {count_, 1},
                            {count_ + 1, 1},
                            {count_ + 2, 1}};
    for (const int value : {0, trips, 1}) put(bm::operation::constant, value);
    return written_;
  }

 private:
  void put(bm::operation op, long long value) { written_.nodes[count_++] = {op, value}; }
  void term(bm::variable symbol, int times, int first) {
    if (times == 0) return;
    const bool alone = count_ == first;
    if (times != 1) put(bm::operation::constant, times);
    put(bm::operation::variable, static_cast<long long>(symbol));
    if (times != 1) put(bm::operation::multiply, 0);
    if (!alone) put(bm::operation::add, 0);
  }

  access written_{};
  int count_ = 0;
};

struct kernel {
  bm::block_dim block;
  int element_bytes;  // one size for all, so that arrays leave no gaps in whatever order
  std::vector<bm::array_description> arrays;
  std::vector<access> accesses;  // two for each array

  // Calls visit(kernel) with the library's, whose type says how many accesses it has.
  template <class Visit>
  void as_described(const Visit& visit) const {
    if (arrays.size() == 2) described(visit, std::make_index_sequence<4>{});
    if (arrays.size() == 3) described(visit, std::make_index_sequence<6>{});
    if (arrays.size() == 4) described(visit, std::make_index_sequence<8>{});
  }

 private:
  template <class Visit, std::size_t... At>
  void described(const Visit& visit, std::index_sequence<At...>) const {
    visit(bm::kernel(block, accesses[At]...));
  }
};

inline void add_array(kernel& result, random_numbers& random) {
  constexpr const char* names[] = {"a", "b", "c", "d"};
  constexpr long long most_bytes = 10'000;  // so that four arrays and their padding fit in 48 KiB
  for (;;) {
    affine row[2], column[2];
    long long rows = 1, columns = 1;
    for (int number = 0; number < 2; ++number) {
      const affine fast{random.one_of({1, 1, 1, 2, 3}), random.one_of({0, 0, 0, 1}),
                        random.one_of({0, 1})};
      const affine slow{random.one_of({0, 0, 0, 1}), random.one_of({1, 1, 1, 2, 4}),
                        random.one_of({0, 1})};
      const bool by_columns = random.draw(3) > 0;
      row[number] = by_columns ? fast : slow;
      column[number] = by_columns ? slow : fast;
      rows = std::max(rows, row[number].extent(result.block));
      columns = std::max(columns, column[number].extent(result.block));
    }
    const int multiple = random.one_of({1, 4, 8, 16, 32});
    columns = (columns + multiple - 1) / multiple * multiple;
    const char* const name = names[result.arrays.size()];
    const auto array = result.element_bytes == 8 ? bm::shared_array<double>(name, rows, columns)
                                                 : bm::shared_array<float>(name, rows, columns);
    if (array.layout.required_size() * array.element_bytes > most_bytes) continue;
    result.arrays.push_back(array);
    for (int number = 0; number < 2; ++number) {
      const auto kind = number == 0 ? bm::access_kind::store : bm::access_kind::load;
      const int trips = static_cast<int>(1 + random.draw(16));
      result.accesses.push_back(access_writer(array, kind)
                                    .subscript(row[number])
                                    .subscript(column[number])
                                    .repeated(trips));
    }
    return;
  }
}

inline kernel next_kernel(random_numbers& random) {
  constexpr bm::block_dim blocks[] = {{32},    {16, 2}, {8, 4},   {8, 8},
                                      {32, 4}, {16, 8}, {16, 16}, {32, 8}};
  kernel result{blocks[random.draw(8)], random.one_of({4, 4, 4, 8}), {}, {}};
  const std::size_t arrays = 2 + random.draw(3);
  while (result.arrays.size() < arrays) add_array(result, random);
  return result;
}

}  // namespace generated

#endif
