// SPDX-License-Identifier: MIT
#include "front_end.hpp"

#include <clang/Basic/TargetInfo.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/TargetParser.h>
#else
#include <llvm/Support/TargetParser.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../file_content.hpp"
#include "../included_headers.hpp"
#include "collected_errors.hpp"
#include "collecting_consumer.hpp"
#include "crash_guard.hpp"
#include "invocation.hpp"
#include "precompiled_prelude.hpp"
#include "prelude.hpp"
#include "unread_launches.hpp"

namespace compiled {

namespace {

constexpr char empty_folder[] = "/bankmodel/empty", unknown_file[] = "/bankmodel/unknown.h",
               precompiled_file[] = "/bankmodel/prelude.pch";

// Clang's options for this GPU of AMD: one that Clang is too old to know is another one of its
// family with its own name, which is all that source asks.
std::vector<std::string> options_for_amd(const std::string& name) {
  if (llvm::AMDGPU::parseArchAMDGCN(name) != llvm::AMDGPU::GK_NONE)
    return {"--offload-arch=" + name};
  const bool has_short_warps = name.rfind("gfx1", 0) == 0 && name.size() == 7;
  const std::string known = has_short_warps ? "gfx1030" : "gfx90a";
  return {"--offload-arch=" + known, "-U__" + known + "__", "-D__" + name + "__=1"};
}

std::string text_of_file(const std::string& path, const source_options& options) {
  return options.contents ? *options.contents : command_line::file_content(path);
}

// True for a file that names std, or a header beside it that may.
bool may_use_std(const std::string& path, const source_options& options) {
  const std::string text = text_of_file(path, options);
  for (const char* const sign :
       {"std::", "namespace std", "#include \"", "# include", "#\tinclude"})
    if (text.find(sign) != std::string::npos) return true;
  return false;
}

// Clang's program and the options that decide what the prelude is.
std::vector<std::string> arguments_of_prelude(const std::string& path,
                                              const source_options& options) {
  std::vector<std::string> arguments = {
      // Clang finds its own headers (stddef.h) from the place of its program, which need not exist.
      BANKMODEL_CLANG_PROGRAM, "-fsyntax-only", "--cuda-device-only"};
  const auto add = [&](std::initializer_list<std::string> added) { append(arguments, added); };
  const std::string& named = options.architecture;
  if (options.is_hip) {
    add({"-x", "hip", "-nogpuinc", "-nogpulib", "-D__HIP_PLATFORM_AMD__=1"});
    for (const std::string& option : options_for_amd(named.empty() ? "gfx90a" : named))
      arguments.push_back(option);
  } else {
    add({"-x", "cuda", "-nocudalib", "--cuda-gpu-arch=" + (named.empty() ? "sm_75" : named),
         "-Wno-unknown-cuda-version", "-D__CUDACC__=1", "-D__NVCC__=1"});
  }
  const std::string number = std::to_string(options.cuda_arch);
  // Clang knows machines up to its own age; what the source asks about the machine is its number.
  if (!options.is_hip)
    add({"-U__CUDA_ARCH__", "-D__CUDA_ARCH__=" + number, "-D__CUDA_ARCH_LIST__=" + number});
  const bool has_suffix = !options.is_hip && options.cuda_arch >= 900 && options.arch_suffix != 0;
  if (has_suffix) add({"-D__CUDA_ARCH_FAMILY_SPECIFIC__=" + number});
  if (has_suffix && options.arch_suffix == 'a')
    add({"-D__CUDA_ARCH_SPECIFIC__=" + number,
         "-D__CUDA_ARCH_FEAT_SM" + std::to_string(options.cuda_arch / 10) + "_ALL=1"});
  if (!options.is_hip && options.cuda_path.empty()) add({"-nocudainc"});
  if (!options.cuda_path.empty()) add({"--cuda-path=" + options.cuda_path});
  // Where CUDA 13 has libcu++, cub and thrust; nvcc looks there by itself.
  if (const std::string libraries = options.cuda_path + "/include/cccl";
      !options.cuda_path.empty() && llvm::sys::fs::is_directory(libraries))
    add({"-isystem", libraries});
  // assert() is no part of what a kernel does: NDEBUG.
  add({"-std=" + options.standard, "-fgnu-keywords", "-O1", "-funroll-loops", "-gline-tables-only",
       "-fno-math-errno", "-fdeclspec", "-fpch-instantiate-templates", "-w", "-ferror-limit=0",
       "-DNDEBUG"});
  // {threadIdx.x} for an int is an error of the language; nvcc and g++ warn.
  add({"-Wno-c++11-narrowing"});
  add({"-Wno-register"});
  // Names of missing headers are no misspelt other ones, and looking for these takes seconds. (None
  // at all would leave out headers with backslashes.)
  add({"-fspell-checking-limit=1"});
  if (options.cuda_path.empty()) add({"-isystem", empty_folder});
  // A third of the time to read the prelude. What <cmath> includes for it, such as std::min, may be
  // used by a file that names no header of its own for that.
  if (options.cuda_path.empty() && !may_use_std(path, options)) add({"-D_GLIBCXX_BITS_SPECFUN_H"});
  // The ends of variables' lives put a flag and a branch on it behind each loop that is left early.
  add({"-Xclang", "-fcuda-allow-variadic-functions", "-Xclang", "-disable-lifetime-markers"});
  if (!options.is_hip) add({"-Xclang", "-target-feature", "-Xclang", "+ptx75"});
  return arguments;
}

// A definition of a name that is reserved for compilers may change the headers of the prelude.
bool may_change_prelude(const source_options& options) {
  const auto may_change = [](const std::string& macro) { return macro.rfind('_', 0) == 0; };
  const compiler_flags& flags = options.flags;
  return std::ranges::any_of(flags.defines, may_change) ||
         std::ranges::any_of(flags.undefines, may_change);
}

std::vector<std::string> arguments_of(const std::string& path, const source_options& options,
                                      bool is_precompiled) {
  std::vector<std::string> arguments = arguments_of_prelude(path, options);
  const auto include = [&](const char* file) {
    arguments.emplace_back("-include");
    arguments.emplace_back(file);
  };
  if (options.cuda_path.empty() && !is_precompiled) include(prelude_file);
  for (const std::string& option : options_of(options.flags)) arguments.push_back(option);
  if (!options.unknown_argument.empty()) include(unknown_file);
  arguments.push_back(path);
  return arguments;
}

// A program's own header may have the name of one of a toolkit, whose headers name their owner.
bool is_of_a_toolkit(const std::string& header) {
  std::string text(8192, '\0');
  std::ifstream file(header, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text.find("NVIDIA Corporation") != std::string::npos ||
         text.find("Advanced Micro Devices") != std::string::npos;
}

// The headers of a toolkit in these folders whose declarations we have ourselves, and the text that
// replaces each. Both together do not compile: ROCm's own headers of HIP need its own runtime.
std::map<std::string, std::string> replaced_headers(const std::string& path,
                                                    const source_options& options,
                                                    const std::map<std::string, std::string>& own) {
  std::vector<std::string> folders = options.flags.include_folders;
  append(folders, options.flags.system_folders);
  folders.push_back(std::filesystem::path(path).parent_path().string());
  // Where Clang looks by itself, and distributions install a toolkit.
  folders.insert(folders.end(), {"/usr/include", "/usr/local/include"});
  for (const char* const variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    const char* const named = std::getenv(variable);
    std::istringstream stream(named == nullptr ? "" : named);
    for (std::string folder; std::getline(stream, folder, ':');) folders.push_back(folder);
  }
  std::map<std::string, std::string> ours;
  for (const std::string_view name : headers_in_prelude()) ours.emplace(name, "");
  for (const auto& [name, text] : own)
    if (name.rfind("hip/", 0) == 0) ours.emplace(name, text);
  std::map<std::string, std::string> result;
  for (const std::string& folder : folders) {
    std::error_code none;
    const auto place = std::filesystem::absolute(folder.empty() ? "." : folder, none);
    for (const auto& [name, text] : ours)
      if (const std::string header = (place / name).string(); is_of_a_toolkit(header))
        result.emplace(header, text);
  }
  return result;
}

// Files by names with a backslash too, as compilers on Windows take them: "utils\\math.cuh".
class files_by_either_slash : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    auto result = ProxyFileSystem::status(path);
    if (result || !has_backslash(path)) return result;
    return ProxyFileSystem::status(command_line::with_slashes(path.str()));
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
      const llvm::Twine& path) override {
    auto result = ProxyFileSystem::openFileForRead(path);
    if (result || !has_backslash(path)) return result;
    return ProxyFileSystem::openFileForRead(command_line::with_slashes(path.str()));
  }

