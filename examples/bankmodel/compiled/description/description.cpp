// SPDX-License-Identifier: MIT
#include "description.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "../code/control_flow.hpp"
#include "../code/declared_layout.hpp"
#include "../issued/issued.hpp"
#include "../page/priced.hpp"
#include "described_access.hpp"

namespace compiled {

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
    for (const typed_element& element : element_types)
      if (element.type == declared.element_type && element.bytes == unit)
        return declared.element_type;
  return unit == 1   ? "unsigned char"
         : unit == 2 ? "unsigned short"
         : unit == 4 ? "unsigned int"
                     : "unsigned long long";
}

// An access before its array is known to be described in elements of which size.
struct pending_access {
  described_access described;
  const symbolic_access* symbolic = nullptr;
  form offset;
};

std::string not_described(const recorded_access& access, const symbolic_access& symbolic) {
  const access_does action = symbolic.code->memory.operation;
  if (action == access_does::load_matrix || action == access_does::store_matrix)
    return "a matrix instruction is not described; use bm::ldmatrix or bm::stmatrix";
  if (access.is_partial) return access.reason;
  if (access.classes.empty()) return "none of its requests is known";
  if (access.array < 0) return "it accesses several arrays";
  return {};
}

// Elements of an array: as declared, or smaller ones that its accesses are made of.
int unit_of(const code_array& declared, const std::vector<pending_access>& accesses, int array) {
  long long common = 0;
  int narrowest = 16;
  for (const pending_access& pending : accesses) {
    if (!pending.described.reason.empty() || pending.described.recorded->array != array) continue;
    const recorded_access& access = *pending.described.recorded;
    narrowest = std::min(narrowest, bytes_as_written(access.memory));
    const long long bytes = bytes_as_issued(access);
    common = std::gcd(common, std::gcd(bytes, pending.offset.constant));
    for (const auto& [atom, factor] : pending.offset.factors) common = std::gcd(common, factor);
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
  describer(const kernel_code& kernel, const launch& settings, const recording& recorded,
            const bm::machine& m)
      : kernel_(kernel),
        settings_(settings),
        analysis_(kernel),
        run_(analysis_, settings),
        machine_(m),
        is_stopped_(recorded.is_stopped),
        leaves_out_(recorded.leaves_out_shared) {
    result_.notes = recorded.notes;
    std::vector<int> partners(recorded.accesses.size());
    for (const recorded_access& access : recorded.accesses) reached_.insert(access.number);
    for (const recorded_access& access : recorded.accesses)
      if (access.issued_with >= 0) ++partners[slot(access.issued_with)];
    for (std::size_t index = 0; index < recorded.accesses.size(); ++index) {
      const recorded_access& access = recorded.accesses[index];
      if (access.is_global || access.issued_with >= 0) continue;
      accesses_.push_back(pending(access));
      accesses_.back().described.joined = partners[index] + 1;
    }
  }

  description result() {
    for (std::size_t array = 0; array < kernel_.shared.size(); ++array)
      describe_array(static_cast<int>(array));
    for (const pending_access& item : accesses_) result_.accesses.push_back(item.described);
    const auto place_of = [](const described_access& entry) {
      const place& position = entry.recorded->location;
      return std::tuple(position.file, position.line, position.column);
    };
    std::ranges::stable_sort(result_.accesses,
                             [&](const described_access& first, const described_access& other) {
                               return place_of(first) < place_of(other);
                             });
    if (is_stopped_) add_not_reached();
    for (const described_access& access : result_.accesses)
      result_.leaves_out = result_.leaves_out ||
                           (!access.reason.empty() && (is_stopped_ || access.recorded->is_partial));
    result_.leaves_out = result_.leaves_out || leaves_out_ || !result_.not_reached.empty();
    return std::move(result_);
  }

 private:
  void add_not_reached() {
    for (const symbolic_access& access : run_.accesses()) {
      if (reached_.count(access.number) == 0 && !access.path.is_dead &&
          is_shared_only(access.code->memory))
        result_.not_reached.push_back(access.code->location);
    }
  }

  pending_access pending(const recorded_access& recorded) {
    pending_access result;
    result.described.recorded = &recorded;
    result.symbolic = &run_.accesses()[slot(recorded.number)];
    result.described.reason = not_described(recorded, *result.symbolic);
    if (!result.described.reason.empty()) return result;
    try {
      result.offset = offset_in_array(run_, *result.symbolic, recorded.array) +
                      constant_form(recorded.issued_offset);
    } catch (const inexpressible& failure) {
      result.described.reason = failure.reason;
    }
    return result;
  }

  void describe_array(int array) {
    std::vector<pending_access*> accesses;
    for (pending_access& item : accesses_)
      if (item.described.reason.empty() && item.described.recorded->array == array)
        accesses.push_back(&item);
    if (accesses.empty()) return;
    const auto index = static_cast<std::size_t>(array);
    const code_array& declared = kernel_.shared[index];
    described_array shape =
        shape_of(declared, run_.shared().bytes[index], unit_of(declared, accesses_, array));
    // One access whose subscripts are not shown to be within their extents makes the array flat.
    for (const pending_access* item : accesses) {
      if (!subscripts(*item, shape).empty()) continue;
      shape.extents = {static_cast<long long>(run_.shared().bytes[index]) / shape.unit};
      break;
    }
    const bm::array_description described =
        array_of(declared.name, shape, run_.shared().first[index]);
    for (pending_access* const item : accesses) describe_access(*item, shape, described);
    if (std::ranges::any_of(accesses, [](const pending_access* candidate) {
          return candidate->described.reason.empty();
        }))
      result_.arrays.push_back({described, declared.name, type_of(declared, shape.unit)});
  }

  std::vector<form> subscripts(const pending_access& item, const described_array& shape) {
    run_.enter(item.symbolic->path);
    return subscripts_of(run_, item.offset, shape,
                         bytes_as_issued(*item.described.recorded) / shape.unit);
  }

  void describe_access(pending_access& item, const described_array& shape,
                       const bm::array_description& array) {
    try {
      command_line::access_expression& expression = item.described.expression;
      expression = described(run_, *item.symbolic, subscripts(item, shape), settings_.block);
      expression.array = array;
      expression.vector = bytes_as_issued(*item.described.recorded) / shape.unit;
      expression.stated = true;
      expression.kind = item.described.recorded->classes.front().lanes.kind;
      item.described.array = static_cast<int>(result_.arrays.size());
      item.described.reason = difference(item.described);
    } catch (const inexpressible& failure) {
      item.described.reason = failure.reason;
    }
  }

  // How an expression differs from what was recorded; empty if it does not.
  std::string difference(const described_access& access) const {
    try {
      const bm::cost counted = bm::total(machine_, settings_.block, access.expression);
      if (is_stopped_)
        return has_all_recorded(access) ? ""
                                        : "the interpreted run has a request that it does not have";
      recording alone;
      alone.accesses = {*access.recorded};
      const priced costs = priced_on(machine_, alone);
      const bm::cost interpreted = costs.issued_cost;
      if (costs.maximum > 0)
        return joined("it may take ", costs.maximum,
                      " wavefronts more, which depends on its source");
      if (counted.requests == interpreted.requests &&
          counted.wavefronts == interpreted.wavefronts && counted.ideal == interpreted.ideal &&
          counted.degree == interpreted.degree && has_same_requests(access))
        return {};
      return joined("its expression has ", counted.requests, " requests that take ",
                    counted.wavefronts, " wavefronts, and the interpreted run ",
                    interpreted.requests, " that take ", interpreted.wavefronts);
    } catch (const bm::error& failure) {
      return joined("its expression is not counted: ", failure.what());
    }
  }

  // How often each base is accessed, by the active lanes and their distances from the first one.
  using all_requests = std::map<std::pair<std::uint64_t, std::vector<long long>>,
                                std::map<long long, std::uint64_t>>;
  static std::map<long long, std::uint64_t>& bases(all_requests& requests,
                                                   const bm::request& lanes) {
    std::vector<long long> addresses;
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      if ((lanes.active >> lane & 1) != 0) addresses.push_back(lanes.address[lane]);
    return requests[{lanes.active, std::move(addresses)}];
  }
  bool has_same_requests(const described_access& access) const {
    all_requests expected, actual;
    for (const recorded_class& record : access.recorded->classes) {
      const recorded_class issued = as_issued(*access.recorded, record);
      for (const auto& [base, times] : issued.times) bases(expected, issued.lanes)[base] += times;
    }
    bm::for_each_request_class(machine_, settings_.block, access.expression,
                               [&](const bm::request_class& requests) {
                                 add(bases(actual, requests.lanes), requests, 0, requests.base);
                               });
    return expected == actual;
  }
  // True if each request that was recorded is one of the expression's.
  bool has_all_recorded(const described_access& access) const {
    std::vector<bm::request_class> classes;
    bm::for_each_request_class(
        machine_, settings_.block, access.expression,
        [&](const bm::request_class& requests) { classes.push_back(requests); });
    for (bm::request_class& group : classes)  // the loop of the most iterations is the last one
      std::sort(group.loop, group.loop + group.loops,
                [](const auto& left, const auto& right) { return left.trips < right.trips; });
    for (const recorded_class& record : access.recorded->classes) {
      const recorded_class recorded = as_issued(*access.recorded, record);
      for (const auto& each_base : recorded.times)
        if (std::ranges::none_of(classes, [&](const bm::request_class& candidate) {
              return has_same_lanes(candidate.lanes, recorded.lanes) &&
                     has_base(candidate, 0, each_base.first - candidate.base);
            }))
          return false;
    }
    return true;
  }
  static bool has_same_lanes(const bm::request& first, const bm::request& other) {
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      if ((first.active >> lane & 1) != 0 && first.address[lane] != other.address[lane])
        return false;
    return first.active == other.active;
  }
  static bool has_base(const bm::request_class& requests, int loop, long long distance) {
    if (loop == requests.loops) return distance == 0;
    const auto& [step, trips] = std::pair(requests.loop[loop].step, requests.loop[loop].trips);
    if (step == 0 && trips > 0) return has_base(requests, loop + 1, distance);
    if (loop + 1 == requests.loops)
      return distance % step == 0 && distance / step >= 0 && distance / step < trips;
    for (long long trip = 0; trip < trips; ++trip)
      if (has_base(requests, loop + 1, distance - trip * step)) return true;
    return false;
  }
  static void add(std::map<long long, std::uint64_t>& counts, const bm::request_class& requests,
                  int loop, long long base) {
    if (loop == requests.loops) return void(counts[base] += requests.times);
    for (long long trip = 0; trip < requests.loop[loop].trips; ++trip)
      add(counts, requests, loop + 1, base + trip * requests.loop[loop].step);
  }

  const kernel_code& kernel_;
  const launch& settings_;
  kernel_analysis analysis_;
  symbolic_run run_;
  bm::machine machine_;
  bool is_stopped_ = false, leaves_out_ = false;
  std::set<int> reached_;  // numbers of accesses
  std::vector<pending_access> accesses_;
  description result_;
};

}  // namespace

bool description::is_complete() const {
  return not_reached.empty() && std::ranges::all_of(accesses, [](const described_access& access) {
           return access.reason.empty();
         });
}

bool description::is_joined() const {
  return std::ranges::any_of(accesses,
                             [](const described_access& access) { return access.joined > 1; });
}

bm::cost description::cost_without_expression(const bm::machine& m) const {
  recording rest;
  for (const described_access& access : accesses)
    if (!access.reason.empty()) rest.accesses.push_back(*access.recorded);
  return priced_on(m, rest).issued_cost;
}

description describe(const kernel_code& kernel, const launch& settings, const recording& recorded,
                     const bm::machine& m) {
  return describer(kernel, settings, recorded, m).result();
}

}  // namespace compiled
