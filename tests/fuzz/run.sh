#!/usr/bin/env bash
# Builds and runs each libFuzzer program of a build folder, one after another, and prints how many inputs each tried.
#   run.sh build/test-deep [SECONDS [NAME..]]      60 seconds each, all programs
set -u
folder=$1/tests/fuzz seconds=${2:-60}
[ -d "$folder" ] || { echo "$folder does not exist; build it: cmake --preset test-deep && cmake --build build/test-deep"; exit 2; }
failed=0
for name in ${@:3}; do [ -f "$folder/$name" ] || { echo "there is no program $name; there are: $(ls "$folder" | tr '\n' ' ')"; exit 2; }; done
names=$([ $# -gt 2 ] && echo "${@:3}" || ls "$folder")
cmake --build "$1" --target $(printf 'fuzz_%s ' $names) >"$folder.log" 2>&1 || { tail -n 5 "$folder.log"; exit 1; }
for name in $names; do
  mapfile -t command <"$folder/$name"
  "${command[0]}" -max_total_time="$seconds" -print_final_stats=1 "${command[@]:1}" >"$folder/../fuzz_$name.log" 2>&1
  code=$?
  tried=$(awk '/stat::number_of_executed_units/ {print $2}' "$folder/../fuzz_$name.log")
  if [ $code -eq 0 ]; then
    printf '%-12s %12s inputs in %s s\n' "$name" "$tried" "$seconds"
  else
    failed=1
    printf '%-12s FAILED, see %s\n' "$name" "$(realpath "$folder/../fuzz_$name.log")"
    grep -m3 -E 'ERROR|not so|Test unit written' "$folder/../fuzz_$name.log"
  fi
done
exit $failed
