// SPDX-License-Identifier: MIT
#include "collecting_consumer.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/SemaConsumer.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "argument_fields.hpp"
#include "assumed_instances.hpp"
#include "cast_alignment.hpp"
#include "declarations.hpp"
#include "excluded_functions.hpp"
#include "followed_launches.hpp"
#include "later_members.hpp"
#include "launches.hpp"
#include "left_out_instances.hpp"
#include "long_statements.hpp"
#include "percent_signs.hpp"
#include "shared_members.hpp"
#include "thread_indices.hpp"
#include "unread_kernels.hpp"
#include "unread_launches.hpp"

namespace compiled {

namespace {

// Notes the parts of the text that the preprocessor leaves out.
class skipped_text : public clang::PPCallbacks {
 public:
  explicit skipped_text(std::vector<clang::SourceRange>& ranges) : ranges_(ranges) {}
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override {
    ranges_.push_back(range);
  }

 private:
  std::vector<clang::SourceRange>& ranges_;
};

class collecting_consumer : public clang::SemaConsumer {
 public:
  collecting_consumer(clang::CompilerInstance& compiler, parsed_source& result,
                      collected_errors& errors)
      : compiler_(compiler), result_(result), errors_(errors) {
    generator_.reset(clang::CreateLLVMCodeGen(compiler.getDiagnostics(), "kernels",
#if LLVM_VERSION_MAJOR >= 15
                                              &compiler.getVirtualFileSystem(),
#endif
                                              compiler.getHeaderSearchOpts(),
                                              compiler.getPreprocessorOpts(),
                                              compiler.getCodeGenOpts(), *result.context));
    compiler.getPreprocessor().setTokenWatcher([this](const clang::Token& token) {
      if (token.is(clang::tok::lesslessless)) text_.marks.insert(token.getLocation());
      if (!result_.added_tokens.empty())
        add_missing_token(compiler_.getPreprocessor(), token, result_.added_tokens);
    });
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<skipped_text>(text_.skipped));
  }

 private:
  void Initialize(clang::ASTContext& context) override { generator_->Initialize(context); }
  void InitializeSema(clang::Sema& sema) override {
    sema_ = &sema;
    errors_.set_sema(&sema);
  }
  void ForgetSema() override {
    sema_ = nullptr;
    errors_.set_sema(nullptr);
  }

