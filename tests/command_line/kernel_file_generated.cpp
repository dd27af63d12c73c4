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
  maybe (*apply)(const maybe&, const maybe&);
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
maybe converted_to(const number& value) {
  return std::visit([](auto x) -> maybe { return +static_cast<Type>(x); }, value);
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

bool is_true(const number& value) {
  return std::visit([](auto x) { return x != 0; }, value);
}
long long as_long(const number& value) {
  return std::visit([](auto x) { return static_cast<long long>(x); }, value);
}

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}
  unsigned draw(unsigned end) { return static_cast<unsigned>(random_() % end); }

  // Declares variables, changes some of them, and stores elements.
  struct kernel_text {
    std::string text;
    bool is_open = false;  // in C++, in one of the threads
    std::array<events, threads> stored = {};
  };
  kernel_text kernel() {
    kernel_text result;
    variables_.clear();
    for (unsigned left = draw(3); left > 0; --left) result.text += declaration();
    for (unsigned left = variables_.empty() ? 0 : draw(3); left > 0; --left)
      result.text += change();
    if (draw(3) != 0) {
      const expression value = tree(3);
      result.text += "a[(long long)" + value.text + "] = 1;";
      store(result, value.worth, [](const number& operand) { return as_long(operand); });
    } else {
      const expression condition = tree(3), value = tree(2);
      result.text +=
          "if (" + condition.text + ") a[(" + value.text + ") & 4095] = 1; else a[5000] = 1;";
      for (std::size_t thread = 0; thread < threads; ++thread)
        if (condition.worth[thread] && !is_true(*condition.worth[thread]))
          result.stored[thread] = {{'s', 5000}};
        else if (condition.worth[thread] && value.worth[thread])
          result.stored[thread] = {{'s', as_long(*value.worth[thread]) & 4095}};
        else
          result.is_open = true;
    }
    for (const variable& entry : variables_)
      for (const maybe& worth : entry.value.worth) result.is_open = result.is_open || !worth;
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
    const named_type& type = types[draw(2) == 0 ? draw(2) : draw(narrow)];
    const binary_operator& test = binary_operators[8 + draw(6)];
    const unsigned way = draw(8);  // sums, then products, then shifts
    const step& increment = steps[way < 4 ? way % 2 : way < 6 ? 2 + way % 2 : 0];
    variables_.clear();
    const expression first = tree(1), last = tree(1);
    const int factor = 1 + int(draw(way < 4 ? 9 : 3));
    const expression amount = draw(6) == 0 ? tree(1) : constant(std::to_string(factor), factor);

    kernel_text result;
    const std::string symbol = way < 6 ? increment.symbol : way == 6 ? "<<" : ">>";
    result.text = std::string("for (") + type.name + " v = " + first.text + "; v " + test.symbol +
                  " " + last.text + "; v " + symbol + "= " + amount.text + ") a[v & 4095] = 1;";
    for (std::size_t thread = 0; thread < threads && !result.is_open; ++thread) {
      maybe v = first.worth[thread] ? type.convert(*first.worth[thread]) : maybe();
      for (int trips = 0; v; ++trips) {
        const maybe holds = test.apply(v, last.worth[thread]);
        if (holds && !is_true(*holds)) break;
        if (!holds || trips == most_trips) v.reset();
        if (!v) break;
        result.stored[thread].push_back({'s', as_long(*v) & 4095});
        const maybe next = way < 6
                               ? binary_operators[increment.computed].apply(v, amount.worth[thread])
                               : shifted(v, amount.worth[thread], way == 6);
        v = next ? type.convert(*next) : maybe();
      }
      result.is_open = result.is_open || !v;
      std::sort(result.stored[thread].begin(), result.stored[thread].end());
    }
    return result;
  }

  expression tree(int depth) {
    if (depth == 0 || draw(6) == 0) return leaf();
    switch (draw(10)) {
      case 0: return unary(tree(depth - 1));
      case 1: return cast(tree(depth - 1));
      case 2: return choice(tree(depth - 1), tree(depth - 1), tree(depth - 1));
      case 3: return shift(tree(depth - 1));
      case 4: return logical(tree(depth - 1), tree(depth - 1));
      case 5: return extreme(tree(depth - 1), tree(depth - 1));
      default: return binary(tree(depth - 1), tree(depth - 1));
    }
  }

 private:
  struct variable {
    const named_type* type;
    expression value;
  };

  template <class Worth, class Place>
  static void store(kernel_text& result, const Worth& worth, const Place& place) {
    for (std::size_t thread = 0; thread < threads; ++thread)
      if (worth[thread])
        result.stored[thread] = {{'s', place(*worth[thread])}};
      else
        result.is_open = true;
  }

  // Of each thread, from those of the parts.
  template <class Computed>
  static expression compose(std::string text, const number& like, const Computed& computed) {
    expression result{std::move(text), like};
    for (std::size_t thread = 0; thread < threads; ++thread)
      result.worth[thread] = computed(thread);
    return result;
  }

  expression constant(std::string text, const number& value) {
    return compose(std::move(text), value, [&](std::size_t) { return value; });
  }

  expression leaf() {
    if (!variables_.empty() && draw(3) == 0)
      return variables_[draw(unsigned(variables_.size()))].value;
    const long long small = draw(20), large = 1ll << draw(31),
                    wide = small + (draw(2) == 0 ? large : 0);
    switch (draw(9)) {
      case 0:
      case 1:
        return compose("threadIdx.x", 1u,
                       [](std::size_t thread) { return some_threads[thread][0]; });
      case 2:
        return compose("threadIdx.y", 1u,
                       [](std::size_t thread) { return some_threads[thread][1]; });
      case 3:
        return compose("tx", 1, [](std::size_t thread) { return int(some_threads[thread][0]); });
      case 4: return constant("blockDim.x", 16u);
      case 5: return constant(std::to_string(wide) + "u", unsigned(wide));
      case 6: return constant(std::to_string(wide * 64) + "ll", wide * 64);
      case 7: return constant("sizeof(float4)", 16ull);
      default: return constant(std::to_string(small), int(small));
    }
  }

  expression unary(const expression& operand) {
    const unsigned operation = draw(3);
    const auto computed = [&](const maybe& x) -> maybe {
      if (!x) return {};
      return std::visit(
          [&](auto y) -> maybe {
            if (operation == 0) return +!y;
            if (operation == 1) return ~y;
            if (std::is_signed_v<decltype(y)> && y == std::numeric_limits<decltype(y)>::min())
              return {};
            return -y;
          },
          *x);
    };
    return compose(std::string(1, "!~-"[operation]) + "(" + operand.text + ")",
                   *computed(operand.like),
                   [&](std::size_t thread) { return computed(operand.worth[thread]); });
  }

  expression cast(const expression& operand) {
    const named_type& target = types[draw(std::size(types))];
    const std::string text = std::string("(") + target.name + ")(" + operand.text + ")";
    return compose(text, *target.convert(operand.like), [&](std::size_t thread) {
      return operand.worth[thread] ? target.convert(*operand.worth[thread]) : maybe();
    });
  }

  expression choice(const expression& test, const expression& left, const expression& right) {
    const auto as_both = [](const maybe& value, const number& other) {
      return of_both(value, other, [](auto x, auto y) -> maybe { return true ? x : y; });
    };
    return compose("(" + test.text + " ? " + left.text + " : " + right.text + ")",
                   *as_both(left.like, right.like), [&](std::size_t thread) -> maybe {
                     if (!test.worth[thread]) return {};
                     return is_true(*test.worth[thread]) ? as_both(left.worth[thread], right.like)
                                                         : as_both(right.worth[thread], left.like);
                   });
  }

  expression shift(const expression& operand) {
    const bool left = draw(2) == 0;
    const int bits = int(draw(12));
    const expression count = draw(4) == 0 ? tree(1) : constant(std::to_string(bits), bits);
    return compose("(" + operand.text + (left ? " << " : " >> ") + count.text + ")", operand.like,
                   [&](std::size_t thread) {
                     return shifted(operand.worth[thread], count.worth[thread], left);
                   });
  }

  expression logical(const expression& left, const expression& right) {
    const bool conjunction = draw(2) == 0;
    return compose("(" + left.text + (conjunction ? " && " : " || ") + right.text + ")", 1,
                   [&](std::size_t thread) -> maybe {
                     if (!left.worth[thread]) return {};
                     const bool first = is_true(*left.worth[thread]);
                     if (first != conjunction) return int(first);
                     return right.worth[thread] ? maybe(int(is_true(*right.worth[thread])))
                                                : maybe();
                   });
  }

  expression extreme(const expression& left, const expression& right) {
    const bool takes_minimum = draw(2) == 0;
    const auto computed = [&](const maybe& a, const maybe& b) {
      return of_both(
          a, b, [&](auto x, auto y) -> maybe { return takes_minimum ? min(x, y) : max(x, y); });
    };
    return compose((takes_minimum ? "min(" : "max(") + left.text + ", " + right.text + ")",
                   *computed(left.like, right.like), [&](std::size_t thread) {
                     return computed(left.worth[thread], right.worth[thread]);
                   });
  }

  expression binary(const expression& left, const expression& right) {
    const binary_operator& operation = binary_operators[draw(std::size(binary_operators))];
    return compose("(" + left.text + " " + operation.symbol + " " + right.text + ")",
                   operation.apply(left.like, right.like).value_or(number(1)),
                   [&](std::size_t thread) {
                     return operation.apply(left.worth[thread], right.worth[thread]);
                   });
  }

  std::string declaration() {
    const named_type& type = types[draw(std::size(types))];
    const expression value = tree(2);
    const std::string name = "v" + std::to_string(variables_.size());
    variables_.push_back({&type, compose(name, *type.convert(value.like), [&](std::size_t thread) {
                            return value.worth[thread] ? type.convert(*value.worth[thread])
                                                       : maybe();
                          })});
    return std::string(type.name) + " " + name + " = " + value.text + ";\n";
  }

  // v = .., v += .., v++, if (..) v = ..
  std::string change() {
    variable& target = variables_[draw(unsigned(variables_.size()))];
    const std::string name = target.value.text;
    const expression value = tree(2), test = tree(2);
    const auto assign = [&](std::size_t thread, const maybe& assigned) {
      target.value.worth[thread] = assigned ? target.type->convert(*assigned) : maybe();
    };
    const unsigned form = draw(4);
    const binary_operator& operation = binary_operators[draw(8)];
    for (std::size_t thread = 0; thread < threads; ++thread) {
      if (form == 0) assign(thread, value.worth[thread]);
      if (form == 1)
        assign(thread, operation.apply(target.value.worth[thread], value.worth[thread]));
      if (form == 2)
        assign(thread, binary_operators[0].apply(target.value.worth[thread], number(1)));
      if (form == 3 && !test.worth[thread]) assign(thread, {});
      if (form == 3 && test.worth[thread] && is_true(*test.worth[thread]))
        assign(thread, value.worth[thread]);
    }
    if (form == 0) return name + " = " + value.text + ";\n";
    if (form == 1) return name + " " + operation.symbol + "= " + value.text + ";\n";
    if (form == 2) return (draw(2) == 0 ? name + "++" : "++" + name) + ";\n";
    return "if (" + test.text + ") " + name + " = " + value.text + ";\n";
  }

  std::mt19937 random_;
  std::vector<variable> variables_;
};

