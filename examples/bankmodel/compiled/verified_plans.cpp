// SPDX-License-Identifier: MIT
#include "verified_plans.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <map>
#include <utility>

#include "../known_machines.hpp"
#include "engine/memory.hpp"
#include "plan/array_plans.hpp"
#include "plan/plan_edits.hpp"
#include "plan/planned_requests.hpp"
#include "plan/request_comparison.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

std::string in_words(std::uint64_t wavefronts) {
  return bm::detail::counted_in_words(wavefronts, "wavefront");
}

// The first array, of those that the plans do not change, that takes more wavefronts.
std::string array_that_pays(const page& before, const page& after,
                            const std::vector<array_plan>& plans) {
  for (std::size_t number = 0; number < before.kernel->shared.size(); ++number) {
    const int array = static_cast<int>(number);
    const auto is_of_array = [&](const array_plan& one) { return one.array == array; };
    if (std::any_of(plans.begin(), plans.end(), is_of_array)) continue;
    const std::uint64_t now = issued_cost_of(before, array).wavefronts;
    const std::uint64_t then = issued_cost_of(after, array).wavefronts;
    if (then > now)
      return joined(before.kernel->shared[number].name, " takes ", in_words(then), " instead of ",
                    bm::grouped(now));
  }
  return {};
}

bool are_of(const std::string& file, const std::vector<text_edit>& edits, const std::string& text) {
  return std::all_of(edits.begin(), edits.end(), [&](const text_edit& one) {
    return one.where.file == file && one.where.offset <= text.size() &&
           text.compare(one.where.offset, one.where.text.size(), one.where.text) == 0;
  });
}

class plan_verifier {
 public:
  plan_verifier(const question& asked, const counted_kernel& of) : asked_(asked), of_(of) {}

  // Sets the number of the plan, or its refusal.
  void verify(std::size_t number, array_plan& plan) {
    const page& before = of_.pages[number];
    const code_array& array = before.kernel->shared[static_cast<std::size_t>(plan.array)];
    if (plan.refusal.empty()) plan.refusal = difference(number, array, plan);
    if (!plan.refusal.empty()) {
      plan.fix.clear();
      plan.subscripts.clear();
      plan.declaration.clear();
      plan.dynamic_bytes = 0;
    }
    plan.text = text_of_layout(array, plan);
  }

 private:
  struct recount {
    std::unique_ptr<counted_kernel> kernel;
    std::string error;
  };

  std::string difference(std::size_t number, const code_array& array, array_plan& plan) {
    const page& before = of_.pages[number];
    const std::vector<text_edit> edits = source_edits(array, plan, asked_.text);
    const std::vector<other_use>& others = array.source.others;
    const std::string other =
        others.empty() ? "" : joined(others[0].what, " at line ", others[0].where.line);
    if (edits.empty())
      return other.empty() ? "its accesses have no subscripts in the source" : other;
    // Requests that were not made cannot say what the address is used for.
    if (!other.empty())
      if (const std::set<int> lines = lines_not_executed(of_); !lines.empty())
        return joined(other, ", and line ", *lines.begin(), " is not executed by this block");
    if (!are_of(asked_.file, edits, asked_.text)) return "some of its uses are in other files";
    const recount& again = counted_with(edits, plan.dynamic_bytes);
    if (again.kernel == nullptr) return joined("with the change ", again.error);
    const std::vector<page>& pages = again.kernel->pages;
    const auto same = std::find_if(pages.begin(), pages.end(),
                                   [&](const page& one) { return one.machine == before.machine; });
    if (same == pages.end())
      return joined("with the change it cannot be counted on ",
                    command_line::name_of(before.machine));
    const page& after = *same;
    const std::string wrong = difference_from_plans(before, after, {plan});
    if (!wrong.empty()) return other.empty() ? wrong : joined(other, ": ", wrong);
    plan.before = issued_cost_of(before, plan.array);
    plan.after = issued_cost_of(after, plan.array);
    plan.is_as_issued = is_issued_otherwise(before, plan.array);
    return {};
  }

  const recount& counted_with(const std::vector<text_edit>& edits, std::uint64_t dynamic_bytes) {
    question changed = asked_;
    changed.before = run_of(of_);
    if (dynamic_bytes > 0) changed.dynamic_shared_bytes = static_cast<long long>(dynamic_bytes);
    const std::string text = edited(asked_.text, edits);
    const auto [found, is_new] = recounts_.try_emplace({text, dynamic_bytes});
    if (!is_new) return found->second;
    try {
      found->second.kernel = counted_again(changed, *of_.kernel, text);
    } catch (const refusal& why) {
      found->second.error = why.wrong;
    }
    return found->second;
  }

