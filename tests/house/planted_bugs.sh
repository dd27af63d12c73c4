#!/usr/bin/env bash
# Plants small wrong edits in copies of the headers, one at a time; the test named with each must then fail, at run time or by
# a static_assert. (This assumes that the unmodified tests pass, which ctest checks.) Two tests run in parallel.
#   planted_bugs.sh COMPILER CATCH_MAIN_LIBRARY [HEADER]      HEADER: only headers whose name contains it
#   planted_bugs.sh COMPILER CATCH_MAIN_LIBRARY --draw N      N of them, drawn by the seed in BANKMODEL_PLANT_SEED, which is
#                                                             the number of commits if it is not set; none whose test takes
#                                                             minutes, or more than four seconds for each plant. Of all others
#                                                             it checks that the right text is in the header once
# One program contains all edits of a test and uses one of them (switch_plants.cpp). An edit outside of functions, or one that
# only a constant expression notices, needs a compilation of its own.
set -u
compiler=$1 catch=$2 only=${3:-} slow=' '
draw=0
if [ "$only" = --draw ]; then
  only='' draw=$4
  slow=' count/refused count/generated interop/dialects search/families global/messages search/existence machines/amd search/plans search/served_otherwise search/small_plans search/every_layout layout/linear search/optimize_requests report/report layout/layouts global/block_stride report/traffic global/transactions report/worst_request layout/placed count/bounded report/draw reorganize/without_extra_space reorganize/guarantees interop/mdspan '
fi
tests=$(cd "$(dirname "$0")/.." && pwd)
source "$tests/house/draw.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Catch2 is compiled once. From version 3 on it is a library.
library=()
if echo '#include <catch2/catch_all.hpp>' | "$compiler" -std=c++20 -E -x c++ - >/dev/null 2>&1; then library=(-lCatch2); fi
cp "$tests/support/catch.hpp" "$work/catch.hpp"
mkdir "$work/catch.hpp.gch" # the compiler takes the one that fits
for optimize in -O0 -Og; do "$compiler" -std=c++20 $optimize -w -x c++-header "$work/catch.hpp" -o "$work/catch.hpp.gch/$optimize" & done
"$compiler" -std=c++20 -O1 "$tests/house/switch_plants.cpp" -o "$work/switch_plants" || exit
wait

test_of=() header_of=() right_of=() wrong_of=()
# plant TEST HEADER 'RIGHT' 'WRONG': replaces a right line, which occurs once in the header, by a wrong one.
plant() {
  [[ "$2" == *"$only"* ]] || return
  test_of+=("$1") header_of+=("$2") right_of+=("$3") wrong_of+=("$4")
}

# compiles TEST INCLUDE PROGRAM: the compiler's output is in PROGRAM.said.
compiles() {
  local optimize=-Og
  case $1 in layout/placed | layout/layouts | profile/* | */static_* | search/existence | report/* | interop/*) optimize=-O0 ;; esac # they take longer to compile than to run
  "$compiler" -std=c++20 $optimize -w -include "$work/catch.hpp" -I"$2" -I"$tests/support" -I"$tests/.." "$tests/$1.cpp" "$catch" ${library[@]+"${library[@]}"} -o "$3" 2>"$3.said"
}

# passes TEST PROGRAM [NUMBER]: runs it, with this plant.
passes() {
  local cases=25000
  case $1 in search/plans) cases=800 ;; search/class_sets) cases=400 ;; search/every_layout) cases=1500 ;; global/traffic) cases=2000 ;; esac
  BANKMODEL_PLANT=${3:--1} BANKMODEL_CASES=$cases timeout 60 "$2" --abort >/dev/null 2>&1
}

# says NUMBER RESULT [MORE]: prints the result of a plant in one line, which begins with "noticed" if the test failed.
says() {
  local right=${right_of[$1]//$'\n' */ ..} wrong=${wrong_of[$1]//$'\n' */ ..}
  printf '%-11s %s: %s   instead of %s   (%s%s)\n' "$2" "${header_of[$1]}" "${wrong:-nothing}" "$right" "${test_of[$1]}" "${3:-}"
}

# A plant with a compilation of its own.
try_apart() {
  local number=$1 test=${test_of[$1]} header=${header_of[$1]} right=${right_of[$1]} wrong=${wrong_of[$1]}
  local place="$work/apart.$number"
  mkdir "$place" && cp -r "$tests/../include" "$place/include"
  "$work/switch_plants" "$tests/../include/bankmodel/$header" "$place/include/bankmodel/$header" alone "$right" "$wrong" >/dev/null
  if compiles "$test" "$place/include" "$place/test"; then
    # A file of static_asserts passes if it compiles.
    if passes "$test" "$place/test" 2>/dev/null; then says "$number" SURVIVED; else says "$number" noticed ', compiled alone'; fi
  elif grep -qE 'static.?assert|constant expression' "$place/test.said"; then
    says "$number" noticed ', by the compiler'
  else
    says "$number" 'NO PROGRAM' ', does not compile'
  fi
  rm -rf "$place"
}

# All plants of a test in one program.
try_test() {
  local test=$1 place="$work/test.${1//\//_}" number header became
  mkdir "$place" && cp -r "$tests/../include" "$place/include"
  local -A plants_in=()
  for number in "${!test_of[@]}"; do
    [ "${test_of[$number]}" = "$test" ] && plants_in[${header_of[$number]}]+=" $number"
  done
  for header in "${!plants_in[@]}"; do
    local arguments=() left_out=()
    for number in ${plants_in[$header]}; do
      if [ "$draw" -gt 0 ] && [[ $chosen != *" $number "* ]]; then
        left_out+=("$number" "${right_of[$number]}" "${wrong_of[$number]}")
      else
        arguments+=("$number" "${right_of[$number]}" "${wrong_of[$number]}")
      fi
    done
    [ ${#left_out[@]} -eq 0 ] || "$work/switch_plants" "$tests/../include/bankmodel/$header" /dev/null "${left_out[@]}" |
      sed -E 's/(switched|apart)/left out/'
    [ ${#arguments[@]} -eq 0 ] ||
      "$work/switch_plants" "$tests/../include/bankmodel/$header" "$place/include/bankmodel/$header" "${arguments[@]}"
  done >"$place/became"
  # These tests evaluate constants.
  [[ $test == */static_* || $test == layout/placed ]] && sed -i 's/switched/apart/' "$place/became"
  if grep -q switched "$place/became" && ! compiles "$test" "$place/include" "$place/test"; then
    echo "no program of all plants of $test, so each is compiled alone: $(grep -m1 error "$place/test.said")" >&2
    sed -i 's/switched/apart/' "$place/became"
  fi
  while read -r number became; do
    case $became in
      switched) if passes "$test" "$place/test" "$number" 2>/dev/null; then try_apart "$number"; else says "$number" noticed; fi ;;
      apart) try_apart "$number" ;;
      'left out') says "$number" 'left out' ;;
      *) says "$number" 'NOT PLANTED' ", the header has the right text $became" ;;
    esac
  done <"$place/became"
  rm -rf "$place"
}

