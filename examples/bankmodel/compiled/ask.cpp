// SPDX-License-Identifier: MIT
#include "ask.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "../known_machines.hpp"
#include "code/linkage.hpp"
#include "confirmed_kernel.hpp"
#include "counted_kernel.hpp"
#include "description/description.hpp"
#include "engine/memory.hpp"
#include "fixes.hpp"
#include "issued/issued.hpp"
#include "launch_arguments.hpp"
#include "other_machines.hpp"
#include "page/formats.hpp"
#include "page/issued_column.hpp"
#include "plan/array_plans.hpp"
#include "verified_plans.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

// A kernel of the file; `code` is null if it is not read.
struct candidate {
  std::string name, linkage;
  const kernel_code* code = nullptr;
  std::string reason;  // why it is not read, as Clang says

  bool has(const std::string& part) const {
    return is(part) || name.find(part) != std::string::npos ||
           linkage.find(part) != std::string::npos;
  }
  // True for the whole name, without its parameters too.
  bool is(const std::string& named) const {
    return !named.empty() && (name.substr(0, name.find('(')) == named || name == named ||
                              common_linkage(linkage) == common_linkage(named));
  }
};

std::vector<candidate> candidates_of(const code_of_file& code) {
  std::vector<candidate> result;
  for (const kernel_code& one : code.kernels) result.push_back({one.name, one.linkage, &one, ""});
  for (const unread_kernel& one : code.unread)
    result.push_back({one.name, "", nullptr, one.reason});
  return result;
}

template <class Condition>
std::vector<candidate> those(const std::vector<candidate>& all, const Condition& are) {
  std::vector<candidate> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), are);
  return result;
}

constexpr std::size_t most_listed = 20;

// "first, second"; kernels of one name by their mangled names.
std::string names_of(const std::vector<candidate>& all) {
  std::string result;
  for (const candidate& one : all) {
    const auto with_its_name = [&](const candidate& other) { return other.name == one.name; };
    const bool is_alone = std::count_if(all.begin(), all.end(), with_its_name) == 1;
    result += joined(result.empty() ? "" : ", ",
                     is_alone || one.linkage.empty() ? one.name : one.linkage);
    const auto left = static_cast<std::size_t>(all.data() + all.size() - &one) - 1;
    if (left > 0 && all.size() - left == most_listed) return joined(result, " and ", left, " more");
  }
  return result;
}

const kernel_code& chosen(const code_of_file& code, const question& asked) {
  const std::vector<candidate> all = candidates_of(code);
  if (all.empty()) throw refusal{{}, joined(asked.file, " has no kernel"), "give another file"};
  std::vector<candidate> found =
      those(all, [&](const candidate& one) { return one.has(asked.kernel); });
  const std::vector<candidate> exact =
      those(found, [&](const candidate& one) { return one.is(asked.kernel); });
  const char* const how = exact.empty() ? " in their names" : " as their name";
  if (!exact.empty()) found = exact;
  if (found.empty())
    throw refusal{{},
                  joined("no kernel is named ", asked.kernel),
                  joined("give a part of a name with --kernel, of ", names_of(all))};
  if (found.size() > 1)
    throw refusal{{},
                  asked.kernel.empty() ? joined("the file has ", found.size(), " kernels")
                                       : joined(found.size(), " kernels have ", asked.kernel, how),
                  joined("choose one with --kernel: ", names_of(found))};
  if (found[0].code != nullptr) return *found[0].code;
  throw does_not_compile(found[0].name, found[0].reason, code.missing_headers);
}

// "k<scalar_t> in line 12": what was not read and may be the kernel that is asked about, or another
// one if none is named. A name in full is that kernel alone.
std::vector<std::string> left_out(const code_of_file& code, const question& asked,
                                  const kernel_code& kernel) {
  std::vector<std::string> result;
  const bool is_named = candidate{kernel.name, kernel.linkage, &kernel, ""}.is(asked.kernel);
  const auto may_be_meant = [&](const std::string& name) {
    return !is_named && name.find(asked.kernel.substr(0, asked.kernel.find('<'))) != name.npos;
  };
  // Of a kernel that is no template each launch is one of code that was read.
  const auto is_read = [&](const std::string& name) {
    return std::any_of(code.kernels.begin(), code.kernels.end(), [&](const kernel_code& one) {
      return one.name.substr(0, one.name.find('(')) == name;
    });
  };
  for (const unread_launch& one : code.unread_launches)
    if (one.kernel.empty() || one.is_call ? !is_named
                                          : may_be_meant(one.kernel) && !is_read(one.kernel))
      result.push_back(joined(one.is_call ? "the kernels that the call of " : "the launch of ",
                              one.kernel.empty() ? "a kernel" : one.kernel, " in line ", one.line,
                              one.file == asked.file ? "" : " of " + one.file,
                              one.is_call ? " launches (" : " (", one.reason, ")"));
  for (const std::string& one : code.kernels_without_instance)
    if (may_be_meant(one))
      result.push_back(joined("the kernel ", one, ", a template without an instance here"));
  if (!is_named)
    for (const std::string& one : code.missing_own_headers)
      result.push_back(joined("the file ", one, ", which was not found"));
  return result;
}

