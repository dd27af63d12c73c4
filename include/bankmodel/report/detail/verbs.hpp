// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_VERBS_HPP
#define BANKMODEL_REPORT_DETAIL_VERBS_HPP

#include <bankmodel/model/machine.hpp>

// The words for the kinds of accesses.
namespace bankmodel::detail {

inline const char* instruction_of(access_kind kind) {
  constexpr const char* in_order[] = {"load",     "store",    "atomic",    "ldmatrix",
                                      "stmatrix", "ds_read2", "ds_read_tr"};
  return in_order[static_cast<int>(kind)];
}

// The verb in "32 lanes load 4 bytes": load, store or update.
inline const char* verb_of(access_kind kind) {
  return kind == access_kind::store || kind == access_kind::store_matrix ? "store"
         : kind == access_kind::atomic                                   ? "update"
                                                                         : "load";
}

}  // namespace bankmodel::detail

#endif
