// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_BLOCK_MOVEMENT_HPP
#define BANKMODEL_GLOBAL_DETAIL_BLOCK_MOVEMENT_HPP

#include <bankmodel/count/class_maker.hpp>
#include <bankmodel/global/detail/touched_places.hpp>
#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/enlarged_access.hpp>

// How the places of an access move with the block's index, read from its subscripts.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void block_stride_must_be_asked_of_one_array_in_global_memory() {
  detail::fail(__func__,
               "the accesses are to different arrays, or to one in shared memory, which blocks "
               "never share; ask about each global_array() by itself");
}
[[noreturn]] BANKMODEL_FN void lanes_and_warps_must_be_those_of_a_machine() {
  detail::fail(__func__,
               "an access reads lane or warp, which depend on the machine; call "
               "block_stride(machine, block, ..)");
}
}  // namespace rule

namespace detail {

// The factors of bx, by and bz in one subscript.
struct block_factors {
  bool linear;
  long long factor[3];
};

BANKMODEL_FN block_factors factors_of_block(const node* nodes, const slice& subscript) {
  // The block's variables take the places of lanes, so that `lanes_known` says if the subscript is
  // linear in them. All other variables are one more coordinate, since only their presence matters.
  linear_form form[variables];
  for (int number = 0; number < variables; ++number) {
    const int block_axis = number - static_cast<int>(variable::bx);
    form[number].set_constant(0);
    form[number].set(block_axis >= 0 && block_axis < 3 ? block_axis : 3, 1);
  }
  linear_form subscript_form;
  read_form(nodes + subscript.first, subscript.size, form, 3, subscript_form);
  block_factors result{subscript_form.lanes_known, {}};
  for (int direction = 0; direction < 3; ++direction)
    result.factor[direction] = static_cast<long long>(subscript_form.coefficient(direction));
  return result;
}

// How the places of several accesses to one array move from block to block.
struct block_movement {
  const array_description* array = nullptr;
  bool linear = true;                      // all subscripts are linear forms of the block's index
  bool guarded = false;                    // conditions depend on the block's index
  bool is_common[3] = {true, true, true};  // all accesses move by the same bytes along the axis
  long long bytes[3] = {};

  BANKMODEL_FN bool all_together() const { return is_common[0] && is_common[1] && is_common[2]; }
  BANKMODEL_FN void add(const access_view& access, bool knows_lanes) {
    const bool first = array == nullptr;
    if (access.array.memory == memory_space::shared ||
        (!first && !(*array == access.array && array->place == access.array.place)))
      rule::block_stride_must_be_asked_of_one_array_in_global_memory();
    if (access.subscripts != access.array.layout.rank)
      rule::too_few_subscripts(access.subscripts, access.array.layout.rank);
    array = &access.array;
    linear = linear && access.array.layout.is_strided();
    unsigned read = 0;
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      if (same(w.kind, wrapper_kind::values)) continue;
      const unsigned used =
          read_by(access, w.first) | read_by(access, w.last) | read_by(access, w.step);
      read |= used;
      if ((used & block_variables) == 0) continue;
      if (same(w.kind, wrapper_kind::filter))
        guarded = true;
      else
        linear = false;
    }
    long long moves[3] = {};
    for (int d = 0; d < access.subscripts; ++d) {
      read |= read_by(access, access.subscript[d]);
      const block_factors factors = factors_of_block(access.nodes, access.subscript[d]);
      linear = linear && factors.linear;
      if (!linear) continue;
      const long long stride =
          checked_multiply(access.array.layout.stride[d], access.array.element_bytes);
      for (int direction = 0; direction < 3; ++direction)
        moves[direction] =
            checked_add(moves[direction], checked_multiply(factors.factor[direction], stride));
    }
    for (int direction = 0; direction < 3; ++direction) {
      is_common[direction] =
          is_common[direction] && (first || bytes[direction] == moves[direction]);
      bytes[direction] = moves[direction];
    }
    constexpr unsigned of_warps = variable_bit(variable::lane) | variable_bit(variable::warp);
    if (!knows_lanes && (read & of_warps) != 0) rule::lanes_and_warps_must_be_those_of_a_machine();
  }

