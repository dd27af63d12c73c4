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

}  // namespace bankmodel::detail

#endif
