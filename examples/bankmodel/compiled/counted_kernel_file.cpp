// SPDX-License-Identifier: MIT
#include "counted_kernel_file.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/host/profile/detail/requested_bytes.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/model/occupancy.hpp>
#include <bankmodel/report.hpp>
#include <bit>
#include <filesystem>
#include <optional>
#include <utility>

#include "../known_machines.hpp"
#include "../name_pattern.hpp"
#include "../notation/declaration.hpp"
#include "../notation/kernel_file_notes.hpp"
#include "../notation/kernel_heads.hpp"
#include "../notation/macros.hpp"
#include "../table.hpp"
#include "launch_arguments.hpp"

namespace compiled {

using command_line::counted_file;
using command_line::kernel_access;
using command_line::kernel_file;
using command_line::source;

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

// What nobody said of a kernel in C++.
std::vector<assumed_fact> assumed_facts(const kernel_file& kernel) {
  std::vector<assumed_fact> result;
  for (const command_line::assumed_value& assumption : kernel.assumed) {
    assumed_fact& fact = result.emplace_back();
    fact.subject = assumption.name;
    fact.value = assumption.value;
    fact.reason = "the file does not say it";
    fact.option = assumption.name == "block"           ? "--block"
                  : assumption.name == "grid"          ? "--grid"
                  : assumption.name == "dynamic bytes" ? "--dynamic-bytes"
                  : assumption.value == "float"
                      ? joined("another type in place of ", assumption.name)
                      : joined("--arg ", assumption.name, "=..");
  }
  return result;
}

// "transpose" of kernels/transpose.kernel; what is no file has no name.
std::string name_of_file(const std::string& file) {
  return file.empty() || file[0] == '<' ? "kernel" : std::filesystem::path(file).stem().string();
}

// Makes the page of a kernel on a machine.
class page_maker {
 public:
  page_maker(const question& asked, const source& input, const counted_file& counts)
      : asked_(asked), source_(input), file_(counts), kernel_(*counts.kernel) {}

  std::unique_ptr<counted_kernel> make() {
    auto file = std::make_shared<code_of_file>();
    file->kernels.push_back(code());
    auto result = std::make_unique<counted_kernel>();
    result->kernel = counted_code_ = &file->kernels.front();
    result->code = std::move(file);
    result->settings = settings();
    result->assumed = assumed_facts(kernel_);
    result->recorded.notes = notes();
    // Accesses are referred to, so that all are there before the first one is.
    for (const kernel_access& access : kernel_.accesses)
      result->recorded.accesses.push_back(recorded(access));
    for (const auto& [name, problem] : kernel_.skipped.pointers)
      result->recorded.accesses.push_back(recorded_pointer(name, problem));
    page kernel_page{result->kernel, &result->recorded, result->settings, file_.machine, {}};
    kernel_page.issued_by = issued_source::none;
    kernel_page.assumed = result->assumed;
    for (std::size_t number = 0; number < kernel_.accesses.size(); ++number)
      add_access(number, result->recorded.accesses[number], kernel_page);
    for (std::size_t number = 0; number < kernel_.skipped.pointers.size(); ++number)
      add_pointer(number, result->recorded.accesses[kernel_.accesses.size() + number], kernel_page);
    kernel_page.costs.is_partial_global =
        !kernel_.skipped.pointers.empty() || !kernel_.skipped.memory.empty();
    kernel_page.costs.cost = kernel_page.costs.issued_cost = file_.cost.sum;
    kernel_page.costs.traffic = kernel_page.costs.issued_traffic = file_.cost.traffic_sum;
    if (const auto& grid = file_.cost.of_grid)
      kernel_page.costs.of_grid = grid_cost{kernel_.grid->blocks(), grid->sum, grid->traffic_sum};
    kernel_page.plans = plans();
    kernel_page.joint = joint();
    kernel_page.no_joint_plan = file_.planning.none;
    result->pages.push_back(std::move(kernel_page));
    return result;
  }

