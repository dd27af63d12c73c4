// SPDX-License-Identifier: MIT
// Layouts of other libraries: each library's own formula, written here from its sources, for
// every address; conversions in both directions; and errors, by enumerating all parameters of
// each notation.
#include <bankmodel/interop.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "breaks.hpp"
#include "catch.hpp"

namespace bm = bankmodel;

namespace {

using numbers = std::vector<long long>;

// CuTe: YYY are B bits from M + max(S, 0), ZZZ those from M - min(S, 0); ZZZ ^= YYY. One bit at
// a time.
long long by_cute(const bm::cute::swizzle& s, long long offset) {
  long long result = offset;
  for (int bit = 0; bit < s.B; ++bit) {
    const int yyy = s.M + (s.S > 0 ? s.S : 0) + bit, zzz = s.M - (s.S < 0 ? s.S : 0) + bit;
    if ((offset >> yyy & 1) != 0) result ^= 1ll << zzz;
  }
  return result;
}
long long by_cuda_oxide(const bm::cuda_oxide::swizzle& s, long long x) {
  return x ^ (((x >> s.S) & ((1ll << s.B) - 1)) << s.M);
}

// Triton: of the last two dimensions.
long long by_triton(const bm::triton::swizzled_shared& s, const numbers& extents,
                    long long number) {
  if (extents.size() < 2) return number;
  const long long columns = extents.back(), c = number % columns,
                  r = number / columns % extents[extents.size() - 2];
  const long long phase = r / s.perPhase % s.maxPhase;
  return number - c + (((c / s.vec) ^ phase) * s.vec + c % s.vec) % columns;
}
// The same from the bases of Triton's linear layout: the element to which each bit of an offset
// maps.
long long by_triton_bases(const bm::triton::swizzled_shared& s, long long rows, long long columns,
                          long long offset) {
  long long r = 0, c = 0;
  for (long long column = 1; column < columns; column *= 2, offset /= 2)
    if (offset % 2 != 0) c ^= column;
  for (long long row = 1; row < rows; row *= 2, offset /= 2)
    if (offset % 2 != 0) r ^= row, c ^= s.vec * (row / s.perPhase % s.maxPhase) % columns;
  return r * columns + c;
}
long long by_triton(const bm::triton::padded_shared& s, long long number) {
  return number + number / s.interval * s.padding;
}

// TVM: strides from the last axis on.
long long by_tvm(const bm::tvm::storage_align& s, const numbers& extents, long long number) {
  long long stride = 1, place = 0;
  for (int axis = static_cast<int>(extents.size()) - 1; axis >= 0; --axis) {
    const auto dimension = static_cast<std::size_t>(axis);
    if (axis == s.axis) stride += (s.factor + s.offset - stride % s.factor) % s.factor;
    place += number % extents[dimension] * stride;
    number /= extents[dimension];
    stride *= extents[dimension];
  }
  return place;
}

long long size_of(const numbers& extents) {
  long long size = 1;
  for (const long long extent : extents) size *= extent;
  return size;
}
bm::layout plain(const numbers& e) {
  return e.size() == 1   ? bm::row_major(e[0])
         : e.size() == 2 ? bm::row_major(e[0], e[1])
         : e.size() == 3 ? bm::row_major(e[0], e[1], e[2])
                         : bm::row_major(e[0], e[1], e[2], e[3]);
}
// The place of each element, row by row.
numbers places(const bm::layout& l) {
  numbers result;
  result.reserve(static_cast<std::size_t>(l.extent[0] * (l.rank > 1 ? l.extent[1] : 1)));
  for (long long a = 0; a < l.extent[0]; ++a) {
    if (l.rank == 1) result.push_back(l(a));
    for (long long b = 0; l.rank > 1 && b < l.extent[1]; ++b) {
      if (l.rank == 2) result.push_back(l(a, b));
      for (long long c = 0; l.rank > 2 && c < l.extent[2]; ++c) {
        if (l.rank == 3) result.push_back(l(a, b, c));
        for (long long d = 0; l.rank > 3 && d < l.extent[3]; ++d) result.push_back(l(a, b, c, d));
      }
    }
  }
  return result;
}
template <class Function>
numbers places_by(const numbers& extents, const Function& place) {
  numbers result;
  const long long size = size_of(extents);
  result.reserve(static_cast<std::size_t>(size));
  for (long long number = 0; number < size; ++number) result.push_back(place(number));
  return result;
}

// All powers of two up to 64 x 64, and others.
std::vector<numbers> powers_of_two() {
  std::vector<numbers> result{{1}, {2}, {64}, {2, 1, 8}, {1, 4, 4}, {4, 8, 16}, {2, 2, 2, 4}};
  for (long long rows = 1; rows <= 64; rows *= 2)
    for (long long columns = 1; columns <= 64; columns *= 2) result.push_back({rows, columns});
  return result;
}
std::vector<numbers> tiles() {
  std::vector<numbers> result = powers_of_two();
  for (const numbers& tile : std::vector<numbers>{
           {7}, {100}, {3, 5}, {5, 32}, {12, 24}, {33, 7}, {3, 4, 5}, {2, 3, 1, 6}})
    result.push_back(tile);
  return result;
}

std::vector<bm::cute::swizzle> swizzles(int maximum) {
  std::vector<bm::cute::swizzle> result;
  for (int bits = 0; bits <= maximum; ++bits)
    for (int base = 0; bits + base <= maximum; ++base)
      for (int shift = -(maximum - bits - base); shift <= maximum - bits - base; ++shift)
        if ((shift < 0 ? -shift : shift) >= bits) result.push_back({bits, base, shift});
  return result;
}

// An array whose elements are permuted by a matrix of bits.
bm::layout permuted_by_bits(const numbers& extents,
                            const std::function<long long(long long)>& place) {
  bm::bit_matrix matrix;
  int bit = 0;
  for (long long number = 1; number < size_of(extents); number *= 2)
    matrix.set(bit++, static_cast<unsigned>(place(number)));
  return plain(extents).permuted(bm::linear(matrix));
}

}  // namespace

