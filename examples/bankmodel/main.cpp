// SPDX-License-Identifier: MIT
// bankmodel: prints the cost of a kernel's accesses to shared memory, and the layout that costs
// least, from a kernel file.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "compiled/ask.hpp"
#include "terminal.hpp"

namespace {

using command_line::answer;
using command_line::bad_input;
using command_line::joined;

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
    "Exit code: 0; 1 if --max-conflicts is exceeded; 2 for an error in the input or an argument.";

int refused(const std::string& what) {
  std::fprintf(stderr, "bankmodel: error: %s\n", what.c_str());
  return bad_input;
}

// Reads at most one byte more than a kernel file may have, which shows that it is too long.
std::string read(std::istream& from, std::size_t most = command_line::most_bytes) {
  std::string text(most + 1, '\0');
  from.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(from.gcount()));
  return text;
}

// CLI11 would replace numbers that do not fit by the largest that does.
CLI::Validator digits(std::size_t most, bool zero = false) {
  const auto check = [most, zero](const std::string& text) {
    bool good = !text.empty() && text.size() <= most &&
                text.find_first_not_of("0123456789") == std::string::npos;
    if (!zero && text.find_first_not_of('0') == std::string::npos) good = false;
    return good ? std::string()
                : joined("`", text, "` is not a number of at least ", zero ? 0 : 1,
                         " with at most ", most, " digits");
  };
  return CLI::Validator(check, "NUMBER");
}

// In the order of command_line::format.
const std::vector<std::string> format_names = {"text", "json", "csv", "sarif", "html", "source"};

bool is_written(const std::string& name, const std::string& content) {
  return static_cast<bool>(std::ofstream(name, std::ios::binary) << content << std::flush);
}

