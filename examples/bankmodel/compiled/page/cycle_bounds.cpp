// SPDX-License-Identifier: MIT
#include "cycle_bounds.hpp"

#include <algorithm>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/arithmetic_rates.hpp>
#include <bankmodel/machines/products.hpp>
#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "issued_column.hpp"

namespace compiled {

using resource = cycle_bound::resource;

namespace {

const char* name_of(resource kind) {
  switch (kind) {
    case resource::shared_memory: return "shared memory";
    case resource::first_cache: return "first cache";
    case resource::second_cache: return "second cache";
    case resource::memory: return "memory";
    case resource::floats: return "arithmetic of floats";
    case resource::doubles: return "arithmetic of doubles";
    case resource::special_functions: return "special functions";
    case resource::matrices: return "tensor cores";
    default: return "issue slots";
  }
}

// The requests with the ideal transactions, in as few lines as these fill.
bm::memory_traffic ideal_of(const page& counted, const bm::memory_traffic& traffic) {
  const bm::global_memory& memory = counted.machine.global;
  const auto line = static_cast<std::uint64_t>(memory.line_bytes),
             sector = static_cast<std::uint64_t>(memory.sector_bytes);
  bm::memory_traffic result = traffic;
  if (line == 0 || sector == 0) return result;
  result.bytes_moved = std::min(traffic.bytes_moved, traffic.ideal * sector);
  result.lines = std::min(traffic.lines, (result.bytes_moved + line - 1) / line);
  return result;
}

const cycle_bound& largest_of(const std::vector<cycle_bound>& bounds,
                              std::uint64_t cycle_bound::* cycles) {
  return *std::ranges::max_element(bounds, [&](const cycle_bound& some, const cycle_bound& other) {
    return some.*cycles < other.*cycles;
  });
}

std::string in_cycles(std::uint64_t count) { return bm::detail::counted_in_words(count, "cycle"); }

// A compiler may do two sums of floats in one instruction since 10.0.
constexpr int first_with_pairs = 100;

// Of the arithmetic, and of the instructions that are issued for it and for accesses.
void add_arithmetic(const page& counted, const instruction_counts& instructions,
                    const bm::cost& shared, const bm::memory_traffic& traffic,
                    std::vector<cycle_bound>& result) {
  const bm::arithmetic_rates rates = bm::arithmetic_rates_of(counted.machine);
  const auto lanes = static_cast<std::uint64_t>(counted.machine.lanes);
  const auto add = [&](resource component, const bm::arithmetic_rate& rate, const char* unit,
                       std::uint64_t count) {
    if (!rate.is_known() || count == 0) return;
    const std::uint64_t cycles = rate.cycles_of(count);
    result.push_back(
        {component,
         joined(bm::grouped(static_cast<std::uint64_t>(rate.per_cycle)), " ", unit, " a cycle"),
         cycles, cycles});
  };
  add(resource::floats, rates.floats, "multiply-adds of 32 bits", instructions.floats * lanes);
  add(resource::doubles, rates.doubles, "multiply-adds of 64 bits", instructions.doubles * lanes);
  add(resource::special_functions, rates.special_functions, "functions",
      instructions.special_functions * lanes);
  constexpr std::uint64_t half_bits = 16;
  add(resource::matrices, rates.matrix_products, "multiply-adds of 16 bits",
      instructions.matrix_bits / half_bits);
  const std::uint64_t floats = counted.machine.model >= first_with_pairs
                                   ? (instructions.floats + 1) / 2
                                   : instructions.floats;
  const std::uint64_t computing =
      floats + instructions.doubles + instructions.special_functions + instructions.matrices;
  if (computing == 0) return;  // the pipes of the memories take a request in a cycle each
  // A copy to shared memory is in both tables.
  std::uint64_t accesses = shared.requests + traffic.requests;
  for (const priced_access& access : counted.costs.global)
    if (access.first->memory.operation == access_does::copy)
      accesses -= std::min(accesses, access.traffic.requests);
  add(resource::issue_slots, rates.instructions, "instructions of warps", computing + accesses);
}

}  // namespace

std::vector<cycle_bound> cycle_bounds_of(const page& counted) {
  const priced& costs = counted.costs;
  const bool is_issued = knows_issued(counted);
  bm::cost shared = is_issued ? costs.issued_cost : costs.cost;
  const std::uint64_t minimum = is_issued ? costs.issued_bounded.minimum : costs.minimum;
  shared.wavefronts += minimum;
  shared.ideal += minimum;
  bm::cost without_conflicts = shared;
  without_conflicts.wavefronts = shared.ideal;
  bm::memory_traffic traffic = is_issued ? costs.issued_traffic : costs.traffic;
  traffic.bytes_moved += costs.bounded_traffic.minimum *
                         static_cast<std::uint64_t>(counted.machine.global.sector_bytes);
  traffic.ideal += costs.bounded_traffic.minimum;
  const bm::memory_traffic ideal = ideal_of(counted, traffic);
  const bm::service_rates rates = bm::rates_of(counted.machine);
  const bm::kernel_costs current = bm::detail::with_cycles(shared, traffic, rates),
                         ideal_costs = bm::detail::with_cycles(without_conflicts, ideal, rates);
  std::vector<cycle_bound> result;
  if (current.shared_cycles > 0)
    result.push_back(
        {resource::shared_memory,
         joined(rates.wavefronts, rates.wavefronts == 1 ? " wavefront" : " wavefronts", " a cycle"),
         current.shared_cycles, ideal_costs.shared_cycles});
  if (current.global_cycles > 0)
    result.push_back({resource::first_cache,
                      joined("a request and ", rates.lines, " lines a cycle"),
                      current.global_cycles, ideal_costs.global_cycles});
  const bm::product sold = bm::product_of(counted.machine);
  if (sold.cache_bytes_per_cycle > 0 && traffic.bytes_moved > 0)
    result.push_back({resource::second_cache,
                      joined(sold.name, ", ",
                             bm::grouped(static_cast<std::uint64_t>(sold.cache_bytes_per_cycle)),
                             " bytes a cycle for ", sold.multiprocessors),
                      sold.cache_cycles_of(traffic.bytes_moved),
                      sold.cache_cycles_of(ideal.bytes_moved)});
  if (sold.is_known() && traffic.bytes_moved > 0)
    result.push_back(
        {resource::memory,
         joined(sold.name, ", ", bm::grouped(static_cast<std::uint64_t>(sold.gigabytes_per_second)),
                " GB/s for ", sold.multiprocessors, " at ", sold.megahertz, " MHz"),
         sold.cycles_of(traffic.bytes_moved), sold.cycles_of(ideal.bytes_moved)});
  if (costs.instructions)
    add_arithmetic(counted, *costs.instructions, is_issued ? costs.issued_cost : costs.cost,
                   traffic, result);
  return result;
}

std::vector<command_line::row> cycle_rows(const page& counted) {
  const std::vector<cycle_bound> bounds = cycle_bounds_of(counted);
  if (std::ranges::all_of(bounds,
                          [](const cycle_bound& bound) { return bound.cycles == bound.ideal; }))
    return {};
  std::vector<command_line::row> result = {{"",
                                            counted.assumed.empty()
                                                ? "the block takes at least"
                                                : "with what is assumed the block takes at least",
                                            {"cycles", "ideal"}}};
  for (const cycle_bound& bound : bounds)
    result.push_back({"",
                      joined(name_of(bound.component), ": ", bound.rate),
                      {bm::grouped(bound.cycles), bm::grouped(bound.ideal)}});
  return result;
}

std::vector<std::string> cycle_notes(const page& counted) {
  if (cycle_rows(counted).empty()) return {};
  const std::vector<cycle_bound> bounds = cycle_bounds_of(counted);
  const cycle_bound& current = largest_of(bounds, &cycle_bound::cycles);
  const cycle_bound& ideal_bound = largest_of(bounds, &cycle_bound::ideal);
  std::vector<std::string> result;
  if (bounds.size() > 1)
    result.push_back(
        current.cycles == ideal_bound.ideal
            ? joined("The largest bound is that of the ", name_of(current.component), ", ",
                     in_cycles(current.cycles),
                     ", and it stays without conflicts and with ideal transactions: those may cost "
                     "no time.")
            : joined("The largest bound is that of the ", name_of(current.component),
                     "; without conflicts and "
                     "with ideal transactions it falls from ",
                     in_cycles(current.cycles), " to ", bm::grouped(ideal_bound.ideal),
                     ideal_bound.component == current.component
                         ? ""
                         : joined(", that of the ", name_of(ideal_bound.component)),
                     "."));
  const bool has_memory = includes(bounds, resource::memory, &cycle_bound::component);
  result.push_back(joined(
      "These are bounds, not times: latency and other instructions add to them.",
      has_memory ? " That of the memory assumes that all multiprocessors move as many bytes, "
                   "and that no cache has them."
                 : ""));
  return result;
}

std::string json_of_cycles(const page& counted) {
  std::string result;
  for (const cycle_bound& bound : cycle_bounds_of(counted))
    result += joined(result.empty() ? "" : ", ",
                     "{\"resource\": ", command_line::json_string(name_of(bound.component)),
                     ", \"rate\": ", command_line::json_string(bound.rate),
                     ", \"cycles\": ", bound.cycles, ", \"ideal\": ", bound.ideal, "}");
  return joined("[", result, "]");
}

}  // namespace compiled
