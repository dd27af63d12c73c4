// SPDX-License-Identifier: MIT
#include <algorithm>

#include "prelude.hpp"

namespace compiled {

// PyTorch's headers, for extensions that are read without it: tensors whose sizes and data nobody
// knows, accessors with the members that kernels get, and AT_DISPATCH_*, which instantiates a
// kernel for each type. Where PyTorch's folder is given its own headers come first.
// Source: PyTorch 2.2, ATen/Dispatch.h, ATen/core/TensorAccessor.h, c10/core/ScalarType.h.
namespace {

const char tensor_text[] = R"prelude(
#pragma once
#include <stdint.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, blocks) __launch_bounds__(n, blocks)
#define C10_WARP_SIZE warpSize
#define C10_UNUSED __attribute__((unused))
#define C10_RESTRICT __restrict__
#define C10_LIKELY(x) (x)
#define C10_UNLIKELY(x) (x)
#define C10_ALWAYS_INLINE inline
#define TORCH_EXTENSION_NAME extension
// As PyTorch's it needs no semicolon.
#define TORCH_CHECK(condition, ...) \
  if (!(condition)) {               \
  }
#define TORCH_INTERNAL_ASSERT(condition, ...) ((void)(condition))
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) ((void)(condition))
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define AT_ASSERT(condition, ...) ((void)(condition))
#define AT_ASSERTM(condition, ...) ((void)(condition))
#define AT_CHECK(condition, ...) ((void)(condition))
#define AT_ERROR(...) ((void)0)
#define CUDA_KERNEL_ASSERT(condition) ((void)(condition))
#define AT_CUDA_CHECK(call) ((void)(call))
#define C10_CUDA_CHECK(call) ((void)(call))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#define THCudaCheck(call) ((void)(call))
#define CUDA_1D_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_1D_KERNEL_LOOP(i, n)
namespace c10 {
#define __BANKMODEL_NUMBER(name, from)                                                            \
  struct alignas(2) name {                                                                        \
    unsigned short x;                                                                             \
    name() = default;                                                                             \
    C10_HOST_DEVICE name(float v) : x(from(v).__x) {}                                             \
    C10_HOST_DEVICE name(const decltype(from(0.f))& v) : x(v.__x) {}                              \
    C10_HOST_DEVICE operator float() const {                                                      \
      decltype(from(0.f)) result;                                                                 \
      result.__x = x;                                                                             \
      return (float)result;                                                                       \
    }                                                                                             \
    C10_HOST_DEVICE name& operator+=(float v) { return *this = name((float)*this + v); }          \
    C10_HOST_DEVICE name& operator-=(float v) { return *this = name((float)*this - v); }          \
    C10_HOST_DEVICE name& operator*=(float v) { return *this = name((float)*this * v); }          \
    C10_HOST_DEVICE name& operator/=(float v) { return *this = name((float)*this / v); }          \
  };
// As c10's: with integers the result is such a number, with float and double theirs.
#define __BANKMODEL_OPERATOR(name, op)                                                         \
  C10_HOST_DEVICE inline name operator op(name a, name b) {                                    \
    return name((float)a op(float) b);                                                         \
  }                                                                                            \
  C10_HOST_DEVICE inline float operator op(name a, float b) { return (float)a op b; }          \
  C10_HOST_DEVICE inline float operator op(float a, name b) { return a op(float) b; }          \
  C10_HOST_DEVICE inline double operator op(name a, double b) { return (float)a op b; }        \
  C10_HOST_DEVICE inline double operator op(double a, name b) { return a op(float) b; }        \
  C10_HOST_DEVICE inline name operator op(name a, int b) { return a op name((float)b); }       \
  C10_HOST_DEVICE inline name operator op(int a, name b) { return name((float)a) op b; }       \
  C10_HOST_DEVICE inline name operator op(name a, int64_t b) { return a op name((float)b); }   \
  C10_HOST_DEVICE inline name operator op(int64_t a, name b) { return name((float)a) op b; }
#define __BANKMODEL_OPERATORS(name)                                                            \
  __BANKMODEL_OPERATOR(name, +)                                                                \
  __BANKMODEL_OPERATOR(name, -)                                                                \
  __BANKMODEL_OPERATOR(name, *)                                                                \
  __BANKMODEL_OPERATOR(name, /)                                                                \
  C10_HOST_DEVICE inline name operator-(name a) { return name(-(float)a); }
__BANKMODEL_NUMBER(Half, __float2half)
__BANKMODEL_NUMBER(BFloat16, __float2bfloat16)
__BANKMODEL_OPERATORS(Half)
__BANKMODEL_OPERATORS(BFloat16)
// PyTorch's numbers convert to CUDA's too; with both conversions `half(x)` would be ambiguous here.
__device__ inline float __half2float(Half from) { return from; }
__device__ inline auto __half2half2(Half from) { return ::__half2half2(__float2half(from)); }
__device__ inline float __bfloat162float(BFloat16 from) { return from; }
template <class T>
struct alignas(2 * sizeof(T)) complex {
  T real_, imag_;
  complex() = default;
  C10_HOST_DEVICE complex(T real, T imag = T()) : real_(real), imag_(imag) {}
  C10_HOST_DEVICE T real() const { return real_; }
  C10_HOST_DEVICE T imag() const { return imag_; }
  C10_HOST_DEVICE complex& operator+=(complex b) { return *this = *this + b; }
  C10_HOST_DEVICE complex& operator-=(complex b) { return *this = *this - b; }
  C10_HOST_DEVICE complex& operator*=(complex b) { return *this = *this * b; }
  friend C10_HOST_DEVICE complex operator+(complex a, complex b) {
    return {a.real_ + b.real_, a.imag_ + b.imag_};
  }
  friend C10_HOST_DEVICE complex operator-(complex a, complex b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  friend C10_HOST_DEVICE complex operator*(complex a, complex b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
};
// Of 8 bits: values are opaque.
__BANKMODEL_M unsigned char __bankmodel_to_8_bits(float);
__BANKMODEL_M float __bankmodel_from_8_bits(unsigned char);
#define __BANKMODEL_OF_8_BITS(name)                                                            \
  struct alignas(1) name {                                                                     \
    uint8_t x;                                                                                 \
    name() = default;                                                                          \
    C10_DEVICE name(float v) : x(__bankmodel_to_8_bits(v)) {}                                  \
    C10_DEVICE operator float() const { return __bankmodel_from_8_bits(x); }                   \
  };
__BANKMODEL_OF_8_BITS(Float8_e5m2)
__BANKMODEL_OF_8_BITS(Float8_e4m3fn)
__BANKMODEL_OF_8_BITS(Float8_e5m2fnuz)
__BANKMODEL_OF_8_BITS(Float8_e4m3fnuz)
__BANKMODEL_OF_8_BITS(Float8_e8m0fnu)
struct alignas(1) Float4_e2m1fn_x2 { uint8_t val_; };
enum class ScalarType : signed char {
  Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool,
  QInt8, QUInt8, QInt32, BFloat16, UInt16, UInt32, UInt64, Float8_e5m2, Float8_e4m3fn,
  Float8_e5m2fnuz, Float8_e4m3fnuz, Float8_e8m0fnu, Float4_e2m1fn_x2, Undefined
};
size_t elementSize(ScalarType);
template <ScalarType> struct __bankmodel_type;
#define __BANKMODEL_SCALAR(name, type)                                        \
  template <> struct __bankmodel_type<ScalarType::name> { typedef type t; };  \
  constexpr ScalarType k##name = ScalarType::name;
__BANKMODEL_SCALAR(Byte, uint8_t)
__BANKMODEL_SCALAR(Char, int8_t)
__BANKMODEL_SCALAR(Short, int16_t)
__BANKMODEL_SCALAR(Int, int)
__BANKMODEL_SCALAR(Long, int64_t)
__BANKMODEL_SCALAR(Half, c10::Half)
__BANKMODEL_SCALAR(Float, float)
__BANKMODEL_SCALAR(Double, double)
__BANKMODEL_SCALAR(ComplexFloat, c10::complex<float>)
__BANKMODEL_SCALAR(ComplexDouble, c10::complex<double>)
__BANKMODEL_SCALAR(Bool, bool)
__BANKMODEL_SCALAR(BFloat16, c10::BFloat16)
__BANKMODEL_SCALAR(UInt16, uint16_t)
__BANKMODEL_SCALAR(UInt32, uint32_t)
__BANKMODEL_SCALAR(UInt64, uint64_t)
__BANKMODEL_SCALAR(Float8_e5m2, c10::Float8_e5m2)
__BANKMODEL_SCALAR(Float8_e4m3fn, c10::Float8_e4m3fn)
__BANKMODEL_SCALAR(Float8_e5m2fnuz, c10::Float8_e5m2fnuz)
__BANKMODEL_SCALAR(Float8_e4m3fnuz, c10::Float8_e4m3fnuz)
__BANKMODEL_SCALAR(Float8_e8m0fnu, c10::Float8_e8m0fnu)
__BANKMODEL_SCALAR(Float4_e2m1fn_x2, c10::Float4_e2m1fn_x2)
constexpr ScalarType kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble, kInt8 = kChar,
                     kInt16 = kShort, kInt32 = kInt, kInt64 = kLong, kUInt8 = kByte;
namespace impl {
template <ScalarType T> using ScalarTypeToCPPTypeT = typename __bankmodel_type<T>::t;
}
struct DeprecatedTypeProperties {
  bool is_cuda() const;
  ScalarType scalarType() const;
};
ScalarType __bankmodel_scalar_type(ScalarType);
ScalarType __bankmodel_scalar_type(const DeprecatedTypeProperties&);
enum class DeviceType : signed char { CPU, CUDA, HIP };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP;
struct Device {
  Device(DeviceType, int = -1);
  Device(const std::string&);
  int index() const;
  DeviceType type() const;
  bool is_cuda() const;
  bool operator==(const Device&) const;
  bool operator!=(const Device&) const;
};
struct IntArrayRef {
  IntArrayRef(std::initializer_list<int64_t>);
  IntArrayRef(const std::vector<int64_t>&);
  IntArrayRef(int64_t);
  int64_t operator[](size_t) const;
  size_t size() const;
  const int64_t* data() const;
  const int64_t* begin() const;
  const int64_t* end() const;
  std::vector<int64_t> vec() const;
  bool operator==(const IntArrayRef&) const;
  bool operator!=(const IntArrayRef&) const;
};
template <class T> struct ArrayRef {
  ArrayRef(const std::vector<T>&);
  const T& operator[](size_t) const;
  size_t size() const;
};
template <class T> using optional = std::optional<T>;
using std::nullopt;
struct TensorOptions {
  TensorOptions();
  TensorOptions(ScalarType);
  TensorOptions(Device);
  TensorOptions(DeviceType);
  TensorOptions dtype(ScalarType) const;
  TensorOptions device(Device) const;
  TensorOptions device(DeviceType, int = -1) const;
  TensorOptions requires_grad(bool) const;
  Device device() const;
};
struct Scalar {
  Scalar(double);
  template <class T> T to() const;
};
enum class MemoryFormat : signed char { Contiguous, Preserve, ChannelsLast };
struct Storage;
}  // namespace c10
namespace at {
using namespace c10;
using c10::Half;
using c10::BFloat16;
template <class T> struct DefaultPtrTraits { typedef T* PtrType; };
template <class T> struct RestrictPtrTraits { typedef T* __restrict__ PtrType; };
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
struct TensorAccessor {
  typedef typename P<T>::PtrType PtrType;
  PtrType data_;
  const I *sizes_, *strides_;
  C10_HOST_DEVICE TensorAccessor(PtrType data, const I* sizes, const I* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  C10_HOST_DEVICE I size(I d) const { return sizes_[d]; }
  C10_HOST_DEVICE I stride(I d) const { return strides_[d]; }
  C10_HOST_DEVICE PtrType data() const { return data_; }
  C10_HOST_DEVICE decltype(auto) operator[](I i) const {
    if constexpr (N == 1) return (data_[strides_[0] * i]);
    else return TensorAccessor<T, N - 1, P, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
struct GenericPackedTensorAccessor {
  typedef typename P<T>::PtrType PtrType;
  PtrType data_;
  I sizes_[N], strides_[N];
  C10_HOST_DEVICE I size(I d) const { return sizes_[d]; }
  C10_HOST_DEVICE I stride(I d) const { return strides_[d]; }
  C10_HOST_DEVICE PtrType data() const { return data_; }
  C10_HOST_DEVICE decltype(auto) operator[](I i) const {
    if constexpr (N == 1) return (data_[strides_[0] * i]);
    else return TensorAccessor<T, N - 1, P, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int32_t>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, int64_t>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;
struct Tensor {
  Tensor();
  Tensor(const Tensor&);
  Tensor& operator=(const Tensor&);
  template <class T> T* data_ptr() const;
  template <class T> T* mutable_data_ptr() const;
  template <class T> const T* const_data_ptr() const;
  template <class T> T* data() const;
  void* data_ptr() const;
  const void* const_data_ptr() const;
  void* mutable_data_ptr() const;
  Tensor data() const;
  void reset();
  int get_device_index() const;
  int64_t size(int64_t) const;
  int64_t stride(int64_t) const;
  int64_t numel() const;
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t element_size() const;
  int64_t storage_offset() const;
  size_t nbytes() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  TensorOptions options() const;
  ScalarType scalar_type() const;
  ScalarType dtype() const;
  DeprecatedTypeProperties& type() const;
  Device device() const;
  int get_device() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  bool defined() const;
  bool has_value() const;
  bool requires_grad() const;
  bool is_same(const Tensor&) const;
  template <class T> T item() const;
  Tensor contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  Tensor to(ScalarType) const;
  Tensor to(Device) const;
  Tensor to(const TensorOptions&) const;
  Tensor cuda() const;
  Tensor cpu() const;
  Tensor clone() const;
  Tensor detach() const;
  Tensor view(IntArrayRef) const;
  Tensor reshape(IntArrayRef) const;
  Tensor flatten(int64_t = 0, int64_t = -1) const;
  Tensor permute(IntArrayRef) const;
  Tensor transpose(int64_t, int64_t) const;
  Tensor t() const;
  Tensor unsqueeze(int64_t) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t) const;
  Tensor expand(IntArrayRef) const;
  Tensor expand_as(const Tensor&) const;
  Tensor select(int64_t, int64_t) const;
  Tensor slice(int64_t, int64_t = 0, int64_t = 0, int64_t = 1) const;
  Tensor narrow(int64_t, int64_t, int64_t) const;
  Tensor sum() const;
  Tensor sum(IntArrayRef, bool = false) const;
  Tensor max() const;
  Tensor min() const;
  Tensor zero_() const;
  Tensor fill_(Scalar) const;
  Tensor copy_(const Tensor&) const;
  Tensor add_(const Tensor&) const;
  Tensor mul_(const Tensor&) const;
  Tensor operator[](int64_t) const;
  template <class T, size_t N> TensorAccessor<T, N> accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, P> packed_accessor32() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, P> packed_accessor64() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
  GenericPackedTensorAccessor<T, N, P, I> packed_accessor() const;
  template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
  GenericPackedTensorAccessor<T, N, P, I> generic_packed_accessor() const;
};
ScalarType __bankmodel_scalar_type(const Tensor&);
typedef ArrayRef<Tensor> TensorList;
Tensor operator+(const Tensor&, const Tensor&);
Tensor operator-(const Tensor&, const Tensor&);
Tensor operator*(const Tensor&, const Tensor&);
Tensor operator/(const Tensor&, const Tensor&);
#define __BANKMODEL_FACTORY(name) Tensor name(IntArrayRef, const TensorOptions& = {});
#define __BANKMODEL_LIKE(name) Tensor name(const Tensor&, const TensorOptions& = {});
__BANKMODEL_FACTORY(zeros)
__BANKMODEL_FACTORY(ones)
__BANKMODEL_FACTORY(empty)
__BANKMODEL_FACTORY(rand)
__BANKMODEL_FACTORY(randn)
__BANKMODEL_LIKE(zeros_like)
__BANKMODEL_LIKE(ones_like)
__BANKMODEL_LIKE(empty_like)
__BANKMODEL_LIKE(rand_like)
Tensor full(IntArrayRef, Scalar, const TensorOptions& = {});
Tensor arange(Scalar, const TensorOptions& = {});
Tensor arange(Scalar, Scalar, const TensorOptions& = {});
Tensor tensor(std::initializer_list<double>, const TensorOptions& = {});
Tensor from_blob(void*, IntArrayRef, const TensorOptions& = {});
template <class Deleter>
Tensor from_blob(void*, IntArrayRef, const Deleter&, const TensorOptions& = {});
Tensor cat(const std::vector<Tensor>&, int64_t = 0);
Tensor stack(const std::vector<Tensor>&, int64_t = 0);
Tensor sum(const Tensor&);
Tensor matmul(const Tensor&, const Tensor&);
template <class A, class B> C10_HOST_DEVICE constexpr A ceil_div(A a, B b) {
  return (a + b - 1) / b;
}
template <class T, bool> struct AccumulateType { typedef T type; };
template <> struct AccumulateType<Half, true> { typedef float type; };
template <> struct AccumulateType<BFloat16, true> { typedef float type; };
template <> struct AccumulateType<__half, true> { typedef float type; };
template <> struct AccumulateType<__nv_bfloat16, true> { typedef float type; };
template <> struct AccumulateType<int8_t, true> { typedef int64_t type; };
template <> struct AccumulateType<uint8_t, true> { typedef int64_t type; };
template <> struct AccumulateType<short, true> { typedef int64_t type; };
template <> struct AccumulateType<int, true> { typedef int64_t type; };
template <class T, bool is_cuda> using acc_type = typename AccumulateType<T, is_cuda>::type;
template <class T> struct OpMathType { typedef T type; };
template <> struct OpMathType<Half> { typedef float type; };
template <> struct OpMathType<BFloat16> { typedef float type; };
template <class T> using opmath_type = typename OpMathType<T>::type;
namespace cuda {
struct CUDAStream {
  operator cudaStream_t() const;
  cudaStream_t stream() const;
};
CUDAStream getCurrentCUDAStream(int = -1);
CUDAStream getDefaultCUDAStream(int = -1);
CUDAStream getStreamFromPool(bool = false, int = -1);
cudaDeviceProp* getCurrentDeviceProperties();
cudaDeviceProp* getDeviceProperties(int);
struct CUDAGuard {
  explicit CUDAGuard(int);
  explicit CUDAGuard(Device);
  ~CUDAGuard();
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard();
  explicit OptionalCUDAGuard(int);
  explicit OptionalCUDAGuard(std::optional<Device>);
  ~OptionalCUDAGuard();
};
}  // namespace cuda
inline std::optional<Device> device_of(const Tensor&) { return {}; }
template <class T> struct numeric_limits {
  static C10_HOST_DEVICE T lowest() { return std::numeric_limits<T>::lowest(); }
  static C10_HOST_DEVICE T max() { return std::numeric_limits<T>::max(); }
  static C10_HOST_DEVICE T lower_bound() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : lowest();
  }
  static C10_HOST_DEVICE T upper_bound() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : max();
  }
};
#define __BANKMODEL_LIMITS(name, most)                                          \
  template <> struct numeric_limits<c10::name> {                                \
    static C10_HOST_DEVICE c10::name lowest() { return -most; }                 \
    static C10_HOST_DEVICE c10::name max() { return most; }                     \
    static C10_HOST_DEVICE c10::name lower_bound() { return -__builtin_inff(); }\
    static C10_HOST_DEVICE c10::name upper_bound() { return __builtin_inff(); } \
  };
__BANKMODEL_LIMITS(Half, 65504.f)
__BANKMODEL_LIMITS(BFloat16, 3.38953139e38f)
struct PhiloxCudaState {
  uint64_t seed_ = 0, offset_ = 0;
};
namespace cuda {
namespace philox {
__device__ inline std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState from) {
  return {from.seed_, from.offset_};
}
}  // namespace philox
}  // namespace cuda
}  // namespace at
namespace c10 {
namespace cuda {
using namespace at::cuda;
}
using at::device_of;
}
namespace pybind11 {
struct module_ {
  template <class... T> module_& def(const T&...);
};
typedef module_ module;
struct object {};
template <class... T> struct init {};
template <class... T> struct class_ {
  template <class... U> class_(const module_&, const char*, const U&...);
  template <class... U> class_& def(const U&...);
  template <class... U> class_& def_readwrite(const U&...);
  template <class... U> class_& def_readonly(const U&...);
  template <class... U> class_& def_property_readonly(const U&...);
  template <class... U> class_& def_static(const U&...);
};
struct arg {
  arg(const char*);
  template <class T> arg operator=(const T&) const;
};
}  // namespace pybind11
namespace py = pybind11;
namespace torch {
using namespace at;
using at::Tensor;
struct Library {
  template <class... T> Library& def(const T&...);
  template <class... T> Library& impl(const T&...);
};
namespace cuda {
using namespace at::cuda;
}
}  // namespace torch
#define PYBIND11_MODULE(name, variable) static void __bankmodel_module(pybind11::module_& variable)
#define TORCH_LIBRARY(name, variable) static void __bankmodel_library(torch::Library& variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable) \
  static void __bankmodel_fragment(torch::Library& variable)
#define TORCH_LIBRARY_IMPL(name, key, variable) \
  static void __bankmodel_library_##key(torch::Library& variable)
template <class T> __device__ T gpuAtomicAdd(T* to, T value) { return atomicAdd(to, value); }
__device__ inline double gpuAtomicAdd(double* to, double value) { return atomicAdd(to, value); }
__device__ inline float gpuAtomicAdd(float* to, float value) { return atomicAdd(to, value); }
__device__ inline c10::Half gpuAtomicAdd(c10::Half* to, c10::Half v) {
  return atomicAdd(reinterpret_cast<__half*>(to), __float2half(v));
}
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16* to, c10::BFloat16 v) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16*>(to), __float2bfloat16(v));
}
template <class T, class U> __device__ void gpuAtomicAddNoReturn(T* to, U value) {
  gpuAtomicAdd(to, value);
}
template <class T>
__device__ T WARP_SHFL(T v, int lane, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, v, lane, width);
}
template <class T>
__device__ T WARP_SHFL_XOR(T v, int lane, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, v, lane, width);
}
template <class T>
__device__ T WARP_SHFL_UP(T v, unsigned delta, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, v, delta, width);
}
template <class T>
__device__ T WARP_SHFL_DOWN(T v, unsigned delta, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, v, delta, width);
}
#define AT_PRIVATE_CASE_TYPE_USING_HINT(type, name, ...)                       \
  case type: {                                                                 \
    using name __attribute__((unused)) = c10::impl::ScalarTypeToCPPTypeT<type>; \
    return __VA_ARGS__();                                                      \
  }
