// SPDX-License-Identifier: MIT
#include "short_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "identifier.hpp"

namespace compiled {

namespace {

constexpr std::size_t most_letters = 40;

// A bracket of a template: one behind a blank is an operator, (a < b).
bool is_bracket(const std::string& text, std::size_t offset) {
  return (text[offset] == '<' || text[offset] == '>') && offset > 0 && text[offset - 1] != ' ' &&
         text[offset - 1] != '-';
}

// "policy<shape<64>>" for "lib::policy<lib::shape<64>>": what comes before each `::` goes.
std::string without_namespaces(const std::string& text) {
  std::string result;
  std::size_t begin = 0;  // in `result`, of the qualified name
  for (std::size_t offset = 0; offset < text.size(); ++offset) {
    const std::string unnamed = "(anonymous namespace)";
    if (text.compare(offset, unnamed.size() + 2, unnamed + "::") == 0) {
      offset += unnamed.size() + 1;
    } else if (text.compare(offset, 2, "::") == 0) {
      result.erase(begin);
      ++offset;
    } else {
      result += text[offset];
      if (!is_identifier_letter(text[offset])) begin = result.size();
    }
  }
  return result;
}

// Numba tells the functions of one name apart by tags of many letters: "k[abi:v1][abi:cw51cX]".
std::string without_tags(std::string name) {
  for (std::size_t begin; (begin = name.find("[abi:")) != name.npos;) {
    const std::size_t end = name.find(']', begin);
    if (end == name.npos) break;
    name.erase(begin, end + 1 - begin);
  }
  return name;
}

// A name as a kernel and the arguments of its template.
struct kernel_instance {
  std::string kernel;  // with its namespaces
  std::vector<std::string> arguments;
  std::string rest;  // behind the arguments: "(float*)"

  explicit kernel_instance(const std::string& name) {
    // Not that of operator<, which no kernel is, nor one in a namespace's name.
    const std::size_t open = name.find('<');
    const std::size_t bracket = name.find('(', name.starts_with("(anonymous namespace)::"));
    kernel = name.substr(0, open);
    if (open == name.npos || (bracket < open && bracket != name.npos)) {
      kernel = name;
      return;
    }
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t offset = open; offset < name.size(); ++offset) {
      const char letter = name[offset];
      const bool is_operator = !is_bracket(name, offset);
      if ((letter == '<' && !is_operator) || letter == '(' || letter == '[') ++depth;
      if ((letter == '>' && !is_operator) || letter == ')' || letter == ']') --depth;
      const bool is_end = depth == 0;
      if (!is_end && (letter != ',' || depth != 1)) continue;
      const std::size_t first = name.find_first_not_of(' ', begin);
      if (first < offset)
        arguments.push_back(without_namespaces(name.substr(first, offset - first)));
      begin = offset + 1;
      if (!is_end) continue;
      rest = name.substr(offset + 1);
      return;
    }
    kernel = name;  // brackets that do not close
    arguments.clear();
  }

  std::string text(const std::string& named, std::size_t count) const {
    std::string result = named;
    for (std::size_t number = 0; number < std::min(count, arguments.size()); ++number)
      result += (number == 0 ? "<" : ", ") + arguments[number];
    return result + (count == 0 || arguments.empty() ? "" : ">") + rest;
  }
};

// How many arguments tell it from the other instances of its kernel.
std::size_t telling_arguments(const kernel_instance& instance,
                              const std::vector<kernel_instance>& instances) {
  std::size_t result = 0;
  for (const kernel_instance& other : instances) {
    if (other.kernel != instance.kernel || other.arguments == instance.arguments) continue;
    std::size_t same = 0;
    while (same < std::min(instance.arguments.size(), other.arguments.size()) &&
           instance.arguments[same] == other.arguments[same])
      ++same;
    result = std::max(result, same + 1);
  }
  return std::min(result, instance.arguments.size());
}

// "gemm<mma<..>, 4>" to depth 1: the arguments of deeper templates are left out.
std::string to_depth(const std::string& name, int limit) {
  std::string result;
  int depth = 0;
  for (std::size_t offset = 0; offset < name.size(); ++offset) {
    const bool is_template = is_bracket(name, offset);
    if (is_template && name[offset] == '<' && ++depth == limit + 1) result += "<..";
    if (depth <= limit) result += name[offset];
    if (is_template && name[offset] == '>' && depth-- == limit + 1) result += '>';
  }
  return result;
}

// The forms of a name, each longer than the one before it, and the whole name.
std::vector<std::string> forms_of(const std::string& name, const std::string& full_name) {
  std::vector<std::string> result;
  for (int depth = 1; result.empty() || result.back() != name; ++depth)
    result.push_back(to_depth(name, depth));
  if (result.back() != full_name) result.push_back(full_name);
  return result;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names) {
  std::vector<kernel_instance> instances;
  std::map<std::string, std::set<std::string>> kernels;  // by their names without namespaces
  for (const std::string& name : names) {
    instances.emplace_back(without_tags(name));
    kernels[without_namespaces(instances.back().kernel)].insert(instances.back().kernel);
  }
  std::vector<std::vector<std::string>> forms;
  std::vector<std::size_t> chosen;  // of the forms the longest that fits, or the first one
  for (std::size_t index = 0; index < instances.size(); ++index) {
    const kernel_instance& instance = instances[index];
    std::string kernel = without_namespaces(instance.kernel);
    if (kernels[kernel].size() > 1) kernel = instance.kernel;
    std::size_t count = std::max<std::size_t>(telling_arguments(instance, instances), 1);
    while (count < instance.arguments.size() &&
           instance.text(kernel, count + 1).size() <= most_letters)
      ++count;
    forms.push_back(forms_of(instance.text(kernel, count), names[index]));
    std::size_t longest = 0;
    for (std::size_t form = 1; form < forms.back().size(); ++form)
      if (forms.back()[form].size() <= most_letters && form + 1 < forms.back().size())
        longest = form;
    chosen.push_back(longest);
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    std::map<std::string, std::set<std::string>> names_of;  // by the short one
    for (std::size_t index = 0; index < instances.size(); ++index)
      names_of[forms[index][chosen[index]]].insert(names[index]);
    for (std::size_t index = 0; index < instances.size(); ++index) {
      if (names_of[forms[index][chosen[index]]].size() < 2 ||
          chosen[index] + 1 == forms[index].size())
        continue;
      ++chosen[index];
      is_new = true;
    }
  }
  std::vector<std::string> result;
  for (std::size_t index = 0; index < instances.size(); ++index)
    result.push_back(forms[index][chosen[index]]);
  return result;
}

std::string unqualified_name(const std::string& name) {
  const std::string unnamed = "(anonymous namespace)::";
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t place = 0; place < name.size(); ++place) {
    if (is_bracket(name, place)) depth += name[place] == '<' ? 1 : -1;
    if (depth > 0) continue;
    if (name.compare(place, unnamed.size(), unnamed) == 0)
      begin = place + unnamed.size();
    else if (name.compare(place, 2, "::") == 0)
      begin = place + 2;
    else if (name[place] == '(')
      break;
    if (begin > place) place = begin - 1;
  }
  return name.substr(begin);
}

}  // namespace compiled
