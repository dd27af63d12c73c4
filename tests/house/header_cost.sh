#!/usr/bin/env bash
# The cost of compiling the headers, with limits: the compiler's own instructions, which are the same in every run, less those
# of an empty file, as a ratio to those of <array>. Prints a table; fails if a ratio exceeds its limit.
#   header_cost.sh COMPILER INCLUDE_FOLDER [ROW]..      default: all rows
# Counted by `perf stat` if the system allows it, else by valgrind's cachegrind; SKIPPED if neither is available.
set -eu
compiler=$1 include=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# ---- limits: measured on 2026-11-25 and 26 with g++ 12.2 and clang 14.0, plus 0.5 to 3 % ----
#                        g++ 12           clang 14
#                     limit   aim      limit   aim      aim: DESIGN, section 8
limits='
analyze               1.927   0.90     1.823   1.00     analyze.hpp and machines/nvidia.hpp
precompiled           0.100   0.10     0.100   0.10     the same two, precompiled
optimize              3.357   1.30     3.650   1.30     optimize.hpp
total                 0.050   0.05     0.083   0.08     one more static_assert on an affine total
total_W_over_N        0.083   0.10     0.149   0.16     the same in a loop where W > N
'

case $("$compiler" --version | head -1) in
  *clang*) kind=clang limits_are_of=14 version=$("$compiler" -dumpversion) ;;
  *) kind=g++ limits_are_of=12 version=$("$compiler" -dumpversion) ;;
esac

# ---- the files ----
: >"$work/empty.cpp"
echo '#include <array>' >"$work/array.cpp"
printf '#include <bankmodel/%s>\n' analyze.hpp machines/nvidia.hpp >"$work/analyze.cpp"
echo '#include <bankmodel/optimize.hpp>' >"$work/optimize.cpp"
cp "$work/analyze.cpp" "$work/front.hpp"
echo '#include "front.hpp"' >"$work/precompiled.cpp"
more=4
totals() {  # MACHINE FROM TO: static_asserts, each on another access
  local access
  for ((k = $2; k < $3; ++k)); do
    access="tile[tx][ty + $k]"
    [ "$1" = sm_35 ] && access="bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j + $k])"
    echo "static_assert(bm::total(bm::nvidia::$1, bm::block_dim{32, 8}, bm::load($access)).conflicts() > 0);"
  done
}
{
  cat "$work/analyze.cpp"
  echo 'namespace bm = bankmodel;'
  echo 'using namespace bm::index;'
  echo 'constexpr auto tile = bm::shared_array<float>("tile", 32, 64);'
  totals sm_90 0 1
  totals sm_35 0 1
} >"$work/base.cpp"
{ cat "$work/base.cpp"; totals sm_90 1 $((1 + more)); } >"$work/total.cpp"
{ cat "$work/base.cpp"; totals sm_35 1 $((1 + more)); } >"$work/total_W_over_N.cpp"

# ---- counting ----
# g++ runs cc1plus; clang is one process.
options=(-std=c++20 -fsyntax-only -I"$include")
"$compiler" "${options[@]}" "$work/total.cpp" "$work/total_W_over_N.cpp" "$work/optimize.cpp"
"$compiler" -std=c++20 -I"$include" -x c++-header "$work/front.hpp" -o "$work/front.hpp.gch"
command_for() {  # FILE
  if [ $kind = clang ]; then
    local precompiled=
    case $1 in */precompiled.cpp) precompiled="-include-pch $work/front.hpp.gch" ;; esac
    echo "$compiler ${options[*]} $precompiled $1"
  else
    "$compiler" -### "${options[@]}" "$1" 2>&1 | grep 'cc1plus'
  fi
}
instructions() {  # NAME
  local command
  command=$(command_for "$work/$1.cpp")
  case $counter in
    perf) eval "perf stat -x, -e instructions:u -o $work/$1.count $command" && awk -F, '/instructions/ {print $1}' "$work/$1.count" ;;
    *) eval "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null $command" 2>&1 |
      awk '/I *refs:/ {gsub(",", ""); print $NF}' ;;
  esac
}
if perf stat -x, -e instructions:u -o "$work/count" true 2>/dev/null && grep -q '^[0-9]' "$work/count"; then
  counter=perf
elif command -v valgrind >/dev/null; then
  counter=valgrind
else
  echo "SKIPPED: neither perf's counter of instructions nor valgrind is there, so the cost of the headers is not held"
  exit 0
fi
rows=${*:-analyze precompiled optimize total total_W_over_N}
for row in $rows; do grep -q "^$row " <<<"$limits" || { echo "there is no row '$row': $limits"; exit 1; }; done
names="empty array base $rows"
for name in $names; do  # two at a time
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
  instructions $name >"$work/$name.instructions" &
done
wait
declare -A count
for name in $names; do
  count[$name]=$(cat "$work/$name.instructions")
  [ "${count[$name]:-0}" -gt 0 ] || { echo "no instructions counted for $name"; exit 1; }
done

# ---- the table ----
echo "$kind $version, $counter; <array> takes $(((count[array] - count[empty]) / 1000000)) million instructions over an empty file"
printf '%-46s %8s %8s %8s %8s\n' 'over <array>' millions ratio limit aim
failed=0
while read -r name gcc_limit gcc_aim clang_limit clang_aim what; do
  [[ -n "$name" && " $rows " == *" $name "* ]] || continue
  case $name in
    total*) over=$(((count[$name] - count[base]) / more)) ;;
    *) over=$((count[$name] - count[empty])) ;;
  esac
  if [ $kind = clang ]; then limit=$clang_limit aim=$clang_aim; else limit=$gcc_limit aim=$gcc_aim; fi
  line=$(awk "BEGIN {r = $over / (${count[array]} - ${count[empty]}); printf \"%8.1f %8.3f %8.3f %8.2f%s\", $over / 1000000, r, $limit, $aim, (r > $limit ? \"   OVER\" : \"\")}")
  printf '%-46s %s\n' "$what" "$line"
  case $line in *OVER) failed=1 ;; esac
done <<<"$limits"
if [ "${version%%.*}" != $limits_are_of ]; then
  echo "SKIPPED: the limits are of $kind $limits_are_of, they say nothing about $kind $version"
  exit 0
fi
exit $failed