  // A declaration of the precompiled prelude comes when it is first named, which may be while code
  // is generated.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* const declaration : group) declarations_.push_back(declaration);
    const auto generate = [this, group](clang::CodeGenerator& generator) {
      for (clang::Decl* const declaration : group)
        if (!declaration->isInvalidDecl() && !is_left_out(*declaration))
          generator.HandleTopLevelDecl(clang::DeclGroupRef(declaration));
    };
    if (is_generating_)
      generate(*generator_);
    else if (group.isSingleDecl() && group.getSingleDecl()->isFromASTFile())
      prelude_.push_back(generate);
    else
      later_.push_back(generate);
    return true;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl* function) override {
    later_.push_back([function](clang::CodeGenerator& generator) {
      if (!function->isInvalidDecl()) generator.HandleInlineFunctionDefinition(function);
    });
  }
  void HandleTagDeclDefinition(clang::TagDecl* tag) override {
    later_.push_back([tag](clang::CodeGenerator& generator) {
      if (!tag->isInvalidDecl()) generator.HandleTagDeclDefinition(tag);
    });
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl* variable) override {
    later_.push_back([variable](clang::CodeGenerator& generator) {
      if (!variable->isInvalidDecl()) generator.HandleCXXStaticMemberVarInstantiation(variable);
    });
  }
  void CompleteTentativeDefinition(clang::VarDecl* variable) override {
    later_.push_back([variable](clang::CodeGenerator& generator) {
      if (!variable->isInvalidDecl()) generator.CompleteTentativeDefinition(variable);
    });
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (sema_ != nullptr) define_later_members(*sema_, declarations_of_file());
    if (sema_ != nullptr && !errors_.errors().empty())
      text_.defined = define_launched_kernels(*sema_, declarations_of_file());
    const std::vector<clang::Decl*> in_file = declarations_of_file();
    unread_launches unread =
        find_unread_launches(context, in_file, text_, errors_, result_.unknown_argument);
    result_.unread_launches = std::move(unread.launches);
    result_.mended = std::move(unread.mended);
    const auto templates = kernels_without_instance(context, in_file);
    for (const clang::FunctionTemplateDecl* const declaration : templates)
      result_.kernels_without_instance.push_back(declaration->getNameAsString());
    if (sema_ != nullptr && result_.assumes_instances)
      for (assumed_instance& instance : define_assumed_instances(*sema_, templates))
        result_.assumed_templates[kernel_name(*instance.kernel)] = std::move(instance.arguments);
    const written_launches launches = find_launches(context, in_file);
    if (errors_.has_single_percent_signs()) double_percent_signs(context, in_file);
    const auto excluded =
        find_functions_with_errors(context, std::vector<clang::Decl*>(declarations_), errors_);
    left_out_ = leave_out_instances(context, declarations_of_file(), excluded, launches, result_);
    result_.launches = follow_launches(launches, left_out_, context, result_.program_arguments,
                                       result_.kernel_arguments);
    exclude(excluded, context);
    kernels_in_text in_text = find_unread_kernels(context, in_file, text_.skipped, errors_);
    result_.skipped_kernels = std::move(in_text.skipped);
    result_.without_code = std::move(in_text.without_parse);
    clang::DiagnosticsEngine& diagnostics = compiler_.getDiagnostics();
    if (diagnostics.hasErrorOccurred()) diagnostics.Reset();
    generate_code(context, in_file);
    result_.module.reset(generator_->ReleaseModule());
    if (result_.module == nullptr) return;
    restore_names(*result_.module);
    define_thread_indices(*result_.module);

    linkage_names linkage = left_out_;
    const auto decl_of = [&](const llvm::GlobalValue& value) {
      return generator_->GetDeclForMangledName(value.getName());
    };
    std::vector<clang::Decl*> with_code = declarations_of_file();
    std::erase_if(with_code,
                  [&](const clang::Decl* declaration) { return is_left_out(*declaration); });
    for (const llvm::Function& generated : *result_.module)
      if (const auto* const function =
              llvm::dyn_cast_or_null<clang::FunctionDecl>(decl_of(generated))) {
        if (function->isFromASTFile() && !generated.isDeclaration())
          with_code.push_back(const_cast<clang::FunctionDecl*>(function));
        linkage[function->getCanonicalDecl()] = generated.getName().str();
        note_function(*function, generated.getName().str(), excluded);
      }
    std::vector<std::pair<const clang::FunctionDecl*, std::string>> left_out(excluded.begin(),
                                                                             excluded.end());
    std::ranges::sort(left_out, [&](const auto& left, const auto& right) {
      return context.getSourceManager().isBeforeInTranslationUnit(left.first->getLocation(),
                                                                  right.first->getLocation());
    });
    for (const auto& [function, text] : left_out)
      if (function->hasAttr<clang::CUDAGlobalAttr>() && linkage.count(function) == 0 &&
          !has_instance_in_error(*function, excluded))
        result_.without_code.push_back({kernel_name(*function), text});
    result_.conditions = find_conditions(context, with_code);
    result_.statements = find_long_statements(context, with_code);
    const auto shared_arrays = find_shared_arrays(context, in_file, text_.skipped, left_out_);
    for (const llvm::GlobalVariable& global : result_.module->globals())
      if (const auto* const variable = llvm::dyn_cast_or_null<clang::VarDecl>(decl_of(global))) {
        declared_array& array = result_.arrays[global.getName().str()];
        array = declared(context, *variable);
        const auto source = shared_arrays.find(declaration_of(*variable));
        if (source != shared_arrays.end()) array.source = source->second.variable;
        for (const auto& [other, other_source] : shared_arrays) {
          if (other->getCanonicalDecl() != variable->getCanonicalDecl() || !is_local_extern(*other))
            continue;
          const auto name = linkage.find(function_of(*other)->getCanonicalDecl());
          if (name == linkage.end()) continue;
          declared_array& own = array.in_kernels.emplace_back(declared(context, *other));
          own.source = other_source.variable;
          own.kernel = name->second;
        }
        if (array.in_kernels.size() > 1) {
          array.source = {};
          array.source.refusal = "it is declared several times";
        }
        for (const shared_member& member : members_of(context, *variable)) {
          declared_array& part = array.members.emplace_back();
          if (!member.fields.empty()) part = declared(context, *member.fields.back());
          part.name = array.name + "." + member.name;
          part.bytes = member.bytes;
          part.alignment = member.alignment;
          if (source != shared_arrays.end()) {
            const auto own = source->second.members.find(member.name);
            if (own != source->second.members.end()) part.source = own->second;
          }
        }
      }
    for (std::size_t number = 0; number < launches.launches.size(); ++number)
      result_.launches[number].linkage =
          linkage[launches.launches[number].kernel->getCanonicalDecl()];
    for (declared_kernel& kernel : result_.kernels) {
      if (!kernel.required_cluster)
        kernel.required_cluster = result_.cluster ? result_.cluster : cluster_of_launches(kernel);
      const auto other_name =
          std::find_if(launches.other_names.begin(), launches.other_names.end(),
                       [&](const kernel_mention& named) {
                         return linkage[named.kernel->getCanonicalDecl()] == kernel.linkage;
                       });
      if (other_name != launches.other_names.end())
        kernel.named_at = short_place(context, other_name->place);
    }
  }