TEST_CASE(
    "CuTe's swizzles store each element where their formula does, and convert back to their "
    "parameters") {
  for (const numbers& extents : tiles())
    for (const bm::cute::swizzle& s : swizzles(10)) {
      INFO("Swizzle<" << s.B << ", " << s.M << ", " << s.S << "> of "
                      << Catch::Detail::stringify(extents));
      const bm::layout l = bm::from_cute(s, plain(extents));
      const numbers expected =
          places_by(extents, [&](long long number) { return by_cute(s, number); });
      if (places(l) != expected) FAIL("elsewhere");
      const bm::cute::swizzle back = bm::to_cute(l);
      if (s.B == 0 ? back != bm::cute::swizzle{} : back != s) FAIL("other numbers");
      // The same as a linear layout, if it stays within the array: the parameters may differ,
      // the places do not.
      const long long size = size_of(extents);
      if ((size & (size - 1)) != 0 || size < 2 || by_cute(s, size - 1) >= size) continue;
      bool inside = true;
      for (const long long place : expected) inside = inside && place < size;
      if (!inside) continue;
      const bm::layout linear =
          permuted_by_bits(extents, [&](long long number) { return by_cute(s, number); });
      if (places(bm::from_cute(bm::to_cute(linear), plain(extents))) != expected)
        FAIL("elsewhere as a linear layout");
    }
}

TEST_CASE("offsets in bytes") {
  for (const int element_bytes : {1, 2, 4, 8, 16}) {
    const numbers extents{32, 64};
    for (const bm::cute::swizzle& s : swizzles(12)) {
      const auto call = [&] { (void)bm::from_cute_in_bytes(s, plain(extents), element_bytes); };
      INFO("Swizzle<" << s.B << ", " << s.M << ", " << s.S << "> of " << element_bytes << " bytes");
      if (s.B > 0 && 1 << s.M < element_bytes) {
        CHECK(rule_of(call) == "a_swizzle_of_bytes_must_keep_elements_whole");
        continue;
      }
      const bm::layout l = bm::from_cute_in_bytes(s, plain(extents), element_bytes);
      if (places(l) != places_by(extents, [&](long long number) {
            return by_cute(s, number * element_bytes) / element_bytes;
          }))
        FAIL("elsewhere");
      const bm::cute::swizzle back = bm::to_cute_in_bytes(l, element_bytes);
      if (s.B == 0 ? back != bm::cute::swizzle{} : back != s) FAIL("other numbers");
    }
    for (const int mode : {32, 64, 128}) {
      const bm::layout l = plain(extents).permuted(bm::copy_engine_swizzle(mode, element_bytes));
      CHECK(bm::to_cute_in_bytes(l, element_bytes) == bm::cute::swizzle{mode == 32   ? 1
                                                                        : mode == 64 ? 2
                                                                                     : 3,
                                                                        4, 3});
    }
  }
}

