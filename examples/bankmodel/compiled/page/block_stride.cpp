// SPDX-License-Identifier: MIT
#include "block_stride.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <cstdlib>

#include "../../json.hpp"
#include "page.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;

namespace {

const char* name_of(bm::axis along) {
  return along == bm::axis::x ? "x" : along == bm::axis::y ? "y" : "z";
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

std::string text_of_placement(const bm::placement& of) {
  return of.grain == bm::interleaving::fine ? "fine"
                                            : joined("coarse, ", in_groups(of.bytes), " B");
}

std::string text_of_access(const page& of, const block_stride& one) {
  const recorded_access& access = *of.costs.global[static_cast<std::size_t>(one.access)].first;
  const std::string name = array_name(*of.kernel, access);
  return joined(verb_of(access.memory.does), name.empty() ? "" : " ", name, ", along ",
                name_of(one.along));
}

const char* label_of(const block_stride& one) {
  return one.found.proven ? "" : one.is_linear ? " (guarded)" : " (compared)";
}

}  // namespace

std::vector<command_line::row> stride_rows(const page& of) {
  if (of.strides.rows.empty()) return {};
  std::vector<command_line::row> result = {
      {"line",
       "from block to block",
       {"blocks", "stride", "bytes", "with the next", "lines", "with the next", "placement"}}};
  for (const block_stride& one : of.strides.rows) {
    const int line = of.costs.global[static_cast<std::size_t>(one.access)].first->where.line;
    command_line::row made{line == 0 ? "" : std::to_string(line), text_of_access(of, one), {}};
    const bm::block_sharing& found = one.found;
    const bool is_known = one.reason.empty();
    const std::string none = "-";
    made.cell = {is_known ? joined(name_of(found.relation), label_of(one)) : "not known",
                 one.is_linear || (is_known && found.relation != bm::sharing::unrelated)
                     ? in_groups(found.bytes)
                     : none,
                 is_known ? in_groups(found.touched_bytes) : none,
                 is_known ? in_groups(found.overlap_bytes) : none,
                 is_known ? bm::grouped(one.lines) : none,
                 is_known ? bm::grouped(one.shared_lines) : none,
                 is_known || one.is_linear ? text_of_placement(bm::placement_of(found)) : none};
    result.push_back(std::move(made));
  }
  return result;
}

std::vector<std::string> stride_notes(const page& of) {
  if (of.strides.rows.empty()) return {};
  std::vector<std::string> result = {
      joined("The grid is ", of.strides.grid,
             ". Stride: the bytes from what a block accesses to what the next one does; with the "
             "next: the bytes, and the lines, that both access; placement: where each memory has "
             "processors of its own, coarse pages keep a block's bytes beside it, fine ones spread "
             "what blocks share.")};
  const auto has_label = [&](const char* label) {
    return std::any_of(of.strides.rows.begin(), of.strides.rows.end(),
                       [&](const block_stride& one) {
                         return one.reason.empty() && std::string(label_of(one)) == label;
                       });
  };
  if (has_label(" (guarded)"))
    result.push_back(
        "(guarded): conditions or loops around the access depend on the block; the stride is that "
        "of all blocks, and the bytes are those of the first.");
  if (has_label(" (compared)"))
    result.push_back("(compared): seen in the first blocks along the axis.");
  for (const block_stride& one : of.strides.rows)
    if (one.reason.empty() && one.found.shares_again_after > 0 &&
        one.found.relation == bm::sharing::exclusive)
      result.push_back(joined(text_of_access(of, one), ": blocks that are ",
                              one.found.shares_again_after, " apart share bytes"));
  std::vector<std::string> said;
  for (const block_stride& one : of.strides.rows)
    if (!one.reason.empty() && std::find(said.begin(), said.end(), one.reason) == said.end()) {
      said.push_back(one.reason);
      result.push_back(joined(text_of_access(of, one), " is not known: ", one.reason));
    }
  if (std::any_of(of.strides.rows.begin(), of.strides.rows.end(),
                  [](const block_stride& one) { return one.is_linear; }))
    result.push_back("The strides of all blocks take for granted that no index overflows.");
  for (const block_camping& one : of.strides.camping) {
    const std::string along = joined("along ", name_of(one.along), ", ");
    const auto partitions = static_cast<std::uint64_t>(one.partitions);
    if (one.transactions == 0)
      result.push_back(joined(along,
                              "it is not known where blocks camp: some requests are not known, or "
                              "they are more than can be placed one by one"));
    else
      result.push_back(
          joined(along, "of the ", bm::grouped(one.transactions), " transactions of ", one.blocks,
                 " blocks the busiest of ", partitions, " partitions has ", bm::grouped(one.most),
                 one.most * partitions > one.transactions
                     ? joined(": the blocks camp there, an even share is ",
                              bm::grouped((one.transactions + partitions - 1) / partitions))
                     : std::string(", as many as the others")));
  }
  return result;
}

std::string json_of_strides(const page& of) {
  if (of.strides.grid.empty()) return "null";
  command_line::list rows("        "), camping("        ");
  for (const block_stride& one : of.strides.rows) {
    const recorded_access& access = *of.costs.global[static_cast<std::size_t>(one.access)].first;
    const bm::block_sharing& found = one.found;
    const bm::placement placed = bm::placement_of(found);
    rows.add(joined(
        "{\"file\": ", json_string(file_of(*of.kernel, access.where)),
        ", \"line\": ", access.where.line, ", \"column\": ", access.where.column,
        ", \"array\": ", json_string(array_name(*of.kernel, access)), ", \"does\": ",
        json_string(verb_of(access.memory.does)), ", \"along\": \"", name_of(one.along),
        "\", \"blocks\": ", one.reason.empty() ? json_string(name_of(found.relation)) : "null",
        ", \"stride\": ",
        one.is_linear || (one.reason.empty() && found.relation != bm::sharing::unrelated)
            ? std::to_string(found.bytes)
            : "null",
        ", \"linear\": ", one.is_linear ? "true" : "false",
        ",\n         \"proven\": ", found.proven ? "true" : "false",
        ", \"bytes\": ", found.touched_bytes, ", \"shared_bytes\": ", found.overlap_bytes,
        ", \"lines\": ", one.lines, ", \"shared_lines\": ", one.shared_lines,
        ", \"shares_again_after\": ", found.shares_again_after, ", \"placement\": \"",
        placed.grain == bm::interleaving::fine ? "fine" : "coarse",
        "\", \"placement_bytes\": ", placed.bytes, ", \"reason\": ", json_string(one.reason), "}"));
  }
  for (const block_camping& one : of.strides.camping)
    camping.add(joined(
        "{\"along\": \"", name_of(one.along), "\", \"blocks\": ", one.blocks,
        ", \"partitions\": ", one.partitions,
        ", \"transactions\": ", one.transactions == 0 ? "null" : std::to_string(one.transactions),
        ", \"most\": ", one.transactions == 0 ? "null" : std::to_string(one.most), "}"));
  return joined("{\"grid\": ", json_string(of.strides.grid), ", \"accesses\": [", rows.text(),
                "\n      ], \"camping\": [", camping.text(), "\n      ]}");
}

}  // namespace compiled
