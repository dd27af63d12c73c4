// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_CONSTANT_HPP
#define BANKMODEL_CORE_CONSTANT_HPP

namespace bankmodel {

// A tag type that carries a value. nvcc rejects values of this library's types in the parameter
// list of a __global__ template; it accepts their tag. A kernel `template <class Layout> __global__
// void f(Layout)` is launched as f<<<grid, block>>>(padded{}), and uses Layout::value:
//
//   using padded = constant<row_major(32, 32).padded(1)>;
//   static_assert(padded::value(1, 0) == 33);
//
// Works for machines, layouts, geometries and patterns. It does not work for accesses (they
// hold an array member, which nvcc rejects here): define those inside the kernel.
template <auto Value>
struct constant {
  static constexpr auto value = Value;
};

}  // namespace bankmodel

#endif
