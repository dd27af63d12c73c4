// SPDX-License-Identifier: MIT
// All headers after macros that other headers and kernels define: they compile, and leave the
// macros as they were. hostile_macros.sh writes the two lists of headers.
#if defined(STANDARD_FIRST)
#include "every_standard_header.hpp"
#endif

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define small char
#define I _Complex_I
#define B0 0000000
#define N 1024
#define M 64
#define W 32
#define index blockIdx.x* blockDim.x + threadIdx.x
#define tx threadIdx.x
#define ty threadIdx.y
#define tz threadIdx.z

#include "every_header.hpp"

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
// g++ restores a macro without the blanks of its text.
constexpr bool same(const char* a, const char* b) {
  for (;; ++a, ++b) {
    while (*a == ' ') ++a;
    while (*b == ' ') ++b;
    if (*a != *b || *a == 0) return *a == *b;
  }
}
static_assert(same(TEXT(N M W I B0 small), "1024 64 32 _Complex_I 0000000 char"));
static_assert(same(TEXT(index), "blockIdx.x * blockDim.x + threadIdx.x"));
static_assert(same(TEXT(tx ty tz), "threadIdx.x threadIdx.y threadIdx.z"));
#if defined(STANDARD_FIRST)  // else libstdc++ removes these two macros
static_assert(min(2, 3) == 2 && max(2, 3) == 3);
#endif

// Kernels with such macros describe their accesses with the names that are free.
namespace bm = bankmodel;
constexpr auto tile = bm::shared_array<float>("tile", W, W);
#undef index
#undef tx
#undef ty
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{W, W},
                        bm::load(tile[bm::index::tx][bm::index::ty]))
                  .degree == W);
static_assert((bm::min)(12, 7) == 7);

int main() {}
