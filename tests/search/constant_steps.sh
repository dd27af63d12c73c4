#!/usr/bin/env bash
# Random kernels whose plans and explanations are constants: none may need more steps than clang allows by default, 1 048 576.
# Prints each that needs more than the given share of them, with the call, and how many there were; fails if one does.
#   constant_steps.sh INCLUDE_FOLDER [CASES] [FIRST_SEED] [PERCENT]      default: 12 cases from seed 1, 95 %
# A case takes clang about a second. By hand: tests/README.md has what it found.
set -eu
include=$1 cases=${2:-12} first=${3:-1} percent=${4:-95}
command -v clang++ >/dev/null || { echo "SKIPPED: no clang++"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One file for 25 cases, a case a line: "constexpr auto PLAN_SEED = ..".
awk -v cases="$cases" -v first="$first" -v folder="$work" '
function below(end) {  # Park and Miller; exact in 53 bits
  x = (x * 16807) % 2147483647
  return int(x / 2147483647 * end)
}
function one_of(list,    parts, count) {
  count = split(list, parts, "|")
  return parts[1 + below(count)]
}
function value(    kind) {  # not negative
  kind = below(looped ? 11 : 9)
  if (kind == 0) return "tx"
  if (kind == 1) return "ty"
  if (kind == 2) return 1 + below(40) " * tx"
  if (kind == 3) return "(" 1 + below(33) " * tx + " below(40) " * ty + " below(20) ")"
  if (kind == 4) return "tx * (" 1 + below(9) " * tx + " below(9) ")"
  if (kind == 5) return "tx / " one_of("2|3|4|8|16")
  if (kind == 6) return "(tx ^ " one_of("1|5|ty|(tx / 4)") ")"
  if (kind == 7) return "tid"
  if (kind == 8) return "(tx % " one_of("2|3|4|8|16") " + " 1 + below(16) " * ty)"
  if (kind == 9) return "(tx + " 1 + below(40) " * i)"
  return "(" 1 + below(9) " * tx ^ i)"
}
function access(array,    text, d, inside) {
  looped = below(3) == 0
  text = "a" array
  for (d = 0; d < rank[array]; ++d) text = text "[(" value() ") % " extent[array, d] "]"
  inside = text
  if (below(4) == 0) inside = "if_threads(" one_of("tx < " 1 + below(32) "|tx % 4 == 0|tx > ty|tx % 8 < 3" (looped ? "|tx <= i|tx * 2 > i" : "")) ", " inside ")"
  if (looped) inside = "for_loop(i, range(0, " 1 + below(64) ", " 1 + below(3) "), " inside ")"
  return one_of("load|store|load|atomic") "(" inside ")"
}
function a_case(seed,    arrays, count, list, at, d, size, machine, declared, type, text) {
  x = (seed * 7919 + 17) % 2147483646 + 1
  for (at = 0; at < 10; ++at) below(2)
  machine = one_of("nvidia::sm_90|nvidia::sm_90|nvidia::sm_35|nvidia::sm_20|amd::gfx942|nvidia::sm_120")
  arrays = one_of("1|1|1|2|3")
  declared = ""
  for (at = 0; at < arrays; ++at) {
    rank[at] = one_of("1|2|2|2|3")
    type = one_of("char|short|float|float|float|double")
    text = ""
    size = 1
    for (d = 0; d < rank[at]; ++d) {
      extent[at, d] = rank[at] == 1 ? one_of("64|100|256|333|1024|2048") : rank[at] == 2 ? one_of("4|7|8|16|20|32|33|64") : one_of("2|4|8|16")
      text = text ", " extent[at, d]
    }
    declared = declared "constexpr auto a" at " = shared_array<" type ">(\"a" at "\"" text "); "
  }
  count = 1 + below(4)
  list = ""
  for (at = 0; at < count; ++at) list = list ", " access(at < arrays ? at : below(arrays))
  text = "block_dim{" one_of("32|32, 8|16, 16|32, 32|64, 4|33, 7|8, 4|48, 3") "}"
  if (below(4) == 0)
    text = "explain(" machine ", " text substr(list, 1) ")"
  else
    text = "optimize(" machine ", kernel(" text list ")" one_of("|||, {.layouts = layouts::padding}|, {.prefer = preference::few_bytes}") ")"
  return "namespace case_" seed " { " declared "constexpr auto made = " text "; }"
}
BEGIN {
  for (seed = first; seed < first + cases; ++seed) {
    file = folder "/" int((seed - first) / 25) ".cpp"
    if ((seed - first) % 25 == 0)
      print "#include <bankmodel/explain.hpp>\n#include <bankmodel/machines/amd.hpp>\n#include <bankmodel/machines/nvidia.hpp>\n" \
            "using namespace bankmodel;\nusing namespace bankmodel::index;" >file
    print a_case(seed) >file
  }
}'

# Cases that are errors by a rule of the library count as good.
try() {  # STEPS FILE: the seeds that need more
  clang++ -std=c++20 -fsyntax-only -w -ferror-limit=0 -fconstexpr-steps="$1" -I"$include" "$2" 2>&1 |
    awk '/error: constexpr variable/ { match($0, /:[0-9]+:/); line = substr($0, RSTART + 1, RLENGTH - 2); next }
         /note: constexpr evaluation hit maximum step limit/ && line != "" { print line; line = "" }' | sort -un
}
steps=$((1048576 * percent / 100))
failed=0 all=0
for file in "$work"/*.cpp; do
  all=$((all + $(grep -c '^namespace case_' "$file")))
  for line in $(try "$steps" "$file"); do
    failed=$((failed + 1))
    sed -n "${line}p" "$file"
  done
done
echo "$all kernels: $failed need more than $percent % of clang's default steps"
[ "$failed" -eq 0 ]
