// SPDX-License-Identifier: MIT
// The compile time of headers and of single static_asserts, compared with the standard library's
// headers.
#include "compiler.hpp"
#include "page.hpp"
#include "sections.hpp"

#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace bench {
namespace {

namespace bm = bankmodel;

// ---- headers ----

struct header {
  std::string note;  // which one it is, where there are several
  source file;
};

std::string including(const std::string& name) { return "#include " + name + "\n"; }

// The first of these that compiles; they are looked for in the options' folders too.
std::optional<header> installed(const compiler& driver, const std::vector<header>& candidates) {
  for (const header& candidate : candidates)
    if (driver.compiles(candidate.file)) return candidate;
  return std::nullopt;
}
std::optional<header> installed_mdspan(const compiler& driver) {
  const auto named = [](const char* name, const char* options) {
    return header{std::string(" (`") + name + "`)", {including(name), options}};
  };
  return installed(driver, {named("<mdspan>", "-std=c++23"),
                            named("<mdspan>", "-std=c++23 -stdlib=libc++" BANKMODEL_MDSPAN),
                            named("<mdspan/mdspan.hpp>", BANKMODEL_MDSPAN),
                            named("<cuda/std/mdspan>", BANKMODEL_MDSPAN)});
}
std::optional<header> installed_cute(const compiler& driver) {
  return installed(driver,
                   {{" (`<cute/layout.hpp>`)", {including("<cute/layout.hpp>"), BANKMODEL_CUTE}}});
}

// ---- static_asserts ----

// Each question is asked of the compiler by its text, several times with another K, and at run time
// for the number of requests that are evaluated.
constexpr int K = 0;
constexpr int copies = 12;
#define BANKMODEL_BENCH_NAMES                                    \
  using namespace bankmodel::index;                              \
  using bankmodel::nvidia::sm_35, bankmodel::nvidia::sm_90;      \
  constexpr auto tile = bm::shared_array<float>("tile", 32, 64); \
  constexpr auto a = bm::shared_array<float>("a", 4096);         \
  constexpr bm::block_dim rectangle{32, 8}, flat{256};
BANKMODEL_BENCH_NAMES
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)

struct question {
  const char* name;
  const char* text;
  unsigned long long evaluated;  // 0: a plan
};
#define TOTAL(name, ...) \
  {name, "static_assert(bm::total(" #__VA_ARGS__ ").wavefronts > 0);", evaluated(__VA_ARGS__)}

unsigned long long evaluated(const bm::machine& machine, const bm::block_dim& block,
                             const auto& access) {
  return bm::detail::counted(machine, block, access).evaluated;
}

constexpr std::size_t loop_row = 1, filter_row = 4;
std::vector<question> questions() {
  return {
      TOTAL("`tile[tx][ty]`, sm_90", sm_90, rectangle, tile[tx][ty + K]),
      TOTAL("the same in a loop, sm_90", sm_90, rectangle,
            bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j + K])),
      TOTAL("the same in a loop, sm_35", sm_35, rectangle,
            bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j + K])),
      TOTAL("`a[4 * tx]` of `float4`, sm_90", sm_90, flat, bm::vectorized<4>(a[4 * tx + 4 * K])),
      TOTAL("a moving filter, `if (tx < i) a[2 * tx]`, sm_90", sm_90, flat,
            bm::for_loop(i, bm::range(1, 257), bm::if_threads(tx < i, a[2 * tx + K]))),
      TOTAL("a tree, `if (2 * k * tx < 256) a[2 * k * tx]`, sm_90", sm_90, flat,
            bm::for_loop(k, bm::powers(1, 256, 2),
                         bm::if_threads(2 * k * tx < 256, a[2 * k * tx + K]))),
      TOTAL("a swizzle, `tile[tx][(ty + j) ^ tx]`, sm_90", sm_90, rectangle,
            bm::for_loop(j, bm::range(0, 32, 8), tile[tx][(ty + j + K) ^ tx])),
      {"a plan of a transpose, `optimize(sm_90, ..)`",
       "constexpr auto square = bm::shared_array<float>(\"square\", 32, 32 + K);\n"
       "constexpr auto plan = bm::optimize(sm_90, bm::kernel(rectangle, "
       "bm::store(bm::for_loop(j, bm::range(0, 32, 8), square[ty + j][tx])), "
       "bm::load(bm::for_loop(j, bm::range(0, 32, 8), square[tx][ty + j]))));",
       0}};
}

