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
  char kind = 'l';
  int bytes = 0;
  std::string array;
  std::vector<long long> address;
  auto operator<=>(const seen_request&) const = default;
};
using seen_requests = std::map<seen_request, std::uint64_t>;

std::string text(const seen_request& request) {
  std::string result =
      std::string(1, request.kind) + std::to_string(request.bytes) + " " + request.array;
  for (const long long address : request.address)
    result += address < 0 ? " -" : " " + std::to_string(address);
  return result;
}

// ---- what the command line says ----

std::vector<std::uint8_t> bytes_of(const array& data_array) {
  std::vector<std::uint8_t> result;
  for (const std::int64_t value : data_array.content)
    for (int byte = 0; byte < bytes(data_array.kind); ++byte)
      result.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
  return result;
}

compiled::launch launch_of(const program& source) {
  compiled::launch result;
  result.block = {source.threads_x, source.threads_y};
  result.grid = {3, 1, 1};
  result.grid_index.x = source.block;
  result.arguments["p4"] = static_cast<std::uint64_t>(source.n);
  result.arguments["p5"] = static_cast<std::uint64_t>(source.m);
  return result;
}

// The shared array at a byte, and its first byte: arrays follow one another, aligned as they
// demand.
std::pair<std::string, long long> array_at(const compiled::kernel_code& kernel, long long address) {
  long long next = 0;
  for (const compiled::code_array& candidate : kernel.shared) {
    next = (next + candidate.alignment - 1) / candidate.alignment * candidate.alignment;
    const auto end = next + static_cast<long long>(candidate.bytes);
    if (address >= next && address < end)
      return {candidate.name.substr(0, candidate.name.find('_')), next};
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
    const int line = access.location.line;
    if (lines.count(line) == 0) continue;
    if (access.is_partial)
      wrong += "line " + std::to_string(line) + " is partial: " + access.reason + "\n";
    for (const compiled::recorded_class& requests : access.classes)
      for (const auto& [base, times] : requests.times) {
        seen_request request{line, kind_of(requests.lanes.kind), requests.lanes.bytes, {}, {}};
        long long first = 0;
        if (access.is_global)
          request.array = access.array < 0
                              ? "?"
                              : kernel.parameters[static_cast<std::size_t>(access.array)].name;
        else
          std::tie(request.array, first) = array_at(kernel, base);
        for (int lane = 0; lane < 32; ++lane)
          request.address.push_back((requests.lanes.active >> lane & 1) != 0
                                        ? base + requests.lanes.address[lane] - first
                                        : -1);
        result[request] += times;
      }
  }
  return result;
}

seen_requests expected(const program& source, const outcome& emulation,
                       const std::map<int, int>& line_of) {
  seen_requests result;
  for (const auto& [request, times] : emulation.request_counts) {
    seen_request expects{line_of.at(request.access),
                         request.kind,
                         request.bytes,
                         source.arrays[static_cast<std::size_t>(request.array)].name,
                         {}};
    for (const std::int64_t address : request.address) expects.address.push_back(address);
    result[expects] += times;
  }
  return result;
}

struct sums {
  unsigned long long requests = 0, wavefronts = 0;
  bool operator==(const sums&) const = default;
};
std::map<int, sums> by_line(const seen_requests& requests) {
  std::map<int, sums> result;
  for (const auto& [request, times] : requests) {
    oracle::by_lane lanes;
    for (int lane = 0; lane < 32; ++lane)
      if (const long long address = request.address[static_cast<std::size_t>(lane)]; address >= 0)
        lanes[lane] = address;
    const oracle::counts cost =
        counted(tested_machines[0], lanes, request.bytes, request.kind == 'l');
    sums& sum = result[request.line];
    sum.requests += times;
    sum.wavefronts += times * cost.wavefronts;
  }
  return result;
}

