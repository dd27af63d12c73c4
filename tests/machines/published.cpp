// SPDX-License-Identifier: MIT
// Counters that others published (measured/published/*.csv) against the model. A row that differs
// is in known_differences.csv with its reason, and differs.
#include <bankmodel/global/copies.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include "catch.hpp"

#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace bm = bankmodel;

namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> result = {""};
  for (std::size_t position = 0; position < text.size(); ++position)
    if (text.compare(position, separator.size(), separator) == 0)
      result.emplace_back(), position += separator.size() - 1;
    else
      result.back() += text[position];
  return result;
}

std::vector<std::vector<std::string>> rows_of(const std::string& name, std::size_t columns) {
  std::ifstream file(std::string(BANKMODEL_PUBLISHED) + "/" + name);
  std::vector<std::vector<std::string>> result;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    result.push_back(split(line, ","));
    INFO(line);
    REQUIRE(result.back().size() == columns);
  }
  REQUIRE(!result.empty());
  return result;
}

// An expression of C in t: numbers, parentheses, * / %, + -, ^.
class expression {
 public:
  expression(const std::string& text, long long t) : text_(text), t_(t) {}
  long long value() {
    const long long result = exclusive();
    REQUIRE(position_ == text_.size());
    return result;
  }

 private:
  char next() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  long long exclusive() {
    long long left = sum();
    while (next() == '^') ++position_, left ^= sum();
    return left;
  }
  long long sum() {
    long long left = product();
    while (next() == '+' || next() == '-')
      left = text_[position_++] == '+' ? left + product() : left - product();
    return left;
  }
  long long product() {
    long long left = term();
    while (next() == '*' || next() == '/' || next() == '%') {
      const char symbol = text_[position_++];
      const long long right = term();
      left = symbol == '*' ? left * right : symbol == '/' ? left / right : left % right;
    }
    return left;
  }
  long long term() {
    if (next() == 't') return ++position_, t_;
    if (next() == '(') {
      ++position_;
      const long long inside = exclusive();
      REQUIRE(next() == ')');
      return ++position_, inside;
    }
    REQUIRE(std::isdigit(static_cast<unsigned char>(next())));
    long long result = 0;
    while (std::isdigit(static_cast<unsigned char>(next())))
      result = 10 * result + text_[position_++] - '0';
    return result;
  }

  const std::string& text_;
  long long t_;
  std::size_t position_ = 0;
};

std::map<int, long long> addresses(const std::string& text, int lanes) {
  std::map<int, long long> result;
  const bool is_list = text.find(' ') != std::string::npos || text.find(':') != std::string::npos;
  int lane = 0;
  if (is_list)
    for (const std::string& entry : split(text, " ")) {
      const auto parts = split(entry, ":");
      result[parts.size() == 2 ? std::stoi(parts[0]) : lane++] = std::stoll(parts.back());
    }
  else
    for (; lane < lanes; ++lane) result[lane] = expression(text, lane).value();
  return result;
}

const bm::machine& machine_named(const std::string& name) {
  static const std::map<std::string, bm::machine> machines = {{"sm_89", bm::nvidia::sm_89},
                                                              {"sm_120", bm::nvidia::sm_120},
                                                              {"gfx942", bm::amd::gfx942},
                                                              {"gfx950", bm::amd::gfx950}};
  return machines.at(name);
}

bm::request request_of(const std::string& instruction, const std::map<int, long long>& address) {
  const auto parts = split(instruction, "_");
  bm::request r{.active = 0};
  r.kind = parts[0] == "store"      ? bm::access_kind::store
           : parts[0] == "ldmatrix" ? bm::access_kind::load_matrix
                                    : bm::access_kind::load;
  r.bytes = parts[0] == "ldmatrix" ? 16 : std::stoi(parts[1]);
  for (const auto& [lane, byte] : address) {
    r.address[lane] = byte;
    r.active |= std::uint64_t{1} << lane;
  }
  return r;
}

// The values that the model allows: one, or a range.
struct counted {
  std::uint64_t minimum = 0, maximum = 0, ideal = 0;
};

