// SPDX-License-Identifier: MIT
#include "global_data.hpp"

#include <algorithm>

#include "memory.hpp"
#include "prepared_kernel.hpp"
#include "stored_arrays.hpp"

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
    known_.push_back(
        {number_of(kernel, name), &data.bytes,
         name + " has the data of " + data.file +
             ", if no other argument points there and no other block stores there",
         "the kernel may change " + name + ", so that the data of " + data.file + " are not taken",
         true});
  for (std::size_t at = 0; at < kernel.globals.size(); ++at) {
    const code_array& array = kernel.globals[at];
    if (!array.content.empty())
      known_.push_back({parameters + static_cast<int>(at), &array.content,
                        "the array " + array.name + " is taken to have its initial values", ""});
  }
  const auto stored = known_.empty() ? std::nullopt : stored_arrays(kernel);
  for (known_array& one : known_) {
    one.may_be_stored = !stored || stored->count(one.number) > 0;
    one.is_changed = changed.count(one.number) > 0;
    one.is_constant = one.number >= parameters &&
                      kernel.globals[static_cast<std::size_t>(one.number - parameters)].is_constant;
  }
}

global_data::known_array* global_data::array_of(int number) {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const known_array& one) { return one.number == number; });
  return found == known_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> global_data::load(std::uint64_t address, int bytes,
                                               const moment& now) {
  if (known_.empty() || bytes > 8) return std::nullopt;
  known_array* const from = array_of(global_number(address));
  if (from == nullptr || from->is_changed) return std::nullopt;
  const std::uint64_t at = address - global_base(static_cast<std::uint64_t>(from->number));
  const std::uint64_t size = from->bytes->size();
  if (at >= size || size - at < static_cast<std::uint64_t>(bytes)) return std::nullopt;
  from->was_loaded = true;
  std::uint64_t value = 0;
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t place = at + static_cast<std::uint64_t>(byte);
    std::uint8_t content = (*from->bytes)[place];
    if (const auto found = from->stored.find(place); found != from->stored.end()) {
      const stored_byte& one = found->second;
      // Without a barrier in between the order of two warps is not defined.
      if (!one.is_known || (one.stored.time == now.time && one.stored.warp != now.warp))
        return std::nullopt;
      content = one.value;
    }
    value |= static_cast<std::uint64_t>(content) << (8 * byte);
    if (!from->may_be_stored) continue;
    loaded_byte& read = from->loaded[place];
    const bool is_again = read.time == now.time && read.warp != now.warp;
    read = {content, now.time, is_again ? several : now.warp};
  }
  return value;
}

void global_data::store(std::uint64_t address, int bytes, std::optional<std::uint64_t> value,
                        const moment& now) {
  if (known_.empty()) return;
  known_array* const to = array_of(global_number(address));
  if (to == nullptr || to->is_constant) return;
  if (!to->is_given) return store_somewhere(to->number);
  const std::uint64_t at = address - global_base(static_cast<std::uint64_t>(to->number));
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t place_of_byte = at + static_cast<std::uint64_t>(byte);
    const stored_byte made = {
        static_cast<std::uint8_t>(value.value_or(0) >> (8 * std::min(byte, 7))),
        value.has_value() && byte < 8, now};
    // Another warp that loads it at the same time may get either value.
    if (const auto read = to->loaded.find(place_of_byte);
        read != to->loaded.end() && read->second.time == now.time &&
        read->second.warp != now.warp && !(made.is_known && made.value == read->second.value))
      throw data_change{{to->number}};
    const auto [place, is_new] = to->stored.try_emplace(place_of_byte, made);
    if (is_new) continue;
    stored_byte& stored = place->second;
    const bool is_by_another = stored.stored.time == now.time && stored.stored.warp != now.warp;
    const bool is_at_once = is_by_another || stored.stored.instruction == now.instruction;
    const bool is_same = made.is_known && stored.is_known && made.value == stored.value;
    stored = made;
    if (is_by_another) stored.stored.warp = several;
    if (is_at_once && !is_same) stored.is_known = false;
  }
}

void global_data::change(known_array& to, data_change& loaded) {
  if (to.is_constant) return;
  if (to.was_loaded) loaded.arrays.insert(to.number);
  to.is_changed = true;
}

void global_data::store_somewhere(int array) {
  data_change loaded;
  if (known_array* const to = array_of(array)) change(*to, loaded);
  if (!loaded.arrays.empty()) throw loaded;
}

void global_data::store_anywhere() {
  data_change loaded;
  for (known_array& one : known_) change(one, loaded);
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
