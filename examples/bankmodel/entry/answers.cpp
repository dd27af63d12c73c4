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
#include "../several_files.hpp"
#include "options.hpp"

namespace command_line {

namespace {

// Reads at most one byte more than a kernel file may have, which shows that it is too long.
std::string read(std::istream& from, std::size_t most) {
  std::string text;
  char piece[1 << 16];
  while (text.size() <= most && from) {
    const std::size_t size = std::min(sizeof piece, most + 1 - text.size());
    from.read(piece, static_cast<std::streamsize>(size));
    text.append(piece, static_cast<std::size_t>(from.gcount()));
  }
  return text;
}

// Error: there is no such file.
void require_file(const std::string& name) {
  std::error_code none;
  if (std::filesystem::is_directory(name, none))
    throw refusal{{}, joined("cannot read ", name, ": it is a folder"), "name a file in it"};
  if (!std::filesystem::exists(name, none))
    throw refusal{{},
                  joined("cannot read ", name, ": no such file"),
                  "name a kernel file, or give its lines with -e"};
}

// Before a count that may take long. Error: a file to write is in a folder that is not there.
void require_folders(const options& given) {
  for (const std::string& name : {given.picture, given.html, given.header, given.new_baseline}) {
    if (name.empty() || name == "-") continue;
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    std::error_code none;
    if (std::filesystem::is_directory(name, none))
      throw refusal{{}, joined("cannot write ", name, ": it is a folder"), "name a file in it"};
    if (!folder.empty() && !std::filesystem::is_directory(folder, none))
      throw refusal{{},
                    joined("cannot write ", name, ": there is no folder ", folder.string()),
                    "make it first"};
  }
}

// Before a count that may take long. Error: there is no such file.
void require_baseline(const std::string& name) {
  std::error_code none;
  if (!name.empty() && !std::filesystem::is_regular_file(name, none))
    throw refusal{
        {},
        joined("cannot read ", name,
               std::filesystem::exists(name, none) ? ": it is no file" : ": no such file"),
        "write it with --write-baseline"};
}

source kernel_of(const options& given) {
  source result{"<arguments>", {}};
  for (const std::string& line : given.lines) result.text += joined(line, "\n");
  if (!given.lines.empty()) return result;
  if (!given.input.empty()) {
    if (given.input.find('\0') != given.input.npos)
      throw refusal{{}, "standard input is a binary file", "pipe the text of a kernel in"};
    return {given.file, given.input};
  }
  require_file(given.file);
  std::ifstream from(given.file, std::ios::binary);
  if (from) {
    const bool is_long = given.is_compiled() || compiled::is_machine_code(given.file);
    const std::size_t most = is_long ? compiled::most_bytes : most_bytes;
    result = {given.file, read(from, most)};
  }
  if (!from.eof() && !from)
    throw refusal{{},
                  joined("cannot read ", given.file),
                  "name a kernel file that you may read, or give its lines with -e"};
  if (!compiled::is_machine_code(given.file) && result.text.find('\0') != std::string::npos)
    throw refusal{{},
                  joined(given.file, " is a binary file"),
                  "give a .cu, a .ptx, a .cubin or a kernel file"};
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
    throw refusal{{},
                  joined("--write-baseline ", name, ": the file is there, and is no report"),
                  "name another file, or delete it"};
}

// Error: it cannot be read, or is no report.
project::report read_report(const std::string& name) {
  require_baseline(name);
  std::ifstream from(name, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(from), {});
  if (!from) throw refusal{{}, joined("cannot read ", name), "name a file that you may read"};
  return project::read_report(text, name);
}

profile read_profile(profile named) {
  std::ifstream from(named.name, std::ios::binary);
  named.csv.assign(std::istreambuf_iterator<char>(from), {});
  if (!from)
    throw refusal{{}, joined("cannot read ", named.name), "name the file that the profiler wrote"};
  return named;
}

answer answer_to(options& given, const surroundings& around) {
  const source kernel = kernel_of(given);
  compiled::question& asked = given.asked;
  asked.file = kernel.name;
  asked.text = kernel.text;
  asked.shape = around.shape;
  if (compiled::is_machine_code(given.file)) return compiled::answer_about_machine_code(asked);
  if (!given.measured.name.empty()) asked.measured = read_profile(given.measured);
  if (!given.header.empty()) asked.header = namespace_of(given.header, kernel.name);
  // A kernel may be counted several times, and what was said is known.
  asked.tell = [said = std::make_shared<std::set<std::string>>(),
                tell = around.tell](const std::string& note) {
    if (said->insert(note).second) tell(note);
  };
  // Of several files it is that of the files.
  if (!asked.is_of_several) asked.progress = around.progress;
  return compiled::answer_to(asked);
}

bool prints_data(const options& given) {
  const bool is_json = given.asked.as == format::json;
  return (is_json || given.asked.as == format::sarif) && !given.asked.describe &&
         given.asked.fix.empty();
}

// An answer without output has its error there too, for programs that read JSON or SARIF.
answer with_error_as_data(answer of, const options& given) {
  if (!of.out.empty() || of.code != bad_input || !prints_data(given)) return of;
  constexpr std::string_view prefix = "bankmodel: error: ";
  std::string error = of.error.substr(of.error.rfind(prefix, 0) == 0 ? prefix.size() : 0);
  while (!error.empty() && error.back() == '\n') error.pop_back();
  if (given.asked.as == format::json) {
    of.out = compiled::as_json({}, given.file, {}, error);
    return of;
  }
  compiled::source_lines none(given.file);
  of.out = compiled::sarif_run({}, none, {given.file, given.asked.rules_address}, {}, error);
  if (!given.asked.is_of_several) of.out = compiled::sarif_of(of.out);
  return of;
}

answer answer_about(options given, const std::string& file, const surroundings& around) {
  given.file = given.asked.file = file;
  given.asked.is_of_several = true;
  try {
    return with_error_as_data(answer_to(given, around), given);
  } catch (const refusal& why) {
    return with_error_as_data({bad_input, {}, text_without_place(why)}, given);
  }
}

// 1 where a limit is exceeded, else 3 where something was not read, else 2 where nothing was.
exit_code worst_code(const std::vector<answer>& all) {
  const auto has = [&](exit_code code) {
    return std::any_of(all.begin(), all.end(), [&](const answer& one) { return one.code == code; });
  };
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
    for (const ordered_json& one : run["results"]) result["results"].push_back(one);
    for (const ordered_json& one : said["toolExecutionNotifications"])
      result["invocations"][0]["toolExecutionNotifications"].push_back(one);
  }
  result["invocations"][0]["executionSuccessful"] = is_successful;
  return result.dump(1);
}

// The outputs as one text of the format.
std::string combined(const std::vector<answer>& all, const options& given,
                     const std::vector<std::string>& files, const text_shape& shape) {
  std::string result;
  std::vector<kernel_row> kernels;
  for (const answer& one : all) {
    kernels.insert(kernels.end(), one.kernels.begin(), one.kernels.end());
    if (one.out.empty()) continue;
    switch (given.asked.as) {
      case format::json:
      case format::sarif: result += joined(result.empty() ? "" : ",\n", one.out); break;
      case format::csv:
        result += result.empty() ? one.out : one.out.substr(one.out.find('\n') + 1);
        break;
      default: result += joined("\n\n", one.out);
    }
  }
  switch (given.asked.as) {
    case format::json: return joined("{\"files\": [\n", result, "]}\n");
    case format::sarif: return compiled::sarif_of(one_sarif_run(result));
    case format::text: {
      if (given.asked.unknowns) return result.substr(std::min<std::size_t>(result.size(), 2));
      const std::string notes = text_of_notes(files, all, shape.width);
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
std::string combined_report(const std::vector<answer>& all, const std::vector<std::string>& files) {
  project::report result;
  for (std::size_t number = 0; number < all.size(); ++number) {
    const answer& one = all[number];
    if (!one.report.empty())
      result.add(project::read_report(one.report, "an answer"));
    else if (one.code == bad_input)
      result.others.push_back({files[number], "", one.error.substr(0, one.error.find('\n')), ""});
  }
  return project::text_of(result);
}

answer answer_to_several(const options& given, const surroundings& around) {
  const std::vector<std::string> files = expanded_files(given.files);
  for (const std::string& one : files)
    if (compiled::is_machine_code(one))
      throw refusal{
          {}, joined("several files are given, and ", one, " is machine code"), "give it alone"};
  // Once, before there are processes.
  for (const std::string& one : files)
    if (compiled::is_source(one)) compiled::load_build(given.asked.build, one, around.tell);
  std::function<void(std::size_t)> tell_progress;
  if (around.progress)
    tell_progress = [&](std::size_t done) { around.progress(done, files.size(), "files"); };
  std::vector<answer> all = answers_of(
      files, [&](const std::string& file) { return answer_about(given, file, around); },
      tell_progress);
  answer result;
  for (const answer& one : all) result.error += one.error;
  result.report = combined_report(all, files);
  const bool has_read =
      std::any_of(all.begin(), all.end(), [](const answer& one) { return one.code != bad_input; });
  if (has_read || given.asked.allowed.has_any())
    for (answer& one : all)
      if (one.code == bad_input) one.code = not_read;
  result.code = worst_code(all);
  if (result.code != bad_input || prints_data(given))
    result.out = combined(all, given, files, around.shape);
  return result;
}

answer answer_about_all(options& given, const surroundings& around) {
  // A hook names each file that changed, and nothing of these can be worse.
  if (!given.baseline.empty() && given.input.empty()) {
    std::erase_if(given.files, is_without_kernel);
    if (given.files.empty() && given.lines.empty())
      return {fine, {}, "bankmodel: note: no file has a kernel\n"};
    if (!given.files.empty()) given.file = given.asked.file = given.files.front();
  }
  std::error_code none;
  return given.files.size() > 1 || std::filesystem::is_directory(given.file, none)
             ? answer_to_several(given, around)
             : answer_to(given, around);
}

// The report of a side. Paths are from `folder`, or, if it is empty, from the side's own.
// Error: nothing of it is counted.
project::report report_of_side(options given, const std::string& side, const std::string& folder,
                               const surroundings& around, answer& to) {
  if (project::is_report(side)) return read_report(side);
  given.files = {side};
  given.file = given.asked.file = side;
  given.asked.as = format::text;
  given.asked.plan = false;
  const answer found = answer_about_all(given, around);
  to.error += found.error;
  if (found.report.empty()) {
    to.code = bad_input;
    return {};
  }
  if (found.code != fine) to.code = not_read;
  std::error_code none;
  const std::filesystem::path path(side);
  const std::string own =
      std::filesystem::is_directory(path, none) ? side : path.parent_path().string();
  return project::with_paths_from(folder.empty() ? own : folder,
                                  project::read_report(found.report, side));
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

answer answer_about_difference(const options& given, const surroundings& around) {
  const std::string &before_name = given.files[0], &after_name = given.files[1];
  const std::string folder = folder_of_reports(given.files);
  answer result;
  const project::report before = report_of_side(given, before_name, folder, around, result);
  const project::report after = report_of_side(given, after_name, folder, around, result);
  if (result.code == bad_input) return result;
  if (given.asked.as == format::json)
    result.out = project::json_of_difference(before, after);
  else if (given.asked.as == format::markdown)
    result.out = project::markdown_of_difference(before, after, before_name, after_name);
  else
    result.out = project::text_of_difference(before, after, before_name, after_name, around.shape);
  return result;
}

// Compares what was counted with the baseline, and writes the new one.
// Error: the baseline cannot be read; the new one cannot be written.
void use_baselines(answer& found, const options& given) {
  if (found.report.empty()) return;
  const auto folder_of = [](const std::string& file) {
    return std::filesystem::path(file).parent_path().string();
  };
  const project::report now =
      project::with_paths_from("", project::read_report(found.report, "the answer"));
  if (!given.baseline.empty()) {
    const project::complaints wrong = project::compared_with_baseline(
        project::with_paths_from_here(folder_of(given.baseline), read_report(given.baseline)), now,
        given.baseline);
    found.error += wrong.text;
    if (wrong.is_worse)
      found.code = too_many_conflicts;
    else if (wrong.is_incomplete && found.code == fine)
      found.code = not_read;
  }
  const bool is_nothing = now.kernels.empty() && !now.others.empty();
  if (given.new_baseline.empty() || found.code == bad_input || is_nothing) return;
  const std::string text =
      project::text_of(project::with_paths_from(folder_of(given.new_baseline), now));
  if (!(std::ofstream(given.new_baseline, std::ios::binary) << text << std::flush))
    throw refusal{
        {}, joined("cannot write ", given.new_baseline), "name a file that you may write"};
  if (!now.others.empty())
    found.error += joined("bankmodel: note: ", given.new_baseline, " is written without ",
                          bankmodel::detail::counted_in_words(now.others.size(), "kernel"),
                          " or files that were not counted, which it names\n");
}

// Writes the files that were asked for; a header that is to be printed is the output.
// Error: a file cannot be written.
void write_files(answer& found, const options& given) {
  const bool prints_header = given.header == "-";
  for (const auto& [name, content] :
       {std::pair(given.picture, found.picture), std::pair(given.html, found.html),
        std::pair(prints_header ? "" : given.header, found.header)})
    if (!name.empty() && !content.empty() &&
        !(std::ofstream(name, std::ios::binary) << content << std::flush))
      throw refusal{{}, joined("cannot write ", name), "name a file that you may write"};
  if (prints_header) found.out = found.header;
}

}  // namespace

answer answer_to_words(const std::vector<std::string>& words, const surroundings& around) {
  options given;
  try {
    given = options_of(words, around.input, around.tell);
    if (!given.printed.empty()) return {fine, given.printed, {}};
    require_folders(given);
    require_baseline(given.baseline);
    require_replaceable(given.new_baseline);
    answer found = given.is_difference ? answer_about_difference(given, around)
                                       : answer_about_all(given, around);
    use_baselines(found, given);
    if (found.code == fine && given.is_file_missing) found.code = not_read;
    found = with_error_as_data(std::move(found), given);
    write_files(found, given);
    found.is_text = given.asked.as == format::text && !given.asked.describe &&
                    given.header != "-" && given.asked.fix != "dry-run";
    return found;
  } catch (const refusal& why) {
    return with_error_as_data({bad_input, {}, text_without_place(why)}, given);
  }
}

}  // namespace command_line
