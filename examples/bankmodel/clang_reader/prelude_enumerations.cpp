// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// Names and values of CUDA 13's enumerations that only host code names: a template of it is
// instantiated only if all of it compiles, and then its launches are found.
namespace {

const char enumerations_text[] = R"prelude(
enum cudaAccessProperty {
  cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated
};
enum cudaSynchronizationPolicy {
  cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync
};
enum cudaClusterSchedulingPolicy {
  cudaClusterSchedulingPolicyDefault, cudaClusterSchedulingPolicySpread,
  cudaClusterSchedulingPolicyLoadBalancing
};
enum cudaStreamUpdateCaptureDependenciesFlags {
  cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies
};
enum cudaUserObjectFlags { cudaUserObjectNoDestructorSync = 1 };
enum cudaResourceViewFormat {
  cudaResViewFormatNone, cudaResViewFormatUnsignedChar1, cudaResViewFormatUnsignedChar2,
  cudaResViewFormatUnsignedChar4, cudaResViewFormatSignedChar1, cudaResViewFormatSignedChar2,
  cudaResViewFormatSignedChar4, cudaResViewFormatUnsignedShort1, cudaResViewFormatUnsignedShort2,
  cudaResViewFormatUnsignedShort4, cudaResViewFormatSignedShort1, cudaResViewFormatSignedShort2,
  cudaResViewFormatSignedShort4, cudaResViewFormatUnsignedInt1, cudaResViewFormatUnsignedInt2,
  cudaResViewFormatUnsignedInt4, cudaResViewFormatSignedInt1, cudaResViewFormatSignedInt2,
  cudaResViewFormatSignedInt4, cudaResViewFormatHalf1, cudaResViewFormatHalf2,
  cudaResViewFormatHalf4, cudaResViewFormatFloat1, cudaResViewFormatFloat2, cudaResViewFormatFloat4,
  cudaResViewFormatUnsignedBlockCompressed1, cudaResViewFormatUnsignedBlockCompressed2,
  cudaResViewFormatUnsignedBlockCompressed3, cudaResViewFormatUnsignedBlockCompressed4,
  cudaResViewFormatSignedBlockCompressed4, cudaResViewFormatUnsignedBlockCompressed5,
  cudaResViewFormatSignedBlockCompressed5, cudaResViewFormatUnsignedBlockCompressed6H,
  cudaResViewFormatSignedBlockCompressed6H, cudaResViewFormatUnsignedBlockCompressed7
};
enum { cudaFuncAttributeClusterSchedulingPolicyPreference = 15, cudaFuncAttributeMax };
enum cudaComputeMode {
  cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited,
  cudaComputeModeExclusiveProcess
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaMemRangeAttribute {
  cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation,
  cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation,
  cudaMemRangeAttributePreferredLocationType, cudaMemRangeAttributePreferredLocationId,
  cudaMemRangeAttributeLastPrefetchLocationType, cudaMemRangeAttributeLastPrefetchLocationId
};
enum cudaFlushGPUDirectRDMAWritesOptions {
  cudaFlushGPUDirectRDMAWritesOptionHost = 1, cudaFlushGPUDirectRDMAWritesOptionMemOps
};
enum cudaGPUDirectRDMAWritesOrdering {
  cudaGPUDirectRDMAWritesOrderingNone, cudaGPUDirectRDMAWritesOrderingOwner = 100,
  cudaGPUDirectRDMAWritesOrderingAllDevices = 200
};
enum cudaFlushGPUDirectRDMAWritesScope {
  cudaFlushGPUDirectRDMAWritesToOwner = 100, cudaFlushGPUDirectRDMAWritesToAllDevices = 200
};
enum cudaFlushGPUDirectRDMAWritesTarget { cudaFlushGPUDirectRDMAWritesTargetCurrentDevice };
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold,
  cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid, cudaMemLocationTypeNone = 0, cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma, cudaMemLocationTypeHostNumaCurrent
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3
};
enum cudaMemAllocationType {
  cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned, cudaMemAllocationTypeManaged,
  cudaMemAllocationTypeMax = 2147483647
};
enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor, cudaMemHandleTypeWin32,
  cudaMemHandleTypeWin32Kmt = 4, cudaMemHandleTypeFabric = 8
};
enum cudaMemcpyFlags { cudaMemcpyFlagDefault, cudaMemcpyFlagPreferOverlapWithCompute };
enum cudaMemcpySrcAccessOrder {
  cudaMemcpySrcAccessOrderInvalid, cudaMemcpySrcAccessOrderStream,
  cudaMemcpySrcAccessOrderDuringApiCall, cudaMemcpySrcAccessOrderAny,
  cudaMemcpySrcAccessOrderMax = 2147483647
};
enum cudaMemcpy3DOperandType {
  cudaMemcpyOperandTypePointer = 1, cudaMemcpyOperandTypeArray,
  cudaMemcpyOperandTypeMax = 2147483647
};
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported,
  cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported,
  cudaDevP2PAttrOnlyPartialNativeAtomicSupported
};
enum cudaAtomicOperation {
  cudaAtomicOperationIntegerAdd, cudaAtomicOperationIntegerMin, cudaAtomicOperationIntegerMax,
  cudaAtomicOperationIntegerIncrement, cudaAtomicOperationIntegerDecrement, cudaAtomicOperationAnd,
  cudaAtomicOperationOr, cudaAtomicOperationXOR, cudaAtomicOperationExchange,
  cudaAtomicOperationCAS, cudaAtomicOperationFloatAdd, cudaAtomicOperationFloatMin,
  cudaAtomicOperationFloatMax
};
enum cudaAtomicOperationCapability {
  cudaAtomicCapabilitySigned = 1, cudaAtomicCapabilityUnsigned, cudaAtomicCapabilityReduction = 4,
  cudaAtomicCapabilityScalar32 = 8, cudaAtomicCapabilityScalar64 = 16,
  cudaAtomicCapabilityScalar128 = 32, cudaAtomicCapabilityVector32x4 = 64
};
enum cudaExternalMemoryHandleType {
  cudaExternalMemoryHandleTypeOpaqueFd = 1, cudaExternalMemoryHandleTypeOpaqueWin32,
  cudaExternalMemoryHandleTypeOpaqueWin32Kmt, cudaExternalMemoryHandleTypeD3D12Heap,
  cudaExternalMemoryHandleTypeD3D12Resource, cudaExternalMemoryHandleTypeD3D11Resource,
  cudaExternalMemoryHandleTypeD3D11ResourceKmt, cudaExternalMemoryHandleTypeNvSciBuf
};
enum cudaExternalSemaphoreHandleType {
  cudaExternalSemaphoreHandleTypeOpaqueFd = 1, cudaExternalSemaphoreHandleTypeOpaqueWin32,
  cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt, cudaExternalSemaphoreHandleTypeD3D12Fence,
  cudaExternalSemaphoreHandleTypeD3D11Fence, cudaExternalSemaphoreHandleTypeNvSciSync,
  cudaExternalSemaphoreHandleTypeKeyedMutex, cudaExternalSemaphoreHandleTypeKeyedMutexKmt,
  cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd,
  cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32
};
enum cudaLibraryOption {
  cudaLibraryHostUniversalFunctionAndDataTable, cudaLibraryBinaryIsPreserved
};
enum cudaJit_Fallback { cudaPreferPtx, cudaPreferBinary };
enum cudaCGScope { cudaCGScopeInvalid, cudaCGScopeGrid, cudaCGScopeReserved };
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType {
  cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch
};
enum cudaGraphChildGraphNodeOwnership {
  cudaGraphChildGraphOwnershipClone, cudaGraphChildGraphOwnershipMove
};
enum cudaGraphDependencyType {
  cudaGraphDependencyTypeDefault, cudaGraphDependencyTypeProgrammatic
};
enum cudaGetDriverEntryPointFlags {
  cudaEnableDefault, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream
};
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound,
  cudaDriverEntryPointVersionNotSufficent
};
enum cudaGraphDebugDotFlags {
  cudaGraphDebugDotFlagsVerbose = 1, cudaGraphDebugDotFlagsKernelNodeParams = 4,
  cudaGraphDebugDotFlagsMemcpyNodeParams = 8, cudaGraphDebugDotFlagsMemsetNodeParams = 16,
  cudaGraphDebugDotFlagsHostNodeParams = 32, cudaGraphDebugDotFlagsEventNodeParams = 64,
  cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128,
  cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256,
  cudaGraphDebugDotFlagsKernelNodeAttributes = 512, cudaGraphDebugDotFlagsHandles = 1024,
  cudaGraphDebugDotFlagsConditionalNodeParams = 32768
};
enum cudaLaunchMemSyncDomain { cudaLaunchMemSyncDomainDefault, cudaLaunchMemSyncDomainRemote };
enum {
  cudaLaunchAttributeLaunchCompletionEvent = 12, cudaLaunchAttributeDeviceUpdatableKernelNode,
  cudaLaunchAttributePreferredSharedMemoryCarveout,
  cudaLaunchAttributeNvlinkUtilCentricScheduling = 16
};
enum cudaDeviceNumaConfig { cudaDeviceNumaConfigNone, cudaDeviceNumaConfigNumaNode };
enum cudaAsyncNotificationType { cudaAsyncNotificationTypeOverBudget = 1 };
enum cudaLogLevel { cudaLogLevelError, cudaLogLevelWarning };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
enum cudaUserObjectRetainFlags { cudaGraphUserObjectMove = 1 };
enum cudaGraphicsRegisterFlags {
  cudaGraphicsRegisterFlagsNone, cudaGraphicsRegisterFlagsReadOnly,
  cudaGraphicsRegisterFlagsWriteDiscard, cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
  cudaGraphicsRegisterFlagsTextureGather = 8
};
enum cudaGraphicsMapFlags {
  cudaGraphicsMapFlagsNone, cudaGraphicsMapFlagsReadOnly, cudaGraphicsMapFlagsWriteDiscard
};
enum cudaGraphicsCubeFace {
  cudaGraphicsCubeFacePositiveX, cudaGraphicsCubeFaceNegativeX, cudaGraphicsCubeFacePositiveY,
  cudaGraphicsCubeFaceNegativeY, cudaGraphicsCubeFacePositiveZ, cudaGraphicsCubeFaceNegativeZ
};
enum cudaGraphMemAttributeType {
  cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent,
  cudaGraphMemAttrReservedMemHigh
};
enum cudaJitOption {
  cudaJitMaxRegisters, cudaJitThreadsPerBlock, cudaJitWallTime, cudaJitInfoLogBuffer,
  cudaJitInfoLogBufferSizeBytes, cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
  cudaJitOptimizationLevel, cudaJitFallbackStrategy = 10, cudaJitGenerateDebugInfo,
  cudaJitLogVerbose, cudaJitGenerateLineInfo, cudaJitCacheMode, cudaJitPositionIndependentCode = 30,
  cudaJitMinCtaPerSm, cudaJitMaxThreadsPerBlock, cudaJitOverrideDirectiveValues
};
enum cudaJit_CacheMode { cudaJitCacheOptionNone, cudaJitCacheOptionCG, cudaJitCacheOptionCA };
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost,
  cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty, cudaGraphNodeTypeWaitEvent,
  cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeExtSemaphoreSignal,
  cudaGraphNodeTypeExtSemaphoreWait, cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree,
  cudaGraphNodeTypeConditional = 13, cudaGraphNodeTypeCount
};
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged,
  cudaGraphExecUpdateErrorNodeTypeChanged, cudaGraphExecUpdateErrorFunctionChanged,
  cudaGraphExecUpdateErrorParametersChanged, cudaGraphExecUpdateErrorNotSupported,
  cudaGraphExecUpdateErrorUnsupportedFunctionChange, cudaGraphExecUpdateErrorAttributesChanged
};
enum cudaGraphInstantiateResult {
  cudaGraphInstantiateSuccess, cudaGraphInstantiateError, cudaGraphInstantiateInvalidStructure,
  cudaGraphInstantiateNodeOperationNotSupported, cudaGraphInstantiateMultipleDevicesNotSupported,
  cudaGraphInstantiateConditionalHandleUnused
};
enum cudaGraphKernelNodeField {
  cudaGraphKernelNodeFieldInvalid, cudaGraphKernelNodeFieldGridDim, cudaGraphKernelNodeFieldParam,
  cudaGraphKernelNodeFieldEnabled
};
enum cudaGraphInstantiateFlags {
  cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload,
  cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8
};
// Handles of functions, and what launches that are nodes of a graph have.
struct CUfunc_st;
struct CUkern_st;
struct CUlib_st;
typedef CUfunc_st* cudaFunction_t;
typedef CUkern_st* cudaKernel_t;
typedef CUlib_st* cudaLibrary_t;
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  int flags;
};
struct cudaAccessPolicyWindow {
  void* base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
)prelude";

}  // namespace

std::string enumerations_prelude() { return enumerations_text; }

}  // namespace compiled
