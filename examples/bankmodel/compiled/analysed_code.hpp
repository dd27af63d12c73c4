// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "code_of_file.hpp"
#include "engine/kernel_analysis.hpp"

namespace compiled {

// A kernel of a file with what all its counts share, whatever is assumed in them: the analysis of
// its code, and the code that LLVM's passes leave of it. One thread uses it.
class analysed_code {
 public:
  analysed_code(std::shared_ptr<const code_of_file> file, const kernel_code& kernel)
      : file_(std::move(file)), as_written_(kernel) {}

  const std::shared_ptr<const code_of_file>& file() const { return file_; }
  const kernel_code& kernel() const { return as_written_.kernel(); }
  const kernel_analysis& as_written() const { return as_written_; }

  struct optimized_kernel {
    explicit optimized_kernel(optimized_code optimized) : code(std::move(optimized)) {
      if (code.why_not.empty()) analysis.emplace(code.kernel);
    }
    optimized_kernel(const optimized_kernel&) = delete;  // the analysis is of this one's code
    optimized_kernel& operator=(const optimized_kernel&) = delete;
    optimized_code code;
    std::optional<kernel_analysis> analysis;  // of `code`, where there is any
  };
  // Made when it is first asked for. Null: the kernel was not read from source.
  const optimized_kernel* optimized() {
    if (!file_->optimized || kernel().is_of_ptx) return nullptr;
    if (optimized_ == nullptr)
      optimized_ = std::make_unique<optimized_kernel>(
          file_->optimized(static_cast<std::size_t>(&kernel() - file_->kernels.data())));
    return optimized_.get();
  }

 private:
  std::shared_ptr<const code_of_file> file_;
  kernel_analysis as_written_;
  std::unique_ptr<optimized_kernel> optimized_;
};

}  // namespace compiled
