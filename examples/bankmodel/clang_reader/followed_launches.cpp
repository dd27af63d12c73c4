// SPDX-License-Identifier: MIT
#include "followed_launches.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <bit>

#include "argument_fields.hpp"
#include "front_end.hpp"
#include "host_run.hpp"
#include "source_text.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

using launch_extents = std::array<unsigned, 3>;

namespace {

// Along x, y and z; 0 where it is not known.
launch_extents known_dimensions_of(const clang::Expr* dimensions, host_run& run) {
  launch_extents result = {};
  if (dimensions->isInstantiationDependent()) return result;
  const std::vector<host_value> values = run.parts(dimensions, {{0}, {1}, {2}});
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (values[axis].is == host_value::kind::integer && values[axis].integer >= 1)
      result[axis] = static_cast<unsigned>(values[axis].integer);
  return result;
}

std::optional<launch_extents> dimensions_of(const clang::Expr* dimensions, host_run& run) {
  const launch_extents result = known_dimensions_of(dimensions, run);
  if (std::find(result.begin(), result.end(), 0u) != result.end()) return std::nullopt;
  return result;
}

// The variables and calls in an expression.
class value_finder : public syntax_visitor {
 public:
  std::vector<const clang::Expr*> values;

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (llvm::isa<clang::VarDecl>(use->getDecl())) values.push_back(use);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) override {
    if (llvm::isa<clang::FieldDecl>(member->getMemberDecl())) values.push_back(member);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (call->getDirectCallee() != nullptr) values.push_back(call);
    return true;
  }
};

// "'threads', a parameter of run()": what makes this expression's value unknown. Of a variable that
// is initialized with something unknown it is that.
std::string unknown_in(const clang::Expr* expression, host_run& run, int depth = 0) {
  constexpr int most_depth = 8;
  value_finder finder;
  finder.visit_all(expression);
  for (const clang::Expr* const part : finder.values) {
    const bool is_number = part->getType()->isArithmeticType() || part->getType()->isEnumeralType();
    if (is_number && run.evaluate(part).is_known()) continue;
    if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(part))
      return call->getDirectCallee()->getNameAsString() + "()";
    if (const auto* const member = llvm::dyn_cast<clang::MemberExpr>(part)) {
      if (is_number) return "'" + member->getMemberDecl()->getNameAsString() + "'";
      continue;
    }
    const auto* const variable =
        llvm::cast<clang::VarDecl>(llvm::cast<clang::DeclRefExpr>(part)->getDecl());
    std::string inner;
    if (!llvm::isa<clang::ParmVarDecl>(variable) && variable->hasInit() &&
        !variable->getInit()->isValueDependent() && depth < most_depth)
      inner = unknown_in(variable->getInit(), run, depth + 1);
    if (!inner.empty()) return inner;
    const bool has_parts = variable->getType().getNonReferenceType()->isRecordType();
    if (!is_number && !has_parts) continue;
    const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
    const auto* const method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
    const bool is_lambda = method != nullptr && method->getParent()->isLambda();
    return "'" + variable->getNameAsString() + "'" +
           (llvm::isa<clang::ParmVarDecl>(variable) && function != nullptr
                ? ", a parameter of " +
                      (is_lambda ? "a lambda" : function->getNameAsString() + "()")
                : "");
  }
  return {};
}

