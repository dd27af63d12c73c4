// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_DRAWN_PART_HPP
#define BANKMODEL_REPORT_DETAIL_DRAWN_PART_HPP

#include <bankmodel/report/detail/phrases.hpp>
#include <bankmodel/report/style.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

// The planes, rows or columns of an array that a picture shows.
namespace bankmodel::detail {

class drawn_part {
 public:
  // `most` of `total` lines: from `first` on, or, if that is automatic, those of `touched`.
  drawn_part(unsigned first, unsigned most, long long total, const std::set<long long>& touched)
      : total_(total) {
    if (most == picture_part::automatic) most = fitting(touched);
    if (first != picture_part::automatic)
      add_range(first, most);
    else if (most >= total || touched.empty() || *touched.rbegin() < most)
      add_range(0, most);
    else if (*touched.rbegin() - *touched.begin() < most)
      add_range(window(*touched.begin(), *touched.rbegin(), most), most);
    else
      for (const long long one : touched)
        if (numbers_.size() < most) numbers_.push_back(one);
  }

  const std::vector<long long>& numbers() const { return numbers_; }
  // True if lines between this one and the one before it are not drawn.
  bool is_after_gap(std::size_t at) const { return at > 0 && numbers_[at] != numbers_[at - 1] + 1; }

  // "columns 64-127 of 128 are not drawn"; empty if all are drawn.
  std::string omitted(const char* what) const {
    if (static_cast<long long>(numbers_.size()) == total_) return {};
    const std::string of_all = line_of(" of ", std::to_string(total_));
    for (std::size_t at = 1; at < numbers_.size(); ++at)
      if (is_after_gap(at))
        return line_of("only ", std::to_string(numbers_.size()), of_all, " ", what,
                       " are drawn, which lanes touch");
    const long long begin = numbers_.empty() ? total_ : numbers_.front(),
                    end = numbers_.empty() ? total_ : numbers_.back() + 1;
    const std::string before = range(0, begin), after = range(end, total_);
    return line_of(what, " ", before, before.empty() || after.empty() ? "" : " and ", after, of_all,
                   " are not drawn");
  }

 private:
  // A number of columns that has room for those that are touched.
  static unsigned fitting(const std::set<long long>& touched) {
    constexpr unsigned few = picture_part::few_columns, many = picture_part::many_columns;
    if (touched.empty()) return many;
    const bool is_in_window = *touched.rbegin() - *touched.begin() < few;
    // Single columns are drawn only if no window of the most columns contains all.
    return is_in_window || (*touched.rbegin() - *touched.begin() >= many && touched.size() <= few)
               ? few
               : many;
  }
  void add_range(long long first, long long count) {
    for (long long at = first; at < total_ && at - first < count; ++at) numbers_.push_back(at);
  }
  // Where `most` lines begin that contain these two: at a multiple of 8 if possible.
  long long window(long long first, long long last, long long most) const {
    const long long even = first / 8 * 8, begin = last - even < most ? even : first;
    return begin + most <= total_ ? begin : total_ - most;
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

#endif