#define AT_DISPATCH_CASE(type, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(type, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(type, name, ...)          \
  [&] {                                              \
    switch (__bankmodel_scalar_type(type)) {         \
      __VA_ARGS__                                    \
      default: __builtin_trap();                     \
    }                                                \
  }()
#define AT_DISPATCH_INDEX_TYPES(type, name, ...)                                                 \
  AT_DISPATCH_SWITCH(type, name,                                                                 \
                     AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Int, index_t, __VA_ARGS__)  \
                     AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Long, index_t, __VA_ARGS__))
using c10::__bankmodel_scalar_type;
using at::__bankmodel_scalar_type;
)prelude";

// A family of AT_DISPATCH_NAME, NAME_AND and NAME_AND2 to NAME_AND8, and its types.
struct family {
  const char *name, *types;
};
constexpr family families[] = {
    {"FLOATING_TYPES", "Double Float"},
    {"REDUCED_FLOATING_TYPES", "Half BFloat16"},
    {"INTEGRAL_TYPES", "Byte Char Int Long Short"},
    {"ALL_TYPES", "Byte Char Int Long Short Double Float"},
    {"COMPLEX_TYPES", "ComplexDouble ComplexFloat"},
    {"FLOATING_AND_COMPLEX_TYPES", "Double Float ComplexDouble ComplexFloat"},
    {"ALL_TYPES_AND_COMPLEX", "Byte Char Int Long Short Double Float ComplexDouble ComplexFloat"}};

