#!/usr/bin/env bash
# What the library costs to compile, beside what it may cost: the front door over an empty file, and static_asserts on
# the totals that budgets.cpp lists. CPU time in milliseconds, medians of 5; of a static_assert the slope over copies.
# Budgets hold where <array> takes 44 ms with g++ and 40 ms with clang, and are scaled to what it takes here.
#   compile_time.sh INCLUDE_FOLDER
set -eu
include=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compilers=()
for compiler in g++ clang++; do
  if command -v $compiler >/dev/null; then compilers+=($compiler); else echo "$compiler is missing, its columns are left out"; fi
done
[ ${#compilers[@]} -gt 0 ]

TIMEFORMAT='%3U %3S'
once_us() {  # COMPILER FILE
  { time "$1" -std=c++20 -fsyntax-only -I"$include" -I"$here" "$2" >"$work/said" 2>&1 || touch "$work/refused"; } 2>&1 |
    awk '{printf "%d\n", ($1 + $2) * 1000000}'
}
median() { sort -n | awk '{all[NR] = $1} END {print all[int((NR + 1) / 2)]}'; }
median_us() { for _ in 1 2 3 4 5; do once_us "$1" "$2"; done | median; }
ms() { awk "BEGIN {printf \"%.2f\", $1 / 1000}"; }

: >"$work/empty.cpp"
echo '#include <array>' >"$work/array.cpp"
echo '#include <bankmodel/analyze.hpp>' >"$work/analyze.cpp"

# ---- the page: one total a line, its evaluated requests, and its budgets where <array> takes 44 and 40 ms ----

"${compilers[0]}" -std=c++20 -O1 -I"$include" "$here/budgets.cpp" -o "$work/budgets"
"$work/budgets" >"$work/page"

preamble='#include "nests.hpp"
#include "../examples/kernels.hpp"
#include <bankmodel/machines/nvidia.hpp>
namespace bm = bankmodel;
using bm::nvidia::sm_35, bm::nvidia::sm_90;
using namespace kernels::fd3d; using namespace kernels::nw; using namespace kernels::transpose; using namespace kernels::lud;
using namespace kernels::convolution_separable; using namespace kernels::shfl_scan;
template <int> constexpr bool ask(unsigned long long wavefronts) { return wavefronts > 0; }'
asking() {  # COPIES WAVEFRONTS
  echo "$preamble"
  for ((copy = 0; copy < $1; ++copy)); do echo "static_assert(ask<$copy>($2));"; done
}

# Measures everything; between the lines the yardstick again, for machines whose pace changes.
declare -A yardstick time
for compiler in "${compilers[@]}"; do
  empty=$(median_us $compiler "$work/empty.cpp")
  time[$compiler,analyze]=$(($(median_us $compiler "$work/analyze.cpp") - empty))
  yardsticks=$(($(median_us $compiler "$work/array.cpp") - empty))
  declare -A base=()
  while IFS=$'\t' read -r name question evaluated gcc clang; do
    # As many copies as fill some 150 ms, so that the slope stands out.
    copies=$((300000 / (gcc + clang + 1)))
    copies=$((copies < 3 ? 3 : copies > 30 ? 30 : copies))
    if [ -z "${base[$copies]:-}" ]; then
      asking $copies 1 >"$work/base.cpp"
      base[$copies]=$(median_us $compiler "$work/base.cpp")
    fi
    asking $copies "bm::total($question).wavefronts" >"$work/nest.cpp"
    rm -f "$work/refused"
    time[$compiler,$name]=$((($(median_us $compiler "$work/nest.cpp") - base[$copies]) / copies))
    if [ -e "$work/refused" ]; then time[$compiler,$name]=refused; sed -n 1,5p "$work/said" >&2; fi
    yardsticks+=" $(($(once_us $compiler "$work/array.cpp") - empty))"
  done <"$work/page"
  yardstick[$compiler]=$(tr ' ' '\n' <<<"$yardsticks" | median)
done

# ---- what was measured ----

cells() {  # NAME GCC_BUDGET CLANG_BUDGET
  for compiler in "${compilers[@]}"; do
    local budget=$2 reference=44000
    if [ $compiler = clang++ ]; then budget=$3 reference=40000; fi
    budget=$((budget * yardstick[$compiler] / reference))
    local taken=${time[$compiler,$1]} mark=''
    if [ "$taken" = refused ]; then
      printf ' %10s %10s %-4s' refused "$(ms $budget)" OVER
    else
      if [ "$taken" -gt "$budget" ]; then mark=OVER; fi
      printf ' %10s %10s %-4s' "$(ms "$taken")" "$(ms $budget)" "$mark"
    fi
  done
  printf '\n'
}

printf '\nThe yardstick: <array> over an empty file takes'
for compiler in "${compilers[@]}"; do printf ' %s ms with %s' "$(ms "${yardstick[$compiler]}")" $compiler; done
printf ', on the machine of the budgets 44 ms with g++ and 40 ms with clang++.\nEach budget below is scaled by that.\n\n'
printf '%-42s %10s' 'compile time, ms' 'requests'
for compiler in "${compilers[@]}"; do printf ' %10s %10s     ' $compiler budget; done
printf '\n%-42s %10s' '' 'evaluated'
printf '\n%-42s %10s' '<bankmodel/analyze.hpp>' ''
cells analyze 40000 60000
printf '\nOne static_assert on a total. Budgets: 2 ms with g++ and 4 ms with clang++ for each access, twice that where W > N, and\n'
printf '0.15 ms more for each request evaluated where a filter moves or the access is not affine.\n'
while IFS=$'\t' read -r name question evaluated gcc clang; do
  printf '%-42s %10s' "$name" "$evaluated"
  cells "$name" "$gcc" "$clang"
done <"$work/page"
