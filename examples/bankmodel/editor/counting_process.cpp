// SPDX-License-Identifier: MIT
#include "counting_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "../several_files.hpp"

namespace editor {

bool counting_process::start(
    const std::function<void(const std::function<void(const std::string&)>& write)>& work) {
  stop();
  int ends[2];
  if (::pipe(ends) != 0) return false;
  process_ = ::fork();
  if (process_ < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return false;
  }
  if (process_ == 0) {
    ::close(ends[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // however the server ends
    ::signal(SIGPIPE, SIG_DFL);
    // The streams of the protocol are not this process's.
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    work([&](const std::string& line) {
      if (!command_line::write_all(ends[1], line + "\n")) ::_exit(1);
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
  return true;
}

void counting_process::stop() {
  if (pipe_ < 0) return;
  ::kill(process_, SIGKILL);
  ::close(pipe_);
  ::waitpid(process_, nullptr, 0);
  pipe_ = process_ = -1;
  rest_.clear();
}

std::string counting_process::lines() {
  char piece[1 << 16];
  const ssize_t size = ::read(pipe_, piece, sizeof piece);
  if (size < 0 && errno == EINTR) return {};
  if (size > 0) {
    rest_.append(piece, static_cast<std::size_t>(size));
    const std::size_t end = rest_.rfind('\n');
    if (end == rest_.npos) return {};
    std::string result = rest_.substr(0, end + 1);
    rest_.erase(0, end + 1);
    return result;
  }
  stop();
  return {};
}

}  // namespace editor
