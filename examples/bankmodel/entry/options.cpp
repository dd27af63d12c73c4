// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bankmodel/version.hpp>
#include <set>
#include <utility>

#include "../compiled/build_flags.hpp"
#include "../compiled/static_accesses.hpp"
#include "../project/report.hpp"
#include "../project/settings_file.hpp"
#include "../source.hpp"

namespace command_line {

namespace {

constexpr const char* notation =
    "The notation, for example:\n"
    "  machine sm_90\n"
    "  block 32 8\n"
    "  shared float tile[32][32]\n"
    "  for (j = 0; j < 32; j += 8) store tile[ty + j][tx]\n"
    "  for (j = 0; j < 32; j += 8) load  tile[tx][ty + j]\n"
    "Also: if (tx < 16) .. else .., { }, define N 32, load (float4) a[4 * tx], a[tx] = b[ty] + 1,\n"
    "int row = threadIdx.y + j, global float in[1000][1000] stride 4096, *p, grid 32 32,\n"
    "and comments after #, // or in /* */. Other statements of C++ are skipped if they cannot\n"
    "reach shared memory; the notes at the end say which.\n"
    "Index arrays of irregular references: bankmodel reorganize --help.\n"
    "Exit code: 0; 1 if a limit is exceeded, or if a kernel is worse than in the baseline; 2 for "
    "an\n"
    "error in the input or an argument; 3 if one of several files was not read, or if limits and\n"
    "baseline are kept by all that was read, and something was not read.";

// CLI11 would replace numbers that do not fit by the largest that does.
CLI::Validator digits(std::size_t maximum, bool zero = false) {
  const auto check = [maximum, zero](const std::string& text) {
    bool good = !text.empty() && text.size() <= maximum &&
                text.find_first_not_of("0123456789") == std::string::npos;
    if (!zero && text.find_first_not_of('0') == std::string::npos) good = false;
    return good ? std::string()
                : joined("`", text, "` is not a number of at least ", zero ? 0 : 1,
                         " with at most ", maximum, " digits");
  };
  return CLI::Validator(check, "NUMBER");
}

// In the order of command_line::format.
const std::vector<std::string> format_names = {"text", "json",   "csv",     "sarif",
                                               "html", "source", "markdown"};

// The groups of options, by their headings in --help.
struct group {
  const char* heading;
};
constexpr group of_all = {"Options"};
constexpr group of_plans = {"Options for plans"};
constexpr group of_launches = {"Options for the launch and its data"};
constexpr group of_source = {"Options for source"};
constexpr group of_integration = {"Options for continuous integration"};
constexpr group of_profiles = {"Options for profiles"};

// Kinds of input.
enum class input : unsigned char { kernel_file, ptx, source };

// An option that some kind of input has no use for, and what to do there instead.
struct input_rule {
  const char* option;
  bool kernel_file, ptx, source;  // where it works
  const char *reason, *instead;
  bool allows(input kind) const {
    return kind == input::kernel_file ? kernel_file : kind == input::ptx ? ptx : source;
  }
};
constexpr input_rule input_rules[] = {
    {"--cluster", false, true, true, "a kernel file is one block", "leave it out"},
    {"--at", false, true, true, "a kernel file has no other block",
     "write a number for blockIdx, or `grid` for the sum of all blocks"},
    {"--data", false, true, true, "a kernel file has no data, only expressions",
     "bankmodel reorganize reads index arrays"},
    {"--assume", false, true, true, "no branch of a kernel file depends on data",
     "write the condition into the file"},
    {"--bounds", false, true, true, "a kernel file's numbers are assumed, and printed",
     "--unknowns lists them"},
    {"--max-steps", false, true, true, "a kernel file is counted in closed form", "leave it out"},
    {"--alternatives", false, false, true, "only source says what the extents of arrays are",
     "--layouts NAME plans a kernel file with one family"},
    {"--block-strides", false, true, true,
     "a kernel file is counted as one block, or as the sum of all",
     "block_stride() of <bankmodel/global.hpp> compares blocks"},
    {"--describe", false, true, true, "a kernel file is such a description",
     "--plan-header writes its accesses as C++"},
    {"--cubin", false, true, true, "a kernel file is not compiled", "name a .ptx or .cu file"},
    {"-p", false, false, true, "nothing is compiled", "name a .cu file"},
    {"-I", false, false, true, "nothing is compiled", "name a .cu file"},
    {"-D", false, false, true, "nothing is compiled", "name a .cu file"},
    {"--std", false, false, true, "nothing is compiled", "name a .cu file"},
    {"--program-arguments", false, false, true, "there is no host code", "name a .cu file"},
    {"--cuda-path", false, false, true, "nothing is compiled", "name a .cu file"},
    {"--nvcc", false, false, true, "nothing is compiled", "name a .cu file"},
    {"--fix", true, false, true, "there is no source whose declarations could be changed",
     "name a .cu file"},
    {"--plan-header", true, false, false,
     "the header has the accesses and arrays of a kernel file, which are expressions",
     "--fix writes a plan into source, and --json prints it"}};

// Adds options to one group.
class option_adder {
 public:
  option_adder(CLI::App& app, const group& section) : app_(app), group_(section) {}

