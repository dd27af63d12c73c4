// SPDX-License-Identifier: MIT
// Variables and objects of host code that is followed to a launch.
#include <clang/AST/Attr.h>

#include <algorithm>
#include <iterator>

#include "host_run.hpp"

namespace compiled {

namespace {

constexpr unsigned most_elements = 256;

bool has_no_parts(const clang::CXXRecordDecl* record) {
  return record == nullptr || record->isUnion() || record->getNumVBases() > 0;
}

}  // namespace

host_value host_run::read(const host_cell& cell) {
  const clang::VarDecl* const variable = cell.variable;
  if (variable != nullptr && variable->hasGlobalStorage() && !variable->isStaticLocal() &&
      initialized_.insert(variable).second)
    initialize_global(variable);
  const auto found = cells_.find(cell);
  if (found != cells_.end()) return found->second;
  const auto required = required_.find(variable);
  return required == required_.end() || !cell.path.empty()
             ? host_value{}
             : converted(required->second, variable->getType(), context_);
}

// It has its first value when main() begins, whatever is written to others before it is read here.
void host_run::initialize_global(const clang::VarDecl* variable) {
  const clang::VarDecl* with = nullptr;
  const clang::Expr* const first = variable->getAnyInitializer(with);
  const bool is_of_device =
      variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>();
  if (first == nullptr || first->isValueDependent() || variable->getType()->isReferenceType() ||
      ((is_of_device || globals_are_unknown_) && !variable->getType().isConstQualified()))
    return;
  if (is_before_main_) return initialize({variable, {}}, variable->getType(), first);
  host_run before(context_, arguments_, effects_);
  before.is_before_main_ = true;
  (void)before.read({variable, {}});
  for (const auto& [cell, value] : before.cells_)
    if (cell.variable == variable) cells_[cell] = value;
  addressed_.insert(before.addressed_.begin(), before.addressed_.end());
}

void host_run::write(const host_cell& cell, const host_value& value) {
  (void)read(cell);  // a variable's other members keep their first values
  const auto required = cell.path.empty() ? required_.find(cell.variable) : required_.end();
  if (required != required_.end())
    cells_[cell] = converted(required->second, cell.variable->getType(), context_);
  else if (value.is_known() && !is_disordered_)
    cells_[cell] = value;
  else
    cells_.erase(cell);
}

void host_run::forget(const host_cell& cell) {
  host_cell first{cell.variable, {}};
  if (cell.variable != nullptr)
    initialized_.insert(cell.variable);
  else
    first.path = {cell.path.front()};  // the temporary object's number
  auto last = cells_.lower_bound(first);
  while (last != cells_.end() && last->first.variable == cell.variable &&
         (cell.variable != nullptr || last->first.path.front() == cell.path.front()))
    last = cells_.erase(last);
}

void host_run::forget_globals() {
  globals_are_unknown_ = true;
  for (auto at = cells_.begin(); at != cells_.end();) {
    const clang::VarDecl* const variable = at->first.variable;
    const bool is_lost = variable != nullptr && variable->hasGlobalStorage() &&
                         !variable->getType().isConstQualified();
    at = is_lost ? cells_.erase(at) : std::next(at);
  }
}

void host_run::forget_written(const clang::Stmt* in) {
  if (in == nullptr) return;
  const host_effects& all = effects_.of(in);
  addressed_.insert(all.addressed.begin(), all.addressed.end());
  bool is_anywhere = all.writes_anywhere || all.calls_unknown;
  std::vector<host_cell> lost;
  for (const clang::VarDecl* const each : all.written) {
    const bool is_reference = each->getType()->isReferenceType();
    const auto found = references_.find(each);
    if (!is_reference)
      lost.push_back({each, {}});
    else if (found != references_.end())
      lost.push_back(found->second);
    else
      is_anywhere = true;
  }
  for (const clang::VarDecl* const each : all.pointers) {
    const auto found = references_.find(each);
    const host_cell cell = found == references_.end() ? host_cell{each, {}} : found->second;
    const host_value pointer = all.written.count(each) != 0 ? host_value{} : read(cell);
    if (pointer.is == host_value::kind::place)
      lost.push_back(pointer.place);
    else if (!pointer.is_known())
      is_anywhere = true;
  }
  if (all.calls_unknown)  // it may keep the references that it is given
    for (const host_cell& each : lost)
      if (each.variable != nullptr) addressed_.insert(each.variable);
  for (const host_cell& each : lost) forget(each);
  if (is_anywhere)
    for (const clang::VarDecl* const each : addressed_) forget({each, {}});
  if (all.calls_unknown) forget_globals();
}

void host_run::note_addressed(const std::optional<host_cell>& cell) {
  if (cell && cell->variable != nullptr) addressed_.insert(cell->variable);
}

// The cells of one object become those of another, which has none before.
void host_run::copy(const host_cell& to, const host_cell& from) {
  (void)read(from);
  if (is_disordered_ || required_.count(to.variable) != 0) return;
  std::vector<std::pair<host_cell, host_value>> made;
  for (auto at = cells_.lower_bound(from); at != cells_.end(); ++at) {
    const std::vector<long long>& path = at->first.path;
    if (at->first.variable != from.variable || path.size() < from.path.size() ||
        !std::equal(from.path.begin(), from.path.end(), path.begin()))
      break;
    host_cell cell = to;
    cell.path.insert(cell.path.end(), path.begin() + static_cast<long>(from.path.size()),
                     path.end());
    made.emplace_back(std::move(cell), at->second);
  }
  if (made.empty()) {  // it may be a required value
    if (const host_value value = read(from); value.is_known()) cells_[to] = value;
    return;
  }
  for (auto& [cell, value] : made) cells_[cell] = std::move(value);
}

clang::QualType host_run::type_at(const host_cell& cell) const {
  clang::QualType type = cell.variable->getType().getNonReferenceType();
  for (const long long number : cell.path) {
    if (const auto* const array = context_.getAsConstantArrayType(type)) {
      if (number < 0 || array->getSize().ule(static_cast<std::uint64_t>(number))) return {};
      type = array->getElementType();
      continue;
    }
    const auto* const record = type->getAsCXXRecordDecl();
    if (has_no_parts(record)) return {};
    const auto at = number < 0 ? -1 - number : number;
    if (number < 0 && at < static_cast<long long>(record->getNumBases())) {
      type = std::next(record->bases_begin(), at)->getType();
      continue;
    }
    const auto field = std::find_if(record->field_begin(), record->field_end(), [&](auto* each) {
      return static_cast<long long>(each->getFieldIndex()) == number;
    });
    if (field == record->field_end()) return {};
    type = field->getType();
  }
  return type;
}

// The part of an object that a cast to a base class names.
std::optional<host_cell> host_run::base_of(const host_cell& object,
                                           const clang::CastExpr* cast) const {
  host_cell result = object;
  clang::QualType type = cast->getSubExpr()->getType();
  if (type->isPointerType()) type = type->getPointeeType();
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  for (const clang::CXXBaseSpecifier* const each : cast->path()) {
    if (record == nullptr || each->isVirtual()) return std::nullopt;
    unsigned at = 0;
    for (const clang::CXXBaseSpecifier& base : record->bases()) {
      if (context_.hasSameUnqualifiedType(base.getType(), each->getType())) break;
      ++at;
    }
    result = result.part(host_cell::number_of_base(at));
    record = each->getType()->getAsCXXRecordDecl();
  }
  return result;
}

std::optional<host_cell> host_run::pointee(const host_value& pointer, clang::QualType type) const {
  if (pointer.is != host_value::kind::place) return std::nullopt;
  if (pointer.place.variable == nullptr) return pointer.place;
  const clang::QualType found = type_at(pointer.place);
  if (found.isNull() || !context_.hasSameUnqualifiedType(found, type)) return std::nullopt;
  return pointer.place;
}

host_value host_run::moved(const host_value& pointer, long long by) const {
  if (by == 0 || pointer.is == host_value::kind::heap) return pointer;
  if (pointer.is != host_value::kind::place || pointer.place.path.empty()) return {};
  if (pointer.place.variable != nullptr) {
    host_cell whole = pointer.place;
    whole.path.pop_back();
    const clang::QualType type = type_at(whole);
    if (type.isNull() || context_.getAsConstantArrayType(type) == nullptr) return {};
  } else if (pointer.place.path.size() != 2) {
    return {};
  }
  host_value result = pointer;
  result.place.path.back() += by;
  return result;
}

void host_run::initialize(const host_cell& cell, clang::QualType type, const clang::Expr* with) {
  with = without_wrappers(with);
  if (with->containsErrors() || with->isValueDependent()) return forget_written(with);
  if (const auto* const list = llvm::dyn_cast<clang::InitListExpr>(with)) {
    if (type->isRecordType() || type->isArrayType()) return initialize_all(cell, type, list);
    if (list->getNumInits() == 1) return initialize(cell, type, list->getInit(0));
  }
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(with);
      either != nullptr && either->isPRValue() && type->isRecordType()) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return initialize(cell, type,
                        condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either->getTrueExpr());
    return forget_written(either->getFalseExpr());
  }
  if (!type->isRecordType()) {
    if (type->isArrayType()) return forget_written(with);
    return write(cell, converted(evaluate(with), type, context_));
  }
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(with)) {
    const auto kind = cast->getCastKind();
    if (kind == clang::CK_NoOp || kind == clang::CK_ConstructorConversion ||
        kind == clang::CK_UserDefinedConversion || kind == clang::CK_LValueToRValue)
      return initialize(cell, type, cast->getSubExpr());
    return forget_written(with);
  }
  if (const auto* const made = llvm::dyn_cast<clang::CXXConstructExpr>(with))
    return construct(cell, made);
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(with)) {
    (void)evaluate_call(call, cell);
    if (returned_) copy(cell, *returned_);
    return;
  }
  if (const std::optional<host_cell> from = with->isGLValue() ? locate(with) : std::nullopt)
    copy(cell, *from);
  else if (!with->isGLValue())
    forget_written(with);
}