 private:
  BANKMODEL_FN static unsigned read_by(const access_view& access, const slice& program) {
    return variables_in(access.nodes + program.first, program.size);
  }
};

template <int Wrappers, int Nodes>
BANKMODEL_FN void read_movement(const access_expression<Wrappers, Nodes>& access, bool knows_lanes,
                                block_movement& moves) {
  moves.add(view_of(access), knows_lanes);
}
BANKMODEL_FN void read_movement(const access_list<>&, bool, block_movement&) {}
template <class First, class... Rest>
BANKMODEL_FN void read_movement(const access_list<First, Rest...>& list, bool knows_lanes,
                                block_movement& moves) {
  read_movement(list.first, knows_lanes, moves);
  read_movement(list.rest, knows_lanes, moves);
}

// Subscripts of an access without its conditions may be negative, or above their extents. They are
// moved up by this, and extents made larger.
constexpr long long moved_up = 1ll << 20;

// The access without the conditions that depend on the block's index.
template <int Wrappers, int Nodes>
BANKMODEL_FN access_expression<Wrappers, 2 * Nodes + 2 * max_rank> without_guards(
    const access_expression<Wrappers, Nodes>& access) {
  auto result = enlarged<0, Nodes + 2 * max_rank>(access);
  result.depth = 0;
  for (int level = 0; level < access.depth; ++level) {
    const wrapper& w = access.wrappers[level];
    if (same(w.kind, wrapper_kind::filter) &&
        (variables_in(access.nodes + w.first.first, w.first.size) & block_variables) != 0)
      continue;
    result.wrappers[result.depth++] = w;
  }
  int size = Nodes;
  for (int d = 0; d < access.subscripts; ++d) {
    const slice& subscript = access.subscript[d];
    result.subscript[d] = {size, subscript.size + 2};
    copy_nodes(result.nodes + size, access.nodes + subscript.first, subscript.size);
    size += subscript.size;
    result.nodes[size++] = {operation::constant, moved_up};
    result.nodes[size++] = {operation::add, 0};
    result.array.layout.extent[d] += 2 * moved_up;
  }
  return result;
}

// As for_each_request_class(), for a machine of which only the number of lanes is known.
template <class Visit, int Wrappers, int Nodes>
BANKMODEL_FN void visit_classes(const machine& m, const block_dim& block,
                                const access_expression<Wrappers, Nodes>& access,
                                const block_index& grid_index, Visit& visit) {
  m.require_valid();
  const access_view view = view_of(access);
  if (view.array.layout.is_strided())
    return visit_request_classes(m, block, view, grid_index, visit);
  const auto ignore = [](const request_class&) {};
  visit_request_classes(m, block, view, grid_index, ignore);  // its errors
  const access_as_laid_out laid_out(view, view.array.layout);
  visit_request_classes(m, block, laid_out.view(), grid_index, visit);
}

// Calls visit(request_class) for each class of all accesses; `unguarded`: without their conditions
// on the block's index.
template <class Visit, int Wrappers, int Nodes>
BANKMODEL_FN void visit_all(const machine& m, const block_dim& block,
                            const access_expression<Wrappers, Nodes>& access, bool unguarded,
                            const block_index& grid_index, Visit& visit) {
  if (unguarded)
    visit_classes(m, block, without_guards(access), grid_index, visit);
  else
    visit_classes(m, block, access, grid_index, visit);
}
template <class Visit>
BANKMODEL_FN void visit_all(const machine&, const block_dim&, const access_list<>&, bool,
                            const block_index&, Visit&) {}
