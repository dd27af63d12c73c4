// SPDX-License-Identifier: MIT
// A force in a molecular dynamics box: pos[neighbours[..]] before and after sharing, as kernels,
// compared with each other. On a machine without a GPU only the host's part is run.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/reorganize.hpp>

#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

namespace bm = bankmodel;
namespace re = bankmodel::reorganize;

constexpr int neighbours = 8, block = 128;

__host__ __device__ inline float force(float here, float there) {
  return 1 / (1 + (here - there) * (here - there));
}

__global__ void before(float* out, const float* pos, const std::uint32_t* list,
                       std::uint32_t threads) {
  const std::uint32_t tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= threads) return;
  float sum = 0;
  for (int j = 0; j < neighbours; ++j) sum += force(pos[tid], pos[list[j * threads + tid]]);
  out[tid] = sum;
}

// Reference 0 is the thread's own position, which moves with it; the others are its neighbours.
__global__ void after(float* out, re::shared_view<float> pos) {
  extern __shared__ float tile[];
  pos.load(tile, blockIdx.x, threadIdx.x, blockDim.x);
  __syncthreads();
  const std::uint64_t tid = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tid >= pos.threads) return;
  float sum = 0;
  const float own = pos.element(tile, 0, tid);
  for (std::uint32_t j = 1; j <= neighbours; ++j) sum += force(own, pos.element(tile, j, tid));
  out[pos.old_thread(tid)] = sum;
}

// The other two forms, and the new data made on the GPU.
__global__ void gather(float* new_data, const float* old, const std::uint32_t* order,
                       std::uint64_t places) {
  const std::uint64_t place = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (place < places) new_data[place] = re::element_of_place(old, order, place);
}
__global__ void read_duplicated(float* out, re::duplicated_view<float> a) {
  const std::uint64_t tid = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tid < a.threads) out[tid] = a.element(0, tid);
}
__global__ void read_reordered(float* out, re::reordered_view<float> a) {
  const std::uint64_t tid = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tid < a.threads && a.has_element(0, tid)) out[a.old_thread(tid)] = a.element(0, tid);
}

template <class T>
T* on_device(const std::vector<T>& from) {
  T* to = nullptr;
  if (from.empty()) return to;
  if (cudaMalloc(&to, from.size() * sizeof(T)) != cudaSuccess ||
      cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess)
    std::printf("no memory on the GPU\n");
  return to;
}
std::vector<float> on_host(const float* from, std::size_t size) {
  std::vector<float> to(size);
  if (cudaMemcpy(to.data(), from, size * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
    std::printf("cannot read from the GPU\n");
  return to;
}

int main() {
  // Molecules in a box, numbered at random, each with 8 neighbours near it.
  constexpr std::uint32_t molecules = 1 << 14;
  std::mt19937 dice(1);
  std::vector<std::uint32_t> number(molecules), list(neighbours * molecules), own(molecules);
  for (std::uint32_t at = 0; at < molecules; ++at) own[at] = number[at] = at;
  for (std::uint32_t at = molecules - 1; at > 0; --at) std::swap(number[at], number[dice() % at]);
  for (std::uint32_t at = 0; at < molecules; ++at)
    for (std::uint32_t j = 0; j < neighbours; ++j)
      list[j * molecules + number[at]] = number[(at + molecules - 4 + j + (j >= 4)) % molecules];

  re::irregular_references kernel{.references = {}, .elements = molecules, .block = block};
  kernel.references.push_back(std::span<const std::uint32_t>(own));
  for (std::size_t j = 0; j < neighbours; ++j)
    kernel.references.push_back(
        std::span<const std::uint32_t>(list).subspan(j * molecules, molecules));
  re::shared_blocks shared = re::share(kernel);
  re::lower_conflicts(bm::nvidia::sm_90, kernel, shared);
  const auto traffic_before = re::traffic(kernel),
             traffic_after = re::traffic_after(kernel, shared);
  std::printf("transactions: %llu before, %llu after; the largest tile has %u elements\n",
              static_cast<unsigned long long>(traffic_before.transactions),
              static_cast<unsigned long long>(traffic_after.transactions), shared.largest_block());

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no GPU: the kernels are not run\n");
    return 0;
  }
  std::vector<float> pos(molecules);
  for (float& one : pos) one = static_cast<float>(dice() % 1000) / 1000;
  std::vector<std::uint32_t> indices;
  for (const auto& one : shared.indices) indices.insert(indices.end(), one.begin(), one.end());

  float* const out = on_device(std::vector<float>(molecules));
  const float* const old = on_device(pos);
  const unsigned blocks = molecules / block;
  before<<<blocks, block>>>(out, old, on_device(list), molecules);
  const std::vector<float> expected = on_host(out, molecules);

  float* const data = on_device(std::vector<float>(shared.data_order.size()));
  gather<<<static_cast<unsigned>(shared.data_order.size() / block + 1), block>>>(
      data, old, on_device(shared.data_order), shared.data_order.size());
  after<<<blocks, block, shared.largest_block() * sizeof(float)>>>(
      out, {data, on_device(shared.block_begin), on_device(shared.block_size), on_device(indices),
            on_device(shared.thread_order), molecules});
  bool same = on_host(out, molecules) == expected;

  // pos[list[tid]] duplicated and padded.
  re::irregular_references one = kernel;
  one.references = {std::span<const std::uint32_t>(list).subspan(0, molecules)};
  const re::duplication copied = re::duplicate(one);
  read_duplicated<<<blocks, block>>>(out, {on_device(re::in_order(pos, copied.data_order)), nullptr,
                                           nullptr, molecules, molecules, copied.stride});
  const std::vector<float> duplicated = on_host(out, molecules);
  const re::reorganization padded = re::pad(one);
  read_reordered<<<blocks, block>>>(
      out, {on_device(re::in_order(pos, padded.data_order)), on_device(padded.indices[0]),
            on_device(padded.thread_order), molecules});
  const std::vector<float> reordered = on_host(out, molecules);
  for (std::size_t at = 0; at < molecules; ++at)
    same = same && duplicated[at] == pos[list[at]] && reordered[at] == pos[list[at]];
  std::printf("the results are %s\n", same ? "the same" : "DIFFERENT");
  return same ? 0 : 1;
}
