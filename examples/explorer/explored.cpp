// SPDX-License-Identifier: MIT
#include "explored.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "../bankmodel/compiled/counted_kernel_file.hpp"
#include "../bankmodel/compiled/html/as_html.hpp"
#include "../bankmodel/compiled/launch_arguments.hpp"
#include "../bankmodel/json.hpp"
#include "../bankmodel/known_machines.hpp"
#include "../bankmodel/notation/kernel_heads.hpp"
#include "../bankmodel/notation/macros.hpp"

namespace explorer {

namespace {

namespace bm = bankmodel;
using command_line::joined;
using command_line::json_string;
using command_line::kernel_head;

// Advice that names options of the command line, in the words of the page.
constexpr std::string_view in_our_words[][2] = {
    {"--machine names another", "the list of machines has others"},
    {"; --no-plan takes less", "; without the plan it takes less"},
    {"; give --block</dd>", "; the field block gives another</dd>"},
    {"; give --grid</dd>", "</dd>"},
    {"; give --dynamic-bytes</dd>", "</dd>"},
    {"; --bank-width 8 counts with them", ""},
    {"give them with --dynamic-bytes, or write its extent", "write its extent"},
    {", or write `extern` and give --dynamic-bytes", ""},
    {"name one of them with --kernel, or describe one kernel in a file", "choose one of them"},
    {"make them smaller, or, if the machine has more, allow it with --shared-bytes or "
     "--resident-blocks",
     "make them smaller, or, if the machine has more, use the command line with --shared-bytes"}};

void replace_all(std::string& text, std::string_view pattern, std::string_view replacement) {
  for (std::size_t position = text.find(pattern); position != std::string::npos;
       position = text.find(pattern, position + replacement.size()))
    text.replace(position, pattern.size(), replacement);
}

std::string in_words_of_the_page(std::string text);

// The page's own notes: the text of a kernel stays as it is.
std::string notes_in_words_of_the_page(const std::string& page) {
  std::string result;
  for (std::size_t position = 0; position < page.size();) {
    const std::size_t end = std::min(page.find('\n', position), page.size() - 1) + 1;
    const std::string line = page.substr(position, end - position);
    const bool is_ours =
        line.rfind("<li>note: ", 0) == 0 || line.rfind("<dt>assumption</dt>", 0) == 0;
    result += is_ours ? in_words_of_the_page(line) : line;
    position = end;
  }
  return result;
}

std::string in_words_of_the_page(std::string text) {
  for (const auto& [option, ours] : in_our_words) replace_all(text, option, ours);
  // "; give --arg n=.."
  constexpr std::string_view begin = "; give --arg ", end = "=..</dd>";
  for (std::size_t position = text.find(begin); position != std::string::npos;
       position = text.find(begin, position)) {
    const std::size_t last = text.find(end, position);
    if (last == std::string::npos) break;
    text.replace(position, last + end.size() - position, "; its field gives another</dd>");
  }
  return text;
}

std::string arrays_of(const command_line::kernel_file& kernel) {
  command_line::list result("  ");
  for (const command_line::kernel_array& array : kernel.arrays) {
    const bm::layout& layout = array.description.layout;
    if (array.description.memory != bm::memory_space::shared || layout.rank < 2) continue;
    result.add(joined("{\"name\": ", json_string(array.name),
                      ", \"row\": ", layout.extent[layout.rank - 1],
                      ", \"padding\": ", layout.padding(layout.rank - 2), "}"));
  }
  return joined("[", result.text(), "]");
}

// What the text says of its kernels, also if it cannot be counted.
class kernels_of_text {
 public:
  kernels_of_text(const command_line::source& file, const std::string& wanted) {
    try {
      tokens_ = command_line::with_macros_replaced(file, command_line::tokens_of(file));
      heads_ = command_line::kernel_heads(tokens_);
    } catch (const command_line::refusal&) {  // the answer says why
    }
    const auto is_wanted = [&](const kernel_head& head) { return head.name.text == wanted; };
    chosen_ = std::find_if(heads_.begin(), heads_.end(), is_wanted);
    if (chosen_ == heads_.end()) chosen_ = heads_.begin();
  }

  // Empty without a kernel in C++.
  std::string chosen() const {
    return chosen_ == heads_.end() ? std::string() : std::string(chosen_->name.text);
  }
  bool has_number(const std::string& name) const {
    return chosen_ != heads_.end() &&
           std::any_of(chosen_->parameters.begin(), chosen_->parameters.end(),
                       [&](const auto& parameter) {
                         return parameter.name.text == name && is_number(parameter);
                       });
  }

  // `assumed`: null if the kernel could not be counted; then there are all arguments.
  std::string json(const input& asked,
                   const std::vector<command_line::assumed_value>* assumed) const {
    command_line::list names("  "), arguments("  ");
    for (const kernel_head& head : heads_) names.add(json_string(std::string(head.name.text)));
    if (chosen_ != heads_.end())
      for (const command_line::kernel_parameter& parameter : chosen_->parameters)
        if (is_number(parameter))
          add_argument(std::string(parameter.name.text), asked, assumed, arguments);
    return joined("\"kernels\": [", names.text(), "],\n\"kernel\": ", json_string(chosen()),
                  ",\n\"arguments\": [", arguments.text(), "]");
  }