  // Clang 14 creates a shared array of a template twice if a lambda of the template uses it: one
  // variable that nothing uses, and one whose name ends with a number. That one gets the name.
  void restore_names(llvm::Module& module) const {
    const auto without_number = [](llvm::StringRef name) { return name.rtrim("0123456789."); };
    std::vector<llvm::GlobalVariable*> numbered;
    for (llvm::GlobalVariable& global : module.globals())
      if (without_number(global.getName()) != global.getName() &&
          generator_->GetDeclForMangledName(global.getName()) == nullptr)
        numbered.push_back(&global);
    for (llvm::GlobalVariable* const used : numbered) {
      const std::size_t shortest = std::max<std::size_t>(without_number(used->getName()).size(), 1);
      for (std::size_t length = used->getName().size() - 1; length >= shortest; --length) {
        llvm::GlobalVariable* const unused =
            module.getNamedGlobal(used->getName().take_front(length));
        if (unused == nullptr || unused->getValueType() != used->getValueType()) continue;
        unused->removeDeadConstantUsers();
        if (!unused->use_empty()) continue;
        used->takeName(unused);
        unused->eraseFromParent();
        break;
      }
    }
  }

  // "gemm.cu:25"
  static std::string short_place(const clang::ASTContext& context, clang::SourceLocation location) {
    const clang::SourceManager& files = context.getSourceManager();
    const clang::PresumedLoc place = files.getPresumedLoc(files.getFileLoc(location));
    return place.isInvalid() ? "another file"
                             : std::filesystem::path(place.getFilename()).filename().string() +
                                   ":" + std::to_string(place.getLine());
  }

  bool is_left_out(const clang::Decl& declaration) const {
    const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
    return function != nullptr && contains(left_out_, *function);
  }

  // A class with an error in its fields has no layout, and code generation would ask for it even of
  // a pointer to it. Functions that use such a class are left out.
  static void forget_layouts_with_errors(clang::ASTContext& context) {
    for (const clang::Type* const type : context.getTypes())
      if (const auto* const record = llvm::dyn_cast<clang::RecordType>(type))
        if (record->getDecl()->isInvalidDecl()) record->getDecl()->setCompleteDefinition(false);
  }

  void generate_code(clang::ASTContext& context, const std::vector<clang::Decl*>& in_file) {
    forget_layouts_with_errors(context);
    const cast_alignment as_nvcc(context, in_file, left_out_);
    is_generating_ = true;
    // Clang also generates the body of a function that is declared after code has named it, as it
    // names vprintf for printf. So the prelude's functions come first, as they do in text.
    for (const auto& generate : prelude_) generate(*generator_);
    for (const auto& generate : later_) generate(*generator_);
    generator_->HandleTranslationUnit(context);
    is_generating_ = false;
  }

  // Without those of the precompiled prelude, whose bodies would be read from it.
  std::vector<clang::Decl*> declarations_of_file() const {
    std::vector<clang::Decl*> result;
    for (clang::Decl* const declaration : declarations_)
      if (!declaration->isFromASTFile()) result.push_back(declaration);
    return result;
  }

  // The instances of a template are kernels of their own.
  static bool has_instance_in_error(const clang::FunctionDecl& function,
                                    const excluded_functions& excluded) {
    const clang::FunctionTemplateDecl* const described = function.getDescribedFunctionTemplate();
    if (described == nullptr) return false;
    for (const clang::FunctionDecl* const instance : described->specializations())
      if (excluded.count(instance->getCanonicalDecl()) != 0) return true;
    return false;
  }

  void note_function(const clang::FunctionDecl& function, const std::string& name,
                     const excluded_functions& excluded) {
    if (const auto entry = excluded.find(function.getCanonicalDecl()); entry != excluded.end())
      result_.functions_in_error[name] = entry->second;
    if (!function.hasAttr<clang::CUDAGlobalAttr>()) return;
    const clang::FunctionDecl* body = nullptr;
    if (!function.hasBody(body)) return;
    const clang::PrintingPolicy policy(function.getASTContext().getLangOpts());
    declared_kernel kernel{kernel_name(function), name, {}};
    kernel.most_threads = most_threads_of(*body);
    kernel.required_cluster = required_cluster_of(*body);
    // Those of a pack have one name: theirs are s[0], s[1], ..
    std::map<llvm::StringRef, int> total, number;
    for (const clang::ParmVarDecl* const declaration : body->parameters())
      ++total[declaration->getName()];
    for (const clang::ParmVarDecl* const declaration : body->parameters()) {
      const clang::QualType type = declaration->getType();
      std::string parameter = declaration->getName().str();
      if (!parameter.empty() && total[declaration->getName()] > 1)
        parameter += "[" + std::to_string(number[declaration->getName()]++) + "]";
      kernel.parameters.push_back({parameter, type.getAsString(policy),
                                   type->isPointerType() || type->isReferenceType(),
                                   fields_of(function.getASTContext(), type, parameter)});
    }
    result_.kernels.push_back(std::move(kernel));
  }

