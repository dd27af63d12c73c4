// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_CUDA_DESCRIPTIONS_HPP
#define BANKMODEL_EXAMPLES_CUDA_DESCRIPTIONS_HPP

#include <bankmodel/analyze.hpp>
#include <bankmodel/global.hpp>

// Kernels of this folder as they are described to the library: their accesses to both memories. The
// 13 kernels of the demo are in examples/kernels.
namespace cuda_descriptions {

namespace bm = bankmodel;
using namespace bm::index;

inline constexpr auto unknown = bm::unknown_extent;

// ---- transpose.cu ----

inline constexpr auto input = bm::global_array<float>("in", unknown),
                      output = bm::global_array<float>("out", unknown);
inline constexpr auto square = bm::shared_array<float>("tile", 32, 32);
inline constexpr auto transpose = bm::kernel(
    bm::block_dim{32, 8},
    bm::for_loop(j, bm::range(0, 32, 8), bm::load(input[(32 * by + ty + j) * 1024 + 32 * bx + tx]),
                 bm::store(square[ty + j][tx])),
    bm::for_loop(j, bm::range(0, 32, 8), bm::load(square[tx][ty + j]),
                 bm::store(output[(32 * bx + ty + j) * 1024 + 32 * by + tx])));

// ---- reduce.cu ----

inline constexpr auto partial = bm::shared_array<float>("partial", 256);
inline constexpr auto reduce =
    bm::kernel(bm::block_dim{256}, bm::load(input[256 * bx + tx]), bm::store(partial[tx]),
               bm::for_loop(k, bm::powers(1, 256, 2),
                            bm::if_threads(2 * k * tx < 256,
                                           bm::load(partial[2 * k * tx], partial[2 * k * tx + k]),
                                           bm::store(partial[2 * k * tx]))),
               bm::if_threads(tx == 0, bm::load(partial[0 * tx]), bm::store(output[bx])));

// ---- scan.cu ----

inline constexpr auto sums = bm::shared_array<float>("sums", 512);
inline constexpr auto left = k * (2 * tx + 1) - 1, right = k * (2 * tx + 2) - 1;
inline constexpr auto scan = bm::kernel(
    bm::block_dim{256}, bm::load(input[512 * bx + 2 * tx], input[512 * bx + 2 * tx + 1]),
    bm::store(sums[2 * tx], sums[2 * tx + 1]),
    bm::for_loop(
        k, bm::powers(1, 512, 2),
        bm::if_threads(tx < 256 / k, bm::load(sums[left], sums[right]), bm::store(sums[right]))),
    bm::if_threads(tx == 0, bm::store(sums[tx + 511])),
    bm::for_loop(k, bm::powers(256, 0, 2),
                 bm::if_threads(tx < 256 / k, bm::load(sums[left], sums[right], sums[right]),
                                bm::store(sums[left], sums[right]))),
    bm::load(sums[2 * tx], sums[2 * tx + 1]),
    bm::store(output[512 * bx + 2 * tx], output[512 * bx + 2 * tx + 1]));

// ---- matmul.cu ----

inline constexpr auto a = bm::global_array<float>("a", unknown),
                      b = bm::global_array<float>("b", unknown),
                      c = bm::global_array<float>("c", unknown);
inline constexpr auto a_tile = bm::shared_array<float>("as", 16, 16),
                      b_tile = bm::shared_array<float>("bs", 16, 16);
inline constexpr auto matmul = bm::kernel(
    bm::block_dim{16, 16},
    bm::for_loop(i, bm::range(0, 256, 16), bm::load(a[(16 * by + ty) * 256 + i + tx]),
                 bm::store(a_tile[ty][tx]), bm::load(b[(i + ty) * 256 + 16 * bx + tx]),
                 bm::store(b_tile[ty][tx]),
                 bm::for_loop(k, bm::range(0, 16), bm::load(a_tile[ty][k], b_tile[k][tx]))),
    bm::store(c[(16 * by + ty) * 256 + 16 * bx + tx]));

// ---- sgemm_float4.cu ----

inline constexpr auto wide_as = bm::shared_array<float>("as", 16, 64),
                      wide_bs = bm::shared_array<float>("bs", 16, 64);
inline constexpr auto row = tx / 16;
inline constexpr auto quad = 4 * (tx % 16);
inline constexpr auto sgemm_float4 = bm::kernel(
    bm::block_dim{256},
    bm::for_loop(i, bm::range(0, 256, 16),
                 bm::load(bm::vectorized<4>(a[(64 * by + tx / 4) * 256 + i + 4 * (tx % 4)])),
                 bm::store(bm::for_loop(j, bm::range(0, 4), wide_as[4 * (tx % 4) + j][tx / 4])),
                 bm::load(bm::vectorized<4>(b[(i + row) * 256 + 64 * bx + quad])),
                 bm::store(bm::vectorized<4>(wide_bs[row][quad])),
                 bm::for_loop(k, bm::range(0, 16),
                              bm::load(bm::vectorized<4>(wide_as[k][4 * row]),
                                       bm::vectorized<4>(wide_bs[k][quad])))),
    bm::store(bm::for_loop(j, bm::range(0, 4),
                           bm::vectorized<4>(c[(64 * by + 4 * row + j) * 256 + 64 * bx + quad]))));

// ---- bitonic_sort.cu ----

inline constexpr auto data = bm::global_array<float>("data", unknown);
inline constexpr auto sorted = bm::shared_array<float>("sorted", 512);
inline constexpr auto pair = 2 * tx - (tx & (k - 1));
template <class First>
constexpr auto load_halves(const bm::array_description& array, const First& first) {
  return bm::load(array[first + tx], array[first + tx + 256]);
}
template <class First>
constexpr auto store_halves(const bm::array_description& array, const First& first) {
  return bm::store(array[first + tx], array[first + tx + 256]);
}
inline constexpr auto bitonic_sort =
    bm::kernel(bm::block_dim{256}, load_halves(data, 512 * bx), store_halves(sorted, 0),
               bm::for_loop(j, bm::powers(2, 1024, 2),
                            bm::for_loop(k, bm::powers_down(j / 2, 0, 2),
                                         bm::load(sorted[pair], sorted[pair + k]),
                                         bm::store(sorted[pair], sorted[pair + k]))),
               load_halves(sorted, 0), store_halves(data, 512 * bx));

// ---- fft.cu ----

struct alignas(8) complex {
  float real, imaginary;
};
inline constexpr auto complex_data = bm::global_array<complex>("data", unknown);
inline constexpr auto values = bm::shared_array<complex>("values", 512);
inline constexpr auto fft =
    bm::kernel(bm::block_dim{256}, load_halves(complex_data, 512 * bx), store_halves(values, 0),
               bm::for_loop(k, bm::powers(1, 512, 2), load_halves(values, 0),
                            bm::store(values[pair], values[pair + k])),
               load_halves(values, 0), store_halves(complex_data, 512 * bx));

// ---- softmax.cu ----

inline constexpr auto of_warps = bm::shared_array<float>("maxima", 8);
inline constexpr auto softmax = bm::kernel(
    bm::block_dim{256},
    bm::for_loop(i, bm::range(0, 2),
                 bm::for_loop(j, bm::range(0, 1024, 256), bm::load(input[1024 * bx + tx + j])),
                 bm::if_threads(lane == 0, bm::store(of_warps[warp])),
                 bm::load(of_warps[lane % 8])),
    bm::for_loop(j, bm::range(0, 1024, 256), bm::load(input[1024 * bx + tx + j]),
                 bm::store(output[1024 * bx + tx + j])));

// ---- layernorm.cu ----

struct alignas(16) quadruple {
  float x, y, z, w;
};
inline constexpr auto rows_in = bm::global_array<quadruple>("in", unknown),
                      rows_out = bm::global_array<quadruple>("out", unknown),
                      scale = bm::global_array<quadruple>("scale", unknown),
                      shift = bm::global_array<quadruple>("shift", unknown);
inline constexpr auto kept = bm::shared_array<quadruple>("kept", 4, 64);
inline constexpr auto each_half = bm::range(0, 64, 32);
inline constexpr auto layernorm =
    bm::kernel(bm::block_dim{32, 4},
               bm::for_loop(j, each_half, bm::load(rows_in[(4 * bx + ty) * 64 + tx + j]),
                            bm::store(kept[ty][tx + j])),
               bm::for_loop(j, each_half, bm::load(kept[ty][tx + j])),
               bm::for_loop(j, each_half, bm::load(kept[ty][tx + j], scale[tx + j], shift[tx + j]),
                            bm::store(rows_out[(4 * bx + ty) * 64 + tx + j])));

// ---- nbody.cu ----

inline constexpr auto positions = bm::global_array<quadruple>("positions", unknown),
                      accelerations = bm::global_array<quadruple>("accelerations", unknown);
inline constexpr auto bodies = bm::shared_array<quadruple>("tile", 128);
inline constexpr auto nbody = bm::kernel(
    bm::block_dim{128}, bm::load(positions[128 * bx + tx]),
    bm::for_loop(i, bm::range(0, 512, 128), bm::load(positions[i + tx]), bm::store(bodies[tx]),
                 bm::for_loop(j, bm::range(0, 128), bm::load(bodies[j]))),
    bm::store(accelerations[128 * bx + tx]));

// ---- batched_transpose.cu ----

inline constexpr auto element = (bz * 128 + 32 * by + j) * 128 + 32 * bx + tx,
                      turned = (bz * 128 + 32 * bx + j) * 128 + 32 * by + tx;
inline constexpr auto batched_transpose = bm::kernel(
    bm::block_dim{32, 8},
    bm::for_loop(j, bm::range(ty, 32, 8), bm::load(input[element]), bm::store(square[j][tx ^ j])),
    bm::for_loop(j, bm::range(ty, 32, 8), bm::load(square[tx][j ^ tx]), bm::store(output[turned])));

// ---- compact.cu: without the store of the kept numbers, whose places depend on data ----

inline constexpr auto prefix = bm::shared_array<int>("before", 9);
inline constexpr auto counter = bm::global_array<int>("count", unknown);
inline constexpr auto compact = bm::kernel(
    bm::block_dim{256}, bm::load(input[256 * bx + tx]),
    bm::if_threads(lane == 0, bm::store(prefix[warp])),
    bm::if_threads(
        warp == 0, bm::load(prefix[lane % 8]), bm::if_threads(lane < 8, bm::store(prefix[lane])),
        bm::if_threads(lane == 7, bm::atomic(counter[0 * tx]), bm::store(prefix[0 * tx + 8]))),
    bm::load(prefix[0 * tx + 8], prefix[warp]));

// ---- spmv.cu: without the loads of the vector, whose places depend on data ----

inline constexpr auto columns = bm::global_array<int>("columns", unknown);
inline constexpr auto of_rows = bm::shared_array<float>("sums", 32, 4);
inline constexpr auto spmv = bm::kernel(
    bm::block_dim{4, 32},
    bm::for_loop(j, bm::range(tx, 16, 4),
                 bm::load(a[(32 * bx + ty) * 16 + j], columns[(32 * bx + ty) * 16 + j])),
    bm::store(of_rows[ty][tx]),
    bm::if_threads(ty == 0, bm::for_loop(j, bm::range(tx, 32, 4),
                                         bm::load(bm::for_loop(k, bm::range(0, 4), of_rows[j][k])),
                                         bm::store(output[32 * bx + j]))));

// ---- heat.cu ----

inline constexpr auto padded = bm::shared_array<float>("tile", 18, 18);
inline constexpr auto corner = by * 16 * 258 + bx * 16;
inline constexpr auto heat = bm::kernel(
    bm::block_dim{16, 16},
    bm::for_loop(j, bm::range(tid, 324, 256), bm::load(input[corner + j / 18 * 258 + j % 18]),
                 bm::store(padded[j / 18][j % 18])),
    bm::load(padded[ty + 1][tx + 1], padded[ty][tx + 1], padded[ty + 2][tx + 1], padded[ty + 1][tx],
             padded[ty + 1][tx + 2]),
    bm::store(output[corner + (ty + 1) * 258 + tx + 1]));

// Calls visit(name, kernel) for each of them.
template <class Visit>
constexpr void for_each_kernel(Visit&& visit) {
  visit("transpose", transpose);
  visit("reduce", reduce);
  visit("scan", scan);
  visit("matmul", matmul);
  visit("sgemm_float4", sgemm_float4);
  visit("bitonic_sort", bitonic_sort);
  visit("fft", fft);
  visit("softmax", softmax);
  visit("layernorm", layernorm);
  visit("nbody", nbody);
  visit("batched_transpose", batched_transpose);
  visit("compact", compact);
  visit("spmv", spmv);
  visit("heat", heat);
}

}  // namespace cuda_descriptions

#endif
