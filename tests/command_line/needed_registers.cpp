// SPDX-License-Identifier: MIT
// The engine leaves out what decides about no address: the same requests, notes and reasons as of
// the same kernel at whose end an instruction reads all registers.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/engine/needed_registers.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

namespace cc = compiled;

namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "ptx" / name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Each register decides about something before each thread ends.
cc::kernel_code with_all_needed(cc::kernel_code kernel) {
  cc::instruction reads;
  reads.operation = cc::opcode::warp_sync;
  for (int number = 0; number < kernel.registers; ++number)
    reads.operands.push_back({cc::operand::kind::reg, static_cast<std::uint64_t>(number)});
  reads.operands.push_back({cc::operand::kind::constant, 0});  // for no lane
  for (cc::code_block& block : kernel.blocks)
    if (!block.instructions.empty() && block.instructions.back().operation == cc::opcode::leave)
      block.instructions.insert(block.instructions.end() - 1, reads);
  return kernel;
}

std::string written(const cc::recording& recorded) {
  std::ostringstream stream;
  for (const cc::recorded_access& access : recorded.accesses) {
    stream << access.number << ' ' << access.is_global << ' ' << access.array << ' '
           << access.requests << ' ' << access.is_partial << ' ' << access.reason << ' '
           << access.alignment << ' ' << access.remainder;
    const auto add = [&](const cc::recorded_class& requests) {
      stream << "\n  " << requests.lanes.active << ' ' << requests.lanes.bytes;
      for (const long long address : requests.lanes.address) stream << ' ' << address;
      for (const auto& [base, times] : requests.times) stream << ' ' << base << 'x' << times;
    };
    for (const cc::recorded_class& exact : access.classes) add(exact);
    for (const cc::bounded_class& bounded : access.bounded) add(bounded.requests);
    for (const cc::near_access& neighbour : access.neighbours)
      stream << " near " << neighbour.access << neighbour.distance;
    stream << '\n';
  }
  for (const std::string& note : recorded.notes) stream << note << '\n';
  return stream.str();
}

// The requests, or why there are none.
std::string outcome(const cc::kernel_code& kernel, const cc::launch& options) {
  try {
    return written(cc::run(kernel, options));
  } catch (const cc::cannot_run& error) {
    return error.what();
  }
}

int compared = 0, counted = 0, left_out = 0;

void compare(const std::string& text) {
  for (const cc::kernel_code& kernel : cc::read_ptx(text)) {
    const cc::needed_values needed = cc::needed_registers(kernel, cc::needed_for::requests);
    for (const cc::code_block& block : kernel.blocks)
      for (const cc::instruction& operation : block.instructions)
        left_out += cc::is_without_effect(operation, needed) ? 1 : 0;
    for (const bool bounds : {false, true}) {
      cc::launch options;
      options.block = {16, 8};
      options.dynamic_shared_bytes = 4096;
      options.bounds = bounds;
      options.most_steps = 50'000;
      options.arguments = {{"p1", 64}, {"p2", 64}, {"p3", 3}};
      for (auto argument = options.arguments.begin(); argument != options.arguments.end();)
        argument = kernel.parameters.size() > static_cast<std::size_t>(argument->first[1] - '0')
                       ? std::next(argument)
                       : options.arguments.erase(argument);
      const std::string result = outcome(kernel, options),
                        expected = outcome(with_all_needed(kernel), options);
      // It has further instructions, and so more steps; and accesses to local memory, which may be
      // wrong.
      if (expected.find("takes more than") != std::string::npos ||
          expected.find("outside its local variables") != std::string::npos)
        continue;
      CHECK(result == expected);
      ++compared;
      counted += result.find("\n  ") != std::string::npos ? 1 : 0;
    }
  }
}

// Other operands of the same kind: what was computed for nothing may decide about addresses.
void compare_near(const std::string& original, std::mt19937& dice) {
  for (int round = 0; round < 40; ++round) {
    std::string changed = original;
    for (int times = 0; times < 4; ++times) {
      const std::size_t position = changed.find("%r", dice() % changed.size());
      if (position == changed.npos || position + 3 >= changed.size()) continue;
      char& digit = changed[position + 2];
      if (digit >= '1' && digit <= '9') digit = static_cast<char>('1' + dice() % 9);
    }
    try {
      compare(changed);
    } catch (const cc::ptx_error&) {
    }
  }
}

