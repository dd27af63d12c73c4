// SPDX-License-Identifier: MIT
#include "neighbour_blocks.hpp"

#include <algorithm>
#include <bankmodel/global/block_stride.hpp>
#include <bankmodel/global/partition_camping.hpp>
#include <optional>
#include <set>
#include <utility>

#include "code/special_reads.hpp"
#include "description/symbolic_run.hpp"
#include "engine/grid_axes.hpp"
#include "engine/values.hpp"

namespace compiled {

namespace {

constexpr long long most_compared = 4;

// A stride that forms say, of all blocks that make the access.
struct linear_stride {
  long long bytes = 0;
  bool is_guarded = false;  // loops or conditions around it depend on the block's index, or on data
};

class linear_strides {
 public:
  linear_strides(const kernel_analysis& analysis, const launch& options)
      : settings_(of_any_block(options)),
        run_(analysis, settings_, missing_arguments::are_symbols) {}

  // Of the access instruction with this number.
  std::optional<linear_stride> stride_of(int number, bool is_source, const grid_axis& axis) const {
    const form_table& forms = run_.forms();
    const auto is_index = [&](int atom) {
      const compiled::atom& term = forms[atom];
      return term.is == atom::kind::argument &&
             run_.symbols()[slot(term.number)].offset == -1 - static_cast<int>(axis.index_register);
    };
    for (const symbolic_access& access : run_.accesses()) {
      if (access.number != number) continue;
      if (access.path.is_dead || !(is_source ? access.source_reason : access.reason).empty())
        return std::nullopt;
      linear_stride result;
      result.is_guarded = !access.path.reason.empty() || depends(access.path.items, is_index);
      for (const auto& [atom, factor] : (is_source ? access.source : access.address).factors) {
        if (is_index(atom))
          result.bytes = factor;
        else if (forms.has(atom_form(atom), is_index) || forms.has_carried(atom_form(atom)))
          return std::nullopt;
      }
      return result;
    }
    return std::nullopt;
  }

 private:
  static launch of_any_block(launch options) {
    options.is_any_block = true;
    return options;
  }

  template <class Predicate>
  bool depends(const std::vector<path_item>& items, const Predicate& is_index) const {
    const form_table& forms = run_.forms();
    return std::any_of(items.begin(), items.end(), [&](const path_item& item) {
      if (item.loop < 0) return has(forms, item.truth, is_index);
      const counted_loop& loop = run_.loop(item.loop);
      if (!loop.reason.empty() || !loop.assumed.empty()) return true;
      return loop.stays == nullptr ? !loop.trips : has(forms, loop.stays, is_index);
    });
  }

  launch settings_;
  symbolic_run run_;
};

// The requests of one row of the page in one block.
using row_requests = std::vector<const recorded_access*>;

// Neighbouring blocks along an axis, run one after another.
struct axis_runs {
  grid_axis axis;
  std::vector<recording> blocks = {};
  std::string reason = {};  // why they could not be run; else empty
};

// The blocks of a launch, which pages on several machines share.
class block_comparison {
 public:
  block_comparison(const kernel_code& kernel, const launch& options,
                   const kernel_analysis& analysis)
      : kernel_(kernel), linear_(analysis, options) {
    launch run_options = options;
    run_options.most_steps = std::min(run_options.most_steps, most_steps);
    run_options.may_stop = false;
    run_options.tell_long_run = {};
    grid_ = set_grid(run_options);
    for (const grid_axis& axis : grid_axes) {
      const long long blocks = std::min(
          run_options.grid.*axis.blocks - run_options.grid_index.*axis.index, most_compared);
      if (blocks >= 2) run_along(axis, blocks, run_options, analysis);
    }
  }

  block_strides strides(const page& shown_page) const {
    block_strides result;
    result.grid = grid_;
    for (std::size_t number = 0; number < shown_page.costs.global.size(); ++number)
      for (const axis_runs& runs : runs_) {
        block_stride stride;
        stride.access = static_cast<int>(number);
        stride.axis = runs.axis.name;
        stride.reason = runs.reason;
        compare(shown_page, runs, shown_page.costs.global[number], stride);
        result.rows.push_back(std::move(stride));
      }
    for (const axis_runs& runs : runs_) add_camping(shown_page, runs, result);
    return result;
  }

 private:
  // Returns the grid as text.
  std::string set_grid(launch& options) const {
    std::string assumed;
    if (!options.is_grid_known) {
      for (const grid_axis& axis : grid_axes)
        if (reads_special(kernel_, {axis.index_register}))
          options.grid.*axis.blocks =
              std::max(options.grid.*axis.blocks, options.grid_index.*axis.index + most_compared);
      assumed = " (assumed; give --grid)";
    }
    return joined(options.grid.x, " x ", options.grid.y,
                  options.grid.z > 1 ? joined(" x ", options.grid.z) : std::string(), assumed);
  }

  void run_along(const grid_axis& axis, long long blocks, launch run_options,
                 const kernel_analysis& analysis) {
    axis_runs& runs = runs_.emplace_back(axis_runs{axis});
    try {
      for (long long number = 0; number < blocks; ++number) {
        runs.blocks.push_back(run(analysis, run_options));
        ++(run_options.grid_index.*axis.index);
      }
    } catch (const cannot_run& failure) {
      runs.blocks.clear();
      runs.reason = joined(failure.what(), "; ", failure.right);
    }
  }

