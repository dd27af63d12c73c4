// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_INDEX_ARRAY_HPP
#define BANKMODEL_HOST_REORGANIZE_INDEX_ARRAY_HPP

#include <bankmodel/reorganize/no_element.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

// The index array of one irregular reference, such as P in A[P[tid]].
namespace bankmodel::reorganize {

// A read-only view of 32-bit indices, one for each thread. Signed indices must not be negative,
// except for -1 if the references may skip.
// Example:
//
//   const std::vector<int> P{4, 5, 6, 7};
//   assert(index_array(P)[2] == 6);
class index_array {
 public:
  index_array() = default;
  index_array(std::span<const std::uint32_t> indices)
      : data_(indices.data()), size_(indices.size()) {}
  // An int and its unsigned type may be read through one another.
  index_array(std::span<const std::int32_t> indices)
      : data_(reinterpret_cast<const std::uint32_t*>(indices.data())),
        size_(indices.size()),
        is_signed_(true) {}

  // The index of a thread. Requires: thread < size().
  std::uint32_t operator[](std::size_t thread) const { return data_[thread]; }
  const std::uint32_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_signed() const { return is_signed_; }

  // The indices of `count` threads from thread `first` on. Requires: they exist.
  index_array part(std::size_t first, std::size_t count) const {
    index_array result = *this;
    result.data_ += first;
    result.size_ = count;
    return result;
  }

 private:
  const std::uint32_t* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_signed_ = false;
};

}  // namespace bankmodel::reorganize

#endif
