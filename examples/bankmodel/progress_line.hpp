// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace command_line {

// The last line of a terminal while something takes long: "4 s, 12 of 40 kernels", which is taken
// away at the end. It is first written after `patience`, and then each second.
class progress_line {
 public:
  progress_line(std::FILE* terminal, std::chrono::milliseconds patience);
  ~progress_line();
  progress_line(const progress_line&) = delete;

  // How much is done: `unit` is "files" or "kernels".
  void tell(std::size_t done, std::size_t total, const std::string& unit);
  // Writes this above the line. It ends with a new line.
  void write(const std::string& note);
  // While a person types there is no line, and the time begins afterwards.
  void hold(bool is_held);

 private:
  void run();
  void draw();   // with the lock
  void erase();  // with the lock

  // A process that this one forked has no thread for the line, nor for its lock.
  bool is_forked() const { return ::getpid() != process_; }

  std::FILE* const terminal_;
  const std::chrono::milliseconds patience_;
  const pid_t process_ = ::getpid();
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex lock_;
  std::condition_variable ended_;
  bool is_over_ = false, is_drawn_ = false, is_held_ = false;
  std::string done_;
  std::thread ticks_;  // the last member: it uses all others
};

}  // namespace command_line
