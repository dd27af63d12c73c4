// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_PARTITION_CAMPING_HPP
#define BANKMODEL_GLOBAL_PARTITION_CAMPING_HPP

#include <bankmodel/count/for_each_base.hpp>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/global/blocks_along.hpp>
#include <bankmodel/global/transactions.hpp>

// Partition camping: blocks that run at the same time queue up at one partition of the memory.
//
// The memory of compute capability 1.x has 6 or 8 partitions of 256 bytes: byte a is in partition a
// / 256 % 8. Source: Aji, Daga and Feng, Bounding the effect of partition camping in GPU kernels,
// 2011, as P. Barua cites it; how later machines spread addresses over partitions is not published,
// and their records have none.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_machine_must_have_partitions(long long partitions,
                                                                long long bytes) {
  detail::fail(__func__,
               "the machine has % partitions of % bytes; partition camping is known on compute "
               "capability 1.x. For a machine of your own set .global.partitions to 1 to 64 and "
               ".global.partition_bytes to a power of two from its line and 128 bytes on",
               partitions, bytes);
}
[[noreturn]] BANKMODEL_FN void the_requests_of_blocks_must_be_few_enough_to_place(long long limit) {
  detail::fail(__func__,
               "more than % requests would have to be placed in partitions one by one; ask about "
               "fewer blocks or iterations",
               limit);
}
}  // namespace rule

// The transactions of blocks that run at the same time, by partition.
struct partition_load {
  static constexpr int most_partitions = 64;
  int partitions = 0;
  std::uint64_t in[most_partitions] = {};  // the transactions in each partition
  std::uint64_t transactions = 0;          // in all of them
  std::uint64_t most = 0;                  // in the busiest one

  // The busiest partition's transactions over the mean: 1 if all have as many, `partitions` if one
  // has all; 0 without a transaction.
  BANKMODEL_FN double worst_over_mean() const {
    return transactions == 0
               ? 0
               : static_cast<double>(most) * partitions / static_cast<double>(transactions);
  }
};

namespace detail {

BANKMODEL_FN void require_partitions(const machine& m) {
  m.require_valid();
  const global_memory& memory = m.global;
  require_global_memory(memory);
  const int minimum_bytes = memory.line_bytes > 128 ? memory.line_bytes : 128;
  if (memory.partitions < 1 || memory.partitions > partition_load::most_partitions ||
      memory.partition_bytes < minimum_bytes || !is_power_of_two(memory.partition_bytes))
    rule::the_machine_must_have_partitions(memory.partitions, memory.partition_bytes);
}

// Counts the transactions of request classes by partition.
class partition_counter {
 public:
  BANKMODEL_FN partition_counter(const machine& m, partition_load& load)
      : machine_(m),
        load_(load),
        shift_(trailing_zeros(static_cast<std::uint64_t>(m.global.partition_bytes))) {}

  BANKMODEL_FN void operator()(const request_class& requests) {
    at_base_.active = requests.lanes.active;
    at_base_.bytes = requests.lanes.bytes;
    at_base_.kind = requests.lanes.kind;
    for_each_base(requests, [&](long long base, std::uint64_t times) {
      if (left_-- == 0) rule::the_requests_of_blocks_must_be_few_enough_to_place(most_requests());
      for (std::uint64_t rest = requests.lanes.active; rest != 0; rest &= rest - 1) {
        const int lane = trailing_zeros(rest);
        at_base_.address[lane] = base + requests.lanes.address[lane];
      }
      for_each_transaction(machine_, at_base_, [&](const transaction& transfer) {
        if (transfer.begin < 0) return;
        std::uint64_t& count = load_.in[(transfer.begin >> shift_) % load_.partitions];
        count = checked_count_sum(count, times);
        load_.transactions = checked_count_sum(load_.transactions, times);
        if (count > load_.most) load_.most = count;
      });
      return true;
    });
  }

 private:
  BANKMODEL_FN static long long most_requests() {
    return __builtin_is_constant_evaluated() ? 400 : 4'000'000;
  }

  const machine& machine_;
  partition_load& load_;
  int shift_;
  long long left_ = most_requests();
  request at_base_;
};

template <int Wrappers, int Nodes>
BANKMODEL_FN void count_partitions(const machine& m, const block_dim& block,
                                   const access_expression<Wrappers, Nodes>& access,
                                   const block_index& grid_index, partition_counter& counter) {
  if (access.array.memory == memory_space::shared) return;
  require_global_access(m, access.kind, access.vector * access.array.element_bytes);
  for_each_request_class(m, block, access, counter, grid_index);
}
BANKMODEL_FN void count_partitions(const machine&, const block_dim&, const access_list<>&,
                                   const block_index&, partition_counter&) {}
template <class First, class... Rest>
BANKMODEL_FN void count_partitions(const machine& m, const block_dim& block,
                                   const access_list<First, Rest...>& list,
                                   const block_index& grid_index, partition_counter& counter) {
  count_partitions(m, block, list.first, grid_index, counter);
  count_partitions(m, block, list.rest, grid_index, counter);
}

}  // namespace detail

// Returns in which partitions the transactions of `blocks.count` consecutive blocks fall that run
// at the same time: single accesses and lists of them, those to shared memory left out. Arrays
// begin at multiples of the partitions' bytes unless .at() says otherwise. Each request is counted
// at its address. (On 1.0 and 1.1 a half-warp that is not coalesced has one transaction here for
// each active lane, since it is not known where those of inactive lanes fall.)
// Error: the machine has no partitions; fewer than two blocks; more than 4 000 000 requests (400 in
// a constant expression); otherwise as for traffic().
// Example: blocks of 32 threads that read columns:
//
//   constexpr auto in = global_array<float>("in", 2048, 2048);
//   const auto camping =
//       partition_camping(nvidia::sm_13, block_dim{32}, axis::x, load(in[32 * bx + tx][ty]));
//   assert(camping.in[0] == camping.transactions && camping.worst_over_mean() == 8);
template <detail::accesses... Accesses>
  requires(sizeof...(Accesses) > 0)
BANKMODEL_FN partition_load partition_camping(const machine& m, const block_dim& block,
                                              const blocks_along& blocks,
                                              const Accesses&... accesses) {
  detail::require_partitions(m);
  blocks.require_valid();
  partition_load result;
  result.partitions = m.global.partitions;
  detail::partition_counter counter(m, result);
  const auto list = detail::list_of(accesses...);
  for (long long number = 0; number < blocks.count; ++number)
    detail::count_partitions(m, block, list, blocks.block(number), counter);
  return result;
}
// The same of a kernel.
template <class... Accesses>
BANKMODEL_FN partition_load partition_camping(const machine& m,
                                              const kernel_description<Accesses...>& kernel,
                                              const blocks_along& blocks) {
  return partition_camping(m, kernel.block, blocks, kernel.accesses);
}

// True if the same places of neighbouring blocks are in the same partition, because the block
// stride is a multiple of all partitions together (P. Barua, section VII). Only neighbours whose
// accesses are in few partitions camp: partition_camping() counts them.
// Error: the machine has no partitions.
// Example:
//
//   static_assert(stride_keeps_partition(nvidia::sm_13, 2048));
//   static_assert(!stride_keeps_partition(nvidia::sm_13, 256));
BANKMODEL_FN bool stride_keeps_partition(const machine& m, long long stride_bytes) {
  detail::require_partitions(m);
  return stride_bytes % (static_cast<long long>(m.global.partitions) * m.global.partition_bytes) ==
         0;
}

}  // namespace bankmodel

#endif
