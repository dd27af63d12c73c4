// SPDX-License-Identifier: MIT
// Accesses to global, constant and local memory, and to arguments.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

void executor::access_global(warp& current, const step& action, std::uint64_t lanes,
                             std::uint64_t unknown, int origin, const std::uint64_t* address,
                             const unknown_base* base) {
  const instruction& code = *action.code;
  const memory_access& memory = code.memory;
  if (values_ != nullptr) return transfer_global(current, action, lanes, address);
  const bool is_constant = memory.memory == memory_kind::constant;
  const std::uint64_t active = base != nullptr ? unknown : lanes;
  const auto [array, outside] = placed_in_global(arrays_in_global(kernel_), active, address);
  const bool is_aligned = is_true_for_all(active, [&](int lane) {
    return address[lane] % static_cast<std::uint64_t>(alignment_of(memory)) == 0;
  });
  if (!is_constant) {
    const bm::access_kind kind = kind_of(memory, true);
    const auto record_bounds = [&](const std::uint64_t* known, const std::string& reason) {
      recorder_.bounded_request(action.global_access, kind, bytes_as_written(memory),
                                lanes | unknown, known, is_possible_, reason);
      recorder_.set_array(action.global_access, only_array_of(code));
    };
    if (base != nullptr)
      recorder_.request(action.global_access,
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
      recorder_.unknown_request(action.global_access, kind,
                                "an address that no argument points to");
    else if (!is_aligned)
      recorder_.unknown_request(action.global_access, kind, "an address that is not aligned");
    else
      recorder_.request(action.global_access, kind, bytes_as_written(memory), lanes, address,
                        array);
  }
  const char* const reason = is_constant ? "a load from constant memory"
                             : memory.operation == access_does::atomic
                                 ? "an atomic operation"
                                 : "a load from global memory";
  const int loaded = origins_.intern(reason, code.location, "", pointer_to(array));
  if (memory.operation != access_does::load) {
    store_global(current, action, lanes, unknown, address);
    return forget_results(current, code, lanes | unknown, loaded);
  }
  forget_results(current, code, unknown, loaded);
  const bool is_same = (lanes | unknown) == active && lane_values{address}.is_same(active);
  const global_data::moment stamp = {current.number, time_, steps_};
  load_elements(current, code, lanes, address, is_same ? active : 0,
                [&](int, std::uint64_t byte) -> tracked_bytes::content {
                  const auto value = data_.load(byte, memory.bytes, stamp);
                  return {value.value_or(0), value ? no_origin : loaded};
                });
}

void executor::store_global(warp& current, const step& action, std::uint64_t lanes,
                            std::uint64_t unknown, const std::uint64_t* address) {
  if (data_.is_empty()) return;
  if (unknown != 0) store_somewhere(*action.code);
  const memory_access& memory = action.code->memory;
  const auto size = static_cast<std::uint64_t>(memory.bytes);
  const global_data::moment stamp = {current.number, time_, steps_};
  for (std::size_t element = 0; element < static_cast<std::size_t>(memory.elements); ++element) {
    lane_values stored;
    const bool has_value = memory.operation == access_does::store && memory.bytes <= 8 &&
                           element + 1 < action.operands.size() && !is_possible_;
    if (has_value) stored = operand_of(current, action, element + 1);
    for_each_lane(lanes, [&](int lane) {
      std::optional<std::uint64_t> value;
      if (has_value && !has(stored.unknown, lane)) value = stored[lane];
      data_.store(address[lane] + element * size, memory.bytes, value, stamp);
    });
  }
}

// To addresses that are unknown, or perhaps.
void executor::store_somewhere(const instruction& code) {
  if (data_.is_empty()) return;
  if (!pointed_) pointed_.emplace(kernel_);
  const std::optional<std::set<int>> arrays =
      code.operands.empty() ? std::nullopt : pointed_->find(code.operands[0]);
  if (!arrays) return data_.store_anywhere();
  for (const int array : *arrays) data_.store_somewhere(array);
}

// The one array that the address may be in, whatever data say; -1 if there may be several.
int executor::only_array_of(const instruction& access) {
  const auto [known, is_new] = only_arrays_.try_emplace(&access, -1);
  if (!is_new || access.operands.empty()) return known->second;
  if (!pointed_) pointed_.emplace(kernel_);
  const std::optional<std::set<int>> arrays = pointed_->find(access.operands[0]);
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

tracked_bytes& executor::local_of(warp& current, int lane) {
  tracked_bytes& result = current.local[slot(lane)];
  if (result.size() == 0)
    result = tracked_bytes(static_cast<std::uint64_t>(kernel_.local_bytes), never_stored_local_);
  return result;
}

// Also for other memory: of lanes in `unknown` that may store to local memory, all of it becomes
// unknown.
void executor::access_local(warp& current, const step& action, std::uint64_t lanes,
                            std::uint64_t unknown, int origin, const std::uint64_t* address) {
  const instruction& code = *action.code;
  const memory_access& memory = code.memory;
  const bool is_load = memory.operation == access_does::load;
  if (is_load) forget_results(current, code, unknown, origin);
  const bool may_be_local =
      memory.memory == memory_kind::local || memory.memory == memory_kind::generic;
  if (!is_load && may_be_local && kernel_.local_bytes > 0) {
    // A variable that is stored to at a fixed place is the only one that changes.
    const bool is_fixed = memory.memory == memory_kind::local &&
                          action.code->operands[0].is == operand::kind::constant;
    const std::uint64_t first = is_fixed ? (action.code->operands[0].value & ~window_mask) +
                                               static_cast<std::uint64_t>(memory.offset)
                                         : 0;
    const auto total = static_cast<std::uint64_t>(kernel_.local_bytes);
    const std::uint64_t bytes =
        is_fixed ? static_cast<std::uint64_t>(bytes_as_written(memory)) : total;
    if (first + bytes <= total)
      for_each_lane(unknown,
                    [&](int lane) { local_of(current, lane).forget(first, bytes, origin); });
  }
  if (lanes == 0) return;
  const auto size = static_cast<std::uint64_t>(memory.bytes);
  const int too_wide =
      memory.bytes > 8 ? origins_.intern("a value of more than 8 bytes", code.location) : no_origin;
  for_each_lane(lanes, [&](int lane) {
    if (address[lane] + size * static_cast<std::uint64_t>(memory.elements) >
            static_cast<std::uint64_t>(kernel_.local_bytes) ||
        address[lane] > static_cast<std::uint64_t>(kernel_.local_bytes))
      throw cannot_run(code.location,
                       "an access of " + thread_of(current, lane) + " outside its local variables",
                       "give the block and the arguments that the kernel is written for");
  });
  if (is_load)
    return load_elements(current, code, lanes, address, 0, [&](int lane, std::uint64_t byte) {
      return too_wide != no_origin ? tracked_bytes::content{0, too_wide}
                                   : local_of(current, lane).load(byte, memory.bytes);
    });
  const bool is_store = memory.operation == access_does::store;
  const int changed = origins_.intern("an atomic operation", code.location);
  for (std::size_t element = 0; element + 1 < action.operands.size(); ++element) {
    const lane_values stored = operand_of(current, action, element + 1);
    for_each_lane(lanes, [&](int lane) {
      const std::uint64_t byte = address[lane] + element * size;
      if (!is_store || too_wide != no_origin || has(stored.unknown, lane) || is_possible_)
        local_of(current, lane)
            .forget(byte, size,
                    !is_store               ? changed
                    : is_possible_          ? possible_origin_
                    : too_wide != no_origin ? too_wide
                                            : stored.origin);
      else
        local_of(current, lane).store(byte, memory.bytes, stored[lane]);
    });
  }
  forget_results(current, code, lanes, changed);
}

// Of lanes in `unknown` one of several members is loaded; nobody says which.
void executor::load_argument(warp& current, const step& action, std::uint64_t lanes,
                             std::uint64_t unknown, const std::uint64_t* address) {
  const instruction& code = *action.code;
  const tracked_bytes& arguments = prepared_.arguments();
  const auto size = static_cast<std::uint64_t>(code.memory.bytes);
  const int outside = origins_.intern("a load outside the arguments", code.location);
  const unknown_base base = base_of(current, action, 0);
  const lane_values offsets = operand_of(current, action, 0);
  const std::uint64_t active = lanes | unknown;
  // The lanes load one member.
  const bool is_same = (unknown == 0 || (unknown == active && (active & ~base.lanes) == 0)) &&
                       offsets.is_same(active);
  if (unknown != 0)
    forget_results(
        current, code, unknown,
        origins_.intern("a member of the arguments, and its index is not known", code.location));
  load_elements(current, code, lanes, address, is_same ? active : 0, [&](int, std::uint64_t byte) {
    const bool is_inside = size <= 8 && byte <= arguments.size() && byte + size <= arguments.size();
    return is_inside ? arguments.load(byte, code.memory.bytes) : tracked_bytes::content{0, outside};
  });
}

// operands[2], if present, is how many bytes are loaded; the rest is 0.
executor::loading_lanes executor::loading(const warp& current, const step& action,
                                          std::uint64_t active) const {
  const lane_values source = operand_of(current, action, 1);
  loading_lanes result{active, 0, source.origin};
  if (action.operands.size() > 2) {
    const lane_values size = operand_of(current, action, 2);
    result.unknown = size.unknown & active;
    if (result.unknown != 0) result.origin = size.origin;
    result.lanes &=
        ~lanes_where(active & ~result.unknown, [&](int lane) { return size[lane] == 0; });
  }
  result.unknown |= source.unknown & result.lanes;
  return result;
}

// The source of cp.async, if all of it is known.
std::optional<bm::request> executor::source_of(const warp& current, const step& action,
                                               std::uint64_t active) const {
  const loading_lanes loads = loading(current, action, active);
  if (loads.unknown != 0) return std::nullopt;
  const lane_values source = operand_of(current, action, 1);
  bm::request result;
  result.bytes = action.code->memory.bytes;
  result.active = loads.lanes;
  std::uint64_t first = ~std::uint64_t{0};
  for_each_lane(loads.lanes, [&](int lane) { first = std::min(first, source[lane]); });
  first = first / copied_from * copied_from;
  for_each_lane(loads.lanes, [&](int lane) {
    result.address[lane] = static_cast<long long>(source[lane] - first);
  });
  return result;
}

// The load of cp.async.
void executor::copy_global(warp& current, const step& action, std::uint64_t active) {
  const loading_lanes loads = loading(current, action, active);
  if (loads.lanes == 0) return;
  instruction load_alone = *action.code;
  load_alone.memory.operation = access_does::load;
  load_alone.memory.memory = memory_kind::global;
  step load = action;
  load.code = &load_alone;
  access_global(current, load, loads.lanes & ~loads.unknown, loads.unknown, loads.origin,
                operand_of(current, action, 1).value);
}

}  // namespace compiled
