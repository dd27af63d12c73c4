// SPDX-License-Identifier: MIT
// A description as a program of C++.
#include <algorithm>
#include <bankmodel/host/text/detail/identifiers.hpp>
#include <bankmodel/host/text/detail/index_code.hpp>
#include <bankmodel/host/text/detail/machine_code.hpp>
#include <bankmodel/report.hpp>

#include "../engine/prepared_kernel.hpp"
#include "../issued/issued.hpp"
#include "../page/argument_text.hpp"
#include "description.hpp"

namespace compiled {

namespace {

std::string with_short_names(std::string text) {
  constexpr std::string_view full = "bankmodel::";
  for (std::size_t position = text.find(full); position != std::string::npos;
       position = text.find(full, position))
    text.replace(position, full.size(), "bm::");
  return text;
}

// clang takes at most 256 arguments of a function whose parameters have a constraint, and counts no
// more than some hundred accesses in one constant.
constexpr int most_accesses_of_a_kernel = 128;

// With `separator` between each two.
std::string joined_list(const std::vector<std::string>& items, std::string_view separator) {
  std::string result;
  for (const std::string& item : items) result += joined(result.empty() ? "" : separator, item);
  return result;
}

std::string in_a_comment(std::string text) {
  std::ranges::replace(text, '\\', '/');
  return bm::detail::in_a_comment(std::move(text));
}

class program_writer {
 public:
  program_writer(const description& described_kernel, const kernel_code& kernel,
                 const launch& settings)
      : description_(described_kernel), kernel_(kernel), settings_(settings) {
    for (const description::array& array : described_kernel.arrays)
      ids_.push_back(new_id(array.name));
    for (const described_access& access : described_kernel.accesses) add_access(access);
    for (const place& position : described_kernel.not_reached)
      notes_ += joined(in_a_comment(compiled::text(kernel, position)),
                       ": this access is not described: the run was stopped before it\n");
  }

  void add_machine(const bm::machine& m) {
    const bm::detail::record_in_code record = bm::detail::record_of(m);
    if (record.name.empty()) bm::rule::a_machine_in_code_must_have_a_name(m.model);
    if (headers_.find(record.header) == std::string::npos)
      headers_ += joined("#include <", record.header, ">\n");
    std::string name = with_short_names(record.name);
    if (record.bank_width != m.bank_width) name += joined(".with_bank_width(", m.bank_width, ")");
    add_checks(m, name, new_id(joined("on ", bm::text(m))));
  }

  // Some access is no load, store or atomic operation.
  bool lines_have_instructions() const {
    for (const part& kernel_part : parts_)
      if (kernel_part.accesses.find("bm::cp_async") != std::string::npos) return true;
    return false;
  }

  std::string text(const std::string& file) const {
    std::string lines = joined(
        head(file), "#include <bankmodel/analyze.hpp>\n",
        lines_have_instructions() ? "#include <bankmodel/kernel/instructions.hpp>\n" : "", headers_,
        "\nnamespace ", space(), " {\n\nnamespace bm = bankmodel;\n", variables(), "\n");
    for (std::size_t number = 0; number < description_.arrays.size(); ++number)
      lines += declared(number);
    for (const part& kernel_part : parts_)
      lines += joined("\ninline constexpr auto ", kernel_part.id, " = bm::kernel(\n    ", block(),
                      kernel_part.accesses, ");\n");
    return joined(lines, checks_, "\n}  // namespace ", space(), "\n");
  }
  const std::string& notes() const { return notes_; }

 private:
  // A kernel() with a part of the accesses.
  struct part {
    std::string id, accesses;
    std::vector<const described_access*> described;
  };

  std::string new_id(const std::string& like) {
    reserved_.push_back(bm::detail::identifier_like(like, reserved_));
    return reserved_.back();
  }
  std::string place_of(const described_access& access) const {
    const std::string place = compiled::text(kernel_, access.recorded->location);
    return in_a_comment(place.empty() ? kernel_.name : place);
  }

