// SPDX-License-Identifier: MIT
#include "precompiled_prelude.hpp"

#include <clang/Basic/Version.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Sema/Sema.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/Support/xxhash.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "front_end.hpp"
#include "prelude.hpp"

namespace compiled {

namespace {

namespace fs = std::filesystem;

// A file that the prelude includes, as it was.
struct included_file {
  std::string path;
  std::uintmax_t bytes = 0;
  std::int64_t written = 0;  // in the file system's clock
};

struct precompiled {
  std::string data;
  std::vector<included_file> files;
};

std::int64_t time_written(const std::string& path) {
  std::error_code failure;
  const auto time = fs::last_write_time(path, failure);
  return failure ? -1 : static_cast<std::int64_t>(time.time_since_epoch().count());
}

std::uintmax_t bytes_of_file(const std::string& path) {
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  return failure ? 0 : size;
}

#if LLVM_VERSION_MAJOR >= 18
std::string name_of(clang::FileEntryRef file) { return file.getName().str(); }
#else
std::string name_of(const clang::FileEntry* file) { return file->getName().str(); }
#endif

// Clang lets nobody else name the member; an explicit instantiation may.
llvm::SmallSetVector<clang::Decl*, 4>& functions_to_look_at_again(clang::Sema& sema);
template <auto Member>
struct private_member {
  friend llvm::SmallSetVector<clang::Decl*, 4>& functions_to_look_at_again(clang::Sema& sema) {
    return sema.*Member;
  }
};
template struct private_member<&clang::Sema::DeclsToCheckForDeferredDiags>;

// Without the functions whose calls Clang would look at again in each file that has the prelude: a
// third of the time that a small file takes.
class prelude_generator : public clang::PCHGenerator {
 public:
  using clang::PCHGenerator::PCHGenerator;

 private:
  void InitializeSema(clang::Sema& sema) override {
    sema_ = &sema;
    PCHGenerator::InitializeSema(sema);
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    functions_to_look_at_again(*sema_).clear();
    PCHGenerator::HandleTranslationUnit(context);
  }

  clang::Sema* sema_ = nullptr;
};

class precompiling_action : public clang::ASTFrontendAction {
 public:
  explicit precompiling_action(precompiled& result)
      : result_(result), buffer_(std::make_shared<clang::PCHBuffer>()) {}

  bool is_complete() const { return buffer_->IsComplete; }

 private:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getLangOpts().CompilingPCH = true;
    return ASTFrontendAction::BeginSourceFileAction(compiler);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<prelude_generator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), "", "", buffer_,
        compiler.getFrontendOpts().ModuleFileExtensions, false, false);
  }

  void EndSourceFileAction() override {
    result_.data.assign(buffer_->Data.begin(), buffer_->Data.end());
    const clang::SourceManager& files = getCompilerInstance().getSourceManager();
    for (auto file = files.fileinfo_begin(); file != files.fileinfo_end(); ++file) {
      const std::string path = name_of(file->first);
      if (path.rfind(own_folder, 0) != 0)
        result_.files.push_back({path, bytes_of_file(path), time_written(path)});
    }
    ASTFrontendAction::EndSourceFileAction();
  }

  precompiled& result_;
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

std::optional<precompiled> precompile(const std::shared_ptr<clang::CompilerInvocation>& call,
                                      const file_system_pointer& files) {
  clang::IgnoringDiagConsumer silent;
  clang::CompilerInstance compiler;
  set_up_compiler(compiler, call, files, silent);
  precompiled result;
  precompiling_action action(result);
  if (!compiler.ExecuteAction(action) || !action.is_complete()) return std::nullopt;
  return result;
}

// A kept file is what Clang made, and behind it this: a hash of that, and the size, time and path
// of each header, as text; then the number of the text's bytes in 16 characters. It is valid while
// the headers have these sizes and times.
std::string trailer(const precompiled& prelude) {
  std::ostringstream text;
  text << llvm::xxHash64(prelude.data) << ' ' << prelude.files.size() << '\n';
  for (const included_file& file : prelude.files)
    text << file.bytes << ' ' << file.written << ' ' << file.path << '\n';
  std::string size = std::to_string(text.str().size());
  return text.str() + std::string(16 - size.size(), ' ') + size;
}

bool is_unchanged(const included_file& file) {
  return time_written(file.path) == file.written && bytes_of_file(file.path) == file.bytes;
}