 private:
  static bool has_backslash(const llvm::Twine& path) {
    return path.str().find('\\') != std::string::npos;
  }
};

file_system_pointer files(const std::string& path, const source_options& options) {
  const file_system_pointer real(new files_by_either_slash(llvm::vfs::getRealFileSystem()));
  if (!options.cuda_path.empty()) return real;
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> overlay(
      new llvm::vfs::OverlayFileSystem(real));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> ours(new llvm::vfs::InMemoryFileSystem);
  ours->addFile(prelude_file, 0, llvm::MemoryBuffer::getMemBufferCopy(prelude()));
  if (!options.unknown_argument.empty())
    ours->addFile(
        unknown_file, 0,
        llvm::MemoryBuffer::getMemBufferCopy(declaration_of_unknown(options.unknown_argument)));
  for (const std::string_view name : headers_in_prelude())
    ours->addFile(joined(empty_folder, "/", name), 0, llvm::MemoryBuffer::getMemBuffer(""));
  const std::map<std::string, std::string> own = own_headers();
  for (const auto& [name, text] : own)
    ours->addFile(std::string(empty_folder) + "/" + name, 0,
                  llvm::MemoryBuffer::getMemBufferCopy(text));
  for (const auto& [header, text] : replaced_headers(path, options, own))
    ours->addFile(header, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  overlay->pushOverlay(ours);
  return overlay;
}

// Clang's own headers for a toolkit declare some functions with other types than nvcc's.
struct type_of_nvcc {
  const char *header, *by_clang, *by_nvcc;
};
constexpr type_of_nvcc types_of_nvcc[] = {
    {"__clang_cuda_cmath.h", "float pow(float __base, int __iexp)",
     "double pow(float __base, int __iexp)"},
    {"__clang_cuda_math_forward_declares.h", "float pow(float, int)", "double pow(float, int)"},
    {"__clang_cuda_device_functions.h", "int clock()", "long clock()"},
};

file_system_pointer with_types_of_nvcc(const file_system_pointer& files,
                                       const std::string& resources) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> overlay(
      new llvm::vfs::OverlayFileSystem(files));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> ours(new llvm::vfs::InMemoryFileSystem);
  for (const type_of_nvcc& replacement : types_of_nvcc) {
    const std::string name = resources + "/include/" + replacement.header;
    const auto content = files->getBufferForFile(name);
    if (!content) continue;
    std::string text = (*content)->getBuffer().str();
    const std::string by_clang = replacement.by_clang;
    const std::size_t begin = text.find(by_clang);
    if (begin == std::string::npos) continue;
    text.replace(begin, by_clang.size(), replacement.by_nvcc);
    ours->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  }
  overlay->pushOverlay(ours);
  return overlay;
}

// Notes whether a text asks for the machine: `#if __CUDA_ARCH__ >= 900`, `#ifdef __gfx942__`.
class questions_about_machine : public clang::PPCallbacks {
 public:
  questions_about_machine(clang::Preprocessor& preprocessor, bool& asked)
      : files_(preprocessor.getSourceManager()), asked_(asked) {}

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange,
                    const clang::MacroArgs*) override {
    note(name);
  }
  void Defined(const clang::Token& name, const clang::MacroDefinition&,
               clang::SourceRange) override {
    note(name);
  }
  void Ifdef(clang::SourceLocation, const clang::Token& name,
             const clang::MacroDefinition&) override {
    note(name);
  }
  void Ifndef(clang::SourceLocation, const clang::Token& name,
              const clang::MacroDefinition&) override {
    note(name);
  }

