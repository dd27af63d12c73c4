// SPDX-License-Identifier: MIT
// Bank maps: every cell of the text is read back and compared with the model's definition for
// its bytes.
#include <bankmodel/draw.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/kernel/global_array.hpp>
#include <bankmodel/kernel/variables.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"
#include "machines.hpp"
#include "permutations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::detail::line_of;

namespace {

// ---- reading a picture ----

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The cells of each plane, row by row, without their labels.
using read_plane = std::vector<std::vector<std::string>>;
std::vector<read_plane> planes_of(const std::string& text) {
  std::vector<read_plane> planes;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (line.find("-+-") != std::string::npos) {
      planes.emplace_back();
      inside = true;
    } else if (line.empty()) {
      inside = false;
    } else if (inside) {
      std::istringstream cells(line.substr(line.find('|') + 1));
      planes.back().emplace_back();
      for (std::string cell; cells >> cell;) planes.back().back().push_back(cell);
    }
  }
  return planes;
}

std::string without_escapes(const std::string& text) {
  std::string result;
  for (std::size_t position = 0; position < text.size(); ++position) {
    if (text[position] == '\033') {
      position = text.find('m', position);
      continue;
    }
    if (text[position] == '\n') result.erase(result.find_last_not_of(' ') + 1);
    result += text[position];
  }
  return result;
}

// The first error of a text as XML, or nothing: one root, matching tags, quoted attributes
// without duplicates, known entities, no forbidden characters.
std::string xml_error(const std::string& text) {
  std::vector<std::string> open;
  int roots = 0;
  const auto is_good = [](const std::string& words) {
    for (std::size_t position = 0; position < words.size(); ++position) {
      if ((words[position] < ' ' && words[position] != '\n') || words[position] > '~' ||
          words[position] == '<')
        return false;
      if (words[position] != '&') continue;
      const std::string entity = words.substr(position, words.find(';', position) - position + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;")
        return false;
    }
    return true;
  };
  for (std::size_t position = 0; position < text.size();) {
    if (text[position] != '<') {
      const std::size_t end = std::min(text.find('<', position), text.size());
      const std::string words = text.substr(position, end - position);
      if (!is_good(words)) return line_of("text ", words);
      if (open.empty() && words.find_first_not_of('\n') != std::string::npos)
        return "text outside of the root";
      position = end;
      continue;
    }
    const std::size_t end = text.find('>', position);
    if (end == std::string::npos) return "a tag without end";
    std::string tag = text.substr(position + 1, end - position - 1);
    position = end + 1;
    if (tag.empty()) return "an empty tag";
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return line_of("<", tag, "> closes another");
      open.pop_back();
      continue;
    }
    const bool closed = tag.back() == '/';
    if (closed) tag.pop_back();
    const std::size_t name_end = std::min(tag.find(' '), tag.size());
    if (open.empty() && ++roots > 1) return "two roots";
    if (!closed) open.push_back(tag.substr(0, name_end));
    std::set<std::string> names;
    for (std::size_t begin = name_end; begin < tag.size();) {
      const std::size_t equals = tag.find("=\"", begin),
                        quote = equals == std::string::npos ? equals : tag.find('"', equals + 2);
      if (tag[begin] != ' ' || quote == std::string::npos) return line_of("attributes of ", tag);
      const std::string name = tag.substr(begin + 1, equals - begin - 1);
      if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") !=
              std::string::npos ||
          !names.insert(name).second)
        return line_of("attribute ", name);
      if (!is_good(tag.substr(equals + 2, quote - equals - 2))) return line_of("value of ", name);
      begin = quote + 1;
    }
  }
  return open.empty() && roots == 1 ? "" : "a tag is not closed";
}

// The cells of all paths of a class whose name is `kind` and a bank: position, size and bank. They
// are rectangles, or lines as wide as a cell of their group is high, above whose middle they are
// shifted.
struct drawn_cell {
  int x, y, width, height, bank;
};
int height_of_lines(const std::string& svg, std::size_t path) {
  const std::size_t group = svg.rfind("<g class=\"cells\" stroke-width=\"", path);
  REQUIRE(group != std::string::npos);
  const std::size_t ended = svg.rfind("</g>", path);
  REQUIRE((ended == std::string::npos || ended <= group));
  const int height = std::stoi(svg.substr(svg.find("width=\"", group) + 7));
  CHECK(has(svg.substr(group, 90), line_of("transform=\"translate(0 ", std::to_string(height / 2),
                                           height % 2 == 1 ? ".5)" : ")")));
  return height;
}
std::vector<drawn_cell> cells_of(const std::string& svg, const std::string& kind) {
  std::vector<drawn_cell> result;
  const std::string begin = line_of("<path class=\"", kind);
  for (std::size_t position = svg.find(begin); position != std::string::npos;
       position = svg.find(begin, position + 1)) {
    const std::size_t number = position + begin.size();
    if (svg[number] < '0' || svg[number] > '9') continue;
    drawn_cell cell{0, 0, 0, 0, std::stoi(svg.substr(number))};
    const std::size_t start = svg.find(" d=\"", position) + 4;
    std::istringstream path(svg.substr(start, svg.find('"', start) - start));
    int end = 0, y = 0;  // of the line before
    for (char letter = 0; path >> letter >> cell.x >> cell.y;) {
      REQUIRE((letter == 'M' || (letter == 'm' && !result.empty())));
      if (letter == 'm') cell.x += end, cell.y += y;
      y = cell.y;
      REQUIRE((path >> letter >> cell.width && letter == 'h'));
      end = cell.x + cell.width;
      if (path.peek() == 'v') {
        char back = 0, last = 0;
        int minus = 0;
        REQUIRE(path >> letter >> cell.height >> back >> minus >> last);
        REQUIRE((minus == -cell.width && last == 'z'));
      } else {
        cell.height = height_of_lines(svg, position);
      }
      result.push_back(cell);
    }
  }
  return result;
}

// ---- the expected contents of a picture ----

// For each phase the layers that its lanes touch in each bank, from the definition.
struct expected_request {
  const tested_machine& m;
  const bm::request& r;
  std::vector<int> phase_of;
  std::map<int, std::map<long long, std::set<long long>>> layers;  // phase -> bank -> layers
  std::size_t max_layers = 0;

  expected_request(const tested_machine& machine, const bm::request& request)
      : m(machine), r(request) {
    const int group = group_of(m, r.bytes);
    const auto agree = [&](int distance) {
      for (int lane = 0; lane < m.lanes; ++lane)
        if (is_active(lane) && is_active(lane ^ distance) &&
            r.address[lane] != r.address[lane ^ distance])
          return false;
      return true;
    };
    const bool merged =
        m.pairs && r.kind == bm::access_kind::load && group < m.lanes && (agree(1) || agree(2));
    for (int lane = 0; lane < m.lanes; ++lane) phase_of.push_back(lane / group / (merged ? 2 : 1));
    for (int lane = 0; lane < m.lanes; ++lane)
      for (long long byte = r.address[lane]; is_active(lane) && byte < r.address[lane] + r.bytes;
           ++byte) {
        auto& touched = layers[phase_of[static_cast<std::size_t>(lane)]][bank(byte)];
        touched.insert(oracle::floor_divided(byte, m.banks.bank_num * m.banks.W));
        max_layers = std::max(max_layers, touched.size());
      }
  }
  bool is_active(int lane) const { return (r.active >> lane & 1) != 0; }
  long long bank(long long byte) const {
    return oracle::floor_divided(byte, m.banks.N) % m.banks.bank_num;
  }