plant model/degree model/line_degree.hpp '((lanes - 1) & ((1 << period) - 1))' '(lanes & ((1 << period) - 1))'
plant model/degree model/line_degree.hpp 'if (last >= layer)' 'if (true)'
plant model/degree model/line_degree.hpp 'stride <= g.bank_num * g.N ? layer - 1 :' 'true ? layer - 1 :'
plant model/degree model/line_degree.hpp '(reach & (layer - 1)) == 0 ?' 'true ?'
plant model/degree model/line_degree.hpp 'more == 0 || step >= layer' 'more == 0'
plant model/degree model/line_degree.hpp 'common) | 1' 'common)'
plant model/degree model/line_degree.hpp 'half * (2 - odd * half)' 'half'
plant model/degree model/line_degree.hpp '(other < a.longer ? 0 : 1)' '1'
plant model/degree model/line_degree.hpp 'if ((behind & ((1 << common) - 1)) != 0) continue;' ''
plant model/degree model/line_degree.hpp 'covering > worst' 'worst == 0'
plant model/degree model/line_degree.hpp 'if (stride < g.N) {' 'if (false) {'
plant model/degree model/line_degree.hpp 'static_cast<int>(words) + 1' 'lanes'
plant model/degree model/line_degree.hpp '&& stride < g.bank_num * g.W' '&& stride < 2 * g.N'
plant model/degree model/degree.hpp 'twos(a.stride | g.bank_num)' 'twos(a.stride)'
plant model/degree model/degree.hpp 'reach < 0 ? a.offset + reach : a.offset' 'a.offset'
plant model/degree model/degree.hpp '(a.pitch & deepest) == 0 &&' ''
plant model/degree model/degree.hpp '&& (a.first & deepest) + reach < a.pitch' ''
plant model/degree model/degree.hpp '|| a.pitch - reach < g.N' ''
plant model/degree model/degree.hpp '|| a.stride < g.N ' ''
plant model/degree model/degree.hpp 'if (g.N != g.W || (stride' 'if ((stride'
plant model/degree model/degree.hpp 'a.lanes < a.rows ? a.pitch : a.stride' 'a.stride'
plant model/degree model/degree.hpp 'a.pitch % a.stride == 0' 'true'
plant model/degree model/degree.hpp 'touched[layer] &= ~planes[plane];' 'touched[layer] = 0;'
plant model/degree model/degree.hpp 'most &= planes[plane];' ''
plant model/degree model/degree.hpp 'row_bytes >> word > 64 || highest > 255' 'highest > 255'
plant model/degree model/geometry.hpp 'address >> detail::twos(N)' 'address >> detail::twos(W)'
plant model/request model/progression.hpp '(difference(address[17], address[15]) ^ step)' '0'
plant model/request model/progression.hpp 'lane < 14' 'lane < 12'
plant model/request model/progression.hpp 'lanes == 32 ||' 'true ||'
plant model/request model/progression.hpp 'apart < 0 ? m.lanes - 1 : 0' '0'
plant model/request model/progression.hpp 'if (bits > 0 && stride == 0) return false;' ''
plant model/request model/progression.hpp '(bytes > banks.W && bytes > banks.bank_num * banks.N) ||' ''
plant model/request model/progression.hpp 'degree == 0 && bits == 0' 'degree == 0'
plant model/request model/phase.hpp 'layer < lowest[bank]' 'layer <= lowest[bank]'
plant model/served_otherwise model/phase.hpp 'left > steps - here' 'left > steps'
plant model/served_otherwise model/phase.hpp 'if (given <= steps) return steps;' 'if (given <= 1) return steps;'
plant model/served_otherwise model/phase.hpp 'addresses.times[all_at_once] <= steps' 'true'
plant model/served_otherwise model/phase.hpp 'one_by_one && served <= steps * banks' 'one_by_one'
plant model/served_otherwise model/wavefronts.hpp '++apart.degree;' ''
plant model/served_otherwise model/wavefronts.hpp 'apart.ideal = 2;' 'apart.ideal = 1;'
plant model/served_otherwise model/phase.hpp 'return count_lanes(g, address, 1, bytes, in_bank);' 'return count_lanes(g, address, count, bytes, in_bank);'
plant global/copies global/copies.hpp 'from.wavefronts >= from.ideal * result.tags' 'from.wavefronts >= from.ideal'
plant global/copies global/copies.hpp 'read.active &= r.loading;' ''
plant model/served_otherwise kernel/instructions.hpp 'lane < 8 * Matrices' 'lane < 16 * Matrices'
plant model/served_otherwise machines/detail/nvidia_tables.hpp 'rows_of_matrices = {32, 4, 4, quarters' 'rows_of_matrices = {32, 4, 4, halves'
plant machines/amd machines/detail/amd_services.hpp 'return {28, 32, 0};' 'return {12, 32, 0};'
plant machines/amd machines/detail/amd_services.hpp 'return {20, 8, 32};' 'return {16, 8, 32};'
plant machines/static_every_machine machines/detail/nvidia_tables.hpp '.warp_granularity = 2,' ''
plant machines/static_every_machine machines/validated.hpp 'odd == 0 && 2 << found < Phases' '2 << found < Phases'
plant search/served_otherwise search/detail/footprints.hpp 'if (!m.served(shape.bytes, shape.kind).is_plain())' 'if (false)'
plant count/generated count/detail/price.hpp ' && how_.is_plain();' ';'
plant count/detail/series count/detail/series.hpp '-from / by + 1' '-from / by'
plant count/detail/series count/detail/series.hpp 'if (end > count) end = count;' ''
plant count/detail/series count/detail/series.hpp 'from <= 0 ? 0 : from >= full' 'from >= full'
plant count/detail/series count/detail/series.hpp 'start %= divisor;' ''
plant count/detail/series count/detail/series.hpp 'to[0] = {least % cycle, between};' 'to[0] = {0, between};'
plant count/detail/series count/detail/series.hpp '(high - first - 1) / by + 1' '(high - first) / by'
plant count/detail/series count/detail/series.hpp 'checked_count_product(sum_below(between), static_cast<std::uint64_t>(by / cycle))' 'between'
plant count/bounded count/detail/triangle.hpp 'base + outer_step * at' 'base'
plant count/detail/request_classes count/detail/price.hpp 'add(lanes, base + outer.step * at,' 'add(lanes, base,'
plant count/detail/request_classes count/detail/price.hpp '(outer.trips - at - 1) / cycle + 1' 'outer.trips / cycle'
plant count/detail/request_classes count/detail/price.hpp 'if (residues_ == 0 && depth > 0) return' 'if (false) return'
plant count/bounded count/detail/triangle.hpp 'all / greatest_common_divisor(all, trips.slope)' '1'
plant count/bounded count/detail/triangle.hpp 'bytes / greatest_common_divisor(bytes, outer_step)' '1'
plant count/bounded count/detail/triangle.hpp 'first = outer.at + at' 'first = at'
plant count/detail/value_range count/detail/value_range.hpp 'if (a.highest < b.lowest) return a;' 'if (a.highest <= b.lowest) return a;'
plant count/detail/value_range count/detail/value_range.hpp 'a.lowest - b.highest, a.highest - b.lowest' 'a.lowest - b.lowest, a.highest - b.highest'
plant count/detail/value_range count/detail/value_range.hpp 'a.lowest < 0 ? b.lowest : b.highest' 'b.highest'
plant count/detail/value_range count/detail/value_range.hpp 'if (a.lowest < 0 && b.lowest < 0) return unknown_range;' ''
plant count/detail/period count/detail/period.hpp '|| moving.scaled)' ')'
plant count/detail/period count/detail/period.hpp 'whole.by / divisor : 0, whole.scaled' 'whole.by / divisor : 0, false'
plant count/detail/period count/detail/period.hpp 'if (!range_b.known() || !range_b.is_one()) return' 'if (!range_b.known()) return'
plant count/detail/period count/detail/period.hpp ': range_a.lowest < 0)' ': false)'
plant count/detail/period count/detail/period.hpp 'if (left_moves == a.stays()) return movement_of_both(a, b);' ''
plant count/detail/comparisons count/detail/comparisons.hpp 'result & right : result | right' 'result | right : result & right'
plant count/detail/comparisons count/detail/comparisons.hpp 'nodes[at].op != operation::skip_if_false) return condition' 'false) return condition'
plant count/detail/comparisons count/detail/comparisons.hpp '-quotient_up(-gap, -by) + 1' '-quotient_up(-gap, -by)'
plant count/detail/comparisons count/detail/comparisons.hpp 'gap % by == 0' 'true'
plant count/detail/comparisons count/detail/comparisons.hpp 'count_ == 1 && (size_ == 0' '(size_ == 0'
plant count/detail/warps count/detail/warps.hpp 'block.y % rows == 0' 'block.y >= rows'
plant count/detail/warps count/detail/warps.hpp 'plane % lanes_ == 0' 'plane >= lanes_'
plant count/detail/warps count/detail/warps.hpp '(in_a_plane - number - 1) / period_ + 1' 'in_a_plane / period_'
plant count/detail/trips count/detail/trips.hpp '(checked_subtract(last, first) - 1) / step + 1' 'checked_subtract(last, first) / step + 1'
plant count/detail/trips count/detail/trips.hpp 'value > (last - 1) / step' 'value >= (last - 1) / step'
plant count/detail/trips count/detail/trips.hpp 'first > last && last < 0' 'first > last && last <= 0'
plant count/detail/linear_form count/detail/linear_form.hpp 'if ((both & lanes) != 0) shaping |= both & ~lanes;' ''
plant count/detail/linear_form count/detail/linear_form.hpp 'additive_operations | comparison_operations | unary_operations, op)' 'additive_operations | unary_operations, op)'
plant count/detail/linear_form count/detail/linear_form.hpp '((both & lanes) != 0 ? nonlinear_in_lanes : nonlinear)' 'nonlinear'
plant count/detail/linear_form count/detail/linear_form.hpp 'for (; size < other.size; ++size) factor[size] = 0;' 'if (size < other.size) size = other.size;'
plant count/detail/linear_form count/detail/linear_form.hpp 'same_in_lanes && (a.of(d) | b.of(d)) == 0' 'same_in_lanes && a.of(d) == 0'
plant count/detail/linear_form count/detail/linear_form.hpp 'if (!a.is_constant()) break;' 'if (a.size != 0) break;'
plant count/detail/linear_form count/detail/linear_form.hpp '  a.known = false;' ''
plant count/detail/price count/detail/price.hpp 'banks.W == banks.N ? banks.N' 'banks.W == banks.N ? 1'
plant count/detail/price count/residue_histogram.hpp 'at >= length - rest' 'at > length - rest'
plant count/detail/price count/detail/passes_by_base.hpp 'most[(row + 1) & 1].from[stay]' 'most[row & 1].from[stay]'
plant count/detail/price count/residue_histogram.hpp 'still *= trips' 'still += trips'
plant count/detail/price count/detail/price.hpp 'if (in_line_) return lanes.stride == stride_;' 'if (in_line_) return true;'
plant count/detail/price count/residue_histogram.hpp 'one_ == residue' 'true'
plant count/detail/price count/residue_histogram.hpp 'times_[one_] = times_at_one_;' ''
plant count/detail/price count/detail/price.hpp 'if (lanes_in_line_ == 0) set_addresses(lanes);' ''
plant count/detail/price count/price_at_all_bases.hpp 'to_[at] = checked_count_sum(to_[at], everywhere);' ''
plant count/detail/price count/detail/price.hpp 'if (taker_ != nullptr) {' 'if (taker_ != nullptr && histogram_.has_many()) {'
plant count/detail/price count/price_at_all_bases.hpp 'wavefronts[(at + later)' 'wavefronts[(at - later)'
plant count/detail/lane_line count/detail/lane_line.hpp 'bytes <= banks.W && bytes != 12' 'bytes != 12'
plant count/detail/lane_line count/detail/lane_line.hpp 'negative_ ? base - stride_ * (lanes - 1) : base' 'base'
plant count/detail/lane_line count/detail/lane_line.hpp 'passes(bytes_, lanes) == first ? first : 0' 'first'
plant count/detail/lane_line count/detail/lane_line.hpp '(stride_ & (banks_.N - 1)) == 0' 'true'
plant count/detail/lane_line model/line_degree.hpp '(reach & (layer - 1)) == 0 ?' 'true ?'
plant count/detail/program count/detail/program.hpp 'const bool decided = skip->op == operation::skip_if_true;' 'const bool decided = false;'
plant count/detail/program count/detail/program.hpp 'return a <= b;' 'return a < b;'
plant count/detail/program count/detail/program.hpp 'if (a < 0 || b < 0) rule' 'if (a < 0) rule'
plant count/detail/program count/detail/program.hpp 'if ((result[lane] != 0) != decided) open.add(lane);' 'open.add(lane);'
plant count/detail/split count/detail/walk.hpp 'now.constant += by * static_cast<std::uint64_t>(at);' ''
plant count/detail/split count/detail/walk.hpp '(whole.trips - at - 1) / period + 1' 'whole.trips / period'
plant count/detail/split count/detail/walk.hpp 'by * static_cast<std::uint64_t>(period)' 'by'
plant count/detail/split count/detail/walk.hpp 'if (has_inner) point_[inner] = saved_inner;' ''
plant count/limits count/detail/walk.hpp 'too_much = trips > (most_work - point_.work) / steps' 'too_much = false'
plant count/limits count/detail/walk.hpp 'if (point_.work <= most_work) return;' 'return;'
plant count/bounded count/detail/requests.hpp 'if (taker_.ignores_base(lanes)) {' 'if (true) {'
plant count/refused count/total.hpp 'if (!view.array.layout.is_strided() && all.stays_within())' 'if (!view.array.layout.is_strided())'
plant count/detail/split count/detail/walk.hpp '(trips < end ? trips : end)' 'trips'
plant count/detail/split count/detail/split.hpp '!same(w.kind, wrapper_kind::range) || moved.count > 1 ||' '!same(w.kind, wrapper_kind::range) ||'
plant count/detail/split count/detail/split.hpp 'one.varies || of_.matters(one.moves, level)' 'of_.matters(one.moves, level)'
plant count/detail/split count/detail/split.hpp '    point_[outer] = saved;' ''
plant count/detail/split count/detail/split_lockstep.hpp 'loop.least > 0 && (loop.least - 1) / pace + 1 == one.trips' 'loop.least > 0'
plant count/detail/split count/detail/split_lockstep.hpp 'if (trip > 0) value[lane] = next' 'value[lane] = next'
plant count/detail/split count/detail/split_filters.hpp 'read.rest.size != 0 ? where.level : where.level + 1' 'where.level + 1'
plant count/detail/split count/detail/split_filters.hpp 'nothing_reads(saved.moves, inside) && !saved.varies' 'nothing_reads(saved.moves, inside)'
plant count/detail/split count/detail/split_filters.hpp 'point_[which].at = saved.at + begin;' 'point_[which].at = begin;'
plant count/detail/split count/detail/split_filters.hpp $'    point_[which] = whole;\n    return true;' '    return true;'
plant count/detail/split count/detail/split_filters.hpp 'if (saved.outer >= 0 || saved_other.outer >= 0) return false;' ''
plant count/detail/split count/detail/split_filters.hpp $'      before = behind;\n      if (by' '      if (by'
plant count/found count/detail/split_filters.hpp '(first ? -1 : begin - saved.trips)' '-1'
plant count/detail/split count/detail/split_filters.hpp '    point_[other] = saved_other;' ''
plant count/detail/split count/detail/split_filters.hpp '(of_.subscripts.used & moves) == 0 || of_.may_be_read_anywhere()' 'true'
plant count/detail/split count/detail/split.hpp 'nonlinear || saved.varies ||' 'nonlinear ||'
plant count/detail/split count/detail/split.hpp 'if (first_by != 0) point_[outer].moves |= one.moves;' ''
plant count/detail/split count/detail/split.hpp 'checked_add(span, pace - 1)' 'span'
plant count/detail/split count/detail/split_lockstep.hpp '!(in_lockstep && (first.scaled || last.scaled))' 'true'
plant count/detail/split count/detail/split.hpp 'begins.first < 0 ? 0 : begins.first < o.trips' 'begins.first < o.trips'
plant count/detail/split count/detail/split.hpp 'step > 0 ? by : checked_subtract(0, by)' 'by'
plant count/detail/split count/detail/split.hpp '(first_by != 0 && nonlinear)' 'false'
plant count/detail/split count/detail/split.hpp 'is_read ? step : 0' 'step'
plant count/detail/split count/detail/split_lockstep.hpp 'now.constant += static_cast<std::uint64_t>(step[trailing_zeros(active)]);' ''
plant count/detail/split count/detail/split_lockstep.hpp 'of_.used_by(w.step) & of_.lanes) != 0 || of_.variable_is_nonlinear(level)' 'of_.used_by(w.step) & of_.lanes) != 0'
plant count/detail/split count/detail/split_lockstep.hpp 'if ((of_.used_by(w.first) & moves) != 0) point_[outer].moves |= bit;' ''
plant count/detail/split count/detail/cuts.hpp 'of_.ranges.of(to.condition).known()' 'true'
plant count/detail/split count/detail/cuts.hpp '(at > 0 && shift != -(by_other / by))' 'false'
plant count/detail/split count/detail/cuts.hpp 'operation::less_equal ? gap.first - 1 : gap.first' 'operation::less_equal ? gap.first : gap.first'
plant count/detail/split count/detail/cuts.hpp 'by > 0 ? rounds : 1 - rounds' 'by > 0 ? rounds : -rounds'
plant count/detail/split count/detail/cuts.hpp 'if (!is_in(order_operations, op)) add(x.first + 1, bit, at, to);' ''
plant count/detail/split count/detail/cuts.hpp 'if (of.version == point_.version()) return;' 'if (of.version >= 0) return;'
plant count/detail/split count/detail/cuts.hpp 'to.version = -1;' ''
plant count/detail/split count/detail/requests.hpp 'if (trips == 0) return;' ''
plant count/detail/split count/detail/loop_intervals.hpp 'one.trips_at.sum(o.at, o.trips, one.at);' '0;'
plant count/detail/split count/detail/requests.hpp 'if (version_ == point_.version()) return;' 'if (version_ >= 0) return;'
plant count/detail/split count/detail/requests.hpp $'* (point_[at].trips - 1);\n      (reach' $'* point_[at].trips;\n      (reach'
plant count/detail/split count/detail/requests.hpp 'end = checked_add(end, checked_multiply(by, point_[at].trips - 1));' 'end = checked_multiply(by, point_[at].trips - 1);'
plant count/detail/split count/detail/requests.hpp '(differ ? offset[lane[at]] : 0)' '0'
plant count/detail/split count/detail/requests.hpp 'above_[d] = highest - first;' 'above_[d] = 0;'
plant count/detail/split count/detail/requests.hpp 'in_line_ ? trailing_zeros(active) : 0' '0'
plant count/detail/split count/detail/requests.hpp 'if (shape_[which] !=' 'if (false && shape_[which] !='
plant count/detail/split count/detail/requests.hpp '(of_.subscripts.used & of_.in_lockstep) != 0)' 'false)'
plant count/found count/detail/requests.hpp 'if (of_.subscripts_are_even()) {' 'if (false) {'
plant count/total count/detail/access_view.hpp 'd == subscripts - 1 ? vector - 1 : 0' '0'
plant count/detail/split count/detail/loop_intervals.hpp 'all_[inner].varies && all_[inner].outer == outer' 'all_[inner].varies'
plant count/found count/detail/point.hpp 'to.constant -= by * static_cast<std::uint64_t>((*this)[outer].at);' ''
plant count/detail/split count/detail/point.hpp 'of.of(1) == of.of(0) * x && of.of(2) == of.of(1) * y' 'true'
plant count/detail/split count/detail/point.hpp 'value += by_plane;' ''
plant count/detail/split count/detail/point.hpp 'kept.first == first;' 'true;'
plant count/detail/split count/detail/point.hpp $'    rows_ready_ = 0;\n    const' '    const'
plant count/detail/split count/detail/point.hpp 'needed = set_ & of_.used;' ';'
plant count/detail/split count/detail/point.hpp '(d - dimensions_ == further ? 1 : 0)' '0'
plant count/detail/split count/detail/point.hpp $'thread_ = group.first * lanes_;\n    ++version_;' 'thread_ = group.first * lanes_;'
plant count/detail/split count/detail/lower.hpp 'in_lockstep |= bit;' ''
plant count/detail/split count/detail/lower.hpp '!starts_evenly(w)' 'false'
plant count/detail/split count/detail/variable_ranges.hpp 'set(variable::tx, 0, block.x - 1);' 'set(variable::tx, 0, 0);'
plant count/detail/split count/detail/lower.hpp 'if (!how.known() || how.scaled) return 0;' 'if (!how.known()) return 0;'
plant count/detail/split count/detail/variable_ranges.hpp 'below.lowest = above.lowest;' 'below.highest = above.lowest;'
plant count/detail/split count/detail/bank_permutation.hpp '(rest & all_bits_of(f.highest)) == 0 ? sides[in_lanes] : program' 'sides[in_lanes]'
plant count/detail/split count/detail/lower.hpp 'subscripts.used | in_lockstep;' 'subscripts.used;'
plant count/detail/split count/detail/lower.hpp 'subscripts.nonlinear_in_lanes == 0 && (subscripts.used & uneven) == 0' 'subscripts.nonlinear_in_lanes == 0'
plant count/total count/detail/lower.hpp 'base_matters = base_matters || !aligned;' ''
plant count/total count/detail/requests.hpp '    if (!of_.aligned) {' '    if (false) {'
plant count/limits count/detail/walk.hpp 'too_many = trips > limit - iterations' 'too_many = trips > limit'
plant count/limits count/detail/split_filters.hpp 'moved.count == 1 && cut(' 'false && cut('
plant count/detail/request_classes count/class_maker.hpp 'made_.base = base + first;' 'made_.base = base;'
plant count/detail/request_classes count/class_maker.hpp 'lanes.offset[lane] - first;' 'lanes.offset[lane];'
plant count/totals count/totals.hpp 'return loads + stores + atomics;' 'return loads + stores;'
plant profile/profile profile/detail/counters.hpp 'part.requests - launch.paired_halves / 2' 'part.requests'
plant profile/profile profile/detail/global_counters.hpp 'has_grid ? traffic(m, block, access, grid) : traffic(m, block, access) * blocks' 'traffic(m, block, access) * blocks'
plant profile/profile profile/detail/global_counters.hpp 'm.model >= counter.since' 'true'
plant profile/profile profile/detail/global_counters.hpp 'each.value >= static_cast<long long>(variable::bx)' 'each.value > static_cast<long long>(variable::bx)'
plant profile/profile profile/comparison.hpp 'has_global || access.array.memory == memory_space::global' 'true'
plant profile/profile profile/exact_number.hpp 'behind.size() == 3 && end == text.size()' 'false'
plant model/request model/request.hpp 'lanes_pair_up(r, m.lanes, 1) || lanes_pair_up(r, m.lanes, 2)' 'lanes_pair_up(r, m.lanes, 1)'
plant model/request model/service.hpp 'return {parity_1, parity_2, 0};' 'return {parity_0, parity_1, 0};'



