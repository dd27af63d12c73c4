// SPDX-License-Identifier: MIT
// The engine's parts: integer operations against plain C++, post-dominators against their
// definition, memory, and small kernels that are built here by hand.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/code/control_flow.hpp"
#include "examples/bankmodel/compiled/engine/floating_operations.hpp"
#include "examples/bankmodel/compiled/engine/integer_operations.hpp"
#include "examples/bankmodel/compiled/engine/memory.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
using cc::opcode;

namespace {

cc::operand reg(int number) { return {cc::operand::kind::reg, static_cast<std::uint64_t>(number)}; }
cc::operand constant(std::uint64_t value) { return {cc::operand::kind::constant, value}; }
cc::operand special(cc::special variable) {
  return {cc::operand::kind::special, static_cast<std::uint64_t>(variable)};
}

// The result in one lane; none if it is undefined.
std::optional<std::uint64_t> computed(opcode code, int bits, std::vector<std::uint64_t> operands,
                                      int from_bits = 0) {
  cc::instruction item;
  item.operation = code;
  item.bits = static_cast<std::uint8_t>(bits);
  item.from_bits = static_cast<std::uint8_t>(from_bits == 0 ? bits : from_bits);
  operands.resize(4);
  cc::lane_values sources[4];
  for (std::size_t index = 0; index < 4; ++index) sources[index] = {&operands[index], 0, 0};
  std::uint64_t result = 0;
  if (cc::compute_integers(item, sources, 1, &result) != 0) return std::nullopt;
  return result;
}

template <class Unsigned>
std::vector<std::uint64_t> interesting(std::mt19937_64& dice) {
  using limits = std::numeric_limits<std::make_signed_t<Unsigned>>;
  std::vector<std::uint64_t> result = {0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 255};
  for (const auto edge : {limits::min(), limits::max()})
    for (int delta = -1; delta <= 1; ++delta)
      result.push_back(
          static_cast<Unsigned>(static_cast<Unsigned>(edge) + static_cast<Unsigned>(delta)));
  for (int draw = 0; draw < 20; ++draw)
    result.push_back(static_cast<Unsigned>(dice() >> dice() % (8 * sizeof(Unsigned))));
  for (std::uint64_t& value : result) value = static_cast<Unsigned>(value);
  return result;
}

template <class Unsigned>
void same_as_plain(std::mt19937_64& dice) {
  using Signed = std::make_signed_t<Unsigned>;
  constexpr int bits = 8 * static_cast<int>(sizeof(Unsigned));
  __extension__ using wide = __int128;
  __extension__ using unsigned_wide = unsigned __int128;
  const auto values = interesting<Unsigned>(dice);
  const auto is = [bits](opcode code, std::vector<std::uint64_t> operands, auto wanted) {
    INFO("operation " << static_cast<int>(code) << " on " << bits << " bits of " << operands[0]);
    const auto result = computed(code, bits, operands);
    REQUIRE(result.has_value());
    if (*result != static_cast<Unsigned>(wanted)) CHECK(*result == static_cast<Unsigned>(wanted));
  };
  for (const std::uint64_t x : values) {
    const auto a = static_cast<Unsigned>(x);
    const auto s = static_cast<Signed>(a);
    is(opcode::move, {x}, a);
    is(opcode::count_ones, {x}, std::popcount(a));
    is(opcode::count_leading_zeros, {x}, std::countl_zero(a));
    Unsigned reversed = 0;
    for (int bit = 0; bit < bits; ++bit)
      reversed = static_cast<Unsigned>(reversed << 1 | (a >> bit & 1));
    is(opcode::reverse_bits, {x}, reversed);
    const auto highest = [&](Unsigned value) {
      return value == 0 ? 0xffffffffu : static_cast<unsigned>(bits - 1 - std::countl_zero(value));
    };
    CHECK(computed(opcode::highest_bit_unsigned, bits, {x}) == highest(a));
    CHECK(computed(opcode::highest_bit_signed, bits, {x}) ==
          highest(s < 0 ? static_cast<Unsigned>(~a) : a));
    for (const std::uint64_t y : values) {
      const auto b = static_cast<Unsigned>(y);
      const auto t = static_cast<Signed>(b);
      is(opcode::add, {x, y}, a + b);
      is(opcode::subtract, {x, y}, a - b);
      is(opcode::multiply, {x, y}, static_cast<std::uint64_t>(a) * b);
      is(opcode::multiply_high_signed, {x, y}, static_cast<wide>(s) * t >> bits);
      is(opcode::multiply_high_unsigned, {x, y}, static_cast<unsigned_wide>(a) * b >> bits);
      is(opcode::bit_and, {x, y}, a & b);
      is(opcode::bit_or, {x, y}, a | b);
      is(opcode::bit_xor, {x, y}, a ^ b);
      is(opcode::minimum_signed, {x, y}, std::min(s, t));
      is(opcode::maximum_signed, {x, y}, std::max(s, t));
      is(opcode::minimum_unsigned, {x, y}, std::min(a, b));
      is(opcode::maximum_unsigned, {x, y}, std::max(a, b));
      is(opcode::equal, {x, y}, a == b);
      is(opcode::not_equal, {x, y}, a != b);
      is(opcode::less_signed, {x, y}, s < t);
      is(opcode::less_equal_signed, {x, y}, s <= t);
      is(opcode::less_unsigned, {x, y}, a < b);
      is(opcode::less_equal_unsigned, {x, y}, a <= b);
      const bool is_far = b >= static_cast<unsigned>(bits);
      is(opcode::shift_left, {x, y}, is_far ? Unsigned{0} : static_cast<std::uint64_t>(a) << b);
      is(opcode::shift_right_unsigned, {x, y},
         is_far ? Unsigned{0} : static_cast<Unsigned>(a >> b));
      is(opcode::shift_right_signed, {x, y},
         is_far ? static_cast<Signed>(s < 0 ? -1 : 0) : static_cast<Signed>(s >> b));
      if (b == 0) {
        for (const opcode division : {opcode::divide_signed, opcode::divide_unsigned,
                                      opcode::remainder_signed, opcode::remainder_unsigned})
          CHECK_FALSE(computed(division, bits, {x, y}).has_value());
      } else {
        is(opcode::divide_unsigned, {x, y}, a / b);
        is(opcode::remainder_unsigned, {x, y}, a % b);
        is(opcode::divide_signed, {x, y}, static_cast<wide>(s) / t);
        is(opcode::remainder_signed, {x, y}, static_cast<wide>(s) % t);
      }
    }
  }
}

// PTX's own words for bfe and bfi, bit by bit.
std::uint64_t extracted_plainly(std::uint64_t a, unsigned first, unsigned length, unsigned bits,
                                bool is_signed) {
  const auto bit = [&](unsigned index) { return a >> index & 1; };
  const std::uint64_t sign =
      !is_signed || length == 0 ? 0 : bit(std::min(first + length - 1, bits - 1));
  std::uint64_t result = 0;
  for (unsigned position = 0; position < bits; ++position)
    result |= (position < length && first + position < bits ? bit(first + position) : sign)
              << position;
  return result;
}
std::uint64_t inserted_plainly(std::uint64_t field, std::uint64_t word, unsigned first,
                               unsigned length, unsigned bits) {
  for (unsigned position = 0; position < length && first + position < bits; ++position) {
    word &= ~(std::uint64_t{1} << (first + position));
    word |= (field >> position & 1) << (first + position);
  }
  return word;
}

cc::instruction make_instruction(opcode code, int bits, std::vector<int> targets,
                                 std::vector<cc::operand> sources) {
  cc::instruction item;
  item.operation = code;
  item.bits = item.from_bits = static_cast<std::uint8_t>(bits);
  item.results = std::move(targets);
  item.operands = std::move(sources);
  return item;
}
cc::instruction jump(std::vector<int> blocks, std::vector<cc::operand> condition = {}) {
  cc::instruction item = make_instruction(opcode::branch, 1, {}, std::move(condition));
  item.blocks = std::move(blocks);
  return item;
}
cc::instruction access(cc::access_does action, std::vector<int> targets,
                       std::vector<cc::operand> sources,
                       cc::memory_kind memory = cc::memory_kind::shared) {
  cc::instruction item =
      make_instruction(opcode::access, 64, std::move(targets), std::move(sources));
  item.memory.operation = action;
  item.memory.memory = memory;
  return item;
}

cc::kernel_code kernel_with(int registers, std::vector<cc::code_block> blocks) {
  cc::kernel_code kernel;
  kernel.registers = registers;
  kernel.blocks = std::move(blocks);
  cc::code_array array;
  array.bytes = 4096;
  kernel.shared.push_back(array);
  return kernel;
}

cc::launch launched(int threads) {
  cc::launch options;
  options.block = {threads};
  return options;
}

}  // namespace