  // What all launches of the kernel say; none if one does not say it, or another size.
  std::optional<std::array<int, 3>> cluster_of_launches(const declared_kernel& kernel) const {
    std::optional<std::array<unsigned, 3>> blocks;
    const auto is_another = [&](const found_launch& launch) {
      if (!blocks) blocks = launch.cluster;
      return !launch.cluster || launch.cluster != blocks;
    };
    for (const found_launch& launch : result_.launches)
      if (launch.linkage == kernel.linkage &&
          (is_another(launch) || std::ranges::any_of(launch.later, is_another)))
        return {};
    if (!blocks) return {};
    return std::array{static_cast<int>((*blocks)[0]), static_cast<int>((*blocks)[1]),
                      static_cast<int>((*blocks)[2])};
  }

  // Of the prelude's __cluster_dims__.
  static std::optional<std::array<int, 3>> required_cluster_of(const clang::FunctionDecl& kernel) {
    for (const clang::AnnotateAttr* const attribute :
         kernel.specific_attrs<clang::AnnotateAttr>()) {
      if (attribute->getAnnotation() != "bankmodel cluster") continue;
      std::array<int, 3> result = {1, 1, 1};
      std::size_t axis = 0;
      for (const clang::Expr* const blocks : attribute->args()) {
        clang::Expr::EvalResult value;
        if (axis == result.size() || blocks->isValueDependent() ||
            !blocks->EvaluateAsInt(value, kernel.getASTContext()))
          return {};
        const std::int64_t number = value.Val.getInt().getExtValue();
        if (number < 1 || number > 1024) return {};
        result[axis++] = static_cast<int>(number);
      }
      return result;
    }
    return {};
  }

  // 0: the declaration does not say it.
  static int most_threads_of(const clang::FunctionDecl& kernel) {
    const auto value_of = [&](const clang::Expr* expression) -> int {
      clang::Expr::EvalResult result;
      if (expression == nullptr || expression->isValueDependent() ||
          !expression->EvaluateAsInt(result, kernel.getASTContext()))
        return 0;
      const std::int64_t value = result.Val.getInt().getExtValue();
      return value >= 1 && value <= 1024 ? static_cast<int>(value) : 0;
    };
    if (const auto* const bounds = kernel.getAttr<clang::CUDALaunchBoundsAttr>())
      return value_of(bounds->getMaxThreads());
    if (const auto* const size = kernel.getAttr<clang::AMDGPUFlatWorkGroupSizeAttr>())
      return value_of(size->getMax());
    return 0;
  }

  static declared_array declared(const clang::ASTContext& context,
                                 const clang::DeclaratorDecl& variable) {
    declared_array result;
    result.name = variable.getNameAsString();
    clang::QualType type = variable.getType();
    while (const clang::ArrayType* const array = context.getAsArrayType(type)) {
      if (const auto* const extent = llvm::dyn_cast<clang::ConstantArrayType>(array))
        result.extents.push_back(static_cast<long long>(extent->getSize().getZExtValue()));
      type = array->getElementType();
    }
    if (!type->isIncompleteType() && !type->isDependentType())
      result.element_bytes = static_cast<int>(context.getTypeSizeInChars(type).getQuantity());
    result.element_type =
        type.getUnqualifiedType().getAsString(clang::PrintingPolicy(context.getLangOpts()));
    const clang::PresumedLoc location =
        context.getSourceManager().getPresumedLoc(variable.getLocation());
    if (location.isValid()) {
      result.file = location.getFilename();
      result.line = static_cast<int>(location.getLine());
      result.column = static_cast<int>(location.getColumn());
    }
    return result;
  }

  clang::CompilerInstance& compiler_;
  parsed_source& result_;
  collected_errors& errors_;
  std::unique_ptr<clang::CodeGenerator> generator_;
  clang::Sema* sema_ = nullptr;
  launches_in_text text_;
  std::vector<clang::Decl*> declarations_;
  bool is_generating_ = false;
  linkage_names left_out_;
  std::vector<std::function<void(clang::CodeGenerator&)>> prelude_, later_;
};

}  // namespace

std::unique_ptr<clang::ASTConsumer> make_collecting_consumer(clang::CompilerInstance& compiler,
                                                             parsed_source& result,
                                                             collected_errors& errors) {
  return std::make_unique<collecting_consumer>(compiler, result, errors);
}

}  // namespace compiled
