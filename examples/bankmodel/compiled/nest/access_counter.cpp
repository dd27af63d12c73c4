// SPDX-License-Identifier: MIT
#include "access_counter.hpp"

#include <array>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/global/transactions.hpp>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "../code/control_flow.hpp"
#include "../page/priced.hpp"

namespace compiled {

namespace {

using bm::operation;

// Requests that are looked at: of one access, and of all.
constexpr long long most_requests = 1 << 16, most_of_all = 1 << 19;
// What only an equal address is the same as.
constexpr long long no_modulus = 1ll << 40;
constexpr long long most_period = 1 << 12;
constexpr int few_trips = 8;  // fewer are looked at one by one

struct counts {
  formula requests, wavefronts, ideal, most;
  std::map<int, long long> times = {};  // of requests, where these are collected
};
void add_times(const std::map<int, long long>& more, std::map<int, long long>& to) {
  for (const auto& [request, times] : more) {
    long long& its = to[request];
    its = checked_sum(its, times);
  }
}
counts operator+(const counts& a, const counts& b) {
  counts result = {a.requests + b.requests, a.wavefronts + b.wavefronts, a.ideal + b.ideal,
                   a.most + b.most, a.times};
  add_times(b.times, result.times);
  return result;
}
// Requires: a constant, where requests are collected.
counts operator*(const counts& a, const formula& by) {
  counts result = {a.requests * by, a.wavefronts * by, a.ideal * by, a.most * by, a.times};
  for (auto& [request, times] : result.times) times = checked_product(times, by.constant());
  return result;
}
class counts_sum {
 public:
  void add(const counts& more) {
    requests_.add(more.requests);
    wavefronts_.add(more.wavefronts);
    ideal_.add(more.ideal);
    most_.add(more.most);
    add_times(more.times, times_);
  }
  counts total() const {
    return {requests_.total(), wavefronts_.total(), ideal_.total(), most_.total(), times_};
  }

 private:
  formula_sum requests_, wavefronts_, ideal_, most_;
  std::map<int, long long> times_;
};
counts operator-(const counts& a, const counts& b) { return a + b * formula(-1); }

// A loop or a condition of a path, in one list.
struct nest_item {
  int loop = -1;
  bool after_test = false;
  condition_pointer truth;  // a comparison, or an `either`
  place where = {};
  bool is_limit = false;  // it limits the trips of a loop around it, and is counted there
};

// right - left of a comparison as a form that is above 0 where it holds; of an equality it is 0.
struct sign_test {
  form value;
  bool is_order = true, is_equal = false;
};
sign_test sign_test_of(const condition& of) {
  switch (of.does) {
    case operation::less: return {of.right - of.left, true, false};
    case operation::less_equal: return {of.right - of.left + constant_form(1), true, false};
    default: return {of.right - of.left, false, of.does == operation::equal};
  }
}

// What is not counted, with its reason, is thrown as inexpressible.
class access_counter {
 public:
  // Without a machine, conditions and notes requests are collected.
  explicit access_counter(const nest_access& of, const bm::machine* m = nullptr,
                          const std::set<std::string>* conditions = nullptr,
                          nest_notes* notes = nullptr)
      : kernel_(of.kernel),
        how_(of.how),
        machine_(m),
        run_(of.run),
        forms_(of.run.forms()),
        access_(of.access),
        is_global_(of.is_global),
        conditions_(conditions),
        notes_(notes) {}

  // `unknown_address`: why the addresses are taken as unknown; empty if they are not.
  void count(counted_access& to, const std::string& unknown_address) {
    unknown_address_ = unknown_address;
    run_.enter(access_.path);
    set_request(to);
    flatten();
    set_modulus();
    if (is_global_) set_arguments();
    to.has_known_addresses = has_known_addresses();
    if (!is_bounded_) set_moved();
    counts_sum warps;
    for (int warp = 0; warp < warps_of(kernel_, how_); ++warp) {
      threads_.emplace(kernel_, how_, warp);
      warps.add(counted(0, threads_->live()));
    }
    const counts sum = warps.total();
    formula executed(1);
    for (const auto& [text, factor] : factors_) {
      executed = executed * factor;
      to.under.push_back(text);
    }
    to.requests = sum.requests * executed;
    to.wavefronts = sum.wavefronts * executed;
    to.ideal = sum.ideal * executed;
    to.is_possible = !access_.path.reason.empty();
    to.has_bounds = is_bounded_ || to.is_possible || has_unknown_source_;
    if (to.has_bounds) to.most = (is_bounded_ || is_copied_ ? sum.most : sum.wavefronts) * executed;
    if (has_unknown_source_)
      to.reason = "the source of a copy in global memory decides about its cost too";
    if (to.is_possible) {
      to.reason = access_.path.reason;
      to.wavefronts = to.ideal = {};
    }
    if (!is_bounded_ && !has_unknown_source_ && !differs_) to.each = each_;
  }

  // `wants_one`: the end is different_addresses where a second address is found.
  struct different_addresses {};
  std::vector<repeated_request> collected(long long& left, bool wants_one = false) {
    left_ = &left;
    wants_one_ = wants_one;
    run_.enter(access_.path);
    counted_access unused;
    set_request(unused);
    if (is_bounded_) throw inexpressible{unknown_address_};
    flatten();
    modulus_ = is_global_ ? global_period : no_modulus;
    if (access_.does->memory.does == access_does::copy && !is_global_) {
      if (!access_.source_reason.empty()) throw inexpressible{access_.source_reason};
      source_ = access_.source;
    }
    if (is_global_) require_one_array();
    counts sum;
    for (int warp = 0; warp < warps_of(kernel_, how_); ++warp) {
      threads_.emplace(kernel_, how_, warp);
      add_times(counted(0, threads_->live()).times, sum.times);
    }
    std::vector<repeated_request> result;
    for (const auto& [request, times] : sum.times) {
      if (times == 0) continue;
      result.push_back(collected_[at(request)]);
      result.back().times = static_cast<std::uint64_t>(times);
    }
    return result;
  }

