#!/usr/bin/env bash
# Prints the device functions of a CUDA toolkit that the command line does not declare, and the enumerators of its runtime that
# are not declared or have another value; nothing if it has all.
#   undeclared.sh BANKMODEL NVCC FOLDER              FOLDER: for what is made on the way
# The names are those of functions with __device__ in the headers below, as nvcc preprocesses them for sm_90. Left out are names
# that nvcc does not find at global scope (members, and functions of namespaces), and those that the headers have for themselves.
set -euo pipefail
tool=$1 nvcc=$2 folder=$3
mkdir -p "$folder"
cat >"$folder/headers.cu" <<'END'
#include <cuda_runtime.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <mma.h>
END
"$nvcc" -std=c++17 -arch=sm_90 -E "$folder/headers.cu" -o "$folder/headers.ii" 2>/dev/null
awk 'BEGIN { RS = "[;{}]" }
/__attribute__\(\(device\)\)/ {
  gsub(/#[^\n]*\n/, " ")
  gsub(/__attribute__[ ]*\(\([^()]*(\([^()]*\))?[^()]*\)\)/, " ")
  if (index($0, "(") == 0) next
  head = substr($0, 1, index($0, "(") - 1)
  sub(/[ \n\t]+$/, "", head)
  if (match(head, /[A-Za-z_][A-Za-z_0-9]*$/) == 0) next
  before = substr(head, 1, RSTART - 1)
  if (before !~ /(operator|::)[ ]*$/ && before ~ /[A-Za-z_>*&]/) print substr(head, RSTART)
}' "$folder/headers.ii" | sort -u >"$folder/names"
own='^(__cudaCDP2|__cuda|__curand|__internal|__cr_|_[A-Z]|__nv|_curand|_skip|_philox|Philox|curand_(M2|MRG|Philox|_|binary|box|poisson_)|curnand'
own="$own|__get_|__[a-z0-9]+Atomic|__pm[0-3]\$|__pow_|__float_simpl|__clusterDim|mulhilo32|para_rec|temper|cudaCG|cudaLaunchDevice"
own="$own|cudaGetParameterBuffer|.*(_internal|_scratch|_inplace|_impl|_ptsz)\$)"
grep -vE "$own" "$folder/names" >"$folder/wanted"

uses() {  # a kernel that names each of them
  cat "$folder/headers.cu"
  awk '{ print "__global__ void k" NR "() { (void)&::" $0 "; }" }' "$folder/wanted"
}
uses >"$folder/uses.cu"
"$nvcc" -std=c++17 -arch=sm_90 -Xcudafe --error_limit=100000 -ptx "$folder/uses.cu" -o "$folder/uses.ptx" 2>"$folder/of_nvcc" || true
BANKMODEL_NVCC=none "$tool" "$folder/uses.cu" --no-plan >"$folder/out" 2>"$folder/of_tool" || true
# nvcc and Clang say it in these words.
{ grep -oE 'the global scope has no "[^"]*"' "$folder/of_nvcc" || true; } | cut -d '"' -f 2 | sort -u >"$folder/elsewhere"
{ grep -oE "no member named '[^']*' in the global" "$folder/of_tool" || true; } | cut -d "'" -f 2 | sort -u >"$folder/unknown"
[ "$(wc -l <"$folder/wanted")" -gt 1000 ] || { echo "only $(wc -l <"$folder/wanted") names were found"; exit 1; }
comm -23 "$folder/unknown" "$folder/elsewhere"

enumerators() {
  sed '/^#/d' "$folder/headers.ii" | tr '\n' ' ' | grep -oE 'enum [^{};*,]*\{[^}]*\}' | sed 's/^[^{]*{//' | tr ',}' '\n\n' |
    grep -oE '^ *cuda[A-Z][A-Za-z0-9_]*' | tr -d ' ' | sort -u
}
enumerators >"$folder/enumerators"
[ "$(wc -l <"$folder/enumerators")" -gt 500 ] || { echo "only $(wc -l <"$folder/enumerators") enumerators were found"; exit 1; }
{
  printf '#include <cstdio>\n#include <cuda_runtime.h>\nint main() {\n'
  awk '{ print "std::printf(\"__global__ void e" NR "() { static_assert(" $0 " == %lld); }\\n\", (long long)" $0 ");" }' "$folder/enumerators"
  echo '}'
} >"$folder/values.cu"
"$nvcc" -std=c++17 "$folder/values.cu" -o "$folder/values"
"$folder/values" >"$folder/enumerations.cu"
BANKMODEL_NVCC=none "$tool" "$folder/enumerations.cu" --no-plan >"$folder/out" 2>"$folder/of_enumerations" || true
# The errors of the kernels, each of which asserts one value.
grep -E '(^|: )error: ' "$folder/of_enumerations" || true
