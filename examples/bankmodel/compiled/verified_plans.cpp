// SPDX-License-Identifier: MIT
#include "verified_plans.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "../known_machines.hpp"
#include "chosen_kernels.hpp"
#include "code/declared_layout.hpp"
#include "description/forms.hpp"
#include "engine/memory.hpp"
#include "kernel_formulas.hpp"
#include "launch_edits.hpp"
#include "nest/recorded_nest.hpp"
#include "plan/array_plans.hpp"
#include "plan/carved_plans.hpp"
#include "plan/plan_edits.hpp"
#include "plan/planned_requests.hpp"
#include "plan/request_comparison.hpp"
#include "plan/word_padding.hpp"

namespace compiled {

using command_line::joined;

namespace {

std::string in_words(std::uint64_t wavefronts) {
  return bm::detail::counted_in_words(wavefronts, "wavefront");
}

// The first array, of those that the plans do not change, that takes more wavefronts.
std::string array_that_pays(const page& old_page, const page& new_page,
                            const std::vector<array_plan>& plans) {
  for (std::size_t number = 0; number < old_page.kernel->shared.size(); ++number) {
    const int array = static_cast<int>(number);
    const auto is_of_array = [&](const array_plan& plan) { return plan.array == array; };
    if (std::any_of(plans.begin(), plans.end(), is_of_array)) continue;
    const std::uint64_t old_cost = issued_cost_of(old_page, array).wavefronts;
    const std::uint64_t new_cost = issued_cost_of(new_page, array).wavefronts;
    if (new_cost > old_cost)
      return joined(old_page.kernel->shared[number].name, " takes ", in_words(new_cost),
                    " instead of ", bm::grouped(old_cost));
  }
  return {};
}

const page* page_on(const counted_kernel& counted, const bm::machine& m) {
  const auto match =
      std::find_if(counted.pages.begin(), counted.pages.end(),
                   [&](const page& kernel_page) { return kernel_page.machine == m; });
  return match == counted.pages.end() ? nullptr : &*match;
}

// An array as one of the kernels has it.
struct array_of_kernel {
  planned_kernel kernel;
  std::size_t number = 0;  // in kernel_code::shared

  const code_array& array() const { return kernel.counted->kernel->shared[number]; }
};

bool is_same(const source_change& change, const source_change& other) {
  const auto is_same_edit = [](const text_edit& some, const text_edit& other_edit) {
    return some.piece == other_edit.piece && some.replacement == other_edit.replacement;
  };
  const auto is_same_kernel = [](const planned_kernel& some, const planned_kernel& other_kernel) {
    return some.counted == other_kernel.counted;
  };
  return change.dynamic_bytes == other.dynamic_bytes &&
         std::equal(change.kernels.begin(), change.kernels.end(), other.kernels.begin(),
                    other.kernels.end(), is_same_kernel) &&
         std::equal(change.edits.begin(), change.edits.end(), other.edits.begin(),
                    other.edits.end(), is_same_edit);
}

bool is_of_array(const array_plan& plan, std::size_t number) {
  return plan.array == static_cast<int>(number);
}

// The kernels that one declaration belongs to, and the plans of its array on one machine.
class declared_plans {
 public:
  declared_plans(std::vector<array_of_kernel> arrays, const bm::machine& m)
      : arrays_(std::move(arrays)), machine_(m) {
    std::set<const kernel_code*> kernels;
    for (const array_of_kernel& array : arrays_) kernels.insert(array.kernel.counted->kernel);
    kernels_ = static_cast<int>(kernels.size());
  }

  const bm::machine& machine() const { return machine_; }
  const std::vector<array_of_kernel>& arrays() const { return arrays_; }

  // Returns the changes that have to be counted. Other plans have a refusal afterwards.
  std::vector<source_change> changes_to_count() {
    std::vector<source_change> result;
    for (std::size_t index = 0; index < arrays_.size(); ++index) {
      const page* const old_page = page_on(*arrays_[index].kernel.counted, machine_);
      if (old_page == nullptr) continue;
      for (const array_plan& plan : old_page->plans)
        if (is_of_array(plan, arrays_[index].number)) add_candidate(index, plan, result);
    }
    if (const auto words = plan_in_words()) add_candidate(words->first, words->second, result);
    return result;
  }

  // `change`: the number in changes_to_count().
  void take_recount(std::size_t change, const recount& recounted) {
    const auto match =
        std::find_if(candidates_.begin(), candidates_.end(),
                     [&](const candidate_plan& candidate) { return candidate.change == change; });
    match->plan.refusal = difference(*match, recounted);
  }

  // Returns for each array the plans that its page has then.
  // Requires: all recounts were taken.
  std::vector<std::vector<array_plan>> verified() {
    std::vector<std::vector<array_plan>> result(arrays_.size());
    std::vector<std::vector<array_plan>> changes;  // that are right
    for (candidate_plan& candidate : candidates_) {
      if (candidate.plan.refusal.empty()) {
        changes.push_back(std::move(candidate.changed));
      } else {
        erase_edits(candidate.plan);
        result[candidate.index].push_back(std::move(candidate.plan));
      }
    }
    for (const bool is_a_declaration : {true, false})
      if (const std::vector<array_plan>* const best = best_of(changes, is_a_declaration))
        for (std::size_t index = 0; index < arrays_.size(); ++index)
          result[index].push_back((*best)[index]);
    return result;
  }

