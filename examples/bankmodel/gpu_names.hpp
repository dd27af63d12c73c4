// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_GPU_NAMES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_GPU_NAMES_HPP

#include <string_view>

namespace command_line {

// Products, in lower case, without blanks and without the words below, and the machines that they
// are. Sources: NVIDIA's tables of compute capabilities, https://developer.nvidia.com/cuda-gpus and
// .../cuda-legacy-gpus; AMD's table of GPUs, https://rocm.docs.amd.com/en/latest/reference/
// gpu-specs.html, and LLVM's of AMD's processors, https://llvm.org/docs/AMDGPUUsage.html
struct gpu_name {
  std::string_view product, machine;
};

inline constexpr gpu_name gpu_names[] = {
    {"k20", "sm_35"},         {"k40", "sm_35"},         {"k80", "sm_37"},
    {"gtx750", "sm_50"},      {"m40", "sm_52"},         {"m60", "sm_52"},
    {"gtx960", "sm_52"},      {"gtx970", "sm_52"},      {"gtx980", "sm_52"},
    {"gtxtitanx", "sm_52"},   {"nano", "sm_53"},        {"tx1", "sm_53"},
    {"p100", "sm_60"},        {"gp100", "sm_60"},       {"p4", "sm_61"},
    {"p6", "sm_61"},          {"p40", "sm_61"},         {"gt1030", "sm_61"},
    {"gtx1050", "sm_61"},     {"gtx1060", "sm_61"},     {"gtx1070", "sm_61"},
    {"gtx1080", "sm_61"},     {"titanxp", "sm_61"},     {"p2000", "sm_61"},
    {"p4000", "sm_61"},       {"p5000", "sm_61"},       {"p6000", "sm_61"},
    {"tx2", "sm_62"},         {"v100", "sm_70"},        {"v100s", "sm_70"},
    {"titanv", "sm_70"},      {"gv100", "sm_70"},       {"xavier", "sm_72"},
    {"agxxavier", "sm_72"},   {"xaviernx", "sm_72"},    {"t4", "sm_75"},
    {"titanrtx", "sm_75"},    {"gtx1650", "sm_75"},     {"gtx1660", "sm_75"},
    {"rtx2060", "sm_75"},     {"rtx2070", "sm_75"},     {"rtx2080", "sm_75"},
    {"rtx3000", "sm_75"},     {"rtx4000", "sm_75"},     {"rtx5000", "sm_75"},
    {"rtx6000", "sm_75"},     {"rtx8000", "sm_75"},     {"a100", "sm_80"},
    {"a800", "sm_80"},        {"a30", "sm_80"},         {"a2", "sm_86"},
    {"a10", "sm_86"},         {"a10g", "sm_86"},        {"a16", "sm_86"},
    {"a40", "sm_86"},         {"rtx2050", "sm_86"},     {"rtx3050", "sm_86"},
    {"rtx3060", "sm_86"},     {"rtx3070", "sm_86"},     {"rtx3080", "sm_86"},
    {"rtx3090", "sm_86"},     {"a4000", "sm_86"},       {"a5000", "sm_86"},
    {"a6000", "sm_86"},       {"rtxa2000", "sm_86"},    {"rtxa3000", "sm_86"},
    {"rtxa4000", "sm_86"},    {"rtxa4500", "sm_86"},    {"rtxa5000", "sm_86"},
    {"rtxa5500", "sm_86"},    {"rtxa6000", "sm_86"},    {"orin", "sm_87"},
    {"agxorin", "sm_87"},     {"orinnano", "sm_87"},    {"orinnx", "sm_87"},
    {"l4", "sm_89"},          {"l20", "sm_89"},         {"l40", "sm_89"},
    {"l40s", "sm_89"},        {"rtx4050", "sm_89"},     {"rtx4060", "sm_89"},
    {"rtx4070", "sm_89"},     {"rtx4080", "sm_89"},     {"rtx4090", "sm_89"},
    {"rtx2000ada", "sm_89"},  {"rtx4000ada", "sm_89"},  {"rtx4500ada", "sm_89"},
    {"rtx5000ada", "sm_89"},  {"rtx6000ada", "sm_89"},  {"h100", "sm_90"},
    {"h200", "sm_90"},        {"h800", "sm_90"},        {"h20", "sm_90"},
    {"gh200", "sm_90"},       {"b200", "sm_100"},       {"gb200", "sm_100"},
    {"b300", "sm_103"},       {"gb300", "sm_103"},      {"thor", "sm_110"},
    {"agxthor", "sm_110"},    {"t4000", "sm_110"},      {"t5000", "sm_110"},
    {"rtx5050", "sm_120"},    {"rtx5060", "sm_120"},    {"rtx5070", "sm_120"},
    {"rtx5080", "sm_120"},    {"rtx5090", "sm_120"},    {"rtxpro2000", "sm_120"},
    {"rtxpro4000", "sm_120"}, {"rtxpro4500", "sm_120"}, {"rtxpro5000", "sm_120"},
    {"rtxpro6000", "sm_120"}, {"gb10", "sm_121"},       {"dgxspark", "sm_121"},
    {"rx470", "gfx803"},      {"rx480", "gfx803"},      {"rx570", "gfx803"},
    {"rx580", "gfx803"},      {"vega56", "gfx900"},     {"vega64", "gfx900"},
    {"rxvega56", "gfx900"},   {"rxvega64", "gfx900"},   {"mi25", "gfx900"},
    {"mi50", "gfx906"},       {"mi60", "gfx906"},       {"vii", "gfx906"},
    {"provii", "gfx906"},     {"mi100", "gfx908"},      {"mi210", "gfx90a"},
    {"mi250", "gfx90a"},      {"mi250x", "gfx90a"},     {"mi300a", "gfx942"},
    {"mi300x", "gfx942"},     {"mi308x", "gfx942"},     {"mi325x", "gfx942"},
    {"mi350x", "gfx950"},     {"mi355x", "gfx950"},     {"rx5600", "gfx1010"},
    {"rx5700", "gfx1010"},    {"rx5500", "gfx1012"},    {"rx6800", "gfx1030"},
    {"rx6900", "gfx1030"},    {"rx6950", "gfx1030"},    {"prow6800", "gfx1030"},
    {"prov620", "gfx1030"},   {"rx6700", "gfx1031"},    {"rx6750", "gfx1031"},
    {"rx6600", "gfx1032"},    {"rx6650", "gfx1032"},    {"rx6400", "gfx1034"},
    {"rx6500", "gfx1034"},    {"rx7900", "gfx1100"},    {"prow7800", "gfx1100"},
    {"prow7900", "gfx1100"},  {"rx7700", "gfx1101"},    {"rx7800", "gfx1101"},
    {"prow7700", "gfx1101"},  {"rx7600", "gfx1102"},    {"780m", "gfx1103"},
    {"890m", "gfx1150"},      {"8060s", "gfx1151"},     {"rx9060", "gfx1200"},
    {"rx9070", "gfx1201"},    {"p1000", "sm_61"},       {"t1000", "sm_75"},
    {"p400", "sm_61"},        {"p600", "sm_61"},        {"t400", "sm_75"},
    {"t600", "sm_75"},        {"aipror9700", "gfx1201"}};

// Words that do not change the machine: "NVIDIA GeForce RTX 3080 Ti Laptop GPU", "RX 7900 XTX". The
// variants may be part of a longer word, "rtx3080ti".
inline constexpr std::string_view gpu_families[] = {"nvidia", "geforce", "quadro", "tesla",
                                                    "jetson", "amd",     "radeon", "instinct"};
inline constexpr std::string_view gpu_variants[] = {
    "gpu",     "laptop",    "mobile",      "maxq", "max",  "q",    "ti",   "super",
    "edition", "server",    "workstation", "sxm",  "sxm2", "sxm4", "sxm5", "generation",
    "pcie",    "blackwell", "nvl",         "xtx",  "xt",   "gre",  "oam"};

}  // namespace command_line

#endif
