// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// Textures, surfaces and cuRAND. Their functions have no body: they return values that only a run
// knows, and a count leaves out what they access.
namespace {

const char texture_text[] = R"prelude(
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap
};
enum {
  cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 12,
  cudaTextureType1DLayered = 0xf1, cudaTextureType2DLayered = 0xf2
};
enum cudaTextureAddressMode {
  cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone = 3, cudaChannelFormatKindNV12,
  cudaChannelFormatKindUnsignedNormalized8X1, cudaChannelFormatKindUnsignedNormalized8X2,
  cudaChannelFormatKindUnsignedNormalized8X4, cudaChannelFormatKindUnsignedNormalized16X1,
  cudaChannelFormatKindUnsignedNormalized16X2, cudaChannelFormatKindUnsignedNormalized16X4,
  cudaChannelFormatKindSignedNormalized8X1, cudaChannelFormatKindSignedNormalized8X2,
  cudaChannelFormatKindSignedNormalized8X4, cudaChannelFormatKindSignedNormalized16X1,
  cudaChannelFormatKindSignedNormalized16X2, cudaChannelFormatKindSignedNormalized16X4,
  cudaChannelFormatKindUnsignedBlockCompressed1, cudaChannelFormatKindUnsignedBlockCompressed1SRGB,
  cudaChannelFormatKindUnsignedBlockCompressed2, cudaChannelFormatKindUnsignedBlockCompressed2SRGB,
  cudaChannelFormatKindUnsignedBlockCompressed3, cudaChannelFormatKindUnsignedBlockCompressed3SRGB,
  cudaChannelFormatKindUnsignedBlockCompressed4, cudaChannelFormatKindSignedBlockCompressed4,
  cudaChannelFormatKindUnsignedBlockCompressed5, cudaChannelFormatKindSignedBlockCompressed5,
  cudaChannelFormatKindUnsignedBlockCompressed6H, cudaChannelFormatKindSignedBlockCompressed6H,
  cudaChannelFormatKindUnsignedBlockCompressed7, cudaChannelFormatKindUnsignedBlockCompressed7SRGB,
  cudaChannelFormatKindUnsignedNormalized1010102
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};
struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
};
#ifdef __HIP__
template <class T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType>
struct texture : textureReference {};
#else
template <class T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {};
#endif
#define __BANKMODEL_TEXTURE(name, ...)                                                          \
  template <class T> __attribute__((device)) T name(cudaTextureObject_t, ##__VA_ARGS__);        \
  template <class T>                                                                            \
  __attribute__((device)) void name(T*, cudaTextureObject_t, ##__VA_ARGS__);                    \
  template <class T, int D, cudaTextureReadMode M>                                              \
  __attribute__((device)) T name(texture<T, D, M>, ##__VA_ARGS__);
__BANKMODEL_TEXTURE(tex1Dfetch, int)
__BANKMODEL_TEXTURE(tex1D, float)
__BANKMODEL_TEXTURE(tex2D, float, float)
__BANKMODEL_TEXTURE(tex3D, float, float, float)
__BANKMODEL_TEXTURE(texCubemap, float, float, float)
__BANKMODEL_TEXTURE(tex1DLayered, float, int)
__BANKMODEL_TEXTURE(tex2DLayered, float, float, int)
__BANKMODEL_TEXTURE(tex1DLod, float, float)
__BANKMODEL_TEXTURE(tex2DLod, float, float, float)
__BANKMODEL_TEXTURE(tex3DLod, float, float, float, float)
__BANKMODEL_TEXTURE(tex2Dgather, float, float, int)
__BANKMODEL_TEXTURE(tex1DLayeredLod, float, int, float)
__BANKMODEL_TEXTURE(tex2DLayeredLod, float, float, int, float)
__BANKMODEL_TEXTURE(texCubemapLod, float, float, float, float)
__BANKMODEL_TEXTURE(texCubemapLayered, float, float, float, int)
__BANKMODEL_TEXTURE(texCubemapLayeredLod, float, float, float, int, float)
__BANKMODEL_TEXTURE(tex1DGrad, float, float, float)
__BANKMODEL_TEXTURE(tex2DGrad, float, float, float2, float2)
__BANKMODEL_TEXTURE(tex3DGrad, float, float, float, float4, float4)
__BANKMODEL_TEXTURE(tex1DLayeredGrad, float, int, float, float)
__BANKMODEL_TEXTURE(tex2DLayeredGrad, float, float, int, float2, float2)
__BANKMODEL_TEXTURE(texCubemapGrad, float, float, float, float4, float4)
__BANKMODEL_TEXTURE(texCubemapLayeredGrad, float, float, float, int, float4, float4)
#define __BANKMODEL_SURFACE(dims, ...)                                                        \
  template <class T>                                                                          \
  __attribute__((device)) T surf##dims##read(cudaSurfaceObject_t, __VA_ARGS__,                \
                                             cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
  template <class T>                                                                          \
  __attribute__((device)) void surf##dims##read(                                              \
      T*, cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);  \
  template <class T>                                                                          \
  __attribute__((device)) void surf##dims##write(                                             \
      T, cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
__BANKMODEL_SURFACE(1D, int)
__BANKMODEL_SURFACE(2D, int, int)
__BANKMODEL_SURFACE(3D, int, int, int)
__BANKMODEL_SURFACE(2DLayered, int, int, int)
__BANKMODEL_SURFACE(1DLayered, int, int)
__BANKMODEL_SURFACE(Cubemap, int, int, int)
__BANKMODEL_SURFACE(CubemapLayered, int, int, int)
)prelude";

// The generators' states have their sizes in CUDA 12, which copies of them move.
const char random_text[] = R"prelude(
struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStateSobol32 { unsigned i, x, c, direction_vectors[32]; };
struct curandStateSobol64 { unsigned long long i, x, c, direction_vectors[64]; };
struct curandStateScrambledSobol32 { unsigned i, x, c, direction_vectors[32]; };
struct curandStateScrambledSobol64 { unsigned long long i, x, c, direction_vectors[64]; };
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStateSobol32 curandStateSobol32_t;
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef int curandStatus_t;
typedef struct curandGenerator_st* curandGenerator_t;
#define __BANKMODEL_RANDOM(T, name, ...) __BANKMODEL_O T name(void*, ##__VA_ARGS__);
__BANKMODEL_RANDOM(unsigned, curand)
__BANKMODEL_RANDOM(uint4, curand4)
__BANKMODEL_RANDOM(float, curand_uniform)
__BANKMODEL_RANDOM(float2, curand_uniform2)
__BANKMODEL_RANDOM(float4, curand_uniform4)
__BANKMODEL_RANDOM(double, curand_uniform_double)
__BANKMODEL_RANDOM(double2, curand_uniform2_double)
__BANKMODEL_RANDOM(float, curand_normal)
__BANKMODEL_RANDOM(float2, curand_normal2)
__BANKMODEL_RANDOM(float4, curand_normal4)
__BANKMODEL_RANDOM(double, curand_normal_double)
__BANKMODEL_RANDOM(double2, curand_normal2_double)
__BANKMODEL_RANDOM(float, curand_log_normal, float, float)
__BANKMODEL_RANDOM(unsigned, curand_poisson, double)
__BANKMODEL_RANDOM(uint4, curand_poisson4, double)
__BANKMODEL_RANDOM(double4, curand_uniform4_double)
__BANKMODEL_RANDOM(double4, curand_normal4_double)
__BANKMODEL_RANDOM(float2, curand_log_normal2, float, float)
__BANKMODEL_RANDOM(float4, curand_log_normal4, float, float)
__BANKMODEL_RANDOM(double, curand_log_normal_double, double, double)
__BANKMODEL_RANDOM(double2, curand_log_normal2_double, double, double)
__BANKMODEL_RANDOM(double4, curand_log_normal4_double, double, double)
typedef struct curandDiscreteDistribution_st* curandDiscreteDistribution_t;
__BANKMODEL_RANDOM(unsigned, curand_discrete, curandDiscreteDistribution_t)
__BANKMODEL_RANDOM(uint4, curand_discrete4, curandDiscreteDistribution_t)
struct curandStateMtgp32 { unsigned s[1024]; int offset, pIdx; void* k; };
typedef curandStateMtgp32 curandStateMtgp32_t;
__BANKMODEL_RANDOM(unsigned, curand_mtgp32_specific, unsigned char, unsigned char)
__BANKMODEL_RANDOM(float, curand_mtgp32_single)
__BANKMODEL_RANDOM(float, curand_mtgp32_single_specific, unsigned char, unsigned char)
__BANKMODEL_O void skipahead(unsigned long long, void*);
__BANKMODEL_O void skipahead_sequence(unsigned long long, void*);
__BANKMODEL_O void skipahead_subsequence(unsigned long long, void*);
extern "C++" {
template <class State>
__attribute__((device)) void curand_init(unsigned long long, unsigned long long, unsigned long long,
                                         State*);
template <class State>
__attribute__((device)) void curand_init(unsigned*, unsigned, State*);
template <class State>
__attribute__((device)) void curand_init(unsigned*, unsigned, unsigned, State*);
template <class State>
__attribute__((device)) void curand_init(unsigned long long*, unsigned long long, State*);
template <class State>
__attribute__((device)) void curand_init(unsigned long long*, unsigned long long,
                                         unsigned long long, State*);
}
)prelude";

