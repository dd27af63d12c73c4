// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_GPU_NAMES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_GPU_NAMES_HPP

#include <string_view>

namespace command_line {

// Products, in lower case and without blanks, and the machines that they are. Sources: NVIDIA's
// table of compute capabilities, https://developer.nvidia.com/cuda-gpus and .../cuda-legacy-gpus;
// AMD's table of GPUs, https://rocm.docs.amd.com/en/latest/reference/gpu-specs.html
struct gpu_name {
  std::string_view product, machine;
};

inline constexpr gpu_name gpu_names[] = {
    {"k20", "sm_35"},     {"k40", "sm_35"},     {"k80", "sm_37"},      {"m40", "sm_52"},
    {"m60", "sm_52"},     {"gtx980", "sm_52"},  {"p100", "sm_60"},     {"p4", "sm_61"},
    {"p40", "sm_61"},     {"gtx1080", "sm_61"}, {"v100", "sm_70"},     {"titanv", "sm_70"},
    {"t4", "sm_75"},      {"rtx2080", "sm_75"}, {"a100", "sm_80"},     {"a30", "sm_80"},
    {"a10", "sm_86"},     {"a40", "sm_86"},     {"rtx3080", "sm_86"},  {"rtx3090", "sm_86"},
    {"l4", "sm_89"},      {"l40", "sm_89"},     {"l40s", "sm_89"},     {"rtx4080", "sm_89"},
    {"rtx4090", "sm_89"}, {"h100", "sm_90"},    {"h200", "sm_90"},     {"gh200", "sm_90"},
    {"b200", "sm_100"},   {"gb200", "sm_100"},  {"rtx5080", "sm_120"}, {"rtx5090", "sm_120"},
    {"mi25", "gfx900"},   {"mi50", "gfx906"},   {"mi60", "gfx906"},    {"mi100", "gfx908"},
    {"mi210", "gfx90a"},  {"mi250", "gfx90a"},  {"mi250x", "gfx90a"},  {"mi300a", "gfx942"},
    {"mi300x", "gfx942"}, {"mi325x", "gfx942"}, {"mi350x", "gfx950"},  {"mi355x", "gfx950"}};

}  // namespace command_line

#endif