std::string asking(const question* query) {
  std::string text = including("<bankmodel/optimize.hpp>") +
                     including("<bankmodel/machines/nvidia.hpp>") +
                     "namespace bm = bankmodel;\n" TEXT(BANKMODEL_BENCH_NAMES) "\n";
  for (int copy = 0; query != nullptr && copy < copies; ++copy)
    text += "namespace copy_" + std::to_string(copy) +
            " {\nconstexpr int K = " + std::to_string(copy) + ";\n" + query->text + "\n}\n";
  return text;
}

// ---- what was measured ----

struct cell {
  double ratio = 0, ms = 0;
  std::string note;
  bool missing = false;
};
// One compiler's figures, in the same order for all.
struct figures {
  std::string command, version;
  double array_ms = 0;
  std::vector<cell> headers, asserts;
};

constexpr const char* header_names[] = {"`<vector>`",
                                        "mdspan",
                                        "CuTe",
                                        "`bankmodel/analyze.hpp`",
                                        "the same and `bankmodel/machines/nvidia.hpp`",
                                        "these two, precompiled",
                                        "`bankmodel/optimize.hpp`"};
constexpr std::size_t front_row = 4, optimize_row = 6;

std::vector<std::optional<header>> headers_of(const compiler& driver) {
  const std::string analyze = including("<bankmodel/analyze.hpp>"),
                    front = analyze + including("<bankmodel/machines/nvidia.hpp>");
  return {header{"", {including("<vector>"), ""}},
          installed_mdspan(driver),
          installed_cute(driver),
          header{"", {analyze, ""}},
          header{"", {front, ""}},
          header{"", {"", driver.precompiled(front)}},
          header{"", {including("<bankmodel/optimize.hpp>"), ""}}};
}

figures measured(const compiler& driver, const std::vector<question>& asked) {
  const auto headers = headers_of(driver);
  std::vector<source> files{{}, {including("<array>"), ""}, {asking(nullptr), ""}};
  for (const auto& entry : headers) files.push_back(entry ? entry->file : source{});
  for (const question& query : asked) files.push_back({asking(&query), ""});
  const auto ms = driver.least_ms(files);

  figures result{driver.command(), driver.version(), ms[1] - ms[0], {}, {}};
  std::size_t position = 3;
  for (const auto& entry : headers) {
    const double time_ms = ms[position++] - ms[0];
    result.headers.push_back(
        {time_ms / result.array_ms, time_ms, entry ? entry->note : "", !entry});
  }
  for (std::size_t q = 0; q < asked.size(); ++q) {
    const double time_ms = std::max(0., (ms[position++] - ms[2]) / copies);
    result.asserts.push_back({time_ms / result.array_ms, time_ms, "", false});
  }
  return result;
}

// ---- tables: ratios of all compilers first, then times ----

page::row head_of(const std::string& first, const std::vector<figures>& results) {
  page::row head{first};
  for (const figures& entry : results) head.push_back("/ `<array>`, " + entry.command);
  for (const figures& entry : results) head.push_back("time, " + entry.command);
  return head;
}
page::row row_of(const std::string& name, const std::vector<cell>& cells) {
  page::row row{name};
  for (const cell& item : cells)
    row.push_back(item.missing ? "not installed" : number_text(item.ratio) + item.note);
  for (const cell& item : cells) row.push_back(item.missing ? "" : time_text(item.ms * 1e6));
  return row;
}