 private:
  static bool is_number(const command_line::kernel_parameter& parameter) {
    using kind = command_line::kernel_parameter::kind;
    return parameter.is == kind::number || parameter.is == kind::flag;
  }
  static void add_argument(const std::string& name, const input& asked,
                           const std::vector<command_line::assumed_value>* assumed,
                           command_line::list& result) {
    const auto add = [&](const std::string& value, const char* is_assumed) {
      result.add(joined("{\"name\": ", json_string(name), ", \"value\": ", json_string(value),
                        ", \"assumed\": ", is_assumed, "}"));
    };
    for (const auto& [argument, number] : asked.arguments)
      if (argument == name) return add(std::to_string(number), "false");
    if (assumed == nullptr) return add("", "true");
    for (const command_line::assumed_value& assumption : *assumed)
      if (assumption.name == name)
        return add(assumption.value == "true" ? "1" : assumption.value, "true");
  }

  std::vector<command_line::token> tokens_;
  std::vector<kernel_head> heads_;
  std::vector<kernel_head>::const_iterator chosen_;
};

// "32x8" for that, and for "32 8" as the notation has it.
std::string with_crosses(const std::string& block) {
  std::string result;
  for (std::size_t position = block.find_first_not_of(' '); position < block.size();) {
    const std::size_t end = std::min(block.find_first_of(" x", position), block.size());
    result += block.substr(position, end - position);
    // Between two numbers there are blanks, an x, or both.
    position = std::min(block.find_first_not_of(' ', end), block.size());
    const bool has_cross = position < block.size() && block[position] == 'x';
    if (has_cross) position = block.find_first_not_of(' ', position + 1);
    if (has_cross || position < block.size()) result += 'x';
  }
  return result;
}

// Those that the text names, or the one that is taken without.
std::vector<std::string> machines_of(const std::string& text) {
  std::vector<std::string> result;
  try {
    const command_line::source file{"", text};
    const std::vector<command_line::token> tokens = command_line::tokens_of(file);
    for (std::size_t index = 0; index < tokens.size(); ++index)
      if (tokens[index].is("machine") && tokens[index].first_of_line)
        for (++index; index + 1 < tokens.size() && !tokens[index].first_of_line; ++index)
          if (tokens[index].kind == command_line::token_kind::name)
            result.emplace_back(tokens[index].text);
  } catch (const command_line::refusal&) {  // the answer says why
  }
  if (result.empty()) result.emplace_back(command_line::default_machine);
  return result;
}

bool assumes_block(const command_line::kernel_file& kernel) {
  return std::any_of(kernel.assumed.begin(), kernel.assumed.end(),
                     [](const auto& assumption) { return assumption.name == "block"; });
}

}  // namespace

std::string explored(const input& asked) {
  compiled::question question;
  question.file = asked.name;
  question.text = asked.text;
  question.machines = asked.machines;
  if (!asked.beside.empty()) {
    if (question.machines.empty()) question.machines = machines_of(asked.text);
    question.machines.push_back(asked.beside);
  }
  question.padding = asked.padding;
  question.plan = asked.plan;
  question.tell = [&](const std::string& note) { asked.tell(in_words_of_the_page(note)); };
  const command_line::source file{asked.name, asked.text};
  const kernels_of_text kernels(file, asked.kernel);
  // What was typed for another kernel, or for an earlier text, is no argument of this one.
  for (const auto& [name, number] : asked.arguments)
    if (kernels.has_number(name)) question.arguments.push_back(joined(name, "=", number));
  const auto wrong = [&](const std::string& reason) {
    return joined("{\"error\": ", json_string(in_words_of_the_page(reason)), ",\n",
                  kernels.json(asked, nullptr), "}\n");
  };
  try {
    question.block = with_crosses(asked.block);
    (void)compiled::block_of(question.block);
  } catch (const command_line::refusal&) {
    return wrong(
        "the block is not one to three numbers of 1 to 1024 threads; write it as 256, or as 32x8");
  }
  try {
    const compiled::counted_expressions result =
        compiled::counted_expressions_of(question, kernels.chosen());
    compiled::source_lines lines(asked.name);
    lines.give(asked.name, asked.text);
    const compiled::html_parts parts = compiled::html_parts_of(result.counted->pages, lines);
    const command_line::kernel_file& kernel = *result.on_machines.front().kernel;
    return joined("{\"styles\": ", json_string(parts.styles), ",\n\"page\": ",
                  json_string(notes_in_words_of_the_page(parts.definitions + parts.sections)),
                  ",\n\"block\": ", json_string(command_line::option_text(kernel.block)),
                  ",\n\"block_assumed\": ", assumes_block(kernel) ? "true" : "false", ",\n",
                  kernels.json(asked, &kernel.assumed), ",\n\"arrays\": ", arrays_of(kernel),
                  "}\n");
  } catch (const command_line::refusal& failure) {
    return wrong(compiled::text_of_error(question, failure));
  }
}

std::string machines() {
  std::string result;
  for (const bm::machine& machine : command_line::known_machines())
    result += joined(result.empty() ? "" : ", ", json_string(command_line::name_of(machine)));
  return joined("[", result, "]\n");
}

}  // namespace explorer
