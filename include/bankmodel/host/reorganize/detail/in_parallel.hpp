// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_IN_PARALLEL_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_IN_PARALLEL_HPP

#include <bankmodel/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Work on several cores, cut into contiguous parts. Callers write to places of their own or combine
// the parts in order, so that results do not depend on the number of parts.
namespace bankmodel::detail {

// The number of parts in which `count` items are processed: at most `cores` (0: as many as the
// machine has), and no part of fewer than `minimum` items.
inline std::size_t parts_of(int cores, std::uint64_t count, std::uint64_t minimum) {
  const std::size_t processors =
      cores > 0 ? static_cast<std::size_t>(cores)
                : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::uint64_t maximum =
      std::max<std::uint64_t>(1, count / std::max<std::uint64_t>(1, minimum));
  return static_cast<std::size_t>(std::min<std::uint64_t>(processors, maximum));
}

// Calls work(begin, end, part) for each of `parts` contiguous parts of [0, count). If calls throw,
// the exception of the lowest part is thrown again.
template <class Work>
void in_parallel(std::size_t parts, std::uint64_t count, const Work& work) {
  const auto begin_of = [&](std::size_t part) {
    return count / parts * part + std::min<std::uint64_t>(part, count % parts);
  };
  if (parts <= 1) return work(std::uint64_t{0}, count, std::size_t{0});
  std::vector<std::exception_ptr> thrown(parts);
  const auto run = [&](std::size_t part) {
#if defined(__cpp_exceptions)
    try {
      work(begin_of(part), begin_of(part + 1), part);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
#else
    work(begin_of(part), begin_of(part + 1), part);
#endif
  };
  {
    std::vector<std::thread> workers;
    workers.reserve(parts - 1);
    for (std::size_t part = 1; part < parts; ++part) {
#if defined(__cpp_exceptions)
      try {
        workers.emplace_back(run, part);
      } catch (...) {  // no more threads: this one does the rest
        run(part);
      }
#else
      others.emplace_back(run, part);
#endif
    }
    run(0);
    for (std::thread& worker : workers) worker.join();
  }
#if defined(__cpp_exceptions)
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
#endif
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
