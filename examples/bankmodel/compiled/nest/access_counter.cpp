// SPDX-License-Identifier: MIT
#include "access_counter.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/global/transactions.hpp>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "../code/control_flow.hpp"
#include "../page/priced.hpp"

namespace compiled {

namespace {

using bm::operation;

// Requests that are looked at: of one access, and of all.
constexpr long long most_requests = 1 << 16, most_of_all = 1 << 19;
constexpr long long most_trips_looked_at = 4 * most_requests;  // of all loops of an access
// What only an equal address is the same as.
constexpr long long no_modulus = 1ll << 40;
constexpr long long most_period = 1 << 12;
constexpr int few_trips = 8;  // fewer are looked at one by one

struct counts {
  formula requests, wavefronts, ideal, maximum;
  std::map<int, long long> times = {};  // of requests, where these are collected

  bool is_zero() const {
    const formula zero;
    return requests == zero && wavefronts == zero && ideal == zero && maximum == zero &&
           times.empty();
  }
};
void add_times(const std::map<int, long long>& addition, std::map<int, long long>& sum) {
  for (const auto& [request, times] : addition) {
    long long& count = sum[request];
    count = checked_sum(count, times);
  }
}
counts operator+(const counts& a, const counts& b) {
  counts result = {a.requests + b.requests, a.wavefronts + b.wavefronts, a.ideal + b.ideal,
                   a.maximum + b.maximum, a.times};
  add_times(b.times, result.times);
  return result;
}
// Requires: a constant, where requests are collected.
counts operator*(const counts& a, const formula& factor) {
  counts result = {a.requests * factor, a.wavefronts * factor, a.ideal * factor, a.maximum * factor,
                   a.times};
  for (auto& [request, times] : result.times) times = checked_product(times, factor.constant());
  return result;
}
class counts_sum {
 public:
  void add(const counts& addition) {
    requests_.add(addition.requests);
    wavefronts_.add(addition.wavefronts);
    ideal_.add(addition.ideal);
    maximum_.add(addition.maximum);
    add_times(addition.times, times_);
  }
  counts total() const {
    return {requests_.total(), wavefronts_.total(), ideal_.total(), maximum_.total(), times_};
  }

 private:
  formula_sum requests_, wavefronts_, ideal_, maximum_;
  std::map<int, long long> times_;
};
counts operator-(const counts& a, const counts& b) { return a + b * formula(-1); }

// A loop or a condition of a path, in one list.
struct nest_item {
  int loop = -1;
  bool after_test = false;
  condition_pointer truth;  // a comparison, or a `disjunction`
  place location = {};
  bool is_limit = false;  // it limits the trips of a loop around it, and is counted there
};

// right - left of a comparison as a form that is above 0 where it holds; of an equality it is 0.
struct sign_test {
  form value;
  bool is_order = true, is_equal = false;
};
sign_test sign_test_of(const condition& comparison) {
  switch (comparison.relation) {
    case operation::less: return {comparison.right - comparison.left, true, false};
    case operation::less_equal:
      return {comparison.right - comparison.left + constant_form(1), true, false};
    default:
      return {comparison.right - comparison.left, false, comparison.relation == operation::equal};
  }
}

// What is not counted, with its reason, is thrown as inexpressible.
class access_counter {
 public:
  // Without a machine, conditions and notes requests are collected.
  explicit access_counter(const nest_access& site, const bm::machine* m = nullptr,
                          const std::set<std::string>* conditions = nullptr,
                          nest_notes* notes = nullptr)
      : kernel_(site.kernel),
        settings_(site.settings),
        machine_(m),
        run_(site.run),
        forms_(site.run.forms()),
        access_(site.access),
        is_global_(site.is_global),
        conditions_(conditions),
        notes_(notes) {}

  // `unknown_address`: why the addresses are taken as unknown; empty if they are not.
  void count(counted_access& result, const std::string& unknown_address) {
    unknown_address_ = unknown_address;
    run_.enter(access_.path);
    set_request(result);
    flatten();
    set_modulus();
    if (is_global_) set_arguments();
    result.has_known_addresses = has_known_addresses();
    if (!is_bounded_) set_moved();
    counts_sum warps;
    for (int warp = 0; warp < warps_of(kernel_, settings_); ++warp) {
      threads_.emplace(kernel_, settings_, warp);
      warps.add(counted(0, threads_->live()));
    }
    const counts sum = warps.total();
    formula executed(1);
    for (const auto& [text, factor] : factors_) {
      executed = executed * factor;
      result.under.push_back(text);
    }
    result.requests = sum.requests * executed;
    result.wavefronts = sum.wavefronts * executed;
    result.ideal = sum.ideal * executed;
    result.is_possible = !access_.path.reason.empty();
    result.has_bounds = is_bounded_ || result.is_possible || has_unknown_source_;
    if (result.has_bounds)
      result.maximum = (is_bounded_ || is_copied_ ? sum.maximum : sum.wavefronts) * executed;
    if (has_unknown_source_)
      result.reason = "the source of a copy in global memory decides about its cost too";
    if (result.is_possible) {
      result.reason = access_.path.reason;
      result.wavefronts = result.ideal = {};
    }
    if (!is_bounded_ && !has_unknown_source_ && !differs_) result.request_cost = request_cost_;
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
    if (access_.code->memory.operation == access_does::copy && !is_global_) {
      if (!access_.source_reason.empty()) throw inexpressible{access_.source_reason};
      source_ = access_.source;
    }
    if (is_global_) require_one_array();
    counts sum;
    for (int warp = 0; warp < warps_of(kernel_, settings_); ++warp) {
      threads_.emplace(kernel_, settings_, warp);
      add_times(counted(0, threads_->live()).times, sum.times);
    }
    std::vector<repeated_request> result;
    for (const auto& [request, times] : sum.times) {
      if (times == 0) continue;
      result.push_back(collected_[slot(request)]);
      result.back().times = static_cast<std::uint64_t>(times);
    }
    return result;
  }

 private:
  // Error (inexpressible): requests are collected, which assume nothing.
  void assume(const nest_assumption& assumption) {
    if (notes_ == nullptr) throw inexpressible{"what is not known decides about it"};
    notes_->assume(assumption);
  }

