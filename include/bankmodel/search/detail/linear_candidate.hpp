// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_LINEAR_CANDIDATE_HPP
#define BANKMODEL_SEARCH_DETAIL_LINEAR_CANDIDATE_HPP

#include <bankmodel/search/detail/footprints.hpp>
#include <bankmodel/search/detail/synthesis.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The linear layout that a search tries: one that is synthesised for the elements of all requests.
namespace bankmodel::detail {

// To begin with one.
constexpr long long permutation_steps = 10'000;
constexpr long long most_tries = 20'000, steps_of_a_try = 350;

// The logarithm of a power of two.
BANKMODEL_FN int bits_of(long long value) {
  return trailing_zeros(static_cast<std::uint64_t>(value));
}

// Finds a linear layout of an array that keeps `group_size` neighbours together and with which no
// phase has a conflict. Returns false if none is found; sets `complete` to false if there might be
// one.
BANKMODEL_FN bool synthesize(const machine& m, const array_description& array, int group_size,
                             const footprints& touched, effort_left& effort, bool& complete,
                             bit_matrix& matrix) {
  const long long size = array.layout.required_size();
  const geometry banks = touched.banks();
  const long long element = array.element_bytes;
  if (!fits_linear_layouts(array.layout) || banks.bank_num * banks.N < element ||
      !effort.allows(permutation_steps))
    return false;
  const int in_word = banks.N > element ? bits_of(banks.N / element) : 0,
            kept = bits_of(group_size);
  const int fixed = in_word > kept ? in_word : kept;
  const int bank_bits = bits_of(banks.bank_num * banks.N / element) - fixed;
  if (bank_bits < 0 || fixed > bits_of(size)) return false;
  synthesis solver(bits_of(size), fixed, bank_bits);
  bool possible = true;
  const auto add = [&](const long long* numbers, int count, int bytes) {
    const int wide = bits_of(bytes / element);
    possible = solver.add(numbers, count, wide > in_word ? wide : in_word);
    effort.spend(5'000);
    complete = complete && effort.allows(0);
    return possible && complete;
  };
  if (!touched.touched().plainly_served(m)) {
    complete = false;
    return false;
  }
  touched.touched().each_phase(add);
  if (!possible || !complete) return false;
  const long long allowed = effort.steps() / steps_of_a_try,
                  tries = allowed < most_tries ? allowed : most_tries;
  const bool is_found = solver.run(tries, matrix);
  effort.spend((tries - solver.tries_left()) * steps_of_a_try);
  if (!is_found && solver.tries_left() <= 0 && allowed < most_tries) complete = false;
  return is_found;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
