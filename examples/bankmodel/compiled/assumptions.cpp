// SPDX-License-Identifier: MIT
#include "assumptions.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../notation/candidate_blocks.hpp"
#include "../table.hpp"
#include "argument_value.hpp"
#include "code/special_reads.hpp"
#include "engine/memory.hpp"
#include "engine/prepared_kernel.hpp"
#include "nest/recorded_nest.hpp"

namespace compiled {

using command_line::option_text;

namespace {

constexpr long long most_dynamic_bytes = 1 << 18;  // more than a block of any machine has
constexpr long long most_steps_of_a_probe = 1ll << 20;
constexpr long long assumed_values[] = {1024, 128, 32, 4, 1};
constexpr int most_facts = 256;

bool is_flag(const code_parameter& parameter) {
  return parameter.type == "bool" || parameter.type == "const bool";
}

// The parameter of this name; one of 8 bytes if it is a part that has no name.
code_parameter parameter_of(const kernel_code& kernel, const std::string& name) {
  const auto number = parameter_number(kernel, name);
  return number ? kernel.parameters[*number] : code_parameter{name, "", 0, 8};
}

// The largest of these that the argument can have.
std::string value_text(const code_parameter& parameter, long long size) {
  if (is_flag(parameter)) return "1";
  if (parameter.bytes == 1) size = std::min(size, 64ll);
  return std::to_string(size);
}

assumed_fact fact_of_branch(int line, bool is_taken, const std::string& reason) {
  return {.subject = joined("line ", line),
          .value = is_taken ? "is taken" : "is not taken",
          .option = joined("--assume ", line, is_taken ? "=not-taken" : "=taken"),
          .reason = reason,
          .is_branch = true};
}

// Of a branch or of the end of a loop; 0 of what is neither.
int assumed_line(const assumed_fact& fact) {
  constexpr std::string_view begin = "line ";
  return fact.subject.starts_with(begin) ? std::atoi(fact.subject.c_str() + begin.size()) : 0;
}

// What integers are: those that end loops, and the others.
struct assumed_sizes {
  long long end = 0, other = 0;
};
// Fewer iterations are tried before rows of fewer elements.
constexpr assumed_sizes sizes_in_order[] = {{1024, 1024}, {128, 1024}, {32, 1024},
                                            {4, 1024},    {1, 1024},   {128, 128},
                                            {32, 32},     {4, 4},      {1, 1}};

// One way to complete a launch: those integers that `zeros` names are 0.
class completion {
 public:
  completion(const kernel_analysis& analysis, const launch& known, const assumed_sizes& sizes,
             bool is_last, known_ways& ways, std::set<std::string> zeros = {})
      : analysis_(analysis),
        kernel_(analysis.kernel()),
        ways_(ways),
        sizes_(sizes),
        zeros_(std::move(zeros)) {
    result_.settings = known;
    given_branches_ = known.assumed;
    result_.settings.bounds = true;
    result_.settings.requires_arguments = result_.settings.requires_branches = !known.bounds;
    result_.settings.requires_shared_branches = !known.bounds && !known.bounds_shared_branches;
    if (!is_last) most_steps_ = std::min(known.most_steps, known.steps_of_a_guess);
  }

  // As in another run.
  void take_over(const earlier_run& previous) {
    launch& options = result_.settings;
    for (const assumed_fact& fact : previous.assumed) {
      if (fact.subject == "block" && !options.unknown_block.empty()) {
        options.block = previous.settings.block;
        options.unknown_block.clear();
      } else if (fact.subject == "grid" && !options.is_grid_known) {
        options.grid = previous.settings.grid;
        options.is_grid_known = true;
      } else if (fact.subject == subject_of_block_index) {
        options.grid = previous.settings.grid;
        options.grid_index = previous.settings.grid_index;
      } else if (fact.subject == "dynamic bytes" && options.dynamic_shared_bytes == 0) {
        options.dynamic_shared_bytes = most_dynamic_bytes;
        has_dynamic_bytes_ = true;
      } else if (const auto bits = previous.settings.arguments.find(fact.subject);
                 bits != previous.settings.arguments.end() &&
                 (fact.is_reduced || options.arguments.count(fact.subject) == 0)) {
        // The launch names it by its number.
        if (const auto number = parameter_number(kernel_, fact.subject))
          options.arguments.erase(joined("p", static_cast<int>(*number)));
        options.arguments[fact.subject] = bits->second;
        has_sizes_ = true;
      } else if (const int line = assumed_line(fact); line == 0 ||
                                                      options.assumed.count(line) != 0 ||
                                                      previous.settings.assumed.count(line) == 0) {
        continue;
      } else {
        options.assumed.emplace(line, previous.settings.assumed.at(line));
      }
      result_.assumed.push_back(fact);
    }
  }

