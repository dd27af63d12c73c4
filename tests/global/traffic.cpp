// SPDX-License-Identifier: MIT
// traffic() of generated accesses against running every thread of a block, or of a grid, on a
// machine of each rule and on one with other units. The seeds are the case numbers:
// BANKMODEL_FIRST_SEED and BANKMODEL_CASES in the environment select others.
#include <bankmodel/global.hpp>

#include "catch.hpp"
#include "fit.hpp"
#include "global_cases.hpp"
#include "permutations.hpp"
#include "run_plainly.hpp"

#include <cstdlib>

namespace bm = bankmodel;

namespace {

using generated::one_case;
using plainly::refused;

constexpr int machines = generated::rules + 1;

// A generated access, how its array is stored, and the block or the blocks that make it.
struct global_case {
  one_case access;
  long long row_padding = 0;  // elements
  bool is_pointer = false;    // the first extent is unknown
  bool is_permuted = false;
  bm::permutation by;
  bool has_grid = false;
  bm::grid_dim grid;
  bm::block_index at;
  bm::global_memory own;  // of the last machine
  global_oracle::memory own_memory{};
};

int bytes_of(const one_case& c) { return c.element_bytes * c.vector; }

global_case made(unsigned long long seed) {
  global_case result;
  result.access = generated::generator(seed).make();
  one_case& c = result.access;
  std::mt19937_64 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<long long>(random() % limit); };
  if (c.own.lanes == 32 && below(4) == 0) c.vector = c.element_bytes == 4 ? 3 : c.vector;
  // The block's index in subscripts, filters and bounds.
  for (int d = 0; d < c.rank; ++d)
    while (below(5) < 2) {
      const long long unit = d == c.rank - 1 ? c.vector : 1;
      const long long factors[] = {1, 2, 3, 8, 32, 33, 1024};
      c.subscript[d] = generated::plus_block(c, c.subscript[d], static_cast<int>(below(3)),
                                             unit * factors[below(7)]);
      c.fit[d].wanted = true;
    }
  for (int level = 0; level < c.depth; ++level) {
    auto& w = c.wrappers[level];
    if (below(6) != 0 || w.kind == 'v') continue;
    const int axis = static_cast<int>(below(3));
    if (w.kind != 'i') {
      w.last = generated::plus_block(c, w.last, axis, below(4));
    } else if (std::string("<>lg=").find(c.nodes[w.first].op) != std::string::npos) {
      int& side = below(2) == 0 ? c.nodes[w.first].left : c.nodes[w.first].right;
      side = generated::plus_block(c, side, axis, 1 + below(3));
    }
  }
  result.at = {below(4), below(3), below(3)};
  result.has_grid = below(3) == 0;
  if (result.has_grid) result.grid = {1 + below(3), 1 + below(2), 1 + below(2)};
  if (below(8) == 0) c.base += (1ll << 33) + 16 * c.vector * below(1000);
  if (c.rank > 1 && below(2) == 0) result.row_padding = c.vector * below(40);
  result.is_pointer = below(4) == 0;
  result.is_permuted = below(8) == 0 && c.rank < 3;

  const int sector = 4 << below(7), line = sector << below(7);
  const bool lines = below(3) == 0;
  result.own = {.sector_bytes = sector, .line_bytes = line > 256 ? sector : line};
  result.own.bytes_together = below(2) == 0 ? 0 : 16 << below(6);
  if (lines) result.own.rule = bm::coalescing::lines;
  result.own_memory = {lines ? global_oracle::sharing::of_2_0 : global_oracle::sharing::of_3_0,
                       sector, result.own.line_bytes, result.own.bytes_together};
  return result;
}

template <class Visit>
void each_block(const global_case& g, const Visit& visit) {
  if (!g.has_grid) return visit(g.at);
  for (int x = 0; x < g.grid.x; ++x)
    for (int y = 0; y < g.grid.y; ++y)
      for (int z = 0; z < g.grid.z; ++z) visit(bm::block_index{x, y, z});
}

using warps = std::vector<std::vector<plainly::touch>>;

// All that the threads touch.
warps touches_of(const global_case& g) {
  warps result;
  const one_case& c = g.access;
  const auto access = generated::for_global_memory(c);
  const int threads = c.block[0] * c.block[1] * c.block[2];
  each_block(g, [&](const bm::block_index& at) {
    for (int warp = 0; warp * c.own.lanes < threads; ++warp)
      result.push_back(plainly::run_warp(c.own.lanes, generated::block_of(c), access, warp, at));
  });
  return result;
}

permuted::rows_of rows_of(const global_case& g) {
  const one_case& c = g.access;
  return {{c.extent, c.extent + c.rank}, g.row_padding};
}

// The first extent is unknown. 2^40 rows or planes must fit in 64 bits of bytes.
bool has_pointer(const global_case& g) {
  const one_case& c = g.access;
  long long plane = 1;
  for (int d = 1; d < c.rank; ++d) plane *= c.extent[d] + (d == c.rank - 1 ? g.row_padding : 0);
  return g.is_pointer && g.by.family == bm::layout_family::rows && plane <= 1 << 18;
}

