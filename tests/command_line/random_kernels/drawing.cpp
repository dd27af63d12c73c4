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
bool is_comparison(operation does) {
  return does >= operation::less && does <= operation::not_equal;
}
expression binary(operation does, expression a, expression b) {
  expression result;
  result.does = does;
  const bool shifts = does == operation::shift_left || does == operation::shift_right;
  result.has = is_comparison(does) ? type::s32 : shifts ? a.has : common(a.has, b.has);
  result.parts = {std::move(a), std::move(b)};
  return result;
}
expression unary(operation does, expression a, type has) {
  expression result;
  result.does = does;
  result.has = has;
  result.parts = {std::move(a)};
  return result;
}
expression truth(operation does, expressions parts) {
  expression result;
  result.does = does;
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
  bool may_leave = true;       // the loop: some of its lanes may break or continue alone
  bool is_uniform = false;     // all threads of the block that have not ended are here
  std::uint32_t together = 0;  // the lanes of each warp that are here together
  int function = -1;           // -1: the kernel
};

class drawing {
 public:
  explicit drawing(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {
    result_.seed = seed;
  }

  program draw() {
    constexpr int shapes[][2] = {{32, 1}, {64, 1}, {16, 4}, {8, 8}, {48, 1},
                                 {33, 1}, {96, 1}, {20, 1}, {32, 2}};
    const auto& shape = shapes[below(9)];
    result_.threads_x = shape[0];
    result_.threads_y = shape[1];
    result_.block = below(3);
    result_.n = 1 + below(40);
    result_.m = below(8);
    draw_arrays();
    const int functions = below(3);
    for (int number = 0; number < functions; ++number) draw_function(number);
    draw_kernel();
    return std::move(result_);
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  bool in(int chances) { return below(chances) == 0; }
  template <class List>
  auto pick(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
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
    auto& all = result_.arrays;
    all.push_back({"out", element::f32, 0, 1024, true, false, false, {}});
    constexpr element kinds[] = {element::s32, element::s16, element::u8};
    constexpr const char* names[] = {"in", "in16", "in8"};
    for (int which = 0; which < 3; ++which) {
      array one{names[which], kinds[which], 0, 256, true, false, true, {}};
      for (int at = 0; at < 256; ++at)
        one.content.push_back(stored(one.kind, which == 2 ? below(256) : below(400) - 100));
      all.push_back(one);
    }
    constexpr element data[] = {element::s32, element::u32, element::s16, element::u8,
                                element::s8,  element::u16, element::s64, element::f32};
    for (int left = 1 + below(2); left > 0; --left) {
      data_.push_back(static_cast<int>(all.size()));
      all.push_back(
          {"d" + std::to_string(data_.size()), data[below(8)], 0, 128, false, in(3), true, {}});
    }
    own_.resize(all.size());
    is_own_.resize(all.size());
    constexpr element any[] = {element::f32,       element::f32,  element::f32,   element::s32,
                               element::s16,       element::u8,   element::f64,   element::pair,
                               element::quadruple, element::half, element::bfloat};
    for (int left = 2 + below(3); left > 0; --left) {
      sums_.push_back(static_cast<int>(all.size()));
      const element kind = any[below(11)];
      const int rows = in(2) ? 0 : 8;
      const int columns = rows == 0          ? 64 * (1 + below(4))
                          : bytes(kind) >= 8 ? 16 + below(2)
                                             : 32 + below(3);
      all.push_back(
          {"s" + std::to_string(sums_.size()), kind, rows, columns, false, in(3), false, {}});
    }
    if (in(2)) {
      pool_ = static_cast<int>(all.size());
      all.push_back({"pool", element::u8, 0, 4096, false, false, false, {}});
    }
    own_.resize(all.size());
    is_own_.resize(all.size());
  }
  const array& array_of(int index) const { return result_.arrays[static_cast<std::size_t>(index)]; }

  // ---- expressions ----
  expression leaf(const place& here) {
    switch (below(12)) {
      case 0: return here.function < 0 && in(6) ? sort_of_expression() : constant(below(20));
      case 1: return {operation::argument, type::s32, below(2)};
      case 2: return {operation::thread_x, type::u32};
      case 3:
        return in(2) ? expression{operation::block_x, type::u32}
                     : expression{operation::thread_y, type::u32};
      case 4: return constant(below(7) + 1, in(3) ? type::u32 : type::s32);
      case 5:
        if (here.function < 0 && in(2)) return variable(lane_);
        [[fallthrough]];
      case 6:
      case 7:
        if (here.function < 0) return variable(thread_);
        [[fallthrough]];
      default: return variable(pick(visible_));
    }
  }

  expression sort_of_expression() {
    const typed_expression& one = typed_expressions[below(typed_expression_count)];
    expression result;
    result.does = operation::sort;
    const bool is_size = in(2);
    result.value = is_size ? one.bytes : one.number();
    result.text = std::string(is_size ? "(int)sizeof(" : "NUMBER_OF(") + one.text + ")";
    return result;
  }

  // Of small integers if its leaves are.
  expression number(const place& here, int depth) {
    if (depth <= 0 || in(4) || --nodes_ < 0) return leaf(here);
    switch (below(depth > 1 ? 16 : 13)) {
      case 0:
      case 1:
      case 2: return binary(operation::add, number(here, depth - 1), number(here, depth - 1));
      case 3: return binary(operation::subtract, number(here, depth - 1), number(here, depth - 1));
      case 4:
        return binary(operation::multiply, masked(number(here, depth - 1), 63),
                      in(2) ? constant(1 + below(9)) : masked(leaf(here), 15));
      case 5: {
        const operation does = in(2) ? operation::divide : operation::remainder;
        return binary(does, number(here, depth - 1), constant(1 + below(11)));
      }
      case 6: {
        constexpr operation all[] = {operation::bit_and, operation::bit_or, operation::bit_xor};
        expression a = number(here, depth - 1);
        return binary(all[below(3)], std::move(a), in(2) ? constant(below(64)) : leaf(here));
      }
      case 7:
        return binary(operation::shift_left, masked(number(here, depth - 1), 255),
                      in(2) ? constant(below(4)) : masked(leaf(here), 3));
      case 8: return binary(operation::shift_right, number(here, depth - 1), constant(below(5)));
      case 9: {
        expression result;
        result.does = choice;
        expression condition = decision(here, depth - 2);
        expression a = number(here, depth - 1), b = number(here, depth - 1);
        result.has = common(a.has, b.has);
        result.parts = {std::move(condition), std::move(a), std::move(b)};
        return result;
      }
      case 10: {
        expression a = as_int(number(here, depth - 1));
        constexpr element narrow[] = {element::s8, element::u8, element::s16, element::u16};
        expression result = unary(operation::convert, std::move(a), type::s32);
        result.narrow = narrow[below(4)];
        return result;
      }
      case 11: {  // through a float, exactly
        expression a = unary(operation::convert, masked(number(here, depth - 1), 511), type::f32);
        a = binary(operation::multiply, std::move(a), constant(below(4), type::f32));
        if (in(2))
          a = binary(in(2) ? operation::minimum : operation::maximum, std::move(a),
                     constant(below(9), type::f32));
        return as_int(std::move(a));
      }
      case 12: {
        expression a = as_int(number(here, depth - 1)), b = as_int(leaf(here));
        return binary(in(2) ? operation::minimum : operation::maximum, std::move(a), std::move(b));
      }
      case 13:
        return in(2)
                   ? complement(masked(number(here, depth - 1), 1023))
                   : unary(operation::ones, masked(number(here, depth - 1), 0x7fffffff), type::s32);
      case 14:
        return unary(operation::convert, number(here, depth - 1), in(2) ? type::s64 : type::u32);
      default: return decision(here, depth - 2);
    }
  }
  // Fits into each of the kernel's variables.
  expression reduced(expression a) {
    if (a.has == type::f32) a = as_int(std::move(a));
    switch (below(4)) {
      case 0: return binary(operation::remainder, std::move(a), constant(40 + below(90)));
      case 1: return masked(std::move(a), 63);
      case 2: return masked(std::move(a), 1023);
      default: return masked(std::move(a), 255);
    }
  }

  expression comparison(const place& here) {
    constexpr operation all[] = {operation::less,    operation::less_equal,
                                 operation::greater, operation::greater_equal,
                                 operation::equal,   operation::not_equal};
    switch (below(6)) {
      case 0: return masked(number(here, 1), std::int64_t{1} << below(3));
      case 1: {
        expression product = binary(operation::multiply, masked(number(here, 1), 127),
                                    in(2) ? leaf_argument() : constant(1 + below(9)));
        return binary(operation::equal,
                      binary(operation::remainder, std::move(product), constant(3 + below(4))),
                      constant(below(4)));
      }
      case 2:
        if (expression value; !in_subscript_ && element_of_data(here, value)) {
          expression limit = constant(below(40));
          if (value.has == type::f32)
            limit = unary(operation::convert, std::move(limit), type::f32);
          return binary(all[below(6)], std::move(value), std::move(limit));
        }
        [[fallthrough]];
      case 3: return binary(all[below(4)], leaf(here), constant(below(30)));
      default: {
        expression a = number(here, 2);
        return binary(all[below(6)], std::move(a), number(here, 1));
      }
    }
  }
  expression leaf_argument() { return masked({operation::argument, type::s32, below(2)}, 31); }

  expression decision(const place& here, int depth) {
    if (depth <= 0 || in(3) || --nodes_ < 0) return comparison(here);
    expression a = decision(here, depth - 1);
    switch (below(7)) {
      case 0:
      case 1:
      case 2: return truth(operation::logical_and, {std::move(a), decision(here, depth - 1)});
      case 3:
      case 4: return truth(operation::logical_or, {std::move(a), decision(here, depth - 1)});
      case 5: return truth(operation::logical_not, {std::move(a)});
      default: {
        expression b = decision(here, depth - 1);
        return truth(choice, {std::move(a), std::move(b), decision(here, depth - 1)});
      }
    }
  }

  expression load(int index, expression subscript) {
    expression result;
    result.does = operation::load;
    result.value = index;
    result.has = promoted(array_of(index).kind);
    result.access = new_access();
    result.parts = {std::move(subscript)};
    return result;
  }
  // A line has one access: its subscript has none.
  expression plain_number(const place& here, int depth) {
    const bool before = in_subscript_;
    in_subscript_ = true;
    expression result = number(here, depth);
    in_subscript_ = before;
    return result;
  }
  // The element of `thread` that its own thread alone stores.
  expression own_element(int index, expression thread) {
    const int shift = own_[static_cast<std::size_t>(index)];
    return shift == 0 ? thread : binary(operation::bit_xor, std::move(thread), constant(shift));
  }
  bool element_of_data(const place& here, expression& to) {
    if (here.function < 0 && in(2)) {
      const int index = pick(data_);
      if (is_own_[static_cast<std::size_t>(index)])
        to = load(index, own_element(index, variable(thread_)));
      else
        to = load(index, masked(plain_number(here, 1), 127));
      return true;
    }
    to = load(1 + below(3), masked(plain_number(here, 1), 255));
    return true;
  }
  expressions subscripts(const place& here, int index) {
    const array& to = array_of(index);
    const auto within = [&](int extent) {
      expression a = plain_number(here, 2);
      if ((extent & (extent - 1)) == 0) return masked(std::move(a), extent - 1);
      int bits = 1;
      while (2 * bits <= extent) bits *= 2;
      return masked(std::move(a), bits - 1);
    };
    if (to.rows == 0) return {within(to.columns)};
    expression row = within(to.rows);
    return {std::move(row), within(to.columns)};
  }

  // ---- statements ----
  statements list(const place& here, int length) {
    statements result;
    for (int left = length; left > 0 && budget_ > 0; --left) add(result, here);
    return result;
  }
  statements arm(place here, int length = 3) {
    ++here.depth;
    here.is_uniform = false;
    here.together = 0;
    return list(here, 1 + below(length));
  }

  void add(statements& to, const place& here) {
    --budget_;
    nodes_ = 12;
    statement made;
    const int deepest = 4;
    int way = below(30);
    if (here.depth >= deepest) way = below(14);
    switch (way) {
      case 0:
      case 1:
      case 2: to.push_back(assignment(here)); return;
      case 3: to.push_back(store(here)); return;
      case 4:
        if (here.function >= 0) break;
        store_own(to, here);
        return;
      case 5:
      case 6:
      case 7:
      case 8: to.push_back(accumulation(here)); return;
      case 9:
        made.does = action::store;
        made.index = 0;
        made.access = new_access();
        made.parts = {constant(1, type::f32), masked(plain_number(here, 2), 1023)};
        to.push_back(made);
        return;
      case 10:
        if (pool_ < 0 || here.function >= 0) break;
        to.push_back(typed_store(here));
        return;
      case 11:
        if (leave_alone(to, here)) return;
        break;
      case 12:
        if (call(to, here)) return;
        break;
      case 13:
        if (exchange(to, here)) return;
        break;
      case 14:
      case 15:
      case 16:
      case 17:
      case 18: to.push_back(branch(here)); return;
      case 19:
      case 20:
        if (here.loops > 1) break;
        to.push_back(counted_loop(here));
        return;
      case 21:
        if (here.loops > 1) break;
        conditional_loop(to, here);
        return;
      case 22:
      case 23: to.push_back(choose(here)); return;
      case 24:
      case 25:
        if (leave_alone(to, here)) return;
        break;
      case 26:
        if (here.together == 0) break;
        to.push_back(lanes_of_mask(here));
        return;
      case 27:
        if (here.function >= 0 || !in(2)) break;
        to.push_back(by_architecture(here));
        return;
      default:
        if (exchange(to, here)) return;
        break;
    }
    to.push_back(accumulation(here));
  }

  statement assignment(const place& here) {
    statement made;
    made.does = action::assign;
    made.index = pick(changeable_);
    expression value;
    if (in(4) && element_of_data(here, value)) {
      if (value.has == type::f32) value = as_int(std::move(value));
      if (in(3)) value = truth(choice, {decision(here, 2), std::move(value), number(here, 1)});
      value.has = value.does == choice ? common(value.parts[1].has, value.parts[2].has) : value.has;
    } else {
      value = number(here, 3);
    }
    made.parts = {reduced(std::move(value))};
    return made;
  }
  statement store(const place& here) {
    statement made;
    made.index = pick(sums_);
    const array& to = array_of(made.index);
    made.access = new_access();
    if (to.kind == element::s32 && in(2)) {
      made.does = action::add_atomically;
      made.parts = subscripts(here, made.index);
      return made;
    }
    made.does = action::store;
    made.parts = {promoted(to.kind) == type::f32 ? constant(below(5), type::f32)
                                                 : reduced(leaf(here))};
    for (expression& each : subscripts(here, made.index)) made.parts.push_back(std::move(each));
    return made;
  }
  void store_own(statements& to, const place& here) {
    for (const int index : data_) {
      if (!is_own_[static_cast<std::size_t>(index)]) continue;
      to.push_back(own_store(here, index, reduced(number(here, 2))));
      return;
    }
    to.push_back(assignment(here));
  }
  statement own_store(const place&, int index, expression value) {
    statement made;
    made.does = action::store;
    made.index = index;
    made.access = new_access();
    if (array_of(index).kind == element::f32)
      value = unary(operation::convert, std::move(value), type::f32);
    made.parts = {std::move(value), own_element(index, variable(thread_))};
    return made;
  }
  statement accumulation(const place& here) {
    statement made;
    made.does = action::accumulate;
    made.index = pick(sums_);
    if (here.function >= 0 &&
        result_.functions[static_cast<std::size_t>(here.function)].pointer >= 0)
      made.index = result_.functions[static_cast<std::size_t>(here.function)].pointer;
    made.access = new_access();
    made.parts = subscripts(here, made.index);
    return made;
  }
  statement typed_store(const place& here) {
    statement made;
    made.does = action::store_typed;
    made.index = pool_;
    int which = below(typed_expression_count);
    while (!typed_expressions[which].may_run()) which = (which + 1) % typed_expression_count;
    const typed_expression& one = typed_expressions[which];
    made.text = one.text;
    made.width = one.bytes;
    made.access = new_access();
    made.parts = {masked(plain_number(here, 1), 127)};
    return made;
  }

  statement branch(const place& here) {
    statement made;
    made.does = action::branch;
    made.parts = {decision(here, 3)};
    made.bodies = {arm(here)};
    if (in(2)) made.bodies.push_back(arm(here));
    return made;
  }
  statement by_architecture(const place& here) {
    constexpr int first[] = {700, 750, 800, 890, 900, 1000};
    statement made;
    made.does = action::by_architecture;
    made.value = first[below(6)];
    made.bodies = {arm(here), arm(here)};
    return made;
  }

  // Some lanes leave the loop, the switch, the function or the kernel.
  bool leave_alone(statements& to, const place& here) {
    statement inner;
    const bool may_proceed = here.loops > 0 && here.may_leave;
    const bool may_leave = here.in_switch || may_proceed;
    switch (below(5)) {
      case 0:
      case 1:
        if (!may_leave) return false;
        inner.does = action::leave;
        break;
      case 2:
      case 3:
        if (!may_proceed) return false;
        inner.does = action::proceed;
        break;
      default:
        if (here.function < 0 && !in(2)) return false;
        inner.does = action::finish;
        if (here.function < 0) has_finished_ = true;
        if (here.function >= 0 &&
            result_.functions[static_cast<std::size_t>(here.function)].has_result)
          inner.parts = {as_int(reduced(number(here, 1)))};
    }
    statement made;
    made.does = action::branch;
    made.parts = {decision(here, 2)};
    statements before = in(3) ? statements{accumulation(here)} : statements{};
    before.push_back(inner);
    made.bodies = {std::move(before)};
    to.push_back(std::move(made));
    return true;
  }

  statement counted_loop(place here) {
    statement made;
    made.does = action::for_loop;
    made.index = new_variable(type::s32);
    const bool is_uniform = here.together != 0 && in(2);
    made.parts = {is_uniform ? constant(below(2)) : masked(number(here, 1), 3),
                  is_uniform ? constant(2 + below(3)) : masked(number(here, 1), 7)};
    if (!is_uniform && in(3)) made.parts.push_back(decision(here, 2));
    made.value = 1 + below(2);
    made.bodies = {loop_body(here, is_uniform, made.index)};
    return made;
  }
  statements loop_body(place here, bool is_uniform, int counter) {
    ++here.depth;
    ++here.loops;
    here.in_switch = false;
    here.may_leave = !is_uniform;
    if (!is_uniform) here.is_uniform = false, here.together = 0;
    visible_.push_back(counter);
    statements body = list(here, 1 + below(4));
    if (is_uniform && here.is_uniform && in(3)) {
      // The iterations are parted by barriers.
      pass_barrier(body);
      for (statement& each : list(here, 1 + below(3))) body.push_back(std::move(each));
      pass_barrier(body);
    }
    visible_.pop_back();
    return body;
  }
  // int w = 0; while (w < end && ..) { ++w; .. }
  void conditional_loop(statements& to, place here) {
    const int counter = new_variable(type::s32);
    statement first, next, loop;
    first.index = next.index = counter;
    first.parts = {constant(0)};
    next.parts = {binary(operation::add, variable(counter), constant(1))};
    to.push_back(first);
    loop.does = in(2) ? action::while_loop : action::do_loop;
    expression condition = binary(operation::less, variable(counter), masked(number(here, 1), 7));
    if (!in(3)) {
      visible_.push_back(counter);
      condition = truth(operation::logical_and, {std::move(condition), decision(here, 2)});
      visible_.pop_back();
    }
    loop.parts = {std::move(condition)};
    statements body = loop_body(here, false, counter);
    body.insert(body.begin(), next);
    loop.bodies = {std::move(body)};
    to.push_back(std::move(loop));
  }

  statement choose(place here) {
    statement made;
    made.does = action::choose;
    const int range = 3 + below(6);
    made.parts = {in(2) ? masked(as_int(number(here, 2)), 7)
                        : binary(operation::remainder, as_int(number(here, 2)), constant(range))};
    std::vector<int> left;
    for (int label = in(5) ? -2 : 0; label < 8; ++label)
      if (label != default_label) left.push_back(label == -2 ? 40 : label);
    const int bodies = 1 + below(4), other = in(4) ? -1 : below(bodies);
    place inner = here;
    ++inner.depth;
    inner.in_switch = true;
    inner.is_uniform = false;
    inner.together = 0;
    for (int body = 0; body < bodies; ++body) {
      std::vector<int> labels;
      for (int count = 1 + below(3); count > 0 && !left.empty(); --count) {
        const int at = below(static_cast<int>(left.size()));
        labels.push_back(left[static_cast<std::size_t>(at)]);
        left.erase(left.begin() + at);
      }
      if (body == other) {
        if (in(2)) labels.clear();
        labels.insert(labels.begin() + below(static_cast<int>(labels.size()) + 1), default_label);
      }
      made.labels.push_back(labels);
      made.bodies.push_back(list(inner, 1 + below(2)));
      statement leaves;
      leaves.does = action::leave;
      if (!in(3)) made.bodies.back().push_back(leaves);
    }
    return made;
  }

  statement lanes_of_mask(place here) {
    constexpr std::uint32_t masks[] = {0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa,
                                       0x000000ff, 0xf0f0f0f0, 0x00ffff00};
    statement made;
    made.does = action::lanes_of_mask;
    made.value = here.together & masks[below(7)];
    ++here.depth;
    here.is_uniform = false;
    here.together = static_cast<std::uint32_t>(made.value);
    // Some lanes could leave the loop or the switch from here: those that come back are together
    // again.
    made.bodies = {list(here, 2 + below(3))};
    return made;
  }

  bool exchange(statements& to, const place& here) {
    if (here.together == 0 || here.function >= 0) return false;
    statement made;
    if (in(5)) {
      made.does = action::warp_barrier;
      made.value = here.together;
      to.push_back(made);
      return true;
    }
    if (here.is_uniform && here.together == 0xffffffff && in(4) && exchange_in_memory(to, here))
      return true;
    expression value;
    const bool shuffles = !has_finished_ && result_.threads() % 32 == 0 && in(2);
    value.value = here.together;
    if (shuffles) {
      const bool is_full = here.together == 0xffffffff;
      constexpr operation all[] = {operation::shuffle_xor, operation::shuffle_index,
                                   operation::shuffle_up, operation::shuffle_down};
      value.does = all[is_full ? below(4) : below(2)];
      expression given = number(here, 2);
      value.has = given.has;
      int distances[5] = {1, 2, 4, 8, 16};
      expression by = constant(distances[below(5)]);
      if (value.does == operation::shuffle_index) {
        int lane = below(32);
        while ((here.together >> lane & 1) == 0) lane = (lane + 1) % 32;
        by = is_full && in(2) ? masked(number(here, 2), 31) : constant(lane);
      } else if (!is_full) {
        int at = below(5);  // a distance between lanes of the mask
        for (int tried = 0; tried < 5 && flipped(here.together, distances[at]) != here.together;
             ++tried)
          at = (at + 1) % 5;
        if (flipped(here.together, distances[at]) != here.together) return false;
        by = constant(distances[at]);
      }
      value.parts = {std::move(given), as_int(std::move(by))};
    } else {
      constexpr operation all[] = {operation::ballot, operation::any_lane, operation::all_lanes};
      value.does = all[below(3)];
      value.has = value.does == operation::ballot ? type::u32 : type::s32;
      value.parts = {decision(here, 2)};
    }
    made.does = action::assign;
    made.index = pick(changeable_);
    if (value.does == operation::ballot && in(2))
      value = unary(operation::ones, std::move(value), type::s32);
    made.parts = {reduced(std::move(value))};
    to.push_back(std::move(made));
    return true;
  }
  static std::uint32_t flipped(std::uint32_t lanes, int distance) {
    std::uint32_t result = 0;
    for (int lane = 0; lane < 32; ++lane)
      if ((lanes >> (lane ^ distance) & 1) != 0) result |= 1u << lane;
    return result;
  }
  // Each lane stores, the warp meets, and each loads what another lane of its warp has stored.
  bool exchange_in_memory(statements& to, const place& here) {
    for (const int index : data_) {
      if (!is_own_[static_cast<std::size_t>(index)] || own_[static_cast<std::size_t>(index)] > 31)
        continue;
      statement meet, read;
      meet.does = action::warp_barrier;
      meet.value = 0xffffffff;
      to.push_back(own_store(here, index, reduced(number(here, 2))));
      to.push_back(meet);
      expression first = masked(variable(thread_), 96),
                 other = masked(as_int(plain_number(here, 1)), 31);
      expression value = load(index, binary(operation::add, std::move(first), std::move(other)));
      read.index = pick(changeable_);
      read.parts = {reduced(std::move(value))};
      to.push_back(std::move(read));
      to.push_back(meet);
      return true;
    }
    return false;
  }

  bool call(statements& to, const place& here) {
    const int last = here.function < 0 ? static_cast<int>(result_.functions.size()) : here.function;
    if (last == 0) return false;
    const int callee = below(last);
    const function& its = result_.functions[static_cast<std::size_t>(callee)];
    // A function has no arrays of the kernel's body.
    if (here.function >= 0 && its.pointer >= 0 && !array_of(its.pointer).is_outside) return false;
    expressions arguments;
    for (std::size_t at = 0; at < its.parameters.size(); ++at)
      arguments.push_back(as_int(reduced(number(here, 2))));
    statement made;
    if (its.has_result) {
      expression value;
      value.does = operation::call;
      value.value = callee;
      value.parts = std::move(arguments);
      // Of some threads alone, in the middle of an expression.
      switch (below(6)) {
        case 0:
        case 1: {
          expression other = as_int(number(here, 1)), condition = decision(here, 1);
          if (in(2)) std::swap(value, other);
          value = truth(choice, {std::move(condition), std::move(value), std::move(other)});
          break;
        }
        case 2:
        case 3: {
          value = truth(in(2) ? operation::logical_and : operation::logical_or,
                        {decision(here, 2), std::move(value)});
          if (in(2)) break;
          made.does = action::branch;
          made.parts = {std::move(value)};
          made.bodies = {arm(here)};
          if (in(2)) made.bodies.push_back(arm(here));
          to.push_back(std::move(made));
          return true;
        }
        default: break;
      }
      made.index = pick(changeable_);
      made.parts = {reduced(std::move(value))};
    } else {
      made.does = action::call;
      made.value = callee;
      made.parts = std::move(arguments);
    }
    to.push_back(std::move(made));
    return true;
  }

  void draw_function(int number) {
    function made;
    made.has_result = !in(3);
    made.pointer = in(2) ? pick(sums_) : -1;
    if (made.pointer >= 0 && array_of(made.pointer).rows != 0) made.pointer = -1;
    for (int left = 1 + below(2); left > 0; --left)
      made.parameters.push_back(new_variable(type::s32));
    visible_ = changeable_ = made.parameters;
    result_.functions.push_back(made);
    budget_ = 8;
    place here;
    here.function = number;
    here.depth = 1;
    // Its arrays are those outside the kernel; the pointer is what a caller passes.
    const std::vector<int> all = sums_;
    std::erase_if(sums_, [&](int index) { return !array_of(index).is_outside; });
    if (sums_.empty())
      sums_ = {all[0]}, result_.arrays[static_cast<std::size_t>(all[0])].is_outside = true;
    statements body = list(here, 2 + below(3));
    if (made.has_result) {
      statement last;
      last.does = action::finish;
      last.parts = {as_int(reduced(this->number(here, 2)))};
      body.push_back(last);
    }
    sums_ = all;
    result_.functions[static_cast<std::size_t>(number)].body = std::move(body);
  }

  // All threads pass; then an array may be stored that was read, and the other way.
  void pass_barrier(statements& to) {
    statement made;
    made.does = action::barrier;
    to.push_back(made);
    for (const int index : data_) {
      is_own_[static_cast<std::size_t>(index)] = in(2);
      constexpr int shifts[] = {0, 1, 5, 16, 31, 3};
      own_[static_cast<std::size_t>(index)] = shifts[below(6)];
    }
  }

  void draw_kernel() {
    thread_ = new_variable(type::s32);
    lane_ = result_.lane = new_variable(type::s32);
    changeable_.clear();
    const type kinds[] = {type::s32, type::s32, type::s32, type::u32, type::s64};
    for (const type each : kinds) changeable_.push_back(new_variable(each));
    visible_ = changeable_;
    budget_ = 14 + below(26);
    place here;
    here.is_uniform = true;
    here.together = 0xffffffff;
    auto& body = result_.body;
    const auto set = [&](int to, expression value) {
      statement made;
      made.index = to;
      made.parts = {std::move(value)};
      body.push_back(std::move(made));
    };
    expression rows = binary(operation::multiply, as_int({operation::thread_y, type::u32}),
                             constant(result_.threads_x));
    set(thread_,
        as_int(binary(operation::add, as_int({operation::thread_x, type::u32}), std::move(rows))));
    set(lane_, masked(variable(thread_), 31));
    for (const int each : changeable_)
      set(each,
          in(2) ? constant(below(30), type::s32)
                : reduced(binary(operation::multiply, variable(thread_), constant(1 + below(9)))));
    for (const int index : data_) {  // all elements
      statement loop, first;
      loop.does = action::for_loop;
      loop.index = new_variable(type::s32);
      loop.value = result_.threads();
      loop.parts = {variable(thread_), constant(128)};
      first.does = action::store;
      first.index = index;
      first.access = new_access();
      expression value =
          masked(binary(operation::multiply, variable(loop.index), constant(1 + 2 * below(9))), 63);
      if (array_of(index).kind == element::f32)
        value = unary(operation::convert, std::move(value), type::f32);
      first.parts = {std::move(value), variable(loop.index)};
      loop.bodies = {{first}};
      body.push_back(std::move(loop));
    }
    pass_barrier(body);
    for (int segments = 1 + below(4); segments > 0; --segments) {
      for (statement& each : list(here, 3 + below(8))) body.push_back(std::move(each));
      if (in(2)) pass_barrier(body);
    }
    // What the variables and the arrays have become decides about addresses.
    pass_barrier(body);
    for (const int each : changeable_) {
      statement shown;
      shown.does = action::store;
      shown.access = new_access();
      shown.index = 0;
      shown.parts = {constant(1, type::f32), masked(variable(each), 1023)};
      body.push_back(std::move(shown));
    }
    for (const int index : data_) {
      is_own_[static_cast<std::size_t>(index)] = false;
      statement shown;
      shown.does = action::store;
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
