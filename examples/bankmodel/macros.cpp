// SPDX-License-Identifier: MIT
#include "macros.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace command_line {

namespace {

using tokens = std::vector<token>;

struct macro {
  bool has_parameters = false;
  std::vector<std::string_view> parameters;
  tokens body;
};

class macro_replacer {
 public:
  macro_replacer(const source& of, const tokens& all) : text_(of.text), all_(all) {}

  tokens replaced() {
    for (std::size_t at = 0; at < all_.size();) {
      if (const std::size_t end = definition_at(at)) {
        at = end;
        continue;
      }
      const token& one = all_[at];
      const auto found = macros_.find(one.text);
      const std::size_t end = one.kind == token_kind::name && found != macros_.end()
                                  ? end_of_use(at, found->second)
                                  : 0;
      if (end == 0) {
        add(one);
        ++at;
        continue;
      }
      const place where{one.where.first,
                        all_[end - 1].where.first + all_[end - 1].where.size - one.where.first};
      tokens use(all_.begin() + static_cast<std::ptrdiff_t>(at),
                 all_.begin() + static_cast<std::ptrdiff_t>(end));
      tokens body = expanded(use, {});
      begins_line_ = begins_line_ || one.first_of_line;
      for (token& each : body) {
        each.where = where;
        each.first_of_line = false;
        each.is_replaced = true;
        add(each);
      }
      at = end;
    }
    return std::move(result_);
  }

 private:
  static constexpr std::size_t most_tokens = 4096;  // that one use becomes

  // What is behind an empty macro begins its line.
  void add(const token& one) {
    result_.push_back(one);
    result_.back().first_of_line = one.first_of_line || begins_line_;
    begins_line_ = false;
  }

  // After `#define NAME ..`, if it is a macro that is replaced; 0: it is none.
  std::size_t definition_at(std::size_t at) {
    if (!all_[at].is("define") || all_[at].where.size != 7 || at + 2 >= all_.size()) return 0;
    const token& name = all_[at + 1];
    std::size_t end = at + 2;
    while (end + 1 < all_.size() && !all_[end].first_of_line) ++end;
    const std::string_view line =
        text_.substr(name.where.first, all_[end].where.first - name.where.first);
    // What # does is not seen in tokens.
    if (name.kind != token_kind::name || name.first_of_line ||
        line.substr(0, line.find("//")).find('#') != std::string_view::npos)
      return 0;
    macro made;
    std::size_t body = at + 2;
    made.has_parameters = body < end && all_[body].is("(") &&
                          all_[body].where.first == name.where.first + name.where.size;
    if (made.has_parameters) {
      for (++body; body < end && !all_[body].is(")"); ++body)
        if (all_[body].kind == token_kind::name)
          made.parameters.push_back(all_[body].text);
        else if (!all_[body].is(","))
          return 0;
      if (body == end) return 0;
      ++body;
    } else if (is_constant(body, end)) {
      constants_.push_back(name.text);
      return 0;
    }
    made.body.assign(all_.begin() + static_cast<std::ptrdiff_t>(body),
                     all_.begin() + static_cast<std::ptrdiff_t>(end));
    macros_[name.text] = std::move(made);
    return end;
  }

  // Of numbers and constants alone.
  bool is_constant(std::size_t begin, std::size_t end) const {
    return begin < end && std::all_of(
                              all_.begin() + static_cast<std::ptrdiff_t>(begin),
                              all_.begin() + static_cast<std::ptrdiff_t>(end),
                              [this](const token& one) {
                                return one.kind == token_kind::number ||
                                       one.kind == token_kind::symbol ||
                                       std::find(constants_.begin(), constants_.end(), one.text) !=
                                           constants_.end();
                              });
  }

  // After the use that begins at `at`; 0: it is none.
  std::size_t end_of_use(std::size_t at, const macro& of) const {
    if (!of.has_parameters) return at + 1;
    const auto arguments = arguments_of(all_, at);
    return arguments && arguments->second.size() == of.parameters.size() ? arguments->first : 0;
  }

  // The token after `NAME(a, b)`, and the tokens of each argument.
  static std::optional<std::pair<std::size_t, std::vector<tokens>>> arguments_of(const tokens& in,
                                                                                 std::size_t name) {
    if (name + 1 >= in.size() || !in[name + 1].is("(")) return {};
    std::vector<tokens> result(1);
    int depth = 1;
    for (std::size_t at = name + 2; at < in.size(); ++at) {
      const token& one = in[at];
      const bool opens = one.is("(") || one.is("[") || one.is("{"),
                 closes = one.is(")") || one.is("]") || one.is("}");
      depth += opens ? 1 : closes ? -1 : 0;
      if (depth == 0) {
        if (result.size() == 1 && result[0].empty()) result.clear();
        return std::pair(at + 1, result);
      }
      if (depth == 1 && one.is(","))
        result.emplace_back();
      else
        result.back().push_back(one);
    }
    return {};
  }

  // `within`: the macros that are being replaced, which stay as they are in their own text.
  tokens expanded(const tokens& of, const std::vector<std::string_view>& within) const {
    tokens result;
    for (std::size_t at = 0; at < of.size();) {
      const token& one = of[at];
      if (result.size() > most_tokens)
        throw refusal{of.front().where,
                      joined("a macro that becomes more than ", most_tokens, " words"),
                      "write what it stands for"};
      const auto found = macros_.find(one.text);
      const bool is_known = one.kind == token_kind::name && found != macros_.end() &&
                            std::find(within.begin(), within.end(), one.text) == within.end();
      std::vector<tokens> arguments;
      std::size_t end = at + 1;
      if (is_known && found->second.has_parameters) {
        const auto read = arguments_of(of, at);
        if (!read || read->second.size() != found->second.parameters.size()) {
          result.push_back(of[at++]);
          continue;
        }
        end = read->first;
        arguments = read->second;
      }
      if (!is_known) {
        result.push_back(of[at++]);
        continue;
      }
      std::vector<std::string_view> inner = within;
      inner.push_back(one.text);
      tokens body;
      for (const token& each : found->second.body) {
        const auto& names = found->second.parameters;
        const auto parameter = each.kind == token_kind::name
                                   ? std::find(names.begin(), names.end(), each.text)
                                   : names.end();
        if (parameter == names.end()) {
          body.push_back(each);
          continue;
        }
        const tokens argument =
            expanded(arguments[static_cast<std::size_t>(parameter - names.begin())], within);
        body.insert(body.end(), argument.begin(), argument.end());
      }
      const tokens inserted = expanded(body, inner);
      result.insert(result.end(), inserted.begin(), inserted.end());
      at = end;
    }
    return result;
  }

  std::string_view text_;
  const tokens& all_;
  std::map<std::string_view, macro> macros_;
  std::vector<std::string_view> constants_;
  tokens result_;
  bool begins_line_ = false;
};

}  // namespace

std::vector<token> with_macros_replaced(const source& of, const std::vector<token>& all) {
  return macro_replacer(of, all).replaced();
}

}  // namespace command_line