std::string cases_of(const std::string& types) {
  std::string result;
  for (std::size_t begin = 0; begin < types.size();) {
    const std::size_t end = std::min(types.find(' ', begin), types.size());
    result +=
        " AT_DISPATCH_CASE(at::ScalarType::" + types.substr(begin, end - begin) + ", __VA_ARGS__)";
    begin = end + 1;
  }
  return result;
}

void add_macros(const std::string& name, const std::string& parameters, const std::string& cases,
                std::string& text) {
  text += "#define AT_DISPATCH_CASE_" + name + "(" + parameters + "...)" + cases + "\n";
  text += "#define AT_DISPATCH_" + name + "(" + parameters + "type, name, ...) " +
          "AT_DISPATCH_SWITCH(type, name," + cases + ")\n";
}

std::string dispatch_text() {
  constexpr int most_further_types = 8;
  std::string result;
  for (const family& group : families) {
    const std::string name = group.name;
    std::string parameters, cases = cases_of(group.types);
    add_macros(name, parameters, cases, result);
    for (int count = 1; count <= most_further_types; ++count) {
      const std::string parameter = "type" + std::to_string(count);
      parameters += parameter + ", ";
      cases += " AT_DISPATCH_CASE(" + parameter + ", __VA_ARGS__)";
      add_macros(name + "_AND" + std::to_string(count), parameters, cases, result);
      if (count == 1) add_macros(name + "_AND", parameters, cases, result);
    }
    add_macros(name + "_AND_HALF", "", cases_of(group.types + std::string(" Half")), result);
  }
  return result;
}

