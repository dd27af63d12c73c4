// SPDX-License-Identifier: MIT
// The page of totals that compile_time.sh asks of the compilers, a line each: name, what to ask,
// requests evaluated, and the microseconds that g++ and clang may take where <array> takes 44 and
// 40 ms. Tabs in between.
#include "nests.hpp"

#include "../examples/kernels.hpp"

#include <bankmodel/machines/nvidia.hpp>

#include <cstdio>
#include <string>

namespace bm = bankmodel;

namespace {

bool is_constant(const bm::node& of) { return of.op == bm::operation::constant; }

// Whether it is a sum of multiples of variables: a product has a constant on one side, as programs
// of ours are written.
bool is_affine(const bm::node* program, int size) {
  for (int at = 0; at < size; ++at) {
    const auto op = program[at].op;
    const bool scales = op == bm::operation::multiply || op == bm::operation::shift_left;
    if (scales && !is_constant(program[at - 1]) && !(at >= 2 && is_constant(program[0])))
      return false;
    if (op > bm::operation::multiply && op != bm::operation::shift_left &&
        op != bm::operation::negate)
      return false;
  }
  return true;
}

bool reads(const bm::node* program, int size, bool loops) {
  for (int at = 0; at < size; ++at)
    if (program[at].op == bm::operation::variable &&
        (program[at].value >= static_cast<int>(bm::variable::loop_0)) == loops &&
        (loops || program[at].value < static_cast<int>(bm::variable::bx) ||
         program[at].value > static_cast<int>(bm::variable::bz)))
      return true;
  return false;
}

// A filter that moves reads a loop's variable; bounds that differ from lane to lane are one too.
bool has_moving_filter(const auto& access) {
  for (int at = 0; at < access.depth; ++at) {
    const bm::wrapper& how = access.wrappers[at];
    const auto program = [&](const bm::slice& of) { return access.nodes + of.first; };
    if (how.kind == bm::wrapper_kind::filter ? reads(program(how.first), how.first.size, true)
                                             : reads(program(how.first), how.first.size, false) ||
                                                   reads(program(how.last), how.last.size, false))
      return true;
  }
  return false;
}

struct budget {
  unsigned long long evaluated = 0;
  double gcc = 0, clang = 0;
};

// One total: 2 ms and 4 ms, twice that where W > N. Where the access is not affine, or a filter
// moves, 150 us more for each request evaluated.
void add(budget& sum, const bm::machine& machine, const bm::block_dim& block, const auto& access) {
  const auto evaluated = bm::detail::counted(machine, block, access).evaluated;
  const auto banks = machine.banks(access.vector * access.array.element_bytes, access.kind);
  const double twice = banks.W > banks.N ? 2 : 1,
               of_requests = 150.0 * static_cast<double>(evaluated);
  bool affine = true;
  for (int at = 0; at < access.subscripts; ++at)
    affine =
        affine && is_affine(access.nodes + access.subscript[at].first, access.subscript[at].size);
  const bool moving = has_moving_filter(access);
  sum.evaluated += evaluated;
  sum.gcc += 2000 * twice + (moving || !affine ? of_requests : 0);
  sum.clang += 4000 * twice + (moving || !affine ? of_requests : 0);
}

void print(const std::string& name, const std::string& question, const budget& of) {
  std::printf("%s\t%s\t%llu\t%.0f\t%.0f\n", name.c_str(), question.c_str(), of.evaluated, of.gcc,
              of.clang);
}

void line(const std::string& name, const std::string& question, const bm::machine& machine,
          const bm::block_dim& block, const auto& nest) {
  budget sum;
  bm::for_each_access(nest, [&](const auto& access) { add(sum, machine, block, access); });
  print(name, question, sum);
}

void line(const std::string& name, const std::string& question, const bm::machine& machine,
          const auto& kernel) {
  line(name, question, machine, kernel.block, kernel);
}

}  // namespace

// The arguments of total(), as numbers and as text.
#define LINE(name, ...) line(name, #__VA_ARGS__, __VA_ARGS__)

int main() {
  using bm::nvidia::sm_35;
  using bm::nvidia::sm_90;
  LINE("column, the guard, sm_90", sm_90, bm::block_dim{32, 8}, nests::column);
  LINE("column, the guard, sm_35", sm_35, bm::block_dim{32, 8}, nests::column);
  LINE("grid_stride, sm_90", sm_90, bm::block_dim{256}, nests::grid_stride);
  LINE("grid_stride, sm_35", sm_35, bm::block_dim{256}, nests::grid_stride);
  LINE("growing", sm_90, bm::block_dim{256}, nests::growing);
  LINE("repeated", sm_90, bm::block_dim{256}, nests::repeated);
  LINE("reduction", sm_90, bm::block_dim{256}, nests::reduction);
  LINE("ragged", sm_90, bm::block_dim{32}, nests::ragged);
  LINE("swizzled", sm_90, bm::block_dim{32, 8}, nests::swizzled);
  LINE("by_lane", sm_90, bm::block_dim{256}, nests::by_lane);
  LINE("quads", sm_90, bm::block_dim{128}, nests::quads);
  LINE("doubles", sm_90, bm::block_dim{128}, nests::doubles);
  LINE("both", sm_90, nests::both);
  kernels::for_each_kernel([](const char* name, const auto& kernel) {
    line(name, std::string("sm_90, ") + name, sm_90, kernel);
  });
}
