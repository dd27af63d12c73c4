// SPDX-License-Identifier: MIT
#include "launches.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "raw_file.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

// Of the toolkits' libraries: kernel, grid, block, pointers to the arguments, bytes, stream.
bool is_launch_function(const clang::FunctionDecl& function) {
  if (function.getIdentifier() == nullptr || function.getNumParams() < 4) return false;
  const llvm::StringRef name = function.getName();
  return name == "cudaLaunchKernel" || name == "cudaLaunchCooperativeKernel" ||
         name == "hipLaunchKernel" || name == "hipLaunchCooperativeKernel";
}

// Null if it names something else.
const clang::FunctionDecl* kernel_named_by(const clang::DeclRefExpr& use) {
  const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(use.getDecl());
  return function != nullptr && function->hasAttr<clang::CUDAGlobalAttr>() ? function : nullptr;
}

// The kernel that an expression names: k, &k, (void*)k<float>.
class kernel_finder : public syntax_visitor {
 public:
  const clang::FunctionDecl* kernel = nullptr;
  const clang::DeclRefExpr* name = nullptr;
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    kernel = kernel_named_by(*use);
    name = use;
    return kernel == nullptr;
  }
};

// All kernels that host code names.
class kernel_name_finder : public syntax_visitor {
 public:
  std::vector<kernel_mention> names;
  bool enters(const clang::FunctionDecl& function) const override {
    return !is_device_code(function) && !function.isDependentContext();
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (const clang::FunctionDecl* const kernel = kernel_named_by(*use))
      names.push_back({kernel, use->getLocation()});
    return true;
  }
};

// What a function's body calls and launches. The body of a lambda is that of a function of its own.
struct calls_of_function {
  const clang::FunctionDecl* function = nullptr;
  std::vector<const clang::LambdaExpr*> lambdas;
  std::vector<const clang::Expr*> calls;  // of functions with a body, constructors too
  std::vector<const clang::CallExpr*> launches;
  std::vector<kernel_mention> kernels;
  std::vector<const clang::CallExpr*> limits;     // calls that limit the dynamic bytes of one
  std::vector<const clang::CallExpr*> questions;  // calls about one: cudaFuncGetAttributes()
  bool sets_clusters = false;                     // other than in a launch
};

// cudaFuncSetAttribute(kernel, attribute, value), of an attribute that has this word in its name,
// or that is not known.
bool sets_attribute(const clang::CallExpr& call, const char* word) {
  const clang::FunctionDecl& function = *call.getDirectCallee();
  if (function.getIdentifier() == nullptr || call.getNumArgs() != 3) return false;
  const llvm::StringRef name = function.getName();
  if (name != "cudaFuncSetAttribute" && name != "hipFuncSetAttribute") return false;
  const auto* const attribute =
      llvm::dyn_cast<clang::DeclRefExpr>(call.getArg(1)->IgnoreParenImpCasts());
  return attribute == nullptr ||
         attribute->getDecl()->getNameAsString().find(word) != std::string::npos;
}

// Of the toolkits' functions that get or set what is known of a kernel, and launch none.
bool is_about_kernel(const clang::FunctionDecl& function) {
  if (function.getIdentifier() == nullptr) return false;
  const llvm::StringRef name = function.getName();
  return name.find("cudaFunc") == 0 || name.find("hipFunc") == 0;
}

class call_finder : public syntax_visitor {
 public:
  calls_of_function caller;

