// SPDX-License-Identifier: MIT
// Prints a random kernel as PTX, with the branches that a plain translation has: short circuits are
// side exits, a `switch` is a table or a chain of comparisons, a small arm is predicated. Which of
// several forms is taken depends on the kernel's seed.
#include <bit>

#include "program.hpp"

namespace random_kernels {

namespace {

bool is_comparison(operation does) {
  return does >= operation::less && does <= operation::not_equal;
}
bool is_logical(const expression& one) {
  return one.does == operation::logical_and || one.does == operation::logical_or ||
         one.does == operation::logical_not || one.does == operation::choice;
}
// It has no access and no function: both arms of a choice may be computed.
bool is_pure(const expression& one) {
  if (one.does == operation::load || one.does >= operation::shuffle_index) return false;
  for (const expression& each : one.parts)
    if (!is_pure(each)) return false;
  return true;
}

class printer {
 public:
  printer(const program& all, int number, int architecture)
      : all_(all), number_(std::to_string(number)), architecture_(architecture) {}

  std::string print() {
    std::string head;
    for (std::size_t at = 0; at < all_.arrays.size(); ++at)
      if (all_.arrays[at].is_outside) head += declaration(static_cast<int>(at));
    for (std::size_t at = 0; at < all_.variables.size(); ++at)
      variables_.push_back(fresh(all_.variables[at]));
    for (int which = 0; which < 4; ++which) {
      const std::string loaded = fresh_double(), made = fresh_double();
      put("ld.param.u64 " + loaded + ", [k" + number_ + "_param_" + std::to_string(which) + "]");
      put("cvta.to.global.u64 " + made + ", " + loaded);
      pointers_.push_back(made);
    }
    for (int which = 4; which < 6; ++which) {
      arguments_.push_back(fresh(type::s32));
      put("ld.param.u32 " + arguments_.back() + ", [k" + number_ + "_param_" +
          std::to_string(which) + "]");
    }
    for (std::size_t at = 0; at < all_.variables.size(); ++at)
      put(std::string(all_.variables[at] == type::s64 ? "mov.b64 " : "mov.b32 ") + variables_[at] +
          ", 0");
    print_body(all_.body);
    put("ret");
    head += ".visible .entry k" + number_ + "(";
    for (int which = 0; which < 6; ++which)
      head += std::string(which == 0 ? "" : ", ") +
              (which < 4 ? ".param .u64 k" : ".param .u32 k") + number_ + "_param_" +
              std::to_string(which);
    head += ")\n{\n";
    for (const auto& [kind, name] :
         {std::pair{"pred", "p"}, {"b16", "h"}, {"b32", "r"}, {"b64", "d"}, {"f32", "f"}})
      head += std::string("  .reg .") + kind + " %" + name + "<" + std::to_string(registers_ + 1) +
              ">;\n";
    for (std::size_t at = 0; at < all_.arrays.size(); ++at)
      if (!all_.arrays[at].is_outside && !all_.arrays[at].is_global)
        head += declaration(static_cast<int>(at));
    return head + text_ + "}\n";
  }

 private:
  // ---- text ----
  std::string fresh(const char* kind) {
    return std::string("%") + kind + std::to_string(++registers_);
  }
  std::string fresh(type has) {
    return fresh(has == type::s64 ? "d" : has == type::f32 ? "f" : "r");
  }
  std::string fresh_double() { return fresh("d"); }
  std::string fresh_label() { return "$L" + number_ + "_" + std::to_string(++labels_); }
  void put(const std::string& instruction) { text_ += "  " + instruction + ";\n"; }
  void put_label(const std::string& name) { text_ += name + ":\n"; }
  void jump(const std::string& label) { put("bra " + label); }
  void put_place(int access) { text_ += "  .loc 1 " + std::to_string(access + 1) + " 1\n"; }
  // Another answer at each call, the same for one seed.
  bool chance(int of) {
    const std::uint64_t mixed =
        all_.seed * 2654435761u + static_cast<unsigned>(++chances_) * 40503u;
    return (mixed >> 7) % static_cast<unsigned>(of) == 0;
  }