void host_run::initialize_all(const host_cell& cell, clang::QualType type,
                              const clang::InitListExpr* with) {
  std::vector<std::pair<long long, clang::QualType>> parts;
  if (const auto* const array = context_.getAsConstantArrayType(type)) {
    for (unsigned at = 0; at < with->getNumInits() && at < most_elements; ++at)
      parts.emplace_back(at, array->getElementType());
  } else if (const auto* const record = type->getAsCXXRecordDecl(); !has_no_parts(record)) {
    unsigned base = 0;
    for (const clang::CXXBaseSpecifier& each : record->bases())
      parts.emplace_back(host_cell::number_of_base(base++), each.getType());
    for (const clang::FieldDecl* const each : record->fields())
      if (!each->isBitField())
        parts.emplace_back(each->getFieldIndex(), each->getType());
      else if (!each->getName().empty())  // others have no value in the list
        parts.emplace_back(0, clang::QualType());
  }
  for (unsigned at = 0; at < with->getNumInits(); ++at) {
    const clang::Expr* const one = with->getInit(at);
    if (one == nullptr) continue;
    if (at >= parts.size() || parts[at].second.isNull())
      forget_written(one);
    else if (parts[at].second->isReferenceType())
      note_addressed(locate(one));
    else
      initialize(cell.part(parts[at].first), parts[at].second, one);
  }
}

std::vector<host_value> host_run::parts(const clang::Expr* of,
                                        const std::vector<std::vector<long long>>& paths) {
  const host_cell made = temporary();
  initialize(made, of->getType(), of);
  std::vector<host_value> result;
  for (const std::vector<long long>& path : paths) {
    host_cell part = made;
    part.path.insert(part.path.end(), path.begin(), path.end());
    result.push_back(read(part));
  }
  return result;
}

}  // namespace compiled
