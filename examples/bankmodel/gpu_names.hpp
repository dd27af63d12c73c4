// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace command_line {

// Products, in lower case, without blanks and without the words below, and the machines that they
// are. Sources: NVIDIA's tables of compute capabilities, https://developer.nvidia.com/cuda-gpus and
// .../cuda-legacy-gpus; AMD's table of GPUs, https://rocm.docs.amd.com/en/latest/reference/
// gpu-specs.html, and LLVM's of AMD's processors, https://llvm.org/docs/AMDGPUUsage.html
struct gpu_name {
  std::string_view machine, products;
};

inline constexpr gpu_name gpu_names[] = {
    {"sm_35", "k20 k40"},
    {"sm_37", "k80"},
    {"sm_50", "gtx750"},
    {"sm_52", "m40 m60 gtx960 gtx970 gtx980 gtxtitanx"},
    {"sm_53", "nano tx1"},
    {"sm_60", "p100 gp100"},
    {"sm_61", "p4 p6 p40 gt1030 gtx1050 gtx1060 gtx1070 gtx1080 titanxp p2000 p4000 p5000 p6000"},
    {"sm_62", "tx2"},
    {"sm_70", "v100 v100s titanv gv100"},
    {"sm_72", "xavier agxxavier xaviernx"},
    {"sm_75",
     "t4 titanrtx gtx1650 gtx1660 rtx2060 rtx2070 rtx2080 rtx3000 rtx4000 rtx5000 rtx6000 rtx8000"},
    {"sm_80", "a100 a800 a30"},
    {"sm_86",
     "a2 a10 a10g a16 a40 rtx2050 rtx3050 rtx3060 rtx3070 rtx3080 rtx3090 a4000 a5000 a6000 "
     "rtxa2000 rtxa3000 rtxa4000 rtxa4500 rtxa5000 rtxa5500 rtxa6000"},
    {"sm_87", "orin agxorin orinnano orinnx"},
    {"sm_89",
     "l4 l20 l40 l40s rtx4050 rtx4060 rtx4070 rtx4080 rtx4090 rtx2000ada rtx4000ada rtx4500ada "
     "rtx5000ada rtx6000ada"},
    {"sm_90", "h100 h200 h800 h20 gh200"},
    {"sm_100", "b200 gb200"},
    {"sm_103", "b300 gb300"},
    {"sm_110", "thor agxthor t4000 t5000"},
    {"sm_120",
     "rtx5050 rtx5060 rtx5070 rtx5080 rtx5090 rtxpro2000 rtxpro4000 rtxpro4500 rtxpro5000 "
     "rtxpro6000 rtxpro2000blackwell rtxpro4000blackwell rtxpro4500blackwell rtxpro5000blackwell "
     "rtxpro6000blackwell"},
    {"sm_121", "gb10 dgxspark"},
    {"gfx803", "rx470 rx480 rx570 rx580"},
    {"gfx900", "vega56 vega64 rxvega56 rxvega64 mi25"},
    {"gfx906", "mi50 mi60 vii provii"},
    {"gfx908", "mi100"},
    {"gfx90a", "mi210 mi250 mi250x"},
    {"gfx942", "mi300a mi300x mi308x mi325x"},
    {"gfx950", "mi350x mi355x"},
    {"gfx1010", "rx5600 rx5700"},
    {"gfx1012", "rx5500"},
    {"gfx1030", "rx6800 rx6900 rx6950 prow6800 prov620"},
    {"gfx1031", "rx6700 rx6750"},
    {"gfx1032", "rx6600 rx6650"},
    {"gfx1034", "rx6400 rx6500"},
    {"gfx1100", "rx7900 prow7800 prow7900"},
    {"gfx1101", "rx7700 rx7800 prow7700"},
    {"gfx1102", "rx7600"},
    {"gfx1103", "780m"},
    {"gfx1150", "890m"},
    {"gfx1151", "8060s"},
    {"gfx1200", "rx9060"},
    {"gfx1201", "rx9070"},
    {"sm_61", "p1000"},
    {"sm_75", "t1000"},
    {"sm_61", "p400 p600"},
    {"sm_75", "t400 t600"},
    {"gfx1201", "aipror9700"}};

// Words that do not change the machine: "NVIDIA GeForce RTX 3080 Ti Laptop GPU", "RX 7900 XTX". The
// variants are at the end, and may be part of a longer word, "rtx3080ti".
inline constexpr std::string_view gpu_families[] = {"nvidia", "geforce", "quadro", "tesla",
                                                    "jetson", "amd",     "radeon", "instinct"};
inline constexpr std::string_view gpu_variants[] = {
    "gpu",    "laptop",      "mobile", "maxq", "ti",   "super", "edition",
    "server", "workstation", "sxm",    "sxm2", "sxm4", "sxm5",  "generation",
    "pcie",   "nvl",         "xtx",    "xt",   "gre",  "oam"};

}  // namespace command_line
