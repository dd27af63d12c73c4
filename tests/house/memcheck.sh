#!/usr/bin/env bash
# Test programs of a build without sanitizers under valgrind's memcheck: reads of memory that was never written, which the
# sanitizers do not see, and wrong accesses. Programs whose cases are drawn by the thousand draw few.
#   memcheck.sh build/test [PROGRAM..]      default: those of the list below that are there
set -u
[ -d "${1:-}/tests" ] || { echo "${1:-no folder} has no tests; build them: cmake --preset test && cmake --build build/test"; exit 2; }
command -v valgrind >/dev/null || { echo "SKIPPED: there is no valgrind: apt-get install valgrind"; exit 0; }
folder=$1/tests failed=0 passed=0
shift
programs=(generated_1 count_split count_price bounded optimize_requests planning_placement plans worst_request code global_traffic
          global_on_grid block_stride linear no_allocation needed_registers)
[ $# -eq 0 ] || programs=("$@")
export BANKMODEL_CASES=40
for name in "${programs[@]}"; do
  [ -x "$folder/test_$name" ] || continue
  if valgrind -q --error-exitcode=9 --track-origins=yes "$folder/test_$name" >"$folder/memcheck_$name.log" 2>&1; then
    passed=$((passed + 1))
    echo "passed  $name"
  elif grep -qE '^==[0-9]+== ' "$folder/memcheck_$name.log"; then
    failed=1
    echo "FAILED  $name, see $folder/memcheck_$name.log"
  else # its own statistics want more cases
    passed=$((passed + 1))
    echo "passed  $name (its checks of how many cases it drew do not hold)"
  fi
done
echo "$passed programs under memcheck"
[ "$passed" -gt 0 ] && exit $failed
