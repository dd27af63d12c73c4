// SPDX-License-Identifier: MIT
// Formulas of what is not known: the accesses of kernels as counted from their description, with
// arguments that nobody gave as symbols, are those of the interpreted run with numbers for them.
#include "examples/bankmodel/compiled/nest/counted_nest.hpp"

#include <unistd.h>

#include <bankmodel/machines/nvidia.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/code_of_file.hpp"
#include "examples/bankmodel/compiled/description/forms.hpp"
#include "examples/bankmodel/compiled/engine/values.hpp"
#include "examples/bankmodel/compiled/launch_arguments.hpp"
#include "examples/bankmodel/compiled/nest/recorded_nest.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/bankmodel/compiled/plan/request_comparison.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "examples/bankmodel/known_machines.hpp"
#include "random_kernels/program.hpp"

namespace bm = bankmodel;
namespace c = compiled;

namespace {

using values = std::map<std::string, long long>;

const bm::machine machines[] = {bm::nvidia::sm_90, bm::nvidia::sm_35,
                                bm::nvidia::sm_35.with_bank_width(8), bm::nvidia::sm_13};

struct scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("bankmodel_nest_" + std::to_string(getpid()));
  scratch() { std::filesystem::create_directories(path); }
  scratch(const scratch&) = delete;
  ~scratch() { std::filesystem::remove_all(path); }
};

std::vector<c::kernel_code> kernels_of(const std::string& text) {
  const scratch folder;
  const std::string file = (folder.path / "kernels.cu").string();
  std::ofstream(file) << text;
  c::source_options options;
  options.unrolls = false;
  const c::read_source source = c::read_cuda(file, options);
  INFO(text << source.diagnostics);
  REQUIRE_FALSE(source.failed);
  return source.kernels;
}
c::kernel_code kernel_of(const std::string& text) {
  const auto kernels = kernels_of(text);
  REQUIRE(kernels.size() == 1);
  return kernels.front();
}

// What was compared.
struct tally {
  int with_formula = 0, with_bounds = 0, with_reason = 0, with_symbols = 0, recorded = 0;
};

enum class conditions : unsigned char { hold, may_fail };

// ---- the nest's recording beside that of the run ----

// How often each request is made; in global memory addresses are those modulo global_period.
using request_key = std::tuple<std::uint64_t, int, bm::access_kind, std::vector<long long>,
                               long long, std::vector<long long>>;
std::map<request_key, std::uint64_t> requests_of(const c::recorded_access& access) {
  std::map<request_key, std::uint64_t> result;
  for (const c::recorded_class& requests : access.classes)
    for (const auto& [base, times] : requests.times) {
      const long long period = c::global_period;
      const long long start = access.is_global ? ((base % period) + period) % period : base;
      const auto addresses = [](const bm::request& pattern) {
        return std::vector<long long>(pattern.address, pattern.address + c::most_lanes);
      };
      result[{requests.lanes.active, requests.lanes.bytes, requests.lanes.kind,
              addresses(requests.lanes), start,
              requests.source ? addresses(*requests.source) : std::vector<long long>()}] += times;
    }
  return result;
}

std::vector<std::pair<int, long long>> neighbours_of(const c::recorded_access& access) {
  std::vector<std::pair<int, long long>> result;
  for (const c::near_access& neighbour : access.neighbours)
    result.emplace_back(neighbour.access, neighbour.distance);
  std::sort(result.begin(), result.end());
  return result;
}

// True if there is a nest; the same as the run then, or the run's error where there is one.
bool nest_is_recorded(const c::kernel_code& kernel, c::launch options) {
  options.data.clear();
  std::optional<c::recording> nest, run;
  try {
    nest = c::recorded_nest(kernel, options);
  } catch (const c::inexpressible&) {
    return false;
  }
  run = c::run(kernel, options);
  REQUIRE(nest->accesses.size() == run->accesses.size());
  CHECK(run->notes.empty());
  CHECK_FALSE(run->leaves_out);
  CHECK_FALSE(run->leaves_arrays);
  if (nest->instructions) CHECK(nest->instructions == run->instructions);
  if (nest->executed) CHECK(nest->executed.value() == run->executed.value());
  for (std::size_t number = 0; number < run->accesses.size(); ++number) {
    const c::recorded_access &mine = nest->accesses[number], &expected = run->accesses[number];
    INFO(kernel.name << ", line " << expected.location.line << ":" << expected.location.column);
    REQUIRE(mine.number == expected.number);
    CHECK(mine.is_global == expected.is_global);
    CHECK(mine.array == expected.array);
    CHECK(mine.requests == expected.requests);
    CHECK(mine.alignment == expected.alignment);
    CHECK(mine.remainder == expected.remainder);
    CHECK_FALSE(expected.is_partial);
    CHECK(requests_of(mine) == requests_of(expected));
    CHECK(neighbours_of(mine) == neighbours_of(expected));
  }
  return true;
}

// The nest beside the run of `options`, which has the values as arguments too.
tally compare(const c::counted_nest& nest, const c::kernel_code& kernel, c::launch options,
              const values& arguments, const bm::machine& m, conditions assumed) {
  for (const auto& [name, value] : arguments)
    options.arguments[name] = static_cast<std::uint64_t>(value);
  const c::recording recorded = c::run(kernel, options);
  tally result;
  result.recorded = nest_is_recorded(kernel, options) ? 1 : 0;
  for (const c::counted_access& access : nest.accesses) {
    INFO(kernel.name << ", line " << access.location.line << ":" << access.location.column << ", "
                     << (access.is_global ? "global" : "shared") << ", " << access.wavefronts.text()
                     << access.reason);
    if (!access.reason.empty()) ++(access.has_bounds ? result.with_bounds : result.with_reason);
    if (!access.reason.empty() && !access.has_bounds) continue;
    bool is_sure = true;
    for (const int number : access.assumes) {
      const auto kind = nest.assumptions.at(static_cast<std::size_t>(number)).is;
      is_sure = is_sure && (kind == c::nest_assumption::kind::aligned_rows && !access.is_global);
    }
    if (!is_sure && assumed == conditions::may_fail) continue;
    c::recording alone;
    bool is_known = true;
    for (const c::recorded_access& candidate : recorded.accesses) {
      if (candidate.number != access.number || candidate.is_global != access.is_global) continue;
      alone.accesses.push_back(candidate);
      is_known = is_known && !candidate.is_partial && candidate.bounded.empty();
    }
    if (!is_known) continue;
    const c::priced right = c::priced_on(m, alone);
    const auto number = [](std::uint64_t value) { return static_cast<long long>(value); };
    const auto evaluate = [&](const c::formula& term) { return term.evaluated(arguments); };
    const long long requests =
        number(access.is_global ? right.traffic.requests : right.cost.requests);
    if (access.is_possible)
      CHECK(requests <= evaluate(access.requests));
    else
      CHECK(requests == evaluate(access.requests));
    const long long wavefronts =
        number(access.is_global ? right.traffic.transactions : right.cost.wavefronts);
    if (access.has_bounds) {
      CHECK(evaluate(access.wavefronts) <= wavefronts);
      CHECK(wavefronts <= evaluate(access.maximum));
      continue;
    }
    ++result.with_formula;
    if (!access.wavefronts.is_constant()) ++result.with_symbols;
    CHECK(evaluate(access.wavefronts) == wavefronts);
    CHECK(evaluate(access.ideal) ==
          number(access.is_global ? right.traffic.ideal : right.cost.ideal));
    if (access.request_cost && right.cost.requests > 0 && !access.is_global)
      CHECK(access.request_cost->wavefronts * right.cost.requests == right.cost.wavefronts);
  }
  return result;
}

