// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_DETAIL_TRAFFIC_CHANGES_HPP
#define BANKMODEL_EXPLAIN_DETAIL_TRAFFIC_CHANGES_HPP

#include <bankmodel/count/variable_ranges.hpp>
#include <bankmodel/explain/traffic_change.hpp>
#include <bankmodel/global/traffic.hpp>
#include <bankmodel/kernel/enlarged_access.hpp>
#include <bankmodel/kernel/global_array.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The changes of an access to global memory that are known to help, each priced by traffic().
namespace bankmodel::detail {

template <int Wrappers, int Nodes>
class traffic_changes {
 public:
  using access_type = access_expression<Wrappers, Nodes>;

  // `worst`: the request with the most transactions beyond its ideal.
  BANKMODEL_FN traffic_changes(const machine& gpu, const block_dim& threads,
                               const block_index& grid_index, const access_type& explained_access,
                               const memory_traffic& previous, const request& worst)
      : machine_(gpu),
        block_(threads),
        grid_index_(grid_index),
        access_(explained_access),
        traffic_(previous),
        worst_(worst),
        line_(gpu.global.line_bytes),
        element_(explained_access.array.element_bytes),
        view_(view_of(explained_access)),
        ranges_(view_) {
    read_ranges();
  }
  traffic_changes(const traffic_changes&) = delete;  // its ranges refer to its view

  // Adds the changes that reduce the transactions, the fewest first; of two alike the smaller
  // change, in the order of traffic_remedy.
  BANKMODEL_FN void find(traffic_change_list& list) const {
    add_alignment(list);
    const bool is_wider = add_wider_loop(list);
    add_thread_axes(list);
    add_transposed(list);
    add_tile(list);
    if (!is_wider) add_wider_neighbours(list);
  }

 private:
  BANKMODEL_FN traffic_change change(traffic_remedy remedy) const {
    traffic_change result;
    result.what = remedy;
    result.before = traffic_;
    result.array = access_.array;
    result.block = block_;
    return result;
  }
  BANKMODEL_FN int last() const { return access_.array.layout.rank - 1; }
  BANKMODEL_FN bool is_strided() const { return access_.array.layout.is_strided(); }

  // ---- the base and the rows ----

  BANKMODEL_FN long long row_bytes(const array_description& array) const {
    return array.layout.stride[array.layout.rank - 2] * element_;
  }
  // The base with which the worst request starts at a line, if its rows are as in `array`.
  BANKMODEL_FN array_description aligned_base(const array_description& array) const {
    const array_description& declared = access_.array;
    long long start = worst_.address[trailing_zeros(worst_.active)];
    for (std::uint64_t rest = worst_.active; rest != 0; rest &= rest - 1)
      if (worst_.address[trailing_zeros(rest)] < start)
        start = worst_.address[trailing_zeros(rest)];
    start -= declared.base_bytes;
    if (declared.layout != array.layout) start %= row_bytes(declared);
    return array.at((line_ - start % line_) % line_);
  }
  BANKMODEL_FN void add_array(traffic_remedy remedy, const array_description& array,
                              traffic_change_list& list) const {
    if (array == access_.array) return;
    access_type changed = access_;
    changed.array = array;
    traffic_change candidate = change(remedy);
    candidate.array = array;
    candidate.after = traffic(machine_, block_, changed, grid_index_);
    list.add(candidate);
  }
  BANKMODEL_FN void add_alignment(traffic_change_list& list) const {
    if (!is_strided()) return;
    const array_description& array = access_.array;
    if (line_ % element_ != 0) return;
    add_array(traffic_remedy::base, aligned_base(array), list);
    if (array.layout.rank < 2 || row_bytes(array) % line_ == 0) return;
    const array_description rows =
        with_row_stride(array, (row_bytes(array) + line_ - 1) / line_ * line_);
    add_array(traffic_remedy::rows, rows, list);
    if (array.layout.rank > 2 || aligned_base(rows) == rows) return;
    add_array(traffic_remedy::rows_and_base, aligned_base(rows), list);
  }

