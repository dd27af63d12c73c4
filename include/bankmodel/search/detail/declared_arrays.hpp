// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_DECLARED_ARRAYS_HPP
#define BANKMODEL_SEARCH_DETAIL_DECLARED_ARRAYS_HPP

#include <bankmodel/search/detail/kernel_access.hpp>
#include <bankmodel/search/options.hpp>

// The arrays of a kernel, numbered from 0 in the order of their first use.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void arrays_of_one_name_must_be_declared_alike(long long access) {
  detail::fail(__func__,
               "the array of access % (counted from 0) has the name of another array with other "
               "extents, elements or base; give it a name of its own",
               access);
}
[[noreturn]] BANKMODEL_FN void arrays_of_one_name_must_be_one_array(long long access,
                                                                    long long line,
                                                                    long long other) {
  detail::fail(
      __func__,
      "the array of access % (counted from 0) is described in line %, and line % describes another "
      "of its name; give each its own name, or "
      "use one description in all accesses",
      access, line, other);
}
[[noreturn]] BANKMODEL_FN void a_kernel_to_plan_must_have_at_most_16_arrays(long long limit) {
  detail::fail(__func__, "the kernel has more than % arrays; plan those together that conflict",
               limit);
}
[[noreturn]] BANKMODEL_FN void kept_arrays_must_be_of_the_kernel(long long array) {
  detail::fail(__func__,
               "array % (counted from 0) of search.keep is not used by any access of the "
               "kernel; leave it out, or give it the name that the accesses use",
               array);
}
}  // namespace rule

namespace detail {

constexpr int most_planned_arrays = 16;

struct declared_arrays {
  int count = 0;
  const array_description* arrays[most_planned_arrays];

  BANKMODEL_FN declared_arrays() {}

  // The number of an access's array; a name that is new gets the next one. `access_number` is the
  // number of the access. Error: the name belongs to another array; there are more than
  // most_planned_arrays.
  BANKMODEL_FN int number_of(const kernel_access& access, int access_number) {
    const array_description& declared = *access.declared;
    int number = 0;
    while (number < count && arrays[number]->name != declared.name) ++number;
    if (number == most_planned_arrays)
      rule::a_kernel_to_plan_must_have_at_most_16_arrays(most_planned_arrays);
    if (number == count) arrays[count++] = &declared;
    if (*arrays[number] != declared) rule::arrays_of_one_name_must_be_declared_alike(access_number);
    if (arrays[number]->place != declared.place)
      rule::arrays_of_one_name_must_be_one_array(access_number, declared.place.line,
                                                 arrays[number]->place.line);
    return number;
  }

  // Error: options.keep names an array that is not among them.
  BANKMODEL_FN void require_kept(const search& options) const {
    for (int kept = 0; kept < options.keep.count; ++kept) {
      int number = 0;
      while (number < count && arrays[number]->name != options.keep.name[kept]) ++number;
      if (number == count) rule::kept_arrays_must_be_of_the_kernel(kept);
    }
  }
};

}  // namespace detail
}  // namespace bankmodel

#endif