tally compare(const c::kernel_code& kernel, const c::launch& open, const c::launch& options,
              const values& arguments, const bm::machine& m, conditions assumed) {
  return compare(c::count_nest(kernel, open, m), kernel, options, arguments, m, assumed);
}

c::launch launched(const bm::block_dim& block) {
  c::launch result;
  result.block = block;
  return result;
}

// The access of a line to shared memory, the only one unless `kind` says which.
const c::counted_access& in_line(const c::counted_nest& nest, int line,
                                 std::optional<c::access_does> kind = {}) {
  const c::counted_access* result = nullptr;
  for (const c::counted_access& access : nest.accesses)
    if (access.location.line == line && !access.is_global &&
        (!kind || access.memory.operation == *kind))
      result = &access;
  INFO("line " << line);
  REQUIRE(result != nullptr);
  return *result;
}

const c::counted_access& global_in_line(const c::counted_nest& nest, int line) {
  const auto access = std::ranges::find_if(nest.accesses, [&](const c::counted_access& candidate) {
    return candidate.is_global && candidate.location.line == line;
  });
  REQUIRE(access != nest.accesses.end());
  return *access;
}

std::vector<std::string> conditions_of(const c::counted_nest& nest,
                                       const c::counted_access& access) {
  std::vector<std::string> result;
  for (const int number : access.assumes)
    result.push_back(nest.assumptions.at(static_cast<std::size_t>(number)).text);
  return result;
}

constexpr char gemm[] = R"(
template <int T> __global__ void gemm(const float* a, const float* b, float* c, int M, int N, int K) {
  __shared__ float as[T][T], bs[T][T];
  const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    if (row < M) as[threadIdx.y][threadIdx.x] = a[row * K + k0 + threadIdx.x];
    if (column < N) bs[threadIdx.x][threadIdx.y] = b[(k0 + threadIdx.y) * N + column];
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += as[threadIdx.y][k] * bs[threadIdx.x][k];
    __syncthreads();
  }
  if (row < M && column < N) c[row * N + column] = sum;
}
template __global__ void gemm<32>(const float*, const float*, float*, int, int, int);
)";

constexpr char softmax[] = R"(
__global__ void __launch_bounds__(128) softmax(float* out, const float* in, int columns) {
  extern __shared__ float row[];
  __shared__ float partial[4];
  float most = -1e30f;
  for (int i = threadIdx.x; i < columns; i += 128) {
    row[i] = in[blockIdx.x * columns + i];
    most = fmaxf(most, row[i]);
  }
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(partial[0], partial[1]), fmaxf(partial[2], partial[3]));
  for (int i = threadIdx.x; i < columns; i += 128) out[blockIdx.x * columns + i] = __expf(row[i] - most);
}
)";

constexpr char two_arms[] = R"(
__global__ void columns(float* out, const float* in, int n, bool padded) {
  __shared__ float tile[32][32], wide[32][33];
  for (int j = 0; j < 32; j += 8) {
    tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * n + threadIdx.x];
    wide[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * n + threadIdx.x];
  }
  __syncthreads();
  for (int j = 0; j < 32; j += 8) {
    if (padded)
      out[(threadIdx.y + j) * n + threadIdx.x] = wide[threadIdx.x][threadIdx.y + j];
    else
      out[(threadIdx.y + j) * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
)";

constexpr char histogram[] = R"(
__global__ void histogram(int* out, const unsigned char* in, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 256) atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];
}
)";

int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// Kernels of loops whose ends, steps, conditions and subscripts are drawn, of the arguments n, m
// and flag.
class drawn_kernel {
 public:
  // `has_neighbours`: accesses a few elements apart, of an array that no subscript leaves.
  explicit drawn_kernel(std::uint32_t seed, bool has_neighbours = false)
      : random_(seed), has_neighbours_(has_neighbours) {}

  std::string text(int number) {
    text_ = "__global__ void k" + std::to_string(number) +
            "(int n, int m, bool flag) {\n  __shared__ " +
            pick({"char", "short", "float", "double"}) +
            (has_neighbours_ ? " s[65536];\n  float x = 0;\n" : " s[2048];\n") +
            "  const int t = threadIdx.x, u = threadIdx.y;\n";
    body(1);
    return text_ + (has_neighbours_ ? "  s[t] = x;\n}\n" : "}\n");
  }

 private:
  int draw(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  std::string pick(std::initializer_list<const char*> choices) {
    return choices.begin()[draw(static_cast<int>(choices.size()))];
  }
  std::string number(int end) { return std::to_string(draw(end)); }

  // Of threads and loop variables; not negative.
  std::string value() {
    std::string result = pick({"t", "u", "t", "t * 2", "t / 4", "t % 8", "t * 33", "(t ^ 5)"});
    for (int loop = 0; loop < loops_; ++loop) {
      const std::string v = "v" + std::to_string(loop);
      switch (draw(8)) {
        case 0: result += " + " + v; break;
        case 1: result += " + " + v + " * " + std::to_string(1 + draw(40)); break;
        case 2: result += " + " + v + " % " + std::to_string(1 + draw(9)); break;
        case 3: result += " + (" + v + " / " + std::to_string(1 + draw(5)) + ") * 3"; break;
        case 4: result = "(" + result + " ^ (" + v + " & 7))"; break;
        default: break;
      }
    }
    return draw(6) == 0 ? "(" + result + ") % " + std::to_string(16 + draw(50)) : result;
  }
  std::string condition() {
    const std::string v = loops_ > 0 ? "v" + std::to_string(draw(loops_)) : "t";
    switch (draw(9)) {
      case 0: return "t < " + number(40);
      case 1: return "t % 3 == " + number(3);
      case 2: return v + " < " + number(20);
      case 3: return v + " + " + number(9) + " < n";
      case 4: return v + " + t < n";
      case 5: return "flag";
      case 6: return v + " >= " + number(5);
      case 7: return "n > " + number(60) + " || t < " + number(40);
      default: return v + " + " + pick({"t", "u", "3"}) + " < " + pick({"m", "n", "17"});
    }
  }
  std::string end() {
    return pick({"n", "n", "m", "n + 3", "n / 2", "2 * n - 5", "n - m", "20", "t + n", "n + m"});
  }
  std::string begin() { return pick({"0", "0", "t", "u", "3", "t * 2", "t / 8"}); }

  void access(int depth) {
    const std::string first = value();
    if (!has_neighbours_) return line(depth, "s[(" + first + ") & 2047] = 1;");
    std::string loads;
    for (int number = draw(4); number >= 0; --number) {
      const std::string subscript =
          draw(5) == 0 ? value() : first + " + " + std::to_string(draw(5));
      if (draw(3) == 0)
        line(depth, "s[" + subscript + "] = x;");
      else
        loads += (loads.empty() ? "" : " + ") + ("s[" + subscript + "]");
    }
    if (!loads.empty()) line(depth, "x += " + loads + ";");
  }

  void line(int depth, const std::string& code) {
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + code + "\n";
  }
  void body(int depth) {
    const int statements = 1 + draw(3);
    for (int statement = 0; statement < statements; ++statement) {
      const int kind = depth > 3 ? 0 : draw(6);
      if (kind == 1 || kind == 2) {
        const std::string v = "v" + std::to_string(loops_);
        switch (draw(5)) {
          case 0:
            line(depth, "for (int " + v + " = " + pick({"9", "n", "t + 4"}) + "; " + v + " > " +
                            pick({"0", "t % 4", "2"}) + "; " + v +
                            " -= " + std::to_string(1 + draw(4)) + ") {");
            break;
          case 1:
            line(depth, "for (int " + v + " = " + begin() + "; " + v + " <= " + end() + "; " + v +
                            " += " + std::to_string(1 + draw(9)) + ") {");
            break;
          case 2:
            line(depth, "for (int " + v + " = 0; " + v + " < " + std::to_string(1 + draw(12)) +
                            "; ++" + v + ") {");
            break;
          default:
            line(depth, "for (int " + v + " = " + begin() + "; " + v + " < " + end() + "; " + v +
                            " += " + pick({"1", "4", "7", "32", "blockDim.x", "64"}) + ") {");
        }
        ++loops_;
        body(depth + 1);
        --loops_;
        line(depth, "}");
      } else if (kind == 3 || kind == 4) {
        line(depth, "if (" + condition() + ") {");
        body(depth + 1);
        if (draw(3) == 0) {
          line(depth, "} else {");
          body(depth + 1);
        }
        line(depth, "}");
      } else {
        access(depth);
      }
    }
  }

  std::mt19937 random_;
  bool has_neighbours_;
  std::string text_;
  int loops_ = 0;
};

}  // namespace