  std::string array_name(int index) const {
    return all_.arrays[static_cast<std::size_t>(index)].name + "_" + number_;
  }
  std::string declaration(int index) const {
    const array& one = all_.arrays[static_cast<std::size_t>(index)];
    const int width = bytes(one.kind);
    return ".shared .align " + std::to_string(one.name == "pool" ? 16 : width) + " .b8 " +
           array_name(index) + "[" + std::to_string(one.elements() * width) + "];\n";
  }

  // ---- values: a register or an integer ----
  static std::string suffix(type has) {
    return has == type::s32 ? "s32" : has == type::u32 ? "u32" : has == type::s64 ? "s64" : "f32";
  }
  static std::string bits(type has) { return has == type::s64 ? "b64" : "b32"; }

  std::string converted(const std::string& value, type before, type after) {
    if (before == after) return value;
    const bool is_constant = value[0] != '%';
    if (after == type::f32) {
      const std::string result = fresh(type::f32),
                        given = is_constant ? moved(value, before) : value;
      put("cvt.rn.f32." + suffix(before) + " " + result + ", " + given);
      return result;
    }
    if (before == type::f32) {
      const std::string result = fresh(after);
      put("cvt.rzi." + suffix(after) + ".f32 " + result + ", " + value);
      return result;
    }
    if (is_constant) return value;
    if ((before == type::s64) == (after == type::s64)) return value;
    const std::string result = fresh(after);
    put("cvt." +
        std::string(after == type::s64 ? suffix(type::s64) + "." + suffix(before) : "u32.u64") +
        " " + result + ", " + value);
    return result;
  }
  std::string moved(const std::string& value, type has) {
    const std::string result = fresh(has);
    put("mov." + bits(has) + " " + result + ", " + value);
    return result;
  }
  std::string one_of_two(const std::string& instruction, type has, const std::string& a,
                         const std::string& b) {
    const std::string result = fresh(has);
    put(instruction + " " + result + ", " + a + ", " + b);
    return result;
  }

  std::string value(const expression& one, type as) { return converted(value(one), one.has, as); }

  std::string value(const expression& one) {
    switch (one.does) {
      case operation::constant: {
        if (one.has != type::f32) return std::to_string(one.value);
        constexpr const char* digits = "0123456789ABCDEF";
        const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(one.value));
        std::string result = "0f";
        for (int shift = 28; shift >= 0; shift -= 4) result += digits[word >> shift & 15];
        return moved(result, type::f32);
      }
      case operation::sort: return std::to_string(one.value);
      case operation::variable: return variables_[static_cast<std::size_t>(one.value)];
      case operation::thread_x: return moved("%tid.x", type::u32);
      case operation::thread_y: return moved("%tid.y", type::u32);
      case operation::block_x: return moved("%ctaid.x", type::u32);
      case operation::argument: return arguments_[static_cast<std::size_t>(one.value)];
      case operation::load: return loaded(one);
      case operation::call: return called(one.value, one.parts);
      case operation::logical_and:
      case operation::logical_or:
      case operation::logical_not: return truth(one);
      case operation::choice: return chosen(one);
      case operation::convert: {
        if (one.narrow == element::s32) return value(one.parts[0], one.has);
        const std::string given = value(one.parts[0], type::s32);
        constexpr const char* names[] = {"s8", "u8", "s16", "u16"};
        const std::string name = names[static_cast<int>(one.narrow)], result = fresh(type::s32);
        put("cvt." + std::string(name[0] == 's' ? "s32." : "u32.") + name + " " + result + ", " +
            (given[0] == '%' ? given : moved(given, type::s32)));
        return result;
      }
      case operation::complement:
      case operation::negate: {
        const std::string given = value(one.parts[0]), result = fresh(one.has);
        put((one.does == operation::negate ? "neg." + suffix(one.has) : "not." + bits(one.has)) +
            " " + result + ", " + given);
        return result;
      }
      case operation::ones: {
        const std::string given = value(one.parts[0], type::u32), result = fresh(type::s32);
        put("popc.b32 " + result + ", " + given);
        return result;
      }
      case operation::shuffle_index:
      case operation::shuffle_xor:
      case operation::shuffle_up:
      case operation::shuffle_down: return shuffled(one);
      case operation::ballot:
      case operation::any_lane:
      case operation::all_lanes: return voted(one);
      default: break;
    }
    if (is_comparison(one.does)) return truth(one);
    if (one.does == operation::shift_left || one.does == operation::shift_right) {
      const std::string a = value(one.parts[0]), b = value(one.parts[1], type::u32);
      return one_of_two(
          one.does == operation::shift_left ? "shl." + bits(one.has) : "shr." + suffix(one.has),
          one.has, a, b);
    }
    const std::string a = value(one.parts[0], one.has), b = value(one.parts[1], one.has);
    const std::string kind = suffix(one.has);
    switch (one.does) {
      case operation::add: return one_of_two("add." + kind, one.has, a, b);
      case operation::subtract: return one_of_two("sub." + kind, one.has, a, b);
      case operation::multiply:
        return one_of_two((one.has == type::f32 ? "mul." : "mul.lo.") + kind, one.has, a, b);
      case operation::divide: return one_of_two("div." + kind, one.has, a, b);
      case operation::remainder: return one_of_two("rem." + kind, one.has, a, b);
      case operation::bit_and: return one_of_two("and." + bits(one.has), one.has, a, b);
      case operation::bit_or: return one_of_two("or." + bits(one.has), one.has, a, b);
      case operation::bit_xor: return one_of_two("xor." + bits(one.has), one.has, a, b);
      case operation::minimum: return one_of_two("min." + kind, one.has, a, b);
      default: return one_of_two("max." + kind, one.has, a, b);
    }
  }

