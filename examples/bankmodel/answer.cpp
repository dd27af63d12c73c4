// SPDX-License-Identifier: MIT
#include "answer.hpp"

#include <algorithm>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/model/occupancy.hpp>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <optional>
#include <utility>

#include "known_machines.hpp"
#include "name_pattern.hpp"

namespace command_line {

namespace {

std::vector<bm::machine> machines_of(const kernel_file& kernel, const question& asked) {
  return machines_named(asked.machines, asked.all_machines, kernel.machines);
}

// Says before it starts what may take seconds: `noted` are the accesses of which it was said.
void note_what_takes_long(const source& of, const kernel_file& kernel, const bm::machine& m,
                          const question& asked, std::vector<bool>& noted) {
  for (std::size_t at = 0; at < kernel.accesses.size(); ++at) {
    if (noted[at] || !takes_long(kernel, kernel.accesses[at], m)) continue;
    noted[at] = true;
    if (asked.tell)
      asked.tell(joined("bankmodel: note: the iterations of line ",
                        line_number(of, kernel.accesses[at].where.first),
                        " are counted one by one, which may take seconds on each machine",
                        asked.plan ? "; --no-plan takes less" : "", "\n"));
  }
}

std::vector<std::string> shared_arrays(const kernel_file& kernel) {
  std::vector<std::string> result;
  for (const kernel_array& one : kernel.arrays)
    if (one.description.memory == bm::memory_space::shared) result.push_back(one.name);
  return result;
}

finding found_on(const source& of, const std::shared_ptr<const kernel_file>& read,
                 const bm::machine& m, const question& asked, std::vector<bool>& noted) {
  const kernel_file& kernel = *read;
  note_what_takes_long(of, kernel, m, asked, noted);
  finding result{m, read, {}, {}, 0};
  result.costs.push_back(count(kernel, m));
  if (m.other_bank_width != 0)
    result.costs.push_back(count(kernel, m.with_bank_width(m.other_bank_width)));
  if (!kernel.has_shared()) result.planning.none = "there is no access to shared memory";
  if (!asked.plan || !kernel.has_shared()) return result;
  result.planning = plan_of(kernel, m, search_of(asked.limits, shared_arrays(kernel)));
  const int threads = kernel.block.x * kernel.block.y * kernel.block.z;
  result.blocks_before =
      bm::resident(m, {threads, declared_bytes(kernel), asked.limits.how.registers_per_thread})
          .blocks;
  return result;
}

}  // namespace

namespace {

using kernel_pointer = std::shared_ptr<const kernel_file>;

// The kernel on machines with other warps, where warpSize is read.
kernel_pointer kernel_on(const source& of, const kernel_pointer& read, const bm::machine& m,
                         reading how) {
  if (!read->reads_warp_size || m.lanes == how.lanes) return read;
  how.lanes = m.lanes;
  return std::make_shared<kernel_file>(read_kernel_file(of, how));
}

// The results on each machine that has some, if there are several.
std::vector<finding> find_all(const source& of, const kernel_pointer& kernel, const reading& how,
                              const question& asked, std::vector<skipped_machine>& skipped) {
  std::vector<finding> found;
  std::vector<bool> noted(kernel->accesses.size());
  for (const bm::machine& m : machines_of(*kernel, asked)) {
    try {
      found.push_back(found_on(of, kernel_on(of, kernel, m, how), m, asked, noted));
    } catch (const refusal& why) {
      skipped.push_back({name_of(m), why});
    }
  }
  if (found.empty()) throw skipped.front().why;
  return found;
}

std::string plan_header(const std::vector<finding>& found, const question& asked) {
  if (found.size() != 1)
    throw refusal{{},
                  joined("a plan's header is of one machine, but ", found.size(), " are given"),
                  "name one, --machine sm_90"};
  const kernel_file& kernel = *found[0].kernel;
  const planned& planning = found[0].planning;
  if (planning.plan == nullptr)
    throw refusal{{}, planning.none, kernel.has_shared() ? "" : "leave out --plan-header"};
  return header_of(kernel, found[0].machine, *planning.plan, asked.header);
}

std::string comparison_with_profile(const std::vector<finding>& found, const question& asked) {
  if (found.size() != 1)
    throw refusal{{},
                  joined("a profile is of one machine, but ", found.size(), " are given"),
                  "name the GPU that was profiled, --machine sm_90"};
  const kernel_file& kernel = *found[0].kernel;
  const std::uint64_t blocks = asked.measured->blocks != 0 ? asked.measured->blocks
                               : kernel.grid               ? kernel.grid->blocks()
                                                           : 0;
  if (blocks == 0)
    throw refusal{{},
                  "--profile is given without the number of blocks",
                  "give --blocks, or write `grid X Y Z`"};
  return joined("\n", asked.measured->name, ", of ", blocks,
                blocks == 1 ? " block:\n" : " blocks:\n",
                compared(kernel, found[0].machine, *asked.measured));
}

// A file's name is that of its kernel.
cost_limits limits_of(const source& of, const question& asked) {
  const std::string stem = std::filesystem::path(of.name).stem().string();
  return asked.allowed.of([&](const std::string& name) { return matches(stem, name); });
}

void keep_limits(answer& result, const source& of, const std::vector<finding>& found,
                 const question& asked) {
  const cost_limits most = limits_of(of, asked);
  const auto keep = [&](const bm::machine& m, std::uint64_t count, const std::optional<limit>& to,
                        const char* what) {
    if (!to || count <= to->most) return;
    result.code = too_many_conflicts;
    result.error +=
        joined("bankmodel: ", bm::text(m), ": ", bm::detail::counted_in_words(count, what), ", ",
               to->origin, " allows ", to->most, "\n");
  };
  for (const finding& one : found) {
    for (const kernel_cost& cost : one.costs)
      keep(cost.machine, cost.sum.conflicts(), most.conflicts, "conflict");
    // Global memory is the same with either bank width.
    const kernel_cost& cost = one.costs.front();
    keep(cost.machine, cost.traffic_sum.transactions - cost.traffic_sum.ideal,
         most.excessive_transactions, "excessive transaction");
  }
}

}  // namespace

void show(const source& of, const std::vector<finding>& found, const question& asked,
          answer& result) {
  const finding& first = found.front();
  if (asked.picture) result.picture = drawn(first, drawn_access(first));
  if (!asked.header.empty()) result.header = plan_header(found, asked);
  if (asked.as == format::text) result.out = as_text(of, found, asked);
  if (asked.as == format::json) result.out = as_json(of, found, asked);
  if (asked.as == format::csv) result.out = as_csv(of, found);
  // A row has no place for notes.
  if (asked.as == format::csv)
    for (const std::string& one : notes(of, *first.kernel, asked))
      result.error += joined("bankmodel: note: ", one, "\n");
  if (asked.measured) result.out += comparison_with_profile(found, asked);
  keep_limits(result, of, found, asked);
}

std::string text_of_skipped(const std::vector<skipped_machine>& machines) {
  std::vector<named_text> reasons;
  for (const skipped_machine& one : machines)
    reasons.push_back({one.name, one.why.wrong.substr(0, one.why.wrong.find('\n'))});
  std::string result;
  for (const named_text& one : by_text(reasons))
    result += joined("bankmodel: note: not counted on ", one.names, ": ", one.text, "\n");
  return result;
}

answer answer_to(const source& of, const question& asked) {
  return answer_to(of, asked, [&](const std::vector<finding>& found, answer& to) {
    show(of, found, asked, to);
  });
}

namespace {

// The kernel as it is read, with its results on each machine that has some.
struct counted {
  kernel_pointer kernel;
  std::vector<finding> found;
  std::vector<skipped_machine> skipped;
};

// The first reading that can be counted. `read`: what was read before an error.
counted count_first(const source& of, const question& asked, kernel_pointer& read) {
  std::optional<refusal> first;
  const reading known{reading().lanes, asked.dynamic_shared_bytes, asked.padding, asked.values};
  for (const reading& how : readings_of(of, known)) {
    kernel_pointer kernel;
    try {
      kernel = std::make_shared<kernel_file>(read_kernel_file(of, how));
      counted result{kernel, {}, {}};
      result.found = find_all(of, kernel, how, asked, result.skipped);
      return result;
    } catch (const refusal& why) {
      if (!first) first = why, read = kernel;
    }
  }
  throw *first;
}

}  // namespace

answer answer_to(const source& of, const question& asked, const presentation& shown) {
  kernel_pointer kernel;
  try {
    const counted all = count_first(of, asked, kernel);
    kernel = all.kernel;
    answer result;
    result.error = text_of_skipped(all.skipped);
    shown(all.found, result);
    // A limit is not kept on a machine that was named.
    if (!all.skipped.empty() && limits_of(of, asked).has_any() && !asked.all_machines &&
        result.code == fine)
      result.code = not_read;
    return result;
  } catch (const refusal& why) {
    // What is wrong with an option has no place; that the text lacks something is at its end.
    const bool has_place =
        why.where.size != 0 || (kernel == nullptr && why.where.first == of.text.size());
    return {bad_input, {}, has_place ? text(of, why) : text_without_place(why)};
  }
}

}  // namespace command_line
