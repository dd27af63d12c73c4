// SPDX-License-Identifier: MIT
#include "triton_launch.hpp"

#include <llvm/Support/Error.h>
#include <llvm/Support/JSON.h>

namespace compiled {

std::optional<triton_launch> read_triton_launch(const std::string& text, std::string& fault) {
  constexpr int usual_lanes = 32, most_threads = 1024;
  constexpr long long most_bytes = 1 << 30;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed) {
    fault = llvm::toString(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object* const fields = parsed->getAsObject();
  if (fields == nullptr) return std::nullopt;
  const auto warps = fields->getInteger("num_warps"), bytes = fields->getInteger("shared");
  if (!warps || !bytes) return std::nullopt;
  auto lanes = fields->getInteger("warp_size");
  const llvm::json::Object* const target = fields->getObject("target");
  if (target != nullptr && !lanes) lanes = target->getInteger("warp_size");
  const long long of_warp = lanes ? *lanes : usual_lanes;
  if (*warps < 1 || *warps > most_threads || of_warp < 1) return std::nullopt;
  if (of_warp * *warps > most_threads) return std::nullopt;
  if (*bytes < 0 || *bytes > most_bytes) return std::nullopt;
  triton_launch result;
  if (const auto name = fields->getString("name")) result.kernel = name->str();
  result.threads = static_cast<int>(of_warp * *warps);
  result.dynamic_shared_bytes = *bytes;
  return result;
}

}  // namespace compiled