 private:
  // Error (inexpressible): requests are collected, which assume nothing.
  void assume(const nest_assumption& one) {
    if (notes_ == nullptr) throw inexpressible{"what is not known decides about it"};
    notes_->assume(one);
  }

  // ---- the path ----

  void flatten() {
    for (const path_item& one : access_.path.items) {
      if (one.loop >= 0)
        items_.push_back({one.loop, one.after_test, nullptr});
      else
        add_condition(one.truth, one.where);
    }
    for (nest_item& one : items_)
      if (one.loop < 0) use_condition(one);
  }
  void add_condition(const condition_pointer& truth, const place& where) {
    if (truth->is == condition::kind::both)
      for (const condition_pointer& part : truth->parts) add_condition(part, where);
    else
      items_.push_back({-1, false, truth, where.line > 0 ? where : access_.does->where});
  }

  bool has_kind(const condition_pointer& of, atom::kind kind) const {
    return has(forms_, of, [&](int number) { return forms_[number].is == kind; });
  }
  bool is_symbolic_loop(int loop) const {
    const counted_loop& of = run_.loop(loop);
    if (!of.reason.empty())
      return of.stays == nullptr || has(forms_, of.stays, [&](int number) {
               const atom& one = forms_[number];
               return one.is == atom::kind::argument || one.is == atom::kind::carried ||
                      (one.is == atom::kind::trip && number != of.trip &&
                       is_symbolic_loop(one.number));
             });
    if (of.trips) return false;
    const form distance = of.last - of.first;
    return forms_.has(distance, [&](int number) {
      const atom& one = forms_[number];
      return one.is == atom::kind::argument ||
             (one.is == atom::kind::trip && is_symbolic_loop(one.number));
    });
  }
  bool has_symbolic_trip(const condition_pointer& of) const {
    return has(forms_, of, [&](int number) {
      return forms_[number].is == atom::kind::trip && is_symbolic_loop(forms_[number].number);
    });
  }

  // Conditions on arguments alone become factors; those of which arguments decide for threads or
  // trips are taken as true for all, or as false where their opposite is.
  void use_condition(nest_item& one) {
    if (!has_kind(one.truth, atom::kind::argument)) return;
    if (is_left_out(*one.truth)) {
      one.truth = constant_condition(true);
      return;
    }
    if (one.truth->is == condition::kind::comparison && is_of_arguments_alone(forms_, *one.truth)) {
      const argument_condition found = argument_condition_of(run_, *one.truth);
      // A guard without another arm is taken as true.
      const bool has_other_arm =
          conditions_->count((formula(1) - found.factor).json()) > 0 || !found.is_order;
      raise_least(*one.truth);
      if (!has_other_arm && holds_for_large_arguments(forms_, *one.truth))
        assume({nest_assumption::kind::condition, one.where, found.text});
      else if (!(found.factor == formula(1)))
        factors_[found.text] = found.factor;
      one.truth = constant_condition(true);
      return;
    }
    if (one.truth->is == condition::kind::comparison && has_symbolic_trip(one.truth)) return;
    one.truth = assumed(one.truth, one.where);
  }

  // True of the condition of an exit that is left out of a loop around.
  bool is_left_out(const condition& of) const {
    if (of.is != condition::kind::comparison) return false;
    const sign_test its = sign_test_of(of);
    for (const nest_item& around : items_) {
      if (around.loop < 0) continue;
      for (const path_item& one : run_.loop(around.loop).assumed) {
        const sign_test other = sign_test_of(*one.truth);
        if (other.is_order == its.is_order && other.is_equal == its.is_equal &&
            forms_.replaced(other.value, {}) == its.value)
          return true;
      }
    }
    return false;
  }

  // The condition with its comparisons of arguments replaced by what is taken as true.
  condition_pointer assumed(const condition_pointer& of, const place& where,
                            bool in_all_trips = false) {
    if (of->is == condition::kind::constant || !has_kind(of, atom::kind::argument)) return of;
    if (of->is != condition::kind::comparison) {
      const condition_pointer left = assumed(of->parts[0], where, in_all_trips),
                              right = assumed(of->parts[1], where, in_all_trips);
      return of->is == condition::kind::both ? both(left, right) : either(left, right);
    }
    if (is_of_arguments_alone(forms_, *of) &&
        conditions_->count((formula(1) - argument_condition_of(run_, *of).factor).json()) > 0)
      throw inexpressible{"a condition on an argument beside one on threads"};
    if (!in_all_trips && has_symbolic_trip(of))
      throw inexpressible{"a condition that a loop's end decides"};
    const bool holds = holds_for_large_arguments(forms_, *of);
    if (holds) raise_least(*of);
    assume({nest_assumption::kind::condition, where, text_of(run_, holds ? of : opposite(of))});
    return constant_condition(holds);
  }

  // An argument that is above something for all threads is at least one more than the most of it.
  void raise_least(const condition& of) {
    const sign_test what = sign_test_of(of);
    int argument = -1;
    if (!what.is_order) return;
    for (const auto& [number, factor] : what.value.factors) {
      const atom& one = forms_[number];
      const bool is_argument = one.is == atom::kind::argument && factor == 1 && argument < 0;
      if (is_argument) argument = number;
      if (!is_argument && (one.is != atom::kind::thread || one.number > 2)) return;
    }
    if (argument < 0) return;
    const long long least = forms_.range_of(what.value - atom_form(argument)).least;
    const long long most = run_.symbols()[at(forms_[argument].number)].range.most;
    if (1 - least > most) return;
    long long& its = least_.emplace(argument, 0).first->second;
    its = std::max(its, 1 - least);
  }

  // ---- the request ----

