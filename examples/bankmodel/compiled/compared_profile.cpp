// SPDX-License-Identifier: MIT
#include "compared_profile.hpp"

#include <algorithm>
#include <bankmodel/profile.hpp>
#include <bankmodel/report.hpp>
#include <optional>

#include "../known_machines.hpp"
#include "page/issued_column.hpp"

namespace compiled {

namespace {

// "smem_cuda_transpose" for `void lib::smem_cuda_transpose<float>(int, const double *)`.
std::string plain_name(const std::string& name) {
  const std::string unnamed = "(anonymous namespace)::", other = "<unnamed>::";
  std::string text = name;
  for (const std::string& prefix : {unnamed, other})
    if (const std::size_t offset = text.find(prefix); offset != text.npos)
      text.erase(0, offset + prefix.size());
  text.erase(std::min(text.find_first_of("(<"), text.size()));
  const std::size_t begin = text.find_last_of(" :");
  return begin == text.npos ? text : text.substr(begin + 1);
}

bm::access_kind kind_in_profiles(const memory_access& memory) {
  return memory.operation == access_does::copy ? bm::access_kind::copy : kind_of(memory, false);
}

// True if the sums over the blocks of the grid are known: blocks may differ.
bool has_grid_of(const page& kernel_page, std::uint64_t blocks) {
  return kernel_page.costs.of_grid && kernel_page.costs.of_grid->blocks == blocks;
}

// Of what is counted wholly and as written: of other instructions, and of a grid whose blocks may
// differ, the lanes are not known.
std::optional<std::uint64_t> requested_bytes_of(const page& kernel_page,
                                                const priced_access& access, std::uint64_t blocks) {
  const bool is_as_written =
      !knows_issued(kernel_page) ||
      (access.issued.cost == access.cost && access.issued.traffic == access.traffic);
  const bool has_lanes = access.lanes > 0 || access.cost.requests + access.traffic.requests == 0;
  if (has_grid_of(kernel_page, blocks) || !is_as_written || access.is_partial || !has_lanes)
    return std::nullopt;
  return access.lanes * static_cast<std::uint64_t>(bytes_as_written(access.first->memory)) * blocks;
}

bm::expected_launch expected_launch_of(const page& kernel_page, std::uint64_t blocks) {
  bm::expected_launch result;
  for (const priced_access& access : kernel_page.costs.shared) {
    const bm::access_kind kind = kind_in_profiles(access.first->memory);
    const bm::cost& cost = knows_issued(kernel_page) ? access.issued.cost : access.cost;
    bm::expected_launch part;
    part.by_kind = has_grid_of(kernel_page, blocks)
                       ? bm::detail::of_kind(kind, access.of_grid->cost)
                       : bm::detail::of_kind(kind, cost) * blocks;
    part.requested_bytes = requested_bytes_of(kernel_page, access, blocks);
    if (kind == bm::access_kind::load_matrix) part.matrix_loads = part.by_kind.loads;
    if (kind == bm::access_kind::store_matrix) part.matrix_stores = part.by_kind.stores;
    bm::detail::add(result, part);
  }
  return result;
}

bm::expected_traffic expected_traffic_of(const page& kernel_page, std::uint64_t blocks) {
  bm::expected_traffic result;
  for (const priced_access& access : kernel_page.costs.global) {
    const bm::memory_traffic traffic =
        has_grid_of(kernel_page, blocks)
            ? access.of_grid->traffic
            : (knows_issued(kernel_page) ? access.issued.traffic : access.traffic) * blocks;
    bm::memory_traffic& part = access.first->memory.operation == access_does::load ? result.loads
                               : access.first->memory.operation == access_does::store
                                   ? result.stores
                                   : result.atomics;
    part = part + traffic;
    const std::optional<std::uint64_t> bytes = requested_bytes_of(kernel_page, access, blocks);
    if (access.first->memory.operation == access_does::load)
      result.bytes_of_loads = bm::detail::sum_of_both(result.bytes_of_loads, bytes);
    if (access.first->memory.operation == access_does::store)
      result.bytes_of_stores = bm::detail::sum_of_both(result.bytes_of_stores, bytes);
  }
  return result;
}

// The launches of a kernel. One in the notation has no name there: a part of it is given, or all
// launches may be its own.
std::vector<const bm::profiled_launch*> launches_of_kernel(
    const std::vector<bm::profiled_launch>& launches, const page& kernel_page,
    const question& asked) {
  const std::string name = plain_name(kernel_page.kernel->name);
  std::vector<const bm::profiled_launch*> result;
  for (const bm::profiled_launch& launch : launches)
    if (kernel_page.kernel->is_unnamed
            ? launch.kernel.find(asked.measured->kernel) != std::string::npos
            : plain_name(launch.kernel) == name)
      result.push_back(&launch);
  return result;
}

std::uint64_t blocks_of(const page& kernel_page, const question& asked) {
  if (asked.measured->blocks != 0) return asked.measured->blocks;
  const std::uint64_t blocks = kernel_page.settings.grid.blocks();
  const bool is_given = kernel_page.settings.is_grid_known &&
                        !includes(kernel_page.assumed, "grid", &assumed_fact::subject);
  // A grid that nobody says has one block.
  if ((is_given && blocks > 1) || !asked.grid.empty() || kernel_page.costs.of_grid) return blocks;
  throw input_error("--profile is given without the number of blocks", "give --blocks, or --grid");
}

std::string text_of_launch(const page& kernel_page, const bm::profiled_launch& launch,
                           const question& asked) {
  const std::uint64_t blocks = blocks_of(kernel_page, asked);
  const std::optional<bm::expected_traffic> traffic =
      kernel_page.costs.global.empty() ? std::nullopt
                                       : std::optional(expected_traffic_of(kernel_page, blocks));
  const bm::block_index& grid_index = kernel_page.settings.grid_index;
  const bool is_partial =
      kernel_page.costs.is_partial_shared || kernel_page.costs.is_partial_global;
  return joined(
      "\n", asked.measured->name, ", of ", blocks, blocks == 1 ? " block" : " blocks",
      has_grid_of(kernel_page, blocks)
          ? ""
          : joined(", each as block ", grid_index.x, ", ", grid_index.y, ", ", grid_index.z),
      knows_issued(kernel_page) ? ", as issued, an estimate" : ", as written",
      is_partial ? ", counted in part" : "", ":\n",
      bm::text(bm::compare_with_sums(kernel_page.machine, expected_launch_of(kernel_page, blocks),
                                     traffic, launch)));
}

}  // namespace

std::string text_of_profile(const std::vector<page>& pages, const question& asked) try {
  const command_line::profile& measured = *asked.measured;
  for (const page& kernel_page : pages)
    if (kernel_page.machine != pages.front().machine)
      throw input_error("a profile is of one machine, but several are given",
                        "name the GPU that was profiled, --machine sm_90");
  const std::vector<bm::profiled_launch> launches = bm::launches_of(measured.csv);
  std::string result, kernels;
  for (const page& kernel_page : pages) {
    const std::string name = plain_name(kernel_page.kernel->name);
    kernels += joined(kernels.empty() ? "" : ", ", name);
    const std::vector<const bm::profiled_launch*> matching =
        launches_of_kernel(launches, kernel_page, asked);
    if (matching.empty()) continue;
    const auto number = static_cast<std::size_t>(measured.launch);
    if (number > matching.size() || (number == 0 && matching.size() > 1))
      throw input_error(joined(measured.name, " has ", matching.size(),
                               matching.size() == 1 ? " launch" : " launches", " of ", name),
                        matching.size() == 1 ? "leave --launch out"
                                             : joined("give --launch 1 to ", matching.size(),
                                                      kernel_page.kernel->is_unnamed
                                                          ? ", or --kernel with a part of its name"
                                                          : ""));
    result += text_of_launch(kernel_page, *matching[number == 0 ? 0 : number - 1], asked);
  }
  if (!result.empty()) return result;
  std::string names;
  for (const bm::profiled_launch& launch : launches)
    names += joined(names.empty() ? "" : ", ", plain_name(launch.kernel));
  throw input_error(joined(measured.name, " has no launch of ", kernels, ", only of ", names),
                    "name another file, or a profile of this kernel");
} catch (const bm::error& reason) {
  refusal text = command_line::refusal_of(reason, {});
  text.wrong = joined(asked.measured->name, ": ", text.wrong);
  throw text;
}

}  // namespace compiled