  // ---- several elements in one access ----

  // True if all requests of an access are aligned to `bytes`.
  template <int W, int N>
  BANKMODEL_FN bool is_aligned(const access_expression<W, N>& access, int bytes) const {
    long long bits = 0;
    for_each_request_class(
        machine_, block_, access,
        [&](const request_class& requests) {
          for (std::uint64_t rest = requests.lanes.active; rest != 0; rest &= rest - 1)
            bits |= requests.base + requests.lanes.address[trailing_zeros(rest)];
          for (int loop = 0; loop < requests.loops; ++loop)
            if (requests.loop[loop].trips > 1) bits |= requests.loop[loop].step;
        },
        grid_index_);
    return (bits & (bytes - 1)) == 0;
  }
  BANKMODEL_FN bool may_be_wider() const {
    return is_strided() && access_.vector == 1 && access_.kind != access_kind::atomic;
  }

  // A loop over adjacent elements, several in one iteration.
  BANKMODEL_FN bool add_wider_loop(traffic_change_list& list) const {
    if (!may_be_wider()) return false;
    for (int level = access_.depth - 1; level >= 0; --level) {
      const wrapper& w = access_.wrappers[level];
      if (w.kind != wrapper_kind::range || !moves_along_a_row(w.variable)) continue;
      const value_range values = ranges_.unfiltered[static_cast<int>(w.variable)];
      const node& step = access_.nodes[w.step.first];
      if (!values.known() || w.step.size != 1 || step.op != operation::constant || step.value != 1)
        continue;
      for (int vector = 16 / element_; vector > 1; vector /= 2) {
        if ((values.highest - values.lowest + 1) % vector != 0) continue;
        access_type wider = access_;
        wider.nodes[w.step.first].value = vector;
        if (!is_aligned(wider, vector * element_)) continue;
        wider.vector = vector;
        traffic_change candidate = change(traffic_remedy::wider_loop);
        candidate.vector = vector;
        candidate.loop = w.variable;
        candidate.after = traffic(machine_, block_, wider, grid_index_);
        return list.add(candidate);
      }
    }
    return false;
  }
  // True if only the last subscript reads this loop variable, as a term of its own.
  BANKMODEL_FN bool moves_along_a_row(variable loop) const {
    // The loop's variable is the first coordinate; all others are one more, since only their
    // presence matters.
    linear_form form[variables], subscript;
    for (int number = 0; number < variables; ++number) {
      form[number].set_constant(0);
      form[number].set(number == static_cast<int>(loop) ? 0 : 1, 1);
    }
    read_form(access_.nodes + access_.subscript[last()].first, access_.subscript[last()].size, form,
              2, subscript);
    if (!subscript.known || subscript.coefficient(0) != 1) return false;
    const auto reads = [&](const slice& program) {
      return (variables_in(access_.nodes + program.first, program.size) & variable_bit(loop)) != 0;
    };
    for (int d = 0; d < last(); ++d)
      if (reads(access_.subscript[d])) return false;
    for (int level = 0; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      if (reads(w.first) || reads(w.last) || reads(w.step)) return false;
    }
    return true;
  }