 private:
  kernel_code code() const {
    kernel_code result;
    result.name = result.linkage = kernel_.name.empty() ? name_of_file(source_.name) : kernel_.name;
    result.files = {source_.name};
    result.is_unnamed = kernel_.name.empty();
    if (kernel_.name_place.size != 0) result.definition = place_of(kernel_.name_place);
    for (const command_line::kernel_array& source_array : kernel_.arrays) {
      const bm::array_description& array = source_array.description;
      if (array.memory != bm::memory_space::shared) {
        result.parameters.push_back({source_array.name, source_array.type, 0, 8, true});
        continue;
      }
      code_array& declared = result.shared.emplace_back();
      declared.name = source_array.name;
      declared.element_bytes = array.element_bytes;
      declared.element_type = source_array.type;
      declared.location = place_of(source_array.location);
      declared.bytes =
          static_cast<std::uint64_t>(array.layout.required_size() * array.element_bytes);
    }
    for (const auto& [name, problem] : kernel_.skipped.pointers)
      result.parameters.push_back({name, "", 0, 8, true});
    return result;
  }

  place place_of(const command_line::place& position) const {
    return {0, command_line::line_number(source_, position.first),
            command_line::column_number(source_, position.first)};
  }

  launch settings() const {
    launch result;
    result.block = kernel_.block;
    result.grid = kernel_.grid.value_or(bm::grid_dim{1, 1, 1});
    result.is_grid_known = kernel_.grid.has_value();
    result.dynamic_shared_bytes = asked_.dynamic_shared_bytes;
    return result;
  }

  recorded_access recorded(const kernel_access& access) const {
    recorded_access result;
    const bm::array_description& array = access.expression.array;
    result.location = place_of(access.location);
    result.is_global = access.is_global();
    result.memory.operation = does_of(access.expression.kind);
    result.memory.memory = result.is_global ? memory_kind::global : memory_kind::shared;
    result.memory.bytes = array.element_bytes;
    result.memory.elements = access.expression.vector;
    int number = 0;
    for (const command_line::kernel_array& source_array : kernel_.arrays) {
      if (source_array.description.memory != array.memory) continue;
      if (source_array.description.name == array.name) result.array = number;
      ++number;
    }
    return result;
  }

  // What is not counted of a pointer, at the first access that cannot be read.
  recorded_access recorded_pointer(const std::string& name, const refusal& reason) const {
    recorded_access result;
    result.location = place_of(reason.location);
    result.is_global = true;
    result.memory.memory = memory_kind::global;
    result.memory.bytes = result.memory.elements = 1;
    const std::vector<code_parameter>& parameters = counted_code_->parameters;
    for (std::size_t number = 0; number < parameters.size(); ++number)
      if (parameters[number].name == name) result.array = static_cast<int>(number);
    return result;
  }
  void add_pointer(std::size_t number, const recorded_access& recorded, page& kernel_page) const {
    const auto& [name, problem] = kernel_.skipped.pointers[number];
    priced_access result;
    result.first = &recorded;
    result.is_partial = true;
    result.reason = joined("no access through ", name, " is counted, since here ", problem.wrong);
    kernel_page.costs.global.push_back(std::move(result));
  }

  void add_access(std::size_t number, const recorded_access& recorded, page& kernel_page) const {
    const kernel_access& access = kernel_.accesses[number];
    const command_line::kernel_cost& costs = file_.cost;
    priced_access result;
    result.first = &recorded;
    result.text = access.text;
    result.cost = result.issued.cost = costs.costs[number];
    result.traffic = result.issued.traffic = costs.traffic[number];
    if (costs.of_grid)
      result.of_grid = grid_cost{kernel_.grid->blocks(), costs.of_grid->costs[number],
                                 costs.of_grid->traffic[number]};
    try {
      result.explained = explained(access);
    } catch (const bm::error& refused) {
      result.not_explained = refused.what();
    }
    if (result.explained != nullptr)
      bm::for_each_request_class(
          costs.machine, kernel_.block, access.expression,
          [&](const bm::request_class& group) { result.lanes += bm::detail::active_lanes(group); });
    if (recorded.is_global && result.explained != nullptr) {
      result.worst = result.explained->global.worst;
      if (asked_.plan) add_advice(access, recorded, *result.explained, kernel_page);
    }
    (recorded.is_global ? kernel_page.costs.global : kernel_page.costs.shared)
        .push_back(std::move(result));
  }

  std::shared_ptr<const explained_access> explained(const kernel_access& access) const {
    auto result = std::make_shared<explained_access>();
    const bm::machine& m = file_.cost.machine;
    if (access.is_global())
      result->global = bm::explain_traffic(m, kernel_.block, access.expression);
    else
      result->shared = bm::detail::worst_of(m, kernel_.block, access.expression);
    result->loop_names = access.loop_names;
    return result;
  }

