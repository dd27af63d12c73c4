// SPDX-License-Identifier: MIT
#include "counted_kernel.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <string_view>

#include "../known_machines.hpp"
#include "../processors.hpp"
#include "../search_options.hpp"
#include "assumptions.hpp"
#include "chosen_kernels.hpp"
#include "confirmed_kernel.hpp"
#include "counted_kernel_file.hpp"
#include "engine/memory.hpp"
#include "engine/prepared_kernel.hpp"
#include "exchanged_threads.hpp"
#include "interior_block.hpp"
#include "issued/issued.hpp"
#include "kernel_formulas.hpp"
#include "launch_arguments.hpp"
#include "neighbour_blocks.hpp"
#include "nest/recorded_nest.hpp"
#include "other_machines.hpp"
#include "page/placed_arrays.hpp"
#include "plan/array_plans.hpp"
#include "verified_plans.hpp"

namespace compiled {

using command_line::skipped_machine;

namespace {

// PTX has no text that a plan could change.
bool can_be_verified(const question& asked, const counted_kernel& counted) {
  return asked.plan && !asked.describe && !counted.kernel->is_of_ptx;
}

std::vector<std::string> shared_names(const kernel_code& kernel) {
  std::vector<std::string> result;
  for (const code_array& array : kernel.shared) result.push_back(array.name);
  return result;
}

bm::search search_of_plans(const question& asked, const kernel_code& kernel) {
  bm::search result = command_line::search_of(asked.limits, shared_names(kernel));
  if (asked.limits.layouts.empty()) result.layouts = default_search.layouts;
  result.prefer = default_search.prefer;
  return result;
}

// How the file was read, and what of it was not.
std::vector<std::string> notes_of_file(const counted_kernel& counted) {
  std::vector<std::string> result;
  if (!counted.code->missing_headers.empty())
    result.push_back(
        joined("these headers were not found and were read as empty, give their "
               "folder with -I: ",
               counted.code->missing_headers));
  append(result, counted.code->notes);
  for (const std::string& omission : counted.left_out)
    if (!omission.starts_with("the file ")) result.push_back(joined("not read: ", omission));
  return result;
}

// Error: the machine has other warps than the code; the requests cannot be priced on it.
page page_on(const bm::machine& m, const counted_kernel& counted, const question& asked) {
  if (m.lanes != counted.kernel->lanes)
    throw input_error(joined("the code is for warps of ", counted.kernel->lanes,
                             " lanes, and the machine has warps of ", m.lanes),
                      "name another --machine");
  page result{counted.kernel, &counted.recorded, counted.settings, m, {}};
  result.assumed = counted.assumed;
  result.file_notes = notes_of_file(counted);
  if (counted.issued != nullptr) {
    result.issued_by = counted.issued->source;
    result.not_issued = counted.issued->why_not;
    result.machine_code = counted.issued->code;
  }
  try {
    result.costs = priced_on(m, counted.recorded,
                             counted.issued == nullptr ? nullptr : &counted.issued->recorded);
  } catch (const bm::error& cause) {
    throw command_line::refusal_of(cause, {});
  }
  if (!asked.plan || asked.describe) return result;
  try {
    result.plans =
        array_plans(result, &result.without_plan,
                    can_be_verified(asked, counted) ? candidates::to_verify : candidates::known,
                    search_of_plans(asked, *counted.kernel));
    if (asked.alternatives)
      result.alternatives = layout_alternatives(result, search_of_plans(asked, *counted.kernel));
  } catch (const bm::error& failure) {
    throw command_line::refusal_of(failure, {});
  }
  return result;
}

// Does `action` on each of the machines, and takes those out for which it cannot be done, if there
// are several. Error (refusal): it can be done on none.
template <class Action>
void on_machines(std::vector<bm::machine>& machines, std::vector<skipped_machine>& skipped,
                 const Action& action) {
  std::vector<bm::machine> done;
  std::vector<skipped_machine> failed;
  for (const bm::machine& m : machines) try {
      action(m);
      done.push_back(m);
    } catch (const refusal& reason) {
      failed.push_back({command_line::name_of(m), reason});
    }
  if (done.empty() && !failed.empty()) throw failed.front().reason;
  append(skipped, failed);
  machines = std::move(done);
}

// The kernel as LLVM's passes leave it, run as it was run as written. Null: the code is not source.
std::unique_ptr<issued_recording> recorded_as_issued(analysed_code& code,
                                                     const counted_kernel& counted) {
  const analysed_code::optimized_kernel* const optimized = code.optimized();
  if (optimized == nullptr) return nullptr;
  const auto record = [&](const launch& settings) {
    return recorded_block(*optimized->analysis, settings);
  };
  return std::make_unique<issued_recording>(record_as_issued(
      optimized->code, *counted.kernel, counted.settings, counted.recorded, record));
}

// A launch that fails, since a block has less shared memory, or would with what is assumed; empty
// if none does.
std::string takes_too_much(const page& kernel_page) {
  const auto dynamic = static_cast<std::uint64_t>(kernel_page.settings.dynamic_shared_bytes);
  const std::uint64_t bytes = laid_out(*kernel_page.kernel, dynamic).total;
  const auto limit = static_cast<std::uint64_t>(kernel_page.machine.limits.shared_per_block_opt_in);
  if (dynamic == 0 || limit == 0 || bytes <= limit) return {};
  const std::string sizes =
      joined(bm::grouped(bytes), " bytes of shared memory, and may have ", bm::grouped(limit),
             " on ", command_line::shown_name(kernel_page.machine));
  const bool is_assumed = includes(kernel_page.assumed, "dynamic bytes", &assumed_fact::subject);
  return is_assumed
             ? joined("with what is assumed a block accesses ", sizes,
                      "; give --dynamic-bytes and the arguments of a real launch")
             : joined("the launch fails: a block takes ", sizes, "; give fewer dynamic bytes");
}

// Error: a launch that no machine of this kind has.
void require_launch(const bm::machine& m, const launch& settings) {
  if (m.made_by != bm::vendor::nvidia) return;
  struct dimension {
    const char *shape, *axis, *option;
    long long extent, limit;
  };
  const dimension dimensions[] = {{"block", "x", "--block", settings.block.x, 1024},
                                  {"block", "y", "--block", settings.block.y, 1024},
                                  {"block", "z", "--block", settings.block.z, 64},
                                  {"grid", "y", "--grid", settings.grid.y, 65535},
                                  {"grid", "z", "--grid", settings.grid.z, 65535}};
  for (const dimension& entry : dimensions)
    if (entry.extent > entry.limit)
      throw input_error(joined("a ", entry.shape, " of ", entry.extent,
                               std::string_view(entry.shape) == "block" ? " threads" : " blocks",
                               " along ", entry.axis),
                        joined("use 1 to ", entry.limit, ", as ", entry.option, " 32x8"));
  const long long threads = 1ll * settings.block.x * settings.block.y * settings.block.z;
  const int limit = m.limits.threads_per_block;
  if (limit > 0 && threads > limit)
    throw input_error(
        joined("a block of ", threads, " threads, and the machine has at most ", limit),
        "give another --block or --machine");
}

// Of the launches that a loop makes with different numbers the one with the most work: its
// instructions, up to a limit, times its blocks.
void take_most_work(const question& asked, const kernel_code& kernel, found_launch& host_launch) {
  constexpr long long most_steps = 1 << 18;
  const std::vector<found_launch> later = host_launch.later;
  found_launch best = host_launch;
  double highest = -1;
  for (std::size_t number = 0; number <= later.size(); ++number) {
    found_launch trial = host_launch;
    if (number > 0) {
      const found_launch& numbers = later[number - 1];
      trial.grid = numbers.grid;
      trial.block = numbers.block;
      trial.dynamic_shared_bytes = numbers.dynamic_shared_bytes;
      trial.arguments = numbers.arguments;
      trial.number = numbers.number;
    }
    try {
      launch settings = launch_of(asked, kernel, {trial});
      settings.most_steps = std::min(settings.most_steps, most_steps);
      settings.may_stop = settings.bounds = true;
      const double work =
          static_cast<double>(run(kernel, settings).steps) * static_cast<double>(settings.grid.x) *
          static_cast<double>(settings.grid.y) * static_cast<double>(settings.grid.z);
      if (work <= highest) continue;
      highest = work;
      best = trial;
    } catch (const refusal&) {  // the count says so
    } catch (const cannot_run&) {
    }
  }
  host_launch = best;
}

// The run is made with one value of each range: the one that is assumed of arguments, or the
// nearest.
std::vector<assumed_fact> take_values_of_ranges(launch& settings) {
  constexpr long long usual = 1024;
  std::vector<assumed_fact> result;
  for (const auto& [name, range] : settings.ranges) {
    const long long value = std::clamp(usual, range.first, range.second);
    settings.arguments.emplace(name, static_cast<std::uint64_t>(value));
    assumed_fact fact{name, std::to_string(value), joined("--arg ", name, "=.."),
                      joined("a run has one value of ", range.first, "..", range.second)};
    fact.is_ranged = true;
    result.push_back(std::move(fact));
  }
  return result;
}

constexpr long long most_steps_to_compare = 1 << 28;  // some seconds

using code_pointer = std::shared_ptr<const code_of_file>;

void finish(const question& asked, bool unrolls, counted_kernel& counted);

// Reads the file again for these machines, which have another code. Without an error it is once:
// the new code is for all of them, or has others itself. With one it is tried for the next one if
// the source asks which machine it is for.
void add_others(const question& asked, std::vector<bm::machine> machines, bool unrolls,
                counted_kernel& counted) {
  while (!machines.empty()) {
    question rest = asked;
    rest.all_machines = false;
    rest.machines.clear();
    for (const bm::machine& m : machines) rest.machines.push_back(command_line::name_of(m));
    rest.kernels = {counted.kernel->linkage};
    try {
      const auto code = std::make_shared<const code_of_file>(read_code(rest, unrolls));
      counted.variants.push_back(counted_in(rest, code, chosen_kernel(*code, rest)));
      counted_kernel& other = *counted.variants.back();
      if (can_be_verified(rest, other)) verify_plans({{&rest, &other}});
      finish(rest, unrolls, other);
      append(counted.pages, other.pages);
      append(counted.skipped, other.skipped);
      return;
    } catch (const refusal& reason) {
      const std::size_t failed = counted.code->depends_on_machine ? 1 : machines.size();
      for (std::size_t number = 0; number < failed; ++number)
        counted.skipped.push_back({rest.machines[number], reason});
      machines.erase(machines.begin(), machines.begin() + static_cast<std::ptrdiff_t>(failed));
    }
  }
}

// The arguments that a template was given since nothing in the file instantiates it.
std::vector<assumed_fact> assumed_templates(const counted_kernel& counted) {
  std::vector<assumed_fact> result;
  const std::string& instance = counted.kernel->name;
  const auto assumed = counted.code->assumed_templates.find(instance);
  if (assumed == counted.code->assumed_templates.end()) return result;
  const std::string name = instance.substr(0, instance.find('<'));
  for (const auto& [parameter, value] : assumed->second)
    result.push_back({parameter, value, joined("--kernel '", name, "<..>'"),
                      joined("nothing here instantiates the template ", name)});
  return result;
}

// Erases the notes that say what the page says as an assumption.
void leave_to_page(const assumed_fact& fact, std::vector<std::string>& notes) {
  std::erase_if(notes, [&](const std::string& note) {
    return note.starts_with(fact.subject + " was assumed");
  });
}

// Erases what is said of options of --assume that nobody gave, but an earlier run.
void erase_notes_of_options(const question& asked, std::vector<std::string>& notes) {
  std::erase_if(notes, [&](const std::string& note) {
    const std::string option = "--assume ";
    if (!note.starts_with(option)) return false;
    const std::string line =
        note.substr(option.size(), note.find(' ', option.size()) - option.size());
    return std::ranges::none_of(asked.assumed, [&](const std::string& assumption) {
      return assumption.starts_with(line + "=");
    });
  });
}

// Sets the launch and the requests. Error (cannot_run): they cannot be counted.
void run_kernel(const question& asked, const kernel_analysis& analysis, counted_kernel& counted) {
  std::optional<assumed_run> rerun;
  if (asked.previous_run != nullptr)
    rerun = run_as_before(analysis, counted.settings, *asked.previous_run);
  assumed_run outcome = rerun ? std::move(*rerun)
                        : counted.settings.unknown_block.empty()
                            ? run_with_assumptions(analysis, counted.settings)
                            : run_with_assumed_block(analysis, counted.settings);
  counted.settings = std::move(outcome.settings);
  counted.recorded = std::move(outcome.recorded);
  counted.assumed = assumed_templates(counted);
  append(counted.assumed, outcome.assumed);
  for (const assumed_fact& fact : counted.assumed) leave_to_page(fact, counted.recorded.notes);
}

// True for an assumption that may keep code from being executed; both values of a flag are counted.
bool may_pass_over(const assumed_fact& fact) {
  return !fact.is_flag && fact.subject != "block" && fact.subject != "grid" &&
         fact.subject != "dynamic bytes" && fact.subject != subject_of_block_index;
}

std::string note_of_unexecuted(const std::set<int>& lines) {
  return joined(
      named_lines(lines),
      lines.size() == 1 ? " accesses shared memory and is" : " access shared memory and are",
      " not executed with what is assumed; give other values");
}

// What the launch says, without the assumption of one block where another was made.
std::string with_known_grid(std::string stated, const launch& settings) {
  const std::size_t place = stated.find(one_block_is_assumed);
  if (place != stated.npos && settings.grid.blocks() > 1)
    stated.erase(place, one_block_is_assumed.size());
  return stated;
}

void add_notes(const question& asked, const std::string& stated, counted_kernel& counted) {
  std::vector<std::string>& notes = counted.recorded.notes;
  if (std::ranges::any_of(counted.assumed, may_pass_over) && !asked.describe) {
    counted.unexecuted_lines = lines_not_executed(counted);
    counted.unexecuted_global_lines = global_lines_not_executed(counted);
  }
  if (!counted.unexecuted_lines.empty())
    notes.push_back(note_of_unexecuted(counted.unexecuted_lines));
  if (counted.recorded.is_stopped)
    notes.push_back(joined("the block takes more than ", counted.settings.most_steps,
                           asked.describe
                               ? " steps; expressions are compared with the requests up to there"
                               : " steps, and the tables count those up to there; give "
                                 "--max-steps, smaller --arg values or a larger --grid"));
  if (!stated.empty()) notes.insert(notes.begin(), with_known_grid(stated, counted.settings));
  counted.left_out = left_out(*counted.code, asked, *counted.kernel);
}

// Of a machine whose banks may have another width. Empty for others.
std::string note_of_other_banks(const page& kernel_page) {
  if (kernel_page.machine.other_bank_width == 0 || kernel_page.costs.shared.empty()) return {};
  const bm::machine other =
      kernel_page.machine.with_bank_width(kernel_page.machine.other_bank_width);
  const priced costs = priced_on(other, *kernel_page.recorded);
  return text_of_other_banks(other, costs.cost.wavefronts + costs.minimum,
                             costs.cost.wavefronts + costs.maximum,
                             costs.cost.ideal + costs.minimum);
}

// Those of the pages, each once, although each machine may have the reason.
void add_notes_of_pages(const question& asked, counted_kernel& counted) {
  std::vector<std::string>& notes = counted.recorded.notes;
  const auto add_note = [&](const std::string& note) {
    if (!note.empty() && !includes(notes, note)) notes.push_back(note);
  };
  for (const page& kernel_page : counted.pages) {
    add_note(declares_too_much(kernel_page));
    add_note(note_of_other_banks(kernel_page));
    add_note(takes_too_much(kernel_page));
    for (const std::string& reason : kernel_page.without_plan) add_note(reason);
    if (!asked.plan || asked.describe) continue;
    for (const std::string& note : notes_of_unused_columns(kernel_page)) add_note(note);
    for (const std::string& note : notes_of_views(kernel_page)) add_note(note);
  }
}

// The exchanged threads are run only where there is something to gain.
void add_advice(counted_kernel& counted) {
  const auto has_excess = [](const page& priced_page) {
    return priced_page.costs.traffic.transactions > priced_page.costs.traffic.ideal;
  };
  if (counted.recorded.is_stopped || std::ranges::none_of(counted.pages, has_excess)) return;
  const std::optional<recording> exchanged =
      recorded_with_exchanged_threads(*counted.kernel, counted.settings);
  for (page& kernel_page : counted.pages)
    if (has_excess(kernel_page))
      kernel_page.advice =
          advice_of(kernel_page, counted.issued == nullptr ? nullptr : &counted.issued->recorded,
                    exchanged ? &*exchanged : nullptr);
}

// Counts a block inside of the grid instead, if the formulas are what that takes and not what the
// first one does.
void take_interior_run(const question& asked, analysed_code& analysed,
                       std::unique_ptr<counted_kernel>& counted) {
  for (const auto& run : interior_runs(*counted)) try {
      question interior = asked;
      interior.previous_run = run;
      std::unique_ptr<counted_kernel> candidate = counted_in(interior, analysed);
      if (!agrees_with_more_formulas(*candidate, *counted)) continue;
      counted = std::move(candidate);
      return;
    } catch (const refusal&) {  // the first run stays
    }
}

}  // namespace

std::unique_ptr<counted_kernel> counted_in(const question& asked, const code_pointer& code,
                                           const kernel_code& kernel) {
  analysed_code analysed(code, kernel);
  return counted_in(asked, analysed);
}

std::unique_ptr<counted_kernel> counted_in(const question& asked, analysed_code& analysed) {
  const code_pointer& code = analysed.file();
  const kernel_code& kernel = analysed.kernel();
  auto result = std::make_unique<counted_kernel>();
  result->code = code;
  result->kernel = &kernel;
  std::vector<found_launch> launches = code->launches;
  for (found_launch& host_launch : launches)
    if (host_launch.linkage == kernel.linkage && !host_launch.later.empty())
      take_most_work(asked, kernel, host_launch);
  std::string stated;
  result->settings = launch_of(asked, kernel, launches, &stated);
  if (asked.tell)
    result->settings.tell_long_run = [tell = asked.tell] {
      tell(
          "bankmodel: note: the block is run step by step, which may take minutes; smaller --arg "
          "values take less\n");
    };
  const std::vector<bm::machine> wanted = machines_of(asked, *code);
  const std::vector<bm::machine> other_machines = machines_with_other_code(asked, *code, kernel);
  if (!other_machines.empty() && asked.describe)
    throw input_error("--describe: the file has another code for some of these machines",
                      "name one --machine");
  std::vector<bm::machine> machines;
  for (const bm::machine& m : wanted)
    if (!includes(other_machines, m)) machines.push_back(m);
  on_machines(machines, result->skipped,
              [&](const bm::machine& m) { require_launch(m, result->settings); });
  if (asked.describe && !result->settings.ranges.empty())
    throw input_error("--describe prints numbers, and --arg gives a range", "give a number");
  launch known = result->settings;
  const std::vector<assumed_fact> ranged = take_values_of_ranges(result->settings);
  // Expressions do not need the whole run: it is there to compare them with.
  result->settings.may_stop = asked.describe;
  if (asked.describe)
    result->settings.most_steps = std::min(result->settings.most_steps, most_steps_to_compare);
  try {
    run_kernel(asked, analysed.as_written(), *result);
    // The rules are nvcc's.
    if (!code->machine.starts_with("gfx")) join_accesses(result->recorded);
    if (asked.is_trial) return result;
    if (!asked.describe) result->issued = recorded_as_issued(analysed, *result);
  } catch (const cannot_run& failure) {
    throw input_error(joined(text_with_path(kernel, failure.location), ": ", failure.what()),
                      failure.right);
  }
  append(result->assumed, ranged);
  add_notes(asked, stated, *result);
  confirm(asked, machines, *result);
  on_machines(machines, result->skipped,
              [&](const bm::machine& m) { result->pages.push_back(page_on(m, *result, asked)); });
  if (asked.plan && !asked.describe && !asked.is_recount) add_advice(*result);
  if (asked.block_strides && !asked.is_recount) set_strides(result->pages, analysed.as_written());
  // What is assumed is not known to the formulas, but for the block and the dynamic bytes.
  known.block = result->settings.block;
  known.grid = result->settings.grid;
  known.grid_index = result->settings.grid_index;
  known.dynamic_shared_bytes = result->settings.dynamic_shared_bytes;
  known.unknown_block.clear();
  if (!asked.describe && (!result->assumed.empty() || result->recorded.is_stopped))
    for (page& kernel_page : result->pages) kernel_page.formulas = formulas_of(kernel_page, known);
  if (asked.is_recount) add_notes_of_pages(asked, *result);
  // Two reports are compared: both are of the first block and of the same assumed numbers. A range
  // keeps its own.
  const bool may_choose_block = asked.grid_index.empty() && !asked.report && known.ranges.empty();
  if (asked.previous_run == nullptr && may_choose_block) take_interior_run(asked, analysed, result);
  return result;
}

namespace {

// Adds what is known after the plans are verified, and the pages of machines with another code.
void finish(const question& asked, bool unrolls, counted_kernel& counted) {
  add_notes_of_pages(asked, counted);
  add_others(asked, machines_with_other_code(asked, *counted.code, *counted.kernel), unrolls,
             counted);
  put_in_order(machines_of(asked, *counted.code), counted.pages);
}

// A description has the loops, unless nvcc joins accesses of the unrolled ones.
bool reads_loops_again(const question& asked, const counted_kernel& counted) {
  return asked.describe && !counted.kernel->is_of_ptx && !joins_shared_accesses(counted.recorded);
}

}  // namespace

std::unique_ptr<counted_kernel> counted(const question& asked) {
  std::unique_ptr<counted_kernel> result;
  for (const bool unrolls : {true, false}) {
    if (!unrolls && !reads_loops_again(asked, *result)) break;
    const auto code = std::make_shared<const code_of_file>(read_code(asked, unrolls));
    result = counted_in(asked, code, chosen_kernel(*code, asked));
    if (can_be_verified(asked, *result)) verify_plans({{&asked, result.get()}});
    finish(asked, unrolls, *result);
  }
  return result;
}

namespace {

std::string name_in(const std::string& option) { return option.substr(0, option.find('=')); }

// True for a name of a parameter, of a part of one, or of a global array.
bool has_name(const kernel_code& kernel, const std::string& name) {
  const auto is_name = [&](const code_array& array) { return array.name == name; };
  return parameter_number(kernel, name.substr(0, name.find('+'))).has_value() ||
         std::ranges::any_of(kernel.globals, is_name);
}

// Of several kernels each gets the values that it has names for.
// Error (command_line::refusal): no kernel has the name.
question question_about(const question& asked, const std::vector<candidate>& kernels,
                        const candidate& kernel) {
  question result = asked;
  if (kernels.size() < 2 || kernel.code == nullptr) return result;
  for (auto* const options : {&result.arguments, &result.data}) {
    for (const std::string& argument : *options) {
      const auto has_it = [&](const candidate& other) {
        return other.code != nullptr && has_name(*other.code, name_in(argument));
      };
      if (!asked.is_of_several && std::ranges::none_of(kernels, has_it))
        throw input_error(joined("no kernel has an argument '", name_in(argument), "'"),
                          "leave it out, or name one --kernel to see its arguments");
    }
    std::erase_if(*options, [&](const std::string& setting) {
      return !has_name(*kernel.code, name_in(setting));
    });
  }
  // Of these names too.
  const auto has_array = [](const candidate& owner, const std::string& name) {
    if (owner.code == nullptr) return false;
    const std::vector<std::string> names = shared_names(*owner.code);
    return includes(names, name);
  };
  result.limits.keep.clear();
  for (const std::string& name : command_line::separated(asked.limits.keep)) {
    const bool is_known =
        asked.is_of_several || std::ranges::any_of(kernels, [&](const candidate& other) {
          return has_array(other, name);
        });
    // Where no kernel has it, the search says so.
    if (!is_known || has_array(kernel, name)) result.limits.keep.push_back(name);
  }
  return result;
}

// `code`: null if the kernel has none.
kernel_result result_of(const question& asked, const code_of_file& file, const candidate& kernel,
                        analysed_code* code) {
  kernel_result result;
  result.name = kernel.name;
  result.shown = kernel.code == nullptr ? kernel.name : kernel.code->shown_name();
  try {
    if (code == nullptr) throw kernel_does_not_compile(file, kernel.name, kernel.reason);
    result.counted = counted_in(asked, *code);
    result.asked = std::make_shared<const question>(asked);
  } catch (const refusal& reason) {
    result.reason = reason;
  } catch (const bm::error& failure) {
    result.reason = {{}, failure.what(), ""};
  }
  return result;
}

bool has_equal_costs(const counted_kernel& counted, const counted_kernel& other) {
  const auto is_equal = [](const page& left, const page& right) {
    return left.costs.cost == right.costs.cost && left.costs.traffic == right.costs.traffic &&
           left.costs.minimum == right.costs.minimum && left.costs.maximum == right.costs.maximum;
  };
  return std::ranges::equal(counted.pages, other.pages, is_equal);
}

}  // namespace

namespace {

// Calls `visit(access, is_executed, number)` for each instruction of the kernel that accesses
// memory.
template <class Visit>
void visit_accesses(const counted_kernel& counted, const Visit& visit) {
  std::set<int> executed;
  for (const recorded_access& access : counted.recorded.accesses) executed.insert(access.number);
  int number = 0;
  for (const code_block& block : counted.kernel->blocks)
    for (const instruction& access : block.instructions)
      if (access.operation == opcode::access) {
        visit(access, executed.count(number) != 0, number);
        ++number;
      }
}

bool is_shared(const instruction& access) {
  return access.memory.memory == memory_kind::shared || access.memory.shared_array >= 0;
}

template <class Condition>
std::set<int> lines_not_executed_of(const counted_kernel& counted, const Condition& counts) {
  std::set<int> result, executed;
  visit_accesses(counted, [&](const instruction& access, bool is_executed, int) {
    if (counts(access) && access.location.line > 0)
      (is_executed ? executed : result).insert(access.location.line);
  });
  for (const int line : executed) result.erase(line);
  return result;
}

}  // namespace

std::set<int> lines_not_executed(const counted_kernel& counted) {
  return lines_not_executed_of(counted, is_shared);
}

std::set<int> global_lines_not_executed(const counted_kernel& counted) {
  return lines_not_executed_of(counted, [](const instruction& access) {
    return access.memory.memory == memory_kind::global ||
           (access.memory.memory == memory_kind::generic && !is_shared(access));
  });
}

std::string named_lines(const std::set<int>& lines) {
  std::string result = lines.size() == 1 ? "line " : "lines ";
  for (auto first = lines.begin(); first != lines.end();) {
    auto last = first, next = std::next(first);
    for (; next != lines.end() && *next == *last + 1; ++next) last = next;
    result += joined(first == lines.begin() ? "" : ", ", *first);
    if (last != first) result += joined("..", *last);
    first = next;
  }
  return result;
}

unexecuted_accesses accesses_not_executed(const counted_kernel& counted, unexecuted accesses) {
  // Lines and columns: compilers copy code. Those of the calls around inlined code too: a function
  // may be executed for one array and not for another.
  using place_in_calls = std::vector<std::pair<int, int>>;
  std::map<place_in_calls, std::vector<std::pair<int, const instruction*>>> left;
  std::set<place_in_calls> executed;
  visit_accesses(counted, [&](const instruction& access, bool is_executed, int number) {
    const memory_kind memory = access.memory.memory;
    const bool is_recorded = memory != memory_kind::arguments && memory != memory_kind::local &&
                             memory != memory_kind::constant;
    const bool counts = is_shared(access) || memory == memory_kind::generic ||
                        (accesses == unexecuted::of_any_memory && is_recorded);
    if (!counts || access.location.line <= 0) return;
    place_in_calls key = {{access.location.line, access.location.column}};
    if (access.location.calls >= 0)
      for (const place& call : counted.kernel->calls[slot(access.location.calls)])
        key.push_back({call.line, call.column});
    if (is_executed)
      executed.insert(std::move(key));
    else
      left[std::move(key)].emplace_back(number, &access);
  });
  unexecuted_accesses result;
  for (const auto& [position, items] : left) {
    if (executed.count(position) != 0) continue;
    if (result.first_line == 0) result.first_line = position.back().first;
    for (const auto& [number, access] : items) {
      result.numbers.insert(number);
      if (access->memory.operation != access_does::load && !is_shared(*access))
        result.stored_elsewhere = std::max(result.stored_elsewhere, access->memory.bytes);
    }
  }
  return result;
}

std::set<std::pair<std::string, int>> lines_executed(const counted_kernel& counted) {
  std::set<std::pair<std::string, int>> result;
  const kernel_code& kernel = *counted.kernel;
  const auto add = [&](const place& position) {
    if (position.file >= 0)
      result.insert({std::filesystem::path(kernel.files[slot(position.file)]).filename().string(),
                     position.line});
  };
  visit_accesses(counted, [&](const instruction& access, bool is_executed, int) {
    if (!is_executed || !(is_shared(access) || access.memory.memory == memory_kind::generic))
      return;
    add(access.location);
    if (access.location.calls >= 0)
      for (const place& call : kernel.calls[slot(access.location.calls)]) add(call);
  });
  return result;
}

std::shared_ptr<const earlier_run> run_of(const counted_kernel& counted) {
  auto result = std::make_shared<earlier_run>();
  result->settings = counted.settings;
  for (const assumed_fact& fact : counted.assumed)
    if (!fact.option.starts_with("--kernel ")) result->assumed.push_back(fact);
  return result;
}

namespace {

// True if a run executes an access that the other one does not.
bool has_further_accesses(const counted_kernel& counted, const counted_kernel& other) {
  const auto has_it = [&](const recorded_access& access) {
    const auto& known = other.recorded.accesses;
    return std::ranges::any_of(known, [&](const recorded_access& known_access) {
      return known_access.number == access.number && known_access.is_global == access.is_global;
    });
  };
  const auto& accesses = counted.recorded.accesses;
  return !std::ranges::all_of(accesses, has_it);
}

bool has_unexecuted_accesses(const counted_kernel& counted) {
  bool result = false;
  visit_accesses(counted,
                 [&](const instruction&, bool is_executed, int) { result |= !is_executed; });
  return result;
}

// True if a run with the opposite of what was assumed executes an access that this one does not.
bool adds_accesses(const question& opposite, const candidate& kernel, analysed_code& code,
                   const counted_kernel& counted) {
  if (!has_unexecuted_accesses(counted)) return false;
  question trial = opposite;
  trial.is_trial = true;
  const kernel_result tried = result_of(trial, *code.file(), kernel, &code);
  return tried.counted != nullptr && has_further_accesses(*tried.counted, counted);
}

// The question with the opposite of what was assumed, and the fact for the page.
std::pair<question, assumed_fact> opposite_of(const question& asked, const counted_kernel& counted,
                                              const assumed_fact& fact) {
  std::pair<question, assumed_fact> result = {asked, fact};
  result.first.previous_run = run_of(counted);
  if (fact.is_flag) {
    result.first.arguments.push_back(joined(fact.subject, "=0"));
    result.second.value = "0";
    return result;
  }
  const std::string option = fact.option.substr(std::string("--assume ").size());
  const bool is_taken = fact.value == "is taken";
  result.first.assumed.push_back(option);
  result.second.value = is_taken ? "is not taken" : "is taken";
  result.second.option =
      joined("--assume ", option.substr(0, option.find('=')), is_taken ? "=taken" : "=not-taken");
  return result;
}

// Lines that each of these runs of a kernel leaves out are left out; the others are counted.
void keep_common_unexecuted_lines(const std::vector<counted_kernel*>& runs) {
  const auto common_lines = [&](std::set<int> counted_kernel::* const lines) {
    std::set<int> common = runs.front()->*lines;
    for (const counted_kernel* const run : runs)
      std::erase_if(common, [&](int line) { return (run->*lines).count(line) == 0; });
    return common;
  };
  const std::set<int> common = common_lines(&counted_kernel::unexecuted_lines),
                      common_global = common_lines(&counted_kernel::unexecuted_global_lines);
  for (counted_kernel* const run : runs) run->unexecuted_global_lines = common_global;
  for (counted_kernel* const run : runs) {
    if (run->unexecuted_lines == common) continue;
    std::vector<std::string>& notes = run->recorded.notes;
    const auto note = std::ranges::find(notes, note_of_unexecuted(run->unexecuted_lines));
    if (common.empty())
      notes.erase(note);
    else
      *note = note_of_unexecuted(common);
    run->unexecuted_lines = common;
  }
}

// The same kernel with each flag false that was assumed to be true, and each branch on data not
// taken that was assumed to be taken, where that makes a difference: the code behind both arms is
// counted. Of many branches the first are tried; a note names the lines that none executes.
void add_other_arms(const question& asked, const candidate& kernel, analysed_code& code,
                    std::vector<kernel_result>& results) {
  constexpr int most_arms = 3, most_trials = 16;
  if (results.back().counted == nullptr) return;
  const counted_kernel& first = *results.back().counted;
  const std::vector<assumed_fact> assumed = first.assumed;
  std::vector<kernel_result> arms;
  int trials = 0;
  for (const assumed_fact& assumption : assumed) {
    if (!(assumption.is_flag || assumption.is_branch) || arms.size() == most_arms) continue;
    if (++trials > most_trials) break;
    const auto [other, fact] = opposite_of(asked, first, assumption);
    // A branch that is not taken is of interest for what only its other arm accesses.
    if (assumption.is_branch && !adds_accesses(other, kernel, code, first)) continue;
    kernel_result arm = result_of(other, *code.file(), kernel, &code);
    if (arm.counted != nullptr && has_equal_costs(first, *arm.counted)) continue;
    if (arm.counted != nullptr) {
      std::vector<assumed_fact>& facts = arm.counted->assumed;
      facts.insert(facts.begin(), fact);
      facts.front().is_opposite = true;
      leave_to_page(fact, arm.counted->recorded.notes);
      erase_notes_of_options(asked, arm.counted->recorded.notes);
      for (page& kernel_page : arm.counted->pages) kernel_page.assumed = facts;
    }
    arms.push_back(std::move(arm));
  }
  std::vector<counted_kernel*> runs = {results.back().counted.get()};
  for (const kernel_result& arm : arms)
    if (arm.counted != nullptr) runs.push_back(arm.counted.get());
  keep_common_unexecuted_lines(runs);
  for (kernel_result& arm : arms) results.push_back(std::move(arm));
}

}  // namespace

namespace {

// Verifies the plans of all kernels together, and adds what is known after that.
void finish_all(std::vector<kernel_result>& results) {
  std::vector<planned_kernel> planned;
  std::vector<kernel_result*> counted;
  for (kernel_result& result : results) {
    if (result.counted == nullptr) continue;
    counted.push_back(&result);
    if (can_be_verified(*result.asked, *result.counted))
      planned.push_back({result.asked.get(), result.counted.get()});
  }
  verify_plans(planned);
  command_line::do_parts(counted.size(), [&](std::size_t number) {
    kernel_result& result = *counted[number];
    try {
      finish(*result.asked, true, *result.counted);
    } catch (const refusal& reason) {
      result.reason = reason;
      result.counted = nullptr;
    } catch (const bm::error& failure) {
      result.reason = {{}, failure.what(), ""};
      result.counted = nullptr;
    }
  });
}

// Some seconds for all kernels of a file.
void share_steps(std::size_t kernels, question& asked) {
  constexpr long long fewest = 1ll << 25, all_guesses = 1ll << 27, fewest_of_a_guess = 1ll << 20;
  const auto among = static_cast<long long>(std::max<std::size_t>(kernels, 1));
  asked.steps_at_once = std::max(asked.steps_at_once / among, fewest);
  asked.steps_of_a_guess =
      std::clamp(all_guesses / among, fewest_of_a_guess, asked.steps_of_a_guess);
}

}  // namespace

std::vector<kernel_result> counted_kernels(const question& asked) {
  if (!is_compiled(asked.file)) return counted_kernels_of_file(asked);
  std::vector<kernel_result> result;
  if (asked.describe) {
    result.push_back({"", "", counted(asked), {}});
    return result;
  }
  const auto code = std::make_shared<const code_of_file>(read_code(asked, true));
  const std::vector<candidate> kernels = chosen_kernels(*code, asked);
  std::vector<std::vector<kernel_result>> results(kernels.size());
  std::mutex telling;
  std::size_t done = 0;
  const auto count = [&](std::size_t number) {
    question about = question_about(asked, kernels, kernels[number]);
    share_steps(kernels.size(), about);
    if (asked.tell)
      about.tell = [&](const std::string& note) {
        const std::lock_guard held(telling);
        asked.tell(note);
      };
    std::optional<analysed_code> analysed;
    if (kernels[number].code != nullptr) analysed.emplace(code, *kernels[number].code);
    results[number].push_back(
        result_of(about, *code, kernels[number], analysed ? &*analysed : nullptr));
    if (analysed) add_other_arms(about, kernels[number], *analysed, results[number]);
    if (asked.progress && kernels.size() > 1) {
      const std::lock_guard held(telling);
      asked.progress(++done, kernels.size(), "kernels");
    }
  };
  // Several files are read by as many processes as there are processors.
  if (asked.is_of_several)
    for (std::size_t number = 0; number < kernels.size(); ++number) count(number);
  else
    command_line::do_parts(kernels.size(), count);
  for (std::vector<kernel_result>& arms : results)
    std::ranges::move(arms, std::back_inserter(result));
  finish_all(result);
  for (const left_out_kernels& group : left_out_kernels_of(*code))
    result.push_back({group.name, group.name, nullptr, group.reason});
  return result;
}

}  // namespace compiled