  // Error (cannot_run): an assumption that this has not.
  assumed_run result() {
    result_.settings.assume_branch = [this](const cannot_run& reason) {
      std::optional<assumption> guess;
      if (result_.assumed.size() < std::size_t{most_facts} && assume(reason))
        guess = result_.settings.assumed.at(reason.location.line);
      return guess;
    };
    for (int number = 0;; ++number) try {
        result_.recorded = recorded_block(analysis_, result_.settings, ways_);
        // What is not assumed has bounds in further runs, of the code as issued.
        stop_requiring_branches();
        if (has_dynamic_bytes_) fit_dynamic_bytes();
        result_.settings.assume_branch = {};
        return std::move(result_);
      } catch (const cannot_run& cause) {
        const bool is_assumed = number < most_facts && assume(cause);
        if (!is_assumed && !stop_assuming_branches(cause)) throw;
      }
  }

  bool has_sizes() const { return has_sizes_; }
  bool has_ends() const { return has_ends_; }

 private:
  void stop_requiring_branches() {
    result_.settings.requires_branches = result_.settings.requires_shared_branches = false;
  }

  // Branches need no assumption: what they decide about has bounds. Returns false if that is no
  // remedy.
  bool stop_assuming_branches(const cannot_run& cause) {
    const bool is_required =
        result_.settings.requires_branches || result_.settings.requires_shared_branches;
    if (!is_required || cause.missing.is == missing_fact::kind::steps) return false;
    stop_requiring_branches();
    result_.settings.assumed = given_branches_;
    std::erase_if(result_.assumed,
                  [](const assumed_fact& fact) { return assumed_line(fact) != 0; });
    return true;
  }

  bool assume(const cannot_run& cause) {
    const std::string location = text(kernel_, cause.location);
    const std::string message = cause.what();
    const std::string subject = message.substr(0, message.find(" depends on "));
    const std::string begin = joined(subject, location.empty() ? "" : " at ", location);
    const std::string reason = joined(begin, " depends on it");
    const std::string data = joined(begin, message.substr(subject.size()));
    const int line = cause.location.line;
    launch& options = result_.settings;
    switch (cause.missing.is) {
      case missing_fact::kind::argument: {
        const std::string& name = cause.missing.argument;
        const code_parameter parameter = parameter_of(kernel_, name);
        const bool is_end = subject == "the end of the loop";
        has_ends_ = has_ends_ || is_end;
        const std::string value = zeros_.count(name) != 0
                                      ? "0"
                                      : value_text(parameter, is_end ? sizes_.end : sizes_.other);
        const auto bits = argument_bits(parameter, value);
        if (!bits || !options.arguments.emplace(name, *bits).second) return false;
        // A guess is not worth many steps.
        if (!is_flag(parameter)) {
          has_sizes_ = true;
          if (most_steps_) options.most_steps = *most_steps_;
        }
        return add({name, value, joined("--arg ", name, "=.."), reason, is_flag(parameter)});
      }
      case missing_fact::kind::branch: {
        // `if (..) return;`: the code behind it is what the kernel is for.
        const bool is_taken = kernel_.guarded_jumps.count({cause.location.file, line}) == 0;
        if (line < 1 || !options.assumed.emplace(line, assumption{is_taken, {}}).second)
          return false;
        return add(fact_of_branch(line, is_taken, data));
      }
      case missing_fact::kind::loop: {
        const bool is_counted = kernel_.loops_are_as_written;
        const assumption guess = {
            false, is_counted ? std::optional(iterations{1, 1}) : std::optional<iterations>()};
        if (line < 1) return false;
        if (!options.assumed.emplace(line, guess).second) {
          // Several loops end here, or none that can be counted.
          if (options.assumed[line].goes_on == std::nullopt) return false;
          options.assumed[line] = assumption{false, {}};
          for (assumed_fact& fact : result_.assumed)
            if (assumed_line(fact) == line) {
              fact.value = "is left";
              fact.option = joined("--assume ", line, "=taken");
            }
          return true;
        }
        return add({joined("line ", line), is_counted ? "goes on once" : "is left",
                    joined("--assume ", line, is_counted ? "=4 or =0..4" : "=taken"), data});
      }
      case missing_fact::kind::dynamic_bytes:
        if (has_dynamic_bytes_) return false;
        has_dynamic_bytes_ = true;
        options.dynamic_shared_bytes = most_dynamic_bytes;
        return add({"dynamic bytes", "", "--dynamic-bytes ..",
                    joined("the dynamic array is accessed so far")});
      default: return false;
    }
  }

