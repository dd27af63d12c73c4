// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_PLAN_HPP
#define BANKMODEL_SEARCH_PLAN_HPP

#include <bankmodel/kernel/array.hpp>
#include <bankmodel/model/cost.hpp>

// The result of optimize().
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_plan_must_have_the_array_that_it_is_asked_for(long long arrays) {
  detail::fail(__func__,
               "none of the plan's % arrays has that name or number; pass an array that the "
               "kernel accesses",
               arrays);
}
[[noreturn]] BANKMODEL_FN void a_plan_must_have_the_access_that_it_is_asked_for(
    long long access, long long accesses) {
  detail::fail(__func__,
               "there is no access % in a plan of % accesses; count from 0 in the order of the "
               "kernel",
               access, accesses);
}
}  // namespace rule

namespace detail {
BANKMODEL_FN long long bytes_of(const array_description& array) {
  return checked_multiply(array.layout.required_size(), array.element_bytes);
}
}  // namespace detail

// Returns the bytes of shared memory of a block whose `count` arrays are stored as declared: from
// offset 0 to the end of the last array. An array with a base (.at()) is stored there. The others
// follow each other in the order of the list, each at the first multiple of its element's size
// where it overlaps no array with a base.
// Error: the bytes overflow 64 bits.
// Example: a has 256 bytes. At 128 to 383 it leaves no room for b before it, so b is at 384 to 639:
//
//   constexpr auto a = shared_array<float>("a", 64), b = shared_array<float>("b", 64);
//   constexpr auto bytes = [](const array_description& first, const array_description& second) {
//     const array_description* const arrays[] = {&first, &second};
//     return declared_bytes(arrays, 2);
//   };
//   static_assert(bytes(b, a.at(40000)) == 40256 && bytes(b, a.at(128)) == 640);
BANKMODEL_FN long long declared_bytes(const array_description* const* arrays, int count) {
  long long result = 0;
  for (int array = 0; array < count; ++array) {
    if (arrays[array]->base_bytes == 0) continue;
    const long long end =
        detail::checked_add(arrays[array]->base_bytes, detail::bytes_of(*arrays[array]));
    if (end > result) result = end;
  }

  long long begun = 0;  // the end of those without a base; each begins after the previous one
  for (int array = 0; array < count; ++array) {
    if (arrays[array]->base_bytes != 0) continue;
    const long long element = arrays[array]->element_bytes;
    long long begin = detail::checked_add(begun, element - 1) / element * element;
    for (int other = 0; other < count; ++other) {
      const long long base = arrays[other]->base_bytes;
      if (base == 0 || base >= detail::checked_add(begin, detail::bytes_of(*arrays[array])) ||
          begin >= base + detail::bytes_of(*arrays[other]))
        continue;
      begin = detail::checked_add(base + detail::bytes_of(*arrays[other]), element - 1) / element *
              element;
      other = -1;  // an array that it was before may overlap it now
    }
    begun = detail::checked_add(begin, detail::bytes_of(*arrays[array]));
    if (begun > result) result = begun;
  }
  return result;
}

// One array of a plan.
struct planned_array {
  array_description declared;  // as the kernel declares it
  bankmodel::layout layout;    // as planned
  long long offset_bytes = 0;  // from the start of the block's shared memory
  // Not 0 if the array has one dimension, all subscripts are row * row_length + column, and the
  // rows are padded: then in_rows_of(layout, row_length) is the same as two dimensions, [row]
  // [column], and takes no instruction.
  long long row_length = 0;
  // The array with its planned layout and offset, for describing further accesses.
  BANKMODEL_FN array_description planned() const { return declared.with(layout).at(offset_bytes); }
  // The bytes that the array takes with its planned layout.
  BANKMODEL_FN long long bytes() const { return layout.required_size() * declared.element_bytes; }
};

// A plan for a kernel of `Accesses` accesses: a layout and an offset for each array, and the
// bank width. Arrays are numbered from 0 in the order of their first use, accesses in the order
// of the kernel.
template <int Accesses>
struct layout_plan {
  // ---- the whole kernel ----

  // before(): the cost as declared, each array at its own base. after(): the cost as planned,
  // each array where the plan puts it.
  BANKMODEL_FN cost before() const { return sum_of(before_each); }
  BANKMODEL_FN cost after() const { return sum_of(after_each); }

  // The bank width to switch the machine to, in bytes of a word; most machines have only one.
  BANKMODEL_FN int bank_width() const { return width; }
  BANKMODEL_FN bool bank_width_is_a_choice() const { return other_width != 0; }

