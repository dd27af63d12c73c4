// SPDX-License-Identifier: MIT
#include "html.hpp"

#include <algorithm>

#include "source.hpp"
#include "utf8.hpp"

namespace command_line {

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t offset = 0; offset < text.size();) {
    const character letter = character_at(text, offset);
    const bool is_control = (letter.code < 0x20 && letter.code != '\t' && letter.code != '\n') ||
                            (letter.code >= 0x7f && letter.code < 0xa0);
    const std::string_view bytes = text.substr(offset, letter.bytes);
    if (!letter.is_valid || is_control)
      result += "\xef\xbf\xbd";
    else if (bytes == "&")
      result += "&amp;";
    else if (bytes == "<")
      result += "&lt;";
    else if (bytes == ">")
      result += "&gt;";
    else if (bytes == "\"")
      result += "&quot;";
    else if (bytes == "'")
      result += "&#39;";
    else
      result += bytes;
    offset += letter.bytes;
  }
  return result;
}

namespace {

void replace_all(std::string& text, std::string_view pattern, const std::string& replacement) {
  for (std::size_t offset = text.find(pattern); offset != std::string::npos;
       offset = text.find(pattern, offset + replacement.size()))
    text.replace(offset, pattern.size(), replacement);
}

}  // namespace

namespace {

constexpr std::string_view open_style = "<style>", close_style = "</style>";

std::string_view styles_of(const std::string& svg) {
  const std::size_t begin = svg.find(open_style) + open_style.size();
  return std::string_view(svg).substr(begin, svg.find(close_style) - begin);
}

// The identifiers of a part of a picture.
std::string named(std::string part, const std::string& name) {
  const std::string prefix = joined(name, "-");
  replace_all(part, " id=\"", joined(" id=\"", prefix));
  replace_all(part, "\"t d\"", joined("\"", prefix, "t ", prefix, "d\""));
  return part;
}

}  // namespace

page_pictures::group page_pictures::read(std::string_view styles) {
  group result;
  sheet* target = &result.light;
  for (std::size_t offset = 0; offset < styles.size();) {
    const std::size_t begin = styles.find_first_not_of(" \n,}", offset);
    if (begin == std::string_view::npos) break;
    const std::size_t brace = styles.find('{', begin);
    offset = brace + 1;
    if (styles[begin] == '@') {
      target = &result.dark;
      continue;
    }
    const std::size_t end = styles.find('}', brace);
    const std::string declarations(styles.substr(brace + 1, end - brace - 1));
    for (std::size_t selector = begin; selector < brace;) {
      const std::size_t comma = std::min(styles.find(',', selector), brace);
      // Later declarations of a selector are behind its earlier ones.
      std::string& rule = (*target)[std::string(styles.substr(selector, comma - selector))];
      rule += joined(rule.empty() ? "" : ";", declarations);
      selector = comma + 1;
    }
    offset = end + 1;
  }
  return result;
}

std::string page_pictures::add(const std::string& svg, const std::string& name) {
  const group styles = read(styles_of(svg));
  const auto agrees = [](const sheet& first, const sheet& other) {
    return std::ranges::all_of(first, [&](const auto& rule) {
      const auto match = other.find(rule.first);
      return match == other.end() || match->second == rule.second;
    });
  };
  std::size_t number = 0;
  while (number < groups_.size() && !(agrees(styles.light, groups_[number].light) &&
                                      agrees(styles.dark, groups_[number].dark)))
    ++number;
  if (number == groups_.size()) groups_.emplace_back();
  groups_[number].light.insert(styles.light.begin(), styles.light.end());
  groups_[number].dark.insert(styles.dark.begin(), styles.dark.end());
  std::string result = svg;
  result.erase(svg.find(open_style),
               svg.find(close_style) + close_style.size() - svg.find(open_style));
  const std::size_t pattern = result.find("<defs>"), end = result.find("</defs>") + 7;
  result.erase(pattern, end - pattern);
  result = named(result, name);
  replace_all(result, "<svg ", joined("<svg id=\"", name, "\" class=\"bank-map-", number, "\" "));
  return result;
}

std::string page_pictures::styles() const {
  std::string result;
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const auto rules = [&](const sheet& selectors) {
      std::string text;
      for (const auto& [selector, declarations] : selectors)
        text += joined(".bank-map-", number, " ", selector, "{", declarations, "}\n");
      return text;
    };
    result += joined(rules(groups_[number].light), "@media (prefers-color-scheme:dark){\n",
                     rules(groups_[number].dark), "}\n");
  }
  return result;
}

std::string page_pictures::hatch() {
  return "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>"
         "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\"><path stroke=\"#8a939d\" d=\"M3 0v6\"/></pattern></defs>"
         "</svg>\n";
}

}  // namespace command_line