  std::string predicate(const expression& one) {
    const std::string result = fresh("p");
    if (is_comparison(one.does)) {
      const type both = std::max(one.parts[0].has, one.parts[1].has);
      const std::string a = value(one.parts[0], both), b = value(one.parts[1], both);
      constexpr const char* names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
      put("setp." +
          std::string(names[static_cast<int>(one.does) - static_cast<int>(operation::less)]) + "." +
          suffix(both) + " " + result + ", " + a + ", " + b);
    } else {
      const std::string given = value(one);
      put("setp.ne." + suffix(one.has) + " " + result + ", " + given + ", 0");
    }
    return result;
  }

  // Goes to the label if the condition is `holds`.
  void jump_if(const expression& one, bool holds, const std::string& label) {
    if (one.does == operation::logical_not) return jump_if(one.parts[0], !holds, label);
    if (one.does == operation::choice) {
      const std::string other = fresh_label(), join = fresh_label();
      jump_if(one.parts[0], false, other);
      jump_if(one.parts[1], holds, label);
      jump(join);
      put_label(other);
      jump_if(one.parts[2], holds, label);
      put_label(join);
      return;
    }
    if (one.does == operation::logical_and || one.does == operation::logical_or) {
      const bool leaves_at_first = (one.does == operation::logical_or) == holds;
      if (leaves_at_first) {
        jump_if(one.parts[0], holds, label);
        return jump_if(one.parts[1], holds, label);
      }
      const std::string past = fresh_label();
      jump_if(one.parts[0], !holds, past);
      jump_if(one.parts[1], holds, label);
      put_label(past);
      return;
    }
    const std::string decides = predicate(one);
    put(std::string(holds ? "@" : "@!") + decides + " bra " + label);
  }