TEST_CASE("a matrix product of which only the tile is known", "[nest]") {
  const c::kernel_code kernel = kernel_of(gemm);
  const c::launch open = launched({32, 32});
  const c::counted_nest nest = c::count_nest(kernel, open, bm::nvidia::sm_90);
  const c::counted_access& rows = in_line(nest, 7);
  CHECK(rows.requests.text() == "32 * ceil(K / 32)");
  CHECK(rows.request_cost->wavefronts == 1);
  CHECK(conditions_of(nest, rows) == std::vector<std::string>{"ty < M"});
  CHECK(nest.assumptions.at(0).location.line == 7);
  const c::counted_access& columns = in_line(nest, 8);
  CHECK(columns.wavefronts.text() == "1,024 * ceil(K / 32)");
  CHECK(columns.request_cost->wavefronts == 32);
  CHECK(columns.request_cost->ideal == 1);
  CHECK(conditions_of(nest, columns) == std::vector<std::string>{"tx < N"});
  CHECK(in_line(nest, 10).wavefronts.json() == R"({"multiply":[32768,{"ceil_divide":["K",32]}]})");
  c::formula requests, wavefronts;
  for (const c::counted_access& access : nest.accesses) {
    CHECK(access.reason.empty());
    if (access.is_global) continue;
    requests = requests + access.requests;
    wavefronts = wavefronts + access.wavefronts;
  }
  CHECK(requests.text() == "2,112 * ceil(K / 32)");
  CHECK(wavefronts.text() == "34,848 * ceil(K / 32)");
  CHECK(wavefronts.evaluated({{"K", 1'000'000'000'000}}) == 34'848ll * 31'250'000'000);
  CHECK(wavefronts.evaluated({{"K", 64}}) == 69'696);
  CHECK_THROWS_AS(wavefronts.evaluated({{"M", 1}}), c::formula_error);
  for (const bm::machine& m : machines)
    for (const long long K : {1, 31, 32, 33, 64, 1000}) {
      if (m.limits.threads_per_block > 0 && m.limits.threads_per_block < 1024) continue;
      INFO("K = " << K);
      // Rows of global memory are whole segments.
      const long long N = 1024;
      const tally result = compare(kernel, open, open, {{"M", 64}, {"N", N}, {"K", K}}, m,
                                   K % 32 == 0 ? conditions::hold : conditions::may_fail);
      CHECK(result.with_reason + result.with_bounds == 0);
      CHECK(result.with_formula >= 2);
    }
}

TEST_CASE("a row of unknown length", "[nest]") {
  const c::kernel_code kernel = kernel_of(softmax);
  const c::launch open = launched({128});
  const c::counted_nest nest = c::count_nest(kernel, open, bm::nvidia::sm_90);
  for (const int line : {7, 8, 14}) {
    const c::counted_access& access = in_line(nest, line);
    CHECK(access.wavefronts.text() == "ceil(columns / 32)");
    CHECK(access.requests == access.wavefronts);
    CHECK(access.assumes.empty());
    CHECK(access.requests.evaluated({{"columns", 1000}}) == 32);
    CHECK(access.requests.evaluated({{"columns", 65}}) == 3);
  }
  for (const bm::machine& m : machines)
    for (const long long columns : {1, 31, 32, 33, 64, 65, 100, 127, 128, 129, 1000, 1024}) {
      INFO("columns = " << columns);
      c::launch options = open;
      options.dynamic_shared_bytes = 4096;
      CHECK(compare(kernel, open, options, {{"columns", columns}}, m, conditions::hold)
                .with_symbols >= 3);
    }
}

TEST_CASE("a flag that nobody knows", "[nest]") {
  const c::kernel_code kernel = kernel_of(two_arms);
  const c::launch open = launched({32, 8});
  const c::counted_nest nest = c::count_nest(kernel, open, bm::nvidia::sm_90);
  CHECK(in_line(nest, 11).under == std::vector<std::string>{"padded"});
  CHECK(in_line(nest, 11).wavefronts.text() == "32 if padded, else 0");
  CHECK(in_line(nest, 13).under == std::vector<std::string>{"padded == 0"});
  CHECK(in_line(nest, 13).request_cost->wavefronts == 32);
  c::formula sum;
  for (const c::counted_access& access : nest.accesses)
    if (!access.is_global) sum = sum + access.wavefronts;
  CHECK(sum.text() == "96 if padded, else 1,088");
  for (const bm::machine& m : machines)
    for (const long long padded : {0, 1})
      (void)compare(kernel, open, open, {{"n", 1024}, {"padded", padded}}, m, conditions::hold);
}

TEST_CASE("an index in data", "[nest]") {
  const c::kernel_code kernel = kernel_of(histogram);
  const c::counted_nest nest = c::count_nest(kernel, launched({256}), bm::nvidia::sm_90);
  const c::counted_access& bins = in_line(nest, 6);
  CHECK(bins.has_bounds);
  CHECK(bins.reason == "a value that is loaded from memory");
  CHECK(bins.requests.evaluated({{"n", 4096}}) == 128);
  CHECK(bins.wavefronts.evaluated({{"n", 4096}}) == 128);
  CHECK(bins.maximum.evaluated({{"n", 4096}}) == 4096);
  CHECK(in_line(nest, 4).requests.text() == "8");
}

TEST_CASE("the kernels of examples/cuda without their arguments", "[nest]") {
  int formulas = 0, kernels = 0, recorded = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BANKMODEL_CUDA_FILES)) {
    if (entry.path().extension() != ".cu") continue;
    c::question asked;
    asked.file = entry.path().string();
    const c::code_of_file code = c::read_code(asked, false);
    for (const c::kernel_code& kernel : code.kernels) {
      c::launch options = c::launch_of(asked, kernel, code.launches);
      values arguments;
      for (std::size_t number = 0; number < kernel.parameters.size(); ++number) {
        const c::code_parameter& parameter = kernel.parameters[number];
        if (parameter.is_pointer || parameter.bytes > 8) continue;
        const auto argument = options.arguments.find("p" + std::to_string(number));
        // What the host code does not say: an offset, whole segments; a row; the tile's number.
        arguments[parameter.name] = argument != options.arguments.end()
                                        ? static_cast<int>(argument->second)
                                    : parameter.name == "n"      ? 1024
                                    : parameter.name == "offset" ? 32
                                                                 : 8;
        options.arguments.erase("p" + std::to_string(number));
      }
      c::launch open = options;
      for (const bm::machine& m : machines) {
        if (m.limits.threads_per_block < options.block.x * options.block.y * options.block.z)
          continue;
        const tally result = compare(kernel, open, options, arguments, m, conditions::hold);
        formulas += result.with_formula;
        recorded += result.recorded;
      }
      ++kernels;
    }
  }
  CHECK(kernels == 27);
  CHECK(formulas >= 800);
  CHECK(recorded >= 90);
}

