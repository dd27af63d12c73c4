// SPDX-License-Identifier: MIT
// What builds keep of a kernel: the options of compilers, the entries of compile_commands.json,
// what a question takes of them, and Triton's launches. (command_line/build_flags.cmake runs the
// program with them.)
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/compile_commands.hpp"
#include "examples/bankmodel/clang_reader/triton_launch.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/build/compiler_flags.hpp"
#include "examples/bankmodel/compiled/build/paths.hpp"
#include "examples/bankmodel/compiled/build/project_headers.hpp"
#include "examples/bankmodel/compiled/build_flags.hpp"
#include "examples/bankmodel/compiled/nvcc.hpp"
#include "examples/bankmodel/included_headers.hpp"
#include "examples/bankmodel/source.hpp"
#include "own_folder.hpp"

namespace cc = compiled;

namespace {

namespace fs = std::filesystem;

using texts = std::vector<std::string>;

const own_folder own("build_flags");
const fs::path& folder = own.path;

std::string written(const std::string& name, const std::string& text) {
  fs::create_directories((folder / name).parent_path());
  std::ofstream(folder / name, std::ios::binary) << text;
  return (folder / name).string();
}

cc::compiler_flags flags_of(const texts& words) {
  texts command = {"g++"};
  command.insert(command.end(), words.begin(), words.end());
  return cc::flags_of_command(command, "");
}

}  // namespace

TEST_CASE("every spelling of an option is the same option") {
  for (const texts& words :
       {texts{"-Ia"}, texts{"-I", "a"}, texts{"-I=a"}, texts{"--include-path=a"},
        texts{"--include-path", "a"}, texts{"-iquote", "a"}})
    CHECK(flags_of(words).include_folders == texts{"a"});
  for (const texts& words :
       {texts{"-isystem", "a"}, texts{"-isystem=a"}, texts{"-isystema"},
        texts{"--system-include=a"}, texts{"--system-include", "a"}, texts{"-idirafter", "a"}}) {
    CHECK(flags_of(words).system_folders == texts{"a"});
    CHECK(flags_of(words).include_folders.empty());
  }
  for (const texts& words : {texts{"-DX=1"}, texts{"-D", "X=1"}, texts{"--define-macro=X=1"},
                             texts{"--define-macro", "X=1"}})
    CHECK(flags_of(words).defines == texts{"X=1"});
  for (const texts& words : {texts{"-UX"}, texts{"-U", "X"}, texts{"--undefine-macro", "X"}})
    CHECK(flags_of(words).undefines == texts{"X"});
  for (const texts& words : {texts{"-include", "a.h"}, texts{"--pre-include=a.h"}})
    CHECK(flags_of(words).included_files == texts{"a.h"});
  for (const texts& words : {texts{"-std=c++20"}, texts{"--std", "c++20"}, texts{"-std", "c++20"}})
    CHECK(flags_of(words).standard == "c++20");
}

TEST_CASE("machines of all spellings; the newest is the one") {
  const auto machines = [](const texts& words) { return flags_of(words).architectures; };
  for (const texts& words :
       {texts{"-arch=sm_80"}, texts{"-arch", "sm_80"}, texts{"--gpu-architecture=compute_80"},
        texts{"-gencode", "arch=compute_80,code=sm_80"},
        texts{"-gencode=arch=compute_80,code=lto_80"},
        texts{"--generate-code=arch=compute_80,code=[compute_80,sm_80]"},
        texts{"--cuda-gpu-arch=sm_80"}, texts{"--offload-arch=sm_80"},
        texts{"-arch=sm_80", "-code=sm_80,compute_80"}})
    CHECK(machines(words) == texts{"sm_80"});
  CHECK(machines({"-arch=sm_90a"}) == texts{"sm_90a"});
  CHECK(machines({"-gencode", "arch=compute_100f,code=sm_100"}) == texts{"sm_100f", "sm_100"});
  CHECK(machines({"-arch=sm_90b"}) == texts{"sm_90"});
  CHECK(machines({"--offload-arch=gfx90a:xnack+"}) == texts{"gfx90a"});
  for (const char* const none : {"-arch=native", "-arch=all", "-arch=all-major", "-arch=sm_"}) {
    CHECK(machines({none}).empty());
    CHECK(flags_of({none}).unread.size() == 1);
  }
  CHECK(cc::machine_of_flags(flags_of({"-arch=sm_90", "-gencode", "arch=compute_100,code=sm_100",
                                       "-gencode", "arch=compute_80,code=sm_80"})) == "sm_100");
  CHECK(cc::machine_of_flags(flags_of({"--offload-arch=gfx942", "--offload-arch=gfx1030"})) ==
        "gfx942");
  CHECK(cc::machine_of_flags({}).empty());
}

