// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_DETAIL_MACHINE_CODE_HPP
#define BANKMODEL_HOST_TEXT_DETAIL_MACHINE_CODE_HPP

#include <bankmodel/host/text/text.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <string>

// The names of machines in C++.
namespace bankmodel::detail {

// The name of a record of machines/, its header, and the bank width that it has; empty if the
// machine is none of them.
struct record_in_code {
  std::string name, header;
  int bank_width = 0;
};

inline bool is_record(const machine& record, const machine& m) {
  return m == record ||
         (record.other_bank_width != 0 && m == record.with_bank_width(record.other_bank_width));
}

inline record_in_code record_of(const machine& m) {
  if (m.made_by == vendor::nvidia) {
    constexpr int known[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60, 61,
                             62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};
    for (const int model : known) {
      const machine record = nvidia::compute_capability(model / 10, model % 10);
      if (is_record(record, m))
        return {line_of("bankmodel::nvidia::sm_", std::to_string(model)),
                "bankmodel/machines/nvidia.hpp", record.bank_width};
    }
  } else if (m.made_by == vendor::amd) {
    const machine record = amd::detail::record(m.model);
    const std::string name =
        line_of("bankmodel::amd::", text(record).substr(0, text(record).find(',')));
    const char* const header = "bankmodel/machines/amd.hpp";
    if (record.lanes != 0 && is_record(record, m)) return {name, header, record.bank_width};
    if (m == amd::gfx950_with_64_banks_for_4_bytes)
      return {"bankmodel::amd::gfx950_with_64_banks_for_4_bytes", header, m.bank_width};
    const bool has_wave64 = record.lanes == 32 && m.model >= 0x1010 && m.model <= 0x1201;
    if (has_wave64 && m == amd::in_wave64(record))
      return {line_of("bankmodel::amd::in_wave64(", name, ")"), header, m.bank_width};
  }
  return {};
}

}  // namespace bankmodel::detail

#endif