  std::string truth(const expression& one) {
    const std::string result = fresh(type::s32);
    if (!is_logical(one)) {
      const std::string decides = predicate(one);
      put("selp.s32 " + result + ", 1, 0, " + decides);
      return result;
    }
    const std::string end = fresh_label();
    put("mov.b32 " + result + ", 0");
    jump_if(one, false, end);
    put("mov.b32 " + result + ", 1");
    put_label(end);
    return result;
  }
  std::string chosen(const expression& one) {
    const std::string result = fresh(one.has);
    if (is_pure(one) && !is_logical(one.parts[0]) && chance(2)) {
      const std::string decides = predicate(one.parts[0]);
      const std::string a = value(one.parts[1], one.has), b = value(one.parts[2], one.has);
      put("selp." + bits(one.has) + " " + result + ", " + a + ", " + b + ", " + decides);
      return result;
    }
    const std::string other = fresh_label(), join = fresh_label();
    jump_if(one.parts[0], false, other);
    const std::string first = value(one.parts[1], one.has);
    put("mov." + bits(one.has) + " " + result + ", " + first);
    jump(join);
    put_label(other);
    const std::string second = value(one.parts[2], one.has);
    put("mov." + bits(one.has) + " " + result + ", " + second);
    put_label(join);
    return result;
  }

  std::string shuffled(const expression& one) {
    const std::string given = value(one.parts[0]), by = value(one.parts[1], type::u32);
    const std::string mode = one.does == operation::shuffle_index ? "idx"
                             : one.does == operation::shuffle_xor ? "bfly"
                             : one.does == operation::shuffle_up  ? "up"
                                                                  : "down";
    const std::string clamp = one.does == operation::shuffle_up ? "0" : "31";
    const std::string named = std::to_string(static_cast<std::uint32_t>(one.value));
    const auto exchange = [&](const std::string& word) {
      const std::string result = fresh("r"), valid = fresh("p");
      put("shfl.sync." + mode + ".b32 " + result + "|" + valid + ", " + word + ", " + by + ", " +
          clamp + ", " + named);
      return result;
    };
    if (one.has != type::s64) return exchange(given[0] == '%' ? given : moved(given, one.has));
    const std::string low = fresh("r"), high = fresh("r"), result = fresh(type::s64);
    put("mov.b64 {" + low + ", " + high + "}, " +
        (given[0] == '%' ? given : moved(given, type::s64)));
    const std::string other_low = exchange(low), other_high = exchange(high);
    put("mov.b64 " + result + ", {" + other_low + ", " + other_high + "}");
    return result;
  }
  std::string voted(const expression& one) {
    std::string given;
    if (is_logical(one.parts[0])) {
      given = fresh("p");
      const std::string made = truth(one.parts[0]);
      put("setp.ne.s32 " + given + ", " + made + ", 0");
    } else {
      given = predicate(one.parts[0]);
    }
    const std::string named = std::to_string(static_cast<std::uint32_t>(one.value)),
                      result = fresh(type::u32);
    if (one.does == operation::ballot) {
      put("vote.sync.ballot.b32 " + result + ", " + given + ", " + named);
      return result;
    }
    const std::string made = fresh("p");
    put(std::string("vote.sync.") + (one.does == operation::any_lane ? "any" : "all") + ".pred " +
        made + ", " + given + ", " + named);
    put("selp.s32 " + result + ", 1, 0, " + made);
    return result;
  }

  // ---- memory ----
  std::string address(int index, const std::vector<expression>& parts, std::size_t first) {
    const array& one = all_.arrays[static_cast<std::size_t>(index)];
    std::string element = value(parts.at(first), type::s32);
    if (one.rows != 0) {
      const std::string column = value(parts.at(first + 1), type::s32), result = fresh(type::s32);
      put("mad.lo.s32 " + result + ", " +
          (element[0] == '%' ? element : moved(element, type::s32)) + ", " +
          std::to_string(one.columns) + ", " + column);
      element = result;
    }
    return address(index, element, bytes(one.kind));
  }
  std::string address(int index, std::string element, int width) {
    const array& one = all_.arrays[static_cast<std::size_t>(index)];
    if (element[0] != '%') element = moved(element, type::s32);
    if (one.is_global) {
      const std::string offset = fresh_double();
      put("mul.wide.s32 " + offset + ", " + element + ", " + std::to_string(width));
      return one_of_two("add.s64", type::s64, pointers_[static_cast<std::size_t>(index)], offset);
    }
    const std::string base = moved(array_name(index), type::s32);
    const std::string offset =
        chance(2) ? one_of_two("mul.lo.s32", type::s32, element, std::to_string(width))
                  : one_of_two("shl.b32", type::s32, element,
                               std::to_string(std::countr_zero(static_cast<unsigned>(width))));
    return one_of_two("add.s32", type::s32, base, offset);
  }
  std::string space(int index) const {
    return all_.arrays[static_cast<std::size_t>(index)].is_global ? "global" : "shared";
  }
  static std::string name_of(element kind) {
    constexpr const char* names[] = {"s8",  "u8",  "s16", "u16", "s32", "u32",
                                     "s64", "f32", "f64", "b16", "b16"};
    return names[static_cast<int>(kind)];
  }
  // Puts an instruction, of the lanes of `guard_`.
  void access(int number, const std::string& instruction) {
    put_place(number);
    put(guard_ + instruction);
  }

