// SPDX-License-Identifier: MIT
#include "chosen_kernels.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "../name_pattern.hpp"
#include "build/paths.hpp"
#include "code/linkage.hpp"
#include "code/short_names.hpp"
#include "code/shown_places.hpp"

namespace compiled {

using command_line::matches;

namespace {

template <class Values, class Condition>
bool is_any(const Values& values, const Condition& holds) {
  return std::any_of(values.begin(), values.end(), holds);
}

// Without blanks, and without the letters behind numbers: k<128U, 2> is k<128,2>.
std::string comparable_name(std::string_view text) {
  std::string result;
  bool is_word = false, is_number = false;
  for (const char c : text) {
    if (c == ' ') continue;
    const bool is_digit = c >= '0' && c <= '9';
    if (is_number && std::string_view("uUlL").find(c) != std::string_view::npos) continue;
    is_number = is_digit && (is_number || !is_word);
    is_word = is_digit || c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
    result += c;
  }
  return result;
}

}  // namespace

// A template's arguments may be written with and without blanks and suffixes: k<double,64>.
bool candidate::has(const std::string& part) const {
  const std::string full = comparable_name(name), piece = comparable_name(part);
  // A pattern matches the whole name, with or without its namespaces and its arguments, or the
  // name that pages print.
  const auto matches_pattern = [&](const std::string& text) {
    return matches(text, piece) || matches(text.substr(0, text.find_first_of("<(")), piece);
  };
  if (part.find_first_of("*?") != part.npos)
    return matches_pattern(full) || matches_pattern(comparable_name(unqualified_name(name))) ||
           matches_pattern(comparable_name(short_name));
  // k<double, 64> without the default arguments that the name ends with.
  const bool is_instance = piece.size() > 1 && piece.back() == '>';
  return is(part) || full.find(piece) != full.npos || linkage.find(part) != linkage.npos ||
         (is_instance && full.find(piece.substr(0, piece.size() - 1) + ",") != full.npos);
}

bool candidate::is(const std::string& named) const {
  const std::string full = comparable_name(name), wanted = comparable_name(named);
  return !wanted.empty() && (full.substr(0, full.find('(')) == wanted || full == wanted ||
                             comparable_name(short_name) == wanted ||
                             common_linkage(linkage) == common_linkage(named));
}

namespace {

std::vector<candidate> candidates_of(const code_of_file& code) {
  std::vector<candidate> result;
  for (const kernel_code& kernel : code.kernels)
    result.push_back({kernel.name, kernel.linkage, &kernel, "", kernel.short_name});
  for (const unread_kernel& kernel : code.unread)
    if (!kernel.is_read_by_nvcc) result.push_back({kernel.name, "", nullptr, kernel.reason});
  return result;
}

// With those that were passed over: all of them, or those that are asked about.
template <class Condition>
std::vector<candidate> with_passed_over(const code_of_file& code, const Condition& holds) {
  std::vector<candidate> result = candidates_of(code);
  for (const readable_kernel& kernel : code.passed_over_kernels)
    if (holds(kernel)) result.push_back({kernel.name, kernel.linkage, nullptr, ""});
  return result;
}
std::vector<candidate> all_candidates_of(const code_of_file& code) {
  return with_passed_over(code, [](const readable_kernel&) { return true; });
}

template <class Condition>
std::vector<candidate> filtered(const std::vector<candidate>& candidates, const Condition& are) {
  std::vector<candidate> result;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(result), are);
  return result;
}

constexpr std::size_t most_listed = 20;

// "first, second"; kernels of one name by their mangled names.
std::string names_of(const std::vector<candidate>& candidates) {
  std::string result;
  for (const candidate& kernel : candidates) {
    const auto with_its_name = [&](const candidate& other) { return other.name == kernel.name; };
    const bool is_alone = std::count_if(candidates.begin(), candidates.end(), with_its_name) == 1;
    const std::string& name = kernel.short_name.empty() ? kernel.name : kernel.short_name;
    result += joined(result.empty() ? "" : ", ",
                     is_alone || kernel.linkage.empty() ? name : kernel.linkage);
    const auto left = static_cast<std::size_t>(candidates.data() + candidates.size() - &kernel) - 1;
    if (left > 0 && candidates.size() - left == most_listed)
      return joined(result, " and ", left, " more");
  }
  return result;
}

// Those that have the name in full, else those that have it as a part or a pattern.
std::vector<candidate> named(const std::vector<candidate>& candidates, const std::string& name,
                             const code_of_file& code, bool& is_exact) {
  std::vector<candidate> exact =
      filtered(candidates, [&](const candidate& kernel) { return kernel.is(name); });
  is_exact = !exact.empty();
  if (is_exact) return exact;
  std::vector<candidate> partial =
      filtered(candidates, [&](const candidate& item) { return item.has(name); });
  if (partial.empty())
    throw input_error(
        joined("no kernel is named ", name),
        joined("give a part of a name with --kernel, of ", names_of(all_candidates_of(code))));
  return partial;
}

}  // namespace