  void add_access(const described_access& access) {
    if (!access.reason.empty()) {
      notes_ += joined(place_of(access), ": this ", verb_of(access.recorded->memory.operation),
                       " is not described: ", access.reason, "\n");
      return;
    }
    const bm::detail::access_view view = bm::detail::view_of(access.expression);
    bm::detail::access_code code(view, ids_[slot(access.array)]);
    if (parts_.back().described.size() == most_accesses_of_a_kernel)
      parts_.push_back({new_id("kernel"), {}, {}});
    part& kernel_part = parts_.back();
    kernel_part.accesses += joined(",\n    // ", place_of(access), instruction_of(access), "\n    ",
                                   with_short_names(code.text()));
    kernel_part.described.push_back(&access);
    used_ |= code.used();
  }
  // What the accesses of one instruction are.
  static std::string instruction_of(const described_access& access) {
    if (access.joined == 1) return {};
    return joined(": ", access.joined,
                  access.recorded->memory.operation == access_does::load ? " loads" : " stores",
                  " issued as one of ", bytes_as_issued(*access.recorded), " bytes");
  }

  void add_checks(const bm::machine& m, const std::string& name, const std::string& id) {
    bm::cost cost;
    long long most_work = 0;
    for (const part& kernel_part : parts_) {
      long long work = 0;
      for (const described_access* access : kernel_part.described) {
        const bm::detail::counted_total counted =
            bm::detail::counted(m, settings_.block, access->expression);
        cost = cost + counted.sum;
        work += counted.work;
      }
      most_work = std::max(most_work, work);
    }
    // As much as compilers take by default, with room for other compilers.
    if (most_work <= bm::most_steps_in_a_constant_expression / 2)
      add_constants(m, cost, name, id);
    else
      add_function(cost, name, id);
  }
  void add_constants(const bm::machine& m, const bm::cost& cost, const std::string& name,
                     const std::string& id) {
    std::vector<std::string> sums;
    checks_ += "\n";
    for (const part& kernel_part : parts_) {
      const std::string sum = parts_.size() == 1 ? id : new_id(joined(id, " of ", kernel_part.id));
      checks_ += joined("inline constexpr bm::cost ", sum, " = bm::total(", name, ", ",
                        kernel_part.id, ");\n");
      sums.push_back(sum);
    }
    if (parts_.size() > 1)
      checks_ += joined("inline constexpr bm::cost ", id, " = ", joined_list(sums, " + "), ";\n");
    checks_ += joined("static_assert(", equal_to(cost, id), ");\n");
    add_guard(cost, description_.cost_without_expression(m), id);
  }
  // A guard of all accesses: those without an expression have their recorded cost.
  void add_guard(const bm::cost& described, const bm::cost& undescribed, const std::string& id) {
    if (description_.leaves_out) {
      checks_ += "// There is no guard: not all accesses are counted, see above.\n";
      return;
    }
    std::string guarded = id;
    if (undescribed.requests != 0) {
      guarded = new_id(joined("all ", id));
      checks_ += joined("// Those without an expression cost as much in the interpreted run.\n",
                        "inline constexpr bm::cost ", guarded, " = ", id, " + bm::cost{",
                        undescribed.requests, ", ", undescribed.wavefronts, ", ", undescribed.ideal,
                        ", ", undescribed.degree, "};\n");
    }
    checks_ += joined("static_assert(bm::guard<", guarded, ", ",
                      (described + undescribed).conflicts(), ">);\n");
  }
  void add_function(const bm::cost& cost, const std::string& name, const std::string& id) {
    std::vector<std::string> totals;
    for (const part& kernel_part : parts_)
      totals.push_back(joined("bm::total(machine, ", kernel_part.id, ")"));
    checks_ += joined(
        "\n// It takes more steps to count than compilers allow in a constant by "
        "default: call it in a test.\ninline bool ",
        new_id(joined("holds_", id)), "() {\n  auto machine = ", name,
        ";\n  const bm::cost cost = ", joined_list(totals, " + "), ";\n  return ",
        equal_to(cost, "cost"), ";\n}\n");
  }
  static std::string equal_to(const bm::cost& cost, const std::string& name) {
    return joined(name, ".requests == ", cost.requests, " && ", name,
                  ".wavefronts == ", cost.wavefronts, " && ", name, ".ideal == ", cost.ideal);
  }

  std::string declared(std::size_t number) const {
    const description::array& array = description_.arrays[number];
    const bm::layout& layout = array.described.layout;
    std::string extents;
    for (int dimension = 0; dimension < layout.rank; ++dimension)
      extents += joined(", ", layout.extent[dimension]);
    const std::string place =
        array.described.base_bytes == 0 ? "" : joined(".at(", array.described.base_bytes, ")");
    return joined("inline constexpr auto ", ids_[number], " = bm::shared_array<", array.type,
                  ">(\"", bm::text(array.described.name), "\"", extents, ")", place, ";\n");
  }