std::vector<bm::machine> machines_of(const question& asked, const std::string& machine) {
  std::vector<std::string> names = asked.machines;
  if (names.empty()) names.push_back(machine);
  std::vector<bm::machine> result;
  for (const std::string& name : names) result.push_back(command_line::machine_of(name, {}));
  return result;
}

std::string printed(const std::vector<page>& pages, const question& asked, source_lines& lines) {
  switch (asked.as) {
    case command_line::format::json: return as_json(pages, asked.file);
    case command_line::format::csv: return as_csv(pages);
    case command_line::format::sarif: return as_sarif(pages, lines, asked.file);
    case command_line::format::html: return as_html(pages, lines, asked.file);
    case command_line::format::source: return as_source(pages, lines, asked.shape);
    default: break;
  }
  std::string result;
  for (const page& one : pages)
    result += joined(result.empty() ? "" : "\n\n", as_text(one, lines, asked.shape));
  return result;
}

// PTX has no text that a plan could change.
bool can_be_verified(const question& asked) {
  return asked.plan && !asked.describe && is_source(asked.file) && !asked.by_nvcc;
}

// Error: the machine has other warps than the code; the requests cannot be priced on it.
page page_on(const bm::machine& m, const counted_kernel& of, const question& asked) {
  if (m.lanes != of.kernel->lanes)
    throw refusal{{},
                  joined("the code is for warps of ", of.kernel->lanes, " lanes, and ",
                         command_line::name_of(m), " has ", m.lanes),
                  "name another --machine"};
  page result{of.kernel, &of.recorded, of.how, m, {}};
  if (of.issued != nullptr) {
    result.issued_by = of.issued->by;
    result.not_issued = of.issued->why_not;
    result.machine_code = of.issued->code;
  }
  try {
    result.costs = priced_on(m, of.recorded, of.issued == nullptr ? nullptr : &of.issued->recorded);
  } catch (const bm::error& why) {
    throw refusal{{}, joined(command_line::name_of(m), ": ", why.what()), ""};
  }
  if (asked.plan && !asked.describe)
    result.plans = array_plans(result, &result.without_plan,
                               can_be_verified(asked) ? candidates::to_verify : candidates::known);
  return result;
}

// The kernel as LLVM's passes leave it, run as it was run as written. Null: the code is not source.
std::unique_ptr<issued_recording> recorded_as_issued(const counted_kernel& of) {
  if (!of.code.optimized) return nullptr;
  const auto index = static_cast<std::size_t>(of.kernel - of.code.kernels.data());
  return std::make_unique<issued_recording>(
      run_as_issued(of.code.optimized(index), *of.kernel, of.how, of.recorded));
}

// A launch that fails, since a block has less shared memory; empty if it does not.
std::string takes_too_much(const page& of) {
  const auto dynamic = static_cast<std::uint64_t>(of.how.dynamic_shared_bytes);
  const std::uint64_t taken = laid_out(*of.kernel, dynamic).total;
  const auto most = static_cast<std::uint64_t>(of.machine.limits.shared_per_block_opt_in);
  if (dynamic == 0 || most == 0 || taken <= most) return {};
  return joined("the launch fails on ", command_line::name_of(of.machine), ": a block takes ",
                bm::grouped(taken), " bytes of shared memory, and may have ", bm::grouped(most),
                "; give fewer dynamic bytes");
}

// Error: a launch that no machine of this kind has.
void require_launch(const bm::machine& m, const launch& how) {
  if (m.made_by != bm::vendor::nvidia) return;
  struct dimension {
    const char *of, *axis, *option;
    long long given, most;
  };
  const dimension all[] = {{"block", "x", "--block", how.block.x, 1024},
                           {"block", "y", "--block", how.block.y, 1024},
                           {"block", "z", "--block", how.block.z, 64},
                           {"grid", "y", "--grid", how.grid.y, 65535},
                           {"grid", "z", "--grid", how.grid.z, 65535}};
  for (const dimension& one : all)
    if (one.given > one.most)
      throw refusal{
          {},
          joined("a ", one.of, " of ", one.given,
                 std::string_view(one.of) == "block" ? " threads" : " blocks", " along ", one.axis),
          joined("use 1 to ", one.most, ", as ", one.option, " 32x8")};
  const long long threads = 1ll * how.block.x * how.block.y * how.block.z;
  const int most = m.limits.threads_per_block;
  if (most > 0 && threads > most)
    throw refusal{{},
                  joined("a block of ", threads, " threads"),
                  joined(command_line::name_of(m), " has at most ", most,
                         " in a block: give another --block or --machine")};
}

