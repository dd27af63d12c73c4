// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REORGANIZE_DETAIL_THREADS_OF_ELEMENTS_HPP
#define BANKMODEL_REORGANIZE_DETAIL_THREADS_OF_ELEMENTS_HPP

#include <bankmodel/reorganize/irregular_references.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// The references read backwards: which threads, or which groups of threads, access each element.
namespace bankmodel::detail {

// The groups of `threads_in_group` consecutive threads (1: the threads themselves) that access each
// element, in the order of their numbers; a group is listed once for each run of its accesses.
// Memory: 4 bytes for each access and 16 for each element.
class threads_of_elements {
 public:
  // `numbered_by_reference`: the group of a thread is another one for each reference, so that
  // groups are requests. Group number = group of the thread * references + reference.
  threads_of_elements(const reorganize::irregular_references& of, std::uint64_t threads_in_group,
                      bool numbered_by_reference)
      : begin_(of.elements + 1) {
    const std::size_t references = of.references.size();
    const std::uint64_t factor = numbered_by_reference ? references : 1;
    const auto for_each = [&](auto&& visit) {
      for (std::uint64_t first = 0; first < of.threads(); first += threads_in_group)
        for (std::size_t reference = 0; reference < references; ++reference) {
          const std::uint64_t last = std::min(of.threads(), first + threads_in_group);
          const std::uint64_t group =
              first / threads_in_group * factor + (numbered_by_reference ? reference : 0);
          for (std::uint64_t thread = first; thread < last; ++thread)
            if (of.references[reference][thread] != reorganize::no_element)
              visit(of.references[reference][thread], static_cast<std::uint32_t>(group));
        }
    };
    for_each([&](std::uint32_t element, std::uint32_t) { ++begin_[element + 1]; });
    for (std::size_t at = 1; at < begin_.size(); ++at) begin_[at] += begin_[at - 1];
    groups_.resize(begin_.back());
    std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
    for_each([&](std::uint32_t element, std::uint32_t group) {
      std::uint64_t& to = next[element];
      if (to == begin_[element] || groups_[to - 1] != group) groups_[to++] = group;
    });
    end_ = std::move(next);
  }
  std::span<const std::uint32_t> operator[](std::uint32_t element) const {
    return {groups_.data() + begin_[element], groups_.data() + end_[element]};
  }

 private:
  std::vector<std::uint64_t> begin_, end_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace bankmodel::detail

#endif
