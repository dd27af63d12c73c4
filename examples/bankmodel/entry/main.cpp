// SPDX-License-Identifier: MIT
// bankmodel: prints the cost of a kernel's accesses to shared memory, and the layout that costs
// least, from a kernel file, compiled code or source.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "../editor/server.hpp"
#include "../progress_line.hpp"
#include "../reorganize/reorganize.hpp"
#include "../sequences.hpp"
#include "answers.hpp"
#include "colours.hpp"
#include "options.hpp"
#include "watched_files.hpp"

namespace {

using command_line::input_error;
using command_line::refusal;

std::string with_colours(const std::string& note) {
  static const bool has_colours = command_line::wants_colours(STDERR_FILENO);
  return has_colours ? command_line::coloured(note) : note;
}
void tell(const std::string& note) { std::fputs(with_colours(note).c_str(), stderr); }

// Of a longer input than a file may be, it returns so much that it is seen to be too long.
// Error: it is a terminal, and no argument names it.
std::string standard_input(bool is_named) {
  if (!is_named && isatty(STDIN_FILENO) != 0)
    throw input_error("no kernel", "name a file, or pipe one in, or see --help");
  std::string result;
  char piece[1 << 16];
  for (ssize_t size = 1; size > 0 && result.size() <= compiled::most_bytes;) {
    size = ::read(STDIN_FILENO, piece, sizeof piece);
    if (size > 0) result.append(piece, static_cast<std::size_t>(size));
  }
  return result;
}

// With a line on the terminal while it takes long.
command_line::answer answer_with_progress(const std::vector<std::string>& words,
                                          command_line::surroundings context) {
  if (isatty(STDERR_FILENO) == 0) return command_line::answer_to_words(words, context);
  command_line::progress_line line(stderr, std::chrono::seconds(2));
  context.tell = [&](const std::string& note) { line.write(with_colours(note)); };
  context.input = [&, read = context.input](bool is_named) {
    line.hold(true);
    std::string text = read(is_named);
    line.hold(false);
    return text;
  };
  context.progress = [&](std::size_t done, std::size_t total, const char* unit) {
    line.tell(done, total, unit);
  };
  return command_line::answer_to_words(words, context);
}

// Returns the exit code.
int answer(const std::vector<std::string>& words) {
  command_line::answer result =
      answer_with_progress(words, {standard_input, tell, {}, command_line::shape_of_output()});
  if (result.is_text && command_line::wants_colours(STDOUT_FILENO))
    result.output = command_line::coloured(result.output);
  std::fputs(result.output.c_str(), stdout);
  if (std::fflush(stdout) != 0) {
    result.code = command_line::bad_input;
    result.error += command_line::text_without_place({{}, "cannot write to standard output", ""});
  }
  tell(result.error);
  return result.code;
}

// Answers again whenever a file changes, until the program is ended.
int watch(std::vector<std::string> words) {
  std::erase(words, "--watch");
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  for (;;) {
    // What changes while it is counted is counted again.
    const command_line::file_times times = command_line::times_of_files(words);
    if (times.empty()) {
      tell("bankmodel: error: --watch has no file to look at; name a file or a folder\n");
      return command_line::bad_input;
    }
    if (is_terminal) std::fputs("\033[2J\033[H", stdout);  // clears it
    answer(words);
    command_line::wait_for_change(words, times);
  }
}

// The options about a document, which the other words are.
// Error: a word is wrong, or names a file.
command_line::options options_about(std::vector<std::string> words, const std::string& file) {
  words.push_back(file);
  command_line::options result = command_line::options_of(words, standard_input, tell);
  if (result.printed.empty() && (result.files.size() != 1 || result.file != file))
    throw input_error("--lsp is given with a file", "leave it out: the editor names its documents");
  return result;
}

int serve_editor(std::vector<std::string> words) {
  std::erase(words, "--lsp");
  // What is wrong with them is wrong with each document. The project's file may be mended.
  std::vector<std::string> alone = words;
  if (std::ranges::none_of(words, [](const std::string& word) {
        return word.starts_with("--config") || word == "--no-config";
      }))
    alone.push_back("--no-config");
  const command_line::options sample = options_about(alone, "document.cu");
  if (!sample.printed.empty()) {
    std::fputs(sample.printed.c_str(), stdout);
    return command_line::fine;
  }
  return editor::serve([&](const std::string& file) {
    command_line::options arguments = options_about(words, file);
    arguments.asked.tell = tell;
    return arguments.asked;
  });
}

int run(const std::vector<std::string>& words, int count, char** arguments) {
  if (!words.empty() && words[0] == "reorganize")
    return reorganizing::run(count - 1, arguments + 1);
  if (command_line::includes(words, "--lsp")) return serve_editor(words);
  if (command_line::includes(words, "--watch")) return watch(words);
  return answer(words);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(std::vector<std::string>(arguments + 1, arguments + count), count, arguments);
  } catch (const refusal& reason) {
    tell(command_line::text_without_place(reason));
    return command_line::bad_input;
  }
}
