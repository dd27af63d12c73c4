// SPDX-License-Identifier: MIT
// Reports of counts: kept as JSON, compared with one another and with a baseline; limits and the
// project's settings.
#include "examples/bankmodel/project/report.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "answer_about.hpp"
#include "catch.hpp"
#include "examples/bankmodel/compiled/page/reported.hpp"
#include "examples/bankmodel/project/difference.hpp"
#include "examples/bankmodel/project/settings_file.hpp"
#include "examples/bankmodel/source.hpp"

namespace cl = command_line;

namespace {

project::reported_access access_of(const std::string& array, std::uint64_t actual,
                                   std::uint64_t ideal, bool is_global = false) {
  project::reported_access result;
  result.is_global = is_global;
  result.array = array;
  result.operation = "load";
  result.bytes = 4;
  result.line = 7;
  result.source = "x = " + array + "[t];";
  result.requests = ideal;
  result.units = actual;
  result.ideal = ideal;
  return result;
}

project::reported_kernel kernel_of(const std::string& file, const std::string& name,
                                   std::vector<project::reported_access> accesses) {
  project::reported_kernel result;
  result.file = file;
  result.name = name;
  result.shown = name.substr(0, name.find('('));
  result.symbol = "_Z" + name;
  result.machine = "sm_90";
  result.block = "32x8";
  result.accesses = std::move(accesses);
  return result;
}

std::string refusal_of(const std::string& text) {
  try {
    (void)project::read_report(text, "base.json");
  } catch (const cl::refusal& reason) {
    return reason.wrong;
  }
  return "";
}

const cl::text_shape wide = {200, false};

class folder {
 public:
  folder()
      : path_(std::filesystem::temp_directory_path() /
              ("bankmodel_reports_" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directories(path_ / "below");
  }
  ~folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string settings_error(const std::string& text) {
  const folder directory;
  try {
    (void)project::read_settings(directory.write("bankmodel.toml", text));
  } catch (const cl::refusal& reason) {
    const std::string message = reason.wrong + "; " + reason.right;
    return message.substr(message.rfind("bankmodel.toml"));
  }
  return "";
}

}  // namespace

TEST_CASE("a report is read as it was written") {
  std::mt19937_64 dice(1);
  const auto draw = [&](std::uint64_t n) { return dice() % n; };
  const std::vector<std::string> texts = {"",         "tile",     "a \"b\"",   "back\\slash",
                                          "tab\t",    "\xc3\xa9", "line\nend", "<stdin>.cu",
                                          "k<4, 'x'>"};
  const auto text = [&] { return texts[draw(texts.size())]; };
  for (int round = 0; round < 300; ++round) {
    project::report original;
    for (std::uint64_t kernels = draw(4); kernels > 0; --kernels) {
      project::reported_kernel kernel{text(), text(), text(), text(),       text(),
                                      text(), text(), {},     draw(2) == 1, {}};
      for (std::uint64_t facts = draw(3); facts > 0; --facts) kernel.assumed.push_back(text());
      for (std::uint64_t count = draw(4); count > 0; --count) {
        const std::uint64_t ideal = dice() >> 1;
        kernel.accesses.push_back({draw(2) == 1, text(), text(), static_cast<int>(draw(64)),
                                   static_cast<int>(draw(999)), text(), dice(), ideal + draw(ideal),
                                   ideal});
      }
      original.kernels.push_back(kernel);
    }
    for (std::uint64_t uncounted = draw(3); uncounted > 0; --uncounted)
      original.uncounted_kernels.push_back({text(), text(), text(), text()});
    CHECK(project::read_report(project::text_of(original), "it") == original);
  }
}

TEST_CASE("a line that is no UTF-8 can be kept") {
  project::report original;
  original.kernels.push_back(kernel_of("a.cu", "k", {access_of("t", 8, 4)}));
  original.kernels[0].accesses[0].source = "t[x] = 1; // caf\xe9 \xff\x01";
  const project::report kept = project::read_report(project::text_of(original), "it");
  CHECK(kept.kernels[0].accesses[0].source.find("t[x] = 1; // caf") == 0);
}

TEST_CASE("a text that is no report is refused") {
  CHECK(refusal_of("") != "");
  CHECK(refusal_of("[]") == "base.json is no report of bankmodel");
  CHECK(refusal_of("{\"kernels\": []}") == "base.json is no report of bankmodel");
  CHECK(refusal_of("{\"bankmodel_report\": 2, \"kernels\": [], \"not_counted\": []}") ==
        "base.json is no report of bankmodel: its version is 2, not 1");
  CHECK(refusal_of("{\"bankmodel_report\": 1, \"kernels\": 7, \"not_counted\": []}") != "");
  project::report original;
  original.kernels.push_back(kernel_of("a.cu", "k", {access_of("t", 8, 4)}));
  const std::string text = project::text_of(original);
  REQUIRE(refusal_of(text) == "");
  // However it is cut, or without one of its members.
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    CHECK(refusal_of(text.substr(0, size)).rfind("base.json is no report of bankmodel", 0) == 0);
  for (const char* const name :
       {"file", "kernel", "machine", "shown", "block", "assumed", "partial", "accesses", "memory",
        "array", "does", "bytes", "requests", "taken", "ideal", "line", "source", "not_counted"}) {
    std::string changed = text;
    changed.replace(changed.find(std::string("\"") + name + "\""), 2, "\"_");
    CHECK(refusal_of(changed) != "");
  }
  for (const char* const wrong : {"-1", "1e300", "1.5", "null", "\"8\""}) {
    std::string changed = text;
    changed.replace(changed.find("\"taken\": 8"), 10, std::string("\"taken\": ") + wrong);
    CHECK(refusal_of(changed) ==
          "base.json is no report of bankmodel: taken is no number of at least 0");
  }
  for (const char* const wrong : {"null", "{}", "7"})
    CHECK(refusal_of(std::string("{\"bankmodel_report\": 1, \"not_counted\": [], \"kernels\": ") +
                     wrong + "}") == "base.json is no report of bankmodel: kernels is no list");
  std::string smaller = text;
  smaller.replace(smaller.find("\"taken\": 8"), 10, "\"taken\": 3");
  CHECK(refusal_of(smaller) ==
        "base.json is no report of bankmodel: an access takes 3, less than the "
        "ideal, 4");
}

TEST_CASE("kernels and accesses of two reports are found again") {
  project::report previous, current;
  previous.kernels = {
      kernel_of("a.cu", "first(float*)", {access_of("t", 32, 1), access_of("u", 1, 1)}),
      kernel_of("a.cu", "second", {access_of("t", 4, 4)}),
      kernel_of("b.cu", "first(float*)", {access_of("t", 2, 1)}),
      kernel_of("b.cu", "gone", {access_of("t", 9, 1)})};
  current = previous;
  CHECK(project::differences_of(previous, current).size() == 4);
  for (const project::kernel_change& change : project::differences_of(previous, current))
    CHECK((change.is_same() && !change.is_worse() && !change.is_better() &&
           *change.previous == *change.current));

  // Several of a loop that was unrolled keep their order.
  project::report unrolled;
  unrolled.kernels = {
      kernel_of("a.cu", "k", {access_of("t", 1, 1), access_of("t", 2, 1), access_of("t", 3, 1)})};
  CHECK(project::differences_of(unrolled, unrolled)[0].is_same());

  project::report fewer = unrolled;
  fewer.kernels[0].accesses[1].requests += 7;
  CHECK(project::differences_of(unrolled, fewer)[0].accesses.size() == 1);

  // Lines move, other kernels come before them, and parameters are added.
  current.kernels.pop_back();
  std::reverse(current.kernels.begin(), current.kernels.end());
  for (project::reported_kernel& kernel : current.kernels)
    for (project::reported_access& access : kernel.accesses) access.line += 100;
  current.kernels[2].name = "first(float*, int)";
  current.kernels[2].symbol = "_Zfirst2";
  current.kernels[2].accesses[0].units = 1;
  current.kernels[0].accesses[0].units = 3;
  std::vector<project::kernel_change> changes = project::differences_of(previous, current);
  REQUIRE(changes.size() == 4);
  CHECK((changes[0].previous == &previous.kernels[2] && changes[0].is_worse()));
  CHECK((changes[1].previous == &previous.kernels[1] && changes[1].is_same()));
  CHECK((changes[2].previous == &previous.kernels[0] && changes[2].is_better()));
  CHECK(changes[2].accesses.size() == 1);
  CHECK((changes[3].previous == &previous.kernels[3] && changes[3].current == nullptr));
  CHECK(!changes[3].is_worse());
  CHECK(changes[3].is_better());

  // Of two instances nobody knows which became which.
  previous.kernels = {kernel_of("a.cu", "k<1>", {access_of("t", 2, 1)}),
                      kernel_of("a.cu", "k<2>", {access_of("t", 2, 1)})};
  current.kernels = {kernel_of("a.cu", "k<3>", {access_of("t", 2, 1)})};
  changes = project::differences_of(previous, current);
  REQUIRE(changes.size() == 3);
  CHECK((changes[0].previous == nullptr && changes[0].is_worse()));

  // Each report of one file: it may be called otherwise. With several it may not.
  previous.kernels = {kernel_of("old.cu", "k", {access_of("t", 2, 1)})};
  current.kernels = {kernel_of("new.cu", "k", {access_of("t", 1, 1)})};
  CHECK(project::differences_of(previous, current).size() == 1);
  current.kernels[0].name = current.kernels[0].symbol =
      "renamed";  // nor is there another that it may be
  CHECK(project::differences_of(previous, current)[0].is_better());
  current.kernels.push_back(kernel_of("new.cu", "more", {}));
  CHECK(project::differences_of(previous, current).size() == 3);
  current.kernels = {kernel_of("new.cu", "k", {access_of("t", 1, 1)})};
  current.kernels.push_back(kernel_of("third.cu", "k", {}));
  CHECK(project::differences_of(previous, current).size() == 3);

  // A baseline is of its own files, and of its own kernels.
  previous.kernels = {kernel_of("old.cu", "k", {access_of("t", 9, 1)})};
  current.kernels = {kernel_of("new.cu", "k", {access_of("t", 9, 1)})};
  CHECK(project::differences_of(previous, current, project::renaming::excluded)[0].is_worse());
  current.kernels = {kernel_of("old.cu", "other", {access_of("t", 9, 1)})};
  CHECK(project::differences_of(previous, current, project::renaming::excluded)[0].is_worse());

  // Overloads differ by their symbols, and kernels without a namespace's name by their own.
  previous.kernels = {kernel_of("a.cu", "k", {access_of("t", 9, 1)}),
                      kernel_of("a.cu", "k", {access_of("t", 1, 1)}),
                      kernel_of("a.cu", "(anonymous namespace)::a", {access_of("t", 9, 1)})};
  previous.kernels[1].symbol = "_Zkint";
  current.kernels = {previous.kernels[1], previous.kernels[0],
                     kernel_of("a.cu", "(anonymous namespace)::b", {access_of("t", 9, 1)})};
  changes = project::differences_of(previous, current, project::renaming::excluded);
  CHECK((changes[0].is_same() && changes[1].is_same() && changes[2].previous == nullptr));
  // Nor is one of a class another one of it.
  previous.kernels = {kernel_of("a.cu", "c<b::t>::first(b::t*)", {access_of("t", 9, 1)})};
  current.kernels = {kernel_of("a.cu", "c<b::t>::second(b::t*)", {access_of("t", 9, 1)})};
  CHECK(project::differences_of(previous, current, project::renaming::excluded)[0].is_worse());
  current.kernels = {kernel_of("a.cu", "c<b::t>::first(b::t*, int)", {access_of("t", 9, 1)})};
  CHECK(project::differences_of(previous, current, project::renaming::excluded)[0].is_same());
  previous.kernels.push_back(kernel_of("a.cu", "d::first(int)", {access_of("t", 1, 1)}));
  current.kernels.insert(current.kernels.begin(),
                         kernel_of("a.cu", "d::first(long)", {access_of("t", 1, 1)}));
  for (const project::kernel_change& change :
       project::differences_of(previous, current, project::renaming::excluded))
    CHECK(change.is_same());
  // A namespace around one, and other arguments of a template with an arm for each flag.
  previous.kernels = {kernel_of("a.cu", "k(int)", {access_of("t", 9, 1)}),
                      kernel_of("a.cu", "m<8>(bool)", {access_of("t", 9, 1)}),
                      kernel_of("a.cu", "m<8>(bool)", {access_of("t", 1, 1)})};
  previous.kernels[1].arm = ", f = 1";
  previous.kernels[2].arm = ", f = 0";
  current = previous;
  current.kernels[0].name = current.kernels[0].symbol = "w::k(int)";
  for (const std::size_t arm : {1u, 2u}) {
    current.kernels[arm].name = current.kernels[arm].symbol = "m<4>(bool)";
    current.kernels[arm].arm = arm == 1 ? ", g = 1" : ", g = 0";
  }
  for (const project::kernel_change& change :
       project::differences_of(previous, current, project::renaming::excluded))
    CHECK(change.is_same());

  // A machine of its own is a kernel of its own.
  previous.kernels = {previous.kernels[0]};
  current.kernels = previous.kernels;
  current.kernels[0].machine = "sm_80";
  CHECK(project::differences_of(previous, current).size() == 2);

  // The text of the line decides, before the order does.
  previous.kernels = {kernel_of("a.cu", "k", {access_of("t", 2, 1), access_of("t", 4, 1)})};
  previous.kernels[0].accesses[1].source = "y = t[2 * x];";
  current = previous;
  std::swap(current.kernels[0].accesses[0], current.kernels[0].accesses[1]);
  CHECK(project::differences_of(previous, current)[0].is_same());
  current.kernels[0].accesses[0].source = "y = t[2 * x ^ 1];";
  current.kernels[0].accesses[0].units = 1;
  changes = project::differences_of(previous, current);
  REQUIRE(changes[0].accesses.size() == 1);
  CHECK(
      (changes[0].accesses[0].previous->units == 4 && changes[0].accesses[0].current->units == 1));
}

TEST_CASE("a kernel is worse if it takes more beyond the ideal in one of both memories") {
  std::mt19937 dice(2);
  for (int round = 0; round < 500; ++round) {
    project::report sides[2];
    std::uint64_t excessive[2][2] = {};
    for (int side = 0; side < 2; ++side) {
      std::vector<project::reported_access> accesses;
      for (unsigned number = 0; number < 4; ++number) {
        const bool is_global = number % 2 == 1;
        const std::uint64_t excess = dice() % 3, ideal = 1 + dice() % 3;
        accesses.push_back(access_of(std::string(1, static_cast<char>('a' + number)),
                                     ideal + excess, ideal, is_global));
        excessive[side][is_global ? 1 : 0] += excess;
      }
      sides[side].kernels = {kernel_of("a.cu", "k", accesses)};
    }
    const project::kernel_change change = project::differences_of(sides[0], sides[1])[0];
    const bool is_worse = excessive[1][0] > excessive[0][0] || excessive[1][1] > excessive[0][1];
    const bool is_less = excessive[1][0] < excessive[0][0] || excessive[1][1] < excessive[0][1];
    CHECK(change.is_worse() == is_worse);
    CHECK(change.is_better() == (is_less && !is_worse));
    CHECK(project::compared_with_baseline(sides[0], sides[1], "base").is_worse == is_worse);
    CHECK(project::compared_with_baseline({}, sides[1], "base").is_worse ==
          (excessive[1][0] + excessive[1][1] > 0));
  }
}

TEST_CASE("what a baseline complains of") {
  project::report base, current;
  base.kernels = {kernel_of("a.cu", "k(int)", {access_of("t", 32, 32), access_of("u", 4, 4, true)}),
                  kernel_of("b.cu", "other", {access_of("t", 9, 1)})};
  current.kernels = {base.kernels[0]};
  const auto complaint = [&] {
    return project::compared_with_baseline(base, current, "base.json");
  };
  CHECK(complaint().text.empty());
  current.kernels[0].accesses[0].units = 1024;
  current.kernels[0].accesses[1].units = 6;
  current.kernels[0].accesses[1].requests = 5;
  current.kernels[0].block = "64";
  current.kernels[0].assumed = {"n = 1024"};
  CHECK(complaint().text ==
        "bankmodel: a.cu: k: 992 conflicts, 0 in base.json\n"
        "  line 7, load t: 32 requests take 1,024 wavefronts, before 32\n"
        "bankmodel: a.cu: k: 2 excessive transactions, 0 in base.json\n"
        "  line 7, load u: 5 requests take 6 transactions, before 4 took 4\n"
        "  a.cu: k has blocks of 64 instead of 32x8\n"
        "  assumed of a.cu: k: n = 1024, before nothing\n");
  CHECK((complaint().is_worse && !complaint().is_incomplete));

  // A kernel that the baseline does not have, with conflicts and without.
  current.kernels = {kernel_of("c.cu", "k", {access_of("t", 3, 1)}),
                     kernel_of("c.cu", "good", {access_of("t", 1, 1)})};
  CHECK(complaint().text ==
        "bankmodel: c.cu: k: 2 conflicts, and it is not in base.json\n"
        "  line 7, load t: 1 request takes 3 wavefronts\n");

  // What is counted in part now, or not at all.
  current.kernels = {base.kernels[0]};
  current.kernels[0].is_partial = true;
  CHECK((complaint().is_incomplete && !complaint().is_worse));
  CHECK(complaint().text ==
        "bankmodel: a.cu: k: counted in part, or not executed as a whole, and as a whole in "
        "base.json; give what its notes name\n");
  base.kernels[0].is_partial = true;
  CHECK(complaint().text.empty());
  current.kernels[0].name = current.kernels[0].symbol = current.kernels[0].shown = "new";
  current.kernels[0].accesses.clear();
  CHECK(complaint().text ==
        "bankmodel: a.cu: new: counted in part, or not executed as a whole, and not in base.json; "
        "give what its notes name\n");
  current = {{},
             {{"a.cu", "k(int)", "it does not compile\nmore", "sm_80"}, {"b.cu", "", "wrong", ""}}};
  CHECK((complaint().is_incomplete && !complaint().is_worse));
  CHECK(complaint().text ==
        "bankmodel: k(int) on sm_80: not counted, and base.json does not say so: it does not "
        "compile\n"
        "bankmodel: b.cu: not counted, and base.json does not say so: wrong\n");
  base.uncounted_kernels = current.uncounted_kernels;
  CHECK(complaint().text.empty());
  base.uncounted_kernels[0].machine = "sm_90";
  CHECK(complaint().is_incomplete);
}

TEST_CASE("a difference in words, in Markdown and as JSON") {
  project::report previous, current;
  previous.kernels = {
      kernel_of("a.cu", "k", {access_of("t", 1024, 32), access_of("g", 4, 4, true)}),
      kernel_of("a.cu", "old", {access_of("t", 1, 1)}),
      kernel_of("a.cu", "same", {access_of("t", 1, 1)})};
  current = previous;
  current.kernels[0].accesses[0].units = 32;
  current.kernels[0].accesses[1].source = "a || b";
  current.kernels[0].accesses[1].units = 9;
  current.kernels.erase(current.kernels.begin() + 1);
  current.uncounted_kernels = {{"a.cu", "bad", "it does not compile\n|", ""}};
  CHECK(project::text_of_difference(previous, current, "old.json", "new", wide) ==
        "old.json -> new, one block of each kernel: 3 kernels, 1 worse, 0 better, 1 the same\n\n"
        " line                       requests   wavefronts  conflicts  transactions  excessive\n"
        "       k: mixed                       1,024 -> 32   992 -> 0        4 -> 9     0 -> 5\n"
        "    7    load t  x = t[t];        32  1,024 -> 32   992 -> 0\n"
        "    7    load g  a || b            4                                4 -> 9     0 -> 5\n"
        "       old: gone                           1 -> -     0 -> -        0 -> -     0 -> -\n"
        "    7    load t  x = t[t];    1 -> -       1 -> -     0 -> -\n"
        "\nnote: bad is not counted in new: it does not compile\n");
  CHECK(project::markdown_of_difference(previous, current, "old.json", "new") ==
        "**bankmodel**, one block of each kernel: 3 kernels, 1 worse, 0 better, 1 the same\n\n"
        "|  | kernel, access | requests | wavefronts | conflicts | transactions | excessive |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| **mixed** | `k` |  | 1,024 -> 32 | 992 -> 0 | 4 -> 9 | 0 -> 5 |\n"
        "| line 7 | load t: `x = t[t];` | 32 | 1,024 -> 32 | 992 -> 0 |  |  |\n"
        "| line 7 | load g: `a \\|\\| b` | 4 |  |  | 4 -> 9 | 0 -> 5 |\n"
        "| **gone** | `old` |  | 1 -> - | 0 -> - | 0 -> - | 0 -> - |\n"
        "| line 7 | load t: `x = t[t];` | 1 -> - | 1 -> - | 0 -> - |  |  |\n"
        "\n- `bad is not counted in new: it does not compile`\n");
  const std::string json = project::json_of_difference(previous, current);
  CHECK(
      json.find(
          "{\"kernel\": \"k\", \"machine\": \"sm_90\", \"verdict\": \"mixed\", \"worse\": true") !=
      json.npos);
  CHECK(json.find("\"side\": \"after\", \"kernel\": \"bad\"") != json.npos);
  CHECK(project::text_of_difference(previous, previous, "a", "b", wide) ==
        "a -> b, one block of each kernel: 3 kernels, 0 worse, 0 better, 3 the same\n");
}

TEST_CASE("of many kernels the worse come first, and a comment has not all") {
  project::report previous, current;
  for (int number = 0; number < 100; ++number) {
    const std::string name = "k" + std::to_string(number);
    previous.kernels.push_back(kernel_of("a.cu", name, {access_of("t", 8, 4)}));
    current.kernels.push_back(kernel_of("a.cu", name, {access_of("t", number == 99 ? 9 : 7, 4)}));
  }
  const std::string comment = project::markdown_of_difference(previous, current, "old", "new");
  CHECK(comment.find("| **worse** | `k99` |") < comment.find("| **better** | `k0` |"));
  CHECK(comment.find("\nand 40 more kernels that changed\n") != comment.npos);
  CHECK(comment.find("`k58`") != comment.npos);
  CHECK(comment.find("`k59`") == comment.npos);
  const std::string text = project::text_of_difference(previous, current, "old", "new", wide);
  CHECK(text.find("k99: worse") < text.find("k0: better"));
  CHECK(text.find("k98: better") != text.npos);
}

TEST_CASE("paths of a report are those from its folder") {
  project::report original;
  original.kernels = {kernel_of("src/../src/a.cu", "k", {}), kernel_of("<stdin>.cu", "k", {})};
  original.uncounted_kernels = {{"b.cu", "k", "", ""}};
  const project::report kept = project::with_paths_from("ci/reports", original);
  CHECK(kept.kernels[0].file == "../../src/a.cu");
  CHECK(kept.kernels[1].file == "<stdin>.cu");
  CHECK(kept.uncounted_kernels[0].file == "../../b.cu");
  const project::report restored = project::with_paths_from_here("ci/reports", kept);
  CHECK(restored.kernels[0].file == "src/a.cu");
  CHECK(restored.uncounted_kernels[0].file == "b.cu");
}

TEST_CASE("a kernel's report has the numbers of its page") {
  const std::string text =
      ("machine sm_90\nblock 32 8\nshared float t[32][32]\nglobal float g[4096]\n"
       "load t[tx][ty]\nstore g[32 * tx + ty]\n");
  compiled::question asked;
  asked.report = true;
  const cl::answer result = answer_about("tile.kernel", text, asked);
  const project::report counted = project::read_report(result.report, "it");
  REQUIRE(counted.kernels.size() == 1);
  const project::reported_kernel& kernel = counted.kernels[0];
  CHECK((kernel.file == "tile.kernel" && kernel.shown == "tile" && kernel.block == "32x8"));
  CHECK((kernel.excessive(false) == 8 * 31 && kernel.excessive(true) == 8 * 28));
  REQUIRE(kernel.accesses.size() == 2);
  CHECK((kernel.accesses[0].array == "t" && kernel.accesses[0].source == "load t[tx][ty]"));
  CHECK((kernel.accesses[0].requests == 8 && kernel.accesses[0].units == 256));
  CHECK((kernel.accesses[1].is_global && kernel.accesses[1].units == 256));
  asked.report = false;
  CHECK(answer_about("tile.kernel", text, asked).report.empty());
}

TEST_CASE("the first limit that has a kernel's name is kept, for each memory") {
  cl::all_limits allowed;
  CHECK(!allowed.has_any());
  allowed.of_all = {cl::limit{5, "all"}, {}};
  allowed.of_some = {{"a", {cl::limit{1, "first"}, {}}},
                     {"ab", {cl::limit{2, "second"}, cl::limit{3, "second"}}}};
  const auto limits = [&](const std::string& kernel) {
    return allowed.select(
        [&](const std::string& name) { return kernel.find(name) != kernel.npos; });
  };
  CHECK((allowed.has_any() && limits("ab").conflicts->origin == "first"));
  CHECK(limits("ab").excessive_transactions->maximum == 3);
  CHECK(limits("ac").conflicts->maximum == 1);
  CHECK(!limits("ac").excessive_transactions);
  CHECK(limits("x").conflicts->maximum == 5);
}

TEST_CASE("a project's settings") {
  const folder directory;
  const std::string path = directory.write(
      "bankmodel.toml",
      "machines = [\"sm_80\", \"h100\"]\nbaseline = \"ci/base.json\"\n[limits]\nconflicts = 0\n"
      "[[kernel]]\nname = \"trans*\"\nconflicts = 992\n[[kernel]]\nname = \"b\"\n"
      "excessive-transactions = 7\n");
  const project::settings read = project::read_settings(path);
  CHECK(read.machines == std::vector<std::string>{"sm_80", "h100"});
  CHECK(read.baseline == directory.path() + "/ci/base.json");
  CHECK(
      (read.allowed.of_all.conflicts->maximum == 0 && !read.allowed.of_all.excessive_transactions));
  CHECK(read.allowed.of_all.conflicts->origin == path + ":4");
  REQUIRE(read.allowed.of_some.size() == 2);
  CHECK(read.allowed.of_some[0].name == "trans*");
  CHECK(read.allowed.of_some[0].limits.conflicts->maximum == 992);
  CHECK(read.allowed.of_some[1].limits.excessive_transactions->origin == path + ":10");

  // The nearest file above.
  const auto finds_settings = [&](const std::string& file) {
    const auto nearest = project::settings_above(directory.path() + "/" + file);
    return nearest && std::filesystem::exists(*nearest) &&
           std::filesystem::equivalent(*nearest, path);
  };
  CHECK((finds_settings("k.cu") && finds_settings("below/k.cu") && finds_settings("below") &&
         finds_settings("below/none/k.cu")));
  directory.write("below/bankmodel.toml", "");
  CHECK((finds_settings("k.cu") && !finds_settings("below/k.cu") && !finds_settings("below")));

  CHECK(settings_error("").empty());
  CHECK(settings_error("machine = []")
            .find("bankmodel.toml:1: there is no key machine; did you "
                  "mean machines?") == 0);
  CHECK(settings_error("\nmachines = \"sm_90\"").find(":2: machines is no list; write ") != 0);
  CHECK(settings_error("\nmachines = \"sm_90\"").find("bankmodel.toml:2: machines is no list") ==
        0);
  CHECK(settings_error("machines = [9]").find("a machine is no text; write it in quotes") > 0);
  CHECK(
      settings_error("machines = [\"sm_90\",\n\"sm_91\"]").find(":2: there is no machine sm_91") !=
      std::string::npos);
  CHECK(settings_error(std::string(1 << 17, 'a') + " = 1").find("has more than 65536 bytes") !=
        std::string::npos);
  CHECK(settings_error("baseline = 1").find("baseline is no text") != std::string::npos);
  CHECK(settings_error("baseline = \"\"").find("baseline is empty") != std::string::npos);
  CHECK(settings_error("limits = 1").find("limits is no table") != std::string::npos);
  CHECK(settings_error("[limits]\nconflict = 1").find("did you mean conflicts?") !=
        std::string::npos);
  for (const char* const value : {"-1", "1.5", "\"0\"", "true", "[0]"})
    CHECK(settings_error(std::string("[limits]\nconflicts = ") + value)
              .find("bankmodel.toml:2: conflicts is no number of at least 0") == 0);
  CHECK(settings_error("[kernel]\nname = \"k\"").find("write [[kernel]]") != std::string::npos);
  CHECK(settings_error("[[kernel]]\nconflicts = 1").find("a kernel has no name") !=
        std::string::npos);
  CHECK(settings_error("[[kernel]]\nname = \"\"\nconflicts = 1").find("the name is empty") !=
        std::string::npos);
  CHECK(settings_error("[[kernel]]\nname = \"k\"").find("kernel k has no limit") !=
        std::string::npos);
  CHECK(settings_error("kernel = [1]").find("a kernel is no table") != std::string::npos);
  CHECK(settings_error("a = = 1").find("bankmodel.toml:1:") == 0);
  CHECK(settings_error("a = 1\na = 2") != "");
}
