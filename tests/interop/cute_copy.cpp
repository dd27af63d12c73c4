// SPDX-License-Identifier: MIT
// Copies of CUTLASS's tutorial in shared memory, examples/cute/tutorial/sgemm_2.cu and
// sgemm_sm80.cu, with CUTLASS's headers. The numbers are those of the PTX that nvcc makes of them.
#include <cute/tensor.hpp>

#include <bankmodel/interop/cute_copy.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <cstdio>

namespace bm = bankmodel;
using namespace cute;
using bm::nvidia::sm_90;

namespace {

// sgemm_2's TN kernel: a row of 8 floats of global memory goes to 8 columns of a padded tile. All
// its stores, of both matrices in 128 steps, take 32,768 wavefronts for 8,192 requests.
using rows =
    decltype(make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{},
                             Layout<Shape<_32, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _1>>{}));
using column_major = Layout<Shape<_128, _8>, Stride<_1, Int<129>>>;
constexpr bm::cost stored = bm::cute::stores(sm_90, column_major{}, rows{});
static_assert(stored.requests == 32 && stored.wavefronts == 128 && stored.degree == 4);
// Rows that are four elements longer do not conflict.
using better = Layout<Shape<_128, _8>, Stride<_1, Int<132>>>;
static_assert(bm::cute::stores(sm_90, better{}, rows{}).conflicts() == 0);

// Its NT kernel: vectors of four.
using vectors = decltype(make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                                         Layout<Shape<_32, _8>>{}, Layout<Shape<_4, _1>>{}));
constexpr bm::cost of_vectors = bm::cute::stores(sm_90, Layout<Shape<_128, _8>>{}, vectors{});
static_assert(of_vectors.requests == 8 && of_vectors.wavefronts == 32);

// sgemm_sm80's kernel of halves: cp.async and ldmatrix, with Swizzle<3, 3, 3>.
using swizzled = decltype(tile_to_shape(
    composition(Swizzle<3, 3, 3>{},
                Layout<Shape<_8, Shape<_8, _8>>, Stride<_8, Stride<_1, _64>>>{}),
    make_shape(Int<128>{}, Int<64>{})));
using plain = decltype(make_layout(make_shape(Int<128>{}, Int<64>{}), LayoutRight{}));
using asynchronous =
    decltype(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{},
                             Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}));
using matrices = decltype(make_tiled_mma(SM80_16x8x16_F16F16F16F16_TN{}, Layout<Shape<_2, _2>>{},
                                         Tile<_32, _32, _16>{}));
template <class Operation>
using loading = decltype(make_tiled_copy_A(Copy_Atom<Operation, half_t>{}, matrices{}));

bool is(const bm::cost& found, std::uint64_t requests, std::uint64_t wavefronts, int degree,
        const char* what) {
  if (found.requests == requests && found.wavefronts == wavefronts && found.degree == degree)
    return true;
  std::printf("%s: %llu requests, %llu wavefronts, %d-way; not %llu, %llu, %d-way\n", what,
              static_cast<unsigned long long>(found.requests),
              static_cast<unsigned long long>(found.wavefronts), static_cast<int>(found.degree),
              static_cast<unsigned long long>(requests),
              static_cast<unsigned long long>(wavefronts), degree);
  return false;
}

}  // namespace

int main() {
  using four = loading<SM75_U32x4_LDSM_N>;
  bool good = is(bm::cute::stores(sm_90, swizzled{}, asynchronous{}), 32, 128, 1, "cp.async");
  good &= is(bm::cute::stores(sm_90, plain{}, asynchronous{}), 32, 128, 1, "cp.async, plain");
  good &= is(bm::cute::loads(sm_90, swizzled{}, four{}), 64, 256, 1, "ldmatrix.x4");
  good &= is(bm::cute::loads(sm_90, plain{}, four{}), 64, 2048, 8, "ldmatrix.x4, plain");
  // The same bytes with smaller instructions.
  good &= is(bm::cute::loads(sm_90, swizzled{}, loading<SM75_U32x2_LDSM_N>{}), 128, 256, 1, "x2");
  good &= is(bm::cute::loads(sm_90, swizzled{}, loading<SM75_U32x1_LDSM_N>{}), 256, 256, 1, "x1");
  if (good) std::puts("the copies cost what their PTX does");
  return good ? 0 : 1;
}
