// SPDX-License-Identifier: MIT
// Plans of random sets of request classes against every layout of every family, with costs from the
// elements that the classes touch. The seeds are the case numbers: BANKMODEL_FIRST_SEED and
// BANKMODEL_CASES in the environment select others.
#include "every_layout.hpp"

#include <bankmodel/count/for_each_base.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/search/optimize_requests.hpp>

#include "catch.hpp"

#include <cstdlib>
#include <random>
#include <sstream>
#include <vector>

namespace bm = bankmodel;

namespace {

bm::detail::four four_of(const every::coordinates& at) { return {at[0], at[1], at[2], at[3]}; }

every::coordinates coordinates_of(const bm::layout& in, long long element) {
  every::coordinates result{};
  for (int d = in.rank - 1; d >= 0; --d) {
    result[static_cast<std::size_t>(d)] = element % in.extent[d];
    element /= in.extent[d];
  }
  return result;
}

// The requests of a class, as every_layout.hpp has them of an access.
every::access_run run_of(const bm::machine& m, const bm::request_class& one, every::one_array& of) {
  every::access_run result;
  result.bytes = one.lanes.bytes;
  result.load = one.lanes.kind == bm::access_kind::load;
  const every::service how = every::service_of(m, result.bytes, result.load);
  bm::for_each_base(one, [&](long long base, std::uint64_t times) {
    oracle::by_lane element;
    for (int lane = 0; lane < m.lanes; ++lane) {
      if ((one.lanes.active >> lane & 1) == 0) continue;
      const auto at = coordinates_of(of.declared.layout,
                                     (base + one.lanes.address[lane]) / of.declared.element_bytes);
      auto known = std::find(of.elements.begin(), of.elements.end(), at);
      if (known == of.elements.end()) known = of.elements.insert(known, at);
      element[lane] = known - of.elements.begin();
    }
    every::phases request;
    for (const auto& [number, of_lanes] : oracle::phases(how.phase_of, how.pairs, element)) {
      std::vector<int> phase(of_lanes.begin(), of_lanes.end());
      std::sort(phase.begin(), phase.end());
      phase.erase(std::unique(phase.begin(), phase.end()), phase.end());
      request.push_back(phase);
    }
    result.number += times;
    result.ideal += times * (how.overlap ? 2 : request.size());
    if (how.overlap)
      result.requests[request] += times;
    else
      for (const auto& phase : request) result.requests[{phase}] += times;
    return true;
  });
  return result;
}

struct random_set {
  bm::machine machine;
  const char* machine_name = "";
  bm::array_description array;
  std::vector<bm::request_class> classes;
  bm::search how;
};

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  random_set make() {
    random_set made;
    const struct {
      const char* name;
      const bm::machine& machine;
    } machines[] = {{"sm_90", bm::nvidia::sm_90}, {"sm_90", bm::nvidia::sm_90},
                    {"sm_90", bm::nvidia::sm_90}, {"sm_35", bm::nvidia::sm_35},
                    {"sm_20", bm::nvidia::sm_20}, {"gfx942", bm::amd::gfx942}};
    const auto& on = machines[below(6)];
    made.machine = on.machine;
    made.machine_name = on.name;
    const int bytes = 1 << below(4);
    const int rank = 1 + below(3);
    long long extent[3] = {};
    long long size = 1;
    for (int d = 0; d < rank; ++d) {
      extent[d] = below(2) == 0 ? 1ll << below(rank == 1 ? 8 : 6) : 1 + below(rank == 1 ? 200 : 24);
      if (rank == 3 && extent[d] > 8) extent[d] = 8;
      size *= extent[d];
    }
    made.array = rank == 1   ? bm::shared_array<char>("a", extent[0])
                 : rank == 2 ? bm::shared_array<char>("a", extent[0], extent[1])
                             : bm::shared_array<char>("a", extent[0], extent[1], extent[2]);
    made.array.element_bytes = bytes;
    if (rank > 1 && below(5) == 0) made.array.layout = made.array.layout.padded(below(4));
    for (int more = 1 + below(3); more > 0; --more) {
      bm::request_class one;
      if (!fill(one, made.machine, size, bytes)) continue;
      made.classes.push_back(one);
      if (below(6) == 0) made.classes.push_back(one);  // the same once more
    }
    const bm::layout_families families[] = {
        bm::layouts::as_declared, bm::layouts::padding,  bm::layouts::padding,
        bm::layouts::xor_swizzle, bm::layouts::rotation, bm::layouts::triangular,
        bm::layouts::modular,     bm::layouts::linear,   bm::layouts::permutations,
        bm::layouts::all,         bm::layouts::all};
    made.how.layouts = families[below(11)];
    made.how.effort = 1ll << 24;
    return made;
  }