TEST_CASE("the last option of a macro is the one that holds, and assert() is none") {
  CHECK(flags_of({"-DX=1", "-DY", "-DX=2"}).defines == texts{"Y", "X=2"});
  CHECK(flags_of({"-DX=1", "-DXY", "-UX"}).defines == texts{"XY"});
  CHECK(flags_of({"-UX", "-DX"}).undefines.empty());
  CHECK(flags_of({"-DF(a)=a", "-DF(b)=b"}).defines == texts{"F(b)=b"});
  CHECK(flags_of({"-UNDEBUG"}).undefines.empty());
}

TEST_CASE("the value of another option is no option") {
  for (const char* const option : {"-Xcompiler", "-Xptxas", "-o", "-MF", "-ccbin", "-Xclang"}) {
    const cc::compiler_flags flags = flags_of({option, "-DX", "-DY"});
    CHECK(flags.defines == texts{"Y"});
    CHECK(flags.unread == texts{std::string(option) + " -DX"});
  }
  CHECK(flags_of({"-Xcompiler=-DX", "-fno-builtin", "-weird", "a.cu", "-DY"}).defines ==
        texts{"Y"});
  CHECK(flags_of({"-DX", "-I"}).defines == texts{"X"});
}

TEST_CASE("names are relative to the folder of the entry, and the compiler says the language") {
  const cc::compiler_flags flags = cc::flags_of_command(
      {"/usr/bin/ccache", "/opt/cuda/bin/nvcc", "-Ia/../b", "-isystem", "/c", "a.cu"}, "/d/e");
  CHECK(flags.include_folders == texts{"/d/e/b"});
  CHECK(flags.system_folders == texts{"/c"});
  CHECK(flags.language == "cuda");
  CHECK(cc::flags_of_command({"hipcc", "a.cpp"}, "").language == "hip");
  CHECK(cc::flags_of_command({"clang++", "-xhip", "a.cpp"}, "").language == "hip");
  CHECK(cc::flags_of_command({"clang++", "-x", "cu", "a.cpp"}, "").language == "cuda");
  CHECK(cc::flags_of_command({"g++", "-x", "c++", "a.cpp", "nvcc"}, "").language.empty());
}

TEST_CASE("the program's own options and files stay among its arguments") {
  texts arguments = {"-m",    "sm_90", "-arch=sm_80", "k.cu",  "-I",        "a", "-Db",
                     "--std", "c++14", "-Xcompiler",  "-fPIC", "--profile", "x", "-std=c++20",
                     "-x",    "cuda",  "-p",          "build", "-e",        "y", "-isystem",
                     "c",     "-g",    "--launch",    "2"};
  const cc::compiler_flags flags = cc::take_flags(arguments);
  CHECK(arguments == texts{"-m", "sm_90", "k.cu", "-I", "a", "-Db", "--std", "c++14", "--profile",
                           "x", "-x", "cuda", "-p", "build", "-e", "y", "--launch", "2"});
  CHECK(flags.architectures == texts{"sm_80"});
  CHECK(flags.system_folders == texts{"c"});
  CHECK(flags.standard == "c++20");
  CHECK(flags.unread == texts{"-Xcompiler -fPIC", "-g"});
  for (texts words : {texts{"-isystem"}, texts{"-arch", "--brief"}, texts{"-Xptxas"}})
    CHECK_THROWS_AS(cc::take_flags(words), command_line::refusal);
}

