// SPDX-License-Identifier: MIT
// What plans cost and what they are worth: optimize() for the 13 kernels beside exhaustive
// counting, and its choice under limits of bytes beside what the dissertation's heuristics choose.
#include "../examples/kernels.hpp"
#include "generated_kernels.hpp"
#include "heuristics.hpp"
#include "plans_table.hpp"

#include <bankmodel/machines/nvidia.hpp>

#include <tuple>

namespace bm = bankmodel;

namespace {

// ---- what an array of a generated kernel costs ----

// Exact conflicts, counted once for each padding and base: all heuristics ask for the same again
// and again.
class known_conflicts {
 public:
  known_conflicts(const bm::machine& machine, const generated::kernel& kernel) : kernel_(kernel) {
    for (const int width : {machine.bank_width, machine.other_bank_width})
      if (width != 0) machines_.push_back(machine.with_bank_width(width));
    known_.resize(machines_.size() * kernel.arrays.size() * paddings * bases, unknown);
  }

  dissertation::kernel_to_pad to_pad() {
    dissertation::kernel_to_pad result;
    for (const auto& array : kernel_.arrays)
      result.arrays.push_back({array.layout.extent[0], array.layout.extent[1] * array.element_bytes,
                               array.element_bytes});
    for (const auto& machine : machines_) {
      auto& banks = result.banks.emplace_back();
      for (const auto& array : kernel_.arrays)
        banks.push_back(machine.banks(array.element_bytes, bm::access_kind::load));
    }
    result.conflicts = [this](std::size_t width, std::size_t array, long long padding,
                              long long base_bytes) {
      return conflicts(width, array, padding, base_bytes);
    };
    return result;
  }

 private:
  static constexpr std::size_t paddings = 64, bases = 64;
  static constexpr unsigned long long unknown = std::numeric_limits<unsigned long long>::max();

  unsigned long long conflicts(std::size_t width, std::size_t number, long long padding,
                               long long base_bytes) {
    const bm::machine& machine = machines_[width];
    const bm::array_description& array = kernel_.arrays[number];
    const bm::geometry banks = machine.banks(array.element_bytes, bm::access_kind::load);
    const long long period =
        std::max(banks.W == banks.N ? banks.N : banks.bank_num * banks.W, array.element_bytes);
    const long long base = base_bytes % period;
    const std::size_t place =
        ((width * kernel_.arrays.size() + number) * paddings + static_cast<std::size_t>(padding)) *
        bases;
    unsigned long long& known =
        known_[place + static_cast<std::size_t>(base / array.element_bytes)];
    if (known != unknown) return known;
    known = 0;
    for (const std::size_t at : {2 * number, 2 * number + 1}) {
      generated::access access = kernel_.accesses[at];
      access.array = array.with(array.layout.padded(padding)).at(base);
      known += bm::total(machine, kernel_.block, access).conflicts();
    }
    return known;
  }

  const generated::kernel& kernel_;
  std::vector<bm::machine> machines_;
  std::vector<unsigned long long> known_;
};

// ---- heuristics against the exact search ----

// Tight limits allow so many quarters of the bytes that the plan without a limit adds; the last
// one is what a block gets.
constexpr int limits = 4;

class comparison {
 public:
  comparison(const bm::machine& machine, int kernels, unsigned seed)
      : machine_(machine), kernels_(kernels), seed_(seed) {
    using namespace dissertation;
    strategies_ = {{"method one, the last column that fits", last_column_that_fits, false},
                   {"method one, option one", between_two_columns, false},
                   {"method one, option two", greedily_from_the_next_column, false},
                   {"method two", along_a_front_by_one, false},
                   {"method two with combinations", along_a_front_by_several, false},
                   {"progressive, method one, option one", between_two_columns, true},
                   {"progressive, method two with combinations", along_a_front_by_several, true},
                   {"every combination, then offsets", every_combination, false}};
  }

  // False if a heuristic has found something better than a plan that is said to be optimal.
  bool run() {
    generated::random_numbers random(seed_);
    for (int at = 0; at < kernels_; ++at) {
      const generated::kernel kernel = generated::next_kernel(random);
      kernel.as_described([&](const auto& described) { compare(kernel, described); });
    }
    print();
    return !beaten_;
  }

