// SPDX-License-Identifier: MIT
// How many of the generated cases a test draws: with sanitizers, which make each some twenty times
// as long, one in ten. The same test without them draws all, and so do both if BANKMODEL_ALL_CASES
// is in the environment.
#ifndef BANKMODEL_TESTS_DRAWN_HPP
#define BANKMODEL_TESTS_DRAWN_HPP

#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define BANKMODEL_TESTS_ARE_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BANKMODEL_TESTS_ARE_SANITIZED true
#endif
#endif
#ifndef BANKMODEL_TESTS_ARE_SANITIZED
#define BANKMODEL_TESTS_ARE_SANITIZED false
#endif

// Of a domain that is walked through, every drawn_step()-th case.
inline int drawn_step() {
  return BANKMODEL_TESTS_ARE_SANITIZED && std::getenv("BANKMODEL_ALL_CASES") == nullptr ? 10 : 1;
}

inline int drawn(int count) { return count / drawn_step(); }

#endif