TEST_CASE("what is given comes before what a build says") {
  cc::compiler_flags flags = flags_of({"-Ia", "-DX=1", "-UY"});
  flags.standard = "c++14";
  cc::add_missing(flags_of({"-Ib", "-Ia", "-DX=2", "-DY", "-DZ", "-UX", "-UV", "-std=c++20",
                            "-include", "h", "-x", "hip", "-arch=sm_80"}),
                  flags);
  CHECK(flags.include_folders == texts{"a", "b"});
  CHECK(flags.defines == texts{"X=1", "Z"});
  CHECK(flags.undefines == texts{"Y", "V"});
  CHECK(flags.standard == "c++14");
  CHECK(flags.language == "hip");
  CHECK(flags.architectures == texts{"sm_80"});
  CHECK(cc::options_of(flags) ==
        texts{"-I", "a", "-I", "b", "-D", "X=1", "-D", "Z", "-U", "Y", "-U", "V", "-include", "h"});
}

TEST_CASE("entries of both forms, with files of options; each fault is one of its entry") {
  written("a.rsp", "-DA '-DB=1 2' @b.rsp");
  written("b.rsp", "-DC @a.rsp");  // which name each other
  const std::string path = written(
      "forms/compile_commands.json",
      R"([{"directory": ")" + folder.string() +
          R"(", "command": "nvcc \"-DX=\\\"a b\\\"\" @a.rsp -DD c.cu", "file": "c.cu"},)"
          R"( {"directory": "/d", "arguments": ["nvcc", "-D X", "--options-file=no"], "file": "/e.cu"},)"
          R"( {"directory": "/d", "file": "f.cu"}, 1, {"arguments": ["a"], "directory": "/d"},)"
          R"( {"directory": "/d", "command": " ", "file": "g.cu"}])");
  const cc::compile_commands read = cc::read_compile_commands(path);
  REQUIRE(read.commands.size() == 2);
  CHECK(read.commands[0].file == (folder / "c.cu").string());
  const texts& words = read.commands[0].words;
  CHECK(texts(words.begin(), words.begin() + 5) ==
        texts{"nvcc", "-DX=\"a b\"", "-DA", "-DB=1 2", "-DC"});
  CHECK(texts(words.end() - 2, words.end()) == texts{"-DD", "c.cu"});
  CHECK(read.commands[1].file == "/e.cu");
  CHECK(read.commands[1].words == texts{"nvcc", "-D X"});
  REQUIRE(read.faults.size() == 6);
  CHECK(read.faults[0].find("names files of options that name each other") != std::string::npos);
  CHECK(read.faults[1] == "entry 2, of /e.cu: there is no file /d/no, which has more options");
  CHECK(read.faults[2] == "entry 3 is left out: it has neither \"command\" nor \"arguments\"");
  CHECK(read.faults[3] == "entry 4 is left out: it is no object");
  CHECK(read.faults[4] == "entry 5 is left out: it has no \"file\"");
  CHECK(read.faults[5] == "entry 6 is left out: \"command\" has no words");
}

TEST_CASE("a database that ends anywhere, or has any byte changed, has entries or a fault") {
  const std::string text =
      R"([{"directory": "/d", "command": "nvcc \"-DX\" a.cu", "file": "a.cu"}])";
  const auto is_answered = [](const std::string& content) {
    const auto read = cc::read_compile_commands(written("cut/compile_commands.json", content));
    return read.commands.size() + read.faults.size() == 1;
  };
  REQUIRE(is_answered(text));
  for (std::size_t size = 0; size < text.size(); ++size) {
    INFO(size);
    CHECK(is_answered(text.substr(0, size)));
    for (const char other : {'"', '{', ']', '\\', '\0', '\xff'}) {
      std::string changed = text;
      changed[size] = other;
      CHECK(is_answered(changed));
    }
  }
}