TEST_CASE("swizzles with an absolute shift store each element where their formula does") {
  for (const numbers& extents : tiles())
    for (int bits = 0; bits <= 6; ++bits)
      for (int base = 0; base <= 6; ++base)
        for (int source = 0; source <= 12; ++source) {
          const bm::cuda_oxide::swizzle s{bits, base, source};
          const auto call = [&] { (void)bm::from_cuda_oxide(s, plain(extents)); };
          if (base + bits > source) {
            if (rule_of(call) != "cuda_oxide_must_read_bits_above_those_it_changes")
              FAIL("accepted");
            continue;
          }
          INFO("Swizzle<" << bits << ", " << base << ", " << source << "> of "
                          << Catch::Detail::stringify(extents));
          const bm::layout l = bm::from_cuda_oxide(s, plain(extents));
          if (places(l) !=
              places_by(extents, [&](long long number) { return by_cuda_oxide(s, number); }))
            FAIL("elsewhere");
          const bm::cuda_oxide::swizzle back = bm::to_cuda_oxide(l);
          if (bits == 0 ? back != bm::cuda_oxide::swizzle{} : back != s) FAIL("other numbers");
          // The relation to CuTe's swizzle that its comment states.
          if (bits > 0 && bm::to_cute(l) != bm::cute::swizzle{bits, base, source - base})
            FAIL("other numbers for CuTe");
        }
}

TEST_CASE(
    "Triton's swizzles store each element where their formula does, also in rows that are too "
    "short") {
  for (const numbers& extents : powers_of_two())
    for (long long vec = 1; vec <= 64; vec *= 2)
      for (long long per_phase = 1; per_phase <= 64; per_phase *= 2)
        for (long long max_phase = 1; max_phase <= 64; max_phase *= 2) {
          const bm::triton::swizzled_shared s{vec, per_phase, max_phase};
          INFO("vec " << vec << ", perPhase " << per_phase << ", maxPhase " << max_phase << " of "
                      << Catch::Detail::stringify(extents));
          const bm::layout l = bm::from_triton(s, plain(extents));
          const numbers expected =
              places_by(extents, [&](long long number) { return by_triton(s, extents, number); });
          if (places(l) != expected) FAIL("elsewhere");
          // Offset to element is its own inverse.
          const auto by_bases = [&](long long offset) {
            return by_triton_bases(s, extents[0], extents[1], offset);
          };
          if (extents.size() == 2 && expected != places_by(extents, by_bases))
            FAIL("the two ways that Triton writes it differ");
          const bm::triton::swizzled_shared back = bm::to_triton_swizzled(l);
          if (places_by(extents, [&](long long number) {
                return by_triton(back, extents, number);
              }) != expected)
            FAIL("elsewhere on the way back");
          if (bm::from_triton(back, plain(extents)) != l) FAIL("another layout on the way back");
          const bool all_count = extents.size() == 2 && vec * max_phase <= extents[1] &&
                                 per_phase * max_phase <= extents[0] && max_phase > 1;
          if (all_count && back != s) FAIL("other numbers");
        }
}

