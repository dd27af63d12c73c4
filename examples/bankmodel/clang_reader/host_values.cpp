// SPDX-License-Identifier: MIT
#include "host_values.hpp"

#include <clang/AST/ASTContext.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace compiled {

namespace {

host_value combined_reals(clang::BinaryOperatorKind operation, double left, double right) {
  switch (operation) {
    case clang::BO_Add: return host_value::of_real(left + right);
    case clang::BO_Sub: return host_value::of_real(left - right);
    case clang::BO_Mul: return host_value::of_real(left * right);
    case clang::BO_Div: return host_value::of_real(left / right);
    case clang::BO_LT: return host_value::of_integer(left < right);
    case clang::BO_GT: return host_value::of_integer(left > right);
    case clang::BO_LE: return host_value::of_integer(left <= right);
    case clang::BO_GE: return host_value::of_integer(left >= right);
    case clang::BO_EQ: return host_value::of_integer(left == right);
    case clang::BO_NE: return host_value::of_integer(left != right);
    default: return {};
  }
}

// Operators that differ for numbers with and without a sign.
template <class Integer>
host_value combined_integers(clang::BinaryOperatorKind operation, Integer left, Integer right,
                             unsigned bits) {
  const auto result = [](auto value) {
    return host_value::of_integer(static_cast<long long>(value));
  };
  const bool divides = right != 0 && right != static_cast<Integer>(-1);
  const bool shifts = static_cast<unsigned long long>(right) < bits;
  switch (operation) {
    case clang::BO_Div: return divides ? result(left / right) : host_value{};
    case clang::BO_Rem: return divides ? result(left % right) : host_value{};
    case clang::BO_Shr: return shifts ? result(left >> right) : host_value{};
    case clang::BO_Shl:
      return shifts ? result(static_cast<unsigned long long>(left) << right) : host_value{};
    case clang::BO_LT: return result(left < right);
    case clang::BO_GT: return result(left > right);
    case clang::BO_LE: return result(left <= right);
    case clang::BO_GE: return result(left >= right);
    default: return {};
  }
}

// atoi() of a text and its like.
host_value read(llvm::StringRef name, const std::vector<host_value>& arguments) {
  const char* const text = arguments[0].text.c_str();
  const bool is_based = name == "strtol" || name == "strtoul" || name == "strtoll" ||
                        name == "strtoull" || name == "stoi" || name == "stol" || name == "stoul" ||
                        name == "stoll" || name == "stoull";
  if (is_based || name == "atoi" || name == "atol" || name == "atoll") {
    const bool has_base = is_based && arguments.size() > 2;
    if (has_base && arguments[2].is != host_value::kind::integer) return {};
    return host_value::of_integer(
        std::strtoll(text, nullptr, has_base ? static_cast<int>(arguments[2].integer) : 10));
  }
  if (name == "atof" || name == "strtod" || name == "strtof" || name == "stof" || name == "stod" ||
      name == "stold")
    return host_value::of_real(std::strtod(text, nullptr));
  if (name == "strlen")
    return host_value::of_integer(static_cast<long long>(arguments[0].text.size()));
  if (name == "strcmp" && arguments.size() == 2 && arguments[1].is == host_value::kind::text)
    return host_value::of_integer(arguments[0].text.compare(arguments[1].text));
  return {};
}

}  // namespace

host_value as_real(const host_value& value, clang::QualType type) {
  if (value.is != host_value::kind::integer) return value;
  return host_value::of_real(
      type->isUnsignedIntegerOrEnumerationType()
          ? static_cast<double>(static_cast<unsigned long long>(value.integer))
          : static_cast<double>(value.integer));
}

