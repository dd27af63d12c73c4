// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_EXPLANATION_HPP
#define BANKMODEL_EXPLAIN_EXPLANATION_HPP

#include <bankmodel/count/degrees_by_base.hpp>
#include <bankmodel/explain/detail/worst_place.hpp>
#include <bankmodel/explain/worst_request.hpp>
#include <bankmodel/search/first_padding.hpp>
#include <bankmodel/search/optimizer.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Why an access conflicts: its worst request, the lanes that collide in it, and a remedy.
// report.hpp writes it as text, draw.hpp draws it.
//
// Example: float tile[32][32], read by columns in a block of 32 x 8 threads:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto read = load(for_loop(j, range(0, 32, 8), tile[tx][ty + j]));
//   constexpr auto why = explain(nvidia::sm_90, block_dim{32, 8}, read);
//   static_assert(why.all == cost{32, 1024, 32, 32});
//   static_assert(why.warp == 0 && why.loop[0].value == 0);  // the request of j = 0 in warp 0
//   static_assert(why.phase == 0 && why.phases == 1 && why.bank == 0);
//   static_assert(why.degree == 32 && why.lanes == 32);  // 32 layers, touched by 32 lanes
//   static_assert(why.meets[1].lane == 1 && why.meets[1].word == 32 && why.meets[1].layer == 1);
//   static_assert(why.of_worst.wavefronts == 32 && why.of_worst.ideal == 1);
//   static_assert(why.remedy.layout == row_major(32, 32).padded(1));
//   static_assert(why.remedy.more_bytes == 128 && why.remedy.after.conflicts() == 0);
//
// Why only the worst request? A conflict is understood from one: the other 31 requests
// here differ only in j and the warp. Why is the remedy for this access alone? It shows the
// cause; the layout that is best for all accesses of a kernel together comes from optimize().
// Not covered: how often each degree occurs; total() has the sums.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void explain_must_be_given_an_access_to_shared_memory() {
  detail::fail(__func__,
               "the array is in global memory, which has no banks; call explain_traffic() of "
               "explain/traffic_explanation.hpp");
}
}  // namespace rule

// What optimize() finds for this access alone: fewest wavefronts, then the simplest index
// function (padding before permutations), then fewest bytes.
struct layout_change {
  bool found = false;  // false: the array does not fit in the shared memory of a block, or:
  // Not searched: more than 2^64 / (lanes of a warp * bytes of an access) requests, 2^57 for float.
  bool has_too_many_requests = false;
  bool is_complete = false;  // as of a plan: if not, a call at run time may find a better change
  bankmodel::layout layout;
  long long offset_bytes = 0;  // the best offset from a multiple of a layer of all banks
  int bank_width = 0;          // the bank width to switch the machine to, in bytes of a word
  bool switches_banks = false;
  long long more_bytes = 0;  // bytes that this takes in addition to the declared array
  cost after;

  // True if no conflict remains.
  BANKMODEL_FN bool removes_all() const { return found && after.conflicts() == 0; }
};

// One of the lanes that collide in a bank.
struct meeting_lane {
  int lane;
  long long word;   // the first that it touches in the bank: address / N
  long long layer;  // the layer of that word
};

// The result of explain().
struct explanation {
  array_description array;  // of a request: without a name
  cost all;                 // total() of the access
  int access = 0;  // of several accesses or classes, the number of the explained one, from 0

  // ---- the worst request: the first of the block, warp by warp, with a phase of all.degree ----

  request worst;  // its lanes and addresses; no lane is active if the access issues no request
  cost of_worst;  // the cost of that request
  int warp = 0;
  int loops = 0;  // the loops around it, the outermost first
  loop_position loop[bankmodel::loop_variables] = {};

  // ---- its worst phase, and in it the first bank with the most layers ----

  int phase = 0, phases = 1;
  int offset_bytes = 0;  // of the worst piece, if accesses are split (compute capability 1.x)
  geometry banks = {};
  int bank = 0, degree = 0;
  serving counts = serving::by_layer;  // by layers or by lanes: the unit of `degree`
  int lanes = 0;                       // lanes that touch this bank, in ascending order
  meeting_lane meets[max_lanes] = {};

  layout_change remedy;
};

