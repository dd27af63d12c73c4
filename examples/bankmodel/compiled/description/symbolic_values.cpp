// SPDX-License-Identifier: MIT
#include "symbolic_values.hpp"

#include <algorithm>

namespace compiled {

namespace {

form signed_constant(std::uint64_t value, int bits) {
  return constant_form(static_cast<long long>(sign_extended(value, bits)));
}

bool is_condition(const value_pointer& value) {
  return value->is == symbolic_value::kind::condition;
}

}  // namespace

value_pointer unknown_value(const std::string& reason) {
  symbolic_value result;
  result.reason = reason;
  return std::make_shared<const symbolic_value>(std::move(result));
}

value_pointer number_value(const form& number, int bits) {
  symbolic_value result;
  result.is = symbolic_value::kind::number;
  result.number = number;
  result.bits = bits;
  return std::make_shared<const symbolic_value>(std::move(result));
}

value_pointer condition_value(const condition_pointer& truth) {
  if (truth->is == condition::kind::constant) return number_value(constant_form(truth->holds), 64);
  symbolic_value result;
  result.is = symbolic_value::kind::condition;
  result.truth = truth;
  return std::make_shared<const symbolic_value>(std::move(result));
}

bool are_equal(const value_pointer& left, const value_pointer& right) {
  if (left == right) return true;
  if (left == nullptr || right == nullptr || left->is != right->is) return false;
  switch (left->is) {
    case symbolic_value::kind::number:
      return left->number == right->number && left->bits == right->bits;
    case symbolic_value::kind::condition: return are_equal(left->truth, right->truth);
    default: return left->reason == right->reason;
  }
}

symbolic_evaluator::symbolic_evaluator(const kernel_analysis& analysis, const launch& settings,
                                       missing_arguments missing)
    : kernel_(analysis.kernel()),
      depends_on_block_(analysis.depends_on_block()),
      settings_(settings),
      origins_(kernel_),
      prepared_(analysis, settings, origins_, recorder_),
      missing_(missing) {
  if (missing == missing_arguments::are_symbols) forms_.believe_trips();
}

form symbolic_evaluator::thread_form(bm::variable axis, int size) {
  if (size == 1) return {};
  const int number =
      forms_.number_of({atom::kind::thread, static_cast<int>(axis), bm::operation::add, {}, {}});
  forms_.set_range(number, {0, size - 1});
  return atom_form(number);
}

// A number of the grid, which is `counted` in the counted block.
value_pointer symbolic_evaluator::grid_number(special quantity, long long counted,
                                              const value_range& range) {
  constexpr int bits = 32;
  if (!settings_.is_any_block) return number_value(constant_form(counted), 64);
  argument_symbol symbol;
  symbol.name = "special_" + std::to_string(static_cast<int>(quantity));
  symbol.parameter = -1;
  symbol.offset = -1 - static_cast<int>(quantity);  // no argument has it
  symbol.bytes = bits / 8;
  symbol.range = range;
  return symbol_value(symbol);
}

value_pointer symbolic_evaluator::special_value(special quantity) {
  const bm::block_dim& block = settings_.block;
  const int threads = block.x * block.y * block.z;
  const auto constant = [](long long value) { return number_value(constant_form(value), 64); };
  switch (quantity) {
    case special::thread_x: return number_value(thread_form(bm::variable::tx, block.x), 64);
    case special::thread_y: return number_value(thread_form(bm::variable::ty, block.y), 64);
    case special::thread_z: return number_value(thread_form(bm::variable::tz, block.z), 64);
    case special::block_x:
      return grid_number(quantity, settings_.grid_index.x, {0, most_of_symbol});
    case special::block_y:
      return grid_number(quantity, settings_.grid_index.y, {0, most_of_symbol});
    case special::block_z:
      return grid_number(quantity, settings_.grid_index.z, {0, most_of_symbol});
    case special::threads_x: return constant(block.x);
    case special::threads_y: return constant(block.y);
    case special::threads_z: return constant(block.z);
    case special::blocks_x: return grid_number(quantity, settings_.grid.x, {1, most_of_symbol});
    case special::blocks_y: return grid_number(quantity, settings_.grid.y, {1, most_of_symbol});
    case special::blocks_z: return grid_number(quantity, settings_.grid.z, {1, most_of_symbol});
    case special::lane:
      return number_value(thread_form(bm::variable::lane, std::min(threads, kernel_.lanes)), 64);
    case special::warp:
      return number_value(
          thread_form(bm::variable::warp, (threads + kernel_.lanes - 1) / kernel_.lanes), 64);
    case special::warp_size: return constant(kernel_.lanes);
    case special::dynamic_shared_bytes: return constant(settings_.dynamic_shared_bytes);
    default: return unknown_value("a mask of lanes");
  }
}

value_pointer symbolic_evaluator::value_of(const operand& source, const symbolic_state& state) {
  switch (source.is) {
    case operand::kind::reg: {
      const value_pointer& value = state[source.value];
      return value != nullptr ? value : unknown_value("a register that was never written");
    }
    case operand::kind::constant: return number_value(signed_constant(source.value, 64), 64);
    case operand::kind::special: return special_value(static_cast<special>(source.value));
    case operand::kind::shared_array:
      return number_value(
          constant_form(static_cast<long long>(shared_window + shared().first.at(source.value))),
          64);
    case operand::kind::global_array:
      return number_value(constant_form(static_cast<long long>(
                              global_base(kernel_.parameters.size() + source.value))),
                          64);
    case operand::kind::argument_bytes: {
      for (const int bytes : {8, 4, 2, 1}) {
        const tracked_bytes& arguments = prepared_.arguments();
        if (source.value + static_cast<unsigned>(bytes) > arguments.size()) continue;
        const tracked_bytes::content content = arguments.load(source.value, bytes);
        if (content.origin == no_origin)
          return number_value(signed_constant(content.value, 8 * bytes), 8 * bytes);
        if (bytes == 1) return missing_value(source.value, 0, content.origin);
      }
      return unknown_value("an argument that is not there");
    }
    default: return unknown_value("a value that was never set");
  }
}

value_pointer symbolic_evaluator::missing_value(std::uint64_t offset, int bytes, int origin) {
  const value_pointer unknown = unknown_value(origins_.text(origin));
  if (missing_ == missing_arguments::are_unknown) return unknown;
  const auto begin = static_cast<int>(offset);
  int exact = -1, enclosing = -1;  // one that begins here; one that it is a part of
  for (std::size_t number = 0; number < kernel_.parameters.size(); ++number) {
    const code_parameter& candidate = kernel_.parameters[number];
    if (candidate.offset == begin && candidate.bytes <= 8 &&
        (bytes == 0 || bytes <= candidate.bytes) &&
        (exact < 0 || candidate.bytes < kernel_.parameters[slot(exact)].bytes))
      exact = static_cast<int>(number);
    if (enclosing < 0 && candidate.offset <= begin && begin < candidate.offset + candidate.bytes)
      enclosing = static_cast<int>(number);
  }
  const int parameter = exact >= 0 ? exact : enclosing;
  if (parameter < 0 || (exact < 0 && bytes == 0)) return unknown;
  const code_parameter& declaration = kernel_.parameters[slot(parameter)];
  // A part of what may be a structure.
  const bool is_part = exact < 0 || (bytes != 0 && bytes < declaration.bytes &&
                                     declaration.holds != value_kind::integer);
  if (declaration.holds == value_kind::floating || declaration.is_pointer) return unknown;
  argument_symbol symbol;
  symbol.parameter = parameter;
  symbol.offset = begin;
  symbol.bytes = bytes == 0 || !is_part ? declaration.bytes : bytes;
  if (symbol.bytes > 8) return unknown;
  symbol.name = is_part ? declaration.name + "+" + std::to_string(begin - declaration.offset)
                        : declaration.name;
  symbol.range = {0, declaration.type == "bool" ? 1
                     : symbol.bytes >= 4        ? most_of_symbol
                                                : (1ll << (8 * symbol.bytes - 1)) - 1};
  if (const auto* const limits = range_of_argument(kernel_, settings_, symbol.name, parameter))
    symbol.range = {limits->first, limits->second};
  return symbol_value(symbol);
}

value_pointer symbolic_evaluator::symbol_value(const argument_symbol& symbol) {
  auto same = std::ranges::find_if(symbols_, [&](const argument_symbol& known) {
    return known.offset == symbol.offset && known.bytes == symbol.bytes;
  });
  if (same == symbols_.end()) same = symbols_.insert(symbols_.end(), symbol);
  const int number = forms_.number_of({atom::kind::argument,
                                       static_cast<int>(same - symbols_.begin()),
                                       bm::operation::add,
                                       {},
                                       {}});
  forms_.set_range(number, same->range);
  return number_value(atom_form(number), 8 * symbol.bytes);
}

form symbolic_evaluator::number_of(const operand& source, const symbolic_state& state, int bits) {
  const value_pointer value = value_of(source, state);
  if (value->is == symbolic_value::kind::unknown) throw inexpressible{value->reason};
  if (value->is == symbolic_value::kind::condition)
    throw inexpressible{"a number that a condition decides"};
  const form& number = value->number;
  // A constant is the same number in fewer bits, with another sign.
  if (number.is_constant() && bits <= value->bits)
    return signed_constant(static_cast<std::uint64_t>(number.constant), bits);
  // More bits than were computed: the others are 0.
  if (bits > value->bits && !forms_.fits(number, value->bits, false)) {
    if (number.is_constant())
      return constant_form(static_cast<long long>(static_cast<std::uint64_t>(number.constant) &
                                                  low_bits(value->bits)));
    throw inexpressible{"a value that may wrap around"};
  }
  return number;
}

form symbolic_evaluator::exact_number(const operand& source, const symbolic_state& state, int bits,
                                      bool is_signed) {
  const form number = number_of(source, state, bits);
  if (forms_.fits(number, bits, is_signed)) return number;
  if (number.is_constant() && bits < 63) {
    const std::uint64_t residue = static_cast<std::uint64_t>(number.constant) & low_bits(bits);
    return is_signed ? signed_constant(residue, bits)
                     : constant_form(static_cast<long long>(residue));
  }
  // Fewer bits than the number has: what is above them is cut off.
  if (!is_signed && bits < 62 && forms_.is_never_negative(number))
    return forms_.computed(bm::operation::remainder, number, constant_form(1ll << bits));
  throw inexpressible{"a value that may wrap around"};
}

condition_pointer symbolic_evaluator::condition_of(const operand& source,
                                                   const symbolic_state& state) {
  const value_pointer value = value_of(source, state);
  if (is_condition(value)) return value->truth;
  if (value->is == symbolic_value::kind::unknown) throw inexpressible{value->reason};
  if (value->number.is_constant()) return constant_condition((value->number.constant & 1) != 0);
  condition raw;
  raw.relation = bm::operation::not_equal;
  raw.left = forms_.computed(bm::operation::bit_and, value->number, constant_form(1));
  return compared(forms_, raw);
}

condition_pointer symbolic_evaluator::guard_of(const instruction& code,
                                               const symbolic_state& state) {
  if (code.guard < 0) return constant_condition(true);
  const condition_pointer guard =
      condition_of({operand::kind::reg, static_cast<std::uint64_t>(code.guard)}, state);
  return code.guard_is_negated ? opposite(guard) : guard;
}

void symbolic_evaluator::execute(const instruction& code, symbolic_state& state) {
  if (code.results.empty()) return;
  value_pointer result;
  try {
    const condition_pointer guard = guard_of(code, state);
    if (guard->is != condition::kind::constant)
      throw inexpressible{"a value that is written under a condition"};
    if (!guard->holds) return;
    result = result_of(code, state);
  } catch (const inexpressible& error) {
    result = unknown_value(error.reason);
  }
  for (const int target : code.results) state[slot(target)] = result;
}

}  // namespace compiled
