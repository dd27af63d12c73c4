// SPDX-License-Identifier: MIT
// The low bits of addresses that compilers know, against the addresses of programs that are run.
#include "examples/bankmodel/compiled/engine/known_alignment.hpp"

#include <map>
#include <random>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/engine/integer_operations.hpp"

namespace cc = compiled;
using cc::opcode;

namespace {

cc::operand reg(int number) { return {cc::operand::kind::reg, static_cast<std::uint64_t>(number)}; }
cc::operand constant(std::uint64_t value) { return {cc::operand::kind::constant, value}; }
const cc::operand thread = {cc::operand::kind::special,
                            static_cast<std::uint64_t>(cc::special::thread_x)};

cc::instruction make_instruction(opcode operation, int target, std::vector<cc::operand> operands,
                                 int bits = 32) {
  cc::instruction result;
  result.operation = operation;
  result.bits = result.from_bits = static_cast<std::uint8_t>(bits);
  result.results = {target};
  result.operands = std::move(operands);
  return result;
}

// A load of one byte at a register.
cc::instruction load_at(int number) {
  cc::instruction result = make_instruction(opcode::access, 0, {reg(number)}, 64);
  result.results = {};
  result.memory.bytes = 1;
  return result;
}

cc::low_part known_of(std::vector<cc::code_block> blocks, int registers,
                      const cc::instruction& access) {
  cc::kernel_code kernel;
  kernel.blocks = std::move(blocks);
  kernel.registers = registers;
  const cc::shared_layout shared;
  return cc::known_alignment(kernel, shared).evaluate(access);
}

// The bits that are known of `operation` on the number of the thread and a constant.
int bits_of(opcode operation, std::uint64_t number) {
  const cc::instruction step = make_instruction(operation, 0, {thread, constant(number)}, 64);
  return known_of({{{step}}}, 1, load_at(0)).bits;
}

// ---- random programs ----

// Registers 0 to 3 are set before a loop and changed in it, 4 to 9 have one value each time.
constexpr int variables = 4, registers = 10;

std::uint64_t random_constant(std::mt19937_64& dice) {
  switch (dice() % 4) {
    case 0: return dice() % 5;
    case 1: return std::uint64_t{1} << dice() % 8;
    case 2: return (dice() % 64) << dice() % 8;
    default: return ~std::uint64_t{0} << dice() % 8;
  }
}

cc::instruction random_instruction(std::mt19937_64& dice, int target, int written) {
  constexpr opcode opcodes[] = {
      opcode::move,           opcode::add,
      opcode::subtract,       opcode::multiply,
      opcode::bit_and,        opcode::bit_or,
      opcode::bit_xor,        opcode::shift_left,
      opcode::select,         opcode::shift_right_signed,
      opcode::minimum_signed, opcode::shift_right_unsigned,
      opcode::maximum_signed, opcode::minimum_unsigned,
      opcode::extend_signed,  opcode::maximum_unsigned,
      opcode::reverse_bits,   opcode::extend_unsigned,
  };
  cc::instruction result =
      make_instruction(opcodes[dice() % std::size(opcodes)], target, {}, dice() % 2 == 0 ? 32 : 64);
  for (int number = 0; number < 3; ++number)
    result.operands.push_back(dice() % 3 == 0 ? constant(random_constant(dice))
                                              : reg(static_cast<int>(dice() % 1000)));
  for (cc::operand& operand : result.operands)
    if (operand.is == cc::operand::kind::reg) operand.value %= static_cast<std::uint64_t>(written);
  const bool shifts = result.operation == opcode::shift_left ||
                      result.operation == opcode::shift_right_signed ||
                      result.operation == opcode::shift_right_unsigned;
  if (shifts && dice() % 4 != 0) result.operands[1] = constant(dice() % (dice() % 4 == 0 ? 70 : 6));
  result.from_bits = static_cast<std::uint8_t>(8 << dice() % 3);
  if (result.operation == opcode::extend_signed || result.operation == opcode::extend_unsigned)
    result.bits = 64;
  return result;
}

using values = std::vector<std::uint64_t>;

void execute(const cc::instruction& step, std::uint64_t thread_x, values& state) {
  std::uint64_t numbers[4] = {};
  cc::lane_values sources[4];
  for (std::size_t number = 0; number < step.operands.size(); ++number) {
    const cc::operand& operand = step.operands[number];
    numbers[number] = operand.is == cc::operand::kind::reg       ? state[operand.value]
                      : operand.is == cc::operand::kind::special ? thread_x
                                                                 : operand.value;
  }
  for (std::size_t number = 0; number < 4; ++number) sources[number] = {&numbers[number], 0, 0};
  std::uint64_t& result = state[static_cast<std::size_t>(step.results[0])];
  if (step.operation == opcode::select)
    result = ((numbers[0] & 1) != 0 ? numbers[1] : numbers[2]) & cc::low_bits(step.bits);
  else
    REQUIRE(cc::compute_integers(step, sources, 1, &result) == 0);
}

}  // namespace