  // The cell of an element, as draw_text() writes it.
  std::string cell(long long first, int bytes, bool unused) {
    std::vector<int> lanes;
    std::size_t most_here = 0;
    for (int lane = 0; lane < m.lanes; ++lane) {
      bool touches = false;
      for (long long byte = first; byte < first + bytes; ++byte)
        if (is_active(lane) && byte >= r.address[lane] && byte < r.address[lane] + r.bytes) {
          touches = true;
          most_here = std::max(most_here,
                               layers[phase_of[static_cast<std::size_t>(lane)]][bank(byte)].size());
        }
      if (touches) lanes.push_back(lane);
    }
    std::string result = unused ? "-" : std::to_string(bank(first));
    if (lanes.empty()) return result;
    const bool is_run = lanes.back() - lanes.front() + 1 == static_cast<int>(lanes.size());
    result += line_of("[", std::to_string(lanes.front()));
    if (lanes.size() > 1)
      result += line_of(is_run ? "-" : "+",
                        std::to_string(is_run ? lanes.back() : static_cast<int>(lanes.size()) - 1));
    return line_of(result, most_here < 2 ? "]" : most_here < max_layers ? "]!" : "]!!");
  }
};

bm::request column_of(const bm::array_description& tile, int lanes) {
  bm::request r{.active = ~std::uint64_t{0} >> (bm::max_lanes - lanes),
                .bytes = tile.element_bytes};
  for (int lane = 0; lane < lanes; ++lane)
    r.address[lane] = tile.base_bytes + tile.layout(lane, 0) * tile.element_bytes;
  return r;
}

// Eight lanes, eight banks of 4 bytes.
bm::machine small_machine() {
  bm::machine m;
  m.model = 8;
  m.lanes = 8;
  m.loads.up_to_4 = m.stores.up_to_4 = {.bank_num = 8, .W = 4, .N = 4};
  return m;
}

bm::array_description array_of(bm::layout layout, int bytes, long long base) {
  return {.name = bm::name_of("a"), .layout = layout, .element_bytes = bytes, .base_bytes = base};
}

