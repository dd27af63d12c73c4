// SPDX-License-Identifier: MIT
#include "prelude.hpp"

#include <cstddef>

namespace compiled {

namespace {

// Builtins of AMD, without __builtin_amdgcn_, that not every version of Clang has. Source: LLVM,
// clang/include/clang/Basic/BuiltinsAMDGPU.def.
const char* const orders[] = {
    "sched_barrier",
    "sched_group_barrier",
    "iglp_opt",
};
// Products of the matrices a and b with c added to them.
const char* const products[] = {
    "mfma_f32_16x16x32_f16",
    "mfma_f32_16x16x32_bf16",
    "mfma_f32_32x32x16_f16",
    "mfma_f32_32x32x16_bf16",
    "mfma_i32_16x16x32_i8",
    "mfma_i32_32x32x16_i8",
    "mfma_i32_16x16x64_i8",
    "mfma_i32_32x32x32_i8",
    "mfma_f32_16x16x8_xf32",
    "mfma_f32_32x32x4_xf32",
    "mfma_f32_16x16x32_fp8_fp8",
    "mfma_f32_16x16x32_fp8_bf8",
    "mfma_f32_16x16x32_bf8_fp8",
    "mfma_f32_16x16x32_bf8_bf8",
    "mfma_f32_32x32x16_fp8_fp8",
    "mfma_f32_32x32x16_fp8_bf8",
    "mfma_f32_32x32x16_bf8_fp8",
    "mfma_f32_32x32x16_bf8_bf8",
    "mfma_scale_f32_16x16x128_f8f6f4",
    "mfma_scale_f32_32x32x64_f8f6f4",
    "wmma_f32_16x16x16_f16_w32",
    "wmma_f32_16x16x16_bf16_w32",
    "wmma_f32_16x16x16_f16_w32_gfx12",
    "wmma_f32_16x16x16_bf16_w32_gfx12",
    "wmma_f16_16x16x16_f16_w32",
    "wmma_bf16_16x16x16_bf16_w32",
    "wmma_f32_16x16x16_f16_w64",
    "wmma_f32_16x16x16_bf16_w64",
    "wmma_f16_16x16x16_f16_w64",
    "wmma_bf16_16x16x16_bf16_w64",
    "wmma_f16_16x16x16_f16_w32_gfx12",
    "wmma_bf16_16x16x16_bf16_w32_gfx12",
    "wmma_f32_16x16x16_fp8_fp8_w32_gfx12",
    "wmma_f32_16x16x16_fp8_bf8_w32_gfx12",
    "wmma_f32_16x16x16_bf8_fp8_w32_gfx12",
    "wmma_f32_16x16x16_bf8_bf8_w32_gfx12",
    "wmma_f32_16x16x16_f16_w64_gfx12",
    "wmma_f32_16x16x16_bf16_w64_gfx12",
    "wmma_f16_16x16x16_f16_w64_gfx12",
    "wmma_bf16_16x16x16_bf16_w64_gfx12",
    "wmma_f32_16x16x16_fp8_fp8_w64_gfx12",
    "wmma_f32_16x16x16_fp8_bf8_w64_gfx12",
    "wmma_f32_16x16x16_bf8_fp8_w64_gfx12",
    "wmma_f32_16x16x16_bf8_bf8_w64_gfx12",
};
// The same of integers: whether a is signed, a, whether b is, b, and c.
const char* const integer_products[] = {
    "wmma_i32_16x16x16_iu8_w32",       "wmma_i32_16x16x16_iu4_w32",
    "wmma_i32_16x16x16_iu8_w64",       "wmma_i32_16x16x16_iu4_w64",
    "wmma_i32_16x16x16_iu8_w32_gfx12", "wmma_i32_16x16x16_iu4_w32_gfx12",
    "wmma_i32_16x16x32_iu4_w32_gfx12", "wmma_i32_16x16x16_iu8_w64_gfx12",
    "wmma_i32_16x16x16_iu4_w64_gfx12", "wmma_i32_16x16x32_iu4_w64_gfx12",
};

// Of orders of instructions, which have no effect here, and of products, which depend on their
// matrices.
const char functions_text[] = R"prelude(
#define __BANKMODEL_ORDER(...) ((void)0)
template <class A, class B, class C>
__attribute__((device)) __attribute__((const)) C __bankmodel_product(A, B, C);
#define __BANKMODEL_PRODUCT(a, b, c, ...) __bankmodel_product(a, b, c)
#define __BANKMODEL_INTEGER_PRODUCT(sign_a, a, sign_b, b, c, ...) __bankmodel_product(a, b, c)
)prelude";

const char vectors_text[] = R"prelude(
// HIP's vectors as classes, of which rocWMMA makes more.
// Source: ROCm/clr, hipamd/include/hip/amd_detail/amd_hip_vector_types.h.
template <class T, unsigned n> struct HIP_vector_base;
#define __BANKMODEL_HIP_VECTOR(n, ...)                                        \
  template <class T> struct HIP_vector_base<T, n> {                           \
    typedef T Native_vec_ __attribute__((ext_vector_type(n)));                \
    typedef T value_type;                                                     \
    union {                                                                   \
      Native_vec_ data;                                                       \
      struct { T __VA_ARGS__; };                                              \
    };                                                                        \
    HIP_vector_base() = default;                                              \
    __BANKMODEL_MEMBER constexpr explicit HIP_vector_base(T value) : data(value) {} \
    template <class... V, typename __bankmodel_if<(sizeof...(V) == n && n > 1)>::type = 0> \
    __BANKMODEL_MEMBER constexpr HIP_vector_base(V... v) : data{static_cast<T>(v)...} {} \
  };
__BANKMODEL_HIP_VECTOR(1, x)
__BANKMODEL_HIP_VECTOR(2, x, y)
__BANKMODEL_HIP_VECTOR(3, x, y, z)
__BANKMODEL_HIP_VECTOR(4, x, y, z, w)
template <class T, unsigned n> struct HIP_vector_type : HIP_vector_base<T, n> {
  using HIP_vector_base<T, n>::HIP_vector_base;
  using HIP_vector_base<T, n>::data;
  using typename HIP_vector_base<T, n>::Native_vec_;
  HIP_vector_type() = default;
  __BANKMODEL_MEMBER constexpr HIP_vector_type(T value) : HIP_vector_base<T, n>(value) {}
#define __BANKMODEL_HIP_ASSIGNMENT(op)                                     \
  __BANKMODEL_MEMBER HIP_vector_type& operator op##=(const HIP_vector_type& v) { \
    data op##= v.data;                                                     \
    return *this;                                                          \
  }                                                                        \
  __BANKMODEL_MEMBER friend constexpr HIP_vector_type operator op(             \
      HIP_vector_type a, const HIP_vector_type& b) {                       \
    return a op##= b;                                                      \
  }
  __BANKMODEL_HIP_ASSIGNMENT(+)
  __BANKMODEL_HIP_ASSIGNMENT(-)
  __BANKMODEL_HIP_ASSIGNMENT(*)
  __BANKMODEL_HIP_ASSIGNMENT(/)
  __BANKMODEL_HIP_ASSIGNMENT(%)
  __BANKMODEL_HIP_ASSIGNMENT(&)
  __BANKMODEL_HIP_ASSIGNMENT(|)
  __BANKMODEL_HIP_ASSIGNMENT(^)
  __BANKMODEL_HIP_ASSIGNMENT(<<)
  __BANKMODEL_HIP_ASSIGNMENT(>>)
  __BANKMODEL_MEMBER HIP_vector_type& operator++() noexcept { return *this += HIP_vector_type(1); }
  __BANKMODEL_MEMBER HIP_vector_type& operator--() noexcept { return *this -= HIP_vector_type(1); }
  __BANKMODEL_MEMBER HIP_vector_type operator-() const {
    HIP_vector_type result = *this;
    result.data = -data;
    return result;
  }
  __BANKMODEL_MEMBER HIP_vector_type operator~() const {
    HIP_vector_type result = *this;
    result.data = ~data;
    return result;
  }
};
)prelude";

template <std::size_t count>
void add_builtins(const char* const (&names)[count], const std::string& definition,
                  std::string& text) {
  for (const std::string name : names) {
    const std::string builtin = "__builtin_amdgcn_" + name;
    text +=
        "#if !__has_builtin(" + builtin + ")\n#define " + builtin + " " + definition + "\n#endif\n";
  }
}

}  // namespace

std::string amd_prelude() {
  std::string result = std::string("#ifdef __HIP__\n") + functions_text;
  add_builtins(orders, "__BANKMODEL_ORDER", result);
  add_builtins(products, "__BANKMODEL_PRODUCT", result);
  add_builtins(integer_products, "__BANKMODEL_INTEGER_PRODUCT", result);
  return result + vectors_text + "#endif\n";
}

}  // namespace compiled
