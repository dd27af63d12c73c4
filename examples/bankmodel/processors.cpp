// SPDX-License-Identifier: MIT
#include "processors.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace command_line {

void do_parts(std::size_t parts, const std::function<void(std::size_t part)>& do_part) {
  const std::size_t threads = std::min<std::size_t>(parts, std::thread::hardware_concurrency());
  if (threads < 2) {
    for (std::size_t part = 0; part < parts; ++part) do_part(part);
    return;
  }
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
  std::vector<std::thread> all;
  for (std::size_t number = 0; number < threads; ++number) all.emplace_back(work);
  for (std::thread& one : all) one.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace command_line