// Of the launches that a loop makes with different numbers the one with the most work: its
// instructions, up to a limit, times its blocks.
void take_most_work(const question& asked, const kernel_code& kernel, found_launch& of) {
  constexpr long long most_steps = 1 << 18;
  const std::vector<found_launch> later = of.later;
  found_launch best = of;
  double most = -1;
  for (std::size_t number = 0; number <= later.size(); ++number) {
    found_launch one = of;
    if (number > 0) {
      const found_launch& numbers = later[number - 1];
      one.grid = numbers.grid;
      one.block = numbers.block;
      one.dynamic_shared_bytes = numbers.dynamic_shared_bytes;
      one.arguments = numbers.arguments;
      one.number = numbers.number;
    }
    try {
      launch how = launch_of(asked, kernel, {one});
      how.most_steps = std::min(how.most_steps, most_steps);
      how.may_stop = true;
      const double work = static_cast<double>(run(kernel, how).steps) *
                          static_cast<double>(how.grid.x) * static_cast<double>(how.grid.y) *
                          static_cast<double>(how.grid.z);
      if (work <= most) continue;
      most = work;
      best = one;
    } catch (const refusal&) {  // the count says so
    } catch (const cannot_run&) {
    }
  }
  of = best;
}

constexpr long long most_steps_to_compare = 1 << 28;  // some seconds

std::unique_ptr<counted_kernel> counted_as_read(const question& asked, bool unrolls);

// Reads the file again for these machines, and puts the pages in the order of the question.
void add_others(const question& asked, const std::vector<std::string>& machines, bool unrolls,
                counted_kernel& to) {
  if (machines.empty()) return;
  if (asked.describe)
    throw refusal{{},
                  "--describe: the file asks which machine it is for, and has a code for each",
                  "name one --machine"};
  question rest = asked;
  rest.machines = machines;
  to.others.push_back(counted_as_read(rest, unrolls));
  to.pages = in_order(asked, to.pages, machines, to.others.back()->pages);
}

std::unique_ptr<counted_kernel> counted_as_read(const question& asked, bool unrolls) {
  auto result = std::make_unique<counted_kernel>();
  result->code = read_code(asked, unrolls);
  result->kernel = &chosen(result->code, asked);
  for (found_launch& one : result->code.launches)
    if (one.linkage == result->kernel->linkage && !one.later.empty())
      take_most_work(asked, *result->kernel, one);
  std::string stated;
  result->how = launch_of(asked, *result->kernel, result->code.launches, &stated);
  if (asked.tell)
    result->how.tell_long_run = [tell = asked.tell] {
      tell(
          "bankmodel: note: the block is run step by step, which may take minutes; smaller --arg "
          "values take less\n");
    };
  std::vector<bm::machine> machines = machines_of(asked, result->code.machine);
  const std::vector<std::string> others = machines_with_other_code(asked, result->code);
  if (!others.empty())
    machines.erase(std::remove_if(machines.begin(), machines.end(),
                                  [first = machines[0]](const bm::machine& m) {
                                    return !has_code_of(first, m);
                                  }),
                   machines.end());
  for (const bm::machine& m : machines) require_launch(m, result->how);
  // Expressions do not need the whole run: it is there to compare them with.
  result->how.may_stop = asked.describe;
  if (asked.describe)
    result->how.most_steps = std::min(result->how.most_steps, most_steps_to_compare);
  try {
    result->recorded = run(*result->kernel, result->how);
    // The rules are nvcc's.
    if (result->code.machine.rfind("gfx", 0) != 0) join_accesses(result->recorded);
    if (!asked.describe) result->issued = recorded_as_issued(*result);
  } catch (const cannot_run& why) {
    throw refusal{
        {}, joined(text_with_path(*result->kernel, why.where), ": ", why.what()), why.right};
  }
  std::vector<std::string>& notes = result->recorded.notes;
  if (result->recorded.is_stopped)
    notes.push_back(joined("the block takes more than ", result->how.most_steps,
                           " steps; expressions are compared with the requests up to there"));
  if (!stated.empty()) notes.insert(notes.begin(), stated);
  if (!result->code.missing_headers.empty())
    notes.push_back(
        joined("these headers were not found and were read as empty, give their "
               "folder with -I: ",
               result->code.missing_headers));
  result->left_out = left_out(result->code, asked, *result->kernel);
  for (const std::string& one : result->left_out)
    if (one.rfind("the file ", 0) != 0) notes.push_back(joined("not read: ", one));
  confirm(asked, machines, *result);
  for (const bm::machine& m : machines) result->pages.push_back(page_on(m, *result, asked));
  if (can_be_verified(asked)) verify_plans(asked, *result);
  // Once, although each machine may have the reason.
  const auto add_note = [&](const std::string& note) {
    if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(note);
  };
  for (const page& one : result->pages) {
    add_note(declares_too_much(one));
    add_note(takes_too_much(one));
    for (const std::string& why : one.without_plan) add_note(why);
    if (!asked.plan || asked.describe) continue;
    for (const std::string& note : notes_of_unused_columns(one)) add_note(note);
  }
  add_others(asked, others, unrolls, *result);
  return result;
}

}  // namespace

