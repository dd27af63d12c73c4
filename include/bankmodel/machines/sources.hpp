// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_SOURCES_HPP
#define BANKMODEL_MACHINES_SOURCES_HPP

#include <bankmodel/model/machine.hpp>

// The keys of the sources of the records' numbers; machines/citations.hpp lists the documents.
namespace bankmodel::sources {

inline constexpr source own{0};       // a machine of your own
inline constexpr source inferred{1};  // by this project; see the record's comment
inline constexpr source guide_4{2};
inline constexpr source guide_13{3};
inline constexpr source old_guides{4};
inline constexpr source gtc_2012{5};
inline constexpr source gtc_2019{6};
inline constexpr source forum_77228{7};
inline constexpr source hitori{8};
inline constexpr source occupancy_header{9};
inline constexpr source device_queries{10};
inline constexpr source matrix_loads{11};
inline constexpr source tuning_guides{12};
inline constexpr source ck_docs{13};
inline constexpr source shark_guide{14};
inline constexpr source triton_banks{15};
inline constexpr source hipkittens{16};
inline constexpr source rocroller{17};
inline constexpr source triton_backend{18};
inline constexpr source rocprofiler{19};
inline constexpr source llvm{20};
inline constexpr source mesa{21};
inline constexpr source amd_opencl{22};
inline constexpr source rdna_isa{23};
inline constexpr source rocm_pages{24};
inline constexpr source sectors{25};
inline constexpr source primus_turbo{26};
inline constexpr source tag_stage{27};
inline constexpr source sass_document{28};
inline constexpr source whitepapers{29};
inline constexpr source data_sheets{30};

}  // namespace bankmodel::sources

#endif
