// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// Types and functions of the toolkit's host library that signatures of kernels and functions have:
// without them a declaration, and the launch in it, is lost.
namespace {

const char runtime_text[] = R"prelude(
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) {
  return {p, pitch, x, y};
}
struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };
struct cudaArray;
struct cudaMipmappedArray;
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
typedef cudaMipmappedArray* cudaMipmappedArray_t;
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
enum cudaResourceType {
  cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { cudaMipmappedArray_t mipmap; } mipmap;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct cudaResourceViewDesc { int format; size_t width, height, depth; };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUmemPoolHandle_st;
typedef CUgraph_st* cudaGraph_t;
typedef CUgraphExec_st* cudaGraphExec_t;
typedef CUgraphNode_st* cudaGraphNode_t;
struct CUgraphDeviceUpdatableNode_st;
typedef CUgraphDeviceUpdatableNode_st* cudaGraphDeviceNode_t;
struct cudaGraphKernelNodeUpdate;
typedef unsigned long long cudaGraphConditionalHandle;
#ifndef __HIP__
__attribute__((device)) cudaGraphExec_t cudaGetCurrentGraphExec();
__attribute__((device)) void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned);
__attribute__((device)) cudaError_t cudaGraphKernelNodeSetEnabled(cudaGraphDeviceNode_t, bool);
__attribute__((device)) cudaError_t cudaGraphKernelNodeSetGridDim(cudaGraphDeviceNode_t, dim3);
__attribute__((device)) cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t, size_t,
                                                                const void*, size_t);
template <class T>
__attribute__((device)) cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t, size_t,
                                                                const T&);
__attribute__((device)) cudaError_t cudaGraphKernelNodeUpdatesApply(
    const cudaGraphKernelNodeUpdate*, size_t);
#endif
typedef CUmemPoolHandle_st* cudaMemPool_t;
struct cudaIpcMemHandle_t { char reserved[64]; };
struct cudaIpcEventHandle_t { char reserved[64]; };
struct cudaUUID_t { char bytes[16]; };
typedef void (*cudaHostFn_t)(void*);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
enum cudaFuncCache {
  cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte
};
enum cudaLimit {
  cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity = 5, cudaLimitPersistingL2CacheSize
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
enum {
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10, cudaFuncAttributeRequiredClusterWidth = 11,
  cudaFuncAttributeRequiredClusterHeight = 12, cudaFuncAttributeRequiredClusterDepth = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
  cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
enum {
  cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped, cudaHostAllocWriteCombined = 4
};
enum { cudaIpcMemLazyEnablePeerAccess = 1 };
enum { cudaHostRegisterDefault, cudaHostRegisterPortable, cudaHostRegisterMapped };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };
enum { cudaDeviceScheduleAuto = 0, cudaDeviceMapHost = 8 };

struct cudaLaunchAttributeValue {  // no union, whose members host_run does not follow
  struct { unsigned x, y, z; } clusterDim, preferredClusterDim;
  int cooperative, priority, programmaticStreamSerializationAllowed;
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2, cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributeProgrammaticEvent = 7, cudaLaunchAttributePriority = 8,
  cudaLaunchAttributeMemSyncDomainMap = 9, cudaLaunchAttributeMemSyncDomain = 10,
  cudaLaunchAttributePreferredClusterDimension = 11
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
inline dim3 __bankmodel_cluster_of(const cudaLaunchConfig_t* config) {
  dim3 blocks(1, 1, 1);
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
      blocks = dim3(config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                    config->attrs[i].val.clusterDim.z);
  return blocks;
}
inline cudaStream_t __bankmodel_clustered(dim3, cudaStream_t stream) { return stream; }
template <class... P>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                                      typename __bankmodel_same<P>::type... arguments) {
  kernel<<<config->gridDim, config->blockDim, config->dynamicSmemBytes,
           __bankmodel_clustered(__bankmodel_cluster_of(config), config->stream)>>>(arguments...);
  return cudaSuccess;
}
// A template, as its instance is code of the file.
template <class T>
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, T kernel,
                                       void** arguments) {
  return cudaLaunchKernel(kernel, config->gridDim, config->blockDim, arguments,
                          config->dynamicSmemBytes,
                          __bankmodel_clustered(__bankmodel_cluster_of(config), config->stream));
}
)prelude";

}  // namespace

std::string runtime_prelude() { return runtime_text; }

}  // namespace compiled