  void set_request(counted_access& to) {
    const memory_access& memory = access_.does->memory;
    request_.bytes = bytes_as_written(memory);
    request_.kind = kind_of(memory, is_global_);
    if (!is_global_ && memory.does == access_does::copy && machine_ != nullptr) {
      is_copied_ = is_copy_on(*machine_, memory);
      if (!is_copied_) request_.kind = bm::access_kind::store;
    }
    address_ = access_.address + constant_form(memory.offset);
    if (unknown_address_.empty()) unknown_address_ = access_.reason;
    is_bounded_ = !unknown_address_.empty();
    if (is_bounded_ && is_global_) throw inexpressible{unknown_address_};
    if (is_bounded_) to.reason = unknown_address_;
    if (is_global_ || is_bounded_) return;
    constexpr auto window = static_cast<long long>(shared_window);
    if (address_.constant > window / 2) address_ = address_ - constant_form(window);
  }

  bool has_known_addresses() const {
    constexpr int last_of_thread = 2;  // of threadIdx
    return !is_global_ && !is_bounded_ && !forms_.has(address_, [&](int number) {
      const atom& one = forms_[number];
      switch (one.is) {
        case atom::kind::operation: return false;
        case atom::kind::thread: return one.number > last_of_thread;
        case atom::kind::trip: return is_symbolic_loop(one.number);
        default: return true;
      }
    });
  }

  // What is the same in all lanes, depends on arguments or on the trips of loops, and moves by
  // multiples of what matters, is left out of the address.
  void set_moved() {
    const auto is_open = [&](int number) {
      return forms_[number].is == atom::kind::argument || forms_[number].is == atom::kind::trip;
    };
    form rest = constant_form(address_.constant);
    for (const auto& [number, factor] : address_.factors) {
      const form one = atom_form(number);
      if (factor % modulus_ == 0 && forms_.has(one, is_open) &&
          !forms_.has_kind(one, atom::kind::thread) &&
          (forms_[number].is != atom::kind::trip || is_symbolic_loop(forms_[number].number)))
        is_moved_ = true;
      else
        rest = rest + one * factor;
    }
    address_ = rest;
  }

  // Of global memory: arguments are numbers whose rows do not overlap.
  void set_arguments() {
    form_table::replacement by;
    (void)forms_.has(address_, [&](int number) {
      if (forms_[number].is == atom::kind::argument)
        by[number] = constant_form(4096ll * (2 * forms_[number].number + 3));
      return false;
    });
    if (has_quotient_of_argument(address_))
      throw inexpressible{"its address has a quotient or bits of an argument"};
    for (const auto& [number, value] : by)
      assume({nest_assumption::kind::aligned_rows, {}, argument_in(run_, atom_form(number))});
    address_ = forms_.replaced(address_, by);
  }
  bool has_quotient_of_argument(const form& of) const {
    for (const auto& [number, factor] : of.factors) {
      const atom& one = forms_[number];
      if (one.is != atom::kind::operation ||
          !forms_.has_kind(atom_form(number), atom::kind::argument))
        continue;
      if (one.does != operation::multiply || has_quotient_of_argument(one.left) ||
          has_quotient_of_argument(one.right))
        return true;
    }
    return false;
  }

  void set_modulus() {
    if (is_global_) {
      modulus_ = std::max(256, 2 * machine_->global.line_bytes);
      return;
    }
    const bm::geometry banks = machine_->banks(request_.bytes, request_.kind);
    modulus_ = banks.W == banks.N ? banks.N : 1ll * banks.bank_num * banks.W;
  }

  // ---- numbers of lanes ----

  lane_numbers numbers_of(const form& of) const { return threads_->of(forms_, of, trips_); }

  // A form as a part of threads and trips, and one of arguments.
  // Error (inexpressible): a product of both, and the like.
  void split(const form& of, form& of_lanes, form& of_arguments) const {
    of_lanes = constant_form(of.constant);
    of_arguments = {};
    for (const auto& [number, factor] : of.factors) {
      const form one = atom_form(number);
      if (!forms_.has_kind(one, atom::kind::argument))
        of_lanes = of_lanes + one * factor;
      else if (!forms_.has_kind(one, atom::kind::thread) && !forms_.has_kind(one, atom::kind::trip))
        of_arguments = of_arguments + one * factor;
      else
        throw inexpressible{"threads or iterations times the argument '" + argument_in(run_, one) +
                            "'"};
    }
  }

  // ---- the recursion ----

  counts counted(std::size_t item, std::uint64_t lanes) {
    if (lanes == 0) return {};
    if (item == items_.size()) return cost_of_request(lanes);
    const nest_item& one = items_[item];
    if (one.loop >= 0) return of_loop(item, lanes);
    if (one.is_limit) return counted(item + 1, lanes);
    return counted(item + 1, lanes & lanes_of(one.truth, lanes));
  }

  std::uint64_t lanes_of(const condition_pointer& of, std::uint64_t lanes) const {
    if (of->is == condition::kind::constant) return of->holds ? lanes : 0;
    if (of->is == condition::kind::both)
      return lanes_of(of->parts[0], lanes) & lanes_of(of->parts[1], lanes);
    if (of->is == condition::kind::either)
      return lanes_of(of->parts[0], lanes) | lanes_of(of->parts[1], lanes);
    const sign_test what = sign_test_of(*of);
    if (forms_.has_kind(what.value, atom::kind::argument))
      throw inexpressible{"a condition that depends on an argument"};
    const lane_numbers value = numbers_of(what.value);
    std::uint64_t result = 0;
    for_each_lane(lanes, [&](int lane) {
      const long long its = value[static_cast<std::size_t>(lane)];
      if (what.is_order ? its > 0 : (its == 0) == what.is_equal) result |= std::uint64_t{1} << lane;
    });
    return result;
  }