 private:
  // A kernel and its limit, what a strategy finds, and the plan. The smallest is kept, of plans
  // that are said to be optimal before others.
  using size_of_kernel = std::tuple<bool, std::size_t, long long>;
  struct example {
    size_of_kernel size = {};
    std::string kernel = {}, found = {}, plan = {};
  };
  struct strategy {
    const char* name;
    dissertation::method how;
    bool progressively;
    long long losses = 0, more_bytes = 0, counted = 0;
    long long losses_by_limit[limits] = {};
    unsigned long long lost = 0, worst = 0, wavefronts_where_lost = 0;
    example smallest = {};
  };

  template <class Kernel>
  void compare(const generated::kernel& kernel, const Kernel& described) {
    known_conflicts known(machine_, kernel);
    const dissertation::kernel_to_pad to_pad = known.to_pad();
    const long long unpadded = to_pad.end(std::vector<long long>(kernel.arrays.size(), 0));
    const long long padding =
        bm::optimize(machine_, described, {.layouts = bm::layouts::padding}).bytes() - unpadded;
    if (padding <= 0) return;
    ++padded_kernels_;
    for (int quarters = 1; quarters <= limits; ++quarters) {
      const long long limit =
          quarters < limits ? unpadded + padding * quarters / 4 : machine_.limits.shared_per_block;
      const auto plan = bm::optimize(
          machine_, described, bm::search{.layouts = bm::layouts::padding, .shared_bytes = limit});
      not_optimal_ += plan.is_optimal() ? 0 : 1;
      ++cases_;
      bool better = false;
      for (strategy& each : strategies_) {
        dissertation::framework work(to_pad, limit, each.how);
        const dissertation::solution found =
            each.progressively ? work.run_progressively() : work.run();
        each.counted += work.counted();
        const unsigned long long conflicts = plan.after().conflicts();
        const auto keep_smaller = [&](example& kept) {
          const size_of_kernel size(!plan.is_optimal(), kernel.arrays.size(), unpadded);
          if (!kept.kernel.empty() && !(size < kept.size)) return;
          kept = {size, text_of(kernel, limit), text_of(kernel, each, found, plan),
                  text_of(kernel, plan)};
        };
        if (found.conflicts < conflicts ||
            (found.conflicts == conflicts && found.bytes < plan.bytes())) {
          keep_smaller(better_);
          beaten_ = beaten_ || plan.is_optimal();
          better = true;
        } else if (found.conflicts == conflicts) {
          each.more_bytes += found.bytes > plan.bytes() ? 1 : 0;
        } else {
          const unsigned long long lost = found.conflicts - conflicts;
          each.lost += lost;
          each.worst = std::max(each.worst, lost);
          each.wavefronts_where_lost += plan.after().wavefronts;
          ++each.losses;
          ++each.losses_by_limit[quarters - 1];
          keep_smaller(each.smallest);
        }
      }
      better_than_plan_ += better ? 1 : 0;
    }
  }

  static std::string text_of(const generated::kernel& kernel, long long limit) {
    std::string result = "  block of " + std::to_string(kernel.block.x) + " x " +
                         std::to_string(kernel.block.y) + ", at most " + std::to_string(limit) +
                         " bytes\n";
    for (std::size_t a = 0; a < kernel.arrays.size(); ++a) {
      const bm::array_description& array = kernel.arrays[a];
      result += std::string("    ") + (array.element_bytes == 4 ? "float " : "double ") +
                bm::text(array.name) + "[" + std::to_string(array.layout.extent[0]) + "][" +
                std::to_string(array.layout.extent[1]) + "]: " + bm::text(kernel.accesses[2 * a]) +
                "; " + bm::text(kernel.accesses[2 * a + 1]) + "\n";
    }
    return result;
  }
  template <class Plan>
  std::string text_of(const generated::kernel& kernel, const strategy& by,
                      const dissertation::solution& found, const Plan& plan) const {
    std::string result = line_of(by.name, found.conflicts + plan.after().ideal, found.bytes);
    for (std::size_t a = 0; a < kernel.arrays.size(); ++a)
      result += of_array(kernel.arrays[a], found.padding[a], found.offset_bytes[a]);
    return result + with_width(found.width == 0 ? machine_.bank_width : machine_.other_bank_width);
  }
  template <class Plan>
  std::string text_of(const generated::kernel& kernel, const Plan& plan) const {
    std::string result = line_of("plan", plan.after().wavefronts, plan.bytes());
    for (const bm::array_description& array : kernel.arrays)
      result += of_array(array, plan.layout(array).padding(), plan.offset_bytes(array));
    return result + with_width(plan.bank_width());
  }
  static std::string line_of(const char* name, unsigned long long wavefronts, long long bytes) {
    return std::string("    ") + name + ": " + std::to_string(wavefronts) + " wavefronts in " +
           std::to_string(bytes) + " bytes";
  }
  static std::string of_array(const bm::array_description& array, long long padding,
                              long long offset_bytes) {
    return ", " + bm::text(array.name) + " + " + std::to_string(padding) + " at " +
           std::to_string(offset_bytes);
  }
  std::string with_width(int bytes) const {
    return machine_.other_bank_width == 0 ? "\n"
                                          : ", banks of " + std::to_string(bytes) + " bytes\n";
  }