 private:
  struct candidate_plan {
    std::size_t index = 0;  // of the array that it was made for
    array_plan plan;
    std::optional<std::size_t> change;  // that has to be counted
    std::vector<array_plan> changed;    // a plan for each array, if the change is right
  };

  void add_candidate(std::size_t index, const array_plan& plan,
                     std::vector<source_change>& changes) {
    candidate_plan& added = candidates_.emplace_back(candidate_plan{index, plan, {}, {}});
    std::vector<text_edit> edits;
    if (added.plan.dynamic_bytes > 0)
      added.plan.launches =
          launch_edits(*arrays_[index].kernel.counted->code, kernel_codes(), added.plan);
    if (added.plan.refusal.empty()) added.plan.refusal = reason_against(added, edits);
    if (!added.plan.refusal.empty()) return;
    added.change = changes.size();
    source_change& change = changes.emplace_back();
    for (const array_of_kernel& array : arrays_) change.kernels.push_back(array.kernel);
    change.edits = std::move(edits);
    // With other launches the count shows whether these have the bytes.
    if (added.plan.launches.empty()) change.dynamic_bytes = plan.dynamic_bytes;
    change.is_local = std::all_of(arrays_.begin(), arrays_.end(), &is_local);
  }

  // The plan that is a declaration of the array, or a null pointer.
  const array_plan* declaration_of_array(std::size_t index) const {
    const page* const old_page = page_on(*arrays_[index].kernel.counted, machine_);
    if (old_page == nullptr) return nullptr;
    for (const array_plan& plan : old_page->plans)
      if (is_of_array(plan, arrays_[index].number) && plan.is_a_declaration) return &plan;
    return nullptr;
  }

  // Where instances with other elements want other rows: one declaration for all of them, and the
  // array that it is a plan of.
  std::optional<std::pair<std::size_t, array_plan>> plan_in_words() const {
    std::optional<std::pair<std::size_t, array_plan>> result;
    std::vector<instance_rows> instances;
    for (std::size_t index = 0; index < arrays_.size(); ++index) {
      const code_array& array = arrays_[index].array();
      if (array.extents.size() < 2 || array.element_bytes < 1) return std::nullopt;
      instance_rows rows{array.element_bytes, array.extents.back(), array.extents.back()};
      if (const array_plan* const plan = declaration_of_array(index)) {
        if (plan->fix.size() != 1) return std::nullopt;  // planes have more rows
        const int rank = plan->planned.rank;
        rows.planned = plan->planned.stride[rank - 2];
        if (!result) result = {index, *plan};
      }
      instances.push_back(rows);
    }
    if (!result) return std::nullopt;
    const array_source& source = arrays_[result->first].array().source;
    const auto extent = extent_in_words(source, instances);
    if (!extent) return std::nullopt;
    result->second.fix = {{source.extents.back().piece, *extent}};
    return result;
  }

  std::vector<const kernel_code*> kernel_codes() const {
    std::vector<const kernel_code*> result;
    for (const array_of_kernel& array : arrays_) result.push_back(array.kernel.counted->kernel);
    return result;
  }

  // A member's declaration is that of a structure, whose size other kernels may ask for.
  static bool is_local(const array_of_kernel& kernel_array) {
    const code_array& array = kernel_array.array();
    return array.source.is_of_one_kernel && array.name.find('.') == std::string::npos;
  }

  static void erase_edits(array_plan& plan) {
    plan.fix.clear();
    plan.subscripts.clear();
    plan.declaration.clear();
    plan.dynamic_bytes = 0;
    plan.launches.clear();
  }

  // Returns why a plan cannot be counted, or sets its edits of the source.
  std::string reason_against(const candidate_plan& candidate, std::vector<text_edit>& edits) const {
    const array_of_kernel& first = arrays_[candidate.index];
    const question& asked = *first.kernel.asked;
    edits = source_edits(first.array(), candidate.plan,
                         text_to_change(asked, declaring_file(asked, first.array())));
    if (edits.empty()) {
      const std::string other = other_use_of(first);
      return other.empty() ? "its accesses have no subscripts in the source" : other;
    }
    for (const array_of_kernel& array : arrays_)
      if (std::string reason = reason_against(array, candidate.plan); !reason.empty())
        return is_same_kernel(array, first)
                   ? reason
                   : joined("the kernel ", array.kernel.counted->kernel->name, " has it too, and ",
                            reason);
    if (std::string refusal = kernel_that_is_not_counted(first); !refusal.empty()) return refusal;
    if (std::string reason = reason_against_receivers(asked, first.array().source); !reason.empty())
      return reason;
    return reason_against_files(asked, edits);
  }