  // ---- the path ----

  void flatten() {
    for (const path_item& item : access_.path.items) {
      if (item.loop >= 0)
        items_.push_back({item.loop, item.after_test, nullptr});
      else
        add_condition(item.truth, item.location);
    }
    for (const nest_item& item : items_)
      if (item.loop < 0) find_reaches(item.truth);
    for (nest_item& item : items_)
      if (item.loop < 0) use_condition(item);
  }
  // What is taken away from the last place, as r in x < width - r, is how far accesses reach.
  void find_reaches(const condition_pointer& truth) {
    for (const condition_pointer& part : truth->parts) find_reaches(part);
    if (truth->is != condition::kind::comparison || !truth->has_block_index) return;
    for (const form* const side : {&truth->left, &truth->right})
      if (!forms_.has_kind(*side, atom::kind::thread))
        for (const auto& [number, factor] : side->factors)
          if (factor < 0 && forms_[number].is == atom::kind::argument) reaches_.insert(number);
  }
  void add_condition(const condition_pointer& truth, const place& position) {
    if (truth->is == condition::kind::conjunction)
      for (const condition_pointer& part : truth->parts) add_condition(part, position);
    else
      items_.push_back({-1, false, truth, position.line > 0 ? position : access_.code->location});
  }

  bool has_kind(const condition_pointer& truth, atom::kind kind) const {
    return has(forms_, truth, [&](int number) { return forms_[number].is == kind; });
  }
  bool is_symbolic_loop(int loop) const {
    const counted_loop& loop_data = run_.loop(loop);
    if (!loop_data.reason.empty())
      return loop_data.stays == nullptr || has(forms_, loop_data.stays, [&](int number) {
               const atom& term = forms_[number];
               return term.is == atom::kind::argument || term.is == atom::kind::carried ||
                      (term.is == atom::kind::trip && number != loop_data.trip &&
                       is_symbolic_loop(term.number));
             });
    if (loop_data.trips) return false;
    const form distance = loop_data.last - loop_data.first;
    return forms_.has(distance, [&](int number) {
      const atom& term = forms_[number];
      return term.is == atom::kind::argument ||
             (term.is == atom::kind::trip && is_symbolic_loop(term.number));
    });
  }
  bool has_symbolic_trip(const condition_pointer& truth) const {
    return has(forms_, truth, [&](int number) {
      return forms_[number].is == atom::kind::trip && is_symbolic_loop(forms_[number].number);
    });
  }

  // Conditions on arguments alone become factors; those of which arguments decide for threads or
  // trips are taken as true for all, or as false where their opposite is.
  void use_condition(nest_item& item) {
    if (!has_kind(item.truth, atom::kind::argument)) return;
    if (is_left_out(*item.truth)) {
      item.truth = constant_condition(true);
      return;
    }
    if (conditions_ == nullptr) throw inexpressible{"a branch on an argument that nobody gave"};
    if (item.truth->is == condition::kind::comparison &&
        is_of_arguments_alone(forms_, *item.truth)) {
      const argument_condition argument_test = argument_condition_of(run_, *item.truth);
      // A guard without another arm is taken as true.
      const bool has_other_arm =
          conditions_->count((formula(1) - argument_test.factor).json()) > 0 ||
          !argument_test.is_order;
      raise_least(*item.truth);
      if (!has_other_arm && holds_for_large_arguments(forms_, *item.truth))
        assume({nest_assumption::kind::condition, item.location, argument_test.text});
      else if (!(argument_test.factor == formula(1)))
        factors_[argument_test.text] = argument_test.factor;
      item.truth = constant_condition(true);
      return;
    }
    if (item.truth->is == condition::kind::comparison && has_symbolic_trip(item.truth) &&
        !interior_truth(*item.truth))
      return;
    item.truth = assumed(item.truth, item.location);
  }

  // As holds_in_interior(). None: the argument that limits the threads' places ends a loop whose
  // trips move them too, which says more.
  std::optional<bool> interior_truth(const condition& comparison) const {
    const std::optional<bool> result = holds_in_interior(forms_, comparison);
    if (!result) return std::nullopt;
    const bool is_left = forms_.has_kind(comparison.left, atom::kind::thread);
    const form& limit = is_left ? comparison.right : comparison.left;
    // The first place from which nothing before the array is reached.
    const bool is_reach = std::ranges::all_of(
        limit.factors, [&](const auto& entry) { return reaches_.count(entry.first) > 0; });
    if (!limit.is_constant() && is_reach) return !is_left;
    const auto ends_with_limit = [&](const form& end) {
      return forms_.has(end, [&](int number) {
        return forms_[number].is == atom::kind::argument && forms_.has_atom(limit, number);
      });
    };
    for (const form* const side : {&comparison.left, &comparison.right})
      if (forms_.has(*side, [&](int number) {
            if (forms_[number].is != atom::kind::trip) return false;
            const counted_loop& loop = run_.loop(forms_[number].number);
            return ends_with_limit(loop.first) || ends_with_limit(loop.last);
          }))
        return std::nullopt;
    return result;
  }

  // True of the condition of an exit that is left out of a loop around.
  bool is_left_out(const condition& comparison) const {
    if (comparison.is != condition::kind::comparison) return false;
    const sign_test test = sign_test_of(comparison);
    for (const nest_item& outer : items_) {
      if (outer.loop < 0) continue;
      for (const path_item& assumed_item : run_.loop(outer.loop).assumed) {
        const sign_test other = sign_test_of(*assumed_item.truth);
        if (other.is_order == test.is_order && other.is_equal == test.is_equal &&
            forms_.replaced(other.value, {}) == test.value)
          return true;
      }
    }
    return false;
  }