// Empty if the command line's requests are those of the emulation.
std::string difference(const program& source, const outcome& emulation,
                       const std::map<int, int>& line_of, compiled::kernel_code kernel,
                       bool is_ptx) {
  std::string result;
  std::set<int> lines;
  for (const auto& [access, line] : line_of) lines.insert(line);
  compiled::launch options = launch_of(source);
  for (int number = 1; number <= 3; ++number) {
    const array& data_array = source.arrays[static_cast<std::size_t>(number)];
    options.data[is_ptx ? "p" + std::to_string(number) : data_array.name] = {data_array.name,
                                                                             bytes_of(data_array)};
  }
  seen_requests actual;
  try {
    const compiled::recording recorded = compiled::run(kernel, options);
    if (is_ptx)
      for (std::size_t parameter = 0; parameter < 4; ++parameter)
        kernel.parameters[parameter].name = source.arrays[parameter].name;
    actual = seen(kernel, recorded, lines, result);
  } catch (const compiled::cannot_run& reason) {
    return "refused, line " + std::to_string(reason.location.line) + ": " + reason.what() + "\n";
  }
  const seen_requests right = expected(source, emulation, line_of);
  const auto sums_found = by_line(actual), sums_right = by_line(right);
  for (const int line : lines) {
    const auto value = [&](const auto& line_sums) {
      const auto entry = line_sums.find(line);
      return entry == line_sums.end() ? sums{} : entry->second;
    };
    const sums a = value(sums_found), b = value(sums_right);
    if (a == b) continue;
    result += "line " + std::to_string(line) + ": read " + std::to_string(a.requests) +
              " requests, " + std::to_string(a.wavefronts) + " wavefronts; right " +
              std::to_string(b.requests) + ", " + std::to_string(b.wavefronts) + "\n";
  }
  if (!result.empty()) return result;
  for (const auto& [request, times] : right)
    if (const auto entry = actual.find(request); entry == actual.end() || entry->second != times)
      return "line " + std::to_string(request.line) + ": " + std::to_string(times) +
             " times: " + text(request) + "; read " +
             (entry == actual.end() ? "never" : std::to_string(entry->second) + " times") + "\n";
  if (actual.size() != right.size()) return "requests that the emulation does not make\n";
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
  program source;
  outcome emulation;
};

struct failed_case {
  std::size_t number;
  std::string reason, text;
};

// Kernels of one file, read together.
std::vector<failed_case> failures_of_cuda(const std::vector<tested>& cases, int architecture) {
  std::string file = cuda_head();
  std::vector<printed> texts;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const int line = static_cast<int>(std::count(file.begin(), file.end(), '\n')) + 1;
    texts.push_back(as_cuda(cases[index].source, static_cast<int>(index), line));
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
  } catch (const command_line::refusal& error) {
    result.push_back({0, "the file is refused: " + error.wrong + "\n", file});
    return result;
  }
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const std::string name = "k" + std::to_string(index);
    std::string reason = "no kernel " + name;
    for (const auto& unread : code.unread)
      if (unread.name == name) reason += ": " + unread.reason;
    for (const compiled::kernel_code& kernel : code.kernels)
      if (kernel.name == name)
        reason = difference(cases[index].source, cases[index].emulation, texts[index].line, kernel,
                            false);
    if (!reason.empty()) {
      result.push_back(
          {index, reason, as_cuda(cases[index].source, static_cast<int>(index), 1).text});
    }
  }
  return result;
}

std::map<int, int> numbered_lines(const program& source) {
  std::map<int, int> result;
  for (int access = 0; access < source.accesses; ++access) result[access] = access + 1;
  return result;
}

std::vector<failed_case> failures_of_ptx(const std::vector<tested>& cases, int architecture) {
  std::vector<failed_case> result;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const std::string text =
        ptx_head() + as_ptx(cases[index].source, static_cast<int>(index), architecture);
    std::string reason;
    try {
      const auto kernels = compiled::read_ptx(text);
      reason = difference(cases[index].source, cases[index].emulation,
                          numbered_lines(cases[index].source), kernels.at(0), true);
    } catch (const compiled::ptx_error& wrong) {
      reason = "PTX line " + std::to_string(wrong.line) + ": " + wrong.what() + "\n";
    }
    if (!reason.empty()) result.push_back({index, reason, text});
  }
  return result;
}

