#!/usr/bin/env bash
# What the library costs to compile: the front door over an empty file beside <array> over an empty file, and single
# static_asserts on totals, the slope over 40 copies. Medians of 9, in milliseconds. compile_time.sh INCLUDE_FOLDER
set -eu
include=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median_us() {  # COMPILER FILE
  for _ in 1 2 3 4 5 6 7 8 9; do
    local start end
    start=$(date +%s%N)
    "$1" -std=c++20 -fsyntax-only -I"$include" "$2"
    end=$(date +%s%N)
    echo $(((end - start) / 1000))
  done | sort -n | sed -n 5p
}

ms() { printf '%d.%02d' $(($1 / 1000)) $(($1 % 1000 / 10)); }

preamble='#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
constexpr auto swizzled = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][(ty + j) ^ tx]));
template <int> constexpr bool ask(unsigned long long wavefronts) { return wavefronts > 0; }'

: >"$work/empty.cpp"
echo '#include <bankmodel/analyze.hpp>' >"$work/analyze.cpp"
echo '#include <array>' >"$work/array.cpp"

printf '\n%-62s %10s %10s\n' 'compile time, ms' 'g++' 'clang++'
row() {  # TEXT FILE BASE COPIES
  printf '%-62s' "$1"
  for compiler in g++ clang++; do
    if command -v $compiler >/dev/null; then
      printf ' %10s' "$(ms $((($(median_us $compiler "$work/$2") - $(median_us $compiler "$work/$3")) / $4)))"
    else
      printf ' %10s' 'missing'
    fi
  done
  printf '\n'
}
row '<array> over an empty file (the yardstick)' array.cpp empty.cpp 1
row '<bankmodel/analyze.hpp> over an empty file' analyze.cpp empty.cpp 1

copies=40
assertion() {  # NAME EXPRESSION
  { echo "$preamble"; for copy in $(seq $copies); do echo "static_assert(ask<$copy>(1));"; done; } >"$work/$1_base.cpp"
  { echo "$preamble"; for copy in $(seq $copies); do echo "static_assert(ask<$copy>($2));"; done; } >"$work/$1.cpp"
}
assertion sm_90 'bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, column).wavefronts'
assertion sm_35 'bm::total(bm::nvidia::sm_35, bm::block_dim{32, 8}, column).wavefronts'
assertion swizzled 'bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, swizzled).wavefronts'
row 'static_assert on tile[tx][ty + j], 32 requests, sm_90' sm_90.cpp sm_90_base.cpp $copies
row 'the same on Kepler, where W > N' sm_35.cpp sm_35_base.cpp $copies
row 'static_assert on tile[tx][(ty + j) ^ tx], 32 requests evaluated' swizzled.cpp swizzled_base.cpp $copies