// None: there is no such file, it is damaged, or a header was changed since.
std::optional<precompiled> kept(const std::string& path) {
  std::ifstream input(path, std::ios::binary);
  precompiled result;
  result.data.resize(static_cast<std::size_t>(bytes_of_file(path)));
  input.read(result.data.data(), static_cast<std::streamsize>(result.data.size()));
  if (!input || result.data.size() < 16) return std::nullopt;
  const std::size_t end = result.data.size() - 16;
  const auto size = static_cast<std::size_t>(std::strtoull(result.data.c_str() + end, nullptr, 10));
  if (size > end) return std::nullopt;
  std::istringstream text(result.data.substr(end - size, size));
  result.data.resize(end - size);
  std::uint64_t hash = 0;
  std::size_t count = 0;
  if (!(text >> hash >> count) || hash != llvm::xxHash64(result.data)) return std::nullopt;
  for (std::size_t number = 0; number < count; ++number) {
    included_file file;
    if (!(text >> file.bytes >> file.written) || text.get() != ' ' ||
        !std::getline(text, file.path) || !is_unchanged(file))
      return std::nullopt;
    result.files.push_back(std::move(file));
  }
  return result;
}

// Those that were made first, so that the folder does not grow.
void remove_oldest(const fs::path& folder) {
  constexpr std::size_t most_files = 24;
  std::vector<std::pair<std::int64_t, std::string>> files;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure))
    if (entry.path().extension() == ".prelude")
      files.emplace_back(time_written(entry.path().string()), entry.path().string());
  std::ranges::sort(files, std::greater());
  for (std::size_t number = most_files; number < files.size(); ++number)
    fs::remove(files[number].second, failure);
}

// If it cannot be written, the next run makes it again.
void keep(const std::string& path, const precompiled& prelude) {
  std::error_code failure;
  const fs::path folder = fs::path(path).parent_path();
  fs::create_directories(folder, failure);
  const std::string unfinished = path + "." + std::to_string(::getpid());
  std::ofstream output(unfinished, std::ios::binary);
  output << prelude.data << trailer(prelude);
  output.close();
  if (output) fs::rename(unfinished, path, failure);
  if (!output || failure) fs::remove(unfinished, failure);
  remove_oldest(folder);
}

// Everything that decides about the result, but for the headers' content.
std::string key_of(const std::vector<std::string>& arguments,
                   const clang::CompilerInvocation& call) {
  std::string result = clang::getClangFullRepositoryVersion() + '\n' + prelude();
  for (const std::string& argument : arguments) result += '\n' + argument;
  const clang::HeaderSearchOptions& headers = call.getHeaderSearchOpts();
  for (const auto& folder : headers.UserEntries) result += '\n' + folder.Path;
  return result + '\n' + headers.ResourceDir;
}

// Where the prelude is kept between runs: BANKMODEL_CACHE of the environment, or else bankmodel in
// XDG_CACHE_HOME or in ~/.cache. Empty, and nothing is kept: BANKMODEL_CACHE is empty, or there is
// no home.
std::string cache_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::getenv("BANKMODEL_CACHE") != nullptr) return variable("BANKMODEL_CACHE");
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return cache + "/bankmodel";
  return home.empty() ? "" : home + "/.cache/bankmodel";
}

std::string path_for(const std::string& key) {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  std::ostringstream name;
  name << std::hex << llvm::xxHash64(key) << ".prelude";
  return (fs::path(folder) / name.str()).string();
}

}  // namespace

std::shared_ptr<const std::string> precompiled_prelude(const std::vector<std::string>& arguments,
                                                       const file_system_pointer& files) {
  static std::map<std::vector<std::string>, std::shared_ptr<const std::string>> known;
  const auto [place, is_new] = known.emplace(arguments, nullptr);
  if (!is_new) return place->second;
  clang::IgnoringDiagConsumer silent;
  const llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics(new clang::DiagnosticsEngine(
      new clang::DiagnosticIDs, new clang::DiagnosticOptions, &silent, false));
  const auto call = invocation(arguments, *diagnostics, files);
  if (call == nullptr) return nullptr;
  const std::string path = path_for(key_of(arguments, *call));
  std::optional<precompiled> result;
  if (!path.empty()) result = kept(path);
  if (!result) {
    result = precompile(call, files);
    if (result && !path.empty()) keep(path, *result);
  }
  if (result) place->second = std::make_shared<const std::string>(std::move(result->data));
  return place->second;
}

}  // namespace compiled
