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
const char* symbol_of(operation code) {
  switch (code) {
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

void add_assigned(const std::vector<statement>& body, std::set<int>& variables) {
  for (const statement& command : body) {
    if (command.kind == action::assign) variables.insert(command.index);
    for (const auto& inner : command.bodies) add_assigned(inner, variables);
  }
}

class printer {
 public:
  printer(const program& kernel, int number) : program_(kernel), number_(std::to_string(number)) {}

  printed print(int first_line) {
    for (std::size_t number = 0; number < program_.arrays.size(); ++number)
      if (program_.arrays[number].is_outside) declare(static_cast<int>(number));
    for (std::size_t number = 0; number < program_.functions.size(); ++number)
      print_function(number);
    text_ +=
        "__global__ void k" + number_ + "(" + pointers +
        ", int n, int m, char fc, short fs, int fi, unsigned fu, long fl, long long fll, float ff, "
        "double fd, __half fh, __half2 fh2, __nv_bfloat16 fb, __nv_bfloat162 fb2, const __half* "
        "fgh) {\n";
    for (std::size_t number = 0; number < program_.arrays.size(); ++number)
      if (!program_.arrays[number].is_outside && !program_.arrays[number].is_global)
        declare(static_cast<int>(number));
    text_ += "  float sum = 0;\n";
    declare_variables(program_.body, {});
    print_body(program_.body, 1);
    text_ += "  out[threadIdx.x] = sum;\n}\n";
    return with_lines(first_line);
  }

 private:
  static constexpr const char* pointers =
      "float* out, const int* in, const short* in16, const unsigned char* in8";

  static std::string variable(std::int64_t number) { return "v" + std::to_string(number); }
  std::string array_name(int index) const {
    const array& declared = program_.arrays[static_cast<std::size_t>(index)];
    if (function_ != nullptr && function_->pointer == index) return "q";
    return declared.is_global ? declared.name : declared.name + "_" + number_;
  }
  static std::string mark(int access) { return "\n\x01" + std::to_string(access) + "\x02      "; }

  void declare(int index) {
    const array& declared = program_.arrays[static_cast<std::size_t>(index)];
    text_ += std::string(declared.is_outside ? "" : "  ") + "__shared__ ";
    if (declared.name == "pool") text_ += "__align__(16) ";
    text_ += std::string(declared.name == "pool" ? "unsigned char" : name_of(declared.kind)) + " " +
             array_name(index);
    if (declared.rows != 0) text_ += "[" + std::to_string(declared.rows) + "]";
    text_ += "[" + std::to_string(declared.columns) + "];\n";
  }
  void declare_variables(const std::vector<statement>& body, const std::vector<int>& but) {
    std::set<int> assigned;
    add_assigned(body, assigned);
    for (const int excluded : but) assigned.erase(excluded);
    for (const int number : assigned)
      text_ += std::string("  ") + name_of(program_.variables[static_cast<std::size_t>(number)]) +
               " " + variable(number) + " = 0;\n";
  }

  void print_function(std::size_t number) {
    function_ = &program_.functions[number];
    text_ += std::string("__device__ ") + (function_->has_result ? "int" : "void") + " f" +
             std::to_string(number) + "_" + number_ + "(" + pointers + ", int n, int m, float& sum";
    if (function_->pointer >= 0)
      text_ += std::string(", ") +
               name_of(program_.arrays[static_cast<std::size_t>(function_->pointer)].kind) + "* q";
    for (const int parameter : function_->parameters) text_ += ", int " + variable(parameter);
    text_ += ") {\n";
    declare_variables(function_->body, function_->parameters);
    print_body(function_->body, 1);
    text_ += "}\n";
    function_ = nullptr;
  }

  // ---- expressions ----
  std::string cast(const expression& node) const {
    return std::string("(") + name_of(node.has) + ")" + text(node);
  }
  std::string subscripted(int index, const std::vector<expression>& parts,
                          std::size_t first) const {
    std::string result = array_name(index);
    const std::size_t end =
        first + (program_.arrays[static_cast<std::size_t>(index)].rows != 0 ? 2u : 1u);
    for (std::size_t number = first; number < end; ++number)
      result += "[" + text(parts[number]) + "]";
    return result;
  }
  std::string call(std::int64_t number, const std::vector<expression>& arguments) const {
    const function& callee = program_.functions[static_cast<std::size_t>(number)];
    std::string result =
        "f" + std::to_string(number) + "_" + number_ + "(out, in, in16, in8, n, m, sum";
    if (callee.pointer >= 0) result += ", " + array_name(callee.pointer);
    for (const expression& argument : arguments) result += ", " + text(argument);
    return result + ")";
  }
  std::string lanes(const expression& node) const {
    return std::to_string(static_cast<std::uint32_t>(node.value)) + "u";
  }

  std::string text(const expression& node) const {
    switch (node.code) {
      case operation::constant:
        return std::to_string(node.value) + (node.has == type::u32   ? "u"
                                             : node.has == type::f32 ? ".0f"
                                                                     : "");
      case operation::variable: return variable(node.value);
      case operation::thread_x: return "threadIdx.x";
      case operation::thread_y: return "threadIdx.y";
      case operation::block_x: return "blockIdx.x";
      case operation::argument: return node.value == 0 ? "n" : "m";
      case operation::sort: return node.text;
      case operation::complement: return "(~" + text(node.parts[0]) + ")";
      case operation::negate: return "(-" + text(node.parts[0]) + ")";
      case operation::ones: return "__popc((unsigned)" + text(node.parts[0]) + ")";
      case operation::logical_not: return "(!" + text(node.parts[0]) + ")";
      case operation::minimum:
      case operation::maximum: {
        const std::string name = node.code == operation::minimum ? "min" : "max";
        return (node.has == type::f32 ? "f" + name + "f" : name) + "(" + cast(node.parts[0]) +
               ", " + cast(node.parts[1]) + ")";
      }
      case operation::choice:
        return "(" + text(node.parts[0]) + " ? " + text(node.parts[1]) + " : " +
               text(node.parts[2]) + ")";
      case operation::convert:
        return std::string("((") +
               (node.narrow == element::s32 ? name_of(node.has) : name_of(node.narrow)) + ")" +
               text(node.parts[0]) + ")";
      case operation::load:
        return mark(node.access) + subscripted(static_cast<int>(node.value), node.parts, 0);
      case operation::call: return call(node.value, node.parts);
      case operation::shuffle_index: return exchange("__shfl_sync", node);
      case operation::shuffle_xor: return exchange("__shfl_xor_sync", node);
      case operation::shuffle_up: return exchange("__shfl_up_sync", node);
      case operation::shuffle_down: return exchange("__shfl_down_sync", node);
      case operation::ballot: return exchange("__ballot_sync", node);
      case operation::any_lane: return exchange("__any_sync", node);
      case operation::all_lanes: return exchange("__all_sync", node);
      default:
        return "(" + text(node.parts[0]) + " " + symbol_of(node.code) + " " + text(node.parts[1]) +
               ")";
    }
  }
  std::string exchange(const std::string& name, const expression& node) const {
    std::string result = name + "(" + lanes(node) + ", " + cast(node.parts[0]);
    if (node.parts.size() > 1) result += ", " + text(node.parts[1]);
    return result + ")";
  }

  // ---- statements ----
  void print_body(const std::vector<statement>& body, int depth) {
    for (const statement& command : body) print_statement(command, depth);
  }
  void print_block(const std::vector<statement>& body, int depth) {
    text_ += "{\n";
    print_body(body, depth + 1);
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + "}";
  }

  void print_statement(const statement& command, int depth) {
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    text_ += indent;
    switch (command.kind) {
      case action::assign:
        text_ += variable(command.index) + " = " + text(command.parts[0]) + ";";
        break;
      case action::store:
        // The line of a store is that of its operator.
        if (const std::string target = subscripted(command.index, command.parts, 1);
            target.find('\x01') == target.npos)
          text_ += mark(command.access) + target + " =" + stored_value(command) + ";";
        else
          text_ += target + mark(command.access) + " =" + stored_value(command) + ";";
        break;
      case action::add_atomically:
        text_ += mark(command.access) + "atomicAdd(&" +
                 subscripted(command.index, command.parts, 0) + ", 1);";
        break;
      case action::accumulate: accumulate(command); break;
      case action::store_typed:
        text_ += mark(command.access) + "put(" + array_name(command.index) + ", " +
                 text(command.parts[0]) + ", " + command.text + ");";
        break;
      case action::branch:
        text_ += "if (" + text(command.parts[0]) + ") ";
        print_block(command.bodies[0], depth);
        if (command.bodies.size() > 1) {
          text_ += " else ";
          print_block(command.bodies[1], depth);
        }
        break;
      case action::for_loop: {
        const std::string i = variable(command.index);
        text_ += "for (int " + i + " = " + text(command.parts[0]) + "; " + i + " < " +
                 text(command.parts[1]);
        if (command.parts.size() > 2) text_ += " && " + text(command.parts[2]);
        text_ += "; " + i + " += " + std::to_string(command.value) + ") ";
        print_block(command.bodies[0], depth);
        break;
      }
      case action::while_loop:
        text_ += "while (" + text(command.parts[0]) + ") ";
        print_block(command.bodies[0], depth);
        break;
      case action::do_loop:
        text_ += "do ";
        print_block(command.bodies[0], depth);
        text_ += " while (" + text(command.parts[0]) + ");";
        break;
      case action::choose:
        text_ += "switch (" + text(command.parts[0]) + ") {\n";
        for (std::size_t body = 0; body < command.bodies.size(); ++body) {
          for (const int label : command.labels[body])
            text_ += indent + (label == default_label ? "default:\n"
                                                      : "case " + std::to_string(label) + ":\n");
          print_body(command.bodies[body], depth + 1);
          text_ += indent + "  ;\n";  // a body may be empty
        }
        text_ += indent + "}";
        break;
      case action::leave: text_ += "break;"; break;
      case action::proceed: text_ += "continue;"; break;
      case action::finish:
        text_ += command.parts.empty() ? "return;" : "return " + text(command.parts[0]) + ";";
        break;
      case action::barrier: text_ += "__syncthreads();"; break;
      case action::warp_barrier:
        text_ +=
            command.value == 0xffffffff
                ? "__syncwarp();"
                : "__syncwarp(" + std::to_string(static_cast<std::uint32_t>(command.value)) + "u);";
        break;
      case action::lanes_of_mask:
        text_ += "if (" + std::to_string(static_cast<std::uint32_t>(command.value)) + "u >> v" +
                 std::to_string(program_.lane) + " & 1) ";
        print_block(command.bodies[0], depth);
        break;
      case action::by_architecture:
        text_ += "\n#if __CUDA_ARCH__ >= " + std::to_string(command.value) + "\n";
        print_body(command.bodies[0], depth);
        text_ += "#else\n";
        print_body(command.bodies[1], depth);
        text_ += "#endif";
        break;
      case action::call: text_ += call(command.value, command.parts) + ";"; break;
    }
    text_ += "\n";
  }

  std::string stored_value(const statement& command) const {
    const element kind = program_.arrays[static_cast<std::size_t>(command.index)].kind;
    const std::string value = " " + text(command.parts[0]);
    switch (kind) {
      case element::half: return " __float2half(" + value + ")";
      case element::bfloat: return " __float2bfloat16(" + value + ")";
      case element::pair: return " make_float2(" + value + ", 1.0f)";
      case element::quadruple: return " make_float4(" + value + ", 1.0f, 2.0f, sum)";
      default: return value;
    }
  }
  void accumulate(const statement& command) {
    const element kind = program_.arrays[static_cast<std::size_t>(command.index)].kind;
    const std::string source = subscripted(command.index, command.parts, 0);
    const std::string begin = mark(command.access);
    switch (kind) {
      case element::half: text_ += begin + "sum += __half2float(" + source + ");"; break;
      case element::bfloat: text_ += begin + "sum += __bfloat162float(" + source + ");"; break;
      case element::pair: text_ += begin + "{ float2 x = " + source + "; sum += x.y; }"; break;
      case element::quadruple:
        text_ += begin + "{ float4 x = " + source + "; sum += x.x + x.w; }";
        break;
      case element::f64: text_ += begin + "sum += (float)" + source + ";"; break;
      default: text_ += begin + "sum += " + source + ";";
    }
  }

  printed with_lines(int first_line) const {
    printed result;
    int line = first_line;
    for (std::size_t position = 0; position < text_.size(); ++position) {
      if (text_[position] == '\x01') {
        const std::size_t end = text_.find('\x02', position);
        result.line[std::stoi(text_.substr(position + 1, end - position - 1))] = line;
        position = end;
        continue;
      }
      if (text_[position] == '\n') ++line;
      result.text += text_[position];
    }
    return result;
  }

  const program& program_;
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
  for (const char* const name : numbered_types)
    result += std::string("template <> struct number_of<") + name +
              "> { static constexpr int value = " + std::to_string(++number) + "; };\n";
  return result +
         "#define NUMBER_OF(e) (number_of<typename plain<decltype(e)>::type>::value)\n"
         "#define put(p, i, e) (((typename plain<decltype(e)>::type*)(p))[i] = (e))\n";
}

printed as_cuda(const program& kernel, int number, int first_line) {
  return printer(kernel, number).print(first_line);
}

}  // namespace random_kernels