  const question& asked_;
  const counted_kernel& of_;
  std::map<std::pair<std::string, std::uint64_t>, recount> recounts_;
};

bool takes_fewer(const array_plan& one, const array_plan& other) {
  if (one.after.wavefronts != other.after.wavefronts)
    return one.after.wavefronts < other.after.wavefronts;
  return one.planned.required_size() < other.planned.required_size();
}

// The best of an array's plans that are declarations, or that are not: a verified one, if there is.
void add_best(const std::vector<array_plan>& all, int array, bool is_a_declaration,
              std::vector<array_plan>& to) {
  const array_plan* best = nullptr;
  for (const array_plan& one : all) {
    if (one.array != array || one.is_a_declaration != is_a_declaration) continue;
    // Its number is an upper bound, which is no reason to change each subscript by hand.
    if (one.takes_joins_apart && !one.refusal.empty() && !is_a_declaration) continue;
    const bool is_verified = one.refusal.empty();
    if (best == nullptr || (is_verified && !best->refusal.empty()) ||
        (is_verified == best->refusal.empty() && takes_fewer(one, *best)))
      best = &one;
  }
  if (best != nullptr) to.push_back(*best);
}

void keep_best(page& of) {
  std::vector<array_plan> all;
  std::swap(all, of.plans);
  for (int array = 0; array < static_cast<int>(of.kernel->shared.size()); ++array) {
    const auto is_of_array = [&](const array_plan& one) { return one.array == array; };
    const bool had_plans = std::any_of(all.begin(), all.end(), is_of_array);
    const auto takes_no_fewer = [&](const array_plan& one) {
      return is_of_array(one) && one.after.wavefronts >= one.before.wavefronts;
    };
    all.erase(std::remove_if(all.begin(), all.end(), takes_no_fewer), all.end());
    std::vector<array_plan> best;
    add_best(all, array, true, best);
    add_best(all, array, false, best);
    if (best.size() == 2 && best[0].refusal.empty() &&
        best[1].after.wavefronts >= best[0].after.wavefronts)
      best.pop_back();
    if (had_plans && best.empty())
      of.without_plan.push_back(
          joined("there is no plan of ", of.kernel->shared[static_cast<std::size_t>(array)].name,
                 ": the layouts that were found take no fewer wavefronts when the changed source "
                 "is counted"));
    of.plans.insert(of.plans.end(), best.begin(), best.end());
  }
}

}  // namespace

void verify_plans(const question& asked, counted_kernel& of) {
  plan_verifier verifier(asked, of);
  for (std::size_t number = 0; number < of.pages.size(); ++number) {
    for (array_plan& plan : of.pages[number].plans) verifier.verify(number, plan);
    keep_best(of.pages[number]);
  }
}

std::string difference_from_plans(const page& before, const page& after,
                                  const std::vector<array_plan>& plans) {
  if (const auto other = first_other_request(before, after, plans))
    return joined("with the change the requests of ", text_with_path(*after.kernel, *other),
                  " are to other elements, so a subscript there is not within its extent");
  const std::string pays = array_that_pays(before, after, plans);
  if (!pays.empty()) return joined("with the change ", pays);
  const shared_layout places =
      laid_out(*after.kernel, static_cast<std::uint64_t>(after.how.dynamic_shared_bytes));
  const auto declared = static_cast<long long>(places.total) - after.how.dynamic_shared_bytes;
  if (declared > after.machine.limits.shared_per_block)
    return joined("with the change the arrays take ", declared, " bytes, and a block of ",
                  command_line::name_of(after.machine), " has ",
                  after.machine.limits.shared_per_block);
  return {};
}

std::unique_ptr<counted_kernel> counted_again(const question& asked, const kernel_code& kernel,
                                              const std::string& text) {
  question changed = asked;
  changed.contents = text;
  changed.kernels = {kernel.linkage};
  changed.plan = false;
  changed.limits = {};
  changed.is_recount = true;
  changed.tell = {};
  auto result = counted(changed);
  const std::vector<unread_kernel>& unread = result->code->unread;
  if (!unread.empty())
    throw does_not_compile(joined("the kernel ", unread[0].name), unread[0].reason,
                           result->code->missing_headers);
  return result;
}

}  // namespace compiled
