// SPDX-License-Identifier: MIT
#include "bankmodel.h"

#include <algorithm>
#include <bankmodel/version.hpp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "../entry/answers.hpp"
#include "../known_machines.hpp"
#include "../notation/counts.hpp"
#include "../notation/kernel_file.hpp"
#include "../processors.hpp"

namespace {

namespace bm = bankmodel;

using command_line::joined;
using command_line::refusal;

// A copy for a caller of C. Null: there is no memory.
char* copy_of(const std::string& text) {
  auto* const result = static_cast<char*>(std::malloc(text.size() + 1));
  if (result != nullptr) std::memcpy(result, text.c_str(), text.size() + 1);
  return result;
}

void set(char** result, const std::string& text) {
  if (result != nullptr) *result = copy_of(text);
}

// What a caller of C can do about it.
constexpr char no_memory[] = "bankmodel: error: there is no memory\n";

// The kernel with the values of one variant.
class variants {
 public:
  variants(const std::string& machine, const char* kernel, std::vector<std::string> names,
           const std::int64_t* values)
      : machine_(command_line::machine_of(machine, {})),
        kernel_{"<kernel>", kernel},
        names_(std::move(names)),
        values_(values) {}

  bankmodel_cost cost_of(std::size_t number) const {
    try {
      const command_line::kernel_file read =
          command_line::read_kernel_file(kernel_, {machine_.lanes, 0, {}, values_of(number)});
      const command_line::kernel_cost costs = command_line::count(read, machine_);
      const bm::cost& shared = costs.sum;
      const bm::memory_traffic& global = costs.traffic_sum;
      return {shared.requests,   shared.wavefronts,
              shared.ideal,      static_cast<std::uint64_t>(shared.degree),
              global.requests,   global.transactions,
              global.ideal,      global.lines,
              global.bytes_used, global.bytes_moved};
    } catch (const refusal& reason) {
      throw joined("variant ", number, text_of_values(number), ": ",
                   reason.location.size != 0 ? command_line::text(kernel_, reason)
                                             : command_line::text_without_place(reason));
    }
  }

 private:
  std::int64_t value(std::size_t variant, std::size_t name) const {
    return values_[variant * names_.size() + name];
  }

  command_line::launch_values values_of(std::size_t number) const {
    command_line::launch_values result;
    for (std::size_t i = 0; i < names_.size(); ++i) result.numbers[names_[i]] = value(number, i);
    return result;
  }

  std::string text_of_values(std::size_t number) const {
    std::string result;
    for (std::size_t i = 0; i < names_.size(); ++i)
      result += joined(result.empty() ? " (" : ", ", names_[i], " = ", value(number, i));
    return result.empty() ? "" : result + ")";
  }

  bm::machine machine_;
  command_line::source kernel_;
  std::vector<std::string> names_;
  const std::int64_t* values_;
};

// Many variants at once, since one takes less than it takes to begin a part.
constexpr std::size_t variants_at_once = 64;

}  // namespace

int bankmodel_abi() { return BANKMODEL_ABI; }

const char* bankmodel_version() { return BANKMODEL_VERSION_STRING; }

int bankmodel_run(size_t count, const char* const* words, const char* input, size_t bytes,
                  char** output, char** error) {
  try {
    std::string notes;
    const command_line::surroundings context{
        [&](bool) { return input == nullptr ? std::string() : std::string(input, bytes); },
        [&](const std::string& note) { notes += note; }};
    const command_line::answer reply =
        command_line::answer_to_words(std::vector<std::string>(words, words + count), context);
    set(output, reply.output);
    set(error, notes + reply.error);
    return reply.code;
  } catch (const std::bad_alloc&) {
    set(output, "");
    set(error, no_memory);
  } catch (const std::exception& failure) {
    set(output, "");
    set(error, joined("bankmodel: error: ", failure.what(), "; please report it\n"));
  }
  return command_line::bad_input;
}

int bankmodel_totals(const char* machine, const char* kernel, size_t names, const char* const* name,
                     size_t variant_count, const int64_t* values, bankmodel_cost* costs,
                     char** error) {
  if (error != nullptr) *error = nullptr;
  try {
    const variants kernel_variants(machine, kernel, std::vector<std::string>(name, name + names),
                                   values);
    std::vector<bankmodel_cost> results(variant_count);
    const std::size_t parts = (variant_count + variants_at_once - 1) / variants_at_once;
    command_line::do_parts(parts, [&](std::size_t part) {
      const std::size_t end = std::min(variant_count, (part + 1) * variants_at_once);
      for (std::size_t number = part * variants_at_once; number < end; ++number)
        results[number] = kernel_variants.cost_of(number);
    });
    std::ranges::copy(results, costs);
    return command_line::fine;
  } catch (const std::string& message) {
    set(error, message);
  } catch (const refusal& reason) {
    set(error, command_line::text_without_place(reason));
  } catch (const std::bad_alloc&) {
    set(error, no_memory);
  } catch (const std::exception& failure) {
    set(error, joined("bankmodel: error: ", failure.what(), "\n"));
  }
  return command_line::bad_input;
}

void bankmodel_free(char* text) { std::free(text); }
