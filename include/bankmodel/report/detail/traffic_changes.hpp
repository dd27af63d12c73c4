// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_TRAFFIC_CHANGES_HPP
#define BANKMODEL_REPORT_DETAIL_TRAFFIC_CHANGES_HPP

#include <bankmodel/global/traffic.hpp>
#include <bankmodel/kernel/enlarged_access.hpp>
#include <bankmodel/kernel/global_array.hpp>
#include <bankmodel/report/detail/affine_subscript.hpp>
#include <bankmodel/report/traffic_change.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The changes of an access to global memory that are known to help, each priced by traffic().
namespace bankmodel::detail {

template <int Wrappers, int Nodes>
class traffic_changes {
 public:
  using access_type = access_expression<Wrappers, Nodes>;

  // `worst`: the request with the most transactions beyond its ideal.
  BANKMODEL_FN traffic_changes(const machine& on, const block_dim& threads, const block_index& at,
                               const access_type& access, const memory_traffic& before,
                               const request& worst)
      : machine_(on),
        block_(threads),
        at_(at),
        access_(access),
        before_(before),
        worst_(worst),
        line_(on.global.line_bytes),
        element_(access.array.element_bytes) {}

  // Adds the changes that reduce the transactions, the fewest first; of two alike the smaller
  // change, in the order of traffic_remedy.
  BANKMODEL_FN void find(traffic_change_list& to) const {
    add_alignment(to);
    const bool is_wider = add_wider_loop(to);
    add_thread_axes(to);
    add_transposed(to);
    add_tile(to);
    if (!is_wider) add_wider_neighbours(to);
  }