// The name of the rule that the call breaks.
template <class Call>
std::string refused(const Call& call) {
  try {
    (void)call();
  } catch (const bm::error& e) {
    return e.rule();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a column before and after padding, as printed") {
  const auto tile = bm::shared_array<float>("tile", 8, 8);
  const auto explanation =
      bm::explain(small_machine(), bm::block_dim{8}, bm::load(tile[bm::index::tx][0]));
  CHECK(bm::draw_text(small_machine(), explanation.array, explanation.worst) ==
        bm::draw_text(small_machine(), tile, column_of(tile, 8)));
  CHECK(bm::draw_text(small_machine(), tile, column_of(tile, 8)) == R"(tile[8][8] on machine 8
8 lanes load 4 bytes each: wavefronts 8, ideal 1, conflicts 7
bank 0 is touched in 8 layers (8-way)
8 banks of 4-byte words

  | 0      1 2 3 4 5 6 7
--+---------------------
0 | 0[0]!! 1 2 3 4 5 6 7
1 | 0[1]!! 1 2 3 4 5 6 7
2 | 0[2]!! 1 2 3 4 5 6 7
3 | 0[3]!! 1 2 3 4 5 6 7
4 | 0[4]!! 1 2 3 4 5 6 7
5 | 0[5]!! 1 2 3 4 5 6 7
6 | 0[6]!! 1 2 3 4 5 6 7
7 | 0[7]!! 1 2 3 4 5 6 7

0      the element's bank
[0]    the lane that touches it
!!     the worst conflict
)");
  const auto padded = tile.with(tile.layout.padded(1));
  CHECK(bm::draw_text(small_machine(), padded, column_of(padded, 8), {.part = {.rows = 2}}) ==
        R"(tile[8][9] on machine 8
8 lanes load 4 bytes each: wavefronts 1, ideal 1, conflicts 0
no bank is touched in more than one layer
8 banks of 4-byte words
rows 2-7 of 8 are not drawn
lanes 2-7 touch elements that are not drawn

  | 0    1 2 3 4 5 6 7 8
--+---------------------
0 | 0[0] 1 2 3 4 5 6 7 -
1 | 1[1] 2 3 4 5 6 7 0 -

0      the element's bank
-      unused element
[0]    the lane that touches it
)");
}

TEST_CASE("a swizzled tile: each element at its subscripts, with the bank where it is stored") {
  const auto tile = bm::shared_array<float>("tile", 8, 8);
  const auto swizzled = tile.with(tile.layout.permuted(bm::xor_swizzle(3, 0, 3)));
  const auto explanation = bm::explain(small_machine(), bm::block_dim{8},
                                       bm::load(swizzled[bm::index::tx][bm::index::tx & 6]));
  CHECK(
      bm::draw_text(small_machine(), explanation.array, explanation.worst, {.part = {.rows = 4}}) ==
      R"(tile[8][8], element [r][c] at [r][c ^ r] on machine 8
8 lanes load 4 bytes each: wavefronts 4, ideal 1, conflicts 3
banks 0-1 are each touched in 4 layers (4-way)
8 banks of 4-byte words
each element is drawn at its subscripts, with the bank in which it is stored
rows 4-7 of 8 are not drawn
lanes 4-7 touch elements that are not drawn

  | 0      1 2      3 4 5 6 7
--+--------------------------
0 | 0[0]!! 1 2      3 4 5 6 7
1 | 1[1]!! 0 3      2 5 4 7 6
2 | 2      3 0[2]!! 1 6 7 4 5
3 | 3      2 1[3]!! 0 7 6 5 4

0      the element's bank
[0]    the lane that touches it
!!     the worst conflict
)");
}

TEST_CASE("every cell of permuted arrays, by the definitions of the permutations") {
  std::mt19937_64 random(20261121);
  const auto draw = [&](long long end) {
    return static_cast<long long>(random() % static_cast<unsigned long long>(end));
  };
  std::map<bm::layout_family, int> seen;
  for (int number = 0; number < 1500; ++number) {
    permuted::rows_of rows;
    for (long long rank = 1 + draw(3); rank > 0; --rank)
      rows.extent.push_back(draw(2) == 0 ? 1ll << draw(5) : 1 + draw(12));
    if (rows.extent.size() == 2 && draw(2) == 0) rows.padding = draw(5);
    const auto permutation = permuted::any_of(rows, 1, random);
    if (!permutation) continue;
    ++seen[permutation->family];
    const bm::layout layout = rows.layout().permuted(*permutation);
    const tested_machine& m = tested_machines[number % tested_machine_count];
    const int bytes = 1 << draw(4);
    const auto array = array_of(layout, bytes, bytes * draw(9));
    bm::request r{.active = random() & 0xffffffff, .bytes = bytes};
    for (int lane = 0; lane < 32; ++lane)
      r.address[lane] = array.base_bytes + bytes * draw(layout.required_size());
    INFO("case " << number << ", " << bm::text(m.machine) << ", " << bm::text(layout) << " of "
                 << bytes << " bytes");

    const bm::text_style style{.part = {.planes = 99,
                                        .rows = 99999,
                                        .columns = 999,
                                        .row_length = static_cast<unsigned>(rows.columns())}};
    const auto planes = planes_of(bm::draw_text(m.machine, array, r, style));
    expected_request expected(m, r);
    const long long columns = rows.columns(),
                    in_plane = rows.extent.size() < 2 ? 1 : rows.extent[rows.extent.size() - 2];
    std::vector<int> drawn(
        static_cast<std::size_t>(layout.required_size()));  // elements of storage
    for (long long row = 0; row < rows.rows(); ++row)
      for (long long column = 0; column < columns; ++column) {
        const long long place = place_of(rows, *permutation, row, column);
        ++drawn[static_cast<std::size_t>(place)];
        const auto& plane = planes.at(static_cast<std::size_t>(row / in_plane));
        const auto& cell =
            plane.at(static_cast<std::size_t>(row % in_plane)).at(static_cast<std::size_t>(column));
        REQUIRE(cell == expected.cell(array.base_bytes + place * bytes, bytes, false));
      }
    // The other cells are the unused elements, each once, with their lanes.
    const bool box = permutation->family == bm::layout_family::modular && permutation->form == 1;
    std::map<std::string, int> unused, wanted;
    for (std::size_t plane = 0; plane < planes.size(); ++plane)
      for (std::size_t row = 0; row < planes[plane].size(); ++row)
        for (std::size_t column = 0; column < planes[plane][row].size(); ++column)
          if (static_cast<long long>(row) >= in_plane || static_cast<long long>(column) >= columns)
            ++unused[planes[plane][row][column]];
    for (long long place = 0; place < layout.required_size() && !box; ++place)
      if (drawn[static_cast<std::size_t>(place)] == 0)
        ++wanted[expected.cell(array.base_bytes + place * bytes, bytes, true)];
    REQUIRE(unused == wanted);
    REQUIRE(*std::max_element(drawn.begin(), drawn.end()) == 1);

    const std::string svg = bm::draw_svg(m.machine, array, r, {.part = style.part});
    REQUIRE(xml_error(svg) == "");
    REQUIRE(has(svg, "each element is drawn at its subscripts"));
  }
  CHECK(seen.size() == 5);
  for (const auto& [family, times] : seen) CHECK(times > 50);

  // A permutation that no array has.
  bm::layout wrong = bm::row_major(4, 6);
  wrong.permutation = bm::triangular();
  CHECK(refused([&] { return bm::draw_text(small_machine(), array_of(wrong, 4, 0)); }) ==
        "triangles_of_columns_must_have_a_width_of_a_power_of_two");
}

TEST_CASE("every cell: its bank, its lanes, its conflict; any array, any request") {
  std::mt19937 random(20260901);
  const auto draw = [&](long long low, long long high) {
    return low + static_cast<long long>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int number = 0; number < 600; ++number) {
    const tested_machine& m = tested_machines[number % tested_machine_count];
    const int bytes = 1 << draw(0, 4), width = 1 << draw(0, 4), rank = static_cast<int>(draw(1, 4));
    const long long length = draw(1, 300), rows = draw(1, 12), columns = draw(1, 40),
                    depth = draw(1, 4), volumes = draw(1, 2);
    bm::layout layout =
        rank == 1   ? bm::row_major(length)
        : rank == 2 ? bm::row_major(rows, columns)
        : rank == 3 ? bm::row_major(depth, (rows + 1) / 2, (columns + 3) / 4)
                    : bm::row_major(volumes, (depth + 1) / 2, (rows + 1) / 2, (columns + 3) / 4);
    for (int d = 0; d < rank - 1; ++d) layout = layout.padded(draw(0, 3), d);
    if (rank == 1 && draw(0, 1) == 1) layout = layout.padded_every((columns + 7) / 2, rows % 4);
    const auto array = array_of(layout, bytes, bytes * draw(0, 50));
    bm::request r{.active = random(),
                  .bytes = width,
                  .kind = draw(0, 1) == 0 ? bm::access_kind::load : bm::access_kind::store};
    const long long places = array.base_bytes / width + layout.required_size() * bytes / width,
                    stride = draw(0, 3), kind = draw(0, 2);
    for (int lane = 0; lane < 32; ++lane)
      r.address[lane] = width * (kind == 0   ? draw(0, places)
                                 : kind == 1 ? stride * lane
                                             : lane / 4 % (places + 1));
    INFO("case " << number << ", " << bm::text(m.machine) << ", " << bm::text(layout) << " of "
                 << bytes << " bytes, request of " << width);

    const bm::text_style style{.part = {.planes = 99, .rows = 999, .columns = 999}};
    const auto planes = planes_of(bm::draw_text(m.machine, array, r, style));
    expected_request expected(m, r);
    // The use of each element of storage, from the layout's own function.
    std::vector<bool> used(static_cast<std::size_t>(layout.required_size()));
    const auto& e = layout.extent;
    const auto use = [&](long long element) { used[static_cast<std::size_t>(element)] = true; };
    for (long long i = 0; i < e[0]; ++i)
      for (long long j = 0; j < std::max(e[1], 1ll); ++j)
        for (long long k = 0; k < std::max(e[2], 1ll); ++k)
          for (long long l = 0; l < std::max(e[3], 1ll); ++l)
            use(rank == 1   ? layout(i)
                : rank == 2 ? layout(i, j)
                : rank == 3 ? layout(i, j, k)
                            : layout(i, j, k, l));
    // The picture has all elements of storage one after the other.
    long long element = 0;
    for (const auto& plane : planes)
      for (const auto& row : plane)
        for (const std::string& cell : row) {
          REQUIRE(element < layout.required_size());
          REQUIRE(cell == expected.cell(array.base_bytes + element * bytes, bytes,
                                        !used[static_cast<std::size_t>(element)]));
          ++element;
        }
    REQUIRE(element == layout.required_size());
    REQUIRE(static_cast<long long>(planes.size()) == (rank == 3   ? e[0]
                                                      : rank == 4 ? e[0] * e[1]
                                                                  : 1));
    if (rank > 1) REQUIRE(static_cast<long long>(planes[0][0].size()) == layout.stride[rank - 2]);

    const std::string svg = bm::draw_svg(m.machine, array, r, {.part = style.part});
    REQUIRE(xml_error(svg) == "");
    REQUIRE(svg == bm::draw_svg(m.machine, array, r, {.part = style.part}));
    REQUIRE(
        without_escapes(bm::draw_text(m.machine, array, r, {.part = style.part, .colour = true})) ==
        bm::draw_text(m.machine, array, r, style));
  }
}

TEST_CASE("vectors cover several cells; elements smaller than a word share one") {
  const auto vector = bm::shared_array<float>("v", 64);
  bm::request r{.active = 0b11, .bytes = 16};
  r.address[1] = 128;
  const auto wide = planes_of(bm::draw_text(bm::nvidia::sm_90, vector, r))[0];
  REQUIRE(wide.size() == 2);
  CHECK(wide[0][0] == "0[0]!!");
  CHECK(wide[0][3] == "3[0]!!");
  CHECK(wide[0][4] == "4");
  CHECK(wide[1][0] == "0[1]!!");
  CHECK(wide[1][3] == "3[1]!!");

  r.address[1] = 16 * 9;
  r.active = 1 | 1 << 8;  // in another phase, and phases of stores do not merge: no conflict
  r.kind = bm::access_kind::store;
  r.address[8] = 128;
  CHECK(planes_of(bm::draw_text(bm::nvidia::sm_90, vector, r))[0][1][0] == "0[8]");

  const auto bytes = bm::shared_array<char>("c", 4, 256);
  bm::request narrow{.active = 0b111, .bytes = 1};
  narrow.address[1] = 3;
  narrow.address[2] = 256;
  const std::string text = bm::draw_text(bm::nvidia::sm_90, bytes, narrow);
  const auto cells = planes_of(text)[0];
  CHECK(cells[0][0] == "0[0]!!");
  CHECK(cells[0][1] == "0");
  CHECK(cells[0][3] == "0[1]!!");
  CHECK(cells[0][4] == "1");
  CHECK(cells[1][0] == "0[2]!!");
  CHECK(has(text, "4 elements share a word"));

  const auto doubles = bm::shared_array<double>("d", 4, 4);
  CHECK(has(bm::draw_text(bm::nvidia::sm_90, doubles),
            "an element covers 2 banks, numbered by its first"));
  CHECK(planes_of(bm::draw_text(bm::nvidia::sm_90, doubles))[0][1][1] == "10");
  CHECK(planes_of(bm::draw_text(bm::nvidia::sm_35.with_bank_width(8), doubles))[0][1][1] == "5");
}

TEST_CASE("omitted parts are stated") {
  const auto big = bm::shared_array<float>("big", 100, 129);
  const auto r = column_of(big, 32);
  const std::string text =
      bm::draw_text(bm::nvidia::sm_90, big, r,
                    {.part = {.first_row = 10, .rows = 20, .first_column = 0, .columns = 3}});
  CHECK(has(text, "\nrows 0-9 and 30-99 of 100 are not drawn\n"));
  CHECK(has(text, "\ncolumns 3-128 of 129 are not drawn\n"));
  CHECK(has(text, "\nlanes 0-9, 30-31 touch elements that are not drawn\n"));
  const auto cells = planes_of(text)[0];
  REQUIRE((cells.size() == 20 && cells[0].size() == 3));
  CHECK(cells[0][0] == "10[10]");
  CHECK(has(text, "\n10 | 10[10]"));
  CHECK(has(bm::draw_svg(bm::nvidia::sm_90, big, r),
            "rows 64-99 of 100 are not drawn; columns 40-128 of 129 are not drawn"));

  const auto planes = bm::shared_array<float>("p", 6, 2, 4);
  const std::string first = bm::draw_text(bm::nvidia::sm_90, planes);
  const std::string single =
      bm::draw_text(bm::nvidia::sm_90, planes, {.part = {.first_plane = 4, .planes = 1}});
  CHECK(has(first, "\nplanes 4-5 of 6 are not drawn\n"));
  CHECK(has(first, "\np[3]\n"));
  CHECK(has(single, "\nplanes 0-3 and 5 of 6 are not drawn\n"));
  CHECK(planes_of(single).size() == 1);
  CHECK(planes_of(single)[0][1][3] == "7");
  CHECK(has(bm::draw_text(bm::nvidia::sm_90, planes, {.part = {.first_plane = 6}}),
            "\nplanes 0-5 of 6 are not drawn\n"));
  CHECK(has(bm::draw_text(bm::nvidia::sm_90, planes, {.part = {.columns = 0}}),
            "\ncolumns 0-3 of 4 are not drawn\n"));
  CHECK(xml_error(bm::draw_svg(bm::nvidia::sm_90, planes, {.part = {.rows = 0, .columns = 0}})) ==
        "");

  bm::request away{.active = 0b1011};
  away.address[0] = 400, away.address[1] = 32, away.address[3] = 12;
  const auto small = bm::shared_array<float>("s", 2, 3);
  const std::string outside =
      bm::draw_text(bm::nvidia::sm_90, small.with(small.layout.padded(1)), away);
  CHECK(has(outside, "\nlanes 0-1 touch bytes outside of s\n"));
  CHECK(has(outside, "\nlane 3 touches unused elements\n"));
}

// ---- large arrays: the part that lanes touch ----

TEST_CASE("the drawn part: every set of up to three touched lines") {
  for (long long total = 1; total <= 14; ++total)
    for (long long a = 0; a < total; ++a)
      for (long long b = a; b < total; ++b)
        for (long long c = b; c < total; ++c)
          for (unsigned limit = 3; limit <= 6; ++limit) {
            const std::set<long long> touched = {a, b, c};
            const bm::detail::drawn_part part(bm::picture_part::automatic, limit, total, touched);
            INFO(total << " lines, " << a << " " << b << " " << c << ", at most " << limit);
            const std::vector<long long>& drawn = part.numbers();
            const bool is_window = total <= limit || c - a < limit;
            if (is_window)
              REQUIRE(drawn.back() - drawn.front() + 1 == std::min<long long>(limit, total));
            REQUIRE(static_cast<long long>(drawn.size()) ==
                    (is_window ? std::min<long long>(limit, total)
                               : static_cast<long long>(touched.size())));
            if (c < limit) REQUIRE(drawn.front() == 0);
            for (const long long number : touched)
              REQUIRE(std::count(drawn.begin(), drawn.end(), number) == 1);
            for (std::size_t index = 1; index < part.numbers().size(); ++index) {
              REQUIRE(part.numbers()[index - 1] < part.numbers()[index]);
              REQUIRE(part.is_after_gap(index) ==
                      (part.numbers()[index - 1] + 1 < part.numbers()[index]));
            }
            REQUIRE((part.omitted("rows").empty()) == (total <= static_cast<long long>(limit)));
          }
  const bm::detail::drawn_part nothing(bm::picture_part::automatic, 4, 9, {});
  CHECK(nothing.numbers() == std::vector<long long>{0, 1, 2, 3});
  CHECK(nothing.omitted("rows") == "rows 4-8 of 9 are not drawn");
  const bm::detail::drawn_part scattered(bm::picture_part::automatic, 4, 90, {3, 40, 80});
  CHECK(scattered.omitted("rows") == "only 3 of 90 rows are drawn, which lanes touch");
}

TEST_CASE("large arrays: every lane is drawn, in cells that are large enough for numbers") {
  using bm::index::tx;
  const auto big = bm::shared_array<float>("big", 512, 100);
  const auto explanation =
      bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(big[16 * tx][90 + tx % 2]));
  const std::string text = bm::draw_text(bm::nvidia::sm_90, big, explanation.worst);
  CHECK(has(text,
            "\nonly 32 of 512 rows are drawn, which lanes touch\n"
            "columns 0-59 of 100 are not drawn\n"));
  CHECK(!has(text, "elements that are not drawn"));
  CHECK(has(text, "\n 16 |"));
  const auto cells = planes_of(text)[0];
  REQUIRE((cells.size() == 32 && cells[0].size() == 40));
  for (std::size_t lane = 0; lane < 32; ++lane)
    CHECK(cells[lane][30 + lane % 2] ==
          line_of(std::to_string((16 * lane * 100 + 90 + lane % 2) % 32), "[", std::to_string(lane),
                  "]!!"));

  const auto wide = bm::shared_array<float>("wide", 8, 4096);
  const auto scattered =
      bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(wide[tx % 4][tx * 64]));
  CHECK(has(bm::draw_text(bm::nvidia::sm_90, wide, scattered.worst),
            "only 32 of 4096 columns are drawn, which lanes touch"));
  // Between cells whose columns are not neighbours there is a gap, and none runs into the next.
  std::set<int> places;
  int width = 0;
  for (const drawn_cell& cell :
       cells_of(bm::draw_svg(bm::nvidia::sm_90, wide, scattered.worst), "m"))
    if (cell.bank == 0 && cell.width == cell.height && cell.width != 23)
      places.insert(cell.x), width = cell.width;
  REQUIRE(places.size() == 32);
  for (auto next = std::next(places.begin()); next != places.end(); ++next)
    CHECK(*next - *std::prev(next) == width + 1 + 6);
  // 64 columns if lanes touch more than 40 in a row
  const auto tile = bm::shared_array<float>("tile", 4, 64);
  const auto row =
      bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(tile[0 * tx][2 * tx]));
  CHECK(planes_of(bm::draw_text(bm::nvidia::sm_90, tile, row.worst))[0][0].size() == 64);
  const auto cube = bm::shared_array<float>("cube", 40, 8, 8);
  const auto planes =
      bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(cube[tx / 8 + 20][2][tx % 8]));
  CHECK(has(bm::draw_text(bm::nvidia::sm_90, cube, planes.worst),
            "\nplanes 0-19 and 24-39 of 40 are not drawn\n"));
  const auto first =
      bm::explain(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(cube[tx / 8 + 20][0 * tx][0]));
  CHECK(has(bm::draw_text(bm::nvidia::sm_90, cube, first.worst),
            "\nplanes 0-19 and 24-39 of 40 are not drawn\n"));
}