TEST_CASE("headers that a text names") {
  const auto headers = command_line::included_headers(
      "#include <a.h>\n  # include \"b/c.h\" // x\n#define include\n#define Y \"e.h\"\n// #include "
      "<d.h>\n#include "
      "X\n");
  REQUIRE(headers.size() == 2);
  CHECK((headers[0].name == "a.h" && !headers[0].is_quoted));
  CHECK((headers[1].name == "b/c.h" && headers[1].is_quoted));
}

TEST_CASE("the options of a file are its entry's, an including file's or the nearest one's") {
  const fs::path root = folder / "tree";
  fs::remove_all(root);
  const auto entry = [&](const std::string& file, const std::string& options) {
    return R"({"directory": ")" + root.string() + R"(", "command": "nvcc )" + options + " -c " +
           file + R"(", "file": ")" + file + "\"}";
  };
  const std::string header = written("tree/include/k/h.cuh", "#include \"deep.cuh\"\n");
  const std::string deep = written("tree/include/k/deep.cuh", "");
  const std::string own = written("tree/one/own.cu", "");
  const std::string near_file = written("tree/two/below/near.cu", "");
  const std::string other = written("tree/two/other.cu", "");
  const std::string user = written("tree/one/user.cu", "#include <k/h.cuh>\n");
  const std::string same = written("tree/two/deep.cu", "#include <k/deep.cuh>\n");
  const std::string host = written("tree/one/host.cpp", "#include <k/deep.cuh>\n");
  written("tree/build/compile_commands.json",
          "[" + entry("one/host.cpp", "-DHOST").replace(entry("", "").find("nvcc"), 4, "g++ ") +
              "," + entry("one/own.cu", "-DOWN -arch=sm_80 -std=c++20") + "," +
              entry("one/user.cu", "-DUSER -Iinclude") + "," +
              entry("two/deep.cu", "-DSAME -Iinclude -arch=sm_53") + "," +
              entry("two/other.cu", "-DOTHER -arch=sm_91") + "]");
  cc::question asked;
  const auto answer = [&](const std::string& file) {
    asked.file = file;
    return cc::with_flags_of_build(asked);
  };
  cc::question reply = answer(own);
  CHECK(reply.flags.defines == texts{"OWN"});
  CHECK(reply.flags.standard == "c++20");
  CHECK(reply.machines == texts{"sm_80"});
  CHECK(reply.unit.empty());
  asked.machines = {"sm_90"};
  CHECK(answer(own).machines == texts{"sm_90"});
  asked.machines.clear();
  asked.all_machines = true;
  CHECK(answer(own).machines.empty());
  asked.all_machines = false;
  asked.flags.language = "hip";
  CHECK(answer(own).machines.empty());
  asked.flags = {};
  reply = answer(header);
  CHECK(reply.unit == user);
  CHECK(reply.flags.defines == texts{"USER"});
  // One with the same name comes first.
  reply = answer(deep);
  CHECK(reply.unit == same);
  CHECK(reply.machines == texts{"sm_53"});
  // The nearest; its machine is not known.
  reply = answer(near_file);
  CHECK(reply.unit.empty());
  CHECK(reply.flags.defines == texts{"SAME"});
  CHECK(answer(written("tree/one/fresh.cu", "")).flags.defines == texts{"OWN"});
  CHECK(answer(other).machines.empty());
  CHECK(answer(other).origin_of_flags.find("sm_91, which is not known here") != std::string::npos);
  CHECK(answer(host).flags.defines == texts{"HOST"});
  // Without a database above, or of text without a file, nothing changes.
  CHECK(answer(written("alone/a.cu", "")).origin_of_flags.empty());
  CHECK(answer("<stdin>.cu").origin_of_flags.empty());
  CHECK(answer("k.ptx").origin_of_flags.empty());
  const cc::build_files files = cc::files_of_build((root / "build").string(), {});
  CHECK(files.files.size() == 4);
  CHECK(files.missing.empty());
}