struct counted {
  global_oracle::moved sum[machines];
  std::string refused;  // why
};

void add_to(global_oracle::moved& sum, const global_oracle::moved& one) {
  sum = {sum.requests + one.requests, sum.transactions + one.transactions,
         sum.ideal + one.ideal,       sum.lines + one.lines,
         sum.used + one.used,         sum.bytes + one.bytes};
}

// Runs every thread, and chooses the permutation when the array is fitted.
counted run(global_case& g) {
  one_case& c = g.access;
  counted result;
  std::map<std::vector<std::pair<int, long long>>, std::array<global_oracle::moved, machines>>
      known;
  try {
    auto all = touches_of(g);
    generated::fit(c, all);
    if (g.is_permuted && c.vector != 3 && (c.extent[c.rank - 1] + g.row_padding) % c.vector == 0 &&
        c.extent[c.rank - 1] % c.vector == 0) {
      std::mt19937_64 random(static_cast<unsigned long long>(c.extent[0]));
      g.by = permuted::any_of(rows_of(g), c.vector, random).value_or(bm::permutation{});
    }
    const auto rows = rows_of(g);
    const int bytes = bytes_of(c);
    std::vector<std::pair<int, long long>> lanes;
    for (const auto& warp : all)
      plainly::each_request(warp, [&](const plainly::request& touches) {
        lanes.clear();
        for (const plainly::touch& touch : touches) {
          long long row = 0, column = 0;
          for (int d = 0; d < c.rank; ++d) {
            const long long subscript = touch.at[static_cast<std::size_t>(d)],
                            behind = d == c.rank - 1 ? c.vector - 1 : 0;
            if (subscript < 0 || (subscript + behind >= c.extent[d] && !(d == 0 && has_pointer(g))))
              throw refused("a subscript outside its extent");
            if (d == c.rank - 1)
              column = subscript;
            else
              row = row * c.extent[d] + subscript;
          }
          const long long stride = rows.columns() + rows.padding;
          const long long place = g.by.family == bm::layout_family::rows
                                      ? row * stride + column
                                      : place_of(rows, g.by, row, column);
          const long long where = c.base + place * c.element_bytes;
          if (where % (bytes == 12 ? 4 : bytes) != 0)
            throw refused("an access that is not aligned");
          lanes.emplace_back(touch.lane, where);
        }
        const long long whole = lanes.front().second / 256 * 256;
        for (auto& lane : lanes) lane.second -= whole;
        auto at = known.find(lanes);
        if (at == known.end()) {
          std::array<global_oracle::moved, machines> one;
          for (std::size_t m = 0; m < machines; ++m)
            one[m] = global_oracle::request(
                m < generated::rules ? generated::memory_of_rule[m] : g.own_memory,
                {lanes.begin(), lanes.end()}, bytes, !c.store);
          at = known.emplace(lanes, one).first;
        }
        for (std::size_t m = 0; m < machines; ++m) add_to(result.sum[m], at->second[m]);
      });
  } catch (const refused& why) {
    result.refused = why.what();
  }
  return result;
}

auto access_of(const global_case& g) {
  auto access = generated::for_global_memory(g.access);
  const one_case& c = g.access;
  if (has_pointer(g)) {
    const long long first = bm::unknown_extent;
    access.array.layout = c.rank == 1   ? bm::row_major(first)
                          : c.rank == 2 ? bm::row_major(first, c.extent[1])
                                        : bm::row_major(first, c.extent[1], c.extent[2]);
  }
  if (g.row_padding > 0)
    access.array =
        bm::with_row_stride(access.array, (c.extent[c.rank - 1] + g.row_padding) * c.element_bytes);
  access.array.layout = access.array.layout.permuted(g.by);
  return access;
}

// The program of a subscript or bound, operators after their operands.
std::string text(const auto& access, const bm::slice& program) {
  constexpr const char* names[] = {"tx",   "ty", "tz", "bx", "by", "bz", "tid", "lane",
                                   "warp", "i",  "j",  "k",  "l",  "m",  "n"};
  std::string result;
  for (int at = program.first; at < program.first + program.size; ++at) {
    const bm::node& n = access.nodes[at];
    result += n.op == bm::operation::constant   ? std::to_string(n.value)
              : n.op == bm::operation::variable ? names[n.value]
                                                : "op" + std::to_string(static_cast<int>(n.op));
    result += " ";
  }
  return result;
}
std::string text(const global_case& g) {
  const auto access = access_of(g);
  const one_case& c = g.access;
  std::string result = c.store ? "store" : "load";
  result += " of " + std::to_string(c.vector) + " elements of " + std::to_string(c.element_bytes) +
            " bytes at " + std::to_string(c.base) + ", lanes " + std::to_string(c.own.lanes) +
            ", block {" + std::to_string(c.block[0]) + ", " + std::to_string(c.block[1]) + ", " +
            std::to_string(c.block[2]) + "}, " + (g.has_grid ? "grid {" : "at {") +
            std::to_string(g.has_grid ? g.grid.x : g.at.x) + ", " +
            std::to_string(g.has_grid ? g.grid.y : g.at.y) + ", " +
            std::to_string(g.has_grid ? g.grid.z : g.at.z) + "}, rows padded by " +
            std::to_string(g.row_padding) + (has_pointer(g) ? ", a pointer" : "") +
            ", permuted by " + std::to_string(static_cast<int>(g.by.family)) + "; own sectors " +
            std::to_string(g.own.sector_bytes) + " lines " + std::to_string(g.own.line_bytes) +
            " together " + std::to_string(g.own.bytes_together) + "\n";
  for (int level = 0; level < access.depth; ++level) {
    const auto& w = access.wrappers[level];
    result += "  kind " + std::to_string(static_cast<int>(w.kind)) + " variable " +
              std::to_string(static_cast<int>(w.variable)) + ": " + text(access, w.first);
    if (w.kind != bm::wrapper_kind::filter && w.kind != bm::wrapper_kind::values)
      result += "to " + text(access, w.last) + "by " + text(access, w.step);
    result += "\n";
  }
  for (int d = 0; d < c.rank; ++d)
    result += "  [" + text(access, access.subscript[d]) + "] of " + std::to_string(c.extent[d]);
  return result;
}