  // Returns why the change is wrong for one of the arrays; empty if it is right.
  std::string difference(candidate_plan& candidate, const recount& recounted) const {
    if (!recounted.error.empty()) return joined("with the change ", recounted.error);
    const array_of_kernel& first = arrays_[candidate.index];
    const page& planned = *page_on(*first.kernel.counted, machine_);
    candidate.changed.assign(arrays_.size(), array_plan());
    for (std::size_t index = 0; index < arrays_.size(); ++index) {
      std::string wrong = set_change(index, *recounted.kernels[index], planned, candidate.plan,
                                     candidate.changed[index]);
      if (wrong.empty()) continue;
      if (const std::string other = other_use_of(arrays_[index]); !other.empty())
        wrong = joined(other, ": ", wrong);
      return is_same_kernel(arrays_[index], first)
                 ? wrong
                 : joined("the kernel ", arrays_[index].kernel.counted->kernel->name,
                          " has it too: ", wrong);
    }
    return {};
  }

  static bool is_same_kernel(const array_of_kernel& first, const array_of_kernel& other) {
    return first.kernel.counted->kernel == other.kernel.counted->kernel;
  }

  static std::string other_use_of(const array_of_kernel& kernel_array) {
    const std::vector<other_use>& uses = kernel_array.array().source.other_uses;
    return uses.empty() ? "" : joined(uses[0].description, " at line ", uses[0].piece.line);
  }

  // Requests that were not made cannot say what an address is used for.
  std::string reason_against(const array_of_kernel& kernel_array, const array_plan& plan) const {
    const counted_kernel& kernel = *kernel_array.kernel.counted;
    const page* const old_page = page_on(kernel, machine_);
    if (old_page == nullptr)
      return joined("it cannot be counted on ", command_line::name_of(machine_));
    if (std::string reason = reason_against_plans(*old_page, kernel_array.number); !reason.empty())
      return reason;
    const std::string other = other_use_of(kernel_array);
    if (!plan.rows.empty() && kernel_array.array().bytes != 0)
      if (std::string refusal =
              reason_against_rows(kernel_array, *old_page, "its rows are those of its subscripts");
          !refusal.empty())
        return refusal;
    if (is_cut(plan))
      if (std::string refusal = reason_against_rows(kernel_array, *old_page,
                                                    "it would lose columns that are not accessed");
          !refusal.empty())
        return refusal;
    if (std::string refusal = reason_against_places(kernel_array, plan); !refusal.empty())
      return refusal;
    if (std::string refusal = reason_against_launches(kernel_array, plan); !refusal.empty())
      return refusal;
    const std::vector<other_use>& uses = kernel_array.array().source.other_uses;
    const bool are_accesses =
        std::all_of(uses.begin(), uses.end(), [](const other_use& use) { return use.is_access; });
    const bool is_right_by_itself = are_accesses && plan.rows.empty();
    if (!is_right_by_itself && is_known(*old_page, old_page->settings, kernel_array.number) &&
        !is_known(*old_page, any_block_of(*old_page), kernel_array.number))
      return joined(other.empty() ? "its rows are those of its subscripts" : other,
                    ", and how far it is used depends on blockIdx");
    if (is_right_by_itself || other.empty() || plan.has_subscripts_alone) return {};
    const unexecuted_accesses left = not_executed(kernel, uses);
    if (left.first_line > 0 && (!plan.rows.empty() || !as_executed(kernel, left, uses)))
      return joined(other, ", and line ", left.first_line, " is not executed by this block");
    const std::set<std::pair<std::string, int>> executed = lines_executed(kernel);
    for (const other_use& use : uses)
      if (!use.is_access && use.description.rfind("it is passed to", 0) == 0 &&
          executed.count(
              {std::filesystem::path(use.piece.file).filename().string(), use.piece.line}) == 0)
        return joined(use.description, " at line ", use.piece.line,
                      ", where no access is executed by this block");
    const bool is_assumed =
        std::any_of(kernel.assumed.begin(), kernel.assumed.end(),
                    [](const assumed_fact& fact) { return fact.option.rfind("--assume", 0) == 0; });
    if ((is_assumed && !are_accesses) ||
        (!plan.rows.empty() && !is_known(*old_page, any_block_of(*old_page), kernel_array.number)))
      return joined(other, ", and how far it is used depends on data or blockIdx");
    if (!plan.rows.empty() && has_launch_with(kernel, &found_launch::has_arguments_of_caller))
      return joined(other, ", and only one of the launches is counted");
    if (are_accesses) return {};
    launch of_all = old_page->settings;
    of_all.arguments.clear();
    for (const assumed_fact& fact : kernel.assumed)
      if (fact.option.rfind("--arg", 0) == 0 &&
          !is_known(*old_page, of_all, kernel_array.number, left.numbers))
        return joined(other, ", and how far it is used may depend on ", fact.subject,
                      ", which is assumed; give it with --arg");
    if (has_several_launches(kernel))
      return joined(other, ", and only one of the launches is counted");
    return {};
  }