  std::string block() const {
    const bm::block_dim& b = settings_.block;
    return joined("bm::block_dim{", b.x, ", ", b.y, ", ", b.z, "}");
  }

  std::string head(const std::string& file) const {
    const bm::block_dim& b = settings_.block;
    std::string arguments;
    for (const auto& [name, value] : settings_.arguments) {
      const auto number = parameter_number(kernel_, name);
      arguments += joined(", ", number ? compiled::text_of(kernel_.parameters[*number], value)
                                       : joined(name, "=", static_cast<long long>(value)));
    }
    std::string result =
        joined("// The accesses of ", in_a_comment(kernel_.name), " in ", in_a_comment(file),
               " to shared memory, written by bankmodel --describe\n// for block (",
               settings_.grid_index.x, ", ", settings_.grid_index.y, ", ", settings_.grid_index.z,
               ") of ", settings_.grid.x, " x ", settings_.grid.y, " x ", settings_.grid.z, ", ",
               b.x, " x ", b.y, " x ", b.z, " threads", in_a_comment(arguments),
               ".\n// Each request was compared with those of an interpreted run.\n", widths());
    for (const std::string& note : description_.notes)
      result += joined("// note: ", in_a_comment(note), "\n");
    std::string missing = notes_;
    for (std::size_t begin = 0; begin < missing.size();) {
      const std::size_t end = missing.find('\n', begin);
      result += joined("// ", in_a_comment(missing.substr(begin, end - begin)), "\n");
      begin = end + 1;
    }
    return result;
  }

  // How it is known which accesses are joined.
  std::string widths() const {
    if (!description_.is_joined()) return {};
    const bool is_estimate =
        std::ranges::any_of(description_.accesses, [](const described_access& access) {
          return access.joined > 1 && (access.recorded->label == issued_label::estimate ||
                                       access.recorded->label == issued_label::differs);
        });
    return joined("// Accesses that are issued as one are described as one: ",
                  is_estimate ? "an estimate by nvcc's rules, whose widths\n// --cubin compares."
                              : "the cubin has these widths.",
                  "\n");
  }

  // transpose_accesses
  std::string space() const {
    std::string name = kernel_.name;
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t position = name.find(unnamed); position != std::string::npos;
         position = name.find(unnamed))
      name.erase(position, unnamed.size());
    name.resize(std::min(name.size(), name.find_first_of("(<")));
    return bm::detail::identifier_like(joined(name, "_accesses"), {});
  }

  std::string variables() const {
    std::string list;
    for (int number = 0; number < bm::variables; ++number)
      if ((used_ >> number & 1) != 0)
        list += joined(list.empty() ? "using " : ", ",
                       "bm::index::", bm::detail::variable_name(static_cast<bm::variable>(number)));
    return list.empty() ? "" : joined(list, ";\n");
  }

  const description& description_;
  const kernel_code& kernel_;
  const launch& settings_;
  std::vector<std::string> ids_ = {}, reserved_ = {"kernel", "bm", "cost"};
  std::vector<part> parts_ = {{"kernel", {}, {}}};
  std::string checks_, headers_, notes_;
  unsigned used_ = 0;
};

}  // namespace

described_text text_of(const description& described_kernel, const kernel_code& kernel,
                       const launch& settings, const std::vector<bm::machine>& machines,
                       const std::string& file) {
  program_writer writer(described_kernel, kernel, settings);
  for (const bm::machine& m : machines) writer.add_machine(m);
  return {writer.text(file), writer.notes()};
}

void add_description(command_line::answer& result, const std::vector<page>& pages,
                     const std::string& file) {
  const page& first = pages.at(0);
  std::vector<bm::machine> machines;
  for (const page& kernel_page : pages) machines.push_back(kernel_page.machine);
  description described_kernel =
      describe(*first.kernel, first.settings, *first.recorded, first.machine);
  append(described_kernel.notes, first.file_notes);
  const described_text text =
      text_of(described_kernel, *first.kernel, first.settings, machines, file);
  result.error += text.notes;
  if (!described_kernel.arrays.empty()) {
    result.output = text.program;
    return;
  }
  result.code = command_line::bad_input;
  result.error +=
      described_kernel.accesses.empty()
          ? joined(
                "bankmodel: error: the block makes no access to shared memory; give "
                "another --block, --at or --kernel\n")
          : "bankmodel: error: no access is described; leave out --describe for the counts "
            "of the interpreted run\n";
}

}  // namespace compiled