  void print() const {
    std::printf(
        "\nThe dissertation's heuristics (6.4) on sm_%d: %d generated kernels of 2 to 4 arrays "
        "(seed %u), of which %d have\n"
        "use for padding; each with 1/4, 2/4 and 3/4 of the bytes that the plan without a limit "
        "adds, and without. In %lld of the\n"
        "%lld cases the exact search has spent its effort. Lost: the wavefronts that a heuristic "
        "has more than the plan, in the\n"
        "mean of the cases where it loses.\n\n",
        machine_.model, kernels_, seed_, padded_kernels_, not_optimal_, cases_);
    std::printf("%-42s %12s  %29s  %25s %11s %9s\n", "", "loses in", "with a limit of", "lost",
                "as many in", "layouts");
    std::printf("%-42s %5s %6s  %7s%7s%7s%8s  %10s%8s%7s %11s %9s\n", "heuristic", "cases", "%",
                "1/4, %", "2/4, %", "3/4, %", "none, %", "wavefronts", "%", "worst", "more bytes",
                "counted");
    const auto ratio = [](auto part, auto whole) {
      return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    for (const strategy& each : strategies_) {
      std::printf("%-42s %5lld %6.2f  ", each.name, each.losses, 100 * ratio(each.losses, cases_));
      for (const long long losses : each.losses_by_limit)
        std::printf("%7.2f", 100 * ratio(losses, cases_ / limits));
      std::printf("   %10.1f%8.1f%7llu %11lld %9.1f\n", ratio(each.lost, each.losses),
                  100 * ratio(each.lost, each.wavefronts_where_lost), each.worst, each.more_bytes,
                  ratio(each.counted, cases_));
    }
    std::printf("\nThe smallest kernels where they lose:\n");
    for (std::size_t at = 0; at < strategies_.size(); ++at) {
      const example& one = strategies_[at].smallest;
      const auto is_one = [&](const strategy& other) {
        return other.smallest.kernel == one.kernel;
      };
      if (one.kernel.empty() ||
          std::any_of(strategies_.begin(), strategies_.begin() + static_cast<long>(at), is_one))
        continue;
      std::printf("%s", one.kernel.c_str());
      for (const strategy& other : strategies_)
        if (is_one(other)) std::printf("%s", other.smallest.found.c_str());
      std::printf("%s", one.plan.c_str());
    }
    if (better_than_plan_ == 0) return;
    std::printf("\n%s: in %lld cases a heuristic is better than the plan, such as\n%s%s%s",
                beaten_ ? "WRONG" : "With its effort spent", better_than_plan_,
                better_.kernel.c_str(), better_.found.c_str(), better_.plan.c_str());
  }

  bm::machine machine_;
  int kernels_;
  unsigned seed_;
  std::vector<strategy> strategies_;
  int padded_kernels_ = 0;
  long long cases_ = 0, not_optimal_ = 0, better_than_plan_ = 0;
  bool beaten_ = false;  // a plan that is said to be optimal
  example better_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  plain::plans_table table;
  for (const auto& machine : {bm::nvidia::sm_90, bm::nvidia::sm_35})
    kernels::for_each_kernel(
        [&](const char* name, const auto& kernel) { table.add(name, machine, kernel); });
  bool right = table.run();
  right = comparison(bm::nvidia::sm_90, 3000, 1).run() && right;
  right = comparison(bm::nvidia::sm_35, 400, 2).run() && right;
  return right ? 0 : 1;
}