TEST_CASE("the nest of what compilers make of examples/cuda is recorded as it runs", "[nest]") {
  int recorded = 0, kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BANKMODEL_CUDA_FILES)) {
    if (entry.path().extension() != ".cu") continue;
    c::question asked;
    asked.file = entry.path().string();
    const c::code_of_file code = c::read_code(asked, true);
    for (std::size_t number = 0; number < code.kernels.size(); ++number) {
      c::launch options = c::launch_of(asked, code.kernels[number], code.launches);
      for (std::size_t parameter = 0; parameter < code.kernels[number].parameters.size();
           ++parameter)
        if (!code.kernels[number].parameters[parameter].is_pointer)
          options.arguments.try_emplace("p" + std::to_string(parameter), 64);
      const c::optimized_code optimized = code.optimized(number);
      if (!optimized.why_not.empty()) continue;
      recorded += nest_is_recorded(optimized.kernel, options) ? 1 : 0;
      ++kernels;
    }
  }
  CHECK(kernels == 27);
  CHECK(recorded >= 22);
}

TEST_CASE("no machine tells requests apart that are global_period apart", "[nest]") {
  for (const bm::machine& m : command_line::known_machines()) {
    INFO(command_line::name_of(m));
    if (m.global.line_bytes == 0) continue;
    CHECK(c::global_period % m.global.line_bytes == 0);
    for (const int bytes : {1, 4, 16})
      for (const int stride : {1, 3, 33})
        for (int base = 0; base < c::global_period; base += bytes) {
          bm::request original, far;
          original.active = c::low_bits(m.lanes);
          original.bytes = bytes;
          original.kind = bm::access_kind::load;
          for (int lane = 0; lane < m.lanes; ++lane)
            original.address[lane] = base + 1ll * bytes * stride * lane;
          far = original;
          for (int lane = 0; lane < m.lanes; ++lane) far.address[lane] += 7 * c::global_period;
          REQUIRE(bm::traffic(m, original) == bm::traffic(m, far));
        }
  }
}

TEST_CASE("a plan is compared across a run and a nest", "[nest]") {
  const c::kernel_code kernel = kernel_of(
      "__global__ void k(float* p, int n) {\n  __shared__ float s[64];\n"
      "  for (int i = 0; i < n; ++i) { s[threadIdx.x] = i; p[32 * i + threadIdx.x] = i; }\n}\n");
  c::launch options = launched({32});
  options.arguments["n"] = 100;
  const c::recording run = c::run(kernel, options), nest = c::recorded_nest(kernel, options);
  options.arguments["n"] = 99;
  const c::recording shorter = c::run(kernel, options);
  const auto page_of = [&](const c::recording& recorded) {
    c::page result;
    result.kernel = &kernel;
    result.recorded = &recorded;
    result.settings = options;
    result.machine = machines[0];
    return result;
  };
  CHECK_FALSE(c::first_other_request(page_of(run), page_of(nest), {}));
  CHECK_FALSE(c::first_other_request(page_of(nest), page_of(run), {}));
  CHECK(c::first_other_request(page_of(nest), page_of(shorter), {}));
  // Of two runs addresses are compared as they are.
  c::recording moved = run;
  for (c::recorded_access& access : moved.accesses) {
    if (!access.is_global) continue;
    std::map<long long, std::uint64_t> shifted;
    for (const auto& [base, times] : access.classes.at(0).times)
      shifted[base + c::global_period] = times;
    access.classes[0].times = shifted;
  }
  CHECK(c::first_other_request(page_of(run), page_of(moved), {}));
  CHECK_FALSE(c::first_other_request(page_of(nest), page_of(moved), {}));
}

TEST_CASE("loops of 10^9 trips are recorded", "[nest]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void dot(const float* a, const float* b, float* out, int n) {
  __shared__ float s[256], t[64];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    sum += a[i] * b[i];
    s[threadIdx.x * 2 % 256] = t[i % 3 * 8 + threadIdx.x % 8];
  }
  s[threadIdx.x] = sum;
}
)");
  c::launch options = launched({256});
  options.arguments["n"] = 1000000100;
  const c::recording long_loop = c::recorded_block(c::kernel_analysis(kernel), options);
  REQUIRE(long_loop.accesses.size() == 5);
  // 1000000100 = 256 * 3906250 + 100: warps 0 to 2 and four lanes of warp 3 go on once more.
  for (const c::recorded_access& access : long_loop.accesses)
    CHECK(access.requests == (access.is_global || access.location.line == 7 ? 8 * 3906250 + 4 : 8));
  const c::priced costs = c::priced_on(machines[0], long_loop);
  CHECK(costs.traffic.transactions == 2 * ((8 * 3906250ull + 3) * 4 + 1));
  options.requires_arguments = true;
  options.arguments.clear();
  CHECK_THROWS_AS(c::recorded_nest(kernel, options), c::cannot_run);
}

TEST_CASE("copies to shared memory are recorded with their sources", "[nest]") {
  const auto compared = [](const std::string& body, int n) {
    const c::kernel_code kernel = kernel_of(
        "#include <cuda_pipeline.h>\n"
        "__global__ void k(const float* p, const float* q, float* out, int n) {\n"
        "  __shared__ float4 s[2][64];\n  const int t = threadIdx.x;\n" +
        body + "  out[t] = s[0][t].x;\n}\n");
    c::launch options = launched({64});
    options.arguments["n"] = static_cast<std::uint64_t>(n);
    return nest_is_recorded(kernel, options);
  };
  const std::string loop =
      "  for (int i = 0; i < n; ++i) {\n    __pipeline_memcpy_async(&s[i % 2][t], p + SOURCE, "
      "16);\n"
      "    __pipeline_commit();\n    __pipeline_wait_prior(0);\n    __syncthreads();\n  }\n";
  for (const std::string source :
       {"4 * t + 256 * i", "4 * t + 68 * i", "4 * (t % 8) + n * (t / 8) * 4 + 32 * i"}) {
    std::string body = loop;
    body.replace(body.find("SOURCE"), 6, source);
    INFO(source);
    CHECK(compared(body, 40));
    CHECK(compared(body, 1001));
  }
  CHECK(
      compared("  __pipeline_memcpy_async(&s[0][t], p + 4 * t, 16);\n"
               "  __pipeline_memcpy_async((float*)&s[1][0] + t, q + t, 4);\n"
               "  __pipeline_memcpy_async((float*)&s[1][0] + t + 1, q + t + 1, 4);\n",
               1));
  CHECK(compared("  __pipeline_memcpy_async(&s[0][t], p + 4 * t, 16, t < n ? 0 : 16);\n", 5));
  // How much is loaded decides about the source: a number, or one that differs between lanes.
  for (const std::string size : {"16", "%r4"}) {
    const c::kernel_code kernel =
        c::read_ptx(
            ".version 7.4\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            "  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %q<2>;\n"
            "  .shared .align 16 .b8 s[512];\n"
            "  ld.param.u64 %d1, [p];\n  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %d2, %r1, 16;\n"
            "  add.u64 %d3, %d1, %d2;\n  shl.b32 %r2, %r1, 4;\n  mov.u32 %r3, s;\n"
            "  add.u32 %r3, %r3, %r2;\n  setp.lt.u32 %q1, %r1, 5;\n"
            "  selp.u32 %r4, 0, 16, %q1;\n"
            "  cp.async.cg.shared.global [%r3], [%d3], 16, " +
            size + ";\n  ret;\n}\n")
            .at(0);
    CHECK(nest_is_recorded(kernel, launched({32})) == (size == "16"));
  }
}

