// SPDX-License-Identifier: MIT
#include "processors.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace command_line {

void do_parts(std::size_t parts, const std::function<void(std::size_t part)>& do_part) {
  const std::size_t workers = std::min<std::size_t>(parts, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::mutex lock;
  std::exception_ptr error;
  const auto work = [&] {
    for (std::size_t part = next++; part < parts; part = next++) try {
        do_part(part);
      } catch (...) {
        const std::lock_guard held(lock);
        if (!error) error = std::current_exception();
        next = parts;
      }
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < workers) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // a limit of threads: those that there are do it
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace command_line
