// SPDX-License-Identifier: MIT
// Prints a random kernel as CUDA. Each access has a line of its own.
#include <set>

#include "program.hpp"
#include "typed_expressions.hpp"

namespace random_kernels {

namespace {

const char* name_of(type has) {
  switch (has) {
    case type::s32: return "int";
    case type::u32: return "unsigned";
    case type::s64: return "long long";
    default: return "float";
  }
}
const char* name_of(element kind) {
  constexpr const char* names[] = {
      "signed char", "unsigned char", "short",  "unsigned short", "int",    "unsigned", "long long",
      "float",       "double",        "__half", "__nv_bfloat16",  "float2", "float4"};
  return names[static_cast<int>(kind)];
}
const char* symbol_of(operation does) {
  switch (does) {
    case operation::add: return "+";
    case operation::subtract: return "-";
    case operation::multiply: return "*";
    case operation::divide: return "/";
    case operation::remainder: return "%";
    case operation::bit_and: return "&";
    case operation::bit_or: return "|";
    case operation::bit_xor: return "^";
    case operation::shift_left: return "<<";
    case operation::shift_right: return ">>";
    case operation::less: return "<";
    case operation::less_equal: return "<=";
    case operation::greater: return ">";
    case operation::greater_equal: return ">=";
    case operation::equal: return "==";
    case operation::not_equal: return "!=";
    case operation::logical_and: return "&&";
    case operation::logical_or: return "||";
    default: return "?";
  }
}

void add_assigned(const std::vector<statement>& body, std::set<int>& to) {
  for (const statement& one : body) {
    if (one.does == action::assign) to.insert(one.index);
    for (const auto& inner : one.bodies) add_assigned(inner, to);
  }
}

class printer {
 public:
  printer(const program& all, int number) : all_(all), number_(std::to_string(number)) {}

  printed print(int first_line) {
    for (std::size_t at = 0; at < all_.arrays.size(); ++at)
      if (all_.arrays[at].is_outside) declare(static_cast<int>(at));
    for (std::size_t at = 0; at < all_.functions.size(); ++at) print_function(at);
    text_ +=
        "__global__ void k" + number_ + "(" + pointers +
        ", int n, int m, char fc, short fs, int fi, unsigned fu, long fl, long long fll, float ff, "
        "double fd, __half fh, __half2 fh2, __nv_bfloat16 fb, __nv_bfloat162 fb2, const __half* "
        "fgh) {\n";
    for (std::size_t at = 0; at < all_.arrays.size(); ++at)
      if (!all_.arrays[at].is_outside && !all_.arrays[at].is_global) declare(static_cast<int>(at));
    text_ += "  float sum = 0;\n";
    declare_variables(all_.body, {});
    print_body(all_.body, 1);
    text_ += "  out[threadIdx.x] = sum;\n}\n";
    return with_lines(first_line);
  }

 private:
  static constexpr const char* pointers =
      "float* out, const int* in, const short* in16, const unsigned char* in8";

  static std::string variable(std::int64_t number) { return "v" + std::to_string(number); }
  std::string array_name(int index) const {
    const array& one = all_.arrays[static_cast<std::size_t>(index)];
    if (function_ != nullptr && function_->pointer == index) return "q";
    return one.is_global ? one.name : one.name + "_" + number_;
  }
  static std::string mark(int access) { return "\n\x01" + std::to_string(access) + "\x02      "; }

  void declare(int index) {
    const array& one = all_.arrays[static_cast<std::size_t>(index)];
    text_ += std::string(one.is_outside ? "" : "  ") + "__shared__ ";
    if (one.name == "pool") text_ += "__align__(16) ";
    text_ += std::string(one.name == "pool" ? "unsigned char" : name_of(one.kind)) + " " +
             array_name(index);
    if (one.rows != 0) text_ += "[" + std::to_string(one.rows) + "]";
    text_ += "[" + std::to_string(one.columns) + "];\n";
  }
  void declare_variables(const std::vector<statement>& body, const std::vector<int>& but) {
    std::set<int> assigned;
    add_assigned(body, assigned);
    for (const int each : but) assigned.erase(each);
    for (const int each : assigned)
      text_ += std::string("  ") + name_of(all_.variables[static_cast<std::size_t>(each)]) + " " +
               variable(each) + " = 0;\n";
  }

  void print_function(std::size_t number) {
    function_ = &all_.functions[number];
    text_ += std::string("__device__ ") + (function_->has_result ? "int" : "void") + " f" +
             std::to_string(number) + "_" + number_ + "(" + pointers + ", int n, int m, float& sum";
    if (function_->pointer >= 0)
      text_ += std::string(", ") +
               name_of(all_.arrays[static_cast<std::size_t>(function_->pointer)].kind) + "* q";
    for (const int each : function_->parameters) text_ += ", int " + variable(each);
    text_ += ") {\n";
    declare_variables(function_->body, function_->parameters);
    print_body(function_->body, 1);
    text_ += "}\n";
    function_ = nullptr;
  }

