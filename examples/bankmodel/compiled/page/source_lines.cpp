// SPDX-License-Identifier: MIT
#include "source_lines.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "../../source.hpp"

namespace compiled {

namespace {

std::vector<std::string> lines_of(std::istream& stream) {
  std::vector<std::string> result;
  for (std::string text; std::getline(stream, text);) {
    if (!text.empty() && text.back() == '\r') text.pop_back();
    result.push_back(text);
  }
  return result;
}

}  // namespace

void source_lines::give(const std::string& file, const std::string& text) {
  std::istringstream stream(text);
  files_[file] = {file, lines_of(stream)};
}

const source_lines::file_lines& source_lines::read(const std::string& file) {
  auto [entry, is_new] = files_.try_emplace(file);
  if (!is_new) return entry->second;
  entry->second.path = file;
  for (const std::filesystem::path& path :
       {std::filesystem::path(file),
        std::filesystem::path(beside_).parent_path() / std::filesystem::path(file).filename()}) {
    std::ifstream stream(path);
    entry->second.lines = lines_of(stream);
    if (entry->second.lines.empty()) continue;
    entry->second.path = path.string();
    break;
  }
  return entry->second;
}

const std::vector<std::string>& source_lines::text_lines(const std::string& file) {
  return read(file).lines;
}

std::string source_lines::path(const std::string& file) { return path_from_here(read(file).path); }

std::string source_lines::line(const std::string& file, int number) {
  const std::vector<std::string>& lines = text_lines(file);
  const auto index = static_cast<std::size_t>(number) - 1;
  return number < 1 || index >= lines.size() ? "" : lines[index];
}

std::string source_lines::line_of(const kernel_code& kernel, const place& position) {
  const std::string text = line(file_of(kernel, position), position.line);
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::string file_of(const kernel_code& kernel, const place& position) {
  const auto number = static_cast<std::size_t>(position.file);
  return position.file < 0 || number >= kernel.files.size() ? "" : kernel.files[number];
}

bool is_source(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  constexpr std::string_view endings[] = {".cu",  ".cuh", ".hip", ".cpp", ".cc",
                                          ".cxx", ".h",   ".hpp", ".hxx", ".inl"};
  return includes(endings, ending);
}

bool is_compiled(const std::string& file) {
  return is_source(file) || std::filesystem::path(file).extension() == ".ptx";
}

std::string path_from_here(const std::string& file) {
  std::error_code none;  // a browser has no folder
  const std::filesystem::path path(file),
      relative = path.lexically_proximate(std::filesystem::current_path(none));
  const bool is_below = relative.empty() || *relative.begin() != "..";
  return (is_below ? relative : path).lexically_normal().string();
}

namespace {

// The line and the column after a path.
std::string with_numbers(const std::string& path, const place& position) {
  return command_line::joined(
      path.empty() ? "line " : path, path.empty() ? "" : ":", position.line,
      position.column > 0 ? command_line::joined(":", position.column) : "");
}

}  // namespace

std::string text_with_path(const kernel_code& kernel, const place& position) {
  if (position.line <= 0) return kernel.name;
  const std::string file = file_of(kernel, position);
  return with_numbers(file.empty() ? "" : path_from_here(file), position);
}

std::string source_lines::text_of(const kernel_code& kernel, const place& position) {
  if (position.line <= 0) return kernel.name;
  const std::string file = file_of(kernel, position);
  return with_numbers(file.empty() ? "" : path(file), position);
}

}  // namespace compiled
