#!/usr/bin/env bash
# Counts the kernels of FILES (files and folders, with blanks between) of a repository's working tree with bankmodel and the
# options ARGUMENTS. Leaves bankmodel.sarif there, and bankmodel.md: what differs from the commit BASE, if it is given.
# Ends with bankmodel's exit code: 1 if a limit of bankmodel.toml or of an option is exceeded, or a baseline.
set -euo pipefail
read -ra files <<<"${FILES:-.}"
read -ra arguments <<<"${ARGUMENTS:-}"

code=0
bankmodel "${files[@]}" "${arguments[@]}" --format sarif >bankmodel.sarif || code=$?

if [ -n "${BASE:-}" ]; then
  old=$(mktemp -d)
  trap 'git worktree remove --force "$old/tree"; rm -rf "$old" bankmodel.new.json' EXIT
  git worktree add --detach "$old/tree" "$BASE" >/dev/null 2>&1
  # Paths of a report are from its folder, so that both have the same. Files that are new are not there.
  known=()
  for file in "${files[@]}"; do [ ! -e "$old/tree/$file" ] || known+=("$file"); done
  report() {  # FOLDER FILE ..: the exit code is that of limits, which are checked above
    (cd "$1" && bankmodel "${@:3}" "${arguments[@]}" --no-plan --no-config --write-baseline "$2" >/dev/null 2>&1) || true
  }
  [ ${#known[@]} = 0 ] || report "$old/tree" bankmodel.old.json "${known[@]}"
  report . bankmodel.new.json "${files[@]}"
  before=$old/tree/bankmodel.old.json
  [ -f "$before" ] || echo '{"bankmodel_report": 1, "kernels": [], "not_counted": []}' >"$before"
  if [ -f bankmodel.new.json ]; then
    bankmodel --diff "$before" bankmodel.new.json --format markdown >bankmodel.md
    [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat bankmodel.md >>"$GITHUB_STEP_SUMMARY"
  fi
fi
exit "$code"