TEST_CASE("an array of a header is not changed for one of the files that include it") {
  const fs::path root = folder / "changed";
  fs::remove_all(root);
  const std::string header = written(
      "changed/tile.cuh",
      "__global__ void f(float* out) {\n  __shared__ float tile[32][32];\n"
      "  tile[threadIdx.x][0] = 1;\n  __syncthreads();\n  out[0] = tile[0][threadIdx.x];\n}\n");
  written("changed/a.cu", "#include \"tile.cuh\"\nvoid run(float* out) { f<<<1, 32>>>(out); }\n");
  written("changed/b.cu", "#include \"tile.cuh\"\n");
  written("changed/compile_commands.json",
          R"([{"directory": ")" + root.string() + R"(", "command": "nvcc a.cu", "file": "a.cu"}])");
  cc::question asked;
  asked.file = header;
  std::ifstream stream(header, std::ios::binary);
  asked.text.assign(std::istreambuf_iterator<char>(stream), {});
  asked.fix = "write";
  const command_line::answer answer = cc::answer_to(asked);
  CHECK(answer.code == command_line::bad_input);
  CHECK(answer.error.find("which other files may include; nothing was written") !=
        std::string::npos);

  // Of the only one that does.
  const fs::path alone = folder / "changed_alone";
  fs::remove_all(alone);
  asked.file = written("changed_alone/tile.cuh", asked.text);
  written("changed_alone/a.cu",
          "#include \"tile.cuh\"\nvoid run(float* out) { f<<<1, 32>>>(out); }\n");
  written(
      "changed_alone/compile_commands.json",
      R"([{"directory": ")" + alone.string() + R"(", "command": "nvcc a.cu", "file": "a.cu"}])");
  const command_line::answer changed = cc::answer_to(asked);
  INFO(changed.error);
  CHECK(changed.code == command_line::fine);
  std::ifstream changed_stream(asked.file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(changed_stream)), {});
  CHECK(text.find("tile[32][33];") != text.npos);
}

TEST_CASE("Triton's launch: the block of its warps, and the dynamic bytes") {
  std::string fault;
  const auto read = [&](const std::string& text) { return cc::read_triton_launch(text, fault); };
  auto launch = read(R"({"num_warps": 4, "shared": 1024, "name": "k", "warp_size": 64})");
  REQUIRE(launch);
  CHECK(launch->kernel == "k");
  CHECK(launch->threads == 256);
  CHECK(launch->dynamic_shared_bytes == 1024);
  launch = read(R"({"num_warps": 2, "shared": 0, "target": {"warp_size": 64}})");
  REQUIRE(launch);
  CHECK(launch->threads == 128);
  CHECK(launch->kernel.empty());
  CHECK(read(R"({"num_warps": 32, "shared": 0})")->threads == 1024);
  for (const char* const other :
       {R"({"num_warps": 33, "shared": 0})", R"({"num_warps": 0, "shared": 0})",
        R"({"num_warps": 4, "shared": -1})", R"({"num_warps": 4})", R"({"shared": 4})", "[1]",
        R"({"num_warps": "4", "shared": 0})", R"({"num_warps": 1, "shared": 1e30})"})
    CHECK_FALSE(read(other));
  CHECK(fault.empty());
  CHECK_FALSE(read("{"));
  CHECK_FALSE(fault.empty());
}

