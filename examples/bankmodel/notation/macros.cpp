// SPDX-License-Identifier: MIT
#include "macros.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "../sequences.hpp"

namespace command_line {

namespace {

// With the macros that it comes from, which it does not name again: their "hide set" in D.
// Prosser's algorithm, after which C's preprocessor was written down.
struct hiding_token {
  token is;
  std::vector<std::string_view> hidden = {};
};
using hiding_tokens = std::deque<hiding_token>;

struct macro {
  bool has_parameters = false, is_variadic = false;
  std::vector<std::string_view> parameters;
  std::vector<token> body;
};

bool has(const std::vector<std::string_view>& names, std::string_view name) {
  return includes(names, name);
}

class macro_replacer {
 public:
  macro_replacer(const source& input, const std::vector<token>& stream)
      : text_(input.text), tokens_(stream) {}

  std::vector<token> replaced() {
    hiding_tokens rest;
    for (const token& word : tokens_) rest.push_back({word});
    std::vector<token> result;
    while (!rest.empty()) {
      if (const std::size_t end = end_of_definition(rest)) {
        rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(end));
        continue;
      }
      if (replace_first(rest)) continue;
      result.push_back(rest.front().is);
      result.back().first_of_line = result.back().first_of_line || begins_line_;
      begins_line_ = false;
      if (!result.back().is_replaced) inserted_ = 0;
      rest.pop_front();
    }
    return result;
  }

 private:
  static constexpr std::size_t most_tokens = 4096;  // that one use becomes

  // The tokens of `#define NAME ..`, if it is a macro that is replaced; 0: it is none.
  std::size_t end_of_definition(const hiding_tokens& rest) {
    const token& word = rest.front().is;
    if (!word.is("define") || word.location.size != 7 || word.is_replaced || rest.size() < 3)
      return 0;
    const token& name = rest[1].is;
    if (name.kind != token_kind::name || name.first_of_line || has_hash(name.location.first))
      return 0;
    std::size_t end = 2;
    while (end + 1 < rest.size() && !rest[end].is.first_of_line) ++end;
    macro definition;
    std::size_t body = 2;
    definition.has_parameters =
        body < end && rest[body].is.is("(") &&
        rest[body].is.location.first == name.location.first + name.location.size;
    if (definition.has_parameters) {
      for (++body; body < end && !rest[body].is.is(")"); ++body) {
        const token& parameter = rest[body].is;
        if (parameter.kind == token_kind::name)
          definition.parameters.push_back(parameter.text);
        else if (parameter.is("."))
          definition.is_variadic = true;
        else if (!parameter.is(","))
          return 0;
      }
      if (body == end) return 0;
      ++body;
    } else if (is_constant(rest, body, end)) {
      constants_.push_back(name.text);
      return 0;
    }
    for (std::size_t position = body; position < end; ++position)
      definition.body.push_back(rest[position].is);
    macros_[name.text] = std::move(definition);
    return end;
  }

  // What # and ## do is not seen in tokens. Of the line from here on, without comments.
  bool has_hash(std::size_t position) const {
    for (; position < text_.size() && text_[position] != '\n'; ++position) {
      if (text_[position] == '#') return true;
      if (text_[position] == '\\') ++position;
      if (text_.substr(position, 2) == "//") return false;
      if (text_.substr(position, 2) == "/*")
        position = std::min(text_.find("*/", position + 2), text_.size() - 1);
    }
    return false;
  }

  // Of numbers and constants alone.
  bool is_constant(const hiding_tokens& stream, std::size_t begin, std::size_t end) const {
    for (std::size_t position = begin; position < end; ++position) {
      const token& word = stream[position].is;
      if (word.kind != token_kind::number && word.kind != token_kind::symbol &&
          !has(constants_, word.text))
        return false;
    }
    return begin < end;
  }