  static void add_advice(const kernel_access& access, const recorded_access& recorded,
                         const explained_access& explained, page& kernel_page) {
    const std::vector<global_advice> advice =
        advice_of(explained.global, explained.loop_names, recorded.location,
                  bm::text(access.expression.array.name));
    append(kernel_page.advice, advice);
  }

  // One for each array that the plan changes. With another bank width an array alone is no plan.
  std::vector<array_plan> plans() const {
    std::vector<array_plan> result;
    if (file_.planning.plan == nullptr) return result;
    const command_line::kernel_plan& plan = *file_.planning.plan;
    if (plan.bank_width() != file_.machine.bank_width) return result;
    int number = 0;
    for (const command_line::kernel_array& source_array : kernel_.arrays) {
      if (source_array.description.memory != bm::memory_space::shared) continue;
      const int in_code = number++;
      for (int index = 0; index < plan.arrays(); ++index)
        if (plan.array(index).declared.name == source_array.description.name &&
            !(plan.layout(index) == source_array.description.layout))
          result.push_back(plan_of_array(source_array, plan.array(index), in_code));
    }
    return result;
  }

  array_plan plan_of_array(const command_line::kernel_array& array,
                           const bm::planned_array& planned, int in_code) const {
    const command_line::kernel_plan& plan = *file_.planning.plan;
    array_plan result;
    result.array = in_code;
    result.declared = array.description.layout;
    result.planned = planned.layout;
    const std::vector<kernel_access>& accesses = kernel_.accesses;
    for (std::size_t access = 0; access < accesses.size(); ++access) {
      if (accesses[access].expression.array.name != array.description.name ||
          accesses[access].is_global())
        continue;
      const int in_plan = command_line::number_in_plan(kernel_, access);
      result.declared_cost = result.declared_cost + plan.before(in_plan);
      result.planned_cost = result.planned_cost + plan.after(in_plan);
    }
    const std::string extents = bm::in_c(planned.layout).extents;
    const auto bytes = [&](const bm::layout& array_layout) {
      return bm::grouped(static_cast<std::uint64_t>(array_layout.required_size() *
                                                    array.description.element_bytes));
    };
    result.text =
        joined(array.name, " declared as ", array.name, extents, " takes ",
               bm::detail::counted_in_words(result.planned_cost.wavefronts, "wavefront"),
               " instead of ", bm::grouped(result.declared_cost.wavefronts), ", in ",
               bytes(planned.layout), " bytes instead of ", bytes(array.description.layout), ".");
    result.is_a_declaration = true;
    for (const std::string& line : command_line::changed_indices(plan))
      if (line.compare(0, array.name.size() + 1, array.name + "[") == 0) {
        result.is_a_declaration = false;
        result.refusal = "its subscripts change";
        result.text += joined(" Its subscripts change: ", line, ".");
      }
    if (!result.is_a_declaration) return result;
    if (const auto edit = declaration_edit(array, extents))
      result.fix.push_back(*edit);
    else
      result.refusal = "it takes more than other extents in its declaration";
    return result;
  }

  // Of `tile[32][32]` in its declaration; nothing if the plan needs more than other extents.
  std::optional<text_edit> declaration_edit(const command_line::kernel_array& array,
                                            const std::string& extents) const {
    const std::string declared = joined(" ", array.name, extents, ";");
    const std::vector<std::string> lines =
        command_line::declarations(kernel_, file_.machine, *file_.planning.plan);
    const bool is_alone = std::ranges::any_of(lines, [&](const std::string& line) {
      return line.starts_with("__shared__ ") && line.size() > declared.size() &&
             line.compare(line.size() - declared.size(), declared.size(), declared) == 0;
    });
    // An array that must begin at a layer of all banks takes more than other extents.
    const bool is_anywhere = file_.planning.plan->alignment() == 16;
    if (!is_alone || !is_anywhere || array.description.base_bytes != 0) return {};
    const std::size_t begin = array.location.first + array.location.size;
    const std::optional<std::string> spelled = spelled_extents(begin, array, extents);
    if (!spelled) return {};
    const std::string replaced = brackets_at(begin);
    const place position = place_of(array.location);
    const std::size_t line = source_.text.rfind('\n', begin);
    const auto column = static_cast<int>(line == std::string::npos ? begin + 1 : begin - line);
    return text_edit{{source_.name, position.line, column, position.line,
                      column + static_cast<int>(replaced.size()), begin, replaced},
                     *spelled};
  }