std::optional<std::uint64_t> bits_of_value(const host_value& argument, clang::QualType type,
                                           const clang::ASTContext& context) {
  const host_value value = converted(argument, type, context);
  if (value.is == host_value::kind::integer) return static_cast<std::uint64_t>(value.integer);
  if (value.is != host_value::kind::real) return std::nullopt;
  switch (context.getTypeSize(type)) {
    case 32: return std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
    case 64: return std::bit_cast<std::uint64_t>(value.real);
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> bits_of(const clang::Expr* argument, clang::QualType type,
                                     const clang::ASTContext& context, host_run& run) {
  if (type->isPointerType())  // only a null pointer has a value that says something
    return argument->IgnoreParenImpCasts()->isNullPointerConstant(
               const_cast<clang::ASTContext&>(context), clang::Expr::NPC_ValueDependentIsNotNull) ==
                   clang::Expr::NPCK_NotNull
               ? std::nullopt
               : std::optional<std::uint64_t>(0);
  return bits_of_value(run.evaluate(argument), type, context);
}

// The numbers in a structure, by the rest of their names: ".rows".
std::map<std::string, std::uint64_t> bits_of_fields(const clang::Expr* argument,
                                                    clang::QualType type,
                                                    const clang::ASTContext& context,
                                                    host_run& run) {
  std::map<std::string, std::uint64_t> result;
  const std::vector<located_field> fields = located_fields_of(context, type, "");
  if (fields.empty() || argument->isInstantiationDependent()) return result;
  std::vector<std::vector<long long>> paths;
  for (const located_field& field : fields) paths.push_back(field.path);
  const std::vector<host_value> values = run.parts(argument, paths);
  for (std::size_t number = 0; number < fields.size(); ++number)
    if (!fields[number].declared.is_pointer)
      if (const auto bits = bits_of_value(values[number], fields[number].type, context))
        result.emplace(fields[number].declared.name, *bits);
  return result;
}

// The parts of a launch, `<<<..>>>(..)` or a call of a library.
struct launch_parts {
  const clang::Expr *grid = nullptr, *block = nullptr, *bytes = nullptr;
  const clang::Expr* cluster = nullptr;  // of a launch with attributes
  std::vector<const clang::Expr*> arguments;
  const clang::Expr* pointers = nullptr;  // to the arguments, in place of them
};

// The size that the prelude's cudaLaunchKernelEx() hides in the stream.
const clang::Expr* cluster_in(const clang::Expr* stream) {
  const auto* const call = llvm::dyn_cast<clang::CallExpr>(stream->IgnoreParenImpCasts());
  const clang::FunctionDecl* const called = call == nullptr ? nullptr : call->getDirectCallee();
  return called != nullptr && called->getNameAsString() == "__bankmodel_clustered" ? call->getArg(0)
                                                                                   : nullptr;
}

launch_parts parts_of(const clang::CallExpr* call) {
  launch_parts result;
  const auto* const as_written = llvm::dyn_cast<clang::CUDAKernelCallExpr>(call);
  const clang::CallExpr* const configuration =
      as_written == nullptr ? call : as_written->getConfig();
  const unsigned first = as_written == nullptr ? 1 : 0;  // behind the kernel
  if (configuration != nullptr && configuration->getNumArgs() >= first + 2) {
    result.grid = configuration->getArg(first);
    result.block = configuration->getArg(first + 1);
    const unsigned bytes = as_written == nullptr ? 4 : 2;
    if (configuration->getNumArgs() > bytes) result.bytes = configuration->getArg(bytes);
    if (configuration->getNumArgs() > bytes + 1)
      result.cluster = cluster_in(configuration->getArg(bytes + 1));
  }
  if (as_written == nullptr)
    result.pointers = call->getArg(3);
  else
    result.arguments = {call->arg_begin(), call->arg_end()};
  return result;
}

// The numbers of a launch to which the program came.
void fill(found_launch& result, const launch_parts& parts, const clang::FunctionDecl* kernel,
          const clang::ASTContext& context, host_run& run) {
  if (parts.grid != nullptr) {
    result.grid = dimensions_of(parts.grid, run);
    result.block = dimensions_of(parts.block, run);
    result.dynamic_shared_bytes = 0;
    if (parts.bytes != nullptr) {
      const host_value bytes = run.evaluate(parts.bytes);
      result.dynamic_shared_bytes.reset();
      if (bytes.is == host_value::kind::integer) result.dynamic_shared_bytes = bytes.integer;
    }
  }
  // Without attributes each block is a cluster.
  result.cluster =
      parts.cluster == nullptr ? launch_extents{1, 1, 1} : dimensions_of(parts.cluster, run);
  result.arguments.clear();
  result.fields.clear();
  const std::size_t count =
      parts.pointers == nullptr ? parts.arguments.size() : kernel->getNumParams();
  for (unsigned number = 0; number < count && number < kernel->getNumParams(); ++number) {
    const clang::QualType type = kernel->getParamDecl(number)->getType();
    result.arguments.push_back(
        parts.pointers == nullptr
            ? bits_of(parts.arguments[number], type, context, run)
            : bits_of_value(run.pointed_to(parts.pointers, number), type, context));
    result.fields.push_back(parts.pointers == nullptr
                                ? bits_of_fields(parts.arguments[number], type, context, run)
                                : std::map<std::string, std::uint64_t>());
  }
  if (parts.block == nullptr || result.block) return;
  result.block_depends_on = unknown_in(parts.block, run);
  result.known_axes = known_dimensions_of(parts.block, run);
}

bool is_same(const found_launch& left, const found_launch& right) {
  return left.grid == right.grid && left.block == right.block && left.cluster == right.cluster &&
         left.dynamic_shared_bytes == right.dynamic_shared_bytes &&
         left.arguments == right.arguments && left.fields == right.fields;
}

// That of the launch, or of the call of our own function that makes it.
clang::PresumedLoc place_of_launch(const std::vector<host_step>& way,
                                   const clang::SourceManager& files) {
  clang::PresumedLoc result;
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    result = files.getPresumedLoc(files.getFileLoc(step->calls->getBeginLoc()));
    if (result.isInvalid() || llvm::StringRef(result.getFilename()) != prelude_file) break;
  }
  return result;
}

// The texts of a launch's bytes and of the calls that limit them; none if one is not known.
std::vector<source_piece> bytes_written(const clang::Expr* bytes, const clang::FunctionDecl* kernel,
                                        const std::vector<limiting_call>& limits,
                                        const clang::ASTContext& context) {
  if (bytes == nullptr || llvm::isa<clang::CXXDefaultArgExpr>(bytes)) return {};
  std::vector<const clang::Expr*> expressions = {bytes};
  for (const auto& [call, limited] : limits) {
    if (limited == nullptr) return {};  // a pointer, to this kernel or to another one
    if (limited->getCanonicalDecl() == kernel->getCanonicalDecl())
      expressions.push_back(call->getArg(2));
  }
  std::vector<source_piece> result;
  for (const clang::Expr* const expression : expressions) {
    const auto piece = piece_of_tokens(context, expression->getSourceRange());
    if (!piece || piece->file == prelude_file || expression->HasSideEffects(context)) return {};
    result.push_back(*piece);
  }
  return result;
}

std::vector<std::string> arguments_written(const launch_parts& parts,
                                           const clang::ASTContext& context) {
  std::vector<std::string> result;
  for (const clang::Expr* const argument : parts.arguments) {
    const auto piece = piece_of_tokens(context, argument->getSourceRange());
    result.push_back(piece && !argument->HasSideEffects(context) ? piece->text : "");
  }
  return result;
}

// The step from which the launch is made; below it are functions of the prelude, which make it.
std::size_t own_step(const std::vector<host_step>& way, const clang::SourceManager& files) {
  std::size_t result = way.size() - 1;
  const auto is_of_prelude = [&](const host_step& step) {
    const clang::PresumedLoc location =
        files.getPresumedLoc(files.getFileLoc(step.calls->getBeginLoc()));
    return location.isValid() && llvm::StringRef(location.getFilename()) == prelude_file;
  };
  while (result > 0 && is_of_prelude(way[result])) --result;
  return result;
}

void set_place(const written_launch& launch, const clang::SourceManager& files,
               found_launch& result) {
  result.kernel = kernel_name(*launch.kernel);
  const clang::PresumedLoc location = place_of_launch(launch.way, files);
  if (location.isInvalid()) return;
  result.file = location.getFilename();
  result.line = static_cast<int>(location.getLine());
  result.column = static_cast<int>(location.getColumn());
}

found_launch followed(const written_launch& launch, const clang::ASTContext& context,
                      const std::vector<std::string>& arguments,
                      const std::map<std::string, long long>& assumed,
                      const std::vector<limiting_call>& limits, effects_of_file& effects) {
  const auto& [call, kernel, way] = launch;
  const launch_parts parts = parts_of(call);
  // The values that the user gives are those of the variables that the launch passes.
  const auto assume = [&](host_run& run) {
    bool is_changed = false;
    for (unsigned number = 0; number < parts.arguments.size() && number < kernel->getNumParams();
         ++number)
      for (const std::string& name :
           {kernel->getParamDecl(number)->getNameAsString(), "p" + std::to_string(number)})
        if (const auto value = assumed.find(name); value != assumed.end())
          is_changed = run.assume(parts.arguments[number], host_value::of_integer(value->second)) ||
                       is_changed;
    return is_changed;
  };
  const auto follow = [&](host_run& run, int passed) {
    const bool is_there = run.follow(way, passed);
    return assume(run) ? run.follow(way, passed) : is_there;
  };
  host_run run(context, arguments, effects);
  follow(run, 0);
  found_launch result;
  set_place(launch, context.getSourceManager(), result);
  result.is_passed_over = run.is_passed_over();
  fill(result, parts, kernel, context, run);
  // What stays known if nobody knows what the function is called with.
  found_launch alone = result;
  if (const std::size_t first = own_step(way, context.getSourceManager()); first > 0) {
    host_run of_any_call(context, {}, effects);
    of_any_call.follow({way.begin() + static_cast<std::ptrdiff_t>(first), way.end()}, 0);
    fill(alone, parts, kernel, context, of_any_call);
  }
  result.has_block_of_caller = !alone.block || alone.block != result.block;
  result.has_arguments_of_caller = alone.arguments != result.arguments;
  result.has_bytes_of_caller = alone.dynamic_shared_bytes != result.dynamic_shared_bytes;
  result.bytes_written = bytes_written(parts.bytes, kernel, limits, context);
  result.arguments_written = arguments_written(parts, context);
  // The later ones of a loop, those with other numbers.
  constexpr int most_launches = 64;
  for (int passed = 1; run.is_in_loop() && !result.is_passed_over && passed < most_launches;
       ++passed) {
    host_run later(context, arguments, effects);
    if (!follow(later, passed)) break;
    result.times = passed + 1;
    found_launch next;
    fill(next, parts, kernel, context, later);
    if (is_same(next, result)) continue;
    const bool is_new =
        std::none_of(result.later.begin(), result.later.end(),
                     [&](const found_launch& other) { return is_same(next, other); });
    if (!is_new) continue;
    next.number = passed;
    result.later.push_back(std::move(next));
  }
  return result;
}

}  // namespace

std::vector<found_launch> follow_launches(const written_launches& launches,
                                          const linkage_names& left_out,
                                          const clang::ASTContext& context,
                                          const std::vector<std::string>& arguments,
                                          const std::map<std::string, long long>& assumed) {
  effects_of_file effects;
  std::vector<found_launch> result;
  for (const written_launch& launch : launches.launches)
    if (contains(left_out, *launch.kernel))
      set_place(launch, context.getSourceManager(), result.emplace_back());
    else
      result.push_back(followed(launch, context, arguments, assumed, launches.limits, effects));
  if (launches.sets_clusters)
    for (found_launch& launch : result) launch.cluster.reset();
  return result;
}

}  // namespace compiled
