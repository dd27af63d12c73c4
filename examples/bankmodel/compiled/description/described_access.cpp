// SPDX-License-Identifier: MIT
#include "described_access.hpp"

#include <algorithm>

#include "index_writer.hpp"

namespace compiled {

namespace {

using bm::operation;

// A loop of the library, or a condition.
struct described_item {
  bm::wrapper_kind kind = bm::wrapper_kind::filter;
  bm::variable variable = bm::variable::loop_0;
  form first, last;
  long long step = 1;
  condition_pointer truth;
  int loop = -1;  // the number of a loop whose variable was not chosen yet
  bool after_test = false;
};

// The forms of an access. The trips of its loops are replaced by the library's loop variables, from
// the outermost loop inwards.
class access_writer {
 public:
  access_writer(symbolic_run& run, const symbolic_access& access,
                const std::vector<form>& subscripts)
      : run_(run), forms_(run.forms()), subscripts_(subscripts) {
    run.enter(access.path);
    facts_ = forms_.facts();
    for (const path_item& item : access.path.items) items_.push_back(item_of(item));
  }

  // False if the access is never executed.
  bool choose_variables() {
    for (std::size_t level = 0; level < items_.size(); ++level) {
      if (items_[level].loop < 0) continue;
      if (!choose_variable(level)) return false;
    }
    return true;
  }

  access_expression written(const bm::block_dim& block) const {
    index_writer writer(forms_, block);
    for (const described_item& item : items_) {
      if (item.loop >= 0) continue;
      if (item.kind == bm::wrapper_kind::filter)
        writer.add_filter(item.truth);
      else
        writer.add_loop(item.kind, item.variable, item.first, item.last, item.step);
    }
    for (const form& subscript : subscripts_) writer.add_subscript(subscript);
    return writer.result();
  }

 private:
  described_item item_of(const path_item& entry) const {
    described_item result;
    result.truth = entry.truth;
    if (entry.loop < 0) return result;
    const counted_loop& loop = run_.loop(entry.loop);
    if (!loop.reason.empty()) throw inexpressible{loop.reason};
    result.loop = entry.loop;
    result.after_test = entry.after_test;
    result.step = loop.step;
    if (!loop.has_bounds) return result;
    // Before its test, an iteration is executed if the test of the iteration before it held. The
    // variable is the value that is tested there, or the next one if that is negative.
    const form step = constant_form(loop.step), previous = loop.first - step;
    const bool is_next = forms_.range_of(previous).lowest < 0;
    result.first = entry.after_test || is_next ? loop.first : previous;
    result.last = entry.after_test || !is_next ? loop.last : loop.last + step;
    const form distance = (result.last - result.first) * (loop.step > 0 ? 1 : -1);
    if (entry.after_test || forms_.range_of(distance).lowest >= 1) return result;
    const long long unit = loop.step > 0 ? 1 : -1;
    result.last = forms_.computed(unit > 0 ? operation::maximum : operation::minimum, result.last,
                                  result.first + constant_form(unit));
    return result;
  }

  bool choose_variable(std::size_t level) {
    described_item& item = items_[level];
    const counted_loop& loop = run_.loop(item.loop);
    const bool is_first_too = !item.after_test;
    if (loop.trips && *loop.trips + is_first_too == 0) return false;
    if (loop.trips && *loop.trips + is_first_too == 1)
      return replace(level, {{loop.trip, constant_form(0)}}, 1), true;
    if (used_ == bm::loop_variables) throw inexpressible{"more than six loops around it"};
    item.variable = static_cast<bm::variable>(static_cast<int>(bm::variable::loop_0) + used_++);
    const int variable = forms_.number_of(
        {atom::kind::thread, static_cast<int>(item.variable), operation::add, {}, {}});
    if (!(loop.has_bounds && as_written(level, loop, variable)) &&
        !as_powers(level, loop, variable))
      as_counter(level, loop, variable);
    items_[level].loop = -1;
    return true;
  }

  // for (v = first; v < last; v += step)
  bool as_written(std::size_t level, const counted_loop& loop, int variable) {
    described_item item = items_[level];
    item.kind = bm::wrapper_kind::range;
    const bool is_up = loop.step > 0;
    const value_range first = forms_.range_of(item.first), last = forms_.range_of(item.last);
    forms_.set_range(variable, is_up ? value_range{first.lowest, last.highest - 1}
                                     : value_range{last.lowest + 1, first.highest});
    const form current = atom_form(variable);
    const long long unit = is_up ? 1 : -1;
    const std::vector<form> facts = {(current - item.first) * unit,
                                     (item.last - current) * unit - constant_form(1)};
    try {
      replace(level, {{loop.trip, current - item.first}}, loop.step, facts);
    } catch (const inexpressible&) {
      return false;
    }
    item.loop = -1;
    items_[level] = item;
    return true;
  }

