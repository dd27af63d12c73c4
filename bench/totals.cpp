// SPDX-License-Identifier: MIT
// What totals of whole loops cost beside plain counting: by iterations, loops, warps, and for the
// dissertation's own figures of analysis time (8.1 to 8.8).
#include "totals_table.hpp"

#include <bankmodel/machines/nvidia.hpp>

#include <cmath>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;
using plain::iterations;
using plain::thread;

namespace {

struct named_machine {
  const char* name;
  bm::machine machine;
};
constexpr named_machine machines[] = {{"sm_90", bm::nvidia::sm_90}, {"sm_35", bm::nvidia::sm_35}};

// The same number of trips for each loop.
auto trips(long long times) {
  return [=](int, const iterations&) { return times; };
}

template <class Trips, class Element>
plain::totals_table::count counted(const bm::machine& machine, const bm::block_dim& block,
                                   int depth, const Trips& how_often, const Element& element) {
  return [=] { return plain::nest(depth, how_often, element).count(machine, block); };
}

std::string power(int base, int exponent) {
  return std::to_string(base) + "^" + std::to_string(exponent);
}

// ---- (a) iterations ----

constexpr const char* moving = "for (i = 0; i < n; ++i) a[2 * tx + i]";
constexpr const char* filtered = "for (i = 0; i < n; ++i) if (tx < i) a[2 * tx + i]";
constexpr const char* lockstep = "for (i = tx; i < n; ++i) a[2 * tx + i]";
constexpr const char* triangular = "for (i < sqrt(2n)) for (j < i) a[2 * tx + 3 * i + j]";
constexpr const char* nests_by_iterations[] = {moving, filtered, lockstep, triangular};

std::string on(const char* nest, const named_machine& where) {
  return std::string(nest) + ", " + where.name;
}

// One warp, since plain counting has to end; (c) has more.
void add_iterations(plain::totals_table& table, const named_machine& where) {
  const bm::block_dim block{32};
  const auto a = bm::shared_array<float>("a", 4'000'000'000'000);
  const auto rows = [&](const char* text, const auto& nest_of, const auto& plain_nest_of) {
    for (const int exponent : {3, 6, 9, 12}) {
      const long long n = std::llround(std::pow(10.0, exponent));
      const plain::totals_table::count plainly = [=, it = plain_nest_of(n),
                                                  on_it = where.machine]() mutable {
        return it.count(on_it, block);
      };
      table.add(on(text, where), power(10, exponent), where.machine, block, nest_of(n), plainly);
    }
  };
  const auto element = [](thread t, const iterations& at) { return 2 * t.x + at[0]; };
  rows(
      moving, [&](long long n) { return bm::for_loop(i, bm::range(0, n), a[2 * tx + i]); },
      [&](long long n) { return plain::nest(1, trips(n), element); });
  rows(
      filtered,
      [&](long long n) {
        return bm::for_loop(i, bm::range(0, n), bm::if_threads(tx < i, a[2 * tx + i]));
      },
      [&](long long n) {
        return plain::nest(1, trips(n), [=](thread t, const iterations& at) {
          return t.x < at[0] ? element(t, at) : plain::inactive;
        });
      });
  rows(
      lockstep, [&](long long n) { return bm::for_loop(i, bm::range(tx, n), a[2 * tx + i]); },
      [&](long long n) {
        return plain::nest(1, trips(n), [=](thread t, const iterations& at) {
          const long long own = t.x + at[0];
          return own < n ? 2 * t.x + own : plain::inactive;
        });
      });
  const auto side = [](long long n) {
    return std::llround(std::sqrt(2.0 * static_cast<double>(n)));
  };
  rows(
      triangular,
      [&](long long n) {
        return bm::for_loop(i, bm::range(0, side(n)),
                            bm::for_loop(j, bm::range(0, i), a[2 * tx + 3 * i + j]));
      },
      [&](long long n) {
        return plain::nest(
            2,
            [outer = side(n)](int loop, const iterations& at) { return loop == 0 ? outer : at[0]; },
            [](thread t, const iterations& at) { return 2 * t.x + 3 * at[0] + at[1]; });
      });
}

// ---- (b) loops in loops ----

constexpr long long trips_of_each_loop = 8;

template <int Depth>
auto moved_by() {
  if constexpr (Depth == 0)
    return 2 * tx;
  else
    return moved_by<Depth - 1>() + (2 * Depth + 1) * bm::loop_variable(Depth - 1);
}

template <int Depth, class Body>
auto inside_loops(const Body& body) {
  if constexpr (Depth == 0)
    return body;
  else
    return inside_loops<Depth - 1>(
        bm::for_loop(bm::loop_variable(Depth - 1), bm::range(0, trips_of_each_loop), body));
}

template <int Depth>
void add_depth(plain::totals_table& table, const named_machine& where) {
  const bm::block_dim block{32};
  const auto a = bm::shared_array<float>("a", 4096);
  table.add(std::to_string(Depth) + (Depth == 1 ? " loop" : " loops") +
                " of 8 that move the address, " + where.name,
            power(8, Depth), where.machine, block, inside_loops<Depth>(a[moved_by<Depth>()]),
            counted(where.machine, block, Depth, trips(trips_of_each_loop),
                    [](thread t, const iterations& at) {
                      long long element = 2 * t.x;
                      for (int loop = 0; loop < Depth; ++loop)
                        element += (2 * loop + 3) * at[static_cast<std::size_t>(loop)];
                      return element;
                    }));
}

// ---- (c) warps ----

void add_warps(plain::totals_table& table, const named_machine& where) {
  const long long n = 1000;
  const auto a = bm::shared_array<float>("a", 4096);
  for (const bool with_filter : {false, true})
    for (const bool two_dimensions : {false, true})
      for (int warps = 1; warps <= 32; warps *= 2) {
        const bm::block_dim block =
            two_dimensions ? bm::block_dim{16, 2 * warps} : bm::block_dim{32 * warps};
        const std::string text =
            std::string(with_filter ? "for (i < 1000) if (tx < i) " : "for (i < 1000) ") +
            (two_dimensions ? "a[tx + 24 * ty + i], 2D, " : "a[2 * tx + i], 1D, ") + where.name;
        const std::string size = std::to_string(warps) + (warps == 1 ? " warp" : " warps");
        const auto plainly =
            counted(where.machine, block, 1, trips(n), [=](thread t, const iterations& at) {
              if (with_filter && t.x >= at[0]) return plain::inactive;
              return (two_dimensions ? t.x + 24 * t.y : 2 * t.x) + at[0];
            });
        const auto add = [&](const auto& access) {
          if (with_filter)
            table.add(text, size, where.machine, block,
                      bm::for_loop(i, bm::range(0, n), bm::if_threads(tx < i, access)), plainly);
          else
            table.add(text, size, where.machine, block, bm::for_loop(i, bm::range(0, n), access),
                      plainly);
        };
        if (two_dimensions)
          add(a[tx + 24 * ty + i]);
        else
          add(a[2 * tx + i]);
      }
}

// ---- (d) for-if, the loop of figure 8.7 ----

void add_for_if(plain::totals_table& table, const named_machine& where) {
  const bm::block_dim block{256};
  const auto a = bm::shared_array<float>("a", 4096);
  for (int exponent = 8; exponent <= 20; exponent += 2) {
    const long long n = 1ll << exponent;
    table.add(std::string("for (i = 1; i <= n; ++i) if (tx < i) a[2 * tx], ") + where.name,
              power(2, exponent), where.machine, block,
              bm::for_loop(i, bm::range(1, n + 1), bm::if_threads(tx < i, a[2 * tx])),
              counted(where.machine, block, 1, trips(n), [](thread t, const iterations& at) {
                return t.x < at[0] + 1 ? 2ll * t.x : plain::inactive;
              }));
  }
}

// ---- (e) the dissertation's figures, on its machine ----

namespace figures {

constexpr bm::machine kepler = bm::nvidia::sm_35;
constexpr auto a = bm::shared_array<float>("Array", 16384);
constexpr long long c1 = 1;  // the figures leave it open

// 8.1 (a): one warp, by its stride.
void add_8_1_a(plain::totals_table& table) {
  const bm::block_dim block{32};
  for (int stride = 1; stride <= 32; ++stride)
    table.add("8.1 (a): one warp, a[" + std::to_string(stride) + " * tx]", "1 warp", kepler, block,
              a[stride * tx], counted(kepler, block, 0, trips(1), [=](thread t, const iterations&) {
                return static_cast<long long>(stride) * t.x;
              }));
}

// 8.1 (b): warps of 2 x 16 with the stride <1, 16, 24, 16>, by threads.
void add_8_1_b(plain::totals_table& table) {
  for (int warps = 1; warps <= 8; ++warps) {
    const bm::block_dim block{16, 2 * warps};
    table.add("8.1 (b): " + std::to_string(32 * warps) + " threads, a[tx + 24 * ty]",
              std::to_string(warps) + (warps == 1 ? " warp" : " warps"), kepler, block,
              a[tx + 24 * ty], counted(kepler, block, 0, trips(1), [](thread t, const iterations&) {
                return t.x + 24ll * t.y;
              }));
  }
}

// An iteration loads one element and stores another.
template <class Index>
auto statement(const Index& index) {
  return bm::detail::list_of(bm::load(a[index + c1]), bm::store(a[index]));
}

// The loops of figure 8.2, by iterations: 8.4 counts plainly, 8.5 analyses each iteration for
// itself, 8.6 is the library.
void add_8_4_to_8_6(plain::totals_table& table) {
  const bm::block_dim block{256};
  const int stride = 4;
  for (long long n = 100; n <= 1000; n += 300) {
    const auto plainly = [=](bool moves) {
      const auto element = [=](long long offset) {
        return [=](thread t, const iterations& at) {
          return static_cast<long long>(stride) * t.x + (moves ? at[0] : 0) + offset;
        };
      };
      const auto load = counted(kepler, block, 1, trips(n), element(c1)),
                 store = counted(kepler, block, 1, trips(n), element(0));
      return [=] { return load() + store(); };
    };
    const auto by_iteration = [=](bool moves) {
      return [=] {
        plain::counts sum;
        for (long long at = 0; at < n; ++at) {
          const bm::cost one = bm::total(kepler, block, statement(stride * tx + (moves ? at : 0)));
          sum = sum + plain::counts{one.requests, one.wavefronts};
        }
        return sum;
      };
    };
    const auto loop = [=](const auto& index) {
      return bm::for_loop(i, bm::range(0, n), bm::load(a[index + c1]), bm::store(a[index]));
    };
    table.add("8.4 to 8.6, loop (a) of 8.2: a[4 * tx]", std::to_string(n), kepler, block,
              loop(stride * tx), plainly(false), by_iteration(false));
    table.add("8.4 to 8.6, loop (b) of 8.2: a[4 * tx + i]", std::to_string(n), kepler, block,
              loop(stride * tx + i), plainly(true), by_iteration(true));
  }
}

// The loop of figure 8.7, by threads and iterations: (b) counts plainly, (c) analyses each
// iteration, (d) is the library.
void add_8_8(plain::totals_table& table) {
  const int stride = 4;
  for (const int n : {32, 64, 128, 256, 512}) {
    const bm::block_dim block{n};
    const auto element = [=](long long offset) {
      return [=](thread t, const iterations& at) {
        return t.x < at[0] + 1 ? static_cast<long long>(stride) * t.x + offset : plain::inactive;
      };
    };
    const auto load = counted(kepler, block, 1, trips(n), element(c1)),
               store = counted(kepler, block, 1, trips(n), element(0));
    const auto by_iteration = [=] {
      plain::counts sum;
      for (long long at = 1; at <= n; ++at) {
        const bm::cost one = bm::total(
            kepler, block,
            bm::if_threads(tx < at, bm::load(a[stride * tx + c1]), bm::store(a[stride * tx])));
        sum = sum + plain::counts{one.requests, one.wavefronts};
      }
      return sum;
    };
    table.add(
        "8.8 (b) to (d), loop of 8.7: if (tx < i) a[4 * tx]", std::to_string(n), kepler, block,
        bm::for_loop(
            i, bm::range(1, n + 1),
            bm::if_threads(tx < i, bm::load(a[stride * tx + c1]), bm::store(a[stride * tx]))),
        [=] { return load() + store(); }, by_iteration);
  }
}

}  // namespace figures
}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  plain::totals_table table;
  for (const auto& where : machines) add_iterations(table, where);
  for (const auto& where : machines) {
    add_depth<1>(table, where);
    add_depth<2>(table, where);
    add_depth<3>(table, where);
    add_depth<4>(table, where);
    add_depth<5>(table, where);
    add_depth<6>(table, where);
  }
  for (const auto& where : machines) add_warps(table, where);
  for (const auto& where : machines) add_for_if(table, where);
  figures::add_8_1_a(table);
  figures::add_8_1_b(table);
  figures::add_8_4_to_8_6(table);
  figures::add_8_8(table);
  const bool right = table.run();

  std::printf("\n%-60s %s\n", "nest", "time at 10^12 iterations / at 10^3");
  for (const auto& where : machines)
    for (const char* nest : nests_by_iterations)
      std::printf("%-60s %.2f\n", on(nest, where).c_str(),
                  table.ratio(on(nest, where), power(10, 12), power(10, 3)));
  return right ? 0 : 1;
}