  // "[32][32]", as it is written; empty if it goes over several lines.
  std::string brackets_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < source_.text.size() && source_.text[end] == '[') {
      end = source_.text.find(']', end);
      end = end == std::string::npos ? source_.text.size() : end + 1;
    }
    const std::string result = source_.text.substr(begin, end - begin);
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
      const long long old_extent = layout.extent[static_cast<int>(rank)],
                      new_extent = std::stoll(wanted[rank]);
      const bool is_number = old[rank] == std::to_string(old_extent);
      is_changed = is_changed || old_extent != new_extent;
      result +=
          joined("[",
                 old_extent == new_extent  ? old[rank]
                 : is_number               ? std::to_string(new_extent)
                 : new_extent > old_extent ? joined(old[rank], " + ", new_extent - old_extent)
                                           : joined(old[rank], " - ", old_extent - new_extent),
                 "]");
    }
    return is_changed ? std::optional(result) : std::nullopt;
  }
  static std::vector<std::string> pieces_of(const std::string& brackets) {
    std::vector<std::string> result;
    for (std::size_t begin = 0; begin < brackets.size() && brackets[begin] == '[';) {
      const std::size_t end = brackets.find(']', begin);
      if (end == std::string::npos) return {};
      result.push_back(brackets.substr(begin + 1, end - begin - 1));
      begin = end + 1;
    }
    return result;
  }

  // What the tables of a page have no place for.
  std::vector<std::string> notes() const {
    std::vector<std::string> result =
        command_line::notes_of(source_, kernel_, !asked_.machines.empty() || asked_.all_machines);
    if (const auto& other = file_.with_other_banks)
      result.push_back(text_of_other_banks(other->machine, other->sum.wavefronts,
                                           other->sum.wavefronts, other->sum.ideal));
    if (asked_.plan && kernel_.has_shared() && file_.planning.plan == nullptr)
      result.push_back(joined("no plan: ", file_.planning.none));
    return result;
  }

  std::optional<joint_plan> joint() const {
    if (file_.planning.plan == nullptr) return {};
    const command_line::kernel_plan& plan = *file_.planning.plan;
    const auto& bound = file_.planning.bound;
    joint_plan result;
    result.summary = bm::detail::text_of_plan(plan, bound && bound->reached, "raise --effort");
    for (int number = 0; number < plan.arrays(); ++number)
      result.arrays.push_back({bm::text(plan.array(number).declared.name),
                               command_line::family_name(plan.layout(number)),
                               bm::text(plan.layout(number)), plan.offset_bytes(number),
                               plan.array(number).bytes()});
    result.declarations = command_line::declarations(kernel_, file_.machine, plan);
    result.indices = command_line::changed_indices(plan);
    result.not_bounded = file_.planning.not_bounded;
    result.changes_nothing = command_line::changes_nothing(file_.machine, plan);
    result.declared = {plan.before(), command_line::declared_bytes(kernel_), file_.blocks_before};
    result.planned = {plan.after(), plan.bytes(), plan.resident_blocks()};
    result.bank_width = plan.bank_width();
    result.alignment = plan.alignment();
    result.is_optimal = plan.is_optimal();
    result.is_complete = plan.is_complete();
    result.least_wavefronts = plan.least_wavefronts();
    if (plan.after().conflicts() != 0 && bound) result.is_reached_by_tables = bound->reached;
    if (!asked_.header.empty())
      result.header = command_line::header_of(kernel_, file_.machine, plan, asked_.header);
    return result;
  }

  const question& asked_;
  const source& source_;
  const counted_file& file_;
  const kernel_file& kernel_;
  const kernel_code* counted_code_ = nullptr;
};

// Counts a kernel on its machines.
class file_counter {
 public:
  file_counter(const question& asked, const source& input) : asked_(asked), source_(input) {}

