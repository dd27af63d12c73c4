// SPDX-License-Identifier: MIT
#include "kernel_file_pages.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/report.hpp>
#include <bit>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "../declaration.hpp"
#include "../known_machines.hpp"

namespace compiled {

using command_line::finding;
using command_line::joined;
using command_line::kernel_access;
using command_line::kernel_file;

namespace {

access_does does_of(bm::access_kind kind) {
  switch (kind) {
    case bm::access_kind::load: return access_does::load;
    case bm::access_kind::store: return access_does::store;
    case bm::access_kind::load_matrix: return access_does::load_matrix;
    case bm::access_kind::store_matrix: return access_does::store_matrix;
    case bm::access_kind::copy:
    case bm::access_kind::copy_uncached: return access_does::copy;
    default: return access_does::atomic;
  }
}

// The pages of one kernel file.
class page_maker {
 public:
  page_maker(const command_line::source& of, const command_line::question& asked)
      : of_(of), asked_(asked) {}

  void add(const finding& found) {
    made_.codes.push_back(code_of(*found.kernel));
    made_.recordings.emplace_back();
    recording& recorded = made_.recordings.back();
    recorded.notes = notes_of(found);
    // Accesses are referred to, so that all are there before the first one is.
    for (const kernel_access& one : found.kernel->accesses)
      recorded.accesses.push_back(recorded_as(*found.kernel, one));
    page result{&made_.codes.back(), &recorded, {}, found.machine, {}};
    result.issued_by = issued_source::none;
    result.how.block = found.kernel->block;
    result.how.grid = found.kernel->grid.value_or(bm::grid_dim{1, 1, 1});
    result.how.dynamic_shared_bytes = asked_.dynamic_shared_bytes;
    for (std::size_t number = 0; number < recorded.accesses.size(); ++number)
      add_access(found, number, recorded.accesses[number], result.costs);
    result.costs.cost = result.costs.issued_cost = found.costs.front().sum;
    result.costs.traffic = result.costs.issued_traffic = found.costs.front().traffic_sum;
    result.plans = plans_of(found);
    made_.pages.push_back(std::move(result));
  }

  kernel_file_pages all() { return std::move(made_); }

 private:
  kernel_code code_of(const kernel_file& kernel) const {
    kernel_code result;
    result.name = result.linkage =
        kernel.name.empty() ? std::filesystem::path(of_.name).stem().string() : kernel.name;
    result.files = {of_.name};
    for (const command_line::kernel_array& one : kernel.arrays) {
      const bm::array_description& array = one.description;
      if (array.memory != bm::memory_space::shared) {
        result.parameters.push_back({one.name, one.type, 0, 8, true});
        continue;
      }
      code_array& declared = result.shared.emplace_back();
      declared.name = one.name;
      declared.element_bytes = array.element_bytes;
      declared.element_type = one.type;
      declared.where = place_of(one.where);
      declared.bytes =
          static_cast<std::uint64_t>(array.layout.required_size() * array.element_bytes);
    }
    return result;
  }

  place place_of(const command_line::place& where) const {
    return {0, command_line::line_number(of_, where.first),
            command_line::column_number(of_, where.first)};
  }

  recorded_access recorded_as(const kernel_file& kernel, const kernel_access& one) const {
    recorded_access result;
    const bm::array_description& array = one.expression.array;
    result.where = place_of(one.where);
    result.is_global = one.is_global();
    result.memory.does = does_of(one.expression.kind);
    result.memory.memory = result.is_global ? memory_kind::global : memory_kind::shared;
    result.memory.bytes = array.element_bytes;
    result.memory.elements = one.expression.vector;
    int number = 0;
    for (const command_line::kernel_array& each : kernel.arrays) {
      if (each.description.memory != array.memory) continue;
      if (each.description.name == array.name) result.array = number;
      ++number;
    }
    return result;
  }

