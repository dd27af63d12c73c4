// SPDX-License-Identifier: MIT
// Irregular inputs put in order: transactions, bytes, bank conflicts and the time of the
// reorganization itself.
//   reorganize [MATRIX.mtx [MOLECULES]]
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/reorganize.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "inputs.hpp"

namespace {

namespace bm = bankmodel;
namespace re = bankmodel::reorganize;

constexpr bm::machine machine = bm::nvidia::sm_90;

unsigned long long number(std::uint64_t value) { return value; }

// A line on the terminal that says what is being done; it is removed when that is done.
class progress {
 public:
  progress(const std::string& input, const char* doing) {
    if (is_shown_) std::fprintf(stderr, "\r\033[K%s: %s ..", input.c_str(), doing);
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() {
    if (is_shown_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  bool is_shown_ = isatty(STDERR_FILENO) != 0;
};

struct row {
  std::uint64_t transactions = 0, non_coalesced = 0, data_bytes = 0;
  std::string conflicts = "-";
};

void print(const char* label, const row& entry, double seconds) {
  std::printf("  %-26s %12llu %14llu %12llu %22s %9.1f ms\n", label, number(entry.transactions),
              number(entry.non_coalesced), number(entry.data_bytes), entry.conflicts.c_str(),
              1000 * seconds);
}

// Prints a row of which make() is the reorganization, the only part that is timed.
template <class Make>
void reorganized(const inputs::input& source, const re::irregular_references& references,
                 const char* label, const Make& make) {
  const progress shown(source.name, label);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = make();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const re::reference_traffic changed = re::traffic_after(references, result);
  row entry{changed.transactions, changed.non_coalesced, re::data_bytes(references, result)};
  if constexpr (requires { result.block_begin; }) {
    const bm::cost cost = re::tile_cost(machine, references, result);
    entry.conflicts = std::to_string(cost.conflicts()) + " of " + std::to_string(cost.wavefronts);
  }
  print(label, entry, time.count());
}

void show(const inputs::input& source) {
  const re::irregular_references references = source.references(256);
  std::printf("%s: %zu references of %llu threads to %llu floats\n", source.name.c_str(),
              source.indices.size(), number(references.threads()), number(references.elements));
  std::printf("  %-26s %12s %14s %12s %22s %12s\n", "", "transactions", "non-coalesced", "bytes",
              "conflicts of wavefronts", "made in");
  const re::reference_traffic previous = re::traffic(references);
  print("as it is", {previous.transactions, previous.non_coalesced, 4 * references.elements}, 0);
  reorganized(source, references, "duplication", [&] { return re::duplicate(references); });
  reorganized(source, references, "duplication of one half",
              [&] { return re::duplicate(references, 0.5); });
  reorganized(source, references, "padding", [&] { return re::pad(references); });
  reorganized(source, references, "sharing, no clustering",
              [&] { return re::share(references, {.clusters = re::clustering::none}); });
  reorganized(source, references, "sharing, from seeds",
              [&] { return re::share(references, {.clusters = re::clustering::from_seeds}); });
  reorganized(source, references, "sharing, first come", [&] { return re::share(references); });
  reorganized(source, references, "  with ordered tiles", [&] {
    re::shared_blocks result = re::share(references);
    re::lower_conflicts(machine, references, result);
    return result;
  });
  reorganized(source, references, "repositioning", [&] { return re::reposition(references); });
  reorganized(source, references, "swapping threads", [&] { return re::swap_threads(references); });
  static const char* const names[] = {"no change", "duplication", "padding", "sharing"};
  const re::guideline rule = re::select(references);
  std::printf("  by the guideline: %s\n\n", names[static_cast<int>(rule.use)]);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::string matrix = count > 1 ? arguments[1] : BANKMODEL_MESH;
    const long molecules = count > 2 ? std::strtol(arguments[2], nullptr, 10) : 20000;
    if (molecules < 1 || molecules > 100'000'000) {
      std::fprintf(stderr, "the molecules must be 1 to 100000000\n");
      return 2;
    }
    show(inputs::molecular_dynamics(static_cast<std::uint32_t>(molecules), 1));
    show(inputs::sparse_matrix(matrix));
    show(inputs::unstructured_grid(100, 1));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 2;
  }
}
