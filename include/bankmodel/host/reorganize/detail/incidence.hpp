// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_INCIDENCE_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_INCIDENCE_HPP

#include <bankmodel/host/reorganize/detail/small_set.hpp>
#include <bankmodel/host/reorganize/irregular_references.hpp>
#include <bankmodel/model/machine.hpp>  // max_lanes

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

namespace bankmodel::rule {
[[noreturn]] BANKMODEL_FN void accesses_must_fit_in_32_bits(long long accesses) {
  detail::fail(__func__,
               "% accesses of all threads are too many for lists of them, 4294967294 are allowed; "
               "use clustering::none or duplicate(), or reorganize part() after part()",
               accesses);
}
}  // namespace bankmodel::rule

// Repositioning and swapping threads are one problem: items in clusters of a fixed size, so that
// the clusters touch few edges.
//
//   repositioning   items: elements   clusters: segments   edges: requests (a warp's reference)
//   swapping        items: threads    clusters: warps      edges: segments of each reference
//
// The transactions are the sum over clusters of the different edges of their items.
namespace bankmodel::detail {

// Lists of numbers, one for each of 0 .. size() - 1, in one array of fewer than 2^32 numbers.
class number_lists {
 public:
  // for_each(visit) calls visit(list, number) for each entry, twice in the same order. An entry
  // that repeats the last one of its list is left out.
  template <class ForEach>
  number_lists(std::uint64_t lists, const ForEach& for_each) : ranges_(lists) {
    for_each([&](std::uint32_t list, std::uint32_t) { ++ranges_[list].size; });
    std::uint32_t begin = 0;
    for (range& bounds : ranges_) {
      bounds.begin = begin;
      begin += bounds.size;
      bounds.size = 0;
    }
    numbers_.resize(begin);
    for_each([&](std::uint32_t list, std::uint32_t number) {
      range& bounds = ranges_[list];
      const std::uint32_t end = bounds.begin + bounds.size;
      if (bounds.size != 0 && numbers_[end - 1] == number) return;
      numbers_[end] = number;
      ++bounds.size;
    });
  }
  // No lists; append() adds to the last one, and next() begins one.
  number_lists() = default;
  void next() { ranges_.push_back({static_cast<std::uint32_t>(numbers_.size()), 0}); }
  void append(std::uint32_t number) {
    numbers_.push_back(number);
    ++ranges_.back().size;
  }

  std::uint64_t size() const { return ranges_.size(); }
  std::span<const std::uint32_t> operator[](std::uint64_t list) const {
    return {numbers_.data() + ranges_[list].begin, ranges_[list].size};
  }
  // The lists that each number is in.
  number_lists transposed(std::uint64_t numbers) const {
    return number_lists(numbers, [&](auto&& visit) {
      for (std::uint64_t list = 0; list < size(); ++list)
        for (const std::uint32_t number : (*this)[list])
          visit(number, static_cast<std::uint32_t>(list));
    });
  }

 private:
  struct range {
    std::uint32_t begin = 0, size = 0;
  };
  std::vector<range> ranges_;
  std::vector<std::uint32_t> numbers_;
};

// Calls visit(thread, element, reference) for each access, request by request.
template <class Visit>
void for_each_access(const reorganize::irregular_references& references,
                     std::uint64_t threads_together, Visit&& visit) {
  for (std::uint64_t first = 0; first < references.threads(); first += threads_together)
    for (std::size_t reference = 0; reference < references.references.size(); ++reference) {
      const std::uint64_t last = std::min(references.threads(), first + threads_together);
      for (std::uint64_t thread = first; thread < last; ++thread)
        if (references.references[reference][thread] != reorganize::no_element)
          visit(static_cast<std::uint32_t>(thread), references.references[reference][thread],
                static_cast<std::uint32_t>(reference));
    }
}

// Error: there are more accesses than lists can have numbers.
inline void require_listable(const reorganize::irregular_references& references) {
  const std::uint64_t accesses = references.threads() * references.references.size();
  if (accesses >= reorganize::no_element)
    rule::accesses_must_fit_in_32_bits(static_cast<long long>(accesses));
}

// The threads that access each element.
inline number_lists threads_of_elements(const reorganize::irregular_references& references) {
  return number_lists(references.elements, [&](auto&& visit) {
    for_each_access(references, 1, [&](std::uint32_t thread, std::uint32_t element, std::uint32_t) {
      visit(element, thread);
    });
  });
}

// The elements that each thread accesses.
inline number_lists elements_of_threads(const reorganize::irregular_references& references) {
  return number_lists(references.threads(), [&](auto&& visit) {
    for_each_access(references, 1, [&](std::uint32_t thread, std::uint32_t element, std::uint32_t) {
      visit(thread, element);
    });
  });
}

// The requests that access each element, numbered warp by warp.
inline number_lists requests_of_elements(const reorganize::irregular_references& kernel) {
  const auto warp = static_cast<std::uint32_t>(kernel.warp),
             references = static_cast<std::uint32_t>(kernel.references.size());
  return number_lists(kernel.elements, [&](auto&& visit) {
    for_each_access(kernel, warp,
                    [&](std::uint32_t thread, std::uint32_t element, std::uint32_t reference) {
                      visit(element, thread / warp * references + reference);
                    });
  });
}

// The elements of each request, in the order of its threads.
inline number_lists elements_of_requests(const reorganize::irregular_references& references) {
  number_lists result;
  small_map different(max_lanes);
  const std::uint64_t warp = static_cast<std::uint64_t>(references.warp);
  for (std::uint64_t first = 0; first < references.threads(); first += warp)
    for (const reorganize::index_array& indices : references.references) {
      result.next();
      different.clear();
      const std::uint64_t last = std::min(references.threads(), first + warp);
      for (std::uint64_t thread = first; thread < last; ++thread)
        if (indices[thread] != reorganize::no_element && different.insert(indices[thread]))
          result.append(indices[thread]);
    }
  return result;
}

// The segments that each thread accesses, numbered reference by reference.
inline number_lists segments_of_threads(const reorganize::irregular_references& references) {
  const auto size = static_cast<std::uint32_t>(references.segment_elements());
  const auto segments = static_cast<std::uint32_t>((references.elements + size - 1) / size);
  return number_lists(references.threads(), [&](auto&& visit) {
    for_each_access(references, 1,
                    [&](std::uint32_t thread, std::uint32_t element, std::uint32_t reference) {
                      visit(thread, reference * segments + element / size);
                    });
  });
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