plant search/small_plans search/detail/paddings.hpp '(2ll << bits) < declared_.extent[0]' '(4ll << bits) < declared_.extent[0]'
plant search/small_plans search/detail/array_bases.hpp 'return period() - align;' 'return 0;'
plant search/plans search/detail/array_bases.hpp 'banks.W == banks.N ? banks.N : banks.bank_num * banks.W;' 'banks.N;'
plant search/placement search/detail/placement.hpp 'kept[at].wavefronts <= cost.wavefronts && kept[at].bytes <= cost.bytes && kept' 'kept[at].bytes <= cost.bytes && kept'
plant search/placement search/detail/placement.hpp 'kept[at].wavefronts <= cost.wavefronts && kept[at].bytes <= cost.bytes && kept' 'kept[at].wavefronts <= cost.wavefronts && kept'
plant search/placement search/detail/placement.hpp 'kept[at].bytes <= cost.bytes && kept[at].indices <= cost.indices)' 'kept[at].bytes <= cost.bytes)'
plant search/placement search/detail/placement.hpp 'weight *= 17' 'weight *= 2'
plant search/placement search/detail/placement.hpp 'if (of_a != of_b) return of_a > of_b;' ''
plant search/every_layout search/detail/served_shape.hpp 'apart = banks.W == banks.N && bytes == shape.bytes' 'apart = bytes == shape.bytes'
plant search/every_layout search/detail/footprints.hpp 'served_[at].W != all.W' 'false'
plant search/every_layout search/detail/footprints.hpp ' || all.M < all.N' ''
plant search/every_layout search/detail/permutations.hpp 'with_rotations_ ? 2 : 1' '2'
plant search/row_lengths search/detail/row_lengths.hpp 'column.lowest < 0 || ' ''
plant search/row_lengths search/detail/row_lengths.hpp 'column.highest >= 1ll << bit' 'column.highest > 1ll << bit'
plant search/row_lengths search/detail/row_lengths.hpp 'value & (length - 1)' 'value'
plant search/row_lengths search/detail/row_lengths.hpp 'if (is_zero(a.column) || is_zero(b.column))' 'if (is_zero(a.column))'
plant search/row_lengths search/detail/row_lengths.hpp 'return proven & used;' 'return proven;'
plant search/row_lengths search/detail/paddings.hpp 'if (first_ != 0) at_intervals(first_, visit);' ''
plant search/row_lengths search/detail/plan_search.hpp 'option.index == no_index ? option.padding.interval : 0' 'option.padding.interval'
plant search/every_layout search/detail/served_shape.hpp 'bytes == shape.bytes;' 'true;'
plant search/every_layout search/detail/served_shape.hpp 'const int bytes = shape.bytes > banks.N ? shape.bytes : banks.N' 'const int bytes = banks.N'
plant search/every_layout search/detail/served_shape.hpp 'if (left > 0) continue;' ''
plant search/every_layout search/detail/served_shape.hpp 'if (seen > 0) before[at] = last[group];' 'before[at] = 0;'
plant search/every_layout search/detail/served_shape.hpp '(differing & group_mask) == 0' '(differing & group_mask) != 0'
plant search/every_layout search/detail/served_shape.hpp ' && differing >> layer_bits != 0;' ';'
plant search/every_layout search/detail/served_shape.hpp 'pair_[at].differ = rows.number_of(pair_[at].one) ^ rows.number_of(pair_[at].other);' ';'
plant search/every_layout search/detail/footprints.hpp '((one.number + shape.lowest) & shape.bits_above_lowest) == 0' 'true'
plant search/every_layout search/detail/footprints.hpp 'is_linear ? not_alike_ : count()' 'is_linear ? 0 : count()'
plant search/every_layout search/detail/prepared.hpp 'is_packed_ = is_packed_ && as.stride[d] == from.stride[d];' ';'
plant search/every_layout search/detail/permutation_search.hpp 'to_.needs_stride() || ' ''
plant search/every_layout search/detail/plan_search.hpp ' && best_.indices == 0' ''
plant search/every_layout search/detail/swizzle_lengths.hpp 'used_[rank_ - 1] > 0 ? 1 : 0' '1'
plant search/every_layout search/detail/permutations.hpp 'array_.extent[1] % (1ll << bank_bits) == 0' 'true'
plant search/program_lengths search/detail/permutations.hpp 'is_power_of_two(width) ? most_b : width' 'most_b'
plant search/program_lengths search/detail/permutations.hpp '2 * banks : width' 'banks : width'
plant search/every_layout search/detail/touched_elements.hpp '(active & -active & lanes_of_phase) == 0' 'false'
plant search/every_layout search/detail/footprints.hpp 'passes += here - 1;' 'passes = here;'
plant search/program_lengths search/detail/permutations.hpp 'lengths.of(bits, to, from) != length' 'false'
plant search/program_lengths search/detail/permutations.hpp 'step * group > 1' 'step > 1'
plant search/program_lengths search/detail/permutations.hpp 'b > 1 || (b == 1 && a > 1)' 'b > 1'
plant search/program_lengths search/detail/swizzle_lengths.hpp 'to != 0 && from != first_[d]' 'to != 0'
plant search/program_lengths search/detail/swizzle_lengths.hpp 'from + bits <= end_[d]' 'from < end_[d]'
plant search/every_layout search/detail/kept_options.hpp ' && all_[at].bases.contains(0)' ''
plant search/every_layout search/detail/collected_requests.hpp 'if (!lanes.in_line) base += lanes.offset[low];' ''
plant search/every_layout search/detail/collected_requests.hpp 'again = is_same(*each, distance_[before]);' 'again = false;'
plant search/every_layout search/detail/collected_requests.hpp 'merges_ && (pairs_up(lanes, 1) || pairs_up(lanes, 2))' 'merges_ && pairs_up(lanes, 1)'
plant search/every_layout search/detail/collected_requests.hpp 'if ((rest & -rest & phase) == 0) continue;' ''
plant search/every_layout search/detail/strided_prices.hpp 'passes += most - 1;' 'passes = most;'
plant search/every_layout search/detail/strided_prices.hpp 'one.bytes / element_bytes_))' '1))'
plant search/every_layout search/detail/collected_requests.hpp 'all = checked_count_product(all, static_cast<std::uint64_t>(loops[at].trips));' ''
plant search/every_layout search/detail/interval_prices.hpp 'bases_matter ? one.number : one.number & ((1ll << bits) - 1)' 'one.number & ((1ll << bits) - 1)'
plant search/every_layout search/detail/strided_prices.hpp '(one.lanes + different - 1) / different' 'one.lanes / different'
plant search/every_layout search/detail/costs_by_base.hpp '(r * elements_apart)' '(r)'
plant search/row_lengths search/detail/array_options.hpp 'is_row_length(choice.interval) ? no_index : index_of_intervals' 'true ? no_index : index_of_intervals'
plant search/every_layout search/detail/array_options.hpp 'layer *= stride_bytes_ / greatest_common_divisor(stride_bytes_, layer)' ''
plant search/every_layout search/detail/permutation_search.hpp 'if (enough <= to_.ideal()) return placed_.size() > placed_.size_of_rows();' 'if (enough <= to_.ideal()) return false;'
plant search/every_layout search/detail/permutation_search.hpp 'if (option_.bytes > most_bytes_) return placed_.size() > placed_.size_of_rows();' 'if (option_.bytes > most_bytes_) return false;'
plant search/placement search/detail/placement.hpp 'if (later) next = bases.next(0);' ''
plant search/placement search/detail/base_set.hpp 'bits[at] >> from % 64 << from % 64' 'bits[at]'
plant search/existence count/for_each_base.hpp 'checked_count_product(times, static_cast<std::uint64_t>(loop->trips))' 'times'
plant search/optimize_requests search/detail/class_in_layout.hpp 'lowest[d] < 0 || highest[d] >= extent_[d]' 'highest[d] >= extent_[d]'
plant search/optimize_requests search/detail/class_in_layout.hpp 'lowest[d] < 0 || highest[d] >= extent_[d]' 'lowest[d] < 0'
plant search/optimize_requests search/detail/class_in_layout.hpp 'at[inner] += more;' ''
plant search/optimize_requests search/detail/class_in_layout.hpp '(whole.trips - trip - 1) / period + 1' 'whole.trips / period'
plant search/optimize_requests search/detail/class_in_layout.hpp 'if (trips == 1) rest[split] = rest[depth - 1];' ''
plant search/optimize_requests search/detail/class_in_layout.hpp '(layout_.interval + layout_.interval_padding)' 'layout_.interval'
plant search/class_sets count/request_taker.hpp 'rest != 0 && lanes.in_line' 'false'
plant search/optimize_requests search/detail/class_requests.hpp ' && one.lanes.kind == kind_' ''
plant search/optimize_requests search/detail/plan_search.hpp 'plan.after_each[number] + one.present : one.present' 'one.present : one.present'
plant search/optimize_requests search/optimize_requests.hpp '(reach < 0 ? lowest : highest) = checked_add' '(reach < 0 ? highest : highest) = checked_add'
plant search/families search/detail/synthesis.hpp 'clear = clear && with.add(vector);' ''
plant search/families search/detail/plan_search.hpp 'return best_.wavefronts > least_possible();' 'return false;'
plant search/plans search/detail/plan_search.hpp 'look_at_paddings(true);' 'look_at_paddings(true); look_at_permutations(true);'
plant search/plans search/detail/plan_search.hpp 'best_.bytes : best_.bytes - 1' 'best_.bytes - 1 : best_.bytes - 1'
plant search/plans search/detail/plan_search.hpp 'if (!complete && least < bound) bound = least;' ''

