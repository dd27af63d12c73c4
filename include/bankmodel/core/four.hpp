// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_FOUR_HPP
#define BANKMODEL_CORE_FOUR_HPP

#include <bankmodel/core/config.hpp>

namespace bankmodel::detail {

// Four numbers, one for each dimension of an array, as scalar members: a type with an array
// member cannot be part of a __global__ template's argument (nvcc's host stub breaks), and a
// layout must be allowed in one.
struct four {
  long long dimension_0 = 0, dimension_1 = 0, dimension_2 = 0, dimension_3 = 0;

  BANKMODEL_FN long long& operator[](int dimension) {
    return dimension == 0   ? dimension_0
           : dimension == 1 ? dimension_1
           : dimension == 2 ? dimension_2
                            : dimension_3;
  }
  BANKMODEL_FN long long operator[](int dimension) const {
    return dimension == 0   ? dimension_0
           : dimension == 1 ? dimension_1
           : dimension == 2 ? dimension_2
                            : dimension_3;
  }
  bool operator==(const four&) const = default;
};

}  // namespace bankmodel::detail

#endif
