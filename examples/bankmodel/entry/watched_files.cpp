// SPDX-License-Identifier: MIT
#include "watched_files.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>

#include "../sequences.hpp"

namespace command_line {

namespace fs = std::filesystem;

namespace {

// An editor that writes a file in several steps is done after it.
constexpr auto between_looks = std::chrono::milliseconds(100);

// Of all that may be beside a file: a log of this program may be too.
bool is_source(const fs::path& path) {
  static const std::set<std::string> endings = {".cu",  ".cuh", ".hip", ".ptx", ".kernel",
                                                ".h",   ".hh",  ".hpp", ".hxx", ".inl",
                                                ".inc", ".cpp", ".cc",  ".cxx", ".toml"};
  return endings.count(path.extension().string()) > 0;
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

void add_time(const fs::directory_entry& entry, file_times& times) {
  std::error_code failure;
  if (is_hidden(entry.path()) || !is_source(entry.path()) || !entry.is_regular_file(failure))
    return;
  const auto time = entry.last_write_time(failure);
  if (!failure) times[entry.path().string()] = time;
}

void add_folder(const fs::path& folder, bool is_deep, file_times& times) {
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    if (entry->is_directory(failure) && (!is_deep || is_hidden(entry->path())))
      entry.disable_recursion_pending();
    add_time(*entry, times);
  }
}

// The files that the program writes itself.
std::vector<std::string> outputs_of(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string_view option : {"--html", "--svg", "--plan-header", "--write-baseline"})
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == option && i + 1 < words.size())
        result.push_back(words[i + 1]);
      else if (words[i].starts_with(option) && words[i][option.size()] == '=')
        result.push_back(words[i].substr(option.size() + 1));
  return result;
}

}  // namespace

file_times times_of_files(const std::vector<std::string>& words) {
  file_times result;
  std::error_code failure;
  const std::vector<std::string> outputs = outputs_of(words);
  for (const std::string& word : words) {
    if (word.empty() || word[0] == '-' || includes(outputs, word)) continue;
    if (fs::is_directory(word, failure)) {
      add_folder(word, true, result);
    } else if (fs::is_regular_file(word, failure)) {
      const fs::path folder = fs::path(word).parent_path();
      add_folder(folder.empty() ? "." : folder, false, result);
      if (const auto time = fs::last_write_time(word, failure); !failure) result[word] = time;
    }
  }
  const auto is_output = [&](const std::string& path) {
    return std::ranges::any_of(outputs, [&](const std::string& output) {
      return fs::absolute(output, failure).lexically_normal() ==
             fs::absolute(path, failure).lexically_normal();
    });
  };
  std::erase_if(result, [&](const auto& entry) { return is_output(entry.first); });
  return result;
}

void wait_for_change(const std::vector<std::string>& words, const file_times& previous) {
  while (times_of_files(words) == previous) std::this_thread::sleep_for(between_looks);
  for (file_times last = previous, current = times_of_files(words); current != last;
       current = times_of_files(words)) {
    last = current;
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace command_line
