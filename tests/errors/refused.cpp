// SPDX-License-Identifier: MIT
// The wrong calls of each refused.cpp at run time: each breaks the rule that it is listed with.
#include "refused.hpp"

#include <bankmodel/core/error.hpp>
#include <string>

#include "catch.hpp"

TEST_CASE("each wrong call breaks the rule that it is listed with") {
  int calls = 0;
  for (const refusal* list : {refusals_of_model, refusals_of_machines, refusals_of_layouts,
                              refusals_of_interop, refusals_of_kernels, refusals_of_totals,
                              refusals_of_global_memory, refusals_of_searches, refusals_of_reports})
    for (const refusal* entry = list; entry->rule != nullptr; ++entry, ++calls) {
      if (entry->wrong == nullptr) continue;
      INFO("call " << entry - list << " of a list, of the rule " << entry->rule);
      try {
        entry->wrong();
        FAIL_CHECK("the call breaks no rule");
      } catch (const bankmodel::error& e) {
        CHECK(std::string(e.rule()) == entry->rule);
      }
    }
  CHECK(calls >= 170);
}
