cmake_minimum_required(VERSION 3.25)
# Reads the #include lines of the headers: each may include only headers of the lines above its own, and from the
# standard only what costs next to nothing, unless it is for the host alone.
set(floors
  "config.hpp constant.hpp"
  "detail/failing.hpp detail/array.hpp"
  "detail/arithmetic.hpp"
  "layouts/permutation.hpp"
  "layouts/xor_swizzle.hpp layouts/rotation.hpp layouts/linear.hpp"
  "layouts/triangular.hpp layouts/modular.hpp"
  "geometry.hpp index.hpp pattern.hpp layout.hpp cost.hpp"
  "machine.hpp array.hpp loop.hpp layouts/placed.hpp layouts/dialects/numbers.hpp"
  "layouts/dialects/one_xor.hpp layouts/dialects/one_padding.hpp"
  "layouts/dialects/cute.hpp layouts/dialects/cuda_oxide.hpp layouts/dialects/triton.hpp layouts/dialects/tvm.hpp"
  "layouts/dialects.hpp"
  "request.hpp expression.hpp copy_engine.hpp machines/sources.hpp tile.hpp layouts/instructions.hpp"
  "phase.hpp machines/nvidia.hpp machines/amd.hpp machines/validated.hpp"
  "kernel.hpp wavefronts.hpp occupancy.hpp instructions.hpp"
  "degree.hpp"
  "counting/lines.hpp"
  "counting/warp.hpp counting/residues.hpp counting/trips.hpp counting/series.hpp"
  "counting/evaluate.hpp"
  "counting/structure.hpp counting/ranges.hpp"
  "counting/conditions.hpp counting/movement.hpp"
  "counting/addresses.hpp counting/groups.hpp"
  "counting/written.hpp counting/plain_requests.hpp"
  "counting/laid_out.hpp"
  "counting/nest.hpp"
  "counting/movers.hpp"
  "counting/bounds.hpp counting/cuts.hpp"
  "counting/requests.hpp"
  "counting/walk.hpp"
  "total.hpp"
  "totals.hpp"
  "guard.hpp"
  "analyze.hpp"
  "search.hpp plan.hpp"
  "planning/prepared.hpp planning/permutations.hpp planning/synthesis.hpp"
  "planning/accesses.hpp planning/paddings.hpp"
  "planning/footprints.hpp"
  "planning/options.hpp"
  "planning/placement.hpp"
  "optimize.hpp buffer.hpp explaining/plainly.hpp explaining/worst_iteration.hpp"
  "explain.hpp")
set(host_only "plans_by_family.hpp" "report.hpp" "reporting/phrases.hpp" "reporting/places.hpp" "reporting/verbs.hpp"
  "profile.hpp" "profiling/rows.hpp" "profiling/exact_number.hpp" "profiling/counters.hpp" "profiling/launches.hpp" "profiling/source_page.hpp"
  "pareto.hpp" "style.hpp" "draw.hpp" "existence.hpp"
  "existence/table_layout.hpp" "existence/requests.hpp" "existence/edge_colouring.hpp" "existence/table_search.hpp"
  "drawing/colours.hpp" "drawing/shape.hpp" "drawing/touched.hpp" "drawing/map.hpp" "drawing/text.hpp" "drawing/svg.hpp")
set(cheap cstdint cstddef new)

set(below "")
set(known "")
foreach(floor IN LISTS floors)
  string(REPLACE " " ";" headers "${floor}")
  foreach(header IN LISTS headers)
    list(APPEND known ${header})
    file(STRINGS ${INCLUDE}/${header} lines REGEX "^ *# *include")
    foreach(line IN LISTS lines)
      if(line MATCHES "<bankmodel/(.+)>")
        if(NOT CMAKE_MATCH_1 IN_LIST below)
          message(SEND_ERROR "${header} includes ${CMAKE_MATCH_1}, which is not below it")
        endif()
      elseif(line MATCHES "<([^>]+)>")
        set(standard ${CMAKE_MATCH_1})
        set(without_exceptions cstdio cstdlib) # printed with, only where there are no exceptions
        if(NOT standard IN_LIST cheap AND NOT (header STREQUAL "detail/failing.hpp" AND standard IN_LIST without_exceptions))
          message(SEND_ERROR "${header} includes <${standard}>; kernels include it, so only ${cheap} may stand here")
        endif()
      else()
        message(SEND_ERROR "${header}: ${line} must name <bankmodel/...>")
      endif()
    endforeach()
  endforeach()
  list(APPEND below ${headers})
endforeach()

file(GLOB_RECURSE all RELATIVE ${INCLUDE} ${INCLUDE}/*.hpp)
foreach(header IN LISTS all)
  if(NOT header IN_LIST known AND NOT header IN_LIST host_only)
    message(SEND_ERROR "${header} has no floor in tests/layering.cmake")
  endif()
  if(header IN_LIST known)
    file(STRINGS ${INCLUDE}/${header} lines REGEX "plans_by_family.hpp|report.hpp|reporting/|pareto.hpp|style.hpp|draw.hpp|drawing/|profile.hpp|profiling/|bankmodel/existence")
    if(lines)
      message(SEND_ERROR "${header} includes a header for the host alone")
    endif()
  endif()
endforeach()