constexpr const char* header_names[] = {"torch/extension.h",
                                        "torch/torch.h",
                                        "torch/all.h",
                                        "torch/types.h",
                                        "torch/script.h",
                                        "torch/library.h",
                                        "torch/python.h",
                                        "torch/cuda.h",
                                        "torch/serialize/tensor.h",
                                        "torch/csrc/autograd/variable.h",
                                        "ATen/ATen.h",
                                        "ATen/Dispatch.h",
                                        "ATen/AccumulateType.h",
                                        "ATen/OpMathType.h",
                                        "ATen/ceil_div.h",
                                        "ATen/NumericUtils.h",
                                        "ATen/DeviceGuard.h",
                                        "ATen/core/Tensor.h",
                                        "ATen/core/TensorAccessor.h",
                                        "ATen/cuda/CUDAContext.h",
                                        "ATen/cuda/CUDAApplyUtils.cuh",
                                        "ATen/cuda/Exceptions.h",
                                        "ATen/cuda/Atomic.cuh",
                                        "ATen/cuda/DeviceUtils.cuh",
                                        "ATen/cuda/NumericLimits.cuh",
                                        "ATen/cuda/PhiloxUtils.cuh",
                                        "ATen/cuda/PhiloxCudaState.h",
                                        "ATen/native/cuda/KernelUtils.cuh",
                                        "c10/cuda/CUDAGuard.h",
                                        "c10/cuda/CUDAStream.h",
                                        "c10/cuda/CUDAException.h",
                                        "c10/cuda/CUDAMathCompat.h",
                                        "c10/cuda/CUDAFunctions.h",
                                        "c10/util/Half.h",
                                        "c10/util/BFloat16.h",
                                        "c10/util/Float8_e4m3fn.h",
                                        "c10/util/Float8_e5m2.h",
                                        "c10/util/Exception.h",
                                        "c10/util/Optional.h",
                                        "c10/core/ScalarType.h",
                                        "c10/macros/Macros.h",
                                        "ATen/ops/from_blob.h",
                                        "ATen/ops/empty.h",
                                        "ATen/ops/zeros.h",
                                        "torch/csrc/utils/pybind.h",
                                        "THC/THC.h",
                                        "THC/THCAtomics.cuh",
                                        "THC/THCDeviceUtils.cuh"};