// The names that hipRAND has after `hiprand` and cuRAND after `curand`, for the same things.
// Source: ROCm/hipRAND, library/include/hiprand/hiprand_kernel_nvcc.h.
const char* const names_of_both[] = {
    "State",
    "State_t",
    "StateXORWOW",
    "StateXORWOW_t",
    "StatePhilox4_32_10",
    "StatePhilox4_32_10_t",
    "StateMRG32k3a",
    "StateMRG32k3a_t",
    "StateSobol32_t",
    "StateScrambledSobol32_t",
    "StateSobol64_t",
    "StateScrambledSobol64_t",
    "StateMtgp32",
    "StateMtgp32_t",
    "DirectionVectors32_t",
    "DirectionVectors64_t",
    "DiscreteDistribution_t",
    "Generator_t",
    "Status_t",
    "",
    "4",
    "_init",
    "_uniform",
    "_uniform2",
    "_uniform4",
    "_uniform_double",
    "_uniform2_double",
    "_uniform4_double",
    "_normal",
    "_normal2",
    "_normal4",
    "_normal_double",
    "_normal2_double",
    "_normal4_double",
    "_log_normal",
    "_log_normal2",
    "_log_normal4",
    "_log_normal_double",
    "_log_normal2_double",
    "_log_normal4_double",
    "_poisson",
    "_poisson4",
    "_discrete",
    "_discrete4",
};

}  // namespace

std::string library_prelude() {
  std::string result = std::string(texture_text) + random_text;
  for (const std::string name : names_of_both)
    result += "#define hiprand" + name + " curand" + name + "\n";
  return result;
}

}  // namespace compiled
