// SPDX-License-Identifier: MIT
#include "instruction_counts.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "control_flow.hpp"

namespace compiled {

namespace {

// The instruction's or function's name, as readers describe it: `inline assembly "ex2.approx.f32"`.
std::string_view name_of(const instruction& code) {
  std::string_view result = code.description;
  if (const std::size_t quote = result.find('"'); quote != result.npos)
    result = result.substr(quote + 1, result.rfind('"') - quote - 1);
  return result;
}

// PTX's approximations, and the functions of CUDA that compilers make from one.
bool is_special_function(std::string_view name) {
  constexpr std::string_view instructions[] = {"ex2.approx", "lg2.approx",  "sin.approx",
                                               "cos.approx", "tanh.approx", "rsqrt.approx"};
  constexpr std::string_view functions[] = {"__expf()",  "__exp10f()", "__logf()",
                                            "__log2f()", "__log10f()", "__sinf()",
                                            "__cosf()",  "__powf()",   "rsqrtf()"};
  return std::ranges::find(functions, name) != std::end(functions) ||
         std::ranges::any_of(instructions, [&](std::string_view instruction) {
           return name.starts_with(instruction) && name.find(".f16") == name.npos &&
                  name.find(".bf16") == name.npos;
         });
}

// The part of "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" from `first` on, to the next dot.
std::string_view part_from(std::string_view name, std::size_t first) {
  return name.substr(first, name.find('.', first) - first);
}

// m16n8k16: 2048; 0 if it is no shape.
std::uint64_t multiply_adds_of(std::string_view shape) {
  std::uint64_t result = 1;
  for (const char side : {'m', 'n', 'k'}) {
    if (!shape.starts_with(side)) return 0;
    std::uint64_t length = 0;
    const auto [end, error] =
        std::from_chars(shape.data() + 1, shape.data() + shape.size(), length);
    if (error != std::errc()) return 0;
    result *= length;
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
  }
  return shape.empty() ? result : 0;
}

// Bits of the type of a number in a matrix; 0 of those that have rates of their own.
std::uint64_t bits_of(std::string_view type) {
  struct known_type {
    std::string_view name;
    std::uint64_t bits;
  };
  constexpr known_type known[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"s8", 8}, {"u8", 8},
                                  {"e4m3", 8}, {"e5m2", 8},  {"s4", 4},    {"u4", 4}};
  const auto entry = std::ranges::find(known, type, &known_type::name);
  return entry == std::end(known) ? 0 : entry->bits;
}

// mma.sync.aligned.SHAPE.row.col.D.A.B.C, wmma.mma.sync.aligned.row.col.SHAPE.D.A.B.C (or .D.C of
// halves), wgmma.mma_async.sync.aligned.SHAPE.D.A.B, of which four warps have a quarter each.
void add_matrices(const instruction& code, instruction_counts& result) {
  const std::string_view name = name_of(code);
  const bool is_of_group = name.starts_with("wgmma.mma_async");
  if (!is_of_group && !name.starts_with("mma.") && !name.starts_with("wmma.mma.")) return;
  ++result.matrices;
  std::uint64_t products = 0;
  std::size_t types = 0;
  std::uint64_t bits = 0;
  for (std::size_t first = 0; first < name.size(); first += part_from(name, first).size() + 1) {
    const std::string_view part = part_from(name, first);
    if (products == 0) {
      products = multiply_adds_of(part);
      continue;
    }
    if (part == "row" || part == "col" || part == "satfinite") continue;
    if (++types == 2) bits = bits_of(part);
  }
  // D and C alone: the numbers of A and B are halves.
  if (name.starts_with("wmma") && types == 2) bits = 16;
  // Half of the first matrix of a sparse product is there.
  if (name.find(".sp") != name.npos) products /= 2;
  result.matrix_bits += products * bits / (is_of_group ? 4 : 1);
}

}  // namespace

void instruction_counts::add(const instruction_counts& other, std::uint64_t times) {
  floats += other.floats * times;
  doubles += other.doubles * times;
  special_functions += other.special_functions * times;
  matrices += other.matrices * times;
  matrix_bits += other.matrix_bits * times;
}

instruction_counts fewest_instructions(const code_block& block) {
  instruction_counts result;
  struct sums_and_products {
    std::uint64_t sums = 0, products = 0, fused = 0;
    std::uint64_t fewest() const { return fused + std::max(sums, products); }
  };
  sums_and_products floats, doubles;
  for (const instruction& code : block.instructions) {
    if (code.guard >= 0 || code.is_doubt) continue;
    if (code.operation == opcode::unknown) {
      if (is_special_function(name_of(code))) ++result.special_functions;
      add_matrices(code, result);
    }
    if (code.operation != opcode::floating || (code.bits != 32 && code.bits != 64)) continue;
    sums_and_products& numbers = code.bits == 32 ? floats : doubles;
    switch (code.floating) {
      case floating_operation::add:
      case floating_operation::subtract: ++numbers.sums; break;
      case floating_operation::multiply: ++numbers.products; break;
      case floating_operation::fused: ++numbers.fused; break;
      default: break;
    }
  }
  result.floats = floats.fewest();
  result.doubles = doubles.fewest();
  return result;
}

std::vector<std::uint64_t> counted_instructions(const kernel_code& kernel) {
  std::vector<bool> is_over(kernel.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t number = kernel.blocks.size(); number-- > 0;) {
      const code_block& block = kernel.blocks[number];
      const bool does_something =
          std::ranges::any_of(block.instructions, [](const instruction& code) {
            return code.operation == opcode::access || code.operation == opcode::barrier ||
                   code.operation == opcode::warp_sync ||
                   (code.operation == opcode::unknown &&
                    (code.may_access_shared || code.may_access_global));
          });
      const bool ends = std::ranges::all_of(
          successors(block), [&](int next) { return static_cast<bool>(is_over[slot(next)]); });
      if (is_over[number] || does_something || !ends) continue;
      is_over[number] = changed = true;
    }
  }
  std::vector<std::uint64_t> result;
  for (std::size_t number = 0; number < kernel.blocks.size(); ++number)
    result.push_back(
        is_over[number] ? 0 : static_cast<std::uint64_t>(kernel.blocks[number].read_instructions));
  return result;
}

}  // namespace compiled
