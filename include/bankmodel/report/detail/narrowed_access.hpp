// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_NARROWED_ACCESS_HPP
#define BANKMODEL_REPORT_DETAIL_NARROWED_ACCESS_HPP

#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/report/detail/lane_table.hpp>

// An access whose loops and filters are rewritten until one request is left.
namespace bankmodel::detail {

// The wrappers and nodes of an access, and room for those that are added.
template <int Wrappers, int Nodes>
struct room_to_narrow {
  static constexpr int loops = Wrappers < loop_variables ? Wrappers : loop_variables;
  // A filter on the warp, and one for each loop.
  wrapper wrappers[Wrappers + loops + 1];
  // The three nodes of the first filter; for each loop either copies of its programs and some
  // constants, or a table, a filter and constants.
  node nodes[3 * Nodes + 3 + loops * (12 + most_nodes_of_a_lane_filter + lane_table::most_nodes)];
};

// The highest number that a request of an access has, and the steps of work with those before.
struct highest_number {
  int number;
  long long work;
};
// Finds it, or any number from `wanted` on. Error: the work is more than most_work().
using number_of_requests = highest_number (*)(const machine& m, const block_dim& block,
                                              const access_view& view, const block_index& at,
                                              int wanted, long long work);

// The degree, of requests to shared memory.
BANKMODEL_FN highest_number highest_degree(const machine& m, const block_dim& block,
                                           const access_view& view, const block_index& at, int,
                                           long long work) {
  const counted_total here = counted(m, block, view, at, work);
  return {here.sum.degree, here.work};
}

class narrowed_access {
 public:
  // The access inside a filter at level 0, whose condition is still to be set. `worst`: the highest
  // number of its requests. (The machine is not named m: in a constructor that is a template, g++
  // finds that m shadows index::m where users have `using bankmodel::index::m`.)
  template <int Wrappers, int Nodes>
  BANKMODEL_FN narrowed_access(const machine& on, const block_dim& block, const block_index& at,
                               const access_expression<Wrappers, Nodes>& access,
                               number_of_requests highest, int worst,
                               room_to_narrow<Wrappers, Nodes>& room)
      : machine_(on),
        block_(block),
        at_(at),
        wrappers_(room.wrappers),
        nodes_(room.nodes),
        size_(Nodes),
        highest_(highest),
        worst_(worst),
        view_{access.array, access.subscripts, access.subscript, access.vector,
              access.kind,  room.wrappers,     access.depth + 1, room.nodes} {
    copy_nodes(nodes_, access.nodes, Nodes);
    for (int level = 0; level < access.depth; ++level)
      wrappers_[level + 1] = access.wrappers[level];
  }

  // ---- its requests ----

  // True if a request with the worst number is left. Error: as for total(), which counts the whole
  // access; a compiler's steps are limited for all calls together.
  BANKMODEL_FN bool has_worst() {
    const highest_number here = highest_(machine_, block_, view_, at_, worst_, work_);
    if (__builtin_is_constant_evaluated()) work_ = here.work;
    return here.number == worst_;
  }
  // Returns the least end in [1, most] for which one is left after set(begin, end), which keeps the
  // iterations before `end`, and may leave out those before `begin`, which have none. Requires: one
  // is left for `most`. It calls set() last for any numbers. The first ends are tried first: often
  // one of them is found. All calls together count each iteration a few times at most, so they
  // take a few times as long as the total.
  template <class Set>
  BANKMODEL_FN long long least(long long most, const Set& set) {
    long long low = 1, high = 1;
    while (high < most) {
      set(low - 1, high);
      if (has_worst()) break;
      low = high + 1;
      high = most / 2 < high ? most : 2 * high;
    }
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      set(low - 1, middle);
      if (has_worst())
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  // Returns the only request. Requires: one iteration of one warp is left, which makes one request
  // class.
  BANKMODEL_FN request only_request() const {
    taker only;
    if (view_.array.layout.is_strided()) {
      visit_request_classes(machine_, block_, view_, at_, only);
    } else {
      const access_as_laid_out laid_out(view_, view_.array.layout);
      visit_request_classes(machine_, block_, laid_out.view(), at_, only);
    }
    return only.found;
  }

  // ---- its wrappers, the outermost at level 0 ----

  BANKMODEL_FN int depth() const { return view_.depth; }
  BANKMODEL_FN wrapper& operator[](int level) { return wrappers_[level]; }
  BANKMODEL_FN void insert_filter(int level, const slice& condition) {
    for (int at = view_.depth++; at > level; --at) wrappers_[at] = wrappers_[at - 1];
    set_filter(level, condition);
  }
  BANKMODEL_FN void set_filter(int level, const slice& condition) {
    wrappers_[level] = {wrapper_kind::filter, variable::loop_0, condition, {}, {}};
  }

  // ---- its programs ----

  BANKMODEL_FN long long value(const slice& program, const long long* values) const {
    return evaluate(nodes_ + program.first, program.size, values);
  }
  BANKMODEL_FN unsigned variables(const slice& program) const {
    return variables_in(nodes_ + program.first, program.size);
  }
  BANKMODEL_FN node& operator()(int number) { return nodes_[number]; }

  // The number of the next node.
  BANKMODEL_FN int end() const { return size_; }
  BANKMODEL_FN slice since(int first) const { return {first, size_ - first}; }
  BANKMODEL_FN slice append(operation op, long long value = 0) {
    nodes_[size_] = {op, value};
    return {size_++, 1};
  }
  BANKMODEL_FN slice append_constant(long long value) { return append(operation::constant, value); }
  BANKMODEL_FN slice append_variable(variable which) {
    return append(operation::variable, static_cast<long long>(which));
  }
  BANKMODEL_FN slice append_copy(const slice& program) {
    copy_nodes(nodes_ + size_, nodes_ + program.first, program.size);
    size_ += program.size;
    return since(size_ - program.size);
  }
  // Writes a table after the last node, or over the table that was written there before; it is not
  // kept before append_table().
  BANKMODEL_FN slice write_table(const long long* values, std::uint64_t lanes) {
    return {size_, lane_table(values, lanes, nodes_ + size_).size()};
  }
  BANKMODEL_FN slice append_table(const long long* values, std::uint64_t lanes) {
    const slice table = write_table(values, lanes);
    size_ += table.size;
    return table;
  }
  BANKMODEL_FN slice append_lane_filter(std::uint64_t lanes) {
    const int first = size_;
    size_ += write_lane_filter(lanes, nodes_ + size_);
    return since(first);
  }

 private:
  struct taker {
    request found;
    BANKMODEL_FN void operator()(const request_class& one) {
      found = one.lanes;
      for (std::uint64_t rest = found.active; rest != 0; rest &= rest - 1)
        found.address[trailing_zeros(rest)] += one.base;
    }
  };

  const machine& machine_;
  const block_dim& block_;
  const block_index& at_;
  wrapper* wrappers_;
  node* nodes_;
  int size_;  // nodes in use
  number_of_requests highest_;
  int worst_;
  long long work_ = 0;  // steps of all calls, in a constant expression
  access_view view_;
};

}  // namespace bankmodel::detail

#endif