  // True if elements of the declaration have no place.
  static bool is_cut(const array_plan& plan) {
    for (int d = 0; d < plan.declared.rank; ++d)
      if (plan.planned.extent[d] < plan.declared.extent[d]) return true;
    return false;
  }

  // Arrays that are stored after a longer one move, and casts of them may need more than their own
  // alignment.
  static std::string reason_against_places(const array_of_kernel& kernel_array,
                                           const array_plan& plan) {
    const code_array& array = kernel_array.array();
    if (array.bytes == 0) return {};
    const long long added =
        plan.bytes(array.element_bytes) - plan.declared.required_size() * array.element_bytes;
    const std::vector<code_array>& arrays = kernel_array.kernel.counted->kernel->shared;
    for (std::size_t number = kernel_array.number + 1; number < arrays.size(); ++number) {
      const int piece = arrays[number].source.largest_piece();
      if (piece > arrays[number].alignment && added % piece != 0)
        return joined(arrays[number].name, " is stored after it, and is cast to pieces of ", piece,
                      " bytes");
    }
    const std::vector<other_use>& uses = array.source.other_uses;
    const auto read = std::find_if(uses.begin(), uses.end(),
                                   [](const other_use& use) { return use.has_extents; });
    if (plan.rows.empty() || read == uses.end()) return {};
    return joined(read->description, " at line ", read->piece.line,
                  ", and may depend on its extents");
  }

  // A permutation of a dynamic array moves elements within blocks, of which each launch must have
  // whole ones; padding's bytes are those that launches get more.
  static std::string reason_against_launches(const array_of_kernel& kernel_array,
                                             const array_plan& plan) {
    const counted_kernel& kernel = *kernel_array.kernel.counted;
    if (kernel_array.array().bytes != 0 ||
        plan.planned.permutation.family == bm::layout_family::rows)
      return {};
    const auto is_size = [](const assumed_fact& fact) {
      return fact.option.rfind("--arg", 0) == 0 || fact.subject == "dynamic bytes";
    };
    const auto has_other_bytes = [&](const found_launch& launch) {
      return launch.linkage == kernel.kernel->linkage &&
             launch.dynamic_shared_bytes != kernel.settings.dynamic_shared_bytes;
    };
    const std::vector<found_launch>& launches = kernel.code->launches;
    if (std::none_of(kernel.assumed.begin(), kernel.assumed.end(), is_size) &&
        std::none_of(launches.begin(), launches.end(), has_other_bytes) &&
        !has_several_launches(kernel) &&
        !has_launch_with(kernel, &found_launch::has_arguments_of_caller))
      return {};
    return "a permutation needs whole blocks of it, and a launch may have other dynamic bytes";
  }

  // `shown`: as of arrays_with_known_addresses().
  static bool is_known(const page& old_page, const launch& known, std::size_t array,
                       const std::set<int>& shown = {}) {
    return arrays_with_known_addresses(old_page, known, shown).count(static_cast<int>(array)) != 0;
  }

  static launch any_block_of(const page& old_page) {
    launch result = old_page.settings;
    result.is_any_block = true;
    return result;
  }

  // Subscripts that name rows must keep to them in each execution, not in the counted one alone.
  static std::string reason_against_rows(const array_of_kernel& kernel_array, const page& old_page,
                                         const std::string& rows) {
    const counted_kernel& kernel = *kernel_array.kernel.counted;
    if (const unexecuted_accesses left =
            accesses_not_executed(kernel, unexecuted::of_shared_memory);
        left.first_line > 0)
      return joined(rows, ", and line ", left.first_line, " is not executed by this block");
    for (const assumed_fact& fact : kernel.assumed)
      if (fact.option.rfind("--block", 0) == 0)
        return joined(rows, ", and the block is assumed; give it with --block");
    if (has_several_launches(kernel) || has_launch_with(kernel, &found_launch::has_block_of_caller))
      return joined(rows, ", and only one of the launches is counted");
    launch of_all = any_block_of(old_page);
    of_all.arguments.clear();
    if (!is_known(old_page, of_all, kernel_array.number))
      return joined(rows, ", and how far they are used depends on more than the thread");
    return {};
  }

  static bool has_launch_with(const counted_kernel& counted, bool found_launch::* flag) {
    const std::vector<found_launch>& launches = counted.code->launches;
    return std::any_of(launches.begin(), launches.end(), [&](const found_launch& launch) {
      return launch.linkage == counted.kernel->linkage && launch.*flag;
    });
  }

  static bool has_several_launches(const counted_kernel& counted) {
    if (!counted.kernel->named_at.empty()) return true;
    const found_launch* first = nullptr;
    for (const found_launch& launch : counted.code->launches) {
      if (launch.linkage != counted.kernel->linkage) continue;
      if (!launch.later.empty()) return true;
      if (first != nullptr && (launch.grid != first->grid || launch.block != first->block ||
                               launch.arguments != first->arguments))
        return true;
      first = &launch;
    }
    return false;
  }