TEST_CASE("every lane's cell is drawn, of any array with few touched rows and columns") {
  std::mt19937_64 random(20261123);
  const auto draw = [&](long long end) {
    return static_cast<long long>(random() % static_cast<unsigned long long>(end));
  };
  for (int number = 0; number < 400; ++number) {
    permuted::rows_of rows;
    const long long rank = 1 + draw(3);
    for (long long dimension = 0; dimension < rank; ++dimension)
      rows.extent.push_back(dimension + 3 == rank ? 1 + draw(4) : 1ll << draw(9));
    if (rank == 2) rows.padding = draw(3);
    bm::layout layout = rows.layout();
    if (const auto permutation = permuted::any_of(rows, 1, random);
        permutation && draw(2) == 0 && permutation->form == 0)
      layout = layout.permuted(*permutation);
    const auto array = array_of(layout, 4, 4 * draw(40));
    bm::request r{.active = random() & 0xffffffff};
    for (int lane = 0; lane < 32; ++lane)
      r.address[lane] = array.base_bytes + 4 * draw(layout.required_size());
    if (r.active == 0) continue;
    INFO("case " << number << ", " << bm::text(layout));
    const std::string text = bm::draw_text(bm::nvidia::sm_90, array, r);
    if (draw(20) == 0) REQUIRE(xml_error(bm::draw_svg(bm::nvidia::sm_90, array, r)) == "");
    REQUIRE(!has(text, "elements that are not drawn"));
    REQUIRE(planes_of(text)[0][0].size() <= 64);
  }
}