plant report/traffic global/excess_by_base.hpp 'one.transactions - one.ideal' 'one.transactions'
plant report/worst_request report/detail/worst_place.hpp 'return one.warp < other.warp;' 'return one.warp > other.warp;'
plant count/generated report/detail/worst_place.hpp 'here.trip[of.loop] += of.by * steps;' 'here.trip[of.loop] += 0;'
plant report/worst_request count/detail/split_filters.hpp 'saved.warps > saved_other.warps' 'which < other'
plant report/worst_request report/detail/worst_place.hpp 'worst_.has_distances = from_.is_linear;' 'worst_.has_distances = true;'
plant report/worst_request count/detail/requests.hpp 'to.is_linear = of_.subscripts_are_whole() &&' 'to.is_linear ='
plant report/worst_request report/detail/worst_place.hpp 'here += trip * step;' 'here += step;'
plant report/explain count/detail/requests.hpp 'point_[inner].at + 1)' 'point_[inner].at)'
plant report/explain count/detail/loop_intervals.hpp 'if (inner.trips_at.slope <= 0) return from;' 'return from;'
plant report/worst_request count/detail/walk.hpp 'point_[which].skipped = at;' ''
plant report/worst_request count/detail/walk.hpp 'point_[which].pace = period;' ''
plant report/worst_request count/detail/split_lockstep.hpp 'point_[point_.count() - 1].skipped = trip;' ''
plant report/explain count/detail/split.hpp 'point_.trip[point::number(w.variable)] = at;' ''
plant report/explain count/detail/split.hpp 'point_.trip[point::number(w.variable)] = trip;' ''
plant report/worst_request count/detail/split_filters.hpp 'last_reader && !walk_.notes_places' 'last_reader'
plant report/traffic report/detail/traffic_changes.hpp 'if (!is_aligned(wider, vector * element_)) continue;' ''
plant report/traffic report/detail/traffic_changes.hpp 'l.extent[last()] % vector == 0 &&' ''
plant report/traffic report/detail/traffic_changes.hpp '|| step.constant != 1' ''
plant report/traffic report/detail/traffic_changes.hpp 'if (reads(w.first) || reads(w.last) || reads(w.step)) return false;' ''
plant report/traffic report/detail/traffic_changes.hpp 'if (reads(access_.subscript[d])) return false;' ''
plant report/traffic report/detail/traffic_changes.hpp 'if ((variables_in(access_.nodes, Nodes) & in_order) != 0) return;' ''
plant report/traffic report/detail/traffic_changes.hpp 'column.low + i + tx' 'i + tx'
plant report/traffic report/detail/traffic_changes.hpp 'one.tile_rows -= one.tile_rows % machine_.lanes;' ''
plant report/traffic report/detail/affine_subscript.hpp 'sum.high += low < high ? high : low;' 'sum.high += high;'
plant report/traffic report/traffic_change.hpp '!conditional(one) && one' 'one'
plant report/traffic report/detail/worst_place.hpp 'here.excess() > most.excess()' 'here.excess() >= most.excess()'
plant report/explain report/detail/worst_place.hpp 'number < 0 || here.excess() > most.excess()' 'number < 0 || here.excess() >= most.excess()'
plant report/draw report/detail/segment_map.hpp 'one.begin + one.bytes > byte' 'one.begin + one.bytes >= byte'
plant report/draw report/detail/segment_svg.hpp 'one.used == one.bytes' 'one.used != 0'
plant report/report report/plan_text.hpp 'plan, bound.reached, detail' 'plan, true, detail'
plant report/report report/plan_text.hpp 'if (after.conflicts() != 0)' 'if (true)'
plant report/report report/plan_text.hpp 'if (!plan.is_complete())' 'if (!plan.is_optimal())'
plant report/code report/detail/identifiers.hpp 'if (is_taken(like)) like += "_array";' ''
plant report/code report/detail/identifiers.hpp '|| text.substr(at, 2) == "__"' ''
plant report/code report/detail/machine_code.hpp 'm == record.with_bank_width(record.other_bank_width)' 'false'
plant report/code report/detail/plan_code.hpp 'if (named.bank_width != bank_width)' 'if (false)'
plant report/code report/detail/plan_code.hpp 'if (!(now.sum == planned))' 'if (false)'
plant report/code report/detail/plan_code.hpp 'now.work > most_steps_in_a_constant_expression / 2' 'false'
plant report/code report/detail/index_code.hpp 'if (!is_number) return text;' 'return text;'
plant report/code report/detail/index_code.hpp 'if (one.is_condition)' 'if (false)'
plant report/code report/detail/layout_code.hpp 'if (made != of)' 'if (false)'
plant report/worst_request report/detail/worst_request.hpp 'steps[at] * of.loop[at].step' '0'
plant report/worst_request report/detail/worst_request.hpp 'if (of.loop[at].trips > 1)' 'if (false)'
plant report/worst_request report/explanation.hpp 'worst.all.degree <= degree' 'worst.all.degree < degree'
plant report/worst_request report/explanation.hpp 'here.place(worst.steps).warp' 'here.first.warp'
plant report/worst_request report/explanation.hpp 'phase < e.phases && e.degree < degree' 'phase < 1'
plant report/worst_request report/explanation.hpp 'e.phase = phase;' ''
plant report/worst_request report/detail/worst_base.hpp 'worst = number, steps[move_[0]] = k;' 'worst = number;'
plant report/worst_request report/detail/worst_base.hpp 'residues_ - step_[d]' 'step_[d]'
plant report/worst_request report/detail/worst_base.hpp 'since < trips && !from[r]' 'false'
plant report/worst_request report/detail/worst_base.hpp 'if (number <= worst_) return;' 'if (number < worst_) return;'
plant report/worst_request count/degrees_by_base.hpp 'of.sum_ = of.sum_ + one * times;' 'of.sum_ = of.sum_ + one;'
plant report/worst_request count/degrees_by_base.hpp 'evaluated_ = 0;' ''
plant report/worst_request count/degrees_by_base.hpp 'if (degree_[at] > most_)' 'if (most_ == 0)'
plant report/traffic global/detail/traffic_price.hpp 'kept_[at].requests = 0' 'kept_[at].requests += 0'
plant report/explain report/explanation.hpp 'how.prefer = preference::simple_indices;' ''
plant search/existence search/detail/edge_colouring.hpp 'exchange(path(first_edge, other_end(first_edge, to), second), both, second);' 'clear(first_edge);'
plant search/existence search/detail/table_search.hpp 'its_side = 1 - side' 'its_side = side'
plant report/report report/detail/places.hpp '{operation::remainder, formula_of(program, s.right), s.value}' '{operation::remainder, left, s.value}'
plant report/report report/detail/places.hpp 'if (backwards) result.element.swap(result.place);' ''
plant report/report layout/program_writer.hpp 'add(column, multiply(joined(sum), group))' 'add(column, joined(sum))'
plant report/report report/text.hpp '{formulas.number(where.place)}' '{formulas.number(where.element)}'
plant report/draw report/detail/map_shape.hpp 'return at[0] < 0 ? cell : layout_(at);' 'return layout_(at);'
plant report/draw report/detail/map_shape.hpp 'layout_.interval == 0 ? cell >= layout_.extent[0] :' 'layout_.interval == 0 ? false :'