  // How much a form grows when a loop goes on `times` times, if that is the same each time.
  std::optional<long long> growth(const form& of, int trip, long long times) const {
    long long result = 0;
    for (const auto& [number, factor] : of.factors) {
      const auto one = growth_of_atom(number, trip, times);
      if (!one) return {};
      result = checked_sum(result, checked_product(*one, factor));
    }
    return result;
  }
  std::optional<long long> growth_of_atom(int number, int trip, long long times) const {
    if (number == trip) return times;
    const atom& one = forms_[number];
    if (one.is != atom::kind::operation) return 0;
    const auto left = growth(one.left, trip, times), right = growth(one.right, trip, times);
    if (!left || !right) return {};
    if (*left == 0 && *right == 0) return 0;
    const bool divides = one.right.is_constant() && one.right.constant > 0;
    const auto keeps_bits = [&](const form& still, long long more) {
      const value_range range = forms_.range_of(still);
      return range.least >= 0 && range.most < unbounded / 2 &&
             more % (all_bits_of(range.most) + 1) == 0;
    };
    switch (one.does) {
      case operation::remainder:
        if (divides && *left % one.right.constant == 0) return 0;
        return {};
      case operation::divide:
        if (divides && *left % one.right.constant == 0) return *left / one.right.constant;
        return {};
      case operation::shift_right:
        if (!divides || one.right.constant > 40 || *left % (1ll << one.right.constant) != 0)
          return {};
        return *left / (1ll << one.right.constant);
      case operation::bit_or:
      case operation::bit_xor:
        if (*left == 0 && keeps_bits(one.left, *right)) return *right;
        if (*right == 0 && keeps_bits(one.right, *left)) return *left;
        return {};
      case operation::bit_and:
        if (*left == 0 && keeps_bits(one.left, *right)) return 0;
        if (*right == 0 && keeps_bits(one.right, *left)) return 0;
        return {};
      default: return {};
    }
  }
  bool stays(const form& of, int trip, long long times) const {
    try {
      return growth(of, trip, times) == 0;
    } catch (const inexpressible&) {
      return false;
    }
  }
  bool stays(const condition_pointer& of, int trip, long long times) const {
    if (of->is == condition::kind::comparison) return stays(of->right - of->left, trip, times);
    return std::all_of(of->parts.begin(), of->parts.end(),
                       [&](const condition_pointer& one) { return stays(one, trip, times); });
  }

  // True if what is inside of item `at` costs the same after `times` more trips.
  bool repeats(std::size_t at, int trip, long long times) const {
    for (std::size_t item = at + 1; item < items_.size(); ++item) {
      const nest_item& one = items_[item];
      if (one.loop < 0 && !one.is_limit && !stays(one.truth, trip, times)) return false;
      if (one.loop < 0) continue;
      const counted_loop& inner = run_.loop(one.loop);
      if (!inner.reason.empty() && inner.stays != nullptr && !stays(inner.stays, trip, times))
        return false;
      if (inner.has_bounds && !stays(inner.last - inner.first, trip, times)) return false;
    }
    if (is_bounded_) return true;
    try {
      const auto more = growth(address_, trip, times);
      const auto of_source = source_ ? growth(*source_, trip, times) : std::optional(0ll);
      return more && *more % modulus_ == 0 && of_source && *of_source % copied_from == 0;
    } catch (const inexpressible&) {
      return false;
    }
  }

  // Divisors, and powers of 2 of bits, inside of which the trip is.
  void add_periods(const form& of, int trip, long long& to) const {
    for (const auto& [number, factor] : of.factors) {
      const atom& one = forms_[number];
      if (one.is != atom::kind::operation || !forms_.has_atom(atom_form(number), trip)) continue;
      add_periods(one.left, trip, to);
      add_periods(one.right, trip, to);
      long long more = 1;
      const auto bits = [&](const form& still) {
        const value_range range = forms_.range_of(still);
        if (range.least >= 0 && range.most < most_period)
          more = std::lcm(more, all_bits_of(range.most) + 1);
      };
      if (one.does == operation::bit_xor || one.does == operation::bit_or ||
          one.does == operation::bit_and) {
        bits(one.left);
        bits(one.right);
      } else if (one.right.is_constant() && one.right.constant > 0) {
        more = one.does == operation::shift_right && one.right.constant < 20
                   ? 1ll << one.right.constant
                   : one.right.constant;
      }
      if (more <= most_period && to <= most_period) to = std::lcm(to, more);
    }
  }
  // The fewest trips after which the costs inside repeat; nothing if none is found.
  std::optional<long long> period(std::size_t at, int trip) const {
    long long all = 1;
    add_periods(address_, trip, all);
    if (source_) add_periods(*source_, trip, all);
    for (std::size_t item = at + 1; item < items_.size(); ++item) {
      if (items_[item].truth != nullptr) add_periods_of(items_[item].truth, trip, all);
      if (items_[item].loop < 0) continue;
      const counted_loop& inner = run_.loop(items_[item].loop);
      add_periods(inner.last, trip, all);
      add_periods(inner.first, trip, all);
    }
    for (long long times = 1; times <= std::min(all * modulus_, most_period); ++times)
      if ((all * modulus_) % times == 0 && repeats(at, trip, times)) return times;
    return {};
  }
  void add_periods_of(const condition_pointer& of, int trip, long long& to) const {
    if (of->is == condition::kind::comparison) {
      add_periods(of->left, trip, to);
      add_periods(of->right, trip, to);
    }
    for (const condition_pointer& part : of->parts) add_periods_of(part, trip, to);
  }

  // ---- loops ----

  // Trips are counted while number(lane) + unit * trip < 0, say: a limit of them is
  // ceil((lanes' number + rest) / by), if that is above 0.
  struct trip_limit {
    lane_numbers numbers = {};
    formula rest;
    long long by = 1;
    formula of_lane(int lane) const {
      const long long number = numbers[static_cast<std::size_t>(lane)];
      if (rest.is_constant()) {
        const long long below = checked_sum(rest.constant(), number);
        return below <= 0 ? 0 : (below - 1) / by + 1;
      }
      return maximum(0, ceil_divide(rest + formula(number), by));
    }
  };

  trip_limit limit_of(const form& distance, long long by) const {
    trip_limit result;
    form of_lanes, of_arguments;
    split(distance, of_lanes, of_arguments);
    result.numbers = numbers_of(of_lanes);
    result.rest = formula_of(run_, of_arguments, least_);
    result.by = by;
    return result;
  }