TEST_CASE("integer operations compute what C++ computes", "[compiled]") {
  std::mt19937_64 dice(7);
  same_as_plain<std::uint16_t>(dice);
  same_as_plain<std::uint32_t>(dice);
  same_as_plain<std::uint64_t>(dice);
}

TEST_CASE("bit fields, funnels, permutations and conversions", "[compiled]") {
  std::mt19937_64 dice(11);
  for (int round = 0; round < 20000; ++round) {
    const unsigned bits = round % 2 == 0 ? 32 : 64;
    const auto number = [&] { return dice() & cc::low_bits(static_cast<int>(bits)); };
    const std::uint64_t a = number(), b = number();
    const auto first = static_cast<unsigned>(dice() % 80),
               length = static_cast<unsigned>(dice() % 80);
    const int width = static_cast<int>(bits);
    for (const bool is_signed : {false, true}) {
      const auto result = computed(is_signed ? opcode::extract_signed : opcode::extract_unsigned,
                                   width, {a, first, length});
      if (result != extracted_plainly(a, first, length, bits, is_signed))
        CHECK(result == extracted_plainly(a, first, length, bits, is_signed));
    }
    if (computed(opcode::insert, width, {a, b, first, length}) !=
        inserted_plainly(b, a, first, length, bits))
      CHECK(computed(opcode::insert, width, {a, b, first, length}) ==
            inserted_plainly(b, a, first, length, bits));
    if (bits == 64) continue;
    const std::uint64_t pair = b << 32 | a;
    const auto shift = static_cast<unsigned>(dice() % 100);
    CHECK(computed(opcode::funnel_right, 32, {a, b, shift}) == (pair >> shift % 32 & 0xffffffff));
    CHECK(computed(opcode::funnel_left, 32, {a, b, shift}) == pair << shift % 32 >> 32);
    const std::uint64_t select = dice() & 0xffff;
    std::uint64_t permuted = 0;
    for (unsigned index = 0; index < 4; ++index) {
      const std::uint64_t selector = select >> 4 * index & 15,
                          byte = pair >> 8 * (selector & 7) & 255;
      permuted |= (selector < 8 ? byte : byte < 128 ? 0 : 255) << 8 * index;
    }
    CHECK(computed(opcode::permute, 32, {a, b, select}) == permuted);
  }
  CHECK(computed(opcode::extend_signed, 64, {0x80}, 8) == 0xffffffffffffff80u);
  CHECK(computed(opcode::extend_signed, 32, {0xffff8000}, 16) == 0xffff8000u);
  CHECK(computed(opcode::extend_unsigned, 64, {0xfff80}, 8) == 0x80u);
  CHECK(computed(opcode::extend_unsigned, 16, {0x12345678}, 32) == 0x5678u);
}

