// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_SECTIONS_HPP
#define BANKMODEL_BENCH_SECTIONS_HPP

#include "page.hpp"

// The sections of bench/README.md in their order. tests/house/bench_page.cmake reads this list and
// compares it with the page.
namespace bench {

void one_warp(page& output);
void figures_8_1(page& output);
void totals(page& output);
void for_if(page& output);
void global(page& output);
void reorganize(page& output);
void reorganize_figures(page& output);
void plans(page& output);
void heuristics(page& output);
void tuning(page& output);
void compile_time(page& output);
void command_line(page& output);
void replays(page& output);
void instructions(page& output);
void aims(page& output);

struct section {
  const char* name;
  const char* heading;
  void (*make)(page& output);
};
inline constexpr section sections[] = {
    {"one_warp", "One warp", one_warp},
    {"figures_8_1", "The dissertation's figures 8.1 to 8.8", figures_8_1},
    {"totals", "Totals of a block", totals},
    {"for_if", "Loops with a moving filter", for_if},
    {"global", "Global memory", global},
    {"reorganize", "Irregular references", reorganize},
    {"reorganize_figures", "The paper's figures of irregular references", reorganize_figures},
    {"plans", "Plans of the 13 kernels", plans},
    {"heuristics", "The dissertation's heuristics", heuristics},
    {"tuning", "A tuner's questions in a second", tuning},
    {"compile_time", "Compile time", compile_time},
    {"command_line", "The command line", command_line},
    {"replays", "Conflicts among executed instructions", replays},
    {"instructions", "Instructions of one call", instructions},
    {"aims", "Aims", aims},
};

}  // namespace bench

#endif
