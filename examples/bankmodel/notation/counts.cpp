// SPDX-License-Identifier: MIT
#include "counts.hpp"

#include <bankmodel/count/total.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <string_view>
#include <utility>

namespace command_line {

namespace {

// The advice in the notation of kernel files, if the library gives it in C++.
constexpr std::string_view in_our_words[][2] = {
    {"subscripts_must_lie_within_their_extent",
     "correct the subscript, or put an `if` around the access"},
    {"divisor_must_not_be_zero", "put an `if` around the access"},
    {"accesses_must_be_aligned_to_their_width",
     "make the subscript, the rows and `at` a multiple of the width"},
    {"one_launch_of_a_profile_must_be_chosen",
     "give --kernel a part of its name, and --launch 1 or 2 if there are several of that name"},
    {"sectors_and_lines_must_be_powers_of_two",
     "leave out accesses to global memory: this machine's record does not describe it"},
    {"a_grid_must_find_unused_loop_variables",
     "leave out `grid`, or use fewer loops around an access that reads blockIdx"},
    {"global_accesses_that_read_the_block_need_the_grid",
     "write the blocks of the launch above, `grid X Y Z`"},
    {"the_machine_must_state_its_registers",
     "leave out --registers: this machine's record has no registers"},
    {"step_must_not_be_zero",
     "use a step of 1 or more in every thread, or put an `if` around the loop"}};

}  // namespace

refusal refusal_of(const bm::error& failure, const place& position) {
  std::string_view text = failure.what();
  const std::string prefix = joined("bankmodel: ", failure.rule(), ": ");
  text.remove_prefix(std::min(prefix.size(), text.size()));
  const std::size_t end = text.rfind("; ");
  refusal result{position, std::string(text.substr(0, end)),
                 end == std::string_view::npos ? "" : std::string(text.substr(end + 2))};
  for (const auto& [rule, right] : in_our_words)
    if (rule == failure.rule()) result.right = right;
  return result;
}

namespace {

// A kernel of most_accesses accesses, whatever the file has: those after its own are never
// executed.
template <class Sequence>
struct kernel_of_many;
template <std::size_t... At>
struct kernel_of_many<std::index_sequence<At...>> {
  template <std::size_t>
  using access_type = access_expression;
  using type = bm::kernel_description<access_type<At>...>;
};
using largest_kernel = kernel_of_many<std::make_index_sequence<most_accesses>>::type;

access_expression never_executed(const access_expression& like) {
  access_expression result = like;
  result.depth = 1;
  result.nodes[0] = {bm::operation::constant, 0};
  result.wrappers[0] = {bm::wrapper_kind::filter, bm::variable::loop_0, {0, 1}, {}, {}};
  for (int dimension = 0; dimension < result.subscripts; ++dimension)
    result.subscript[dimension] = {0, 1};
  return result;
}

// Filled in place: a kernel by value would take half a megabyte of stack, many times over.
using expressions = std::vector<const access_expression*>;
void fill(bm::access_list<>&, const expressions&, std::size_t) {}
template <class... Rest>
void fill(bm::access_list<access_expression, Rest...>& list, const expressions& sources,
          std::size_t number) {
  list.first = number < sources.size() ? *sources[number] : never_executed(*sources[0]);
  fill(list.rest, sources, number + 1);
}

std::unique_ptr<largest_kernel> described(const kernel_file& kernel, const expressions& accesses) {
  auto result = std::make_unique<largest_kernel>();
  result->block = kernel.block;
  fill(result->accesses, accesses, 0);
  return result;
}

// The accesses to shared memory: those of a plan. Requires: there are some.
std::unique_ptr<largest_kernel> shared_part(const kernel_file& kernel) {
  expressions shared;
  for (const kernel_access& access : kernel.accesses)
    if (!access.is_global()) shared.push_back(&access.expression);
  return described(kernel, shared);
}

}  // namespace

namespace {

// The error of the library, if counting has one, becomes a refusal at the access.
template <class Count>
auto counted_at(const kernel_access& access, const Count& counted) {
  try {
    return counted();
  } catch (const bm::error& failure) {
    throw refusal_of(failure, access.location);
  }
}

// total() and traffic() of one block, or of all blocks of a grid: there, block indices are loops.
template <class Expression>
void add(costs_of_accesses& result, const kernel_access& access, const bm::machine& m,
         const bm::block_dim& block, const Expression& expression, std::uint64_t times) {
  result.costs.push_back(
      counted_at(access, [&] { return bm::total(m, block, expression) * times; }));
  result.traffic.push_back(
      counted_at(access, [&] { return bm::traffic(m, block, expression) * times; }));
  counted_at(access, [&] {
    result.sum = result.sum + result.costs.back();
    result.traffic_sum = result.traffic_sum + result.traffic.back();
    return 0;
  });
}

}  // namespace

kernel_cost count(const kernel_file& kernel, const bm::machine& m) {
  kernel_cost result;
  result.machine = m;
  for (const kernel_access& access : kernel.accesses)
    add(result, access, m, kernel.block, access.expression, 1);
  if (!kernel.grid) return result;
  result.of_grid.emplace();
  for (const kernel_access& access : kernel.accesses) {
    const auto everywhere =
        counted_at(access, [&] { return bm::detail::on_grid(access.expression, *kernel.grid); });
    add(*result.of_grid, access, m, kernel.block, everywhere.access, everywhere.times);
  }
  return result;
}

int number_in_plan(const kernel_file& kernel, std::size_t access) {
  int number = 0;
  for (std::size_t index = 0; index < access; ++index)
    number += kernel.accesses[index].is_global() ? 0 : 1;
  return number;
}

bool takes_long(const kernel_file& kernel, const kernel_access& access, const bm::machine& m) {
  constexpr long long most_steps = 100'000'000;  // a tenth of a second or less
  struct : bm::detail::request_taker {
    void add(const bm::detail::lane_pattern&, long long, const bm::progression*, int,
             std::uint64_t) override {}
  } nothing;
  const auto is_long = [&](const auto& expression) {
    bm::detail::splitter counter(m, kernel.block, bm::detail::view_of(expression), {}, nothing);
    (void)counter.run_within(most_steps);
    return counter.stopped();
  };
  try {
    return is_long(access.expression) ||
           (kernel.grid && is_long(bm::detail::on_grid(access.expression, *kernel.grid).access));
  } catch (const bm::error&) {
    return false;  // count() reports it
  }
}

std::string header_of(const kernel_file& kernel, const bm::machine& m, const kernel_plan& plan,
                      const std::string& name) {
  const auto described = shared_part(kernel);
  try {
    return bm::code(m, *described, plan, name);
  } catch (const bm::error& failure) {
    throw refusal_of(failure, {});
  }
}

namespace {

// Adds the bound over all layouts, where conflicts are left.
void add_bound(planned& result, const kernel_file& kernel, const largest_kernel& described,
               const bm::machine& m) {
  if (result.plan->after().conflicts() == 0) return;
  const bm::machine plan_machine = m.with_bank_width(result.plan->bank_width());
  for (const kernel_access& access : kernel.accesses)
    if (!access.is_global() && takes_long(kernel, access, plan_machine)) {
      result.not_bounded = "an access has too many iterations to make a table for.";
      return;
    }
  try {
    result.bound = bm::possible(plan_machine, described);
  } catch (const bm::error& failure) {
    result.not_bounded = joined(refusal_of(failure, {}).wrong, ".");
  }
}

}  // namespace

planned plan_of(const kernel_file& kernel, const bm::machine& m, const bm::search& options) {
  const auto described = shared_part(kernel);
  try {
    planned result{std::make_unique<kernel_plan>(bm::optimize(m, *described, options)), {}, {}, {}};
    add_bound(result, kernel, *described, m);
    return result;
  } catch (const bm::error& failure) {
    const refusal text = refusal_of(failure, {});
    if (std::string_view(failure.rule()) == "the_arrays_of_a_kernel_must_fit")
      return {nullptr,
              joined(text.wrong,
                     "; make them smaller, or, if the machine has more, allow it with "
                     "--shared-bytes or --resident-blocks"),
              {},
              {}};
    throw text;
  }
}

long long declared_bytes(const kernel_file& kernel) {
  std::vector<const bm::array_description*> used;
  for (const kernel_array& array : kernel.arrays)
    if (array.is_used && array.description.memory == bm::memory_space::shared)
      used.push_back(&array.description);
  return bm::declared_bytes(used.data(), static_cast<int>(used.size()));
}

}  // namespace command_line