plant interop/dialects interop/detail/numbers.hpp 'place_of_number(l, last) != other(last) ? last : -1' '-1'
plant interop/dialects interop/triton.hpp 'if (bits > in_rows) bits = in_rows;' ''

plant layout/layouts layout/families/xor_swizzle.hpp '((at.number() >> bits.from) & bits.mask) << bits.to' '(at.number() >> bits.from) << bits.to'
plant layout/layouts layout/in_rows.hpp '(of.extent[0] - 1) / width + 1' 'of.extent[0] / width'
plant layout/linear layout/detail/lightest_cover.hpp 'if (most < least) least = most;' ''
plant layout/linear layout/detail/lightest_cover.hpp 'if (moved_[d][before] == 0) users_[before] &= ~(1u << d);' ''
plant layout/linear layout/detail/lightest_cover.hpp 'return distances_ & ~reached_;' 'return distances_;'
plant layout/linear layout/detail/linear_terms.hpp 'rest[bit] &= ~(line.distances >> (origin - bit))' 'rest[bit] &= rest[bit]'
plant layout/linear layout/detail/linear_terms.hpp 'a.places == b.places && a.copies == b.copies' 'a.places == b.places'
plant layout/linear layout/detail/linear_terms.hpp '(a.places * a.copies & b.places * b.copies) != 0' 'false'
plant layout/linear layout/detail/linear_terms.hpp 'a.copies == b.copies && a.shifts == b.shifts' 'a.shifts == b.shifts'
plant layout/linear layout/detail/linear_terms.hpp 'moved(a.places, apart) != b.places' 'false'
plant layout/linear layout/detail/linear_terms.hpp 'a.copies | b.copies << apart' 'a.copies | b.copies'
plant layout/linear layout/detail/linear_terms.hpp 'distances |= to.line[at].distances;' ''
plant layout/linear layout/detail/linear_terms.hpp 'consider(moved, false);' ''
plant layout/linear layout/detail/linear_terms.hpp '(bits & ~t.places) != 0;' 'false;'
plant layout/linear layout/detail/linear_terms.hpp '(read & ~bits_[d]) != 0' '(read & ~all_) != 0'
plant layout/linear layout/detail/linear_terms.hpp 'if (!rows_stay || reads_number()) find(columns, all_);' 'find(columns, all_);'
plant layout/linear layout/detail/linear_terms.hpp 'shape_of(best_.line[j].term).up != up' 'false'
plant report/report layout/program_writer.hpp 'bit_and(shift_right(whole, back - by), mask << by)' 'shift_right(whole, back - by)'
plant layout/layouts layout/triangular_root.hpp 'root > 2 * width ? 4 * width - root : root' 'root'
plant layout/layouts layout/families/modular.hpp 'solve(a, -b * apart, columns)' 'solve(a, b * apart, columns)'
plant layout/layouts layout/families/modular.hpp 'if (apart != 0 && left < columns) return {-left, apart};' ''
plant layout/layouts layout/families/triangular.hpp 'p.form ^ 2' 'p.form'
plant layout/layouts layout/layout.hpp $'result.interval_padding = elements;\n    result.require_one_to_one();' 'result.interval_padding = elements;'
plant layout/placed layout/families/xor_swizzle.hpp '1 << base,' '1 << (shift < 0 ? base + apart : base),'
plant layout/placed layout/families/xor_swizzle.hpp 'of.stride[outer] % ((bits.mask + 1) << bits.from) == 0' '(of.stride[outer] >> bits.from) % (bits.mask + 1) == 0'
plant layout/placed layout/program_sums.hpp 'period % 2 == 0 ? 2 * period : period' 'period'
plant layout/layouts layout/program_sums.hpp ' && factor * value % modulus == 0' ''
plant layout/placed layout/detail/device_index.hpp '(1 << (bits + 1 - term)) : least' '(1 << (bits - term)) : least'
plant global/traffic global/detail/line_traffic.hpp 'if (step >= unit) return lanes;' 'if (step >= 2 * unit) return lanes;'
plant global/traffic global/detail/line_traffic.hpp 'step >= bytes_ ? static_cast<long long>(lanes) * bytes_ : bytes_' 'static_cast<long long>(lanes) * bytes_'
plant global/traffic global/detail/line_traffic.hpp 'group_ - (low + first) % group_' 'group_'
plant global/traffic global/detail/line_traffic.hpp 'lowest = end < begin ? end : begin' 'lowest = begin'
plant global/costs global/costs.hpp 'result.global_cycles < global.requests' 'false'
plant global/costs global/costs.hpp 'count / rate + (count % rate != 0 ? 1 : 0)' 'count / rate'
plant global/costs global/costs.hpp 'count / rate + (count % rate != 0 ? 1 : 0)' '(count - 1) / rate + 1'
plant reorganize/guarantees reorganize/detail/hierarchical.hpp 'next.emplace(equal.first, &equal);
    while' 'next.emplace(equal.second, &equal);
    while'