TEST_CASE("Triton's padding stores each element where its formula does") {
  for (const numbers& extents : powers_of_two())
    for (long long interval = 1; interval <= 8192; interval *= 2)
      for (long long padding = 1; padding <= 64; padding *= 2) {
        const bm::triton::padded_shared s{interval, padding};
        INFO(interval << ":+" << padding << " of " << Catch::Detail::stringify(extents));
        // In several dimensions a layout has padding after all elements of a coordinate, in two
        // also after groups of several of their sizes, or it puts all additional elements into
        // one of its gaps.
        bool can_be_said =
            interval >= size_of(extents) || padding >= size_of(extents) || extents.size() == 1 ||
            (extents.size() == 2 && interval <= extents[1] && padding % interval == 0);
        for (long long run = extents.back(), d = static_cast<long long>(extents.size()) - 2; d >= 0;
             run *= extents[static_cast<std::size_t>(d--)])
          can_be_said = can_be_said || run == interval;
        if (!can_be_said) {
          if (rule_of([&] { (void)bm::from_triton(s, plain(extents)); }) !=
              "padding_of_a_dialect_must_follow_whole_rows")
            FAIL("accepted");
          continue;
        }
        const bm::layout l = bm::from_triton(s, plain(extents));
        if (places(l) != places_by(extents, [&](long long number) { return by_triton(s, number); }))
          FAIL("elsewhere");
        const bm::triton::padded_shared back = bm::to_triton_padded(l);
        if (interval < size_of(extents) ? back != s
                                        : back != bm::triton::padded_shared{size_of(extents), 1})
          FAIL("other numbers");
      }
}

TEST_CASE("TVM's alignment stores each element where its strides do") {
  for (const numbers& extents : tiles())
    for (int axis = -static_cast<int>(extents.size()); axis < static_cast<int>(extents.size());
         ++axis)
      for (const long long factor : {1, 2, 3, 4, 7, 8, 16, 32, 33, 64, 100})
        for (const long long offset : {0ll, 1ll, 2ll, 8ll, factor - 1, factor, factor + 5}) {
          const int from_front = axis < 0 ? axis + static_cast<int>(extents.size()) : axis;
          INFO("storage_align(" << axis << ", " << factor << ", " << offset << ") of "
                                << Catch::Detail::stringify(extents));
          const numbers expected = places_by(extents, [&](long long number) {
            return by_tvm({from_front, factor, offset}, extents, number);
          });
          bool is_inseparable =
              extents.size() > 2;  // neighbours that no layout of this rank separates
          for (long long step = expected.size() > 1 ? expected[1] : 1, number = 0;
               number < static_cast<long long>(expected.size()); ++number)
            is_inseparable = is_inseparable && step > 1 && extents.back() > 1 &&
                             expected[static_cast<std::size_t>(number)] == number * step &&
                             (step - 1 < size_of(extents) || ((step - 1) & (step - 2)) != 0);
          if (is_inseparable) {
            if (rule_of([&] { (void)bm::from_tvm({axis, factor, offset}, plain(extents)); }) !=
                "padding_of_a_dialect_must_follow_whole_rows")
              FAIL("accepted");
            continue;
          }
          const bm::layout l = bm::from_tvm({axis, factor, offset}, plain(extents));
          if (places(l) != expected) FAIL("elsewhere");
          const bm::tvm::storage_align back = bm::to_tvm(l);
          if (places_by(extents, [&](long long number) { return by_tvm(back, extents, number); }) !=
              expected)
            FAIL("elsewhere on the way back");
          if (places(bm::from_tvm(back, plain(extents))) != expected)
            FAIL("another layout on the way back");
        }
  // Factors that users write, for common paddings.
  CHECK(bm::to_tvm(bm::row_major(16, 32).padded(8)) == bm::tvm::storage_align{0, 16, 8});
  CHECK(bm::to_tvm(bm::row_major(4, 16, 64).padded(8)) == bm::tvm::storage_align{1, 16, 8});
  CHECK(bm::to_tvm(bm::row_major(4, 16, 64).padded(1, 0)) == bm::tvm::storage_align{0, 2, 1});
}