  // The condition with its comparisons of arguments replaced by what is taken as true.
  condition_pointer assumed(const condition_pointer& truth, const place& position,
                            bool in_all_trips = false) {
    if (truth->is == condition::kind::constant || !has_kind(truth, atom::kind::argument))
      return truth;
    if (truth->is != condition::kind::comparison) {
      const condition_pointer left = assumed(truth->parts[0], position, in_all_trips),
                              right = assumed(truth->parts[1], position, in_all_trips);
      return truth->is == condition::kind::conjunction ? conjunction(left, right)
                                                       : disjunction(left, right);
    }
    if (is_of_arguments_alone(forms_, *truth) &&
        conditions_->count((formula(1) - argument_condition_of(run_, *truth).factor).json()) > 0)
      throw inexpressible{"a condition on an argument beside one on threads"};
    const std::optional<bool> in_interior = interior_truth(*truth);
    if (!in_all_trips && !in_interior && has_symbolic_trip(truth))
      throw inexpressible{"a condition that a loop's end decides"};
    const bool holds = in_interior.value_or(holds_for_large_arguments(forms_, *truth));
    if (holds) raise_least(*truth);
    assume({nest_assumption::kind::condition, position,
            text_of(run_, holds ? truth : opposite(truth))});
    return constant_condition(holds);
  }

  // An argument that is above something for all threads is at least one more than the most of it.
  void raise_least(const condition& comparison) {
    const sign_test test = sign_test_of(comparison);
    int argument = -1;
    if (!test.is_order) return;
    for (const auto& [number, factor] : test.value.factors) {
      const atom& term = forms_[number];
      const bool is_argument = term.is == atom::kind::argument && factor == 1 && argument < 0;
      if (is_argument) argument = number;
      if (!is_argument && (term.is != atom::kind::thread || term.number > 2)) return;
    }
    if (argument < 0) return;
    const long long lowest = forms_.range_of(test.value - atom_form(argument)).lowest;
    const long long highest = run_.symbols()[slot(forms_[argument].number)].range.highest;
    if (1 - lowest > highest) return;
    long long& bound = minima_.emplace(argument, 0).first->second;
    bound = std::max(bound, 1 - lowest);
  }

  // ---- the request ----

  void set_request(counted_access& result) {
    const memory_access& memory = access_.code->memory;
    request_.bytes = bytes_as_written(memory);
    request_.kind = kind_of(memory, is_global_);
    if (!is_global_ && memory.operation == access_does::copy && machine_ != nullptr) {
      is_copied_ = is_copy_on(*machine_, memory);
      if (!is_copied_) request_.kind = bm::access_kind::store;
    }
    address_ = access_.address + constant_form(memory.offset);
    if (unknown_address_.empty()) unknown_address_ = access_.reason;
    is_bounded_ = !unknown_address_.empty();
    if (is_bounded_ && is_global_) throw inexpressible{unknown_address_};
    if (is_bounded_) result.reason = unknown_address_;
    if (is_global_ || is_bounded_) return;
    constexpr auto window = static_cast<long long>(shared_window);
    if (address_.constant > window / 2) address_ = address_ - constant_form(window);
  }