TEST_CASE("SVG: a number is the bank, a bold number the lane, in every cell") {
  const auto tile = bm::shared_array<float>("tile", 8, 33);
  const std::string svg = bm::draw_svg(bm::nvidia::sm_90, tile, column_of(tile, 8));
  std::map<std::string, int> lanes, banks;
  const auto count = [&](const std::string& begin, std::map<std::string, int>& counts) {
    for (std::size_t position = svg.find(begin); position != std::string::npos;
         position = svg.find(begin, position + 1)) {
      const std::size_t start = svg.find('>', position) + 1;
      ++counts[svg.substr(start, svg.find('<', start) - start)];
    }
  };
  const std::string cells = svg.substr(0, svg.find("layers touched in each bank"));
  REQUIRE(cells.size() < svg.size());
  count("<text class=\"n b on\"", lanes);
  for (int lane = 0; lane < 8; ++lane)
    CHECK(lanes[std::to_string(lane)] == (lane == 5 ? 2 : 1));  // one in the legend
  // A marked cell's bank, and below it its lane: two texts at one place.
  for (int lane = 0; lane < 8; ++lane)
    CHECK(has(cells, line_of("\">", std::to_string(lane), "</text>\n<text class=\"n b on\" x=")));
  // 8 x 33 elements, each bank as often as elements are in it.
  count("<tspan x=", banks);
  for (int bank = 0; bank < 32; ++bank)
    CHECK(banks[std::to_string(bank)] == (8 * 33 - bank + 31) / 32 - (bank < 8 ? 1 : 0));
  // Without bank numbers, lanes alone.
  CHECK(!has(bm::draw_svg(bm::nvidia::sm_90, tile, column_of(tile, 8), {.bank_numbers = false}),
             "</text>\n<text class=\"n b on\""));
}

TEST_CASE("one dimension: rows of one layer of all banks, or of the given length") {
  const auto line = bm::shared_array<float>("a", 100);
  CHECK(planes_of(bm::draw_text(bm::nvidia::sm_90, line))[0][0].size() == 32);
  CHECK(planes_of(bm::draw_text(bm::nvidia::sm_35, line))[0][0].size() == 64);
  CHECK(planes_of(bm::draw_text(bm::nvidia::sm_90, line, {.part = {.columns = 20}}))[0][0].size() ==
        16);
  const auto stated =
      planes_of(bm::draw_text(bm::nvidia::sm_90, line, {.part = {.row_length = 30}}))[0];
  CHECK(stated.size() == 4);
  CHECK(stated[3].size() == 10);
  CHECK(stated[1][0] == "30");

  const std::string padded =
      bm::draw_text(bm::nvidia::sm_90, line.with(line.layout.padded_every(32, 1)));
  const auto cells = planes_of(padded)[0];
  CHECK(cells[1][0] == "-");
  CHECK(cells[1][1] == "1");
  CHECK(cells[2][1] == "-");
  CHECK(has(padded, "rows are numbered by the storage index of their first element"));
  CHECK(has(padded, "a[103], element c at c + c / 32 on sm_90"));
}

