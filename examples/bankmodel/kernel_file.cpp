// SPDX-License-Identifier: MIT
#include "kernel_file.hpp"

#include <algorithm>
#include <bankmodel/kernel/global_array.hpp>
#include <iterator>
#include <optional>

#include "element_types.hpp"
#include "known_machines.hpp"
#include "loop_reader.hpp"

namespace command_line {

namespace {

// and 1024 threads, on every known machine
constexpr bm::block_dim largest_block{1024, 1024, 64};
constexpr long long most_threads = 1024;
// of a launch since compute capability 3.0
constexpr bm::grid_dim largest_grid{2147483647, 65535, 65535};
// of an array in global memory, from its base; more than any machine has
constexpr long long most_global_bytes = 1ll << 62;
constexpr long long largest_base = 1ll << 40;
constexpr std::size_t longest_name = 32;  // of an array
constexpr std::size_t longest_access = 4096;
constexpr std::string_view statements =
    "a statement: load, store, atomic, for, if, shared, global, block, grid, machine, define, or "
    "an "
    "assignment";

class kernel_reader : public loop_reader {
 public:
  using loop_reader::loop_reader;

  kernel_file run() {
    while (here().kind != token_kind::end) read_statement();
    const place end{source_.text.size(), 0};
    if (block_.x == 0)
      throw refusal{end, "the number of threads of a block is missing",
                    "write a line such as `block 32 8`"};
    if (file_.accesses.empty())
      throw refusal{end, "there is no access to shared or global memory",
                    "write lines such as `load tile[ty][tx]`"};
    file_.block = block_;
    if (grid_.x != 0) file_.grid = grid_;
    file_.reads_block_index = reads_block_index_;
    return std::move(file_);
  }

 private:
  // An array element as it is written, with its subscripts' programs.
  struct element {
    int array = 0, vector = 1;
    program subscript[bm::max_rank];
    place where;
    std::string text;
  };
  // An array as it is declared, after its type.
  struct declaration {
    token name;
    bm::memory_space memory;
    long long extent[bm::max_rank] = {};
    int rank = 0;
    long long base = 0, stride = 0;  // in bytes; a stride of 0 is not stated
    place base_at = {}, stride_at = {};
  };
  struct type {
    std::string name;
    int bytes;
    bool counts;
    place where;
    bool is_unsigned = false;
  };

  // ---- statements ----

  void read_statement() {
    const deeper one(*this);
    const token first = here();
    if (take_if(";")) return;
    if (is_array(first.text) && peek(1).is("[")) return read_assignment();
    if (first.is("{")) return read_block();
    if (first.is("for")) return read_loop();
    if (first.is("if")) return read_if();
    if (first.is("load") || first.is("store") || first.is("atomic")) return read_accesses();
    if (first.text.substr(0, 6) == "atomic" && peek(1).is("(")) {
      (void)read_atomic();
      return end_statement();
    }
    if (first.is("machine") || first.is("block") || first.is("grid") || first.is("define"))
      return read_directive();
    if (is_shared_word(first) || is_global_word(first)) return read_arrays();
    if (first.is("__syncthreads") || first.is("__syncwarp")) {
      (void)take();
      (void)expect("(", joined("after ", first.text));
      (void)expect(")", joined("after ", first.text, "("));
      return end_statement();
    }
    if (const auto variable = read_type()) return read_variable(*variable);
    if (first.kind == token_kind::name || first.is("*")) return read_assignment();
    unexpected(statements);
  }

  // A newline may replace C's semicolon.
  void end_statement() {
    if (take_if(";") || here().first_of_line || here().is("}")) return;
    unexpected("a semicolon or a new line");
  }

  void read_block() {
    const token begin = take();
    const std::size_t names = names_.size();
    while (!here().is("}")) {
      if (here().kind == token_kind::end)
        throw refusal{begin.where, "a brace that is not closed", "close it with }"};
      read_statement();
    }
    (void)take();
    forget_names_from(names);
  }

  void forget_names_from(std::size_t first) {
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(first), names_.end());
  }

  // The body of a loop or a condition: names declared in it end with it.
  void read_body() {
    const std::size_t names = names_.size();
    if (here().kind == token_kind::end) unexpected("an access or a block in braces");
    read_statement();
    forget_names_from(names);
  }

