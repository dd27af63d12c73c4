// SPDX-License-Identifier: MIT
#include "explored.hpp"

#include <string_view>

#include "../bankmodel/answer.hpp"
#include "../bankmodel/html.hpp"
#include "../bankmodel/json.hpp"
#include "../bankmodel/known_machines.hpp"

namespace explorer {

namespace {

namespace bm = bankmodel;
using command_line::answer;
using command_line::finding;
using command_line::joined;
using command_line::json_string;

// Advice that names options of the command line, in the words of the page.
constexpr std::string_view in_our_words[][2] = {
    {"--machine names another", "the list of machines has others"},
    {"; --no-plan takes less", "; without the plan it takes less"},
    {"give them with --dynamic-bytes, or write its extent", "write its extent"},
    {", or write `extern` and give --dynamic-bytes", ""},
    {"make them smaller, or, if the machine has more, allow it with --shared-bytes or "
     "--resident-blocks",
     "make them smaller, or, if the machine has more, use the command line with --shared-bytes"}};

std::string in_words_of_the_page(std::string text) {
  for (const auto& [option, ours] : in_our_words)
    for (std::size_t at = text.find(option); at != std::string::npos;
         at = text.find(option, at + ours.size()))
      text.replace(at, option.size(), ours);
  return text;
}

std::string arrays(const command_line::kernel_file& kernel) {
  std::string result;
  for (const command_line::kernel_array& one : kernel.arrays) {
    const bm::layout& layout = one.description.layout;
    if (one.description.memory != bm::memory_space::shared || layout.rank < 2) continue;
    result += joined(result.empty() ? "" : ", ", "{\"name\": ", json_string(one.name),
                     ", \"row\": ", layout.extent[layout.rank - 1],
                     ", \"padding\": ", layout.padding(layout.rank - 2), "}");
  }
  return joined("[", result, "]");
}

// The picture, or an empty text and the reason in `refused`.
template <class Draw>
std::string picture(const char* name, std::string& refused, const Draw& draw) {
  try {
    return command_line::in_page(draw(), name);
  } catch (const command_line::refusal& why) {
    refused = why.wrong;
    return {};
  }
}

std::string pictures(const finding& of, const std::optional<std::size_t>& wanted) {
  const command_line::kernel_file& kernel = *of.kernel;
  const std::size_t access =
      wanted && *wanted < kernel.accesses.size() ? *wanted : command_line::drawn_access(of);
  std::string refused;
  const std::string declared =
      picture("declared", refused, [&] { return command_line::drawn(of, access); });
  std::string planned;
  if (of.planning.plan != nullptr && !kernel.accesses[access].is_global())
    planned = picture("planned", refused, [&] { return drawn_as_planned(of, access); });
  return joined("\"drawn\": ", access, ",\n\"declared\": ", json_string(declared),
                ",\n\"planned\": ", json_string(planned), ",\n\"refused\": ", json_string(refused));
}

}  // namespace

std::string explored(const input& asked) {
  command_line::question question;
  if (!asked.machine.empty()) question.machines.push_back(asked.machine);
  question.padding = asked.padding;
  question.plan = asked.plan;
  question.as = command_line::format::json;
  question.tell = [&](const std::string& note) { asked.tell(in_words_of_the_page(note)); };
  const command_line::source of{asked.name, asked.text};
  const answer found =
      command_line::answer_to(of, question, [&](const std::vector<finding>& all, answer& to) {
        to.out =
            joined("{\"answer\": ", in_words_of_the_page(command_line::as_json(of, all, question)),
                   ",\n\"arrays\": ", arrays(*all.front().kernel), ",\n",
                   pictures(all.front(), asked.access), "}\n");
      });
  if (found.code == command_line::fine) return found.out;
  return joined("{\"error\": ", json_string(in_words_of_the_page(found.error)), "}\n");
}

std::string machines() {
  std::string result;
  for (const bm::machine& one : command_line::known_machines())
    result += joined(result.empty() ? "" : ", ", json_string(command_line::name_of(one)));
  return joined("[", result, "]\n");
}

}  // namespace explorer
