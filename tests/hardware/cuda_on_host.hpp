// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_CUDA_ON_HOST_HPP
#define BANKMODEL_TESTS_HARDWARE_CUDA_ON_HOST_HPP

#include <cstddef>
#include <cstdlib>
#include <cstring>

// The functions of CUDA that time_plan.cu calls, on the host, to test it without a GPU.
// A launch takes no time here, so events are one microsecond apart.
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
using cudaEvent_t = int;
struct float4 {
  float x, y, z, w;
};
inline bool original_was_launched = false;  // by plan_on_host.hpp, in turn with the planned one

inline const char* cudaGetErrorString(cudaError_t) { return ""; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
template <class T>
cudaError_t cudaMalloc(T** data, std::size_t bytes) {
  *data = static_cast<T*>(std::malloc(bytes));
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* data) { return std::free(data), cudaSuccess; }
inline cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
  return std::memset(data, value, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T& to, const void* from, std::size_t bytes) {
  return std::memcpy(&to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = 0, cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 0.001f, cudaSuccess;
}

#endif
