// SPDX-License-Identifier: MIT
#include "description.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "../../source.hpp"
#include "../code/control_flow.hpp"
#include "../code/declared_layout.hpp"
#include "../issued/issued.hpp"
#include "../page/priced.hpp"
#include "described_access.hpp"

namespace compiled {

using command_line::joined;

namespace {

// The types of C++ that may be declared, by their bytes; what else has as many is unsigned.
struct typed_element {
  std::string_view type;
  int bytes;
};
constexpr typed_element element_types[] = {
    {"char", 1},           {"signed char", 1}, {"unsigned char", 1},     {"short", 2},
    {"unsigned short", 2}, {"int", 4},         {"unsigned int", 4},      {"float", 4},
    {"double", 8},         {"long long", 8},   {"unsigned long long", 8}};

std::string type_of(const code_array& declared, int unit) {
  if (unit == declared.element_bytes)
    for (const typed_element& one : element_types)
      if (one.type == declared.element_type && one.bytes == unit) return declared.element_type;
  return unit == 1   ? "unsigned char"
         : unit == 2 ? "unsigned short"
         : unit == 4 ? "unsigned int"
                     : "unsigned long long";
}

// An access before its array is known to be described in elements of which size.
struct pending_access {
  described_access made;
  const symbolic_access* from = nullptr;
  form offset;
};

std::string not_described(const recorded_access& access, const symbolic_access& from) {
  const access_does does = from.does->memory.does;
  if (does == access_does::load_matrix || does == access_does::store_matrix)
    return "a matrix instruction is not described; use bm::ldmatrix or bm::stmatrix";
  if (access.is_partial) return access.reason;
  if (access.classes.empty()) return "none of its requests is known";
  if (access.array < 0) return "it accesses several arrays";
  return {};
}

// Elements of an array: as declared, or smaller ones that its accesses are made of.
int unit_of(const code_array& declared, const std::vector<pending_access>& all, int array) {
  long long common = 0;
  int narrowest = 16;
  for (const pending_access& one : all) {
    if (!one.made.reason.empty() || one.made.recorded->array != array) continue;
    const recorded_access& access = *one.made.recorded;
    narrowest = std::min(narrowest, bytes_as_written(access.memory));
    const long long bytes = bytes_as_issued(access);
    common = std::gcd(common, std::gcd(bytes, one.offset.constant));
    for (const auto& [atom, factor] : one.offset.factors) common = std::gcd(common, factor);
  }
  const bool is_typed = declared.element_bytes > 1 && declared.element_bytes <= 8 &&
                        (declared.element_bytes & (declared.element_bytes - 1)) == 0;
  const int wanted = is_typed ? declared.element_bytes : narrowest > 8 ? 4 : narrowest;
  int unit = 1;
  while (unit < wanted && common % (2 * unit) == 0) unit *= 2;
  return unit;
}

described_array shape_of(const code_array& declared, std::uint64_t bytes, int unit) {
  described_array result;
  result.unit = unit;
  result.extents = declared.extents;
  if (!has_layout(declared, bytes) || declared.element_bytes % unit != 0)
    result.extents = {static_cast<long long>(bytes) / unit};
  else
    result.extents.back() *= declared.element_bytes / unit;
  return result;
}

bm::array_description array_of(const std::string& name, const described_array& shape,
                               std::uint64_t first) {
  bm::array_description result;
  result.name = bm::name_of(name.substr(0, 32).c_str());
  result.layout = row_major(shape.extents);
  result.element_bytes = shape.unit;
  result.base_bytes = static_cast<long long>(first);
  return result;
}

class describer {
 public:
  describer(const kernel_code& kernel, const launch& how, const recording& recorded,
            const bm::machine& m)
      : kernel_(kernel),
        how_(how),
        analysis_(kernel),
        run_(analysis_, how),
        machine_(m),
        is_stopped_(recorded.is_stopped),
        leaves_out_(recorded.leaves_out_shared) {
    made_.notes = recorded.notes;
    std::vector<int> others(recorded.accesses.size());
    for (const recorded_access& one : recorded.accesses) reached_.insert(one.number);
    for (const recorded_access& one : recorded.accesses)
      if (one.issued_with >= 0) ++others[static_cast<std::size_t>(one.issued_with)];
    for (std::size_t at = 0; at < recorded.accesses.size(); ++at) {
      const recorded_access& one = recorded.accesses[at];
      if (one.is_global || one.issued_with >= 0) continue;
      all_.push_back(pending(one));
      all_.back().made.joined = others[at] + 1;
    }
  }

