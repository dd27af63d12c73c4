// SPDX-License-Identifier: MIT
// The questions of an autotuner: totals and plans of three kernels, for many tiles, blocks,
// elements and machines.
#include "../tests/support/run_plainly.hpp"
#include "page.hpp"
#include "sections.hpp"
#include "timing.hpp"

#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include <cstdint>

namespace bench {
namespace {

namespace bm = bankmodel;
using namespace bm::index;

constexpr bm::machine machines[] = {bm::nvidia::sm_35, bm::nvidia::sm_75, bm::nvidia::sm_86,
                                    bm::nvidia::sm_90, bm::amd::gfx90a,   bm::amd::gfx942};
constexpr bm::block_dim blocks[] = {{16, 16}, {32, 4}, {32, 8}, {64, 4}};
constexpr int paddings = 4;  // 0 to 3 elements behind each row

// A tile written by rows and read by columns.
template <class T>
auto transpose(int tile, const bm::block_dim& block, long long padding) {
  const auto declared = bm::shared_array<T>("tile", tile, tile);
  const auto t = declared.with(declared.layout.padded(padding));
  const auto everywhere = [&](const auto& access) {
    return bm::for_loop(i, bm::range(0, tile, block.y),
                        bm::for_loop(j, bm::range(0, tile, block.x), access));
  };
  return bm::kernel(block, bm::store(everywhere(t[ty + i][tx + j])),
                    bm::load(everywhere(t[tx + j][ty + i])));
}

// Two tiles of a matrix product, the first one stored transposed.
template <class T>
auto product(int tile, const bm::block_dim& block, long long padding) {
  const auto a = bm::shared_array<T>("a", tile, tile), b = bm::shared_array<T>("b", tile, tile);
  const auto p = a.with(a.layout.padded(padding)), q = b.with(b.layout.padded(padding));
  return bm::kernel(block,
                    bm::store(bm::for_loop(i, bm::range(0, tile, block.y), p[tx % tile][ty + i])),
                    bm::store(bm::for_loop(i, bm::range(0, tile, block.y), q[ty + i][tx % tile])),
                    bm::load(bm::for_loop(k, bm::range(0, tile), p[k][ty], q[k][tx % tile])));
}

// A tree over a row of a tile for each row of threads.
template <class T>
auto reduction(int tile, const bm::block_dim& block, long long padding) {
  const auto declared = bm::shared_array<T>("row", block.y, tile);
  const auto r = declared.with(declared.layout.padded(padding));
  return bm::kernel(block, bm::store(bm::if_threads(tx < tile, r[ty][tx])),
                    bm::load(bm::for_loop(k, bm::powers(1, tile, 2),
                                          bm::if_threads(2 * k * tx < tile, r[ty][2 * k * tx]))));
}

// visit(machine, kernel of a padding) for each question's kernel.
template <class T, class Visit>
void each_kernel_of(const bm::machine& machine, const Visit& visit) {
  for (const int tile : {16, 32, 64})
    for (const bm::block_dim& block : blocks) {
      if (block.x > tile || block.y > tile) continue;
      visit(machine, [=](long long padding) { return transpose<T>(tile, block, padding); });
      if (tile < 64)
        visit(machine, [=](long long padding) { return product<T>(tile, block, padding); });
      visit(machine, [=](long long padding) { return reduction<T>(tile, block, padding); });
    }
}
template <class Visit>
void each_kernel(const Visit& visit) {
  for (const bm::machine& machine : machines) {
    each_kernel_of<std::uint16_t>(machine, visit);
    each_kernel_of<float>(machine, visit);
    each_kernel_of<double>(machine, visit);
  }
}

struct answers {
  unsigned long long questions = 0, wavefronts = 0;
};

answers totals_asked() {
  answers sum;
  each_kernel([&](const bm::machine& machine, const auto& kernel_with) {
    for (long long padding = 0; padding < paddings; ++padding) {
      sum.wavefronts += bm::total(machine, kernel_with(padding)).wavefronts;
      ++sum.questions;
    }
  });
  return sum;
}

answers plans_asked(const bm::search& options) {
  answers sum;
  each_kernel([&](const bm::machine& machine, const auto& kernel_with) {
    sum.wavefronts += bm::optimize(machine, kernel_with(0), options).after().wavefronts;
    ++sum.questions;
  });
  return sum;
}

// The totals again, request by request: each lane's address from an evaluator of the tests.
answers requests_counted() {
  answers sum;
  each_kernel([&](const bm::machine& machine, const auto& kernel_with) {
    for (long long padding = 0; padding < paddings; ++padding) {
      const auto kernel = kernel_with(padding);
      ++sum.questions;
      bm::for_each_access(kernel, [&](const auto& access) {
        plainly::each_request(
            machine.lanes, kernel.block, access, [&](const plainly::request& lanes) {
              bm::request warp_request{.bytes = access.array.element_bytes, .kind = access.kind};
              for (const auto& lane : lanes) {
                warp_request.active |= 1ull << lane.lane;
                warp_request.address[lane.lane] =
                    plainly::element_of(access, lane) * access.array.element_bytes;
              }
              sum.wavefronts += bm::total(machine, warp_request).wavefronts;
            });
      });
    }
  });
  return sum;
}

}  // namespace

void tuning(page& output) {
  constexpr bm::search over_padding{.layouts = bm::layouts::padding}, over_all{};
  answers totals, padded, best;
  const auto [totals_ns, padded_ns, best_ns] =
      least_ns([&] { benchmark::DoNotOptimize(totals = totals_asked()); },
               [&] { benchmark::DoNotOptimize(padded = plans_asked(over_padding)); },
               [&] { benchmark::DoNotOptimize(best = plans_asked(over_all)); });
  require_same("the tuner's totals, request by request", requests_counted().wavefronts,
               totals.wavefronts);
  const auto per_second = [](const auto& questions, double ns) {
    return static_cast<double>(questions) / ns * 1e9;
  };
  const auto total = totals.questions + padded.questions + best.questions;
  const double mixed = per_second(total, totals_ns + padded_ns + best_ns);
  output.text(
      "Measured, not compared: how many questions of a tuner one core answers. The mix: "
      "a transpose, a matrix product and a reduction, tiles of 16 to 64, 4 blocks, elements of "
      "2, 4 and 8 bytes, on sm_35, sm_75, sm_86, sm_90, gfx90a and gfx942: " +
      count_text(padded.questions) +
      " kernels. Of each, a total with each padding from 0 to 3, a plan over padding and a plan "
      "over every family; a question builds its kernel too. The totals were checked request by "
      "request.");
  output.text("Result: " + number_text(mixed) + " questions a second on one core, of this mix.");
  const auto row = [&](const std::string& subject, const answers& sum, double ns) {
    return page::row{subject, number_text(per_second(sum.questions, ns)), count_text(sum.questions),
                     time_text(ns / static_cast<double>(sum.questions))};
  };
  output.table({"question", "a second", "asked", "mean time"},
               {row("`total()` of a kernel", totals, totals_ns),
                row("`optimize()` over padding", padded, padded_ns),
                row("`optimize()` over every family", best, best_ns),
                row("the mix", {total, 0}, totals_ns + padded_ns + best_ns)});
  output.aims.push_back({"a tuner's questions in a second, mixed", "100,000 at least",
                         number_text(mixed), mixed >= 1e5});
  output.figures["questions"] = mixed;
}

}  // namespace bench