namespace {

// Every layout of a small array that the families have; some occur twice.
std::vector<bm::layout> layouts_of(const numbers& extents) {
  std::vector<bm::layout> result;
  const bm::layout rows = plain(extents);
  const auto add = [&](const std::function<bm::layout()>& make) {
    try {
      result.push_back(make());
    } catch (const bm::error&) {
    }
  };
  std::vector<bm::permutation> permutations{bm::permutation{}};
  for (int bits = 1; bits <= 3; ++bits)
    for (int base = 0; base <= 3; ++base)
      for (int shift = -4; shift <= 4; ++shift)
        if (shift >= bits || -shift >= bits)
          permutations.push_back(bm::xor_swizzle(bits, base, shift));
  for (int group = 1; group <= 4; group *= 2) {
    for (long long step = -3; step <= 8; ++step)
      permutations.push_back(bm::rotation(step).in_groups_of(group));
    for (const bm::triangle sense : {bm::triangle::of_columns, bm::triangle::of_rows}) {
      permutations.push_back(bm::triangular(sense).in_groups_of(group));
      permutations.push_back(bm::inverse_triangular(sense).in_groups_of(group));
    }
    for (long long number = 0; number < 81; ++number) {
      const bm::matrix t{number % 3, number / 3 % 3, number / 9 % 3, number / 27};
      permutations.push_back(bm::modular(t).in_groups_of(group));
      permutations.push_back(bm::modular_in_a_box(t).in_groups_of(group));
    }
  }
  for (const bm::permutation& permutation : permutations) {
    add([&] { return rows.permuted(permutation); });
    for (long long padding : {1, 2, 3, 4, 6, 8, 16, 24}) {
      add([&] { return rows.padded(padding).permuted(permutation); });
      if (extents.size() > 2) {
        add([&] { return rows.padded(padding, 0).permuted(permutation); });
        add([&] { return rows.padded(padding, 0).padded(1).permuted(permutation); });
        add([&] {
          return rows.padded(padding).padded(padding * extents[1], 0).permuted(permutation);
        });
      }
    }
  }
  if (extents.size() == 1)
    for (long long interval = 1; interval <= 20; ++interval)
      for (long long padding : {1, 2, 3, 4, 8, 64})
        add([&] { return rows.padded_every(interval, padding); });
  // Linear layouts: all of up to three bits, and of more those whose columns are one bit, or
  // that bit and the column's own.
  int bits = 0;
  while (1 << bits < size_of(extents)) ++bits;
  const auto linear = [&](const auto& self, bm::bit_matrix matrix, int bit) -> void {
    if (bit == bits) return add([&] { return rows.permuted(bm::linear(matrix)); });
    for (unsigned image = 1; image < 1u << bits; ++image)
      if (bits < 4 || image == (image & -image) || (image ^ (image & -image)) == (1u << bit))
        matrix.set(bit, image), self(self, matrix, bit + 1);
  };
  if (1 << bits == size_of(extents)) linear(linear, {}, 0);
  return result;
}

}  // namespace

