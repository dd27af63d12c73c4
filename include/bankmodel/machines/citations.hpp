// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_CITATIONS_HPP
#define BANKMODEL_MACHINES_CITATIONS_HPP

#include <bankmodel/machines/sources.hpp>

// The documents that the keys of machines/sources.hpp mean.
namespace bankmodel::sources {

struct citation {
  source key;
  const char* name;
  const char* location;
};

inline constexpr citation list[] = {
    {own, "your own", "the machine's author"},
    {inferred, "inferred",
     "by bankmodel, from relatives or from bandwidth: see the comments of the record"},
    {guide_4, "CUDA C Programming Guide 4.2, appendix F", "NVIDIA, 2012"},
    {guide_13,
     "CUDA C++ Programming Guide 13.0, chapter 20 (compute capabilities), and the table of the "
     "throughput of native arithmetic instructions",
     "https://docs.nvidia.com/cuda/cuda-c-programming-guide"},
    {old_guides, "CUDA C Programming Guides 5 to 12, table of technical specifications",
     "NVIDIA, archived"},
    {gtc_2012, "GPU Performance Analysis and Optimization, slide 83", "NVIDIA, GTC 2012, S0514"},
    {gtc_2019, "Volta architecture and performance optimization",
     "NVIDIA, GTC 2019, S9593; quoted in Dao-AILab/flash-attention#738"},
    {forum_77228, "Unexpected shared memory bank conflict, NVIDIA's answer",
     "https://forums.developer.nvidia.com/t/77228/2"},
    {hitori,
     "CUDA shared memory access mechanism with vectorized instructions, measured on Turing and "
     "Ampere",
     "https://code.hitori.moe"},
    {occupancy_header, "cuda_occupancy.h of CUDA 11, 12.8 and 13.0", "NVIDIA, CUDA toolkit"},
    {device_queries, "deviceQuery printed on a Jetson TK1, Nano and TX2",
     "collected from public logs"},
    {matrix_loads, "LLVM's ldmatrix: which lanes give the addresses",
     "https://reviews.llvm.org/D138978"},
    {tuning_guides, "Maxwell Tuning Guide, shared memory atomics",
     "https://docs.nvidia.com/cuda/maxwell-tuning-guide"},
    {ck_docs, "Composable Kernel, lds_bank_conflicts.rst, and the ROCm blog on LDS bank conflicts",
     "AMD, ROCm"},
    {shark_guide, "AMDGPU kernel optimization guide and docs/empirical-lds, hardware counters",
     "nod-ai/amd-shark-ai, commit efa471aeef"},
    {triton_banks, "Triton pull request 11365, by an engineer of AMD",
     "https://github.com/triton-lang/triton/pull/11365"},
    {hipkittens,
     "HipKittens, analysis/paper_experiments/phases, measured by pairs of lanes on gfx950",
     "arXiv 2511.08083; commit f09e968"},
    {rocroller, "rocRoller, LDSBankModel.cpp", "ROCm/rocm-libraries, pull request 2157"},
    {triton_backend, "Triton, comments of the AMD backend",
     "https://github.com/triton-lang/triton"},
    {rocprofiler, "ROCm Compute Profiler, pipeline descriptions and LDS metrics",
     "AMD, ROCm documentation"},
    {llvm, "LLVM AMDGPU backend and user guide",
     "llvm/llvm-project, pull requests 224852, 208046, 167614 and 214513"},
    {mesa, "Mesa, ac_gpu_info", "https://gitlab.freedesktop.org/mesa/mesa"},
    {amd_opencl, "AMD OpenCL Optimization Guide, and community.amd.com 166644 and 196599", "AMD"},
    {rdna_isa, "RDNA instruction set architecture guides, and HIP's hardware implementation page",
     "AMD"},
    {rocm_pages, "rocm-libraries pull requests 10102 and 10720", "AMD"},
    {sectors, "Sectors of 32 bytes in lines of 128, NVIDIA's answer",
     "https://forums.developer.nvidia.com/t/285476"},
    {tag_stage, "The first cache looks up four lines per cycle, NVIDIA's answer",
     "https://forums.developer.nvidia.com/t/pascal-l1-cache/49571/14"},
    {primus_turbo,
     "Primus-Turbo, flash attention forward on gfx950, conflicts counted of two swizzles",
     "AMD-AGI/Primus-Turbo"},
    {sass_document, "Shared memory and cp.async bank conflicts, counted on an RTX 5090",
     "cicuvc/nvidia-sass-document, notes/sm90/arch/shared_bank_conflicts.md, commits a82ce88 and "
     "daa1557"},
    {whitepapers, "NVIDIA's whitepapers on V100, Turing, A100, GA102, Ada, H100 and RTX Blackwell",
     "https://jia.je/kb/hardware/gpgpu.html quotes them"},
    {data_sheets, "Data sheets of products: multiprocessors, boost clock, memory bandwidth",
     "NVIDIA and AMD, the products' pages; "
     "https://rocm.docs.amd.com/en/latest/reference/gpu-specs.html"}};

// Returns the entry of a key; the first entry for a key that is not listed.
// Example:
//
//   constexpr auto cited = sources::citation_for(nvidia::sm_90.loads.bytes_16.phases_from);
//   static_assert(cited.key == sources::hitori);  // measured on Turing and Ampere
BANKMODEL_FN citation citation_for(source key) {
  for (int entry = 0; entry < static_cast<int>(sizeof list / sizeof list[0]); ++entry)
    if (list[entry].key == key) return list[entry];
  return list[0];
}

}  // namespace bankmodel::sources

#endif