 private:
  void note(const clang::Token& name) {
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    for (const char* const begin : {"__CUDA_ARCH", "__gfx", "__GFX", "__AMDGCN"})
      if (text.substr(0, llvm::StringRef(begin).size()) == begin &&
          files_.getFilename(files_.getExpansionLoc(name.getLocation())) != prelude_file)
        asked_ = true;
  }

  const clang::SourceManager& files_;
  bool& asked_;
};

// Parses, then generates code from all declarations without an error.
class reading_action : public clang::ASTFrontendAction {
 public:
  reading_action(parsed_source& result, collected_errors& errors)
      : result_(result), errors_(errors) {}

 private:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(
        std::make_unique<questions_about_machine>(preprocessor, result_.depends_on_machine));
    return make_collecting_consumer(compiler, result_, errors_);
  }

  parsed_source& result_;
  collected_errors& errors_;
};

// Null: the prelude is read as text.
std::shared_ptr<const std::string> prelude_for(const std::string& path,
                                               const source_options& options,
                                               const file_system_pointer& file_system) {
  if (!options.cuda_path.empty() || may_change_prelude(options)) return nullptr;
  std::vector<std::string> arguments = arguments_of_prelude(path, options);
  arguments.emplace_back(prelude_file);
  return precompiled_prelude(arguments, file_system);
}

