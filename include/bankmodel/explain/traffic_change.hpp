// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_TRAFFIC_CHANGE_HPP
#define BANKMODEL_EXPLAIN_TRAFFIC_CHANGE_HPP

#include <bankmodel/global/memory_traffic.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Changes of an access to global memory that reduce its transactions.
namespace bankmodel {

// The kinds of changes, the smallest first.
enum class traffic_remedy : unsigned char {
  base,             // another base of the array
  rows,             // rows further apart
  rows_and_base,    // both
  wider_loop,       // several elements of a loop in one access of each lane (float2, float4)
  thread_axes,      // two thread axes exchanged, in subscripts and in the extents of the block
  transposed,       // the array stored with its last two dimensions exchanged
  tile,             // copied by rows through an array in shared memory
  wider_neighbours  // the elements between those of the lanes, read in the same access
};

// One change, with its price.
struct traffic_change {
  traffic_remedy what = traffic_remedy::base;
  memory_traffic before, after;      // traffic() of the block
  array_description array;           // as it is to be declared: its base, rows or extents
  block_dim block;                   // thread_axes: the new block
  variable axis = variable::ty;      // thread_axes: the variable that is exchanged with tx
  variable loop = variable::loop_0;  // wider_loop: the loop that takes `vector` steps at once
  int vector = 1;                    // wider_loop and wider_neighbours: elements of each access
  long long tile_rows = 0, tile_columns = 0;
};

// Changes that reduce the transactions, those with the fewest transactions first.
struct traffic_change_list {
  static constexpr int capacity = 9;
  int count = 0;
  traffic_change each[capacity] = {};

  // Adds a change if it reduces the transactions; true if it does. Of two with as many transactions
  // the one added first stays in front.
  BANKMODEL_FN bool add(const traffic_change& change) {
    if (change.after.transactions >= change.before.transactions || count == capacity) return false;
    const auto conditional = [](const traffic_change& candidate) {
      return candidate.what == traffic_remedy::wider_neighbours;
    };
    int position = count++;
    for (; position > 0 && !conditional(change) &&
           change.after.transactions < each[position - 1].after.transactions;
         --position)
      each[position] = each[position - 1];
    each[position] = change;
    return true;
  }
};

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
