// SPDX-License-Identifier: MIT
#include "counts.hpp"

#include <bankmodel/count/total.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/profile.hpp>
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
    {"the_machine_must_state_its_registers",
     "leave out --registers: this machine's record has no registers"},
    {"step_must_not_be_zero",
     "use a step of 1 or more in every thread, or put an `if` around the loop"}};

refusal refused(const bm::error& why, const place& where) {
  std::string_view text = why.what();
  const std::string prefix = joined("bankmodel: ", why.rule(), ": ");
  text.remove_prefix(std::min(prefix.size(), text.size()));
  const std::size_t end = text.rfind("; ");
  refusal result{where, std::string(text.substr(0, end)),
                 end == std::string_view::npos ? "" : std::string(text.substr(end + 2))};
  for (const auto& [rule, right] : in_our_words)
    if (rule == why.rule()) result.right = right;
  return result;
}

// A kernel of most_accesses accesses, whatever the file has: those after its own are never
// executed.
template <class Sequence>
struct kernel_of_many;
template <std::size_t... At>
struct kernel_of_many<std::index_sequence<At...>> {
  template <std::size_t>
  using one = access_expression;
  using type = bm::kernel_description<one<At>...>;
};
using largest_kernel = kernel_of_many<std::make_index_sequence<most_accesses>>::type;

access_expression never_executed(const access_expression& like) {
  access_expression result = like;
  result.depth = 1;
  result.nodes[0] = {bm::operation::constant, 0};
  result.wrappers[0] = {bm::wrapper_kind::filter, bm::variable::loop_0, {0, 1}, {}, {}};
  for (int at = 0; at < result.subscripts; ++at) result.subscript[at] = {0, 1};
  return result;
}

// Filled in place: a kernel by value would take half a megabyte of stack, many times over.
void fill(bm::access_list<>&, const std::vector<kernel_access>&, std::size_t) {}
template <class... Rest>
void fill(bm::access_list<access_expression, Rest...>& list, const std::vector<kernel_access>& from,
          std::size_t at) {
  list.first = at < from.size() ? from[at].expression : never_executed(from[0].expression);
  fill(list.rest, from, at + 1);
}

std::unique_ptr<largest_kernel> described_kernel(const kernel_file& kernel) {
  auto result = std::make_unique<largest_kernel>();
  result->block = kernel.block;
  fill(result->accesses, kernel.accesses, 0);
  return result;
}

}  // namespace

kernel_cost count(const kernel_file& kernel, const bm::machine& m) {
  kernel_cost result{m, {}, {}};
  for (const kernel_access& one : kernel.accesses) {
    try {
      result.each.push_back(bm::total(m, kernel.block, one.expression));
      result.sum = result.sum + result.each.back();
    } catch (const bm::error& why) {
      throw refused(why, one.where);
    }
  }
  return result;
}

bool takes_long(const kernel_file& kernel, const kernel_access& access, const bm::machine& m) {
  constexpr long long most_steps = 1'000'000'000;  // about a tenth of a second
  struct : bm::detail::request_taker {
    void add(const bm::detail::lane_pattern&, long long, const bm::progression*, int,
             std::uint64_t) override {}
  } nothing;
  try {
    bm::detail::splitter all(m, kernel.block, bm::detail::view_of(access.expression), {}, nothing);
    (void)all.run_within(most_steps);
    return all.stopped();
  } catch (const bm::error&) {
    return false;  // count() reports it
  }
}

std::string header_of(const kernel_file& kernel, const bm::machine& m, const kernel_plan& plan,
                      const std::string& name) {
  const auto described = described_kernel(kernel);
  try {
    return bm::code(m, *described, plan, name);
  } catch (const bm::error& why) {
    throw refused(why, {});
  }
}

namespace {

// Adds the bound over all layouts, where conflicts are left.
void add_bound(planned& to, const kernel_file& kernel, const largest_kernel& described,
               const bm::machine& m) {
  if (to.plan->after().conflicts() == 0) return;
  const bm::machine on = m.with_bank_width(to.plan->bank_width());
  for (const kernel_access& one : kernel.accesses)
    if (takes_long(kernel, one, on)) {
      to.not_bounded = "an access has too many iterations to make a table for.";
      return;
    }
  try {
    to.bound = bm::possible(on, described);
  } catch (const bm::error& why) {
    to.not_bounded = joined(refused(why, {}).wrong, ".");
  }
}

}  // namespace

planned plan_of(const kernel_file& kernel, const bm::machine& m, const bm::search& how) {
  const auto described = described_kernel(kernel);
  try {
    planned result{std::make_unique<kernel_plan>(bm::optimize(m, *described, how)), {}, {}, {}};
    add_bound(result, kernel, *described, m);
    return result;
  } catch (const bm::error& why) {
    const refusal text = refused(why, {});
    if (std::string_view(why.rule()) == "the_arrays_of_a_kernel_must_fit")
      return {nullptr,
              joined(text.wrong,
                     "; make them smaller, or, if the machine has more, allow it with "
                     "--shared-bytes or --resident-blocks"),
              {},
              {}};
    throw text;
  }
}

std::string compared(const kernel_file& kernel, const bm::machine& m, const profile& measured) {
  const auto described = described_kernel(kernel);
  try {
    return bm::text(bm::compare_with_profile(
        m, *described, {measured.blocks, measured.kernel, measured.launch}, measured.csv));
  } catch (const bm::error& why) {
    refusal text = refused(why, {});
    text.wrong = joined(measured.name, ": ", text.wrong);
    throw text;
  }
}

long long declared_bytes(const kernel_file& kernel) {
  std::vector<const bm::array_description*> used;
  for (const kernel_array& one : kernel.arrays)
    if (one.is_used) used.push_back(&one.description);
  return bm::declared_bytes(used.data(), static_cast<int>(used.size()));
}

}  // namespace command_line
