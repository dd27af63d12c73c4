// SPDX-License-Identifier: MIT
// Generated expressions and loops in the notation beside the values that the compiler's own
// operators give, with its types and conversions.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "one_thread.hpp"

using namespace one_thread;

namespace {

// A value with its type, as C++'s operators have it; nothing where C++ leaves it open.
using number = std::variant<int, unsigned, long long, unsigned long long>;
using maybe = std::optional<number>;
constexpr unsigned some_threads[][2] = {{0, 0}, {1, 0}, {2, 1},  {3, 3},
                                        {7, 2}, {8, 0}, {14, 1}, {15, 3}};
constexpr std::size_t threads = std::size(some_threads);
constexpr int most_trips = 310;  // of a generated loop

struct expression {
  std::string text;
  number like;  // of its type
  std::array<maybe, threads> worth = {};
};

template <class Operation>
maybe of_both(const maybe& a, const maybe& b, const Operation& computed) {
  if (!a || !b) return {};
  return std::visit([&](auto x, auto y) -> maybe { return computed(x, y); }, *a, *b);
}

struct binary_operator {
  const char* symbol;
  maybe (*of)(const maybe&, const maybe&);
};
#define ARITHMETIC(symbol, builtin)                                       \
  {#symbol, [](const maybe& a, const maybe& b) {                          \
     return of_both(a, b, [](auto x, auto y) -> maybe {                   \
       using result = decltype(x symbol y);                               \
       result unused = 0;                                                 \
       if (builtin(x, y, &unused) && std::is_signed_v<result>) return {}; \
       return x symbol y;                                                 \
     });                                                                  \
   }}
#define QUOTIENT(symbol)                                                               \
  {#symbol, [](const maybe& a, const maybe& b) {                                       \
     return of_both(a, b, [](auto x, auto y) -> maybe {                                \
       using result = decltype(x symbol y);                                            \
       if (y == 0 || (std::is_signed_v<result> && result(y) == result(-1))) return {}; \
       return x symbol y;                                                              \
     });                                                                               \
   }}
#define ALWAYS(symbol)                                                            \
  {#symbol, [](const maybe& a, const maybe& b) {                                  \
     return of_both(a, b, [](auto x, auto y) -> maybe { return +(x symbol y); }); \
   }}
const binary_operator binary_operators[] = {ARITHMETIC(+, __builtin_add_overflow),
                                            ARITHMETIC(-, __builtin_sub_overflow),
                                            ARITHMETIC(*, __builtin_mul_overflow),
                                            QUOTIENT(/),
                                            QUOTIENT(%),
                                            ALWAYS(&),
                                            ALWAYS(|),
                                            ALWAYS(^),
                                            ALWAYS(<),
                                            ALWAYS(<=),
                                            ALWAYS(>),
                                            ALWAYS(>=),
                                            ALWAYS(==),
                                            ALWAYS(!=)};
#undef ARITHMETIC
#undef QUOTIENT
#undef ALWAYS

maybe shifted(const maybe& a, const maybe& b, bool left) {
  return of_both(a, b, [&](auto x, auto y) -> maybe {
    using result = decltype(x << y);
    const auto bits = static_cast<long long>(y);
    if (bits < 0 || bits >= static_cast<long long>(8 * sizeof(result)) || bits > 62) return {};
    result unused = 0;
    if (left && __builtin_mul_overflow(x, 1ll << bits, &unused) && std::is_signed_v<result>)
      return {};
    return left ? x << y : x >> y;
  });
}

struct named_type {
  const char* name;
  maybe (*convert)(const number&);  // to it, and then as an operand
};
template <class Type>
maybe converted_to(const number& of) {
  return std::visit([](auto x) -> maybe { return +static_cast<Type>(x); }, of);
}
constexpr named_type types[] = {{"int", converted_to<int>},
                                {"unsigned", converted_to<unsigned>},
                                {"long long", converted_to<long long>},
                                {"unsigned long long", converted_to<unsigned long long>},
                                {"short", converted_to<short>},
                                {"unsigned short", converted_to<unsigned short>},
                                {"signed char", converted_to<signed char>},
                                {"uint8_t", converted_to<std::uint8_t>},
                                {"bool", converted_to<bool>}};

