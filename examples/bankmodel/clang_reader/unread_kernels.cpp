// SPDX-License-Identifier: MIT
#include "unread_kernels.hpp"

#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>
#include <string>

#include "raw_file.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

// The bytes of the main file at which the names of functions are that the syntax tree has.
class text_function_finder : public syntax_visitor {
 public:
  explicit text_function_finder(const clang::SourceManager& files) : files_(files) {}
  std::set<std::size_t> offsets;

  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    const auto place = files_.getDecomposedLoc(files_.getFileLoc(function->getLocation()));
    if (place.first == files_.getMainFileID()) offsets.insert(place.second);
    return true;
  }

 private:
  const clang::SourceManager& files_;
};

// The token behind the directive whose `#` is this one.
std::size_t after_directive(const raw_file& file, std::size_t hash) {
  std::size_t index = hash + 1;
  while (index < file.count() && !file.begins_line(index)) ++index;
  return index;
}

bool is_directive(const raw_file& file, std::size_t index) {
  return file.is(index, clang::tok::hash) && file.begins_line(index);
}

// The token behind the `)` of the `(` that is this one; count() if there is none.
std::size_t after_parentheses(const raw_file& file, std::size_t open) {
  int depth = 0;
  for (std::size_t index = open; index < file.count(); ++index) {
    depth += file.is(index, clang::tok::l_paren) ? 1 : 0;
    depth -= file.is(index, clang::tok::r_paren) ? 1 : 0;
    if (depth == 0) return index + 1;
  }
  return file.count();
}

struct named_kernel {
  std::size_t name = 0, body = 0;  // tokens; no body: a declaration, or no kernel
};

// The kernel whose `__global__` is this token.
named_kernel kernel_at(const raw_file& file, std::size_t global) {
  constexpr std::size_t most_tokens = 256;  // before its body
  for (std::size_t index = global + 1; index < std::min(file.count(), global + most_tokens);) {
    const bool ends = file.is(index, clang::tok::semi) || file.is(index, clang::tok::l_brace) ||
                      is_directive(file, index);
    if (ends) return {};
    if (!file.is(index, clang::tok::raw_identifier) || !file.is(index + 1, clang::tok::l_paren)) {
      ++index;
      continue;
    }
    // Attributes, and macros for them, have parentheses too.
    const std::size_t next = after_parentheses(file, index + 1);
    if (file.is(next, clang::tok::l_brace)) return {index, next};
    index = next;
  }
  return {};
}

std::string text_of_directive(const raw_file& file, std::size_t hash) {
  const std::size_t end = after_directive(file, hash);
  std::string text = file.text().substr(file.begin(hash), file.end(end - 1) - file.begin(hash));
  // On one line, with one blank between words.
  std::string result;
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    const bool is_continued =
        text[byte] == '\\' && byte + 1 < text.size() && text[byte + 1] == '\n';
    const bool is_blank = is_continued || text[byte] == ' ' || text[byte] == '\t' ||
                          text[byte] == '\n' || text[byte] == '\r';
    if (!is_blank)
      result += text[byte];
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return result;
}

// The directive before this token that left it out, of those from byte `begin` on: of nested ones
// the outermost.
std::size_t condition_of(const raw_file& file, std::size_t token, std::size_t begin) {
  std::size_t result = token;
  // The part of the innermost one that is not closed is known. A condition that ends before the
  // token is one too, until its `#if`: the ones around it come later.
  bool is_found = false;
  for (std::size_t index = token; index-- > 0 && file.begin(index) >= begin;) {
    if (!is_directive(file, index) || !file.is(index + 1, clang::tok::raw_identifier)) continue;
    const std::string word = file.spelling(index + 1);
    if (word.rfind("if", 0) == 0) {
      if (!is_found) result = index;
      is_found = false;
    } else if (!is_found && word.rfind("el", 0) == 0) {
      result = index;
      is_found = true;
    }
  }
  return result;
}

// The first error between these bytes, else the last one before them, else the first of all.
std::string reason_between(std::size_t begin, std::size_t end, const collected_errors& errors,
                           const clang::SourceManager& files) {
  std::string result = errors.errors().front().text;
  for (const collected_errors::error& error : errors.errors()) {
    if (error.location.isInvalid()) continue;
    const auto place = files.getDecomposedExpansionLoc(error.location);
    if (place.first != files.getMainFileID() || place.second > end) continue;
    if (place.second >= begin) return error.text;
    result = error.text;
  }
  return result;
}

// The first token of the declaration that this one is in: `template`.
std::size_t begin_of_declaration(const raw_file& file, std::size_t token) {
  const auto ends = [&](std::size_t index) {
    return file.is(index, clang::tok::semi) || file.is(index, clang::tok::r_brace) ||
           file.is(index, clang::tok::l_brace) || is_directive(file, index);
  };
  while (token > 0 && !ends(token - 1)) --token;
  return token;
}

}  // namespace

kernels_in_text find_unread_kernels(clang::ASTContext& context,
                                    const std::vector<clang::Decl*>& declarations,
                                    const std::vector<clang::SourceRange>& skipped,
                                    const collected_errors& errors) {
  kernels_in_text result;
  const clang::SourceManager& files = context.getSourceManager();
  if (skipped.empty() && errors.errors().empty()) return result;
  text_function_finder functions(files);
  for (clang::Decl* const declaration : declarations) functions.visit_all(declaration);
  std::vector<std::pair<std::size_t, std::size_t>> left_out;
  for (const clang::SourceRange& range : skipped) {
    const auto begin = files.getDecomposedLoc(range.getBegin()),
               end = files.getDecomposedLoc(range.getEnd());
    if (begin.first == files.getMainFileID()) left_out.emplace_back(begin.second, end.second);
  }
  const raw_file file(files, context.getLangOpts());
  for (std::size_t index = 0; index < file.count(); ++index) {
    if (is_directive(file, index)) {  // `#define KERNEL __global__ ..`
      index = after_directive(file, index) - 1;
      continue;
    }
    if (!file.is(index, clang::tok::raw_identifier) || file.spelling(index) != "__global__")
      continue;
    const named_kernel kernel = kernel_at(file, index);
    if (kernel.body == 0) continue;
    const std::size_t byte = file.begin(index);
    const auto region = std::ranges::find_if(left_out, [&](const auto& candidate) {
      return byte > candidate.first && byte < candidate.second;
    });
    const std::string name = file.spelling(kernel.name);
    if (region != left_out.end()) {
      const std::size_t condition = condition_of(file, index, region->first);
      const auto line = [&](std::size_t token) {
        return static_cast<int>(
            files.getLineNumber(files.getMainFileID(), static_cast<unsigned>(file.begin(token))));
      };
      result.skipped.push_back(
          {name, text_of_directive(file, condition), line(index), line(condition)});
    } else if (!errors.errors().empty() && functions.offsets.count(file.begin(kernel.name)) == 0) {
      result.without_parse.push_back(
          {name, reason_between(file.begin(begin_of_declaration(file, index)),
                                file.begin(kernel.body), errors, files)});
    }
  }
  return result;
}

}  // namespace compiled
