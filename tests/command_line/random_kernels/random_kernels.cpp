// SPDX-License-Identifier: MIT
// Random kernels of CUDA source and of PTX: the requests that the command line reads and runs are
// those of an emulation of the tree that both texts are printed from. BANKMODEL_FIRST_SEED and
// BANKMODEL_CASES in the environment select others. A case that fails is made smaller and printed.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/code_of_file.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "machines.hpp"
#include "program.hpp"

namespace bm = bankmodel;
using namespace random_kernels;

namespace {

long long number_from(const char* name, long long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

// What is compared: requests by line. A request is its kind, its bytes, its array and the lanes'
// addresses in it.
struct seen_request {
  int line = 0;
  char does = 'l';
  int bytes = 0;
  std::string array;
  std::vector<long long> address;
  auto operator<=>(const seen_request&) const = default;
};
using seen_requests = std::map<seen_request, std::uint64_t>;

std::string text(const seen_request& one) {
  std::string result = std::string(1, one.does) + std::to_string(one.bytes) + " " + one.array;
  for (const long long each : one.address) result += each < 0 ? " -" : " " + std::to_string(each);
  return result;
}

// ---- what the command line says ----

std::vector<std::uint8_t> bytes_of(const array& one) {
  std::vector<std::uint8_t> result;
  for (const std::int64_t value : one.content)
    for (int byte = 0; byte < bytes(one.kind); ++byte)
      result.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
  return result;
}

compiled::launch launch_of(const program& all) {
  compiled::launch result;
  result.block = {all.threads_x, all.threads_y};
  result.grid = {3, 1, 1};
  result.at.x = all.block;
  result.arguments["p4"] = static_cast<std::uint64_t>(all.n);
  result.arguments["p5"] = static_cast<std::uint64_t>(all.m);
  return result;
}

// The shared array at a byte, and its first byte: arrays follow one another, aligned as they
// demand.
std::pair<std::string, long long> array_at(const compiled::kernel_code& kernel, long long address) {
  long long next = 0;
  for (const compiled::code_array& one : kernel.shared) {
    next = (next + one.alignment - 1) / one.alignment * one.alignment;
    const auto end = next + static_cast<long long>(one.bytes);
    if (address >= next && address < end) return {one.name.substr(0, one.name.find('_')), next};
    next = end;
  }
  return {"?", 0};
}

char kind_of(bm::access_kind kind) {
  return kind == bm::access_kind::load ? 'l' : kind == bm::access_kind::atomic ? 'a' : 's';
}

seen_requests seen(const compiled::kernel_code& kernel, const compiled::recording& recorded,
                   const std::set<int>& lines, std::string& wrong) {
  seen_requests result;
  for (const compiled::recorded_access& access : recorded.accesses) {
    const int line = access.where.line;
    if (lines.count(line) == 0) continue;
    if (access.is_partial)
      wrong += "line " + std::to_string(line) + " is partial: " + access.reason + "\n";
    for (const compiled::recorded_class& one : access.classes)
      for (const auto& [base, times] : one.times) {
        seen_request made{line, kind_of(one.lanes.kind), one.lanes.bytes, {}, {}};
        long long first = 0;
        if (access.is_global)
          made.array = access.array < 0
                           ? "?"
                           : kernel.parameters[static_cast<std::size_t>(access.array)].name;
        else
          std::tie(made.array, first) = array_at(kernel, base);
        for (int lane = 0; lane < 32; ++lane)
          made.address.push_back(
              (one.lanes.active >> lane & 1) != 0 ? base + one.lanes.address[lane] - first : -1);
        result[made] += times;
      }
  }
  return result;
}

seen_requests expected(const program& all, const outcome& made, const std::map<int, int>& line_of) {
  seen_requests result;
  for (const auto& [one, times] : made.made) {
    seen_request expects{line_of.at(one.access),
                         one.does,
                         one.bytes,
                         all.arrays[static_cast<std::size_t>(one.array)].name,
                         {}};
    for (const std::int64_t address : one.address) expects.address.push_back(address);
    result[expects] += times;
  }
  return result;
}

struct sums {
  unsigned long long requests = 0, wavefronts = 0;
  bool operator==(const sums&) const = default;
};
std::map<int, sums> by_line(const seen_requests& all) {
  std::map<int, sums> result;
  for (const auto& [one, times] : all) {
    oracle::by_lane lanes;
    for (int lane = 0; lane < 32; ++lane)
      if (const long long address = one.address[static_cast<std::size_t>(lane)]; address >= 0)
        lanes[lane] = address;
    const oracle::counts cost = counted(tested_machines[0], lanes, one.bytes, one.does == 'l');
    sums& to = result[one.line];
    to.requests += times;
    to.wavefronts += times * cost.wavefronts;
  }
  return result;
}

// Empty if the command line's requests are those of the emulation.
std::string difference(const program& all, const outcome& made, const std::map<int, int>& line_of,
                       compiled::kernel_code kernel, bool is_ptx) {
  std::string result;
  std::set<int> lines;
  for (const auto& [access, line] : line_of) lines.insert(line);
  compiled::launch how = launch_of(all);
  for (int at = 1; at <= 3; ++at) {
    const array& one = all.arrays[static_cast<std::size_t>(at)];
    how.data[is_ptx ? "p" + std::to_string(at) : one.name] = {one.name, bytes_of(one)};
  }
  seen_requests found;
  try {
    const compiled::recording recorded = compiled::run(kernel, how);
    if (is_ptx)
      for (std::size_t at = 0; at < 4; ++at) kernel.parameters[at].name = all.arrays[at].name;
    found = seen(kernel, recorded, lines, result);
  } catch (const compiled::cannot_run& why) {
    return "refused, line " + std::to_string(why.where.line) + ": " + why.what() + "\n";
  }
  const seen_requests right = expected(all, made, line_of);
  const auto sums_found = by_line(found), sums_right = by_line(right);
  for (const int line : lines) {
    const auto value = [&](const auto& in) {
      const auto at = in.find(line);
      return at == in.end() ? sums{} : at->second;
    };
    const sums a = value(sums_found), b = value(sums_right);
    if (a == b) continue;
    result += "line " + std::to_string(line) + ": read " + std::to_string(a.requests) +
              " requests, " + std::to_string(a.wavefronts) + " wavefronts; right " +
              std::to_string(b.requests) + ", " + std::to_string(b.wavefronts) + "\n";
  }
  if (!result.empty()) return result;
  for (const auto& [one, times] : right)
    if (const auto at = found.find(one); at == found.end() || at->second != times)
      return "line " + std::to_string(one.line) + ": " + std::to_string(times) +
             " times: " + text(one) + "; read " +
             (at == found.end() ? "never" : std::to_string(at->second) + " times") + "\n";
  if (found.size() != right.size()) return "requests that the emulation does not make\n";
  return result;
}

// ---- readers ----

constexpr int architectures[] = {750, 800, 860, 890, 900, 1000, 1200};
int architecture_of(std::uint64_t group) {
  return architectures[static_cast<std::size_t>(group % std::size(architectures))];
}

const std::string& scratch_file() {
  static const std::string result = (std::filesystem::temp_directory_path() /
                                     ("bankmodel_random_" + std::to_string(getpid()) + ".cu"))
                                        .string();
  return result;
}

struct tested {
  program all;
  outcome made;
};

struct failed_case {
  std::size_t number;
  std::string why, text;
};

// Kernels of one file, read together.
std::vector<failed_case> failures_of_cuda(const std::vector<tested>& cases, int architecture) {
  std::string file = cuda_head();
  std::vector<printed> texts;
  for (std::size_t at = 0; at < cases.size(); ++at) {
    const int line = static_cast<int>(std::count(file.begin(), file.end(), '\n')) + 1;
    texts.push_back(as_cuda(cases[at].all, static_cast<int>(at), line));
    file += texts.back().text;
  }
  std::ofstream(scratch_file()) << file;
  compiled::question asked;
  asked.file = scratch_file();
  asked.machines = {"sm_" + std::to_string(architecture / 10)};
  std::vector<failed_case> result;
  compiled::code_of_file code;
  try {
    code = compiled::read_code(asked);
  } catch (const command_line::refusal& why) {
    result.push_back({0, "the file is refused: " + why.wrong + "\n", file});
    return result;
  }
  for (std::size_t at = 0; at < cases.size(); ++at) {
    const std::string name = "k" + std::to_string(at);
    std::string why = "no kernel " + name;
    for (const auto& each : code.unread)
      if (each.name == name) why += ": " + each.reason;
    for (const compiled::kernel_code& kernel : code.kernels)
      if (kernel.name == name)
        why = difference(cases[at].all, cases[at].made, texts[at].line, kernel, false);
    if (!why.empty()) {
      result.push_back({at, why, as_cuda(cases[at].all, static_cast<int>(at), 1).text});
    }
  }
  return result;
}

std::map<int, int> numbered_lines(const program& all) {
  std::map<int, int> result;
  for (int access = 0; access < all.accesses; ++access) result[access] = access + 1;
  return result;
}

std::vector<failed_case> failures_of_ptx(const std::vector<tested>& cases, int architecture) {
  std::vector<failed_case> result;
  for (std::size_t at = 0; at < cases.size(); ++at) {
    const std::string text = ptx_head() + as_ptx(cases[at].all, static_cast<int>(at), architecture);
    std::string why;
    try {
      const auto kernels = compiled::read_ptx(text);
      why = difference(cases[at].all, cases[at].made, numbered_lines(cases[at].all), kernels.at(0),
                       true);
    } catch (const compiled::ptx_error& wrong) {
      why = "PTX line " + std::to_string(wrong.line) + ": " + wrong.what() + "\n";
    }
    if (!why.empty()) result.push_back({at, why, text});
  }
  return result;
}

using reader = std::vector<failed_case> (*)(const std::vector<tested>&, int);

// ---- smaller kernels that fail too ----

// "line" or "refused", say: what is made smaller shall fail as before.
std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }
std::string fails_with;

bool still_fails(const program& all, int architecture, reader read) {
  tested one{all, emulated(all, architecture)};
  if (!one.made.is_defined) return false;
  const std::vector<failed_case> failed = read({one}, architecture);
  return !failed.empty() && first_word(failed[0].why) == fails_with;
}

// Tries one change after another; true if one of them still fails.
bool shrink_condition(program& all, expression& one, int architecture, reader read) {
  for (std::size_t part = 0; part < one.parts.size(); ++part) {
    if (one.does == operation::load) break;
    const bool keeps_type = one.parts[part].has == one.has;
    if (keeps_type) {
      const expression before = one;
      const expression inner = one.parts[part];
      one = inner;
      if (still_fails(all, architecture, read)) return true;
      one = before;
    }
    if (shrink_condition(all, one.parts[part], architecture, read)) return true;
  }
  return false;
}

bool shrink_list(program& all, std::vector<statement>& body, int architecture, reader read) {
  for (std::size_t at = body.size(); at-- > 0;) {
    const std::vector<statement> before = body;
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(at));
    if (still_fails(all, architecture, read)) return true;
    body = before;
    for (const auto& inner : before[at].bodies) {
      if (before[at].does != action::branch && before[at].does != action::lanes_of_mask) break;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(at));
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
      if (still_fails(all, architecture, read)) return true;
      body = before;
    }
    if (before[at].does == action::branch && before[at].bodies.size() == 2) {
      body[at].bodies.pop_back();
      if (still_fails(all, architecture, read)) return true;
      body = before;
    }
    for (auto& inner : body[at].bodies)
      if (shrink_list(all, inner, architecture, read)) return true;
    for (auto& part : body[at].parts)
      if (shrink_condition(all, part, architecture, read)) return true;
  }
  return false;
}

