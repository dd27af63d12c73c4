// SPDX-License-Identifier: MIT
#include "planned_requests.hpp"

#include <algorithm>
#include <bit>

#include "../code/declared_layout.hpp"
#include "../page/issued_column.hpp"

namespace compiled {

namespace {

// Calls do_for(class, base) for each base of each class. Those of a recording have one loop at
// most.
template <class Do>
void for_each_access(const std::vector<bm::request_class>& classes, const Do& do_for) {
  for (const bm::request_class& one : classes) {
    const bm::progression loop = one.loops == 0 ? bm::progression{0, 1} : one.loop[0];
    for (long long trip = 0; trip < loop.trips; ++trip) do_for(one, one.base + trip * loop.step);
  }
}

// The wavefronts that a copy takes if its destination is in order.
std::uint64_t wavefronts_of_source(const bm::machine& m, const recorded_class& of) {
  recorded_class in_order{of.lanes, {{0, 1}}, of.source};
  for (int lane = 0; lane < m.lanes; ++lane)
    in_order.lanes.address[lane] = 1ll * lane * of.lanes.bytes;
  const bm::copy_cost cost = copied_on(m, in_order);
  return cost.least > cost.destination ? cost.least : 0;
}

void add_slow_copies(const page& of, int number, long long start, requests_to_plan& to) {
  for (const recorded_access& one : of.recorded->accesses) {
    if (one.is_global || one.array != number || !is_copy_on(of.machine, one.memory)) continue;
    for (const recorded_class& each : one.classes) {
      const std::uint64_t source = wavefronts_of_source(of.machine, each);
      if (source == 0) continue;
      for (const auto& [base, times] : each.times)
        to.slow_copies.push_back(
            {{.lanes = each.lanes, .base = base - start, .times = times}, source});
    }
  }
}

// True if the words of a vector that the compiler loads are fewer than are written: the source
// needs the alignment of the whole vector.
bool is_narrower_than_written(const priced_access& one) {
  const std::set<int>& bytes = one.issued.bytes;
  return !bytes.empty() && *bytes.rbegin() < bytes_as_written(one.first->memory);
}

// True if it may be a part of a vector, as casts make them, that the compiler accesses at once.
bool may_be_of_vector(const page& of, const priced_access& one) {
  const code_array& array = of.kernel->shared[static_cast<std::size_t>(one.first->array)];
  return array.source.largest_piece() > bytes_as_written(one.first->memory);
}

}  // namespace

bool is_never_issued(const page& of, int array) {
  return std::none_of(of.costs.shared.begin(), of.costs.shared.end(), [&](const auto& one) {
    const issued_instructions& issued = one.issued;
    return one.first->array == array && issued.cost.requests + issued.bounded.bounded_requests > 0;
  });
}

bool is_issued_otherwise(const page& of, int array) {
  if (!knows_issued(of) || is_never_issued(of, array)) return false;
  return std::any_of(of.costs.shared.begin(), of.costs.shared.end(), [&](const auto& one) {
    return one.first->array == array && !is_issued_as_written(one);
  });
}

requests_to_plan requests_of(const page& of, int number, long long start, widths wanted) {
  const bool counts_written = is_never_issued(of, number);
  requests_to_plan result;
  for (const priced_access& one : of.costs.shared) {
    if (one.first->array < 0 || (one.first->array == number && one.is_partial)) return {};
    if (one.first->array != number) continue;
    // The rules of joined accesses are nvcc's.
    const bool is_as_issued = knows_issued(of) && !counts_written && !is_issued_as_written(one) &&
                              !is_narrower_than_written(one);
    result.is_as_issued = result.is_as_issued || is_as_issued;
    for (bm::request_class each :
         is_as_issued && (wanted == widths::as_issued || may_be_of_vector(of, one))
             ? one.issued.classes
             : one.classes) {
      each.base -= start;
      result.widest = std::max(result.widest, each.lanes.bytes);
      result.classes.push_back(each);
    }
  }
  add_slow_copies(of, number, start, result);
  return result;
}

std::uint64_t requests_without_loops(const std::vector<bm::request_class>& classes) {
  std::uint64_t result = 0;
  for (const bm::request_class& one : classes)
    result += one.loops == 0 ? 1 : static_cast<std::uint64_t>(one.loop[0].trips);
  return result;
}

std::vector<long long> used_extents(const std::vector<long long>& declared, int element_bytes,
                                    const std::vector<bm::request_class>& classes) {
  std::vector<long long> used(declared.size(), 1);
  used[0] = declared[0];
  for_each_access(classes, [&](const bm::request_class& one, long long base) {
    for (std::uint64_t rest = one.lanes.active; rest != 0; rest &= rest - 1) {
      const long long first = (base + one.lanes.address[std::countr_zero(rest)]) / element_bytes;
      const long long last = first + (one.lanes.bytes - 1) / element_bytes;
      long long low = first, high = last;
      for (std::size_t d = declared.size() - 1; d > 0; --d) {
        // One that is continued in the next row uses all of it.
        const bool is_in_row = low / declared[d] == high / declared[d];
        used[d] = std::max(used[d], is_in_row ? high % declared[d] + 1 : declared[d]);
        low /= declared[d];
        high /= declared[d];
      }
    }
  });
  return used;
}

std::vector<bm::request_class> moved_requests(const std::vector<bm::request_class>& classes,
                                              const std::function<long long(long long)>& moved) {
  std::vector<bm::request_class> result;
  for_each_access(classes, [&](const bm::request_class& one, long long base) {
    bm::request_class made{.lanes = one.lanes, .base = 0, .times = one.times};
    bool is_first = true;
    for (std::uint64_t rest = one.lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const long long address = moved(base + one.lanes.address[lane]);
      if (is_first) made.base = address;
      is_first = false;
      made.lanes.address[lane] = address - made.base;
    }
    result.push_back(made);
  });
  return result;
}

std::vector<bm::request_class> in_used_columns(const std::vector<bm::request_class>& classes,
                                               const std::vector<long long>& declared,
                                               const std::vector<long long>& used,
                                               int element_bytes) {
  const bm::layout packed = row_major(used), whole = row_major(declared);
  return moved_requests(classes, [&](long long byte) {
    return packed(whole.coordinates(byte / element_bytes)) * element_bytes + byte % element_bytes;
  });
}

}  // namespace compiled