  void wrap(const wrapping& one, const place& where) {
    if (static_cast<int>(around_.size()) == most_wrappers)
      throw refusal{where, joined("more than ", most_wrappers, " nested loops and conditions"),
                    "join conditions with &&"};
    around_.push_back(one);
  }

  void read_loop() {
    const place where = here().where;
    const std::size_t names = names_.size();
    const auto loops = std::count_if(around_.begin(), around_.end(), [](const wrapping& w) {
      return w.kind != bm::wrapper_kind::filter;
    });
    wrap(read_loop_head(static_cast<int>(loops)), where);
    read_body();
    around_.pop_back();
    forget_names_from(names);
  }

  void read_if() {
    const token keyword = take();
    (void)expect("(", "after `if`");
    const std::size_t first = now();
    const program condition = read_condition();
    const std::string condition_text = words(first);
    (void)expect(")", "after the condition");
    const auto filter = [&](const program& which, const std::string& text) {
      wrap({bm::wrapper_kind::filter, bm::variable::loop_0, which, {}, {}, text, {}},
           keyword.where);
      read_body();
      around_.pop_back();
    };
    filter(condition, joined("if (", condition_text, ")"));
    if (take_if("else")) filter(opposite(condition), joined("if (!(", condition_text, "))"));
  }

  // ---- statements that occur once ----

  void read_directive() {
    const token keyword = take();
    if (!around_.empty())
      throw refusal{keyword.where, joined("`", keyword.text, "` within a loop or a condition"),
                    "write it above"};
    read_one_line(true);
    if (keyword.is("machine"))
      read_machine();
    else if (keyword.is("block"))
      read_threads(keyword);
    else if (keyword.is("grid"))
      read_grid(keyword);
    else
      read_define(keyword);
    (void)take_if(";");
    if (here().kind != token_kind::end)
      unexpected(joined("nothing more after this `", keyword.text, "`"));
    read_one_line(false);
  }

  void read_machine() {
    do {
      if (here().kind == token_kind::end || here().is(";")) unexpected("a machine, such as sm_90");
      const token name = take();
      file_.machines.push_back(machine_of(name.text, name.where));
    } while (take_if(",") || (here().kind != token_kind::end && !here().is(";")));
  }

  void read_threads(const token& keyword) {
    if (block_.x != 0)
      throw refusal{keyword.where, "a second `block`", "describe one kernel in a file"};
    int extent[3] = {1, 1, 1};
    const std::size_t first = now();
    for (int at = 0; at < 3; ++at) {
      if (at > 0 && (here().kind == token_kind::end || here().is(";"))) break;
      const program value = read_product();
      const auto threads = value.constant();
      if (!threads)
        throw refusal{value.where, "the threads of a block must be constants",
                      "use numbers and names from define"};
      const int limit = at == 0 ? largest_block.x : at == 1 ? largest_block.y : largest_block.z;
      if (*threads < 1 || *threads > limit)
        throw refusal{value.where,
                      joined("a block of ", *threads, " threads along ",
                             at == 0   ? "x"
                             : at == 1 ? "y"
                                       : "z"),
                      joined("use 1 to ", limit)};
      extent[at] = static_cast<int>(*threads);
      (void)take_if(",");
    }
    const long long all = 1ll * extent[0] * extent[1] * extent[2];
    if (all > most_threads)
      throw refusal{from(first), joined("a block of ", all, " threads"),
                    joined("use at most ", most_threads)};
    block_ = {extent[0], extent[1], extent[2]};
  }

  // `grid 32 32`, or `grid 32 x 32`
  void read_grid(const token& keyword) {
    if (grid_.x != 0)
      throw refusal{keyword.where, "a second `grid`", "describe one launch in a file"};
    long long extent[3] = {1, 1, 1};
    const long long limits[3] = {largest_grid.x, largest_grid.y, largest_grid.z};
    for (int at = 0; at < 3; ++at) {
      if (at > 0 && (here().kind == token_kind::end || here().is(";"))) break;
      const program value = read_product();
      const auto blocks = value.constant();
      if (!blocks)
        throw refusal{value.where, "the blocks of a grid must be constants",
                      "use numbers and names from define"};
      if (*blocks < 1 || *blocks > limits[at])
        throw refusal{value.where,
                      joined("a grid of ", *blocks, " blocks along ",
                             at == 0   ? "x"
                             : at == 1 ? "y"
                                       : "z"),
                      joined("use 1 to ", limits[at])};
      extent[at] = *blocks;
      if (!take_if(",") && here().is("x") && find("x") == nullptr) (void)take();
    }
    grid_ = {extent[0], extent[1], extent[2]};
  }