// These files and one of this name. `content` outlives the result.
file_system_pointer with_file(const file_system_pointer& files, const char* name,
                              const std::string& content) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> result(
      new llvm::vfs::OverlayFileSystem(files));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> ours(new llvm::vfs::InMemoryFileSystem);
  ours->addFile(name, 0, llvm::MemoryBuffer::getMemBuffer(content));
  result->pushOverlay(ours);
  return result;
}

void parse_into(parsed_source& result, const std::string& path, const source_options& options) {
  collected_errors errors;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics(new clang::DiagnosticsEngine(
      new clang::DiagnosticIDs, new clang::DiagnosticOptions, &errors, false));
  file_system_pointer file_system = files(path, options);
  const std::shared_ptr<const std::string> precompiled = prelude_for(path, options, file_system);
  if (precompiled != nullptr) file_system = with_file(file_system, precompiled_file, *precompiled);
  const auto settings =
      invocation(arguments_of(path, options, precompiled != nullptr), *diagnostics, file_system);
  if (settings == nullptr) {
    result.errors = errors.text();
    return;
  }
  if (precompiled != nullptr) {
    settings->getPreprocessorOpts().ImplicitPCHInclude = precompiled_file;
    // Whether it is for these options and headers was checked before.
    settings->getPreprocessorOpts().DisablePCHOrModuleValidation =
        clang::DisableValidationForModuleKind::PCH;
  }
  settings->getCodeGenOpts().DiscardValueNames = false;
  settings->getFrontendOpts().DisableFree = false;
  if (options.contents)  // the invocation owns the buffer
    settings->getPreprocessorOpts().addRemappedFile(
        path, llvm::MemoryBuffer::getMemBufferCopy(*options.contents, path).release());
  for (const auto& [name, text] : options.header_contents)
    settings->getPreprocessorOpts().addRemappedFile(
        name, llvm::MemoryBuffer::getMemBufferCopy(text, name).release());

  clang::CompilerInstance compiler;
  set_up_compiler(
      compiler, settings,
      options.cuda_path.empty()
          ? file_system
          : with_types_of_nvcc(file_system, settings->getHeaderSearchOpts().ResourceDir),
      errors);
  // A missing header is an error like others, after which parsing continues.
  compiler.getDiagnostics().setFatalsAsError(true);
  reading_action action(result, errors);
  compiler.ExecuteAction(action);
  result.missing_headers = errors.missing_headers();
  result.missing_own_headers = errors.missing_own_headers();
  result.headers_beside = errors.headers_beside();
  result.missing_tokens = errors.missing_tokens();
  result.errors = errors.text();
}

}  // namespace