  // A kernel, or an instance of the same template, that would change too, and was not counted.
  std::string kernel_that_is_not_counted(const array_of_kernel& kernel_array) const {
    const code_of_file& code = *kernel_array.kernel.counted->code;
    const kernel_code& kernel = *kernel_array.kernel.counted->kernel;
    const std::string declaration = declaration_of(kernel, kernel_array.array());
    for (const kernel_code& other : code.kernels) {
      const auto is_counted = [&](const array_of_kernel& candidate) {
        return candidate.kernel.counted->kernel == &other;
      };
      if (declaration.empty() || std::any_of(arrays_.begin(), arrays_.end(), is_counted)) continue;
      for (const code_array& array : other.shared)
        if (declaration_of(other, array) == declaration)
          return joined("the kernel ", other.name, " has it too, and is not counted here");
    }
    const array_source& source = kernel_array.array().source;
    if (!source.is_of_template) return {};
    const std::string bare = template_of(kernel.name);
    const auto may_have_it = [&](const std::string& name) {
      return !source.is_of_one_kernel || name.empty() || template_of(name) == bare;
    };
    if (code.assumed_templates.count(kernel.name) != 0)
      return "it is declared in a template, and nothing here says its instances";
    for (const readable_kernel& other : code.passed_over_kernels)
      if (may_have_it(other.name))
        return joined("it is declared in a template, and the kernel ", other.name,
                      " is not counted here");
    for (const unread_kernel& other : code.unread)
      if (may_have_it(other.name))
        return joined("it is declared in a template, and the kernel ", other.name, " is not read");
    for (const unread_launch& launch : code.unread_launches)
      if (launch.is_call || may_have_it(launch.kernel))
        return joined("it is declared in a template, and the launch in line ", launch.line,
                      " is not read, which may be one of another instance");
    return {};
  }

  // The accesses that the block does not execute, of those that may use such an address.
  static unexecuted_accesses not_executed(const counted_kernel& counted,
                                          const std::vector<other_use>& uses) {
    const bool are_accesses =
        std::ranges::all_of(uses, [](const other_use& use) { return use.is_access; });
    // An address that is stored, or that assembly gets, is used by what accesses other memory.
    return accesses_not_executed(
        counted, are_accesses ? unexecuted::of_shared_memory : unexecuted::of_any_memory);
  }

  // The requests of these accesses if the block executed them; nothing if they are not known, or if
  // an address may be used in another way too.
  static std::optional<recording> as_executed(const counted_kernel& counted,
                                              const unexecuted_accesses& left,
                                              const std::vector<other_use>& uses) {
    constexpr int bytes_of_pointer = 8;
    const bool are_pointers = std::ranges::all_of(
        uses, [](const other_use& use) { return use.is_access || use.piece_bytes > 0; });
    if (!are_pointers || left.stored_elsewhere >= bytes_of_pointer) return std::nullopt;
    // Other blocks and launches may execute them, so neither may decide an address.
    launch settings = counted.settings;
    settings.is_any_block = true;
    settings.requires_arguments = false;
    settings.arguments.clear();
    try {
      return recorded_without_conditions(*counted.kernel, settings, left.numbers);
    } catch (const inexpressible&) {
      return std::nullopt;
    }
  }

  // The same as difference_from_plans(), of accesses that the block does not execute.
  std::string difference_of_unexecuted(const array_of_kernel& kernel_array,
                                       const counted_kernel& recounted, const page& new_page,
                                       const array_plan& plan,
                                       const std::vector<array_plan>& plans) const {
    const counted_kernel& kernel = *kernel_array.kernel.counted;
    const std::vector<other_use>& uses = kernel_array.array().source.other_uses;
    if (uses.empty() || plan.has_subscripts_alone) return {};
    const unexecuted_accesses left = not_executed(kernel, uses);
    const std::optional<recording> previous = as_executed(kernel, left, uses);
    if (left.first_line == 0 || !previous) return {};
    const std::optional<recording> changed =
        as_executed(recounted, not_executed(recounted, uses), uses);
    page old_part = *page_on(kernel, machine_), new_part = new_page;
    old_part.recorded = &*previous;
    if (changed) new_part.recorded = &*changed;
    const auto other = first_other_request(old_part, new_part, plans);
    if (changed && !other) return {};
    return joined("with the change line ", left.first_line,
                  ", which this block does not execute, may access other elements");
  }

