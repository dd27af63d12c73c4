#!/usr/bin/env bash
# Plants small wrong edits in a copy of the headers, two at a time; the test named beside each must then fail, by not
# compiling or by running to a failure. planted_bugs.sh COMPILER CATCH_MAIN_LIBRARY
set -u
compiler=$1 catch=$2
tests=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
planted=0

# plant TEST HEADER 'RIGHT' 'WRONG'
plant() {
  planted=$((planted + 1))
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
  plant_in "$work/$planted" "$@" &
}
plant_in() {
  local place=$1 test=$2 header=$3 right=$4 wrong=$5
  mkdir "$place" && cp -r "$tests/../include" "$place/include"
  local file="$place/include/bankmodel/$header" text
  text=$(<"$file")
  if [[ "$text" != *"$right"* ]]; then
    echo "NOT PLANTED  $header has no longer: $right" | tee "$place.survived"
    return
  fi
  printf '%s\n' "${text/"$right"/"$wrong"}" >"$file"
  if "$compiler" -std=c++20 -O1 -w -I"$place/include" -I"$tests" -I"$tests/.." "$tests/$test.cpp" "$catch" -o "$place/test" 2>/dev/null &&
    BANKMODEL_CASES=20000 timeout 120 "$place/test" >/dev/null 2>&1; then
    echo "SURVIVED  $header: $right  ->  $wrong   ($test did not notice)" | tee "$place.survived"
  else
    echo "noticed   $header: $wrong"
  fi
  rm -rf "$place"
}

plant degree degree.hpp 'stride * (full - 1)' 'stride * full'
plant degree degree.hpp 'last < items_in_layer ? last :' ''
plant degree degree.hpp '(length - 1 - (' '(length - ('
plant degree degree.hpp 'a.stride > 0 ? a.offset : a.offset + a.stride * (lanes - 1)' 'a.offset'
plant degree geometry.hpp 'detail::trailing_zeros(static_cast<std::uint64_t>(N))' 'detail::trailing_zeros(static_cast<std::uint64_t>(W))'
plant request wavefronts.hpp 'layer < lowest[bank]' 'layer <= lowest[bank]'
plant request request.hpp 'lanes_pair_up(r, m.lanes, 1) || lanes_pair_up(r, m.lanes, 2)' 'lanes_pair_up(r, m.lanes, 1)'
plant request machine.hpp 'return {parity_1, parity_2, 0};' 'return {parity_0, parity_1, 0};'

plant counting/series counting/series.hpp 'if (by < 0) {' 'if (by < -1) {'
plant counting/series counting/series.hpp 'if (slope >= divisor) sum' 'sum'
plant counting/ranges counting/ranges.hpp 'if (a.highest < b.lowest) return a;' 'return a;'
plant counting/movement counting/movement.hpp 'a.scaled ? divisor : divisor' 'divisor'
plant counting/trips counting/trips.hpp '(checked_subtract(last, first) - 1) / step + 1' 'checked_subtract(last, first) / step + 1'
plant counting/residues counting/residues.hpp 'behind[(row + 1) % rows][stay]' 'behind[row][stay]'
plant counting/residues counting/residues.hpp 'if (at >= length - rest)' 'if (at > length - rest)'
plant counting/conditions counting/conditions.hpp 'return a > 0 ? (a - 1) / b + 1 : a / b;' 'return a / b;'

plant counting/walk counting/walk.hpp 'if (nest_.matters(m.moves, -1))' 'if (nest_.matters(1u << way, -1))'
plant counting/walk counting/walk.hpp 'bit | nest_.used_by(w.last)' 'bit'
plant counting/walk counting/walk.hpp 'piece == 0 || by_lanes.begin[piece] < 0 ? 0' 'piece == 0 ? 0'
plant counting/walk counting/walk.hpp 'inside.condition.size != 0 ? inside.level : inside.level - 1' 'inside.level'
plant found counting/walk.hpp 'last_reader && subscripts_may_be_read_anywhere(saved.moves);' 'last_reader;'
plant found counting/bounds.hpp '&& !(in_lockstep && (first.scaled || last.scaled))' ''
plant found counting/requests.hpp 'if (m.trips_at.slope > 0 && o.trips > 1' 'if (false'
plant counting/walk counting/bounds.hpp 'if (!begins.before) o.at += border;' ''
plant counting/walk counting/bounds.hpp 'checked_add(span, pace - 1)' 'span'
plant counting/walk counting/cuts.hpp 'if (c.op == operation::less_equal) --gap;' ''
plant counting/walk counting/cuts.hpp 'if (!is_order(c.op)) add(x.first + 1, bit, at);' ''
plant counting/walk counting/cuts.hpp 'shift = -(by_other / by);
    }' 'shift = by_other / by;
    }'
plant counting/walk counting/requests.hpp 'known_pattern_[place] != pattern_ || known_lanes_[place] != active' 'known_lanes_[place] != active'
plant counting/walk counting/movers.hpp '(all_[m.outer].at - m.outer_from)' 'all_[m.outer].at'
plant counting/walk counting/nest.hpp 'in_lockstep |= bit;' ''
plant total counting/evaluate.hpp 'const bool decided = op == operation::skip_if_true;' 'const bool decided = false;'

plant report planning/placement.hpp 'least.bytes > most_bytes_ ||' ''
plant report planning/options.hpp 'complete_ = all_bases_;' 'complete_ = all_bases_; if (all_bases_) return;'
plant tile tile.hpp 'at.dimension_0 += (at.dimension_0 >> trailing_zeros(every))' 'at.dimension_0 += (at.dimension_0 >> 1)'
plant occupancy occupancy.hpp 'bytes + limits.shared_reserved' 'bytes'

wait
survivors=$(find "$work" -name '*.survived' | wc -l)
echo "$planted planted, $survivors not noticed"
[ "$survivors" -eq 0 ]
