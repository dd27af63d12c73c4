// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "code.hpp"

namespace compiled {

// The names of a special value: in PTX, behind __bankmodel_special_ in the prelude, and behind
// llvm.amdgcn.; empty where there is none.
struct special_name {
  special value;
  std::string_view ptx, prelude, amd;
};
constexpr special_name special_names[] = {
    {special::thread_x, "%tid.x", "thread_x", "workitem.id.x"},
    {special::thread_y, "%tid.y", "thread_y", "workitem.id.y"},
    {special::thread_z, "%tid.z", "thread_z", "workitem.id.z"},
    {special::block_x, "%ctaid.x", "block_x", "workgroup.id.x"},
    {special::block_y, "%ctaid.y", "block_y", "workgroup.id.y"},
    {special::block_z, "%ctaid.z", "block_z", "workgroup.id.z"},
    {special::threads_x, "%ntid.x", "threads_x", ""},
    {special::threads_y, "%ntid.y", "threads_y", ""},
    {special::threads_z, "%ntid.z", "threads_z", ""},
    {special::blocks_x, "%nctaid.x", "blocks_x", ""},
    {special::blocks_y, "%nctaid.y", "blocks_y", ""},
    {special::blocks_z, "%nctaid.z", "blocks_z", ""},
    {special::lane, "%laneid", "lane", ""},
    {special::warp, "%warpid", "warp", ""},
    {special::warp_size, "WARP_SZ", "", "wavefrontsize"},
    {special::lanes_equal, "%lanemask_eq", "", ""},
    {special::lanes_below, "%lanemask_lt", "", ""},
    {special::lanes_up_to, "%lanemask_le", "", ""},
    {special::lanes_above, "%lanemask_gt", "", ""},
    {special::lanes_from, "%lanemask_ge", "", ""},
    {special::dynamic_shared_bytes, "%dynamic_smem_size", "", ""}};

}  // namespace compiled