  // Lanes 2 or 4 elements apart, with the elements between them.
  BANKMODEL_FN void add_wider_neighbours(traffic_change_list& list) const {
    if (!may_be_wider()) return;
    const int low = trailing_zeros(worst_.active);
    const std::uint64_t rest = worst_.active & (worst_.active - 1);
    if (rest == 0) return;
    const int next = trailing_zeros(rest);
    const long long distance =
        (worst_.address[next] - worst_.address[low]) / (next - low) / element_;
    if ((distance != 2 && distance != 4) || distance * element_ > 16) return;
    const auto vector = static_cast<int>(distance);
    const layout& l = access_.array.layout;
    bool fits =
        l.extent[last()] % vector == 0 && access_.array.base_bytes % (vector * element_) == 0;
    for (int d = 0; d < last(); ++d) fits = fits && l.stride[d] % vector == 0;
    if (!fits || !is_aligned(access_, vector * element_)) return;
    access_type wider = access_;
    wider.vector = vector;
    traffic_change candidate = change(traffic_remedy::wider_neighbours);
    candidate.vector = vector;
    candidate.after = traffic(machine_, block_, wider, grid_index_);
    for (int element = 1; element < vector; ++element)
      candidate.before =
          candidate.before + traffic(machine_, block_, neighbour(element), grid_index_);
    list.add(candidate);
  }
  // The access with its last subscript increased.
  BANKMODEL_FN access_expression<Wrappers, 2 * Nodes + 2> neighbour(int element) const {
    auto result = enlarged<0, Nodes + 2>(access_);
    result.vector = 1;
    const slice program = access_.subscript[last()];
    copy_nodes(result.nodes + Nodes, access_.nodes + program.first, program.size);
    result.nodes[Nodes + program.size] = {operation::constant, element};
    result.nodes[Nodes + program.size + 1] = {operation::add, 0};
    result.subscript[last()] = {Nodes, program.size + 2};
    return result;
  }

  // ---- other lanes ----

  // Thread axes exchanged, in blocks with the extents exchanged: the same elements, by other lanes.
  BANKMODEL_FN void add_thread_axes(traffic_change_list& list) const {
    constexpr unsigned in_order =
        variable_bit(variable::tid) | variable_bit(variable::lane) | variable_bit(variable::warp);
    if ((variables_in(access_.nodes, Nodes) & in_order) != 0) return;
    if (block_.y > 1) add_axis(variable::ty, {block_.y, block_.x, block_.z}, list);
    if (block_.z > 1) add_axis(variable::tz, {block_.z, block_.y, block_.x}, list);
  }
  BANKMODEL_FN void add_axis(variable axis, const block_dim& block,
                             traffic_change_list& list) const {
    constexpr auto x = static_cast<long long>(variable::tx);
    const auto other = static_cast<long long>(axis);
    access_type exchanged = access_;
    for (node& entry : exchanged.nodes)
      if (entry.op == operation::variable && (entry.value == x || entry.value == other))
        entry.value = x + other - entry.value;
    traffic_change candidate = change(traffic_remedy::thread_axes);
    candidate.block = block;
    candidate.axis = axis;
    candidate.after = traffic(machine_, block, exchanged, grid_index_);
    list.add(candidate);
  }

  // The array stored with rows and columns exchanged.
  BANKMODEL_FN void add_transposed(traffic_change_list& list) const {
    const layout& declared = access_.array.layout;
    if (!is_strided() || declared.rank < 2 || access_.vector != 1) return;
    const int row = last() - 1;
    if (declared.extent[row] >= unknown_extent) return;
    access_type transposed = access_;
    layout& l = transposed.array.layout;
    l.extent[row] = declared.extent[last()];
    l.extent[last()] = declared.extent[row];
    l = l.padded(0);
    transposed.subscript[row] = access_.subscript[last()];
    transposed.subscript[last()] = access_.subscript[row];
    traffic_change candidate = change(traffic_remedy::transposed);
    candidate.array = transposed.array;
    candidate.after = traffic(machine_, block_, transposed, grid_index_);
    list.add(candidate);
  }

  // ---- a tile ----