TEST_CASE("an unknown operand does not always make the result unknown", "[compiled]") {
  cc::instruction item = make_instruction(opcode::bit_and, 32, {0}, {});
  const std::uint64_t values[] = {0, 1, 0xffffffff};
  const cc::lane_values unknown = {values, 7, 0}, known = {values, 0, 0};
  const cc::lane_values sources[] = {unknown, known, {}, {}};
  std::uint64_t results[3] = {};
  CHECK(cc::compute_absorbed(item, sources, 7, results) == 1);
  item.operation = opcode::multiply;
  CHECK(cc::compute_absorbed(item, sources, 7, results) == 1);
  item.operation = opcode::bit_or;
  CHECK(cc::compute_absorbed(item, sources, 7, results) == 4);
  item.operation = opcode::add;
  CHECK(cc::compute_absorbed(item, sources, 7, results) == 0);
}

TEST_CASE("floating-point operations", "[compiled]") {
  const auto result = [](cc::floating_operation code, int bits, std::vector<std::uint64_t> operands,
                         int from_bits = 0, bool flushes = false) -> std::optional<std::uint64_t> {
    cc::instruction item = make_instruction(opcode::floating, bits, {0}, {});
    item.floating = code;
    item.from_bits = static_cast<std::uint8_t>(from_bits == 0 ? bits : from_bits);
    item.flushes_subnormals = flushes;
    operands.resize(3);
    const cc::lane_values sources[] = {
        {&operands[0], 0, 0}, {&operands[1], 0, 0}, {&operands[2], 0, 0}, {}};
    std::uint64_t output = 0;
    if (cc::compute_floating(item, sources, 1, &output) != 0) return std::nullopt;
    return output;
  };
  using cc::floating_operation;
  const auto f = [](float value) -> std::uint64_t { return std::bit_cast<std::uint32_t>(value); };
  const auto d = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  CHECK(result(floating_operation::add, 32, {f(1.5f), f(2.25f)}) == f(3.75f));
  CHECK(result(floating_operation::fused, 64, {d(3), d(5), d(7)}) == d(22));
  CHECK(result(floating_operation::divide, 32, {f(1), f(3)}) == f(1.0f / 3.0f));
  CHECK(result(floating_operation::minimum, 32, {f(0.0f), f(-0.0f)}) == f(-0.0f));
  CHECK(result(floating_operation::nearest, 32, {f(2.5f)}) == f(2.0f));
  CHECK(result(floating_operation::to_signed, 32, {f(-7.9f)}, 32) == 0xfffffff9u);
  CHECK(result(floating_operation::to_unsigned, 64, {d(1e18)}, 64) == 1000000000000000000u);
  CHECK_FALSE(result(floating_operation::to_signed, 32, {f(3e9f)}, 32).has_value());
  CHECK_FALSE(result(floating_operation::to_unsigned, 32, {f(-1.0f)}, 32).has_value());
  CHECK(result(floating_operation::from_signed, 32, {0xffffffff}, 32) == f(-1.0f));
  CHECK(result(floating_operation::from_unsigned, 64, {0xffffffff}, 32) == d(4294967295.0));
  CHECK(result(floating_operation::resize, 64, {f(0.1f)}, 32) == d(0.1f));
  const std::uint64_t not_a_number = f(std::nanf(""));
  CHECK(result(floating_operation::less, 32, {f(1), f(2)}) == 1u);
  CHECK(result(floating_operation::not_equal, 32, {not_a_number, f(2)}) == 0u);
  CHECK(result(floating_operation::unordered, 32, {not_a_number, f(2)}) == 1u);
  // Of NaN only comparisons are known, of 16 bits nothing, and near 0 nothing if it is flushed.
  CHECK_FALSE(result(floating_operation::add, 32, {not_a_number, f(2)}).has_value());
  CHECK_FALSE(result(floating_operation::add, 16, {0, 0}).has_value());
  CHECK(result(floating_operation::add, 32, {1, 0}) == 1u);
  CHECK_FALSE(result(floating_operation::add, 32, {1, 0}, 0, true).has_value());
}

