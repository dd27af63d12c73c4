// SPDX-License-Identifier: MIT
#include "request_comparison.hpp"

#include <bit>
#include <tuple>

#include "../engine/memory.hpp"

namespace compiled {

namespace {

// Where the bytes of each array are after the change.
class moved_arrays {
 public:
  moved_arrays(const page& previous, const page& current, const std::vector<array_plan>& changed)
      : kernel_(*previous.kernel),
        old_layout_(places_of(previous)),
        new_layout_(places_of(current)) {
    plan_.resize(kernel_.shared.size());
    for (const array_plan& plan : changed) plan_[static_cast<std::size_t>(plan.array)] = &plan;
  }

  long long operator()(int array, long long address) const {
    const auto number = static_cast<std::size_t>(array);
    const long long byte = address - static_cast<long long>(old_layout_.first[number]);
    return static_cast<long long>(new_layout_.first[number]) + moved(number, byte);
  }

 private:
  static shared_layout places_of(const page& kernel_page) {
    return laid_out(*kernel_page.kernel,
                    static_cast<std::uint64_t>(kernel_page.settings.dynamic_shared_bytes));
  }
  long long moved(std::size_t number, long long byte) const {
    if (plan_[number] == nullptr) return byte;
    const int bytes = kernel_.shared[number].element_bytes;
    const array_plan& plan = *plan_[number];
    if (!plan.rows.empty()) return moved_byte(plan.rows, byte);
    return plan.planned(plan.declared.coordinates(byte / bytes)) * bytes + byte % bytes;
  }

  const kernel_code& kernel_;
  shared_layout old_layout_, new_layout_;
  std::vector<const array_plan*> plan_;  // of each array; null if it has none
};

// How often each request is made, less how often it should be. Columns are left out: an edit moves
// what is behind it in its line. In shared memory a request is one for each element that a lane
// accesses, since the same source may be compiled to wider accesses once its subscripts differ.
class request_balance {
 public:
  // `merges`: addresses in global memory are those modulo global_period.
  explicit request_balance(bool merges) : merges_(merges) {}

  // `moved(array, address)`: the address in shared memory to count instead.
  template <class Moved>
  void add(const page& kernel_page, std::int64_t sign, const Moved& moved) {
    for (const recorded_access& access : kernel_page.recorded->accesses) {
      const int bytes = access.memory.bytes * access.memory.elements;
      const int piece = bytes_of_piece(*kernel_page.kernel, access, bytes);
      for (const recorded_class& recorded : access.classes)
        for (const auto& [base, times] : recorded.times)
          for (int first = 0; first < bytes; first += piece)
            add(access, piece == bytes ? 0 : piece,
                lanes_of(access, recorded.lanes, base + first, moved),
                sign * static_cast<std::int64_t>(times));
    }
  }
  std::optional<place> first_left() const {
    for (const auto& [key, lanes] : balances_)
      if (!lanes.empty()) return place{std::get<0>(key), std::get<1>(key), 0};
    return std::nullopt;
  }

 private:
  struct lanes_at {
    std::uint64_t active;
    std::vector<long long> distance;  // of each active lane from the lowest one
    long long base;                   // the address of that
    auto operator<=>(const lanes_at&) const = default;
  };
  // File, line, global, what it does, bytes, elements, past the first cache, array.
  using access_key = std::tuple<int, int, bool, access_does, int, int, bool, int>;

  // An element, or all bytes.
  static int bytes_of_piece(const kernel_code& kernel, const recorded_access& access, int bytes) {
    if (access.is_global || access.array < 0 ||
        (access.memory.operation != access_does::load &&
         access.memory.operation != access_does::store))
      return bytes;
    const int element = kernel.shared[static_cast<std::size_t>(access.array)].element_bytes;
    return element > 0 && bytes % element == 0 ? element : bytes;
  }

  template <class Moved>
  lanes_at lanes_of(const recorded_access& access, const bm::request& lanes, long long base,
                    const Moved& moved) const {
    lanes_at result{lanes.active, {}, 0};
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      long long address = base + lanes.address[std::countr_zero(rest)];
      if (!access.is_global) address = moved(access.array, address);
      if (result.distance.empty()) result.base = address;
      result.distance.push_back(address - result.base);
    }
    if (access.is_global && merges_)
      result.base = (result.base % global_period + global_period) % global_period;
    return result;
  }
  // `piece`: the bytes of the element; 0: the access as it is.
  void add(const recorded_access& access, int piece, const lanes_at& lanes, std::int64_t times) {
    const memory_access& memory = access.memory;
    auto& of_access = balances_[{access.location.file, access.location.line, access.is_global,
                                 memory.operation, piece > 0 ? piece : memory.bytes,
                                 piece > 0 ? 1 : memory.elements, memory.uncached, access.array}];
    const auto entry = of_access.try_emplace(lanes, 0).first;
    entry->second += times;
    if (entry->second == 0) of_access.erase(entry);
  }

  bool merges_;
  std::map<access_key, std::map<lanes_at, std::int64_t>> balances_;
};

}  // namespace

std::optional<place> first_other_request(const page& previous, const page& current,
                                         const std::vector<array_plan>& changed) {
  request_balance balance(previous.recorded->has_merged_bases ||
                          current.recorded->has_merged_bases);
  balance.add(current, 1, [](int, long long address) { return address; });
  balance.add(previous, -1, moved_arrays(previous, current, changed));
  return balance.first_left();
}

}  // namespace compiled
