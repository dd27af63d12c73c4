// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_PLAN_TEXT_HPP
#define BANKMODEL_HOST_TEXT_PLAN_TEXT_HPP

#include <bankmodel/host/text/text.hpp>
#include <bankmodel/search/plan.hpp>

#include <string>

// Plans as text.
namespace bankmodel {

struct possibility;  // host/search/bounds.hpp, which few programs need

// Returns a planned array as it is to be declared: its name and text(layout), "tile[32][33]". In
// one dimension with padding after the rows of the kernel's subscripts it gives the pitch:
// "a[2079], element 64 * r + c at 65 * r + c" takes no instruction, whereas c + c / 64 takes two.
inline std::string text(const planned_array& array) {
  const layout& array_layout = array.layout;
  const std::string name = text(array.declared.name);
  if (array.row_length == 0) return name + text(array_layout);
  return detail::line_of(name, "[", std::to_string(array_layout.required_size()), "], element ",
                         std::to_string(array.row_length), " * r + c at ",
                         std::to_string(array.row_length + array_layout.interval_padding),
                         " * r + c");
}

namespace detail {

// The lines of a plan. `is_reached`: layouts are known that take no more than the bound over all
// layouts; `advice` is what to do if the search ended early.
template <int Accesses>
std::string text_of_plan(const layout_plan<Accesses>& plan, bool is_reached, const char* advice) {
  const cost declared = plan.before(), planned = plan.after();
  std::string result =
      line_of("conflicts ", grouped(declared.conflicts()), " -> ", grouped(planned.conflicts()),
              ", wavefronts ", grouped(declared.wavefronts), " -> ", grouped(planned.wavefronts),
              ", ", grouped(static_cast<std::uint64_t>(plan.bytes())), " bytes");
  if (plan.resident_blocks() > 0)
    result += line_of(", ", std::to_string(plan.resident_blocks()),
                      plan.resident_blocks() == 1 ? " resident block" : " resident blocks");
  if (plan.bank_width_is_a_choice())
    result += line_of(", banks of ", std::to_string(plan.bank_width()), " bytes");
  result += plan.is_optimal() ? ", best of the families searched"
                              : line_of(", at least ", grouped(plan.least_wavefronts()),
                                        " wavefronts in the families searched");
  if (planned.conflicts() != 0)
    result += line_of("; any layout takes at least ", grouped(planned.ideal),
                      is_reached ? ", which tables reach" : "");
  result += "\n";
  if (!plan.is_complete()) result += line_of("  the search ended early: ", advice, "\n");
  for (int number = 0; number < plan.arrays(); ++number)
    result += line_of("  ", text(plan.array(number)), ", at byte ",
                      std::to_string(plan.offset_bytes(number)), "\n");
  return result;
}

constexpr const char* raise_the_effort =
    "raise search.effort (for a constant also -fconstexpr-steps of clang, -fconstexpr-ops-limit "
    "and -fconstexpr-loop-limit of g++, -Xcudafe --max_cost_constexpr_call of nvcc), or search "
    "fewer "
    "families";

// Its members are read where the template is used, so it may be incomplete here.
template <class T>
inline constexpr bool is_possibility = false;
template <>
inline constexpr bool is_possibility<possibility> = true;
template <class T>
concept same_as_possibility = is_possibility<T>;

}  // namespace detail

// Returns a plan on several lines: its costs, bytes and blocks, whether a better plan may exist,
// and each array as it is to be declared. The last line ends in a newline. host/text/text.hpp has
// an example.
//
// A plan that is not proven to have the fewest wavefronts has a lower bound instead: "at least 70
// wavefronts in the families searched". Where conflicts are left, the bound over all layouts
// follows: "any layout takes at least 64" (text(plan, possible(..)) adds whether one is known that
// takes no more). If the effort was spent, a line says so, and what to raise.
template <int Accesses>
std::string text(const layout_plan<Accesses>& plan) {
  return detail::text_of_plan(plan, false, detail::raise_the_effort);
}

// Returns the same, with possible() for the kernel on the machine with the plan's bank width: "any
// layout takes at least 76, which tables reach" says that layouts are known that take no more.
// Error: `bound` is of another kernel.
// Example: see possible() in host/search/bounds.hpp.
template <int Accesses, detail::same_as_possibility Possibility>
std::string text(const layout_plan<Accesses>& plan, const Possibility& bound) {
  (void)bound.excess(plan);  // its error
  return detail::text_of_plan(plan, bound.reached, detail::raise_the_effort);
}

}  // namespace bankmodel

#endif