bool is_true(const number& of) {
  return std::visit([](auto x) { return x != 0; }, of);
}
long long as_long(const number& of) {
  return std::visit([](auto x) { return static_cast<long long>(x); }, of);
}

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  // Declares variables, changes some of them, and stores elements.
  struct kernel_text {
    std::string text;
    bool is_open = false;  // in C++, in one of the threads
    std::array<events, threads> stored = {};
  };
  kernel_text kernel() {
    kernel_text result;
    variables_.clear();
    for (unsigned left = below(3); left > 0; --left) result.text += declaration();
    for (unsigned left = variables_.empty() ? 0 : below(3); left > 0; --left)
      result.text += change();
    if (below(3) != 0) {
      const expression value = any(3);
      result.text += "a[(long long)" + value.text + "] = 1;";
      store(result, value.worth, [](const number& of) { return as_long(of); });
    } else {
      const expression condition = any(3), value = any(2);
      result.text +=
          "if (" + condition.text + ") a[(" + value.text + ") & 4095] = 1; else a[5000] = 1;";
      for (std::size_t at = 0; at < threads; ++at)
        if (condition.worth[at] && !is_true(*condition.worth[at]))
          result.stored[at] = {{'s', 5000}};
        else if (condition.worth[at] && value.worth[at])
          result.stored[at] = {{'s', as_long(*value.worth[at]) & 4095}};
        else
          result.is_open = true;
    }
    for (const variable& one : variables_)
      for (const maybe& each : one.value.worth) result.is_open = result.is_open || !each;
    return result;
  }

  // for (T v = first; v < last; v += step) a[v & 4095] = 1;
  kernel_text loop() {
    struct step {
      const char* symbol;
      std::size_t computed;
    };
    constexpr step steps[] = {{"+", 0}, {"-", 1}, {"*", 2}, {"/", 3}};
    constexpr unsigned narrow = std::size(types) - 1;  // the last one is bool
    const named_type& type = types[below(2) == 0 ? below(2) : below(narrow)];
    const binary_operator& until = binary_operators[8 + below(6)];
    const unsigned way = below(8);  // sums, then products, then shifts
    const step& how = steps[way < 4 ? way % 2 : way < 6 ? 2 + way % 2 : 0];
    variables_.clear();
    const expression first = any(1), last = any(1);
    const int factor = 1 + int(below(way < 4 ? 9 : 3));
    const expression by = below(6) == 0 ? any(1) : constant(std::to_string(factor), factor);

    kernel_text result;
    const std::string symbol = way < 6 ? how.symbol : way == 6 ? "<<" : ">>";
    result.text = std::string("for (") + type.name + " v = " + first.text + "; v " + until.symbol +
                  " " + last.text + "; v " + symbol + "= " + by.text + ") a[v & 4095] = 1;";
    for (std::size_t at = 0; at < threads && !result.is_open; ++at) {
      maybe v = first.worth[at] ? type.convert(*first.worth[at]) : maybe();
      for (int trips = 0; v; ++trips) {
        const maybe holds = until.of(v, last.worth[at]);
        if (holds && !is_true(*holds)) break;
        if (!holds || trips == most_trips) v.reset();
        if (!v) break;
        result.stored[at].push_back({'s', as_long(*v) & 4095});
        const maybe next = way < 6 ? binary_operators[how.computed].of(v, by.worth[at])
                                   : shifted(v, by.worth[at], way == 6);
        v = next ? type.convert(*next) : maybe();
      }
      result.is_open = result.is_open || !v;
      std::sort(result.stored[at].begin(), result.stored[at].end());
    }
    return result;
  }

  expression any(int depth) {
    if (depth == 0 || below(6) == 0) return leaf();
    switch (below(10)) {
      case 0: return unary(any(depth - 1));
      case 1: return cast(any(depth - 1));
      case 2: return choice(any(depth - 1), any(depth - 1), any(depth - 1));
      case 3: return shift(any(depth - 1));
      case 4: return logical(any(depth - 1), any(depth - 1));
      case 5: return extreme(any(depth - 1), any(depth - 1));
      default: return binary(any(depth - 1), any(depth - 1));
    }
  }

 private:
  struct variable {
    const named_type* type;
    expression value;
  };

  template <class Worth, class Place>
  static void store(kernel_text& to, const Worth& worth, const Place& place) {
    for (std::size_t at = 0; at < threads; ++at)
      if (worth[at])
        to.stored[at] = {{'s', place(*worth[at])}};
      else
        to.is_open = true;
  }

  // Of each thread, from those of the parts.
  template <class Computed>
  static expression made(std::string text, const number& like, const Computed& computed) {
    expression result{std::move(text), like};
    for (std::size_t at = 0; at < threads; ++at) result.worth[at] = computed(at);
    return result;
  }

  expression constant(std::string text, const number& value) {
    return made(std::move(text), value, [&](std::size_t) { return value; });
  }

  expression leaf() {
    if (!variables_.empty() && below(3) == 0)
      return variables_[below(unsigned(variables_.size()))].value;
    const long long small = below(20), large = 1ll << below(31),
                    any = small + (below(2) == 0 ? large : 0);
    switch (below(9)) {
      case 0:
      case 1: return made("threadIdx.x", 1u, [](std::size_t at) { return some_threads[at][0]; });
      case 2: return made("threadIdx.y", 1u, [](std::size_t at) { return some_threads[at][1]; });
      case 3: return made("tx", 1, [](std::size_t at) { return int(some_threads[at][0]); });
      case 4: return constant("blockDim.x", 16u);
      case 5: return constant(std::to_string(any) + "u", unsigned(any));
      case 6: return constant(std::to_string(any * 64) + "ll", any * 64);
      case 7: return constant("sizeof(float4)", 16ull);
      default: return constant(std::to_string(small), int(small));
    }
  }

  expression unary(const expression& of) {
    const unsigned which = below(3);
    const auto computed = [&](const maybe& x) -> maybe {
      if (!x) return {};
      return std::visit(
          [&](auto y) -> maybe {
            if (which == 0) return +!y;
            if (which == 1) return ~y;
            if (std::is_signed_v<decltype(y)> && y == std::numeric_limits<decltype(y)>::min())
              return {};
            return -y;
          },
          *x);
    };
    return made(std::string(1, "!~-"[which]) + "(" + of.text + ")", *computed(of.like),
                [&](std::size_t at) { return computed(of.worth[at]); });
  }

  expression cast(const expression& of) {
    const named_type& to = types[below(std::size(types))];
    const std::string text = std::string("(") + to.name + ")(" + of.text + ")";
    return made(text, *to.convert(of.like),
                [&](std::size_t at) { return of.worth[at] ? to.convert(*of.worth[at]) : maybe(); });
  }

  expression choice(const expression& test, const expression& left, const expression& right) {
    const auto as_both = [](const maybe& value, const number& other) {
      return of_both(value, other, [](auto x, auto y) -> maybe { return true ? x : y; });
    };
    return made("(" + test.text + " ? " + left.text + " : " + right.text + ")",
                *as_both(left.like, right.like), [&](std::size_t at) -> maybe {
                  if (!test.worth[at]) return {};
                  return is_true(*test.worth[at]) ? as_both(left.worth[at], right.like)
                                                  : as_both(right.worth[at], left.like);
                });
  }

  expression shift(const expression& of) {
    const bool left = below(2) == 0;
    const int bits = int(below(12));
    const expression count = below(4) == 0 ? any(1) : constant(std::to_string(bits), bits);
    return made("(" + of.text + (left ? " << " : " >> ") + count.text + ")", of.like,
                [&](std::size_t at) { return shifted(of.worth[at], count.worth[at], left); });
  }

  expression logical(const expression& left, const expression& right) {
    const bool both = below(2) == 0;
    return made("(" + left.text + (both ? " && " : " || ") + right.text + ")", 1,
                [&](std::size_t at) -> maybe {
                  if (!left.worth[at]) return {};
                  const bool first = is_true(*left.worth[at]);
                  if (first != both) return int(first);
                  return right.worth[at] ? maybe(int(is_true(*right.worth[at]))) : maybe();
                });
  }

  expression extreme(const expression& left, const expression& right) {
    const bool least = below(2) == 0;
    const auto computed = [&](const maybe& a, const maybe& b) {
      return of_both(a, b, [&](auto x, auto y) -> maybe { return least ? min(x, y) : max(x, y); });
    };
    return made((least ? "min(" : "max(") + left.text + ", " + right.text + ")",
                *computed(left.like, right.like),
                [&](std::size_t at) { return computed(left.worth[at], right.worth[at]); });
  }

  expression binary(const expression& left, const expression& right) {
    const binary_operator& how = binary_operators[below(std::size(binary_operators))];
    return made("(" + left.text + " " + how.symbol + " " + right.text + ")",
                how.of(left.like, right.like).value_or(number(1)),
                [&](std::size_t at) { return how.of(left.worth[at], right.worth[at]); });
  }

  std::string declaration() {
    const named_type& type = types[below(std::size(types))];
    const expression value = any(2);
    const std::string name = "v" + std::to_string(variables_.size());
    variables_.push_back({&type, made(name, *type.convert(value.like), [&](std::size_t at) {
                            return value.worth[at] ? type.convert(*value.worth[at]) : maybe();
                          })});
    return std::string(type.name) + " " + name + " = " + value.text + ";\n";
  }

  // v = .., v += .., v++, if (..) v = ..
  std::string change() {
    variable& of = variables_[below(unsigned(variables_.size()))];
    const std::string name = of.value.text;
    const expression value = any(2), test = any(2);
    const auto assign = [&](std::size_t at, const maybe& to) {
      of.value.worth[at] = to ? of.type->convert(*to) : maybe();
    };
    const unsigned which = below(4);
    const binary_operator& how = binary_operators[below(8)];
    for (std::size_t at = 0; at < threads; ++at) {
      if (which == 0) assign(at, value.worth[at]);
      if (which == 1) assign(at, how.of(of.value.worth[at], value.worth[at]));
      if (which == 2) assign(at, binary_operators[0].of(of.value.worth[at], number(1)));
      if (which == 3 && !test.worth[at]) assign(at, {});
      if (which == 3 && test.worth[at] && is_true(*test.worth[at])) assign(at, value.worth[at]);
    }
    if (which == 0) return name + " = " + value.text + ";\n";
    if (which == 1) return name + " " + how.symbol + "= " + value.text + ";\n";
    if (which == 2) return (below(2) == 0 ? name + "++" : "++" + name) + ";\n";
    return "if (" + test.text + ") " + name + " = " + value.text + ";\n";
  }

  std::mt19937 random_;
  std::vector<variable> variables_;
};