struct outcomes {
  int compared = 0, refused = 0, open = 0;  // open: C++ leaves it so, or it runs long
};

// The accesses of one thread; nothing if the library refuses a value.
std::optional<events> stored_by(const cl::kernel_file& file, std::size_t thread) {
  try {
    return of_notation(file, {{some_threads[thread][0], some_threads[thread][1], 0}, {0, 0, 0}});
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
    for (std::size_t thread = 0; thread < threads; ++thread) {
      INFO("seed " << seed << ": " << kernel.text);
      INFO("thread " << some_threads[thread][0] << ", " << some_threads[thread][1]);
      const auto stored = stored_by(file, thread);
      is_computed = is_computed && stored.has_value();
      if (stored && *stored != kernel.stored[thread])
        CHECK(text_of(*stored) == text_of(kernel.stored[thread]));
    }
    result.compared += is_computed;
    REQUIRE(seed < 10u * static_cast<unsigned>(wanted));
  }
  return result;
}

}  // namespace

TEST_CASE("generated expressions have the values that the compiler's operators give") {
  const outcomes outcome =
      compare_generated(20'000, [](generator random) { return random.kernel(); });
  INFO(outcome.refused << " refused, " << outcome.open << " open in C++");
  CHECK(outcome.refused < 40'000);
}

TEST_CASE("generated loops run as with the compiler's operators") {
  const outcomes outcome = compare_generated(5'000, [](generator random) { return random.loop(); });
  INFO(outcome.refused << " refused, " << outcome.open << " open in C++");
  CHECK(outcome.refused < 35'000);
}
