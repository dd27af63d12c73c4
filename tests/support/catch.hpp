// SPDX-License-Identifier: MIT
// Catch2 of either major version: Debian 12 packages 2.13, others have 3.
#ifndef BANKMODEL_TESTS_CATCH_HPP
#define BANKMODEL_TESTS_CATCH_HPP

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#include <string>
namespace Catch {
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif

#endif
