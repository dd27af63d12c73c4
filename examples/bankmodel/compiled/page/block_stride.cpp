// SPDX-License-Identifier: MIT
#include "block_stride.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <cstdlib>

#include "../../json.hpp"
#include "page.hpp"

namespace compiled {

using command_line::json_string;

namespace {

const char* name_of(bm::axis direction) {
  return direction == bm::axis::x ? "x" : direction == bm::axis::y ? "y" : "z";
}

const char* name_of(bm::sharing relation) {
  switch (relation) {
    case bm::sharing::exclusive: return "exclusive";
    case bm::sharing::overlapping: return "overlapping";
    case bm::sharing::the_same: return "the same";
    default: return "unrelated";
  }
}

std::string in_groups(long long bytes) {
  return joined(bytes < 0 ? "-" : "", bm::grouped(static_cast<std::uint64_t>(std::llabs(bytes))));
}

std::string text_of_placement(const bm::placement& policy) {
  return policy.grain == bm::interleaving::fine ? "fine"
                                                : joined("coarse, ", in_groups(policy.bytes), " B");
}

std::string text_of_access(const page& kernel_page, const block_stride& stride) {
  const recorded_access& access = *kernel_page.costs.global[slot(stride.access)].first;
  const std::string name = array_name(*kernel_page.kernel, access);
  return joined(verb_of(access.memory.operation), name.empty() ? "" : " ", name, ", along ",
                name_of(stride.axis));
}

const char* label_of(const block_stride& stride) {
  return stride.sharing.proven ? "" : stride.is_linear ? " (guarded)" : " (compared)";
}

}  // namespace

std::vector<command_line::row> stride_rows(const page& kernel_page) {
  if (kernel_page.strides.rows.empty()) return {};
  std::vector<command_line::row> result = {
      {"line",
       "from block to block",
       {"blocks", "stride", "bytes", "with the next", "lines", "with the next", "placement"}}};
  for (const block_stride& stride : kernel_page.strides.rows) {
    const int line = kernel_page.costs.global[slot(stride.access)].first->location.line;
    command_line::row entry{
        line == 0 ? "" : std::to_string(line), text_of_access(kernel_page, stride), {}};
    const bm::block_sharing& sharing = stride.sharing;
    const bool is_known = stride.reason.empty();
    const std::string none = "-";
    entry.cell = {
        is_known ? joined(name_of(sharing.relation), label_of(stride)) : "not known",
        stride.is_linear || (is_known && sharing.relation != bm::sharing::unrelated)
            ? in_groups(sharing.bytes)
            : none,
        is_known ? in_groups(sharing.touched_bytes) : none,
        is_known ? in_groups(sharing.overlap_bytes) : none,
        is_known ? bm::grouped(stride.lines) : none,
        is_known ? bm::grouped(stride.shared_lines) : none,
        is_known || stride.is_linear ? text_of_placement(bm::placement_of(sharing)) : none};
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<std::string> stride_notes(const page& kernel_page) {
  if (kernel_page.strides.rows.empty()) return {};
  std::vector<std::string> result = {
      joined("The grid is ", kernel_page.strides.grid,
             ". Stride: the bytes from what a block accesses to what the next one does; with the "
             "next: the bytes, and the lines, that both access; placement: where each memory has "
             "processors of its own, coarse pages keep a block's bytes beside it, fine ones spread "
             "what blocks share.")};
  const auto has_label = [&](const char* label) {
    return std::ranges::any_of(kernel_page.strides.rows, [&](const block_stride& item) {
      return item.reason.empty() && std::string(label_of(item)) == label;
    });
  };
  if (has_label(" (guarded)"))
    result.push_back(
        "(guarded): conditions or loops around the access depend on the block; the stride is that "
        "of all blocks, and the bytes are those of the counted one.");
  if (has_label(" (compared)"))
    result.push_back("(compared): seen in the first blocks along the axis.");
  for (const block_stride& stride : kernel_page.strides.rows)
    if (stride.reason.empty() && stride.sharing.shares_again_after > 0 &&
        stride.sharing.relation == bm::sharing::exclusive)
      result.push_back(joined(text_of_access(kernel_page, stride), ": blocks that are ",
                              stride.sharing.shares_again_after, " apart share bytes"));
  std::vector<std::string> said;
  for (const block_stride& stride : kernel_page.strides.rows)
    if (!stride.reason.empty() && !includes(said, stride.reason)) {
      said.push_back(stride.reason);
      result.push_back(
          joined(text_of_access(kernel_page, stride), " is not known: ", stride.reason));
    }
  if (std::ranges::any_of(kernel_page.strides.rows, &block_stride::is_linear))
    result.push_back("The strides of all blocks take for granted that no index overflows.");
  for (const block_camping& camp : kernel_page.strides.camping) {
    const std::string prefix = joined("along ", name_of(camp.axis), ", ");
    const auto partitions = static_cast<std::uint64_t>(camp.partitions);
    if (camp.transactions == 0)
      result.push_back(joined(prefix,
                              "it is not known where blocks camp: some requests are not known, or "
                              "they are more than can be placed one by one"));
    else
      result.push_back(joined(
          prefix, "of the ", bm::grouped(camp.transactions), " transactions of ", camp.blocks,
          " blocks the busiest of ", partitions, " partitions has ", bm::grouped(camp.busiest),
          camp.busiest * partitions > camp.transactions
              ? joined(": the blocks camp there, an even share is ",
                       bm::grouped((camp.transactions + partitions - 1) / partitions))
              : std::string(", as many as the others")));
  }
  return result;
}

std::string json_of_strides(const page& kernel_page) {
  if (kernel_page.strides.grid.empty()) return "null";
  command_line::list rows("        "), camping("        ");
  for (const block_stride& stride : kernel_page.strides.rows) {
    const recorded_access& access = *kernel_page.costs.global[slot(stride.access)].first;
    const bm::block_sharing& sharing = stride.sharing;
    const bm::placement placed = bm::placement_of(sharing);
    rows.add(joined(
        "{\"file\": ", json_string(file_of(*kernel_page.kernel, access.location)),
        ", \"line\": ", access.location.line, ", \"column\": ", access.location.column,
        ", \"array\": ", json_string(array_name(*kernel_page.kernel, access)), ", \"does\": ",
        json_string(verb_of(access.memory.operation)), ", \"along\": \"", name_of(stride.axis),
        "\", \"blocks\": ", stride.reason.empty() ? json_string(name_of(sharing.relation)) : "null",
        ", \"stride\": ",
        stride.is_linear || (stride.reason.empty() && sharing.relation != bm::sharing::unrelated)
            ? std::to_string(sharing.bytes)
            : "null",
        ", \"linear\": ", stride.is_linear ? "true" : "false",
        ",\n         \"proven\": ", sharing.proven ? "true" : "false",
        ", \"bytes\": ", sharing.touched_bytes, ", \"shared_bytes\": ", sharing.overlap_bytes,
        ", \"lines\": ", stride.lines, ", \"shared_lines\": ", stride.shared_lines,
        ", \"shares_again_after\": ", sharing.shares_again_after, ", \"placement\": \"",
        placed.grain == bm::interleaving::fine ? "fine" : "coarse", "\", \"placement_bytes\": ",
        placed.bytes, ", \"reason\": ", json_string(stride.reason), "}"));
  }
  for (const block_camping& camp : kernel_page.strides.camping)
    camping.add(joined(
        "{\"along\": \"", name_of(camp.axis), "\", \"blocks\": ", camp.blocks,
        ", \"partitions\": ", camp.partitions,
        ", \"transactions\": ", camp.transactions == 0 ? "null" : std::to_string(camp.transactions),
        ", \"most\": ", camp.transactions == 0 ? "null" : std::to_string(camp.busiest), "}"));
  return joined("{\"grid\": ", json_string(kernel_page.strides.grid), ", \"accesses\": [",
                rows.text(), "\n      ], \"camping\": [", camping.text(), "\n      ]}");
}

}  // namespace compiled
