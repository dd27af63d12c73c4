// SPDX-License-Identifier: MIT
// Prints a random kernel as PTX, with the branches that a plain translation has: short circuits are
// side exits, a `switch` is a table or a chain of comparisons, a small arm is predicated. Which of
// several forms is taken depends on the kernel's seed.
#include <bit>

#include "program.hpp"

namespace random_kernels {

namespace {

bool is_comparison(operation code) {
  return code >= operation::less && code <= operation::not_equal;
}
bool is_logical(const expression& node) {
  return node.code == operation::logical_and || node.code == operation::logical_or ||
         node.code == operation::logical_not || node.code == operation::choice;
}
// It has no access and no function: both arms of a choice may be computed.
bool is_pure(const expression& node) {
  if (node.code == operation::load || node.code >= operation::shuffle_index) return false;
  for (const expression& part : node.parts)
    if (!is_pure(part)) return false;
  return true;
}

class printer {
 public:
  printer(const program& kernel, int number, int architecture)
      : program_(kernel), number_(std::to_string(number)), architecture_(architecture) {}

  std::string print() {
    std::string head;
    for (std::size_t number = 0; number < program_.arrays.size(); ++number)
      if (program_.arrays[number].is_outside) head += declaration(static_cast<int>(number));
    for (std::size_t number = 0; number < program_.variables.size(); ++number)
      variables_.push_back(fresh(program_.variables[number]));
    for (int number = 0; number < 4; ++number) {
      const std::string loaded = fresh_double(), pointer = fresh_double();
      put("ld.param.u64 " + loaded + ", [k" + number_ + "_param_" + std::to_string(number) + "]");
      put("cvta.to.global.u64 " + pointer + ", " + loaded);
      pointers_.push_back(pointer);
    }
    for (int number = 4; number < 6; ++number) {
      arguments_.push_back(fresh(type::s32));
      put("ld.param.u32 " + arguments_.back() + ", [k" + number_ + "_param_" +
          std::to_string(number) + "]");
    }
    for (std::size_t number = 0; number < program_.variables.size(); ++number)
      put(std::string(program_.variables[number] == type::s64 ? "mov.b64 " : "mov.b32 ") +
          variables_[number] + ", 0");
    print_body(program_.body);
    put("ret");
    head += ".visible .entry k" + number_ + "(";
    for (int number = 0; number < 6; ++number)
      head += std::string(number == 0 ? "" : ", ") +
              (number < 4 ? ".param .u64 k" : ".param .u32 k") + number_ + "_param_" +
              std::to_string(number);
    head += ")\n{\n";
    for (const auto& [kind, name] :
         {std::pair{"pred", "p"}, {"b16", "h"}, {"b32", "r"}, {"b64", "d"}, {"f32", "f"}})
      head += std::string("  .reg .") + kind + " %" + name + "<" + std::to_string(registers_ + 1) +
              ">;\n";
    for (std::size_t number = 0; number < program_.arrays.size(); ++number)
      if (!program_.arrays[number].is_outside && !program_.arrays[number].is_global)
        head += declaration(static_cast<int>(number));
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
  bool chance(int odds) {
    const std::uint64_t mixed =
        program_.seed * 2654435761u + static_cast<unsigned>(++chances_) * 40503u;
    return (mixed >> 7) % static_cast<unsigned>(odds) == 0;
  }

  std::string array_name(int index) const {
    return program_.arrays[static_cast<std::size_t>(index)].name + "_" + number_;
  }
  std::string declaration(int index) const {
    const array& declared = program_.arrays[static_cast<std::size_t>(index)];
    const int width = bytes(declared.kind);
    return ".shared .align " + std::to_string(declared.name == "pool" ? 16 : width) + " .b8 " +
           array_name(index) + "[" + std::to_string(declared.elements() * width) + "];\n";
  }

  // ---- values: a register or an integer ----
  static std::string suffix(type has) {
    return has == type::s32 ? "s32" : has == type::u32 ? "u32" : has == type::s64 ? "s64" : "f32";
  }
  static std::string bits(type has) { return has == type::s64 ? "b64" : "b32"; }

  std::string converted(const std::string& value, type source, type target) {
    if (source == target) return value;
    const bool is_constant = value[0] != '%';
    if (target == type::f32) {
      const std::string result = fresh(type::f32),
                        input = is_constant ? moved(value, source) : value;
      put("cvt.rn.f32." + suffix(source) + " " + result + ", " + input);
      return result;
    }
    if (source == type::f32) {
      const std::string result = fresh(target);
      put("cvt.rzi." + suffix(target) + ".f32 " + result + ", " + value);
      return result;
    }
    if (is_constant) return value;
    if ((source == type::s64) == (target == type::s64)) return value;
    const std::string result = fresh(target);
    put("cvt." +
        std::string(target == type::s64 ? suffix(type::s64) + "." + suffix(source) : "u32.u64") +
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

  std::string value(const expression& node, type target) {
    return converted(value(node), node.has, target);
  }

  std::string value(const expression& node) {
    switch (node.code) {
      case operation::constant: {
        if (node.has != type::f32) return std::to_string(node.value);
        constexpr const char* digits = "0123456789ABCDEF";
        const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(node.value));
        std::string result = "0f";
        for (int shift = 28; shift >= 0; shift -= 4) result += digits[word >> shift & 15];
        return moved(result, type::f32);
      }
      case operation::sort: return std::to_string(node.value);
      case operation::variable: return variables_[static_cast<std::size_t>(node.value)];
      case operation::thread_x: return moved("%tid.x", type::u32);
      case operation::thread_y: return moved("%tid.y", type::u32);
      case operation::block_x: return moved("%ctaid.x", type::u32);
      case operation::argument: return arguments_[static_cast<std::size_t>(node.value)];
      case operation::load: return loaded(node);
      case operation::call: return called(node.value, node.parts);
      case operation::logical_and:
      case operation::logical_or:
      case operation::logical_not: return truth(node);
      case operation::choice: return chosen(node);
      case operation::convert: {
        if (node.narrow == element::s32) return value(node.parts[0], node.has);
        const std::string input = value(node.parts[0], type::s32);
        constexpr const char* names[] = {"s8", "u8", "s16", "u16"};
        const std::string name = names[static_cast<int>(node.narrow)], result = fresh(type::s32);
        put("cvt." + std::string(name[0] == 's' ? "s32." : "u32.") + name + " " + result + ", " +
            (input[0] == '%' ? input : moved(input, type::s32)));
        return result;
      }
      case operation::complement:
      case operation::negate: {
        const std::string input = value(node.parts[0]), result = fresh(node.has);
        put((node.code == operation::negate ? "neg." + suffix(node.has) : "not." + bits(node.has)) +
            " " + result + ", " + input);
        return result;
      }
      case operation::ones: {
        const std::string input = value(node.parts[0], type::u32), result = fresh(type::s32);
        put("popc.b32 " + result + ", " + input);
        return result;
      }
      case operation::shuffle_index:
      case operation::shuffle_xor:
      case operation::shuffle_up:
      case operation::shuffle_down: return shuffled(node);
      case operation::ballot:
      case operation::any_lane:
      case operation::all_lanes: return voted(node);
      default: break;
    }
    if (is_comparison(node.code)) return truth(node);
    if (node.code == operation::shift_left || node.code == operation::shift_right) {
      const std::string a = value(node.parts[0]), b = value(node.parts[1], type::u32);
      return one_of_two(
          node.code == operation::shift_left ? "shl." + bits(node.has) : "shr." + suffix(node.has),
          node.has, a, b);
    }
    const std::string a = value(node.parts[0], node.has), b = value(node.parts[1], node.has);
    const std::string kind = suffix(node.has);
    switch (node.code) {
      case operation::add: return one_of_two("add." + kind, node.has, a, b);
      case operation::subtract: return one_of_two("sub." + kind, node.has, a, b);
      case operation::multiply:
        return one_of_two((node.has == type::f32 ? "mul." : "mul.lo.") + kind, node.has, a, b);
      case operation::divide: return one_of_two("div." + kind, node.has, a, b);
      case operation::remainder: return one_of_two("rem." + kind, node.has, a, b);
      case operation::bit_and: return one_of_two("and." + bits(node.has), node.has, a, b);
      case operation::bit_or: return one_of_two("or." + bits(node.has), node.has, a, b);
      case operation::bit_xor: return one_of_two("xor." + bits(node.has), node.has, a, b);
      case operation::minimum: return one_of_two("min." + kind, node.has, a, b);
      default: return one_of_two("max." + kind, node.has, a, b);
    }
  }

  std::string predicate(const expression& node) {
    const std::string result = fresh("p");
    if (is_comparison(node.code)) {
      const type wider = std::max(node.parts[0].has, node.parts[1].has);
      const std::string a = value(node.parts[0], wider), b = value(node.parts[1], wider);
      constexpr const char* names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
      put("setp." +
          std::string(names[static_cast<int>(node.code) - static_cast<int>(operation::less)]) +
          "." + suffix(wider) + " " + result + ", " + a + ", " + b);
    } else {
      const std::string input = value(node);
      put("setp.ne." + suffix(node.has) + " " + result + ", " + input + ", 0");
    }
    return result;
  }

  // Goes to the label if the condition is `holds`.
  void jump_if(const expression& node, bool holds, const std::string& label) {
    if (node.code == operation::logical_not) return jump_if(node.parts[0], !holds, label);
    if (node.code == operation::choice) {
      const std::string other = fresh_label(), join = fresh_label();
      jump_if(node.parts[0], false, other);
      jump_if(node.parts[1], holds, label);
      jump(join);
      put_label(other);
      jump_if(node.parts[2], holds, label);
      put_label(join);
      return;
    }
    if (node.code == operation::logical_and || node.code == operation::logical_or) {
      const bool leaves_at_first = (node.code == operation::logical_or) == holds;
      if (leaves_at_first) {
        jump_if(node.parts[0], holds, label);
        return jump_if(node.parts[1], holds, label);
      }
      const std::string past = fresh_label();
      jump_if(node.parts[0], !holds, past);
      jump_if(node.parts[1], holds, label);
      put_label(past);
      return;
    }
    const std::string decides = predicate(node);
    put(std::string(holds ? "@" : "@!") + decides + " bra " + label);
  }

  std::string truth(const expression& node) {
    const std::string result = fresh(type::s32);
    if (!is_logical(node)) {
      const std::string decides = predicate(node);
      put("selp.s32 " + result + ", 1, 0, " + decides);
      return result;
    }
    const std::string end = fresh_label();
    put("mov.b32 " + result + ", 0");
    jump_if(node, false, end);
    put("mov.b32 " + result + ", 1");
    put_label(end);
    return result;
  }
  std::string chosen(const expression& node) {
    const std::string result = fresh(node.has);
    if (is_pure(node) && !is_logical(node.parts[0]) && chance(2)) {
      const std::string decides = predicate(node.parts[0]);
      const std::string a = value(node.parts[1], node.has), b = value(node.parts[2], node.has);
      put("selp." + bits(node.has) + " " + result + ", " + a + ", " + b + ", " + decides);
      return result;
    }
    const std::string other = fresh_label(), join = fresh_label();
    jump_if(node.parts[0], false, other);
    const std::string first = value(node.parts[1], node.has);
    put("mov." + bits(node.has) + " " + result + ", " + first);
    jump(join);
    put_label(other);
    const std::string second = value(node.parts[2], node.has);
    put("mov." + bits(node.has) + " " + result + ", " + second);
    put_label(join);
    return result;
  }

  std::string shuffled(const expression& node) {
    const std::string input = value(node.parts[0]), distance = value(node.parts[1], type::u32);
    const std::string mode = node.code == operation::shuffle_index ? "idx"
                             : node.code == operation::shuffle_xor ? "bfly"
                             : node.code == operation::shuffle_up  ? "up"
                                                                   : "down";
    const std::string clamp = node.code == operation::shuffle_up ? "0" : "31";
    const std::string named = std::to_string(static_cast<std::uint32_t>(node.value));
    const auto exchange = [&](const std::string& word) {
      const std::string result = fresh("r"), valid = fresh("p");
      put("shfl.sync." + mode + ".b32 " + result + "|" + valid + ", " + word + ", " + distance +
          ", " + clamp + ", " + named);
      return result;
    };
    if (node.has != type::s64) return exchange(input[0] == '%' ? input : moved(input, node.has));
    const std::string low = fresh("r"), high = fresh("r"), result = fresh(type::s64);
    put("mov.b64 {" + low + ", " + high + "}, " +
        (input[0] == '%' ? input : moved(input, type::s64)));
    const std::string other_low = exchange(low), other_high = exchange(high);
    put("mov.b64 " + result + ", {" + other_low + ", " + other_high + "}");
    return result;
  }
  std::string voted(const expression& node) {
    std::string input;
    if (is_logical(node.parts[0])) {
      input = fresh("p");
      const std::string number = truth(node.parts[0]);
      put("setp.ne.s32 " + input + ", " + number + ", 0");
    } else {
      input = predicate(node.parts[0]);
    }
    const std::string named = std::to_string(static_cast<std::uint32_t>(node.value)),
                      result = fresh(type::u32);
    if (node.code == operation::ballot) {
      put("vote.sync.ballot.b32 " + result + ", " + input + ", " + named);
      return result;
    }
    const std::string vote = fresh("p");
    put(std::string("vote.sync.") + (node.code == operation::any_lane ? "any" : "all") + ".pred " +
        vote + ", " + input + ", " + named);
    put("selp.s32 " + result + ", 1, 0, " + vote);
    return result;
  }

  // ---- memory ----
  std::string address(int index, const std::vector<expression>& parts, std::size_t first) {
    const array& declared = program_.arrays[static_cast<std::size_t>(index)];
    std::string element = value(parts.at(first), type::s32);
    if (declared.rows != 0) {
      const std::string column = value(parts.at(first + 1), type::s32), result = fresh(type::s32);
      put("mad.lo.s32 " + result + ", " +
          (element[0] == '%' ? element : moved(element, type::s32)) + ", " +
          std::to_string(declared.columns) + ", " + column);
      element = result;
    }
    return address(index, element, bytes(declared.kind));
  }
  std::string address(int index, std::string element, int width) {
    const array& declared = program_.arrays[static_cast<std::size_t>(index)];
    if (element[0] != '%') element = moved(element, type::s32);
    if (declared.is_global) {
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
    return program_.arrays[static_cast<std::size_t>(index)].is_global ? "global" : "shared";
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

  std::string loaded(const expression& node) {
    const auto index = static_cast<int>(node.value);
    const std::string location = address(index, node.parts, 0), result = fresh(node.has);
    access(node.access, "ld." + space(index) + "." +
                            name_of(program_.arrays[static_cast<std::size_t>(index)].kind) + " " +
                            result + ", [" + location + "]");
    return result;
  }

  std::string called(std::int64_t number, const std::vector<expression>& arguments) {
    const function& callee = program_.functions[static_cast<std::size_t>(number)];
    std::vector<std::string> values;
    for (const expression& argument : arguments)
      values.push_back(moved(value(argument, type::s32), type::s32));
    for (std::size_t position = 0; position < values.size(); ++position)
      put("mov.b32 " + variables_[static_cast<std::size_t>(callee.parameters[position])] + ", " +
          values[position]);
    const std::string result = fresh(type::s32), end = fresh_label();
    returns_.push_back({result, end});
    print_body(callee.body);
    returns_.pop_back();
    put_label(end);
    return result;
  }

  // ---- statements ----
  void print_body(const std::vector<statement>& body) {
    for (const statement& command : body) print_statement(command);
  }
  void set(int variable, const std::string& content) {
    put("mov." + bits(program_.variables[static_cast<std::size_t>(variable)]) + " " +
        variables_[static_cast<std::size_t>(variable)] + ", " + content);
  }

  void print_statement(const statement& command) {
    switch (command.kind) {
      case action::assign: {
        const type kind = program_.variables[static_cast<std::size_t>(command.index)];
        const std::string content = value(command.parts[0], kind);
        set(command.index, content);
        return;
      }
      case action::store: return store(command);
      case action::add_atomically: {
        const std::string location = address(command.index, command.parts, 0);
        access(command.access,
               chance(2) ? "red." + space(command.index) + ".add.u32 [" + location + "], 1"
                         : "atom." + space(command.index) + ".add.u32 " + fresh("r") + ", [" +
                               location + "], 1");
        return;
      }
      case action::accumulate: return accumulate(command);
      case action::store_typed: {
        const std::string location =
            address(command.index, value(command.parts[0], type::s32), command.width);
        if (command.width == 16) {
          const std::string word = moved("0", type::s32);
          access(command.access, "st.shared.v4.b32 [" + location + "], {" + word + ", " + word +
                                     ", " + word + ", " + word + "}");
        } else {
          const std::string word = moved("0", command.width == 8 ? type::s64 : type::s32);
          access(command.access, "st.shared.b" + std::to_string(8 * command.width) + " [" +
                                     location + "], " + (command.width == 2 ? "%h0" : word));
        }
        return;
      }
      case action::branch: return branch(command);
      case action::lanes_of_mask: {
        const std::string lane = variables_[static_cast<std::size_t>(program_.lane)];
        const std::string shifted = one_of_two(
            "shr.u32", type::u32,
            moved(std::to_string(static_cast<std::uint32_t>(command.value)), type::u32), lane);
        const std::string bit = one_of_two("and.b32", type::u32, shifted, "1"),
                          decides = fresh("p"), end = fresh_label();
        put("setp.eq.u32 " + decides + ", " + bit + ", 0");
        put("@" + decides + " bra " + end);
        print_body(command.bodies[0]);
        put_label(end);
        return;
      }
      case action::for_loop:
      case action::while_loop:
      case action::do_loop: return loop(command);
      case action::choose: return choose(command);
      case action::leave: jump(leaves_.back()); return;
      case action::proceed: jump(proceeds_.back()); return;
      case action::finish:
        if (returns_.empty()) {
          put("ret");
        } else {
          const auto [result, end] = returns_.back();
          if (!command.parts.empty()) {
            const std::string content = value(command.parts[0], type::s32);
            put("mov.b32 " + result + ", " + content);
          }
          jump(end);
        }
        return;
      case action::barrier: put("bar.sync 0"); return;
      case action::warp_barrier:
        put("bar.warp.sync " + std::to_string(static_cast<std::uint32_t>(command.value)));
        return;
      case action::by_architecture:
        print_body(command.bodies[architecture_ >= command.value ? 0 : 1]);
        return;
      case action::call: called(command.value, command.parts); return;
    }
  }

  void store(const statement& command) {
    const element kind = program_.arrays[static_cast<std::size_t>(command.index)].kind;
    const std::string prefix = "st." + space(command.index) + ".";
    std::string content = value(command.parts[0], promoted(kind));
    if (content[0] != '%') content = moved(content, promoted(kind));
    const std::string location = address(command.index, command.parts, 1);
    switch (kind) {
      case element::half:
      case element::bfloat: access(command.access, prefix + "b16 [" + location + "], %h0"); return;
      case element::pair:
        access(command.access,
               prefix + "v2.f32 [" + location + "], {" + content + ", " + content + "}");
        return;
      case element::quadruple:
        access(command.access, prefix + "v4.f32 [" + location + "], {" + content + ", " + content +
                                   ", " + content + ", " + content + "}");
        return;
      case element::f64: {
        const std::string wide = fresh_double();
        put("cvt.f64.f32 " + wide + ", " + content);
        access(command.access, prefix + "f64 [" + location + "], " + wide);
        return;
      }
      default: access(command.access, prefix + name_of(kind) + " [" + location + "], " + content);
    }
  }
  void accumulate(const statement& command) {
    const element kind = program_.arrays[static_cast<std::size_t>(command.index)].kind;
    const std::string location = address(command.index, command.parts, 0),
                      begin = "ld." + space(command.index) + ".";
    switch (kind) {
      case element::half:
      case element::bfloat:
        access(command.access, begin + "b16 " + fresh("h") + ", [" + location + "]");
        return;
      case element::pair:
        access(command.access,
               begin + "v2.f32 {" + fresh("f") + ", " + fresh("f") + "}, [" + location + "]");
        return;
      case element::quadruple:
        access(command.access, begin + "v4.f32 {" + fresh("f") + ", " + fresh("f") + ", " +
                                   fresh("f") + ", " + fresh("f") + "}, [" + location + "]");
        return;
      case element::f64:
      case element::s64:
        access(command.access,
               begin + name_of(kind) + " " + fresh_double() + ", [" + location + "]");
        return;
      default:
        access(command.access, begin + name_of(kind) + " " +
                                   fresh(kind == element::f32 ? "f" : "r") + ", [" + location +
                                   "]");
    }
  }

  void branch(const statement& command) {
    const std::vector<statement>& body = command.bodies[0];
    const bool is_short = command.bodies.size() == 1 && body.size() == 1 &&
                          !is_logical(command.parts[0]) && guard_.empty();
    if (is_short && returns_.empty() && body[0].kind == action::finish && chance(2)) {
      const std::string decides = predicate(command.parts[0]);
      put("@" + decides + " ret");
      return;
    }
    const bool is_access =
        is_short && (body[0].kind == action::accumulate || body[0].kind == action::store ||
                     body[0].kind == action::add_atomically || body[0].kind == action::store_typed);
    if (is_access && is_guarded_simply(body[0]) && chance(2)) {
      guard_ = "@" + predicate(command.parts[0]) + " ";
      print_statement(body[0]);
      guard_.clear();
      return;
    }
    const std::string other = fresh_label();
    jump_if(command.parts[0], false, other);
    print_body(body);
    if (command.bodies.size() == 1) return put_label(other);
    const std::string join = fresh_label();
    jump(join);
    put_label(other);
    print_body(command.bodies[1]);
    put_label(join);
  }
  static bool is_guarded_simply(const statement& command) {
    for (const expression& part : command.parts)
      if (!is_pure(part)) return false;
    return true;
  }

  void loop(const statement& command) {
    const std::string start = fresh_label(), next = fresh_label(), end = fresh_label();
    const bool is_for = command.kind == action::for_loop;
    const auto jump_unless = [&](bool holds, const std::string& label) {
      if (!is_for) return jump_if(command.parts[0], holds, label);
      expression test;
      test.code = operation::less;
      test.parts = {{operation::variable, type::s32, command.index}, command.parts[1]};
      if (command.parts.size() > 2) {
        expression conjunction;
        conjunction.code = operation::logical_and;
        conjunction.parts = {test, command.parts[2]};
        test = conjunction;
      }
      jump_if(test, holds, label);
    };
    if (is_for) set(command.index, value(command.parts[0], type::s32));
    const bool is_rotated = command.kind == action::do_loop || chance(2);
    if (command.kind != action::do_loop && is_rotated) jump_unless(false, end);
    put_label(start);
    if (!is_rotated) jump_unless(false, end);
    leaves_.push_back(end);
    proceeds_.push_back(next);
    print_body(command.bodies[0]);
    leaves_.pop_back();
    proceeds_.pop_back();
    put_label(next);
    if (is_for) {
      const std::string i = variables_[static_cast<std::size_t>(command.index)];
      put("add.s32 " + i + ", " + i + ", " + std::to_string(command.value));
    }
    if (is_rotated)
      jump_unless(true, start);
    else
      jump(start);
    put_label(end);
  }

  void choose(const statement& command) {
    std::string selector = value(command.parts[0], type::s32);
    if (selector[0] != '%') selector = moved(selector, type::s32);
    const std::string end = fresh_label();
    std::vector<std::string> begins;
    std::string other = end;
    std::map<int, std::string> targets;
    for (std::size_t body = 0; body < command.bodies.size(); ++body) {
      begins.push_back(fresh_label());
      for (const int label : command.labels[body])
        if (label == default_label)
          other = begins.back();
        else
          targets[label] = begins.back();
    }
    if (targets.count(40) == 0 && chance(2)) {
      const std::string outside = fresh("p"), table = fresh_label();
      put("setp.gt.u32 " + outside + ", " + selector + ", 7");
      put("@" + outside + " bra " + other);
      std::string names;
      for (int label = 0; label < 8; ++label)
        names += (label == 0 ? "" : ", ") + (targets.count(label) != 0 ? targets[label] : other);
      text_ += table + ": .branchtargets " + names + ";\n";
      put("brx.idx " + selector + ", " + table);
    } else {
      for (const auto& [label, target] : targets) {
        const std::string decides = fresh("p");
        put("setp.eq.s32 " + decides + ", " + selector + ", " + std::to_string(label));
        put("@" + decides + " bra " + target);
      }
      jump(other);
    }
    leaves_.push_back(end);
    for (std::size_t body = 0; body < command.bodies.size(); ++body) {
      put_label(begins[body]);
      print_body(command.bodies[body]);
    }
    leaves_.pop_back();
    put_label(end);
  }

  const program& program_;
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

std::string as_ptx(const program& kernel, int number, int architecture) {
  return printer(kernel, number, architecture).print();
}

}  // namespace random_kernels
