// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bankmodel/search/detail/search_limits.hpp>

#include "../engine/memory.hpp"
#include "../page/page.hpp"

namespace compiled {

// Where the arrays of a kernel are, and what else fits beside them. Declared arrays are limited to
// what a block has without opting in; all of them too, unless dynamic ones take more already: then
// all may have what the machine has. A search may have another limit, of all of them.
class planned_arrays {
 public:
  explicit planned_arrays(const page& kernel_page, const bm::search& options = {})
      : arrays_(kernel_page.kernel->shared),
        dynamic_bytes_(static_cast<std::uint64_t>(kernel_page.settings.dynamic_shared_bytes)),
        most_declared_(static_cast<std::uint64_t>(kernel_page.machine.limits.shared_per_block)),
        limit_(
            places().total <= most_declared_
                ? most_declared_
                : static_cast<std::uint64_t>(kernel_page.machine.limits.shared_per_block_opt_in)) {
    if (options.shared_bytes == 0 && options.resident_blocks == 0) return;
    const bm::block_dim& block = kernel_page.settings.block;
    limit_ = static_cast<std::uint64_t>(
        bm::detail::most_bytes_of(kernel_page.machine, block.x * block.y * block.z, options));
  }

  std::uint64_t bytes() const { return places().total; }
  std::uint64_t limit() const { return limit_; }
  bool fits() const {
    return laid_out(arrays_, 0).total <= most_declared_ && places().total <= limit_;
  }

  long long start(std::size_t number) const {
    return static_cast<long long>(places().first[number]);
  }

  // The most bytes that an array may have, at least those that it has.
  long long most_bytes(std::size_t number) const {
    std::uint64_t minimum = places().bytes[number], maximum = std::max(minimum, limit_);
    while (minimum < maximum) {
      const std::uint64_t middle = minimum + (maximum - minimum + 1) / 2;
      planned_arrays tried = *this;
      tried.set_bytes(number, static_cast<long long>(middle));
      if (tried.fits())
        minimum = middle;
      else
        maximum = middle - 1;
    }
    return static_cast<long long>(minimum);
  }

  void set_bytes(std::size_t number, long long bytes) {
    (arrays_[number].bytes == 0 ? dynamic_bytes_ : arrays_[number].bytes) =
        static_cast<std::uint64_t>(bytes);
  }

 private:
  shared_layout places() const { return laid_out(arrays_, dynamic_bytes_); }

  std::vector<code_array> arrays_;
  std::uint64_t dynamic_bytes_, most_declared_, limit_;
};

}  // namespace compiled
