// SPDX-License-Identifier: MIT
#include "html.hpp"

#include "source.hpp"
#include "utf8.hpp"

namespace command_line {

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const character one = character_at(text, at);
    const bool is_control = (one.code < 0x20 && one.code != '\t' && one.code != '\n') ||
                            (one.code >= 0x7f && one.code < 0xa0);
    const std::string_view bytes = text.substr(at, one.bytes);
    if (!one.is_valid || is_control)
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
    at += one.bytes;
  }
  return result;
}

namespace {

void replace_all(std::string& in, std::string_view what, const std::string& by) {
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + by.size()))
    in.replace(at, what.size(), by);
}

// ".h,.b{..}" as "#name .h,#name .b{..}", in @media too.
std::string scoped(std::string_view styles, const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < styles.size();) {
    const std::size_t begin = styles.find_first_not_of(" \n,}", at);
    result += styles.substr(at, std::min(begin, styles.size()) - at);
    if (begin == std::string_view::npos) break;
    const std::size_t brace = styles.find('{', begin);
    if (styles[begin] == '@') {
      at = brace + 1;
      result += styles.substr(begin, at - begin);
      continue;
    }
    // One selector of a list, or the last one with its rule.
    const std::size_t comma = styles.find(',', begin);
    const bool is_last = comma > brace;
    at = is_last ? styles.find('}', brace) : comma;
    result += joined("#", name, " ", styles.substr(begin, at - begin));
  }
  return result;
}

}  // namespace

std::string in_page(const std::string& svg, const std::string& name) {
  constexpr std::string_view open = "<style>", close = "</style>";
  const std::size_t begin = svg.find(open) + open.size(), end = svg.find(close);
  std::string before = svg.substr(0, begin), after = svg.substr(end);
  std::string styles = scoped(std::string_view(svg).substr(begin, end - begin), name);
  const std::string prefix = joined(name, "-");
  for (std::string* part : {&before, &after}) {
    replace_all(*part, " id=\"", joined(" id=\"", prefix));
    replace_all(*part, "\"t d\"", joined("\"", prefix, "t ", prefix, "d\""));
  }
  replace_all(styles, "url(#", joined("url(#", prefix));
  replace_all(before, "<svg ", joined("<svg id=\"", name, "\" "));
  return before + styles + after;
}

}  // namespace command_line
