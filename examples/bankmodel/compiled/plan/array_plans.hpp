// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/search/options.hpp>

#include "../page/page.hpp"

namespace compiled {

// For each array in shared memory whose accesses conflict and whose extents are known, the layouts
// that cost least: the best declaration, and the best layout if that one takes fewer wavefronts.
// Every recorded request to the array is counted. Accesses stay as wide as they are: a layout in
// which one of them is not aligned, or not in one piece, is not tried. The first plans of all
// arrays together fit into the shared memory of a block. A dynamic array of one dimension has the
// elements that the launch gives it.
// `unplanned`: gets the reason for each array with conflicts that has no plan; the bound, if
// layouts were searched and none is better. `candidates::to_verify`: where the compiler joins
// accesses there are also plans that take them apart, whose wavefronts are not known before
// verify_plans(). `options`: the families, arrays, bytes and effort of the search; without limits,
// those of default_search. Error: the machine cannot have the bytes or resident blocks.
enum class candidates : std::uint8_t { known, to_verify };
// The formulas of triangular layouts may need a root, which C has no operator for.
inline constexpr bm::search default_search = {
    .layouts = bm::layouts::padding | bm::layouts::xor_swizzle | bm::layouts::rotation |
               bm::layouts::modular | bm::layouts::linear,
    .prefer = bm::preference::simple_indices};
std::vector<array_plan> array_plans(const page& kernel_page,
                                    std::vector<std::string>* unplanned = nullptr,
                                    candidates wanted = candidates::known,
                                    const bm::search& options = default_search);

// Why no layout of one array of the page is looked for, whatever its requests are; empty if one is.
std::string reason_against_plans(const page& kernel_page, std::size_t number,
                                 const bm::search& options = default_search);

// For each array with conflicts that can be planned: as declared, each number of columns more that
// takes fewer wavefronts than all smaller ones, and the best of each other family of the search
// that takes fewer than as declared. Whether --fix can write them is not known.
// Example: of float tile[32][32], read by columns: tile[32][32] 1,056 wavefronts, 4,096 bytes;
// tile[32][33] 64 and 4,224; a swizzle 64 and 4,096.
std::vector<layout_alternative> layout_alternatives(const page& kernel_page,
                                                    const bm::search& options = default_search);

// "tile declared as tile[32][33] takes 64 wavefronts instead of 1,056, in 4,224 bytes instead of
// 4,096.", and of conflicts that remain the bound.
std::string text_of_layout(const code_array& array, const array_plan& plan);

// "t with rows of BK + 1 = 9 elements instead of 8", of a declared array.
std::string text_of_declared_rows(const array_plan& plan);

// "8 declared columns of t are never accessed by this block", of arrays with conflicts.
std::vector<std::string> notes_of_unused_columns(const page& kernel_page);

// The cost of all accesses to one array as they are issued, or as they are written if none is.
bm::cost issued_cost_of(const page& kernel_page, int array);

}  // namespace compiled
