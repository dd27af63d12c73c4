// SPDX-License-Identifier: MIT
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

int main(int argc, char**) {
  return bankmodel::degree(bankmodel::geometry{32, 4, 4, 4},
                           bankmodel::access_1d{.stride = 31 + argc}) == 32
             ? 0
             : 1;
}