  std::string loaded(const expression& one) {
    const auto index = static_cast<int>(one.value);
    const std::string at = address(index, one.parts, 0), result = fresh(one.has);
    access(one.access, "ld." + space(index) + "." +
                           name_of(all_.arrays[static_cast<std::size_t>(index)].kind) + " " +
                           result + ", [" + at + "]");
    return result;
  }

  std::string called(std::int64_t number, const std::vector<expression>& arguments) {
    const function& callee = all_.functions[static_cast<std::size_t>(number)];
    std::vector<std::string> given;
    for (const expression& one : arguments)
      given.push_back(moved(value(one, type::s32), type::s32));
    for (std::size_t at = 0; at < given.size(); ++at)
      put("mov.b32 " + variables_[static_cast<std::size_t>(callee.parameters[at])] + ", " +
          given[at]);
    const std::string result = fresh(type::s32), end = fresh_label();
    returns_.push_back({result, end});
    print_body(callee.body);
    returns_.pop_back();
    put_label(end);
    return result;
  }

  // ---- statements ----
  void print_body(const std::vector<statement>& body) {
    for (const statement& one : body) print_statement(one);
  }
  void set(int variable, const std::string& made) {
    put("mov." + bits(all_.variables[static_cast<std::size_t>(variable)]) + " " +
        variables_[static_cast<std::size_t>(variable)] + ", " + made);
  }

  void print_statement(const statement& one) {
    switch (one.does) {
      case action::assign: {
        const type as = all_.variables[static_cast<std::size_t>(one.index)];
        const std::string made = value(one.parts[0], as);
        set(one.index, made);
        return;
      }
      case action::store: return store(one);
      case action::add_atomically: {
        const std::string at = address(one.index, one.parts, 0);
        access(one.access, chance(2) ? "red." + space(one.index) + ".add.u32 [" + at + "], 1"
                                     : "atom." + space(one.index) + ".add.u32 " + fresh("r") +
                                           ", [" + at + "], 1");
        return;
      }
      case action::accumulate: return accumulate(one);
      case action::store_typed: {
        const std::string at = address(one.index, value(one.parts[0], type::s32), one.width);
        if (one.width == 16) {
          const std::string word = moved("0", type::s32);
          access(one.access, "st.shared.v4.b32 [" + at + "], {" + word + ", " + word + ", " + word +
                                 ", " + word + "}");
        } else {
          const std::string word = moved("0", one.width == 8 ? type::s64 : type::s32);
          access(one.access, "st.shared.b" + std::to_string(8 * one.width) + " [" + at + "], " +
                                 (one.width == 2 ? "%h0" : word));
        }
        return;
      }
      case action::branch: return branch(one);
      case action::lanes_of_mask: {
        const std::string lane = variables_[static_cast<std::size_t>(all_.lane)];
        const std::string shifted = one_of_two(
            "shr.u32", type::u32,
            moved(std::to_string(static_cast<std::uint32_t>(one.value)), type::u32), lane);
        const std::string bit = one_of_two("and.b32", type::u32, shifted, "1"),
                          decides = fresh("p"), end = fresh_label();
        put("setp.eq.u32 " + decides + ", " + bit + ", 0");
        put("@" + decides + " bra " + end);
        print_body(one.bodies[0]);
        put_label(end);
        return;
      }
      case action::for_loop:
      case action::while_loop:
      case action::do_loop: return loop(one);
      case action::choose: return choose(one);
      case action::leave: jump(leaves_.back()); return;
      case action::proceed: jump(proceeds_.back()); return;
      case action::finish:
        if (returns_.empty()) {
          put("ret");
        } else {
          const auto [result, end] = returns_.back();
          if (!one.parts.empty()) {
            const std::string made = value(one.parts[0], type::s32);
            put("mov.b32 " + result + ", " + made);
          }
          jump(end);
        }
        return;
      case action::barrier: put("bar.sync 0"); return;
      case action::warp_barrier:
        put("bar.warp.sync " + std::to_string(static_cast<std::uint32_t>(one.value)));
        return;
      case action::by_architecture:
        print_body(one.bodies[architecture_ >= one.value ? 0 : 1]);
        return;
      case action::call: called(one.value, one.parts); return;
    }
  }

