#!/usr/bin/env bash
# Do the tests notice wrong edits? Makes small wrong edits by operators (mutants.cpp lists these), one at a time, and runs the
# tests that tests_of_files.txt names for the file. (The unmodified tests must pass.) An edit that no test notices
# is printed: either it changes nothing (read it), or a test is missing.
#   mutants.sh [--base REV] [--draw N] [NAME]...
#     --base REV  the lines that have changed since this commit; without it all lines
#     --draw N    N of the edits, drawn by the seed in BANKMODEL_SEED (1)
#     NAME        only files whose path contains it
# It builds the command line's test programs in build/mutants, with g++ and without sanitizers. All edits of a test are compiled
# into one program; an edit outside of functions, or in what is evaluated as a constant, needs a compilation of its own.
set -eu
cd "$(dirname "$0")/../.."
base='' draw=0 names=()
while [ $# -gt 0 ]; do
  case $1 in
    --base) base=$2 && shift ;;
    --draw) draw=$2 && shift ;;
    -*) echo "$1: only --base REV, --draw N and names of files" && exit 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done
root=$PWD house=tests/house build=build/mutants jobs=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++20 -O1 $house/mutants.cpp -o "$work/mutants"

# ---- the edits ----

while read -r listed _; do
  [[ $listed == '#'* ]] || [ -e "$listed" ] || { echo "$house/tests_of_files.txt: there is no $listed" >&2; exit 1; }
done <$house/tests_of_files.txt