TEST_CASE("a project is what a build describes, or a repository") {
  const std::string file = written("projects/outer/a/b/k.cu", "");
  const auto folder_of = [&] {
    return fs::path(cc::project_folder(file)).lexically_relative(folder / "projects").string();
  };
  CHECK(folder_of() == "outer/a/b");
  written("projects/outer/a/setup.py", "");
  CHECK(folder_of() == "outer/a");
  written("projects/outer/CMakeLists.txt", "");
  CHECK(folder_of() == "outer");
  // A repository is one project, whatever is above it.
  fs::create_directories(folder / "projects/outer/a/.git");
  CHECK(folder_of() == "outer/a");
  fs::remove_all(folder / "projects");
}

TEST_CASE("headers of the project: the nearest whose path ends with the name") {
  const auto find_header = [&](const std::string& name, const std::string& file) {
    const auto headers = cc::headers_in_project((folder / "headers" / file).string(), {name});
    REQUIRE(headers.size() < 2);
    if (headers.empty()) return std::string("none");
    CHECK(headers[0].name == name);
    return fs::path(headers[0].folder).lexically_relative(folder / "headers").string();
  };
  fs::create_directories(folder / "headers/.git");
  for (const char* const name :
       {"src/k/k.cu", "src/utils/math.cuh", "other/utils/math.cuh", "a/same.h", "b/same.h",
        "src/k/deep/own.h", ".hidden/secret.h", "include/lib/math.cuh", "top.h"})
    written(std::string("headers/") + name, "");
  CHECK(find_header("utils/math.cuh", "src/k/k.cu") == "src");
  CHECK(find_header("math.cuh", "src/k/k.cu") == "src/utils");
  CHECK(find_header("lib/math.cuh", "src/k/k.cu") == "include");
  CHECK(find_header("own.h", "src/k/k.cu") == "src/k/deep");
  CHECK(find_header("./own.h", "src/k/k.cu") == "src/k/deep");
  CHECK(find_header("top.h", "src/k/k.cu") == ".");
  // Two are as near.
  CHECK(find_header("same.h", "src/k/k.cu") == "none");
  CHECK(find_header("same.h", "a/k.cu") == "a");
  for (const char* const other :
       {"secret.h", "gone.h", "h.cuh", "/same.h", "../top.h", "lib/top.h", "src/utils"})
    CHECK(find_header(other, "src/k/k.cu") == "none");
  fs::remove_all(folder / "headers");
}

TEST_CASE("names of files for people, and what two have in common") {
  CHECK(cc::name_from_here((fs::current_path() / "a/../b.cu").string()) == "b.cu");
  CHECK(cc::name_from_here("/nowhere/x") == "/nowhere/x");
  CHECK(cc::common_folders("/a/b.cu", "/a/c/d.h") == 2);
  CHECK(cc::common_folders("/a/b.cu", "/c/d.h") == 1);
}

TEST_CASE("a kernel is read with the headers of its project") {
  fs::create_directories(folder / "reading/.git");
  written("reading/src/utils/math.cuh", "#pragma once\n#include <deep/size.cuh>\n");
  written("reading/lib/deep/size.cuh", "#define SIZE 32\n");
  compiled::question asked;
  asked.file = written("reading/src/k/k.cu",
                       "#include \"utils/math.cuh\"\n__global__ void k(float* p) {\n"
                       "  __shared__ float s[SIZE][SIZE];\n  s[threadIdx.x][0] = 1;\n"
                       "  p[threadIdx.x] = s[0][threadIdx.x];\n}\n"
                       "void f(float* p) { k<<<1, SIZE>>>(p); }\n");
  const command_line::answer answer = cc::answer_to(asked);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("s declared as s[32][33] takes 2 wavefronts") != std::string::npos);
  const std::size_t note = answer.output.find("note: these headers were found in the project");
  REQUIRE(note != std::string::npos);
  const std::string said = answer.output.substr(note);
  CHECK(said.find("utils/math.cuh in") != std::string::npos);
  CHECK(said.find("deep/size.cuh in") != std::string::npos);
  // A folder that -I names comes first.
  written("reading/other/utils/math.cuh", "#define SIZE 16\n");
  asked.flags.include_folders = {(folder / "reading/other").string()};
  CHECK(cc::answer_to(asked).output.find("one block of 16 threads") != std::string::npos);
  fs::remove_all(folder / "reading");
}

