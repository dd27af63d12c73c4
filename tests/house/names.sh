#!/usr/bin/env bash
# The share of function words among the identifiers of each folder's C++, which is at most 1 %: names.awk.
#   names.sh [FOLDER]..
set -u
house=$(cd "$(dirname "$0")" && pwd)
cd "$house/../.."
code=0
for folder in "${@:-include examples tests bench}"; do
  # shellcheck disable=SC2086 # the default is several folders
  for name in $folder; do
    echo "== $name"
    find "$name" -name '*.[ch]pp' -print0 | sort -z | xargs -0 awk -f "$house/names.awk" || code=1
  done
done
exit $code
