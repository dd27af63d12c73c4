// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_OWNED_HPP
#define BANKMODEL_CORE_OWNED_HPP

#include <bankmodel/core/config.hpp>

namespace bankmodel::detail {

// An object of its own on the heap, deleted at the end of the scope: for the state of a search,
// more than a megabyte, which a thread with a small stack has no room for. In a constant expression
// it costs nothing more than a variable.
template <class T>
class owned {
 public:
  template <class... Arguments>
  BANKMODEL_FN explicit owned(Arguments&&... arguments)
      : object_(new T(static_cast<Arguments&&>(arguments)...)) {}
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  BANKMODEL_FN ~owned() { delete object_; }

  BANKMODEL_FN T* operator->() const { return object_; }

 private:
  T* object_;
};

// The same for `count` objects.
template <class T>
class owned_list {
 public:
  BANKMODEL_FN explicit owned_list(int count) : objects_(new T[static_cast<unsigned>(count)]) {}
  owned_list(const owned_list&) = delete;
  owned_list& operator=(const owned_list&) = delete;
  BANKMODEL_FN ~owned_list() { delete[] objects_; }

  BANKMODEL_FN T& operator[](int number) const { return objects_[number]; }

 private:
  T* objects_;
};

}  // namespace bankmodel::detail

#endif