TEST_CASE("without a request nothing is marked, and without colour there are no escape sequences") {
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const std::string plain = bm::draw_text(bm::nvidia::sm_90, tile),
                    marked = bm::draw_text(bm::nvidia::sm_90, tile, column_of(tile, 32));
  const auto planes = planes_of(plain);
  for (const auto& row : planes[0])
    for (const std::string& cell : row)
      REQUIRE(cell.find_first_not_of("0123456789") == std::string::npos);
  CHECK(!has(plain, "wavefronts"));
  CHECK(plain == bm::draw_text(bm::nvidia::sm_90, tile, bm::request{}));
  CHECK(marked.find('\033') == std::string::npos);
  for (const char letter : plain + marked)
    REQUIRE((letter == '\n' || (letter >= ' ' && letter <= '~')));
  // Black on the bank's colour, a conflict's sign white on red; after each cell the terminal's
  // own colours again.
  const auto colour_of = [](int rgb) { return std::to_string(bm::detail::terminal_colour(rgb)); };
  const std::string coloured =
      bm::draw_text(bm::nvidia::sm_90, tile, column_of(tile, 32), {.colour = true});
  const std::string strong = colour_of(bm::detail::strong.bank_colour(0, 32)),
                    pale = colour_of(bm::detail::pale.bank_colour(9, 32));
  CHECK(has(coloured, line_of("\033[1;38;5;16;48;5;", strong,
                              "m 0[3]\033[38;5;231;48;5;160m!!\033[48;5;", strong, "m \033[0m ")));
  CHECK(has(coloured, line_of(" \033[38;5;16;48;5;", pale, "m 9\033[0m ")));
  // one in the legend
  CHECK(cells_of(bm::draw_svg(bm::nvidia::sm_90, tile), "u").size() == 32 * 32 + 1);
}

TEST_CASE("SVG: every cell at its place, in its bank's colour") {
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto padded = tile.with(tile.layout.padded(1)).at(4 * 7);
  const std::string svg = bm::draw_svg(bm::nvidia::sm_90, padded, column_of(padded, 32));
  CHECK(xml_error(svg) == "");
  CHECK(has(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"820\" height=\""));
  for (const char* part :
       {" viewBox=\"0 0 820 ", " role=\"img\" ",
        "<title id=\"t\">Bank map of tile[32][33] on sm_90</title>",
        "<desc id=\"d\">32 lanes load 4 bytes", "@media (prefers-color-scheme:dark)",
        "wavefronts 1, ideal 1, conflicts 0"})
    CHECK(has(svg, part));
  for (const char* forbidden : {"nan", "inf", "<script", "http://www.w3.org/2000/svg\" xlink",
                                "url(http", "@import", "-0", "\033"})
    CHECK(!has(svg, forbidden));

  // The left upper cell says where the others are.
  const auto marked = cells_of(svg, "m"), untouched = cells_of(svg, "u");
  const int cell = marked[0].width + 1;
  int left = 9999, top = 9999;
  for (const auto& drawn : marked)
    if (drawn.height == cell - 1) left = std::min(left, drawn.x), top = std::min(top, drawn.y);
  const bm::geometry banks = bm::nvidia::sm_90.banks(4, bm::access_kind::load);
  std::set<std::pair<int, int>> seen;
  const auto check = [&](const std::vector<drawn_cell>& cells, bool in_column_0) {
    for (const auto& drawn : cells) {
      const int row = (drawn.y - top) / cell, column = (drawn.x - left) / cell;
      // the legend, the banks
      if (drawn.height != cell - 1 || row < 0 || row > 31 || drawn.x < left) continue;
      REQUIRE((drawn.x == left + column * cell && drawn.y == top + row * cell &&
               drawn.x + drawn.width < 820));
      REQUIRE((column == 0) == in_column_0);
      REQUIRE(drawn.bank == banks.bank(28 + 4 * padded.layout(row, column)));
      REQUIRE(seen.insert({row, column}).second);
    }
  };
  check(marked, true);
  check(untouched, false);
  CHECK(seen.size() == 32 * 32);

  // Conflicts have a different frame, not only a different colour, and so do the worst ones.
  const auto frames = [](const std::string& picture, const std::string& kind) {
    const std::string path = line_of("<path class=\"", kind, "\"");
    int count = 0;
    for (std::size_t position = picture.find(path); position != std::string::npos;
         position = picture.find(path, position + 1))
      ++count;
    return count;
  };
  CHECK(frames(svg, "free") == 33);
  CHECK(frames(svg, "hit") + frames(svg, "worst") == 0);
  const std::string unpadded = bm::draw_svg(bm::nvidia::sm_90, tile, column_of(tile, 32));
  CHECK(frames(unpadded, "worst") == 33);
  CHECK(frames(unpadded, "free") + frames(unpadded, "hit") == 0);
  bm::request mixed{.active = 0b111111};
  for (int lane = 0; lane < 3; ++lane) mixed.address[lane] = 128 * lane;
  for (int lane = 3; lane < 5; ++lane) mixed.address[lane] = 128 * lane + 4;
  mixed.address[5] = 8;
  const std::string three = bm::draw_svg(bm::nvidia::sm_90, tile, mixed);
  CHECK(frames(three, "worst") == 4);
  CHECK(frames(three, "hit") == 3);
  CHECK(frames(three, "free") == 2);

  // A bar for each touched bank, in proportion; red for a conflict.
  const auto bars = [](const std::string& picture, const std::string& kind) {
    std::vector<int> heights;
    const std::string path = line_of("<path class=\"", kind, "\" d=\"M");
    for (std::size_t position = picture.find(path); position != std::string::npos;
         position = picture.find(path, position + 1))
      heights.push_back(std::stoi(picture.substr(picture.find('v', position + path.size()) + 1)));
    return heights;
  };
  CHECK(bars(svg, "bar") == std::vector<int>(32, 3));
  CHECK(bars(svg, "over").empty());
  CHECK(bars(unpadded, "over") == std::vector<int>{48});
  CHECK(bars(unpadded, "bar").empty());
  CHECK(bars(three, "over") == std::vector<int>{25, 17});  // 3 and 2 layers of 6 lanes
  CHECK(bars(three, "bar") == std::vector<int>{9});
}

TEST_CASE("an element of several banks has a stripe for each") {
  const auto doubles = bm::shared_array<double>("d", 1, 4);
  const auto stripes =
      cells_of(bm::draw_svg(bm::nvidia::sm_90, doubles, {.bank_numbers = false}), "u");
  REQUIRE(stripes.size() == 8);
  for (const auto& stripe : stripes) {
    CHECK((stripe.width == 21 || stripe.width == 22));
    CHECK(stripe.bank == (stripe.x - stripes[0].x + 1) / 22);
  }
}

