// SPDX-License-Identifier: MIT
// Accesses to shared memory: what they load and store, and what is recorded.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

namespace {

const char* name_of(access_does operation) {
  switch (operation) {
    case access_does::load: return "a load";
    case access_does::atomic: return "an atomic operation";
    case access_does::load_matrix: return "ldmatrix";
    case access_does::store_matrix: return "stmatrix";
    case access_does::copy: return "cp.async";
    default: return "a store";
  }
}

}  // namespace

void executor::require_aligned(const warp& current, const instruction& code, int lane,
                               std::uint64_t address, std::uint64_t bytes) const {
  if (address % static_cast<std::uint64_t>(alignment_of(code.memory)) != 0)
    throw cannot_run(code.location,
                     std::string(name_of(code.memory.operation)) + " of " + std::to_string(bytes) +
                         " bytes of " + thread_of(current, lane) + " at byte " +
                         std::to_string(address) + " of shared memory, not aligned",
                     "align the array, or give the block that the kernel is written for");
}

// "outside the arrays in shared memory, at byte 272 of 272", or "at element 4 of a, which has 4".
std::string executor::outside_text(const memory_access& memory, std::uint64_t address) const {
  // Those below 0 wrap around, in 32 bits.
  const auto byte = static_cast<std::int64_t>(
      address > low_bits(31) && address <= low_bits(32) ? address | ~low_bits(32) : address);
  const shared_layout& layout = prepared_.shared();
  if (memory.shared_array < 0)
    return " outside the arrays in shared memory, at byte " + std::to_string(byte) + " of " +
           std::to_string(layout.total);
  const auto number = static_cast<std::size_t>(memory.shared_array);
  const code_array& array = kernel_.shared[number];
  const std::int64_t distance = byte - static_cast<std::int64_t>(layout.first[number]);
  // PTX declares bytes, whatever their type is: its elements are those of the access.
  const bool is_of_bytes = array.element_type.empty() && array.element_bytes <= 1;
  const std::int64_t size = is_of_bytes ? memory.bytes : array.element_bytes;
  const std::int64_t element = distance / size - (distance % size < 0 ? 1 : 0);
  return " at element " + std::to_string(element) +
         (is_of_bytes && size > 1 ? " of " + std::to_string(size) + " bytes" : "") + " of " +
         array.name + ", which has " +
         std::to_string(static_cast<std::int64_t>(layout.bytes[number]) / size);
}

// A request with an address that no array has, or that leaves the array that it is derived from, is
// not counted.
// Error: the size of a dynamic array was not given.
void executor::access_outside(warp& current, const step& action, std::uint64_t lanes,
                              const std::uint64_t* address, int outside) {
  const instruction& code = *action.code;
  const std::string wrong = std::string(name_of(code.memory.operation)) + " of " +
                            thread_of(current, outside) +
                            outside_text(code.memory, address[outside]);
  const bool has_dynamic = includes(kernel_.shared, 0, &code_array::bytes);
  if (has_dynamic && settings_.dynamic_shared_bytes == 0)
    throw cannot_run(code.location, wrong, "give the bytes of the dynamic array: --dynamic-bytes",
                     {missing_fact::kind::dynamic_bytes});
  leaves_arrays_ = true;
  recorder_.unknown_request(action.shared_access, kind_of(code.memory, false),
                            wrong +
                                "; give the block, the arguments and --dynamic-bytes that the "
                                "kernel is written for");
  const int origin =
      origins_.intern("an access outside the arrays in shared memory", code.location);
  const auto bytes = static_cast<std::uint64_t>(bytes_as_written(code.memory));
  if (code.memory.operation != access_does::load &&
      code.memory.operation != access_does::load_matrix)
    forget_shared(current, lanes, address, bytes, origin);
  forget_results(current, code, lanes, origin);
}

