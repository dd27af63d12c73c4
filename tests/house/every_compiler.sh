#!/usr/bin/env bash
# The whole suite with each compiler that is there, in a folder of its own below build/: g++ 11, g++ 12, clang++ 14, clang++ 19,
# and with g++ for 32 bits; then all headers with nvcc, without exceptions and run-time types, and after hostile macros. It takes
# hours; a compiler that is missing is named with the command that installs it.
#   every_compiler.sh [NAME]         NAME: only compilers whose name contains it, as clang++-19, 32-bit or headers
set -u
cd "$(dirname "$0")/../.."
only=${1:-} failed=0 passed=() skipped=()
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=$(nproc)

ends() { # NAME CODE
  if [ "$2" -eq 0 ]; then passed+=("$1"); else failed=1; echo "== FAILED: $1"; fi
}
skips() { # NAME PACKAGE
  skipped+=("$1")
  echo "== SKIPPED: $1 is not there: apt-get install $2"
}
suite() { # NAME COMPILER [OPTION..]: all test programs, without the examples, which users build with their own compiler
  local name=$1 compiler=$2 folder=build/every/$1
  shift 2
  echo "== the suite: $name"
  cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_CXX_COMPILER="$compiler" \
    -DBANKMODEL_BUILD_TESTS=ON -DBANKMODEL_BUILD_EXAMPLES=OFF \
    -DBANKMODEL_BUILD_BENCHMARKS=OFF -DBANKMODEL_SANITIZE=OFF "$@" >"$work/said" && cmake --build "$folder" -j"$jobs" >"$work/said" 2>&1 &&
    ctest --test-dir "$folder" -j"$jobs" --output-on-failure -E '^(header_cost|run_cost|fuzz_.*|pages.*)$'
  local code=$?
  [ $code -eq 0 ] || grep -m5 -iE 'error' "$work/said"
  ends "$name" $code
}

for compiler in g++-11:g++-11 g++-12:g++-12 clang++-14:clang-14 clang++-19:clang-19; do
  name=${compiler%%:*}
  [[ $name == *"$only"* ]] || continue
  if command -v "$name" >/dev/null; then suite "$name" "$(command -v "$name")"; else skips "$name" "${compiler#*:}"; fi
done

# All headers in one file: what a program that includes the library sees.
(cd include && find bankmodel -name '*.hpp' ! -name '*_macros.hpp' | sort) | sed 's|.*|#include <&>|' >"$work/every.cpp"
cp "$work/every.cpp" "$work/every.cu"
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
headers() { # NAME COMPILER [OPTION..]
  local name=$1
  shift
  echo "== all headers: $name"
  "$@" -std=c++20 -Iinclude
  ends "$name" $?
}
# Programs with numbers that are constants: the same with 32 bits as with 64.
in_32_bits() { # COMPILER
  local name="32-bit $1" code=0
  echo "== $name"
  if ! echo '#include <vector>' | "$1" -m32 -x c++ -fsyntax-only - 2>/dev/null; then skips "$name" g++-multilib; return; fi
  for file in tests/*/static_*.cpp; do
    "$1" -m32 -std=c++20 -fsyntax-only -Iinclude -Itests/support -I. "$file" || code=1
  done
  ends "$name" $code
}
for compiler in g++ clang++; do
  [[ "32-bit" == *"$only"* ]] && in_32_bits $compiler
  [[ "headers" == *"$only"* ]] || continue
  headers "headers $compiler" $compiler "${warnings[@]}" -fsyntax-only "$work/every.cpp"
  headers "headers $compiler -fno-exceptions -fno-rtti" $compiler "${warnings[@]}" -fno-exceptions -fno-rtti -fsyntax-only "$work/every.cpp"
  bash tests/house/hostile_macros.sh include $compiler
  ends "headers after hostile macros $compiler" $?
done
if [[ "headers" == *"$only"* ]]; then
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  if [ -x "$nvcc" ]; then
    headers "headers nvcc" "$nvcc" -Werror all-warnings -cuda -o /dev/null "$work/every.cu"
  else
    skips nvcc "cuda-nvcc of NVIDIA's repository"
  fi
fi
echo "passed: ${#passed[@]}:$(printf ' %s;' "${passed[@]}")"
[ ${#skipped[@]} -eq 0 ] || echo "skipped: ${#skipped[@]}:$(printf ' %s;' "${skipped[@]}")"
exit $failed
