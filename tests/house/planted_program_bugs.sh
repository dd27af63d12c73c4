#!/usr/bin/env bash
# Plants small wrong edits in copies of the command line's files, one at a time; the test named with each must then fail.
# (This assumes that the unmodified tests pass, which ctest checks.)
#   planted_program_bugs.sh COMPILER FOLDER [FILE]           FILE: only files whose name contains it
#   planted_program_bugs.sh COMPILER FOLDER --draw N         N of them, drawn by the seed in BANKMODEL_PLANT_SEED, which is
#                                                            the number of commits if it is not set
# FOLDER is build/PRESET/tests/planted: for each test program that is built there it has a file with its objects, those that are
# compiled with the same options after these options, and its libraries (tests/house/planted_bugs.cmake). All edits of one file are
# compiled together (switch_plants.cpp), all edits of one test program are linked together, and each run uses one of them.
set -u
compiler=$1 folder=$(cd "$2" && pwd) only=${3:-} draw=0
if [ "$only" = --draw ]; then
  only='' draw=$4
fi
tests=$(cd "$(dirname "$0")/.." && pwd)
source "$tests/house/draw.sh"
seed=$(seed_of_plants "$tests")
program=$(cd "$tests/../examples/bankmodel" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$compiler" -std=c++20 -O1 "$tests/house/switch_plants.cpp" -o "$work/switch_plants" || exit

target_of=() test_of=() file_of=() right_of=() wrong_of=() left_out=0
# plant TARGET:TEST FILE 'RIGHT' 'WRONG': replaces a right text, which occurs once in the file, by a wrong one. TEST is the file
# of the test within the program; without it the whole program is run.
plant() {
  [[ "$2" == *"$only"* ]] || return
  [[ "$2" == *.cpp ]] || { echo "$2: name a .cpp file; a header has no object that could be made again"; exit 2; }
  if [ ! -f "$folder/${1%%:*}" ]; then
    left_out=$((left_out + 1))
    return
  fi
  target_of+=("${1%%:*}") test_of+=("${1#*:}") file_of+=("$2") right_of+=("$3") wrong_of+=("$4")
}
source "$tests/house/program_plants.sh"

chosen=("${!target_of[@]}")
if [ "$draw" -gt 0 ]; then
  mapfile -t chosen < <(drawn "$draw" "$seed" "${chosen[@]}")
  echo "seed $seed (BANKMODEL_PLANT_SEED): ${#chosen[@]} of ${#target_of[@]} edits that tests of this build notice"
fi

says() {  # NUMBER RESULT
  printf '%-11s %s: %s   instead of %s   (%s)\n' "$2" "${file_of[$1]}" "${wrong_of[$1]:-nothing}" "${right_of[$1]}" "${test_of[$1]}"
}

# A text that its file does not have once any more is named, whether it is drawn or not.
is_stale=0
for file in $(printf '%s\n' "${file_of[@]}" | sort -u); do
  edits=()
  for number in "${!file_of[@]}"; do
    [ "${file_of[$number]}" = "$file" ] && edits+=("$number" "${right_of[$number]}" "${wrong_of[$number]}")
  done
  while read -r number said; do
    case $said in missing | twice) says "$number" "$said" && is_stale=1 ;; esac
  done < <("$work/switch_plants" "$program/$file" "$work/copy" "${edits[@]}")
done
[ "$is_stale" = 0 ] || exit 1

passes() {  # TARGET NUMBER: runs its test with this plant; one that takes a minute of a processor, or does not end, is noticed
  local arguments=()
  [ "${test_of[$2]}" = "$1" ] || arguments=(--filenames-as-tags "[#${test_of[$2]}]")
  (ulimit -t 60 && BANKMODEL_PLANT=$2 timeout 300 "$work/$1" --abort "${arguments[@]}") >/dev/null 2>&1
}

# All chosen plants of one test program.
try_target() {
  local target=$1 place="$work/files.$1" number file said given='' objects=() options_of=() libraries=() options=()
  mkdir "$place"
  local -A plants_in=() became=() switched=()
  for number in "${chosen[@]}"; do [ "${target_of[$number]}" = "$target" ] && plants_in[${file_of[$number]}]+=" $number"; done
  while IFS= read -r said; do
    case $said in
      -l* | *.a | *.so*) libraries+=("$said") ;;
      -*) options+=("$said") given='' ;;
      *.o)
        [ -n "$given" ] || { printf -v given '%s\n' "${options[@]}"; options=(); }
        objects+=("$said") options_of+=("$given")
        ;;
    esac
  done <"$folder/$target"
  for file in "${!plants_in[@]}"; do
    local edits=() name=${file//\//_}
    for number in ${plants_in[$file]}; do edits+=("$number" "${right_of[$number]}" "${wrong_of[$number]}"); done
    while read -r number said; do became[$number]=$said; done < <("$work/switch_plants" "$program/$file" "$place/$name" "${edits[@]}")
    switched[$file]="$place/$name"
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
      # So is another example's: ../../examples/explorer/explored.cpp is .dir/__/explorer/explored.cpp.
      if [[ "$from" == */"${file##*../}" || "$from" == *"${file%/*}.dir/${file##*/}" ||
        "$from" == *".dir/__/${file#../../examples/}" ]]; then
        replaced=("${switched[$file]}") folders=(-iquote "$(dirname "$program/$file")")
      elif [[ "$from" == */Unity/* ]] && grep -q "/$file\"$" "$from"; then
        replaced+=(-e "s|\"[^\"]*/$file\"|\"${switched[$file]}\"|") folders+=(-iquote "$(dirname "$program/$file")")
      fi
    done
    [ "${#replaced[@]}" -gt 0 ] || continue
    if [[ "$from" == */Unity/* ]]; then
      sed "${replaced[@]}" "$from" >"$place/together$number.cpp"
      replaced=("$place/together$number.cpp")
    fi
    mapfile -t options <<<"${options_of[$number]%$'\n'}"
    # Without sanitizers, which take half of the time: every edit is noticed without them (every_planted_bug.sh).
    "$compiler" -std=c++20 "${options[@]/#-fsanitize=*/-w}" -w -O0 "${folders[@]}" \
      -c "${replaced[0]}" -o "$place/$number.o" 2>"$place/said" || { grep -m1 error "$place/said"; return; }
    objects[$number]="$place/$number.o"
  done
  mapfile -t options <<<"${options_of[0]%$'\n'}"
  "$compiler" "${options[@]}" "${objects[@]}" "${libraries[@]}" -o "$work/$target" 2>"$place/said" || { grep -m1 -E 'error|undefined' "$place/said"; return; }
  for file in "${!plants_in[@]}"; do
    for number in ${plants_in[$file]}; do
      if [ "${became[$number]}" != switched ]; then says "$number" "NOT PLANTED"; continue; fi
      if passes "$target" "$number"; then says "$number" SURVIVED; else says "$number" noticed; fi
    done
  done
}

for target in $(for number in "${chosen[@]}"; do echo "${target_of[$number]}"; done | sort -u); do try_target "$target"; done | tee "$work/all"
noticed=$(grep -c '^noticed' "$work/all")
echo "${#chosen[@]} planted, $((${#chosen[@]} - noticed)) not noticed, $left_out left out (no such test program in $folder)"
[ "${#chosen[@]}" -gt 0 ] && [ "${#chosen[@]}" -eq "$noticed" ]