// The address in the block of the cluster that operands[1] names. An address in another block's
// memory is marked as one: banks of other multiprocessors serve it.
void executor::map_to_block(warp& current, const step& action, std::uint64_t active) {
  const lane_values address = operand_of(current, action, 0), rank = operand_of(current, action, 1),
                    own = operand_of(current, action, 2);
  const int target = action.code->results[0];
  const std::uint64_t unknown = address.unknown & active;
  std::uint64_t* const result = current.registers.values(target);
  for_each_lane(active & ~unknown, [&](int lane) {
    const bool is_known = !has(rank.unknown | own.unknown, lane);
    const bool is_own = is_known && ((rank[lane] ^ own[lane]) & low_bits(32)) == 0;
    result[lane] = is_own
                       ? address[lane]
                       : (address[lane] & ~block_mask) | (is_known ? another_block : unknown_block);
    if (action.code->bits == 32) result[lane] &= low_bits(32);
  });
  current.registers.mark(target, active, unknown, address.origin);
}

// A request to another block's shared memory is not counted.
void executor::access_another_block(warp& current, const step& action, std::uint64_t lanes,
                                    const std::uint64_t* address, std::uint64_t unknown,
                                    int origin) {
  const instruction& code = *action.code;
  const bool is_known = is_true_for_all(
      lanes & ~unknown, [&](int lane) { return (address[lane] & block_mask) != unknown_block; });
  std::string reason = std::string(name_of(code.memory.operation)) + " in the shared memory of ";
  reason += is_known && unknown == 0 ? "another block" : "a block";
  reason += " of the cluster is not counted";
  if (unknown != 0) reason += "; its address depends on " + origins_.text(origin);
  if (unknown == 0 && !is_known) reason += "; the block's rank is not known; give --cluster 2x1x1";
  recorder_.unknown_request(action.shared_access, kind_of(code.memory, false), reason);
  origin = origins_.intern("shared memory of another block of the cluster", code.location);
  if (code.memory.operation != access_does::load &&
      code.memory.operation != access_does::load_matrix)
    shared_.forget(0, shared_.size(), origin);  // others do the same
  forget_results(current, code, lanes, origin);
}

// The bytes in the block's shared memory that these lanes write become unknown.
void executor::forget_shared(const warp& current, std::uint64_t lanes, const std::uint64_t* address,
                             std::uint64_t bytes, int origin) {
  for_each_lane(lanes, [&](int lane) {
    if (address[lane] >= shared_.size()) return;
    const std::uint64_t size = std::min(bytes, shared_.size() - address[lane]);
    shared_.forget(address[lane], size, origin);
    shared_times_.note(address[lane], size, time_, current.number);
  });
}

void executor::access_shared(warp& current, const step& action, std::uint64_t lanes,
                             const std::uint64_t* address,
                             const std::optional<bm::request>& source) {
  const instruction& code = *action.code;
  const int bytes = bytes_as_written(code.memory);
  const auto size = static_cast<std::uint64_t>(bytes);
  const shared_layout& layout = prepared_.shared();
  if (lanes_where(lanes, [&](int lane) { return is_of_another_block(address[lane]); }) != 0)
    return access_another_block(current, action, lanes, address, 0, no_origin);
  const auto [array, outside] = placed(layout, code.memory.shared_array, lanes, address, size);
  const std::uint64_t inside = outside < 0 ? lanes : lanes & low_bits(outside);
  for_each_lane(inside,
                [&](int lane) { require_aligned(current, code, lane, address[lane], size); });
  if (outside >= 0) return access_outside(current, action, lanes, address, outside);
  if (values_ != nullptr) return transfer_shared(current, action, lanes, address);
  if (is_possible_)
    recorder_.bounded_request(action.shared_access, kind_of(code.memory, false), bytes, lanes,
                              address, true,
                              "whether it is made depends on " + origins_.text(possible_origin_));
  else
    recorder_.request(action.shared_access, kind_of(code.memory, false), bytes, lanes, address,
                      array, source);
  switch (code.memory.operation) {
    case access_does::load: return load_shared(current, action, lanes, address);
    case access_does::store: return store_shared(current, action, lanes, address);
    case access_does::load_matrix:
      return forget_results(current, code, lanes,
                            origins_.intern("a matrix that ldmatrix loads", code.location));
    default: break;
  }
  const char* const reason = code.memory.operation == access_does::atomic ? "an atomic operation"
                             : code.memory.operation == access_does::copy
                                 ? "a copy from global memory"
                                 : "a matrix that stmatrix stores";
  const int origin = origins_.intern(reason, code.location);
  forget_shared(current, lanes, address, size, origin);
  forget_results(current, code, lanes, origin);
}