counted count(const bm::machine& m, const std::string& instruction, const std::string& address) {
  const int lanes = instruction == "ldmatrix_2" ? 16 : m.lanes;
  if (instruction.rfind("copy_", 0) != 0) {
    const bm::cost sum = bm::total(m, request_of(instruction, addresses(address, lanes)));
    return {sum.wavefronts, sum.wavefronts, sum.ideal};
  }
  const auto sides = split(address, " <- ");
  bm::copy_request r;
  r.cached = instruction != "copy_uncached";
  if (r.cached) r.bytes = std::stoi(instruction.substr(5));
  for (const auto& [lane, byte] : addresses(sides.at(0), lanes)) {
    r.destination[lane] = byte;
    r.active |= std::uint64_t{1} << lane;
  }
  for (const auto& [lane, byte] : addresses(sides.at(1), lanes)) r.source[lane] = byte;
  const bm::copy_cost sum = bm::total(m, r);
  return {sum.least, sum.most, sum.ideal};
}

}  // namespace

TEST_CASE("published counters are those of the model, or a known difference", "[published]") {
  std::set<std::string> known;
  for (const auto& row : rows_of("known_differences.csv", 4)) {
    CHECK(row[3].size() > 7);
    known.insert(row[0] + "," + row[1] + "," + row[2]);
  }
  int values = 0, in_a_range = 0;
  std::set<std::string> different;
  for (const auto& row : rows_of("counters.csv", 7)) {
    const bm::machine& m = machine_named(row[0]);
    const auto instructions = split(row[1], " & "), address = split(row[2], " & ");
    REQUIRE(instructions.size() == address.size());
    counted sum;
    for (std::size_t number = 0; number < instructions.size(); ++number) {
      const counted request_cost = count(m, instructions[number], address[number]);
      sum = {sum.minimum + request_cost.minimum, sum.maximum + request_cost.maximum,
             sum.ideal + request_cost.ideal};
    }
    const std::uint64_t times = std::stoull(row[3]);
    const auto compare = [&](const char* quantity, const std::string& published,
                             std::uint64_t reduction) {
      if (published == "-") return;
      ++values;
      in_a_range += sum.minimum != sum.maximum ? 1 : 0;
      const std::uint64_t value = std::stoull(published);
      if (value >= (sum.minimum - reduction) * times && value <= (sum.maximum - reduction) * times)
        return;
      const std::string key = row[1] + "," + row[2] + "," + quantity;
      different.insert(key);
      INFO(row[0] << " " << key << ": published " << value << ", by the model "
                  << (sum.minimum - reduction) * times);
      CHECK(known.count(key) == 1);
    };
    compare("wavefronts", row[4], 0);
    compare("conflicts", row[5], sum.ideal);
  }
  CHECK(different == known);
  CHECK(values == 235);
  CHECK(in_a_range == 4);  // a source of more lines than banks, and one that is not aligned
}

TEST_CASE("gfx950: the 8064 pairs of lanes of which some conflict", "[published]") {
  int pairs = 0;
  for (const auto& row : rows_of("pairs.csv", 3)) {
    const int lane = std::stoi(row[1]);
    const std::uint64_t conflicting = std::stoull(row[2], nullptr, 16);
    for (int other = 0; other < 64; ++other) {
      if (other == lane) continue;
      pairs += other > lane ? 1 : 0;
      const bm::request r = request_of(row[0], {{lane, 256ll * lane}, {other, 256ll * other}});
      if ((bm::total(bm::amd::gfx950, r).conflicts() > 0) != (conflicting >> other & 1))
        FAIL_CHECK(row[0] << ": lanes " << lane << " and " << other);
    }
  }
  CHECK(pairs == 8064);
}

TEST_CASE("gfx950: the distances at which two lanes conflict", "[published]") {
  std::map<std::string, int> distances;
  for (const auto& row : rows_of("distances.csv", 4)) {
    std::set<long long> conflicting;
    for (const std::string& entry : split(row[3], " ")) conflicting.insert(std::stoll(entry));
    for (long long words = std::stoll(row[1]); words <= std::stoll(row[2]); ++words) {
      const bm::request r = request_of(row[0], {{0, 0}, {1, 4 * words}});
      if (r.bytes != 12 && 4 * words % r.bytes != 0) {
        CHECK(conflicting.count(words) == 0);
        continue;
      }
      ++distances[row[0]];
      INFO(row[0] << ", " << words << " words");
      CHECK((bm::total(bm::amd::gfx950, r).conflicts() > 0) == (conflicting.count(words) == 1));
    }
  }
  CHECK(distances == std::map<std::string, int>{
                         {"load_12", 125}, {"load_16", 31}, {"load_8", 63}, {"store_8", 63}});
}