  static bool is_in_parentheses(std::string_view text) {
    if (text.empty() || text[0] != '(') return false;
    int open = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (open == 0) return at + 1 == text.size();
    }
    return false;
  }

  void read_define(const token& keyword) {
    const token name = here();
    if (name.kind != token_kind::name) unexpected("the name of a constant");
    (void)take();
    if (here().kind == token_kind::end) unexpected(joined("the value of ", name.text));
    const std::size_t first = now();
    const program value = read_number();
    if (!value.constant())
      throw refusal{value.where, joined("the value of ", name.text, " must be a constant"),
                    "use numbers and names from define"};
    const bool pasted = keyword.where.size == 7,
               single = now() - first == 1 ||
                        (now() - first == 2 && value.nodes.size() == 1 && words(first)[0] == '-');
    if (pasted && !single && !is_in_parentheses(words(first)))
      throw refusal{value.where,
                    joined("C inserts ", name.text, " textually into the surrounding expression"),
                    "put parentheses around its value"};
    declare(name, name_kind::constant, value, false);
  }

  // ---- arrays and variables ----

  // A type in C's notation; nothing if there is none here.
  std::optional<type> read_type() {
    const std::size_t first = now();
    bool is_unsigned = false, any = false;
    while (here().is("const") || here().is("volatile") || here().is("static"))
      (void)take(), any = true;
    type result{{}, 4, true, {}};
    if (here().is("unsigned") || here().is("signed"))
      is_unsigned = true, result.is_unsigned = take().is("unsigned");
    const element_type* const named =
        here().kind == token_kind::name ? find_element_type(here().text) : nullptr;
    if (here().is("long")) {
      (void)take();
      if (!here().is("long"))
        throw refusal{from(first), "`long` has 8 bytes on Linux and 4 on Windows",
                      "write int or long long"};
      (void)take();
      (void)take_if("int");
      result.bytes = 8;
    } else if (named != nullptr &&
               (!is_unsigned || here().is("char") || here().is("short") || here().is("int"))) {
      result.bytes = named->bytes;
      result.counts = named->counts;
      result.is_unsigned = result.is_unsigned || here().text[0] == 'u' || here().is("size_t");
      const bool is_short = here().is("short");
      (void)take();
      if (is_short) (void)take_if("int");
    } else if (!is_unsigned) {
      if (any) unexpected("a type");
      return {};
    }
    result.name = words(first);
    (void)take_if("const");
    result.where = from(first);
    return result;
  }

  void read_arrays() {
    const token keyword = here();
    if (!around_.empty())
      throw refusal{keyword.where, "an array declared within a loop or a condition",
                    "declare it above"};
    const bool is_global = is_global_word(keyword);
    while (is_global ? is_global_word(here()) : is_shared_word(here())) (void)take();
    // arrays are aligned to a layer of all banks, or to 256 bytes, anyway
    if (here().is("__align__") || here().is("alignas")) {
      (void)take();
      (void)expect("(", "and the alignment");
      (void)read_constant("the alignment");
      (void)expect(")", "after the alignment");
    }
    const auto of = read_type();
    if (!of)
      throw refusal{here().where,
                    joined("`", here().text.substr(0, 40), "` is not a known element type"),
                    type_question()};
    do read_array(*of, is_global ? bm::memory_space::global : bm::memory_space::shared);
    while (take_if(","));
    end_statement();
  }

  static bool is_shared_word(const token& word) {
    return word.is("shared") || word.is("__shared__") || word.is("extern");
  }
  static bool is_global_word(const token& word) {
    return word.is("global") || word.is("__device__");
  }

  std::string type_question() const {
    nearest_word nearest(here().text);
    for (const element_type& one : element_types) nearest.offer(one.name);
    return nearest.question(
        "use char, short, int, float, double, half, bf16, float2, float4 and their kind");
  }