template <class Visit, class First, class... Rest>
BANKMODEL_FN void visit_all(const machine& m, const block_dim& block,
                            const access_list<First, Rest...>& list, bool unguarded,
                            const block_index& grid_index, Visit& visit) {
  visit_all(m, block, list.first, unguarded, grid_index, visit);
  visit_all(m, block, list.rest, unguarded, grid_index, visit);
}

// The same as read_movement() for the accesses that threads make, without those whose conditions
// turn off all threads.
template <int Wrappers, int Nodes>
BANKMODEL_FN void read_made(const machine& m, const block_dim& block,
                            const access_expression<Wrappers, Nodes>& access,
                            const block_index& grid_index, block_movement& moves) {
  common_repeats repeats;
  visit_all(m, block, access, false, grid_index, repeats);
  if (repeats.is_found()) moves.add(view_of(access), true);
}
BANKMODEL_FN void read_made(const machine&, const block_dim&, const access_list<>&,
                            const block_index&, block_movement&) {}
template <class First, class... Rest>
BANKMODEL_FN void read_made(const machine& m, const block_dim& block,
                            const access_list<First, Rest...>& list, const block_index& grid_index,
                            block_movement& moves) {
  read_made(m, block, list.first, grid_index, moves);
  read_made(m, block, list.rest, grid_index, moves);
}

// The blocks, counted from one of them along an axis, whose subscripts are within their extents.
struct block_range {
  long long first = int64_min, last = int64_max;

  BANKMODEL_FN void limit(long long lowest, long long highest) {
    if (lowest > first) first = lowest;
    if (highest < last) last = highest;
  }
};

// Limits `range` to the blocks whose accesses are within the extents (`unguarded`: to those of
// which some lane may be). They are counted from block `grid_index`.
template <int Wrappers, int Nodes>
BANKMODEL_FN void limit_blocks(const machine& m, const block_dim& block,
                               const access_expression<Wrappers, Nodes>& access, bool unguarded,
                               const block_index& grid_index, axis direction, block_range& range) {
  for (int d = 0; d < access.subscripts; ++d) {
    const long long factor =
        factors_of_block(access.nodes, access.subscript[d]).factor[static_cast<int>(direction)];
    if (factor == 0) continue;
    // An array in which only this subscript moves the address: 16 bytes, so that wide accesses
    // stay aligned, times the size of an element.
    constexpr int scale = 16;
    access_expression<Wrappers, Nodes> alone = access;
    alone.array.base_bytes = 0;
    for (int other = 0; other < access.subscripts; ++other)
      alone.array.layout.stride[other] = other == d ? scale : 0;
    common_repeats repeats;
    visit_all(m, block, alone, unguarded, grid_index, repeats);
    if (!repeats.is_found()) continue;
    const long long element = scale * access.array.element_bytes, offset = unguarded ? moved_up : 0,
                    lowest = repeats.lowest() / element - offset,
                    highest =
                        (repeats.end() - access.vector * access.array.element_bytes) / element -
                        offset,
                    last = access.array.layout.extent[d] - 1 -
                           (d == access.subscripts - 1 ? access.vector - 1 : 0);
    const long long low = unguarded ? highest : lowest, high = unguarded ? lowest : highest;
    if (factor > 0)
      range.limit(-floor_divide(low, factor), floor_divide(last - high, factor));
    else
      range.limit(-floor_divide(last - high, -factor), floor_divide(low, -factor));
  }
}
BANKMODEL_FN void limit_blocks(const machine&, const block_dim&, const access_list<>&, bool,
                               const block_index&, axis, block_range&) {}
template <class First, class... Rest>
BANKMODEL_FN void limit_blocks(const machine& m, const block_dim& block,
                               const access_list<First, Rest...>& list, bool unguarded,
                               const block_index& grid_index, axis direction, block_range& range) {
  limit_blocks(m, block, list.first, unguarded, grid_index, direction, range);
  limit_blocks(m, block, list.rest, unguarded, grid_index, direction, range);
}

}  // namespace detail
}  // namespace bankmodel

#endif
