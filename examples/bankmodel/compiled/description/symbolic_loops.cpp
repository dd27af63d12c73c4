// SPDX-License-Identifier: MIT
// Loops: what registers have in each iteration, and how often a loop runs.
//
// A loop is run twice. First its registers have names of their own, so that the end of an iteration
// says how each changes; then they have their values as expressions of the number of iterations.
#include <algorithm>
#include <bit>
#include <set>

#include "symbolic_run.hpp"

namespace compiled {

namespace {

using bm::operation;

constexpr char changes[] = "a value that changes in the loop in another way than by steps";

bool is_number(const value_pointer& value) {
  return value != nullptr && value->is == symbolic_value::kind::number;
}

long long rounded_up(long long value, long long step) { return (value + step - 1) / step; }

condition_pointer replaced_as_written(form_table& forms, const condition_pointer& clause,
                                      const form_table::replacement& replacements) {
  condition result = *clause;
  result.left = forms.replaced(clause->left, replacements);
  result.right = forms.replaced(clause->right, replacements);
  for (condition_pointer& part : result.parts)
    part = replaced_as_written(forms, part, replacements);
  return std::make_shared<const condition>(std::move(result));
}

// k if the value is 2^k.
std::optional<int> exponent(long long value) {
  if (value < 2 || (value & (value - 1)) != 0) return {};
  return std::countr_zero(static_cast<std::uint64_t>(value));
}

// Registers.
std::set<int> written_in(const kernel_code& kernel, const natural_loop& loop) {
  std::set<int> result;
  for (std::size_t block = 0; block < loop.has.size(); ++block)
    if (loop.has[block])
      for (const instruction& code : kernel.blocks[block].instructions)
        result.insert(code.results.begin(), code.results.end());
  return result;
}

}  // namespace

void symbolic_run::run_loop(int loop) {
  const natural_loop& region = structure_.loops[slot(loop)];
  counted_loop& counted = counted_[slot(loop)];
  const int trip = counted.trip;
  symbolic_state entry;
  join(region.header, loop, entry, entries_[slot(loop)]);
  counted = {};
  counted.trip = trip;
  counted.reason = changes;

  const std::set<int> written = written_in(kernel_, region);
  const auto carried = [&](int reg) {
    return forms().number_of(
        {atom::kind::carried, loop * kernel_.registers + reg, operation::add, {}, {}});
  };
  symbolic_state& header = header_[slot(loop)];
  header = entry;
  for (const int reg : written)
    if (entry[slot(reg)] != nullptr) header[slot(reg)] = number_value(atom_form(carried(reg)), 64);
  run_blocks(loop);

  form_table::replacement replaced;
  for (const int reg : written) {
    if (entry[slot(reg)] == nullptr) continue;
    value_pointer latch;
    for (const int latch_block : region.latches) {
      const value_pointer& value = results_[slot(latch_block)].state[slot(reg)];
      if (is_dead_edge(latch_block, region.header)) continue;
      latch = latch == nullptr || (value != nullptr && are_equal(latch, value))
                  ? value
                  : unknown_value(changes);
    }
    header[slot(reg)] = at_start(loop, entry[slot(reg)], latch, carried(reg));
    if (is_number(header[slot(reg)])) replaced[carried(reg)] = header[slot(reg)]->number;
  }
  count(loop, replaced);
  run_blocks(loop);
}

value_pointer symbolic_run::at_start(int loop, const value_pointer& entry,
                                     const value_pointer& latch, int carried) {
  if (latch == nullptr) return entry;  // no iteration follows another
  const auto is_of_loop = [&](int number) {
    const atom& term = forms()[number];
    return term.is == atom::kind::carried ? term.number / kernel_.registers == loop
                                          : number == counted_[slot(loop)].trip;
  };
  if (is_number(latch) && latch->number == atom_form(carried)) return entry;
  if (are_equal(entry, latch)) return entry;
  if (!is_number(entry) || !is_number(latch)) return unknown_value(changes);
  if (latch->number == entry->number && !forms().has(latch->number, is_of_loop)) return entry;
  try {
    const int bits = std::min(entry->bits, latch->bits);
    form first = entry->number;
    // A register of 32 bits that begins with -8 may have been given 4,294,967,288.
    if (first.is_constant())
      first.constant =
          static_cast<long long>(sign_extended(static_cast<std::uint64_t>(first.constant), bits));
    return number_value(advanced(loop, first, latch->number, carried), bits);
  } catch (const inexpressible&) {
    return unknown_value(changes);
  }
}

// The register in iteration `trip`, if it is `entry` in the first one and each makes `latch` of
// the register as atom `carried`.
form symbolic_run::advanced(int loop, const form& entry, const form& latch, int carried) {
  const form trip = atom_form(counted_[slot(loop)].trip);
  const auto changes_inside = [&](int number) {
    const atom& term = forms()[number];
    if (term.is == atom::kind::carried) return term.number / kernel_.registers == loop;
    if (term.is != atom::kind::trip) return false;
    const auto inner = slot(structure_.loops[slot(term.number)].header);
    return static_cast<bool>(structure_.loops[slot(loop)].has[inner]);
  };
  const long long factor = latch.factor(carried);
  const form added = latch - atom_form(carried) * factor;
  const auto alternating = [&](const form& other) {
    const form is_odd = forms().of_operation(operation::remainder, trip, constant_form(2));
    return entry + forms().computed(operation::multiply, is_odd, other - entry);
  };
  if (!forms().has(added, changes_inside)) {
    if (factor == 1) return entry + forms().computed(operation::multiply, trip, added);
    if (factor == -1) return alternating(added - entry);
    if (const auto shift = exponent(factor); shift && added == form{} && entry.is_constant())
      return forms().of_operation(operation::shift_left, entry, trip * *shift);
  }
  if (factor != 0 || latch.factors.size() != 1 || latch.constant != 0 ||
      latch.factors.begin()->second != 1)
    throw inexpressible{changes};
  const atom update = forms()[latch.factors.begin()->first];
  if (update.is != atom::kind::operation || update.left != atom_form(carried) ||
      !update.right.is_constant() || !forms().is_never_negative(entry))
    throw inexpressible{changes};
  if (update.operation == operation::bit_xor && entry.is_constant())
    return alternating(constant_form(entry.constant ^ update.right.constant));
  const auto shift = exponent(update.right.constant);
  if (update.operation != operation::divide || !shift) throw inexpressible{changes};
  return forms().of_operation(operation::shift_right, entry, trip * *shift);
}

// ---- how often ----

void symbolic_run::count(int loop, const form_table::replacement& carried) {
  counted_loop& counted = counted_[slot(loop)];
  enter(entries_[slot(loop)]);
  forms().set_range(counted.trip, {0, unbounded});
  counted.reason.clear();
  try {
    count_or_throw(loop, carried);
  } catch (const inexpressible& failure) {
    counted.reason = failure.reason;
  }
}

// A `break` or `return` where an argument is passed, as `if (row >= n) return;`, beside another
// end.
void symbolic_run::leave_out_exits(int loop, const form_table::replacement& carried) {
  const natural_loop& region = structure_.loops[slot(loop)];
  counted_loop& counted = counted_[slot(loop)];
  counted.left_out.clear();
  counted.assumed.clear();
  if (!has_symbols_ || region.exits.size() < 2) return;
  for (const auto& exit : region.exits) {
    if (exit == region.exits[0]) continue;
    const condition_pointer exit_test = results_[slot(exit.first)].branch_condition;
    if (exit_test == nullptr || exit_test->is != condition::kind::comparison) continue;
    const auto& next = successors(kernel_.blocks[slot(exit.first)]);
    const condition_pointer stays = next[0] == exit.second ? opposite(exit_test) : exit_test;
    const bool has_argument =
        has(forms(), stays, [&](int number) { return forms()[number].is == atom::kind::argument; });
    if (!has_argument || !holds_for_large_arguments(forms(), *stays)) continue;
    counted.left_out.push_back(exit);
    counted.assumed.push_back({-1, false, replaced_as_written(forms(), stays, carried),
                               kernel_.blocks[slot(exit.first)].instructions.back().location});
  }
  if (counted.left_out.size() + 1 == region.exits.size()) return;
  counted.left_out.clear();
  counted.assumed.clear();
}

void symbolic_run::count_or_throw(int loop, const form_table::replacement& carried) {
  const natural_loop& region = structure_.loops[slot(loop)];
  counted_loop& counted = counted_[slot(loop)];
  counted.location = kernel_.blocks[slot(region.header)].instructions.back().location;
  if (region.exits.empty()) throw inexpressible{"a loop that does not end"};
  leave_out_exits(loop, carried);
  std::vector<std::pair<int, int>> exits;
  for (const auto& exit : region.exits)
    if (!includes(counted.left_out, exit)) exits.push_back(exit);
  counted.location = kernel_.blocks[slot(exits[0].first)].instructions.back().location;
  if (exits.size() > 1) throw inexpressible{"a loop that ends in several places"};
  const int test = exits[0].first;
  if (structure_.innermost[slot(test)] != loop ||
      !std::ranges::all_of(region.latches,
                           [&](int latch) { return structure_.dominates(test, latch); }))
    throw inexpressible{"a loop whose end is not tested in each iteration"};
  counted.test = test;
  const block_result& result = results_[slot(test)];
  if (result.branch_condition == nullptr)
    throw inexpressible{result.path.is_dead ? "a loop that is never entered" : result.reason};
  const auto& next = successors(kernel_.blocks[slot(test)]);
  const condition_pointer stays = replaced_as_written(
      forms(),
      region.has[slot(next[0])] ? result.branch_condition : opposite(result.branch_condition),
      carried);
  if (has(forms(), stays, [&](int number) {
        return forms()[number].is == atom::kind::carried &&
               forms()[number].number / kernel_.registers == loop;
      }))
    throw inexpressible{"a loop whose end depends on a value that does not change by steps"};
  counted.stays = stays;
  if (stays->is == condition::kind::comparison) count_by_bounds(counted, *stays);
  if (!counted.has_bounds && !count_by_values(counted, stays)) {
    counted.most_trips = most_by_values(counted, stays);
    throw inexpressible{"a loop that does not end by one comparison with a bound"};
  }
  if (counted.trips) counted.most_trips = *counted.trips;
}

void symbolic_run::count_by_bounds(counted_loop& counted, const condition& stays) {
  const form trip = atom_form(counted.trip);
  const long long left = stays.left.factor(counted.trip), right = stays.right.factor(counted.trip);
  const form& moving = left != 0 ? stays.left : stays.right;
  const form& bound = left != 0 ? stays.right : stays.left;
  const long long step = left != 0 ? left : right;
  if ((left != 0) == (right != 0) || forms().has_atom(moving - trip * step, counted.trip) ||
      forms().has_atom(bound, counted.trip) || stays.relation == operation::equal)
    return;
  const bool is_up = step > 0;
  if (stays.relation != operation::not_equal && is_up != (left != 0)) return;
  counted.first = moving - trip * step;
  counted.last = bound;
  counted.step = step;
  if (stays.relation == operation::less_equal)
    counted.last = counted.last + constant_form(is_up ? 1 : -1);
  const auto fit = [&](bool is_signed) {
    return forms().fits(counted.first, stays.bits, is_signed) &&
           forms().fits(bound, stays.bits, is_signed);
  };
  if (!fit(stays.is_signed) &&
      (stays.relation != operation::not_equal || !(fit(true) || fit(false))))
    throw inexpressible{"a loop whose bounds may wrap around"};
  const form distance = is_up ? counted.last - counted.first : counted.first - counted.last;
  const long long pace = std::abs(step);
  if (stays.relation == operation::not_equal && distance.is_constant() &&
      (distance.constant < 0 || distance.constant % pace != 0))
    throw inexpressible{"a loop that may step over its end"};
  counted.has_bounds = true;
  counted.is_unequal = stays.relation == operation::not_equal;
  if (distance.is_constant()) counted.trips = std::max(0ll, rounded_up(distance.constant, pace));
  const long long maximum = forms().range_of(distance).highest;
  counted.most_trips =
      maximum >= unbounded - pace ? unbounded : std::max(0ll, rounded_up(maximum, pace));
}

value_pointer symbolic_run::after_loop(int loop, const value_pointer& value) {
  const counted_loop& counted = counted_[slot(loop)];
  const auto is_trip = [&](int number) { return number == counted.trip; };
  const bool has_it = is_number(value)
                          ? forms().has(value->number, is_trip)
                          : value->truth != nullptr && has(forms(), value->truth, is_trip);
  if (!has_it) return value;
  try {
    if (!counted.reason.empty() || !counted.trips)
      throw inexpressible{"the last value of a loop whose trips differ between threads"};
    const form_table::replacement last = {{counted.trip, constant_form(*counted.trips)}};
    if (is_number(value)) return number_value(forms().replaced(value->number, last), value->bits);
    return condition_value(replaced(forms(), value->truth, last));
  } catch (const inexpressible& failure) {
    return unknown_value(failure.reason);
  }
}

}  // namespace compiled
