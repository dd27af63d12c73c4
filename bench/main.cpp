// SPDX-License-Identifier: MIT
// Makes bench/README.md with its pictures, or prints single sections of it:
//   bench_page SECTION..         to the terminal, as Markdown
//   bench_page --write STARTED   the page; STARTED is a file that was written when the work began
#include "page.hpp"
#include "sections.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace bench {
namespace {

using clock = std::filesystem::file_time_type::clock;
const std::string folder = BANKMODEL_SOURCE "/bench/";

std::string date() {
  const std::time_t today = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&today));
  return text;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string compiler_name() {
#ifdef __clang__
  return __VERSION__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string load() {
  double average[1];
  return getloadavg(average, 1) == 1 ? number_text(average[0]) : "unknown";
}

std::string minutes(clock::duration time) {
  const auto s = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return std::to_string(s / 60) + " min " + std::to_string(s % 60) + " s";
}

void make(const section& part, page& output) {
  output.heading(part.heading);
  part.make(output);
  output.text("Only this section: `build/bench/bench/bench_page " + std::string(part.name) + "`");
}

// The sentence that the project's README shows too.
std::string in_short(page& output) {
  return "`total()` of a loop of 10^6 iterations takes " + time_text(output.figures["total()"]) +
         ", counting takes " + number_text(output.figures["counting / total()"]) +
         " times as long; one core answers " + number_text(output.figures["questions"]) +
         " questions of a tuner in a second (" + processor() + ", " + date() + ").";
}

// Replaces the paragraph under a mark of the project's README.
void write_in_readme(const std::string& sentence) {
  const std::string path = BANKMODEL_SOURCE "/README.md", mark = "<!-- bench/README.md -->\n";
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  std::string text = content.str();
  const std::size_t position = text.find(mark);
  if (position == std::string::npos) return;
  const std::size_t begin = position + mark.size(), end = text.find("\n\n", begin) + 1;
  std::ofstream(path) << text.replace(begin, end - begin, wrapped(sentence, 100));
}

int write_page(const std::string& started) {
  const auto begin = std::filesystem::last_write_time(started), built = clock::now();
  const std::string load_at_begin = load();
  page output;
  for (const section& part : sections) {
    std::fprintf(stderr, "bench: %s\n", part.heading);
    make(part, output);
  }
  page head;
  head.markdown = "# Benchmarks\n\n<!-- made by: cmake --workflow --preset bench -->\n\n";
  head.text(
      "Made by `cmake --workflow --preset bench` (with `libbenchmark-dev` and `clang`), all of it "
      "in one run, on " +
      date() + ": " + processor() + ", " + std::to_string(std::thread::hardware_concurrency()) +
      " cores, load " + load_at_begin + " at the beginning, " + compiler_name() +
      " -O2. Ratios come first, since they depend least on the machine; times are the least "
      "CPU time of five rounds in which the compared programs take turns. Programs that are "
      "compared must compute the same numbers, or no page is made.");
  head.text(
      "It took " + minutes(clock::now() - begin) + ", of which " + minutes(built - begin) +
      " to build what was not built yet. The command under each section prints that section "
      "again, once `cmake --preset bench && cmake --build --preset bench --target bench_page` "
      "has built it.");
  const std::string sentence = in_short(output);
  head.text("In short: " + sentence);

  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".svg" && output.pictures.count(file.path().filename()) == 0)
      std::filesystem::remove(file.path());
  for (const auto& [file, svg] : output.pictures) std::ofstream(folder + file) << svg;
  output.markdown.pop_back();
  std::ofstream(folder + "README.md") << head.markdown << output.markdown;
  write_in_readme(sentence);
  return 0;
}

int print_sections(int count, char** names) {
  for (int index = 0; index < count; ++index) {
    const section* match = nullptr;
    for (const section& part : sections)
      if (std::string(part.name) == names[index]) match = &part;
    if (match == nullptr) return std::fprintf(stderr, "no section %s\n", names[index]), 1;
    page output;
    make(*match, output);
    std::printf("%s", output.markdown.c_str());
  }
  return 0;
}

int usage() {
  std::printf("bench_page SECTION.. prints a section of bench/README.md:\n");
  for (const section& part : sections) std::printf("  %-14s %s\n", part.name, part.heading);
  return 1;
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--write") return bench::write_page(argv[2]);
  if (argc < 2) return bench::usage();
  return bench::print_sections(argc - 1, argv + 1);
}
