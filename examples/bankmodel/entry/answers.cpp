// SPDX-License-Identifier: MIT
#include "answers.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "../compiled/build_flags.hpp"
#include "../compiled/page/formats.hpp"
#include "../compiled/page/kernel_table.hpp"
#include "../compiled/static_accesses.hpp"
#include "../file_content.hpp"
#include "../project/difference.hpp"
#include "../sequences.hpp"
#include "../several_files.hpp"
#include "options.hpp"

namespace command_line {

namespace {

// Reads at most one byte more than a kernel file may have, which shows that it is too long.
std::string read(std::istream& stream, std::size_t limit) {
  std::string text;
  char piece[1 << 16];
  while (text.size() <= limit && stream) {
    const std::size_t size = std::min(sizeof piece, limit + 1 - text.size());
    stream.read(piece, static_cast<std::streamsize>(size));
    text.append(piece, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

// Error: there is no such file.
void require_file(const std::string& name) {
  std::error_code none;
  if (std::filesystem::is_directory(name, none))
    throw input_error(joined("cannot read ", name, ": it is a folder"), "name a file in it");
  if (!std::filesystem::exists(name, none))
    throw input_error(joined("cannot read ", name, ": no such file"),
                      "name a kernel file, or give its lines with -e");
}

// Before a count that may take long. Error: a file to write is in a folder that is not there.
void require_folders(const options& arguments) {
  for (const std::string& name :
       {arguments.picture, arguments.html, arguments.header, arguments.new_baseline}) {
    if (name.empty() || name == "-") continue;
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    std::error_code none;
    if (std::filesystem::is_directory(name, none))
      throw input_error(joined("cannot write ", name, ": it is a folder"), "name a file in it");
    if (!folder.empty() && !std::filesystem::is_directory(folder, none))
      throw input_error(joined("cannot write ", name, ": there is no folder ", folder.string()),
                        "make it first");
  }
}

// Before a count that may take long. Error: there is no such file.
void require_baseline(const std::string& name) {
  std::error_code none;
  if (!name.empty() && !std::filesystem::is_regular_file(name, none))
    throw input_error(
        joined("cannot read ", name,
               std::filesystem::exists(name, none) ? ": it is no file" : ": no such file"),
        "write it with --write-baseline");
}

source kernel_of(const options& arguments) {
  source result{"<arguments>", {}};
  for (const std::string& line : arguments.lines) result.text += joined(line, "\n");
  if (!arguments.lines.empty()) return result;
  if (!arguments.input.empty()) {
    if (arguments.input.find('\0') != arguments.input.npos)
      throw input_error("standard input is a binary file", "pipe the text of a kernel in");
    return {arguments.file, arguments.input};
  }
  require_file(arguments.file);
  std::ifstream stream(arguments.file, std::ios::binary);
  if (stream) {
    const bool is_long = arguments.is_compiled() || compiled::is_machine_code(arguments.file);
    const std::size_t limit = is_long ? compiled::most_bytes : most_bytes;
    result = {arguments.file, read(stream, limit)};
  }
  if (!stream.eof() && !stream)
    throw input_error(joined("cannot read ", arguments.file),
                      "name a kernel file that you may read, or give its lines with -e");
  if (!compiled::is_machine_code(arguments.file) && result.text.find('\0') != std::string::npos)
    throw input_error(joined(arguments.file, " is a binary file"),
                      "give a .cu, a .ptx, a .cubin or a kernel file");
  return result;
}

// transpose_plan for plans/transpose_plan.hpp; for -, transpose_plan of kernels/transpose.kernel.
std::string namespace_of(const std::string& header, const std::string& kernel) {
  if (header == "-" && kernel[0] == '<') return "plan";
  const std::filesystem::path named = header == "-" ? kernel : header;
  return joined(named.stem().string(), header == "-" ? "_plan" : "");
}

// Error: there is something else than a report.
void require_replaceable(const std::string& name) {
  std::error_code none;
  if (name.empty() || !std::filesystem::exists(name, none)) return;
  require_baseline(name);
  if (std::filesystem::file_size(name, none) > 0 && !project::is_report_text(file_content(name)))
    throw input_error(joined("--write-baseline ", name, ": the file is there, and is no report"),
                      "name another file, or delete it");
}

// Error: it cannot be read, or is no report.
project::report read_report(const std::string& name) {
  require_baseline(name);
  std::ifstream stream(name, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream) throw input_error(joined("cannot read ", name), "name a file that you may read");
  return project::read_report(text, name);
}

profile read_profile(profile named) {
  std::ifstream stream(named.name, std::ios::binary);
  named.csv.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream)
    throw input_error(joined("cannot read ", named.name), "name the file that the profiler wrote");
  return named;
}

answer answer_to(options& arguments, const surroundings& context) {
  const source kernel = kernel_of(arguments);
  compiled::question& asked = arguments.asked;
  asked.file = kernel.name;
  asked.text = kernel.text;
  asked.shape = context.shape;
  if (compiled::is_machine_code(arguments.file)) return compiled::answer_about_machine_code(asked);
  if (!arguments.measured.name.empty()) asked.measured = read_profile(arguments.measured);
  if (!arguments.header.empty()) asked.header = namespace_of(arguments.header, kernel.name);
  // A kernel may be counted several times, and what was said is known.
  asked.tell = [said = std::make_shared<std::set<std::string>>(),
                tell = context.tell](const std::string& note) {
    if (said->insert(note).second) tell(note);
  };
  // Of several files it is that of the files.
  if (!asked.is_of_several) asked.progress = context.progress;
  return compiled::answer_to(asked);
}

bool prints_data(const options& arguments) {
  const bool is_json = arguments.asked.format == format::json;
  return (is_json || arguments.asked.format == format::sarif) && !arguments.asked.describe &&
         arguments.asked.fix.empty();
}

// An answer without output has its error there too, for programs that read JSON or SARIF.
answer with_error_as_data(answer result, const options& arguments) {
  if (!result.output.empty() || result.code != bad_input || !prints_data(arguments)) return result;
  constexpr std::string_view prefix = "bankmodel: error: ";
  std::string error = result.error.substr(result.error.starts_with(prefix) ? prefix.size() : 0);
  while (!error.empty() && error.back() == '\n') error.pop_back();
  if (arguments.asked.format == format::json) {
    result.output = compiled::as_json({}, arguments.file, {}, error);
    return result;
  }
  compiled::source_lines none(arguments.file);
  result.output =
      compiled::sarif_run({}, none, {arguments.file, arguments.asked.rules_address}, {}, error);
  if (!arguments.asked.is_of_several) result.output = compiled::sarif_of(result.output);
  return result;
}

answer answer_about(options arguments, const std::string& file, const surroundings& context) {
  arguments.file = arguments.asked.file = file;
  arguments.asked.is_of_several = true;
  try {
    return with_error_as_data(answer_to(arguments, context), arguments);
  } catch (const refusal& reason) {
    return with_error_as_data({bad_input, {}, text_without_place(reason)}, arguments);
  }
}

// 1 where a limit is exceeded, else 3 where something was not read, else 2 where nothing was.
exit_code worst_code(const std::vector<answer>& answers) {
  const auto has = [&](exit_code code) { return includes(answers, code, &answer::code); };
  if (has(too_many_conflicts)) return too_many_conflicts;
  if (has(not_read)) return not_read;
  if (!has(fine)) return bad_input;
  return fine;
}

// The runs of several files as one: readers of SARIF take one of each tool.
std::string one_sarif_run(const std::string& runs) {
  using nlohmann::ordered_json;
  if (runs.empty()) return runs;
  ordered_json result;
  bool is_successful = true;
  for (const ordered_json& run : ordered_json::parse("[" + runs + "]")) {
    const ordered_json& said = run["invocations"][0];
    is_successful = is_successful && said["executionSuccessful"].get<bool>();
    if (result.is_null()) {
      result = run;
      continue;
    }
    for (const ordered_json& finding : run["results"]) result["results"].push_back(finding);
    for (const ordered_json& notification : said["toolExecutionNotifications"])
      result["invocations"][0]["toolExecutionNotifications"].push_back(notification);
  }
  result["invocations"][0]["executionSuccessful"] = is_successful;
  return result.dump(1);
}

// The outputs as one text of the format.
std::string combined(const std::vector<answer>& answers, const options& arguments,
                     const std::vector<std::string>& files, const text_shape& shape) {
  std::string result;
  std::vector<kernel_row> kernels;
  for (const answer& part : answers) {
    append(kernels, part.kernels);
    if (part.output.empty()) continue;
    switch (arguments.asked.format) {
      case format::json:
      case format::sarif: result += joined(result.empty() ? "" : ",\n", part.output); break;
      case format::csv:
        result += result.empty() ? part.output : part.output.substr(part.output.find('\n') + 1);
        break;
      default: result += joined("\n\n", part.output);
    }
  }
  switch (arguments.asked.format) {
    case format::json: return joined("{\"files\": [\n", result, "]}\n");
    case format::sarif: return compiled::sarif_of(one_sarif_run(result));
    case format::text: {
      if (arguments.asked.unknowns) return result.substr(std::min<std::size_t>(result.size(), 2));
      const std::string notes = text_of_notes(files, answers, shape.width);
      return joined(compiled::text_of_kernels(
                        kernels,
                        joined(bankmodel::detail::counted_in_words(kernels.size(), "kernel"),
                               " in ", bankmodel::detail::counted_in_words(files.size(), "file")),
                        shape),
                    result, notes.empty() ? "" : "\n", notes);
    }
    default: return result;
  }
}

// With the files that were not read.
std::string combined_report(const std::vector<answer>& answers,
                            const std::vector<std::string>& files) {
  project::report result;
  for (std::size_t number = 0; number < answers.size(); ++number) {
    const answer& part = answers[number];
    if (!part.report.empty())
      result.add(project::read_report(part.report, "an answer"));
    else if (part.code == bad_input)
      result.uncounted_kernels.push_back(
          {files[number], "", part.error.substr(0, part.error.find('\n')), ""});
  }
  return project::text_of(result);
}

answer answer_to_several(const options& arguments, const surroundings& context) {
  const std::vector<std::string> files = expanded_files(arguments.files);
  for (const std::string& name : files)
    if (compiled::is_machine_code(name))
      throw input_error(joined("several files are given, and ", name, " is machine code"),
                        "give it alone");
  // Once, before there are processes.
  for (const std::string& name : files)
    if (compiled::is_source(name)) compiled::load_build(arguments.asked.build, name, context.tell);
  std::function<void(std::size_t)> tell_progress;
  if (context.progress)
    tell_progress = [&](std::size_t done) { context.progress(done, files.size(), "files"); };
  std::vector<answer> answers = answers_of(
      files, [&](const std::string& file) { return answer_about(arguments, file, context); },
      tell_progress);
  answer result;
  for (const answer& part : answers) result.error += part.error;
  result.report = combined_report(answers, files);
  const bool has_read =
      std::ranges::any_of(answers, [](const answer& item) { return item.code != bad_input; });
  if (has_read || arguments.asked.allowed.has_any())
    for (answer& part : answers)
      if (part.code == bad_input) part.code = not_read;
  result.code = worst_code(answers);
  if (result.code != bad_input || prints_data(arguments))
    result.output = combined(answers, arguments, files, context.shape);
  return result;
}

answer answer_about_all(options& arguments, const surroundings& context) {
  // A hook names each file that changed, and nothing of these can be worse.
  if (!arguments.baseline.empty() && arguments.input.empty()) {
    std::erase_if(arguments.files, is_without_kernel);
    if (arguments.files.empty() && arguments.lines.empty())
      return {fine, {}, "bankmodel: note: no file has a kernel\n"};
    if (!arguments.files.empty()) arguments.file = arguments.asked.file = arguments.files.front();
  }
  std::error_code none;
  return arguments.files.size() > 1 || std::filesystem::is_directory(arguments.file, none)
             ? answer_to_several(arguments, context)
             : answer_to(arguments, context);
}

// The report of a side. Paths are from `folder`, or, if it is empty, from the side's own.
// Error: nothing of it is counted.
project::report report_of_side(options arguments, const std::string& side,
                               const std::string& folder, const surroundings& context,
                               answer& result) {
  if (project::is_report(side)) return read_report(side);
  arguments.files = {side};
  arguments.file = arguments.asked.file = side;
  arguments.asked.format = format::text;
  arguments.asked.plan = false;
  const answer side_answer = answer_about_all(arguments, context);
  result.error += side_answer.error;
  if (side_answer.report.empty()) {
    result.code = bad_input;
    return {};
  }
  if (side_answer.code != fine) result.code = not_read;
  std::error_code none;
  const std::filesystem::path path(side);
  const std::string own =
      std::filesystem::is_directory(path, none) ? side : path.parent_path().string();
  return project::with_paths_from(folder.empty() ? own : folder,
                                  project::read_report(side_answer.report, side));
}

// Of the sides, the folder that a report's paths are from; empty: there is no report.
std::string folder_of_reports(const std::vector<std::string>& sides) {
  for (const std::string& side : sides)
    if (project::is_report(side)) {
      const std::string folder = std::filesystem::path(side).parent_path().string();
      return folder.empty() ? "." : folder;
    }
  return {};
}

answer answer_about_difference(const options& arguments, const surroundings& context) {
  const std::string &before_name = arguments.files[0], &after_name = arguments.files[1];
  const std::string folder = folder_of_reports(arguments.files);
  answer result;
  const project::report old_report =
      report_of_side(arguments, before_name, folder, context, result);
  const project::report new_report = report_of_side(arguments, after_name, folder, context, result);
  if (result.code == bad_input) return result;
  if (arguments.asked.format == format::json)
    result.output = project::json_of_difference(old_report, new_report);
  else if (arguments.asked.format == format::markdown)
    result.output =
        project::markdown_of_difference(old_report, new_report, before_name, after_name);
  else
    result.output =
        project::text_of_difference(old_report, new_report, before_name, after_name, context.shape);
  return result;
}

// Compares what was counted with the baseline, and writes the new one.
// Error: the baseline cannot be read; the new one cannot be written.
void use_baselines(answer& result, const options& arguments) {
  if (result.report.empty()) return;
  const auto folder_of = [](const std::string& file) {
    return std::filesystem::path(file).parent_path().string();
  };
  const project::report current =
      project::with_paths_from("", project::read_report(result.report, "the answer"));
  if (!arguments.baseline.empty()) {
    const project::complaints wrong = project::compared_with_baseline(
        project::with_paths_from_here(folder_of(arguments.baseline),
                                      read_report(arguments.baseline)),
        current, arguments.baseline);
    result.error += wrong.text;
    if (wrong.is_worse)
      result.code = too_many_conflicts;
    else if (wrong.is_incomplete && result.code == fine)
      result.code = not_read;
  }
  const bool is_nothing = current.kernels.empty() && !current.uncounted_kernels.empty();
  if (arguments.new_baseline.empty() || result.code == bad_input || is_nothing) return;
  const std::string text =
      project::text_of(project::with_paths_from(folder_of(arguments.new_baseline), current));
  if (!(std::ofstream(arguments.new_baseline, std::ios::binary) << text << std::flush))
    throw input_error(joined("cannot write ", arguments.new_baseline),
                      "name a file that you may write");
  if (!current.uncounted_kernels.empty())
    result.error +=
        joined("bankmodel: note: ", arguments.new_baseline, " is written without ",
               bankmodel::detail::counted_in_words(current.uncounted_kernels.size(), "kernel"),
               " or files that were not counted, which it names\n");
}

// Writes the files that were asked for; a header that is to be printed is the output.
// Error: a file cannot be written.
void write_files(answer& result, const options& arguments) {
  const bool prints_header = arguments.header == "-";
  for (const auto& [name, content] :
       {std::pair(arguments.picture, result.picture), std::pair(arguments.html, result.html),
        std::pair(prints_header ? "" : arguments.header, result.header)})
    if (!name.empty() && !content.empty() &&
        !(std::ofstream(name, std::ios::binary) << content << std::flush))
      throw input_error(joined("cannot write ", name), "name a file that you may write");
  if (prints_header) result.output = result.header;
}

}  // namespace

answer answer_to_words(const std::vector<std::string>& words, const surroundings& context) {
  options arguments;
  try {
    arguments = options_of(words, context.input, context.tell);
    if (!arguments.printed.empty()) return {fine, arguments.printed, {}};
    require_folders(arguments);
    require_baseline(arguments.baseline);
    require_replaceable(arguments.new_baseline);
    answer result = arguments.is_difference ? answer_about_difference(arguments, context)
                                            : answer_about_all(arguments, context);
    use_baselines(result, arguments);
    if (result.code == fine && arguments.is_file_missing) result.code = not_read;
    result = with_error_as_data(std::move(result), arguments);
    write_files(result, arguments);
    result.is_text = arguments.asked.format == format::text && !arguments.asked.describe &&
                     arguments.header != "-" && arguments.asked.fix != "dry-run";
    return result;
  } catch (const refusal& reason) {
    return with_error_as_data({bad_input, {}, text_without_place(reason)}, arguments);
  }
}

}  // namespace command_line
