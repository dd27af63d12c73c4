#!/usr/bin/env bash
# The cost of one call at run time, with limits: instructions of a program at -O2, which are the same in every run. Prints a
# table; fails if a row exceeds its limit. Counted by valgrind's callgrind; SKIPPED if it is not available.
#   run_cost.sh COMPILER INCLUDE_FOLDER
set -eu
compiler=$1 include=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# ---- limits: measured on 2026-12-01 with g++ 12.2, plus 3 %; the aims are those of DESIGN, section 8 ----
limits='
degree                           77       20   degree() of a strided warp
request                         334       70   total(machine, request) of lanes in a progression
total                          1700     1000   total() of an affine access
loop_1e3                       2591     1000   the same in a loop of 10^3 iterations
loop_1e12                      2591     1000   of 10^12
loop_W_over_N_1e3              2959     1000   of 10^3 where W > N
loop_W_over_N_1e12             2959     1000   of 10^12 where W > N
triangle_1e3                   4012     1000   two loops, the inner one up to the outer one, of 10^3
triangle_1e9                   4033     1000   of 10^9
triangle_W_over_N_1e7          4295     1000   of 10^7 where W > N
triangle_W_over_N_1e9          4295     1000   of 10^9 where W > N
for_if_1e4                    21055    10000   for with a filter that moves, 8 warps, of 10^4
for_if_1e9                    21055    10000   of 10^9
for_if_W_over_N_1e4           32470    10000   of 10^4 where W > N
for_if_W_over_N_1e9           32470    10000   of 10^9 where W > N
plan                          17536    10000   optimize() of a transpose over padding
plan_of_every_family          17489    10000   over every family
worst                          7384     6804   explain() without the change it proposes, in a loop: two totals
worst_W_over_N                 7885     7274   the same where W > N
explain                        7671     9999   explain() of an affine access
'
# Rows that must not grow with the trip counts.
alike='loop_1e3 loop_1e12
loop_W_over_N_1e3 loop_W_over_N_1e12
triangle_1e3 triangle_1e9
triangle_W_over_N_1e7 triangle_W_over_N_1e9
for_if_1e4 for_if_1e9
for_if_W_over_N_1e4 for_if_W_over_N_1e9'

if ! command -v valgrind >/dev/null || ! command -v callgrind_annotate >/dev/null; then
  echo "SKIPPED: valgrind is not there, so the cost of a call is not held"
  exit 0
fi
calls=$(sed -n 's/^constexpr int calls = \([0-9]*\);$/\1/p' "$here/run_cost.hpp")
# Symbols are bound at the start: the search for a symbol at its first call is not the library's.
"$compiler" -std=c++20 -O2 -Wl,-z,now -I"$include" "$here/run_cost.cpp" "$here/run_cost_explain.cpp" -o "$work/run_cost"
valgrind --tool=callgrind --callgrind-out-file="$work/out" "$work/run_cost" 2>/dev/null
callgrind_annotate --inclusive=yes --threshold=100 "$work/out" | grep -o '^ *[0-9,]* .*:row_[A-Za-z0-9_]*' |
  sed 's/^ *\([0-9,]*\) .*:row_\([A-Za-z0-9_]*\)$/\2 \1/; s/,//g' >"$work/rows"

declare -A taken
while read -r name instructions; do taken[$name]=$((instructions / calls)); done <"$work/rows"
failed=0
printf '%-76s %12s %12s %8s\n' 'instructions of one call' taken limit aim
while read -r name limit aim what; do
  [ -n "$name" ] || continue
  mark=''
  if [ "${taken[$name]:-0}" -eq 0 ]; then mark='   NOT COUNTED' failed=1; fi
  if [ "${taken[$name]:-0}" -gt "$limit" ]; then mark='   OVER' failed=1; fi
  printf '%-76s %12d %12d %8d%s\n' "$what" "${taken[$name]:-0}" "$limit" "$aim" "$mark"
done <<<"$limits"
while read -r few many; do
  if [ $((taken[$many] * 100)) -gt $((taken[$few] * 105)) ]; then
    echo "$many takes ${taken[$many]} instructions, $few takes ${taken[$few]}: it grows"
    failed=1
  fi
done <<<"$alike"
if "$compiler" --version | grep -q clang || [ "$("$compiler" -dumpversion | cut -d. -f1)" != 12 ]; then
  echo "SKIPPED: the limits are of g++ 12"
  exit 0
fi
exit $failed