  // The rows and columns that a block accesses, in pieces of a line, lanes along the rows.
  BANKMODEL_FN void add_tile(traffic_change_list& list) const {
    const layout& l = access_.array.layout;
    if (!is_strided() || access_.kind == access_kind::atomic) return;
    array_description rows = access_.array;
    for (int d = 0; d < last() - 1; ++d) {
      const value_range values = subscript_range(d);
      if (!values.known() || !values.is_one()) return;
      rows.base_bytes += values.lowest * l.stride[d] * element_;
    }
    const value_range column = subscript_range(last()),
                      row = l.rank == 1 ? value_range{0, 0} : subscript_range(last() - 1);
    if (!column.known() || !row.known()) return;
    const long long row_count = row.highest - row.lowest + 1,
                    column_count = column.highest - column.lowest + 1,
                    threads = static_cast<long long>(block_.x) * block_.y * block_.z;
    long long width = line_ / element_ > 0 ? line_ / element_ : 1;
    if (width > column_count) width = column_count;
    if (width > threads) width = threads;
    const long long at_once = threads / width;
    rows.layout = row_major(row.highest + 1, l.extent[last()]);
    if (l.rank > 1) rows.layout = rows.layout.padded(l.stride[last() - 1] - l.extent[last()]);
    const index_expression<1> i = loop_variable(0), j = loop_variable(1), tx = thread(0),
                              ty = thread(1);
    auto copy = for_loop(i, range(0, column_count, width),
                         for_loop(j, range(0, row_count, at_once),
                                  if_threads(i + tx < column_count && ty + j < row_count,
                                             rows[row.lowest + ty + j][column.lowest + i + tx])));
    copy.kind = access_.kind;
    traffic_change candidate = change(traffic_remedy::tile);
    candidate.tile_rows = row_count;
    candidate.tile_columns = width;
    const long long limit = machine_.limits.shared_per_block;
    if (limit > 0 && row_count * (width + 1) * element_ > limit)
      candidate.tile_rows = limit / ((width + 1) * element_);
    if (candidate.tile_rows < 1) return;
    if (candidate.tile_rows < row_count && candidate.tile_rows > machine_.lanes)
      candidate.tile_rows -= candidate.tile_rows % machine_.lanes;
    candidate.after =
        traffic(machine_, block_dim{static_cast<int>(width), static_cast<int>(at_once), 1}, copy);
    list.add(candidate);
  }
  BANKMODEL_FN static index_expression<1> thread(int axis) {
    return {{{operation::variable, static_cast<long long>(variable::tx) + axis}}};
  }

  // ---- ranges ----

  // Those of the variables, filters ignored; unknown for loops whose bounds are not constants, and
  // for lane and warp.
  BANKMODEL_FN void read_ranges() {
    ranges_.set_block(block_, grid_index_);
    ranges_.set(variable::tid, 0, block_.x * block_.y * block_.z - 1);
    for (int number = static_cast<int>(variable::lane); number < variables; ++number)
      ranges_.unfiltered[number] = unknown_range;
    for (int level = 0; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      if (w.kind == wrapper_kind::range && is_constant(w.first) && is_constant(w.last) &&
          is_constant(w.step))
        ranges_.add_loop(w);
    }
  }
  BANKMODEL_FN bool is_constant(const slice& program) const {
    return variables_in(access_.nodes + program.first, program.size) == 0;
  }
  // The range of a linear subscript, at most the values within its extent.
  BANKMODEL_FN value_range subscript_range(int dimension) const {
    const slice& program = access_.subscript[dimension];
    structure subscript{};
    subscript.read(access_.nodes + program.first, program.size, ~0u, 0);
    value_range result = ranges_.range(program);
    if (subscript.nonlinear_in_lanes != 0 || !result.is_narrow()) return unknown_range;
    if (dimension == last()) result.highest += access_.vector - 1;
    if (result.lowest < 0) result.lowest = 0;
    const long long extent = access_.array.layout.extent[dimension];
    if (result.highest >= extent) result.highest = extent - 1;
    return result;
  }

  const machine& machine_;
  const block_dim& block_;
  const block_index& grid_index_;
  const access_type& access_;
  const memory_traffic& traffic_;
  const request& worst_;
  int line_, element_;
  access_view view_;
  variable_ranges ranges_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
