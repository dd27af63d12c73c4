// SPDX-License-Identifier: MIT
// Compares the headers that write.cpp wrote with the plans that they are of: check [few]. That the
// totals are those of the plans, the guards have checked when this was compiled.
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace {
struct compiled {
  const char* name;
  std::vector<bankmodel::layout> layouts;
  std::vector<long long> offsets;
  long long bytes, alignment, bank_width;
  std::vector<std::string> (*accesses)();
  bool (*holds)();  // null if the guards hold every access
};
}  // namespace

#include "all.hpp"  // what write.cpp wrote

namespace bm = bankmodel;

namespace {

int wrong = 0, accesses = 0;

void compare(const compiled& one, const char* what, bool same) {
  if (!same) ++wrong, std::printf("%s: another %s\n", one.name, what);
}

// powers() of constants is compiled as the direction that it has.
template <class Access>
std::string text_as_compiled(Access access) {
  for (int at = 0; at < access.depth; ++at) {
    bm::wrapper& w = access.wrappers[at];
    const auto is_constant = [&](const bm::slice& s) {
      return bm::detail::is_constant(access.nodes, s);
    };
    if (w.kind == bm::wrapper_kind::powers && is_constant(w.first) && is_constant(w.last))
      w.kind = bm::wrapper_kind::powers_up;
  }
  access.array.name = {};
  return bm::text(access);
}

}  // namespace

int main(int count, char**) {
  std::size_t next = 0;
  written::for_each_kernel(count > 1, [&](const bm::machine&, const bm::machine_in_code&,
                                          const auto& kernel, const auto& plan) {
    const compiled& one = written_plans[next++];
    compare(one, "number of arrays", one.layouts.size() == static_cast<std::size_t>(plan.arrays()));
    for (int at = 0; at < plan.arrays(); ++at) {
      compare(one, "layout", one.layouts[static_cast<std::size_t>(at)] == plan.layout(at));
      compare(one, "offset", one.offsets[static_cast<std::size_t>(at)] == plan.offset_bytes(at));
    }
    compare(one, "size", one.bytes == plan.bytes() && one.alignment == plan.alignment());
    compare(one, "bank width", one.bank_width == plan.bank_width());
    compare(one, "total", one.holds == nullptr || one.holds());
    const auto texts = one.accesses();
    std::size_t access = 0;
    bm::for_each_access(kernel, [&](const auto& each) {
      const std::string is = texts.at(access++), wanted = text_as_compiled(each);
      compare(one, (is + " instead of " + wanted).c_str(), is == wanted);
      ++accesses;
    });
  });
  compare(written_plans[0], "number of plans", next == std::size(written_plans));
  std::printf("%d plans with %d accesses, %d differences\n", static_cast<int>(next), accesses,
              wrong);
  return wrong != 0;
}