  // `tile[32][33] at 1024`; of global memory also `in[1000][1000] stride 4096`, `p[]` and `*p`
  void read_array(const type& of, bm::memory_space memory) {
    const bool is_global = memory == bm::memory_space::global;
    const bool is_pointer = is_global && take_if("*");
    if (is_pointer)
      while (here().is("const") || here().is("__restrict__") || here().is("restrict")) (void)take();
    declaration read{here(), memory};
    const token& name = read.name;
    if (name.kind != token_kind::name) unexpected("the name of an array");
    (void)take();
    require_new_name(name, false);
    if (static_cast<int>(file_.arrays.size()) == most_arrays)
      throw refusal{name.where, joined("more than ", most_arrays, " arrays"),
                    "leave out those without conflicts"};
    if (name.text.size() > longest_name)
      throw refusal{name.where,
                    joined("an array's name of more than ", longest_name, " characters"),
                    "shorten it"};
    if (is_pointer) {
      if (here().is("["))
        throw refusal{here().where, joined("extents after the pointer ", name.text),
                      joined("write *", name.text, ", or ", name.text, "[..] without *")};
      read.rank = 1;
      read.extent[0] = bm::unknown_extent;
    } else {
      read_extents(read);
    }
    read.base_at = read.stride_at = name.where;
    bool placed = false;
    while (!here().first_of_line) {
      if (!placed && here().is("at")) {
        (void)take();
        read.base_at = here().where;
        read.base = read_constant("the byte at which an array begins");
        placed = true;
      } else if (is_global && read.stride == 0 && here().is("stride")) {
        (void)take();
        read.stride_at = here().where;
        read.stride = read_constant("the bytes from one row to the next");
        if (read.stride <= 0)
          throw refusal{read.stride_at, joined("a stride of ", read.stride, " bytes"),
                        "use the bytes from one row to the next"};
      } else {
        break;
      }
    }
    add_array(of, read);
  }

  void read_extents(declaration& to) {
    const token& name = to.name;
    const bool is_global = to.memory == bm::memory_space::global;
    if (!here().is("["))
      throw refusal{name.where, joined("the array ", name.text, " has no extents"),
                    joined("write ", name.text, "[1] for a single element",
                           is_global ? joined(", or *", name.text, " for a pointer") : "")};
    while (take_if("[")) {
      if (to.rank == bm::max_rank)
        throw refusal{from(now() - 1), joined("more than ", bm::max_rank, " extents"),
                      "fold the outer ones into one"};
      if (here().is("]") && (!is_global || to.rank > 0))
        throw refusal{here().where, "an extent is missing",
                      is_global ? "give the number of elements; only the first may be unknown"
                                : "give the number of elements that a launch requests"};
      const place where = here().where;
      to.extent[to.rank] = here().is("]") ? bm::unknown_extent : read_constant("an extent");
      if (to.extent[to.rank] < 1)
        throw refusal{where, joined("an extent of ", to.extent[to.rank]), "use 1 or more"};
      ++to.rank;
      (void)expect("]", "after the extent");
    }
  }

  void add_array(const type& of, const declaration& read) {
    const token& name = read.name;
    const bool is_global = read.memory == bm::memory_space::global;
    require_room_for(of, read);
    if (of.bytes == 12)
      throw refusal{of.where, "elements of 12 bytes",
                    "describe an array of the words that one instruction reads, or float4"};
    const long long last_base = is_global ? largest_base : most_shared_bytes();
    if (read.base < 0 || read.base % of.bytes != 0 || read.base > last_base)
      throw refusal{read.base_at, joined(name.text, " cannot begin at byte ", read.base),
                    joined("use a multiple of ", of.bytes, " from 0 to ", last_base)};
    const std::string text(name.text);
    const long long(&extent)[bm::max_rank] = read.extent;
    const auto laid_out = read.rank == 1   ? bm::row_major(extent[0])
                          : read.rank == 2 ? bm::row_major(extent[0], extent[1])
                          : read.rank == 3
                              ? bm::row_major(extent[0], extent[1], extent[2])
                              : bm::row_major(extent[0], extent[1], extent[2], extent[3]);
    bm::array_description described{bm::name_of(text.c_str()), laid_out, of.bytes, read.base};
    described.memory = read.memory;
    if (read.stride != 0) described = bm::with_row_stride(described, read.stride);
    file_.arrays.push_back({text, of.name, described, name.where});
  }

