#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints types.txt anew, with the nvcc on the PATH: the types that it gives to expressions of CUDA's
declarations, one a line: the type, a tab, the expression. V(T) is a value of T; "refused" is an
expression that does not compile.

    print.py > types.txt
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

SCALARS = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
           "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float",
           "double"]
HALVES = ["__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"]
VECTORS = [name + str(n) for name in ("char", "uchar", "short", "ushort", "int", "uint", "long",
                                      "ulong", "longlong", "ulonglong", "float", "double")
           for n in (1, 2, 3, 4)]
TYPES = SCALARS + HALVES + VECTORS + ["void", "__half_raw", "__half2_raw", "__nv_bfloat16_raw",
                                      "__nv_bfloat162_raw", "dim3", "void*"]
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
BEGIN = HEADERS + """
struct refused {};
template <class Z, class T> __device__ T value();
#define V(...) value<Z, __VA_ARGS__>()
template <class T> struct number_of { enum { value = -1 }; };
"""


def declared_functions(folder):
    """(name, [types]) of each device function in the headers, with the types that TYPES has."""
    source = os.path.join(folder, "headers.cu")
    with open(source, "w") as file:
        file.write(HEADERS)
    text = subprocess.run(["nvcc", "-E", "-arch=sm_90", source], capture_output=True, text=True,
                          check=True).stdout
    text = " ".join(line for line in text.split("\n") if not line.startswith("#"))
    text = re.sub(r'__attribute__\s*\(\(\s*deprecated\s*\([^;{]*?"\s*\)\s*\)\)', " ", text)
    found = set()
    pattern = re.compile(r"[;{}]([^;{}]*__attribute__\(\(device\)\)[^;{}()]*(?:\(\([^()]*\)\)[^;{}()]*)*?"
                         r"\b([A-Za-z_]\w*)\s*\(([^;{}()]*)\)[^;{}()]*(?:\(\))?\s*)(?=[;{])")
    ours = {name: name for name in TYPES}
    ours.update({"unsigned": "unsigned int", "long int": "long", "long long int": "long long",
                 "unsigned long int": "unsigned long", "short int": "short", "uint4": "uint4",
                 "unsigned long long int": "unsigned long long", "size_t": "unsigned long",
                 "unsigned short int": "unsigned short", "half": "__half", "half2": "__half2"})
    internal = re.compile(r"__(nv|internal|iAtomic|uAtomic|illAtomic|ullAtomic|llAtomic|fAtomic|dAtomic|usAtomic|"
                          r"f[24]Atomic|u128|cuda|cluster|mm|pm|cmath|pow|host|nvvm|hcos_|hsin_|float_simpl|"
                          r"reduce\w*_impl)|cuda|make_(\w+)_(16|32)a|operator|_?sync|.*_impl$|"
                          r"__cvta\w*grid|__is\w*(Grid|Shared)|__barrier|__match|__uni|__prof|__brkpt|.*Atomic")
    skipped = {"delete", "all", "any", "ballot", "syncthreads", "syncthreads_and", "syncthreads_or", "syncthreads_count",
               "dadd", "dmul", "dsub", "fdivide", "double2int", "double2ll", "double2uint", "double2ull",
               "float2double", "int2double", "ll2double", "uint2double", "ull2double"}
    for _, name, parameters in pattern.findall(text):
        if internal.match(name) or name in skipped:
            continue
        types = []
        for parameter in parameters.split(","):
            parameter = re.sub(r"=.*", "", parameter)
            parameter = re.sub(r"\b(const|__restrict__|volatile|enum|struct)\b", " ", parameter)
            words = parameter.replace("*", " * ").split()
            stars = words.count("*")
            words = [word for word in words if word != "*"]
            kind = " ".join(words)
            if kind not in ours and len(words) > 1:
                kind = " ".join(words[:-1])  # without the parameter's name
            if kind == "void" and stars == 0:
                continue
            if kind not in ours or (kind == "void" and stars != 1):
                types = None
                break
            types.append(ours[kind] + "*" * stars)
        if types is not None:
            found.add((name, tuple(types)))
    return sorted(found)