  // Of the readings the first that can be counted.
  counted_expressions counted(const std::string& kernel) {
    is_one_of_several_ = asked_.is_of_several || !kernel.empty();
    command_line::reading known;
    known.dynamic_bytes = asked_.dynamic_shared_bytes;
    known.padding = asked_.padding;
    known.values = {block_of(asked_.block), grid_of(asked_.grid), numbers_of(asked_.arguments),
                    kernel, asked_.is_of_several};
    std::optional<refusal> first;
    for (const command_line::reading& options : command_line::readings_of(source_, known)) try {
        return counted_as(options);
      } catch (const refusal& reason) {
        if (!first) first = reason;
      }
    throw *first;
  }

 private:
  using kernel_pointer = std::shared_ptr<const kernel_file>;

  counted_expressions counted_as(const command_line::reading& options) {
    const auto kernel =
        std::make_shared<kernel_file>(command_line::read_kernel_file(source_, options));
    noted_.assign(kernel->accesses.size(), false);
    counted_expressions result;
    std::vector<command_line::skipped_machine> skipped;
    for (const bm::machine& m : command_line::machines_named(asked_.machines, asked_.all_machines,
                                                             kernel->machines, asked_.bank_width)) {
      try {
        result.on_machines.push_back(on_machine(kernel_on(kernel, m, options), m));
      } catch (const refusal& reason) {
        skipped.push_back({command_line::name_of(m), reason});
      }
    }
    if (result.on_machines.empty()) throw skipped.front().reason;
    for (const counted_file& counts : result.on_machines) {
      auto machine_kernel = page_maker(asked_, source_, counts).make();
      if (result.counted == nullptr) {
        result.counted = std::move(machine_kernel);
        continue;
      }
      result.counted->pages.push_back(machine_kernel->pages.front());
      result.counted->variants.push_back(std::move(machine_kernel));
    }
    result.counted->skipped = std::move(skipped);
    return result;
  }

  // The kernel on machines with other warps, where warpSize is read.
  kernel_pointer kernel_on(const kernel_pointer& read, const bm::machine& m,
                           command_line::reading options) const {
    if (!read->reads_warp_size || m.lanes == options.lanes) return read;
    options.lanes = m.lanes;
    return std::make_shared<kernel_file>(command_line::read_kernel_file(source_, options));
  }

  counted_file on_machine(const kernel_pointer& read, const bm::machine& m) {
    const kernel_file& kernel = *read;
    note_what_takes_long(kernel, m);
    counted_file result{m, read, command_line::count(kernel, m)};
    if (m.other_bank_width != 0 && kernel.has_shared())
      result.with_other_banks = command_line::count(kernel, m.with_bank_width(m.other_bank_width));
    if (!kernel.has_shared()) result.planning.none = "there is no access to shared memory";
    if (!asked_.plan || !kernel.has_shared()) return result;
    const std::vector<std::string> arrays = shared_arrays(kernel);
    result.planning =
        command_line::plan_of(kernel, m, command_line::search_of(limits_of(arrays), arrays));
    const int threads = kernel.block.x * kernel.block.y * kernel.block.z;
    result.blocks_before = bm::resident(m, {threads, command_line::declared_bytes(kernel),
                                            asked_.limits.options.registers_per_thread})
                               .blocks;
    return result;
  }

  // Of several kernels each keeps those of its arrays that are named.
  command_line::plan_limits limits_of(const std::vector<std::string>& arrays) const {
    command_line::plan_limits result = asked_.limits;
    if (!is_one_of_several_) return result;
    result.keep = command_line::separated(result.keep);
    std::erase_if(result.keep, [&](const std::string& name) { return !includes(arrays, name); });
    return result;
  }

  static std::vector<std::string> shared_arrays(const kernel_file& kernel) {
    std::vector<std::string> result;
    for (const command_line::kernel_array& array : kernel.arrays)
      if (array.description.memory == bm::memory_space::shared) result.push_back(array.name);
    return result;
  }

  // Says before it starts what may take seconds, once of each access.
  void note_what_takes_long(const kernel_file& kernel, const bm::machine& m) {
    for (std::size_t number = 0; number < kernel.accesses.size(); ++number) {
      const kernel_access& access = kernel.accesses[number];
      if (noted_[number] || !command_line::takes_long(kernel, access, m)) continue;
      noted_[number] = true;
      if (asked_.tell)
        asked_.tell(joined("bankmodel: note: the iterations of line ",
                           command_line::line_number(source_, access.location.first),
                           " are counted one by one, which may take seconds on each machine",
                           asked_.plan ? "; --no-plan takes less" : "", "\n"));
    }
  }