  trip_limit trips_of(int loop) {
    const counted_loop& of = run_.loop(loop);
    if (!of.reason.empty()) {
      if (of.test < 0) throw inexpressible{of.reason};
      if (const auto trips = trips_by_lanes(of)) return *trips;
      assume({nest_assumption::kind::equal_trips, of.where,
              "each thread goes on in the loop as often"});
      trip_limit result;
      result.rest = notes_->trips_of(loop, of.where);
      return result;
    }
    if (of.trips) {
      trip_limit result;
      result.rest = formula(*of.trips);
      return result;
    }
    const long long by = std::abs(of.step);
    if (of.is_unequal && by > 1)
      assume({nest_assumption::kind::exact_end, of.where, "the steps of the loop meet its end"});
    return limit_of((of.last - of.first) * (of.step > 0 ? 1 : -1), by);
  }

  // How often each lane goes on, if its test is of numbers alone.
  std::optional<trip_limit> trips_by_lanes(const counted_loop& of) {
    constexpr long long most = 1 << 12;
    if (of.stays == nullptr || !is_of_numbers(of.stays, of.trip)) return {};
    trip_limit result;
    result.numbers.fill(0);
    std::uint64_t lanes = threads_->live();
    for (long long number = 0; lanes != 0; ++number) {
      if (number >= most) return {};
      trips_[of.trip] = number;
      lanes = lanes_of_written(of.stays, lanes);
      for_each_lane(lanes,
                    [&](int lane) { result.numbers[static_cast<std::size_t>(lane)] = number + 1; });
    }
    trips_.erase(of.trip);
    return result;
  }
  bool is_of_numbers(const condition_pointer& of, int trip) const {
    return !has(forms_, of, [&](int number) {
      const atom& one = forms_[number];
      return one.is == atom::kind::argument || one.is == atom::kind::carried ||
             (one.is == atom::kind::trip && number != trip && trips_.count(number) == 0);
    });
  }
  // Of a condition as registers of its bits compare.
  std::uint64_t lanes_of_written(const condition_pointer& of, std::uint64_t lanes) const {
    if (of->is == condition::kind::constant) return of->holds ? lanes : 0;
    if (of->is != condition::kind::comparison) {
      const std::uint64_t left = lanes_of_written(of->parts[0], lanes),
                          right = lanes_of_written(of->parts[1], lanes);
      return of->is == condition::kind::both ? left & right : left | right;
    }
    const lane_numbers left = numbers_of(of->left), right = numbers_of(of->right);
    std::uint64_t result = 0;
    for_each_lane(lanes, [&](int lane) {
      condition now = *of;
      now.left = constant_form(left[static_cast<std::size_t>(lane)]);
      now.right = constant_form(right[static_cast<std::size_t>(lane)]);
      if (compared(forms_, now)->holds) result |= std::uint64_t{1} << lane;
    });
    return result;
  }

  // A condition inside of the loop that holds up to a trip, or from one on, as a form: it is above
  // 0 where it holds. Nothing if the trip is not a term of it.
  std::optional<form> linear_in(const nest_item& of, int trip) const {
    if (of.truth->is != condition::kind::comparison) return {};
    const sign_test what = sign_test_of(*of.truth);
    const long long factor = what.value.factor(trip);
    if (!what.is_order || factor == 0 ||
        forms_.has_atom(what.value - atom_form(trip) * factor, trip))
      return {};
    return what.value;
  }

  counts of_loop(std::size_t item, std::uint64_t lanes) {
    const nest_item one = items_[item];
    const int trip = run_.loop(one.loop).trip;
    std::vector<trip_limit> limits = {trips_of(one.loop)};
    std::vector<std::size_t> used;  // conditions that are counted here
    if (!one.after_test && !repeats_test(item, used)) limits[0] = one_more(limits[0], lanes);
    // What is the same in each trip, or repeats, is counted for one period.
    std::optional<long long> repeated = period(item, trip);
    const bool is_symbolic = !limits[0].rest.is_constant();
    const long long most = is_symbolic ? 0 : most_trips(limits[0], lanes);
    formula begins;  // the first trip
    const std::size_t tests = used.size();
    if (!repeated && (is_symbolic || most > few_trips)) {
      for (std::size_t inner = item + 1; inner < items_.size(); ++inner) {
        nest_item& other = items_[inner];
        if (other.loop >= 0 || other.is_limit || stays(other.truth, trip, 1)) continue;
        const auto value = linear_in(other, trip);
        if (!value) continue;
        const long long factor = value->factor(trip);
        const form rest = *value - atom_form(trip) * factor;
        const trip_limit limit = limit_or_nothing(rest, factor);
        if (limit.by == 0) continue;
        if (factor < 0) {
          limits.push_back(limit);
        } else {
          if (!is_equal_in(limit.numbers, lanes)) continue;
          begins = maximum(begins, limit.of_lane(std::countr_zero(lanes)));
        }
        other.is_limit = true;
        used.push_back(inner);
      }
      if (used.size() > tests) repeated = period(item, trip);
      if (!repeated && is_symbolic && assume_inside(item, trip)) repeated = period(item, trip);
    }
    if (!repeated) {
      for (; used.size() > tests; used.pop_back()) items_[used.back()].is_limit = false;
      limits.resize(1);
      begins = {};
      if (is_symbolic)
        throw inexpressible{"it differs between the iterations of the loop in line " +
                            std::to_string(run_.loop(one.loop).where.line)};
    }
    const counts result = repeated && (is_symbolic || *repeated < most || used.size() > tests)
                              ? of_period(item, lanes, trip, *repeated, limits, begins)
                              : of_each_trip(item, lanes, trip, most, limits[0]);
    for (const std::size_t inner : used) items_[inner].is_limit = false;
    trips_.erase(trip);
    return result;
  }

  // Conditions on arguments that differ between the iterations of a loop without a number, and are
  // no limit of them, are taken as true in all. True if there are any.
  bool assume_inside(std::size_t item, int trip) {
    bool result = false;
    for (std::size_t inner = item + 1; inner < items_.size(); ++inner) {
      nest_item& other = items_[inner];
      if (other.loop >= 0 || other.is_limit || !has_kind(other.truth, atom::kind::argument) ||
          stays(other.truth, trip, 1))
        continue;
      other.truth = assumed(other.truth, other.where, true);
      result = true;
    }
    return result;
  }

