// SPDX-License-Identifier: MIT
#include "run.hpp"

#include "executor.hpp"

namespace compiled {

namespace {

constexpr long long most_threads_of_block = 1024;
constexpr long long most_shared_bytes = 1 << 20;
constexpr long long most_local_bytes = 1ll << 30;  // of all threads
constexpr long long most_register_bytes = 1ll << 32;

void require_runnable(const kernel_code& kernel, const launch& settings) {
  const bm::block_dim& block = settings.block;
  const auto is_size = [](long long threads) {
    return threads >= 1 && threads <= most_threads_of_block;
  };
  if (!is_size(block.x) || !is_size(block.y) || !is_size(block.z) ||
      !is_size(1ll * block.x * block.y * block.z))
    throw cannot_run({},
                     "a block of " + std::to_string(block.x) + " x " + std::to_string(block.y) +
                         " x " + std::to_string(block.z) + " threads",
                     "use at least 1 and at most 1024 in all, as --block 32x8");
  const auto is_inside = [](long long position, long long count) {
    return position >= 0 && position < count;
  };
  if (!is_inside(settings.grid_index.x, settings.grid.x) ||
      !is_inside(settings.grid_index.y, settings.grid.y) ||
      !is_inside(settings.grid_index.z, settings.grid.z))
    throw cannot_run({}, "a block that is not in the grid",
                     "give a larger grid, or another block of it");
  const long long shared =
      settings.dynamic_shared_bytes < 0 || settings.dynamic_shared_bytes > most_shared_bytes
          ? most_shared_bytes + 1
          : static_cast<long long>(
                laid_out(kernel, static_cast<std::uint64_t>(settings.dynamic_shared_bytes)).total);
  if (shared > most_shared_bytes)
    throw cannot_run({}, "more than 1 MiB of shared memory", "give fewer --dynamic-bytes");
  const long long lanes =
      (1ll * block.x * block.y * block.z + kernel.lanes - 1) / kernel.lanes * kernel.lanes;
  if (8 * kernel.registers * lanes > most_register_bytes)
    throw cannot_run({}, "the registers of all threads take more than 4 GiB",
                     "give a smaller block");
  if (1ll * kernel.local_bytes * block.x * block.y * block.z > most_local_bytes)
    throw cannot_run({}, "the local variables of all threads take more than 1 GiB",
                     "give a smaller block");
}

}  // namespace

bm::access_kind kind_of(const memory_access& memory, bool is_global) {
  switch (memory.operation) {
    case access_does::load: return bm::access_kind::load;
    case access_does::atomic: return bm::access_kind::atomic;
    case access_does::load_matrix: return bm::access_kind::load_matrix;
    case access_does::store_matrix: return bm::access_kind::store_matrix;
    case access_does::copy:
      return is_global         ? bm::access_kind::load
             : memory.uncached ? bm::access_kind::copy_uncached
                               : bm::access_kind::copy;
    default: return bm::access_kind::store;
  }
}

std::string text(const kernel_code& kernel, const place& position) {
  if (position.line <= 0) return "";
  std::string name;
  if (position.file >= 0 && position.file < static_cast<int>(kernel.files.size()))
    name = kernel.files[slot(position.file)];
  const std::size_t slash = name.rfind('/');
  if (slash != std::string::npos) name.erase(0, slash + 1);
  name += name.empty() ? "line " : ":";
  name += std::to_string(position.line);
  if (position.column > 0) name += ":" + std::to_string(position.column);
  return name;
}

recording run(const kernel_analysis& analysis, const launch& settings) {
  require_runnable(analysis.kernel(), settings);
  for (std::set<int> changed;;) try {
      return executor(analysis, settings, changed).run_block();
    } catch (const data_change& change) {
      changed.insert(change.arrays.begin(), change.arrays.end());
    }
}

recording run(const kernel_code& kernel, const launch& settings) {
  return run(kernel_analysis(kernel), settings);
}

}  // namespace compiled
