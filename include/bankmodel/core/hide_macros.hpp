// SPDX-License-Identifier: MIT
// Hides the macros of a program whose names this library uses, up to restore_macros.hpp: kernels
// define N and tx, <windows.h> min, max and small, <complex.h> I. Included inside the include
// guard of each header with such a name, so it has no guard of its own.
//
// After the library's headers a macro has its value again. A program whose macro is called N can
// then not write geometry{.N = 4}, and one whose macro is called tx can not write tile[ty][tx]:
// use #undef, or rename the macro.
#pragma push_macro("min")
#undef min
#pragma push_macro("max")
#undef max
#pragma push_macro("small")
#undef small
#pragma push_macro("I")
#undef I
#pragma push_macro("B0")
#undef B0
#pragma push_macro("N")
#undef N
#pragma push_macro("M")
#undef M
#pragma push_macro("W")
#undef W
#pragma push_macro("index")
#undef index
#pragma push_macro("tx")
#undef tx
#pragma push_macro("ty")
#undef ty
#pragma push_macro("tz")
#undef tz
