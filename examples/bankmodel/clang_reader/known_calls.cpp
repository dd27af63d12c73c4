// SPDX-License-Identifier: MIT
// Functions whose results are computed: of integers, of numbers, and special registers.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "../compiled/code/special_names.hpp"
#include "translation.hpp"

namespace compiled {

namespace {

struct integer_function {
  std::string_view name;  // a name that ends with a point is the beginning of one
  opcode operation;
  unsigned arguments;
};
constexpr integer_function integer_functions[] = {
    {"llvm.ctpop.", opcode::count_ones, 1},
    {"llvm.ctlz.", opcode::count_leading_zeros, 1},
    {"llvm.bitreverse.", opcode::reverse_bits, 1},
    {"llvm.umin.", opcode::minimum_unsigned, 2},
    {"llvm.umax.", opcode::maximum_unsigned, 2},
    {"llvm.smin.", opcode::minimum_signed, 2},
    {"llvm.smax.", opcode::maximum_signed, 2},
    {"llvm.expect.", opcode::move, 1},
    {"__bankmodel_leading_zeros_32", opcode::count_leading_zeros, 1},
    {"__bankmodel_leading_zeros_64", opcode::count_leading_zeros, 1},
    {"__bankmodel_permute", opcode::permute, 3},
    {"__bankmodel_funnel_left", opcode::funnel_left, 3},
    {"__bankmodel_funnel_right", opcode::funnel_right, 3},
    {"llvm.nvvm.prmt", opcode::permute, 3},
    {"llvm.nvvm.mulhi.i", opcode::multiply_high_signed, 2},
    {"llvm.nvvm.mulhi.ui", opcode::multiply_high_unsigned, 2},
    {"llvm.nvvm.mulhi.ll", opcode::multiply_high_signed, 2},
    {"llvm.nvvm.mulhi.ull", opcode::multiply_high_unsigned, 2},
};

struct float_function {
  std::string_view name;
  floating_operation operation;
  unsigned arguments;
};
constexpr float_function float_functions[] = {
    {"sqrt", floating_operation::square_root, 1},
    {"floor", floating_operation::floor, 1},
    {"ceil", floating_operation::ceiling, 1},
    {"trunc", floating_operation::truncate, 1},
    {"rint", floating_operation::nearest, 1},
    {"nearbyint", floating_operation::nearest, 1},
    {"fabs", floating_operation::absolute, 1},
    {"fmin", floating_operation::minimum, 2},
    {"fmax", floating_operation::maximum, 2},
    {"minnum", floating_operation::minimum, 2},
    {"maxnum", floating_operation::maximum, 2},
    {"fma", floating_operation::fused, 3},
    {"fmuladd", floating_operation::fused, 3},
    {"round", floating_operation::round, 1},
    {"fmod", floating_operation::truncated_remainder, 2},
    {"remainder", floating_operation::nearest_remainder, 2},
    {"copysign", floating_operation::copy_sign, 2},
    {"log2", floating_operation::logarithm, 1},
    {"__fdividef", floating_operation::fast_quotient, 2},
    {"fast_fdividef", floating_operation::fast_quotient, 2},  // __nv_fast_fdividef
};

// The names of special values: __bankmodel_special_lane, llvm.nvvm.read.ptx.sreg.lanemask.eq and
// llvm.amdgcn.workitem.id.x.
bool is_call_of(std::string_view name, const special_name& known) {
  const auto is_behind = [&](std::string_view prefix, std::string_view rest) {
    return !rest.empty() && name.starts_with(prefix) && name.substr(prefix.size()) == rest;
  };
  std::string ptx(known.ptx.substr(1));
  std::ranges::replace(ptx, '_', '.');
  if (known.value == special::warp_size) ptx = "warpsize";
  if (known.value == special::dynamic_shared_bytes) ptx = "";
  return is_behind("__bankmodel_special_", known.prelude) ||
         is_behind("llvm.nvvm.read.ptx.sreg.", ptx) || is_behind("llvm.amdgcn.", known.amd);
}

// Which memory a pointer points to: the windows of addresses as PTX's isspacep asks for them.
struct memory_question {
  std::string_view name;
  std::uint64_t mask, window;
};
constexpr memory_question memory_questions[] = {
    {"llvm.nvvm.isspacep.shared", window_mask | block_mask, shared_window},
    {"llvm.nvvm.isspacep.global", window_mask, 0},
    {"llvm.nvvm.isspacep.local", window_mask, local_window},
    {"__isShared", window_mask | block_mask, shared_window},
    {"__isGlobal", window_mask, 0},
    {"__isLocal", window_mask, local_window},
};

bool is_called(std::string_view name, std::string_view pattern) {
  return pattern.back() == '.' ? name.substr(0, pattern.size()) == pattern : name == pattern;
}

// sqrtf, llvm.sqrt.f32 and __nv_sqrtf are sqrt.
std::string_view plain_name(std::string_view name) {
  if (name.substr(0, 5) == "llvm.") {
    name.remove_prefix(5);
    return name.substr(0, name.find('.'));
  }
  if (name.substr(0, 5) == "__nv_") name.remove_prefix(5);
  if (name == "__fdividef" || name == "fast_fdividef") return name;
  if (name.size() > 2 && name.back() == 'f') name.remove_suffix(1);
  return name;
}

}  // namespace

// The position of the lowest bit that is 1: how many bits are below it. The width if all are 0.
operand translation::lowest_bit(operand value, int bits) {
  const operand decremented = computed(opcode::subtract, bits, {value, constant(1)});
  const operand complement = computed(opcode::bit_xor, bits, {value, constant(~0ull)});
  return computed(opcode::count_ones, bits,
                  {computed(opcode::bit_and, bits, {decremented, complement})});
}

bool translation::add_integer_call(std::string_view name, const llvm::CallBase& call) {
  for (const special_name& known : special_names)
    if (is_call_of(name, known)) {
      set(call, {{operand::kind::special, static_cast<std::uint64_t>(known.value)}});
      return true;
    }
  const std::vector<int> widths = widths_of(call.getType());
  const auto argument_values = [&](unsigned position) {
    return values_of(call.getArgOperand(position));
  };
  for (const integer_function& function : integer_functions) {
    if (!is_called(name, function.name)) continue;
    operands results;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      std::vector<operand> sources;
      for (unsigned number = 0; number < function.arguments; ++number)
        sources.push_back(argument_values(number)[i]);
      results.push_back(computed(function.operation, widths[i], std::move(sources)));
    }
    set(call, results);
    return true;
  }
  if (add_overflow_call(name, call)) return true;
  if (widths.size() != 1) return false;
  for (const memory_question& asked : memory_questions) {
    if (name != asked.name) continue;
    const operand window =
        computed(opcode::bit_and, 64, {value_of(call.getArgOperand(0)), constant(asked.mask)});
    set(call, {computed(opcode::equal, 64, {window, constant(asked.window)})});
    return true;
  }
  const int bits = widths.front();
  const auto argument = [&](unsigned number) { return value_of(call.getArgOperand(number)); };
  const bool left = is_called(name, "llvm.fshl.");
  if (left || is_called(name, "llvm.fshr.")) {  // high, low, by
    set(call, {computed(left ? opcode::funnel_left : opcode::funnel_right, bits,
                        {argument(1), argument(0), argument(2)})});
    return true;
  }
  if (is_called(name, "llvm.abs.") || name == "abs" || name == "labs" || name == "llabs") {
    const operand negative = computed(opcode::subtract, bits, {constant(0), argument(0)});
    set(call, {computed(opcode::maximum_signed, bits, {argument(0), negative})});
    return true;
  }
  if (is_called(name, "llvm.cttz.")) {
    set(call, {lowest_bit(argument(0), bits)});
    return true;
  }
  if (is_called(name, "llvm.bswap.") && bits == 32) {
    set(call, {computed(opcode::permute, 32, {argument(0), constant(0), constant(0x0123)})});
    return true;
  }
  return false;
}

