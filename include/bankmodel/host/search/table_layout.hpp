// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_SEARCH_TABLE_LAYOUT_HPP
#define BANKMODEL_HOST_SEARCH_TABLE_LAYOUT_HPP

#include <bankmodel/kernel/array.hpp>
#include <bankmodel/layout/family.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// A layout given as a table, with a number for each element.
namespace bankmodel {

constexpr long long most_table_elements = 1 << 16;

namespace rule {
[[noreturn]] BANKMODEL_FN void a_table_must_give_each_element_a_place_of_its_own(long long element,
                                                                                 long long place,
                                                                                 long long size) {
  detail::fail(__func__,
               "a table puts element % (row-major) at %, which holds another element already or is "
               "not below its size of %; give each element of the array one entry",
               element, place, size);
}
[[noreturn]] BANKMODEL_FN void tables_must_have_at_most_65536_elements(long long elements) {
  detail::fail(__func__,
               "a table for an array of % elements is too large; describe one tile of at most % "
               "elements",
               elements, most_table_elements);
}
[[noreturn]] BANKMODEL_FN void a_table_has_no_index_function(long long elements) {
  detail::fail(__func__,
               "a table of % elements has no index function for a subscript, a kernel or a count "
               "of instructions; read its entries from memory in the kernel, and count with "
               "total(machine, block, access, table) of host/search/bounds.hpp",
               elements);
}
[[noreturn]] BANKMODEL_FN void a_table_is_for_an_array_without_padding(long long size,
                                                                       long long elements) {
  detail::fail(__func__,
               "an array of % elements, padding included, has a table for %; use as_layout() "
               "without further padding, since the table gives the place of each element",
               size, elements);
}
}  // namespace rule

namespace detail {
// Row-major with the same extents, however the layout pads or permutes.
inline layout without_padding(const layout& array_layout) {
  layout rows;
  rows.rank = array_layout.rank;
  rows.extent = array_layout.extent;
  return rows.padded(0);
}

// Its numbers are the elements of the array and those of storage.
struct table_family : family<table_family> {
  BANKMODEL_FN static void place(const layout& array_layout, element_to_place& element) {
    if (element.is_written())
      rule::a_table_has_no_index_function(array_layout.permutation.number[0]);
    element.set_number(term{nullptr, array_layout.permutation.table[element.number().value]});
  }
  BANKMODEL_FN static four coordinates(const layout& array_layout, long long place) {
    for (long long element = 0; element < array_layout.permutation.number[0]; ++element)
      if (array_layout.permutation.table[element] == place)
        return without_permutation(array_layout).coordinates(element);
    return {-1, 0, 0, 0};
  }
  BANKMODEL_FN static long long size(const layout& array_layout) {
    return array_layout.permutation.number[1];
  }
  BANKMODEL_FN static long long kept_together(const layout&) { return 1; }
  BANKMODEL_FN static void require(const layout& array_layout) {
    const long long storage_size = family::size(array_layout);
    if (storage_size != array_layout.permutation.number[0] ||
        array_layout.rows() * array_layout.extent[array_layout.rank - 1] != storage_size)
      rule::a_table_is_for_an_array_without_padding(storage_size,
                                                    array_layout.permutation.number[0]);
  }
};
}  // namespace detail

// The mapping from the coordinates of an array to elements of storage, as a table. A kernel keeps
// table() in constant or global memory, or computes it once. Its entries fit in an unsigned short
// for up to 65 536 elements.
// Example:
//
//   const table_layout table(row_major(2, 2), {0, 1, 3, 2}, 4);
//   assert(table(1, 0) == 3 && table.element_at(3) == 2);
class table_layout {
 public:
  // `table` has the element of storage of each element of the array, in row-major order; each is
  // below `size`. Only the extents of `array` are used.
  // Error: more than most_table_elements elements; a table without one place of its own for each
  // element.
  table_layout(const layout& array, std::vector<int> table, long long size)
      : shape_(detail::without_padding(array)), table_(std::move(table)) {
    const long long elements = shape_.required_size();
    if (elements > most_table_elements || size > 2 * most_table_elements)
      rule::tables_must_have_at_most_65536_elements(std::max(elements, size));
    if (static_cast<long long>(table_.size()) != elements)
      rule::a_table_must_give_each_element_a_place_of_its_own(static_cast<long long>(table_.size()),
                                                              0, size);
    element_at_.assign(static_cast<std::size_t>(std::max(size, 0ll)), -1);
    for (std::size_t element = 0; element < table_.size(); ++element) {
      const int place = table_[element];
      if (place < 0 || place >= size || element_at(place) >= 0)
        rule::a_table_must_give_each_element_a_place_of_its_own(static_cast<long long>(element),
                                                                place, size);
      element_at_[static_cast<std::size_t>(place)] = static_cast<int>(element);
    }
  }

  int rank() const { return shape_.rank; }
  long long extent(int dimension) const { return shape_.extent[dimension]; }

  // Returns the element of storage at these coordinates.
  // Error: the number of coordinates is not the rank; a coordinate is outside its extent.
  template <detail::number... Coordinates>
  long long operator()(Coordinates... coordinates) const {
    int dimension = 0;
    const auto require_within = [&](long long coordinate) {
      if (dimension < rank() && (coordinate < 0 || coordinate >= extent(dimension)))
        rule::subscripts_must_lie_within_their_extent(dimension, coordinate, extent(dimension));
      ++dimension;
    };
    (require_within(static_cast<long long>(coordinates)), ...);
    return as_layout()(coordinates...);
  }

  // Returns the table as a layout, to call, to draw and to print. It is valid as long as this
  // object, or the one that it is moved to. It is no constant, so kernels cannot use it.
  // Error (later): it is written into subscripts.
  layout as_layout() const {
    return shape_.permuted({layout_family::table,
                            0,
                            1,
                            {static_cast<long long>(table_.size()), size(), 0, 0},
                            &detail::any_family::functions<detail::table_family>,
                            table_.data()});
  }

  // Returns the row-major number of the array's element that an element of storage holds; -1 for an
  // unused one.
  // Requires: it is below size().
  int element_at(long long place) const { return element_at_[static_cast<std::size_t>(place)]; }

  // Elements of storage, unused ones included.
  long long size() const { return static_cast<long long>(element_at_.size()); }

  // The element of storage of each element of the array, in row-major order.
  const std::vector<int>& table() const { return table_; }

  // True if an array has the same extents.
  bool is_for(const layout& array) const {
    return array.rank == shape_.rank && array.extent == shape_.extent;
  }

 private:
  layout shape_;
  std::vector<int> table_, element_at_;
};

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