plant reorganize/guarantees reorganize/detail/hierarchical.hpp 'if (clusters_[*other].threads.size() > room) continue;' ''
plant global/transactions global/transactions.hpp 'serves_half_warps(memory) ? 16 : m.lanes' 'm.lanes'
plant global/transactions global/transactions.hpp 'while (one.bytes > 32' 'if (one.bytes > 32'
plant global/transactions global/transactions.hpp 'if (lowest >= one.begin + one.bytes) one.begin += one.bytes;' ''
plant global/transactions global/transactions.hpp 'bytes == 1 ? 32 : bytes == 2 ? 64 : 128;' 'bytes == 1 ? 32 : 128;'
plant global/transactions global/transactions.hpp 'segments != 0 && (begin & (segment - 1)) == 0' 'segments != 0'
plant global/transactions global/transactions.hpp 'bytes < 4 || bytes == 12 ? 0' 'bytes < 2 || bytes == 12 ? 0'
plant global/transactions global/transactions.hpp 'static_cast<long long>(low - first) * r.bytes' 'static_cast<long long>(low) * r.bytes'
plant global/transactions global/transactions.hpp 'same(kind, access_kind::load);' 'true;'
plant global/transactions global/transactions.hpp 'lanes * bytes <= memory.bytes_together' 'lanes * bytes < 2 * memory.bytes_together'
plant global/transactions global/transactions.hpp '(different_bytes(r, lanes) + unit - 1) / unit' 'different_bytes(r, lanes) / unit'
plant global/messages global/transactions.hpp 'bytes == 12 ? m.has(12, access_kind::load)' 'bytes == 12 ? true'
plant global/transactions global/detail/units.hpp 'begin < address + of.bytes; begin += unit' 'begin <= address; begin += unit'
plant global/transactions global/detail/units.hpp 'const int piece = of.bytes == 12 ? 4 : of.bytes;' 'const int piece = of.bytes;'
plant global/transactions global/detail/units.hpp 'if (begin_[at] == begin) return at;' 'if (begin_[at] == begin && at == count_ - 1) return at;'
plant global/traffic global/detail/traffic_price.hpp 'if (lanes.active != active_) return false;' ''
plant global/traffic global/detail/traffic_price.hpp 'if (relative_[lane] != relative(lanes, low, lane)) return false;' ''
plant global/traffic global/detail/traffic_price.hpp 'lanes.stride * (lane - low)' 'lanes.stride * lane'
plant global/traffic global/detail/traffic_price.hpp 'm.global.line_bytes > 128 ? m.global.line_bytes : 128;' '128;'
plant global/on_grid global/detail/on_grid.hpp 'result.times /= static_cast<std::uint64_t>(extent[a]);' ''
plant global/on_grid global/detail/on_grid.hpp 'taken |= 1u << own;' ''
plant global/on_grid global/detail/on_grid.hpp 'number(extent[a])' 'number(extent[0])'
plant global/on_grid kernel/enlarged_access.hpp 'result.vector = access.vector;' ''
plant global/traffic kernel/enlarged_access.hpp 'result.kind = access.kind;' ''
plant global/on_grid global/traffic.hpp 'if (view.array.memory == memory_space::shared) return {};' ''
plant global/traffic global/traffic.hpp 'sum.method = how;' ''
plant global/block_stride global/detail/touched_runs.hpp 'begin >= last.begin && begin <= last.end' 'begin <= last.end'
plant global/block_stride global/detail/touched_runs.hpp '(a.end < b.end ? at : there) += 1;' '(a.begin < b.begin ? at : there) += 1;'
plant global/block_stride global/detail/touched_runs.hpp '(run_[passed - 1].end + by) + 1' '(run_[passed - 1].end + by)'
plant global/block_stride global/detail/touched_places.hpp 'if (one.step < extent) break;' ''
plant global/block_stride global/detail/touched_places.hpp 'a % b < 0 ? a / b - 1 : a / b' 'a / b'
plant global/block_stride global/detail/touched_places.hpp 'if (first < 1 - one.trips) first = 1 - one.trips;' ''
plant global/block_stride global/detail/touched_places.hpp 'sum += pairs * common' 'sum += common'
plant global/block_stride global/detail/touched_places.hpp 'if (end > end_) end_ = end;' ''
plant global/block_stride global/detail/class_places.hpp 'base = checked_add(base, checked_multiply(one.step, one.trips - 1));' ''
plant global/block_stride global/detail/block_movement.hpp 'together[which] && (first || bytes[which] == moves[which])' 'together[which]'
plant global/block_stride global/detail/block_movement.hpp 'linear = linear && factors.linear;' ''
plant global/block_stride global/detail/block_movement.hpp 'if (to < last) last = to;' ''
plant global/block_stride global/detail/compared_blocks.hpp 'even = even && by == result.bytes && before.moves_to(now, by);' 'even = even && by == result.bytes;'
plant global/block_stride global/detail/compared_blocks.hpp 'if (!even && two_are_whole) {' 'if (two_are_whole) {'
plant global/block_stride global/block_stride.hpp '(by + gap - 1) / step + 1' '(by + gap) / step + 1'
plant global/partition_camping global/transactions.hpp 'begin + at * segment, segment, own' 'begin, segment, own'
plant global/partition_camping global/partition_camping.hpp 'if (of.begin < 0) return;' ''
plant report/traffic global/transactions.hpp 'all.lanes(at)' 'lanes'
plant global/partition_camping global/partition_camping.hpp 'if (here > to_.most) to_.most = here;' 'to_.most = here;'

