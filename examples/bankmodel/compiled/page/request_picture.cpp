// SPDX-License-Identifier: MIT
#include "request_picture.hpp"

#include <algorithm>
#include <bankmodel/draw.hpp>
#include <bankmodel/explain.hpp>

#include "../code/declared_layout.hpp"
#include "../engine/memory.hpp"

namespace compiled {

namespace {

constexpr long long most_cells = 64;  // in a row or a column of a picture

bool fits(int element, long long base, long long bytes) {
  return element >= 1 && element <= 16 && (element & (element - 1)) == 0 && base % element == 0 &&
         bytes % element == 0;
}

// In one dimension, of elements as wide as the accesses if they fit.
bm::array_description line_of(const std::string& name, long long base, long long bytes,
                              int element) {
  constexpr std::size_t longest_name = 32;
  while (!fits(element, base, bytes)) element /= 2;
  return {bm::name_of(name.substr(0, longest_name).c_str()), bm::row_major(bytes / element),
          element, base};
}

// The array as declared; in one dimension if that is unknown; all shared memory if there are
// several arrays.
bm::array_description array_of(const page& of, const recorded_access& access, int bytes) {
  const shared_layout places =
      laid_out(*of.kernel, static_cast<std::uint64_t>(of.how.dynamic_shared_bytes));
  if (access.array < 0)
    return line_of("shared memory", 0, static_cast<long long>((places.total + 15) / 16 * 16),
                   bytes);
  const auto number = static_cast<std::size_t>(access.array);
  const code_array& array = of.kernel->shared[number];
  const auto base = static_cast<long long>(places.first[number]),
             size = static_cast<long long>(places.bytes[number]);
  if (!has_layout(array, places.bytes[number]) || !fits(array.element_bytes, base, size))
    return line_of(array.name, base, size, bytes);
  bm::array_description result = line_of(array.name, base, size, array.element_bytes);
  result.layout = row_major(array.extents);
  return result;
}

struct touched_elements {
  long long first = 0, last = 0;
};
touched_elements touched(const bm::array_description& array, const bm::request& r) {
  touched_elements result = {array.layout.required_size(), 0};
  for (int at = 0; at < bm::max_lanes; ++at) {
    if ((r.active >> at & 1) == 0) continue;
    const long long begin = r.address[at] - array.base_bytes;
    result.first = std::min(result.first, begin / array.element_bytes);
    result.last = std::max(result.last, (begin + r.bytes - 1) / array.element_bytes);
  }
  return result;
}

// The rows and columns that the request touches, or all if they are few.
bm::picture_part part_of(const bm::machine& m, const bm::array_description& array,
                         const bm::request& r) {
  const auto [first, last] = touched(array, r);
  const bm::layout& rows = array.layout;
  const bm::geometry banks = m.banks(r.bytes, r.kind);
  long long length = 1ll * banks.bank_num * banks.W / array.element_bytes;
  while (rows.rank == 1 && length > most_cells) length /= 2;
  if (rows.rank > 1) length = rows.extent[rows.rank - 1];
  length = std::max(length, 1ll);
  const long long in_a_plane = rows.rank > 2
                                   ? length * rows.extent[rows.rank - 2]
                                   : (rows.required_size() + length - 1) / length * length;
  bm::picture_part result;
  result.first_plane = static_cast<unsigned>(first / in_a_plane);
  result.planes = static_cast<unsigned>(std::min(last / in_a_plane - first / in_a_plane + 1, 4ll));
  if (rows.rank == 1) result.row_length = static_cast<unsigned>(length);
  if (in_a_plane / length > most_cells / 2 && first / in_a_plane == last / in_a_plane) {
    result.first_row = static_cast<unsigned>(first % in_a_plane / length);
    result.rows = static_cast<unsigned>(std::min(last / length - first / length + 1, most_cells));
  }
  if (length > most_cells && first / length == last / length) {
    const long long column = first % length, begin = column / 32 * 32;
    const bool is_in = last % length < begin + most_cells;
    result.first_column = static_cast<unsigned>(is_in ? begin : column);
  }
  return result;
}

}  // namespace

std::string picture_of(const page& of, const priced_access& one) {
  if (one.first->is_global) {
    if (one.worst.active == 0) return {};
    // Without a name: the request's bytes, wherever the array is.
    bm::array_description bytes;
    bytes.layout = bm::row_major(1);
    bytes.element_bytes = 1;
    bytes.memory = bm::memory_space::global;
    return bm::draw_svg(met_by(one.first->memory, of.machine), bytes, one.worst);
  }
  if (one.classes.empty()) return {};
  const bm::explanation why =
      bm::explain(of.machine, one.classes.data(), static_cast<int>(one.classes.size()));
  const bm::array_description array = array_of(of, *one.first, why.worst.bytes);
  return bm::draw_svg(of.machine, array, why.worst,
                      {.part = part_of(of.machine, array, why.worst)});
}

}  // namespace compiled