void shrink(program& all, int architecture, reader read) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(number_from("BANKMODEL_SHRINK_SECONDS", 20));
  bool is_smaller = true;
  while (is_smaller && std::chrono::steady_clock::now() < end) {
    is_smaller = shrink_list(all, all.body, architecture, read);
    for (function& each : all.functions)
      if (!is_smaller) is_smaller = shrink_list(all, each.body, architecture, read);
  }
}

void check(reader read, int kernels_of_file, const char* language) {
  const auto first = static_cast<std::uint64_t>(number_from("BANKMODEL_FIRST_SEED", 1));
  const auto count = static_cast<std::uint64_t>(number_from("BANKMODEL_CASES", 200));
  const auto most_shown = number_from("BANKMODEL_SHOWN", 1);
  std::uint64_t undefined = 0, failed = 0, compared = 0;
  std::map<std::string, int> reasons;
  for (std::uint64_t begin = first; begin < first + count;
       begin += static_cast<std::uint64_t>(kernels_of_file)) {
    const int architecture = architecture_of(begin / static_cast<std::uint64_t>(kernels_of_file));
    std::vector<tested> cases;
    for (std::uint64_t seed = begin;
         seed < std::min(first + count, begin + static_cast<std::uint64_t>(kernels_of_file));
         ++seed) {
      tested one{drawn(seed), {}};
      one.made = emulated(one.all, architecture);
      if (!one.made.is_defined) {
        ++undefined;
        ++reasons[one.made.reason];
        continue;
      }
      cases.push_back(std::move(one));
    }
    compared += cases.size();
    for (const failed_case& each : read(cases, architecture)) {
      ++failed;
      program all = cases.at(each.number).all;
      std::cout << language << " seed " << all.seed << ", sm_" << architecture / 10 << ":\n"
                << each.why;
      if (static_cast<long long>(failed) > most_shown) continue;
      fails_with = first_word(each.why);
      shrink(all, architecture, read);
      const auto smaller = read({{all, emulated(all, architecture)}}, architecture);
      if (!smaller.empty())
        std::cout << "made smaller:\n"
                  << smaller[0].why << smaller[0].text << "\n"
                  << "block " << all.threads_x << "x" << all.threads_y << ", at " << all.block
                  << ", n=" << all.n << ", m=" << all.m << "\n";
    }
  }
  std::cout << language << ": " << compared << " kernels compared, " << undefined
            << " not defined, " << failed << " differ\n";
  for (const auto& [reason, times] : reasons) std::cout << "  " << reason << ": " << times << "\n";
  CHECK(failed == 0);
  CHECK(compared * 10 >= 7 * count);
}

}  // namespace

#ifdef BANKMODEL_READS_CUDA
TEST_CASE("Random kernels of CUDA make the requests of their emulation", "[random_kernels]") {
  check(failures_of_cuda, 25, "CUDA");
  std::filesystem::remove(scratch_file());
}
#endif

TEST_CASE("Random kernels of PTX make the requests of their emulation", "[random_kernels]") {
  check(failures_of_ptx, 25, "PTX");
}
