# The plants that a seed draws; both scripts of planted bugs read this file.

# The seed of this run: BANKMODEL_PLANT_SEED, else the number of commits, so that it moves; 1 without git.
seed_of_plants() { echo "${BANKMODEL_PLANT_SEED:-$(git -C "$1" rev-list --count HEAD 2>/dev/null || echo 1)}"; }

# drawn COUNT SEED NUMBER..: prints COUNT of the numbers.
drawn() {
  local count=$1 number
  RANDOM=$2
  shift 2
  for number; do echo "$RANDOM $number"; done | sort -n | head -n "$count" | cut -d' ' -f2
}