// transpose_plan for plans/transpose_plan.hpp; for -, transpose_plan of kernels/transpose.kernel.
std::string namespace_of(const std::string& header, const std::string& kernel) {
  if (header == "-" && kernel[0] == '<') return "plan";
  const std::filesystem::path named = header == "-" ? kernel : header;
  return joined(named.stem().string(), header == "-" ? "_plan" : "");
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app(
      "Exact bank conflicts of a GPU kernel's shared memory, the layout with the fewest, and the "
      "transactions of its global memory.",
      "bankmodel");
  app.footer(notation);

  command_line::question asked;
  std::string file, picture, header, format, html;
  std::vector<std::string> lines;
  bool json = false, csv = false, no_plan = false;
  long long max_conflicts = 0;

  app.add_option(
      "FILE", file,
      "A kernel file, compiled code (.ptx) or CUDA or HIP source (.cu, .cuh, .hip, .cpp); - "
      "or nothing reads standard input");
  app.add_option("-e,--line", lines, "A line of the kernel instead of a file; may be repeated")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("-m,--machine", asked.machines,
                 "A machine such as sm_90, 9.0, gfx942 or h100 instead of the file's; may be "
                 "repeated; default: sm_90")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_flag("--all-machines", asked.all_machines, "All known machines");
  app.add_option("--format", format,
                 "text, json or csv; of compiled code and source also source (the lines with their "
                 "costs), html or sarif")
      ->check(CLI::IsMember(format_names));
  app.add_flag("--json", json, "Print everything as JSON; --format json");
  app.add_flag("--csv", csv, "Print the table as comma-separated values; --format csv");
  app.add_option("--html", html,
                 "Compiled code and source: also write a page with the source, its costs and "
                 "pictures into this file");
  app.add_option("--svg", picture,
                 "Draw the worst request of the access with the most conflicts into this file, for "
                 "the first machine; without conflicts, of the access with the most transactions "
                 "of global memory beyond the ideal");
  auto* const limit = app.add_option("--max-conflicts", max_conflicts,
                                     "Exit with 1 if a block has more on any machine")
                          ->check(digits(18, true));
  app.add_flag("--no-plan", no_plan, "Do not look for a better layout, for remedies neither");
  app.add_flag("--brief", asked.brief, "Print the totals and the plan only");
  app.set_version_flag("--version", "bankmodel " BANKMODEL_VERSION);
  const auto list = [&](const char* name, std::vector<std::string>& to, const char* what) {
    app.add_option(name, to, what)->type_size(1)->allow_extra_args(false);
  };
  list("--layouts", asked.layouts,
       "Plans use these only: padding, xor_swizzle, rotation, triangular, modular, linear, "
       "permutations, as_declared; separated by commas");
  list("--keep", asked.keep,
       "An array that keeps its declared layout in a plan; separated by commas");
  app.add_option("--plan-header", header,
                 "Write the plan as a C++ header into this file, whose name is that of its "
                 "namespace; - prints it instead of the table");
  app.add_option("--effort", asked.how.effort,
                 "Requests that each search may evaluate; default: 262144")
      ->check(digits(12));
  app.add_option("--shared-bytes", asked.how.shared_bytes,
                 "At most this many bytes in a plan; default: what a block has without opting in")
      ->check(digits(9));
  app.add_option("--resident-blocks", asked.how.resident_blocks,
                 "At least this many resident blocks in a plan")
      ->check(digits(9));
  app.add_option("--registers", asked.how.registers_per_thread,
                 "Registers of a thread, as ptxas prints them; they limit resident blocks too")
      ->check(digits(9));
  compiled::question launched;
  const auto of_launch = [&](const char* name, std::vector<std::string>& to, const char* what) {
    app.add_option(name, to, what)->type_size(1)->allow_extra_args(false);
  };
  app.add_option("--block", launched.block,
                 "Compiled code and source: the threads of a block, such as 32x8");
  app.add_option("--grid", launched.grid,
                 "Compiled code and source: the blocks of the grid; default: 1");
  app.add_option("--at", launched.at,
                 "Compiled code and source: the block that is counted; default: 0x0x0");
  of_launch("--arg", launched.arguments,
            "Compiled code and source: the value of an integer argument, n=1024; may be repeated");
  of_launch(
      "--data", launched.data,
      "Compiled code and source: the data that a pointer among the arguments points to, or of "
      "a global array, indices=FILE, as numpy.save() or as plain bytes; may be repeated");
  of_launch(
      "--assume", launched.assumed,
      "Compiled code and source: a branch on data, 17=taken or 17=not-taken, by its line; may be "
      "repeated");
  app.add_option("--dynamic-bytes", launched.dynamic_shared_bytes,
                 "The bytes of `extern __shared__` arrays")
      ->check(digits(9));
  app.add_flag("--bounds", launched.bounds,
               "Compiled code and source: where data decide about shared memory, count the least "
               "and the most");
  app.add_flag("--describe", launched.describe,
               "Compiled code and source: print the accesses to shared memory as a program of C++ "
               "with their guard, instead of the tables");
  of_launch("-I", launched.include_folders, "Source: a folder of headers; may be repeated");
  of_launch("-D", launched.defines, "Source: a macro, NAME or NAME=VALUE; may be repeated");
  app.add_option("--std", launched.standard, "Source: the standard; default: c++17");
  app.add_option("--program-arguments", launched.program_arguments,
                 "Source: what the program is started with, such as \"1024 10\": its launches are "
                 "followed from main()");
  app.add_option("--cuda-path", launched.cuda_path,
                 "Source: a CUDA toolkit whose headers are read; default: our own declarations");
  app.add_flag("--nvcc", launched.by_nvcc,
               "Source: read the PTX that nvcc -lineinfo -ptx makes of it, if nvcc is on the path");
  app.add_option("--cubin", launched.cubin,
                 "Compiled code and source: the file that nvcc -cubin -lineinfo made of it, which "
                 "confirms or corrects the accesses as issued");
  app.add_flag("--fix{write}", launched.fix,
               "Source: change declarations of arrays as planned, after the new text was compiled "
               "and counted; --fix=dry-run prints the difference and writes nothing");
  command_line::profile measured;
  app.add_option("--profile", measured.name,
                 "Compare with a CSV export of Nsight Compute, nvprof or rocprof");
  app.add_option("--blocks", measured.blocks,
                 "The blocks of the profiled launch that make the accesses; default: the "
                 "kernel's grid")
      ->check(digits(18));
  app.add_option("--kernel", measured.kernel,
                 "A part of the kernel's name, in compiled code or in a profile");
  app.add_option("--launch", measured.launch,
                 "1 for the first launch of that name, 2 for the second")
      ->check(digits(9));
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return command_line::fine;
  } catch (const CLI::CallForVersion& version) {
    std::printf("%s\n", version.what());
    return command_line::fine;
  } catch (const CLI::ParseError& why) {
    return refused(joined(why.what(), "; --help lists the arguments"));
  }
  if ((json ? 1 : 0) + (csv ? 1 : 0) + (format.empty() ? 0 : 1) > 1)
    return refused("of --format, --json and --csv more than one are given; choose one");
  if (json) format = "json";
  if (csv) format = "csv";
  if (asked.all_machines && !asked.machines.empty())
    return refused("--machine and --all-machines are both given; choose one");
  if (!lines.empty() && !file.empty())
    return refused("a file and --line are both given; choose one");
  if (!header.empty() && no_plan)
    return refused("--plan-header and --no-plan are both given; choose one");
  if (measured.name.empty() && measured.blocks != 0)
    return refused("--blocks is given without --profile; give both");
  if (!measured.name.empty() && !format.empty() && format != "text")
    return refused(
        "--profile does not work with --json, --csv or another --format than text; leave them out");

  const bool is_compiled = compiled::is_compiled(file);
  if (!launched.fix.empty() && !is_compiled)
    return refused("--fix changes CUDA and HIP source; name a .cu file");
  if (!launched.fix.empty() && no_plan)
    return refused("--fix and --no-plan are both given; choose one");
  if (!launched.fix.empty() && (launched.by_nvcc || !launched.cubin.empty()))
    return refused(
        "--fix does not work with --nvcc or --cubin, which are of one text; leave them out");
  const bool has_launch = !launched.block.empty() || !launched.grid.empty() ||
                          !launched.at.empty() || !launched.arguments.empty() ||
                          !launched.data.empty() || !launched.assumed.empty() || launched.bounds ||
                          launched.by_nvcc || !launched.cubin.empty();
  if (has_launch && !is_compiled)
    return refused(
        "--block, --grid, --at, --arg, --data, --assume, --bounds, -I, -D, --std, --cuda-path, "
        "--nvcc and "
        "--cubin "
        "are for compiled code and source; "
        "name a .ptx or .cu file, or write them into the kernel file");
  if (launched.describe && !is_compiled)
    return refused("--describe is for compiled code and source; name a .ptx or .cu file");
  if (launched.describe && !launched.fix.empty())
    return refused("--fix and --describe are both given; choose one");
  if (launched.describe && launched.bounds)
    return refused("--bounds and --describe are both given; choose one");
  if (launched.describe && !format.empty() && format != "text")
    return refused(
        "--describe does not work with --json, --csv or another --format than text; leave them "
        "out");
  if (is_compiled && (!picture.empty() || !header.empty() || !measured.name.empty()))
    return refused(
        "--svg, --plan-header and --profile do not work with compiled code; leave them out");
  if (!is_compiled &&
      (!html.empty() || format == "sarif" || format == "html" || format == "source"))
    return refused(
        "--html and the formats sarif, html and source are for compiled code and source; name a "
        ".ptx or .cu file, or use --format json");
  if (is_compiled && (asked.brief || !asked.layouts.empty() || !asked.keep.empty()))
    return refused("--brief, --layouts and --keep do not work with compiled code; leave them out");
  if (no_plan && (!asked.layouts.empty() || !asked.keep.empty()))
    return refused("--no-plan is given with --layouts or --keep; choose one");
  if (is_compiled && asked.all_machines)
    return refused("--all-machines does not work with compiled code; name each --machine");

  command_line::source kernel{"<arguments>", {}};
  if (!lines.empty()) {
    for (const std::string& line : lines) kernel.text += joined(line, "\n");
  } else if (file.empty() || file == "-") {
    if (file.empty() && isatty(STDIN_FILENO) != 0)
      return refused("no kernel; name a file, or pipe one in, or see --help");
    kernel = {"<stdin>", read(std::cin)};
  } else {
    std::ifstream from(file, std::ios::binary);
    kernel = {file, !from         ? std::string()
                    : is_compiled ? read(from, compiled::most_bytes)
                                  : read(from)};
    if (!from.eof() && !from)
      return refused(
          joined("cannot read ", file, "; name a kernel file, or give its lines with -e"));
  }

  if (!measured.name.empty()) {
    std::ifstream from(measured.name, std::ios::binary);
    measured.csv.assign(std::istreambuf_iterator<char>(from), {});
    if (!from)
      return refused(
          joined("cannot read ", measured.name, "; name the file that the profiler wrote"));
    asked.measured = measured;
  }
  asked.plan = !no_plan;
  const command_line::text_shape shape = command_line::shape_of_output();
  asked.width = shape.is_terminal ? shape.width : 0;
  asked.dynamic_bytes = launched.dynamic_shared_bytes;
  if (!header.empty()) asked.header = namespace_of(header, kernel.name);
  asked.tell = [](const std::string& note) { std::fputs(note.c_str(), stderr); };
  asked.picture = !picture.empty();
  if (!format.empty())
    asked.as = static_cast<command_line::format>(
        std::find(format_names.begin(), format_names.end(), format) - format_names.begin());
  if (limit->count() > 0) asked.max_conflicts = static_cast<std::uint64_t>(max_conflicts);
  launched.file = kernel.name;
  launched.text = kernel.text;
  launched.machines = asked.machines;
  launched.kernel = measured.kernel;
  launched.as = asked.as;
  launched.html = !html.empty();
  launched.shape = shape;
  launched.max_conflicts = asked.max_conflicts;
  launched.plan = asked.plan;
  const answer found =
      is_compiled ? compiled::answer_to(launched) : command_line::answer_to(kernel, asked);
  for (const auto& [name, content] :
       {std::pair(picture, found.picture), std::pair(html, found.html),
        std::pair(header == "-" ? "" : header, found.header)})
    if (!name.empty() && !content.empty() && !is_written(name, content))
      return refused(joined("cannot write ", name));
  std::fputs((header == "-" ? found.header : found.out).c_str(), stdout);
  std::fputs(found.error.c_str(), stderr);
  if (std::fflush(stdout) != 0) return refused("cannot write to standard output");
  return found.code;
}