void write_headers(page& output, const std::vector<figures>& results) {
  std::vector<page::row> rows;
  std::vector<cell> arrays;
  for (const figures& entry : results) arrays.push_back({1, entry.array_ms, "", false});
  rows.push_back(row_of("`<array>`", arrays));
  for (std::size_t index = 0; index < std::size(header_names); ++index) {
    std::vector<cell> cells;
    for (const figures& entry : results) cells.push_back(entry.headers[index]);
    rows.push_back(row_of(header_names[index], cells));
  }
  output.table(head_of("a header over an empty file", results), rows);
}

void write_asserts(page& output, const std::vector<figures>& results,
                   const std::vector<question>& asked) {
  std::vector<page::row> rows;
  for (std::size_t index = 0; index < asked.size(); ++index) {
    std::vector<cell> cells;
    for (const figures& entry : results) cells.push_back(entry.asserts[index]);
    rows.push_back(row_of(asked[index].name, cells));
    const auto evaluated = asked[index].evaluated;
    rows.back().push_back(evaluated == 0 ? "" : count_text(evaluated));
  }
  page::row head = head_of("one more constant", results);
  head.push_back("requests evaluated");
  output.table(head, rows);
}

void add_aims(page& output, const figures& entry, const std::vector<question>& asked) {
  const bool clang = entry.command.find("clang") != std::string::npos;
  const auto aim = [&](const char* subject, const cell& measured, double limit) {
    output.aims.push_back({subject + (", " + entry.command),
                           number_text(limit) + " of `<array>` at most",
                           number_text(measured.ratio), measured.ratio <= limit});
  };
  aim("`analyze.hpp` and `machines/nvidia.hpp`", entry.headers[front_row], clang ? 1.0 : 0.9);
  aim("`optimize.hpp`", entry.headers[optimize_row], 1.3);
  aim("one more `static_assert` on `tile[tx][ty]`", entry.asserts[0], clang ? 0.08 : 0.05);
  const double extra_ms = entry.asserts[filter_row].ms - entry.asserts[loop_row].ms;
  const auto requests = asked[filter_row].evaluated - asked[loop_row].evaluated;
  const double ns = extra_ms * 1e6 / static_cast<double>(requests);
  output.aims.push_back({"one more request evaluated, in the moving filter, " + entry.command,
                         "150 µs at most", time_text(ns), ns <= 150e3});
}

}  // namespace

void compile_time(page& output) {
  const std::string folder = BANKMODEL_SCRATCH "/compiled";
  std::filesystem::create_directories(folder);
  const auto asked = questions();
  std::vector<figures> results;
  std::string used, missing;
  for (const char* command : {"g++", "clang++"}) {
    if (!compiler::is_installed(command)) {
      missing += std::string(" ") + command + " is not installed.";
      continue;
    }
    results.push_back(measured(compiler(command, folder), asked));
    used += (used.empty() ? "" : " and ") + results.back().version;
  }
  output.text(
      "Compared: the compiler's CPU time for a header over an empty file, and for one more "
      "`static_assert` on a total, or one more plan as a constant, as a ratio to the time for "
      "`<array>`; " +
      used + "." + missing);
  output.text(
      "Result: a file with guards pays for the headers once, unless they are precompiled; each "
      "further guard costs a small part of `<array>`, more if requests must be evaluated one by "
      "one. mdspan and CuTe describe layouts and count nothing; only their inclusion is "
      "compared. They are looked for where the compiler looks, and in the folders "
      "`-DBANKMODEL_MDSPAN=..` and `-DBANKMODEL_CUTE=..` of `cmake --preset bench`.");
  if (results.empty()) return;
  write_headers(output, results);
  write_asserts(output, results, asked);
  for (const figures& entry : results) add_aims(output, entry, asked);
}

}  // namespace bench