  template <class Value>
  CLI::Option* single(const char* name, Value& value, const char* description) {
    return app_.add_option(name, value, description)->group(group_.heading);
  }
  void repeated(const char* name, std::vector<std::string>& values, const char* description) {
    single(name, values, description)->type_size(1)->allow_extra_args(false);
  }
  void flag(const char* name, bool& value, const char* description) {
    app_.add_flag(name, value, description)->group(group_.heading);
  }

 private:
  CLI::App& app_;
  const group& group_;
};

// What is no member of `options` as it is given.
struct raw_options {
  std::string named_format;
  bool json = false, csv = false, no_plan = false, nvcc = false, no_config = false, lsp = false,
       watch = false;
  std::optional<std::uint64_t> max_conflicts, max_excessive_transactions;
  std::string config;

  std::string format() const {
    return json ? "json" : csv ? "csv" : named_format.empty() ? "text" : named_format;
  }
};

void add_general(CLI::App& app, options& arguments, raw_options& raw) {
  option_adder add(app, of_all);
  add.single(
      "FILE", arguments.files,
      "A kernel file, compiled code (.ptx) or CUDA or HIP source (.cu, .cuh, .hip, .cpp), or "
      "several of them, or folders; - or nothing reads standard input");
  add.repeated("-e,--line", arguments.lines,
               "A line of a kernel file instead of a file; may be repeated");
  add.single("-x", arguments.language,
             "What standard input is: kernel, ptx, cuda or hip; default: as it looks")
      ->check(CLI::IsMember(std::vector<std::string>{"kernel", "ptx", "cuda", "cu", "hip"}));
  add.repeated("-m,--machine", arguments.asked.machines,
               "A machine such as sm_90, 9.0, gfx942 or h100 instead of the file's; may be "
               "repeated; default: sm_90");
  add.flag("--all-machines", arguments.asked.all_machines,
           "All known machines, but for those that the code cannot run on");
  add.single(
         "--bank-width", arguments.asked.bank_width,
         "The bytes of a bank's word where a machine offers two, 4 or 8 (sm_30 to sm_37); default: "
         "those that it begins with")
      ->check(CLI::IsMember(std::vector<int>{4, 8}));
  add.single(
         "--format", raw.named_format,
         "text, json, csv, source (the lines with their costs), html or sarif; with --diff also "
         "markdown")
      ->check(CLI::IsMember(format_names));
  add.flag("--json", raw.json, "Print everything as JSON; --format json");
  add.flag("--csv", raw.csv, "Print the table as comma-separated values; --format csv");
  add.flag("--long-names", arguments.asked.long_names,
           "Print the names of kernels with all template arguments and namespaces");
  add.flag(
      "--lsp", raw.lsp,
      "Serve an editor by the Language Server Protocol, on standard input and output, with the "
      "other options for each of its documents");
  add.flag("--watch", raw.watch,
           "Answer again whenever a file that is named, one beside it or in a folder that is named "
           "changes");
  add.flag("--brief", arguments.asked.brief, "Print the totals and the plan only");
  add.single("--html", arguments.html,
             "Also write a page with the source, its costs and pictures into this file");
  add.single("--svg", arguments.picture,
             "Draw the worst request of the access with the most conflicts into this file, for the "
             "first machine; without conflicts, of the access with the most transactions of global "
             "memory beyond the ideal");
  add.single("--dynamic-bytes", arguments.asked.dynamic_shared_bytes,
             "The bytes of `extern __shared__` arrays")
      ->check(digits(9));
  add.repeated(
      "--kernel", arguments.asked.kernels,
      "A part of a kernel's name, or a pattern with * and ?, in compiled code, source or a "
      "profile; may be repeated; default: all kernels");
}

void add_those_of_plans(CLI::App& app, options& arguments, raw_options& raw) {
  option_adder add(app, of_plans);
  add.flag("--no-plan", raw.no_plan, "Do not look for a better layout or other remedies");
  add.repeated("--layouts", arguments.asked.limits.layouts,
               "Plans use these only: padding, xor_swizzle, rotation, triangular, modular, linear, "
               "permutations, as_declared; separated by commas; default: all, but for triangular "
               "in compiled code and source");
  add.repeated("--keep", arguments.asked.limits.keep,
               "An array that keeps its declared layout in a plan; separated by commas");
  add.single("--effort", arguments.asked.limits.options.effort,
             "Requests that each search may evaluate; default: 262144")
      ->check(digits(12));
  add.single("--shared-bytes", arguments.asked.limits.options.shared_bytes,
             "At most this many bytes in a plan; default: what a block has without opting in")
      ->check(digits(9));
  add.single("--resident-blocks", arguments.asked.limits.options.resident_blocks,
             "At least this many resident blocks in a plan")
      ->check(digits(9));
  add.single("--registers", arguments.asked.limits.options.registers_per_thread,
             "Registers of a thread, as ptxas prints them; they limit resident blocks too")
      ->check(digits(9));
  add.single(
      "--plan-header", arguments.header,
      "Of a kernel file: write the plan as a C++ header into this file, whose name is that of "
      "its namespace; - prints it instead of the table");
  add.flag("--alternatives", arguments.asked.alternatives,
           "Of source: for each array with conflicts the layouts to choose from, longer rows and "
           "the best of each family, with wavefronts, bytes and resident blocks");
  app.add_flag("--fix{write}", arguments.asked.fix,
               "Change arrays of all kernels as planned, after the new text was "
               "compiled and counted; --fix=dry-run prints the difference and writes nothing")
      ->group(of_plans.heading);
}

void add_those_of_integration(CLI::App& app, options& arguments, raw_options& raw) {
  option_adder add(app, of_integration);
  add.single("--max-conflicts", raw.max_conflicts,
             "Exit with 1 if a block's accesses as written have more on any machine")
      ->check(digits(18, true));
  add.single("--max-excessive-transactions", raw.max_excessive_transactions,
             "Exit with 1 if a block's accesses to global memory as written take more transactions "
             "than these beyond the ideal on any machine")
      ->check(digits(18, true));
  add.single("--write-baseline", arguments.new_baseline,
             "Write what is counted into this file, as JSON, for later counts");
  add.single("--baseline", arguments.baseline,
             "Compare with that file: exit with 1 if a kernel has more conflicts or more excessive "
             "transactions than there, or is new and has any");
  add.flag("--diff", arguments.is_difference,
           "Compare two versions, OLD NEW: each a file or folder of kernels, or one that "
           "--write-baseline wrote; as text, JSON or Markdown");
  add.single(
      "--config", raw.config,
      "The file with the project's machines, limits and baseline; default: bankmodel.toml in "
      "the first file's folder, or in the next above that has one");
  add.flag("--no-config", raw.no_config, "Read no such file");
}

void add_those_of_profiles(CLI::App& app, options& arguments) {
  option_adder add(app, of_profiles);
  add.single("--profile", arguments.measured.name,
             "Compare with a CSV export of Nsight Compute, nvprof or rocprof");
  add.single("--blocks", arguments.measured.blocks,
             "The blocks of the profiled launch that make the accesses; default: the kernel's grid")
      ->check(digits(18));
  add.single("--launch", arguments.measured.launch,
             "1 for the first launch of that name, 2 for the second")
      ->check(digits(9));
}

void add_those_of_launches(CLI::App& app, options& arguments) {
  option_adder add(app, of_launches);
  add.single("--block", arguments.asked.block,
             "The threads of a block, such as 32x8, instead of those that the file says");
  add.single("--grid", arguments.asked.grid, "The blocks of the grid, likewise; default: 1");
  add.single("--cluster", arguments.asked.cluster,
             "The blocks of a cluster, such as 2x1x1, where neither the kernel nor its launch says "
             "them");
  add.single(
      "--at", arguments.asked.grid_index,
      "The block that is counted; default: 0x0x0, or one inside the grid where formulas are of it");
  add.repeated("--arg", arguments.asked.arguments,
               "The value of an argument, n=1024, scale=0.5 or size.rows=8, or a range of an "
               "integer, n=1..4096; of a kernel file that of a name; may be repeated");
  add.repeated("--data", arguments.asked.data,
               "The data that a pointer among the arguments points to, or of a global array, "
               "indices=FILE, as numpy.save() or as plain bytes; may be repeated");
  add.repeated("--assume", arguments.asked.assumed,
               "A branch on data, 17=taken or 17=not-taken (a loop goes on, or is left), by its "
               "line, or a loop on data that "
               "each thread goes on with 4 times, 17=4, or at most 4 times, "
               "17=0..4; may be repeated");
  add.flag("--bounds", arguments.asked.bounds,
           "Where unknown arguments decide, count the least and the most, as for data, instead of "
           "assuming their values");
  add.single("--max-steps", arguments.asked.most_steps,
             joined("End with an error when the threads of the block have executed this many "
                    "instructions together; default: ",
                    arguments.asked.most_steps)
                 .c_str())
      ->check(digits(18));
  add.flag("--block-strides", arguments.asked.block_strides,
           "Of each access to global memory, how far it moves from a block to the next along each "
           "axis of the grid, what neighbouring blocks share, and the placement that follows");
  add.flag("--unknowns", arguments.asked.unknowns,
           "Print what nobody gives of each kernel, what is assumed instead, what its value would "
           "sharpen, and the option that gives it, instead of the tables; also as JSON");
  add.flag("--describe", arguments.asked.describe,
           "Print the accesses to shared memory as written, but joined ones as one, as a program "
           "of C++ with their guard, instead of the tables");
  add.single(
      "--cubin", arguments.asked.cubin,
      "The file that nvcc -cubin -lineinfo made of it, whose widths the accesses as issued are "
      "compared with");
}

void add_those_of_source(CLI::App& app, options& arguments, raw_options& raw) {
  option_adder add(app, of_source);
  add.single(
      "-p", arguments.asked.build,
      "The folder of a build with a compile_commands.json, whose options a file is read with; "
      "without a file: all its files of CUDA and HIP; default: the first above the file, or "
      "in a folder build there");
  add.repeated("-I", arguments.asked.flags.include_folders,
               "A folder of headers; may be repeated. Other options of nvcc work too, such as "
               "-isystem and -arch=sm_80");
  add.repeated("-D", arguments.asked.flags.defines, "A macro, NAME or NAME=VALUE; may be repeated");
  add.single("--std", arguments.asked.flags.standard, "The standard; default: c++17");
  add.single(
      "--program-arguments", arguments.asked.program_arguments,
      "What the program is started with, such as \"1024 10\": its launches are followed from "
      "main()");
  add.single("--cuda-path", arguments.asked.cuda_path,
             "A CUDA toolkit whose headers are read; default: our own declarations");
  add.flag("--nvcc", raw.nvcc,
           "Read the PTX that nvcc -lineinfo -ptx makes of it; default: only of kernels that are "
           "not read without it");
}

struct option_pair {
  std::string_view options, others;
};

// Of each pair, one of the first and one of the second, one may be given.
constexpr option_pair exclusive[] = {
    {"--format", "--json --csv"},
    {"--json", "--csv"},
    {"FILE", "--line"},
    {"--machine", "--all-machines"},
    {"--all-machines", "--cubin --fix"},
    {"--plan-header --layouts --keep --effort --shared-bytes --resident-blocks --registers --fix",
     "--no-plan"},
    {"--layouts --keep --effort --shared-bytes --resident-blocks --registers --brief --fix",
     "--describe"},
    {"--fix", "--nvcc --cubin"},
    {"--describe", "--bounds"},
    {"--alternatives", "--no-plan --describe --unknowns --fix"},
    {"--block-strides", "--describe --unknowns"},
    {"--unknowns", "--describe --plan-header"},
    {"--fix", "--plan-header"},
    {"--unknowns", "--fix --brief --max-conflicts --profile"},
    {"--profile", "--describe --fix"},
    {"--nvcc", "--cuda-path"},
    {"--config", "--no-config"},
    {"--diff",
     "--baseline --write-baseline --max-conflicts --max-excessive-transactions --line --unknowns "
     "--describe --fix --profile"},
    {"--baseline", "--unknowns --describe --fix"},
    {"--write-baseline", "--unknowns --describe --fix"},
    {"--max-excessive-transactions", "--unknowns"}};

// They are about one kernel or write one file.
constexpr const char* of_one_file[] = {"--describe", "--fix",     "--cubin",      "--html",
                                       "--svg",      "--profile", "--plan-header"};

// Their output is text.
constexpr const char* text_only[] = {"--profile", "--describe", "--brief"};

// Error: an option that this kind of input has no use for.
void require_useful(const CLI::App& app, input kind) {
  for (const input_rule& rule : input_rules) {
    if (app.count(rule.option) == 0 || rule.allows(kind)) continue;
    throw input_error(joined(rule.option, ": ", rule.reason), rule.instead);
  }
}

// Error: an option that machine code has no use for.
void require_of_machine_code(const CLI::App& app, const std::string& format) {
  static const std::set<std::string> useful = {"FILE", "--kernel", "--format", "--json", "--csv"};
  for (const CLI::Option* const option : app.get_options())
    if (option->count() > 0 && useful.count(option->get_single_name()) == 0 &&
        useful.count("--" + option->get_single_name()) == 0)
      throw input_error(
          joined(option->get_name(), ": machine code has no addresses, so nothing is counted"),
          "name the source or the PTX that it was made from, and give the cubin with "
          "--cubin");
  if (format != "text" && format != "json" && format != "csv")
    throw input_error(joined("--format ", format, ": machine code has text, JSON and CSV"),
                      "choose one of these");
}

void require_fitting(const CLI::App& app, const options& arguments, const std::string& format) {
  const auto is_given = [&](std::string_view option) { return app.count(std::string(option)) > 0; };
  for (const auto& [options, others] : exclusive)
    for (const std::string_view option : words_in(options))
      for (const std::string_view other : words_in(others))
        if (is_given(option) && is_given(other))
          throw input_error(joined(option, " and ", other, " are both given"), "choose one");
  if (compiled::is_machine_code(arguments.file)) return require_of_machine_code(app, format);
  std::error_code none;
  const bool is_folder = std::filesystem::is_directory(arguments.file, none);
  // Of a name that is none the error says so.
  const bool is_there = arguments.files.empty() || !arguments.input.empty() ||
                        std::filesystem::exists(arguments.file, none);
  if ((is_there || arguments.is_compiled()) && !project::is_report(arguments.file))
    require_useful(app, is_folder || compiled::is_source(arguments.file) ? input::source
                        : arguments.is_compiled()                        ? input::ptx
                                                                         : input::kernel_file);
  if (format == "markdown" && !arguments.is_difference)
    throw input_error("--format markdown is for --diff", "choose another format, or give --diff");
  if (is_folder || arguments.files.size() > 1)
    for (const char* const name : of_one_file)
      if (app.count(name) > 0)
        throw input_error(joined(name, " is for one file"), "name one file that is no folder");
  if ((is_folder || arguments.files.size() > 1) && format == "html")
    throw input_error("--format html is for one file", "name one file that is no folder");
  // An empty variable of a script is no wish to leave a check out.
  for (const char* const name : {"--baseline", "--write-baseline", "--config"})
    if (app.count(name) > 0 && app[name]->as<std::string>().empty())
      throw input_error(joined(name, " names no file"), "name one, or leave it out");
  if (arguments.new_baseline == "-")
    throw input_error("--write-baseline - names no file", "name one");
  for (const char* const option : {"--blocks", "--launch"})
    if (is_given(option) && !is_given("--profile"))
      throw input_error(joined(option, " is given without --profile"), "give both");
  const bool is_text = format == "text";
  if (app.count("--unknowns") > 0 && !is_text && format != "json")
    throw input_error("--unknowns prints text or JSON", "leave the format out, or give --json");
  for (const char* const name : text_only)
    if (app.count(name) > 0 && !is_text)
      throw input_error(
          joined(name, " does not work with --json, --csv or another --format than text"),
          "leave them out");
  if (is_folder || arguments.is_compiled()) {
    if (app.count("--registers") > 0 && app.count("--resident-blocks") == 0)
      throw input_error("--registers limits resident blocks, and none are asked for",
                        "give --resident-blocks too");
    return;
  }
  if (arguments.header == "-" && !is_text)
    throw input_error("--plan-header - prints the header instead of the table",
                      "leave out --json and --csv");
}

// What the project's file says, where the command line does not.
void use_settings(options& arguments, const raw_options& raw) {
  project::settings configuration;
  if (!raw.no_config) {
    const std::optional<std::string> path =
        raw.config.empty() ? project::settings_above(arguments.file) : std::optional(raw.config);
    if (path) configuration = project::read_settings(*path);
  }
  std::error_code none;
  const bool is_of_source =
      compiled::is_source(arguments.file) || std::filesystem::is_directory(arguments.file, none);
  if (arguments.asked.machines.empty() && !arguments.asked.all_machines && is_of_source)
    arguments.asked.machines = configuration.machines;
  arguments.asked.rules_address = configuration.rules_address;
  arguments.is_count =
      !arguments.is_difference && !arguments.asked.unknowns && !arguments.asked.describe;
  if (arguments.is_count) arguments.asked.allowed = configuration.allowed;
  // An option is for all kernels.
  all_limits& allowed = arguments.asked.allowed;
  const auto replace = [&](std::optional<limit> cost_limits::* const field,
                           const std::optional<std::uint64_t>& maximum, const char* origin) {
    if (!maximum) return;
    for (named_limits& entry : allowed.of_some) (entry.limits.*field).reset();
    allowed.of_all.*field = limit{*maximum, origin};
  };
  replace(&cost_limits::conflicts, raw.max_conflicts, "--max-conflicts");
  replace(&cost_limits::excessive_transactions, raw.max_excessive_transactions,
          "--max-excessive-transactions");
  if (arguments.is_count && arguments.asked.fix.empty() && arguments.baseline.empty() &&
      arguments.new_baseline.empty())
    arguments.baseline = configuration.baseline;
}

// What both kinds of questions have, and what follows from other options.
void complete(options& arguments, const raw_options& raw) {
  arguments.asked.format =
      static_cast<format>(std::ranges::find(format_names, raw.format()) - format_names.begin());
  arguments.asked.plan = !raw.no_plan && !arguments.asked.unknowns;
  arguments.asked.report =
      !arguments.baseline.empty() || !arguments.new_baseline.empty() || arguments.is_difference;
  arguments.asked.picture = !arguments.picture.empty();
  arguments.asked.file = arguments.file;
  if (!arguments.input.empty() && compiled::is_source(arguments.file))
    arguments.asked.contents = arguments.input;
  if (!arguments.asked.kernels.empty()) arguments.measured.kernel = arguments.asked.kernels.front();
  arguments.asked.html = !arguments.html.empty();
  arguments.asked.nvcc =
      raw.nvcc ? compiled::nvcc_use::always : compiled::nvcc_use::where_reading_fails;
}

// "ptx", "cuda", "hip" or "kernel", as the text looks.
std::string language_of(const std::string& text) {
  const auto has = [&](const char* part) { return text.find(part) != text.npos; };
  if (has(".version") && has(".target")) return "ptx";
  if (has("__global__") || has("#include")) return has("hip/hip_runtime.h") ? "hip" : "cuda";
  return "kernel";
}

// Standard input gets a name with the ending of its language.
void take_input(options& arguments, std::string text) {
  arguments.input = std::move(text);
  if (arguments.input.empty())
    throw input_error("standard input is empty", "name a file, or pipe a kernel in, or see --help");
  if (arguments.language.empty()) arguments.language = language_of(arguments.input);
  if (arguments.language == "cu") arguments.language = "cuda";
  const std::string ending = arguments.language == "kernel" ? "" : "." + arguments.language;
  arguments.file = "<stdin>" + (arguments.language == "cuda" ? ".cu" : ending);
}

// Error: the file is no source, and its name says what it is.
void take_language(options& arguments) {
  if (!compiled::is_source(arguments.file) || arguments.language == "ptx" ||
      arguments.language == "kernel")
    throw input_error("-x is for standard input, and for source cuda or hip",
                      "leave it out, and - for the file");
  arguments.asked.flags.language = arguments.language == "hip" ? "hip" : "cuda";
}

// The files that the build compiles are those that are meant where no file is named.
void take_files_of_build(options& arguments, const std::function<void(const std::string&)>& tell) {
  compiled::build_files listed = compiled::files_of_build(arguments.asked.build, tell);
  for (const std::string& file : listed.missing)
    tell(joined("bankmodel: note: -p ", arguments.asked.build, " names ", file,
                ", which is not there\n"));
  arguments.is_file_missing = !listed.missing.empty();
  arguments.files = std::move(listed.files);
}

// The options are those of the side that is counted.
void take_both_sides(options& arguments, const std::string& format) {
  if (arguments.files.size() != 2)
    throw input_error(
        joined("--diff compares two versions, and ", arguments.files.size(), " are given"),
        "name an old and a new file or folder, or files that --write-baseline wrote");
  if (std::count(arguments.files.begin(), arguments.files.end(), "-") > 0)
    throw input_error("--diff compares files, and - is standard input",
                      "name two files or folders");
  if (format != "text" && format != "json" && format != "markdown")
    throw input_error("--diff prints text, JSON or Markdown", "choose one of these");
  if (project::is_report(arguments.file)) arguments.file = arguments.files.back();
}

// A cubin is compared with what is counted of the file beside it.
void take_file_beside(options& arguments, const std::function<void(const std::string&)>& tell) {
  const std::string beside = compiled::file_beside_cubin(arguments.file);
  if (beside.empty() || arguments.files.size() != 1 || !arguments.asked.cubin.empty()) return;
  tell(
      joined("bankmodel: note: ", beside, " is counted, and compared with ", arguments.file, "\n"));
  arguments.asked.cubin = std::exchange(arguments.file, beside);
  arguments.files = {arguments.file};
  if (arguments.asked.machines.empty() && !arguments.asked.all_machines)
    if (const std::string machine = compiled::machine_of_cubin(arguments.asked.cubin);
        !machine.empty())
      arguments.asked.machines = {machine};
}

// What compilers have options for, and options that have no effect here.
void use_flags(options& arguments, const std::function<void(const std::string&)>& tell) {
  const compiled::compiler_flags& flags = arguments.asked.flags;
  if (arguments.asked.machines.empty() && !arguments.asked.all_machines)
    if (const std::string machine = compiled::machine_of_flags(flags); !machine.empty())
      arguments.asked.machines = {machine};
  std::string unread;
  for (const std::string& flag : flags.unread) unread += joined(unread.empty() ? "" : ", ", flag);
  if (!unread.empty())
    tell(joined("bankmodel: note: these options of compilers do not change what is read: ", unread,
                "\n"));
}

// The help in lines of at most 100 characters; the rest of a description stays in its column.
std::string in_lines(const std::string& help) {
  constexpr std::size_t width = 100, column = 30;
  std::string result;
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = std::min(help.find('\n', begin), help.size());
    std::string line = help.substr(begin, end - begin);
    begin = end + 1;
    while (line.size() > width) {
      const bool has_description = line.starts_with("  ");
      const std::size_t blank = line.rfind(' ', width);
      if (blank == line.npos || blank <= (has_description ? column : 0)) break;
      result += joined(line.substr(0, blank), "\n");
      line = std::string(has_description ? column : 0, ' ') + line.substr(blank + 1);
    }
    result += joined(line, "\n");
  }
  return result;
}

}  // namespace