unsigned long long number_from(const char* name, unsigned long long otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

// Errors of cases that are right: permuted arrays may take too long to count, and a grid needs
// loop variables.
bool may_be_refused(const global_case& g, const std::string& rule) {
  const bool is_permuted = g.by.family != bm::layout_family::rows;
  if (rule == "a_grid_must_find_unused_loop_variables") return g.has_grid;
  return is_permuted && (rule.find("iterations") != std::string::npos ||
                         rule.find("nest_at_most") != std::string::npos ||
                         rule.find("64_bits") != std::string::npos);
}

struct tally {
  unsigned long long refused = 0, left_out = 0, wasteful = 0, empty = 0, grids = 0, permuted = 0,
                     distinct = 0, one_by_one = 0, pointers = 0;
};

void compare(unsigned long long seed, tally& all) {
  global_case g = made(seed);
  const counted slow = run(g);
  const one_case& c = g.access;
  const auto access = access_of(g);
  for (int at = 0; at < machines; ++at) {
    bm::machine m = generated::machine_of_rule(at < generated::rules ? at : 0, c.own.lanes);
    if (at == generated::rules) m.global = g.own;
    // The guide does not say how 1.2 serves words of 12 bytes, which it has not.
    if (at == 1 && bytes_of(c) == 12) continue;
    bm::memory_traffic fast;
    try {
      fast = g.has_grid ? bm::traffic(m, generated::block_of(c), access, g.grid)
                        : bm::traffic(m, generated::block_of(c), access, g.at);
    } catch (const bm::error& e) {
      ++all.refused;
      if (slow.refused.empty() && may_be_refused(g, e.rule()))
        ++all.left_out;
      else if (slow.refused.empty())
        FAIL("seed " << seed << ", machine " << at << ": traffic() gives an error: " << e.what()
                     << '\n'
                     << text(g));
      continue;
    }
    if (!slow.refused.empty())
      FAIL("seed " << seed << ", machine " << at << ": traffic() says " << ::text(fast)
                   << " in spite of " << slow.refused << '\n'
                   << text(g));
    if (!(fast == traffic_of(slow.sum[at])))
      FAIL("seed " << seed << ", machine " << at << ": traffic() says " << ::text(fast)
                   << "; counting " << ::text(traffic_of(slow.sum[at])) << '\n'
                   << text(g));
    all.wasteful += fast.transactions > fast.ideal;
    all.empty += fast.requests == 0;
    all.distinct += fast.method == bm::method::distinct_requests;
    all.one_by_one += fast.method == bm::method::each_request;
    all.grids += g.has_grid;
    all.permuted += g.by.family != bm::layout_family::rows;
    all.pointers += has_pointer(g);
  }
}

}  // namespace

TEST_CASE("the traffic of generated accesses equals running every thread", "[global]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1),
             cases = number_from("BANKMODEL_CASES", 1500);
  tally all;
  for (auto seed = first; seed < first + cases; ++seed) compare(seed, all);
  WARN("seeds " << first << " to " << first + cases - 1 << " on " << machines << " machines: "
                << all.wasteful << " above the ideal, " << all.distinct << " by distinct requests, "
                << all.grids << " of grids, " << all.permuted << " permuted, " << all.pointers
                << " of pointers, " << all.empty << " without a request, " << all.refused
                << " refused, " << all.left_out << " of them right");
  const auto counts = cases * machines;
  CHECK(all.wasteful > counts / 4);
  CHECK(all.distinct > counts / 8);
  CHECK(all.one_by_one > counts / 8);
  CHECK(all.grids > counts / 6);
  CHECK(all.permuted > counts / 40);
  CHECK(all.pointers > counts / 8);
  CHECK(all.empty < counts / 3);
  CHECK(all.refused < counts / 8);
  CHECK(all.left_out < counts / 20);
}