  description result() {
    for (std::size_t array = 0; array < kernel_.shared.size(); ++array)
      describe_array(static_cast<int>(array));
    for (const pending_access& one : all_) made_.accesses.push_back(one.made);
    const auto place_of = [](const described_access& one) {
      const place& where = one.recorded->where;
      return std::tuple(where.file, where.line, where.column);
    };
    std::stable_sort(made_.accesses.begin(), made_.accesses.end(),
                     [&](const described_access& one, const described_access& other) {
                       return place_of(one) < place_of(other);
                     });
    if (is_stopped_) add_not_reached();
    for (const described_access& one : made_.accesses)
      made_.leaves_out =
          made_.leaves_out || (!one.reason.empty() && (is_stopped_ || one.recorded->is_partial));
    made_.leaves_out = made_.leaves_out || leaves_out_ || !made_.not_reached.empty();
    return std::move(made_);
  }

 private:
  void add_not_reached() {
    for (const symbolic_access& one : run_.accesses()) {
      if (reached_.count(one.number) == 0 && !one.path.is_dead && is_shared_only(one.does->memory))
        made_.not_reached.push_back(one.does->where);
    }
  }

  pending_access pending(const recorded_access& recorded) {
    pending_access result;
    result.made.recorded = &recorded;
    result.from = &run_.accesses()[static_cast<std::size_t>(recorded.number)];
    result.made.reason = not_described(recorded, *result.from);
    if (!result.made.reason.empty()) return result;
    try {
      result.offset = offset_in_array(run_, *result.from, recorded.array) +
                      constant_form(recorded.issued_offset);
    } catch (const inexpressible& why) {
      result.made.reason = why.reason;
    }
    return result;
  }

  void describe_array(int array) {
    std::vector<pending_access*> accesses;
    for (pending_access& one : all_)
      if (one.made.reason.empty() && one.made.recorded->array == array) accesses.push_back(&one);
    if (accesses.empty()) return;
    const auto at = static_cast<std::size_t>(array);
    const code_array& declared = kernel_.shared[at];
    described_array shape =
        shape_of(declared, run_.shared().bytes[at], unit_of(declared, all_, array));
    // One access whose subscripts are not shown to be within their extents makes the array flat.
    for (const pending_access* one : accesses) {
      if (!subscripts(*one, shape).empty()) continue;
      shape.extents = {static_cast<long long>(run_.shared().bytes[at]) / shape.unit};
      break;
    }
    const bm::array_description described = array_of(declared.name, shape, run_.shared().first[at]);
    for (pending_access* const one : accesses) describe_access(*one, shape, described);
    if (std::any_of(accesses.begin(), accesses.end(),
                    [](const pending_access* one) { return one->made.reason.empty(); }))
      made_.arrays.push_back({described, declared.name, type_of(declared, shape.unit)});
  }

  std::vector<form> subscripts(const pending_access& of, const described_array& shape) {
    run_.enter(of.from->path);
    return subscripts_of(run_, of.offset, shape, bytes_as_issued(*of.made.recorded) / shape.unit);
  }

  void describe_access(pending_access& of, const described_array& shape,
                       const bm::array_description& array) {
    try {
      command_line::access_expression& to = of.made.expression;
      to = described(run_, *of.from, subscripts(of, shape), how_.block);
      to.array = array;
      to.vector = bytes_as_issued(*of.made.recorded) / shape.unit;
      to.stated = true;
      to.kind = of.made.recorded->classes.front().lanes.kind;
      of.made.array = static_cast<int>(made_.arrays.size());
      of.made.reason = difference(of.made);
    } catch (const inexpressible& why) {
      of.made.reason = why.reason;
    }
  }

  // How an expression differs from what was recorded; empty if it does not.
  std::string difference(const described_access& of) const {
    try {
      const bm::cost counted = bm::total(machine_, how_.block, of.expression);
      if (is_stopped_)
        return has_all_recorded(of) ? ""
                                    : "the interpreted run has a request that it does not have";
      recording alone;
      alone.accesses = {*of.recorded};
      const priced all = priced_on(machine_, alone);
      const bm::cost interpreted = all.issued_cost;
      if (all.most > 0)
        return joined("it may take ", all.most, " wavefronts more, which depends on its source");
      if (counted.requests == interpreted.requests &&
          counted.wavefronts == interpreted.wavefronts && counted.ideal == interpreted.ideal &&
          counted.degree == interpreted.degree && has_same_requests(of))
        return {};
      return joined("its expression has ", counted.requests, " requests that take ",
                    counted.wavefronts, " wavefronts, and the interpreted run ",
                    interpreted.requests, " that take ", interpreted.wavefronts);
    } catch (const bm::error& why) {
      return joined("its expression is not counted: ", why.what());
    }
  }

