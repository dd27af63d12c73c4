// SPDX-License-Identifier: MIT
#include "drawn_requests.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "../page/request_picture.hpp"

namespace compiled {

namespace {

constexpr std::size_t most_bytes_of_pictures = 180'000;

struct candidate_request {
  const page* on = nullptr;
  const priced_access* access = nullptr;
};

// Those that take more than their ideal, the worst first.
std::vector<candidate_request> candidates_of(const std::vector<page>& all) {
  std::vector<candidate_request> result;
  for (const page& on : all)
    for (const std::vector<priced_access>* const accesses : {&on.costs.shared, &on.costs.global})
      for (const priced_access& one : *accesses)
        if (most_excessive(one) > 0) result.push_back({&on, &one});
  std::stable_sort(result.begin(), result.end(), [](const auto& left, const auto& right) {
    return most_excessive(*left.access) > most_excessive(*right.access);
  });
  return result;
}

// The bytes of an access's pictures: the worst of an array with a plan is drawn as planned too.
class picture_sizes {
 public:
  std::size_t of(const page& on, const priced_access& one, const std::string& picture) {
    const auto is_of_array = [&](const array_plan& plan) {
      return !one.first->is_global && plan.array == one.first->array;
    };
    const auto plan = std::find_if(on.plans.begin(), on.plans.end(), is_of_array);
    const bool is_planned = plan != on.plans.end() && arrays_.emplace(&on, one.first->array).second;
    return picture.size() + (is_planned ? picture_of_plan(on, one, *plan).size() : 0);
  }

 private:
  std::set<std::pair<const page*, int>> arrays_;
};

}  // namespace

drawn_requests::drawn_requests(const std::vector<page>& all) {
  std::size_t bytes = 0;
  picture_sizes sizes;
  for (const candidate_request& one : candidates_of(all)) {
    if (bytes > most_bytes_of_pictures) {
      left_out_.insert(one.access);
      continue;
    }
    try {
      const std::string picture = picture_of(*one.on, *one.access);
      bytes += sizes.of(*one.on, *one.access, picture);
      if (bytes > most_bytes_of_pictures && !drawn_.empty())
        left_out_.insert(one.access);
      else
        drawn_[one.access] = picture;
    } catch (const bm::error&) {  // of() says it where the picture would be
    }
  }
}

std::string drawn_requests::of(const page& on, const priced_access& one) const {
  const auto found = drawn_.find(&one);
  return found == drawn_.end() ? picture_of(on, one) : found->second;
}

bool drawn_requests::leaves_out(const priced_access& one) const {
  return left_out_.count(&one) != 0;
}

}  // namespace compiled