  // ---- expressions ----
  std::string cast(const expression& one) const {
    return std::string("(") + name_of(one.has) + ")" + text(one);
  }
  std::string subscripted(int index, const std::vector<expression>& parts,
                          std::size_t first) const {
    std::string result = array_name(index);
    const std::size_t end =
        first + (all_.arrays[static_cast<std::size_t>(index)].rows != 0 ? 2u : 1u);
    for (std::size_t at = first; at < end; ++at) result += "[" + text(parts[at]) + "]";
    return result;
  }
  std::string call(std::int64_t number, const std::vector<expression>& arguments) const {
    const function& callee = all_.functions[static_cast<std::size_t>(number)];
    std::string result =
        "f" + std::to_string(number) + "_" + number_ + "(out, in, in16, in8, n, m, sum";
    if (callee.pointer >= 0) result += ", " + array_name(callee.pointer);
    for (const expression& each : arguments) result += ", " + text(each);
    return result + ")";
  }
  std::string lanes(const expression& one) const {
    return std::to_string(static_cast<std::uint32_t>(one.value)) + "u";
  }

  std::string text(const expression& one) const {
    switch (one.does) {
      case operation::constant:
        return std::to_string(one.value) + (one.has == type::u32   ? "u"
                                            : one.has == type::f32 ? ".0f"
                                                                   : "");
      case operation::variable: return variable(one.value);
      case operation::thread_x: return "threadIdx.x";
      case operation::thread_y: return "threadIdx.y";
      case operation::block_x: return "blockIdx.x";
      case operation::argument: return one.value == 0 ? "n" : "m";
      case operation::sort: return one.text;
      case operation::complement: return "(~" + text(one.parts[0]) + ")";
      case operation::negate: return "(-" + text(one.parts[0]) + ")";
      case operation::ones: return "__popc((unsigned)" + text(one.parts[0]) + ")";
      case operation::logical_not: return "(!" + text(one.parts[0]) + ")";
      case operation::minimum:
      case operation::maximum: {
        const std::string name = one.does == operation::minimum ? "min" : "max";
        return (one.has == type::f32 ? "f" + name + "f" : name) + "(" + cast(one.parts[0]) + ", " +
               cast(one.parts[1]) + ")";
      }
      case operation::choice:
        return "(" + text(one.parts[0]) + " ? " + text(one.parts[1]) + " : " + text(one.parts[2]) +
               ")";
      case operation::convert:
        return std::string("((") +
               (one.narrow == element::s32 ? name_of(one.has) : name_of(one.narrow)) + ")" +
               text(one.parts[0]) + ")";
      case operation::load:
        return mark(one.access) + subscripted(static_cast<int>(one.value), one.parts, 0);
      case operation::call: return call(one.value, one.parts);
      case operation::shuffle_index: return exchange("__shfl_sync", one);
      case operation::shuffle_xor: return exchange("__shfl_xor_sync", one);
      case operation::shuffle_up: return exchange("__shfl_up_sync", one);
      case operation::shuffle_down: return exchange("__shfl_down_sync", one);
      case operation::ballot: return exchange("__ballot_sync", one);
      case operation::any_lane: return exchange("__any_sync", one);
      case operation::all_lanes: return exchange("__all_sync", one);
      default:
        return "(" + text(one.parts[0]) + " " + symbol_of(one.does) + " " + text(one.parts[1]) +
               ")";
    }
  }
  std::string exchange(const std::string& name, const expression& one) const {
    std::string result = name + "(" + lanes(one) + ", " + cast(one.parts[0]);
    if (one.parts.size() > 1) result += ", " + text(one.parts[1]);
    return result + ")";
  }

  // ---- statements ----
  void print_body(const std::vector<statement>& body, int depth) {
    for (const statement& one : body) print_statement(one, depth);
  }
  void print_block(const std::vector<statement>& body, int depth) {
    text_ += "{\n";
    print_body(body, depth + 1);
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + "}";
  }