TEST_CASE("what is known of shifts, products, masks and sums") {
  CHECK(bits_of(opcode::shift_left, 3) == 3);
  CHECK(bits_of(opcode::shift_left, 70) == 4);  // no more than 16 bytes are asked for
  CHECK(bits_of(opcode::multiply, 24) == 3);
  CHECK(bits_of(opcode::bit_and, ~std::uint64_t{7}) == 3);
  CHECK(bits_of(opcode::bit_and, 0xfff0) == 4);
  CHECK(bits_of(opcode::bit_and, 6) == 1);
  CHECK(bits_of(opcode::add, 16) == 0);
  CHECK(bits_of(opcode::shift_right_unsigned, 2) == 0);
  // i = 8; do load[i] while (i += 24);
  const cc::code_block prologue = {{make_instruction(opcode::move, 0, {constant(8)})}};
  const auto loop = [](std::uint64_t step) {
    return cc::code_block{
        {load_at(0), make_instruction(opcode::add, 0, {reg(0), constant(step)}, 64)}};
  };
  CHECK(known_of({prologue, loop(24)}, 1, load_at(0)).bits == 3);
  CHECK(known_of({prologue, loop(4)}, 1, load_at(0)).bits == 2);
  CHECK(known_of({prologue, loop(3)}, 1, load_at(0)).bits == 0);
  // Bytes from an address that is known: 12 more than a multiple of 16.
  const cc::instruction sixteens =
      make_instruction(opcode::shift_left, 0, {thread, constant(4)}, 64);
  cc::instruction displaced = load_at(0);
  displaced.memory.offset = 28;
  const cc::low_part known = known_of({{{sixteens}}}, 1, displaced);
  CHECK((known.bits == 4 && known.value == 12));
  // What the machine demands is known: of vectors, and of types.
  cc::instruction vector = load_at(0);
  vector.memory.bytes = 4;
  vector.memory.elements = 2;
  const cc::instruction unknown = make_instruction(opcode::move, 0, {thread}, 64);
  CHECK(known_of({{{unknown}}}, 1, vector).bits == 3);
  vector.memory.alignment = 16;
  CHECK(known_of({{{unknown}}}, 1, vector).bits == 4);
}

TEST_CASE("addresses have the low bits that are known of them") {
  std::mt19937_64 dice(20261123);
  std::map<int, int> seen;
  for (int round = 0; round < 20000; ++round) {
    cc::code_block prologue, loop;
    for (int target = 0; target < variables; ++target)
      prologue.instructions.push_back(make_instruction(
          opcode::move, target, {dice() % 2 == 0 ? thread : constant(random_constant(dice))}, 64));
    for (int target = variables; target < registers; ++target)
      loop.instructions.push_back(random_instruction(dice, target, target));
    for (int remaining = static_cast<int>(dice() % 3); remaining > 0; --remaining)
      loop.instructions.push_back(
          random_instruction(dice, static_cast<int>(dice() % variables), registers));
    const auto address = static_cast<int>(dice() % registers);
    const cc::low_part known = known_of({prologue, loop}, registers, load_at(address));
    REQUIRE(known.bits <= 4);
    ++seen[known.bits];
    for (const std::uint64_t thread_x : {std::uint64_t{0}, std::uint64_t{5}, dice() % 1024}) {
      values state(registers);
      for (const cc::instruction& step : prologue.instructions) execute(step, thread_x, state);
      for (int trip = 0; trip < 3; ++trip) {
        for (const cc::instruction& step : loop.instructions) execute(step, thread_x, state);
        const std::uint64_t low =
            state[static_cast<std::size_t>(address)] & cc::low_bits(known.bits);
        INFO("program " << round << ", register " << address);
        REQUIRE(low == known.value);
      }
    }
  }
  for (int bits = 0; bits <= 4; ++bits) CHECK(seen[bits] > 100);
}
