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
  const auto entry = cells_.find(cell);
  if (entry != cells_.end()) return entry->second;
  const auto required = required_.find(variable);
  return required == required_.end() || !cell.path.empty()
             ? host_value{}
             : converted(required->second, variable->getType(), context_);
}

// It has its first value when main() begins, whatever is written to others before it is read here.
void host_run::initialize_global(const clang::VarDecl* variable) {
  const clang::VarDecl* definition = nullptr;
  const clang::Expr* const first = variable->getAnyInitializer(definition);
  const bool is_of_device =
      variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>();
  if (first == nullptr || first->isValueDependent() || variable->getType()->isReferenceType() ||
      ((is_of_device || globals_are_unknown_) && !variable->getType().isConstQualified()))
    return;
  if (is_before_main_) return initialize({variable, {}}, variable->getType(), first);
  host_run startup(context_, arguments_, effects_);
  startup.is_before_main_ = true;
  (void)startup.read({variable, {}});
  for (const auto& [cell, value] : startup.cells_)
    if (cell.variable == variable) cells_[cell] = value;
  addressed_.insert(startup.addressed_.begin(), startup.addressed_.end());
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
  for (auto entry = cells_.begin(); entry != cells_.end();) {
    const clang::VarDecl* const variable = entry->first.variable;
    const bool is_lost = variable != nullptr && variable->hasGlobalStorage() &&
                         !variable->getType().isConstQualified();
    entry = is_lost ? cells_.erase(entry) : std::next(entry);
  }
}

void host_run::forget_written(const clang::Stmt* statement) {
  if (statement == nullptr) return;
  const host_effects& effects = effects_.lookup(statement);
  addressed_.insert(effects.addressed.begin(), effects.addressed.end());
  bool is_anywhere = effects.writes_anywhere || effects.calls_unknown;
  std::vector<host_cell> lost;
  for (const clang::VarDecl* const variable : effects.written) {
    const bool is_reference = variable->getType()->isReferenceType();
    const auto reference = references_.find(variable);
    if (!is_reference)
      lost.push_back({variable, {}});
    else if (reference != references_.end())
      lost.push_back(reference->second);
    else
      is_anywhere = true;
  }
  for (const clang::VarDecl* const variable : effects.pointers) {
    const auto reference = references_.find(variable);
    const host_cell cell =
        reference == references_.end() ? host_cell{variable, {}} : reference->second;
    const host_value pointer = effects.written.count(variable) != 0 ? host_value{} : read(cell);
    if (pointer.is == host_value::kind::place)
      lost.push_back(pointer.place);
    else if (!pointer.is_known())
      is_anywhere = true;
  }
  if (effects.calls_unknown)  // it may keep the references that it is given
    for (const host_cell& cell : lost)
      if (cell.variable != nullptr) addressed_.insert(cell.variable);
  for (const host_cell& cell : lost) forget(cell);
  if (is_anywhere)
    for (const clang::VarDecl* const variable : addressed_) forget({variable, {}});
  if (effects.calls_unknown) forget_globals();
}

void host_run::note_addressed(const std::optional<host_cell>& cell) {
  if (cell && cell->variable != nullptr) addressed_.insert(cell->variable);
}

