// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_CONSTANT_HPP
#define BANKMODEL_CORE_CONSTANT_HPP

namespace bankmodel {

// A tag type that carries a value. nvcc rejects values of this library's types in the parameter
// list of a __global__ template; it accepts their tag:
//
//   template <class Layout> __global__ void f(Layout);   // inside, Layout::value is the layout
//   f<<<grid, block>>>(constant<row_major(32, 32).padded(1)>{});
//
// Works for machines, layouts, geometries and patterns. It does not work for accesses (they
// hold an array member, which nvcc rejects here): define those inside the kernel.
template <auto Value>
struct constant {
  static constexpr auto value = Value;
};

}  // namespace bankmodel

#endif
