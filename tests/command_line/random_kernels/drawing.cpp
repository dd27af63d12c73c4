// SPDX-License-Identifier: MIT
// Draws a kernel. What keeps it defined: subscripts are masked; an array with known values is,
// between two barriers, either read by all or stored by each thread in elements of its own; warp
// functions are drawn only where the lanes that they name are together.
#include <algorithm>
#include <random>

#include "program.hpp"
#include "typed_expressions.hpp"

namespace random_kernels {

namespace {

using operation::choice;
using expressions = std::vector<expression>;
using statements = std::vector<statement>;

type common(type a, type b) { return std::max(a, b); }

expression constant(std::int64_t value, type has = type::s32) {
  return {operation::constant, has, value};
}
bool is_comparison(operation code) {
  return code >= operation::less && code <= operation::not_equal;
}
expression binary(operation code, expression a, expression b) {
  expression result;
  result.code = code;
  const bool shifts = code == operation::shift_left || code == operation::shift_right;
  result.has = is_comparison(code) ? type::s32 : shifts ? a.has : common(a.has, b.has);
  result.parts = {std::move(a), std::move(b)};
  return result;
}
expression unary(operation code, expression a, type has) {
  expression result;
  result.code = code;
  result.has = has;
  result.parts = {std::move(a)};
  return result;
}
expression truth(operation code, expressions parts) {
  expression result;
  result.code = code;
  result.parts = std::move(parts);
  return result;
}
expression masked(expression a, std::int64_t bits) {
  return binary(operation::bit_and, std::move(a), constant(bits));
}
expression complement(expression a) {
  const type has = a.has;
  return unary(operation::complement, std::move(a), has);
}
expression as_int(expression a) {
  return a.has == type::s32 ? a : unary(operation::convert, std::move(a), type::s32);
}

// The place of a statement.
struct place {
  int depth = 0;
  int loops = 0;  // around it
  bool in_switch = false;
  bool may_leave = true;    // the loop: some of its lanes may break or continue alone
  bool is_uniform = false;  // all threads of the block that have not ended are here
  std::uint32_t lanes = 0;  // the lanes of each warp that are here together
  int function = -1;        // -1: the kernel
};

class drawing {
 public:
  explicit drawing(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {
    result_.seed = seed;
  }

  program draw() {
    constexpr int shapes[][2] = {{32, 1}, {64, 1}, {16, 4}, {8, 8}, {48, 1},
                                 {33, 1}, {96, 1}, {20, 1}, {32, 2}};
    const auto& shape = shapes[roll(9)];
    result_.threads_x = shape[0];
    result_.threads_y = shape[1];
    result_.block = roll(3);
    result_.n = 1 + roll(40);
    result_.m = roll(8);
    draw_arrays();
    const int functions = roll(3);
    for (int number = 0; number < functions; ++number) draw_function(number);
    draw_kernel();
    return std::move(result_);
  }

 private:
  int roll(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  bool chance(int chances) { return roll(chances) == 0; }
  template <class List>
  auto pick(const List& list) {
    return list[static_cast<std::size_t>(roll(static_cast<int>(list.size())))];
  }
  int new_variable(type has) {
    result_.variables.push_back(has);
    return static_cast<int>(result_.variables.size()) - 1;
  }
  int new_access() { return result_.accesses++; }
  expression variable(int number) {
    return {operation::variable, result_.variables[static_cast<std::size_t>(number)], number};
  }

  // ---- arrays ----
  void draw_arrays() {
    auto& arrays = result_.arrays;
    arrays.push_back({"out", element::f32, 0, 1024, true, false, false, {}});
    constexpr element kinds[] = {element::s32, element::s16, element::u8};
    constexpr const char* names[] = {"in", "in16", "in8"};
    for (int index = 0; index < 3; ++index) {
      array declared{names[index], kinds[index], 0, 256, true, false, true, {}};
      for (int position = 0; position < 256; ++position)
        declared.content.push_back(stored(declared.kind, index == 2 ? roll(256) : roll(400) - 100));
      arrays.push_back(declared);
    }
    constexpr element data[] = {element::s32, element::u32, element::s16, element::u8,
                                element::s8,  element::u16, element::s64, element::f32};
    for (int left = 1 + roll(2); left > 0; --left) {
      data_.push_back(static_cast<int>(arrays.size()));
      arrays.push_back(
          {"d" + std::to_string(data_.size()), data[roll(8)], 0, 128, false, chance(3), true, {}});
    }
    own_.resize(arrays.size());
    is_own_.resize(arrays.size());
    constexpr element sum_kinds[] = {
        element::f32, element::f32,  element::f32,       element::s32,  element::s16,   element::u8,
        element::f64, element::pair, element::quadruple, element::half, element::bfloat};
    for (int left = 2 + roll(3); left > 0; --left) {
      sums_.push_back(static_cast<int>(arrays.size()));
      const element kind = sum_kinds[roll(11)];
      const int rows = chance(2) ? 0 : 8;
      const int columns = rows == 0          ? 64 * (1 + roll(4))
                          : bytes(kind) >= 8 ? 16 + roll(2)
                                             : 32 + roll(3);
      arrays.push_back(
          {"s" + std::to_string(sums_.size()), kind, rows, columns, false, chance(3), false, {}});
    }
    if (chance(2)) {
      pool_ = static_cast<int>(arrays.size());
      arrays.push_back({"pool", element::u8, 0, 4096, false, false, false, {}});
    }
    own_.resize(arrays.size());
    is_own_.resize(arrays.size());
  }
  const array& array_of(int index) const { return result_.arrays[static_cast<std::size_t>(index)]; }

  // ---- expressions ----
  expression leaf(const place& context) {
    switch (roll(12)) {
      case 0: return context.function < 0 && chance(6) ? sort_of_expression() : constant(roll(20));
      case 1: return {operation::argument, type::s32, roll(2)};
      case 2: return {operation::thread_x, type::u32};
      case 3:
        return chance(2) ? expression{operation::block_x, type::u32}
                         : expression{operation::thread_y, type::u32};
      case 4: return constant(roll(7) + 1, chance(3) ? type::u32 : type::s32);
      case 5:
        if (context.function < 0 && chance(2)) return variable(lane_);
        [[fallthrough]];
      case 6:
      case 7:
        if (context.function < 0) return variable(thread_);
        [[fallthrough]];
      default: return variable(pick(visible_));
    }
  }

  expression sort_of_expression() {
    const typed_expression& typed = typed_expressions[roll(typed_expression_count)];
    expression result;
    result.code = operation::sort;
    const bool is_size = chance(2);
    result.value = is_size ? typed.bytes : typed.number();
    result.text = std::string(is_size ? "(int)sizeof(" : "NUMBER_OF(") + typed.text + ")";
    return result;
  }

  // Of small integers if its leaves are.
  expression number(const place& context, int depth) {
    if (depth <= 0 || chance(4) || --nodes_ < 0) return leaf(context);
    switch (roll(depth > 1 ? 16 : 13)) {
      case 0:
      case 1:
      case 2: return binary(operation::add, number(context, depth - 1), number(context, depth - 1));
      case 3:
        return binary(operation::subtract, number(context, depth - 1), number(context, depth - 1));
      case 4:
        return binary(operation::multiply, masked(number(context, depth - 1), 63),
                      chance(2) ? constant(1 + roll(9)) : masked(leaf(context), 15));
      case 5: {
        const operation code = chance(2) ? operation::divide : operation::remainder;
        return binary(code, number(context, depth - 1), constant(1 + roll(11)));
      }
      case 6: {
        constexpr operation codes[] = {operation::bit_and, operation::bit_or, operation::bit_xor};
        expression a = number(context, depth - 1);
        return binary(codes[roll(3)], std::move(a), chance(2) ? constant(roll(64)) : leaf(context));
      }
      case 7:
        return binary(operation::shift_left, masked(number(context, depth - 1), 255),
                      chance(2) ? constant(roll(4)) : masked(leaf(context), 3));
      case 8: return binary(operation::shift_right, number(context, depth - 1), constant(roll(5)));
      case 9: {
        expression result;
        result.code = choice;
        expression condition = decision(context, depth - 2);
        expression a = number(context, depth - 1), b = number(context, depth - 1);
        result.has = common(a.has, b.has);
        result.parts = {std::move(condition), std::move(a), std::move(b)};
        return result;
      }
      case 10: {
        expression a = as_int(number(context, depth - 1));
        constexpr element narrow[] = {element::s8, element::u8, element::s16, element::u16};
        expression result = unary(operation::convert, std::move(a), type::s32);
        result.narrow = narrow[roll(4)];
        return result;
      }
      case 11: {  // through a float, exactly
        expression a =
            unary(operation::convert, masked(number(context, depth - 1), 511), type::f32);
        a = binary(operation::multiply, std::move(a), constant(roll(4), type::f32));
        if (chance(2))
          a = binary(chance(2) ? operation::minimum : operation::maximum, std::move(a),
                     constant(roll(9), type::f32));
        return as_int(std::move(a));
      }
      case 12: {
        expression a = as_int(number(context, depth - 1)), b = as_int(leaf(context));
        return binary(chance(2) ? operation::minimum : operation::maximum, std::move(a),
                      std::move(b));
      }
      case 13:
        return chance(2) ? complement(masked(number(context, depth - 1), 1023))
                         : unary(operation::ones, masked(number(context, depth - 1), 0x7fffffff),
                                 type::s32);
      case 14:
        return unary(operation::convert, number(context, depth - 1),
                     chance(2) ? type::s64 : type::u32);
      default: return decision(context, depth - 2);
    }
  }
  // Fits into each of the kernel's variables.
  expression reduced(expression a) {
    if (a.has == type::f32) a = as_int(std::move(a));
    switch (roll(4)) {
      case 0: return binary(operation::remainder, std::move(a), constant(40 + roll(90)));
      case 1: return masked(std::move(a), 63);
      case 2: return masked(std::move(a), 1023);
      default: return masked(std::move(a), 255);
    }
  }

  expression comparison(const place& context) {
    constexpr operation codes[] = {operation::less,    operation::less_equal,
                                   operation::greater, operation::greater_equal,
                                   operation::equal,   operation::not_equal};
    switch (roll(6)) {
      case 0: return masked(number(context, 1), std::int64_t{1} << roll(3));
      case 1: {
        expression product = binary(operation::multiply, masked(number(context, 1), 127),
                                    chance(2) ? leaf_argument() : constant(1 + roll(9)));
        return binary(operation::equal,
                      binary(operation::remainder, std::move(product), constant(3 + roll(4))),
                      constant(roll(4)));
      }
      case 2:
        if (expression value; !in_subscript_ && element_of_data(context, value)) {
          expression limit = constant(roll(40));
          if (value.has == type::f32)
            limit = unary(operation::convert, std::move(limit), type::f32);
          return binary(codes[roll(6)], std::move(value), std::move(limit));
        }
        [[fallthrough]];
      case 3: return binary(codes[roll(4)], leaf(context), constant(roll(30)));
      default: {
        expression a = number(context, 2);
        return binary(codes[roll(6)], std::move(a), number(context, 1));
      }
    }
  }
  expression leaf_argument() { return masked({operation::argument, type::s32, roll(2)}, 31); }

  expression decision(const place& context, int depth) {
    if (depth <= 0 || chance(3) || --nodes_ < 0) return comparison(context);
    expression a = decision(context, depth - 1);
    switch (roll(7)) {
      case 0:
      case 1:
      case 2: return truth(operation::logical_and, {std::move(a), decision(context, depth - 1)});
      case 3:
      case 4: return truth(operation::logical_or, {std::move(a), decision(context, depth - 1)});
      case 5: return truth(operation::logical_not, {std::move(a)});
      default: {
        expression b = decision(context, depth - 1);
        return truth(choice, {std::move(a), std::move(b), decision(context, depth - 1)});
      }
    }
  }

  expression load(int index, expression subscript) {
    expression result;
    result.code = operation::load;
    result.value = index;
    result.has = promoted(array_of(index).kind);
    result.access = new_access();
    result.parts = {std::move(subscript)};
    return result;
  }
  // A line has one access: its subscript has none.
  expression plain_number(const place& context, int depth) {
    const bool previous = in_subscript_;
    in_subscript_ = true;
    expression result = number(context, depth);
    in_subscript_ = previous;
    return result;
  }
  // The element of `thread` that its own thread alone stores.
  expression own_element(int index, expression thread) {
    const int shift = own_[static_cast<std::size_t>(index)];
    return shift == 0 ? thread : binary(operation::bit_xor, std::move(thread), constant(shift));
  }
  bool element_of_data(const place& context, expression& result) {
    if (context.function < 0 && chance(2)) {
      const int index = pick(data_);
      if (is_own_[static_cast<std::size_t>(index)])
        result = load(index, own_element(index, variable(thread_)));
      else
        result = load(index, masked(plain_number(context, 1), 127));
      return true;
    }
    result = load(1 + roll(3), masked(plain_number(context, 1), 255));
    return true;
  }
  expressions subscripts(const place& context, int index) {
    const array& target = array_of(index);
    const auto bounded = [&](int extent) {
      expression a = plain_number(context, 2);
      if ((extent & (extent - 1)) == 0) return masked(std::move(a), extent - 1);
      int bits = 1;
      while (2 * bits <= extent) bits *= 2;
      return masked(std::move(a), bits - 1);
    };
    if (target.rows == 0) return {bounded(target.columns)};
    expression row = bounded(target.rows);
    return {std::move(row), bounded(target.columns)};
  }

  // ---- statements ----
  statements list(const place& context, int length) {
    statements result;
    for (int left = length; left > 0 && budget_ > 0; --left) add(result, context);
    return result;
  }
  statements arm(place context, int length = 3) {
    ++context.depth;
    context.is_uniform = false;
    context.lanes = 0;
    return list(context, 1 + roll(length));
  }

  void add(statements& target, const place& context) {
    --budget_;
    nodes_ = 12;
    statement command;
    const int deepest = 4;
    int way = roll(30);
    if (context.depth >= deepest) way = roll(14);
    switch (way) {
      case 0:
      case 1:
      case 2: target.push_back(assignment(context)); return;
      case 3: target.push_back(store(context)); return;
      case 4:
        if (context.function >= 0) break;
        store_own(target, context);
        return;
      case 5:
      case 6:
      case 7:
      case 8: target.push_back(accumulation(context)); return;
      case 9:
        command.kind = action::store;
        command.index = 0;
        command.access = new_access();
        command.parts = {constant(1, type::f32), masked(plain_number(context, 2), 1023)};
        target.push_back(command);
        return;
      case 10:
        if (pool_ < 0 || context.function >= 0) break;
        target.push_back(typed_store(context));
        return;
      case 11:
        if (leave_alone(target, context)) return;
        break;
      case 12:
        if (call(target, context)) return;
        break;
      case 13:
        if (exchange(target, context)) return;
        break;
      case 14:
      case 15:
      case 16:
      case 17:
      case 18: target.push_back(branch(context)); return;
      case 19:
      case 20:
        if (context.loops > 1) break;
        target.push_back(counted_loop(context));
        return;
      case 21:
        if (context.loops > 1) break;
        conditional_loop(target, context);
        return;
      case 22:
      case 23: target.push_back(choose(context)); return;
      case 24:
      case 25:
        if (leave_alone(target, context)) return;
        break;
      case 26:
        if (context.lanes == 0) break;
        target.push_back(lanes_of_mask(context));
        return;
      case 27:
        if (context.function >= 0 || !chance(2)) break;
        target.push_back(by_architecture(context));
        return;
      default:
        if (exchange(target, context)) return;
        break;
    }
    target.push_back(accumulation(context));
  }

  statement assignment(const place& context) {
    statement command;
    command.kind = action::assign;
    command.index = pick(changeable_);
    expression value;
    if (chance(4) && element_of_data(context, value)) {
      if (value.has == type::f32) value = as_int(std::move(value));
      if (chance(3))
        value = truth(choice, {decision(context, 2), std::move(value), number(context, 1)});
      value.has = value.code == choice ? common(value.parts[1].has, value.parts[2].has) : value.has;
    } else {
      value = number(context, 3);
    }
    command.parts = {reduced(std::move(value))};
    return command;
  }
  statement store(const place& context) {
    statement command;
    command.index = pick(sums_);
    const array& target = array_of(command.index);
    command.access = new_access();
    if (target.kind == element::s32 && chance(2)) {
      command.kind = action::add_atomically;
      command.parts = subscripts(context, command.index);
      return command;
    }
    command.kind = action::store;
    command.parts = {promoted(target.kind) == type::f32 ? constant(roll(5), type::f32)
                                                        : reduced(leaf(context))};
    for (expression& subscript : subscripts(context, command.index))
      command.parts.push_back(std::move(subscript));
    return command;
  }
  void store_own(statements& target, const place& context) {
    for (const int index : data_) {
      if (!is_own_[static_cast<std::size_t>(index)]) continue;
      target.push_back(own_store(context, index, reduced(number(context, 2))));
      return;
    }
    target.push_back(assignment(context));
  }
  statement own_store(const place&, int index, expression value) {
    statement command;
    command.kind = action::store;
    command.index = index;
    command.access = new_access();
    if (array_of(index).kind == element::f32)
      value = unary(operation::convert, std::move(value), type::f32);
    command.parts = {std::move(value), own_element(index, variable(thread_))};
    return command;
  }
  statement accumulation(const place& context) {
    statement command;
    command.kind = action::accumulate;
    command.index = pick(sums_);
    if (context.function >= 0 &&
        result_.functions[static_cast<std::size_t>(context.function)].pointer >= 0)
      command.index = result_.functions[static_cast<std::size_t>(context.function)].pointer;
    command.access = new_access();
    command.parts = subscripts(context, command.index);
    return command;
  }
  statement typed_store(const place& context) {
    statement command;
    command.kind = action::store_typed;
    command.index = pool_;
    int index = roll(typed_expression_count);
    while (!typed_expressions[index].may_run()) index = (index + 1) % typed_expression_count;
    const typed_expression& typed = typed_expressions[index];
    command.text = typed.text;
    command.width = typed.bytes;
    command.access = new_access();
    command.parts = {masked(plain_number(context, 1), 127)};
    return command;
  }

  statement branch(const place& context) {
    statement command;
    command.kind = action::branch;
    command.parts = {decision(context, 3)};
    command.bodies = {arm(context)};
    if (chance(2)) command.bodies.push_back(arm(context));
    return command;
  }
  statement by_architecture(const place& context) {
    constexpr int first[] = {700, 750, 800, 890, 900, 1000};
    statement command;
    command.kind = action::by_architecture;
    command.value = first[roll(6)];
    command.bodies = {arm(context), arm(context)};
    return command;
  }

  // Some lanes leave the loop, the switch, the function or the kernel.
  bool leave_alone(statements& target, const place& context) {
    statement inner;
    const bool may_proceed = context.loops > 0 && context.may_leave;
    const bool may_leave = context.in_switch || may_proceed;
    switch (roll(5)) {
      case 0:
      case 1:
        if (!may_leave) return false;
        inner.kind = action::leave;
        break;
      case 2:
      case 3:
        if (!may_proceed) return false;
        inner.kind = action::proceed;
        break;
      default:
        if (context.function < 0 && !chance(2)) return false;
        inner.kind = action::finish;
        if (context.function < 0) has_finished_ = true;
        if (context.function >= 0 &&
            result_.functions[static_cast<std::size_t>(context.function)].has_result)
          inner.parts = {as_int(reduced(number(context, 1)))};
    }
    statement command;
    command.kind = action::branch;
    command.parts = {decision(context, 2)};
    statements steps = chance(3) ? statements{accumulation(context)} : statements{};
    steps.push_back(inner);
    command.bodies = {std::move(steps)};
    target.push_back(std::move(command));
    return true;
  }

  statement counted_loop(place context) {
    statement command;
    command.kind = action::for_loop;
    command.index = new_variable(type::s32);
    const bool is_uniform = context.lanes != 0 && chance(2);
    command.parts = {is_uniform ? constant(roll(2)) : masked(number(context, 1), 3),
                     is_uniform ? constant(2 + roll(3)) : masked(number(context, 1), 7)};
    if (!is_uniform && chance(3)) command.parts.push_back(decision(context, 2));
    command.value = 1 + roll(2);
    command.bodies = {loop_body(context, is_uniform, command.index)};
    return command;
  }
  statements loop_body(place context, bool is_uniform, int counter) {
    ++context.depth;
    ++context.loops;
    context.in_switch = false;
    context.may_leave = !is_uniform;
    if (!is_uniform) context.is_uniform = false, context.lanes = 0;
    visible_.push_back(counter);
    statements body = list(context, 1 + roll(4));
    if (is_uniform && context.is_uniform && chance(3)) {
      // The iterations are parted by barriers.
      pass_barrier(body);
      for (statement& inner : list(context, 1 + roll(3))) body.push_back(std::move(inner));
      pass_barrier(body);
    }
    visible_.pop_back();
    return body;
  }
  // int w = 0; while (w < end && ..) { ++w; .. }
  void conditional_loop(statements& target, place context) {
    const int counter = new_variable(type::s32);
    statement first, next, loop;
    first.index = next.index = counter;
    first.parts = {constant(0)};
    next.parts = {binary(operation::add, variable(counter), constant(1))};
    target.push_back(first);
    loop.kind = chance(2) ? action::while_loop : action::do_loop;
    expression condition =
        binary(operation::less, variable(counter), masked(number(context, 1), 7));
    if (!chance(3)) {
      visible_.push_back(counter);
      condition = truth(operation::logical_and, {std::move(condition), decision(context, 2)});
      visible_.pop_back();
    }
    loop.parts = {std::move(condition)};
    statements body = loop_body(context, false, counter);
    body.insert(body.begin(), next);
    loop.bodies = {std::move(body)};
    target.push_back(std::move(loop));
  }

  statement choose(place context) {
    statement command;
    command.kind = action::choose;
    const int range = 3 + roll(6);
    command.parts = {
        chance(2) ? masked(as_int(number(context, 2)), 7)
                  : binary(operation::remainder, as_int(number(context, 2)), constant(range))};
    std::vector<int> left;
    for (int label = chance(5) ? -2 : 0; label < 8; ++label)
      if (label != default_label) left.push_back(label == -2 ? 40 : label);
    const int bodies = 1 + roll(4), other = chance(4) ? -1 : roll(bodies);
    place inner = context;
    ++inner.depth;
    inner.in_switch = true;
    inner.is_uniform = false;
    inner.lanes = 0;
    for (int body = 0; body < bodies; ++body) {
      std::vector<int> labels;
      for (int count = 1 + roll(3); count > 0 && !left.empty(); --count) {
        const int position = roll(static_cast<int>(left.size()));
        labels.push_back(left[static_cast<std::size_t>(position)]);
        left.erase(left.begin() + position);
      }
      if (body == other) {
        if (chance(2)) labels.clear();
        labels.insert(labels.begin() + roll(static_cast<int>(labels.size()) + 1), default_label);
      }
      command.labels.push_back(labels);
      command.bodies.push_back(list(inner, 1 + roll(2)));
      statement leaves;
      leaves.kind = action::leave;
      if (!chance(3)) command.bodies.back().push_back(leaves);
    }
    return command;
  }

  statement lanes_of_mask(place context) {
    constexpr std::uint32_t masks[] = {0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa,
                                       0x000000ff, 0xf0f0f0f0, 0x00ffff00};
    statement command;
    command.kind = action::lanes_of_mask;
    command.value = context.lanes & masks[roll(7)];
    ++context.depth;
    context.is_uniform = false;
    context.lanes = static_cast<std::uint32_t>(command.value);
    // Some lanes could leave the loop or the switch from here: those that come back are together
    // again.
    command.bodies = {list(context, 2 + roll(3))};
    return command;
  }

  bool exchange(statements& target, const place& context) {
    if (context.lanes == 0 || context.function >= 0) return false;
    statement command;
    if (chance(5)) {
      command.kind = action::warp_barrier;
      command.value = context.lanes;
      target.push_back(command);
      return true;
    }
    if (context.is_uniform && context.lanes == 0xffffffff && chance(4) &&
        exchange_in_memory(target, context))
      return true;
    expression value;
    const bool shuffles = !has_finished_ && result_.threads() % 32 == 0 && chance(2);
    value.value = context.lanes;
    if (shuffles) {
      const bool is_full = context.lanes == 0xffffffff;
      constexpr operation codes[] = {operation::shuffle_xor, operation::shuffle_index,
                                     operation::shuffle_up, operation::shuffle_down};
      value.code = codes[is_full ? roll(4) : roll(2)];
      expression input = number(context, 2);
      value.has = input.has;
      int distances[5] = {1, 2, 4, 8, 16};
      expression distance = constant(distances[roll(5)]);
      if (value.code == operation::shuffle_index) {
        int lane = roll(32);
        while ((context.lanes >> lane & 1) == 0) lane = (lane + 1) % 32;
        distance = is_full && chance(2) ? masked(number(context, 2), 31) : constant(lane);
      } else if (!is_full) {
        int position = roll(5);  // a distance between lanes of the mask
        for (int tried = 0;
             tried < 5 && flipped(context.lanes, distances[position]) != context.lanes; ++tried)
          position = (position + 1) % 5;
        if (flipped(context.lanes, distances[position]) != context.lanes) return false;
        distance = constant(distances[position]);
      }
      value.parts = {std::move(input), as_int(std::move(distance))};
    } else {
      constexpr operation codes[] = {operation::ballot, operation::any_lane, operation::all_lanes};
      value.code = codes[roll(3)];
      value.has = value.code == operation::ballot ? type::u32 : type::s32;
      value.parts = {decision(context, 2)};
    }
    command.kind = action::assign;
    command.index = pick(changeable_);
    if (value.code == operation::ballot && chance(2))
      value = unary(operation::ones, std::move(value), type::s32);
    command.parts = {reduced(std::move(value))};
    target.push_back(std::move(command));
    return true;
  }
  static std::uint32_t flipped(std::uint32_t lanes, int distance) {
    std::uint32_t result = 0;
    for (int lane = 0; lane < 32; ++lane)
      if ((lanes >> (lane ^ distance) & 1) != 0) result |= 1u << lane;
    return result;
  }
  // Each lane stores, the warp meets, and each loads what another lane of its warp has stored.
  bool exchange_in_memory(statements& target, const place& context) {
    for (const int index : data_) {
      if (!is_own_[static_cast<std::size_t>(index)] || own_[static_cast<std::size_t>(index)] > 31)
        continue;
      statement meet, read;
      meet.kind = action::warp_barrier;
      meet.value = 0xffffffff;
      target.push_back(own_store(context, index, reduced(number(context, 2))));
      target.push_back(meet);
      expression first = masked(variable(thread_), 96),
                 other = masked(as_int(plain_number(context, 1)), 31);
      expression value = load(index, binary(operation::add, std::move(first), std::move(other)));
      read.index = pick(changeable_);
      read.parts = {reduced(std::move(value))};
      target.push_back(std::move(read));
      target.push_back(meet);
      return true;
    }
    return false;
  }

  bool call(statements& target, const place& context) {
    const int last =
        context.function < 0 ? static_cast<int>(result_.functions.size()) : context.function;
    if (last == 0) return false;
    const int callee = roll(last);
    const function& called = result_.functions[static_cast<std::size_t>(callee)];
    // A function has no arrays of the kernel's body.
    if (context.function >= 0 && called.pointer >= 0 && !array_of(called.pointer).is_outside)
      return false;
    expressions arguments;
    for (std::size_t position = 0; position < called.parameters.size(); ++position)
      arguments.push_back(as_int(reduced(number(context, 2))));
    statement command;
    if (called.has_result) {
      expression value;
      value.code = operation::call;
      value.value = callee;
      value.parts = std::move(arguments);
      // Of some threads alone, in the middle of an expression.
      switch (roll(6)) {
        case 0:
        case 1: {
          expression other = as_int(number(context, 1)), condition = decision(context, 1);
          if (chance(2)) std::swap(value, other);
          value = truth(choice, {std::move(condition), std::move(value), std::move(other)});
          break;
        }
        case 2:
        case 3: {
          value = truth(chance(2) ? operation::logical_and : operation::logical_or,
                        {decision(context, 2), std::move(value)});
          if (chance(2)) break;
          command.kind = action::branch;
          command.parts = {std::move(value)};
          command.bodies = {arm(context)};
          if (chance(2)) command.bodies.push_back(arm(context));
          target.push_back(std::move(command));
          return true;
        }
        default: break;
      }
      command.index = pick(changeable_);
      command.parts = {reduced(std::move(value))};
    } else {
      command.kind = action::call;
      command.value = callee;
      command.parts = std::move(arguments);
    }
    target.push_back(std::move(command));
    return true;
  }

  void draw_function(int number) {
    function result;
    result.has_result = !chance(3);
    result.pointer = chance(2) ? pick(sums_) : -1;
    if (result.pointer >= 0 && array_of(result.pointer).rows != 0) result.pointer = -1;
    for (int left = 1 + roll(2); left > 0; --left)
      result.parameters.push_back(new_variable(type::s32));
    visible_ = changeable_ = result.parameters;
    result_.functions.push_back(result);
    budget_ = 8;
    place context;
    context.function = number;
    context.depth = 1;
    // Its arrays are those outside the kernel; the pointer is what a caller passes.
    const std::vector<int> sums = sums_;
    std::erase_if(sums_, [&](int index) { return !array_of(index).is_outside; });
    if (sums_.empty())
      sums_ = {sums[0]}, result_.arrays[static_cast<std::size_t>(sums[0])].is_outside = true;
    statements body = list(context, 2 + roll(3));
    if (result.has_result) {
      statement last;
      last.kind = action::finish;
      last.parts = {as_int(reduced(this->number(context, 2)))};
      body.push_back(last);
    }
    sums_ = sums;
    result_.functions[static_cast<std::size_t>(number)].body = std::move(body);
  }

  // All threads pass; then an array may be stored that was read, and the other way.
  void pass_barrier(statements& target) {
    statement command;
    command.kind = action::barrier;
    target.push_back(command);
    for (const int index : data_) {
      is_own_[static_cast<std::size_t>(index)] = chance(2);
      constexpr int shifts[] = {0, 1, 5, 16, 31, 3};
      own_[static_cast<std::size_t>(index)] = shifts[roll(6)];
    }
  }

  void draw_kernel() {
    thread_ = new_variable(type::s32);
    lane_ = result_.lane = new_variable(type::s32);
    changeable_.clear();
    const type kinds[] = {type::s32, type::s32, type::s32, type::u32, type::s64};
    for (const type kind : kinds) changeable_.push_back(new_variable(kind));
    visible_ = changeable_;
    budget_ = 14 + roll(26);
    place context;
    context.is_uniform = true;
    context.lanes = 0xffffffff;
    auto& body = result_.body;
    const auto set = [&](int target, expression value) {
      statement command;
      command.index = target;
      command.parts = {std::move(value)};
      body.push_back(std::move(command));
    };
    expression rows = binary(operation::multiply, as_int({operation::thread_y, type::u32}),
                             constant(result_.threads_x));
    set(thread_,
        as_int(binary(operation::add, as_int({operation::thread_x, type::u32}), std::move(rows))));
    set(lane_, masked(variable(thread_), 31));
    for (const int changeable : changeable_)
      set(changeable, chance(2) ? constant(roll(30), type::s32)
                                : reduced(binary(operation::multiply, variable(thread_),
                                                 constant(1 + roll(9)))));
    for (const int index : data_) {  // all elements
      statement loop, first;
      loop.kind = action::for_loop;
      loop.index = new_variable(type::s32);
      loop.value = result_.threads();
      loop.parts = {variable(thread_), constant(128)};
      first.kind = action::store;
      first.index = index;
      first.access = new_access();
      expression value =
          masked(binary(operation::multiply, variable(loop.index), constant(1 + 2 * roll(9))), 63);
      if (array_of(index).kind == element::f32)
        value = unary(operation::convert, std::move(value), type::f32);
      first.parts = {std::move(value), variable(loop.index)};
      loop.bodies = {{first}};
      body.push_back(std::move(loop));
    }
    pass_barrier(body);
    for (int segments = 1 + roll(4); segments > 0; --segments) {
      for (statement& step : list(context, 3 + roll(8))) body.push_back(std::move(step));
      if (chance(2)) pass_barrier(body);
    }
    // What the variables and the arrays have become decides about addresses.
    pass_barrier(body);
    for (const int changeable : changeable_) {
      statement shown;
      shown.kind = action::store;
      shown.access = new_access();
      shown.index = 0;
      shown.parts = {constant(1, type::f32), masked(variable(changeable), 1023)};
      body.push_back(std::move(shown));
    }
    for (const int index : data_) {
      is_own_[static_cast<std::size_t>(index)] = false;
      statement shown;
      shown.kind = action::store;
      shown.access = new_access();
      shown.index = 0;
      expression value = load(index, variable(thread_));
      if (value.has == type::f32) value = as_int(std::move(value));
      shown.parts = {constant(1, type::f32), masked(std::move(value), 1023)};
      body.push_back(std::move(shown));
    }
  }

  std::mt19937_64 random_;
  program result_;
  std::vector<int> data_, sums_;  // arrays
  int pool_ = -1;
  std::vector<int> own_;      // by array: what its elements are of each thread, by exclusive or
  std::vector<bool> is_own_;  // by array: each thread stores its own
  std::vector<int> visible_, changeable_;  // variables
  int thread_ = 0, lane_ = 0;
  int budget_ = 0, nodes_ = 0;  // statements and operators that are left
  bool in_subscript_ = false;
  bool has_finished_ = false;
};

}  // namespace

program drawn(std::uint64_t seed) { return drawing(seed).draw(); }

}  // namespace random_kernels
