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

bool is_number(const value_pointer& one) {
  return one != nullptr && one->is == symbolic_value::kind::number;
}

long long rounded_up(long long value, long long step) { return (value + step - 1) / step; }

condition_pointer replaced_as_written(form_table& forms, const condition_pointer& of,
                                      const form_table::replacement& by) {
  condition result = *of;
  result.left = forms.replaced(of->left, by);
  result.right = forms.replaced(of->right, by);
  for (condition_pointer& each : result.parts) each = replaced_as_written(forms, each, by);
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
      for (const instruction& one : kernel.blocks[block].instructions)
        result.insert(one.to.begin(), one.to.end());
  return result;
}

}  // namespace

void symbolic_run::run_loop(int loop) {
  const natural_loop& of = structure_.loops[at(loop)];
  counted_loop& to = counted_[at(loop)];
  const int trip = to.trip;
  symbolic_state entry;
  join(of.header, loop, entry, around_[at(loop)]);
  to = {};
  to.trip = trip;
  to.reason = changes;

  const std::set<int> written = written_in(kernel_, of);
  const auto carried = [&](int reg) {
    return forms().number_of(
        {atom::kind::carried, loop * kernel_.registers + reg, operation::add, {}, {}});
  };
  symbolic_state& header = header_[at(loop)];
  header = entry;
  for (const int reg : written)
    if (entry[at(reg)] != nullptr) header[at(reg)] = number_value(atom_form(carried(reg)), 64);
  run_blocks(loop);

  form_table::replacement replaced;
  for (const int reg : written) {
    if (entry[at(reg)] == nullptr) continue;
    value_pointer latch;
    for (const int from : of.latches) {
      const value_pointer& one = results_[at(from)].state[at(reg)];
      if (is_dead_edge(from, of.header)) continue;
      latch = latch == nullptr || (one != nullptr && are_equal(latch, one))
                  ? one
                  : unknown_value(changes);
    }
    header[at(reg)] = at_start(loop, entry[at(reg)], latch, carried(reg));
    if (is_number(header[at(reg)])) replaced[carried(reg)] = header[at(reg)]->number;
  }
  count(loop, replaced);
  run_blocks(loop);
}

