// SPDX-License-Identifier: MIT
// A program with the index language's names in its global namespace compiles without a warning:
// g++'s -Wshadow compares them with the parameters of constructors that are templates.
#include <bankmodel/explain.hpp>
#include <bankmodel/host/text/traffic_text.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using bm::index::bx, bm::index::by, bm::index::i, bm::index::j, bm::index::k, bm::index::l;
using bm::index::m, bm::index::n, bm::index::tid, bm::index::tx, bm::index::ty, bm::index::warp;

int explained_degree() {
  const auto tile = bm::shared_array<float>("tile", 64, 64);
  const auto access =
      bm::load(bm::for_loop(j, bm::range(0, 8), bm::if_threads(tx < j, tile[tx][ty + j])));
  return bm::explain(bm::nvidia::sm_90, bm::block_dim{32, 8}, access).degree;
}

std::string explained_traffic() {
  const auto access = bm::load(bm::global_array<float>("g", 64, 64)[tx][ty]);
  return bm::explained(bm::nvidia::sm_90, bm::block_dim{32, 8}, access);
}