// PyTorch's stable interface: the same tensors, with functions instead of members.
const char stable_text[] = R"prelude(
#pragma once
#include <bankmodel/torch.h>
#define STD_TORCH_CHECK(condition, ...) TORCH_CHECK(condition)
#define STD_TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) TORCH_CHECK(condition)
#define STD_CUDA_CHECK(call) ((void)(call))
#define STD_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#define TORCH_ERROR_CODE_CHECK(call) ((void)(call))
#define TORCH_BOX(function) function
#define STABLE_TORCH_LIBRARY(name, variable) TORCH_LIBRARY(name, variable)
#define STABLE_TORCH_LIBRARY_FRAGMENT(name, variable) TORCH_LIBRARY_FRAGMENT(name, variable)
#define STABLE_TORCH_LIBRARY_IMPL(name, key, variable) TORCH_LIBRARY_IMPL(name, key, variable)
#define THO_DISPATCH_SWITCH AT_DISPATCH_SWITCH
#define THO_DISPATCH_CASE AT_DISPATCH_CASE
typedef int32_t AOTITorchError;
typedef struct AtenTensorOpaque* AtenTensorHandle;
typedef struct StreamGuardOpaque* StreamGuardHandle;
extern "C" AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device, void** stream);
extern "C" AOTITorchError aoti_torch_get_current_stream(int32_t device, void** stream);
extern "C" AOTITorchError aoti_torch_get_current_device_index(int32_t* device);
namespace torch {
namespace headeronly {
using namespace c10;
template <class T> using HeaderOnlyArrayRef = std::vector<T>;
using IntHeaderOnlyArrayRef = at::IntArrayRef;
}  // namespace headeronly
namespace stable {
using at::Tensor;
using at::Device;
using at::DeviceType;
using DeviceIndex = int;
#define __BANKMODEL_STABLE(name) template <class... T> Tensor name(const T&...);
__BANKMODEL_STABLE(empty) __BANKMODEL_STABLE(empty_like) __BANKMODEL_STABLE(new_empty)
__BANKMODEL_STABLE(new_zeros) __BANKMODEL_STABLE(full) __BANKMODEL_STABLE(fill_)
__BANKMODEL_STABLE(zero_) __BANKMODEL_STABLE(copy_) __BANKMODEL_STABLE(clone)
__BANKMODEL_STABLE(to) __BANKMODEL_STABLE(contiguous) __BANKMODEL_STABLE(reshape)
__BANKMODEL_STABLE(view) __BANKMODEL_STABLE(flatten) __BANKMODEL_STABLE(squeeze)
__BANKMODEL_STABLE(unsqueeze) __BANKMODEL_STABLE(transpose) __BANKMODEL_STABLE(narrow)
__BANKMODEL_STABLE(select) __BANKMODEL_STABLE(pad) __BANKMODEL_STABLE(amax)
__BANKMODEL_STABLE(sum) __BANKMODEL_STABLE(sum_out) __BANKMODEL_STABLE(subtract)
__BANKMODEL_STABLE(matmul) __BANKMODEL_STABLE(from_blob)
#define __BANKMODEL_STABLE_SHAPE(name) \
  template <class... T> Tensor name(const Tensor&, at::IntArrayRef, const T&...);
__BANKMODEL_STABLE_SHAPE(new_empty) __BANKMODEL_STABLE_SHAPE(new_zeros)
__BANKMODEL_STABLE_SHAPE(reshape) __BANKMODEL_STABLE_SHAPE(view) __BANKMODEL_STABLE_SHAPE(pad)
template <class... T> Tensor empty(at::IntArrayRef, const T&...);
template <class... T> Tensor full(at::IntArrayRef, const T&...);
template <class F> void parallel_for(int64_t, int64_t, int64_t, const F&);
namespace accelerator {
using DeviceIndex = int;
struct Stream {
  int64_t id() const;
  void* nativeHandle() const;
};
struct DeviceGuard {
  explicit DeviceGuard(DeviceIndex);
  ~DeviceGuard();
  void set_index(DeviceIndex);
};
DeviceIndex getCurrentDeviceIndex();
Stream getCurrentStream(DeviceIndex);
}  // namespace accelerator
namespace detail {
template <class T, class U> T to(const U&);
template <class T> uint64_t from(const T&);
}  // namespace detail
}  // namespace stable
}  // namespace torch
)prelude";

