// SPDX-License-Identifier: MIT
#include "progress_line.hpp"

#include <algorithm>

#include "source.hpp"

namespace command_line {

progress_line::progress_line(std::FILE* terminal, std::chrono::milliseconds patience)
    : terminal_(terminal), patience_(patience), ticks_([this] { run(); }) {}

progress_line::~progress_line() {
  {
    const std::lock_guard held(lock_);
    is_over_ = true;
    erase();
  }
  ended_.notify_all();
  ticks_.join();
}

void progress_line::run() {
  std::unique_lock held(lock_);
  const auto step = std::min<std::chrono::milliseconds>(patience_, std::chrono::seconds(1));
  while (!ended_.wait_for(held, step, [this] { return is_over_; }))
    if (!is_held_ && std::chrono::steady_clock::now() - begin_ >= patience_) draw();
}

void progress_line::hold(bool is_held) {
  const std::lock_guard held(lock_);
  is_held_ = is_held;
  begin_ = std::chrono::steady_clock::now();
  erase();
}

void progress_line::tell(std::size_t done, std::size_t total, const std::string& unit) {
  if (is_forked()) return;
  const std::lock_guard held(lock_);
  done_ = joined(", ", done, " of ", total, " ", unit);
  if (is_drawn_) draw();
}

void progress_line::write(const std::string& note) {
  if (is_forked()) {
    std::fputs(note.c_str(), terminal_);
    return;
  }
  const std::lock_guard held(lock_);
  const bool was_drawn = is_drawn_;
  erase();
  std::fputs(note.c_str(), terminal_);
  if (was_drawn) draw();
}

void progress_line::draw() {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
  std::fputs(joined("\r", seconds.count(), " s", done_, "\033[K").c_str(), terminal_);
  std::fflush(terminal_);
  is_drawn_ = true;
}

void progress_line::erase() {
  if (!is_drawn_) return;
  std::fputs("\r\033[K", terminal_);
  std::fflush(terminal_);
  is_drawn_ = false;
}

}  // namespace command_line