  void store(const statement& one) {
    const element kind = all_.arrays[static_cast<std::size_t>(one.index)].kind;
    const std::string into = "st." + space(one.index) + ".";
    std::string given = value(one.parts[0], promoted(kind));
    if (given[0] != '%') given = moved(given, promoted(kind));
    const std::string at = address(one.index, one.parts, 1);
    switch (kind) {
      case element::half:
      case element::bfloat: access(one.access, into + "b16 [" + at + "], %h0"); return;
      case element::pair:
        access(one.access, into + "v2.f32 [" + at + "], {" + given + ", " + given + "}");
        return;
      case element::quadruple:
        access(one.access, into + "v4.f32 [" + at + "], {" + given + ", " + given + ", " + given +
                               ", " + given + "}");
        return;
      case element::f64: {
        const std::string wide = fresh_double();
        put("cvt.f64.f32 " + wide + ", " + given);
        access(one.access, into + "f64 [" + at + "], " + wide);
        return;
      }
      default: access(one.access, into + name_of(kind) + " [" + at + "], " + given);
    }
  }
  void accumulate(const statement& one) {
    const element kind = all_.arrays[static_cast<std::size_t>(one.index)].kind;
    const std::string at = address(one.index, one.parts, 0), begin = "ld." + space(one.index) + ".";
    switch (kind) {
      case element::half:
      case element::bfloat:
        access(one.access, begin + "b16 " + fresh("h") + ", [" + at + "]");
        return;
      case element::pair:
        access(one.access, begin + "v2.f32 {" + fresh("f") + ", " + fresh("f") + "}, [" + at + "]");
        return;
      case element::quadruple:
        access(one.access, begin + "v4.f32 {" + fresh("f") + ", " + fresh("f") + ", " + fresh("f") +
                               ", " + fresh("f") + "}, [" + at + "]");
        return;
      case element::f64:
      case element::s64:
        access(one.access, begin + name_of(kind) + " " + fresh_double() + ", [" + at + "]");
        return;
      default:
        access(one.access, begin + name_of(kind) + " " + fresh(kind == element::f32 ? "f" : "r") +
                               ", [" + at + "]");
    }
  }

  void branch(const statement& one) {
    const std::vector<statement>& body = one.bodies[0];
    const bool is_short =
        one.bodies.size() == 1 && body.size() == 1 && !is_logical(one.parts[0]) && guard_.empty();
    if (is_short && returns_.empty() && body[0].does == action::finish && chance(2)) {
      const std::string decides = predicate(one.parts[0]);
      put("@" + decides + " ret");
      return;
    }
    const bool is_access =
        is_short && (body[0].does == action::accumulate || body[0].does == action::store ||
                     body[0].does == action::add_atomically || body[0].does == action::store_typed);
    if (is_access && is_guarded_simply(body[0]) && chance(2)) {
      guard_ = "@" + predicate(one.parts[0]) + " ";
      print_statement(body[0]);
      guard_.clear();
      return;
    }
    const std::string other = fresh_label();
    jump_if(one.parts[0], false, other);
    print_body(body);
    if (one.bodies.size() == 1) return put_label(other);
    const std::string join = fresh_label();
    jump(join);
    put_label(other);
    print_body(one.bodies[1]);
    put_label(join);
  }
  static bool is_guarded_simply(const statement& one) {
    for (const expression& each : one.parts)
      if (!is_pure(each)) return false;
    return true;
  }