TEST_CASE("what the run alone can judge has no recorded nest", "[nest]") {
  const auto is_refused = [](const std::string& body, c::launch options = launched({64})) {
    const c::kernel_code kernel =
        kernel_of("__global__ void k(int* p, int n) {\n  __shared__ int s[64];\n" + body + "}\n");
    options.arguments.try_emplace("n", 100);
    try {
      (void)c::recorded_nest(kernel, options);
      return false;
    } catch (const c::inexpressible&) {
      return true;
    }
  };
  CHECK_FALSE(is_refused("for (int i = 0; i < n; ++i) { s[threadIdx.x] = i; __syncthreads(); }"));
  CHECK(is_refused("if (threadIdx.x < 40) { s[threadIdx.x] = 1; __syncthreads(); }"));
  CHECK(
      is_refused("for (int i = threadIdx.x; i < n; ++i) { s[threadIdx.x] = i; __syncthreads(); }"));
  CHECK(is_refused("s[p[threadIdx.x] & 63] = 1;"));
  CHECK(is_refused("if (p[0] > 3) s[threadIdx.x] = 1;"));
  CHECK(is_refused("for (int i = 0; p[i] > 0; ++i) s[threadIdx.x] = 1;"));
  CHECK(is_refused("s[threadIdx.x + n] = 1;"));
  const std::string check =
      "for (int i = 0; i < n; ++i) { if (i == END) __builtin_trap(); s[threadIdx.x] = i; }";
  for (const auto& [end, fails] : {std::pair("90", true), {"100", false}, {"p[i]", false}}) {
    std::string body = check;
    body.replace(body.find("END"), 3, end);
    INFO(body);
    CHECK(is_refused(body) == fails);
  }
  CHECK(is_refused("*(int*)((char*)s + threadIdx.x * 4 + 2) = 1;"));
  c::launch assumed = launched({64});
  assumed.assumed[3] = {true, {}};
  CHECK(is_refused("s[threadIdx.x] = 1;", assumed));
}

TEST_CASE("accesses that are near one another at times", "[nest]") {
  const auto compared = [](const std::string& body) {
    const c::kernel_code kernel = kernel_of(
        "__global__ void k(float* p, int n) {\n  __shared__ float s[4096];\n" + body + "}\n");
    c::launch options = launched({32});
    options.arguments["n"] = 5;
    return nest_is_recorded(kernel, options);
  };
  CHECK(compared("for (int i = 0; i < n; ++i) p[i] = s[threadIdx.x] + s[threadIdx.x + i];"));
  CHECK(compared("for (int i = 0; i < n; ++i) p[i] = s[threadIdx.x] + s[threadIdx.x + 16 + i];"));
  // Lanes from 16 on, whose accesses are further apart, never come to the loop.
  CHECK(
      compared("for (int i = threadIdx.x / 16 * n; i < n; ++i)\n"
               "  p[i] = s[threadIdx.x + i] + s[threadIdx.x + threadIdx.x / 16 * 100 + 1 + i];"));
  CHECK(compared(
      "for (int i = 0; i < n; ++i) p[i] = s[4 * threadIdx.x + i] + s[4 * threadIdx.x + 1 + i];"));
  CHECK(
      compared("for (int i = 0; i < n; ++i) { s[4 * threadIdx.x] = i; s[4 * threadIdx.x + 1] = i; "
               "s[512] = i; s[4 * threadIdx.x + 2] = i; }"));
  CHECK(
      compared("for (int i = 0; i < n; ++i) { s[4 * threadIdx.x] = i; __syncwarp(); s[4 * "
               "threadIdx.x + 1] = i; __threadfence(); s[4 * threadIdx.x + 2] = i; }"));
  CHECK(
      compared("for (int i = 0; i < n; ++i) { s[4 * threadIdx.x] = i; s[4 * threadIdx.x + 3] = s[4 "
               "* threadIdx.x + 1]; s[4 * threadIdx.x + 2] = i; }"));
  CHECK_FALSE(
      compared("for (int i = 0; i < n; ++i) { s[threadIdx.x] = i; s[threadIdx.x + i] = i; }"));
}

TEST_CASE("of loops whose conditions few trips meet those are looked at", "[nest]") {
  const auto kernel_with = [](const std::string& condition) {
    return kernel_of(
        "__global__ void k(float* p, int h) {\n  __shared__ float s[8][8][8];\n  float sum = 0;\n"
        "  for (int z = -h; z <= h; ++z)\n    for (int y = -h; y <= h; ++y)\n"
        "      for (int x = h; x >= -h; x -= 2) {\n"
        "        const int i = threadIdx.x + x, j = threadIdx.y + y, k = threadIdx.z + z;\n"
        "        if (" +
        condition + ") sum += s[k][j][i];\n      }\n  p[threadIdx.x] = sum;\n}\n");
  };
  const std::string inside = "i >= 0 && i < 8 && j >= 0 && 8 > j && k >= 0 && k < 8";
  const auto with_half = [](long long half) {
    c::launch options = launched({8, 8, 2});
    options.arguments["h"] = half;
    return options;
  };
  const std::vector<std::string> conditions = {
      inside, inside + " && x != 2", "k < 8 && k > 7 && k < 7",
      "i >= 0 && i < 8 && j == k && 3 * k - 2 > y && k < 8 && k >= 0"};
  for (const long long half : {4, 5, 9, 16})
    for (const std::string& condition : conditions)
      CHECK(nest_is_recorded(kernel_with(condition), with_half(half)));
  // 2^87 trips, of which those inside are looked at: as many as of a cube that holds them.
  const c::kernel_code kernel = kernel_with(inside);
  const c::recording large = c::recorded_nest(kernel, with_half(1 << 28));
  const c::recording small = c::recorded_nest(kernel, with_half(16));
  REQUIRE(large.accesses.size() == small.accesses.size());
  for (std::size_t number = 0; number < large.accesses.size(); ++number) {
    CHECK(large.accesses[number].requests == small.accesses[number].requests);
    CHECK(requests_of(large.accesses[number]) == requests_of(small.accesses[number]));
  }
  CHECK(large.accesses[0].requests > 0);
  // Where each trip has to be looked at, there is an end.
  CHECK_THROWS_AS(c::recorded_nest(kernel_with("(i & 7) + (j & 7) + (k & 7) == 21 + x * x"),
                                   with_half(1 << 15)),
                  c::inexpressible);
}

