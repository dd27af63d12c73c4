// SPDX-License-Identifier: MIT
// The programs of linear layouts: all matrices of up to 4 bits and generated ones of up to 16,
// compared with the matrix; how short they are; the cover that they are made of, compared with all
// covers.
#include <bankmodel/layout/instruction_count.hpp>

#include "catch.hpp"
#include "index_programs.hpp"

#include <random>
#include <vector>

namespace bm = bankmodel;
using bm::bit_matrix, bm::identity_matrix, bm::index_instructions, bm::linear, bm::row_major;

namespace {

long long image(const bit_matrix& matrix, long long number) {
  long long result = 0;
  for (int bit = 0; bit < 16; ++bit)
    if ((number >> bit) % 2 == 1) result ^= matrix[bit];
  return result;
}

// All arrays of up to four dimensions with these bits of extents.
std::vector<bm::layout> arrays_of(int bits) {
  std::vector<bm::layout> result{row_major(1 << bits)};
  for (int a = 0; a <= bits; ++a) {
    result.push_back(row_major(1 << a, 1 << (bits - a)));
    for (int b = 0; a + b <= bits; ++b) {
      const int rest = bits - a - b;
      result.push_back(row_major(1 << a, 1 << b, 1 << rest));
      for (int c = 0; c <= rest; ++c)
        result.push_back(row_major(1 << a, 1 << b, 1 << c, 1 << (rest - c)));
    }
  }
  return result;
}

// The number of elements, of every `step`, that a program, operator() or coordinates() misplaces.
int wrong_in(const bm::layout& plain, const bit_matrix& matrix, long long step) {
  const bm::layout array_layout = plain.permuted(linear(matrix));
  bm::detail::index_program written, for_kernels;
  bm::detail::write_program(array_layout, written, false);
  bm::detail::write_program(array_layout, for_kernels, true);
  int wrong = 0;
  for (long long element = 0; element < plain.required_size(); element += step) {
    const bm::detail::four position = plain.coordinates(element);
    const long long place = image(matrix, element);
    const programs::run plain_run = programs::execute(written, array_layout, false, position),
                        other = programs::execute(for_kernels, array_layout, true, position);
    wrong += plain_run.wrong + other.wrong + (plain_run.place != place) + (other.place != place) +
             (array_layout(position) != place) + (array_layout.coordinates(place) != position);
  }
  return wrong +
         (bm::detail::largest_intermediate(for_kernels, array_layout.required_size()) > 0x7fffffff);
}

// Instructions that are always enough: a shift, a mask and an XOR for each distance by which bits
// move, or a shift, a mask, a product and an XOR for each bit that moves.
int enough_by_distances(const bit_matrix& matrix, int bits) {
  bool moves[31] = {};
  int stay = 0;
  for (int bit = 0; bit < bits; ++bit)
    for (int place = 0; place < bits; ++place) {
      if ((matrix[bit] >> place & 1) == 0) continue;
      moves[place - bit + 15] = true;
      stay += place == bit;
    }
  int result = stay == bits || stay == 0 ? 0 : 1;
  for (int distance = 0; distance < 31; ++distance)
    if (distance != 15 && moves[distance]) result += 3;
  return result;
}
int enough_by_bits(const bit_matrix& matrix, int bits) {
  int result = 0;
  for (int bit = 0; bit < bits; ++bit) result += matrix[bit] == 1u << bit ? 0 : 4;
  return result;
}
bool is_short(const bm::layout& plain, const bit_matrix& matrix, int bits) {
  const int instructions = index_instructions(plain.permuted(linear(matrix)));
  return instructions <= enough_by_distances(matrix, bits) &&
         instructions <= enough_by_bits(matrix, bits);
}

constexpr bit_matrix changed(bit_matrix matrix, int bit, unsigned image) {
  matrix.set(bit, image);
  return matrix;
}
constexpr bit_matrix changed(int bits, int bit, unsigned image) {
  return changed(identity_matrix(bits), bit, image);
}
constexpr bit_matrix changed(int bits, int bit, unsigned image, int other, unsigned other_to) {
  return changed(changed(bits, bit, image), other, other_to);
}
// Each bit XORed with those `shift` and `also` places above.
constexpr bit_matrix sheared(int bits, int shift, int also) {
  bit_matrix matrix = identity_matrix(bits);
  for (int bit = shift; bit < bits; ++bit)
    matrix.set(bit, matrix[bit] | 1u << (bit - shift) | (bit >= also ? 1u << (bit - also) : 0));
  return matrix;
}
constexpr bit_matrix turned(int bits, int shift) {
  bit_matrix matrix;
  for (int bit = 0; bit < bits; ++bit) matrix.set(bit, 1u << ((bit + shift) % bits));
  return matrix;
}

TEST_CASE("programs of all bit matrices of up to 4 bits") {
  int tested = 0, wrong = 0, longer = 0;
  for (int bits = 1; bits <= 4; ++bits) {
    const std::vector<bm::layout> arrays = arrays_of(bits);
    for (unsigned entries = 0; entries >> bits * bits == 0; ++entries) {
      bit_matrix matrix;
      for (int bit = 0; bit < bits; ++bit)
        matrix.set(bit, entries >> bit * bits & ((1u << bits) - 1));
      if (bm::detail::inverse_of(matrix, bits) == bit_matrix{}) continue;
      ++tested;
      for (std::size_t array = bits < 4 ? 0 : entries % 4; array < arrays.size();
           array += bits < 4 ? 1 : 4) {
        wrong += wrong_in(arrays[array], matrix, 1);
        longer += !is_short(arrays[array], matrix, bits);
      }
    }
  }
  CHECK(tested == 1 + 6 + 168 + 20160);  // the orders of GL(n, 2)
  CHECK(wrong == 0);
  CHECK(longer == 0);
}

TEST_CASE("programs of generated bit matrices of up to 16 bits") {
  std::mt19937_64 random(1);
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  int wrong = 0, longer = 0;
  for (int round = 0; round < 3000; ++round) {
    const int bits = 5 + round % 12, columns = 1 + draw(bits - 1);
    bit_matrix matrix = identity_matrix(bits);
    const auto add = [&](int target, int source) {
      if (target != source) matrix.set(target, matrix[target] ^ matrix[source]);
    };
    const auto exchange = [&](int first, int other) {
      const unsigned column = matrix[first];
      matrix.set(first, matrix[other]);
      matrix.set(other, column);
    };
    switch (round / 12 % 5) {
      case 0:  // anything
        for (int k = 0; k < 3 * bits; ++k) add(draw(bits), draw(bits));
        break;
      case 1:  // little
        for (int k = 0; k < 3; ++k) add(draw(bits), draw(bits));
        break;
      case 2:  // rows into columns
        for (int bit = columns; bit < bits; ++bit)
          matrix.set(bit, 1u << bit | static_cast<unsigned>(draw(1 << columns)));
        break;
      case 3:  // few distances
        for (int distance = draw(bits) + 1, bit = distance; bit < bits; ++bit)
          add(bit, bit - distance);
        for (int distance = draw(bits) + 1, bit = bits; bit-- > distance;) add(bit, bit - distance);
        break;
      default:  // other places
        for (int k = draw(bits) + 1; k > 0; --k) exchange(draw(bits), draw(bits));
    }
    const bm::layout array = round % 4 == 0 ? row_major(1 << bits)
                             : round % 4 == 3
                                 ? row_major(2, 1 << (bits - columns - 1), 1 << columns)
                                 : row_major(1 << (bits - columns), 1 << columns);
    wrong += wrong_in(array, matrix, bits < 10 ? 1 : (1 << bits) / 500);
    longer += !is_short(array, matrix, bits);
  }
  CHECK(wrong == 0);
  CHECK(longer == 0);
}

// In each: the instructions of the formula beside it.
TEST_CASE("typical linear layouts take few instructions") {
  const auto instructions = [](const bm::layout& array, const bit_matrix& matrix) {
    return index_instructions(array.permuted(linear(matrix)));
  };
  const bm::layout line = row_major(1024), square = row_major(32, 32);
  CHECK(instructions(line, identity_matrix(10)) == 0);
  CHECK(instructions(line, changed(10, 5, 63)) == 4);         // c ^ 31 * (c >> 5 & 1)
  CHECK(instructions(line, changed(10, 9, 543)) == 3);        // c ^ 31 * (c >> 9)
  CHECK(instructions(line, changed(10, 0, 63)) == 3);         // c ^ 62 * (c & 1)
  CHECK(instructions(line, changed(10, 5, 41, 6, 82)) == 4);  // c ^ 9 * (c >> 5 & 3)
  CHECK(instructions(line, changed(10, 5, 63, 6, 95)) == 6);  // c ^ 31 * ((c >> 5 ^ c >> 6) & 1)
  CHECK(instructions(line, changed(10, 1, 8, 3, 2)) == 5);    // c ^ 5 * ((c ^ c >> 2) & 2)
  CHECK(instructions(row_major(16), changed(changed(4, 1, 4, 2, 2), 3, 14)) ==
        7);                                               // c ^ 3 * ((c ^ c >> 1 ^ c >> 2) & 2)
  CHECK(instructions(line, sheared(10, 1, 10)) == 2);     // c ^ c >> 1
  CHECK(instructions(line, sheared(10, 5, 10)) == 2);     // c ^ c >> 5
  CHECK(instructions(line, turned(10, 5)) == 4);          // (c & 31) << 5 ^ c >> 5
  CHECK(instructions(square, sheared(10, 5, 10)) == 1);   // [r][c ^ r]
  CHECK(instructions(square, sheared(10, 5, 7)) == 3);    // [r][c ^ r ^ r >> 2]
  CHECK(instructions(square, changed(10, 5, 63)) == 3);   // [r][c ^ 31 * (r & 1)]
  CHECK(instructions(square, changed(10, 9, 543)) == 3);  // [r][c ^ 31 * (r >> 4)]
  bm::detail::index_program program;
  bm::detail::write_program(square.permuted(linear(sheared(10, 5, 10))), program, false);
  CHECK(program.results == 2);
  CHECK(instructions(square, turned(10, 5)) == 1);  // c << 5 ^ r, without 32 * r + c
  CHECK(instructions(row_major(4, 4), changed(4, 2, 5, 3, 10)) == 1);     // [r][c ^ r]
  CHECK(instructions(row_major(2, 4, 8), changed(6, 3, 9, 5, 33)) == 3);  // [p][r][c ^ r & 1 ^ p]
}

TEST_CASE("programs of 16 bits are made within the limits of constant expressions") {
  constexpr bit_matrix dense = [] {
    bit_matrix matrix = identity_matrix(16);
    for (int k = 0; k < 64; ++k)
      if (k % 16 != k * 7 % 15) matrix.set(k % 16, matrix[k % 16] ^ matrix[k * 7 % 15]);
    return matrix;
  }();
  constexpr bm::layout array = row_major(256, 256).permuted(linear(dense));
  constexpr int instructions = index_instructions(array);
  CHECK(instructions == index_instructions(array));
  CHECK(wrong_in(row_major(256, 256), dense, 5) == 0);
}

TEST_CASE("a cover of a grid is the lightest of all") {
  std::mt19937_64 random(2);
  int wrong = 0;
  for (int round = 0; round < 3000; ++round) {
    const int bits = 1 + static_cast<int>(random() % 8);
    bm::detail::linear_lines distances, columns;
    std::uint32_t bits_of[31] = {};
    std::uint32_t moved[8] = {}, moving[31] = {};
    for (int bit = 0; bit < bits; ++bit) {
      moved[bit] = static_cast<std::uint32_t>(random() & random() & 0xfffff) | 1u << bit;
      for (int d = 0; d < 31; ++d) moving[d] |= (moved[bit] >> d & 1) << bit;
      columns.line[columns.count++] = {{}, moved[bit], 1 + static_cast<int>(random() % 5)};
    }
    for (int d = 0; d < 31; ++d) {
      if (moving[d] == 0) continue;
      bits_of[distances.count] = moving[d];
      distances.line[distances.count++] = {{}, 1u << d, 1 + static_cast<int>(random() % 3)};
    }
    const bm::detail::lightest_cover cover(distances, columns);
    // Distances that some bit outside of the set moves by must be taken.
    const auto weight_with = [&](std::uint32_t columns_used) {
      int weight = 0;
      for (int bit = 0; bit < bits; ++bit)
        if ((columns_used >> bit & 1) != 0) weight += columns.line[bit].instructions;
      for (int d = 0; d < distances.count; ++d)
        if ((bits_of[d] & ~columns_used) != 0) weight += distances.line[d].instructions;
      return weight;
    };
    int lightest = weight_with(0), weight = 0;
    for (std::uint32_t candidate = 1; candidate >> bits == 0; ++candidate)
      if (weight_with(candidate) < lightest) lightest = weight_with(candidate);
    for (int d = 0; d < distances.count; ++d) {
      const bool is_taken = (cover.distances() >> d & 1) != 0;
      if (is_taken) weight += distances.line[d].instructions;
      wrong += !is_taken && (bits_of[d] & ~cover.bits()) != 0;
    }
    for (int bit = 0; bit < bits; ++bit)
      if ((cover.bits() >> bit & 1) != 0) weight += columns.line[bit].instructions;
    wrong += weight != lightest;
  }
  CHECK(wrong == 0);
}

}  // namespace
