// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

namespace {

// What host code calls beside launches. Nothing is known of what it does: any arguments are taken,
// and what they point to has any value afterwards.

// The driver's functions and types, as cuda.h has them.
const char driver_text[] = R"prelude(
#pragma once
typedef unsigned cuuint32_t;
typedef unsigned long long cuuint64_t, CUmemGenericAllocationHandle;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef struct CUlinkState_st* CUlinkState;
typedef int CUdevice_attribute, CUfunction_attribute, CUpointer_attribute, CUlimit, CUjit_option,
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType, CUmemAccess_flags,
    CUdriverProcAddressQueryResult;
struct CUuuid { char bytes[16]; };
struct CUmemLocation { CUmemLocationType type; int id; };
struct CUmemAccessDesc { CUmemLocation location; CUmemAccess_flags flags; };
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};
struct CUmulticastObjectProp {
  unsigned numDevices;
  size_t size;
  unsigned long long handleTypes, flags;
};
struct CUmemFabricHandle { unsigned char data[64]; };
struct CUlaunchAttribute {
  int id;
  union {
    struct { unsigned x, y, z; } clusterDim;
    int cooperative, programmaticStreamSerializationAllowed;
  } value;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};
enum {
  CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NOT_INITIALIZED,
  CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE,
  CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_NOT_PERMITTED = 800, CUDA_ERROR_NOT_SUPPORTED,
  CUDA_ERROR_UNKNOWN = 999
};
typedef enum CUtensorMapDataType_enum {
  CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
} CUtensorMapDataType;
typedef enum CUtensorMapInterleave_enum {
  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B
} CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle_enum {
  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
  CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
} CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion_enum {
  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
  CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill_enum {
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} CUtensorMapFloatOOBfill;
typedef CUtensorMap CUtensorMap_st;
enum {
  CU_MEM_ALLOCATION_TYPE_PINNED = 1, CU_MEM_LOCATION_TYPE_DEVICE = 1, CU_MEM_LOCATION_TYPE_HOST,
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0, CU_MEM_ACCESS_FLAGS_PROT_READ,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3, CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED, CU_MULTICAST_GRANULARITY_MINIMUM = 0,
  CU_MULTICAST_GRANULARITY_RECOMMENDED, CU_MEM_HANDLE_TYPE_NONE = 0,
  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_HANDLE_TYPE_FABRIC = 8,
  CU_MEM_CREATE_USAGE_TILE_POOL = 1, CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
  CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8, CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132, CU_CTX_SCHED_AUTO = 0, CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING, CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2,
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_INFO_LOG_BUFFER = 3, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_GET_PROC_ADDRESS_DEFAULT = 0
};
typedef CUresult (*PFN_cuTensorMapEncodeTiled)(
    CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
    const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000;
#define __BANKMODEL_DRIVER(name) template <class... T> CUresult name(T&&...);
)prelude";

const char* const driver_functions[] = {"Init",
                                        "DriverGetVersion",
                                        "GetErrorName",
                                        "GetErrorString",
                                        "GetProcAddress",
                                        "DeviceGet",
                                        "DeviceGetAttribute",
                                        "DeviceGetCount",
                                        "DeviceGetName",
                                        "DeviceGetUuid",
                                        "DeviceTotalMem",
                                        "DeviceCanAccessPeer",
                                        "DeviceGetP2PAttribute",
                                        "DevicePrimaryCtxGetState",
                                        "DevicePrimaryCtxRelease",
                                        "DevicePrimaryCtxReset",
                                        "DevicePrimaryCtxRetain",
                                        "DevicePrimaryCtxSetFlags",
                                        "CtxCreate",
                                        "CtxDestroy",
                                        "CtxEnablePeerAccess",
                                        "CtxGetCurrent",
                                        "CtxGetDevice",
                                        "CtxGetLimit",
                                        "CtxPopCurrent",
                                        "CtxPushCurrent",
                                        "CtxSetCurrent",
                                        "CtxSetLimit",
                                        "CtxSynchronize",
                                        "ModuleGetFunction",
                                        "ModuleGetGlobal",
                                        "ModuleLoad",
                                        "ModuleLoadData",
                                        "ModuleLoadDataEx",
                                        "ModuleLoadFatBinary",
                                        "ModuleUnload",
                                        "LibraryGetKernel",
                                        "LibraryLoadData",
                                        "LibraryLoadFromFile",
                                        "LibraryUnload",
                                        "KernelGetAttribute",
                                        "KernelGetFunction",
                                        "KernelSetAttribute",
                                        "LinkAddData",
                                        "LinkAddFile",
                                        "LinkComplete",
                                        "LinkCreate",
                                        "LinkDestroy",
                                        "FuncGetAttribute",
                                        "FuncSetAttribute",
                                        "FuncSetCacheConfig",
                                        "LaunchKernel",
                                        "LaunchKernelEx",
                                        "LaunchCooperativeKernel",
                                        "LaunchHostFunc",
                                        "MemAddressFree",
                                        "MemAddressReserve",
                                        "MemAlloc",
                                        "MemAllocAsync",
                                        "MemAllocHost",
                                        "MemAllocManaged",
                                        "MemAllocPitch",
                                        "MemCreate",
                                        "MemExportToShareableHandle",
                                        "MemFree",
                                        "MemFreeAsync",
                                        "MemFreeHost",
                                        "MemGetAccess",
                                        "MemGetAddressRange",
                                        "MemGetAllocationGranularity",
                                        "MemGetAllocationPropertiesFromHandle",
                                        "MemGetInfo",
                                        "MemHostAlloc",
                                        "MemHostGetDevicePointer",
                                        "MemHostRegister",
                                        "MemHostUnregister",
                                        "MemImportFromShareableHandle",
                                        "MemMap",
                                        "MemRelease",
                                        "MemRetainAllocationHandle",
                                        "MemSetAccess",
                                        "MemUnmap",
                                        "Memcpy",
                                        "MemcpyAsync",
                                        "MemcpyDtoD",
                                        "MemcpyDtoDAsync",
                                        "MemcpyDtoH",
                                        "MemcpyDtoHAsync",
                                        "MemcpyHtoD",
                                        "MemcpyHtoDAsync",
                                        "MemcpyPeer",
                                        "MemcpyPeerAsync",
                                        "MemsetD16",
                                        "MemsetD16Async",
                                        "MemsetD32",
                                        "MemsetD32Async",
                                        "MemsetD8",
                                        "MemsetD8Async",
                                        "MulticastAddDevice",
                                        "MulticastBindAddr",
                                        "MulticastBindMem",
                                        "MulticastCreate",
                                        "MulticastGetGranularity",
                                        "MulticastUnbind",
                                        "OccupancyMaxActiveBlocksPerMultiprocessor",
                                        "OccupancyMaxActiveClusters",
                                        "OccupancyMaxPotentialBlockSize",
                                        "OccupancyMaxPotentialClusterSize",
                                        "PointerGetAttribute",
                                        "PointerGetAttributes",
                                        "PointerSetAttribute",
                                        "StreamCreate",
                                        "StreamCreateWithPriority",
                                        "StreamDestroy",
                                        "StreamQuery",
                                        "StreamSynchronize",
                                        "StreamWaitEvent",
                                        "StreamWaitValue32",
                                        "StreamWaitValue64",
                                        "StreamWriteValue32",
                                        "StreamWriteValue64",
                                        "EventCreate",
                                        "EventDestroy",
                                        "EventElapsedTime",
                                        "EventQuery",
                                        "EventRecord",
                                        "EventSynchronize",
                                        "TensorMapEncodeIm2col",
                                        "TensorMapEncodeTiled",
                                        "TensorMapReplaceAddress"};

// Those of the host library that the rest of the prelude does not declare.
const char* const runtime_functions[] = {"ArrayGetInfo",
                                         "ArrayGetMemoryRequirements",
                                         "ArrayGetPlane",
                                         "ArrayGetSparseProperties",
                                         "ChooseDevice",
                                         "CreateSurfaceObject",
                                         "CreateTextureObject",
                                         "CtxResetPersistingL2Cache",
                                         "DestroyExternalMemory",
                                         "DestroyExternalSemaphore",
                                         "DestroySurfaceObject",
                                         "DestroyTextureObject",
                                         "DeviceCanAccessPeer",
                                         "DeviceDisablePeerAccess",
                                         "DeviceEnablePeerAccess",
                                         "DeviceFlushGPUDirectRDMAWrites",
                                         "DeviceGetByPCIBusId",
                                         "DeviceGetDefaultMemPool",
                                         "DeviceGetGraphMemAttribute",
                                         "DeviceGetHostAtomicCapabilities",
                                         "DeviceGetMemPool",
                                         "DeviceGetNvSciSyncAttributes",
                                         "DeviceGetP2PAtomicCapabilities",
                                         "DeviceGetP2PAttribute",
                                         "DeviceGetPCIBusId",
                                         "DeviceGetStreamPriorityRange",
                                         "DeviceGetTexture1DLinearMaxWidth",
                                         "DeviceGraphMemTrim",
                                         "DeviceRegisterAsyncNotification",
                                         "DeviceSetCacheConfig",
                                         "DeviceSetGraphMemAttribute",
                                         "DeviceSetLimit",
                                         "DeviceSetMemPool",
                                         "DeviceSetSharedMemConfig",
                                         "DeviceUnregisterAsyncNotification",
                                         "DriverGetVersion",
                                         "EventQuery",
                                         "ExternalMemoryGetMappedBuffer",
                                         "ExternalMemoryGetMappedMipmappedArray",
                                         "FreeArray",
                                         "FreeAsync",
                                         "FreeMipmappedArray",
                                         "FuncGetName",
                                         "FuncGetParamInfo",
                                         "FuncSetSharedMemConfig",
                                         "GetChannelDesc",
                                         "GetDeviceFlags",
                                         "GetDriverEntryPoint",
                                         "GetDriverEntryPointByVersion",
                                         "GetExportTable",
                                         "GetFuncBySymbol",
                                         "GetKernel",
                                         "GetMipmappedArrayLevel",
                                         "GetSurfaceObjectResourceDesc",
                                         "GetSymbolAddress",
                                         "GetSymbolSize",
                                         "GetTextureObjectResourceDesc",
                                         "GetTextureObjectResourceViewDesc",
                                         "GetTextureObjectTextureDesc",
                                         "GraphAddChildGraphNode",
                                         "GraphAddDependencies",
                                         "GraphAddEmptyNode",
                                         "GraphAddEventRecordNode",
                                         "GraphAddEventWaitNode",
                                         "GraphAddExternalSemaphoresSignalNode",
                                         "GraphAddExternalSemaphoresWaitNode",
                                         "GraphAddHostNode",
                                         "GraphAddKernelNode",
                                         "GraphAddMemAllocNode",
                                         "GraphAddMemFreeNode",
                                         "GraphAddMemcpyNode",
                                         "GraphAddMemcpyNode1D",
                                         "GraphAddMemcpyNodeFromSymbol",
                                         "GraphAddMemcpyNodeToSymbol",
                                         "GraphAddMemsetNode",
                                         "GraphAddNode",
                                         "GraphChildGraphNodeGetGraph",
                                         "GraphClone",
                                         "GraphConditionalHandleCreate",
                                         "GraphCreate",
                                         "GraphDebugDotPrint",
                                         "GraphDestroy",
                                         "GraphDestroyNode",
                                         "GraphEventRecordNodeGetEvent",
                                         "GraphEventRecordNodeSetEvent",
                                         "GraphEventWaitNodeGetEvent",
                                         "GraphEventWaitNodeSetEvent",
                                         "GraphExecChildGraphNodeSetParams",
                                         "GraphExecDestroy",
                                         "GraphExecEventRecordNodeSetEvent",
                                         "GraphExecEventWaitNodeSetEvent",
                                         "GraphExecExternalSemaphoresSignalNodeSetParams",
                                         "GraphExecExternalSemaphoresWaitNodeSetParams",
                                         "GraphExecGetFlags",
                                         "GraphExecHostNodeSetParams",
                                         "GraphExecKernelNodeSetParams",
                                         "GraphExecMemcpyNodeSetParams",
                                         "GraphExecMemcpyNodeSetParams1D",
                                         "GraphExecMemcpyNodeSetParamsFromSymbol",
                                         "GraphExecMemcpyNodeSetParamsToSymbol",
                                         "GraphExecMemsetNodeSetParams",
                                         "GraphExecNodeSetParams",
                                         "GraphExecUpdate",
                                         "GraphExternalSemaphoresSignalNodeGetParams",
                                         "GraphExternalSemaphoresSignalNodeSetParams",
                                         "GraphExternalSemaphoresWaitNodeGetParams",
                                         "GraphExternalSemaphoresWaitNodeSetParams",
                                         "GraphGetEdges",
                                         "GraphGetNodes",
                                         "GraphGetRootNodes",
                                         "GraphHostNodeGetParams",
                                         "GraphHostNodeSetParams",
                                         "GraphInstantiate",
                                         "GraphInstantiateWithFlags",
                                         "GraphInstantiateWithParams",
                                         "GraphKernelNodeCopyAttributes",
                                         "GraphKernelNodeGetAttribute",
                                         "GraphKernelNodeGetParams",
                                         "GraphKernelNodeSetAttribute",
                                         "GraphKernelNodeSetParams",
                                         "GraphMemAllocNodeGetParams",
                                         "GraphMemFreeNodeGetParams",
                                         "GraphMemcpyNodeGetParams",
                                         "GraphMemcpyNodeSetParams",
                                         "GraphMemcpyNodeSetParams1D",
                                         "GraphMemcpyNodeSetParamsFromSymbol",
                                         "GraphMemcpyNodeSetParamsToSymbol",
                                         "GraphMemsetNodeGetParams",
                                         "GraphMemsetNodeSetParams",
                                         "GraphNodeFindInClone",
                                         "GraphNodeGetDependencies",
                                         "GraphNodeGetDependentNodes",
                                         "GraphNodeGetEnabled",
                                         "GraphNodeGetType",
                                         "GraphNodeSetEnabled",
                                         "GraphNodeSetParams",
                                         "GraphReleaseUserObject",
                                         "GraphRemoveDependencies",
                                         "GraphRetainUserObject",
                                         "GraphUpload",
                                         "GraphicsMapResources",
                                         "GraphicsResourceGetMappedMipmappedArray",
                                         "GraphicsResourceGetMappedPointer",
                                         "GraphicsResourceSetMapFlags",
                                         "GraphicsSubResourceGetMappedArray",
                                         "GraphicsUnmapResources",
                                         "GraphicsUnregisterResource",
                                         "HostAlloc",
                                         "HostGetDevicePointer",
                                         "HostGetFlags",
                                         "HostRegister",
                                         "HostUnregister",
                                         "ImportExternalMemory",
                                         "ImportExternalSemaphore",
                                         "InitDevice",
                                         "IpcCloseMemHandle",
                                         "IpcGetEventHandle",
                                         "IpcGetMemHandle",
                                         "IpcOpenEventHandle",
                                         "IpcOpenMemHandle",
                                         "KernelSetAttributeForDevice",
                                         "LaunchHostFunc",
                                         "LibraryEnumerateKernels",
                                         "LibraryGetGlobal",
                                         "LibraryGetKernel",
                                         "LibraryGetKernelCount",
                                         "LibraryGetManaged",
                                         "LibraryGetUnifiedFunction",
                                         "LibraryLoadData",
                                         "LibraryLoadFromFile",
                                         "LibraryUnload",
                                         "Malloc3D",
                                         "Malloc3DArray",
                                         "MallocArray",
                                         "MallocAsync",
                                         "MallocFromPoolAsync",
                                         "MallocMipmappedArray",
                                         "MallocPitch",
                                         "MemAdvise",
                                         "MemDiscardAndPrefetchBatchAsync",
                                         "MemDiscardBatchAsync",
                                         "MemGetDefaultMemPool",
                                         "MemGetInfo",
                                         "MemGetMemPool",
                                         "MemPoolCreate",
                                         "MemPoolDestroy",
                                         "MemPoolExportPointer",
                                         "MemPoolExportToShareableHandle",
                                         "MemPoolGetAccess",
                                         "MemPoolGetAttribute",
                                         "MemPoolImportFromShareableHandle",
                                         "MemPoolImportPointer",
                                         "MemPoolSetAccess",
                                         "MemPoolSetAttribute",
                                         "MemPoolTrimTo",
                                         "MemPrefetchAsync",
                                         "MemPrefetchBatchAsync",
                                         "MemRangeGetAttribute",
                                         "MemRangeGetAttributes",
                                         "MemSetMemPool",
                                         "Memcpy2D",
                                         "Memcpy2DArrayToArray",
                                         "Memcpy2DFromArray",
                                         "Memcpy2DFromArrayAsync",
                                         "Memcpy2DToArray",
                                         "Memcpy2DToArrayAsync",
                                         "Memcpy3D",
                                         "Memcpy3DBatchAsync",
                                         "Memcpy3DPeer",
                                         "Memcpy3DPeerAsync",
                                         "MemcpyArrayToArray",
                                         "MemcpyBatchAsync",
                                         "MemcpyFromArray",
                                         "MemcpyFromArrayAsync",
                                         "MemcpyFromSymbol",
                                         "MemcpyFromSymbolAsync",
                                         "MemcpyPeer",
                                         "MemcpyPeerAsync",
                                         "MemcpyToArray",
                                         "MemcpyToArrayAsync",
                                         "MemcpyToSymbolAsync",
                                         "Memset2D",
                                         "Memset3D",
                                         "MipmappedArrayGetMemoryRequirements",
                                         "MipmappedArrayGetSparseProperties",
                                         "OccupancyAvailableDynamicSMemPerBlock",
                                         "OccupancyMaxActiveClusters",
                                         "OccupancyMaxPotentialClusterSize",
                                         "PointerGetAttributes",
                                         "SetDeviceFlags",
                                         "SetValidDevices",
                                         "SignalExternalSemaphoresAsync",
                                         "StreamAddCallback",
                                         "StreamAttachMemAsync",
                                         "StreamBeginCapture",
                                         "StreamBeginCaptureToGraph",
                                         "StreamCopyAttributes",
                                         "StreamCreateWithPriority",
                                         "StreamEndCapture",
                                         "StreamGetAttribute",
                                         "StreamGetCaptureInfo",
                                         "StreamGetDevice",
                                         "StreamGetFlags",
                                         "StreamGetId",
                                         "StreamGetPriority",
                                         "StreamIsCapturing",
                                         "StreamQuery",
                                         "StreamSetAttribute",
                                         "StreamUpdateCaptureDependencies",
                                         "ThreadExchangeStreamCaptureMode",
                                         "UserObjectCreate",
                                         "UserObjectRelease",
                                         "UserObjectRetain",
                                         "WaitExternalSemaphoresAsync"};

// Those that a kernel may call too, since it may launch others (cuda_device_runtime_api.h).
constexpr const char* shared_functions[] = {"StreamCreateWithFlags",
                                            "StreamWaitEvent",
                                            "EventCreateWithFlags",
                                            "EventRecordWithFlags",
                                            "Memcpy2DAsync",
                                            "Memcpy3DAsync",
                                            "MemsetAsync",
                                            "Memset2DAsync",
                                            "Memset3DAsync",
                                            "FuncGetAttributes",
                                            "DeviceGetLimit",
                                            "DeviceGetCacheConfig",
                                            "DeviceGetSharedMemConfig",
                                            "RuntimeGetVersion",
                                            "OccupancyMaxActiveBlocksPerMultiprocessor",
                                            "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                                            "GraphLaunch"};

}  // namespace

std::string host_functions_prelude() {
  std::string text =
      "#define __BANKMODEL_RUNTIME(name) template <class... T> cudaError_t name(T&&...);\n";
  const auto declare = [&](const char* name) {
    text += std::string("__BANKMODEL_RUNTIME(cuda") + name + ")\n";
  };
  for (const char* const name : runtime_functions) declare(name);
  text += "#pragma clang force_cuda_host_device begin\n";
  for (const char* const name : shared_functions) declare(name);
  text += "#pragma clang force_cuda_host_device end\n";
  return text;
}

void add_driver_headers(std::map<std::string, std::string>& files) {
  std::string text = driver_text;
  for (const char* const name : driver_functions)
    text += std::string("__BANKMODEL_DRIVER(cu") + name + ")\n";
  files["cuda.h"] = text;
  files["cudaTypedefs.h"] = "#include <cuda.h>\n";
}

}  // namespace compiled
