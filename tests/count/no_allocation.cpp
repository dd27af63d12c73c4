// SPDX-License-Identifier: MIT
// Analysis does not allocate: every operator new of this program is counted.
#include <bankmodel/analyze.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace {
long allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace bm = bankmodel;
using namespace bm::index;

int main(int argc, char**) {
  const auto tile = bm::shared_array<float>("tile", 32, 31 + argc);
  const auto kernel = bm::kernel(
      bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
      bm::load(bm::for_loop(j, bm::range(0, 32, 8),
                            bm::if_threads(tx != j && ty < 5, tile[tx][(ty + j) ^ tx]))),
      bm::load(bm::for_loop(i, bm::range(tx, 32), tile[tx][i])));
  bm::cost sum{};
  sum = sum + bm::total(bm::nvidia::sm_35, kernel) +
        bm::total(bm::nvidia::compute_capability(9, 0), kernel);
  sum.degree += bm::degree(bm::geometry{32, 8, 4, 4}, bm::access_1d{.stride = argc}) +
                bm::degree(bm::geometry{32, 8, 4, 2}, bm::access_2d{1, 16, 24, 2});
  const auto pointer = bm::global_array<float>("pointer", bm::unknown_extent);
  const auto moved =
      bm::traffic(bm::nvidia::sm_13, bm::block_dim{256},
                  bm::if_threads(256 * bx + tx < 1000 * argc, pointer[(256 * bx + tx) * 3 % 77]),
                  bm::grid_dim{4});
  sum.requests += moved.transactions;
  bm::request request{.active = 0xff, .bytes = 4};
  sum = sum + bm::total(bm::nvidia::sm_90, request);
  std::printf("%ld allocations for %llu requests\n", allocations,
              static_cast<unsigned long long>(sum.requests));
  return allocations == 0 && sum.requests > 0 ? 0 : 1;
}
