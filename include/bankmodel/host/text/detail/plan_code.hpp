// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_DETAIL_PLAN_CODE_HPP
#define BANKMODEL_HOST_TEXT_DETAIL_PLAN_CODE_HPP

#include <bankmodel/host/text/detail/identifiers.hpp>
#include <bankmodel/host/text/detail/index_code.hpp>
#include <bankmodel/host/text/detail/layout_code.hpp>
#include <bankmodel/host/text/detail/machine_code.hpp>
#include <bankmodel/search/plan.hpp>

#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The parts of the header that code() writes.
namespace bankmodel {

// A machine as a C++ expression, and the header that declares it.
struct machine_in_code {
  std::string expression, header;
};

namespace rule {
[[noreturn]] BANKMODEL_FN void the_name_of_code_must_be_an_identifier(long long letters) {
  detail::fail(__func__,
               "the name of a header's namespace, of % letters, is not an identifier of C++; use "
               "letters, digits and single underscores, and no word of the language",
               letters);
}
[[noreturn]] BANKMODEL_FN void a_machine_in_code_must_have_a_name(long long model) {
  detail::fail(__func__,
               "machine % is none of the library's records; give code() its name in C++ and the "
               "header that declares it",
               model);
}
[[noreturn]] BANKMODEL_FN void code_must_be_of_a_plan_of_its_kernel(long long access,
                                                                    long long counted,
                                                                    long long planned) {
  detail::fail(__func__,
               "access % takes % wavefronts where the plan says %; pass the machine and the kernel "
               "that the plan was made for",
               access, counted, planned);
}
}  // namespace rule

namespace detail {

class plan_code {
 public:
  plan_code(const machine& m, const block_dim& block, const std::string& name,
            const machine_in_code& machine_source, int bank_width)
      : machine_(m.with_bank_width(bank_width)), block_(block), name_(name) {
    if (!is_identifier(name))
      rule::the_name_of_code_must_be_an_identifier(static_cast<long long>(name.size()));
    record_in_code named{machine_source.expression, machine_source.header, m.bank_width};
    if (machine_source.expression.empty()) named = record_of(m);
    if (named.name.empty()) rule::a_machine_in_code_must_have_a_name(m.model);
    machine_name_ = named.name;
    if (named.bank_width != bank_width)
      machine_name_ += line_of(".with_bank_width(", std::to_string(bank_width), ")");
    include("bankmodel/analyze.hpp");
    include("bankmodel/explain/expect_planned.hpp");
    include(named.header);
  }

  void begin(const std::string& text_of_plan, long long bytes, int alignment) {
    about_ = text_of_plan;
    sizes_ = line_of("inline constexpr long long bytes = ", std::to_string(bytes),
                     ", alignment = ", std::to_string(alignment),
                     ", bank_width = ", std::to_string(machine_.bank_width), ";\n");
  }

  void add(const planned_array& array) {
    const layout_in_code layout_code = code_of_layout(array.layout);
    if (!layout_code.header.empty()) include(layout_code.header);
    const std::string id = identifier_like(bankmodel::text(array.declared.name), ids_);
    ids_.push_back(id);
    arrays_.push_back(&array);
    layouts_ += line_of("\n// ", id, bankmodel::text(array.layout), ", elements of ",
                        std::to_string(array.declared.element_bytes),
                        array.declared.element_bytes == 1 ? " byte\n" : " bytes\n",
                        "inline constexpr bankmodel::layout ", id, "_layout =\n    ",
                        layout_code.expression, ";\ninline constexpr long long ", id,
                        "_offset = ", std::to_string(array.offset_bytes), ";\n");
    described_ += line_of(
        "inline constexpr bankmodel::array_description ", id, "{\n    .name = {}, .layout = ", id,
        "_layout, .element_bytes = ", std::to_string(array.declared.element_bytes),
        ", .base_bytes = ", id, "_offset};\n");
  }

  void add(const access_view& access, const cost& planned) {
    const int number = number_++;
    const int array = array_of(access.array.name);
    if (array < 0) rule::code_must_be_of_a_plan_of_its_kernel(number, 0, 0);
    const std::size_t index = static_cast<std::size_t>(array);
    const array_description description = arrays_[index]->planned();
    const access_view view{description, access.subscripts, access.subscript, access.vector,
                           access.kind, access.wrappers,   access.depth,     access.nodes};
    const counted_total recount = counted(machine_, block_, view, {});
    if (!(recount.sum == planned))
      rule::code_must_be_of_a_plan_of_its_kernel(number,
                                                 static_cast<long long>(recount.sum.wavefronts),
                                                 static_cast<long long>(planned.wavefronts));
    // Less than the steps that clang allows by default.
    const bool takes_long = recount.work > most_steps_in_a_constant_expression / 2;
    access_code code(access, ids_[index]);
    add({code.text(), planned.wavefronts, code.used(), takes_long}, access.kind);
  }