  // The bytes of shared memory from offset 0 to the end of the last array.
  BANKMODEL_FN long long bytes() const { return used_bytes; }

  // The required alignment of that memory, in bytes, so that the costs hold: a layer of all
  // banks, or 16 if the cost of no request depends on its base.
  BANKMODEL_FN int alignment() const { return base_alignment; }

  // The bytes of the arrays as declared, in the order of their first use; those with .at() begin
  // there.
  BANKMODEL_FN long long bytes_before() const { return used_bytes_before; }

  // The number of such blocks resident per multiprocessor; 0 if the machine's record has no
  // limits. And as declared: 0 too if a block cannot have that many bytes.
  BANKMODEL_FN int resident_blocks() const { return blocks; }
  BANKMODEL_FN int resident_blocks_before() const { return blocks_before; }

  // True if no plan of the searched families has fewer wavefronts: the search was exhaustive, or no
  // conflict is left. (Where costs depend on the base, permuted arrays begin at a layer of all
  // banks in all searched plans.) Linear layouts are synthesised for the accesses and not
  // exhausted. So with layouts::linear among the families a plan with conflicts is not proven, if
  // an array that may have a linear layout has some; without that family it may be.
  BANKMODEL_FN bool is_optimal() const { return bound == after().wavefronts; }

  // A lower bound: no plan of the searched families has fewer wavefronts. Equal to
  // after().wavefronts if is_optimal().
  BANKMODEL_FN std::uint64_t least_wavefronts() const { return bound; }

  // True if the search tried everything that it tries at all, so that more effort makes no better
  // plan. Then the plan is the same in a constant expression and at run time; whether it is proven
  // says is_optimal(). False if the effort was spent before: in a constant expression there is less
  // of it, see search.effort.
  BANKMODEL_FN bool is_complete() const { return complete; }

  // ---- each access, by its number ----

  // The number of accesses.
  BANKMODEL_FN int accesses() const { return Accesses; }
  // before(): the access's cost as declared. after(): its cost as planned.
  // Error: `access` is not in 0 .. accesses() - 1.
  BANKMODEL_FN cost before(int access) const { return before_each[checked(access)]; }
  BANKMODEL_FN cost after(int access) const { return after_each[checked(access)]; }

  // ---- each array, by its description, its name or its number ----

  // The number of arrays.
  BANKMODEL_FN int arrays() const { return array_count; }
  // The declared array with its planned layout and offset: plan.array("tile").offset_bytes.
  // Error: the plan has no such array. (The same for layout() and offset_bytes().)
  template <class Which>
  BANKMODEL_FN const planned_array& array(const Which& key) const {
    return each_array[number_of(key)];
  }
  // The planned layout of an array.
  template <class Which>
  BANKMODEL_FN bankmodel::layout layout(const Which& key) const {
    return array(key).layout;
  }
  // The planned offset of an array in bytes, from the start of the block's shared memory.
  template <class Which>
  BANKMODEL_FN long long offset_bytes(const Which& key) const {
    return array(key).offset_bytes;
  }

  // Filled in by optimize().
  cost before_each[Accesses], after_each[Accesses];
  planned_array each_array[Accesses];
  int array_count = 0;
  int width = 0, other_width = 0, blocks = 0, blocks_before = 0, base_alignment = 16;
  long long used_bytes = 0, used_bytes_before = 0;
  std::uint64_t bound = 0;
  bool complete = false;

 private:
  BANKMODEL_FN static cost sum_of(const cost (&costs)[Accesses]) {
    cost sum;
    for (const cost& summand : costs) sum = sum + summand;
    return sum;
  }
  BANKMODEL_FN static int checked(int access) {
    if (access < 0 || access >= Accesses)
      rule::a_plan_must_have_the_access_that_it_is_asked_for(access, Accesses);
    return access;
  }
  BANKMODEL_FN int number_of(const array_description& description) const {
    return number_of(description.name);
  }
  BANKMODEL_FN int number_of(const char* name) const { return number_of(name_of(name)); }
  BANKMODEL_FN int number_of(const array_name& name) const {
    for (int number = 0; number < array_count; ++number)
      if (each_array[number].declared.name == name) return number;
    rule::a_plan_must_have_the_array_that_it_is_asked_for(array_count);
  }
  BANKMODEL_FN int number_of(int number) const {
    if (number < 0 || number >= array_count)
      rule::a_plan_must_have_the_array_that_it_is_asked_for(array_count);
    return number;
  }
};

}  // namespace bankmodel

#endif
