// SPDX-License-Identifier: MIT
#include "kernel_file_page.hpp"

#include <vector>

#include "html/as_html.hpp"
#include "kernel_file_pages.hpp"
#include "page/formats.hpp"
#include "page/reported.hpp"

namespace compiled {

command_line::answer answer_about_kernel_file(const command_line::source& of,
                                              const command_line::question& asked, bool html,
                                              const command_line::text_shape& shape) {
  using command_line::format;
  const auto shown = [&](const std::vector<command_line::finding>& found,
                         command_line::answer& to) {
    command_line::show(of, found, asked, to);
    const bool is_page =
        asked.as == format::html || asked.as == format::sarif || asked.as == format::source;
    if (!is_page && !html && !asked.report) return;
    const kernel_file_pages made = pages_of_kernel_file(of, found, asked);
    const std::vector<page>& pages = made.pages;
    source_lines lines(of.name);
    lines.give(of.name, of.text);
    if (asked.report) to.report = project::text_of(report_of(pages, {}, lines, of.name));
    if (html) to.html = as_html(pages, lines, of.name);
    if (asked.as == format::html) to.out = as_html(pages, lines, of.name);
    if (asked.as == format::sarif) to.out = as_sarif(pages, lines, {of.name, asked.rules_address});
    if (asked.as == format::source) to.out = as_source(pages, lines, shape);
  };
  return command_line::answer_to(of, asked, shown);
}

}  // namespace compiled
