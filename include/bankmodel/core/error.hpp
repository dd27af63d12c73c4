// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_ERROR_HPP
#define BANKMODEL_CORE_ERROR_HPP

#include <bankmodel/core/config.hpp>

// <new> for std::exception, which std::bad_alloc derives from: <exception> costs six times as much.
#include <new>
#if !defined(__cpp_exceptions)
#include <cstdio>   // std::fputs
#include <cstdlib>  // std::abort
#endif

namespace bankmodel {

// The exception that every function of the library throws at run time if an argument breaks one
// of its rules.
//
//   rule()  the rule's name; compilers print it too if the call is in a constant expression
//   what()  "bankmodel: rule: what is wrong, with its numbers; what to do"
class error : public std::exception {
 public:
  // `format` has one '%' for each value to be inserted, at most three.
  error(const char* rule, const char* format, long long first, long long second,
        long long third) noexcept
      : rule_(rule) {
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
    auto rest = value < 0 ? 0ull - static_cast<unsigned long long>(value)
                          : static_cast<unsigned long long>(value);
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

// Ends every rule at run time: throws an `error`; without exceptions prints its text and aborts; on
// a device traps.
[[noreturn]] BANKMODEL_HOST_DEVICE inline void stop(const char* rule, const char* format,
                                                    long long first, long long second,
                                                    long long third) {
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

// The end of every rule. A rule is a constexpr function named after its requirement. Each compiler
// prints that name, and the source line with the text, if a constant expression reaches it. Clang
// prints the arguments of the calls as well. g++ and nvcc do not, but they print the
// subscript of an array that is too small, so the first value that is not 0 is used as one.
[[noreturn]] BANKMODEL_FN void fail(const char* rule, const char* format, long long first = 0,
                                    long long second = 0, long long third = 0) {
#if defined(__CUDACC__) || !defined(__clang__)
  if (__builtin_is_constant_evaluated()) {
    constexpr bool allowed_by_this_rule[1] = {};
    const long long shown = first != 0 ? first : second != 0 ? second : third;
#if defined(__CUDACC__)
    (void)allowed_by_this_rule[shown];  // nvcc 13 crashes on some callers if the element is used
#else
    if (allowed_by_this_rule[shown]) format = nullptr;  // g++ evaluates it only if it is used
#endif
  }
#endif
  if (format != nullptr) stop(rule, format, first, second, third);
  __builtin_unreachable();
}

}  // namespace detail
}  // namespace bankmodel

#endif