TEST_CASE("post-dominators are what each path to the end goes through", "[compiled]") {
  std::mt19937 dice(3);
  for (int round = 0; round < 2000; ++round) {
    const int count = 2 + static_cast<int>(dice() % 9);
    const auto pick = [&] { return static_cast<int>(dice() % static_cast<unsigned>(count)); };
    std::vector<cc::code_block> blocks(static_cast<std::size_t>(count));
    for (cc::code_block& block : blocks) {
      const unsigned kind = dice() % 8;
      if (kind == 0)
        block.instructions.push_back(make_instruction(opcode::leave, 32, {}, {}));
      else if (kind < 4)
        block.instructions.push_back(jump({pick()}));
      else
        block.instructions.push_back(jump({pick(), pick()}, {reg(0)}));
    }
    const cc::kernel_code kernel = kernel_with(1, blocks);
    // Which blocks reach the end without `obstacle`.
    const auto ends = [&](int start, int obstacle) {
      std::vector<bool> seen(blocks.size());
      std::vector<int> left = {start};
      while (!left.empty()) {
        const int current = left.back();
        left.pop_back();
        if (current == obstacle || seen[static_cast<std::size_t>(current)]) continue;
        seen[static_cast<std::size_t>(current)] = true;
        const auto& next = cc::successors(blocks[static_cast<std::size_t>(current)]);
        if (next.empty()) return true;
        left.insert(left.end(), next.begin(), next.end());
      }
      return false;
    };
    const std::vector<int> dominators = cc::post_dominators(kernel);
    for (int block = 0; block < count; ++block) {
      const int dominator = dominators[static_cast<std::size_t>(block)];
      std::set<int> common;
      if (ends(block, -1))
        for (int other = 0; other < count; ++other)
          if (other != block && !ends(block, other)) common.insert(other);
      REQUIRE((dominator == cc::the_end) == common.empty());
      if (common.empty()) continue;
      REQUIRE(common.count(dominator) == 1);
      // The nearest one: each other post-dominates it.
      for (const int other : common) REQUIRE((other == dominator || !ends(dominator, other)));
    }
  }
}

