// SPDX-License-Identifier: MIT
// Expressions whose types nvcc 13 decides so; they are of parameters that each kernel has.
#ifndef BANKMODEL_TESTS_RANDOM_KERNELS_TYPED_EXPRESSIONS_HPP
#define BANKMODEL_TESTS_RANDOM_KERNELS_TYPED_EXPRESSIONS_HPP

#include <string_view>

namespace random_kernels {

// Types by their numbers.
constexpr const char* numbered_types[] = {
    "bool",   "char",     "signed char", "unsigned char", "short",         "unsigned short",
    "int",    "unsigned", "long",        "unsigned long", "long long",     "unsigned long long",
    "float",  "double",   "__half",      "__half2",       "__nv_bfloat16", "__nv_bfloat162",
    "float2", "float4",   "int2",        "int4"};

struct typed_expression {
  const char* text;
  const char* type;
  int bytes;

  int number() const {
    int result = 1;
    for (const char* const known : numbered_types) {
      if (std::string_view(known) == type) return result;
      ++result;
    }
    return 0;
  }
  // It needs no other lanes, and accesses no memory.
  bool may_run() const {
    const std::string_view view = text;
    return view.find("_sync") == view.npos && view.find("fgh") == view.npos;
  }
};
constexpr typed_expression typed_expressions[] = {
    {"fh * fh", "__half", 2},
    {"fh + fh", "__half", 2},
    {"fh - fh", "__half", 2},
    {"fh / fh", "__half", 2},
    {"-fh", "__half", 2},
    {"fh2 * fh2", "__half2", 4},
    {"fh2 + fh2", "__half2", 4},
    {"fb * fb", "__nv_bfloat16", 2},
    {"fb + fb", "__nv_bfloat16", 2},
    {"fb - fb", "__nv_bfloat16", 2},
    {"-fb", "__nv_bfloat16", 2},
    {"fb2 * fb2", "__nv_bfloat162", 4},
    {"__hmul(fh, fh)", "__half", 2},
    {"__hadd(fb, fb)", "__nv_bfloat16", 2},
    {"__hmax(fh, fh)", "__half", 2},
    {"__hfma(fh, fh, fh)", "__half", 2},
    {"hexp(fh)", "__half", 2},
    {"__half2float(fh)", "float", 4},
    {"__float2half(ff)", "__half", 2},
    {"__low2half(fh2)", "__half", 2},
    {"__half22float2(fh2)", "float2", 8},
    {"__shfl_xor_sync(~0u, fh, 1)", "__half", 2},
    {"__shfl_xor_sync(~0u, fi, 1)", "int", 4},
    {"__shfl_sync(~0u, fu, 1)", "unsigned", 4},
    {"__shfl_down_sync(~0u, fd, 1)", "double", 8},
    {"__shfl_up_sync(~0u, fll, 1)", "long long", 8},
    {"__shfl_sync(~0u, (unsigned char)fc, 1)", "int", 4},
    {"__shfl_sync(~0u, fs, 1)", "int", 4},
    {"warpSize", "int", 4},
    {"threadIdx.x", "unsigned", 4},
    {"min(fi, fu)", "unsigned", 4},
    {"max(fi, fi)", "int", 4},
    {"min(fl, fl)", "long", 8},
    {"max(fll, fll)", "long long", 8},
    {"min(ff, ff)", "float", 4},
    {"max(ff, fd)", "double", 8},
    {"abs(fi)", "int", 4},
    {"abs(ff)", "float", 4},
    {"abs(fl)", "long", 8},
    {"sqrt(ff)", "float", 4},
    {"sqrt(fd)", "double", 8},
    {"sqrt(fi)", "double", 8},
    {"rsqrt(ff)", "float", 4},
    {"rsqrt(fd)", "double", 8},
    {"exp(ff)", "float", 4},
    {"pow(ff, ff)", "float", 4},
    {"floor(ff)", "float", 4},
    {"fma(ff, ff, ff)", "float", 4},
    {"__popc(fu)", "int", 4},
    {"__popcll(1ull)", "int", 4},
    {"__ballot_sync(~0u, fi)", "unsigned", 4},
    {"__any_sync(~0u, fi)", "int", 4},
    {"__float2int_rn(ff)", "int", 4},
    {"__float_as_uint(ff)", "unsigned", 4},
    {"__double_as_longlong(fd)", "long long", 8},
    {"clock64()", "long long", 8},
    {"__dp4a(fi, fi, fi)", "int", 4},
    {"__dp4a(fu, fu, fu)", "unsigned", 4},
    {"lround(ff)", "long", 8},
    {"llrint(fd)", "long long", 8},
    {"lrintf(ff)", "long", 8},
    {"make_float2(ff, ff)", "float2", 8},
    {"make_int4(fi, fi, fi, fi)", "int4", 16},
    {"fc + fc", "int", 4},
    {"fs * fs", "int", 4},
    {"fi + fu", "unsigned", 4},
    {"fi + fll", "long long", 8},
    {"fll * ff", "float", 4},
    {"ff + fd", "double", 8},
    {"fc ? fc : fc", "char", 1},
    {"fc ? fs : fc", "int", 4},
    {"(fs)", "short", 2},
    {"(short)fi", "short", 2},
    {"(unsigned char)fi", "unsigned char", 1},
    {"fi < fi", "bool", 1},
    {"fc << 1", "int", 4},
    {"'a'", "char", 1},
    {"sizeof(fi)", "unsigned long", 8},
    {"1.f", "float", 4},
    {"1.0", "double", 8},
    {"fh > fh", "bool", 1},
    {"__hgt(fh, fh)", "bool", 1},
    {"isnan(ff)", "bool", 1},
    {"__ldg(&fgh[0])", "__half", 2},
    {"fgh[3] * fgh[4]", "__half", 2},
};
constexpr int typed_expression_count =
    static_cast<int>(sizeof(typed_expressions) / sizeof(typed_expressions[0]));

}  // namespace random_kernels

#endif
