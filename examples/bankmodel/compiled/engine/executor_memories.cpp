// SPDX-License-Identifier: MIT
// Accesses to global, constant and local memory, and to arguments.
#include <algorithm>
#include <array>

#include "executor.hpp"

namespace compiled {

void executor::access_global(warp& of, const step& one, std::uint64_t lanes, std::uint64_t unknown,
                             int origin, const std::uint64_t* address, const unknown_base* base) {
  const instruction& does = *one.does;
  const memory_access& memory = does.memory;
  const bool is_constant = memory.memory == memory_kind::constant;
  const std::uint64_t active = base != nullptr ? unknown : lanes;
  const auto [array, outside] = placed_in_global(arrays_in_global(kernel_), active, address);
  bool is_aligned = true;
  for_each_lane(active, [&](int lane) {
    is_aligned =
        is_aligned && address[lane] % static_cast<std::uint64_t>(alignment_of(memory)) == 0;
  });
  if (!is_constant) {
    const bm::access_kind kind = kind_of(memory, true);
    const auto record_bounds = [&](const std::uint64_t* known, const std::string& reason) {
      recorder_.bounded_request(one.global_access, kind, bytes_as_written(memory), lanes | unknown,
                                known, is_possible_, reason);
      recorder_.set_array(one.global_access, only_array_of(does));
    };
    if (base != nullptr)
      recorder_.request(one.global_access,
                        {.kind = kind,
                         .bytes = bytes_as_written(memory),
                         .active = unknown,
                         .address = address,
                         .array = array,
                         .zeros = base->zeros,
                         .is_possible = is_possible_},
                        origins_.text_of_address(origin));
    else if (unknown != 0)
      record_bounds(nullptr, origins_.text_of_address(origin));
    else if (is_possible_ && outside < 0 && is_aligned)
      record_bounds(address, "whether it is made depends on " + origins_.text(possible_origin_));
    else if (outside >= 0)
      recorder_.unknown_request(one.global_access, kind, "an address that no argument points to");
    else if (!is_aligned)
      recorder_.unknown_request(one.global_access, kind, "an address that is not aligned");
    else
      recorder_.request(one.global_access, kind, bytes_as_written(memory), lanes, address, array);
  }
  const char* const reason = is_constant                          ? "a load from constant memory"
                             : memory.does == access_does::atomic ? "an atomic operation"
                                                                  : "a load from global memory";
  const int loaded = origins_.of(reason, does.where, "", pointer_to(array));
  if (memory.does != access_does::load) {
    store_global(of, one, lanes, unknown, address);
    return forget_results(of, does, lanes | unknown, loaded);
  }
  forget_results(of, does, unknown, loaded);
  bool is_same = (lanes | unknown) == active;
  for_each_lane(active, [&](int lane) {
    is_same = is_same && address[lane] == address[std::countr_zero(active)];
  });
  const global_data::moment now = {of.number, time_, steps_};
  for (std::size_t element = 0; element < does.to.size(); ++element) {
    std::uint64_t* const to = of.registers.values(does.to[element]);
    std::uint64_t without_value = 0;
    for_each_lane(lanes, [&](int lane) {
      const auto value = data_.load(
          address[lane] + element * static_cast<std::uint64_t>(memory.bytes), memory.bytes, now);
      if (!value) {
        without_value |= std::uint64_t{1} << lane;
        return;
      }
      to[lane] = memory.sign_extends ? sign_extended(*value, 8 * memory.bytes) : *value;
    });
    of.registers.mark(does.to[element], lanes, without_value, loaded);
    if (is_same && (without_value | unknown) == active)
      set_loaded_base(of, does, does.to[element], active);
  }
}

void executor::store_global(warp& of, const step& one, std::uint64_t lanes, std::uint64_t unknown,
                            const std::uint64_t* address) {
  if (data_.is_empty()) return;
  if (unknown != 0) store_somewhere(*one.does);
  const memory_access& memory = one.does->memory;
  const auto size = static_cast<std::uint64_t>(memory.bytes);
  const global_data::moment now = {of.number, time_, steps_};
  for (std::size_t element = 0; element < static_cast<std::size_t>(memory.elements); ++element) {
    lane_values given;
    const bool has_value = memory.does == access_does::store && memory.bytes <= 8 &&
                           element + 1 < one.from.size() && !is_possible_;
    if (has_value) given = operand_of(of, one, element + 1);
    for_each_lane(lanes, [&](int lane) {
      std::optional<std::uint64_t> value;
      if (has_value && !has(given.unknown, lane)) value = given[lane];
      data_.store(address[lane] + element * size, memory.bytes, value, now);
    });
  }
}

// To addresses that are unknown, or perhaps.
void executor::store_somewhere(const instruction& one) {
  if (data_.is_empty()) return;
  if (!pointed_) pointed_.emplace(kernel_);
  const std::optional<std::set<int>> arrays =
      one.from.empty() ? std::nullopt : pointed_->of(one.from[0]);
  if (!arrays) return data_.store_anywhere();
  for (const int array : *arrays) data_.store_somewhere(array);
}

// The one array that the address may be in, whatever data say; -1 if there may be several.
int executor::only_array_of(const instruction& access) {
  const auto [known, is_new] = only_arrays_.try_emplace(&access, -1);
  if (!is_new || access.from.empty()) return known->second;
  if (!pointed_) pointed_.emplace(kernel_);
  const std::optional<std::set<int>> arrays = pointed_->of(access.from[0]);
  if (arrays && arrays->size() == 1) known->second = *arrays->begin();
  return known->second;
}

std::string executor::pointer_to(int array) const {
  const auto number = static_cast<std::size_t>(array);
  if (array < 0) return "";
  if (number < kernel_.parameters.size()) return kernel_.parameters[number].name;
  const std::size_t of_module = number - kernel_.parameters.size();
  return of_module < kernel_.globals.size() ? kernel_.globals[of_module].name : "";
}

tracked_bytes& executor::local_of(warp& of, int lane) {
  tracked_bytes& result = of.local[static_cast<std::size_t>(lane)];
  if (result.size() == 0)
    result = tracked_bytes(static_cast<std::uint64_t>(kernel_.local_bytes), never_stored_local_);
  return result;
}

// Also for other memory: of lanes in `unknown` that may store to local memory, all of it becomes
// unknown.
void executor::access_local(warp& of, const step& one, std::uint64_t lanes, std::uint64_t unknown,
                            int origin, const std::uint64_t* address) {
  const instruction& does = *one.does;
  const memory_access& memory = does.memory;
  const bool is_load = memory.does == access_does::load;
  if (is_load) forget_results(of, does, unknown, origin);
  const bool may_be_local =
      memory.memory == memory_kind::local || memory.memory == memory_kind::generic;
  if (!is_load && may_be_local && kernel_.local_bytes > 0) {
    // A variable that is stored to at a fixed place is the only one that changes.
    const bool is_fixed =
        memory.memory == memory_kind::local && one.does->from[0].is == operand::kind::constant;
    const std::uint64_t at = is_fixed ? (one.does->from[0].value & ~window_mask) +
                                            static_cast<std::uint64_t>(memory.offset)
                                      : 0;
    const auto all = static_cast<std::uint64_t>(kernel_.local_bytes);
    const std::uint64_t bytes =
        is_fixed ? static_cast<std::uint64_t>(bytes_as_written(memory)) : all;
    if (at + bytes <= all)
      for_each_lane(unknown, [&](int lane) { local_of(of, lane).forget(at, bytes, origin); });
  }
  if (lanes == 0) return;
  const auto size = static_cast<std::uint64_t>(memory.bytes);
  const int too_wide =
      memory.bytes > 8 ? origins_.of("a value of more than 8 bytes", does.where) : no_origin;
  for_each_lane(lanes, [&](int lane) {
    if (address[lane] + size * static_cast<std::uint64_t>(memory.elements) >
            static_cast<std::uint64_t>(kernel_.local_bytes) ||
        address[lane] > static_cast<std::uint64_t>(kernel_.local_bytes))
      throw cannot_run(does.where,
                       "an access of " + thread_of(of, lane) + " outside its local variables",
                       "give the block and the arguments that the kernel is written for");
  });
  if (memory.does == access_does::load) {
    for (std::size_t element = 0; element < does.to.size(); ++element) {
      std::uint64_t* const to = of.registers.values(does.to[element]);
      std::uint64_t not_known = 0;
      int from_origin = 0;
      for_each_lane(lanes, [&](int lane) {
        tracked_bytes::content found{0, too_wide};
        if (too_wide == no_origin)
          found = local_of(of, lane).load(address[lane] + element * size, memory.bytes);
        if (found.origin != no_origin) {
          not_known |= std::uint64_t{1} << lane;
          from_origin = found.origin;
        }
        to[lane] = memory.sign_extends ? sign_extended(found.value, 8 * memory.bytes) : found.value;
      });
      of.registers.mark(does.to[element], lanes, not_known, from_origin);
    }
    return;
  }
  const bool is_store = memory.does == access_does::store;
  const int changed = origins_.of("an atomic operation", does.where);
  for (std::size_t element = 0; element + 1 < one.from.size(); ++element) {
    const lane_values given = operand_of(of, one, element + 1);
    for_each_lane(lanes, [&](int lane) {
      const std::uint64_t to = address[lane] + element * size;
      if (!is_store || too_wide != no_origin || has(given.unknown, lane) || is_possible_)
        local_of(of, lane).forget(to, size,
                                  !is_store               ? changed
                                  : is_possible_          ? possible_origin_
                                  : too_wide != no_origin ? too_wide
                                                          : given.origin);
      else
        local_of(of, lane).store(to, memory.bytes, given[lane]);
    });
  }
  forget_results(of, does, lanes, changed);
}

// Of lanes in `unknown` one of several members is loaded; nobody says which.
void executor::load_argument(warp& of, const step& one, std::uint64_t lanes, std::uint64_t unknown,
                             const std::uint64_t* address) {
  const instruction& does = *one.does;
  const tracked_bytes& arguments = prepared_.arguments();
  const auto size = static_cast<std::uint64_t>(does.memory.bytes);
  const int outside = origins_.of("a load outside the arguments", does.where);
  const unknown_base base = base_of(of, one, 0);
  const lane_values given = operand_of(of, one, 0);
  const std::uint64_t active = lanes | unknown;
  // The lanes load one member.
  bool is_same = unknown == 0 || (unknown == active && (active & ~base.lanes) == 0);
  for_each_lane(active, [&](int lane) {
    is_same = is_same && given[lane] == given[std::countr_zero(active)];
  });
  if (unknown != 0)
    forget_results(
        of, does, unknown,
        origins_.of("a member of the arguments, and its index is not known", does.where));
  for (std::size_t element = 0; element < does.to.size(); ++element) {
    std::uint64_t* const to = of.registers.values(does.to[element]);
    std::uint64_t without_value = 0;
    int origin = 0;
    for_each_lane(lanes, [&](int lane) {
      const std::uint64_t at = address[lane] + element * size;
      tracked_bytes::content found{0, outside};
      if (size <= 8 && at <= arguments.size() && at + size <= arguments.size())
        found = arguments.load(at, does.memory.bytes);
      if (found.origin != no_origin) {
        without_value |= std::uint64_t{1} << lane;
        origin = found.origin;
      }
      to[lane] = does.memory.sign_extends ? sign_extended(found.value, 8 * does.memory.bytes)
                                          : found.value;
    });
    of.registers.mark(does.to[element], lanes, without_value, origin);
    if (is_same && (without_value | unknown) == active)
      set_loaded_base(of, does, does.to[element], active);
  }
}

// from[2], if present, is how many bytes are loaded; the rest is 0.
executor::loading_lanes executor::loading(const warp& of, const step& one,
                                          std::uint64_t active) const {
  const lane_values from = operand_of(of, one, 1);
  loading_lanes result{active, 0, from.origin};
  if (one.from.size() > 2) {
    const lane_values size = operand_of(of, one, 2);
    result.unknown = size.unknown & active;
    if (result.unknown != 0) result.origin = size.origin;
    for_each_lane(active & ~result.unknown, [&](int lane) {
      if (size[lane] == 0) result.lanes &= ~(std::uint64_t{1} << lane);
    });
  }
  result.unknown |= from.unknown & result.lanes;
  return result;
}

// The source of cp.async, if all of it is known.
std::optional<bm::request> executor::source_of(const warp& of, const step& one,
                                               std::uint64_t active) const {
  const loading_lanes loads = loading(of, one, active);
  if (loads.unknown != 0) return std::nullopt;
  const lane_values from = operand_of(of, one, 1);
  bm::request result;
  result.bytes = one.does->memory.bytes;
  result.active = loads.lanes;
  std::uint64_t first = ~std::uint64_t{0};
  for_each_lane(loads.lanes, [&](int lane) { first = std::min(first, from[lane]); });
  first = first / copied_from * copied_from;
  for_each_lane(loads.lanes, [&](int lane) {
    result.address[lane] = static_cast<long long>(from[lane] - first);
  });
  return result;
}

// The load of cp.async.
void executor::copy_global(warp& of, const step& one, std::uint64_t active) {
  const loading_lanes loads = loading(of, one, active);
  if (loads.lanes == 0) return;
  instruction load_alone = *one.does;
  load_alone.memory.does = access_does::load;
  load_alone.memory.memory = memory_kind::global;
  step load = one;
  load.does = &load_alone;
  access_global(of, load, loads.lanes & ~loads.unknown, loads.unknown, loads.origin,
                operand_of(of, one, 1).value);
}

}  // namespace compiled