namespace detail {

// Sets the members that follow from e.worst: its cost, its first phase and piece of the highest
// degree, in this the first bank with the most layers, and the lanes that touch this bank.
BANKMODEL_FN void describe_worst(const machine& m, explanation& e) {
  const request& worst = e.worst;
  const service rules = m.served(worst.bytes, worst.kind);
  const lane_groups phases = phases_of(m, rules, worst);
  served_piece fullest;
  e.of_worst = count_passes(m, rules, e.banks, worst, phases, &fullest);
  e.phases = 1 << phases.bits();
  e.counts = rules.serves;
  e.degree = fullest.passes;
  e.phase = fullest.phase;
  e.offset_bytes = fullest.offset;
  e.bank = fullest.bank;
  const int piece = rules.bytes_at_a_time(worst.bytes), word_bits = twos(e.banks.N),
            layer_bits = twos(e.banks.bank_num * e.banks.W) - word_bits, offset = fullest.offset,
            bank = fullest.bank, other_banks = e.banks.bank_num - 1;
  int count = 0;
  for (std::uint64_t rest = fullest.lanes; rest != 0; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    const long long first = worst.address[lane] + offset, last = (first + piece - 1) >> word_bits;
    long long word = first >> word_bits;  // then the first of them in the bank
    word += (bank - word) & other_banks;
    if (word <= last) e.meets[count++] = {lane, word, word >> layer_bits};
  }
  e.lanes = count;
}

// The change for an access that was counted: `all` is its cost, and `worst` its worst request.
template <int Wrappers, int Nodes>
BANKMODEL_FN layout_change change_of(const machine& m, const block_dim& block,
                                     const access_expression<Wrappers, Nodes>& access,
                                     const cost& all, const found_request& worst) {
  const array_description& array = access.array;
  layout_change result;
  // On any machine and in any layout a lane takes at most one pass for each of its bytes.
  const std::uint64_t most_passes =
      static_cast<std::uint64_t>(m.lanes * access.vector * array.element_bytes);
  result.has_too_many_requests = all.requests > ~std::uint64_t{0} / most_passes;
  if (result.has_too_many_requests) return result;
  search options;
  options.prefer = preference::simple_indices;
  const long long declared_bytes = array.layout.required_size() * array.element_bytes;
  if (m.limits.shared_per_block > 0 && declared_bytes > m.limits.shared_per_block)
    options.shared_bytes = m.limits.shared_per_block_opt_in;
  const bool is_whole_warp = worst.lanes.active == ~std::uint64_t{0} >> (max_lanes - m.lanes);
  padding_choice first{};
  if (worst.steps.known && is_whole_warp &&
      find_first_padding(m, view_of(access), worst.steps, most_bytes_of(m, 0, options), first)) {
    result.found = result.is_complete = true;
    result.layout = padded_as(array.layout, first);
    result.bank_width = m.bank_width;
    result.more_bytes = result.layout.required_size() * array.element_bytes - declared_bytes;
    result.after = {all.requests, all.requests, all.requests, 1, all.method};
    return result;
  }
  layout_plan<1> plan;
  result.found = fill_in(m, kernel(block, access), options, plan).exists;
  if (!result.found) return result;
  const planned_array& planned = plan.array(0);
  result.is_complete = plan.is_complete();
  result.layout = planned.layout;
  result.offset_bytes = planned.offset_bytes;
  result.bank_width = plan.bank_width();
  result.switches_banks = plan.bank_width() != m.bank_width;
  result.more_bytes = plan.bytes() - declared_bytes;
  result.after = plan.after();
  return result;
}

// An access to shared memory, counted with its worst request.
struct counted_banks {
  static constexpr memory_space memory = memory_space::shared;
  cost sum;
  found_request worst;

  // Error: as for total().
  BANKMODEL_FN void count(const machine& m, const block_dim& block, const access_view& view,
                          const block_index& grid_index) {
    m.require_valid();
    long long work = 0;
    if (!view.array.layout.is_strided()) work = counted_in_rows(m, block, view, grid_index, 0).work;
    count_with_worst<degrees_by_base>(m, block, view, grid_index, work, sum, worst);
  }
  BANKMODEL_FN std::uint64_t excess() const { return sum.conflicts(); }

  // The explanation without its remedy. Requires: count(), of that access.
  BANKMODEL_FN explanation placed(const machine& m, const block_dim& block, const access_view& view,
                                  const block_index& grid_index) const {
    explanation result;
    result.array = view.array;
    result.all = sum;
    result.banks = m.banks(view.bytes(), view.kind);
    if (sum.requests == 0) return result;
    place_worst(m, block, grid_index, view, worst, result);
    describe_worst(m, result);
    return result;
  }
  template <int Wrappers, int Nodes>
  BANKMODEL_FN explanation explained(const machine& m, const block_dim& block,
                                     const access_expression<Wrappers, Nodes>& access,
                                     const block_index& grid_index) const {
    explanation result = placed(m, block, view_of(access), grid_index);
    result.remedy = change_of(m, block, access, sum, worst);
    return result;
  }
};

template <int Wrappers, int Nodes>
BANKMODEL_FN counted_banks counted_for_explanation(const machine& m, const block_dim& block,
                                                   const access_expression<Wrappers, Nodes>& access,
                                                   const block_index& grid_index) {
  if (access.array.memory == memory_space::global)
    rule::explain_must_be_given_an_access_to_shared_memory();
  counted_banks counted;
  counted.count(m, block, view_of(access), grid_index);
  return counted;
}
// The explanation without its remedy.
template <int Wrappers, int Nodes>
BANKMODEL_FN explanation worst_of(const machine& m, const block_dim& block,
                                  const access_expression<Wrappers, Nodes>& access,
                                  const block_index& grid_index = {}) {
  return counted_for_explanation(m, block, access, grid_index)
      .placed(m, block, view_of(access), grid_index);
}

}  // namespace detail

