// SPDX-License-Identifier: MIT
#include "compile_commands.hpp"

#include <llvm/Support/Allocator.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/StringSaver.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "../compiled/build/compiler_flags.hpp"
#include "../file_content.hpp"

namespace compiled {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_words = 1 << 16;  // of one command
constexpr int most_nested_files = 16;        // of words, one in another

std::vector<std::string> words_of(llvm::StringRef text) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 64> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  return {words.begin(), words.end()};
}

// The words, with those of files in place of their names.
class expanded_words {
 public:
  expanded_words(std::string directory, std::vector<std::string>& faults)
      : directory_(std::move(directory)), faults_(faults) {}

  void add(const std::vector<std::string>& words, int depth = 0) {
    for (std::size_t index = 0; index < words.size() && result.size() < most_words; ++index) {
      const std::string& word = words[index];
      const bool is_next = word == "--options-file" || word == "-optf";
      if (is_next && index + 1 < words.size())
        add_file(words[++index], depth);
      else if (constexpr std::string_view option = "--options-file="; word.rfind(option, 0) == 0)
        add_file(word.substr(option.size()), depth);
      else if (word.size() > 1 && word[0] == '@')
        add_file(word.substr(1), depth);
      else
        result.push_back(word);
    }
  }
  std::vector<std::string> result;

 private:
  void add_file(const std::string& name, int depth) {
    const std::string path = absolute_in(directory_, name);
    std::error_code none;
    if (!fs::is_regular_file(path, none))
      faults_.push_back("there is no file " + path + ", which has more options");
    else if (depth == most_nested_files)
      faults_.push_back(path + " names files of options that name each other");
    else
      add(words_of(command_line::file_content(path)), depth + 1);
  }

  std::string directory_;
  std::vector<std::string>& faults_;
};

// The words of an entry before files are put in; empty: it has none, and `fault` says why.
std::vector<std::string> given_words(const llvm::json::Object& entry, std::string& fault) {
  if (const llvm::json::Array* const arguments = entry.getArray("arguments")) {
    std::vector<std::string> result;
    for (const llvm::json::Value& argument : *arguments) {
      const auto text = argument.getAsString();
      if (!text) {
        fault = "\"arguments\" are not texts";
        return {};
      }
      result.push_back(text->str());
    }
    if (result.empty()) fault = "\"arguments\" has no words";
    return result;
  }
  const auto command = entry.getString("command");
  if (!command) {
    fault = "it has neither \"command\" nor \"arguments\"";
    return {};
  }
  std::vector<std::string> result = words_of(*command);
  if (result.empty()) fault = "\"command\" has no words";
  return result;
}

// None: `fault` says why.
std::optional<compile_command> command_in(const llvm::json::Value& value, std::string& fault,
                                          std::vector<std::string>& missing) {
  const llvm::json::Object* const entry = value.getAsObject();
  if (entry == nullptr) {
    fault = "it is no object";
    return std::nullopt;
  }
  const auto directory = entry->getString("directory"), file = entry->getString("file");
  if (!directory || !file) {
    fault = !file ? "it has no \"file\"" : "it has no \"directory\"";
    return std::nullopt;
  }
  const std::vector<std::string> words = given_words(*entry, fault);
  if (words.empty()) return std::nullopt;
  expanded_words expanded(directory->str(), missing);
  expanded.add(words);
  return compile_command{directory->str(), absolute_in(directory->str(), file->str()),
                         std::move(expanded.result)};
}

}  // namespace

compile_commands read_compile_commands(const std::string& path) {
  compile_commands result;
  result.path = path;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(command_line::file_content(path));
  if (!parsed) {
    result.faults.push_back("it is no JSON: " + llvm::toString(parsed.takeError()));
    return result;
  }
  const llvm::json::Array* const entries = parsed->getAsArray();
  if (entries == nullptr) {
    result.faults.push_back("it is no array of entries");
    return result;
  }
  for (std::size_t number = 0; number < entries->size(); ++number) {
    std::string fault;
    std::vector<std::string> missing;
    const std::string name = "entry " + std::to_string(number + 1);
    if (auto command = command_in((*entries)[number], fault, missing)) {
      for (const std::string& file : missing)
        result.faults.push_back(name + ", of " + command->file + ": " + file);
      result.commands.push_back(std::move(*command));
    } else {
      result.faults.push_back(name + " is left out: " + fault);
    }
  }
  return result;
}

}  // namespace compiled