TEST_CASE("formulas of three loops whose ends, and halves of whose conditions, are unknown",
          "[nest]") {
  const auto kernel_with = [](const std::string& origin) {
    return kernel_of(
        "__global__ void k(const float* in, const float* f, float* out, int h, int n) {\n"
        "  float sum = 0;\n  for (int z = 0; z <= 2 * h; ++z)\n"
        "    for (int y = 0; y <= 2 * h; ++y)\n      for (int x = 0; x <= 2 * h; ++x) {\n"
        "        const int i = threadIdx.x + x" +
        origin + ", j = threadIdx.y + y" + origin + ", l = threadIdx.z + z" + origin +
        ";\n        if (i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n)\n"
        "          sum += f[(z * (2 * h + 1) + y) * (2 * h + 1) + x] * in[(l * n + j) * n + i];\n"
        "      }\n  out[threadIdx.x] = sum;\n}\n");
  };
  const c::launch open = launched({8, 8, 8});
  // No trip is looked at where a condition is taken as false for all of them: this took 10 minutes.
  const c::counted_nest around = c::count_nest(kernel_with(" - h"), open, bm::nvidia::sm_90);
  for (const c::counted_access& access : around.accesses)
    CHECK((access.memory.operation == c::access_does::store || access.requests == 0));
  const c::kernel_code kernel = kernel_with("");
  const c::counted_nest nest = c::count_nest(kernel, open, bm::nvidia::sm_90);
  int compared = 0;
  for (const long long half : {0, 1, 3})
    for (const long long size : {1, 2, 7, 32}) {
      c::launch options = open;
      options.arguments = {{"h", half}, {"n", size}};
      const c::recording run = c::recorded_nest(kernel, options);
      for (const c::counted_access& access : nest.accesses)
        for (const c::recorded_access& recorded : run.accesses)
          if (recorded.number == access.number && access.reason.empty()) {
            INFO(half << ", " << size << ": " << access.requests.text());
            ++compared;
            CHECK(access.requests.evaluated({{"h", half}, {"n", size}}) ==
                  static_cast<long long>(recorded.requests));
          }
    }
  CHECK(compared >= 2 * 3 * 4);
}

TEST_CASE("kernels whose lanes part and rejoin, of unknown n", "[nest]") {
  c::source_options options;
  options.unrolls = false;
  const c::read_source source =
      c::read_cuda(BANKMODEL_COMMAND_LINE_TESTS "/reconvergence/kernels.cu", options);
  tally sum;
  for (const c::kernel_code& kernel : source.kernels)
    for (const long long n : {1, 2, 3, 4, 7, 12}) {
      try {
        const tally result = compare(kernel, launched({32}), launched({32}), {{"n", n}},
                                     machines[0], conditions::may_fail);
        sum.with_formula += result.with_formula;
        sum.with_symbols += result.with_symbols;
        sum.with_reason += result.with_reason;
        sum.recorded += result.recorded;
      } catch (const c::cannot_run&) {  // with another n than 3 some leave their arrays
      }
    }
  CHECK(sum.with_formula >= 500);
  CHECK(sum.with_symbols >= 15);
  CHECK(sum.recorded >= 90);
}

TEST_CASE("random kernels of unknown arguments", "[nest]") {
  using namespace random_kernels;
  int compared = 0, with_symbols = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const program source = drawn(seed);
    if (!emulated(source, 900).is_defined) continue;
    const c::kernel_code kernel = c::read_ptx(ptx_head() + as_ptx(source, 0, 900)).at(0);
    c::launch open = launched({source.threads_x, source.threads_y});
    open.grid = {3, 1, 1};
    open.grid_index.x = source.block;
    c::launch options = open;
    for (int number = 1; number <= 3; ++number) {
      const array& declared = source.arrays[static_cast<std::size_t>(number)];
      std::vector<std::uint8_t> content;
      for (const std::int64_t value : declared.content)
        for (int byte = 0; byte < bytes(declared.kind); ++byte)
          content.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
      options.data["p" + std::to_string(number)] = {declared.name, content};
    }
    INFO("seed " << seed);
    const tally result =
        compare(kernel, open, options,
                {{kernel.parameters[4].name, source.n}, {kernel.parameters[5].name, source.m}},
                machines[seed % 3], conditions::may_fail);
    compared += result.with_formula;
    with_symbols += result.with_symbols;
  }
  CHECK(compared >= 1000);
  CHECK(with_symbols >= 5);
}

// BANKMODEL_FIRST_SEED and BANKMODEL_CASES in the environment draw others.
TEST_CASE("drawn kernels of unknown arguments", "[nest]") {
  const int first = from_environment("BANKMODEL_FIRST_SEED", 1),
            cases = from_environment("BANKMODEL_CASES", 60);
  constexpr bm::block_dim blocks[] = {{32, 2}, {64, 1}, {16, 4}, {48, 1}, {20, 1}};
  std::string text;
  for (int number = 0; number < cases; ++number)
    text += drawn_kernel(static_cast<std::uint32_t>(first + number)).text(number);
  const std::vector<c::kernel_code> kernels = kernels_of(text);
  REQUIRE(static_cast<int>(kernels.size()) == cases);
  tally sum;
  for (const c::kernel_code& kernel : kernels) {
    const int number = std::stoi(kernel.name.substr(1));
    const auto seed = static_cast<std::uint32_t>(first + number);
    const c::launch open = launched(blocks[seed % 5]);
    const bm::machine& machine = machines[seed % 3];
    const c::counted_nest nest = c::count_nest(kernel, open, machine);
    for (const auto& [n, m] : {std::pair(0, 0), {1, 5}, {7, 2}, {31, 33}, {32, 64}, {100, 9}}) {
      INFO("seed " << seed << ", n = " << n << ", m = " << m);
      INFO(drawn_kernel(seed).text(number));
      tally result;
      try {
        result = compare(nest, kernel, open, {{"n", n}, {"m", m}, {"flag", n % 2}}, machine,
                         conditions::may_fail);
      } catch (const c::cannot_run& error) {  // of seeds that are drawn by hand some run for hours
        REQUIRE(error.missing.is == c::missing_fact::kind::steps);
        REQUIRE(first > 1);
      }
      sum.with_formula += result.with_formula;
      sum.with_symbols += result.with_symbols;
      sum.with_reason += result.with_reason;
      sum.recorded += result.recorded;
    }
  }
  CHECK(sum.recorded >= 2 * cases);
  INFO(sum.with_formula << " formulas, " << sum.with_symbols << " with symbols, " << sum.with_reason
                        << " without");
  CHECK(sum.with_symbols >= 10 * cases);
}

// The same environment draws others.
TEST_CASE("drawn kernels whose accesses are near one another", "[nest]") {
  const int first = from_environment("BANKMODEL_FIRST_SEED", 1),
            cases = from_environment("BANKMODEL_CASES", 60);
  std::string text;
  for (int number = 0; number < cases; ++number)
    text += drawn_kernel(static_cast<std::uint32_t>(first + number), true).text(number);
  int recorded = 0, with_neighbours = 0;
  for (const c::kernel_code& kernel : kernels_of(text)) {
    const int number = std::stoi(kernel.name.substr(1));
    INFO(drawn_kernel(static_cast<std::uint32_t>(first + number), true).text(number));
    for (const auto& [n, m] : {std::pair(0, 0), {5, 1}, {7, 2}, {33, 31}}) {
      c::launch options = launched({16, 4});
      options.most_steps = 1 << 22;
      options.arguments = {{"n", static_cast<std::uint64_t>(n)},
                           {"m", static_cast<std::uint64_t>(m)},
                           {"flag", static_cast<std::uint64_t>(n % 2)}};
      try {
        recorded += nest_is_recorded(kernel, options) ? 1 : 0;
        for (const c::recorded_access& access : c::run(kernel, options).accesses)
          with_neighbours += access.neighbours.empty() ? 0 : 1;
      } catch (const c::cannot_run&) {  // it takes too many steps
      }
    }
  }
  INFO(recorded << " recorded, " << with_neighbours << " accesses with neighbours");
  CHECK(recorded >= 2 * cases);
  CHECK(with_neighbours >= 5 * cases);
}