 private:
  int below(long long limit) {
    return static_cast<int>(random_() % static_cast<std::uint64_t>(limit));
  }

  // Lanes that are all active, in equal gaps, few, or any; their elements in equal steps of lanes
  // or of active lanes, in runs, or anywhere.
  bool fill(bm::request_class& one, const bm::machine& m, long long size, int bytes) {
    const std::uint64_t warp = ~std::uint64_t{0} >> (bm::max_lanes - m.lanes);
    const int gap = 1 + below(9), first = below(gap);
    std::uint64_t active = 0;
    switch (below(5)) {
      case 0: active = warp; break;
      case 1:
        for (int lane = first; lane < m.lanes; lane += gap) active |= std::uint64_t{1} << lane;
        break;
      case 2:
        active = std::uint64_t{1} << below(m.lanes) | std::uint64_t{1} << below(m.lanes);
        break;
      case 3: active = random_() & random_() & warp; break;
      default: active = (std::uint64_t{1} << below(m.lanes)) - 1; break;
    }
    if (active == 0) return false;
    one.lanes.active = active;
    one.lanes.bytes = bytes;
    one.lanes.kind = below(3) == 0 ? bm::access_kind::store : bm::access_kind::load;
    one.times = 1 + static_cast<std::uint64_t>(below(3));

    // Loops first: they need room.
    long long most = size - 1;  // the highest element of the lanes
    long long lowest = 0;
    one.loops = below(3);
    for (int level = 0; level < one.loops; ++level) {
      const long long trips = 1 + below(5), step = below(3) == 0 ? below(3) : below(40);
      if (step * (trips - 1) > most) {
        one.loop[level] = {0, trips};
        continue;
      }
      most -= step * (trips - 1);
      const bool down = below(4) == 0;
      if (down) lowest += step * (trips - 1);
      one.loop[level] = {(down ? -step : step) * bytes, trips};
    }
    const int form = below(5);
    const long long step = form == 0 ? 1 + below(2) : below(70), every = 1 + below(8);
    const long long begin = below(most + 1);
    long long number = 0, low = 0;
    bool any = false;
    for (int lane = 0; lane < m.lanes; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      const long long at = form <= 1   ? lane * step
                           : form == 2 ? number * step
                           : form == 3 ? lane / every * step
                                       : below(most + 1);
      const long long element = (begin + at) % (most + 1);
      if (!any) low = element;
      any = true;
      one.lanes.address[lane] = element * bytes;
      ++number;
    }
    // The base anywhere: only the sums count.
    const long long base = below(2) == 0 ? 0 : low;
    for (int lane = 0; lane < m.lanes; ++lane) one.lanes.address[lane] -= base * bytes;
    one.base = (base + lowest) * bytes;
    return true;
  }

  std::mt19937_64 random_;
};

std::string text_of(const random_set& set) {
  std::ostringstream text;
  text << set.machine_name << ", " << every::text_of(set.array, set.array.layout) << ", families "
       << set.how.layouts.bits;
  for (const bm::request_class& one : set.classes) {
    text << "\n  " << (one.lanes.kind == bm::access_kind::load ? "load" : "store") << " times "
         << one.times << " base " << one.base;
    for (int level = 0; level < one.loops; ++level)
      text << " loop {" << one.loop[level].step << ", " << one.loop[level].trips << "}";
    for (int lane = 0; lane < set.machine.lanes; ++lane)
      if ((one.lanes.active >> lane & 1) != 0)
        text << " " << lane << ":" << one.lanes.address[lane];
  }
  return text.str();
}

struct tally {
  int sets = 0, optimal = 0, complete = 0, improved = 0, conflicting = 0;
  long long layouts = 0;
};