TEST_CASE("a file that does not compile alone is read as a part of another one") {
  fs::create_directories(folder / "alone/.git");
  compiled::question asked;
  asked.file = written("alone/kernels/part.cu",
                       "__global__ void k(float* p) {\n  __shared__ float s[SIZE];\n"
                       "  s[threadIdx.x * 2] = 1;\n  p[threadIdx.x] = s[threadIdx.x];\n}\n");
  CHECK(cc::files_that_include(asked.file).empty());
  CHECK(cc::answer_to(asked).error.find("part.cu does not compile here") != std::string::npos);
  fs::remove_all(folder / "alone");
  fs::create_directories(folder / "parts/.git");
  asked.file = written("parts/kernels/part.cu",
                       "__global__ void k(float* p) {\n  __shared__ float s[SIZE];\n"
                       "  s[threadIdx.x * 2] = 1;\n  p[threadIdx.x] = s[threadIdx.x];\n}\n");
  const std::string far = written("parts/main.cu", "#include \"kernels/all.h\"\n");
  written("parts/kernels/all.h", "#define SIZE 32\n#include \"part.cu\"\n");
  written("parts/kernels/notes.txt", "#include \"part.cu\"\n");
  const std::string near_file =
      written("parts/kernels/driver.cu",
              "#define SIZE 64\n#include \"part.cu\"\n"
              "__global__ void other(float* p) { p[0] = 1; }\n"
              "void f(float* p) { k<<<1, 32>>>(p); other<<<1, 1>>>(p); }\n");
  CHECK(cc::files_that_include(asked.file) == texts{near_file, far});
  const command_line::answer answer = cc::answer_to(asked);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("sm_90: k, one block of 32 threads\n") == 0);
  CHECK(answer.output.find(" 3  store s ") != std::string::npos);
  CHECK(answer.output.find("read through") != std::string::npos);
  // A file that compiles alone is no part.
  asked.file = written("parts/kernels/part.cu", "__global__ void k(float* p) { p[0] = 1; }\n");
  CHECK(cc::answer_to(asked).output.find("read through") == std::string::npos);
  fs::remove_all(folder / "parts");
}

TEST_CASE("a header is found by a name with backslashes, as on Windows") {
  written("windows/CMakeLists.txt", "");
  written("windows/src/part/own.cuh",
          "#include \"..\\part\\inner.cuh\"\n"
          "__device__ inline void put(float* s, int i) {\n  s[2 * i] = ONE;\n}\n");
  written("windows/src/part/inner.cuh", "#define ONE 1\n");
  written("windows/lib/far/away.cuh", "#define SIZE 64\n");
  compiled::question asked;
  asked.file = written("windows/src/k.cu",
                       "#include \"part\\own.cuh\"\n#include \"far\\away.cuh\"\n"
                       "__global__ void k(float* p) {\n  __shared__ float s[SIZE];\n"
                       "  put(s, threadIdx.x);\n  p[threadIdx.x] = s[threadIdx.x];\n}\n"
                       "void f(float* p) { k<<<1, 32>>>(p); }\n");
  asked.plan = false;
  const command_line::answer answer = cc::answer_to(asked);
  INFO(answer.output << answer.error);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("part/own.cuh:3:12: warning: 2-way bank conflict") != std::string::npos);
  CHECK(answer.output.find("    3 |   s[2 * i] = ONE;\n") != std::string::npos);
  CHECK(answer.output.find("far\\away.cuh in") != std::string::npos);
  fs::remove_all(folder / "windows");
}