TEST_CASE("returns and breaks where an argument is passed", "[nest]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void k(const int* in, int* out, int rows, int n) {
  __shared__ int s[32][33];
  for (int i = 0; i < 4; ++i) {
    const int row = rows - 1 - i;
    if (row < 0) return;
    for (int j = 0; j < n; ++j) {
      if (i * 8 + j >= rows) break;
      s[threadIdx.x][j & 31] = in[j];
    }
    __syncthreads();
    out[row] = s[i][threadIdx.x];
  }
}
)");
  const c::counted_nest nest = c::count_nest(kernel, launched({32}), machines[0]);
  const c::counted_access& store = in_line(nest, 9);
  CHECK(store.requests.text() == "4 * n");
  CHECK(conditions_of(nest, store).size() == 2);
  CHECK(nest.assumptions.at(0).location.line == 6);
  CHECK(in_line(nest, 12).requests.text() == "4");
  for (const long long n : {1, 2, 9, 40})
    (void)compare(kernel, launched({32}), launched({32}), {{"rows", 100}, {"n", n}}, machines[0],
                  conditions::hold);
}

TEST_CASE("a condition on a value that changes in its loop otherwise than by steps", "[nest]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void k(int n, int m) {
  __shared__ int s[64];
  int x = 8;
  for (int i = 0; i < m; ++i) {
    if (x >= n) return;
    s[threadIdx.x] = i;
    x = x * 3 - 7;
  }
}
)");
  const c::counted_nest nest = c::count_nest(kernel, launched({32}), machines[0]);
  const c::counted_access& store = in_line(nest, 7);
  CHECK(conditions_of(nest, store) == std::vector<std::string>{"a condition on 'n' and threads"});
}

TEST_CASE("an access that data decides about, and copies of unknown source", "[nest]") {
  const c::kernel_code kernel = kernel_of(R"(
#include <cuda_pipeline.h>
__global__ void k(const float4* in, int* out, int n) {
  __shared__ float4 s[64];
  __shared__ int a[64];
  for (int i = 0; i < n; ++i) {
    __pipeline_memcpy_async(&s[threadIdx.x], &in[32 * i + threadIdx.x], 16);
    __pipeline_memcpy_async((float*)&s[threadIdx.x], (const float*)&in[32 * i + threadIdx.x], 4);
    if (out[i] > 3) a[2 * threadIdx.x] = i;
  }
}
)");
  const c::counted_nest nest = c::count_nest(kernel, launched({32}), machines[0]);
  const c::counted_access& store = in_line(nest, 9);
  CHECK(store.has_bounds);
  CHECK(store.is_possible);
  CHECK(store.requests.text() == "n");
  CHECK(store.wavefronts.text() == "0");
  CHECK(store.maximum.text() == "2 * n");
  const c::counted_access &wide = in_line(nest, 7), &narrow = in_line(nest, 8);
  CHECK(wide.reason.empty());
  CHECK(wide.wavefronts.text() == "4 * n");
  CHECK(narrow.has_bounds);
  CHECK_FALSE(narrow.is_possible);
  CHECK(narrow.requests.text() == "n");
  CHECK(narrow.wavefronts.text() == "4 * n");
  CHECK(narrow.maximum.text() == "32 * n");
  c::launch options = launched({32});
  options.assumed[9].is_taken = true;
  (void)compare(kernel, launched({32}), options, {{"n", 5}}, machines[0], conditions::hold);
}

TEST_CASE("lanes that wait where others do not come are no single request behind", "[nest]") {
  const auto text = [](const char* threads) {
    return std::string("__global__ void k() {\n  __shared__ int s[64];\n  if (threadIdx.x < ") +
           threads + ") __syncwarp();\n  s[threadIdx.x] = 1;\n}\n";
  };
  const c::kernel_code divergent = kernel_of(text("16")), uniform = kernel_of(text("32"));
  const c::counted_nest nest = c::count_nest(divergent, launched({64}), machines[0]);
  CHECK(in_line(nest, 4).reason == "lanes that wait for others on the way may come to it apart");
  CHECK(c::run(divergent, launched({64})).accesses.at(0).requests == 3);
  const tally result =
      compare(uniform, launched({64}), launched({64}), {}, machines[0], conditions::hold);
  CHECK(result.with_formula == 1);
}

TEST_CASE("a filter whose reach is unknown, in a block inside of the grid", "[nest]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void k(const float* in, const float* filter, float* out, int r, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < 2 * r + 1; ++i)
    for (int j = 0; j < 2 * r + 1; ++j) {
      const int row = y - r + i, column = x - r + j;
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += in[row * width + column];
      else
        sum += filter[0];
    }
  if (x < width && y < height) out[y * width + x] = sum;
}
)");
  c::launch inside = launched({32, 2});
  inside.grid = {32, 512, 1};
  inside.grid_index = {16, 256, 0};
  for (const bm::machine& m : machines) {
    const c::counted_nest nest = c::count_nest(kernel, inside, m);
    const c::counted_access &load = global_in_line(nest, 9), &outside = global_in_line(nest, 11);
    if (m == bm::nvidia::sm_90) CHECK(load.requests.text() == "8 * r + 8 * r * r + 2");
    CHECK(outside.requests.text() == "0");
    // Four conditions; r and width are whole segments.
    CHECK(conditions_of(nest, load).size() == 6);
    for (const long long r : {0, 64})
      CHECK(compare(nest, kernel, inside, {{"r", r}, {"width", 1024}, {"height", 1024}}, m,
                    conditions::hold)
                .with_formula == 3);
    // At the border they do not hold.
    c::launch border = inside;
    border.grid_index = {};
    border.arguments = {{"r", 64}, {"width", 1024}, {"height", 1024}};
    const c::recording recorded = c::run(kernel, border);
    for (const c::recorded_access& access : recorded.accesses)
      if (access.location.line == 9)
        CHECK(access.requests < static_cast<std::uint64_t>(load.requests.evaluated({{"r", 64}})));
  }
}

TEST_CASE("what is taken away from the last place is no last place", "[nest]") {
  // x >= n alone is the other arm of x < n.
  const c::kernel_code kernel = kernel_of(R"(
__global__ void k(const float* in, float* out, int r, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= r && x < n - r)
    for (int i = -r; i <= r; ++i) out[x] = in[x + i];
  if (x >= n)
    out[0] = 0;
}
)");
  c::launch inside = launched({64});
  inside.grid = {8, 1, 1};
  inside.grid_index = {3, 0, 0};
  const c::counted_nest nest = c::count_nest(kernel, inside, machines[0]);
  CHECK(global_in_line(nest, 5).requests.text() == "4 * r + 2");
  CHECK(global_in_line(nest, 7).requests.text() == "0");
  for (const long long r : {0, 32, 64})
    CHECK(compare(nest, kernel, inside, {{"r", r}, {"n", 512}}, machines[0], conditions::hold)
              .with_formula == 3);
}

