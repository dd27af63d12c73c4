// SPDX-License-Identifier: MIT
#include "request_picture.hpp"

#include <algorithm>
#include <bankmodel/draw.hpp>
#include <bankmodel/explain.hpp>
#include <optional>

#include "../../search_options.hpp"
#include "../code/declared_layout.hpp"
#include "../engine/memory.hpp"
#include "worst_request.hpp"

namespace compiled {

namespace {

// Several pictures are in a page.
constexpr bm::svg_style short_file{.part = {}, .untouched_bank_numbers = false};

bool fits(int element, long long base, long long bytes) {
  return element >= 1 && element <= 16 && (element & (element - 1)) == 0 && base % element == 0 &&
         bytes % element == 0;
}

// In one dimension, of elements as wide as the accesses if they fit.
bm::array_description line_of(const std::string& name, long long base, long long bytes,
                              int element) {
  while (!fits(element, base, bytes)) element /= 2;
  return {command_line::array_name_of(name), bm::row_major(bytes / element), element, base};
}

// The array as declared; in one dimension if that is unknown; all shared memory if there are
// several arrays.
bm::array_description array_of(const page& kernel_page, const recorded_access& access, int bytes) {
  const shared_layout places = laid_out(
      *kernel_page.kernel, static_cast<std::uint64_t>(kernel_page.settings.dynamic_shared_bytes));
  if (access.array < 0)
    return line_of("shared memory", 0, static_cast<long long>((places.total + 15) / 16 * 16),
                   bytes);
  const auto number = static_cast<std::size_t>(access.array);
  const code_array& array = kernel_page.kernel->shared[number];
  const auto base = static_cast<long long>(places.first[number]),
             size = static_cast<long long>(places.bytes[number]);
  if (!has_layout(array, places.bytes[number]) || !fits(array.element_bytes, base, size))
    return line_of(array.name, base, size, bytes);
  bm::array_description result = line_of(array.name, base, size, array.element_bytes);
  result.layout = row_major(array.extents);
  return result;
}

// Where the plan has a byte of its array; nothing if it has no place for it.
std::optional<long long> planned_byte(const array_plan& plan, int element_bytes, long long byte) {
  if (!plan.rows.empty()) return moved_byte(plan.rows, byte);
  const long long element = byte / element_bytes;
  if (byte < 0 || element >= plan.declared.required_size()) return std::nullopt;
  const auto place = plan.declared.coordinates(element);
  for (int dimension = 0; dimension < plan.planned.rank; ++dimension)
    if (place[dimension] >= plan.planned.extent[dimension]) return std::nullopt;
  return plan.planned(place) * element_bytes + byte % element_bytes;
}

}  // namespace

std::string picture_of_plan(const page& kernel_page, const priced_access& entry,
                            const array_plan& plan) {
  if (entry.first->is_global || entry.first->array != plan.array) return {};
  const std::optional<explained_access> worst = worst_request_of(kernel_page, entry);
  if (!worst) return {};
  const code_array& array = kernel_page.kernel->shared[slot(plan.array)];
  const shared_layout places = laid_out(
      *kernel_page.kernel, static_cast<std::uint64_t>(kernel_page.settings.dynamic_shared_bytes));
  const long long start = entry.explained != nullptr
                              ? worst->shared.array.base_bytes
                              : static_cast<long long>(places.first[slot(plan.array)]);
  bm::request moved = worst->shared.worst;
  for (int lane = 0; lane < kernel_page.machine.lanes; ++lane) {
    if ((moved.active >> lane & 1) == 0) continue;
    const std::optional<long long> byte =
        planned_byte(plan, array.element_bytes, moved.address[lane] - start);
    if (!byte) return {};
    moved.address[lane] = start + *byte;
  }
  bm::array_description planned =
      line_of(array.name, start, plan.bytes(array.element_bytes), std::max(array.element_bytes, 1));
  if (plan.rows.empty()) {
    planned.layout = plan.planned;
    planned.element_bytes = array.element_bytes;
  }
  return bm::draw_svg(kernel_page.machine, planned, moved, short_file);
}

namespace {

struct drawn_request {
  bm::machine machine;
  bm::array_description array;
  bm::request worst;
};

std::optional<drawn_request> worst_request(const page& kernel_page, const priced_access& entry) {
  const std::optional<explained_access> explained = worst_request_of(kernel_page, entry);
  if (!explained) return {};
  if (entry.explained != nullptr && entry.first->is_global)
    return drawn_request{kernel_page.machine, explained->global.array, explained->global.worst};
  if (entry.explained != nullptr)
    return drawn_request{kernel_page.machine, explained->shared.array, explained->shared.worst};
  if (entry.first->is_global) {
    // Without a name: the request's bytes, wherever the array is.
    bm::array_description bytes;
    bytes.layout = bm::row_major(1);
    bytes.element_bytes = 1;
    bytes.memory = bm::memory_space::global;
    return drawn_request{met_by(entry.first->memory, kernel_page.machine), bytes, entry.worst};
  }
  const bm::request& worst = explained->shared.worst;
  return drawn_request{kernel_page.machine, array_of(kernel_page, *entry.first, worst.bytes),
                       worst};
}

}  // namespace

std::string picture_of(const page& kernel_page, const priced_access& entry) {
  const std::optional<drawn_request> drawn = worst_request(kernel_page, entry);
  return drawn ? bm::draw_svg(drawn->machine, drawn->array, drawn->worst, short_file) : "";
}

std::string text_picture_of(const page& kernel_page, const priced_access& entry) {
  const std::optional<drawn_request> drawn = worst_request(kernel_page, entry);
  return drawn ? bm::draw_text(drawn->machine, drawn->array, drawn->worst) : "";
}

}  // namespace compiled
