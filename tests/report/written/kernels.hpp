// SPDX-License-Identifier: MIT
// The kernels whose plans write.cpp writes as headers, and check.cpp makes again: small ones in
// each family, ones with each instruction and operator, and generated ones.
#ifndef BANKMODEL_TESTS_WRITTEN_KERNELS_HPP
#define BANKMODEL_TESTS_WRITTEN_KERNELS_HPP

#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>

#include <string>

#include "generate.hpp"
#include "small_kernels.hpp"

namespace written {

namespace bm = bankmodel;
using namespace bm::index;

constexpr bm::layout_families families[] = {
    bm::layouts::as_declared, bm::layouts::padding, bm::layouts::xor_swizzle, bm::layouts::rotation,
    bm::layouts::triangular,  bm::layouts::modular, bm::layouts::linear,      bm::layouts::all};

// Calls visit(machine, its name, kernel, plan) for each.
template <class Visit>
class kernels {
 public:
  explicit kernels(Visit& visit) : visit_(visit) {}

  void small(int step) {
    const auto add_all = [&](const auto&... kernel) { (in_families(step, kernel), ...); };
    using namespace small_kernels;
    add_all(kernel_1, kernel_2, kernel_3, kernel_4, kernel_5, kernel_6, kernel_7, kernel_8,
            kernel_9, kernel_10);
    add_all(kernel_11, kernel_12, kernel_13, kernel_14, kernel_15, kernel_16, kernel_17, kernel_18,
            kernel_19, kernel_20);
    add_all(kernel_21, kernel_22, kernel_23, kernel_24, kernel_25, kernel_26, kernel_27, kernel_28,
            kernel_29, kernel_30);
  }

  void instructions() {
    using bm::nvidia::sm_90;
    const auto half = bm::shared_array<short>("half", 32, 64);
    const auto rows = half[lane % 16][lane / 16 * 8];
    const auto columns = half[lane % 8][i * 8];
    add(sm_90, bm::kernel({32}, bm::ldmatrix<4>(rows), bm::stmatrix<4>(rows)));
    add(sm_90, bm::kernel({32}, bm::for_loop(i, bm::range(0, 4), bm::ldmatrix<1>(columns),
                                             bm::stmatrix<2>(half[lane % 16][i * 8]))));
    const auto words = bm::shared_array<float>("words", 32, 32);
    add(sm_90,
        bm::kernel({8, 4}, bm::cp_async<16>(words[ty][4 * tx]), bm::atomic(words[tx][2 * ty]),
                   bm::load(bm::vectorized<2>(words[tx][2]))));
    const auto line = bm::shared_array<float>("a", 256);
    add(bm::amd::gfx942,
        bm::kernel({64},
                   bm::for_loop(k, bm::values(0, 2, 5), bm::ds_read2(line[tx + k], line[2 * tx])),
                   bm::load(bm::vectorized<3>(line[3 * tx]))));
    const auto tile = bm::shared_array<short>("in.tile", 16, 16);
    add(bm::amd::gfx950, bm::kernel({64}, bm::ds_read_tr(tile[lane / 4][lane % 4 * 4])));
    add(bm::amd::in_wave64(bm::amd::gfx1100), bm::kernel({64}, bm::load(line[2 * tx])));
    add(bm::amd::gfx950_with_64_banks_for_4_bytes, bm::kernel({64}, bm::load(line[2 * tx])));
    const auto filled = bm::through_copy_engine(bm::shared_array<float>("filled", 8, 32), 128);
    add(sm_90, bm::kernel({8}, bm::load(filled[tx][0 * tx])), {.keep = bm::arrays(filled)});
  }

  void layouts() {
    const auto a = bm::shared_array<float>("int", 16, 16);
    const auto flat = bm::shared_array<float>("a-b", 256),
               other = bm::shared_array<float>("a.b", 256);
    const bm::search keep{.layouts = bm::layouts::as_declared};
    bm::bit_matrix matrix = bm::identity_matrix(8);
    matrix.set(4, 0x11), matrix.set(7, 0x81);
    const bm::permutation permutations[] = {bm::xor_swizzle(1, 0, -5),
                                            bm::rotation(-3).in_groups_of(2),
                                            bm::triangular(bm::triangle::of_rows).in_groups_of(4),
                                            bm::inverse_triangular(),
                                            bm::inverse_triangular(bm::triangle::of_rows),
                                            bm::modular({3, 1, 0, 1}),
                                            bm::modular_in_a_box({2, 1, 0, 1}),
                                            bm::linear(matrix)};
    for (const bm::permutation& mapping : permutations)
      add(bm::nvidia::sm_90,
          bm::kernel({16, 2}, bm::load(a.with(a.layout.permuted(mapping))[tx][ty])), keep);
    const auto padded = a.layout.padded(16).permuted(bm::rotation(1));
    add(bm::nvidia::sm_35, bm::kernel({16, 2}, bm::load(a.with(padded)[tx][ty])), keep);
    const auto deep = bm::shared_array<short>("deep", 2, 3, 4, 8);
    add(bm::nvidia::sm_35.with_bank_width(8),
        bm::kernel({8, 4}, bm::load(deep.with(deep.layout.padded(1).padded(3, 0).padded(
                               2, 1))[1][tx % 3][ty][tx])),
        keep);
    add(bm::nvidia::sm_20, bm::kernel({32}, bm::load(flat[2 * tx]), bm::store(other[4 * tx])));
    bm::bit_matrix large = bm::identity_matrix(16);
    large.set(15, 0x8001);
    const auto bytes = bm::shared_array<unsigned char>("all", 65536);
    add(bm::nvidia::sm_90,
        bm::kernel({32}, bm::load(bytes.with(bytes.layout.permuted(bm::linear(large)))[tx * 2048])),
        {.layouts = bm::layouts::as_declared, .shared_bytes = 65536});
  }