// For each notation all parameters on a small array: a layout is an error exactly if no
// parameters store each element where it does; if not, it is converted, and converts back.
TEST_CASE("exactly the layouts that cannot be expressed are errors") {
  const std::vector<numbers> small{
      {1},       {2},       {3},       {4},       {5},       {8},       {12},
      {16},      {1, 4},    {2, 2},    {4, 1},    {2, 4},    {4, 2},    {8, 1},
      {1, 8},    {8, 2},    {2, 8},    {4, 4},    {2, 3},    {3, 4},    {4, 3},
      {3, 5},    {6, 2},    {1, 6},    {5, 1},    {2, 6},    {2, 16},   {2, 2, 2},
      {2, 1, 4}, {1, 2, 4}, {2, 3, 2}, {4, 2, 2}, {1, 1, 4}, {2, 4, 2}, {2, 2, 1, 4}};
  std::map<std::string, long long> said, refused;
  for (const numbers& extents : small) {
    std::map<std::string, std::set<numbers>> can;
    bool all_powers = true;
    for (const long long extent : extents) all_powers = all_powers && (extent & (extent - 1)) == 0;
    for (int bits = 0; bits <= 5; ++bits)
      for (int first_bit = 0; first_bit <= 6; ++first_bit)
        for (int second_bit = 0; second_bit <= 9; ++second_bit) {
          const int distance =
              first_bit > second_bit ? first_bit - second_bit : second_bit - first_bit;
          if (distance < bits) continue;
          const bm::cute::swizzle s{bits, first_bit < second_bit ? first_bit : second_bit,
                                    first_bit - second_bit};
          can["cute"].insert(
              places_by(extents, [&](long long number) { return by_cute(s, number); }));
          if (second_bit + bits <= first_bit)
            can["oxide"].insert(places_by(extents, [&](long long number) {
              return by_cuda_oxide({bits, second_bit, first_bit}, number);
            }));
        }
    for (long long a = 1; all_powers && a <= 64; a *= 2)
      for (long long b = 1; b <= 1024; b *= 2) {
        can["padded"].insert(
            places_by(extents, [&](long long number) { return by_triton({a, b}, number); }));
        for (long long c = 1; b <= 32 && c <= 32; c *= 2)
          can["swizzled"].insert(places_by(
              extents, [&](long long number) { return by_triton({a, b, c}, extents, number); }));
      }
    for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis)
      // Larger than each padding here, so every offset is a stride of its own.
      for (const long long factor : {1, 131, 1031})
        for (long long offset = 0; offset < factor; ++offset)
          can["tvm"].insert(places_by(extents, [&](long long number) {
            return by_tvm({axis, factor, offset}, extents, number);
          }));

    for (const bm::layout& l : layouts_of(extents)) {
      const numbers expected = places(l);
      const auto check = [&](const char* dialect, const auto& convert, const auto& place,
                             const auto& back) {
        const auto shown = [&] {
          return Catch::Detail::stringify(extents) + ": " + Catch::Detail::stringify(expected);
        };
        const bool sayable = can[dialect].count(expected) != 0;
        try {
          const auto s = convert(l);
          if (!sayable) FAIL(dialect << " says what it cannot, of " << shown());
          if (places_by(extents, [&](long long number) { return place(s, number); }) != expected)
            FAIL(dialect << ": elsewhere");
          if (places(back(s, plain(extents))) != expected)
            FAIL(dialect << ": elsewhere on the way back");
          ++said[dialect];
        } catch (const bm::error& e) {
          if (sayable)
            FAIL(dialect << " gives an error for a layout that it can express, " << shown() << ", "
                         << e.what());
          ++refused[dialect];
        }
      };
      check(
          "cute", [](const bm::layout& array_layout) { return bm::to_cute(array_layout); }, by_cute,
          [](const auto& s, const bm::layout& array) { return bm::from_cute(s, array); });
      check(
          "oxide", [](const bm::layout& array_layout) { return bm::to_cuda_oxide(array_layout); },
          by_cuda_oxide,
          [](const auto& s, const bm::layout& array) { return bm::from_cuda_oxide(s, array); });
      check(
          "swizzled",
          [](const bm::layout& array_layout) { return bm::to_triton_swizzled(array_layout); },
          [&](const bm::triton::swizzled_shared& s, long long number) {
            return by_triton(s, extents, number);
          },
          [](const auto& s, const bm::layout& array) { return bm::from_triton(s, array); });
      check(
          "padded",
          [](const bm::layout& array_layout) { return bm::to_triton_padded(array_layout); },
          [](const bm::triton::padded_shared& s, long long number) { return by_triton(s, number); },
          [](const auto& s, const bm::layout& array) { return bm::from_triton(s, array); });
      check(
          "tvm", [](const bm::layout& array_layout) { return bm::to_tvm(array_layout); },
          [&](const bm::tvm::storage_align& s, long long number) {
            return by_tvm(s, extents, number);
          },
          [](const auto& s, const bm::layout& array) { return bm::from_tvm(s, array); });
    }
  }
  for (const auto& [dialect, count] : said) {
    INFO(dialect << ": " << count << " said, " << refused[dialect] << " refused");
    CHECK(count > 1000);
    CHECK(refused[dialect] > 1000);
  }
}