  // True if the loop's test is a condition of the access too, as of a `break` before it: then it is
  // executed as often as the test holds. The condition is counted with the loop.
  bool repeats_test(std::size_t item, std::vector<std::size_t>& used) {
    const counted_loop& of = run_.loop(items_[item].loop);
    if (of.stays == nullptr || of.stays->is != condition::kind::comparison) return false;
    // It was read before the range of the trips was known.
    condition test = *of.stays;
    test.left = forms_.replaced(test.left, {});
    test.right = forms_.replaced(test.right, {});
    const auto is_same = [&](const condition& other) {
      const sign_test a = sign_test_of(test), b = sign_test_of(other);
      return test.is_signed == other.is_signed && a.value == b.value && a.is_order == b.is_order &&
             a.is_equal == b.is_equal;
    };
    for (std::size_t inner = item + 1; inner < items_.size(); ++inner) {
      nest_item& one = items_[inner];
      if (one.loop >= 0 || one.is_limit || one.truth->is != condition::kind::comparison ||
          !is_same(*one.truth))
        continue;
      one.is_limit = true;
      used.push_back(inner);
      return true;
    }
    return false;
  }

  // Before the test of a loop there is one more iteration.
  trip_limit one_more(const trip_limit& of, std::uint64_t lanes) const {
    trip_limit result = of;
    // max(0, ceil(x / by)) + 1 is max(0, ceil((x + by) / by)) where x is not below -by.
    if (!is_symbolic_end(of)) {
      for_each_lane(lanes, [&](int lane) {
        const formula trips = of.of_lane(lane) + formula(1);
        result.numbers[static_cast<std::size_t>(lane)] = trips.constant();
      });
      result.rest = {};
      result.by = 1;
      return result;
    }
    long long least = 0;
    for_each_lane(lanes, [&](int lane) {
      const long long its = of.numbers[static_cast<std::size_t>(lane)];
      least = lane == std::countr_zero(lanes) ? its : std::min(least, its);
    });
    if ((of.rest + formula(least)).range().least > -of.by) {
      result.rest = of.rest + formula(of.by);
      return result;
    }
    if (!is_equal_in(of.numbers, lanes))
      throw inexpressible{"a loop whose iterations before its end differ between threads"};
    result.rest = of.of_lane(std::countr_zero(lanes)) + formula(1);
    result.numbers.fill(0);
    result.by = 1;
    return result;
  }
  static bool is_symbolic_end(const trip_limit& of) { return !of.rest.is_constant(); }

  trip_limit limit_or_nothing(const form& rest, long long factor) const {
    trip_limit result;
    result.by = 0;
    try {
      // factor < 0: trip < rest / -factor, rounded up. Else trip > -rest / factor, which is from
      // (1 - rest) / factor on, rounded up.
      if (factor < 0) return limit_of(rest, -factor);
      return limit_of(constant_form(1) - rest, factor);
    } catch (const inexpressible&) {
      return result;
    }
  }

  static bool is_equal_in(const lane_numbers& of, std::uint64_t lanes) {
    const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
    bool result = true;
    for_each_lane(lanes, [&](int lane) {
      result = result && of[static_cast<std::size_t>(lane)] == of[first];
    });
    return result;
  }

  static long long most_trips(const trip_limit& of, std::uint64_t lanes) {
    long long result = 0;
    for_each_lane(lanes, [&](int lane) { result = std::max(result, of.of_lane(lane).constant()); });
    return result;
  }

  counts of_each_trip(std::size_t item, std::uint64_t lanes, int trip, long long most,
                      const trip_limit& limit) {
    lane_numbers last = {};
    for_each_lane(lanes, [&](int lane) {
      last[static_cast<std::size_t>(lane)] = limit.of_lane(lane).constant();
    });
    counts_sum sum;
    for (long long number = 0; number < most; ++number) {
      std::uint64_t active = 0;
      for_each_lane(lanes, [&](int lane) {
        if (number < last[static_cast<std::size_t>(lane)]) active |= std::uint64_t{1} << lane;
      });
      trips_[trip] = number;
      if (number >= most_requests) throw inexpressible{"too many different iterations"};
      sum.add(counted(item + 1, active));
    }
    return sum.total();
  }

  // Lanes leave in the order of their trips: while those of `active` are there, it costs as much as
  // with them, up to the trips of the next ones.
  counts of_period(std::size_t item, std::uint64_t lanes, int trip, long long repeated,
                   const std::vector<trip_limit>& limits, const formula& begins) {
    const std::vector<leaving_lanes> all = in_order(lanes, limits);
    const auto times_of = [&](const leaving_lanes& leaving, long long first) {
      const auto with_remainder = [&](const formula& below) {
        return ceil_divide(below - formula(first), repeated);
      };
      formula result = with_remainder(leaving.trips);
      if (!(begins == formula())) result = result - with_remainder(minimum(begins, leaving.trips));
      return result;
    };
    counts_sum sum;
    for (long long first = 0; first < repeated; ++first) {
      trips_[trip] = first;
      if (machine_ == nullptr) {
        // Requests that no thread makes are not looked at.
        for (std::size_t number = 0; number < all.size(); ++number) {
          formula alone = times_of(all[number], first);
          if (number + 1 < all.size()) alone = alone - times_of(all[number + 1], first);
          if (alone.constant() != 0) sum.add(counted(item + 1, all[number].active) * alone);
        }
        continue;
      }
      counts before;
      for (const leaving_lanes& leaving : all) {
        const counts now = counted(item + 1, leaving.active);
        const formula times = times_of(leaving, first);
        sum.add((now - before) * times);
        before = now;
      }
    }
    return sum.total();
  }