namespace {

constexpr int most_instances = 24;
constexpr std::uint64_t most_instructions = 1 << 18;

bool is_instance(const std::string& name) { return name.find('<') != std::string::npos; }

}  // namespace

namespace {

// Those that have the name in full, else those that have it as a part or a pattern.
void read_named(const std::string& name, const std::vector<std::string>& short_names,
                std::vector<readable_kernel>& kernels) {
  bool is_found = false;
  for (const auto holds : {&candidate::is, &candidate::has}) {
    for (std::size_t number = 0; number < kernels.size(); ++number) {
      const candidate kernel = {kernels[number].name, kernels[number].linkage, nullptr, "",
                                short_names[number]};
      if (!(kernel.*holds)(name)) continue;
      kernels[number].reason = passed_over::none;
      is_found = true;
    }
    if (is_found) return;
  }
}

// Passes over those for which the condition does not hold, unless it holds for none.
template <class Condition>
void read_only(const Condition& holds, std::vector<readable_kernel>& kernels) {
  if (std::none_of(kernels.begin(), kernels.end(), holds)) return;
  for (readable_kernel& kernel : kernels)
    if (!holds(kernel)) kernel.reason = passed_over::unasked;
}

}  // namespace

void pass_over_kernels(const question& asked, std::vector<readable_kernel>& kernels) {
  if (!asked.kernels.empty()) {
    std::vector<std::string> names;
    for (const readable_kernel& kernel : kernels) names.push_back(kernel.name);
    for (readable_kernel& kernel : kernels) kernel.reason = passed_over::unasked;
    const std::vector<std::string> shorter = short_names(names);
    for (const std::string& name : asked.kernels) read_named(name, shorter, kernels);
    return;
  }
  if (asked.unit.empty())
    read_only(
        [&](const readable_kernel& kernel) {
          return kernel.is_launched || !is_of_a_library(kernel.file, asked.file);
        },
        kernels);
  else
    read_only([header = canonical(asked.file)](
                  const readable_kernel& kernel) { return canonical(kernel.file) == header; },
              kernels);
  std::map<std::string, int> instances;
  std::vector<readable_kernel*> by_size;
  std::set<const readable_kernel*> repeated;
  for (readable_kernel& kernel : kernels) {
    if (kernel.reason != passed_over::none) continue;
    const int number = is_instance(kernel.name) ? ++instances[template_of(kernel.name)] : 1;
    if (number > 1) repeated.insert(&kernel);
    if (number > most_instances)
      kernel.reason = passed_over::further_instance;
    else
      by_size.push_back(&kernel);
  }
  std::ranges::stable_sort(by_size, [&](const readable_kernel* left, const readable_kernel* right) {
    return std::make_pair(repeated.count(left), left->instructions) <
           std::make_pair(repeated.count(right), right->instructions);
  });
  std::uint64_t sum = 0;
  for (readable_kernel* const kernel : by_size) {
    sum += kernel->instructions;
    if (sum <= most_instructions || kernel == by_size.front()) continue;
    sum -= kernel->instructions;
    kernel->reason =
        repeated.count(kernel) != 0 ? passed_over::further_instance : passed_over::large;
  }
}

std::vector<left_out_kernels> left_out_kernels_of(const code_of_file& code) {
  std::map<std::pair<std::string, passed_over>, std::vector<std::string>> groups;
  for (const readable_kernel& kernel : code.passed_over_kernels)
    if (kernel.reason != passed_over::unasked)
      groups[{template_of(kernel.name), kernel.reason}].push_back(kernel.name);
  std::vector<left_out_kernels> result;
  for (const auto& [group, names] : groups) {
    const auto& [name, reason] = group;
    const bool is_alone = names.size() == 1 && reason == passed_over::large;
    result.push_back(
        {is_alone ? names.front() : joined("each of ", names.size(), " more instances of ", name),
         {{},
          reason == passed_over::large
              ? joined("at most ", bm::grouped(most_instructions),
                       " instructions of a file are counted, those of the smallest kernels first")
              : joined("at most ", most_instances, " of a template and ",
                       bm::grouped(most_instructions), " instructions of a file are counted"),
          is_alone ? joined("give --kernel '", names.front(), "'")
                   : joined("give --kernel '", name, "<*>' for all of them, or name one")}});
  }
  return result;
}

