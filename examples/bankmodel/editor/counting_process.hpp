// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace editor {

// A process that writes lines of text, each when it is known, and whose end ends its work.
class counting_process {
 public:
  counting_process() = default;
  counting_process(const counting_process&) = delete;
  counting_process& operator=(const counting_process&) = delete;
  ~counting_process() { stop(); }

  // Stops the process that is there, and starts another. `work` runs in it; what it gives to
  // `write` are lines without their ends. False: there is no room for a process.
  bool start(const std::function<void(const std::function<void(const std::string&)>& write)>& work);
  void stop();

  bool is_running() const { return pipe_ >= 0; }
  int pipe() const { return pipe_; }
  // Reads what the pipe has, and returns the lines that are whole. Afterwards the process may not
  // be running any more.
  std::string lines();

 private:
  int pipe_ = -1;
  pid_t process_ = -1;
  std::string rest_;
};

}  // namespace editor