TEST_CASE("arrays in shared memory follow one another", "[compiled]") {
  cc::kernel_code kernel;
  const auto array = [&](std::uint64_t bytes, int alignment) {
    cc::code_array entry;
    entry.bytes = bytes;
    entry.alignment = alignment;
    kernel.shared.push_back(entry);
  };
  array(5, 1);
  array(0, 16);
  array(8, 8);
  array(0, 4);
  array(1, 1);
  const cc::shared_layout layout = cc::laid_out(kernel, 100);
  CHECK(layout.first == std::vector<std::uint64_t>{0, 32, 8, 32, 16});
  CHECK(layout.total == 132);
  CHECK(layout.array_at(4, 1) == 0);
  CHECK(layout.array_at(5, 1) == -1);
  CHECK(layout.array_at(8, 8) == 2);
  CHECK(layout.array_at(128, 4) == 1);
  CHECK(layout.array_at(128, 8) == -1);
  CHECK(cc::laid_out(kernel, 0).total == 17);
}

TEST_CASE("memory is known byte by byte", "[compiled]") {
  cc::tracked_bytes memory(16, 3);
  CHECK(memory.load(0, 4).origin == 3);
  memory.store(0, 8, 0x8877665544332211u);
  CHECK(memory.load(0, 8).value == 0x8877665544332211u);
  CHECK(memory.load(3, 2).value == 0x5544);
  CHECK(memory.load(7, 2).origin == 3);
  memory.forget(2, 1, 5);
  CHECK(memory.load(0, 2).origin == cc::no_origin);
  CHECK(memory.load(0, 4).origin == 5);

  CHECK(cc::global_number(cc::global_base(3)) == 3);
  CHECK(cc::global_number(cc::global_base(3) - 8) == 3);
  CHECK(cc::global_number(cc::global_base(0) + (1u << 30)) == 0);
  CHECK(cc::global_number(0) == -1);
  CHECK(cc::global_number(cc::shared_window) == -1);
}

