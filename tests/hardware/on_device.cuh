// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_ON_DEVICE_CUH
#define BANKMODEL_TESTS_HARDWARE_ON_DEVICE_CUH

#include <cstddef>
#include <stdexcept>
#include <string>

namespace hardware {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// Memory of the device, for as long as it lives.
template <class T>
class buffer {
 public:
  explicit buffer(std::size_t count) {
    check(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc"),
        check(cudaMemset(data_, 0, count * sizeof(T)), "cudaMemset");
  }
  ~buffer() { cudaFree(data_); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace hardware

#endif