  // The array's bytes must be those of a block's memory, or fit in 62 bits; a stride must hold a
  // row.
  static void require_room_for(const type& of, const declaration& read) {
    const token& name = read.name;
    const bool is_global = read.memory == bm::memory_space::global;
    if (read.stride != 0) {
      long long row = 0;
      const bool too_long = __builtin_mul_overflow(read.extent[read.rank - 1], of.bytes, &row);
      if (read.rank < 2)
        throw refusal{read.stride_at, joined(name.text, " has one dimension, so it has no rows"),
                      "leave out `stride`, or write its rows and columns"};
      if (!too_long && (read.stride < row || read.stride % of.bytes != 0))
        throw refusal{read.stride_at,
                      joined("rows of ", row, " bytes cannot begin every ", read.stride, " bytes"),
                      joined("use a multiple of ", of.bytes, " of at least ", row)};
    }
    const long long most = is_global ? most_global_bytes : most_shared_bytes();
    const int rows = read.stride != 0 ? read.rank - 1 : read.rank;  // extents before the bytes
    long long bytes = read.stride != 0 ? read.stride : of.bytes;
    for (int at = 0; at < rows; ++at)
      if (__builtin_mul_overflow(bytes, read.extent[at], &bytes) || bytes > most) {
        if (!is_global)
          throw refusal{
              name.where,
              joined("the array ", name.text, " is larger than the shared memory of any machine"),
              joined("a block has at most ",
                     bm::grouped(static_cast<std::uint64_t>(most_shared_bytes())), " bytes")};
        throw refusal{name.where,
                      joined("the array ", name.text, " is larger than the memory of any machine"),
                      read.extent[0] == bm::unknown_extent ? "write its first extent too"
                                                           : "use smaller extents"};
      }
  }

  static long long most_shared_bytes() {
    static const long long most = [] {
      int found = 0;
      for (const bm::machine& one : known_machines())
        found = std::max(found, one.limits.shared_per_block_opt_in);
      return found;
    }();
    return most;
  }

  // `int row = ty + j`, which replaces row wherever it is read; or `float sum = tile[ty][tx]`,
  // whose value is not known.
  void read_variable(const type& of) {
    do {
      const token name = here();
      if (name.kind != token_kind::name) unexpected("the name of a variable");
      (void)take();
      program meaning = {{{bm::operation::constant, 0}}, name.where, false, true};
      bool known = false;
      if (take_if("=")) {
        meaning = read_value();
        known = of.counts && !meaning.is_unknown && !meaning.is_condition;
        if (known && of.bytes < 4)
          throw refusal{of.where,
                        joined("a number of ", of.bytes, of.bytes == 1 ? " byte" : " bytes",
                               ", which C truncates"),
                        "write int"};
        const auto constant = meaning.constant();
        if (known && of.bytes == 4 && constant &&
            (*constant > 0x7fffffff || *constant < (of.is_unsigned ? 0 : -0x80000000ll)))
          throw refusal{meaning.where, joined(*constant, " does not fit in ", of.name),
                        "write the intended number"};
        if (known && of.bytes == 8 && meaning.is_unsigned &&
            !never_negative(meaning, never_negative_loops_))
          throw refusal{meaning.where,
                        "an unsigned value that may be below 0, where C has a large number",
                        "compute with int: int x = threadIdx.x, or tx"};
        meaning.is_unsigned = of.is_unsigned;
      }
      declare(name, known ? name_kind::index : name_kind::value, meaning, true);
    } while (take_if(","));
    end_statement();
  }

  // ---- accesses ----

  void read_accesses() {
    const token keyword = take();
    const bm::access_kind kind = keyword.is("load")    ? bm::access_kind::load
                                 : keyword.is("store") ? bm::access_kind::store
                                                       : bm::access_kind::atomic;
    do add_access(kind, read_place());
    while (take_if(","));
    end_statement();
  }

  // `atomicAdd(&bins[a], b)`, `atomicCAS(&bins[a], b, c)`: the values are loaded first.
  element read_atomic() {
    const token name = take();
    constexpr std::string_view known[] = {"atomicAdd", "atomicSub", "atomicExch", "atomicMin",
                                          "atomicMax", "atomicInc", "atomicDec",  "atomicCAS",
                                          "atomicAnd", "atomicOr",  "atomicXor"};
    if (std::find(std::begin(known), std::end(known), name.text) == std::end(known))
      throw refusal{name.where,
                    joined("`", name.text.substr(0, 40), "` is not a known atomic function"),
                    "write atomicAdd, atomicCAS, .. or `atomic a[..]`"};
    (void)expect("(", "and the address of an element");
    if (!take_if("&"))
      throw refusal{here().where, "an atomic function without `&` before its element",
                    "write atomicAdd(&a[tx], 1)"};
    const element place = read_place();
    while (take_if(",")) (void)read_value();
    (void)expect(")", "after the values");
    add_access(bm::access_kind::atomic, place);
    return place;
  }