std::vector<candidate> chosen_kernels(const code_of_file& code, const question& asked) {
  const std::vector<candidate> candidates = candidates_of(code);
  if (candidates.empty() && code.passed_over_kernels.empty())
    throw input_error(joined(asked.file, " has no kernel"), "give another file");
  if (asked.kernels.empty()) return candidates;
  std::vector<candidate> result;
  for (const std::string& name : asked.kernels) {
    bool is_exact = false;
    for (candidate& kernel : named(candidates, name, code, is_exact))
      if (!is_any(result, [&](const candidate& other) {
            return other.name == kernel.name && other.linkage == kernel.linkage;
          }))
        result.push_back(std::move(kernel));
  }
  return result;
}

const kernel_code& chosen_kernel(const code_of_file& code, const question& asked) {
  const std::vector<candidate> selected =
      asked.kernels.empty() ? with_passed_over(code,
                                               [](const readable_kernel& kernel) {
                                                 return kernel.reason != passed_over::unasked;
                                               })
                            : chosen_kernels(code, asked);
  if (selected.size() > 1) {
    bool is_exact = false;
    if (asked.kernels.size() == 1) (void)named(selected, asked.kernels[0], code, is_exact);
    throw input_error(asked.kernels.size() != 1
                          ? joined("the file has ", selected.size(), " kernels")
                          : joined(selected.size(), " kernels have ", asked.kernels[0],
                                   is_exact ? " as their name" : " in their names"),
                      joined("choose one with --kernel: ", names_of(selected)));
  }
  if (selected[0].code != nullptr) return *selected[0].code;
  throw kernel_does_not_compile(code, selected[0].name, selected[0].reason);
}

std::string text_of_unread(const unread_launch& launch, const std::string& file,
                           const std::set<int>& lines) {
  const bool is_alone = lines.size() < 2;
  std::string places = is_alone ? "line " : "lines ";
  for (const int line : lines) {
    if (line != *lines.begin()) places += line == *lines.rbegin() ? " and " : ", ";
    places += std::to_string(line);
  }
  std::string subject = launch.is_call ? "the kernels that the call" : "the launch";
  if (!is_alone) subject += launch.is_call ? "s" : "es";
  const std::string launches = is_alone ? " launches" : " launch";
  return joined(subject, " of ", launch.kernel.empty() ? "a kernel" : launch.kernel, " in ", places,
                launch.file == file ? "" : " of " + launch.file, launch.is_call ? launches : "",
                " (", launch.reason, ")");
}

namespace {

// Those that differ by their lines alone together, in the order of the first of each.
std::vector<std::string> texts_of_unread(const std::vector<const unread_launch*>& launches,
                                         const std::string& file) {
  std::vector<std::pair<const unread_launch*, std::set<int>>> groups;
  for (const unread_launch* const launch : launches) {
    const auto is_like = [&](const auto& group) {
      const unread_launch& other = *group.first;
      return other.kernel == launch->kernel && other.is_call == launch->is_call &&
             other.file == launch->file && other.reason == launch->reason;
    };
    auto group = std::ranges::find_if(groups, is_like);
    if (group == groups.end()) group = groups.insert(group, {launch, {}});
    group->second.insert(launch->line);
  }
  std::vector<std::string> result;
  for (const auto& [first, lines] : groups) result.push_back(text_of_unread(*first, file, lines));
  return result;
}

}  // namespace

std::vector<std::string> left_out(const code_of_file& code, const question& asked,
                                  const kernel_code& kernel) {
  std::vector<std::string> result;
  const candidate itself = {kernel.name, kernel.linkage, &kernel, ""};
  const bool is_named =
      is_any(asked.kernels, [&](const std::string& pattern) { return itself.is(pattern); });
  const auto may_be_meant = [&](const std::string& name) {
    return !is_named &&
           (asked.kernels.empty() || is_any(asked.kernels, [&](const std::string& part) {
              return name.find(part.substr(0, part.find('<'))) != name.npos;
            }));
  };
  // Of a kernel that is no template each launch is one of code that was read.
  const auto is_read = [&](const std::string& name) {
    return is_any(all_candidates_of(code), [&](const candidate& known) {
      return known.name.substr(0, known.name.find('(')) == name;
    });
  };
  std::vector<const unread_launch*> launches;
  for (const unread_launch& launch : code.unread_launches)
    if (launch.kernel.empty() || launch.is_call
            ? !is_named
            : may_be_meant(launch.kernel) && !is_read(launch.kernel))
      launches.push_back(&launch);
  result = texts_of_unread(launches, asked.file);
  for (const std::string& template_name : code.kernels_without_instance)
    if (may_be_meant(template_name))
      result.push_back(
          joined("the instances of ", template_name, ", a template that nothing here uses"));
  if (!is_named)
    for (const std::string& header : code.missing_own_headers)
      result.push_back(joined("the file ", header, ", which was not found"));
  return result;
}

}  // namespace compiled