// lrintf(x), and llround(x) of double: a rounding, then the integer.
bool translation::add_rounding_call(std::string_view name, const llvm::CallBase& call) {
  constexpr std::pair<std::string_view, floating_operation> roundings[] = {
      {"lrint", floating_operation::nearest},
      {"llrint", floating_operation::nearest},
      {"lround", floating_operation::round},
      {"llround", floating_operation::round}};
  if (!call.getType()->isIntegerTy()) return false;
  const std::string_view plain = plain_name(name);
  for (const auto& [rounding, operation] : roundings) {
    if (plain != rounding) continue;
    const int bits = widths_of(call.getType()).front();
    const int number_bits = widths_of(call.getArgOperand(0)->getType()).front();
    const operand rounded = floating(operation, number_bits, {value_of(call.getArgOperand(0))});
    set(call, {floating(floating_operation::to_signed, bits, {rounded}, number_bits)});
    return true;
  }
  return false;
}

// What LLVM makes of comparisons that ask whether a result has more bits than its operands:
// llvm.umul.with.overflow.i32 has the result and whether it has, llvm.uadd.sat.i32 the nearest
// number that has not.
bool translation::add_overflow_call(std::string_view name, const llvm::CallBase& call) {
  constexpr std::string_view family = "llvm.";
  if (name.substr(0, family.size()) != family || name.size() < 12) return false;
  const bool is_signed = name[5] == 's';
  const std::string_view operation = name.substr(6, 3), rest = name.substr(9);
  const bool saturates = rest.substr(0, 5) == ".sat.";
  if ((name[5] != 'u' && !is_signed) || (!saturates && rest.substr(0, 15) != ".with.overflow.") ||
      (operation != "add" && operation != "sub" && operation != "mul") ||
      (saturates && operation == "mul"))
    return false;
  const std::vector<int> widths = widths_of(call.getType());
  if (widths.size() != (saturates ? 1 : 2)) return false;  // of vectors: not modelled
  const int bits = widths.front();
  const operand a = value_of(call.getArgOperand(0)), b = value_of(call.getArgOperand(1));
  const auto is_negative = [&](operand value) {
    return computed(opcode::less_signed, bits, {value, constant(0)});
  };
  operand result, has_more;
  if (operation == "mul") {
    result = computed(opcode::multiply, bits, {a, b});
    const operand high = computed(
        is_signed ? opcode::multiply_high_signed : opcode::multiply_high_unsigned, bits, {a, b});
    const operand sign = is_signed
                             ? computed(opcode::shift_right_signed, bits,
                                        {result, constant(static_cast<std::uint64_t>(bits - 1))})
                             : constant(0);
    has_more = computed(opcode::not_equal, bits, {high, sign});
  } else {
    const bool adds = operation == "add";
    result = computed(adds ? opcode::add : opcode::subtract, bits, {a, b});
    if (is_signed) {  // the signs of a and b, or of a and -b, are not that of the result
      const operand from_a = computed(opcode::bit_xor, bits, {a, result});
      const operand from_b = computed(opcode::bit_xor, bits, {adds ? b : a, adds ? result : b});
      has_more = is_negative(computed(opcode::bit_and, bits, {from_a, from_b}));
    } else {
      has_more = computed(opcode::less_unsigned, bits, {adds ? result : a, adds ? a : b});
    }
  }
  if (!saturates) {
    set(call, {result, has_more});
    return true;
  }
  const auto ones = llvm::maskTrailingOnes<std::uint64_t>(static_cast<unsigned>(bits));
  const std::uint64_t highest = ones >> 1;
  const operand nearest =
      !is_signed ? constant(operation == "add" ? ones : 0)
                 : computed(opcode::select, bits,
                            {is_negative(a), constant(highest + 1), constant(highest)});
  set(call, {computed(opcode::select, bits, {has_more, nearest, result})});
  return true;
}

bool translation::add_float_call(std::string_view name, const llvm::CallBase& call) {
  if (add_rounding_call(name, call)) return true;
  if (!call.getType()->isFPOrFPVectorTy()) return false;
  const std::string_view plain = plain_name(name);
  const auto* const function = std::ranges::find(float_functions, plain, &float_function::name);
  if (function == std::end(float_functions) || call.arg_size() < function->arguments) return false;
  const std::vector<int> widths = widths_of(call.getType());
  operands results;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    std::vector<operand> sources;
    for (unsigned number = 0; number < function->arguments; ++number)
      sources.push_back(values_of(call.getArgOperand(number))[i]);
    results.push_back(floating(function->operation, widths[i], std::move(sources)));
  }
  set(call, results);
  return true;
}

}  // namespace compiled
