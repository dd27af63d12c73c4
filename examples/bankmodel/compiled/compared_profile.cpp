// SPDX-License-Identifier: MIT
#include "compared_profile.hpp"

#include <algorithm>
#include <bankmodel/profile.hpp>
#include <bankmodel/report.hpp>

#include "../known_machines.hpp"
#include "page/issued_column.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

// "smem_cuda_transpose" for `void lib::smem_cuda_transpose<float>(int, const double *)`.
std::string plain_name(const std::string& name) {
  const std::string unnamed = "(anonymous namespace)::", other = "<unnamed>::";
  std::string text = name;
  for (const std::string& one : {unnamed, other})
    if (const std::size_t found = text.find(one); found != text.npos)
      text.erase(0, found + one.size());
  text.erase(std::min(text.find_first_of("(<"), text.size()));
  const std::size_t begin = text.find_last_of(" :");
  return begin == text.npos ? text : text.substr(begin + 1);
}

bm::access_kind kind_in_profiles(const memory_access& memory) {
  switch (memory.does) {
    case access_does::load: return bm::access_kind::load;
    case access_does::load_matrix: return bm::access_kind::load_matrix;
    case access_does::store_matrix: return bm::access_kind::store_matrix;
    case access_does::atomic: return bm::access_kind::atomic;
    case access_does::copy: return bm::access_kind::copy;
    default: return bm::access_kind::store;
  }
}

// True if the sums over the blocks of the grid are known: blocks may differ.
bool has_grid_of(const page& of, std::uint64_t blocks) {
  return of.costs.of_grid && of.costs.of_grid->blocks == blocks;
}

bm::expected_launch expected_launch_of(const page& of, std::uint64_t blocks) {
  bm::expected_launch result;
  for (const priced_access& one : of.costs.shared) {
    const bm::access_kind kind = kind_in_profiles(one.first->memory);
    const bm::cost& cost = knows_issued(of) ? one.issued.cost : one.cost;
    bm::expected_launch part;
    part.by_kind = has_grid_of(of, blocks) ? bm::detail::of_kind(kind, one.of_grid->cost)
                                           : bm::detail::of_kind(kind, cost) * blocks;
    if (kind == bm::access_kind::load_matrix) part.matrix_loads = part.by_kind.loads;
    if (kind == bm::access_kind::store_matrix) part.matrix_stores = part.by_kind.stores;
    bm::detail::add(result, part);
  }
  return result;
}

bm::expected_traffic expected_traffic_of(const page& of, std::uint64_t blocks) {
  bm::expected_traffic result;
  for (const priced_access& one : of.costs.global) {
    const bm::memory_traffic traffic =
        has_grid_of(of, blocks) ? one.of_grid->traffic
                                : (knows_issued(of) ? one.issued.traffic : one.traffic) * blocks;
    bm::memory_traffic& part = one.first->memory.does == access_does::load    ? result.loads
                               : one.first->memory.does == access_does::store ? result.stores
                                                                              : result.atomics;
    part = part + traffic;
  }
  return result;
}

// The launches of a kernel. One in the notation has no name there: a part of it is given, or all
// launches may be its own.
std::vector<const bm::profiled_launch*> launches_of_kernel(
    const std::vector<bm::profiled_launch>& all, const page& of, const question& asked) {
  const std::string name = plain_name(of.kernel->name);
  std::vector<const bm::profiled_launch*> result;
  for (const bm::profiled_launch& one : all)
    if (of.kernel->is_unnamed ? one.kernel.find(asked.measured->kernel) != std::string::npos
                              : plain_name(one.kernel) == name)
      result.push_back(&one);
  return result;
}

std::uint64_t blocks_of(const page& of, const question& asked) {
  if (asked.measured->blocks != 0) return asked.measured->blocks;
  // A grid that nobody says has one block.
  const std::uint64_t blocks = of.how.grid.blocks();
  if (blocks > 1 || !asked.grid.empty() || of.costs.of_grid) return blocks;
  throw refusal{{}, "--profile is given without the number of blocks", "give --blocks, or --grid"};
}

std::string text_of_launch(const page& of, const bm::profiled_launch& launch,
                           const question& asked) {
  const std::uint64_t blocks = blocks_of(of, asked);
  const std::optional<bm::expected_traffic> traffic =
      of.costs.global.empty() ? std::nullopt : std::optional(expected_traffic_of(of, blocks));
  const bm::block_index& at = of.how.at;
  const bool is_partial = of.costs.is_partial_shared || of.costs.is_partial_global;
  return joined(
      "\n", asked.measured->name, ", of ", blocks, blocks == 1 ? " block" : " blocks",
      has_grid_of(of, blocks) ? "" : joined(", each as block ", at.x, ", ", at.y, ", ", at.z),
      knows_issued(of) ? ", as issued, an estimate" : ", as written",
      is_partial ? ", counted in part" : "", ":\n",
      bm::text(bm::compare_with_sums(of.machine, expected_launch_of(of, blocks), traffic, launch)));
}

}  // namespace

std::string text_of_profile(const std::vector<page>& pages, const question& asked) try {
  const command_line::profile& measured = *asked.measured;
  for (const page& of : pages)
    if (of.machine != pages.front().machine)
      throw refusal{{},
                    "a profile is of one machine, but several are given",
                    "name the GPU that was profiled, --machine sm_90"};
  const std::vector<bm::profiled_launch> all = bm::launches_of(measured.csv);
  std::string result, kernels;
  for (const page& of : pages) {
    const std::string name = plain_name(of.kernel->name);
    kernels += joined(kernels.empty() ? "" : ", ", name);
    const std::vector<const bm::profiled_launch*> its = launches_of_kernel(all, of, asked);
    if (its.empty()) continue;
    const auto number = static_cast<std::size_t>(measured.launch);
    if (number > its.size() || (number == 0 && its.size() > 1))
      throw refusal{
          {},
          joined(measured.name, " has ", its.size(), its.size() == 1 ? " launch" : " launches",
                 " of ", name),
          its.size() == 1
              ? "leave --launch out"
              : joined("give --launch 1 to ", its.size(),
                       of.kernel->is_unnamed ? ", or --kernel with a part of its name" : "")};
    result += text_of_launch(of, *its[number == 0 ? 0 : number - 1], asked);
  }
  if (!result.empty()) return result;
  std::string names;
  for (const bm::profiled_launch& one : all)
    names += joined(names.empty() ? "" : ", ", plain_name(one.kernel));
  throw refusal{{},
                joined(measured.name, " has no launch of ", kernels, ", only of ", names),
                "name another file, or a profile of this kernel"};
} catch (const bm::error& why) {
  refusal text = command_line::refusal_of(why, {});
  text.wrong = joined(asked.measured->name, ": ", text.wrong);
  throw text;
}

}  // namespace compiled