  void compare(const page& shown_page, const axis_runs& runs, const priced_access& row,
               block_stride& stride) const {
    std::vector<row_requests> blocks;
    for (const recording& block : runs.blocks) {
      blocks.emplace_back();
      for (const recorded_access& access : block.accesses)
        if (is_counted_in(row, access)) {
          if (access.is_partial || !access.bounded.empty() || !access.moved.empty())
            stride.reason = access.reason.empty() ? access.moved_reason : access.reason;
          blocks.back().push_back(&access);
        }
    }
    const std::optional<linear_stride> linear = stride_of(shown_page, runs.axis, row);
    stride.is_linear = linear.has_value();
    stride.is_guarded = linear && linear->is_guarded;
    if (stride.reason.empty()) try {
        stride.sharing = bm::block_stride_of_requests(
            static_cast<long long>(blocks.size()), [&](long long number, auto& visit) {
              for_each_request(
                  blocks[static_cast<std::size_t>(number)],
                  [&](const bm::request& lanes, long long base, std::uint64_t times) {
                    visit(bm::request_class{.lanes = lanes, .base = base, .times = times});
                  });
            });
      } catch (const bm::error& failure) {
        stride.reason = failure.what();
      }
    if (linear) {
      stride.sharing.bytes = linear->bytes;
      stride.sharing.proven = !linear->is_guarded;
      stride.sharing.relation = linear->bytes == 0                 ? bm::sharing::the_same
                                : stride.sharing.overlap_bytes > 0 ? bm::sharing::overlapping
                                                                   : bm::sharing::exclusive;
    }
    if (!stride.reason.empty()) return;
    const std::set<long long> lines = lines_of(shown_page, blocks[0]),
                              next_lines = lines_of(shown_page, blocks[1]);
    stride.lines = lines.size();
    stride.shared_lines = static_cast<std::uint64_t>(std::count_if(
        lines.begin(), lines.end(), [&](long long line) { return next_lines.count(line) != 0; }));
  }

  // Of all instructions of the row.
  std::optional<linear_stride> stride_of(const page& shown_page, const grid_axis& axis,
                                         const priced_access& row) const {
    std::optional<linear_stride> result;
    for (const recorded_access& access : shown_page.recorded->accesses) {
      if (!is_counted_in(row, access)) continue;
      std::optional<linear_stride> stride =
          linear_.stride_of(access.number, access.memory.operation == access_does::copy, axis);
      if (!stride || (result && result->bytes != stride->bytes)) return std::nullopt;
      stride->is_guarded = stride->is_guarded || (result && result->is_guarded);
      result = stride;
    }
    return result;
  }

  template <class Visit>
  static void for_each_request(const row_requests& accesses, const Visit& visit) {
    for (const recorded_access* const access : accesses)
      for (const recorded_class& requests : access->classes)
        for (const auto& [base, times] : requests.times) visit(requests.lanes, base, times);
  }

  static std::set<long long> lines_of(const page& shown_page, const row_requests& requests) {
    const long long bytes = std::max(shown_page.machine.global.line_bytes, 1);
    std::set<long long> result;
    for_each_request(requests, [&](const bm::request& lanes, long long base, std::uint64_t) {
      for_each_lane(lanes.active, [&](int lane) {
        const long long first = base + lanes.address[lane];
        for (long long line = first / bytes; line <= (first + lanes.bytes - 1) / bytes; ++line)
          result.insert(line);
      });
    });
    return result;
  }

  // Of all accesses together. Arrays begin at multiples of all partitions.
  static void add_camping(const page& shown_page, const axis_runs& runs, block_strides& result) {
    if (shown_page.machine.global.partitions == 0 || runs.blocks.empty()) return;
    bm::partition_load load;
    load.partitions = shown_page.machine.global.partitions;
    if (!shown_page.costs.is_partial_global) try {
        bm::detail::partition_counter counter(shown_page.machine, load);
        for (const recording& block : runs.blocks)
          for (const recorded_access& access : block.accesses)
            if (access.is_global)
              for_each_request({&access},
                               [&](const bm::request& lanes, long long base, std::uint64_t times) {
                                 counter({.lanes = lanes, .base = base, .times = times});
                               });
      } catch (const bm::error&) {  // more requests than can be placed one by one
        load.transactions = load.most = 0;
      }
    result.camping.push_back({runs.axis.name, static_cast<long long>(runs.blocks.size()),
                              load.partitions, load.transactions, load.most});
  }

  static constexpr long long most_steps = 1ll << 26;

  const kernel_code& kernel_;
  linear_strides linear_;
  std::string grid_;
  std::vector<axis_runs> runs_;
};

}  // namespace

void set_strides(std::vector<page>& pages, const kernel_analysis& analysis) {
  if (pages.empty()) return;
  const block_comparison blocks(*pages.front().kernel, pages.front().settings, analysis);
  for (page& shown_page : pages) shown_page.strides = blocks.strides(shown_page);
}

}  // namespace compiled
