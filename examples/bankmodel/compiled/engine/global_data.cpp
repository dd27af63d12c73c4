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
  if (const auto known = number_in_global(kernel, name)) return *known;
  if (parameter_number(kernel, name))
    throw cannot_run(
        {}, "the argument '" + name + "' is not used as a pointer, so that --data is not for it",
        "give its value, --arg " + name + "=..");
  std::string names;
  const auto offer = [&](const std::string& candidate) {
    names += (names.empty() ? "" : ", ") + candidate;
  };
  for (const code_parameter& parameter : kernel.parameters)
    if (parameter.is_pointer) offer(parameter.name);
  for (const code_array& array : kernel.globals) offer(array.name);
  throw cannot_run({}, "the kernel has no pointer or global array '" + name + "'",
                   names.empty() ? "leave --data out" : "it has " + names);
}

}  // namespace

std::optional<int> number_in_global(const kernel_code& kernel, const std::string& name) {
  if (const auto number = parameter_number(kernel, name)) {
    if (!kernel.parameters[*number].is_pointer) return std::nullopt;
    return static_cast<int>(*number);
  }
  const auto array = std::ranges::find(kernel.globals, name, &code_array::name);
  if (array == kernel.globals.end()) return std::nullopt;
  return static_cast<int>(kernel.parameters.size()) +
         static_cast<int>(array - kernel.globals.begin());
}

global_data::global_data(const kernel_code& kernel, const launch& settings,
                         const std::set<int>& changed) {
  const auto parameters = static_cast<int>(kernel.parameters.size());
  for (const auto& [name, data] : settings.data)
    known_.push_back(
        {number_of(kernel, name), &data.bytes,
         name + " has the data of " + data.file +
             ", if no other argument points there and no other block stores there",
         "the kernel may change " + name + ", so that the data of " + data.file + " are not taken",
         true});
  for (std::size_t number = 0; number < kernel.globals.size(); ++number) {
    const code_array& array = kernel.globals[number];
    if (!array.content.empty())
      known_.push_back({parameters + static_cast<int>(number), &array.content,
                        "the array " + array.name + " is taken to have its initial values", ""});
  }
  const auto stored = known_.empty() ? std::nullopt : stored_arrays(kernel);
  for (known_array& array : known_) {
    array.may_be_stored = !stored || stored->count(array.number) > 0;
    array.is_changed = changed.count(array.number) > 0;
    array.is_constant =
        array.number >= parameters && kernel.globals[slot(array.number - parameters)].is_constant;
  }
}

global_data::known_array* global_data::array_of(int number) {
  const auto entry = std::ranges::find(known_, number, &known_array::number);
  return entry == known_.end() ? nullptr : &*entry;
}

std::optional<std::uint64_t> global_data::load(std::uint64_t address, int bytes,
                                               const moment& stamp) {
  if (known_.empty() || bytes > 8) return std::nullopt;
  known_array* const array = array_of(global_number(address));
  if (array == nullptr || array->is_changed) return std::nullopt;
  const std::uint64_t offset = address - global_base(static_cast<std::uint64_t>(array->number));
  const std::uint64_t size = array->bytes->size();
  if (offset >= size || size - offset < static_cast<std::uint64_t>(bytes)) return std::nullopt;
  array->was_loaded = true;
  std::uint64_t value = 0;
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t place = offset + static_cast<std::uint64_t>(byte);
    std::uint8_t content = (*array->bytes)[place];
    if (const auto entry = array->stored.find(place); entry != array->stored.end()) {
      const stored_byte& stored = entry->second;
      // Without a barrier in between the order of two warps is not defined.
      if (!stored.is_known ||
          (stored.stored.time == stamp.time && stored.stored.warp != stamp.warp))
        return std::nullopt;
      content = stored.value;
    }
    value |= static_cast<std::uint64_t>(content) << (8 * byte);
    if (!array->may_be_stored) continue;
    loaded_byte& read = array->loaded[place];
    const bool is_again = read.time == stamp.time && read.warp != stamp.warp;
    read = {content, stamp.time, is_again ? several : stamp.warp};
  }
  return value;
}

void global_data::store(std::uint64_t address, int bytes, std::optional<std::uint64_t> value,
                        const moment& stamp) {
  if (known_.empty()) return;
  known_array* const array = array_of(global_number(address));
  if (array == nullptr || array->is_constant) return;
  if (!array->is_given) return store_somewhere(array->number);
  const std::uint64_t offset = address - global_base(static_cast<std::uint64_t>(array->number));
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t place_of_byte = offset + static_cast<std::uint64_t>(byte);
    const stored_byte written = {
        static_cast<std::uint8_t>(value.value_or(0) >> (8 * std::min(byte, 7))),
        value.has_value() && byte < 8, stamp};
    // Another warp that loads it at the same time may get either value.
    if (const auto read = array->loaded.find(place_of_byte);
        read != array->loaded.end() && read->second.time == stamp.time &&
        read->second.warp != stamp.warp &&
        !(written.is_known && written.value == read->second.value))
      throw data_change{{array->number}};
    const auto [place, is_new] = array->stored.try_emplace(place_of_byte, written);
    if (is_new) continue;
    stored_byte& stored = place->second;
    const bool is_by_another = stored.stored.time == stamp.time && stored.stored.warp != stamp.warp;
    const bool is_at_once = is_by_another || stored.stored.instruction == stamp.instruction;
    const bool is_same = written.is_known && stored.is_known && written.value == stored.value;
    stored = written;
    if (is_by_another) stored.stored.warp = several;
    if (is_at_once && !is_same) stored.is_known = false;
  }
}

void global_data::change(known_array& array, data_change& loaded) {
  if (array.is_constant) return;
  if (array.was_loaded) loaded.arrays.insert(array.number);
  array.is_changed = true;
}

void global_data::store_somewhere(int array) {
  data_change loaded;
  if (known_array* const target = array_of(array)) change(*target, loaded);
  if (!loaded.arrays.empty()) throw loaded;
}

void global_data::store_anywhere() {
  data_change loaded;
  for (known_array& array : known_) change(array, loaded);
  if (!loaded.arrays.empty()) throw loaded;
}

std::vector<std::string> global_data::notes() const {
  std::vector<std::string> result;
  for (const known_array& array : known_)
    if (array.was_loaded || (array.is_changed && !array.changed_note.empty()))
      result.push_back(array.was_loaded ? array.note : array.changed_note);
  return result;
}

}  // namespace compiled
