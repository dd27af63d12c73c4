// SPDX-License-Identifier: MIT
// Restores the macros that hide_macros.hpp hides.
#pragma pop_macro("tz")
#pragma pop_macro("ty")
#pragma pop_macro("tx")
#pragma pop_macro("index")
#pragma pop_macro("W")
#pragma pop_macro("M")
#pragma pop_macro("N")
#pragma pop_macro("B0")
#pragma pop_macro("I")
#pragma pop_macro("small")
#pragma pop_macro("max")
#pragma pop_macro("min")