plant reorganize/worked_examples reorganize/padding.hpp 'if (needed > empty) begin_segment();' 'if (needed >= empty) begin_segment();'
plant reorganize/worked_examples reorganize/padding.hpp 'if (missing == 0) return;' 'if (missing == 9) return;'
plant reorganize/worked_examples reorganize/detail/frequency_order.hpp 'frequency[element]++ == 0' 'frequency[element]++ == 1'
plant reorganize/replay reorganize/reference_traffic.hpp 'if (place >> segment_ != last_segment)' 'if (place >> segment_ > last_segment)'
plant reorganize/replay reorganize/duplication.hpp 'blocks * static_cast<std::uint64_t>(of.block)));' '(blocks + 1) * static_cast<std::uint64_t>(of.block)));'
plant reorganize/misuse reorganize/block_tables.hpp 'if (bytes > options_.shared_bytes)' 'if (bytes >= options_.shared_bytes)'
plant reorganize/tile_conflicts reorganize/tile_order.hpp 'if (wavefronts_of(indices, first, last, place) >= before) return {};' 'if (wavefronts_of(indices, first, last, place) == 0) return {};'
plant reorganize/selection reorganize/selection.hpp 'one.is_allowed = have_one_pattern(of) && one.data_bytes' 'one.is_allowed = one.data_bytes'
plant reorganize/without_extra_space reorganize/detail/exchanged_items.hpp '(void)(put(order_[a], of_a) + put(order_[b], of_b));' ''
plant reorganize/without_extra_space reorganize/repositioning.hpp 'transactions_accessed <= transactions_grown) {' 'transactions_accessed > transactions_grown) {'
plant reorganize/without_extra_space reorganize/thread_swapping.hpp 'if (transactions >= fewest) return;' ''
plant reorganize/without_extra_space reorganize/detail/grown_clusters.hpp 'its.edges < states_[list[best]].edges' 'its.edges > states_[list[best]].edges'
plant reorganize/guarantees reorganize/block_tables.hpp 'result.block_begin[block] += begins[part];' 'result.block_begin[block] += begins[0];'
plant reorganize/selection reorganize/selection.hpp 'if (working_set <= shared_bytes)' 'if (working_set < shared_bytes)'
plant reorganize/selection reorganize/selection.hpp 'thread_order.size() + 2 * blocks' 'thread_order.size() + blocks'
plant reorganize/misuse reorganize/irregular_references.hpp 'block % warp != 0' 'false'
plant reorganize/tile_conflicts reorganize/tile_requests.hpp 'key[max_lanes] = static_cast<long long>(one.active);' ''
plant reorganize/tile_conflicts reorganize/tile_requests.hpp 'lowest &= -static_cast<long long>(layer_bytes);' ''