  bool has_known_addresses() const {
    constexpr int last_of_thread = 2;  // of threadIdx
    return !is_global_ && !is_bounded_ && !forms_.has(address_, [&](int number) {
      const atom& term = forms_[number];
      switch (term.is) {
        case atom::kind::operation: return false;
        case atom::kind::thread: return term.number > last_of_thread;
        case atom::kind::trip: return is_symbolic_loop(term.number);
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
      const form part = atom_form(number);
      if (factor % modulus_ == 0 && forms_.has(part, is_open) &&
          !forms_.has_kind(part, atom::kind::thread) &&
          (forms_[number].is != atom::kind::trip || is_symbolic_loop(forms_[number].number)))
        is_moved_ = true;
      else
        rest = rest + part * factor;
    }
    address_ = rest;
  }

  // Of global memory: arguments are numbers whose rows do not overlap.
  void set_arguments() {
    form_table::replacement replacements;
    (void)forms_.has(address_, [&](int number) {
      if (forms_[number].is == atom::kind::argument)
        replacements[number] = constant_form(4096ll * (2 * forms_[number].number + 3));
      return false;
    });
    if (has_quotient_of_argument(address_))
      throw inexpressible{"its address has a quotient or bits of an argument"};
    for (const auto& [number, value] : replacements)
      assume({nest_assumption::kind::aligned_rows, {}, argument_in(run_, atom_form(number))});
    address_ = forms_.replaced(address_, replacements);
  }
  bool has_quotient_of_argument(const form& value) const {
    for (const auto& [number, factor] : value.factors) {
      const atom& term = forms_[number];
      if (term.is != atom::kind::operation ||
          !forms_.has_kind(atom_form(number), atom::kind::argument))
        continue;
      if (term.operation != operation::multiply || has_quotient_of_argument(term.left) ||
          has_quotient_of_argument(term.right))
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

  lane_numbers numbers_of(const form& value) const {
    return threads_->evaluate(forms_, value, trips_);
  }

  // A form as a part of threads and trips, and one of arguments.
  // Error (inexpressible): a product of both, and the like.
  void split(const form& value, form& of_lanes, form& of_arguments) const {
    of_lanes = constant_form(value.constant);
    of_arguments = {};
    for (const auto& [number, factor] : value.factors) {
      const form part = atom_form(number);
      if (!forms_.has_kind(part, atom::kind::argument))
        of_lanes = of_lanes + part * factor;
      else if (!forms_.has_kind(part, atom::kind::thread) &&
               !forms_.has_kind(part, atom::kind::trip))
        of_arguments = of_arguments + part * factor;
      else
        throw inexpressible{"threads or iterations times the argument '" + argument_in(run_, part) +
                            "'"};
    }
  }

  // ---- the recursion ----

  counts counted(std::size_t item, std::uint64_t lanes) {
    if (lanes == 0) return {};
    if (item == items_.size()) return cost_of_request(lanes);
    const nest_item& current = items_[item];
    if (current.loop >= 0) return of_loop(item, lanes);
    if (current.is_limit) return counted(item + 1, lanes);
    return counted(item + 1, lanes & lanes_of(current.truth, lanes));
  }

  std::uint64_t lanes_of(const condition_pointer& truth, std::uint64_t lanes) const {
    if (truth->is == condition::kind::constant) return truth->holds ? lanes : 0;
    if (truth->is == condition::kind::conjunction)
      return lanes_of(truth->parts[0], lanes) & lanes_of(truth->parts[1], lanes);
    if (truth->is == condition::kind::disjunction)
      return lanes_of(truth->parts[0], lanes) | lanes_of(truth->parts[1], lanes);
    const sign_test test = sign_test_of(*truth);
    if (forms_.has_kind(test.value, atom::kind::argument))
      throw inexpressible{"a condition that depends on an argument"};
    const lane_numbers value = numbers_of(test.value);
    std::uint64_t result = 0;
    for_each_lane(lanes, [&](int lane) {
      const long long number = value[slot(lane)];
      if (test.is_order ? number > 0 : (number == 0) == test.is_equal)
        result |= std::uint64_t{1} << lane;
    });
    return result;
  }

  // How much a form grows when a loop goes on `times` times, if that is the same each time.
  std::optional<long long> growth(const form& value, int trip, long long times) const {
    long long result = 0;
    for (const auto& [number, factor] : value.factors) {
      const auto increase = growth_of_atom(number, trip, times);
      if (!increase) return {};
      result = checked_sum(result, checked_product(*increase, factor));
    }
    return result;
  }
  std::optional<long long> growth_of_atom(int number, int trip, long long times) const {
    if (number == trip) return times;
    const atom& term = forms_[number];
    if (term.is != atom::kind::operation) return 0;
    const auto left = growth(term.left, trip, times), right = growth(term.right, trip, times);
    if (!left || !right) return {};
    if (*left == 0 && *right == 0) return 0;
    const bool divides = term.right.is_constant() && term.right.constant > 0;
    const auto keeps_bits = [&](const form& unchanged, long long increase) {
      const value_range range = forms_.range_of(unchanged);
      return range.lowest >= 0 && range.highest < unbounded / 2 &&
             increase % (all_bits_of(range.highest) + 1) == 0;
    };
    switch (term.operation) {
      case operation::remainder:
        if (divides && *left % term.right.constant == 0) return 0;
        return {};
      case operation::divide:
        if (divides && *left % term.right.constant == 0) return *left / term.right.constant;
        return {};
      case operation::shift_right:
        if (!divides || term.right.constant > 40 || *left % (1ll << term.right.constant) != 0)
          return {};
        return *left / (1ll << term.right.constant);
      case operation::bit_or:
      case operation::bit_xor:
        if (*left == 0 && keeps_bits(term.left, *right)) return *right;
        if (*right == 0 && keeps_bits(term.right, *left)) return *left;
        return {};
      case operation::bit_and:
        if (*left == 0 && keeps_bits(term.left, *right)) return 0;
        if (*right == 0 && keeps_bits(term.right, *left)) return 0;
        return {};
      default: return {};
    }
  }
  bool stays(const form& value, int trip, long long times) const {
    try {
      return growth(value, trip, times) == 0;
    } catch (const inexpressible&) {
      return false;
    }
  }
  bool stays(const condition_pointer& truth, int trip, long long times) const {
    if (truth->is == condition::kind::comparison)
      return stays(truth->right - truth->left, trip, times);
    return std::all_of(truth->parts.begin(), truth->parts.end(),
                       [&](const condition_pointer& part) { return stays(part, trip, times); });
  }

  // True if what is inside of item `outer` costs the same after `times` more trips.
  bool repeats(std::size_t outer, int trip, long long times) const {
    for (std::size_t item = outer + 1; item < items_.size(); ++item) {
      const nest_item& current = items_[item];
      if (current.loop < 0 && !current.is_limit && !stays(current.truth, trip, times)) return false;
      if (current.loop < 0) continue;
      const counted_loop& inner = run_.loop(current.loop);
      if (!inner.reason.empty() && inner.stays != nullptr && !stays(inner.stays, trip, times))
        return false;
      if (inner.has_bounds && !stays(inner.last - inner.first, trip, times)) return false;
    }
    if (is_bounded_) return true;
    try {
      const auto increase = growth(address_, trip, times);
      const auto of_source = source_ ? growth(*source_, trip, times) : std::optional(0ll);
      return increase && *increase % modulus_ == 0 && of_source && *of_source % copied_from == 0;
    } catch (const inexpressible&) {
      return false;
    }
  }

  // Divisors, and powers of 2 of bits, inside of which the trip is.
  void add_periods(const form& value, int trip, long long& multiple) const {
    for (const auto& [number, factor] : value.factors) {
      const atom& term = forms_[number];
      if (term.is != atom::kind::operation || !forms_.has_atom(atom_form(number), trip)) continue;
      add_periods(term.left, trip, multiple);
      add_periods(term.right, trip, multiple);
      long long divisor = 1;
      const auto bits = [&](const form& operand) {
        const value_range range = forms_.range_of(operand);
        if (range.lowest >= 0 && range.highest < most_period)
          divisor = std::lcm(divisor, all_bits_of(range.highest) + 1);
      };
      if (term.operation == operation::bit_xor || term.operation == operation::bit_or ||
          term.operation == operation::bit_and) {
        bits(term.left);
        bits(term.right);
      } else if (term.right.is_constant() && term.right.constant > 0) {
        divisor = term.operation == operation::shift_right && term.right.constant < 20
                      ? 1ll << term.right.constant
                      : term.right.constant;
      }
      if (divisor <= most_period && multiple <= most_period) multiple = std::lcm(multiple, divisor);
    }
  }
  // The fewest trips after which the costs inside repeat; nothing if none is found.
  std::optional<long long> period(std::size_t outer, int trip) const {
    long long multiple = 1;
    add_periods(address_, trip, multiple);
    if (source_) add_periods(*source_, trip, multiple);
    for (std::size_t item = outer + 1; item < items_.size(); ++item) {
      if (items_[item].truth != nullptr) add_periods_of(items_[item].truth, trip, multiple);
      if (items_[item].loop < 0) continue;
      const counted_loop& inner = run_.loop(items_[item].loop);
      add_periods(inner.last, trip, multiple);
      add_periods(inner.first, trip, multiple);
    }
    for (long long times = 1; times <= std::min(multiple * modulus_, most_period); ++times)
      if ((multiple * modulus_) % times == 0 && repeats(outer, trip, times)) return times;
    return {};
  }
  void add_periods_of(const condition_pointer& truth, int trip, long long& multiple) const {
    if (truth->is == condition::kind::comparison) {
      add_periods(truth->left, trip, multiple);
      add_periods(truth->right, trip, multiple);
    }
    for (const condition_pointer& part : truth->parts) add_periods_of(part, trip, multiple);
  }

  // ---- loops ----

  // Trips are counted while number(lane) + unit * trip < 0, say: a limit of them is
  // ceil((lanes' number + rest) / step), if that is above 0.
  struct trip_limit {
    lane_numbers numbers = {};
    formula rest;
    long long step = 1;
    formula of_lane(int lane) const {
      const long long number = numbers[slot(lane)];
      if (rest.is_constant()) {
        const long long distance = checked_sum(rest.constant(), number);
        return distance <= 0 ? 0 : (distance - 1) / step + 1;
      }
      return maximum(0, ceil_divide(rest + formula(number), step));
    }
  };

  trip_limit limit_of(const form& distance, long long step) const {
    trip_limit result;
    form of_lanes, of_arguments;
    split(distance, of_lanes, of_arguments);
    result.numbers = numbers_of(of_lanes);
    result.rest = formula_of(run_, of_arguments, minima_);
    result.step = step;
    return result;
  }

  trip_limit trips_of(int loop) {
    const counted_loop& loop_data = run_.loop(loop);
    if (!loop_data.reason.empty()) {
      if (loop_data.test < 0) throw inexpressible{loop_data.reason};
      if (const auto trips = trips_by_lanes(loop_data)) return *trips;
      assume({nest_assumption::kind::equal_trips, loop_data.location,
              "each thread goes on in the loop as often"});
      trip_limit result;
      result.rest = notes_->trips_of(loop, loop_data.location);
      return result;
    }
    if (loop_data.trips) {
      trip_limit result;
      result.rest = formula(*loop_data.trips);
      return result;
    }
    const long long step = std::abs(loop_data.step);
    if (loop_data.is_unequal && step > 1)
      assume({nest_assumption::kind::exact_end, loop_data.location,
              "the steps of the loop meet its end"});
    return limit_of((loop_data.last - loop_data.first) * (loop_data.step > 0 ? 1 : -1), step);
  }

  // How often each lane goes on, if its test is of numbers alone.
  std::optional<trip_limit> trips_by_lanes(const counted_loop& loop_data) {
    constexpr long long limit = 1 << 12;
    if (loop_data.stays == nullptr || !is_of_numbers(loop_data.stays, loop_data.trip)) return {};
    trip_limit result;
    result.numbers.fill(0);
    std::uint64_t lanes = threads_->live();
    for (long long number = 0; lanes != 0; ++number) {
      if (number >= limit) return {};
      trips_[loop_data.trip] = number;
      lanes = lanes_of_written(loop_data.stays, lanes);
      for_each_lane(lanes, [&](int lane) { result.numbers[slot(lane)] = number + 1; });
    }
    trips_.erase(loop_data.trip);
    return result;
  }
  bool is_of_numbers(const condition_pointer& truth, int trip) const {
    return !has(forms_, truth, [&](int number) {
      const atom& term = forms_[number];
      return term.is == atom::kind::argument || term.is == atom::kind::carried ||
             (term.is == atom::kind::trip && number != trip && trips_.count(number) == 0);
    });
  }
  // Of a condition as registers of its bits compare.
  std::uint64_t lanes_of_written(const condition_pointer& truth, std::uint64_t lanes) const {
    if (truth->is == condition::kind::constant) return truth->holds ? lanes : 0;
    if (truth->is != condition::kind::comparison) {
      const std::uint64_t left = lanes_of_written(truth->parts[0], lanes),
                          right = lanes_of_written(truth->parts[1], lanes);
      return truth->is == condition::kind::conjunction ? left & right : left | right;
    }
    const lane_numbers left = numbers_of(truth->left), right = numbers_of(truth->right);
    std::uint64_t result = 0;
    for_each_lane(lanes, [&](int lane) {
      condition lane_test = *truth;
      lane_test.left = constant_form(left[slot(lane)]);
      lane_test.right = constant_form(right[slot(lane)]);
      if (compared(forms_, lane_test)->holds) result |= std::uint64_t{1} << lane;
    });
    return result;
  }

  // A condition inside of the loop that holds up to a trip, or from one on, as a form: it is above
  // 0 where it holds. Nothing if the trip is not a term of it.
  std::optional<form> linear_in(const nest_item& item, int trip) const {
    if (item.truth->is != condition::kind::comparison) return {};
    const sign_test test = sign_test_of(*item.truth);
    const long long factor = test.value.factor(trip);
    if (!test.is_order || factor == 0 ||
        forms_.has_atom(test.value - atom_form(trip) * factor, trip))
      return {};
    return test.value;
  }

  counts of_loop(std::size_t item, std::uint64_t lanes) {
    if (is_never_passed(item)) return {};
    const nest_item current = items_[item];
    const int trip = run_.loop(current.loop).trip;
    std::vector<trip_limit> limits = {trips_of(current.loop)};
    std::vector<std::size_t> used;  // conditions that are counted here
    if (!current.after_test && !repeats_test(item, used)) limits[0] = one_more(limits[0], lanes);
    // What is the same in each trip, or repeats, is counted for one period.
    std::optional<long long> repeated = period(item, trip);
    const bool is_symbolic = !limits[0].rest.is_constant();
    const long long trip_count = is_symbolic ? 0 : most_trips(limits[0], lanes);
    formula begins;  // the first trip
    const std::size_t tests = used.size();
    if (!repeated && (is_symbolic || trip_count > few_trips)) {
      for (std::size_t inner = item + 1; inner < items_.size(); ++inner) {
        nest_item& other = items_[inner];
        if (other.loop >= 0 || other.is_limit || stays(other.truth, trip, 1)) continue;
        const auto value = linear_in(other, trip);
        if (!value) continue;
        const long long factor = value->factor(trip);
        const form rest = *value - atom_form(trip) * factor;
        const trip_limit limit = limit_or_nothing(rest, factor);
        if (limit.step == 0) continue;
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
                            std::to_string(run_.loop(current.loop).location.line)};
    }
    const counts result =
        repeated && (is_symbolic || *repeated < trip_count || used.size() > tests)
            ? of_period(item, lanes, trip, *repeated, limits, begins)
            : of_each_trip(item, lanes, trip, limits[0], window_of(item, lanes, trip, trip_count));
    for (const std::size_t inner : used) items_[inner].is_limit = false;
    trips_.erase(trip);
    return result;
  }

  // True if a condition inside of the loop is false whatever the threads and trips are.
  bool is_never_passed(std::size_t item) const {
    return std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(item) + 1, items_.end(),
                       [](const nest_item& inner) {
                         return inner.loop < 0 && !inner.is_limit &&
                                inner.truth->is == condition::kind::constant && !inner.truth->holds;
                       });
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
      other.truth = assumed(other.truth, other.location, true);
      result = true;
    }
    return result;
  }

  // True if the loop's test is a condition of the access too, as of a `break` before it: then it is
  // executed as often as the test holds. The condition is counted with the loop.
  bool repeats_test(std::size_t item, std::vector<std::size_t>& used) {
    const counted_loop& loop_data = run_.loop(items_[item].loop);
    if (loop_data.stays == nullptr || loop_data.stays->is != condition::kind::comparison)
      return false;
    // It was read before the range of the trips was known.
    condition test = *loop_data.stays;
    test.left = forms_.replaced(test.left, {});
    test.right = forms_.replaced(test.right, {});
    const auto is_same = [&](const condition& other) {
      const sign_test a = sign_test_of(test), b = sign_test_of(other);
      return test.is_signed == other.is_signed && a.value == b.value && a.is_order == b.is_order &&
             a.is_equal == b.is_equal;
    };
    for (std::size_t inner = item + 1; inner < items_.size(); ++inner) {
      nest_item& current = items_[inner];
      if (current.loop >= 0 || current.is_limit ||
          current.truth->is != condition::kind::comparison || !is_same(*current.truth))
        continue;
      current.is_limit = true;
      used.push_back(inner);
      return true;
    }
    return false;
  }

  // Before the test of a loop there is one more iteration.
  trip_limit one_more(const trip_limit& limit, std::uint64_t lanes) const {
    trip_limit result = limit;
    // max(0, ceil(x / step)) + 1 is max(0, ceil((x + step) / step)) where x is not below -step.
    if (!is_symbolic_end(limit)) {
      for_each_lane(lanes, [&](int lane) {
        const formula trips = limit.of_lane(lane) + formula(1);
        result.numbers[slot(lane)] = trips.constant();
      });
      result.rest = {};
      result.step = 1;
      return result;
    }
    long long lowest = 0;
    for_each_lane(lanes, [&](int lane) {
      const long long number = limit.numbers[slot(lane)];
      lowest = lane == std::countr_zero(lanes) ? number : std::min(lowest, number);
    });
    if ((limit.rest + formula(lowest)).range().minimum > -limit.step) {
      result.rest = limit.rest + formula(limit.step);
      return result;
    }
    if (!is_equal_in(limit.numbers, lanes))
      throw inexpressible{"a loop whose iterations before its end differ between threads"};
    result.rest = limit.of_lane(std::countr_zero(lanes)) + formula(1);
    result.numbers.fill(0);
    result.step = 1;
    return result;
  }
  static bool is_symbolic_end(const trip_limit& limit) { return !limit.rest.is_constant(); }

  trip_limit limit_or_nothing(const form& rest, long long factor) const {
    trip_limit result;
    result.step = 0;
    try {
      // factor < 0: trip < rest / -factor, rounded up. Else trip > -rest / factor, which is from
      // (1 - rest) / factor on, rounded up.
      if (factor < 0) return limit_of(rest, -factor);
      return limit_of(constant_form(1) - rest, factor);
    } catch (const inexpressible&) {
      return result;
    }
  }

  static bool is_equal_in(const lane_numbers& numbers, std::uint64_t lanes) {
    const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
    bool result = true;
    for_each_lane(lanes,
                  [&](int lane) { result = result && numbers[slot(lane)] == numbers[first]; });
    return result;
  }

  static long long most_trips(const trip_limit& limit, std::uint64_t lanes) {
    long long result = 0;
    for_each_lane(lanes,
                  [&](int lane) { result = std::max(result, limit.of_lane(lane).constant()); });
    return result;
  }

  struct trip_window {
    long long first = 0, end = 0;
  };

  // Returns a range of trips that has all trips in which a lane may pass the conditions inside: a
  // condition that is linear in the trip holds before a certain trip of each lane, or from one on.
  trip_window window_of(std::size_t item, std::uint64_t lanes, int trip,
                        long long trip_count) const {
    trip_window result{0, trip_count};
    if (trip_count <= few_trips) return result;
    for (std::size_t inner = item + 1; inner < items_.size(); ++inner) {
      const nest_item& other = items_[inner];
      if (other.loop >= 0 || other.is_limit) continue;
      const auto value = linear_in(other, trip);
      if (!value) continue;
      const long long factor = value->factor(trip);
      const trip_limit limit = limit_or_nothing(*value - atom_form(trip) * factor, factor);
      if (limit.step == 0 || is_symbolic_end(limit)) continue;
      if (factor < 0)
        result.end = std::min(result.end, most_trips(limit, lanes));
      else
        result.first = std::max(result.first, least_trips(limit, lanes));
    }
    return result;
  }

  static long long least_trips(const trip_limit& limit, std::uint64_t lanes) {
    long long result = limit.of_lane(std::countr_zero(lanes)).constant();
    for_each_lane(lanes,
                  [&](int lane) { result = std::min(result, limit.of_lane(lane).constant()); });
    return result;
  }

  void look_at(int trip, long long number) {
    if (++trips_looked_at_ > most_trips_looked_at)
      throw inexpressible{"too many different iterations"};
    trips_[trip] = number;
  }

  counts of_each_trip(std::size_t item, std::uint64_t lanes, int trip, const trip_limit& limit,
                      const trip_window& window) {
    lane_numbers last = {};
    for_each_lane(lanes, [&](int lane) { last[slot(lane)] = limit.of_lane(lane).constant(); });
    counts_sum sum;
    for (long long number = window.first; number < window.end; ++number) {
      std::uint64_t active = 0;
      for_each_lane(lanes, [&](int lane) {
        if (number < last[slot(lane)]) active |= std::uint64_t{1} << lane;
      });
      look_at(trip, number);
      sum.add(counted(item + 1, active));
    }
    return sum.total();
  }

  // Lanes leave in the order of their trips: while those of `active` are there, it costs as much as
  // with them, up to the trips of the next ones.
  counts of_period(std::size_t item, std::uint64_t lanes, int trip, long long repeated,
                   const std::vector<trip_limit>& limits, const formula& begins) {
    const std::vector<leaving_lanes> groups = in_order(lanes, limits);
    const auto times_of = [&](const leaving_lanes& leaving, long long first) {
      const auto with_remainder = [&](const formula& end) {
        return ceil_divide(end - formula(first), repeated);
      };
      formula result = with_remainder(leaving.trips);
      if (!(begins == formula())) result = result - with_remainder(minimum(begins, leaving.trips));
      return result;
    };
    counts_sum sum;
    for (long long first = 0; first < repeated; ++first) {
      look_at(trip, first);
      if (machine_ == nullptr) {
        // Requests that no thread makes are not looked at.
        for (std::size_t number = 0; number < groups.size(); ++number) {
          formula alone = times_of(groups[number], first);
          if (number + 1 < groups.size()) alone = alone - times_of(groups[number + 1], first);
          if (alone.constant() != 0) sum.add(counted(item + 1, groups[number].active) * alone);
        }
        continue;
      }
      counts previous;
      for (const leaving_lanes& leaving : groups) {
        const counts current = counted(item + 1, leaving.active);
        const counts increase = current - previous;
        if (!increase.is_zero()) sum.add(increase * times_of(leaving, first));
        previous = current;
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
    const auto number = [&](const trip_limit& trip_bound, int lane) {
      return trip_bound.numbers[slot(lane)];
    };
    std::ranges::stable_sort(order, [&](int lane, int other) {
      for (const trip_limit& limit : limits)
        if (number(limit, lane) != number(limit, other))
          return number(limit, lane) > number(limit, other);
      return false;
    });
    std::vector<leaving_lanes> result;
    std::uint64_t active = 0;
    for (std::size_t position = 0; position < order.size();) {
      const int lane = order[position];
      std::size_t next = position;
      const auto is_same = [&](int other) {
        return std::ranges::all_of(limits, [&](const trip_limit& limit) {
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
      for (std::size_t index = 1; index < limits.size(); ++index)
        trips = minimum(trips, limits[index].of_lane(lane));
      result.push_back({active, trips});
      position = next;
    }
    return result;
  }

  // ---- costs ----

  counts cost_of_request(std::uint64_t lanes) {
    const bool is_last = notes_ == nullptr ? --*left_ < 0 : notes_->count_request() > most_of_all;
    if (++requests_ > most_requests || is_last) throw inexpressible{"too many different requests"};
    const memory_access& memory = access_.code->memory;
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
    const lane_numbers addresses = numbers_of(address_);
    repeated_request request{active, {}, {}, 0};
    for_each_lane(active, [&](int lane) { request.address[slot(lane)] = addresses[slot(lane)]; });
    if (wants_one_) {
      if (!common_address_) common_address_ = addresses[slot(std::countr_zero(active))];
      for_each_lane(active, [&](int lane) {
        if (addresses[slot(lane)] != *common_address_) throw different_addresses{};
      });
    }
    if (source_) {
      const lane_numbers sources = numbers_of(*source_);
      long long first = std::numeric_limits<long long>::max();
      for_each_lane(active, [&](int lane) { first = std::min(first, sources[slot(lane)]); });
      if (first < 0) throw inexpressible{"an address below 0"};
      first = first / copied_from * copied_from;
      for_each_lane(active,
                    [&](int lane) { request.source[slot(lane)] = sources[slot(lane)] - first; });
    }
    const auto [entry, is_new] = numbers_.try_emplace({active, request.address, request.source},
                                                      static_cast<int>(collected_.size()));
    if (is_new) collected_.push_back(request);
    return {{}, {}, {}, {}, {{entry->second, 1}}};
  }

  // Error (inexpressible): addresses may be in the next array.
  void require_one_array() const {
    const value_range range = forms_.range_of(address_);
    const int number = global_number(static_cast<std::uint64_t>(range.lowest));
    if (number < 0 || number != global_number(static_cast<std::uint64_t>(range.highest)))
      throw inexpressible{"an address that may be in several arrays"};
  }

  void note_cost(const bm::cost& cost) {
    if (!request_cost_)
      request_cost_ = cost;
    else if (!(*request_cost_ == cost))
      differs_ = true;
  }

  // Requests that are equally far apart cost the same where they have one residue.
  const bm::cost& price(std::uint64_t active, const lane_numbers& address, bool is_moved) {
    const auto first = address[slot(std::countr_zero(active))];
    const long long width =
        (request_.bytes & (request_.bytes - 1)) == 0 ? request_.bytes : access_.code->memory.bytes;
    bm::request_class requests;
    requests.lanes = request_;
    requests.lanes.active = active;
    long long lowest = 0;
    std::vector<long long> key = {static_cast<long long>(active)};
    for_each_lane(active, [&](int lane) {
      const long long distance = address[slot(lane)] - first;
      requests.lanes.address[lane] = distance;
      lowest = std::min(lowest, distance);
      key.push_back(distance);
    });
    const long long total = static_cast<long long>(run_.shared().total);
    if (!is_moved && total > 0)
      for_each_lane(active, [&](int lane) {
        const long long lane_address = address[slot(lane)];
        if (lane_address < 0 || (lane_address + request_.bytes > total && !has_dynamic()))
          throw inexpressible{"an access outside the arrays in shared memory"};
        if (lane_address % width != 0) throw inexpressible{"an access that is not aligned"};
      });
    const long long period = std::lcm(modulus_, width);
    long long base = ((first % period) + period) % period;
    if (is_moved) base = modulus_ <= width ? 0 : base / width * width;
    key.push_back(base);
    if (const auto entry = known_.find(key); entry != known_.end()) return entry->second;
    const long long multiple = std::lcm(period, 4096ll);
    requests.base = base + (-lowest + multiple - 1) / multiple * multiple;
    try {
      return known_[key] = bm::total(*machine_, requests);
    } catch (const bm::error& failure) {
      throw inexpressible{failure.what()};
    }
  }
  // Of cp.async: its source is in no form, and may be slower.
  counts copy_of_request(std::uint64_t active, const lane_numbers& address) {
    recorded_class requests;
    requests.lanes = request_;
    requests.lanes.active = active;
    const long long first = address[slot(std::countr_zero(active))];
    for_each_lane(active,
                  [&](int lane) { requests.lanes.address[lane] = address[slot(lane)] - first; });
    requests.times[((first % copied_from) + copied_from) % copied_from] = 1;
    bm::copy_cost cost;
    try {
      cost = copied_on(*machine_, requests);
    } catch (const bm::error& failure) {
      throw inexpressible{failure.what()};
    }
    has_unknown_source_ = has_unknown_source_ || !cost.is_known();
    note_cost(cost.at_least());
    const auto number = [](std::uint64_t value) { return formula(static_cast<long long>(value)); };
    return {1, number(cost.least), number(cost.ideal), number(cost.most)};
  }
  bool has_dynamic() const { return includes(kernel_.shared, 0, &code_array::bytes); }

  counts bounds_of_request(std::uint64_t active) {
    bm::request lanes = request_;
    lanes.active = active;
    const auto [minimum, maximum] = limits_of_unknown(*machine_, lanes);
    const formula fewest(static_cast<long long>(minimum));
    return {1, fewest, fewest, formula(static_cast<long long>(maximum))};
  }

  // Of global memory: transactions.
  const bm::cost& traffic_price(std::uint64_t active, const lane_numbers& address) {
    bm::request lanes = request_;
    lanes.active = active;
    const long long first = address[slot(std::countr_zero(active))];
    const long long base = ((first % modulus_) + modulus_) % modulus_;
    std::vector<long long> key = {static_cast<long long>(active), base};
    long long lowest = 0;
    for_each_lane(active, [&](int lane) {
      const long long distance = address[slot(lane)] - first;
      lanes.address[lane] = distance + base;
      lowest = std::min(lowest, distance + base);
      key.push_back(distance);
    });
    if (const auto entry = known_.find(key); entry != known_.end()) return entry->second;
    const long long shift = (-lowest + modulus_ - 1) / modulus_ * modulus_;
    for (long long& lane_address : lanes.address) lane_address += shift;
    try {
      const bm::memory_traffic traffic =
          bm::traffic(met_by(access_.code->memory, *machine_), lanes);
      return known_[key] = {traffic.requests, traffic.transactions, traffic.ideal, 0};
    } catch (const bm::error& failure) {
      throw inexpressible{failure.what()};
    }
  }

  const kernel_code& kernel_;
  const launch& settings_;
  const bm::machine* machine_;
  symbolic_run& run_;
  form_table& forms_;
  const symbolic_access& access_;
  const bool is_global_;
  const std::set<std::string>* conditions_;  // on arguments, as JSON of their factors
  nest_notes* notes_;

  std::vector<nest_item> items_;
  std::map<std::string, formula> factors_;  // by their texts
  std::set<int> reaches_;                   // arguments, see find_reaches()
  least_numbers minima_;
  bm::request request_;
  form address_;
  std::string unknown_address_;
  bool is_bounded_ = false, is_moved_ = false, is_copied_ = false, has_unknown_source_ = false;
  long long modulus_ = 1;

  std::optional<thread_numbers> threads_;  // of the present warp
  trip_numbers trips_;                     // of the loops around
  long long requests_ = 0, trips_looked_at_ = 0;
  std::map<std::vector<long long>, bm::cost> known_;
  std::optional<bm::cost> request_cost_;
  bool differs_ = false;

  // Of requests that are collected.
  long long* left_ = nullptr;
  bool wants_one_ = false;
  std::optional<long long> common_address_;
  std::vector<repeated_request> collected_;
  std::optional<form> source_;
  std::map<std::tuple<std::uint64_t, lane_numbers, lane_numbers>, int> numbers_;  // in `collected_`
};

}  // namespace

argument_condition argument_condition_of(const symbolic_run& run, const condition& comparison) {
  const sign_test test = sign_test_of(comparison);
  const formula value = formula_of(run, test.value);
  const formula holds = test.is_order ? is_positive(value) : is_not_zero(value);
  return {test.is_equal ? formula(1) - holds : holds,
          condition_text(value, test.is_order, !test.is_equal), test.is_order};
}

bool is_of_arguments_alone(const form_table& forms, const condition& comparison) {
  const form value = comparison.right - comparison.left;
  return forms.has_kind(value, atom::kind::argument) &&
         !forms.has_kind(value, atom::kind::thread) && !forms.has_kind(value, atom::kind::trip);
}

memory_kind memory_of(const symbolic_access& access, const std::vector<bool>& may_be_shared) {
  const memory_access& memory = access.code->memory;
  if (is_shared_only(memory)) return memory_kind::shared;
  if (memory.memory != memory_kind::generic) return memory_kind::global;
  if (!access.reason.empty())
    return may_access_shared(*access.code, may_be_shared) ? memory_kind::shared
                                                          : memory_kind::global;
  const long long window =
      (access.address.constant + static_cast<long long>(shared_window / 2)) >> 56;
  return window == 1 ? memory_kind::shared : window == 0 ? memory_kind::global : memory_kind::local;
}

void count_access(const nest_access& site, const bm::machine& m,
                  const std::set<std::string>& conditions, nest_notes& notes,
                  const std::string& unknown_address, counted_access& result) {
  access_counter(site, &m, &conditions, &notes).count(result, unknown_address);
}

std::vector<repeated_request> requests_of(const nest_access& site, long long& left) {
  return access_counter(site).collected(left);
}

std::optional<long long> only_address(const nest_access& site, long long& left) {
  try {
    const std::vector<repeated_request> requests = access_counter(site).collected(left, true);
    if (requests.empty()) return std::nullopt;
    return requests.front().address[slot(std::countr_zero(requests.front().active))];
  } catch (const access_counter::different_addresses&) {
    return std::nullopt;
  }
}

}  // namespace compiled
