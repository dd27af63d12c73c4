// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_COMPARE_HPP
#define BANKMODEL_MACHINES_COMPARE_HPP

#include <bankmodel/model/machine.hpp>

// == for machines and their parts: true if all numbers, sources and confidences are equal. It is
// not in machine.hpp because machines are template arguments without it, so a guard needs none.
// Example:
//
//   static_assert(nvidia::compute_capability(9, 0) == nvidia::sm_90);
namespace bankmodel {

BANKMODEL_FN bool operator==(const service& a, const service& b) {
  return a.counts_as(b) && detail::same(a.sure, b.sure) &&
         detail::same(a.banks_from, b.banks_from) && detail::same(a.phases_from, b.phases_from);
}

BANKMODEL_FN bool operator==(const services& a, const services& b) {
  return a.up_to_4 == b.up_to_4 && a.bytes_8 == b.bytes_8 && a.bytes_12 == b.bytes_12 &&
         a.bytes_16 == b.bytes_16;
}

BANKMODEL_FN bool operator==(const special_services& a, const special_services& b) {
  return a.atomics_4 == b.atomics_4 && a.atomics_8 == b.atomics_8 &&
         a.matrix_loads == b.matrix_loads && a.matrix_stores == b.matrix_stores &&
         a.paired_loads_4 == b.paired_loads_4 && a.paired_loads_8 == b.paired_loads_8 &&
         a.transposed_loads == b.transposed_loads && a.has_copies == b.has_copies &&
         detail::same(a.copies, b.copies) && detail::same(a.copies_uncached, b.copies_uncached) &&
         detail::same(a.copies_sure, b.copies_sure) && detail::same(a.copies_from, b.copies_from);
}

BANKMODEL_FN bool operator==(const residency& a, const residency& b) {
  return a.shared_per_multiprocessor == b.shared_per_multiprocessor &&
         a.shared_per_block == b.shared_per_block &&
         a.shared_per_block_opt_in == b.shared_per_block_opt_in &&
         a.shared_granularity == b.shared_granularity && a.shared_reserved == b.shared_reserved &&
         a.threads_per_block == b.threads_per_block &&
         a.threads_per_multiprocessor == b.threads_per_multiprocessor &&
         a.warps_per_multiprocessor == b.warps_per_multiprocessor &&
         a.blocks_per_multiprocessor == b.blocks_per_multiprocessor &&
         a.registers_per_multiprocessor == b.registers_per_multiprocessor &&
         a.registers_per_block == b.registers_per_block &&
         a.registers_per_thread == b.registers_per_thread &&
         a.register_granularity == b.register_granularity &&
         a.register_check_warps == b.register_check_warps && a.sub_partitions == b.sub_partitions &&
         a.warp_granularity == b.warp_granularity && a.blocks_of_one_warp == b.blocks_of_one_warp &&
         detail::same(a.sure, b.sure) && detail::same(a.shared_from, b.shared_from) &&
         detail::same(a.granularity_from, b.granularity_from) &&
         detail::same(a.residents_from, b.residents_from) &&
         detail::same(a.registers_from, b.registers_from);
}

BANKMODEL_FN bool operator==(const global_memory& a, const global_memory& b) {
  return a.sector_bytes == b.sector_bytes && a.line_bytes == b.line_bytes &&
         detail::same(a.sure, b.sure) && detail::same(a.from, b.from) &&
         detail::same(a.rule, b.rule) && a.bytes_together == b.bytes_together &&
         a.partitions == b.partitions && a.partition_bytes == b.partition_bytes &&
         a.most_bytes == b.most_bytes;
}

BANKMODEL_FN bool operator==(const machine& a, const machine& b) {
  return detail::same(a.made_by, b.made_by) && a.model == b.model && a.lanes == b.lanes &&
         a.loads == b.loads && a.stores == b.stores && a.special == b.special &&
         detail::same(a.merges_loads, b.merges_loads) &&
         detail::same(a.merges_stores, b.merges_stores) &&
         detail::same(a.merges_sure, b.merges_sure) && detail::same(a.merges_from, b.merges_from) &&
         a.bank_width == b.bank_width && a.other_bank_width == b.other_bank_width &&
         a.limits == b.limits && a.global == b.global;
}

}  // namespace bankmodel

#endif