  void loop(const statement& one) {
    const std::string again = fresh_label(), next = fresh_label(), end = fresh_label();
    const bool is_for = one.does == action::for_loop;
    const auto jump_unless = [&](bool holds, const std::string& label) {
      if (!is_for) return jump_if(one.parts[0], holds, label);
      expression less;
      less.does = operation::less;
      less.parts = {{operation::variable, type::s32, one.index}, one.parts[1]};
      if (one.parts.size() > 2) {
        expression both;
        both.does = operation::logical_and;
        both.parts = {less, one.parts[2]};
        less = both;
      }
      jump_if(less, holds, label);
    };
    if (is_for) set(one.index, value(one.parts[0], type::s32));
    const bool is_rotated = one.does == action::do_loop || chance(2);
    if (one.does != action::do_loop && is_rotated) jump_unless(false, end);
    put_label(again);
    if (!is_rotated) jump_unless(false, end);
    leaves_.push_back(end);
    proceeds_.push_back(next);
    print_body(one.bodies[0]);
    leaves_.pop_back();
    proceeds_.pop_back();
    put_label(next);
    if (is_for) {
      const std::string i = variables_[static_cast<std::size_t>(one.index)];
      put("add.s32 " + i + ", " + i + ", " + std::to_string(one.value));
    }
    if (is_rotated)
      jump_unless(true, again);
    else
      jump(again);
    put_label(end);
  }

  void choose(const statement& one) {
    std::string given = value(one.parts[0], type::s32);
    if (given[0] != '%') given = moved(given, type::s32);
    const std::string end = fresh_label();
    std::vector<std::string> begins;
    std::string other = end;
    std::map<int, std::string> targets;
    for (std::size_t body = 0; body < one.bodies.size(); ++body) {
      begins.push_back(fresh_label());
      for (const int label : one.labels[body])
        if (label == default_label)
          other = begins.back();
        else
          targets[label] = begins.back();
    }
    if (targets.count(40) == 0 && chance(2)) {
      const std::string outside = fresh("p"), table = fresh_label();
      put("setp.gt.u32 " + outside + ", " + given + ", 7");
      put("@" + outside + " bra " + other);
      std::string names;
      for (int label = 0; label < 8; ++label)
        names += (label == 0 ? "" : ", ") + (targets.count(label) != 0 ? targets[label] : other);
      text_ += table + ": .branchtargets " + names + ";\n";
      put("brx.idx " + given + ", " + table);
    } else {
      for (const auto& [label, target] : targets) {
        const std::string decides = fresh("p");
        put("setp.eq.s32 " + decides + ", " + given + ", " + std::to_string(label));
        put("@" + decides + " bra " + target);
      }
      jump(other);
    }
    leaves_.push_back(end);
    for (std::size_t body = 0; body < one.bodies.size(); ++body) {
      put_label(begins[body]);
      print_body(one.bodies[body]);
    }
    leaves_.pop_back();
    put_label(end);
  }

  const program& all_;
  std::string number_, text_, guard_;
  int architecture_ = 0;
  int registers_ = 0, labels_ = 0, chances_ = 0;
  std::vector<std::string> variables_, pointers_, arguments_;
  std::vector<std::string> leaves_, proceeds_;
  std::vector<std::pair<std::string, std::string>> returns_;
};

}  // namespace

std::string ptx_head() {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"random.cu\"\n";
}

std::string as_ptx(const program& all, int number, int architecture) {
  return printer(all, number, architecture).print();
}

}  // namespace random_kernels