  bool add(assumed_fact fact) {
    result_.assumed.push_back(std::move(fact));
    return true;
  }

  // As many as are accessed, so that the array has a size. A range of all of it says none.
  void fit_dynamic_bytes() {
    const auto total = static_cast<long long>(
        laid_out(kernel_, static_cast<std::uint64_t>(result_.settings.dynamic_shared_bytes)).total);
    long long last = 0;
    const auto reach = [&](const recorded_access& record, long long byte) {
      last = std::max(last, byte + record.memory.bytes * record.memory.elements);
    };
    for (const recorded_access& access : result_.recorded.accesses) {
      if (access.is_global) continue;
      for (const recorded_class& requests : access.classes)
        for (const auto& [base, times] : requests.times)
          for (int lane = 0; lane < bm::max_lanes; ++lane)
            if ((requests.lanes.active >> lane & 1) != 0)
              reach(access, base + static_cast<long long>(requests.lanes.address[slot(lane)]));
      for (const bounded_class& range : access.bounded)
        if (range.bytes.last + 1 < total) last = std::max<long long>(last, range.bytes.last + 1);
    }
    const auto declared = static_cast<long long>(laid_out(kernel_, 0).total);
    const long long bytes = std::clamp((last - declared + 15) / 16 * 16, 16ll, most_dynamic_bytes);
    result_.settings.dynamic_shared_bytes = bytes;
    for (assumed_fact& fact : result_.assumed)
      if (fact.subject == "dynamic bytes") fact.value = std::to_string(bytes);
    result_.recorded = recorded_block(analysis_, result_.settings, ways_);
  }