value_pointer symbolic_run::at_start(int loop, const value_pointer& entry,
                                     const value_pointer& latch, int carried) {
  if (latch == nullptr) return entry;  // no iteration follows another
  const auto is_of_loop = [&](int number) {
    const atom& one = forms()[number];
    return one.is == atom::kind::carried ? one.number / kernel_.registers == loop
                                         : number == counted_[at(loop)].trip;
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
  const form trip = atom_form(counted_[at(loop)].trip);
  const auto changes_inside = [&](int number) {
    const atom& one = forms()[number];
    if (one.is == atom::kind::carried) return one.number / kernel_.registers == loop;
    if (one.is != atom::kind::trip) return false;
    const auto inner = at(structure_.loops[at(one.number)].header);
    return static_cast<bool>(structure_.loops[at(loop)].has[inner]);
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
  const atom by = forms()[latch.factors.begin()->first];
  if (by.is != atom::kind::operation || by.left != atom_form(carried) || !by.right.is_constant() ||
      !forms().is_never_negative(entry))
    throw inexpressible{changes};
  if (by.does == operation::bit_xor && entry.is_constant())
    return alternating(constant_form(entry.constant ^ by.right.constant));
  const auto shift = exponent(by.right.constant);
  if (by.does != operation::divide || !shift) throw inexpressible{changes};
  return forms().of_operation(operation::shift_right, entry, trip * *shift);
}

// ---- how often ----

void symbolic_run::count(int loop, const form_table::replacement& carried) {
  counted_loop& to = counted_[at(loop)];
  enter(around_[at(loop)]);
  forms().set_range(to.trip, {0, unbounded});
  to.reason.clear();
  try {
    count_or_throw(loop, carried);
  } catch (const inexpressible& why) {
    to.reason = why.reason;
  }
}

// A `break` or `return` where an argument is passed, as `if (row >= n) return;`, beside another
// end.
void symbolic_run::leave_out_exits(int loop, const form_table::replacement& carried) {
  const natural_loop& of = structure_.loops[at(loop)];
  counted_loop& to = counted_[at(loop)];
  to.left_out.clear();
  to.assumed.clear();
  if (!has_symbols_ || of.exits.size() < 2) return;
  for (const auto& exit : of.exits) {
    if (exit == of.exits[0]) continue;
    const condition_pointer taken = results_[at(exit.first)].taken;
    if (taken == nullptr || taken->is != condition::kind::comparison) continue;
    const auto& next = successors(kernel_.blocks[at(exit.first)]);
    const condition_pointer stays = next[0] == exit.second ? opposite(taken) : taken;
    const bool has_argument =
        has(forms(), stays, [&](int number) { return forms()[number].is == atom::kind::argument; });
    if (!has_argument || !holds_for_large_arguments(forms(), *stays)) continue;
    to.left_out.push_back(exit);
    to.assumed.push_back({-1, false, replaced_as_written(forms(), stays, carried),
                          kernel_.blocks[at(exit.first)].instructions.back().where});
  }
  if (to.left_out.size() + 1 == of.exits.size()) return;
  to.left_out.clear();
  to.assumed.clear();
}

void symbolic_run::count_or_throw(int loop, const form_table::replacement& carried) {
  const natural_loop& of = structure_.loops[at(loop)];
  counted_loop& to = counted_[at(loop)];
  to.where = kernel_.blocks[at(of.header)].instructions.back().where;
  if (of.exits.empty()) throw inexpressible{"a loop that does not end"};
  leave_out_exits(loop, carried);
  std::vector<std::pair<int, int>> exits;
  for (const auto& exit : of.exits)
    if (std::find(to.left_out.begin(), to.left_out.end(), exit) == to.left_out.end())
      exits.push_back(exit);
  to.where = kernel_.blocks[at(exits[0].first)].instructions.back().where;
  if (exits.size() > 1) throw inexpressible{"a loop that ends in several places"};
  const int test = exits[0].first;
  if (structure_.innermost[at(test)] != loop ||
      !std::all_of(of.latches.begin(), of.latches.end(),
                   [&](int latch) { return structure_.dominates(test, latch); }))
    throw inexpressible{"a loop whose end is not tested in each iteration"};
  to.test = test;
  const block_result& result = results_[at(test)];
  if (result.taken == nullptr)
    throw inexpressible{result.path.is_dead ? "a loop that is never entered" : result.reason};
  const auto& next = successors(kernel_.blocks[at(test)]);
  const condition_pointer stays = replaced_as_written(
      forms(), of.has[at(next[0])] ? result.taken : opposite(result.taken), carried);
  if (has(forms(), stays, [&](int number) {
        return forms()[number].is == atom::kind::carried &&
               forms()[number].number / kernel_.registers == loop;
      }))
    throw inexpressible{"a loop whose end depends on a value that does not change by steps"};
  to.stays = stays;
  if (stays->is == condition::kind::comparison) count_by_bounds(to, *stays);
  if (!to.has_bounds && !count_by_values(to, stays)) {
    to.most_trips = most_by_values(to, stays);
    throw inexpressible{"a loop that does not end by one comparison with a bound"};
  }
  if (to.trips) to.most_trips = *to.trips;
}

void symbolic_run::count_by_bounds(counted_loop& to, const condition& stays) {
  const form trip = atom_form(to.trip);
  const long long left = stays.left.factor(to.trip), right = stays.right.factor(to.trip);
  const form& moving = left != 0 ? stays.left : stays.right;
  const form& bound = left != 0 ? stays.right : stays.left;
  const long long step = left != 0 ? left : right;
  if ((left != 0) == (right != 0) || forms().has_atom(moving - trip * step, to.trip) ||
      forms().has_atom(bound, to.trip) || stays.does == operation::equal)
    return;
  const bool is_up = step > 0;
  if (stays.does != operation::not_equal && is_up != (left != 0)) return;
  to.first = moving - trip * step;
  to.last = bound;
  to.step = step;
  if (stays.does == operation::less_equal) to.last = to.last + constant_form(is_up ? 1 : -1);
  const auto fit = [&](bool is_signed) {
    return forms().fits(to.first, stays.bits, is_signed) &&
           forms().fits(bound, stays.bits, is_signed);
  };
  if (!fit(stays.is_signed) && (stays.does != operation::not_equal || !(fit(true) || fit(false))))
    throw inexpressible{"a loop whose bounds may wrap around"};
  const form distance = is_up ? to.last - to.first : to.first - to.last;
  const long long pace = std::abs(step);
  if (stays.does == operation::not_equal && distance.is_constant() &&
      (distance.constant < 0 || distance.constant % pace != 0))
    throw inexpressible{"a loop that may step over its end"};
  to.has_bounds = true;
  to.is_unequal = stays.does == operation::not_equal;
  if (distance.is_constant()) to.trips = std::max(0ll, rounded_up(distance.constant, pace));
  const long long most = forms().range_of(distance).most;
  to.most_trips = most >= unbounded - pace ? unbounded : std::max(0ll, rounded_up(most, pace));
}

value_pointer symbolic_run::after_loop(int loop, const value_pointer& value) {
  const counted_loop& of = counted_[at(loop)];
  const auto is_trip = [&](int number) { return number == of.trip; };
  const bool has_it = is_number(value)
                          ? forms().has(value->number, is_trip)
                          : value->truth != nullptr && has(forms(), value->truth, is_trip);
  if (!has_it) return value;
  try {
    if (!of.reason.empty() || !of.trips)
      throw inexpressible{"the last value of a loop whose trips differ between threads"};
    const form_table::replacement last = {{of.trip, constant_form(*of.trips)}};
    if (is_number(value)) return number_value(forms().replaced(value->number, last), value->bits);
    return condition_value(replaced(forms(), value->truth, last));
  } catch (const inexpressible& why) {
    return unknown_value(why.reason);
  }
}

}  // namespace compiled