  void print_statement(const statement& one, int depth) {
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    text_ += indent;
    switch (one.does) {
      case action::assign: text_ += variable(one.index) + " = " + text(one.parts[0]) + ";"; break;
      case action::store:
        // The line of a store is that of its operator.
        if (const std::string to = subscripted(one.index, one.parts, 1); to.find('\x01') == to.npos)
          text_ += mark(one.access) + to + " =" + stored_value(one) + ";";
        else
          text_ += to + mark(one.access) + " =" + stored_value(one) + ";";
        break;
      case action::add_atomically:
        text_ += mark(one.access) + "atomicAdd(&" + subscripted(one.index, one.parts, 0) + ", 1);";
        break;
      case action::accumulate: accumulate(one); break;
      case action::store_typed:
        text_ += mark(one.access) + "put(" + array_name(one.index) + ", " + text(one.parts[0]) +
                 ", " + one.text + ");";
        break;
      case action::branch:
        text_ += "if (" + text(one.parts[0]) + ") ";
        print_block(one.bodies[0], depth);
        if (one.bodies.size() > 1) {
          text_ += " else ";
          print_block(one.bodies[1], depth);
        }
        break;
      case action::for_loop: {
        const std::string i = variable(one.index);
        text_ +=
            "for (int " + i + " = " + text(one.parts[0]) + "; " + i + " < " + text(one.parts[1]);
        if (one.parts.size() > 2) text_ += " && " + text(one.parts[2]);
        text_ += "; " + i + " += " + std::to_string(one.value) + ") ";
        print_block(one.bodies[0], depth);
        break;
      }
      case action::while_loop:
        text_ += "while (" + text(one.parts[0]) + ") ";
        print_block(one.bodies[0], depth);
        break;
      case action::do_loop:
        text_ += "do ";
        print_block(one.bodies[0], depth);
        text_ += " while (" + text(one.parts[0]) + ");";
        break;
      case action::choose:
        text_ += "switch (" + text(one.parts[0]) + ") {\n";
        for (std::size_t body = 0; body < one.bodies.size(); ++body) {
          for (const int label : one.labels[body])
            text_ += indent + (label == default_label ? "default:\n"
                                                      : "case " + std::to_string(label) + ":\n");
          print_body(one.bodies[body], depth + 1);
          text_ += indent + "  ;\n";  // a body may be empty
        }
        text_ += indent + "}";
        break;
      case action::leave: text_ += "break;"; break;
      case action::proceed: text_ += "continue;"; break;
      case action::finish:
        text_ += one.parts.empty() ? "return;" : "return " + text(one.parts[0]) + ";";
        break;
      case action::barrier: text_ += "__syncthreads();"; break;
      case action::warp_barrier:
        text_ +=
            one.value == 0xffffffff
                ? "__syncwarp();"
                : "__syncwarp(" + std::to_string(static_cast<std::uint32_t>(one.value)) + "u);";
        break;
      case action::lanes_of_mask:
        text_ += "if (" + std::to_string(static_cast<std::uint32_t>(one.value)) + "u >> v" +
                 std::to_string(all_.lane) + " & 1) ";
        print_block(one.bodies[0], depth);
        break;
      case action::by_architecture:
        text_ += "\n#if __CUDA_ARCH__ >= " + std::to_string(one.value) + "\n";
        print_body(one.bodies[0], depth);
        text_ += "#else\n";
        print_body(one.bodies[1], depth);
        text_ += "#endif";
        break;
      case action::call: text_ += call(one.value, one.parts) + ";"; break;
    }
    text_ += "\n";
  }

  std::string stored_value(const statement& one) const {
    const element kind = all_.arrays[static_cast<std::size_t>(one.index)].kind;
    const std::string value = " " + text(one.parts[0]);
    switch (kind) {
      case element::half: return " __float2half(" + value + ")";
      case element::bfloat: return " __float2bfloat16(" + value + ")";
      case element::pair: return " make_float2(" + value + ", 1.0f)";
      case element::quadruple: return " make_float4(" + value + ", 1.0f, 2.0f, sum)";
      default: return value;
    }
  }
  void accumulate(const statement& one) {
    const element kind = all_.arrays[static_cast<std::size_t>(one.index)].kind;
    const std::string from = subscripted(one.index, one.parts, 0);
    const std::string begin = mark(one.access);
    switch (kind) {
      case element::half: text_ += begin + "sum += __half2float(" + from + ");"; break;
      case element::bfloat: text_ += begin + "sum += __bfloat162float(" + from + ");"; break;
      case element::pair: text_ += begin + "{ float2 x = " + from + "; sum += x.y; }"; break;
      case element::quadruple:
        text_ += begin + "{ float4 x = " + from + "; sum += x.x + x.w; }";
        break;
      case element::f64: text_ += begin + "sum += (float)" + from + ";"; break;
      default: text_ += begin + "sum += " + from + ";";
    }
  }

  printed with_lines(int first_line) const {
    printed result;
    int line = first_line;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] == '\x01') {
        const std::size_t end = text_.find('\x02', at);
        result.line[std::stoi(text_.substr(at + 1, end - at - 1))] = line;
        at = end;
        continue;
      }
      if (text_[at] == '\n') ++line;
      result.text += text_[at];
    }
    return result;
  }

  const program& all_;
  std::string number_, text_;
  const function* function_ = nullptr;
};

}  // namespace

std::string cuda_head() {
  std::string result =
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
      "template <class T> struct plain { typedef T type; };\n"
      "template <class T> struct plain<T&> { typedef T type; };\n"
      "template <class T> struct plain<const T> { typedef T type; };\n"
      "template <class T> struct plain<const T&> { typedef T type; };\n"
      "template <class T> struct plain<T&&> { typedef T type; };\n"
      "template <class T> struct number_of { static constexpr int value = 0; };\n";
  int number = 0;
  for (const char* const each : numbered_types)
    result += std::string("template <> struct number_of<") + each +
              "> { static constexpr int value = " + std::to_string(++number) + "; };\n";
  return result +
         "#define NUMBER_OF(e) (number_of<typename plain<decltype(e)>::type>::value)\n"
         "#define put(p, i, e) (((typename plain<decltype(e)>::type*)(p))[i] = (e))\n";
}

printed as_cuda(const program& all, int number, int first_line) {
  return printer(all, number).print(first_line);
}

}  // namespace random_kernels
