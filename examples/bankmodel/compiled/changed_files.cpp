// SPDX-License-Identifier: MIT
#include "changed_files.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "../file_content.hpp"
#include "build/paths.hpp"
#include "build/project_headers.hpp"
#include "plan/plan_edits.hpp"

namespace compiled {

namespace {

// A header that was asked about is read through a file that includes it.
const std::string& file_to_compile(const question& asked) {
  return asked.unit.empty() ? asked.file : asked.unit;
}

// Several kernels ask about the same header at the same time, and a project may have many files.
std::vector<std::string> users_of(const std::string& header) {
  static std::mutex asking;
  static std::map<std::string, std::vector<std::string>> known;
  const std::lock_guard held(asking);
  const auto [entry, is_new] = known.try_emplace(header);
  if (is_new) entry->second = files_that_include(header);
  return entry->second;
}

}  // namespace

const std::string& declaring_file(const question& asked, const code_array& array) {
  return array.source.header.empty() ? asked.file : array.source.header;
}

std::string text_to_change(const question& asked, const std::string& file) {
  return file == asked.file ? asked.text : command_line::file_content(file);
}

std::string reason_against_files(const question& asked, const std::vector<text_edit>& edits) {
  changed_texts texts;
  for (const text_edit& edit : edits) {
    const std::string& file = edit.piece.file;
    const std::string& compiled_file = file_to_compile(asked);
    if (file != compiled_file && users_of(canonical(file)) != std::vector{canonical(compiled_file)})
      return joined("it is declared or used in ", std::filesystem::path(file).filename().string(),
                    ", which other files may include");
    const auto [text, is_new] = texts.try_emplace(file);
    if (is_new) text->second = text_to_change(asked, file);
    if (edit.piece.offset > text->second.size() ||
        text->second.compare(edit.piece.offset, edit.piece.text.size(), edit.piece.text) != 0)
      return joined("the text of ", file, " is another one");
  }
  return {};
}

std::string reason_against_receivers(const question& asked, const array_source& source) {
  const auto received = std::ranges::find_if(
      source.uses, [](const subscripted_use& use) { return !use.receiver.empty(); });
  if (received == source.uses.end() || users_of(canonical(asked.file)).empty()) return {};
  return joined("`", received->receiver, "` is a function of ",
                std::filesystem::path(asked.file).filename().string(), ", which ",
                std::filesystem::path(users_of(canonical(asked.file))[0]).filename().string(),
                " includes");
}

changed_texts texts_with(const question& asked, const std::vector<text_edit>& edits) {
  std::map<std::string, std::vector<text_edit>> of_files;
  for (const text_edit& edit : edits) of_files[edit.piece.file].push_back(edit);
  changed_texts result;
  for (const auto& [file, own] : of_files) result[file] = edited(text_to_change(asked, file), own);
  return result;
}

void set_texts(const changed_texts& changed, question& request) {
  request.header_contents = changed;
  const auto own = request.header_contents.extract(file_to_compile(request));
  if (!own.empty())
    request.contents = own.mapped();
  else if (request.unit.empty())
    request.contents = request.text;
}

}  // namespace compiled