struct outcomes {
  int compared = 0, refused = 0, open = 0;  // open: C++ leaves it so, or it runs long
};

// The accesses of one thread; nothing if the library refuses a value.
std::optional<events> stored_by(const cl::kernel_file& file, std::size_t at) {
  try {
    return of_notation(file, {{some_threads[at][0], some_threads[at][1], 0}, {0, 0, 0}});
  } catch (const not_computed&) {
    return {};
  }
}

template <class Generated>
outcomes compare_generated(int wanted, const Generated& generated) {
  outcomes result;
  for (unsigned seed = 0; result.compared < wanted; ++seed) {
    const generator::kernel_text kernel = generated(generator(seed));
    cl::kernel_file file;
    try {
      file = cl::read_kernel_file({"test", head + kernel.text});
    } catch (const cl::refusal&) {
      ++result.refused;
      continue;
    }
    if (kernel.is_open) {
      ++result.open;
      continue;
    }
    bool is_computed = true;
    for (std::size_t at = 0; at < threads; ++at) {
      INFO("seed " << seed << ": " << kernel.text);
      INFO("thread " << some_threads[at][0] << ", " << some_threads[at][1]);
      const auto found = stored_by(file, at);
      is_computed = is_computed && found.has_value();
      if (found && *found != kernel.stored[at])
        CHECK(text_of(*found) == text_of(kernel.stored[at]));
    }
    result.compared += is_computed;
    REQUIRE(seed < 10u * static_cast<unsigned>(wanted));
  }
  return result;
}

}  // namespace

TEST_CASE("generated expressions have the values that the compiler's operators give") {
  const outcomes found =
      compare_generated(20'000, [](generator random) { return random.kernel(); });
  INFO(found.refused << " refused, " << found.open << " open in C++");
  CHECK(found.refused < 40'000);
}

TEST_CASE("generated loops run as with the compiler's operators") {
  const outcomes found = compare_generated(5'000, [](generator random) { return random.loop(); });
  INFO(found.refused << " refused, " << found.open << " open in C++");
  CHECK(found.refused < 35'000);
}
