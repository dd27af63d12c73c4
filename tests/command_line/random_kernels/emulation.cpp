// SPDX-License-Identifier: MIT
// Executes a random kernel. All threads of the block run each statement together, those of the
// mask: lanes that leave a statement by break, continue or return drop out, the others go on
// together, and all rejoin directly after the statement. Threads of different warps exchange values
// across barriers only, so that the order of warps does not matter.
//
// Machine code is different in one case: the lanes of a loop with a `return` in it, in a function
// that is inlined, rejoin at the function's end. What follows the loop is executed for each
// iteration in which lanes leave it, those of the last one and the first one together or not. Such
// kernels are not compared; ../reconvergence/kernels.cu has them.
#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <stdexcept>

#include "program.hpp"

namespace random_kernels {

int bytes(element kind) {
  switch (kind) {
    case element::s8:
    case element::u8: return 1;
    case element::s16:
    case element::u16:
    case element::half:
    case element::bfloat: return 2;
    case element::s64:
    case element::f64:
    case element::pair: return 8;
    case element::quadruple: return 16;
    default: return 4;
  }
}

type promoted(element kind) {
  switch (kind) {
    case element::u32: return type::u32;
    case element::s64: return type::s64;
    case element::s8:
    case element::u8:
    case element::s16:
    case element::u16:
    case element::s32: return type::s32;
    default: return type::f32;
  }
}

std::int64_t stored(element kind, std::int64_t value) {
  switch (kind) {
    case element::s8: return static_cast<std::int8_t>(value);
    case element::u8: return static_cast<std::uint8_t>(value);
    case element::s16: return static_cast<std::int16_t>(value);
    case element::u16: return static_cast<std::uint16_t>(value);
    case element::s32: return static_cast<std::int32_t>(value);
    case element::u32: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

namespace {

constexpr int most_threads = 128, warp_lanes = 32;
constexpr int most_statements = 5000;
using mask = std::bitset<most_threads>;
using values = std::array<std::int64_t, most_threads>;

struct undefined : std::runtime_error {
  using std::runtime_error::runtime_error;
};

float as_float(std::int64_t value) {
  return std::bit_cast<float>(static_cast<std::int32_t>(value));
}
std::int64_t as_bits(float value) { return std::bit_cast<std::int32_t>(value); }

std::int64_t wrapped(type target, std::int64_t value) {
  return target == type::s32   ? static_cast<std::int32_t>(value)
         : target == type::u32 ? static_cast<std::uint32_t>(value)
                               : value;
}

std::int64_t converted(std::int64_t value, type source, type target) {
  if (source == target) return value;
  if (target == type::f32) return as_bits(static_cast<float>(value));
  if (source != type::f32) return wrapped(target, value);
  const float number = as_float(value);
  if (number < -1e6f || number > 1e6f || (target == type::u32 && number < 0))
    throw undefined("a conversion of a float that the integer has not");
  return static_cast<std::int64_t>(number);
}

type common(type a, type b) { return std::max(a, b); }

std::int64_t floating(operation code, float a, float b) {
  switch (code) {
    case operation::add: return as_bits(a + b);
    case operation::subtract: return as_bits(a - b);
    case operation::multiply: return as_bits(a * b);
    case operation::less: return a < b;
    case operation::less_equal: return a <= b;
    case operation::greater: return a > b;
    case operation::greater_equal: return a >= b;
    case operation::equal: return a == b;
    case operation::not_equal: return a != b;
    case operation::minimum: return as_bits(std::min(a, b));
    case operation::maximum: return as_bits(std::max(a, b));
    default: throw std::logic_error("no operation of floats");
  }
}

std::int64_t in_range(type has, std::int64_t value, bool overflows = false) {
  const std::int64_t result = wrapped(has, value);
  if (has != type::u32 && (overflows || result != value)) throw undefined("a signed overflow");
  return result;
}

std::int64_t computed(operation code, type has, std::int64_t a, std::int64_t b) {
  if (has == type::f32) return floating(code, as_float(a), as_float(b));
  std::int64_t result = 0;
  bool overflows = false;
  switch (code) {
    case operation::add: overflows = __builtin_add_overflow(a, b, &result); break;
    case operation::subtract: overflows = __builtin_sub_overflow(a, b, &result); break;
    case operation::multiply: overflows = __builtin_mul_overflow(a, b, &result); break;
    case operation::divide:
    case operation::remainder:
      if (b == 0) throw undefined("a division by 0");
      result = code == operation::divide ? a / b : a % b;
      break;
    case operation::bit_and: return a & b;
    case operation::bit_or: return a | b;
    case operation::bit_xor: return a ^ b;
    case operation::less: return a < b;
    case operation::less_equal: return a <= b;
    case operation::greater: return a > b;
    case operation::greater_equal: return a >= b;
    case operation::equal: return a == b;
    case operation::not_equal: return a != b;
    case operation::minimum: return std::min(a, b);
    case operation::maximum: return std::max(a, b);
    default: throw std::logic_error("no operation of two integers");
  }
  return in_range(has, result, overflows);
}

class emulation {
 public:
  emulation(const program& kernel, int architecture)
      : program_(kernel), architecture_(architecture), variables_(kernel.variables.size()) {
    for (const array& declared : kernel.arrays)
      memory_.push_back(
          declared.content.empty()
              ? std::vector<std::int64_t>(static_cast<std::size_t>(declared.elements()))
              : declared.content);
    for (int thread = 0; thread < kernel.threads(); ++thread) live_.set(bit(thread));
  }

  requests run() {
    run(program_.body, live_);
    return requests_;
  }

 private:
  static std::size_t bit(int thread) { return static_cast<std::size_t>(thread); }

  template <class Visit>
  void visit(const mask& lanes, const Visit& visitor) const {
    for (int thread = 0; thread < program_.threads(); ++thread)
      if (lanes[bit(thread)]) visitor(bit(thread));
  }

  mask holds(const expression& condition, const mask& lanes) {
    const values results = evaluated(condition, lanes);
    mask result;
    visit(lanes, [&](std::size_t thread) { result[thread] = results[thread] != 0; });
    return result;
  }

  // One request of each warp that has a lane in `lanes`.
  void record(int access, char kind, int index, int width, const values& first, const mask& lanes) {
    for (int warp = 0; warp * warp_lanes < program_.threads(); ++warp) {
      request entry{access, kind, width, index, {}};
      bool is_made = false;
      for (int lane = 0; lane < warp_lanes; ++lane) {
        const std::size_t thread = bit(warp * warp_lanes + lane);
        is_made = is_made || lanes[thread];
        entry.address.push_back(lanes[thread] ? first[thread] : -1);
      }
      if (!is_made) continue;
      if (std::any_of(functions_.begin(), functions_.end(),
                      [&](const called_function& callee) { return callee.parted[bit(warp)]; }))
        throw undefined("what follows a loop with a return, in a function");
      ++requests_[entry];
    }
  }

  // The elements' numbers; the subscripts are parts[first] and, of two dimensions, the next.
  values elements(int index, const std::vector<expression>& parts, std::size_t first,
                  const mask& lanes) {
    const array& target = program_.arrays[static_cast<std::size_t>(index)];
    values result = evaluated(parts.at(first), lanes);
    if (target.rows != 0) {
      const values column = evaluated(parts.at(first + 1), lanes);
      visit(lanes, [&](std::size_t thread) {
        if (column[thread] < 0 || column[thread] >= target.columns)
          throw undefined("a subscript outside its extent");
        result[thread] = result[thread] * target.columns + column[thread];
      });
    }
    visit(lanes, [&](std::size_t thread) {
      if (result[thread] < 0 || result[thread] >= target.elements())
        throw undefined("a subscript outside its array");
    });
    return result;
  }
  static values times(values positions, int factor) {
    for (std::int64_t& position : positions) position *= factor;
    return positions;
  }

  values loaded(const expression& node, const mask& lanes) {
    const auto index = static_cast<std::size_t>(node.value);
    const values element = elements(static_cast<int>(node.value), node.parts, 0, lanes);
    const int width = bytes(program_.arrays[index].kind);
    record(node.access, 'l', static_cast<int>(index), width, times(element, width), lanes);
    values result{};
    visit(lanes, [&](std::size_t thread) {
      result[thread] = memory_[index][static_cast<std::size_t>(element[thread])];
    });
    return result;
  }

  values exchanged(const expression& node, const mask& lanes) {
    const auto named = static_cast<std::uint32_t>(node.value);
    const values input = evaluated(node.parts[0], lanes);
    const values distances = node.parts.size() > 1 ? evaluated(node.parts[1], lanes) : values{};
    values result{};
    for (int warp = 0; warp * warp_lanes < program_.threads(); ++warp) {
      const int begin = warp * warp_lanes;
      std::uint32_t ballot = 0, active = 0;
      for (int lane = 0; lane < warp_lanes; ++lane) {
        const std::size_t thread = bit(begin + lane);
        if ((named >> lane & 1) != 0 && live_[thread] && lanes.any() && !lanes[thread] &&
            is_in(lanes, begin))
          throw undefined("a warp function without a lane that it names");
        if (lanes[thread] && (named >> lane & 1) == 0)
          throw undefined("a warp function that does not name a lane of its own");
        if (lanes[thread]) active |= 1u << lane;
        if (lanes[thread] && input[thread] != 0) ballot |= 1u << lane;
      }
      for (int lane = 0; lane < warp_lanes; ++lane) {
        const std::size_t thread = bit(begin + lane);
        if (!lanes[thread]) continue;
        const int distance = static_cast<int>(distances[thread]) & 31;
        int source = lane;
        switch (node.code) {
          case operation::ballot: result[thread] = ballot; continue;
          case operation::any_lane: result[thread] = ballot != 0; continue;
          case operation::all_lanes: result[thread] = ballot == active; continue;
          case operation::shuffle_index: source = distance; break;
          case operation::shuffle_xor: source = lane ^ distance; break;
          case operation::shuffle_up: source = lane < distance ? lane : lane - distance; break;
          default: source = lane + distance > 31 ? lane : lane + distance; break;
        }
        if ((active >> source & 1) == 0) throw undefined("a shuffle from a lane that is not there");
        result[thread] = input[bit(begin + source)];
      }
    }
    return result;
  }
  bool is_in(const mask& lanes, int begin) const {
    for (int lane = 0; lane < warp_lanes; ++lane)
      if (lanes[bit(begin + lane)]) return true;
    return false;
  }

  values called(std::int64_t number, const std::vector<expression>& arguments, const mask& lanes) {
    const function& callee = program_.functions[static_cast<std::size_t>(number)];
    std::vector<values> inputs;
    for (const expression& argument : arguments) inputs.push_back(evaluated(argument, lanes));
    for (std::size_t position = 0; position < inputs.size(); ++position) {
      const auto target = static_cast<std::size_t>(callee.parameters[position]);
      visit(lanes, [&](std::size_t thread) {
        variables_[target][thread] = converted(inputs[position][thread], arguments[position].has,
                                               program_.variables[target]);
      });
    }
    results_.emplace_back();
    functions_.emplace_back();
    run(callee.body, lanes);
    functions_.pop_back();
    const values result = results_.back();
    results_.pop_back();
    return result;
  }

  values evaluated(const expression& node, const mask& lanes) {
    values result{};
    if (lanes.none()) return result;
    switch (node.code) {
      case operation::constant:
        result.fill(node.has == type::f32 ? as_bits(static_cast<float>(node.value)) : node.value);
        return result;
      case operation::sort: result.fill(node.value); return result;
      case operation::variable: return variables_[static_cast<std::size_t>(node.value)];
      case operation::thread_x:
        visit(lanes, [&](std::size_t thread) {
          result[thread] = static_cast<int>(thread) % program_.threads_x;
        });
        return result;
      case operation::thread_y:
        visit(lanes, [&](std::size_t thread) {
          result[thread] = static_cast<int>(thread) / program_.threads_x;
        });
        return result;
      case operation::block_x: result.fill(program_.block); return result;
      case operation::argument:
        result.fill(node.value == 0 ? program_.n : program_.m);
        return result;
      case operation::load: return loaded(node, lanes);
      case operation::call: return called(node.value, node.parts, lanes);
      case operation::shuffle_index:
      case operation::shuffle_xor:
      case operation::shuffle_up:
      case operation::shuffle_down:
      case operation::ballot:
      case operation::any_lane:
      case operation::all_lanes: return exchanged(node, lanes);
      case operation::logical_and:
      case operation::logical_or: {
        const bool is_and = node.code == operation::logical_and;
        const mask first = holds(node.parts[0], lanes);
        const mask asked = is_and ? first : lanes & ~first;
        const mask second = holds(node.parts[1], asked);
        visit(lanes, [&](std::size_t thread) {
          result[thread] = asked[thread] ? second[thread] : first[thread];
        });
        return result;
      }
      case operation::choice: {
        const mask first = holds(node.parts[0], lanes);
        const values a = evaluated(node.parts[1], first),
                     b = evaluated(node.parts[2], lanes & ~first);
        visit(lanes, [&](std::size_t thread) {
          result[thread] = first[thread] ? converted(a[thread], node.parts[1].has, node.has)
                                         : converted(b[thread], node.parts[2].has, node.has);
        });
        return result;
      }
      default: break;
    }
    const type source = node.parts[0].has;
    const values a = evaluated(node.parts[0], lanes);
    if (node.parts.size() == 1) {
      visit(lanes, [&](std::size_t thread) { result[thread] = of_one(node, source, a[thread]); });
      return result;
    }
    const values b = evaluated(node.parts[1], lanes);
    const type other = node.parts[1].has, wider = common(source, other);
    visit(lanes, [&](std::size_t thread) {
      if (node.code == operation::shift_left || node.code == operation::shift_right) {
        if (b[thread] < 0 || b[thread] > 31) throw undefined("a shift by too much");
        result[thread] = node.code == operation::shift_right
                             ? a[thread] >> b[thread]
                             : in_range(node.has, a[thread] << b[thread]);
        return;
      }
      result[thread] = computed(node.code, wider, converted(a[thread], source, wider),
                                converted(b[thread], other, wider));
    });
    return result;
  }

  static std::int64_t of_one(const expression& node, type source, std::int64_t a) {
    switch (node.code) {
      case operation::complement: return wrapped(node.has, ~a);
      case operation::negate:
        return source == type::f32 ? as_bits(-as_float(a)) : in_range(node.has, -a);
      case operation::ones: return std::popcount(static_cast<std::uint32_t>(a));
      case operation::logical_not: return a == 0;
      case operation::convert:
        return node.narrow == element::s32 ? converted(a, source, node.has)
                                           : stored(node.narrow, a);
      default: throw std::logic_error("no operation of one value");
    }
  }

  // ---- statements: each returns the lanes that go on after it ----
  mask run(const std::vector<statement>& body, mask lanes) {
    for (const statement& command : body) {
      if (lanes.none()) break;
      if (++statements_ > most_statements) throw undefined("a loop that runs too long");
      lanes = run(command, lanes);
    }
    return lanes;
  }

  mask run(const statement& command, const mask& lanes) {
    switch (command.kind) {
      case action::assign: {
        const values content = evaluated(command.parts[0], lanes);
        assign(command.index, content, command.parts[0].has, lanes);
        return lanes;
      }
      case action::store: return store(command, lanes);
      case action::add_atomically:
      case action::accumulate: {
        const char kind = command.kind == action::accumulate ? 'l' : 'a';
        const int width = bytes(program_.arrays[static_cast<std::size_t>(command.index)].kind);
        const values element = elements(command.index, command.parts, 0, lanes);
        record(command.access, kind, command.index, width, times(element, width), lanes);
        return lanes;
      }
      case action::store_typed: {
        const values element = evaluated(command.parts[0], lanes);
        visit(lanes, [&](std::size_t thread) {
          if (element[thread] < 0 ||
              (element[thread] + 1) * command.width >
                  program_.arrays[static_cast<std::size_t>(command.index)].elements())
            throw undefined("a subscript outside its array");
        });
        record(command.access, 's', command.index, command.width, times(element, command.width),
               lanes);
        return lanes;
      }
      case action::branch: {
        const mask chosen = holds(command.parts[0], lanes);
        const mask first = run(command.bodies[0], chosen);
        const mask other = lanes & ~chosen;
        const mask second = command.bodies.size() > 1 ? run(command.bodies[1], other) : other;
        return first | second;
      }
      case action::lanes_of_mask: {
        mask named;
        visit(lanes,
              [&](std::size_t thread) { named[thread] = command.value >> (thread % 32) & 1; });
        return run(command.bodies[0], lanes & named) | (lanes & ~named);
      }
      case action::for_loop:
      case action::while_loop:
      case action::do_loop: return loop(command, lanes);
      case action::choose: return choose(command, lanes);
      case action::leave: left_.back() |= lanes; return {};
      case action::proceed: proceeded_.back() |= lanes; return {};
      case action::finish:
        if (functions_.empty()) {
          live_ &= ~lanes;
        } else if (!command.parts.empty()) {
          const values content = evaluated(command.parts[0], lanes);
          visit(lanes, [&](std::size_t thread) {
            results_.back()[thread] = converted(content[thread], command.parts[0].has, type::s32);
          });
        }
        return {};
      case action::by_architecture:
        return run(command.bodies[architecture_ >= command.value ? 0 : 1], lanes);
      case action::call: called(command.value, command.parts, lanes); return lanes;
      case action::barrier:
      case action::warp_barrier: return lanes;
    }
    return lanes;
  }

  void assign(int variable, const values& content, type source, const mask& lanes) {
    const auto target = static_cast<std::size_t>(variable);
    visit(lanes, [&](std::size_t thread) {
      variables_[target][thread] = converted(content[thread], source, program_.variables[target]);
    });
  }

  mask store(const statement& command, const mask& lanes) {
    const auto index = static_cast<std::size_t>(command.index);
    const array& target = program_.arrays[index];
    const values content = evaluated(command.parts[0], lanes);
    const values element = elements(command.index, command.parts, 1, lanes);
    record(command.access, 's', command.index, bytes(target.kind),
           times(element, bytes(target.kind)), lanes);
    if (target.is_data)
      visit(lanes, [&](std::size_t thread) {
        memory_[index][static_cast<std::size_t>(element[thread])] =
            target.kind == element::f32
                ? converted(content[thread], command.parts[0].has, type::f32)
                : stored(target.kind, content[thread]);
      });
    return lanes;
  }

  mask loop(const statement& command, const mask& lanes) {
    const bool is_for = command.kind == action::for_loop;
    if (is_for)
      assign(command.index, evaluated(command.parts[0], lanes), command.parts[0].has, lanes);
    mask result, running = lanes;
    std::vector<int> iterations(most_threads / warp_lanes);
    if (!functions_.empty()) ++functions_.back().loops;
    for (bool is_first = true; running.any(); is_first = false) {
      for (int warp = 0; warp * warp_lanes < program_.threads(); ++warp)
        iterations[bit(warp)] += is_in(running, warp * warp_lanes) ? 1 : 0;
      if (++statements_ > most_statements) throw undefined("a loop that runs too long");
      if (!is_first || command.kind != action::do_loop) {
        mask next = running;
        if (is_for) {
          const values end = evaluated(command.parts[1], running);
          const auto& counter = variables_[static_cast<std::size_t>(command.index)];
          visit(running, [&](std::size_t thread) { next[thread] = counter[thread] < end[thread]; });
          if (command.parts.size() > 2) next = holds(command.parts[2], next);
        } else {
          next = holds(command.parts[0], running);
        }
        result |= running & ~next;
        running = next;
      }
      left_.emplace_back();
      proceeded_.emplace_back();
      const mask rest = run(command.bodies[0], running);
      running = rest | proceeded_.back();
      result |= left_.back();
      left_.pop_back();
      proceeded_.pop_back();
      if (is_for)
        visit(running, [&](std::size_t thread) {
          variables_[static_cast<std::size_t>(command.index)][thread] += command.value;
        });
    }
    if (!functions_.empty() && --functions_.back().loops == 0 && returns(command.bodies[0]))
      for (std::size_t warp = 0; warp < iterations.size(); ++warp)
        if (iterations[warp] > 1) functions_.back().parted.set(warp);
    return result;
  }
  static bool returns(const std::vector<statement>& body) {
    return std::any_of(body.begin(), body.end(), [](const statement& command) {
      return command.kind == action::finish ||
             std::any_of(command.bodies.begin(), command.bodies.end(),
                         [](const std::vector<statement>& inner) { return returns(inner); });
    });
  }

  mask choose(const statement& command, const mask& lanes) {
    const values selector = evaluated(command.parts[0], lanes);
    mask other = lanes;
    std::vector<mask> enters(command.bodies.size());
    for (std::size_t body = 0; body < command.bodies.size(); ++body)
      visit(lanes, [&](std::size_t thread) {
        for (const int label : command.labels[body])
          if (label != default_label && label == selector[thread]) enters[body].set(thread);
      });
    for (const mask& entry : enters) other &= ~entry;
    mask falling;
    bool has_default = false;
    left_.emplace_back();
    for (std::size_t body = 0; body < command.bodies.size(); ++body) {
      if (std::count(command.labels[body].begin(), command.labels[body].end(), default_label) !=
          0) {
        enters[body] |= other;
        has_default = true;
      }
      falling = run(command.bodies[body], falling | enters[body]);
    }
    mask result = falling | left_.back();
    left_.pop_back();
    if (!has_default) result |= other;
    return result;
  }

  const program& program_;
  int architecture_;
  std::vector<values> variables_;
  std::vector<std::vector<std::int64_t>> memory_;
  mask live_;
  requests requests_;
  std::vector<mask> left_, proceeded_;
  std::vector<values> results_;
  struct called_function {
    int loops = 0;                                       // that are executed
    std::bitset<most_threads / warp_lanes> parted = {};  // by warp
  };
  std::vector<called_function> functions_;
  int statements_ = 0;
};

}  // namespace

outcome emulated(const program& kernel, int architecture) {
  try {
    return {emulation(kernel, architecture).run()};
  } catch (const undefined& error) {
    return {{}, false, error.what()};
  }
}

}  // namespace random_kernels