namespace {

parsed_source parse_once(const std::string& path, const source_options& options,
                         const std::set<place_in_text>& added_tokens) {
  parsed_source result;
  result.path = path;
  result.added_tokens = added_tokens;
  result.program_arguments = options.program_arguments;
  result.kernel_arguments = options.kernel_arguments;
  result.unknown_argument = options.unknown_argument;
  result.assumes_instances = options.assumes_instances;
  result.passes_over = options.passes_over;
  result.cluster = options.cluster;
  result.context = std::make_unique<llvm::LLVMContext>();
  if (!ends_without_crash([&] { parse_into(result, path, options); })) {
    (void)result.module.release();  // its state is unknown
    (void)result.context.release();
    result = {};
    result.errors = path +
                    ": error: Clang crashed while it read this file; remove what it has no "
                    "declarations for, or give --cuda-path\n";
  }
  return result;
}

// The file's text, and behind it uses of the instances that are asked for.
std::string text_with_instances(const std::string& path, const source_options& options) {
  std::string result = text_of_file(path, options);
  for (std::size_t number = 0; number < options.instances.size(); ++number) {
    std::string name = options.instances[number];
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t begin; (begin = name.find(unnamed)) != std::string::npos;)
      name.erase(begin, unnamed.size());
    result += "\nstatic __attribute__((host)) void __bankmodel_instance_" + std::to_string(number) +
              "() { (void)&" + name + "; }";
  }
  return result + "\n";
}

}  // namespace

namespace {

// With the tokens that errors ask for, as long as each reading finds more of them.
parsed_source parse_with_tokens(const std::string& path, const source_options& options) {
  parsed_source result = parse_once(path, options, options.added_tokens);
  const int most_times = options.reads_once ? 0 : 5;
  for (int time = 0; time < most_times; ++time) {
    std::set<place_in_text> tokens = result.added_tokens;
    tokens.insert(result.missing_tokens.begin(), result.missing_tokens.end());
    if (tokens.size() == result.added_tokens.size()) break;
    result.module.reset();  // before its context
    result = parse_once(path, options, tokens);
  }
  return result;
}

}  // namespace

// Launches that an error in an argument hides are read with that argument unknown. Clang names one
// error of a call at a time.
parsed_source parse(const std::string& path, const source_options& requested) {
  source_options options = requested;
  if (!options.instances.empty()) options.contents = text_with_instances(path, options);
  parsed_source result = parse_with_tokens(path, options);
  if (options.reads_once) return result;
  source_options mended = options;
  constexpr int most_times = 5;
  for (int time = 0; time < most_times && result.mended && options.cuda_path.empty(); ++time) {
    if (result.mended == mended.contents) break;  // that was read, and nothing more can be mended
    mended.contents = result.mended;
    mended.unknown_argument = result.unknown_argument;
    parsed_source reread = parse_once(path, mended, result.added_tokens);
    if (reread.module == nullptr || reread.unread_launches.size() > result.unread_launches.size())
      break;
    // As they are in the file.
    reread.errors = std::move(result.errors);
    for (const unread_launch& previous : result.unread_launches)
      if (previous.is_by_device) reread.unread_launches.push_back(previous);
    for (unread_launch& launch : reread.unread_launches)
      for (const unread_launch& previous : result.unread_launches)
        if (launch.line == previous.line && launch.file == previous.file)
          launch.reason = previous.reason;
    result.module.reset();  // before its context
    result = std::move(reread);
  }
  return result;
}

std::string clang_version() { return CLANG_VERSION_STRING; }

}  // namespace compiled