  void operators() {
    const auto a = bm::shared_array<float>("a", 4096);
    const auto b = bm::shared_array<double>("b", 64, 3);
    const auto four = bm::detail::as_index(4), nine = bm::detail::as_index(9);
    add(bm::nvidia::sm_90,
        bm::kernel(
            {32, 4}, bm::load(a[(tx + 3 * ty - 1 + 5) * 2 / 3 % 64]),
            bm::load(a[(tx << 2 | ty) ^ (tx & 12)]),
            bm::store(a[bm::max(bm::min(tx, 7), ty >> 1) - -3]),
            bm::load(a[-(0 - tx) + four * nine]),
            bm::if_threads(!(tx < 4 && (ty != 0 || lane >= 9)) && 3 < tx && 20 >= tx && bx == 0,
                           bm::load(a[tid])),
            bm::if_threads(four < nine && (tx <= 5 || ty == 1 || warp > 2), bm::load(a[-(-tx)]))));
    add(bm::nvidia::sm_35,
        bm::kernel(
            {32},
            bm::for_loop(l, bm::range(31, -1, -1), bm::for_loop(m, bm::range(l, 32), b[m][l % 3])),
            bm::for_loop(n, bm::powers(1, 64, 2), b[(tx + n) % 64][0]),
            bm::for_loop(n, bm::powers(32, 0, 2), b[(tx + n) % 64][by]),
            bm::for_loop(n, bm::powers_up(1, tx, 2), b[n][bz]),
            bm::for_loop(n, bm::powers_down(tx, 0, 2), b[n][tz]),
            bm::for_loop(i, bm::range(tx, 64, 32), bm::for_loop(j, bm::values(2, 0, 1), b[i][j]))));
    // A Walsh transform takes more steps than clang allows.
    add(bm::nvidia::sm_90,
        bm::kernel({1024}, bm::for_loop(k, bm::powers(1, 2048, 2), a[2 * tx - (tx & (k - 1))],
                                        bm::store(a[2 * tx - (tx & (k - 1)) + k]))));
  }

  // Of machines of all kinds, with one or two accesses to arrays of their own.
  void generated(int first, int last) {
    const bm::machine real[] = {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_20,
                                bm::nvidia::sm_75};
    for (int seed = first; seed < last; ++seed) {
      const auto c = of_seed(seed), other = of_seed(seed + 100000);
      auto access = generated::for_library(c), two = generated::for_library(other);
      access.array.name = bm::name_of("a"), two.array.name = bm::name_of("b");
      if (access.array.layout.required_size() * access.array.element_bytes > 49152) continue;
      if (two.array.layout.required_size() * two.array.element_bytes > 49152) two = access;
      const bool is_own = c.machine == generated::real_machines;
      const bm::machine m = is_own ? generated::own_machine_of(c) : real[c.machine];
      const bm::machine_in_code name =
          is_own
              ? bm::machine_in_code{"generated::own_machine_of(generated::generator(" +
                                        std::to_string(seed) + ", generated::size::small).make())",
                                    "generate.hpp"}
              : bm::machine_in_code{};
      const bm::search options{.layouts = families[seed % 8], .shared_bytes = is_own ? 1 << 20 : 0};
      // The second access is of another block and machine, and arrays may not fit.
      if (!add_if_possible(m, bm::kernel(generated::block_of(c), access, two), options, name))
        add_if_possible(m, bm::kernel(generated::block_of(c), access), options, name);
    }
  }

 private:
  static generated::one_case of_seed(int seed) {
    return generated::generator(static_cast<unsigned long long>(seed), generated::size::small)
        .make();
  }

  template <class... Accesses>
  void add(const bm::machine& m, const bm::kernel_description<Accesses...>& kernel,
           const bm::search& options = {}, const bm::machine_in_code& name = {}) {
    visit_(m, name, kernel, bm::optimize(m, kernel, options));
  }
  template <class Kernel>
  bool add_if_possible(const bm::machine& m, const Kernel& kernel, const bm::search& options,
                       const bm::machine_in_code& name) {
    try {
      (void)bm::optimize(m, kernel, options);
    } catch (const bm::error&) {
      return false;
    }
    add(m, kernel, options, name);
    return true;
  }
  template <class Kernel>
  void in_families(int step, const Kernel& kernel) {
    for (int family = number_++ % step; family < 8; family += step)
      add(family % 3 == 0   ? bm::nvidia::sm_35
          : family % 3 == 1 ? bm::nvidia::sm_90
                            : bm::amd::gfx942,
          kernel, {.layouts = families[family]});
  }

  Visit& visit_;
  int number_ = 0;
};

template <class Visit>
void for_each_kernel(bool is_short, Visit visit) {
  kernels<Visit> suite(visit);
  suite.small(is_short ? 8 : 2);
  suite.instructions();
  suite.layouts();
  suite.operators();
  suite.generated(1, is_short ? 30 : 200);
}

}  // namespace written

#endif
