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
  const page* kernel_page = nullptr;
  const priced_access* access = nullptr;
};

// Those that take more than their ideal, the worst first.
std::vector<candidate_request> candidates_of(const std::vector<page>& pages) {
  std::vector<candidate_request> result;
  for (const page& shown_page : pages)
    for (const std::vector<priced_access>* const accesses :
         {&shown_page.costs.shared, &shown_page.costs.global})
      for (const priced_access& access : *accesses)
        if (most_excessive(access) > 0) result.push_back({&shown_page, &access});
  std::ranges::stable_sort(result, [](const auto& left, const auto& right) {
    return most_excessive(*left.access) > most_excessive(*right.access);
  });
  return result;
}

// The bytes of an access's pictures: the worst of an array with a plan is drawn as planned too.
class picture_sizes {
 public:
  std::size_t measure(const page& shown_page, const priced_access& access,
                      const std::string& picture) {
    const auto is_of_array = [&](const array_plan& plan) {
      return !access.first->is_global && plan.array == access.first->array;
    };
    const auto plan = std::ranges::find_if(shown_page.plans, is_of_array);
    const bool is_planned =
        plan != shown_page.plans.end() && arrays_.emplace(&shown_page, access.first->array).second;
    return picture.size() + (is_planned ? picture_of_plan(shown_page, access, *plan).size() : 0);
  }

 private:
  std::set<std::pair<const page*, int>> arrays_;
};

}  // namespace

drawn_requests::drawn_requests(const std::vector<page>& pages) {
  std::size_t bytes = 0;
  picture_sizes sizes;
  for (const candidate_request& candidate : candidates_of(pages)) {
    if (bytes > most_bytes_of_pictures) {
      left_out_.insert(candidate.access);
      continue;
    }
    try {
      const std::string picture = picture_of(*candidate.kernel_page, *candidate.access);
      bytes += sizes.measure(*candidate.kernel_page, *candidate.access, picture);
      if (bytes > most_bytes_of_pictures && !drawn_.empty())
        left_out_.insert(candidate.access);
      else
        drawn_[candidate.access] = picture;
    } catch (const bm::error&) {  // draw() says it where the picture would be
    }
  }
}

std::string drawn_requests::draw(const page& shown_page, const priced_access& access) const {
  const auto entry = drawn_.find(&access);
  return entry == drawn_.end() ? picture_of(shown_page, access) : entry->second;
}

bool drawn_requests::leaves_out(const priced_access& access) const {
  return left_out_.count(&access) != 0;
}

}  // namespace compiled