  // Sets what the change is in a kernel. Returns why it is wrong there; empty if it is not.
  std::string set_change(std::size_t number, const counted_kernel& recounted, const page& planned,
                         const array_plan& plan, array_plan& result) const {
    const array_of_kernel& kernel_array = arrays_[number];
    const page& old_page = *page_on(*kernel_array.kernel.counted, machine_);
    const page* const new_page = page_on(recounted, machine_);
    if (new_page == nullptr)
      return joined("with the change it cannot be counted on ", command_line::name_of(machine_));
    const std::vector<array_plan> plans = plans_in(old_page, *new_page, planned, plan);
    const auto own = std::find_if(plans.begin(), plans.end(), [&](const array_plan& candidate) {
      return is_of_array(candidate, kernel_array.number);
    });
    if (own == plans.end()) return "its extents or elements are others, and the layout is not";
    if (std::string wrong = difference_from_plans(old_page, *new_page, plans); !wrong.empty())
      return wrong;
    if (std::string wrong =
            difference_of_unexecuted(kernel_array, recounted, *new_page, plan, plans);
        !wrong.empty())
      return wrong;
    if (std::string wrong = launch_with_too_much(*kernel_array.kernel.counted, recounted);
        !wrong.empty())
      return wrong;
    result = *own;
    result.declared_cost = issued_cost_of(old_page, result.array);
    result.planned_cost = issued_cost_of(*new_page, result.array);
    result.is_as_issued = is_issued_otherwise(old_page, result.array);
    result.kernels = kernels_;
    if (!result.launches.empty())
      result.dynamic_bytes = static_cast<std::uint64_t>(new_page->settings.dynamic_shared_bytes);
    if (arrays_.size() > 1 && result.planned_cost.wavefronts > result.declared_cost.wavefronts)
      return joined("with the change it takes ", in_words(result.planned_cost.wavefronts),
                    " instead of ", bm::grouped(result.declared_cost.wavefronts));
    return {};
  }

  // A launch that is not counted, and gets more bytes than a block may have; empty if there is
  // none.
  std::string launch_with_too_much(const counted_kernel& previous,
                                   const counted_kernel& changed) const {
    const std::vector<shared_bytes> old_bytes = bytes_of_launches(previous);
    const std::vector<shared_bytes> new_bytes = bytes_of_launches(changed);
    for (std::size_t number = 0; number < new_bytes.size(); ++number) {
      const shared_bytes& launched = new_bytes[number];
      const bool has_more_already =
          old_bytes.size() == new_bytes.size() &&
          old_bytes[number].bytes > static_cast<std::uint64_t>(machine_.limits.shared_per_block);
      const bm::residency& limits = machine_.limits;
      const auto limit = static_cast<std::uint64_t>(launched.sets_limit || has_more_already
                                                        ? limits.shared_per_block_opt_in
                                                        : limits.shared_per_block);
      if (limit != 0 && launched.bytes > limit)  // 0: the machine's record does not say it
        return joined("with the change the launch in line ", launched.line, " has ",
                      bm::grouped(launched.bytes), " bytes of shared memory, and may have ",
                      bm::grouped(limit));
    }
    return {};
  }

  // Of a block, with its declared arrays.
  struct shared_bytes {
    std::uint64_t bytes = 0;
    int line = 0;
    bool sets_limit = false;  // a call before it asks for more than each block may have
  };

  static std::vector<shared_bytes> bytes_of_launches(const counted_kernel& counted) {
    std::vector<shared_bytes> result;
    for (const found_launch& launch : counted.code->launches) {
      if (launch.linkage != counted.kernel->linkage) continue;
      const auto add = [&](const found_launch& numbers) {
        if (!numbers.dynamic_shared_bytes || *numbers.dynamic_shared_bytes < 0) return;
        const auto dynamic = static_cast<std::uint64_t>(*numbers.dynamic_shared_bytes);
        result.push_back({laid_out(*counted.kernel, dynamic).total, launch.line,
                          launch.bytes_written.size() > 1});
      };
      add(launch);
      for (const found_launch& later : launch.later) add(later);
    }
    return result;
  }

  // The change with which all kernels take fewest wavefronts, the simplest, then elements; null if
  // there is none.
  static const std::vector<array_plan>* best_of(const std::vector<std::vector<array_plan>>& changes,
                                                bool is_a_declaration) {
    const std::vector<array_plan>* best = nullptr;
    std::tuple<std::uint64_t, bool, long long> fewest;
    for (const std::vector<array_plan>& change : changes) {
      if (change.front().is_a_declaration != is_a_declaration) continue;
      std::tuple<std::uint64_t, bool, long long> cost;
      auto& [wavefronts, has_formula, elements] = cost;
      for (const array_plan& plan : change) {
        wavefronts += plan.planned_cost.wavefronts;
        has_formula = has_formula || !plan.has_simple_rows();
        elements += plan.elements();
      }
      if (best != nullptr && cost >= fewest) continue;
      best = &change;
      fewest = cost;
    }
    return best;
  }