options options_of(const std::vector<std::string>& arguments,
                   const std::function<std::string(bool is_named)>& input,
                   const std::function<void(const std::string&)>& tell) {
  CLI::App app(
      "Exact bank conflicts of a GPU kernel's shared memory, the layout with the fewest, and the "
      "transactions of its global memory.\n\n"
      "  bankmodel my.cu                        what its kernels cost, and what to change\n"
      "  bankmodel src/ -I include              a project: the worst kernels first\n"
      "  bankmodel my.cu --fix=dry-run          the better layouts as a difference\n"
      "  bankmodel my.cu --arg n=4096 -m a100   with a value, on a machine\n"
      "  bankmodel src/ --baseline base.json    fail where a kernel became worse\n"
      "  bankmodel --diff old.cu new.cu         two versions compared",
      "bankmodel");
  app.footer(notation);
  app.set_version_flag("--version", "bankmodel " BANKMODEL_VERSION_STRING);
  options result;
  raw_options raw;
  add_general(app, result, raw);
  add_those_of_plans(app, result, raw);
  add_those_of_launches(app, result);
  add_those_of_source(app, result, raw);
  add_those_of_integration(app, result, raw);
  add_those_of_profiles(app, result);
  std::vector<std::string> words = arguments;
  result.asked.flags = compiled::take_flags(words);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    result.printed = in_lines(app.help());
    return result;
  } catch (const CLI::CallForVersion& version) {
    result.printed = joined(version.what(), "\n");
    return result;
  } catch (const CLI::ExtrasError& reason) {
    throw input_error(reason.what(), "--help lists the arguments");
  } catch (const CLI::ParseError& failure) {
    throw input_error(failure.what(), "--help lists the arguments");
  }
  if (result.files.empty() && result.lines.empty() && !result.asked.build.empty())
    take_files_of_build(result, tell);
  if (!result.files.empty()) result.file = result.files.front();
  if (result.is_difference) take_both_sides(result, raw.format());
  if (result.file == "-" || (result.file.empty() && result.lines.empty()))
    take_input(result, input(!result.file.empty()));
  if (!result.language.empty() && result.input.empty()) take_language(result);
  use_flags(result, tell);
  take_file_beside(result, tell);
  require_fitting(app, result, raw.format());
  use_settings(result, raw);
  complete(result, raw);
  return result;
}

}  // namespace command_line
