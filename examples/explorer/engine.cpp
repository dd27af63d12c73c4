// SPDX-License-Identifier: MIT
// The functions that the page calls in its worker, compiled to WebAssembly. Texts that they return
// are valid until the next call.
#include <emscripten.h>

#include <string>
#include <string_view>

#include "explored.hpp"

namespace {

EM_JS(void, tell_the_page, (const char* note), { self.postMessage({note : UTF8ToString(note)}); });

// "tile=1,line=2"
std::vector<command_line::row_padding> paddings(std::string_view list) {
  std::vector<command_line::row_padding> result;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(one.size() < list.size() ? one.size() + 1 : one.size());
    const std::size_t equal = one.find('=');
    if (equal != std::string_view::npos)
      result.push_back(
          {std::string(one.substr(0, equal)), std::stoll(std::string(one.substr(equal + 1)))});
  }
  return result;
}

const char* kept(std::string text) {
  static std::string last;
  last = std::move(text);
  return last.c_str();
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* machines() { return kept(explorer::machines()); }

// `access` is -1 for the one with the most conflicts.
EMSCRIPTEN_KEEPALIVE const char* explore(const char* name, const char* text, const char* machine,
                                         const char* padding, int access, int plan) {
  explorer::input asked{name, text, machine, paddings(padding), {}, plan != 0};
  if (access >= 0) asked.access = static_cast<std::size_t>(access);
  asked.tell = [](const std::string& note) { tell_the_page(note.c_str()); };
  return kept(explorer::explored(asked));
}
}