  bool enter(clang::Stmt* statement) override {
    const auto* const lambda = llvm::dyn_cast<clang::LambdaExpr>(statement);
    if (lambda == nullptr) return true;
    caller.lambdas.push_back(lambda);
    for (const clang::Expr* const initializer : lambda->capture_inits())
      if (initializer != nullptr) visit_all(initializer);
    return false;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (llvm::isa<clang::CUDAKernelCallExpr>(call) || call->getDirectCallee() == nullptr)
      return true;
    if (is_launch_function(*call->getDirectCallee()) && !call->isTypeDependent())
      caller.launches.push_back(call);
    if (sets_attribute(*call, "MaxDynamicSharedMemorySize")) caller.limits.push_back(call);
    if (sets_attribute(*call, "RequiredCluster")) caller.sets_clusters = true;
    if (is_about_kernel(*call->getDirectCallee())) caller.questions.push_back(call);
    if (call->getDirectCallee()->hasBody()) caller.calls.push_back(call);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) override {
    if (construction->getConstructor()->hasBody()) caller.calls.push_back(construction);
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) override {
    if (!call->isTypeDependent()) caller.launches.push_back(call);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (const clang::FunctionDecl* const kernel = kernel_named_by(*use))
      caller.kernels.push_back({kernel, use->getLocation()});
    return true;
  }
};

class defined_function_finder : public syntax_visitor {
 public:
  std::vector<calls_of_function> functions;
  std::map<const clang::FunctionDecl*, host_step> made_by;  // of a lambda's function

  bool enters(const clang::FunctionDecl& function) const override {
    return !is_device_code(function);
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      add(function, {});
    return true;
  }

 private:
  // `kernels`: those that the function around it names.
  void add(const clang::FunctionDecl* function, std::vector<kernel_mention> kernels) {
    if (!added_.insert(function->getCanonicalDecl()).second) return;
    call_finder in_it;
    in_it.caller.function = function;
    in_it.caller.kernels = std::move(kernels);
    in_it.visit_all(function->getBody());
    functions.push_back(in_it.caller);
    for (const clang::LambdaExpr* const lambda : in_it.caller.lambdas) {
      std::vector<const clang::FunctionDecl*> bodies;
      if (const clang::FunctionTemplateDecl* const call_operator =
              lambda->getDependentCallOperator())
        for (const clang::FunctionDecl* const instance : call_operator->specializations())
          if (instance->hasBody()) bodies.push_back(instance);
      if (bodies.empty()) bodies.push_back(lambda->getCallOperator());
      for (const clang::FunctionDecl* const body : bodies) {
        made_by[body->getCanonicalDecl()] = {function, lambda};
        add(body, in_it.caller.kernels);
      }
    }
  }

  std::set<const clang::FunctionDecl*> added_;
};

const clang::FunctionDecl* callee_of(const clang::Expr* call) {
  if (const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(call))
    return construction->getConstructor()->getCanonicalDecl();
  const auto* const invocation = llvm::dyn_cast<clang::CallExpr>(call);
  return invocation == nullptr || invocation->getDirectCallee() == nullptr
             ? nullptr
             : invocation->getDirectCallee()->getCanonicalDecl();
}

using callers = std::map<const clang::FunctionDecl*, std::vector<host_step>>;

// The calls that lead to this function: from main() if there is such a way, else the first one.
std::vector<host_step> way_to(const clang::FunctionDecl* function, const callers& call_graph,
                              std::set<const clang::FunctionDecl*>& seen) {
  std::vector<host_step> first;
  const auto entry = call_graph.find(function->getCanonicalDecl());
  if (entry == call_graph.end() || !seen.insert(function->getCanonicalDecl()).second) return {};
  for (const host_step& step : entry->second) {
    std::vector<host_step> way = way_to(step.function, call_graph, seen);
    way.push_back(step);
    if (way.front().function->isMain()) return way;
    if (first.empty()) first = std::move(way);
  }
  return first;
}

// A kernel that is passed to a function as an argument, and the calls that lead to it.
struct passed_kernel {
  kernel_mention named;
  std::vector<host_step> way;  // ends with the call that passes it on to the function
};

// The parameter of this function that an expression is.
std::optional<unsigned> parameter_in(const clang::Expr* expression,
                                     const clang::FunctionDecl* function) {
  const auto* const use = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  const auto* const parameter =
      use == nullptr ? nullptr : llvm::dyn_cast<clang::ParmVarDecl>(use->getDecl());
  if (parameter == nullptr) return std::nullopt;
  for (unsigned number = 0; number < function->getNumParams(); ++number)
    if (function->getParamDecl(number) == parameter) return number;
  return std::nullopt;
}

