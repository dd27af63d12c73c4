// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_JOINT_TABLE_HPP
#define BANKMODEL_HOST_TEXT_JOINT_TABLE_HPP

#include <bankmodel/count/total.hpp>
#include <bankmodel/global/traffic.hpp>
#include <bankmodel/host/text/text.hpp>

#include <string>
#include <vector>

// Both memories of a kernel in one table (host only).
namespace bankmodel {

namespace detail {

class joint_rows {
 public:
  joint_rows()
      : rows_{{"access", "requests", "wavefronts", "ideal", "transactions", "ideal", "bytes used",
               "bytes moved"}} {}

  // Adds an access, or the sum of several.
  void add(const std::string& name, const cost& shared, const memory_traffic& global) {
    std::vector<std::string> row = {name, grouped(shared.requests + global.requests)};
    const auto put = [&](bool has, std::uint64_t number) {
      row.push_back(has ? grouped(number) : "-");
    };
    for (const std::uint64_t number : {shared.wavefronts, shared.ideal})
      put(shared.requests != 0, number);
    for (const std::uint64_t number :
         {global.transactions, global.ideal, global.bytes_used, global.bytes_moved})
      put(global.requests != 0, number);
    rows_.push_back(row);
  }

  std::string text() const {
    std::vector<std::size_t> width(rows_[0].size());
    for (const auto& row : rows_)
      for (std::size_t column = 0; column < row.size(); ++column)
        if (row[column].size() > width[column]) width[column] = row[column].size();
    std::string result;
    for (const auto& row : rows_) {
      result += line_of(row[0], std::string(width[0] - row[0].size(), ' '));
      for (std::size_t column = 1; column < row.size(); ++column)
        result += line_of("  ", std::string(width[column] - row[column].size(), ' '), row[column]);
      result += "\n";
    }
    return result;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace detail

// Returns a table of a kernel's accesses in their order, with a line for the sum: the wavefronts
// of those to shared memory, the transactions of those to global memory, and the fewest possible of
// each. A place that does not apply is "-". `grid_index`: the block's index.
// Error: as for total() and traffic().
// Example: the load of a transpose in blocks of 32 x 8 threads:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto row = load(in[32 * by + ty][32 * bx + tx]);
//   assert(joint_table(nvidia::sm_90, kernel(block_dim{32, 8}, row)).find("load in[") !=
//          std::string::npos);
template <class... Accesses>
std::string joint_table(const machine& m, const kernel_description<Accesses...>& kernel,
                        const block_index& grid_index = {}) {
  detail::joint_rows rows;
  cost shared;
  memory_traffic global;
  for_each_access(kernel, [&](const auto& access) {
    const cost access_cost = total(m, kernel.block, access, grid_index);
    const memory_traffic access_traffic = traffic(m, kernel.block, access, grid_index);
    rows.add(text(access), access_cost, access_traffic);
    shared = shared + access_cost;
    global = global + access_traffic;
  });
  rows.add("sum", shared, global);
  return rows.text();
}

}  // namespace bankmodel

#endif