TEST_CASE("kernels of a file share the steps of sizes that are assumed, and keep their order") {
  std::string text =
      "template <int N> __global__ void k(float* p, int n) {\n"
      "  int x = 1;\n"
      "  for (int i = 0; i < n; ++i) { x = x * 5 + 3; p[threadIdx.x + N + (x & 64)] = i; }\n"
      "}\nvoid f(float* p, int n) {\n";
  for (int number = 0; number < 24; ++number)
    text += "  k<" + std::to_string(number) + "><<<1, 1024>>>(p, n);\n";
  compiled::question asked;
  asked.file = written("shared_steps/k.cu", text + "}\n");
  const auto assumed = [&](const std::string& kernel) {
    asked.kernels = {kernel};
    return cc::answer_to(asked).output;
  };
  // 1,024 iterations of 1,024 threads are more than the 24th part of 2^27 steps, and less than
  // 2^25.
  CHECK(assumed("k<3>").find("assumed: n = 1024, ") != std::string::npos);
  const std::string several = assumed("k");
  CHECK(several.find("assumed: n = 1024, ") == std::string::npos);
  std::size_t place = 0;
  for (int number = 0; number < 24; ++number) {
    const std::string page = "sm_90: k<" + std::to_string(number) + ">, one block";
    place = several.find(page, place);
    INFO(page);
    REQUIRE(place != std::string::npos);
    CHECK(several.find("assumed: n = 128, ", place) < several.find("sm_90: ", place + 1));
  }
  fs::remove_all(folder / "shared_steps");
}

TEST_CASE("a toolkit's libraries are read where a kernel does not compile without them") {
  const std::string kernel =
      "__global__ void k(float* p) {\n  __shared__ float s[64];\n  s[2 * threadIdx.x] = 1;\n"
      "  p[threadIdx.x] = VALUE;\n}\nvoid f(float* p) { k<<<1, 32>>>(p); }\n";
  const auto answer = [&](const std::string& name, const std::string& text) {
    compiled::question asked;
    asked.file = written("with_toolkit/" + name, "#include <some_library/reduce.cuh>\n" + text);
    return cc::answer_to(asked);
  };
  REQUIRE(setenv("CUDA_HOME", (folder / "toolkit").string().c_str(), 1) == 0);
  CHECK(cc::headers_in_toolkit({"some_library/reduce.cuh"}).empty());
  const std::string calls = "#define VALUE some_library::first(s)\n" + kernel;
  CHECK(answer("a.cu", calls).code == command_line::bad_input);
  written("toolkit/include/cccl/some_library/reduce.cuh",
          "namespace some_library {\n"
          "__device__ inline float first(const float* s) { return s[4 * threadIdx.x % 64]; }\n"
          "template <class T> __global__ void unused(T* p) { p[0] = 1; }\n"
          "template __global__ void unused<int>(int*);\n}\n");
  const auto headers = cc::headers_in_toolkit({"gone.cuh", "some_library/reduce.cuh"});
  REQUIRE(headers.size() == 1);
  CHECK(headers[0].folder == (folder / "toolkit/include/cccl").string());
  const command_line::answer read = answer("a.cu", calls);
  CHECK(read.code == 0);
  CHECK(read.output.find("sm_90: k, one block of 32 threads\n") == 0);
  CHECK(read.output.find(
            "note: these headers were found in a toolkit, and -I names other folders:") !=
        std::string::npos);
  // Nothing is read that no kernel needs, which may take seconds.
  const command_line::answer plain = answer("b.cu", "#define VALUE s[threadIdx.x]\n" + kernel);
  CHECK(plain.code == 0);
  CHECK(plain.output.find("these headers were not found and were read as empty") !=
        std::string::npos);
  unsetenv("CUDA_HOME");
  fs::remove_all(folder / "toolkit");
  fs::remove_all(folder / "with_toolkit");
}