  std::vector<array_of_kernel> arrays_;
  bm::machine machine_;
  int kernels_ = 1;
  std::vector<candidate_plan> candidates_;
};

bool takes_fewer(const array_plan& first, const array_plan& other) {
  const auto rank = [](const array_plan& plan) {
    return std::pair(plan.planned_cost.wavefronts, plan.elements());
  };
  return rank(first) < rank(other);
}

// The best of an array's plans that are declarations, or that are not: a verified one, if there is.
void add_best(const std::vector<array_plan>& plans, int array, bool is_a_declaration,
              std::vector<array_plan>& result) {
  const array_plan* best = nullptr;
  for (const array_plan& plan : plans) {
    if (plan.array != array || plan.is_a_declaration != is_a_declaration) continue;
    // Its number is an upper bound, which is no reason to change each subscript by hand.
    if (plan.takes_joins_apart && !plan.refusal.empty() && !is_a_declaration) continue;
    const bool is_verified = plan.refusal.empty();
    if (best == nullptr || (is_verified && !best->refusal.empty()) ||
        (is_verified == best->refusal.empty() && takes_fewer(plan, *best)))
      best = &plan;
  }
  if (best != nullptr) result.push_back(*best);
}

// Of the verified plans of an array those that stay.
void keep_best(std::vector<array_plan> plans, std::size_t number, page& kernel_page) {
  const bool had_plans = !plans.empty();
  // Compilers join accesses, so instructions may have fewer conflicts than the source.
  const bool is_ideal = std::ranges::all_of(plans, [](const array_plan& plan) {
    return plan.declared_cost.wavefronts == plan.declared_cost.ideal;
  });
  std::erase_if(plans, [](const array_plan& plan) {
    return plan.planned_cost.wavefronts >= plan.declared_cost.wavefronts;
  });
  std::vector<array_plan> best;
  add_best(plans, static_cast<int>(number), true, best);
  add_best(plans, static_cast<int>(number), false, best);
  if (best.size() == 2 && best[0].refusal.empty() &&
      best[1].planned_cost.wavefronts >= best[0].planned_cost.wavefronts)
    best.pop_back();
  const code_array& array = kernel_page.kernel->shared[number];
  for (array_plan& kept : best) kept.text = text_of_layout(array, kept);
  if (had_plans && best.empty())
    kernel_page.without_plan.push_back(
        joined("there is no plan of ", array.name,
               is_ideal ? ": as issued its accesses take no more wavefronts than the ideal"
                        : ": the layouts that were found take no fewer wavefronts when the "
                          "changed source is counted"));
  kernel_page.plans.insert(kernel_page.plans.end(), best.begin(), best.end());
}

// Counts the changes of all groups; one that several machines have is counted once.
void count_candidates(std::vector<declared_plans>& groups) {
  struct taker {
    declared_plans* group = nullptr;
    std::size_t change = 0;  // in changes_to_count()
  };
  std::vector<source_change> changes;
  std::vector<std::vector<taker>> takers;
  for (declared_plans& group : groups) {
    std::size_t number = 0;
    for (source_change& change : group.changes_to_count()) {
      const auto same =
          std::find_if(changes.begin(), changes.end(),
                       [&](const source_change& other) { return is_same(change, other); });
      const auto index = static_cast<std::size_t>(same - changes.begin());
      if (same == changes.end()) {
        changes.push_back(std::move(change));
        takers.emplace_back();
      }
      takers[index].push_back({&group, number++});
    }
  }
  count_changes(changes, [&](std::size_t number, const recount& recounted) {
    for (const taker& receiver : takers[number])
      receiver.group->take_recount(receiver.change, recounted);
  });
}

}  // namespace

void verify_plans(const std::vector<planned_kernel>& kernels) {
  // The arrays with plans, by declaration, each with all kernels that have it.
  std::map<std::string, std::vector<array_of_kernel>> declared;
  std::map<std::string, std::vector<bm::machine>> machines;
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    const counted_kernel& counted = *kernels[kernel].counted;
    for (std::size_t number = 0; number < counted.kernel->shared.size(); ++number) {
      std::string key = declaration_of(*counted.kernel, counted.kernel->shared[number]);
      if (key.empty()) key = joined(kernel, " ", number);
      declared[key].push_back({kernels[kernel], number});
      for (const page& kernel_page : counted.pages) {
        const bool has_plan =
            std::any_of(kernel_page.plans.begin(), kernel_page.plans.end(),
                        [&](const array_plan& plan) { return is_of_array(plan, number); });
        std::vector<bm::machine>& with_plan = machines[key];
        if (has_plan &&
            std::find(with_plan.begin(), with_plan.end(), kernel_page.machine) == with_plan.end())
          with_plan.push_back(kernel_page.machine);
      }
    }
  }
  std::vector<declared_plans> groups;
  for (const auto& [key, arrays] : declared)
    for (const bm::machine& m : machines[key]) groups.emplace_back(arrays, m);
  count_candidates(groups);
  std::vector<std::vector<std::vector<array_plan>>> verified;  // of each group
  for (declared_plans& group : groups) verified.push_back(group.verified());
  for (const planned_kernel& kernel : kernels)
    for (page& kernel_page : kernel.counted->pages) kernel_page.plans.clear();
  for (const planned_kernel& kernel : kernels)
    for (std::size_t number = 0; number < kernel.counted->kernel->shared.size(); ++number)
      for (std::size_t group = 0; group < groups.size(); ++group)
        for (std::size_t index = 0; index < groups[group].arrays().size(); ++index) {
          const array_of_kernel& array = groups[group].arrays()[index];
          if (array.kernel.counted != kernel.counted || array.number != number) continue;
          for (page& changed : kernel.counted->pages)
            if (changed.machine == groups[group].machine())
              keep_best(verified[group][index], number, changed);
        }
}