  // The lanes that are there until the next ones leave, and the trips of those that leave then.
  struct leaving_lanes {
    std::uint64_t active = 0;
    formula trips;
  };
  // Error (inexpressible): they leave in an order that differs between the limits.
  static std::vector<leaving_lanes> in_order(std::uint64_t lanes,
                                             const std::vector<trip_limit>& limits) {
    std::vector<int> order;
    for_each_lane(lanes, [&](int lane) { order.push_back(lane); });
    const auto number = [&](const trip_limit& of, int lane) {
      return of.numbers[static_cast<std::size_t>(lane)];
    };
    std::stable_sort(order.begin(), order.end(), [&](int one, int other) {
      for (const trip_limit& limit : limits)
        if (number(limit, one) != number(limit, other))
          return number(limit, one) > number(limit, other);
      return false;
    });
    std::vector<leaving_lanes> result;
    std::uint64_t active = 0;
    for (std::size_t at = 0; at < order.size();) {
      const int lane = order[at];
      std::size_t next = at;
      const auto is_same = [&](int other) {
        return std::all_of(limits.begin(), limits.end(), [&](const trip_limit& limit) {
          return number(limit, lane) == number(limit, other);
        });
      };
      for (; next < order.size() && is_same(order[next]); ++next)
        active |= std::uint64_t{1} << order[next];
      if (next < order.size())
        for (const trip_limit& limit : limits)
          if (number(limit, order[next]) > number(limit, lane))
            throw inexpressible{"threads that leave a loop in an order that differs"};
      formula trips = limits[0].of_lane(lane);
      for (std::size_t more = 1; more < limits.size(); ++more)
        trips = minimum(trips, limits[more].of_lane(lane));
      result.push_back({active, trips});
      at = next;
    }
    return result;
  }

  // ---- costs ----

  counts cost_of_request(std::uint64_t lanes) {
    const bool is_last = notes_ == nullptr ? --*left_ < 0 : notes_->count_request() > most_of_all;
    if (++requests_ > most_requests || is_last) throw inexpressible{"too many different requests"};
    const memory_access& memory = access_.does->memory;
    const std::uint64_t active =
        memory.matrices > 0 ? lanes & low_bits(8 * memory.matrices) : lanes;
    if (active == 0) return {};
    if (machine_ == nullptr) return collected_request(active);
    if (is_bounded_) return bounds_of_request(active);
    form of_lanes, of_arguments;
    split(address_, of_lanes, of_arguments);
    for (const auto& [number, factor] : of_arguments.factors)
      if (factor % modulus_ != 0)
        throw inexpressible{"its place in a bank depends on the argument '" +
                            argument_in(run_, atom_form(number)) + "'"};
    const lane_numbers address = numbers_of(of_lanes);
    if (is_copied_) return copy_of_request(active, address);
    const bm::cost cost = is_global_
                              ? traffic_price(active, address)
                              : price(active, address, is_moved_ || !of_arguments.factors.empty());
    note_cost(cost);
    const auto number = [](std::uint64_t value) { return formula(static_cast<long long>(value)); };
    return {number(cost.requests), number(cost.wavefronts), number(cost.ideal), 0};
  }

  counts collected_request(std::uint64_t active) {
    const lane_numbers all = numbers_of(address_);
    repeated_request made{active, {}, {}, 0};
    for_each_lane(active, [&](int lane) { made.address[at(lane)] = all[at(lane)]; });
    if (wants_one_) {
      if (!one_) one_ = all[at(std::countr_zero(active))];
      for_each_lane(active, [&](int lane) {
        if (all[at(lane)] != *one_) throw different_addresses{};
      });
    }
    if (source_) {
      const lane_numbers from = numbers_of(*source_);
      long long first = std::numeric_limits<long long>::max();
      for_each_lane(active, [&](int lane) { first = std::min(first, from[at(lane)]); });
      if (first < 0) throw inexpressible{"an address below 0"};
      first = first / copied_from * copied_from;
      for_each_lane(active, [&](int lane) { made.source[at(lane)] = from[at(lane)] - first; });
    }
    const auto [found, is_new] = numbers_.try_emplace({active, made.address, made.source},
                                                      static_cast<int>(collected_.size()));
    if (is_new) collected_.push_back(made);
    return {{}, {}, {}, {}, {{found->second, 1}}};
  }

  // Error (inexpressible): addresses may be in the next array.
  void require_one_array() const {
    const value_range range = forms_.range_of(address_);
    const int number = global_number(static_cast<std::uint64_t>(range.least));
    if (number < 0 || number != global_number(static_cast<std::uint64_t>(range.most)))
      throw inexpressible{"an address that may be in several arrays"};
  }

  void note_cost(const bm::cost& cost) {
    if (!each_)
      each_ = cost;
    else if (!(*each_ == cost))
      differs_ = true;
  }

  // Requests that are equally far apart cost the same where they have one residue.
  const bm::cost& price(std::uint64_t active, const lane_numbers& address, bool is_moved) {
    const auto first = address[static_cast<std::size_t>(std::countr_zero(active))];
    const long long width =
        (request_.bytes & (request_.bytes - 1)) == 0 ? request_.bytes : access_.does->memory.bytes;
    bm::request_class made;
    made.lanes = request_;
    made.lanes.active = active;
    long long lowest = 0;
    std::vector<long long> key = {static_cast<long long>(active)};
    for_each_lane(active, [&](int lane) {
      const long long its = address[static_cast<std::size_t>(lane)] - first;
      made.lanes.address[lane] = its;
      lowest = std::min(lowest, its);
      key.push_back(its);
    });
    const long long total = static_cast<long long>(run_.shared().total);
    if (!is_moved && total > 0)
      for_each_lane(active, [&](int lane) {
        const long long its = address[static_cast<std::size_t>(lane)];
        if (its < 0 || (its + request_.bytes > total && !has_dynamic()))
          throw inexpressible{"an access outside the arrays in shared memory"};
        if (its % width != 0) throw inexpressible{"an access that is not aligned"};
      });
    const long long period = std::lcm(modulus_, width);
    long long base = ((first % period) + period) % period;
    if (is_moved) base = modulus_ <= width ? 0 : base / width * width;
    key.push_back(base);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const long long up = std::lcm(period, 4096ll);
    made.base = base + (-lowest + up - 1) / up * up;
    try {
      return known_[key] = bm::total(*machine_, made);
    } catch (const bm::error& why) {
      throw inexpressible{why.what()};
    }
  }
  // Of cp.async: its source is in no form, and may be slower.
  counts copy_of_request(std::uint64_t active, const lane_numbers& address) {
    recorded_class made;
    made.lanes = request_;
    made.lanes.active = active;
    const long long first = address[static_cast<std::size_t>(std::countr_zero(active))];
    for_each_lane(active, [&](int lane) {
      made.lanes.address[lane] = address[static_cast<std::size_t>(lane)] - first;
    });
    made.times[((first % copied_from) + copied_from) % copied_from] = 1;
    bm::copy_cost cost;
    try {
      cost = copied_on(*machine_, made);
    } catch (const bm::error& why) {
      throw inexpressible{why.what()};
    }
    has_unknown_source_ = has_unknown_source_ || !cost.is_known();
    note_cost(cost.at_least());
    const auto number = [](std::uint64_t value) { return formula(static_cast<long long>(value)); };
    return {1, number(cost.least), number(cost.ideal), number(cost.most)};
  }
  bool has_dynamic() const {
    return std::any_of(kernel_.shared.begin(), kernel_.shared.end(),
                       [](const code_array& one) { return one.bytes == 0; });
  }

