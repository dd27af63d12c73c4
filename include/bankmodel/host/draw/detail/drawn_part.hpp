// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_DRAWN_PART_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_DRAWN_PART_HPP

#include <bankmodel/host/text/phrases.hpp>
#include <bankmodel/host/text/style.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The planes, rows or columns of an array that a picture shows.
namespace bankmodel::detail {

class drawn_part {
 public:
  // `limit` of `total` lines: from `first` on, or, if that is automatic, those of `touched`.
  drawn_part(unsigned first, unsigned limit, long long total, const std::set<long long>& touched)
      : total_(total) {
    if (limit == picture_part::automatic) limit = fitting(touched);
    if (first != picture_part::automatic)
      add_range(first, limit);
    else if (limit >= total || touched.empty() || *touched.rbegin() < limit)
      add_range(0, limit);
    else if (*touched.rbegin() - *touched.begin() < limit)
      add_range(window(*touched.begin(), *touched.rbegin(), limit), limit);
    else
      for (const long long number : touched)
        if (numbers_.size() < limit) numbers_.push_back(number);
  }

  const std::vector<long long>& numbers() const { return numbers_; }
  // True if lines between this one and the one before it are not drawn.
  bool is_after_gap(std::size_t index) const {
    return index > 0 && numbers_[index] != numbers_[index - 1] + 1;
  }

  // "columns 64-127 of 128 are not drawn"; empty if all are drawn.
  std::string omitted(const char* items) const {
    if (static_cast<long long>(numbers_.size()) == total_) return {};
    const std::string of_all = line_of(" of ", std::to_string(total_));
    for (std::size_t index = 1; index < numbers_.size(); ++index)
      if (is_after_gap(index))
        return line_of("only ", std::to_string(numbers_.size()), of_all, " ", items,
                       " are drawn, which lanes touch");
    const long long begin = numbers_.empty() ? total_ : numbers_.front(),
                    end = numbers_.empty() ? total_ : numbers_.back() + 1;
    const std::string head = range(0, begin), tail = range(end, total_);
    return line_of(items, " ", head, head.empty() || tail.empty() ? "" : " and ", tail, of_all,
                   " are not drawn");
  }

 private:
  // A number of columns that has room for those that are touched.
  static unsigned fitting(const std::set<long long>& touched) {
    constexpr unsigned narrow = picture_part::few_columns, wide = picture_part::many_columns;
    if (touched.empty()) return wide;
    const bool is_in_window = *touched.rbegin() - *touched.begin() < narrow;
    // Single columns are drawn only if no window of the most columns contains all.
    return is_in_window ||
                   (*touched.rbegin() - *touched.begin() >= wide && touched.size() <= narrow)
               ? narrow
               : wide;
  }
  void add_range(long long first, long long count) {
    for (long long number = first; number < total_ && number - first < count; ++number)
      numbers_.push_back(number);
  }
  // Where `limit` lines begin that contain these two: at a multiple of 8 if possible.
  long long window(long long first, long long last, long long limit) const {
    const long long even = first / 8 * 8, begin = last - even < limit ? even : first;
    return begin + limit <= total_ ? begin : total_ - limit;
  }
  static std::string range(long long begin, long long end) {
    if (begin == end) return {};
    return line_of(std::to_string(begin),
                   end - begin > 1 ? line_of("-", std::to_string(end - 1)) : "");
  }

  long long total_;
  std::vector<long long> numbers_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