  void add_access(const finding& found, std::size_t number, const recorded_access& recorded,
                  priced& to) const {
    const kernel_access& access = found.kernel->accesses[number];
    const command_line::kernel_cost& costs = found.costs.front();
    priced_access one;
    one.first = &recorded;
    one.cost = one.issued.cost = costs.each[number];
    one.traffic = one.issued.traffic = costs.traffic[number];
    const command_line::reason because =
        command_line::why(*found.kernel, access, costs.machine, false);
    if (!because.found && !because.found_global) one.not_explained = because.text;
    if (because.found || because.found_global) {
      auto explained = std::make_shared<explained_access>();
      if (because.found) explained->shared = *because.found;
      if (because.found_global) explained->global = *because.found_global;
      explained->loop_names = access.loop_names;
      one.explained = std::move(explained);
    }
    if (because.found_global) {
      one.worst = because.found_global->worst;
      bm::for_each_request_class(
          costs.machine, found.kernel->block, access.expression,
          [&](const bm::request_class& made) {
            std::uint64_t requests = made.times;
            for (int loop = 0; loop < made.loops; ++loop)
              requests *= static_cast<std::uint64_t>(made.loop[loop].trips);
            one.lanes += requests * static_cast<std::uint64_t>(std::popcount(made.lanes.active));
          });
    }
    (recorded.is_global ? to.global : to.shared).push_back(std::move(one));
  }

  // One for each array that the plan changes. With another bank width an array alone is no plan.
  std::vector<array_plan> plans_of(const finding& found) const {
    std::vector<array_plan> result;
    if (found.planning.plan == nullptr) return result;
    const command_line::kernel_plan& plan = *found.planning.plan;
    if (plan.bank_width() != found.machine.bank_width) return result;
    int number = 0;
    for (const command_line::kernel_array& one : found.kernel->arrays) {
      if (one.description.memory != bm::memory_space::shared) continue;
      const int in_code = number++;
      for (int index = 0; index < plan.arrays(); ++index)
        if (plan.array(index).declared.name == one.description.name &&
            !(plan.layout(index) == one.description.layout))
          result.push_back(plan_of_array(found, one, plan.array(index), in_code));
    }
    return result;
  }

  array_plan plan_of_array(const finding& found, const command_line::kernel_array& array,
                           const bm::planned_array& planned, int in_code) const {
    const command_line::kernel_plan& plan = *found.planning.plan;
    array_plan result;
    result.array = in_code;
    result.declared = array.description.layout;
    result.planned = planned.layout;
    const std::vector<kernel_access>& accesses = found.kernel->accesses;
    for (std::size_t access = 0; access < accesses.size(); ++access) {
      if (accesses[access].expression.array.name != array.description.name ||
          accesses[access].is_global())
        continue;
      const int in_plan = command_line::number_in_plan(*found.kernel, access);
      result.before = result.before + plan.before(in_plan);
      result.after = result.after + plan.after(in_plan);
    }
    const std::string extents = bm::in_c(planned.layout).extents;
    const auto bytes = [&](const bm::layout& of) {
      return bm::grouped(
          static_cast<std::uint64_t>(of.required_size() * array.description.element_bytes));
    };
    result.text =
        joined(array.name, " declared as ", array.name, extents, " takes ",
               bm::detail::counted_in_words(result.after.wavefronts, "wavefront"), " instead of ",
               bm::grouped(result.before.wavefronts), ", in ", bytes(planned.layout),
               " bytes instead of ", bytes(array.description.layout), ".");
    result.is_a_declaration = true;
    for (const std::string& line : command_line::changed_indices(plan))
      if (line.compare(0, array.name.size() + 1, array.name + "[") == 0) {
        result.is_a_declaration = false;
        result.text += joined(" Its subscripts change: ", line, ".");
      }
    if (!result.is_a_declaration) return result;
    if (const auto edit = declaration_edit(found, array, extents)) result.fix.push_back(*edit);
    return result;
  }

  // Of `tile[32][32]` in its declaration; nothing if the plan needs more than other extents.
  std::optional<text_edit> declaration_edit(const finding& found,
                                            const command_line::kernel_array& array,
                                            const std::string& extents) const {
    const std::string declared = joined(" ", array.name, extents, ";");
    const std::vector<std::string> lines =
        command_line::declarations(*found.kernel, found.machine, *found.planning.plan);
    const bool is_alone = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.rfind("__shared__ ", 0) == 0 && line.size() > declared.size() &&
             line.compare(line.size() - declared.size(), declared.size(), declared) == 0;
    });
    // An array that must begin at a layer of all banks takes more than other extents.
    const bool is_anywhere = found.planning.plan->alignment() == 16;
    if (!is_alone || !is_anywhere || array.description.base_bytes != 0) return {};
    const std::size_t begin = array.where.first + array.where.size;
    const std::optional<std::string> spelled = spelled_extents(begin, array, extents);
    if (!spelled) return {};
    const std::string replaced = brackets_at(begin);
    const place where = place_of(array.where);
    const std::size_t line = of_.text.rfind('\n', begin);
    const auto column = static_cast<int>(line == std::string::npos ? begin + 1 : begin - line);
    return text_edit{{of_.name, where.line, column, where.line,
                      column + static_cast<int>(replaced.size()), begin, replaced},
                     *spelled};
  }

