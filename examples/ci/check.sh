#!/usr/bin/env bash
# Counts the kernels of FILES (files and folders below the working folder, with blanks between; default: all of it) with bankmodel
# and the options ARGUMENTS. Leaves bankmodel.sarif there, and bankmodel.md: what differs from the commit BASE, if it is given.
# Ends with bankmodel's exit code: 1 if a limit of bankmodel.toml or of an option is exceeded, or a baseline.
set -euo pipefail
read -ra files <<<"${FILES:-.}"
read -ra arguments <<<"${ARGUMENTS:-}"

code=0
bankmodel "${files[@]}" "${arguments[@]}" --format sarif >bankmodel.sarif || code=$?
[ -s bankmodel.sarif ] || rm bankmodel.sarif
rm -f bankmodel.md

# What is compared is what is counted, whether a baseline is kept or not.
counting=()
for ((i = 0; i < ${#arguments[@]}; ++i)); do
  case ${arguments[i]} in
    --baseline) i=$((i + 1)) ;;
    --baseline=*) ;;
    *) counting+=("${arguments[i]}") ;;
  esac
done

report() {  # FOLDER FILE ..: writes bankmodel.report.json there; the exit code is that of limits, which are checked above
  (cd "$1" && rm -f bankmodel.report.json && bankmodel "${@:2}" "${counting[@]}" --write-baseline bankmodel.report.json >/dev/null 2>&1) ||
    true
}

compare() {
  local commit prefix tree old=$1 file known=()
  commit=$(git rev-parse --verify --quiet "$BASE^{commit}") || {
    echo "bankmodel: note: there is no commit $BASE to compare with (fetch-depth: 0 of actions/checkout has all)" >&2
    return 0
  }
  prefix=$(git rev-parse --show-prefix)
  git worktree add --quiet --detach "$old/tree" "$commit"
  tree=$old/tree/$prefix
  report . "${files[@]}"
  [ -f bankmodel.report.json ] || return 0
  # Files that are new are not there.
  for file in "${files[@]}"; do [ ! -e "$tree/$file" ] || known+=("$file"); done
  [ ${#known[@]} = 0 ] || report "$tree" "${known[@]}"
  if [ ${#known[@]} -gt 0 ] && [ ! -f "$tree/bankmodel.report.json" ]; then
    echo "**bankmodel**: the kernels of $BASE could not be counted, so nothing is compared." >bankmodel.md
  else
    mkdir -p "$tree"
    [ -f "$tree/bankmodel.report.json" ] ||
      echo '{"bankmodel_report": 1, "kernels": [], "not_counted": []}' >"$tree/bankmodel.report.json"
    bankmodel --no-config --diff "$tree/bankmodel.report.json" bankmodel.report.json --format markdown >bankmodel.md
  fi
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat bankmodel.md >>"$GITHUB_STEP_SUMMARY"
}

if [ -n "${BASE:-}" ]; then
  old=$(mktemp -d)
  trap 'git worktree remove --force "$old/tree" 2>/dev/null || true; rm -rf "$old" bankmodel.report.json' EXIT
  compare "$old"
fi
exit "$code"