  // for (v = first; v > last; v /= factor), and for (v = first; v < last; v *= factor), if the trip
  // is read as the distance of one shift alone.
  bool as_powers(std::size_t level, const counted_loop& loop, int variable) {
    const int shift = loop.trips ? shift_by(loop.trip) : -1;
    if (shift < 0) return false;
    const atom shift_atom = forms_[shift];
    const long long bits = shift_atom.right.factor(loop.trip);
    const long long times = *loop.trips + !items_[level].after_test;
    if (!shift_atom.left.is_constant() || shift_atom.left.constant < 1 || bits < 1 ||
        bits * times > 40)
      return false;
    const bool is_down = shift_atom.operation == operation::shift_right;
    const auto value = [&](long long trip) {
      return is_down ? shift_atom.left.constant >> (bits * trip)
                     : shift_atom.left.constant << (bits * trip);
    };
    if (value(times - 1) == value(times) || value(times) > 1ll << 40) return false;
    described_item item = items_[level];
    item.kind = is_down ? bm::wrapper_kind::powers_down : bm::wrapper_kind::powers_up;
    item.first = shift_atom.left;
    item.last = constant_form(value(times));
    item.step = 1ll << bits;
    forms_.set_range(variable, is_down ? value_range{value(times - 1), value(0)}
                                       : value_range{value(0), value(times - 1)});
    try {
      replace(level, {{shift, atom_form(variable)}}, 1, {}, loop.trip);
    } catch (const inexpressible&) {
      return false;
    }
    item.loop = -1;
    items_[level] = item;
    return true;
  }

  // for (v = 0; v < trips; ++v)
  void as_counter(std::size_t level, const counted_loop& loop, int variable) {
    described_item item = items_[level];
    item.kind = bm::wrapper_kind::range;
    const long long pace = std::abs(loop.step);
    const form distance = (item.last - item.first) * (loop.step > 0 ? 1 : -1);
    item.last = loop.trips ? constant_form(*loop.trips + !item.after_test)
                           : forms_.computed(operation::divide, distance + constant_form(pace - 1),
                                             constant_form(pace));
    item.first = {};
    item.step = 1;
    item.loop = -1;
    forms_.set_range(variable, {0, std::max(0ll, forms_.range_of(item.last).highest - 1)});
    replace(level, {{loop.trip, atom_form(variable)}}, 1);
    items_[level] = item;
  }

  // The shift by the trip that is read first; -1.
  int shift_by(int trip) const {
    int result = -1;
    const auto is_it = [&](int number) {
      const atom& node = forms_[number];
      const bool is_shift =
          node.is == atom::kind::operation &&
          (node.operation == operation::shift_left || node.operation == operation::shift_right) &&
          node.right.factors.size() == 1 && node.right.factor(trip) != 0 &&
          node.right.constant == 0;
      if (is_shift && result < 0) result = number;
      return is_shift;
    };
    for (const form& subscript : subscripts_) (void)forms_.has(subscript, is_it);
    for (const described_item& item : items_)
      if (item.truth != nullptr) (void)has(forms_, item.truth, is_it);
    return result;
  }

  // The facts after a replacement, and more that hold then.
  std::vector<form> replaced_facts(const form_table::replacement& replacements,
                                   long long divided_by, const std::vector<form>& new_facts) {
    std::vector<form> known_facts = facts_, result = new_facts;
    append(known_facts, new_facts);
    forms_.set_facts(std::move(known_facts));
    for (const form& fact : facts_) {
      try {
        result.push_back(forms_.replaced(fact, replacements, divided_by));
      } catch (const inexpressible&) {
        continue;  // one fact less
      }
    }
    return result;
  }

  // Replaces atoms in all forms that are inside of item `level`; nothing is changed if one of them
  // has no such replacement, or still reads `must_go`.
  void replace(std::size_t level, const form_table::replacement& replacements, long long divided_by,
               const std::vector<form>& more_facts = {}, int must_go = -1) {
    const std::vector<form> facts = replaced_facts(replacements, divided_by, more_facts);
    forms_.set_facts(facts);
    const auto substitute = [&](const form& expression) {
      const form result = forms_.replaced(expression, replacements, divided_by);
      if (must_go >= 0 && forms_.has_atom(result, must_go))
        throw inexpressible{"a loop variable that is read in two ways"};
      return result;
    };
    std::vector<form> subscripts;
    for (const form& subscript : subscripts_) subscripts.push_back(substitute(subscript));
    // A condition holds if those around it do; it is no reason to take itself as true.
    std::vector<described_item> items = items_;
    std::vector<form> outer_facts = more_facts;
    for (std::size_t outer = 0; outer < level; ++outer)
      if (items[outer].truth != nullptr) add_facts(forms_, items[outer].truth, outer_facts);
    for (std::size_t inner = level + 1; inner < items.size(); ++inner) {
      described_item& item = items[inner];
      item.first = substitute(item.first);
      item.last = substitute(item.last);
      if (item.truth == nullptr) continue;
      forms_.set_facts(outer_facts);
      item.truth = replaced(forms_, item.truth, replacements, divided_by);
      add_facts(forms_, item.truth, outer_facts);
      forms_.set_facts(facts);
      const auto goes = [&](int number) { return number == must_go; };
      if (must_go >= 0 && has(forms_, item.truth, goes))
        throw inexpressible{"a loop variable that is read in two ways"};
    }
    subscripts_ = subscripts;
    items_ = items;
    facts_ = facts;
  }

  symbolic_run& run_;
  form_table& forms_;
  std::vector<form> subscripts_, facts_;
  std::vector<described_item> items_;
  int used_ = 0;
};

}  // namespace

access_expression described(symbolic_run& run, const symbolic_access& access,
                            const std::vector<form>& subscripts, const bm::block_dim& block) {
  access_writer writer(run, access, subscripts);
  if (writer.choose_variables()) return writer.written(block);
  index_writer never(run.forms(), block);
  never.add_filter(constant_condition(false));
  for (std::size_t dimension = 0; dimension < subscripts.size(); ++dimension)
    never.add_subscript({});
  return never.result();
}

}  // namespace compiled
