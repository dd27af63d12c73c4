// SPDX-License-Identifier: MIT
// Writes plans as headers: write FOLDER [few]. all.hpp has them all, with what check.cpp compares.
#include <cstdio>
#include <fstream>
#include <string>

#include "kernels.hpp"

namespace bm = bankmodel;

int main(int count, char** arguments) {
  if (count < 2) return std::fputs("write FOLDER [few]\n", stderr), 2;
  const std::string folder = arguments[1];
  std::string includes, guards, table;
  int number = 0, long_ones = 0;
  written::for_each_kernel(count > 2, [&](const bm::machine& m, const bm::machine_in_code& name,
                                          const auto& kernel, const auto& plan) {
    const std::string id = "plan_" + std::to_string(number);
    const std::string text = bm::code(m, kernel, plan, id, name);
    std::ofstream(folder + "/" + id + ".hpp") << text;
    const bool is_long = text.find("inline bool holds()") != std::string::npos;
    long_ones += is_long;
    includes += "#include \"" + id + ".hpp\"\n";

    std::vector<std::string> ids;
    std::string layouts, offsets;
    for (int array = 0; array < plan.arrays(); ++array) {
      ids.push_back(bm::detail::identifier_like(bm::text(plan.array(array).declared.name), ids));
      layouts += id + "::" + ids.back() + "_layout, ";
      offsets += id + "::" + ids.back() + "_offset, ";
    }
    guards += "namespace " + id +
              "::guard {\ninline std::vector<std::string> accesses() {\n  using namespace "
              "bankmodel::index;\n  return {";
    bm::for_each_access(kernel, [&](const auto& access) {
      std::size_t array = 0;
      while (plan.array(static_cast<int>(array)).declared.name != access.array.name) ++array;
      const auto view = bm::detail::view_of(access);
      const std::string words = bm::detail::access_code(view, ids[array]).text();
      guards += access.kind == bm::access_kind::load_pair
                    ? "bankmodel::text(bankmodel::ds_read2(" + words + ", " + words + ").first),\n"
                    : "bankmodel::text(" + words + "),\n";
    });
    guards += "  };\n}\n}\n";
    table += "    {\"" + id + "\", {" + layouts + "}, {" + offsets + "}, " + id + "::bytes, " + id +
             "::alignment, " + id + "::bank_width, " + id + "::guard::accesses, " +
             (is_long ? id + "::guard::holds" : "nullptr") + "},\n";
    ++number;
  });
  std::ofstream(folder + "/all.hpp")
      << includes << guards << "inline const compiled written_plans[] = {\n"
      << table << "};\n";
  std::printf("%d headers, %d with accesses that are counted by holds()\n", number, long_ones);
  return number < 50 || long_ones == 0;
}