tests_of() {  # FILE: those of its own line, else of its folder's
  awk -v file="$1" '$1 == file {$1 = ""; print; found = 1; exit} index(file, $1) == 1 && $1 ~ /\/$/ {folder = $0}
    END {if (!found && folder != "") {sub(/^[^ ]+/, "", folder); print folder}}' $house/tests_of_files.txt
}
changed_lines() {  # FILE: the numbers of its lines that have changed since $base; all of a new file's
  git ls-files --error-unmatch "$1" >/dev/null 2>&1 || { seq "$(wc -l <"$1")"; return; }
  git diff -U0 "$base" -- "$1" | sed -nE 's/^@@ -[^ ]+ \+([0-9]+)(,([0-9]+))? @@.*/\1 \3/p' |
    while read -r first count; do seq "$first" $((first + ${count:-1} - 1)); done
}
wanted() {  # FILE: true if it contains one of the names
  local name
  [ ${#names[@]} -gt 0 ] || return 0
  for name in "${names[@]}"; do [[ $1 == *"$name"* ]] && return 0; done
  return 1
}
git ls-files --cached --others --exclude-standard 'include/*.hpp' 'examples/bankmodel/*.cpp' | sort | while read -r file; do
  wanted "$file" && [ -f "$file" ] || continue
  lines=()
  if [ -n "$base" ]; then
    mapfile -t lines < <(changed_lines "$file")
    [ ${#lines[@]} -gt 0 ] || continue
  fi
  if [ -z "$(tests_of "$file")" ]; then
    echo "$file: no test, so its edits are not tried; add a line to $house/tests_of_files.txt" >&2
    continue
  fi
  "$work/mutants" list "$file" ${lines[@]+"${lines[@]}"} | sed "s|^|$file\t|"
done >"$work/all"
if [ "$draw" -gt 0 ]; then
  awk -v seed="${BANKMODEL_SEED:-1}" 'BEGIN {srand(seed)} {printf "%.9f\t%s\n", rand(), $0}' "$work/all" | sort -n | head -n "$draw" | cut -f2- |
    sort >"$work/drawn"
else
  cp "$work/all" "$work/drawn"
fi
file_of=() line_of=() offset_of=() length_of=() text_of=()
while IFS=$'\t' read -r file line offset length text; do
  file_of+=("$file") line_of+=("$line") offset_of+=("$offset") length_of+=("$length") text_of+=("$text")
done < <(sed 's/\t$/\t;/' "$work/drawn")
echo "${#file_of[@]} of $(wc -l <"$work/all") edits"
[ ${#file_of[@]} -gt 0 ] || exit 0

says() {  # NUMBER RESULT
  printf '%-11s %s:%s: %s   instead of %s\n' "$2" "${file_of[$1]}" "${line_of[$1]}" "${text_of[$1]}" \
    "$(tail -c +$((offset_of[$1] + 1)) "${file_of[$1]}" | head -c "${length_of[$1]}" | tr '\n' ' ')"
}

# ---- headers ----

compile_test() {  # TEST INCLUDE PROGRAM: the compiler's output is in PROGRAM.said
  local optimize=-Og
  case $1 in layout/placed | layout/layouts | profile/* | */static_* | search/existence | report/* | interop/*) optimize=-O0 ;; esac # they take longer to compile than to run
  g++ -std=c++20 $optimize -w -include tests/support/catch.hpp -I"$2" -Itests/support -I. "tests/$1.cpp" $build/tests/libcatch_main.a $library -o "$3" 2>"$3.said"
}
run_test() {  # TEST PROGRAM [NUMBER]: with this edit
  local cases=25000
  case $1 in search/plans) cases=800 ;; search/class_sets) cases=400 ;; search/every_layout) cases=1500 ;; global/traffic) cases=2000 ;; esac
  BANKMODEL_MUTANT=${3:--1} BANKMODEL_CASES=$cases timeout 60 "$2" --abort >/dev/null 2>&1
}
try_apart() {  # TEST NUMBER: prints if the test notices the edit in a copy of its own
  local place="$work/apart.$2" file=${file_of[$2]}
  mkdir "$place" && cp -r include "$place/include"
  "$work/mutants" replace "$file" "$place/$file" "${offset_of[$2]}" "${length_of[$2]}" "${text_of[$2]}"
  if compile_test "$1" "$place/include" "$place/test"; then
    if run_test "$1" "$place/test"; then echo "$2 SURVIVED"; else echo "$2 noticed"; fi
  elif grep -qE 'static.?assert|constant expression' "$place/test.said"; then
    echo "$2 noticed"
  else
    echo "$2 impossible"  # it does not compile
  fi
  rm -rf "$place"
}
try_test() {  # TEST NUMBER..: prints NUMBER and a result for each
  local test=$1 place number result file
  place="$work/test.${1//\//_}"
  shift
  rm -rf "$place" && mkdir "$place" && cp -r include "$place/include"
  for file in $(for number; do echo "${file_of[$number]}"; done | sort -u); do
    local words=()
    for number; do
      [ "${file_of[$number]}" = "$file" ] && words+=("$number" "${offset_of[$number]}" "${length_of[$number]}" "${text_of[$number]}")
    done
    "$work/mutants" write "$file" "$place/$file" "${words[@]}"
  done >"$place/became"
  [[ $test == */static_* || $test == layout/placed ]] && sed -i 's/switched/apart/' "$place/became"  # these evaluate constants
  grep -q switched "$place/became" && ! compile_test "$test" "$place/include" "$place/test" && sed -i 's/switched/apart/' "$place/became"
  while read -r number result; do
    if [ "$result" = switched ] && ! run_test "$test" "$place/test" "$number"; then echo "$number noticed"; else try_apart "$test" "$number"; fi
  done <"$place/became"
}

# ---- the command line ----

try_program() {  # PROGRAM NUMBER..: the same for a test program of the command line
  local target=$1 place="$work/files.$1" number file said given='' objects=() options_of=() libraries=() options=() result filter
  shift
  mkdir -p "$place"
  [ -f "$build/tests/linked/$target" ] || return 0  # not built here: its edits are not tried
  local -A switched=() became=()
  while IFS= read -r said; do
    case $said in
      -l* | *.a | *.so*) libraries+=("$said") ;;
      -*) options+=("$said") given='' ;;
      *.o)
        [ -n "$given" ] || { printf -v given '%s\n' "${options[@]}"; options=(); }
        objects+=("$said") options_of+=("$given")
        ;;
    esac
  done <"$build/tests/linked/$target"
  for file in $(for number; do echo "${file_of[$number]}"; done | sort -u); do
    local words=() copy="$place/${file//\//_}"
    for number; do
      [ "${file_of[$number]}" = "$file" ] && words+=("$number" "${offset_of[$number]}" "${length_of[$number]}" "${text_of[$number]}")
    done
    while read -r number result; do became[$number]=$result; done < <("$work/mutants" write "$file" "$copy" "${words[@]}")
    switched[${file#examples/bankmodel/}]="$copy"
  done
  # Compiles again each object that has a switched file: its own, or one of several files together (CMake's unity build).
  for number in "${!objects[@]}"; do
    # Some versions of CMake write .dir/./ where others write .dir/.
    local from=${objects[$number]%.o} folders=() replaced=()
    from=${from//.dir\/.\//.dir/}
    # A test may be called as what it tests.
    [[ "$from" == *.dir/__/__/tests/* || "$from" == */tests/CMakeFiles/*.dir/command_line/* ]] && continue
    for file in "${!switched[@]}"; do
      # A library's own files are in its folder: clang_reader/values.cpp is bankmodel_clang_reader.dir/values.cpp.
      if [[ "$from" == */"$file" || "$from" == *"${file%/*}.dir/${file##*/}" ]]; then
        replaced=("${switched[$file]}") folders=(-iquote "$root/examples/bankmodel/$(dirname "$file")")
      elif [[ "$from" == */Unity/* ]] && grep -q "/$file\"$" "$from"; then
        replaced+=(-e "s|\"[^\"]*/$file\"|\"${switched[$file]}\"|") folders+=(-iquote "$root/examples/bankmodel/$(dirname "$file")")
      fi
    done
    [ "${#replaced[@]}" -gt 0 ] || continue
    if [[ "$from" == */Unity/* ]]; then
      sed "${replaced[@]}" "$from" >"$place/together$number.cpp"
      replaced=("$place/together$number.cpp")
    fi
    mapfile -t options <<<"${options_of[$number]%$'\n'}"
    if ! g++ -std=c++20 "${options[@]}" -w -O0 "${folders[@]}" -c "${replaced[0]}" -o "$place/$number.o" 2>"$place/said"; then
      # One of the edits does not compile: each by itself, in rounds of half as many.
      if [ $# -eq 1 ]; then echo "$1 impossible"; return; fi
      local all=("$@") half=$(($# / 2))
      try_program "$target" "${all[@]:0:half}"
      try_program "$target" "${all[@]:half}"
      return
    fi
    objects[number]="$place/$number.o"
  done
  g++ "${objects[@]}" "${libraries[@]}" -o "$place/$target" 2>"$place/said" || { grep -m1 -E 'error|undefined' "$place/said" >&2; return; }
  for number; do
    if [ "${became[$number]}" != switched ]; then echo "$number outside"; continue; fi
    filter=''
    for result in $(tests_of "${file_of[$number]}"); do [[ $result == $target:* ]] && filter+="${filter:+,}[#${result#*:}]"; done
    [[ " $(tests_of "${file_of[$number]}") " == *" $target "* ]] && filter=''  # the whole program
    # One that takes a minute of a processor, or does not end, is noticed.
    if (ulimit -t 60 && BANKMODEL_MUTANT=$number timeout 300 "$place/$target" --abort --filenames-as-tags ${filter:+"$filter"}) >/dev/null 2>&1; then
      echo "$number SURVIVED"
    else
      echo "$number noticed"
    fi
  done
}

# ---- all of them, by the first test of each file, then the survivors by the next ----

targets=catch_main
if cut -f1 "$work/drawn" | grep -q '^examples/'; then targets='catch_main linked_programs'; fi
cmake -S . -B $build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++ -DBANKMODEL_BUILD_TESTS=ON -DBANKMODEL_BUILD_EXAMPLES=OFF \
  -DBANKMODEL_BUILD_BENCHMARKS=OFF -DBANKMODEL_SANITIZE=OFF -DBANKMODEL_BUILD_COMMAND_LINE=ON >"$work/said" || { cat "$work/said"; exit 1; }
cmake --build $build -j"$jobs" --target $targets >"$work/said" || { tail -20 "$work/said"; exit 1; }
library=''  # from version 3 on Catch2 is a library
if echo '#include <catch2/catch_all.hpp>' | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1; then library=-lCatch2; fi

declare -A result_of=()
left=("${!file_of[@]}")
for round in 1 2 3 4 5 6; do
  declare -A numbers_of=()
  for number in "${left[@]}"; do
    test=$(tests_of "${file_of[$number]}" | tr -s ' ' '\n' | sed '/^$/d' | sed 's/:.*//' | awk '!seen[$0]++' | sed -n ${round}p)
    [ -z "$test" ] || numbers_of[$test]+=" $number"
  done
  for test in "${!numbers_of[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    case $test in
      */*) try_test "$test" ${numbers_of[$test]} >"$work/said.$round.${test//\//_}" & ;;
      *) try_program "$test" ${numbers_of[$test]} >"$work/said.$round.$test" & ;;
    esac
  done
  wait
  left=()
  while read -r number result; do
    result_of[$number]=$result
    [ "$result" != SURVIVED ] || left+=("$number")
  done < <(cat "$work"/said.$round.* 2>/dev/null)
  [ ${#left[@]} -gt 0 ] || break
  unset numbers_of
done
for number in "${!file_of[@]}"; do
  case ${result_of[$number]:-} in SURVIVED) says "$number" SURVIVED ;; '') says "$number" 'NOT TRIED' ;; esac
done | sort
count() { printf '%s\n' "${result_of[@]}" | grep -c "^$1" || true; }
echo "$(count noticed) noticed, $((${#file_of[@]} - ${#result_of[@]})) not tried, $(count SURVIVED) not noticed, $(count impossible) do not compile, $(count outside) outside of functions"