  // `tile[ty][tx] = line[tx] + 1` loads line and stores tile; `+=` loads tile first.
  void read_assignment() {
    const token first = here();
    const bool local = first.kind == token_kind::name && !is_array(first.text);
    if (local && !is_value(first.text)) {
      if (const known_name* const known = find(first.text))
        throw refusal{first.where,
                      joined(first.text.substr(0, 40),
                             known->kind == name_kind::loop ? " is the variable of a loop"
                                                            : " is a name for one value",
                             " and cannot be changed"),
                      "use another name, or describe the loop"};
      if (peek(1).is("=") || peek(1).is("[") || peek(1).is("+=")) unknown_name(first, peek(1));
      nearest_word nearest(first.text);
      for (const std::string_view word : {"load", "store", "atomic", "for", "if", "shared",
                                          "global", "block", "grid", "machine", "define"})
        nearest.offer(word);
      throw refusal{first.where,
                    joined("`", first.text.substr(0, 40), "` does not begin a statement"),
                    nearest.question(joined("write ", statements))};
    }
    element target;
    if (local)
      (void)take();
    else
      target = read_place();
    const token symbol = take();
    const bool known = symbol.is("=") || symbol.is("+=") || symbol.is("-=") || symbol.is("*=") ||
                       symbol.is("/=") || symbol.is("%=") || symbol.is("&=") || symbol.is("|=") ||
                       symbol.is("^=") || symbol.is("<<=") || symbol.is(">>=");
    if (!known)
      throw refusal{symbol.where,
                    joined("`", symbol.text.substr(0, 40), "` after ",
                           local ? std::string(first.text) : target.text),
                    "write = and a value, or `load` or `store` before it"};
    if (!local && !symbol.is("=")) add_access(bm::access_kind::load, target);
    (void)read_value();
    if (!local) add_access(bm::access_kind::store, target);
    end_statement();
  }

  // A value: its array elements are loaded in their order; an atomic function has a value too.
  program read_element() override {
    const bool is_atomic = here().text.substr(0, 6) == "atomic" && peek(1).is("(");
    const element one = is_atomic ? read_atomic() : read_place();
    if (!is_atomic) add_access(bm::access_kind::load, one);
    return {{{bm::operation::constant, 0}}, one.where, false, true};
  }

  // `tile[ty][tx]`, `(float4) tile[ty][4 * tx]`, `*(float4*)&tile[ty][4 * tx]`,
  // `*reinterpret_cast<float4*>(&tile[..][..])`
  element read_place() {
    const std::size_t first = now();
    element result;
    if (take_if("*")) {
      const bool spelled_out = take_if("reinterpret_cast");
      (void)expect(spelled_out ? "<" : "(", "and the type that is accessed");
      const type wide = read_wide_type();
      (void)expect("*", joined("after ", wide.name));
      (void)expect(spelled_out ? ">" : ")", "after the type");
      if (spelled_out && !here().is("(")) unexpected("`(` and the address");
      const bool parenthesis = take_if("(");
      (void)expect("&", "and the array");
      read_subscripts(result);
      if (parenthesis) (void)expect(")", "after the address");
      widen(result, wide);
    } else if (take_if("(")) {
      const type wide = read_wide_type();
      (void)expect(")", joined("after ", wide.name));
      read_subscripts(result);
      widen(result, wide);
    } else {
      read_subscripts(result);
    }
    if (here().is(".") && here().where.first == from(first).first + from(first).size)
      throw refusal{here().where, "a member of an element",
                    "declare the array with the type that one instruction reads"};
    result.where = from(first);
    result.text = words(first);
    return result;
  }

  type read_wide_type() {
    if (const auto wide = read_type()) return *wide;
    throw refusal{here().where,
                  joined("`", here().text.substr(0, 40), "` is not a known type of an access"),
                  type_question()};
  }