std::string declaration_of(const kernel_code& kernel, const code_array& array) {
  if (array.location.line <= 0 || array.location.file < 0) return {};
  return joined(kernel.files[static_cast<std::size_t>(array.location.file)], ":",
                array.location.line, ":", array.location.column, ":", array.name);
}

namespace {

// Nothing: the layout of the array with the change is not that of the plan.
std::optional<array_plan> plan_of_array(const page& other, const page& new_page, std::size_t number,
                                        const page& planned, const array_plan& plan) {
  const code_array& array = planned.kernel->shared[static_cast<std::size_t>(plan.array)];
  const code_array& own = other.kernel->shared[number];
  // Of a dynamic array the launches decide.
  if (array.bytes == 0 &&
      other.settings.dynamic_shared_bytes != planned.settings.dynamic_shared_bytes)
    return std::nullopt;
  array_plan result = plan;
  result.array = static_cast<int>(number);
  if (array.bytes != 0 && !plan.rows.empty() && has_layout(own, own.bytes)) {
    const auto rows = rows_of_instance(other, number, plan.rows.front());
    if (!rows) return std::nullopt;
    result.rows = {*rows};
    result.declared = result.planned = row_major(own.extents);
    return result;
  }
  if (own.extents == array.extents && own.element_bytes == array.element_bytes) return result;
  if (array.bytes != 0 && own.extents.size() == 1 && is_for_any_extent(plan) &&
      has_layout(own, own.bytes)) {
    result.declared = row_major(own.extents);
    result.planned.extent[0] = own.extents[0];
    return result;
  }
  if (!plan.is_a_declaration || number >= new_page.kernel->shared.size() ||
      !has_layout(own, own.bytes))
    return std::nullopt;
  const code_array& changed = new_page.kernel->shared[number];
  if (changed.extents.size() != own.extents.size() || !has_layout(changed, changed.bytes))
    return std::nullopt;
  result.declared = row_major(own.extents);
  result.planned = result.declared;
  result.planned.stride = row_major(changed.extents).stride;
  return result;
}

}  // namespace

namespace {

// The elements of a declared array that no request accesses here have a place too.
std::string too_few_bytes(const kernel_code& new_code, const array_plan& plan) {
  const code_array& array = new_code.shared[static_cast<std::size_t>(plan.array)];
  const long long declared = plan.declared.required_size() * array.element_bytes;
  const long long needed = plan.rows.empty() ? plan.planned.required_size() * array.element_bytes
                                             : moved_byte(plan.rows, declared - 1) + 1;
  const auto bytes = static_cast<long long>(array.bytes);
  return bytes == 0 || bytes >= needed ? std::string()
                                       : joined("with the change ", array.name, " has ", bytes,
                                                " bytes, and its elements need ", needed);
}

}  // namespace

std::vector<array_plan> plans_in(const page& other, const page& new_page, const page& planned,
                                 const array_plan& plan) {
  const code_array& array = planned.kernel->shared[static_cast<std::size_t>(plan.array)];
  const std::string declaration = declaration_of(*planned.kernel, array);
  std::vector<array_plan> result;
  for (std::size_t number = 0; number < other.kernel->shared.size(); ++number) {
    const bool is_same =
        (other.kernel == planned.kernel && static_cast<int>(number) == plan.array) ||
        (!declaration.empty() &&
         declaration_of(*other.kernel, other.kernel->shared[number]) == declaration);
    if (!is_same) continue;
    std::optional<array_plan> own = plan_of_array(other, new_page, number, planned, plan);
    if (!own) return {};
    result.push_back(std::move(*own));
  }
  return result;
}

std::string difference_from_plans(const page& old_page, const page& new_page,
                                  const std::vector<array_plan>& plans) {
  if (new_page.recorded->leaves_arrays && !old_page.recorded->leaves_arrays)
    return new_page.settings.dynamic_shared_bytes == 0
               ? std::string("with the change a request leaves its array")
               : joined("with the change a launch has ", new_page.settings.dynamic_shared_bytes,
                        " dynamic bytes, which are too few");
  if (const auto other = first_other_request(old_page, new_page, plans))
    return joined(
        "with the change the requests of ", text_with_path(*new_page.kernel, *other),
        " are to other elements, so a subscript or a pointer there passes the end of its row");
  for (const array_plan& plan : plans)
    if (std::string reason = too_few_bytes(*new_page.kernel, plan); !reason.empty()) return reason;
  const std::string pays = array_that_pays(old_page, new_page, plans);
  if (!pays.empty()) return joined("with the change ", pays);
  const shared_layout places = laid_out(
      *new_page.kernel, static_cast<std::uint64_t>(new_page.settings.dynamic_shared_bytes));
  const auto declared =
      static_cast<long long>(places.total) - new_page.settings.dynamic_shared_bytes;
  if (declared > new_page.machine.limits.shared_per_block)
    return joined("with the change the arrays take ", declared, " bytes, and a block of ",
                  command_line::name_of(new_page.machine), " has ",
                  new_page.machine.limits.shared_per_block);
  return {};
}

}  // namespace compiled