def expressions(folder):
    result = []
    for name, types in declared_functions(folder):
        result.append(f"{name}({', '.join(f'V({one})' for one in types)})")
    numbers = ["int", "float", "double"]
    for left in HALVES:
        for op in "+-*/":
            result += [f"V({left}) {op} V({right})" for right in HALVES + numbers]
            result += [f"V({one}) {op} V({left})" for one in numbers]
            result.append(f"V({left}&) {op}= V({left})")
            result.append(f"V({left}&) {op}= V(float)")
        for op in ("==", "!=", "<", ">", "<=", ">="):
            result += [f"V({left}) {op} V({right})" for right in [left] + numbers]
        result += [f"{op}V({left})" for op in "-+!"]
        result += [f"{op}V({left}&)" for op in ("++", "--")] + [f"V({left}&){op}" for op in ("++", "--")]
        result += [f"V({left}&).x", f"V({left}) && V(bool)", f"V(bool) ? V({left}) : V({left})"]
        result += [f"V(bool) ? V({left}) : V({one})" for one in numbers]
        result += [f"V({left}&) = V({one})" for one in SCALARS[4:] + HALVES]
        result += [f"{left}(V({one}))" for one in SCALARS + HALVES]
        result += [f"({one})V({left})" for one in SCALARS]
    narrow = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short", "__half",
              "__nv_bfloat16", "float2"]
    for name in ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"):
        result += [f"{name}(V(unsigned int), V({one}), V(int))" for one in narrow]
    for name in ("min", "max"):
        result += [f"{name}(V({a}), V({b}))"
                   for a, b in itertools.product(SCALARS[2:] + HALVES[:1], repeat=2)]
    one_number = ("abs fabs sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan "
                  "sinh cosh tanh asinh acosh atanh sinpi cospi erf erfc erfinv erfcinv erfcx normcdf normcdfinv "
                  "lgamma tgamma floor ceil trunc round rint nearbyint lround llround lrint llrint logb ilogb "
                  "isnan isinf isfinite signbit j0 j1 y0 y1 cyl_bessel_i0 cyl_bessel_i1").split()
    result += [f"{name}(V({one}))" for name in one_number
               for one in ("float", "double", "int", "long", "__half")]
    two_numbers = "pow fmod remainder atan2 hypot copysign nextafter fdim fmin fmax rhypot".split()
    result += [f"{name}(V({a}), V({b}))" for name in two_numbers
               for a, b in itertools.product(numbers, repeat=2)]
    result += [f"{name}(V({one}), V(int))" for name in ("ldexp", "scalbn") for one in numbers]
    result += [f"fma(V({one}), V({one}), V({one}))" for one in numbers]
    result += [f"frexp(V({one}), V(int*))" for one in numbers]
    result += [f"std::{name}(V({one}))" for name in ("abs", "sqrt", "floor", "isnan")
               for one in ("float", "double", "int")]
    result += [f"{name}.{axis}" for name in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "xyz"]
    result += ["warpSize", "warpSize * V(unsigned int)", "warpSize - V(int)", "clock()", "clock64()", "__activemask()"]
    return list(dict.fromkeys(result))


def types_of(all_expressions, folder):
    kinds = TYPES + [one + "&" for one in TYPES if one != "void"] + [
        "const int", "const unsigned int", "float*", "refused"]
    source = BEGIN + "".join(
        f"template <> struct number_of<{one}> {{ enum {{ value = {i} }}; }};\n"
        for i, one in enumerate(kinds))
    for i, one in enumerate(all_expressions):
        source += f"template <class Z> __device__ auto f{i}(int) -> decltype({one});\n"
        source += f"template <class Z> __device__ refused f{i}(...);\n"
        source += f"extern \"C\" {{ __device__ int t{i} = number_of<decltype(f{i}<int>(0))>::value; }}\n"
    path = os.path.join(folder, "types.cu")
    with open(path, "w") as file:
        file.write(source)
    ptx = os.path.join(folder, "types.ptx")
    subprocess.run(["nvcc", "-w", "-std=c++17", "-arch=sm_90", "-ptx", path, "-o", ptx], check=True)
    with open(ptx) as file:
        values = dict(re.findall(r"\bt(\d+)(?: = (-?\d+))?;", file.read()))
    return [kinds[int(values[str(i)] or 0)] if int(values[str(i)] or 0) >= 0 else None
            for i in range(len(all_expressions))]


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = expressions(folder)
        for one, kind in zip(found, types_of(found, folder)):
            if kind is not None:
                print(f"{kind}\t{one}")
            else:
                print(f"no name for the type of {one}", file=sys.stderr)


main()
