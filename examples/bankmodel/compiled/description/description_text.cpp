// SPDX-License-Identifier: MIT
// A description as a program of C++.
#include <algorithm>
#include <bankmodel/report.hpp>
#include <bankmodel/report/detail/identifiers.hpp>
#include <bankmodel/report/detail/index_code.hpp>
#include <bankmodel/report/detail/machine_code.hpp>

#include "../../source.hpp"
#include "../engine/prepared_kernel.hpp"
#include "../issued/issued.hpp"
#include "../page/argument_text.hpp"
#include "description.hpp"

namespace compiled {

using command_line::joined;

namespace {

std::string with_short_names(std::string text) {
  constexpr std::string_view full = "bankmodel::";
  for (std::size_t at = text.find(full); at != std::string::npos; at = text.find(full, at))
    text.replace(at, full.size(), "bm::");
  return text;
}

// clang takes at most 256 arguments of a function whose parameters have a constraint, and counts no
// more than some hundred accesses in one constant.
constexpr int most_accesses_of_a_kernel = 128;

// With `between` between each two.
std::string joined_list(const std::vector<std::string>& all, std::string_view between) {
  std::string result;
  for (const std::string& one : all) result += joined(result.empty() ? "" : between, one);
  return result;
}

std::string in_a_comment(std::string text) {
  std::replace(text.begin(), text.end(), '\\', '/');
  return bm::detail::in_a_comment(std::move(text));
}

class program_writer {
 public:
  program_writer(const description& of, const kernel_code& kernel, const launch& how)
      : of_(of), kernel_(kernel), how_(how) {
    for (const description::array& one : of.arrays) ids_.push_back(new_id(one.name));
    for (const described_access& one : of.accesses) add_access(one);
    for (const place& one : of.not_reached)
      notes_ += joined(in_a_comment(compiled::text(kernel, one)),
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
    for (const part& one : parts_)
      if (one.accesses.find("bm::cp_async") != std::string::npos) return true;
    return false;
  }

  std::string text(const std::string& file) const {
    std::string lines = joined(
        head(file), "#include <bankmodel/analyze.hpp>\n",
        lines_have_instructions() ? "#include <bankmodel/kernel/instructions.hpp>\n" : "", headers_,
        "\nnamespace ", space(), " {\n\nnamespace bm = bankmodel;\n", variables(), "\n");
    for (std::size_t at = 0; at < of_.arrays.size(); ++at) lines += declared(at);
    for (const part& one : parts_)
      lines += joined("\ninline constexpr auto ", one.id, " = bm::kernel(\n    ", block(),
                      one.accesses, ");\n");
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
    taken_.push_back(bm::detail::identifier_like(like, taken_));
    return taken_.back();
  }
  std::string place_of(const described_access& one) const {
    const std::string place = compiled::text(kernel_, one.recorded->where);
    return in_a_comment(place.empty() ? kernel_.name : place);
  }

  void add_access(const described_access& one) {
    if (!one.reason.empty()) {
      notes_ += joined(place_of(one), ": this ", verb_of(one.recorded->memory.does),
                       " is not described: ", one.reason, "\n");
      return;
    }
    const bm::detail::access_view view = bm::detail::view_of(one.expression);
    bm::detail::access_code code(view, ids_[static_cast<std::size_t>(one.array)]);
    if (parts_.back().described.size() == most_accesses_of_a_kernel)
      parts_.push_back({new_id("kernel"), {}, {}});
    part& to = parts_.back();
    to.accesses += joined(",\n    // ", place_of(one), instruction_of(one), "\n    ",
                          with_short_names(code.text()));
    to.described.push_back(&one);
    used_ |= code.used();
  }
  // What the accesses of one instruction are.
  static std::string instruction_of(const described_access& one) {
    if (one.joined == 1) return {};
    return joined(": ", one.joined,
                  one.recorded->memory.does == access_does::load ? " loads" : " stores",
                  " issued as one of ", bytes_as_issued(*one.recorded), " bytes");
  }

  void add_checks(const bm::machine& m, const std::string& name, const std::string& id) {
    bm::cost cost;
    long long most_work = 0;
    for (const part& one : parts_) {
      long long work = 0;
      for (const described_access* each : one.described) {
        const bm::detail::counted_total counted =
            bm::detail::counted(m, how_.block, each->expression);
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
    for (const part& one : parts_) {
      const std::string sum = parts_.size() == 1 ? id : new_id(joined(id, " of ", one.id));
      checks_ +=
          joined("inline constexpr bm::cost ", sum, " = bm::total(", name, ", ", one.id, ");\n");
      sums.push_back(sum);
    }
    if (parts_.size() > 1)
      checks_ += joined("inline constexpr bm::cost ", id, " = ", joined_list(sums, " + "), ";\n");
    checks_ += joined("static_assert(", equal_to(cost, id), ");\n");
    add_guard(cost, of_.cost_without_expression(m), id);
  }
  // A guard of all accesses: those without an expression have their recorded cost.
  void add_guard(const bm::cost& described, const bm::cost& others, const std::string& id) {
    if (of_.leaves_out) {
      checks_ += "// There is no guard: not all accesses are counted, see above.\n";
      return;
    }
    std::string guarded = id;
    if (others.requests != 0) {
      guarded = new_id(joined("all ", id));
      checks_ +=
          joined("// Those without an expression cost as much in the interpreted run.\n",
                 "inline constexpr bm::cost ", guarded, " = ", id, " + bm::cost{", others.requests,
                 ", ", others.wavefronts, ", ", others.ideal, ", ", others.degree, "};\n");
    }
    checks_ += joined("static_assert(bm::guard<", guarded, ", ", (described + others).conflicts(),
                      ">);\n");
  }
  void add_function(const bm::cost& cost, const std::string& name, const std::string& id) {
    std::vector<std::string> totals;
    for (const part& one : parts_) totals.push_back(joined("bm::total(machine, ", one.id, ")"));
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

  std::string declared(std::size_t at) const {
    const description::array& one = of_.arrays[at];
    const bm::layout& layout = one.described.layout;
    std::string extents;
    for (int dimension = 0; dimension < layout.rank; ++dimension)
      extents += joined(", ", layout.extent[dimension]);
    const std::string place =
        one.described.base_bytes == 0 ? "" : joined(".at(", one.described.base_bytes, ")");
    return joined("inline constexpr auto ", ids_[at], " = bm::shared_array<", one.type, ">(\"",
                  bm::text(one.described.name), "\"", extents, ")", place, ";\n");
  }

  std::string block() const {
    const bm::block_dim& b = how_.block;
    return joined("bm::block_dim{", b.x, ", ", b.y, ", ", b.z, "}");
  }

  std::string head(const std::string& file) const {
    const bm::block_dim& b = how_.block;
    std::string arguments;
    for (const auto& [name, value] : how_.arguments) {
      const auto number = parameter_number(kernel_, name);
      arguments += joined(", ", number ? compiled::text_of(kernel_.parameters[*number], value)
                                       : joined(name, "=", static_cast<long long>(value)));
    }
    std::string result =
        joined("// The accesses of ", in_a_comment(kernel_.name), " in ", in_a_comment(file),
               " to shared memory, written by bankmodel --describe\n// for block (", how_.at.x,
               ", ", how_.at.y, ", ", how_.at.z, ") of ", how_.grid.x, " x ", how_.grid.y, " x ",
               how_.grid.z, ", ", b.x, " x ", b.y, " x ", b.z, " threads", in_a_comment(arguments),
               ".\n// Each request was compared with those of an interpreted run.\n", widths());
    for (const std::string& note : of_.notes)
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
    if (!of_.is_joined()) return {};
    const bool is_estimate =
        std::any_of(of_.accesses.begin(), of_.accesses.end(), [](const described_access& one) {
          return one.joined > 1 && (one.recorded->label == issued_label::estimate ||
                                    one.recorded->label == issued_label::differs);
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
    for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed))
      name.erase(at, unnamed.size());
    name.resize(std::min(name.size(), name.find_first_of("(<")));
    return bm::detail::identifier_like(joined(name, "_accesses"), {});
  }

  std::string variables() const {
    std::string list;
    for (int at = 0; at < bm::variables; ++at)
      if ((used_ >> at & 1) != 0)
        list += joined(list.empty() ? "using " : ", ",
                       "bm::index::", bm::detail::variable_name(static_cast<bm::variable>(at)));
    return list.empty() ? "" : joined(list, ";\n");
  }

  const description& of_;
  const kernel_code& kernel_;
  const launch& how_;
  std::vector<std::string> ids_ = {}, taken_ = {"kernel", "bm", "cost"};
  std::vector<part> parts_ = {{"kernel", {}, {}}};
  std::string checks_, headers_, notes_;
  unsigned used_ = 0;
};

}  // namespace

described_text text_of(const description& of, const kernel_code& kernel, const launch& how,
                       const std::vector<bm::machine>& machines, const std::string& file) {
  program_writer to(of, kernel, how);
  for (const bm::machine& m : machines) to.add_machine(m);
  return {to.text(file), to.notes()};
}

void add_description(command_line::answer& to, const std::vector<page>& pages,
                     const std::string& file) {
  const page& first = pages.at(0);
  std::vector<bm::machine> machines;
  for (const page& one : pages) machines.push_back(one.machine);
  description found = describe(*first.kernel, first.how, *first.recorded, first.machine);
  found.notes.insert(found.notes.end(), first.file_notes.begin(), first.file_notes.end());
  const described_text text = text_of(found, *first.kernel, first.how, machines, file);
  to.error += text.notes;
  if (!found.arrays.empty()) {
    to.out = text.program;
    return;
  }
  to.code = command_line::bad_input;
  to.error += found.accesses.empty()
                  ? joined(
                        "bankmodel: error: the block makes no access to shared memory; give "
                        "another --block, --at or --kernel\n")
                  : "bankmodel: error: no access is described; leave out --describe for the counts "
                    "of the interpreted run\n";
}

}  // namespace compiled