TEST_CASE("places in the grid beside limits that a loop has too are counted trip by trip",
          "[nest]") {
  // The last trips leave threads out, and how many is known.
  const c::kernel_code kernel = kernel_of(R"(
__global__ void k(const float* in, float* out, int n) {
  for (int i = 0; i < n; i += 32) {
    const int place = 32 * blockIdx.x + threadIdx.x + i;
    if (place < n) out[place] = in[place];
  }
}
)");
  const c::counted_nest nest = c::count_nest(kernel, launched({32}), machines[0]);
  CHECK(conditions_of(nest, global_in_line(nest, 5)).empty());
  for (const long long n : {1, 31, 32, 33, 1000})
    CHECK(compare(nest, kernel, launched({32}), {{"n", n}}, machines[0], conditions::hold)
              .with_formula == 2);
}

TEST_CASE("the least of two quotients", "[nest]") {
  const c::formula K = c::formula::symbol("K"), M = c::formula::symbol("M");
  CHECK(c::minimum(c::ceil_divide(K, 32), c::ceil_divide(K - 5, 32)).text() ==
        "ceil((K - 5) / 32)");
  CHECK(c::maximum(c::ceil_divide(K, 32), c::ceil_divide(K - 5, 32)).text() == "ceil(K / 32)");
  c::formula_sum warps;
  for (int warp = 0; warp < 32; ++warp)
    warps.add(c::minimum(c::ceil_divide(K, 32), c::ceil_divide(K - warp, 32)));
  CHECK(warps.total().text() == "K");
  // All pairs of small ones, beside their values.
  std::vector<c::formula> quotients;
  for (const long long divisor : {2, 3, 4})
    for (long long constant = -7; constant <= 7; ++constant)
      for (const long long factor : {1, 2}) {
        quotients.push_back(c::ceil_divide(K + constant, divisor) * factor);
        quotients.push_back(c::ceil_divide(K + M + constant, divisor) * factor + M);
      }
  for (const c::formula& left : quotients)
    for (const c::formula& right : quotients) {
      const c::formula least = c::minimum(left, right), most = c::maximum(left, right);
      for (long long k = 0; k <= 12; ++k)
        for (const long long m : {0, 1, 5}) {
          const std::map<std::string, long long> numbers = {{"K", k}, {"M", m}};
          const long long a = left.evaluated(numbers), b = right.evaluated(numbers);
          if (least.evaluated(numbers) != std::min(a, b) ||
              most.evaluated(numbers) != std::max(a, b))
            FAIL(left.text() << " and " << right.text() << " at " << k << ", " << m);
        }
    }
}

TEST_CASE("additions and multiplications, as the run and the nest count them", "[nest]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void k(float* out, float v) {
  float s = 0, p = 1;
  for (int i = 0; i < 10; ++i) {
    s = s * v + p;
    if (threadIdx.x < 40) p *= s;
    for (int j = 0; j < i; ++j) s += v;
  }
  out[threadIdx.x] = s + p;
}
)");
  // Two warps: 10 fused, those of 10 products, 45 sums and one more.
  const c::launch block = launched({64});
  CHECK(c::run(kernel, block).instructions.value().floats == 2u * (10 + 10 + 45 + 1));
  CHECK(c::recorded_nest(kernel, block).instructions.value().floats == 2u * (10 + 10 + 45 + 1));
  CHECK(c::run(kernel, launched({32})).instructions.value().floats == 10u + 10 + 45 + 1);
  c::launch first = launched({96});  // the third warp has no such product
  CHECK(c::run(kernel, first).instructions.value().floats == 3u * (10 + 45 + 1) + 2 * 10);
  CHECK(c::recorded_nest(kernel, first).instructions.value().floats == 3u * (10 + 45 + 1) + 2 * 10);
}

TEST_CASE("functions and matrices, as the run and the nest count them", "[nest]") {
  const c::kernel_code kernel = kernel_of(R"(
#include <mma.h>
__global__ void k(float* out, const half* in) {
  using namespace nvcuda;
  __shared__ half tile[48 * 48];
  for (int i = threadIdx.x; i < 48 * 48; i += 64) tile[i] = in[i];
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  for (int i = 0; i < 3; ++i) {
    wmma::load_matrix_sync(a, tile + 16 * i, 48);
    wmma::load_matrix_sync(b, tile + 16 * 48 * i, 48);
    wmma::mma_sync(c, a, b, c);
    __syncthreads();
  }
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
  double d = out[threadIdx.x];
  for (int i = 0; i < 5; ++i) d = d * d + 1;
  out[threadIdx.x] = d + __expf(out[threadIdx.x + 1]);
}
)");
  const c::instruction_counts run = c::run(kernel, launched({64})).instructions.value();
  CHECK(run.matrices == 2 * 3);
  CHECK(run.matrix_bits == 2 * 3 * 4096 * 16);
  CHECK(run.doubles == 2 * 6);
  CHECK(run.special_functions == 2);
  CHECK(c::recorded_nest(kernel, launched({64})).instructions == run);
  const std::uint64_t executed = c::run(kernel, launched({64})).executed.value();
  CHECK(executed > run.matrices + run.doubles + run.special_functions);
  CHECK(c::recorded_nest(kernel, launched({64})).executed == executed);
}

TEST_CASE("sums of formulas", "[nest]") {
  const c::formula K = c::formula::symbol("K"), flag = c::formula::symbol("flag", {0, 1});
  c::formula warps, lanes;
  for (int warp = 0; warp < 4; ++warp) warps = warps + c::ceil_divide(K - 32 * warp, 128);
  CHECK(warps.text() == "ceil(K / 32)");
  c::formula_sum of_lanes;
  for (int lane = 0; lane < 128; ++lane) of_lanes.add(c::ceil_divide(K - lane, 128));
  CHECK(of_lanes.total().text() == "K");
  c::formula_sum of_few;
  for (int lane = 0; lane < 8; ++lane) of_few.add(c::ceil_divide(K - 4 * lane - 1, 128) * 3);
  CHECK(of_few.total().text() == "3 * sum(i = 0 to 7, ceil((K - 1 - 4 * i) / 128))");
  c::formula_sum of_most;  // every fourth of 32 has less
  for (int lane = 0; lane < 32; ++lane)
    of_most.add(c::ceil_divide(K - lane, 32) * (lane % 4 == 3 ? 72 : 80));
  CHECK(of_most.total().text() == "80 * K - 8 * floor(K / 4)");
  for (const long long k : {0, 1, 2, 3, 4, 31, 32, 33, 1000}) {
    long long sum = 0;
    for (int lane = 0; lane < 32; ++lane) sum += (k - lane + 31) / 32 * (lane % 4 == 3 ? 72 : 80);
    CHECK(of_most.total().evaluated({{"K", k}}) == sum);
  }
  CHECK(c::floor_divide(K, 8).text() == "floor(K / 8)");
  CHECK(c::ceil_divide(c::ceil_divide(K, 8) - 3, 4).text() == "ceil((K - 24) / 32)");
  CHECK((c::maximum(K - 5, 0) * 3 + 1).json() ==
        R"({"add":[1,{"multiply":[3,{"maximum":[{"add":[-5,"K"]},0]}]}]})");
  CHECK((c::is_positive(K - 4) * 7).text() == "7 if K > 4, else 0");
  CHECK((c::is_not_zero(flag) * 7 + 2).text() == "9 if flag, else 2");
  bool is_exact = false;
  CHECK(c::ceil_divide(K, 32).range({{"K", {100, 4096}}}, &is_exact) == c::symbol_range{4, 128});
  CHECK(is_exact);
  CHECK_THROWS_AS(K * c::formula(1ll << 62) * 4, c::formula_error);
}