  const question& asked_;
  const source& source_;
  bool is_one_of_several_ = false;
  std::vector<bool> noted_;  // by the number of the access
};

// The names of the kernels in C++ that are asked about; one that is empty is the only kernel.
// Error (refusal): there is no kernel of a name.
std::vector<std::string> names_asked_about(const question& asked, const source& input) {
  std::vector<std::string> names;
  const std::vector<command_line::kernel_head> heads = command_line::kernel_heads(
      command_line::with_macros_replaced(input, command_line::tokens_of(input)));
  for (const command_line::kernel_head& head : heads)
    // The reader says that a name is there twice.
    if (!includes(names, head.name.text)) names.emplace_back(head.name.text);
  const bool is_unnamed = names.empty();
  // Of a profile it is the launch's.
  if (is_unnamed && asked.measured) return {""};
  if (is_unnamed) names.push_back(name_of_file(input.name));
  std::vector<std::string> result;
  if (asked.kernels.empty()) result = names;
  for (const std::string& wanted : asked.kernels) {
    const auto is_it = [&](const std::string& name) { return name == wanted; };
    const auto has_it = [&](const std::string& name) {
      return wanted.find_first_of("*?") == wanted.npos ? name.find(wanted) != name.npos
                                                       : command_line::matches(name, wanted);
    };
    const bool is_name = std::ranges::any_of(names, is_it);
    const std::size_t previous_size = result.size();
    for (const std::string& name : names)
      if (is_name ? is_it(name) : has_it(name)) result.push_back(name);
    std::string known;
    for (const std::string& name : names) known += joined(known.empty() ? "" : ", ", name);
    if (result.size() == previous_size)
      throw input_error(joined("no kernel is named ", wanted),
                        joined("give a part of a name with --kernel, of ", known));
  }
  return is_unnamed || heads.size() == 1 ? std::vector<std::string>{""} : result;
}

}  // namespace

counted_expressions counted_expressions_of(const question& asked, const std::string& kernel) {
  const source input{asked.file, asked.text};
  return file_counter(asked, input).counted(kernel);
}

namespace {

// Error: --keep names an array that no kernel has.
void require_kept_arrays(const question& asked, const std::vector<kernel_result>& results) {
  for (const std::string& name : command_line::separated(asked.limits.keep)) {
    const auto has_it = [&](const kernel_result& result) {
      if (result.counted == nullptr) return true;
      const std::vector<code_array>& arrays = result.counted->kernel->shared;
      return includes(arrays, name, &code_array::name);
    };
    if (std::ranges::none_of(results, has_it))
      throw input_error(joined("--keep names ", name, ", which no kernel has"),
                        "name a shared array");
  }
}

// "k.kernel:3:7: `x` is not a type"
std::string with_place(const question& asked, const refusal& reason) {
  if (reason.location.size == 0) return reason.wrong;
  const source input{asked.file, asked.text};
  return joined(asked.file, ":", command_line::line_number(input, reason.location.first), ":",
                command_line::column_number(input, reason.location.first), ": ", reason.wrong);
}

}  // namespace

std::vector<kernel_result> counted_kernels_of_file(const question& asked) {
  const std::vector<std::string> names = names_asked_about(asked, {asked.file, asked.text});
  std::vector<kernel_result> result;
  for (const std::string& name : names) {
    kernel_result& entry = result.emplace_back();
    entry.name = entry.shown = name;
    try {
      entry.counted = counted_expressions_of(asked, name).counted;
      entry.asked = std::make_shared<const question>(asked);
      entry.name = entry.shown = entry.counted->kernel->name;
    } catch (const refusal& reason) {
      if (names.size() == 1) throw;
      entry.reason = {{}, with_place(asked, reason), reason.right};
    }
  }
  if (names.size() > 1 && !asked.is_of_several) require_kept_arrays(asked, result);
  return result;
}

std::string text_of_error(const question& asked, const refusal& reason) {
  // That the text lacks something is at its end; an option has no place.
  const bool has_place = reason.location.size != 0 || reason.location.first == asked.text.size();
  return has_place ? command_line::text({asked.file, asked.text}, reason)
                   : command_line::text_without_place(reason);
}

}  // namespace compiled