// The kernels that calls pass for parameter `number` of a function.
std::vector<passed_kernel> passed_kernels(const clang::FunctionDecl* function, unsigned number,
                                          const callers& calls, int depth = 0) {
  constexpr int most_depth = 4;
  std::vector<passed_kernel> result;
  const auto known = calls.find(function->getCanonicalDecl());
  if (known == calls.end() || depth == most_depth) return result;
  for (const host_step& step : known->second) {
    const auto* const call = llvm::dyn_cast<clang::CallExpr>(step.calls);
    if (call == nullptr) continue;
    // The object that is called is the first operand of an operator.
    const bool is_operator =
        llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(function);
    const unsigned index = number + (is_operator ? 1 : 0);
    if (index >= call->getNumArgs()) continue;
    const clang::Expr* const argument = call->getArg(index);
    if (const auto outer = parameter_in(argument, step.function)) {
      for (passed_kernel& kernel : passed_kernels(step.function, *outer, calls, depth + 1)) {
        kernel.way.push_back(step);
        result.push_back(std::move(kernel));
      }
      continue;
    }
    kernel_finder named;
    named.visit_all(argument);
    if (named.kernel == nullptr) continue;
    std::set<const clang::FunctionDecl*> seen;
    std::vector<host_step> way = way_to(step.function, calls, seen);
    way.push_back(step);
    result.push_back({{named.kernel, named.name->getLocation()}, std::move(way)});
  }
  return result;
}

// Collects the names of kernels that are in no launch and in no question.
class other_names {
 public:
  void leave_out(const clang::Stmt* statement) {
    kernel_name_finder finder;
    finder.visit_all(statement);
    for (const kernel_mention& name : finder.names) leave_out(name);
  }
  void leave_out(const kernel_mention& name) { left_out_.insert(name.place); }

  std::vector<kernel_mention> among(std::vector<kernel_mention> names) const {
    std::erase_if(names,
                  [&](const kernel_mention& name) { return left_out_.count(name.place) != 0; });
    return names;
  }

 private:
  // Instances of a template have the places of the template.
  std::set<clang::SourceLocation> left_out_;
};

class kernel_definition_finder : public syntax_visitor {
 public:
  std::vector<const clang::FunctionDecl*> kernels;
  bool enter(clang::Stmt*) override { return false; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (function->hasAttr<clang::CUDAGlobalAttr>() && function->getIdentifier() != nullptr)
      kernels.push_back(function);
    return true;
  }
};

// True at the name in `k<<<..` and `k<T><<<..`.
bool begins_launch(const raw_file& file, std::size_t index) {
  using namespace clang::tok;
  if (!file.is(index, raw_identifier)) return false;
  if (file.is(++index, lesslessless)) return true;
  if (!file.is(index, less)) return false;
  while (index < file.count() && !file.is(index, lesslessless) && !file.is(index, semi) &&
         !file.is(index, l_brace))
    ++index;
  return file.is(index, lesslessless);
}

// `compiled`: the places of those that the syntax tree has.
void add_names_in_text(const clang::ASTContext& context,
                       const std::vector<const clang::FunctionDecl*>& kernels,
                       const std::set<clang::SourceLocation>& compiled,
                       std::vector<kernel_mention>& names) {
  using namespace clang::tok;
  std::multimap<std::string, const clang::FunctionDecl*> by_name;
  for (const clang::FunctionDecl* const kernel : kernels) {
    by_name.emplace(kernel->getNameAsString(), kernel);
    if (kernel->isExternC()) by_name.emplace('"' + kernel->getNameAsString() + '"', kernel);
  }
  const raw_file file(context.getSourceManager(), context.getLangOpts());
  for (std::size_t index = 0; index + 1 < file.count(); ++index) {
    if ((!begins_launch(file, index) && !file.is(index, string_literal)) ||
        compiled.count(file.location(index)) != 0)
      continue;
    const auto [first, end] = by_name.equal_range(file.spelling(index));
    for (auto kernel = first; kernel != end; ++kernel)
      names.push_back({kernel->second, file.location(index)});
  }
}

}  // namespace