  // Puts what the first token stands for in its place. False: it is no use of a macro.
  bool replace_first(hiding_tokens& rest) {
    const hiding_token use = rest.front();
    const auto entry = macros_.find(use.is.text);
    if (use.is.kind != token_kind::name || entry == macros_.end() || has(use.hidden, use.is.text))
      return false;
    const macro& definition = entry->second;
    std::vector<std::string_view> hidden = use.hidden;
    std::size_t end = 1, last = use.is.location.first + use.is.location.size;
    std::vector<hiding_tokens> arguments;
    if (definition.has_parameters) {
      const auto read = arguments_of(rest, definition);
      if (!read) return false;
      end = read->first;
      arguments = read->second;
      const hiding_token& closing = rest[end - 1];
      std::erase_if(hidden, [&](std::string_view name) { return !has(closing.hidden, name); });
      last = std::max(last, closing.is.location.first + closing.is.location.size);
    }
    hidden.push_back(use.is.text);
    const place position{use.is.location.first, last - use.is.location.first};
    hiding_tokens body = substituted(definition, arguments);
    begins_line_ = begins_line_ || use.is.first_of_line;
    for (hiding_token& replacement : body) {
      replacement.is.location = position;
      replacement.is.first_of_line = false;
      replacement.is.is_replaced = true;
      for (const std::string_view name : hidden)
        if (!has(replacement.hidden, name)) replacement.hidden.push_back(name);
    }
    inserted_ += body.size();
    if (inserted_ > most_tokens)
      throw refusal{use.is.location,
                    joined("a macro that becomes more than ", most_tokens, " words"),
                    "write what it stands for"};
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(end));
    rest.insert(rest.begin(), body.begin(), body.end());
    return true;
  }

  // After `NAME(a, b)` at the beginning, and the tokens of each argument; those of __VA_ARGS__ are
  // the last one. Nothing if it is no use of the macro.
  static std::optional<std::pair<std::size_t, std::vector<hiding_tokens>>> arguments_of(
      const hiding_tokens& stream, const macro& definition) {
    if (stream.size() < 2 || !stream[1].is.is("(")) return {};
    std::vector<hiding_tokens> result(1);
    int depth = 1;
    for (std::size_t position = 2; position < stream.size(); ++position) {
      const token& word = stream[position].is;
      const bool opens = word.is("("), closes = word.is(")");
      depth += opens ? 1 : closes ? -1 : 0;
      if (depth == 0) {
        if (result.size() == 1 && result[0].empty() && definition.parameters.empty())
          result.clear();
        const std::size_t wanted = definition.parameters.size();
        if (definition.is_variadic) result.resize(std::max(result.size(), wanted + 1));
        if (result.size() != wanted + (definition.is_variadic ? 1 : 0)) return {};
        return std::pair(position + 1, result);
      }
      const bool is_of_rest =
          definition.is_variadic && result.size() > definition.parameters.size();
      if (depth == 1 && word.is(",") && !is_of_rest)
        result.emplace_back();
      else
        result.back().push_back(stream[position]);
    }
    return {};
  }

  // The body with the arguments, each of which is replaced alone.
  hiding_tokens substituted(const macro& definition, const std::vector<hiding_tokens>& arguments) {
    hiding_tokens result;
    for (const token& word : definition.body) {
      const auto parameter = std::ranges::find(definition.parameters, word.text);
      const bool is_rest = definition.is_variadic && word.is("__VA_ARGS__");
      if (word.kind != token_kind::name || (parameter == definition.parameters.end() && !is_rest)) {
        result.push_back({word});
        continue;
      }
      hiding_tokens argument =
          is_rest ? arguments.back()
                  : arguments[static_cast<std::size_t>(parameter - definition.parameters.begin())];
      hiding_tokens done;
      while (!argument.empty()) {
        if (replace_first(argument)) continue;
        done.push_back(argument.front());
        argument.pop_front();
      }
      append(result, done);
    }
    return result;
  }

  std::string_view text_;
  const std::vector<token>& tokens_;
  std::map<std::string_view, macro> macros_;
  std::vector<std::string_view> constants_;
  std::size_t inserted_ = 0;  // since a token of the text
  bool begins_line_ = false;
};

}  // namespace

std::vector<token> with_macros_replaced(const source& input, const std::vector<token>& stream) {
  return macro_replacer(input, stream).replaced();
}

}  // namespace command_line
