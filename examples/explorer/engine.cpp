// SPDX-License-Identifier: MIT
// The functions that the page calls in its worker, compiled to WebAssembly. Texts that they return
// are valid until the next call.
#include <emscripten.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explored.hpp"

namespace {

EM_JS(void, tell_the_page, (const char* note), { self.postMessage({note : UTF8ToString(note)}); });

// "sm_90,gfx942"
std::vector<std::string> names(std::string_view list) {
  std::vector<std::string> result;
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(entry.size() < list.size() ? entry.size() + 1 : entry.size());
    if (!entry.empty()) result.emplace_back(entry);
  }
  return result;
}

// "tile=1,line=2". The page lets no other text through.
std::vector<std::pair<std::string, long long>> numbers(std::string_view list) {
  std::vector<std::pair<std::string, long long>> result;
  for (const std::string& entry : names(list)) {
    const std::size_t equal = entry.find('=');
    if (equal != std::string::npos)
      result.emplace_back(entry.substr(0, equal), std::stoll(entry.substr(equal + 1)));
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

EMSCRIPTEN_KEEPALIVE const char* explore(const char* name, const char* text, const char* machine,
                                         const char* beside, const char* padding,
                                         const char* kernel, const char* block,
                                         const char* arguments, int plan) {
  explorer::input asked;
  asked.name = name;
  asked.text = text;
  asked.machines = names(machine);
  asked.beside = beside;
  for (const auto& [array, elements] : numbers(padding)) asked.padding.push_back({array, elements});
  asked.kernel = kernel;
  asked.block = block;
  asked.arguments = numbers(arguments);
  asked.plan = plan != 0;
  asked.tell = [](const std::string& note) { tell_the_page(note.c_str()); };
  return kept(explorer::explored(asked));
}
}