using reader = std::vector<failed_case> (*)(const std::vector<tested>&, int);

// ---- smaller kernels that fail too ----

// "line" or "refused", say: what is made smaller shall fail as before.
std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }
std::string fails_with;

bool still_fails(const program& source, int architecture, reader read) {
  tested trial{source, emulated(source, architecture)};
  if (!trial.emulation.is_defined) return false;
  const std::vector<failed_case> failed = read({trial}, architecture);
  return !failed.empty() && first_word(failed[0].reason) == fails_with;
}

// Tries one change after another; true if one of them still fails.
bool shrink_condition(program& source, expression& condition, int architecture, reader read) {
  for (std::size_t part = 0; part < condition.parts.size(); ++part) {
    if (condition.code == operation::load) break;
    const bool keeps_type = condition.parts[part].has == condition.has;
    if (keeps_type) {
      const expression previous = condition;
      const expression inner = condition.parts[part];
      condition = inner;
      if (still_fails(source, architecture, read)) return true;
      condition = previous;
    }
    if (shrink_condition(source, condition.parts[part], architecture, read)) return true;
  }
  return false;
}

bool shrink_list(program& source, std::vector<statement>& body, int architecture, reader read) {
  for (std::size_t index = body.size(); index-- > 0;) {
    const std::vector<statement> previous = body;
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(index));
    if (still_fails(source, architecture, read)) return true;
    body = previous;
    for (const auto& inner : previous[index].bodies) {
      if (previous[index].kind != action::branch && previous[index].kind != action::lanes_of_mask)
        break;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(index));
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(index), inner.begin(), inner.end());
      if (still_fails(source, architecture, read)) return true;
      body = previous;
    }
    if (previous[index].kind == action::branch && previous[index].bodies.size() == 2) {
      body[index].bodies.pop_back();
      if (still_fails(source, architecture, read)) return true;
      body = previous;
    }
    for (auto& inner : body[index].bodies)
      if (shrink_list(source, inner, architecture, read)) return true;
    for (auto& part : body[index].parts)
      if (shrink_condition(source, part, architecture, read)) return true;
  }
  return false;
}

void shrink(program& source, int architecture, reader read) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(number_from("BANKMODEL_SHRINK_SECONDS", 20));
  bool is_smaller = true;
  while (is_smaller && std::chrono::steady_clock::now() < end) {
    is_smaller = shrink_list(source, source.body, architecture, read);
    for (function& callee : source.functions)
      if (!is_smaller) is_smaller = shrink_list(source, callee.body, architecture, read);
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
      tested trial{drawn(seed), {}};
      trial.emulation = emulated(trial.source, architecture);
      if (!trial.emulation.is_defined) {
        ++undefined;
        ++reasons[trial.emulation.reason];
        continue;
      }
      cases.push_back(std::move(trial));
    }
    compared += cases.size();
    for (const failed_case& failure : read(cases, architecture)) {
      ++failed;
      program source = cases.at(failure.number).source;
      std::cout << language << " seed " << source.seed << ", sm_" << architecture / 10 << ":\n"
                << failure.reason;
      if (static_cast<long long>(failed) > most_shown) continue;
      fails_with = first_word(failure.reason);
      shrink(source, architecture, read);
      const auto smaller = read({{source, emulated(source, architecture)}}, architecture);
      if (!smaller.empty())
        std::cout << "made smaller:\n"
                  << smaller[0].reason << smaller[0].text << "\n"
                  << "block " << source.threads_x << "x" << source.threads_y << ", at "
                  << source.block << ", n=" << source.n << ", m=" << source.m << "\n";
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