std::unique_ptr<counted_kernel> counted(const question& asked) {
  std::unique_ptr<counted_kernel> result = counted_as_read(asked, true);
  // A description has the loops, unless nvcc joins accesses of the unrolled ones.
  if (asked.describe && is_source(asked.file) && !asked.by_nvcc &&
      !joins_shared_accesses(result->recorded))
    result = counted_as_read(asked, false);
  return result;
}

namespace {

// Why --max-conflicts says nothing about the kernel; empty if it does.
std::string why_not_limited(const priced& costs) {
  if (costs.most > 0)
    return "data decide about conflicts, which --max-conflicts cannot limit; leave out "
           "--max-conflicts, or give --assume instead of --bounds";
  if (costs.is_partial_shared)
    return "shared memory is counted in part, and --max-conflicts cannot limit the rest; leave it "
           "out, or change what the notes name";
  return {};
}

}  // namespace

command_line::answer answer_about(const counted_kernel& counted, const question& asked) {
  const std::vector<page>& pages = counted.pages;
  command_line::answer result;
  source_lines lines(asked.file);
  if (asked.max_conflicts)
    for (const std::string& one : counted.left_out) {
      result.code = command_line::not_read;
      result.error += joined("bankmodel: not read, so --max-conflicts says nothing about it: ", one,
                             "; correct it, or name the kernel in full with --kernel\n");
    }
  for (const page& one : pages) {
    if (!asked.max_conflicts) continue;
    const bm::cost& cost = one.costs.cost;
    // A limit is not kept that data could exceed, or what is not counted.
    if (const std::string why = why_not_limited(one.costs); !why.empty()) {
      const bool is_exceeded =
          one.costs.most > 0 || result.code == command_line::too_many_conflicts;
      result.code = is_exceeded ? command_line::too_many_conflicts : command_line::not_read;
      result.error += joined("bankmodel: ", command_line::name_of(one.machine), ": ", why, "\n");
    }
    const std::uint64_t as_issued = one.costs.issued_cost.conflicts();
    // The limit is one of accesses as written: those as issued are an estimate.
    const std::string issued =
        !knows_issued(one) || as_issued == cost.conflicts()
            ? ""
            : joined(" as written (as issued, an estimate, it has ", as_issued, ")");
    if (cost.conflicts() <= *asked.max_conflicts && as_issued > *asked.max_conflicts &&
        !issued.empty())
      result.error += joined("bankmodel: note: ", command_line::name_of(one.machine), ": ",
                             cost.conflicts(), " conflicts", issued, "\n");
    if (cost.conflicts() <= *asked.max_conflicts) continue;
    result.code = command_line::too_many_conflicts;
    result.error += joined("bankmodel: ", command_line::name_of(one.machine), ": ",
                           cost.conflicts(), cost.conflicts() == 1 ? " conflict" : " conflicts",
                           ", --max-conflicts allows ", *asked.max_conflicts, issued, "\n");
  }
  if (asked.describe)
    add_description(result, pages, asked.file);
  else
    result.out = printed(pages, asked, lines);
  if (asked.html) result.html = as_html(pages, lines, asked.file);
  return result;
}

bool is_source(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  constexpr std::string_view endings[] = {".cu",  ".cuh", ".hip", ".cpp", ".cc",
                                          ".cxx", ".h",   ".hpp", ".hxx", ".inl"};
  return std::find(std::begin(endings), std::end(endings), ending) != std::end(endings);
}

bool is_compiled(const std::string& file) {
  return is_source(file) || std::filesystem::path(file).extension() == ".ptx";
}

command_line::answer answer_to(const question& asked) {
  try {
    return asked.fix.empty() ? answer_about(*counted(asked), asked) : answer_with_fix(asked);
  } catch (const refusal& why) {
    return {command_line::bad_input, {}, command_line::text_without_place(why)};
  } catch (const bm::error& why) {
    return {command_line::bad_input, {}, command_line::text_without_place({{}, why.what(), ""})};
  }
}

}  // namespace compiled