void check_one(const random_set& set, tally& all) {
  const auto plan = bm::optimize(set.machine, bm::block_dim{set.machine.lanes}, set.array,
                                 set.classes.data(), static_cast<int>(set.classes.size()), set.how);
  every::one_array array{set.array, set.array.element_bytes, {}, {}};
  for (const bm::request_class& one : set.classes)
    array.runs.push_back(run_of(set.machine, one, array));

  const auto counted = [&](const bm::machine& m, const bm::layout& as, long long base) {
    oracle::counts sum;
    for (const every::access_run& run : array.runs) {
      const oracle::counts one = every::counted_at(
          m, array, run, [&](const every::coordinates& at) { return as(four_of(at)); }, base);
      sum.requests += one.requests;
      sum.wavefronts += one.wavefronts;
      sum.ideal += one.ideal;
      sum.degree = std::max(sum.degree, one.degree);
    }
    return sum;
  };
  const auto same = [](const bm::cost& cost, const oracle::counts& counts) {
    CHECK(cost.requests == counts.requests);
    CHECK(cost.wavefronts == counts.wavefronts);
    CHECK(cost.ideal == counts.ideal);
    CHECK(cost.degree == counts.degree);
  };
  const bm::machine planned_on = set.machine.with_bank_width(plan.bank_width());
  same(plan.before(), counted(set.machine, set.array.layout, 0));
  same(plan.after(), counted(planned_on, plan.layout(0), plan.offset_bytes(0)));
  CHECK(plan.after().wavefronts <= plan.before().wavefronts);

  ++all.sets;
  all.optimal += plan.is_optimal();
  all.complete += plan.is_complete();
  all.improved += plan.after().wavefronts < plan.before().wavefronts;
  all.conflicting += plan.after().conflicts() > 0;
  if (!plan.is_complete() && !plan.is_optimal()) return;  // what it says of itself

  // Nothing of the families has fewer wavefronts.
  every::limits limit;
  limit.layouts = set.how.layouts;
  const auto& of = set.machine.limits;
  const long long most_bytes = of.shared_per_block;
  limit.most_bytes = most_bytes;
  for (const bm::machine& m : every::widths_of(set.machine))
    for (const every::access_run& run : array.runs) {
      const every::service how = every::service_of(m, run.bytes, run.load);
      limit.layer = std::max(limit.layer, how.banks.bank_num * how.banks.W);
    }
  const every::goal fewer = [&](long long bytes, long long) -> long long {
    return bytes <= most_bytes ? static_cast<long long>(plan.after().wavefronts) - 1 : -1;
  };
  const every::finder better(set.machine, {array}, {limit}, fewer);
  all.layouts += better.layouts();
  if (better.found())
    FAIL_CHECK("the plan has " << plan.after().wavefronts << " wavefronts, "
                               << every::text_of(set.array, plan.layout(0)) << ", optimal "
                               << plan.is_optimal() << "; " << better.found()->wavefronts << " by "
                               << every::text_of(set.array,
                                                 every::layout_of(
                                                     set.array, better.found()->arrays[0].layout)));
}

}  // namespace

TEST_CASE("plans of random request classes against every layout", "[plan][classes]") {
  const char* const first = std::getenv("BANKMODEL_FIRST_SEED");
  const char* const many = std::getenv("BANKMODEL_CASES");
  const int seed = first != nullptr ? std::atoi(first) : 1,
            cases = many != nullptr ? std::atoi(many) : 400;
  tally all;
  for (int at = seed; at < seed + cases; ++at) {
    const random_set set = generator(static_cast<unsigned>(at)).make();
    if (set.classes.empty()) continue;
    INFO("seed " << at << ": " << text_of(set));
    check_one(set, all);
  }
  WARN(all.sets << " sets from seed " << seed << " on, " << all.layouts << " layouts, "
                << all.improved << " plans better than declared, " << all.conflicting
                << " with conflicts, " << all.optimal << " proven, " << all.complete
                << " complete");
  CHECK(all.sets > cases * 3 / 4);
  CHECK(all.optimal > all.sets / 2);
  CHECK(all.complete >= all.sets - all.sets / 100);  // 99.97 % of the first 20 000
}

// Lanes 6 and 14 are 8 lanes and -24 bytes apart: no whole number of elements for each lane. They
// were searched as if both touched one element, and the plan promised 4 passes in the same layout.
TEST_CASE("lanes in equal steps with gaps between them", "[plan][classes]") {
  const auto array = bm::shared_array<float>("a", 4, 2);
  bm::request_class one{.lanes = {.active = 1u << 6 | 1u << 14, .bytes = 4}};
  one.lanes.address[6] = 24;
  one.lanes.address[14] = 0;
  one.times = 2;
  const auto plan = bm::optimize(bm::nvidia::sm_90, bm::block_dim{32}, array, &one, 1,
                                 {.layouts = bm::layouts::as_declared});
  CHECK(plan.before().wavefronts == 2);
  CHECK(plan.after().wavefronts == 2);
  CHECK(plan.is_optimal());

  // if (tx % 4 == 0) .. s[tx / 4][0] of rows of 16 floats: two rows fill the banks, so 8 rows need
  // four passes, and one in rows of 17.
  const auto rows = bm::shared_array<float>("s", 8, 16);
  bm::request_class column{.lanes = {.active = 0x11111111, .bytes = 4}};
  for (int lane = 0; lane < 32; lane += 4) column.lanes.address[lane] = 4 * 16 * (lane / 4);
  const auto of_column = bm::optimize(bm::nvidia::sm_90, bm::block_dim{32}, rows, &column, 1);
  CHECK(of_column.before().wavefronts == 4);
  CHECK(of_column.after().wavefronts == 1);
  CHECK(of_column.bytes() == 4 * 8 * 17);
}