  void widen(element& one, const type& wide) const {
    const kernel_array& array = file_.arrays[static_cast<std::size_t>(one.array)];
    const int bytes = array.description.element_bytes;
    if (wide.bytes % bytes != 0)
      throw refusal{wide.where,
                    joined(wide.name, " has ", wide.bytes, " bytes, the elements of ", array.name,
                           " ", bytes),
                    "access whole elements, one or several"};
    one.vector = wide.bytes / bytes;
  }

  void read_subscripts(element& one) {
    const token name = here();
    if (name.kind != token_kind::name) unexpected("the name of an array");
    (void)take();
    one.array = number_of(name.text);
    if (one.array < 0) unknown_name(name, here());
    kernel_array& array = file_.arrays[static_cast<std::size_t>(one.array)];
    array.is_used = true;
    const int rank = array.description.layout.rank;
    int count = 0;
    const std::size_t first = now();
    while (take_if("[")) {
      const deeper inside(*this);
      const program subscript = read_number();
      if (count < rank) one.subscript[count] = subscript;
      ++count;
      (void)expect("]", "after the subscript");
    }
    if (count != rank)
      throw refusal{count == 0 ? name.where : from(first),
                    joined(count, count == 1 ? " subscript" : " subscripts", " on ", array.name,
                           ", which has ", rank, rank == 1 ? " dimension" : " dimensions"),
                    joined("write ", rank)};
  }

  void add_access(bm::access_kind kind, const element& one) {
    if (static_cast<int>(file_.accesses.size()) == most_accesses)
      throw refusal{one.where, joined("more than ", most_accesses, " accesses"),
                    "write alike ones as a loop, or describe the kernel in two files"};
    kernel_access result{{}, {}, {}, one.where};
    access_expression& to = result.expression;
    to.array = file_.arrays[static_cast<std::size_t>(one.array)].description;
    to.subscripts = to.array.layout.rank;
    to.vector = one.vector;
    to.stated = true;
    to.kind = kind;
    to.depth = static_cast<int>(around_.size());
    int used = 0;
    const auto pooled = [&](const program& of) {
      if (used + static_cast<int>(of.nodes.size()) > most_nodes)
        throw refusal{one.where,
                      joined("an access that needs more than ", most_nodes,
                             " numbers, names and operators, its loops and conditions included"),
                      "shorten them"};
      std::copy(of.nodes.begin(), of.nodes.end(), to.nodes + used);
      const bm::slice result_slice{used, static_cast<int>(of.nodes.size())};
      used += result_slice.size;
      return result_slice;
    };
    for (int at = 0; at < to.depth; ++at) {
      const wrapping& w = around_[static_cast<std::size_t>(at)];
      to.wrappers[at] = {w.kind, w.variable, pooled(w.first), pooled(w.last), pooled(w.step)};
      result.text += joined(w.text, " ");
      if (w.kind != bm::wrapper_kind::filter) result.loop_names.push_back(w.name);
    }
    for (int at = 0; at < to.subscripts; ++at) to.subscript[at] = pooled(one.subscript[at]);
    result.text += joined(bm::detail::instruction_of(kind), " ", one.text);
    if (result.text.size() > longest_access)
      throw refusal{one.where,
                    joined("an access of more than ", longest_access,
                           " letters, its loops and conditions included"),
                    "shorten them"};
    file_.accesses.push_back(result);
  }

  // ---- names ----

  int number_of(std::string_view name) const {
    for (std::size_t at = 0; at < file_.arrays.size(); ++at)
      if (file_.arrays[at].name == name) return static_cast<int>(at);
    return -1;
  }
  bool is_array(std::string_view name) const override { return number_of(name) >= 0; }
  void offer_arrays(nearest_word& nearest) const override {
    for (const kernel_array& one : file_.arrays) nearest.offer(one.name);
  }
  bool is_value(std::string_view name) const {
    return std::any_of(names_.begin(), names_.end(), [&](const known_name& one) {
      return one.name == name && one.kind == name_kind::value;
    });
  }

  kernel_file file_;
  std::vector<wrapping> around_;
};

}  // namespace

kernel_file read_kernel_file(const source& of) {
  if (of.text.size() > most_bytes)
    throw refusal{{most_bytes, 1},
                  joined("a kernel file of ", of.text.size(), " bytes"),
                  joined("at most ", most_bytes, " are read")};
  return kernel_reader(of).run();
}

}  // namespace command_line