  // "[32][32]", as it is written; empty if it goes over several lines.
  std::string brackets_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < of_.text.size() && of_.text[end] == '[') {
      end = of_.text.find(']', end);
      end = end == std::string::npos ? of_.text.size() : end + 1;
    }
    const std::string result = of_.text.substr(begin, end - begin);
    return result.find('\n') == std::string::npos ? result : "";
  }

  // The new extents where the old ones are spelled: [N][N] becomes [N][N + 1]. Nothing if nothing
  // changes.
  std::optional<std::string> spelled_extents(std::size_t begin,
                                             const command_line::kernel_array& array,
                                             const std::string& extents) const {
    const std::vector<std::string> old = pieces_of(brackets_at(begin)), wanted = pieces_of(extents);
    const bm::layout& layout = array.description.layout;
    if (old.size() != wanted.size() || static_cast<int>(old.size()) != layout.rank) return {};
    std::string result;
    bool is_changed = false;
    for (std::size_t rank = 0; rank < old.size(); ++rank) {
      const long long now = layout.extent[static_cast<int>(rank)], then = std::stoll(wanted[rank]);
      const bool is_number = old[rank] == std::to_string(now);
      is_changed = is_changed || now != then;
      result += joined("[",
                       now == then  ? old[rank]
                       : is_number  ? std::to_string(then)
                       : then > now ? joined(old[rank], " + ", then - now)
                                    : joined(old[rank], " - ", now - then),
                       "]");
    }
    return is_changed ? std::optional(result) : std::nullopt;
  }
  static std::vector<std::string> pieces_of(const std::string& brackets) {
    std::vector<std::string> result;
    for (std::size_t at = 0; at < brackets.size() && brackets[at] == '[';) {
      const std::size_t end = brackets.find(']', at);
      if (end == std::string::npos) return {};
      result.push_back(brackets.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    return result;
  }

  // What the tables of a page have no place for.
  std::vector<std::string> notes_of(const finding& found) const {
    std::vector<std::string> result = command_line::notes(of_, *found.kernel, asked_);
    for (std::size_t width = 1; width < found.costs.size(); ++width) {
      const command_line::kernel_cost& cost = found.costs[width];
      result.push_back(joined("with ", cost.machine.bank_width, "-byte banks the kernel takes ",
                              bm::grouped(cost.sum.wavefronts), " wavefronts, ideal ",
                              bm::grouped(cost.sum.ideal)));
    }
    if (const auto& grid = found.costs.front().of_grid)
      result.push_back(joined("all ", bm::grouped(found.kernel->grid->blocks()), " blocks take ",
                              bm::grouped(grid->sum.wavefronts), " wavefronts, ideal ",
                              bm::grouped(grid->sum.ideal), ", and ",
                              bm::grouped(grid->traffic_sum.transactions), " transactions, ideal ",
                              bm::grouped(grid->traffic_sum.ideal)));
    if (!asked_.plan) return result;
    if (!found.kernel->has_shared()) return result;
    if (found.planning.plan == nullptr) {
      result.push_back(joined("no plan: ", found.planning.none));
      return result;
    }
    const command_line::kernel_plan& plan = *found.planning.plan;
    if (command_line::changes_nothing(found.machine, plan)) return result;
    std::string lines;
    for (const std::string& line : command_line::declarations(*found.kernel, found.machine, plan))
      lines += joined(" ", line);
    for (const std::string& line : command_line::changed_indices(plan))
      lines += joined(" index: ", line);
    result.push_back(
        joined("plan: ", bm::detail::counted_in_words(plan.after().wavefronts, "wavefront"),
               " instead of ", bm::grouped(plan.before().wavefronts), " with", lines));
    return result;
  }

  const command_line::source& of_;
  const command_line::question& asked_;
  kernel_file_pages made_;
};

}  // namespace

kernel_file_pages pages_of_kernel_file(const command_line::source& of,
                                       const std::vector<finding>& found,
                                       const command_line::question& asked) {
  page_maker maker(of, asked);
  for (const finding& one : found) maker.add(one);
  return maker.all();
}

}  // namespace compiled