// Returns the reason for an access's conflicts: its worst request with warp, iteration, phase and
// bank, the lanes and words that collide there, and the change that optimize() finds for this
// access alone.
//
// The access is counted once, as by total(); counting notes where requests are made, and keeps the
// first one with the highest degree: the first in the order of warps, then of the outermost loop,
// and so on. So the work grows with trip counts only if total() enumerates a loop. (Besides, the
// change is searched for.) Error: the array is in global memory; the errors of total(), and in a
// constant expression too much work of all these together. Example: at the top.
template <int Wrappers, int Nodes>
BANKMODEL_FN explanation explain(const machine& m, const block_dim& block,
                                 const access_expression<Wrappers, Nodes>& access,
                                 const block_index& grid_index = {}) {
  return detail::counted_for_explanation(m, block, access, grid_index)
      .explained(m, block, access, grid_index);
}

// Explains the access to shared memory with the most conflicts, the first of those; .access is its
// number, those to global memory counted too.
// Error: there is no access to shared memory.
template <class First, class... Rest>
BANKMODEL_FN explanation explain(const machine& m, const block_dim& block,
                                 const access_list<First, Rest...>& list,
                                 const block_index& grid_index = {}) {
  detail::worst_access<detail::counted_banks> finder{m, block, grid_index};
  finder.find(list);
  if (finder.number < 0) rule::explain_must_be_given_an_access_to_shared_memory();
  explanation result;
  finder.next = 0;
  finder.explain_it(list, result);
  result.access = finder.number;
  return result;
}
template <detail::accesses First, detail::accesses Second, detail::accesses... Rest>
BANKMODEL_FN explanation explain(const machine& m, const block_dim& block, const First& first,
                                 const Second& second, const Rest&... rest) {
  return explain(m, block, detail::list_of(first, second, rest...));
}
template <class... Accesses>
BANKMODEL_FN explanation explain(const machine& m, const kernel_description<Accesses...>& kernel,
                                 const block_index& grid_index = {}) {
  return explain(m, kernel.block, kernel.accesses, grid_index);
}

// Explains one request: its worst phase, and the lanes that collide there. Without an array there
// is no remedy (remedy.found is false). Error: as for total(machine, request).
// Example: 32 layers of bank 0:
//
//   request r{.active = 0xffffffff, .bytes = 4};
//   for (int lane = 0; lane < 32; ++lane) r.address[lane] = 128 * lane;
//   const auto why = explain(nvidia::sm_90, r);
//   assert(why.bank == 0 && why.degree == 32);
BANKMODEL_FN explanation explain(const machine& m, const request& r) {
  explanation result;
  result.all = result.of_worst = total(m, r);
  result.worst = r;
  result.banks = m.banks(r.bytes, r.kind);
  if (result.all.requests != 0) detail::describe_worst(m, result);
  return result;
}

// Explains `count` request classes, from for_each_request_class() or from elsewhere: .all is the
// cost of all their requests, and .worst the first request with the highest degree. The order is
// that of the classes (.access is the number of the class), and in a class that of nested loops,
// loop[0] being the outermost. There is no remedy, as for one request.
// Where the class says where its requests come from, .warp is the warp of that request; .loop is
// not set, since a class has no values of loop variables. The work does not grow with trip counts.
// Error: the errors of total(machine, request_class).
// Example: one class of 32 requests:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto read = load(for_loop(j, range(0, 32, 8), tile[tx][ty + j]));
//   const auto classes = request_classes_of<4>(nvidia::sm_90, block_dim{32, 8}, read);
//   const auto why = explain(nvidia::sm_90, classes.each, classes.count);
//   assert(why.all.conflicts() == 992 && why.worst.address[1] == 128 && why.degree == 32);
BANKMODEL_FN explanation explain(const machine& m, const request_class* classes, int count) {
  explanation result;
  int degree = -1;
  for (int number = 0; number < count; ++number) {
    const request_class& requests = classes[number];
    const detail::worst_of_class worst(m, requests);
    result.all = result.all + worst.sum;
    if (worst.sum.degree <= degree) continue;
    degree = worst.sum.degree;
    result.access = number;
    result.worst = worst.worst(requests);
    if (requests.first.warp >= 0) result.warp = requests.place(worst.steps).warp;
  }
  if (count < 1) return result;
  result.banks = m.banks(result.worst.bytes, result.worst.kind);
  if (result.all.requests != 0) detail::describe_worst(m, result);
  return result;
}
BANKMODEL_FN explanation explain(const machine& m, const request_class& requests) {
  return explain(m, &requests, 1);
}

}  // namespace bankmodel
#include <bankmodel/core/restore_macros.hpp>
#endif
