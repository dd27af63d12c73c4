// SPDX-License-Identifier: MIT
#include "global_data.hpp"

#include <algorithm>

#include "memory.hpp"
#include "prepared_kernel.hpp"

namespace compiled {

namespace {

// The number of the array, or of the pointer among the arguments, that --data names.
int number_of(const kernel_code& kernel, const std::string& name) {
  std::string all;
  const auto offer = [&](const std::string& one) { all += (all.empty() ? "" : ", ") + one; };
  const auto parameters = static_cast<int>(kernel.parameters.size());
  if (const auto number = parameter_number(kernel, name)) {
    if (kernel.parameters[*number].is_pointer) return static_cast<int>(*number);
    throw cannot_run(
        {}, "the argument '" + name + "' is not used as a pointer, so that --data is not for it",
        "give its value, --arg " + name + "=..");
  }
  for (const code_parameter& one : kernel.parameters)
    if (one.is_pointer) offer(one.name);
  for (std::size_t at = 0; at < kernel.globals.size(); ++at) {
    if (kernel.globals[at].name == name) return parameters + static_cast<int>(at);
    offer(kernel.globals[at].name);
  }
  throw cannot_run({}, "the kernel has no pointer or global array '" + name + "'",
                   all.empty() ? "leave --data out" : "it has " + all);
}

}  // namespace

global_data::global_data(const kernel_code& kernel, const launch& how,
                         const std::set<int>& changed) {
  const auto parameters = static_cast<int>(kernel.parameters.size());
  for (const auto& [name, data] : how.data)
    known_.push_back({number_of(kernel, name), &data.bytes,
                      name + " has the data of " + data.file +
                          ", if no other argument points there and no other block stores there",
                      "the kernel may change " + name + ", so that the data of " + data.file +
                          " are not taken"});
  for (std::size_t at = 0; at < kernel.globals.size(); ++at) {
    const code_array& array = kernel.globals[at];
    if (!array.content.empty())
      known_.push_back({parameters + static_cast<int>(at), &array.content,
                        "the array " + array.name + " is taken to have its initial values", ""});
  }
  for (known_array& one : known_) {
    one.is_changed = changed.count(one.number) > 0;
    one.is_constant = one.number >= parameters &&
                      kernel.globals[static_cast<std::size_t>(one.number - parameters)].is_constant;
  }
}

global_data::known_array* global_data::array_at(std::uint64_t address) {
  const int number = global_number(address);
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const known_array& one) { return one.number == number; });
  return found == known_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> global_data::load(std::uint64_t address, int bytes) {
  known_array* const from = known_.empty() || bytes > 8 ? nullptr : array_at(address);
  if (from == nullptr || from->is_changed) return std::nullopt;
  const std::uint64_t at = address - global_base(static_cast<std::uint64_t>(from->number));
  const std::uint64_t size = from->bytes->size();
  if (at >= size || size - at < static_cast<std::uint64_t>(bytes)) return std::nullopt;
  from->was_loaded = true;
  std::uint64_t value = 0;
  for (int byte = 0; byte < bytes; ++byte)
    value |= static_cast<std::uint64_t>((*from->bytes)[at + static_cast<std::uint64_t>(byte)])
             << (8 * byte);
  return value;
}

void global_data::store(std::uint64_t address) {
  if (known_.empty()) return;
  known_array* const to = array_at(address);
  if (to == nullptr || to->is_constant) return;
  if (to->was_loaded) throw data_change{{to->number}};
  to->is_changed = true;
}

void global_data::store_anywhere() {
  data_change loaded;
  for (known_array& one : known_) {
    if (one.is_constant) continue;
    if (one.was_loaded) loaded.arrays.insert(one.number);
    one.is_changed = true;
  }
  if (!loaded.arrays.empty()) throw loaded;
}

std::vector<std::string> global_data::notes() const {
  std::vector<std::string> result;
  for (const known_array& one : known_)
    if (one.was_loaded || (one.is_changed && !one.changed_note.empty()))
      result.push_back(one.was_loaded ? one.note : one.changed_note);
  return result;
}

}  // namespace compiled