TEST_CASE("a warp of 64 lanes, a transpose by hand", "[compiled]") {
  // a[x * 16] = 1; load a[x ^ 1]
  const auto x = special(cc::special::thread_x);
  cc::code_block block;
  block.instructions = {
      make_instruction(opcode::shift_left, 32, {0}, {x, constant(6)}),
      access(cc::access_does::store, {}, {reg(0), constant(1)}),
      make_instruction(opcode::bit_xor, 32, {1}, {x, constant(1)}),
      make_instruction(opcode::multiply, 32, {1}, {reg(1), constant(4)}),
      access(cc::access_does::load, {2}, {reg(1)}),
      make_instruction(opcode::leave, 32, {}, {}),
  };
  cc::kernel_code kernel = kernel_with(3, {block});
  kernel.lanes = 64;
  const cc::recording record = cc::run(kernel, launched(60));
  REQUIRE(record.accesses.size() == 2);
  CHECK(record.accesses[0].classes[0].lanes.active == cc::low_bits(60));
  CHECK(record.accesses[0].classes[0].lanes.address[59] == 59 * 64);
  CHECK(record.accesses[1].classes[0].lanes.address[0] == 0);
  CHECK(record.accesses[1].classes[0].lanes.address[1] == -4);
  CHECK(record.accesses[1].classes[0].times.count(4) == 1);
  CHECK(record.accesses[0].array == 0);
  CHECK(record.steps == 6 * 60);
}

TEST_CASE("a guard that is unknown makes results unknown, and ends shared accesses", "[compiled]") {
  const auto x = special(cc::special::thread_x);
  cc::instruction data = make_instruction(opcode::unknown, 32, {0}, {});
  data.description = "a clock";
  cc::instruction guarded = make_instruction(opcode::move, 32, {1}, {constant(8)});
  guarded.guard = 0;
  const cc::instruction first = make_instruction(opcode::move, 32, {1}, {x});
  cc::instruction store = access(cc::access_does::store, {}, {constant(0), reg(1)});
  const cc::instruction end = make_instruction(opcode::leave, 32, {}, {});
  const auto wrong = [](const std::vector<cc::instruction>& body) -> std::string {
    try {
      (void)cc::run(kernel_with(4, {{body}}), launched(32));
    } catch (const cc::cannot_run& failure) {
      return failure.what();
    }
    return "";
  };
  const cc::instruction used = access(cc::access_does::load, {2}, {reg(1)});
  CHECK(wrong({data, first, guarded, used, end}) == "the address depends on a clock");
  CHECK(wrong({data, first, guarded, store, end}).empty());
  store.guard = 0;
  CHECK(wrong({data, first, store, end}) == "whether this is executed depends on a clock");
  // What several lanes store to one place is known if it is the same.
  store.guard = -1;
  const cc::instruction reload = access(cc::access_does::load, {3}, {constant(0)});
  const cc::instruction used_again = access(cc::access_does::load, {2}, {reg(3)});
  CHECK(wrong({first, store, reload, used_again, end}) ==
        "the address depends on several threads that store to the same place");
  CHECK(wrong({make_instruction(opcode::move, 32, {1}, {constant(8)}), store, reload, used_again,
               end})
            .empty());
}

namespace {

cc::recording bounded(int registers, std::vector<cc::code_block> blocks) {
  cc::launch options = launched(32);
  options.bounds = true;
  return cc::run(kernel_with(registers, std::move(blocks)), options);
}
cc::instruction data(int target) {
  cc::instruction item = make_instruction(opcode::unknown, 32, {target}, {});
  item.description = "a clock";
  return item;
}
// The sum of the requests of an access's bounded classes, with or without addresses.
std::uint64_t bounded_requests(const cc::recorded_access& recorded, bool with_addresses) {
  std::uint64_t sum = 0;
  for (const cc::bounded_class& group : recorded.bounded)
    for (const auto& [base, times] : group.requests.times)
      sum += group.has_addresses == with_addresses ? times : 0;
  return sum;
}

}  // namespace

