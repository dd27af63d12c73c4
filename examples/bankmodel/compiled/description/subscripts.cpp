// SPDX-License-Identifier: MIT
// Addresses as subscripts of the declared array.

#include "described_access.hpp"

namespace compiled {

namespace {

long long rounded_down(long long value, long long divisor) {
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

constexpr std::size_t most_choices = 6;  // of factors that may be rounded up or down

// Row and column of an element: each factor is stride * f + g, with g below 0 or not. Returns false
// if no choice keeps the column in the stride.
bool split(const form_table& forms, const form& element, long long stride, long long vector,
           form& row, form& column) {
  std::vector<int> open;
  form rest = constant_form(element.constant), base_row;
  for (const auto& [atom, factor] : element.factors) {
    const long long quotient = rounded_down(factor, stride);
    base_row = base_row + atom_form(atom) * quotient;
    rest = rest + atom_form(atom) * (factor - quotient * stride);
    if (factor % stride != 0) open.push_back(atom);
  }
  if (open.size() > most_choices) return false;
  for (unsigned choice = 0; choice < 1u << open.size(); ++choice) {
    row = base_row;
    column = rest;
    for (std::size_t bit = 0; bit < open.size(); ++bit) {
      if ((choice >> bit & 1) == 0) continue;
      row = row + atom_form(open[bit]);
      column = column - atom_form(open[bit]) * stride;
    }
    const long long lowest = forms.range_of(column).lowest;
    if (lowest <= -unbounded) continue;
    const long long moved = rounded_down(lowest, stride);
    row = row + constant_form(moved);
    column = column - constant_form(moved * stride);
    if (forms.range_of(column).highest + vector <= stride) return true;
  }
  return false;
}

}  // namespace

form offset_in_array(symbolic_run& run, const symbolic_access& access, int array) {
  for (const path_item& item : access.path.items)
    if (item.loop >= 0 && !run.loop(item.loop).reason.empty())
      throw inexpressible{run.loop(item.loop).reason};
  if (!access.path.reason.empty()) throw inexpressible{access.path.reason};
  if (!access.reason.empty()) throw inexpressible{access.reason};
  run.enter(access.path);
  form address = access.address + constant_form(access.code->memory.offset);
  // Generic addresses start at the window, and the terms may be below 0 one by one.
  constexpr auto window = static_cast<long long>(shared_window);
  if (address.constant > window / 2) address = address - constant_form(window);
  const auto index = static_cast<std::size_t>(array);
  return address - constant_form(static_cast<long long>(run.shared().first[index]));
}

std::vector<form> subscripts_of(symbolic_run& run, const form& offset, const described_array& array,
                                int elements) {
  form rest;
  rest.constant = offset.constant / array.unit;
  for (const auto& [atom, factor] : offset.factors) rest.factors[atom] = factor / array.unit;
  std::vector<form> result;
  long long stride = 1;
  for (const long long extent : array.extents) stride *= extent;
  for (std::size_t dimension = 0; dimension + 1 < array.extents.size(); ++dimension) {
    stride /= array.extents[dimension];
    form row, column;
    try {
      if (!split(run.forms(), rest, stride, elements, row, column)) return {};
    } catch (const inexpressible&) {
      return {};
    }
    const value_range range = run.forms().range_of(row);
    if (range.lowest < 0 || range.highest >= array.extents[dimension]) return {};
    result.push_back(row);
    rest = column;
  }
  result.push_back(rest);
  return result;
}

}  // namespace compiled