TEST_CASE("errors name their reason") {
  using namespace std::string_literals;
  const bm::layout tile = bm::row_major(32, 32);
  CHECK(rule_of([&] { (void)bm::to_cute(tile.padded(1)); }) ==
        "a_swizzle_of_a_dialect_must_not_pad");
  CHECK(rule_of([&] { (void)bm::to_cute(bm::row_major(64).padded_every(32, 1)); }) ==
        "a_swizzle_of_a_dialect_must_not_pad");
  CHECK(rule_of([&] { (void)bm::to_cute(tile.permuted(bm::modular_in_a_box({2, 1, 0, 1}))); }) ==
        "a_swizzle_of_a_dialect_must_not_pad");
  CHECK(rule_of([&] { (void)bm::to_cute(tile.permuted(bm::rotation(1))); }) ==
        "a_swizzle_of_a_dialect_must_be_one_xor");
  CHECK(rule_of([&] { (void)bm::to_cuda_oxide(tile.permuted(bm::xor_swizzle(2, 0, -5))); }) ==
        "cuda_oxide_must_read_bits_above_those_it_changes");
  CHECK(rule_of([&] { (void)bm::to_triton_swizzled(bm::row_major(32, 33)); }) ==
        "arrays_of_triton_must_have_extents_of_powers_of_two");
  CHECK(rule_of([&] { (void)bm::to_triton_swizzled(tile.permuted(bm::xor_swizzle(2, 0, 3))); }) ==
        "triton_must_swizzle_columns_by_rows");
  const bm::layout planes = bm::row_major(4, 4, 32).permuted(bm::xor_swizzle(3, 0, 5));
  CHECK(rule_of([&] { (void)bm::to_triton_swizzled(planes); }) ==
        "triton_must_swizzle_columns_by_rows");
  CHECK(rule_of([&] { (void)bm::to_triton_padded(tile.padded(3)); }) ==
        "triton_must_pad_by_powers_of_two");
  CHECK(rule_of([&] { (void)bm::to_triton_padded(bm::row_major(64).padded_every(24, 1)); }) ==
        "triton_must_pad_by_powers_of_two");
  CHECK(rule_of([&] {
          (void)bm::to_triton_padded(bm::row_major(4, 8, 32).padded(1, 1).padded(2, 0));
        }) == "triton_must_pad_at_one_interval");
  CHECK(rule_of([&] { (void)bm::to_tvm(bm::row_major(4, 8, 32).padded(1, 1).padded(2, 0)); }) ==
        "tvm_must_align_the_stride_of_one_axis");
  CHECK(rule_of([&] { (void)bm::to_tvm(bm::row_major(64).padded_every(32, 1)); }) ==
        "tvm_must_align_the_stride_of_one_axis");
  for (const bm::layout& array :
       {tile.padded(1), tile.permuted(bm::rotation(1)), bm::row_major(64).padded_every(8, 1)}) {
    CHECK(rule_of([&] { (void)bm::from_cute({1, 0, 1}, array); }) ==
          "a_dialect_must_be_given_a_plain_array");
    CHECK(rule_of([&] { (void)bm::from_cute_in_bytes({1, 2, 1}, array, 4); }) ==
          "a_dialect_must_be_given_a_plain_array");
    CHECK(rule_of([&] { (void)bm::from_cuda_oxide({1, 0, 1}, array); }) ==
          "a_dialect_must_be_given_a_plain_array");
    CHECK(rule_of([&] { (void)bm::from_triton(bm::triton::swizzled_shared{}, array); }) ==
          "a_dialect_must_be_given_a_plain_array");
    CHECK(rule_of([&] { (void)bm::from_triton(bm::triton::padded_shared{}, array); }) ==
          "a_dialect_must_be_given_a_plain_array");
    CHECK(rule_of([&] { (void)bm::from_tvm({}, array); }) ==
          "a_dialect_must_be_given_a_plain_array");
  }
  for (const bm::cute::swizzle& s :
       {bm::cute::swizzle{2, 0, 1}, {-1, 0, 1}, {0, -1, 0}, {1, -1, 1}, {2, 0, -1}, {1, 29, 1}})
    CHECK(rule_of([&] { (void)bm::from_cute(s, tile); }) ==
          "a_swizzle_must_move_bits_from_elsewhere");
  CHECK(rule_of([&] { (void)bm::from_cuda_oxide({-1, 0, 3}, tile); }) ==
        "cuda_oxide_must_read_bits_above_those_it_changes");
  CHECK(rule_of([&] { (void)bm::to_cute_in_bytes(tile.permuted(bm::xor_swizzle(5, 0, 5)), 12); }) ==
        "a_swizzle_of_bytes_must_keep_elements_whole");
}