void executor::load_shared(warp& current, const step& action, std::uint64_t lanes,
                           const std::uint64_t* address) {
  const instruction& code = *action.code;
  const int bytes = code.memory.bytes;
  const int stored_meanwhile = origins_.intern(
      "shared memory that another warp stores to without a barrier in between, read",
      code.location);
  load_elements(current, code, lanes, address, 0, [&](int, std::uint64_t byte) {
    tracked_bytes::content content;
    if (bytes > 8)
      content.origin = origins_.intern("a value of more than 8 bytes", code.location);
    else
      content = shared_.load(byte, bytes);
    if (content.origin == no_origin && shared_times_.by_another(byte, bytes, time_, current.number))
      content.origin = stored_meanwhile;
    return content;
  });
}

// If lanes or warps store different values to the same bytes at once, nobody knows which stays.
void executor::store_shared(warp& current, const step& action, std::uint64_t lanes,
                            const std::uint64_t* address) {
  const instruction& code = *action.code;
  const int bytes = std::min(code.memory.bytes, 8);
  const auto size = static_cast<std::uint64_t>(code.memory.bytes);
  if (is_possible_)
    return for_each_lane(lanes, [&](int lane) {
      shared_.forget(address[lane], static_cast<std::uint64_t>(bytes_as_written(code.memory)),
                     possible_origin_);
    });
  for (std::size_t element = 0; element + 1 < action.operands.size(); ++element) {
    const lane_values stored = operand_of(current, action, element + 1);
    const auto target = [&](int lane) { return address[lane] + element * size; };
    const auto is_given = [&](int lane, const tracked_bytes::content& content) {
      return content.origin == no_origin &&
             ((content.value ^ stored[lane]) & low_bits(8 * bytes)) == 0;
    };
    if (code.memory.bytes > 8 || stored.unknown != 0) {
      const int origin = code.memory.bytes > 8
                             ? origins_.intern("a value of more than 8 bytes", code.location)
                             : stored.origin;
      for_each_lane(lanes & (code.memory.bytes > 8 ? ~std::uint64_t{0} : stored.unknown),
                    [&](int lane) { shared_.forget(target(lane), size, origin); });
    }
    if (code.memory.bytes > 8) continue;
    const std::uint64_t with_value = lanes & ~stored.unknown;
    const auto differs = [&](int lane) {
      return !is_given(lane, shared_.load(target(lane), bytes));
    };
    std::uint64_t raced = lanes_where(with_value, [&](int lane) {
      return shared_times_.by_another(target(lane), bytes, time_, current.number) && differs(lane);
    });
    for_each_lane(with_value, [&](int lane) { shared_.store(target(lane), bytes, stored[lane]); });
    raced |= lanes_where(with_value, differs);
    // A lane of unknown value may have stored to a byte that a lane of known value has.
    for_each_lane(lanes & stored.unknown,
                  [&](int lane) { shared_.forget(target(lane), size, stored.origin); });
    if (raced == 0) continue;
    const int origin =
        origins_.intern("several threads that store to the same place", code.location);
    for_each_lane(raced, [&](int lane) { shared_.forget(target(lane), size, origin); });
  }
  for_each_lane(lanes, [&](int lane) {
    shared_times_.note(address[lane], static_cast<std::uint64_t>(bytes_as_written(code.memory)),
                       time_, current.number);
  });
}

void executor::access_unknown_shared(warp& current, const step& action, std::uint64_t lanes,
                                     int origin) {
  const instruction& code = *action.code;
  const std::string reason = "an address depends on " + origins_.text(origin) +
                             remedy_by_data(origins_[origin].pointer, "; give ");
  const bool may_be_elsewhere = !is_shared_only(code.memory);
  recorder_.bounded_request(action.shared_access, kind_of(code.memory, false),
                            bytes_as_written(code.memory), lanes, nullptr,
                            is_possible_ || may_be_elsewhere, reason);
  if (may_be_elsewhere) recorder_.mark_partial(action.global_access, reason);
  if (code.memory.operation == access_does::load ||
      code.memory.operation == access_does::load_matrix)
    return;
  shared_.forget(0, shared_.size(), origin);
  if (may_be_elsewhere) {
    access_local(current, action, 0, lanes, origin, nullptr);
    store_somewhere(code);
  }
}

}  // namespace compiled