TEST_CASE("bounds: addresses that depend on data", "[compiled]") {
  const cc::instruction end = make_instruction(opcode::leave, 32, {}, {});
  const cc::instruction eight = make_instruction(opcode::move, 32, {1}, {constant(8)});
  const cc::instruction store = access(cc::access_does::store, {}, {constant(0), reg(1)});
  const cc::instruction anywhere = access(cc::access_does::store, {}, {reg(0), reg(1)});
  const cc::instruction load = access(cc::access_does::load, {2}, {constant(0)});
  const cc::instruction used = access(cc::access_does::load, {3}, {reg(2)});
  cc::recording record =
      bounded(4, {{{data(0), eight, store, load, used, anywhere, load, used, end}}});
  REQUIRE(record.accesses.size() == 6);
  CHECK(record.accesses[2].classes.size() == 1);  // what was stored is known
  CHECK_FALSE(record.accesses[2].is_partial);
  CHECK(record.accesses[3].classes.empty());
  CHECK(bounded_requests(record.accesses[3], false) == 1);
  CHECK(record.accesses[3].bounded[0].requests.lanes.active == 0xffffffff);
  CHECK(record.accesses[3].reason == "an address depends on a clock");
  CHECK(record.accesses[4].classes.size() == 1);
  CHECK(bounded_requests(record.accesses[5], false) == 1);  // and no longer, after a store anywhere
}

TEST_CASE("bounds: branches that depend on data", "[compiled]") {
  const auto x = special(cc::special::thread_x);
  const cc::instruction end = make_instruction(opcode::leave, 32, {}, {});
  const cc::instruction neighbour = make_instruction(opcode::multiply, 32, {1}, {x, constant(4)});
  const cc::instruction far = make_instruction(opcode::multiply, 32, {1}, {x, constant(8)});
  const cc::instruction load = access(cc::access_does::load, {2}, {reg(1)});
  const cc::instruction eight = make_instruction(opcode::move, 32, {3}, {constant(8)});
  const cc::instruction store = access(cc::access_does::store, {}, {constant(0), reg(3)});
  const cc::instruction from_0 = access(cc::access_does::load, {4}, {constant(0)});
  const cc::instruction used = access(cc::access_does::load, {5}, {reg(4)});

  // One arm: its store may have been made, and what comes after it is exact.
  cc::recording record = bounded(6, {{{data(0), neighbour, eight, jump({1, 2}, {reg(0)})}},
                                     {{store, jump({2})}},
                                     {{load, from_0, used, end}}});
  REQUIRE(record.accesses.size() == 4);
  CHECK(bounded_requests(record.accesses[0], true) == 1);
  CHECK(record.accesses[0].classes.empty());
  CHECK(record.accesses[0].reason == "whether it is made depends on a clock");
  CHECK(record.accesses[1].classes.size() == 1);
  CHECK(record.accesses[1].bounded.empty());
  CHECK(bounded_requests(record.accesses[3], false) == 1);

  // Two arms: all lanes go through both, and a register that they write is unknown afterwards.
  record = bounded(6, {{{data(0), jump({1, 2}, {reg(0)})}},
                       {{neighbour, load, jump({3})}},
                       {{far, load, jump({3})}},
                       {{load, end}}});
  REQUIRE(record.accesses.size() == 3);
  CHECK(bounded_requests(record.accesses[0], true) == 1);
  CHECK(bounded_requests(record.accesses[1], true) == 1);
  CHECK(record.accesses[1].bounded[0].requests.lanes.address[2] == 16);
  CHECK(bounded_requests(record.accesses[2], false) == 1);

  // Lanes that may have ended: all that comes may be executed.
  record = bounded(6, {{{data(0), neighbour, jump({1, 2}, {reg(0)})}}, {{end}}, {{load, end}}});
  REQUIRE(record.accesses.size() == 1);
  CHECK(record.accesses[0].classes.empty());
  CHECK(bounded_requests(record.accesses[0], true) == 1);

  // A part of the lanes takes the branch for sure.
  const cc::instruction is_low = make_instruction(opcode::less_unsigned, 32, {3}, {x, constant(8)});
  cc::instruction only_low = data(0);
  only_low.guard = 3;
  const cc::instruction setting = make_instruction(opcode::move, 32, {0}, {constant(1)});
  record = bounded(6, {{{setting, is_low, only_low, neighbour, jump({1, 2}, {reg(0)})}},
                       {{load, jump({2})}},
                       {{load, end}}});
  REQUIRE(record.accesses.size() == 2);
  CHECK(record.accesses[0].bounded.at(0).requests.lanes.active == 0xffffffff);
  CHECK(record.accesses[1].classes.size() == 1);

  // A guarded access.
  cc::instruction guarded = load;
  guarded.guard = 0;
  record = bounded(6, {{{data(0), neighbour, guarded, end}}});
  CHECK(bounded_requests(record.accesses.at(0), true) == 1);

  // A loop whose end is in the data has no bound.
  CHECK_THROWS_AS(
      bounded(6, {{{jump({1})}}, {{neighbour, load, data(0), jump({1, 2}, {reg(0)})}}, {{end}}}),
      cc::cannot_run);
}