// The examples of the headers; and a compiler's default limits suffice for arrays of usual
// sizes.
static_assert(bm::from_cute({3, 4, 3}, bm::row_major(2, 128))(1, 0) == 144 &&
              bm::from_cute({5, 0, 5}, bm::row_major(2, 32))(1, 1) == 32);
static_assert(bm::to_cute(bm::row_major(32, 32).permuted(bm::xor_swizzle(5, 0, 5))) ==
              bm::cute::swizzle{5, 0, 5});
static_assert(bm::to_cute(bm::row_major(8, 2).permuted(bm::rotation(1))) ==
              bm::cute::swizzle{1, 0, 1});
static_assert(bm::to_cute_in_bytes(bm::row_major(64, 64).permuted(bm::copy_engine_swizzle(128, 2)),
                                   2) == bm::cute::swizzle{3, 4, 3});
static_assert(bm::from_cute_in_bytes({3, 4, 3}, bm::row_major(64, 64), 2)(1, 0) == 72);
static_assert(bm::from_cuda_oxide({3, 4, 7}, bm::row_major(2, 128))(1, 0) == 144 &&
              bm::from_cuda_oxide({5, 0, 5}, bm::row_major(32, 32))(1, 1) == 32);
static_assert(bm::to_cuda_oxide(bm::row_major(64, 64).permuted(bm::xor_swizzle(3, 3, 3))) ==
              bm::cuda_oxide::swizzle{3, 3, 6});
static_assert(bm::to_cute(bm::from_triton({8, 1, 8}, bm::row_major(64, 64))) ==
              bm::cute::swizzle{3, 3, 3});
static_assert(bm::to_triton_swizzled(bm::row_major(64, 32).permuted(bm::xor_swizzle(2, 3, 3))) ==
              bm::triton::swizzled_shared{8, 2, 4});
static_assert(bm::from_triton({8, 2, 4}, bm::row_major(64, 32))(2, 0) == 72);
static_assert(bm::to_triton_padded(bm::row_major(32, 32).padded(4)) ==
              bm::triton::padded_shared{32, 4});
static_assert(bm::to_triton_padded(bm::row_major(1024).padded_every(32, 1)) ==
              bm::triton::padded_shared{32, 1});
static_assert(bm::from_triton(bm::triton::padded_shared{32, 4}, bm::row_major(32, 32)) ==
              bm::row_major(32, 32).padded(4));
static_assert(bm::from_triton(bm::triton::padded_shared{32, 4}, bm::row_major(32, 32))(1, 0) == 36);
static_assert(bm::to_tvm(bm::row_major(32, 32).padded(1)) == bm::tvm::storage_align{0, 2, 1});
static_assert(bm::to_tvm(bm::row_major(64, 64).padded(8)) == bm::tvm::storage_align{0, 16, 8});
static_assert(bm::from_tvm({0, 32, 8}, bm::row_major(64, 64)) == bm::row_major(64, 64).padded(8) &&
              bm::row_major(64, 64).padded(8).stride[0] == 72);
static_assert(bm::from_tvm({0, 2, 1}, bm::row_major(32, 32)).stride[0] == 33);
static_assert(bm::to_cute(bm::row_major(256, 256)).B == 0 &&
              bm::to_triton_swizzled(bm::row_major(256, 256)) == bm::triton::swizzled_shared{});
static_assert(bm::to_triton_padded(bm::row_major(256, 256).padded(8)) ==
              bm::triton::padded_shared{256, 8});
static_assert(bm::to_tvm(bm::row_major(4, 100, 300).padded(5)) == bm::tvm::storage_align{1, 8, 1});
static_assert(bm::to_triton_swizzled(bm::row_major(64, 64).permuted(bm::rotation(32))) ==
              bm::triton::swizzled_shared{32, 1, 2});
