// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_DETAIL_FAILING_HPP
#define BANKMODEL_DETAIL_FAILING_HPP

#include <bankmodel/config.hpp>

#include <new>  // std::exception: std::bad_alloc must derive from it, and <exception> alone costs six times as much
#if !defined(__cpp_exceptions)
#include <cstdio>   // std::fputs
#include <cstdlib>  // std::abort
#endif

namespace bankmodel {

// What every function of the library throws at run time when an argument breaks one of its rules.
//   rule()  the rule's name, the same that a compiler prints when the call stands in a constant expression
//   what()  "bankmodel: rule: what is wrong, with its numbers, and what would be right"
class error : public std::exception {
 public:
  // `format` holds one '%' for each value that is to stand in the text, three at most.
  error(const char* rule, const char* format, long long first, long long second, long long third) noexcept : rule_(rule) {
    const long long values[3] = {first, second, third};
    int next = 0;
    append("bankmodel: ");
    append(rule);
    append(": ");
    for (; *format != '\0'; ++format)
      if (*format == '%' && next < 3)
        append(values[next++]);
      else
        append(*format);
  }
  const char* what() const noexcept override { return text_; }
  const char* rule() const noexcept { return rule_; }

 private:
  void append(char letter) noexcept {
    if (size_ + 1 < static_cast<int>(sizeof text_)) text_[size_++] = letter;
  }
  void append(const char* text) noexcept {
    while (*text != '\0') append(*text++);
  }
  void append(long long value) noexcept {
    char digits[20] = {};
    int count = 0;
    auto rest = value < 0 ? 0ull - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value);
    do digits[count++] = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) append('-');
    while (count > 0) append(digits[--count]);
  }

  const char* rule_;
  char text_[400] = {};
  int size_ = 0;
};

namespace detail {

// The end of every rule. A rule is a function that is not constexpr, named after what it demands: in a constant
// expression each compiler prints that name. On a device it traps.
[[noreturn]] BANKMODEL_FN inline void fail(const char* rule, const char* format, long long first = 0, long long second = 0,
                                           long long third = 0) {
#if defined(__CUDA_ARCH__)
  __trap();
#elif defined(__HIP_DEVICE_COMPILE__)
  __builtin_trap();
#elif defined(__cpp_exceptions)
  throw error(rule, format, first, second, third);
#else
  std::fputs(error(rule, format, first, second, third).what(), stderr);
  std::fputc('\n', stderr);
  std::abort();
#endif
}

}  // namespace detail
}  // namespace bankmodel

#endif