const char* const stable_header_names[] = {"torch/csrc/inductor/aoti_torch/c/shim.h",
                                           "torch/csrc/stable/accelerator.h",
                                           "torch/csrc/stable/device.h",
                                           "torch/csrc/stable/library.h",
                                           "torch/csrc/stable/macros.h",
                                           "torch/csrc/stable/ops.h",
                                           "torch/csrc/stable/stableivalue_conversions.h",
                                           "torch/csrc/stable/tensor.h",
                                           "torch/csrc/stable/c/shim.h",
                                           "torch/headeronly/core/Dispatch.h",
                                           "torch/headeronly/core/Dispatch_v2.h",
                                           "torch/headeronly/core/DeviceType.h",
                                           "torch/headeronly/core/ScalarType.h",
                                           "torch/headeronly/core/TensorAccessor.h",
                                           "torch/headeronly/macros/Macros.h",
                                           "torch/headeronly/util/BFloat16.h",
                                           "torch/headeronly/util/Exception.h",
                                           "torch/headeronly/util/Float8_e4m3fn.h",
                                           "torch/headeronly/util/Float8_e5m2.h",
                                           "torch/headeronly/util/Half.h",
                                           "torch/headeronly/util/HeaderOnlyArrayRef.h",
                                           "torch/headeronly/util/shim_utils.h"};

// In a folder of PyTorch that lacks the header it is missing: both together do not compile.
std::string own_header(const char* name, const char* ours) {
  return std::string("#if __has_include(<ATen/core/TensorBase.h>)\n#include_next <") + name +
         ">\n#else\n#include <bankmodel/" + ours + ">\n#endif\n";
}

}  // namespace

void add_torch_headers(std::map<std::string, std::string>& files) {
  files["bankmodel/torch.h"] = tensor_text + dispatch_text();
  for (const char* const name : header_names) files[name] = own_header(name, "torch.h");
  files["bankmodel/stable_torch.h"] = stable_text;
  for (const char* const name : stable_header_names)
    files[name] = own_header(name, "stable_torch.h");
}

}  // namespace compiled
