// SPDX-License-Identifier: MIT
#include "chosen_kernels.hpp"

#include <algorithm>
#include <iterator>

#include "code/linkage.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

template <class Values, class Condition>
bool is_any(const Values& of, const Condition& holds) {
  return std::any_of(of.begin(), of.end(), holds);
}

// `pattern` with * for any letters and ? for one.
bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return matches(name, pattern.substr(1)) || (!name.empty() && matches(name.substr(1), pattern));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         matches(name.substr(1), pattern.substr(1));
}

std::string without_blanks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

}  // namespace

// A template's arguments may be written with and without blanks: k<double,64>.
bool candidate::has(const std::string& part) const {
  const std::string full = without_blanks(name), piece = without_blanks(part);
  if (part.find_first_of("*?") != part.npos)
    return matches(full, piece) || matches(full.substr(0, full.find_first_of("<(")), piece);
  // k<double, 64> without the default arguments that the name ends with.
  const bool is_instance = piece.size() > 1 && piece.back() == '>';
  return is(part) || full.find(piece) != full.npos || linkage.find(part) != linkage.npos ||
         (is_instance && full.find(piece.substr(0, piece.size() - 1) + ",") != full.npos);
}

bool candidate::is(const std::string& named) const {
  const std::string full = without_blanks(name), whole = without_blanks(named);
  return !whole.empty() &&
         (full.substr(0, full.find('(')) == whole || full == whole ||
          without_blanks(short_name) == whole || common_linkage(linkage) == common_linkage(named));
}

namespace {

std::vector<candidate> candidates_of(const code_of_file& code) {
  std::vector<candidate> result;
  for (const kernel_code& one : code.kernels)
    result.push_back({one.name, one.linkage, &one, "", one.short_name});
  for (const unread_kernel& one : code.unread)
    result.push_back({one.name, "", nullptr, one.reason});
  return result;
}

template <class Condition>
std::vector<candidate> those(const std::vector<candidate>& all, const Condition& are) {
  std::vector<candidate> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), are);
  return result;
}

constexpr std::size_t most_listed = 20;

// "first, second"; kernels of one name by their mangled names.
std::string names_of(const std::vector<candidate>& all) {
  std::string result;
  for (const candidate& one : all) {
    const auto with_its_name = [&](const candidate& other) { return other.name == one.name; };
    const bool is_alone = std::count_if(all.begin(), all.end(), with_its_name) == 1;
    const std::string& name = one.short_name.empty() ? one.name : one.short_name;
    result +=
        joined(result.empty() ? "" : ", ", is_alone || one.linkage.empty() ? name : one.linkage);
    const auto left = static_cast<std::size_t>(all.data() + all.size() - &one) - 1;
    if (left > 0 && all.size() - left == most_listed) return joined(result, " and ", left, " more");
  }
  return result;
}

// Those that have the name in full, else those that have it as a part or a pattern.
std::vector<candidate> named(const std::vector<candidate>& all, const std::string& name,
                             bool& is_exact) {
  std::vector<candidate> exact = those(all, [&](const candidate& one) { return one.is(name); });
  is_exact = !exact.empty();
  if (is_exact) return exact;
  std::vector<candidate> found = those(all, [&](const candidate& one) { return one.has(name); });
  if (found.empty())
    throw refusal{{},
                  joined("no kernel is named ", name),
                  joined("give a part of a name with --kernel, of ", names_of(all))};
  return found;
}

}  // namespace

std::vector<candidate> chosen_kernels(const code_of_file& code, const question& asked) {
  const std::vector<candidate> all = candidates_of(code);
  if (all.empty()) throw refusal{{}, joined(asked.file, " has no kernel"), "give another file"};
  if (asked.kernels.empty()) return all;
  std::vector<candidate> result;
  for (const std::string& name : asked.kernels) {
    bool is_exact = false;
    for (candidate& one : named(all, name, is_exact))
      if (!is_any(result, [&](const candidate& other) {
            return other.name == one.name && other.linkage == one.linkage;
          }))
        result.push_back(std::move(one));
  }
  return result;
}

const kernel_code& chosen_kernel(const code_of_file& code, const question& asked) {
  const std::vector<candidate> found = chosen_kernels(code, asked);
  if (found.size() > 1) {
    bool is_exact = false;
    if (asked.kernels.size() == 1) (void)named(found, asked.kernels[0], is_exact);
    throw refusal{{},
                  asked.kernels.size() != 1
                      ? joined("the file has ", found.size(), " kernels")
                      : joined(found.size(), " kernels have ", asked.kernels[0],
                               is_exact ? " as their name" : " in their names"),
                  joined("choose one with --kernel: ", names_of(found))};
  }
  if (found[0].code != nullptr) return *found[0].code;
  throw kernel_does_not_compile(code, found[0].name, found[0].reason);
}

std::vector<std::string> left_out(const code_of_file& code, const question& asked,
                                  const kernel_code& kernel) {
  std::vector<std::string> result;
  const candidate itself = {kernel.name, kernel.linkage, &kernel, ""};
  const bool is_named =
      is_any(asked.kernels, [&](const std::string& one) { return itself.is(one); });
  const auto may_be_meant = [&](const std::string& name) {
    return !is_named &&
           (asked.kernels.empty() || is_any(asked.kernels, [&](const std::string& one) {
              return name.find(one.substr(0, one.find('<'))) != name.npos;
            }));
  };
  // Of a kernel that is no template each launch is one of code that was read.
  const auto is_read = [&](const std::string& name) {
    return std::any_of(code.kernels.begin(), code.kernels.end(), [&](const kernel_code& one) {
      return one.name.substr(0, one.name.find('(')) == name;
    });
  };
  for (const unread_launch& one : code.unread_launches)
    if (one.kernel.empty() || one.is_call ? !is_named
                                          : may_be_meant(one.kernel) && !is_read(one.kernel))
      result.push_back(joined(one.is_call ? "the kernels that the call of " : "the launch of ",
                              one.kernel.empty() ? "a kernel" : one.kernel, " in line ", one.line,
                              one.file == asked.file ? "" : " of " + one.file,
                              one.is_call ? " launches (" : " (", one.reason, ")"));
  for (const std::string& one : code.kernels_without_instance)
    if (may_be_meant(one))
      result.push_back(joined("the instances of ", one, ", a template that nothing here uses"));
  if (!is_named)
    for (const std::string& one : code.missing_own_headers)
      result.push_back(joined("the file ", one, ", which was not found"));
  return result;
}

}  // namespace compiled