  std::string text() const {
    if (!half_.words.empty()) rule::expressions_in_code_must_be_of_the_index_language(number_);
    const std::string guard = line_of("BANKMODEL_PLAN_", name_);
    std::string result =
        line_of("// clang-format off\n// The plan of a kernel on ", bankmodel::text(machine_),
                ", written by bankmodel: do not edit it, write it again.\n", comment(about_),
                "#ifndef ", guard, "\n#define ", guard, "\n\n");
    for (const std::string& header : includes_) result += line_of("#include <", header, ">\n");
    return line_of(
        result, "\nnamespace ", name_,
        " {\n\n// The shared memory of a block, and the width of its banks.\n", sizes_, layouts_,
        "\n// The guard: each access, in its planned layout at its offset, as often as "
        "it runs in a block.\nnamespace guard {\n\n",
        variables(), "inline constexpr bankmodel::machine machine = ", machine_name_,
        ";\ninline constexpr bankmodel::block_dim block{", std::to_string(block_.x), ", ",
        std::to_string(block_.y), ", ", std::to_string(block_.z), "};\n", described_, checks(),
        "\n}  // namespace guard\n}  // namespace ", name_, "\n#endif\n");
  }

 private:
  struct check {
    std::string words;
    std::uint64_t wavefronts = 0;
    unsigned used = 0;
    bool takes_long = false;
  };

  void add(check entry, access_kind kind) {
    if (kind == access_kind::load_pair) {
      if (half_.words.empty()) return void(half_ = entry);
      entry = {line_of("bankmodel::ds_read2(", half_.words, ", ", entry.words, ")"),
               half_.wavefronts + entry.wavefronts, half_.used | entry.used,
               half_.takes_long || entry.takes_long};
      half_ = {};
    }
    if (entry.wavefronts == 0) return;
    if (kind != access_kind::load && kind != access_kind::store && kind != access_kind::atomic)
      include("bankmodel/kernel/instructions.hpp");
    used_ |= entry.used;
    checks_.push_back(entry);
  }

  void include(const std::string& header) {
    if (header.empty()) return;
    std::size_t position = 0;
    while (position < includes_.size() && includes_[position] < header) ++position;
    if (position == includes_.size() || includes_[position] != header)
      includes_.insert(includes_.begin() + static_cast<std::ptrdiff_t>(position), header);
  }
  int array_of(const array_name& name) const {
    for (std::size_t array = 0; array < arrays_.size(); ++array)
      if (arrays_[array]->declared.name == name) return static_cast<int>(array);
    return -1;
  }

  static std::string comment(const std::string& lines) {
    std::string result;
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t newline = lines.find('\n', begin),
                        end = newline < lines.size() ? newline : lines.size();
      result += line_of("//   ", in_a_comment(lines.substr(begin, end - begin)), "\n");
      begin = end + 1;
    }
    return result;
  }

  std::string variables() const {
    std::string list;
    for (int number = 0; number < bankmodel::variables; ++number)
      if ((used_ >> number & 1) != 0)
        list += line_of(list.empty() ? "using " : ", ",
                        "bankmodel::index::", variable_name(static_cast<variable>(number)));
    return list.empty() ? "" : line_of(list, ";\n");
  }

  std::string checks() const {
    std::string constants, at_run_time;
    for (const check& entry : checks_) {
      const std::string planned = std::to_string(entry.wavefronts);
      const auto counted = [&](const char* target) {
        return line_of("bankmodel::total(\n        ", target, ", block,\n        ", entry.words,
                       ").wavefronts");
      };
      if (entry.takes_long)
        at_run_time += line_of(at_run_time.empty() ? "" : " &&\n         ", counted("not_constant"),
                               " == ", planned);
      else
        constants += line_of("\nstatic_assert(bankmodel::expect_planned<\n    ", counted("machine"),
                             ",\n    ", planned, ">::value);\n");
    }
    if (at_run_time.empty()) return constants;
    // Of constants clang would try to compute the result, several times.
    return line_of(constants,
                   "\n// The accesses that take more steps to count than compilers allow in a "
                   "constant expression\n// by default: call it in a test.\ninline bool holds() {\n"
                   "  auto not_constant = machine;\n  return ",
                   at_run_time, ";\n}\n");
  }

  machine machine_;
  block_dim block_;
  std::string name_, machine_name_, about_, sizes_, layouts_, described_;
  std::vector<std::string> includes_, ids_;
  std::vector<const planned_array*> arrays_;
  std::vector<check> checks_;
  check half_;
  unsigned used_ = 0;
  int number_ = 0;
};

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