 private:
  BANKMODEL_FN traffic_change change(traffic_remedy what) const {
    traffic_change result;
    result.what = what;
    result.before = before_;
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
  BANKMODEL_FN void add_array(traffic_remedy what, const array_description& array,
                              traffic_change_list& to) const {
    if (array == access_.array) return;
    access_type with = access_;
    with.array = array;
    traffic_change one = change(what);
    one.array = array;
    one.after = traffic(machine_, block_, with, at_);
    to.add(one);
  }
  BANKMODEL_FN void add_alignment(traffic_change_list& to) const {
    if (!is_strided()) return;
    const array_description& array = access_.array;
    if (line_ % element_ != 0) return;
    add_array(traffic_remedy::base, aligned_base(array), to);
    if (array.layout.rank < 2 || row_bytes(array) % line_ == 0) return;
    const array_description rows =
        with_row_stride(array, (row_bytes(array) + line_ - 1) / line_ * line_);
    add_array(traffic_remedy::rows, rows, to);
    if (array.layout.rank > 2 || aligned_base(rows) == rows) return;
    add_array(traffic_remedy::rows_and_base, aligned_base(rows), to);
  }

  // ---- several elements in one access ----

  // True if all requests of an access are aligned to `bytes`.
  template <int W, int N>
  BANKMODEL_FN bool is_aligned(const access_expression<W, N>& access, int bytes) const {
    long long bits = 0;
    for_each_request_class(
        machine_, block_, access,
        [&](const request_class& one) {
          for (std::uint64_t rest = one.lanes.active; rest != 0; rest &= rest - 1)
            bits |= one.base + one.lanes.address[trailing_zeros(rest)];
          for (int loop = 0; loop < one.loops; ++loop)
            if (one.loop[loop].trips > 1) bits |= one.loop[loop].step;
        },
        at_);
    return (bits & (bytes - 1)) == 0;
  }
  BANKMODEL_FN bool may_be_wider() const {
    return is_strided() && access_.vector == 1 && access_.kind != access_kind::atomic;
  }

  // A loop over adjacent elements, several in one iteration.
  BANKMODEL_FN bool add_wider_loop(traffic_change_list& to) const {
    if (!may_be_wider()) return false;
    for (int level = access_.depth - 1; level >= 0; --level) {
      const wrapper& w = access_.wrappers[level];
      if (w.kind != wrapper_kind::range || !moves_along_a_row(w.variable)) continue;
      const values_between values = values_of(access_, block_, at_, static_cast<int>(w.variable));
      const affine_subscript step = affine_of(access_.nodes, w.step);
      if (!values.known || w.step.size != 1 || !step.is_constant() || step.constant != 1) continue;
      for (int vector = 16 / element_; vector > 1; vector /= 2) {
        if ((values.high - values.low + 1) % vector != 0) continue;
        access_type wider = access_;
        wider.nodes[w.step.first].value = vector;
        if (!is_aligned(wider, vector * element_)) continue;
        wider.vector = vector;
        traffic_change one = change(traffic_remedy::wider_loop);
        one.vector = vector;
        one.loop = w.variable;
        one.after = traffic(machine_, block_, wider, at_);
        return to.add(one);
      }
    }
    return false;
  }
  // True if only the last subscript reads this loop variable, as a term of its own.
  BANKMODEL_FN bool moves_along_a_row(variable which) const {
    const affine_subscript of = affine_of(access_.nodes, access_.subscript[last()]);
    if (!of.is_affine || of.factor[static_cast<int>(which)] != 1) return false;
    const auto reads = [&](const slice& program) {
      return (variables_in(access_.nodes + program.first, program.size) & variable_bit(which)) != 0;
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
  BANKMODEL_FN void add_wider_neighbours(traffic_change_list& to) const {
    if (!may_be_wider()) return;
    const int low = trailing_zeros(worst_.active);
    const std::uint64_t others = worst_.active & (worst_.active - 1);
    if (others == 0) return;
    const int next = trailing_zeros(others);
    const long long apart = (worst_.address[next] - worst_.address[low]) / (next - low) / element_;
    if ((apart != 2 && apart != 4) || apart * element_ > 16) return;
    const auto vector = static_cast<int>(apart);
    const layout& l = access_.array.layout;
    bool fits =
        l.extent[last()] % vector == 0 && access_.array.base_bytes % (vector * element_) == 0;
    for (int d = 0; d < last(); ++d) fits = fits && l.stride[d] % vector == 0;
    if (!fits || !is_aligned(access_, vector * element_)) return;
    access_type wider = access_;
    wider.vector = vector;
    traffic_change one = change(traffic_remedy::wider_neighbours);
    one.vector = vector;
    one.after = traffic(machine_, block_, wider, at_);
    for (int element = 1; element < vector; ++element)
      one.before = one.before + traffic(machine_, block_, neighbour(element), at_);
    to.add(one);
  }
  // The access with its last subscript increased.
  BANKMODEL_FN access_expression<Wrappers, 2 * Nodes + 2> neighbour(int element) const {
    auto result = enlarged<0, Nodes + 2>(access_);
    result.vector = 1;
    const slice of = access_.subscript[last()];
    copy_nodes(result.nodes + Nodes, access_.nodes + of.first, of.size);
    result.nodes[Nodes + of.size] = {operation::constant, element};
    result.nodes[Nodes + of.size + 1] = {operation::add, 0};
    result.subscript[last()] = {Nodes, of.size + 2};
    return result;
  }

  // ---- other lanes ----

  // Thread axes exchanged, in blocks with the extents exchanged: the same elements, by other lanes.
  BANKMODEL_FN void add_thread_axes(traffic_change_list& to) const {
    constexpr unsigned in_order =
        variable_bit(variable::tid) | variable_bit(variable::lane) | variable_bit(variable::warp);
    if ((variables_in(access_.nodes, Nodes) & in_order) != 0) return;
    if (block_.y > 1) add_axis(variable::ty, {block_.y, block_.x, block_.z}, to);
    if (block_.z > 1) add_axis(variable::tz, {block_.z, block_.y, block_.x}, to);
  }
  BANKMODEL_FN void add_axis(variable with, const block_dim& block, traffic_change_list& to) const {
    constexpr auto x = static_cast<long long>(variable::tx);
    const auto other = static_cast<long long>(with);
    access_type exchanged = access_;
    for (node& one : exchanged.nodes)
      if (one.op == operation::variable && (one.value == x || one.value == other))
        one.value = x + other - one.value;
    traffic_change one = change(traffic_remedy::thread_axes);
    one.block = block;
    one.axis = with;
    one.after = traffic(machine_, block, exchanged, at_);
    to.add(one);
  }

  // The array stored with rows and columns exchanged.
  BANKMODEL_FN void add_transposed(traffic_change_list& to) const {
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
    traffic_change one = change(traffic_remedy::transposed);
    one.array = transposed.array;
    one.after = traffic(machine_, block_, transposed, at_);
    to.add(one);
  }

  // ---- a tile ----

  // The rows and columns that a block accesses, in pieces of a line, lanes along the rows.
  BANKMODEL_FN void add_tile(traffic_change_list& to) const {
    const layout& l = access_.array.layout;
    if (!is_strided() || access_.kind == access_kind::atomic) return;
    array_description rows = access_.array;
    for (int d = 0; d < last() - 1; ++d) {
      const values_between one = values_of_subscript(access_, block_, at_, d);
      if (!one.known || one.low != one.high) return;
      rows.base_bytes += one.low * l.stride[d] * element_;
    }
    const values_between column = values_of_subscript(access_, block_, at_, last());
    const values_between row = l.rank == 1 ? values_between{true, 0, 0}
                                           : values_of_subscript(access_, block_, at_, last() - 1);
    if (!column.known || !row.known) return;
    const long long row_count = row.high - row.low + 1, column_count = column.high - column.low + 1,
                    threads = static_cast<long long>(block_.x) * block_.y * block_.z;
    long long width = line_ / element_ > 0 ? line_ / element_ : 1;
    if (width > column_count) width = column_count;
    if (width > threads) width = threads;
    const long long at_once = threads / width;
    rows.layout = row_major(row.high + 1, l.extent[last()]);
    if (l.rank > 1) rows.layout = rows.layout.padded(l.stride[last() - 1] - l.extent[last()]);
    const index_expression<1> i = loop_variable(0), j = loop_variable(1), tx = thread(0),
                              ty = thread(1);
    auto copy = for_loop(i, range(0, column_count, width),
                         for_loop(j, range(0, row_count, at_once),
                                  if_threads(i + tx < column_count && ty + j < row_count,
                                             rows[row.low + ty + j][column.low + i + tx])));
    copy.kind = access_.kind;
    traffic_change one = change(traffic_remedy::tile);
    one.tile_rows = row_count;
    one.tile_columns = width;
    const long long limit = machine_.limits.shared_per_block;
    if (limit > 0 && row_count * (width + 1) * element_ > limit)
      one.tile_rows = limit / ((width + 1) * element_);
    if (one.tile_rows < 1) return;
    if (one.tile_rows < row_count && one.tile_rows > machine_.lanes)
      one.tile_rows -= one.tile_rows % machine_.lanes;
    one.after =
        traffic(machine_, block_dim{static_cast<int>(width), static_cast<int>(at_once), 1}, copy);
    to.add(one);
  }
  BANKMODEL_FN static index_expression<1> thread(int axis) {
    return {{{operation::variable, static_cast<long long>(variable::tx) + axis}}};
  }

  const machine& machine_;
  const block_dim& block_;
  const block_index& at_;
  const access_type& access_;
  const memory_traffic& before_;
  const request& worst_;
  int line_, element_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