host_value converted(const host_value& value, clang::QualType type,
                     const clang::ASTContext& context) {
  if (!value.is_number() || type.isNull()) return value;
  if (type->isBooleanType()) return host_value::of_integer(value.is_true());
  if (type->isRealFloatingType()) {
    const double real =
        value.is == host_value::kind::real ? value.real : static_cast<double>(value.integer);
    if (type->isSpecificBuiltinType(clang::BuiltinType::Float))
      return host_value::of_real(static_cast<double>(static_cast<float>(real)));
    // Others are of another width on the host.
    return type->isSpecificBuiltinType(clang::BuiltinType::Double) ? host_value::of_real(real)
                                                                   : host_value{};
  }
  if (!type->isIntegralOrEnumerationType()) return type->isPointerType() ? value : host_value{};
  long long integer = value.integer;
  if (value.is == host_value::kind::real) {
    if (!(std::fabs(value.real) < 9e18)) return {};
    integer = static_cast<long long>(value.real);
  }
  const unsigned bits = static_cast<unsigned>(context.getTypeSize(type));
  if (bits < 64) {
    const auto high = static_cast<unsigned long long>(integer) << (64 - bits);
    integer = type->isUnsignedIntegerOrEnumerationType()
                  ? static_cast<long long>(high >> (64 - bits))
                  : static_cast<long long>(high) >> (64 - bits);
  }
  return host_value::of_integer(integer);
}

host_value combined(clang::BinaryOperatorKind operation, const host_value& left,
                    const host_value& right, clang::QualType type,
                    const clang::ASTContext& context) {
  if (!left.is_number() || !right.is_number() || type.isNull()) return {};
  if (left.is == host_value::kind::real || right.is == host_value::kind::real)
    return combined_reals(operation, as_real(left, type).real, as_real(right, type).real);
  const auto first = static_cast<unsigned long long>(left.integer);
  const auto second = static_cast<unsigned long long>(right.integer);
  const auto result = [](unsigned long long value) {
    return host_value::of_integer(static_cast<long long>(value));
  };
  switch (operation) {
    case clang::BO_Add: return result(first + second);
    case clang::BO_Sub: return result(first - second);
    case clang::BO_Mul: return result(first * second);
    case clang::BO_And: return result(first & second);
    case clang::BO_Or: return result(first | second);
    case clang::BO_Xor: return result(first ^ second);
    case clang::BO_EQ: return result(first == second);
    case clang::BO_NE: return result(first != second);
    default: break;
  }
  const unsigned bits =
      type->isIntegralOrEnumerationType() ? static_cast<unsigned>(context.getTypeSize(type)) : 64;
  return type->isUnsignedIntegerOrEnumerationType()
             ? combined_integers(operation, first, second, bits)
             : combined_integers(operation, left.integer, right.integer, bits);
}

host_value called(llvm::StringRef name, const std::vector<host_value>& arguments) {
  if (!arguments.empty() && arguments[0].is == host_value::kind::text) return read(name, arguments);
  const auto is_number = [](const host_value& value) { return value.is_number(); };
  if (!std::all_of(arguments.begin(), arguments.end(), is_number)) return {};
  const auto real = [&](std::size_t position) {
    const host_value& argument = arguments[position];
    return argument.is == host_value::kind::real ? argument.real
                                                 : static_cast<double>(argument.integer);
  };
  const auto is = [&](const char* plain) {
    return name == plain || (name.back() == 'f' && name.drop_back() == plain);
  };
  if (arguments.size() == 1) {
    if (is("ceil")) return host_value::of_real(std::ceil(real(0)));
    if (is("floor")) return host_value::of_real(std::floor(real(0)));
    if (is("sqrt")) return host_value::of_real(std::sqrt(real(0)));
    if (is("log2")) return host_value::of_real(std::log2(real(0)));
    if (is("round")) return host_value::of_real(std::round(real(0)));
    if (is("fabs")) return host_value::of_real(std::fabs(real(0)));
  }
  if (arguments.size() != 2) return {};
  if (is("pow")) return host_value::of_real(std::pow(real(0), real(1)));
  const bool takes_left = real(0) < real(1);
  if (name == "min" || is("fmin")) return arguments[takes_left ? 0 : 1];
  if (name == "max" || is("fmax")) return arguments[takes_left ? 1 : 0];
  return {};
}

}  // namespace compiled