TEST_CASE("names cannot break a picture") {
  const std::string name = "<a b=\"&\">\033\xc3\xa4";
  auto array = bm::shared_array<float>("x", 4, 4);
  array.name = bm::name_of(name.c_str());
  CHECK(xml_error(bm::draw_svg(bm::nvidia::sm_90, array)) == "");
  CHECK(has(bm::draw_svg(bm::nvidia::sm_90, array), "&lt;a b=&quot;&amp;&quot;&gt;???[4][4]"));
  CHECK(has(bm::draw_text(bm::nvidia::sm_90, array), "<a b=\"&\">???[4][4] on sm_90\n"));
  CHECK(xml_error("<a><b/></a>") == "");
  for (const char* wrong : {"<a>", "<a></b>", "<a/><a/>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>",
                            "<a>&x;</a>", "x<a/>", "<a b=\"<\"/>", "<a>\033</a>"})
    CHECK(xml_error(wrong) != "");
}

TEST_CASE("colours: neighbours are similar, the wheel closes, and text is readable on them") {
  const auto luminance = [](int colour) {
    double result = 0;
    const double weight[3] = {0.0722, 0.7152, 0.2126};
    for (int part = 0; part < 3; ++part) {
      const double value = (colour >> 8 * part & 0xff) / 255.0;
      result += weight[part] *
                (value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
    }
    return result;
  };
  const auto contrast = [&](int a, int b) {
    const double first = luminance(a), other = luminance(b);
    return (std::max(first, other) + 0.05) / (std::min(first, other) + 0.05);
  };
  for (const int banks : {1, 2, 8, 32, 64, 256})
    for (int bank = 0; bank < banks; ++bank) {
      CHECK(contrast(bm::detail::pale.bank_colour(bank, banks), 0x59636e) >= 4.5);
      CHECK(contrast(bm::detail::dim.bank_colour(bank, banks), 0xa9b1bb) >= 4.5);
      CHECK(contrast(bm::detail::strong.bank_colour(bank, banks), 0x0d1117) >= 7);
    }
  CHECK(bm::detail::strong.bank_colour(0, 16) == 0x7ab4fe);
  CHECK(bm::detail::strong.bank_colour(1, 32) == 0x8caffe);   // between 0x7ab4fe and 0x9ea9fe
  CHECK(bm::detail::strong.bank_colour(31, 32) == 0x54bafe);  // between the last and the first
  std::set<int> different;
  for (int bank = 0; bank < 32; ++bank) different.insert(bm::detail::strong.bank_colour(bank, 32));
  CHECK(different.size() == 32);
  CHECK(bm::detail::terminal_colour(0x000000) == 16);
  CHECK(bm::detail::terminal_colour(0xffffff) == 231);
  CHECK(bm::detail::terminal_colour(0x5f87af) == 67);
}

// ---- requests to global memory ----

namespace {

const auto line = bm::global_array<float>("a", 1024);
template <class Access>
std::string worst_drawn(const bm::machine& m, const Access& access) {
  const auto explanation = bm::explain_traffic(m, bm::block_dim{32}, access);
  return bm::draw_text(m, explanation.array, explanation.worst);
}

}  // namespace

TEST_CASE("a request to global memory without an array is drawn by bytes") {
  bm::array_description bytes;
  bytes.layout = bm::row_major(1);
  bytes.element_bytes = 1;
  bytes.memory = bm::memory_space::global;
  bm::request r{.active = 3, .bytes = 4};
  r.address[1] = 260;
  const std::string text = bm::draw_text(bm::nvidia::sm_90, bytes, r);
  CHECK(text.find("global memory on sm_90\n") == 0);
  CHECK(text.find("\n  byte 0 | 4B[0]") != std::string::npos);
  CHECK(text.find("\nbyte 256 | 4B[1]") != std::string::npos);
  CHECK(bm::draw_svg(bm::nvidia::sm_90, bytes, r).find("Transactions of global memory on sm_90") !=
        std::string::npos);
}

TEST_CASE("requests to global memory, as printed") {
  using bm::index::tx;
  CHECK(worst_drawn(bm::nvidia::sm_90, bm::load(line[tx + 1])) == R"(a[1024] on sm_90
32 lanes load 4 bytes each: transactions 5, ideal 4, bytes used 128 of 160 moved
a row is a line of 128 bytes, a cell a sector of 32; other lines are not touched

      | +0       +32       +64        +96
------+-----------------------------------------
 a[0] | 28B[0-6] 32B[7-14] 32B[15-22] 32B[23-30]
a[32] | 4B[31]   .         .          .

4B[0]  4 bytes of the sector are used, by lane 0
.      not moved
)");
  // half-warps, the second in two segments; half of line 0 once more for lanes 16 to 30
  CHECK(worst_drawn(bm::nvidia::sm_13, bm::load(line[tx + 1])) == R"(a[1024] on sm_13
32 lanes load 4 bytes each: transactions 3, ideal 2, bytes used 128 of 224 moved
a row is a line of 128 bytes, a cell a sector of 32; other lines are not touched

      | +0       +32       +64          +96
------+---------------------------------------------
 a[0] | 28B[0-6] 32B[7-14] 32B[15-22]x2 32B[23-30]x2
a[32] | 4B[31]   .         .            .

4B[0]  4 bytes of the sector are used, by lane 0
.      not moved
x2     moved by 2 transactions
)");
  // whole lines for loads alone; the base between two lines
  CHECK(worst_drawn(bm::nvidia::sm_20, bm::store(line.at(124)[2 * tx])) ==
        worst_drawn(bm::nvidia::sm_35, bm::store(line.at(124)[2 * tx])).replace(11, 19, "sm_20"));
  CHECK(worst_drawn(bm::nvidia::sm_20, bm::load(line.at(124)[tx])) == R"(a[1024] on sm_20
32 lanes load 4 bytes each: transactions 2, ideal 1, bytes used 128 of 256 moved
a row is a line of 128 bytes, a cell a sector of 32; other lines are not touched
the array begins at byte 124

       | +0       +32       +64        +96
-------+-----------------------------------------
byte 0 | 0B       0B        0B         4B[0]
  a[1] | 32B[1-8] 32B[9-16] 32B[17-24] 28B[25-31]

4B[0]  4 bytes of the sector are used, by lane 0
0B     moved, and not used
)");
  const auto rows = bm::global_array<float>("in", 1024, 1024);
  const auto explanation =
      bm::explain_traffic(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(rows[tx][5]));
  bm::text_style part;
  part.part.first_row = 1;
  part.part.rows = 2;
  CHECK(bm::draw_text(bm::nvidia::sm_90, rows, explanation.worst, part) ==
        R"(in[1024][1024] on sm_90
32 lanes load 4 bytes each: transactions 32, ideal 4, bytes used 128 of 1024 moved
a row is a line of 128 bytes, a cell a sector of 32; other lines are not touched
touched lines 0 and 3-31 of 32 are not drawn

         | +0    +32 +64 +96
---------+------------------
in[1][0] | 4B[1] .   .   .
in[2][0] | 4B[2] .   .   .

4B[0]  4 bytes of the sector are used, by lane 0
.      not moved
)");
}

TEST_CASE("sectors of random requests: used bytes and lanes; SVG with every lane") {
  std::mt19937 random(7);
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const bm::machine machines[] = {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_20,
                                  bm::nvidia::sm_13, bm::nvidia::sm_10, bm::amd::gfx942};
  for (int number = 0; number < 300; ++number) {
    const bm::machine& m = machines[number % 6];
    constexpr int widths[] = {1, 2, 4, 8, 16};
    bm::request r{.active = random(), .bytes = widths[draw(5)]};
    for (int lane = 0; lane < m.lanes; ++lane)
      r.address[lane] = static_cast<long long>(r.bytes) * (draw(2) == 0 ? lane : draw(60));
    if (r.active == 0) continue;
    bm::text_style coloured;
    coloured.colour = true;
    const std::string text = bm::draw_text(m, line, r);
    CHECK(without_escapes(bm::draw_text(m, line, r, coloured)) == text);
    const auto planes = planes_of(text);
    REQUIRE(planes.size() == 1);
    std::set<long long> lines;
    for (int lane = 0; lane < m.lanes; ++lane)
      if ((r.active >> lane & 1) != 0) lines.insert(r.address[lane] / m.global.line_bytes);
    REQUIRE(planes[0].size() == lines.size());
    auto row = planes[0].begin();
    for (const long long line_number : lines) {
      REQUIRE(row->size() == static_cast<std::size_t>(m.global.line_bytes / m.global.sector_bytes));
      for (std::size_t column = 0; column < row->size(); ++column) {
        const long long begin = line_number * m.global.line_bytes +
                                static_cast<long long>(column) * m.global.sector_bytes;
        std::set<long long> used;
        std::uint64_t lanes = 0;
        for (int lane = 0; lane < m.lanes; ++lane)
          for (long long byte = r.address[lane]; byte < r.address[lane] + r.bytes; ++byte)
            if ((r.active >> lane & 1) != 0 && byte >= begin &&
                byte < begin + m.global.sector_bytes)
              used.insert(byte), lanes |= 1ull << lane;
        const std::string& cell = (*row)[column];
        if (lanes == 0) {
          CHECK((cell == "." || cell.substr(0, 2) == "0B"));
          continue;
        }
        const std::string wanted =
            line_of(std::to_string(used.size()), "B[", bm::detail::short_text_of_lanes(lanes), "]");
        CHECK(cell.substr(0, wanted.size()) == wanted);
      }
      ++row;
    }
    const std::string svg = bm::draw_svg(m, line, r);
    CHECK(xml_error(svg) == "");
    // A cell for each address, with its lowest lane's colour.
    std::map<long long, int> first;
    for (int lane = m.lanes - 1; lane >= 0; --lane)
      if ((r.active >> lane & 1) != 0) first[r.address[lane]] = lane;
    const auto cells = cells_of(svg, "m");
    REQUIRE(cells.size() == first.size());
    std::set<int> drawn;
    for (const drawn_cell& cell : cells) {
      drawn.insert(cell.bank);
      CHECK((cell.width + 1) % r.bytes == 0);
      CHECK(cell.width == cells[0].width);
      CHECK(first.at(r.address[cell.bank]) == cell.bank);
    }
    CHECK(drawn.size() == first.size());
    bool any_part = false;
    const auto segments = bm::segments_of(m, r);
    for (int segment = 0; segment < segments.count; ++segment)
      any_part |= segments.each[segment].used < segments.each[segment].bytes;
    CHECK((svg.find("class=\"hit\"") != std::string::npos) == any_part);
  }
}

TEST_CASE("errors: those of the model, and an invalid array") {
  const auto tile = bm::shared_array<float>("tile", 4, 4);
  const auto drawn = [](const bm::machine& m, const bm::array_description& array,
                        const bm::request& r) {
    const std::string text = refused([&] { return bm::draw_text(m, array, r); });
    CHECK(text == refused([&] { return bm::draw_svg(m, array, r); }));
    return text;
  };
  bm::request askew{.active = 1};
  askew.address[0] = 2;
  CHECK(drawn(bm::nvidia::sm_90, tile, askew) == "accesses_must_be_aligned_to_their_width");
  askew.address[0] = -4;
  CHECK(drawn(bm::nvidia::sm_90, tile, askew) == "addresses_of_a_request_must_not_be_negative");
  askew.active = 1ll << 32;
  CHECK(drawn(bm::nvidia::sm_90, tile, askew) == "active_lanes_must_be_of_the_warp");
  CHECK(drawn(bm::nvidia::sm_90, tile, {.bytes = 12}) ==
        "the_machine_must_have_accesses_of_this_width");
  CHECK(drawn({}, tile, {}) == "lanes_of_a_machine_must_be_1_to_32_or_64");
  CHECK(drawn(bm::nvidia::sm_90, {}, {}) == "an_array_must_have_one_to_four_extents");
  CHECK(drawn(bm::nvidia::sm_90, array_of(tile.layout, 3, 0), {}) ==
        "elements_must_have_1_2_4_8_or_16_bytes");
  CHECK(drawn(bm::nvidia::sm_90, array_of(tile.layout, 4, 2), {}) ==
        "array_base_must_be_aligned_to_its_element");
  bm::layout broken = tile.layout;
  broken.stride[0] = 3;
  CHECK(drawn(bm::nvidia::sm_90, array_of(broken, 4, 0), {}) == "padding_must_not_be_negative");
  broken.extent[1] = 0;
  CHECK(drawn(bm::nvidia::sm_90, array_of(broken, 4, 0), {}) == "extents_must_be_positive");
  bm::layout spaced = tile.layout;
  spaced.interval = 4;
  CHECK(drawn(bm::nvidia::sm_90, array_of(spaced, 4, 0), {}) ==
        "intervals_must_be_of_one_dimension_and_positive");
  CHECK(drawn(bm::nvidia::sm_90, array_of(bm::row_major(1ll << 61), 8, 0), {}) ==
        "index_arithmetic_must_fit_in_64_bits");
  CHECK(drawn(bm::nvidia::sm_90, array_of(bm::row_major(1ll << 59), 4, 0), {}) == "nothing");
  bm::array_description global = line;
  CHECK(drawn(bm::nvidia::sm_90, global, {}) == "nothing");
  CHECK(drawn({}, global, {}) == "lanes_of_a_machine_must_be_1_to_32_or_64");
  global.element_bytes = 3;
  CHECK(drawn(bm::nvidia::sm_90, global, {}) == "elements_must_have_1_2_4_8_or_16_bytes");
  global.layout = {};
  CHECK(drawn(bm::nvidia::sm_90, global, {}) == "an_array_must_have_one_to_four_extents");
}
