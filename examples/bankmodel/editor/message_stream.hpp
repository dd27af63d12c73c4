// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace editor {

// The messages of the Language Server Protocol in a stream of bytes: a header with the length, an
// empty line, and JSON.
class message_stream {
 public:
  // Bytes as they come, in pieces of any size.
  void add(const char* bytes, std::size_t size) { bytes_.append(bytes, size); }

  // Returns the next message that is there as a whole. A message that is no JSON is returned as
  // null, so that it can be answered; one without a length, or with more than 2^26 bytes, ends
  // the stream.
  std::optional<nlohmann::json> next();
  bool is_broken() const { return is_broken_; }

 private:
  std::string bytes_;
  bool is_broken_ = false;
};

// The bytes of a message.
std::string bytes_of(const nlohmann::json& message);

}  // namespace editor