plant interop/mdspan interop/mdspan.hpp 'while (size > 1 && l.coordinates(size - 1)[0] < 0) --size;' ''
plant interop/mdspan interop/mdspan.hpp 'strides[static_cast<int>(dimension)]' 'strides[L.rank - 1 - static_cast<int>(dimension)]'
plant interop/mdspan interop/mdspan.hpp 'is_exhaustive() noexcept { return exhaustive; }' 'is_exhaustive() noexcept { return true; }'
plant interop/dialects interop/tvm.hpp 'while (factor <= found.padding) factor *= 2;' 'while (factor < found.padding) factor *= 2;'
plant interop/dialects interop/cute.hpp 'found.from < found.to ? found.from : found.to' 'found.to'
plant interop/dialects interop/cuda_oxide.hpp 'from.M > from.S - from.B' 'from.M > from.S'

plant search/existence search/bounds.hpp 'conflicts = conflicts || each[other].declared.conflicts() != 0;' 'conflicts = each[other].declared.conflicts() != 0;'
plant search/existence search/table_layout.hpp '|| element_at(place) >= 0)' ')'
plant search/families search/plans_by_family.hpp 'if (!how.layouts.contain(families_of(one))) continue;' ''
plant interop/dialects kernel/copy_engine.hpp 'rows.rank == 1 ? row : rows.stride[rows.rank - 2] * array.element_bytes' 'row'

chosen=''
if [ "$draw" -gt 0 ]; then
  quick=()
  for number in "${!test_of[@]}"; do [[ $slow == *" ${test_of[$number]} "* ]] || quick+=("$number"); done
  seed=$(seed_of_plants "$tests")
  chosen=" $(drawn "$draw" "$seed" "${quick[@]}" | tr '\n' ' ')"
  echo "seed $seed (BANKMODEL_PLANT_SEED): $draw of ${#quick[@]} edits whose tests take seconds"
fi
plant count/large_values count/detail/wide_range.hpp 'constexpr long long wide_limit = int64_max - 1;' 'constexpr long long wide_limit = int64_max - 1 - (1ll << 40);'
plant count/large_values count/detail/wide_range.hpp '(b.highest > 0 ? b.highest - wide_limit : -wide_limit)' '(-wide_limit)'
plant count/large_values count/detail/wide_range.hpp '(b.lowest < 0 ? b.lowest + wide_limit : wide_limit)' '(wide_limit)'
plant count/large_values report/explanation.hpp 'if (result.has_too_many_requests) return result;' ''
plant profile/profile profile/launches.hpp 'number_of_.try_emplace({kernel, id}' 'number_of_.try_emplace({kernel, {}}'
plant profile/profile profile/source_page.hpp 'if (!to.addresses.insert(address).second) return;' ''

# The tests with the most plants first, two at a time; their output in files.
started=0
while read -r _ test; do
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
  try_test "$test" >"$work/said.$started" &
  started=$((started + 1))
done < <(printf '%s\n' "${test_of[@]}" | sort | uniq -c | sort -rn)
wait
grep -hv '^left out' "$work"/said.*
noticed=$(cat "$work"/said.* | grep -cE '^(noticed|left out)')
echo "$((${#test_of[@]} - $(cat "$work"/said.* | grep -c '^left out'))) planted, $((${#test_of[@]} - noticed)) not noticed"
[ "${#test_of[@]}" -eq "$noticed" ]