TEST_CASE("there are sixteen barriers", "[compiled]") {
  const cc::instruction end = make_instruction(opcode::leave, 32, {}, {});
  const auto with_barrier = [&](std::uint64_t number) {
    const cc::instruction wait = make_instruction(opcode::barrier, 32, {}, {constant(number)});
    return cc::run(kernel_with(1, {{{wait, end}}}), launched(64));
  };
  CHECK(with_barrier(15).steps == 128);
  CHECK_THROWS_AS(with_barrier(16), cc::cannot_run);
  CHECK_THROWS_AS(with_barrier(std::uint64_t{1} << 60), cc::cannot_run);
}

TEST_CASE("a million steps take well under a second", "[compiled]") {
  // for (i = 0; i < 20000; ++i) load a[(x + i) % 1024]
  const auto x = special(cc::special::thread_x);
  const cc::code_block head = {{make_instruction(opcode::move, 32, {0}, {constant(0)}), jump({1})}};
  const cc::code_block body = {{
      make_instruction(opcode::add, 32, {1}, {reg(0), x}),
      make_instruction(opcode::bit_and, 32, {1}, {reg(1), constant(1023)}),
      make_instruction(opcode::shift_left, 32, {1}, {reg(1), constant(2)}),
      access(cc::access_does::load, {2}, {reg(1)}),
      make_instruction(opcode::add, 32, {0}, {reg(0), constant(1)}),
      make_instruction(opcode::less_signed, 32, {3}, {reg(0), constant(20000)}),
      jump({1, 2}, {reg(3)}),
  }};
  const cc::code_block end = {{make_instruction(opcode::leave, 32, {}, {})}};
  const cc::recording record = cc::run(kernel_with(4, {head, body, end}), launched(32));
  REQUIRE(record.accesses.size() == 1);
  CHECK(record.accesses[0].requests == 20000);
  std::uint64_t times = 0;
  for (const cc::recorded_class& group : record.accesses[0].classes)
    for (const auto& [base, count] : group.times) times += count;
  CHECK(times == 20000);
  // One class for each place at which the row wraps around, and one without.
  CHECK(record.accesses[0].classes.size() == 32);
  CHECK(record.steps == 32 * (2 + 7 * 20000 + 1));
}