  counts bounds_of_request(std::uint64_t active) {
    bm::request lanes = request_;
    lanes.active = active;
    const auto [least, most] = limits_of_unknown(*machine_, lanes);
    const formula fewest(static_cast<long long>(least));
    return {1, fewest, fewest, formula(static_cast<long long>(most))};
  }

  // Of global memory: transactions.
  const bm::cost& traffic_price(std::uint64_t active, const lane_numbers& address) {
    bm::request made = request_;
    made.active = active;
    const long long first = address[static_cast<std::size_t>(std::countr_zero(active))];
    const long long base = ((first % modulus_) + modulus_) % modulus_;
    std::vector<long long> key = {static_cast<long long>(active), base};
    long long lowest = 0;
    for_each_lane(active, [&](int lane) {
      const long long its = address[static_cast<std::size_t>(lane)] - first;
      made.address[lane] = its + base;
      lowest = std::min(lowest, its + base);
      key.push_back(its);
    });
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const long long up = (-lowest + modulus_ - 1) / modulus_ * modulus_;
    for (long long& each : made.address) each += up;
    try {
      const bm::memory_traffic traffic = bm::traffic(met_by(access_.does->memory, *machine_), made);
      return known_[key] = {traffic.requests, traffic.transactions, traffic.ideal, 0};
    } catch (const bm::error& why) {
      throw inexpressible{why.what()};
    }
  }

  const kernel_code& kernel_;
  const launch& how_;
  const bm::machine* machine_;
  symbolic_run& run_;
  form_table& forms_;
  const symbolic_access& access_;
  const bool is_global_;
  const std::set<std::string>* conditions_;  // on arguments, as JSON of their factors
  nest_notes* notes_;

  std::vector<nest_item> items_;
  std::map<std::string, formula> factors_;  // by their texts
  least_numbers least_;
  bm::request request_;
  form address_;
  std::string unknown_address_;
  bool is_bounded_ = false, is_moved_ = false, is_copied_ = false, has_unknown_source_ = false;
  long long modulus_ = 1;

  std::optional<thread_numbers> threads_;  // of the present warp
  trip_numbers trips_;                     // of the loops around
  long long requests_ = 0;
  std::map<std::vector<long long>, bm::cost> known_;
  std::optional<bm::cost> each_;
  bool differs_ = false;

  // Of requests that are collected.
  long long* left_ = nullptr;
  bool wants_one_ = false;
  std::optional<long long> one_;
  std::vector<repeated_request> collected_;
  std::optional<form> source_;
  std::map<std::tuple<std::uint64_t, lane_numbers, lane_numbers>, int> numbers_;  // in `collected_`
};

}  // namespace

argument_condition argument_condition_of(const symbolic_run& run, const condition& of) {
  const sign_test what = sign_test_of(of);
  const formula value = formula_of(run, what.value);
  const formula holds = what.is_order ? is_positive(value) : is_not_zero(value);
  return {what.is_equal ? formula(1) - holds : holds,
          condition_text(value, what.is_order, !what.is_equal), what.is_order};
}

bool is_of_arguments_alone(const form_table& forms, const condition& of) {
  const form value = of.right - of.left;
  return forms.has_kind(value, atom::kind::argument) &&
         !forms.has_kind(value, atom::kind::thread) && !forms.has_kind(value, atom::kind::trip);
}

memory_kind memory_of(const symbolic_access& one, const std::vector<bool>& may_be_shared) {
  const memory_access& memory = one.does->memory;
  if (is_shared_only(memory)) return memory_kind::shared;
  if (memory.memory != memory_kind::generic) return memory_kind::global;
  if (!one.reason.empty())
    return may_access_shared(*one.does, may_be_shared) ? memory_kind::shared : memory_kind::global;
  const long long window = (one.address.constant + static_cast<long long>(shared_window / 2)) >> 56;
  return window == 1 ? memory_kind::shared : window == 0 ? memory_kind::global : memory_kind::local;
}

void count_access(const nest_access& of, const bm::machine& m,
                  const std::set<std::string>& conditions, nest_notes& notes,
                  const std::string& unknown_address, counted_access& to) {
  access_counter(of, &m, &conditions, &notes).count(to, unknown_address);
}

std::vector<repeated_request> requests_of(const nest_access& of, long long& left) {
  return access_counter(of).collected(left);
}

std::optional<long long> only_address(const nest_access& of, long long& left) {
  try {
    const std::vector<repeated_request> all = access_counter(of).collected(left, true);
    if (all.empty()) return std::nullopt;
    return all.front().address[at(std::countr_zero(all.front().active))];
  } catch (const access_counter::different_addresses&) {
    return std::nullopt;
  }
}

}  // namespace compiled