  const kernel_analysis& analysis_;
  const kernel_code& kernel_;
  known_ways& ways_;
  assumed_sizes sizes_;
  std::optional<long long> most_steps_;  // with one of them
  std::map<int, assumption> given_branches_;
  std::set<std::string> zeros_;
  bool has_sizes_ = false, has_ends_ = false, has_dynamic_bytes_ = false;
  assumed_run result_;
};

bool has_requests(const recording& record) {
  return std::ranges::any_of(record.accesses,
                             [](const recorded_access& access) { return access.requests > 0; });
}

// The launch with smaller numbers for the integers that are above `size`, if there are any.
std::optional<assumed_run> reduced(const kernel_code& kernel, const launch& known, long long size) {
  assumed_run result;
  result.settings = known;
  for (const auto& [name, bits] : known.arguments) {
    const auto number = parameter_number(kernel, name);
    if (!number) continue;
    const code_parameter& parameter = kernel.parameters[*number];
    const std::int64_t maximum = most_signed(parameter.bytes);
    if (parameter.is_pointer || parameter.holds == value_kind::floating || is_flag(parameter) ||
        bits <= static_cast<std::uint64_t>(size) || bits > static_cast<std::uint64_t>(maximum))
      continue;
    const std::string& shown = parameter.name.empty() ? name : parameter.name;
    result.assumed.push_back({.subject = shown,
                              .value = std::to_string(size),
                              .option = "--max-steps ..",
                              .reason = joined("with ", bits,
                                               " the block takes too many steps to count one by "
                                               "one"),
                              .is_reduced = true});
    result.settings.arguments.erase(name);
    result.settings.arguments[shown] = static_cast<std::uint64_t>(size);
  }
  if (result.assumed.empty()) return std::nullopt;
  return result;
}

assumed_run run_as_known(const kernel_analysis& analysis, const launch& known);

// With as many blocks as GPUs have multiprocessors, about, or as there are parts of the work. None:
// each block takes too many steps then too, or has no requests.
std::optional<assumed_run> run_with_shared_work(const kernel_analysis& analysis,
                                                const launch& known) {
  launch options = known;
  options.is_grid_known = true;
  options.most_steps = known.steps_at_once;
  for (const int blocks : {128, 4096}) try {
      options.grid.x = blocks;
      assumed_run result = run_as_known(analysis, options);
      if (!has_requests(result.recorded)) continue;
      result.assumed.insert(result.assumed.begin(),
                            {"grid", std::to_string(blocks), "--grid ..",
                             "nobody gives it, and with fewer blocks each takes too many steps"});
      return result;
    } catch (const cannot_run&) {  // as with one block
    }
  return std::nullopt;
}

}  // namespace

assumed_run run_with_assumptions(const kernel_analysis& analysis, const launch& known) {
  const kernel_code& kernel = analysis.kernel();
  launch at_once = known;
  // Blocks share the work where a kernel reads how many there are; one does all of it.
  const bool may_be_shared =
      !known.is_grid_known && known.grid.x == 1 && reads_special(kernel, {special::blocks_x});
  // More steps are made if they are asked for.
  if (known.most_steps == launch{}.most_steps)
    at_once.most_steps = may_be_shared ? known.steps_of_a_guess : known.steps_at_once;
  try {
    return run_as_known(analysis, at_once);
  } catch (const cannot_run& reason) {
    if (reason.missing.is != missing_fact::kind::steps || known.most_steps == at_once.most_steps)
      throw;
    if (may_be_shared)
      if (std::optional<assumed_run> shared = run_with_shared_work(analysis, known))
        return std::move(*shared);
    for (const long long size : assumed_values) {
      std::optional<assumed_run> smaller = reduced(kernel, at_once, size);
      if (!smaller) continue;
      smaller->settings.most_steps = known.steps_of_a_guess;
      try {
        assumed_run result = run_as_known(analysis, smaller->settings);
        if (!has_requests(result.recorded)) continue;
        result.assumed.insert(result.assumed.begin(), smaller->assumed.begin(),
                              smaller->assumed.end());
        return result;
      } catch (const cannot_run&) {  // smaller still
      }
    }
    // Nothing can be smaller: what is executed up to there.
    at_once.may_stop = true;
    at_once.most_steps = std::min(at_once.most_steps, known.steps_of_a_guess);
    assumed_run result = run_as_known(analysis, at_once);
    result.recorded.leaves_out = result.recorded.leaves_out_shared = true;
    result.recorded.leaves_out_textures_alone = false;
    return result;
  }
}

namespace {

// The run with these arguments 0, and the others as large as its steps allow. None: it is not
// possible with any size.
std::optional<assumed_run> run_with_zeros(const kernel_analysis& analysis, const launch& known,
                                          const std::set<std::string>& zeros) {
  known_ways ways;
  for (const long long size : assumed_values) try {
      return completion(analysis, known, {size, size}, false, ways, zeros).result();
    } catch (const cannot_run& reason) {
      if (reason.missing.is != missing_fact::kind::steps) return std::nullopt;
    }
  return std::nullopt;
}

// A run with requests, where `empty` has none since loops begin and end at the same number, as
// `for (z = low; z < high; ++z)` does if both are assumed to be 1024. The arguments that begin
// loops are 0 then: those with which the run needs further assumptions. None: there are no requests
// either.
std::optional<assumed_run> with_starts(const kernel_analysis& analysis, const launch& known,
                                       const assumed_run& empty) {
  constexpr std::size_t most_starts = 4;
  std::set<std::string> zeros;
  std::vector<assumed_fact> facts = empty.assumed;
  for (bool is_further = true; is_further && zeros.size() < most_starts;) {
    is_further = false;
    for (const assumed_fact& fact : facts) {
      if (fact.is_flag || !fact.option.starts_with("--arg ") || zeros.count(fact.subject) != 0)
        continue;
      std::set<std::string> tried = zeros;
      tried.insert(fact.subject);
      std::optional<assumed_run> candidate = run_with_zeros(analysis, known, tried);
      if (!candidate) continue;
      if (has_requests(candidate->recorded)) return candidate;
      if (candidate->assumed.size() <= facts.size()) continue;
      is_further = true;
      zeros = std::move(tried);
      facts = std::move(candidate->assumed);
      break;
    }
  }
  return std::nullopt;
}

assumed_run run_as_known(const kernel_analysis& analysis, const launch& known) {
  std::optional<assumed_run> without_requests, outside;
  std::optional<cannot_run> first;
  bool has_ends = true;
  known_ways ways;
  for (const assumed_sizes& sizes : sizes_in_order) {
    // Other numbers of iterations change nothing if no loop asks for one.
    if (!has_ends && sizes.end < sizes.other) continue;
    completion attempt(analysis, known, sizes, sizes.other == 1, ways);
    try {
      assumed_run result = attempt.result();
      const bool is_inside = !result.recorded.leaves_arrays;
      if ((has_requests(result.recorded) && is_inside) || !attempt.has_sizes()) return result;
      has_ends = attempt.has_ends();
      // Smaller numbers may stay in the arrays.
      std::optional<assumed_run>& fallback = is_inside ? without_requests : outside;
      if (!fallback) fallback = std::move(result);
    } catch (const cannot_run& reason) {
      if (!first) first = reason;
      has_ends = attempt.has_ends();
      // Without a guess nothing was cut short.
      if (!attempt.has_sizes()) throw;
    }
  }
  if (outside) return std::move(*outside);
  if (!without_requests && first->missing.is == missing_fact::kind::check && !known.checks_hold) {
    launch options = known;
    options.checks_hold = true;
    return run_as_known(analysis, options);
  }
  if (!without_requests) throw *first;
  std::optional<assumed_run> started = with_starts(analysis, known, *without_requests);
  return std::move(started ? *started : *without_requests);
}

}  // namespace

std::vector<bm::block_dim> candidate_blocks(const kernel_code& kernel, const bm::block_dim& known) {
  command_line::block_use use;
  use.has_y = known.y != 1 && reads_special(kernel, {special::thread_y});
  use.has_z = known.z != 1 && reads_special(kernel, {special::thread_z});
  use.most_threads = kernel.most_threads;
  for (const code_array& array : kernel.shared) use.extents.push_back(array.extents);
  use.known = known;
  return command_line::candidate_blocks(use);
}

std::optional<assumed_run> run_as_before(const kernel_analysis& analysis, const launch& known,
                                         const earlier_run& previous) {
  launch options = known;
  options.most_steps = std::max(previous.settings.most_steps, known.steps_at_once);
  known_ways ways;
  completion attempt(analysis, options, sizes_in_order[1], true, ways);
  attempt.take_over(previous);
  try {
    assumed_run result = attempt.result();
    if (has_requests(result.recorded)) return result;
  } catch (const cannot_run&) {  // other values may do
  }
  return std::nullopt;
}

namespace {

// True if the first steps of the block, with sizes that are small, access what is in no array.
bool leaves_arrays_soon(const kernel_analysis& analysis, const launch& known) {
  launch options = known;
  options.most_steps = most_steps_of_a_probe;
  options.may_stop = true;
  try {
    known_ways ways;
    return completion(analysis, options, sizes_in_order[1], false, ways)
        .result()
        .recorded.leaves_arrays;
  } catch (const cannot_run&) {  // the whole run says why
    return false;
  }
}

}  // namespace

assumed_run run_with_assumed_block(const kernel_analysis& analysis, const launch& known) {
  std::optional<assumed_run> best;
  std::optional<cannot_run> first;
  // Returns true if no other block is to be tried.
  const auto is_good_with = [&](const bm::block_dim& block) {
    launch options = known;
    options.block = block;
    options.unknown_block.clear();
    try {
      assumed_run result = run_with_assumptions(analysis, options);
      result.assumed.insert(result.assumed.begin(),
                            {"block", option_text(block), joined("--block ", option_text(block)),
                             known.unknown_block});
      const bool is_good = !result.recorded.leaves_arrays && has_requests(result.recorded);
      if (is_good || !best) best = std::move(result);
      return is_good;
    } catch (const cannot_run& reason) {
      if (!first) first = reason;
      return false;
    }
  };
  std::vector<bm::block_dim> rejected;
  for (const bm::block_dim& block : candidate_blocks(analysis.kernel(), known.block)) {
    launch options = known;
    options.block = block;
    options.unknown_block.clear();
    if (leaves_arrays_soon(analysis, options))
      rejected.push_back(block);
    else if (is_good_with(block))
      return std::move(*best);
  }
  if (!best && !rejected.empty()) (void)is_good_with(rejected.front());
  if (best) return std::move(*best);
  throw *first;
}

}  // namespace compiled
