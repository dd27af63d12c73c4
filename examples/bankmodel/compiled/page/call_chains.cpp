// SPDX-License-Identifier: MIT
#include "call_chains.hpp"

#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "../../utf8.hpp"

namespace compiled {

using command_line::json_string;

namespace {

constexpr std::size_t most_chains = 3, most_places = 6;

std::string text_of_chain(const page& kernel_page, const std::vector<place>& chain,
                          const place& shown, source_lines& lines) {
  const auto text = [&](const place& location) {
    return command_line::printable(lines.text_of(*kernel_page.kernel, location));
  };
  std::string result = chain.front() == shown ? "" : joined("in ", text(chain.front()), ", ");
  const std::size_t left_out = chain.size() > most_places ? chain.size() - most_places : 0;
  result += "called at ";
  for (std::size_t number = 1; number < chain.size(); ++number) {
    if (left_out > 0 && number == 2) {
      result += joined(", through ", bm::detail::counted_in_words(left_out, "more call"));
      number += left_out - 1;
      continue;
    }
    result += joined(number == 1                  ? ""
                     : number + 1 == chain.size() ? " and "
                                                  : ", ",
                     text(chain[number]));
  }
  return result;
}

}  // namespace

std::vector<std::vector<place>> call_chains(const page& kernel_page, const priced_access& access) {
  std::vector<std::vector<place>> result;
  for (const int number : access.calls) {
    const std::vector<place>& chain = kernel_page.kernel->calls[slot(number)];
    if (chain.size() > 1 && !includes(result, chain)) result.push_back(chain);
  }
  return result;
}

std::vector<std::string> texts_of_calls(const page& kernel_page, const priced_access& access,
                                        source_lines& lines) {
  const std::vector<std::vector<place>> chains = call_chains(kernel_page, access);
  std::vector<std::string> result;
  const std::size_t shown = chains.size() > most_chains ? most_chains - 1 : chains.size();
  for (std::size_t number = 0; number < shown; ++number)
    result.push_back(text_of_chain(kernel_page, chains[number], access.first->location, lines));
  if (shown < chains.size())
    result.push_back(joined("called in ",
                            bm::detail::counted_in_words(chains.size() - shown, "more way"),
                            ", which --json has"));
  return result;
}

std::string json_of_calls(const page& kernel_page, const priced_access& access) {
  std::string chains;
  for (const std::vector<place>& chain : call_chains(kernel_page, access)) {
    std::string places;
    for (const place& call : chain)
      places += joined(places.empty() ? "" : ", ",
                       "{\"file\": ", json_string(file_of(*kernel_page.kernel, call)),
                       ", \"line\": ", call.line, ", \"column\": ", call.column, "}");
    chains += joined(chains.empty() ? "" : ", ", "[", places, "]");
  }
  return chains.empty() ? "" : joined(", \"calls\": [", chains, "]");
}

}  // namespace compiled