TEST_CASE("kernels that nvcc compiled, and texts near them") {
  for (const std::string name : {"blocks.ptx", "tiles.ptx"}) {
    const std::string original = text_of(name);
    compare(original);
    std::mt19937 dice(16);
    compare_near(original, dice);
  }
  CHECK(compared > 200);
  CHECK(counted > compared / 4);
  CHECK(left_out > 1000);
}

// An array of a thread's own, of which an element may become an index.
std::string with_local_array(const std::string& used) {
  return ".version 7.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 a[1024];\n"
         ".visible .entry k(.param .u64 out)\n{\n.local .align 4 .b8 own[64];\n"
         ".reg .b32 %r<10>;\n.reg .pred %p<2>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n"
         "mov.u32 %r3, own;\nmov.u32 %r7, a;\nfill:\nmul.lo.s32 %r4, %r2, 3;\n"
         "st.local.u32 [%r3], %r4;\nadd.s32 %r3, %r3, 4;\nadd.s32 %r2, %r2, 1;\n"
         "setp.lt.u32 %p1, %r2, 16;\n@%p1 bra fill;\nand.b32 %r5, %r1, 15;\n"
         "shl.b32 %r5, %r5, 2;\nmov.u32 %r6, own;\nadd.s32 %r5, %r5, %r6;\n"
         "ld.local.u32 %r6, [%r5];\nshl.b32 %r8, %r1, 2;\nadd.s32 %r8, %r7, %r8;\n" +
         used + "\nret;\n}\n";
}
constexpr char stored[] = "st.shared.u32 [%r8], %r6;",
               index[] = "shl.b32 %r6, %r6, 2; add.s32 %r6, %r6, %r7; st.shared.u32 [%r6], %r1;";

TEST_CASE("values that pass through local memory are needed only if they come back") {
  const auto left_out_of = [](const std::string& used) {
    const cc::kernel_code kernel = cc::read_ptx(with_local_array(used))[0];
    const cc::needed_values needed = cc::needed_registers(kernel, cc::needed_for::requests);
    int count = 0;
    for (const cc::code_block& block : kernel.blocks)
      for (const cc::instruction& operation : block.instructions)
        count += cc::is_without_effect(operation, needed) ? 1 : 0;
    return count;
  };
  CHECK(left_out_of(stored) == 9);
  CHECK(left_out_of(index) == 2);  // the address that it does not use
  compared = counted = left_out = 0;
  std::mt19937 dice(17);
  for (const char* const used : {stored, index}) {
    compare(with_local_array(used));
    for (int times = 0; times < 4; ++times) compare_near(with_local_array(used), dice);
  }
  CHECK(compared > 400);
  CHECK(counted > compared / 8);
  CHECK(left_out > 500);
}

TEST_CASE("values that pass through shared memory are needed only if they come back") {
  const auto left_out_of = [](const std::string& last) {
    const std::string text =
        ".version 7.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 a[1024];\n"
        ".visible .entry k()\n{\n.reg .b32 %r<9>;\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n"
        "mov.u32 %r3, a;\nadd.s32 %r2, %r2, %r3;\nmul.lo.s32 %r4, %r1, 3;\n"
        "st.shared.u32 [%r2], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [%r2];\n" +
        last + "\nret;\n}\n";
    const cc::kernel_code kernel = cc::read_ptx(text)[0];
    const cc::needed_values needed = cc::needed_registers(kernel, cc::needed_for::requests);
    int count = 0;
    for (const cc::instruction& operation : kernel.blocks[0].instructions)
      count += cc::is_without_effect(operation, needed) ? 1 : 0;
    return count;
  };
  CHECK(left_out_of("add.s32 %r6, %r5, 1;") == 2);
  CHECK(left_out_of("and.b32 %r6, %r5, 60; add.s32 %r6, %r6, %r3; ld.shared.u32 %r7, [%r6];") == 0);
}

}  // namespace