// The cells of one object become those of another, which has none before.
void host_run::copy(const host_cell& target, const host_cell& source) {
  (void)read(source);
  if (is_disordered_ || required_.count(target.variable) != 0) return;
  std::vector<std::pair<host_cell, host_value>> copies;
  for (auto entry = cells_.lower_bound(source); entry != cells_.end(); ++entry) {
    const std::vector<long long>& path = entry->first.path;
    if (entry->first.variable != source.variable || path.size() < source.path.size() ||
        !std::equal(source.path.begin(), source.path.end(), path.begin()))
      break;
    host_cell cell = target;
    cell.path.insert(cell.path.end(), path.begin() + static_cast<long>(source.path.size()),
                     path.end());
    copies.emplace_back(std::move(cell), entry->second);
  }
  if (copies.empty()) {  // it may be a required value
    if (const host_value value = read(source); value.is_known()) cells_[target] = value;
    return;
  }
  for (auto& [cell, value] : copies) cells_[cell] = std::move(value);
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
    const auto position = number < 0 ? -1 - number : number;
    if (number < 0 && position < static_cast<long long>(record->getNumBases())) {
      type = std::next(record->bases_begin(), position)->getType();
      continue;
    }
    const auto field = std::find_if(record->field_begin(), record->field_end(), [&](auto* member) {
      return static_cast<long long>(member->getFieldIndex()) == number;
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
  for (const clang::CXXBaseSpecifier* const step : cast->path()) {
    if (record == nullptr || step->isVirtual()) return std::nullopt;
    unsigned number = 0;
    for (const clang::CXXBaseSpecifier& base : record->bases()) {
      if (context_.hasSameUnqualifiedType(base.getType(), step->getType())) break;
      ++number;
    }
    result = result.part(host_cell::number_of_base(number));
    record = step->getType()->getAsCXXRecordDecl();
  }
  return result;
}

std::optional<host_cell> host_run::pointee(const host_value& pointer, clang::QualType type) const {
  if (pointer.is != host_value::kind::place) return std::nullopt;
  if (pointer.place.variable == nullptr) return pointer.place;
  const clang::QualType stored_type = type_at(pointer.place);
  if (stored_type.isNull() || !context_.hasSameUnqualifiedType(stored_type, type))
    return std::nullopt;
  return pointer.place;
}

host_value host_run::moved(const host_value& pointer, long long distance) const {
  if (distance == 0 || pointer.is == host_value::kind::heap) return pointer;
  if (pointer.is != host_value::kind::place || pointer.place.path.empty()) return {};
  if (pointer.place.variable != nullptr) {
    host_cell array = pointer.place;
    array.path.pop_back();
    const clang::QualType type = type_at(array);
    if (type.isNull() || context_.getAsConstantArrayType(type) == nullptr) return {};
  } else if (pointer.place.path.size() != 2) {
    return {};
  }
  host_value result = pointer;
  result.place.path.back() += distance;
  return result;
}

void host_run::initialize(const host_cell& cell, clang::QualType type,
                          const clang::Expr* initializer) {
  initializer = without_wrappers(initializer);
  if (initializer->containsErrors() || initializer->isValueDependent())
    return forget_written(initializer);
  if (const auto* const list = llvm::dyn_cast<clang::InitListExpr>(initializer)) {
    if (type->isRecordType() || type->isArrayType()) return initialize_all(cell, type, list);
    if (list->getNumInits() == 1) return initialize(cell, type, list->getInit(0));
  }
  if (const auto* const either = llvm::dyn_cast<clang::ConditionalOperator>(initializer);
      either != nullptr && either->isPRValue() && type->isRecordType()) {
    const host_value condition = evaluate(either->getCond());
    if (condition.is_known())
      return initialize(cell, type,
                        condition.is_true() ? either->getTrueExpr() : either->getFalseExpr());
    forget_written(either->getTrueExpr());
    return forget_written(either->getFalseExpr());
  }
  if (!type->isRecordType()) {
    if (type->isArrayType()) return forget_written(initializer);
    return write(cell, converted(evaluate(initializer), type, context_));
  }
  if (const auto* const cast = llvm::dyn_cast<clang::CastExpr>(initializer)) {
    const auto kind = cast->getCastKind();
    if (kind == clang::CK_NoOp || kind == clang::CK_ConstructorConversion ||
        kind == clang::CK_UserDefinedConversion || kind == clang::CK_LValueToRValue)
      return initialize(cell, type, cast->getSubExpr());
    return forget_written(initializer);
  }
  if (const auto* const construction = llvm::dyn_cast<clang::CXXConstructExpr>(initializer))
    return construct(cell, construction);
  if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(initializer)) {
    (void)evaluate_call(call, cell);
    if (returned_) copy(cell, *returned_);
    return;
  }
  if (const std::optional<host_cell> source =
          initializer->isGLValue() ? locate(initializer) : std::nullopt)
    copy(cell, *source);
  else if (!initializer->isGLValue())
    forget_written(initializer);
}

void host_run::initialize_all(const host_cell& cell, clang::QualType type,
                              const clang::InitListExpr* list) {
  std::vector<std::pair<long long, clang::QualType>> parts;
  if (const auto* const array = context_.getAsConstantArrayType(type)) {
    for (unsigned position = 0; position < list->getNumInits() && position < most_elements;
         ++position)
      parts.emplace_back(position, array->getElementType());
  } else if (const auto* const record = type->getAsCXXRecordDecl(); !has_no_parts(record)) {
    unsigned base = 0;
    for (const clang::CXXBaseSpecifier& specifier : record->bases())
      parts.emplace_back(host_cell::number_of_base(base++), specifier.getType());
    for (const clang::FieldDecl* const field : record->fields())
      if (!field->isBitField())
        parts.emplace_back(field->getFieldIndex(), field->getType());
      else if (!field->getName().empty())  // others have no value in the list
        parts.emplace_back(0, clang::QualType());
  }
  for (unsigned position = 0; position < list->getNumInits(); ++position) {
    const clang::Expr* const initializer = list->getInit(position);
    if (initializer == nullptr) continue;
    if (position >= parts.size() || parts[position].second.isNull())
      forget_written(initializer);
    else if (parts[position].second->isReferenceType())
      note_addressed(locate(initializer));
    else
      initialize(cell.part(parts[position].first), parts[position].second, initializer);
  }
}

std::vector<host_value> host_run::parts(const clang::Expr* expression,
                                        const std::vector<std::vector<long long>>& paths) {
  const host_cell object = temporary();
  initialize(object, expression->getType(), expression);
  std::vector<host_value> result;
  for (const std::vector<long long>& path : paths) {
    host_cell part = object;
    part.path.insert(part.path.end(), path.begin(), path.end());
    result.push_back(read(part));
  }
  return result;
}

}  // namespace compiled