std::string kernel_name(const clang::FunctionDecl& kernel) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  const clang::PrintingPolicy policy(kernel.getASTContext().getLangOpts());
  kernel.getNameForDiagnostic(stream, policy, true);
  return stream.str();
}

written_launches find_launches(clang::ASTContext& context,
                               const std::vector<clang::Decl*>& declarations) {
  defined_function_finder finder;
  const clang::SourceManager& files = context.getSourceManager();
  for (clang::Decl* const declaration : declarations)
    if (!files.isInSystemHeader(declaration->getLocation())) finder.visit_all(declaration);

  callers call_graph;
  for (const calls_of_function& caller : finder.functions)
    for (const clang::Expr* const call : caller.calls)
      if (const clang::FunctionDecl* const called = callee_of(call))
        call_graph[called].push_back({caller.function, call});
  // Where nobody is seen to call a lambda, it is called some time after it is made.
  for (const auto& [function, step] : finder.made_by)
    if (call_graph.count(function) == 0) call_graph[function].push_back(step);
  written_launches result;
  other_names others;
  for (const calls_of_function& caller : finder.functions) {
    for (const clang::CallExpr* const call : caller.limits) {
      kernel_finder named;
      named.visit_all(call->getArg(0));
      result.limits.push_back({call, named.kernel});
    }
    result.sets_clusters = result.sets_clusters || caller.sets_clusters;
    for (const clang::CallExpr* const question : caller.questions) others.leave_out(question);
  }
  for (const calls_of_function& caller : finder.functions)
    for (const clang::CallExpr* const call : caller.launches) {
      std::set<const clang::FunctionDecl*> seen;
      std::vector<host_step> way = way_to(caller.function, call_graph, seen);
      way.push_back({caller.function, call});
      const clang::FunctionDecl* called = call->getDirectCallee();
      if (!llvm::isa<clang::CUDAKernelCallExpr>(call)) {
        kernel_finder named;
        named.visit_all(call->getArg(0));
        called = named.kernel;
      }
      const clang::Expr* const launched =
          llvm::isa<clang::CUDAKernelCallExpr>(call) ? call->getCallee() : call->getArg(0);
      if (const auto number = parameter_in(launched, caller.function);
          number && called == nullptr) {
        for (passed_kernel& passed : passed_kernels(caller.function, *number, call_graph)) {
          passed.way.push_back({caller.function, call});
          others.leave_out(passed.named);
          result.launches.push_back({call, passed.named.kernel, std::move(passed.way)});
        }
        continue;
      }
      if (called != nullptr) {
        result.launches.push_back({call, called, way});
        others.leave_out(launched);
        continue;
      }
      // A launch through a pointer may be of each kernel that the function names.
      std::set<const clang::FunctionDecl*> added;
      for (const kernel_mention& possible : caller.kernels)
        if (possible.kernel->getNumParams() == call->getNumArgs()) {
          others.leave_out(possible);
          if (added.insert(possible.kernel).second)
            result.launches.push_back({call, possible.kernel, way});
        }
    }
  kernel_name_finder names;
  for (clang::Decl* const declaration : declarations)
    if (!files.isInSystemHeader(declaration->getLocation())) names.visit_all(declaration);
  std::set<clang::SourceLocation> compiled_names;
  for (const kernel_mention& name : names.names)
    compiled_names.insert(files.getSpellingLoc(name.place));
  result.other_names = others.among(std::move(names.names));
  kernel_definition_finder defined;
  for (clang::Decl* const declaration : declarations)
    if (!files.isInSystemHeader(declaration->getLocation())) defined.visit_all(declaration);
  for (const clang::FunctionDecl* const kernel : defined.kernels)
    for (const clang::SourceLocation place :
         {kernel->getLocation(), kernel->getPointOfInstantiation()})
      if (place.isValid()) compiled_names.insert(files.getSpellingLoc(place));
  add_names_in_text(context, defined.kernels, compiled_names, result.other_names);
  return result;
}

}  // namespace compiled
