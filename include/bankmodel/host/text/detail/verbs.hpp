// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_DETAIL_VERBS_HPP
#define BANKMODEL_HOST_TEXT_DETAIL_VERBS_HPP

#include <bankmodel/model/machine.hpp>

// The words for the kinds of accesses.
namespace bankmodel::detail {

inline const char* instruction_of(access_kind kind) {
  constexpr const char* in_order[] = {"load",       "store",    "atomic",
                                      "ldmatrix",   "stmatrix", "ds_read2",
                                      "ds_read_tr", "cp_async", "cp_async_uncached"};
  return in_order[static_cast<int>(kind)];
}

// The verb in "32 lanes load 4 bytes": load, store, update or copy.
inline const char* verb_of(access_kind kind) {
  switch (kind) {
    case access_kind::store:
    case access_kind::store_matrix: return "store";
    case access_kind::atomic: return "update";
    case access_kind::copy:
    case access_kind::copy_uncached: return "copy";
    default: return "load";
  }
}

}  // namespace bankmodel::detail

#endif