  // How often each base is accessed, by the active lanes and their distances from the first one.
  using all_requests = std::map<std::pair<std::uint64_t, std::vector<long long>>,
                                std::map<long long, std::uint64_t>>;
  static std::map<long long, std::uint64_t>& bases(all_requests& in, const bm::request& lanes) {
    std::vector<long long> addresses;
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      if ((lanes.active >> lane & 1) != 0) addresses.push_back(lanes.address[lane]);
    return in[{lanes.active, std::move(addresses)}];
  }
  bool has_same_requests(const described_access& of) const {
    all_requests expected, found;
    for (const recorded_class& each : of.recorded->classes) {
      const recorded_class one = as_issued(*of.recorded, each);
      for (const auto& [base, times] : one.times) bases(expected, one.lanes)[base] += times;
    }
    bm::for_each_request_class(
        machine_, how_.block, of.expression,
        [&](const bm::request_class& one) { add(bases(found, one.lanes), one, 0, one.base); });
    return expected == found;
  }
  // True if each request that was recorded is one of the expression's.
  bool has_all_recorded(const described_access& of) const {
    std::vector<bm::request_class> made;
    bm::for_each_request_class(machine_, how_.block, of.expression,
                               [&](const bm::request_class& one) { made.push_back(one); });
    for (bm::request_class& one : made)  // the loop of the most iterations is the last one
      std::sort(one.loop, one.loop + one.loops,
                [](const auto& left, const auto& right) { return left.trips < right.trips; });
    for (const recorded_class& each : of.recorded->classes) {
      const recorded_class recorded = as_issued(*of.recorded, each);
      for (const auto& each_base : recorded.times)
        if (std::none_of(made.begin(), made.end(), [&](const bm::request_class& one) {
              return has_same_lanes(one.lanes, recorded.lanes) &&
                     has_base(one, 0, each_base.first - one.base);
            }))
          return false;
    }
    return true;
  }
  static bool has_same_lanes(const bm::request& one, const bm::request& other) {
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      if ((one.active >> lane & 1) != 0 && one.address[lane] != other.address[lane]) return false;
    return one.active == other.active;
  }
  static bool has_base(const bm::request_class& of, int loop, long long distance) {
    if (loop == of.loops) return distance == 0;
    const auto& [step, trips] = std::pair(of.loop[loop].step, of.loop[loop].trips);
    if (step == 0 && trips > 0) return has_base(of, loop + 1, distance);
    if (loop + 1 == of.loops)
      return distance % step == 0 && distance / step >= 0 && distance / step < trips;
    for (long long trip = 0; trip < trips; ++trip)
      if (has_base(of, loop + 1, distance - trip * step)) return true;
    return false;
  }
  static void add(std::map<long long, std::uint64_t>& to, const bm::request_class& of, int loop,
                  long long base) {
    if (loop == of.loops) return void(to[base] += of.times);
    for (long long trip = 0; trip < of.loop[loop].trips; ++trip)
      add(to, of, loop + 1, base + trip * of.loop[loop].step);
  }

  const kernel_code& kernel_;
  const launch& how_;
  kernel_analysis analysis_;
  symbolic_run run_;
  bm::machine machine_;
  bool is_stopped_ = false, leaves_out_ = false;
  std::set<int> reached_;  // numbers of accesses
  std::vector<pending_access> all_;
  description made_;
};

}  // namespace

bool description::is_complete() const {
  return not_reached.empty() &&
         std::all_of(accesses.begin(), accesses.end(),
                     [](const described_access& one) { return one.reason.empty(); });
}

bool description::is_joined() const {
  return std::any_of(accesses.begin(), accesses.end(),
                     [](const described_access& one) { return one.joined > 1; });
}

bm::cost description::cost_without_expression(const bm::machine& m) const {
  recording all;
  for (const described_access& one : accesses)
    if (!one.reason.empty()) all.accesses.push_back(*one.recorded);
  return priced_on(m, all).issued_cost;
}

description describe(const kernel_code& kernel, const launch& how, const recording& recorded,
                     const bm::machine& m) {
  return describer(kernel, how, recorded, m).result();
}

}  // namespace compiled
