// SPDX-License-Identifier: MIT
#include "message_stream.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "../source.hpp"

namespace editor {

using nlohmann::json;

namespace {

constexpr std::size_t most_bytes = 1 << 26;

// The number behind Content-Length, in letters of any case; nothing if there is none.
std::optional<std::size_t> length_in(std::string header) {
  std::ranges::transform(header, header.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  const std::string name = "content-length:";
  const std::size_t place = header.find(name);
  if (place == header.npos || (place != 0 && header[place - 1] != '\n')) return {};
  const std::size_t digits = header.find_first_not_of(" \t", place + name.size());
  const std::size_t end = std::min(header.find_first_of("\r\n \t", digits), header.size());
  const std::string number = digits < end ? header.substr(digits, end - digits) : "";
  if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != number.npos)
    return {};
  return std::strtoul(number.c_str(), nullptr, 10);
}

struct too_deep {};

// Null: it is no JSON, or so deep that its value could not be copied.
json parsed(const std::string& text) {
  constexpr int most_depth = 1000;
  try {
    const json result = json::parse(
        text,
        [](int depth, json::parse_event_t, json&) {
          if (depth > most_depth) throw too_deep();
          return true;
        },
        false);
    return result.is_discarded() ? json() : result;
  } catch (const too_deep&) {
    return {};
  }
}

}  // namespace

std::optional<json> message_stream::next() {
  const std::string end_of_header = "\r\n\r\n";
  const std::size_t end = bytes_.find(end_of_header);
  if (is_broken_ || end == bytes_.npos) {
    is_broken_ = is_broken_ || bytes_.size() > most_bytes;
    return {};
  }
  const std::optional<std::size_t> length = length_in(bytes_.substr(0, end));
  if (!length || *length > most_bytes) {
    is_broken_ = true;
    return {};
  }
  const std::size_t begin = end + end_of_header.size();
  if (bytes_.size() - begin < *length) return {};
  const std::string text = bytes_.substr(begin, *length);
  bytes_.erase(0, begin + *length);
  return parsed(text);
}

std::string bytes_of(const json& message) {
  // What is not UTF-8 is replaced: a line of source may have any bytes.
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  return command_line::joined("Content-Length: ", text.size(), "\r\n\r\n", text);
}

}  // namespace editor
