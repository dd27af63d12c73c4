// A product of matrices as kernels for compute capability 9.0 have it: one thread starts copies of
// tiles, four warps wait for them at mbarriers and multiply, and their results go through a tile in
// shared memory, whose rows are 128 bytes.
#include <cuda.h>

constexpr int stages = 4, tile_m = 64, tile_n = 64, tile_k = 64;
struct alignas(1024) tiles {
  unsigned short a[stages][tile_m * tile_k], b[stages][tile_n * tile_k];
  float c[tile_m][tile_n];
  unsigned long long full[stages], empty[stages];
};

__device__ unsigned address_of(const void* of) {
  return static_cast<unsigned>(__cvta_generic_to_shared(of));
}
__device__ bool is_elected() {
  unsigned result = 0;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(result));
  return result != 0;
}
__device__ void init(unsigned long long* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"(count));
}
__device__ void wait(unsigned long long* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again_%=:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over_%=;\n"
      "bra again_%=;\n"
      "over_%=:\n}" ::"r"(address_of(barrier)),
      "r"(parity)
      : "memory");
}
__device__ void arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address_of(barrier))
               : "memory");
}
__device__ void expect(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ void copy(void* to, const CUtensorMap* from, int x, int y, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4}], [%2];" ::"r"(address_of(to)),
      "l"(from), "r"(address_of(barrier)), "r"(x), "r"(y)
      : "memory");
}
__device__ unsigned long long descriptor(const void* of) {
  return (address_of(of) & 0x3FFFF) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
__device__ void multiply(float (&sum)[4], unsigned long long a, unsigned long long b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;"
      "\n}"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "l"(a), "l"(b), "r"(1));
}

extern __shared__ char storage[];
__global__ __launch_bounds__(160) void hopper(const __grid_constant__ CUtensorMap map_a,
                                              const __grid_constant__ CUtensorMap map_b, float* c,
                                              int n, int k) {
  tiles& s = *reinterpret_cast<tiles*>(storage);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int stage = 0; stage < stages; ++stage) {
      init(&s.full[stage], 1);
      init(&s.empty[stage], 128);
    }
  __syncthreads();
  if (warp == 4) {
    if (is_elected())
      for (int step = 0; step < k / tile_k; ++step) {
        const int stage = step % stages;
        wait(&s.empty[stage], step / stages % 2 ^ 1);
        expect(&s.full[stage], sizeof(s.a[0]) + sizeof(s.b[0]));
        copy(s.a[stage], &map_a, step * tile_k, blockIdx.y * tile_m, &s.full[stage]);
        copy(s.b[stage], &map_b, step * tile_k, blockIdx.x * tile_n, &s.full[stage]);
      }
    return;
  }
  float sum[tile_n / 8][4] = {};
  for (int step = 0; step < k / tile_k; ++step) {
    const int stage = step % stages;
    wait(&s.full[stage], step / stages % 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int column = 0; column < tile_n / 8; ++column)
      multiply(sum[column], descriptor(s.a[stage]), descriptor(s.b[stage]) + column * 64);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    arrive(&s.empty[stage]);
  }
#pragma unroll
  for (int column = 0; column < tile_n / 8; ++column)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float2*>(
          &s.c[16 * warp + lane / 4 + 8 * half][8 * column + 2 * (lane % 4)]) =
          make_float2(sum[column][2 * half], sum[column][2 * half + 1]);
  asm volatile("bar.sync 1, 128;" ::: "memory");
  for (int row = warp; row < tile_m; row += 4)
    for (int column = lane; column < tile_n; column += 32)
      c[(blockIdx.y * tile_m + row) * n + blockIdx.x * tile_n + column] = s.c[row][column];
}
