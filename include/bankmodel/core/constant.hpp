// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_CONSTANT_HPP
#define BANKMODEL_CORE_CONSTANT_HPP

namespace bankmodel {

// A value as a type. nvcc cannot take a value of this library directly in the parameter list of a
// __global__ template; it takes its tag: template <class Layout> __global__ void f(Layout) with
// f<<<..>>>(constant<padded>{}). Inside, Layout::value is the value. It takes machines, layouts,
// geometries and patterns; not an access, whose subscripts are an array: name that one inside the
// kernel.
template <auto Value>
struct constant {
  static constexpr auto value = Value;
};

}  // namespace bankmodel

#endif
