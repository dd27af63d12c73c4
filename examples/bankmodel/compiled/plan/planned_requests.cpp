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
  for (const bm::request_class& requests : classes) {
    const bm::progression loop = requests.loops == 0 ? bm::progression{0, 1} : requests.loop[0];
    for (long long trip = 0; trip < loop.trips; ++trip)
      do_for(requests, requests.base + trip * loop.step);
  }
}

// The wavefronts that a copy takes if its destination is in order.
std::uint64_t wavefronts_of_source(const bm::machine& m, const recorded_class& recorded) {
  recorded_class in_order{recorded.lanes, {{0, 1}}, recorded.source};
  for (int lane = 0; lane < m.lanes; ++lane)
    in_order.lanes.address[lane] = 1ll * lane * recorded.lanes.bytes;
  const bm::copy_cost cost = copied_on(m, in_order);
  return cost.least > cost.destination ? cost.least : 0;
}

void add_slow_copies(const page& kernel_page, int number, long long start,
                     requests_to_plan& result) {
  for (const recorded_access& access : kernel_page.recorded->accesses) {
    if (access.is_global || access.array != number ||
        !is_copy_on(kernel_page.machine, access.memory))
      continue;
    for (const recorded_class& recorded : access.classes) {
      const std::uint64_t source = wavefronts_of_source(kernel_page.machine, recorded);
      if (source == 0) continue;
      for (const auto& [base, times] : recorded.times)
        result.slow_copies.push_back(
            {{.lanes = recorded.lanes, .base = base - start, .times = times}, source});
    }
  }
}

// True if the words of a vector that the compiler loads are fewer than are written: the source
// needs the alignment of the whole vector.
bool is_narrower_than_written(const priced_access& access) {
  const std::set<int>& bytes = access.issued.bytes;
  return !bytes.empty() && *bytes.rbegin() < bytes_as_written(access.first->memory);
}

// True if it may be a part of a vector, as casts make them, that the compiler accesses at once.
bool may_be_of_vector(const page& kernel_page, const priced_access& access) {
  const code_array& array =
      kernel_page.kernel->shared[static_cast<std::size_t>(access.first->array)];
  return array.source.largest_piece() > bytes_as_written(access.first->memory);
}

}  // namespace

bool is_never_issued(const page& kernel_page, int array) {
  return std::none_of(kernel_page.costs.shared.begin(), kernel_page.costs.shared.end(),
                      [&](const auto& access) {
                        const issued_instructions& issued = access.issued;
                        return access.first->array == array &&
                               issued.cost.requests + issued.bounded.bounded_requests > 0;
                      });
}

bool is_issued_otherwise(const page& kernel_page, int array) {
  if (!knows_issued(kernel_page) || is_never_issued(kernel_page, array)) return false;
  return std::any_of(kernel_page.costs.shared.begin(), kernel_page.costs.shared.end(),
                     [&](const auto& access) {
                       return access.first->array == array && !is_issued_as_written(access);
                     });
}

requests_to_plan requests_of(const page& kernel_page, int number, long long start, widths wanted) {
  const bool counts_written = is_never_issued(kernel_page, number);
  requests_to_plan result;
  for (const priced_access& access : kernel_page.costs.shared) {
    if (access.first->array < 0 || (access.first->array == number && access.is_partial)) return {};
    if (access.first->array != number) continue;
    // The rules of joined accesses are nvcc's.
    const bool is_as_issued = knows_issued(kernel_page) && !counts_written &&
                              !is_issued_as_written(access) && !is_narrower_than_written(access);
    result.is_as_issued = result.is_as_issued || is_as_issued;
    for (bm::request_class requests :
         is_as_issued && (wanted == widths::as_issued || may_be_of_vector(kernel_page, access))
             ? access.issued.classes
             : access.classes) {
      requests.base -= start;
      result.widest = std::max(result.widest, requests.lanes.bytes);
      result.classes.push_back(requests);
    }
  }
  add_slow_copies(kernel_page, number, start, result);
  return result;
}

bool are_of_members(const requests_to_plan& requests, int element_bytes) {
  bool has_parts = false, has_several = !requests.slow_copies.empty();
  for_each_access(requests.classes, [&](const bm::request_class& access, long long base) {
    has_parts = has_parts || access.lanes.bytes < element_bytes;
    for (std::uint64_t rest = access.lanes.active; rest != 0; rest &= rest - 1) {
      const long long byte = base + access.lanes.address[std::countr_zero(rest)];
      has_several = has_several || byte % element_bytes + access.lanes.bytes > element_bytes;
    }
  });
  return has_parts && !has_several;
}

std::uint64_t requests_without_loops(const std::vector<bm::request_class>& classes) {
  std::uint64_t result = 0;
  for (const bm::request_class& requests : classes)
    result += requests.loops == 0 ? 1 : static_cast<std::uint64_t>(requests.loop[0].trips);
  return result;
}

std::vector<long long> used_extents(const std::vector<long long>& declared, int element_bytes,
                                    const std::vector<bm::request_class>& classes) {
  std::vector<long long> used(declared.size(), 1);
  used[0] = declared[0];
  for_each_access(classes, [&](const bm::request_class& requests, long long base) {
    for (std::uint64_t rest = requests.lanes.active; rest != 0; rest &= rest - 1) {
      const long long first =
          (base + requests.lanes.address[std::countr_zero(rest)]) / element_bytes;
      const long long last = first + (requests.lanes.bytes - 1) / element_bytes;
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
  for_each_access(classes, [&](const bm::request_class& requests, long long base) {
    bm::request_class changed{.lanes = requests.lanes, .base = 0, .times = requests.times};
    bool is_first = true;
    for (std::uint64_t rest = requests.lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const long long address = moved(base + requests.lanes.address[lane]);
      if (is_first) changed.base = address;
      is_first = false;
      changed.lanes.address[lane] = address - changed.base;
    }
    result.push_back(changed);
  });
  return result;
}

std::vector<bm::request_class> in_used_columns(const std::vector<bm::request_class>& classes,
                                               const std::vector<long long>& declared,
                                               const std::vector<long long>& used,
                                               int element_bytes) {
  const bm::layout packed = row_major(used), full = row_major(declared);
  return moved_requests(classes, [&](long long byte) {
    return packed(full.coordinates(byte / element_bytes)) * element_bytes + byte % element_bytes;
  });
}

}  // namespace compiled
