// SPDX-License-Identifier: MIT
// total() of generated accesses, mostly on the real machines, against running every thread. The
// seeds are the case numbers: BANKMODEL_FIRST_SEED and BANKMODEL_CASES in the environment
// select others.
#include <bankmodel/explain.hpp>

#include "catch.hpp"
#include "fit.hpp"
#include "generate.hpp"
#include "permutations.hpp"
#include "run_plainly.hpp"
#include "served_otherwise.hpp"

#include <bit>
#include <cstdlib>
#include <string>

namespace bm = bankmodel;

namespace {

bm::machine machine_of(const generated::one_case& c) {
  return c.machine == generated::real_machines ? generated::own_machine_of(c)
                                               : tested_machines[c.machine].machine;
}

// ---- each thread separately ----

using plainly::refused;

// All that the threads touch, warp by warp. Subscripts outside of the array are for later, when it
// has been fitted.
std::vector<std::vector<plainly::touch>> touches_of(const generated::one_case& c) {
  std::vector<std::vector<plainly::touch>> result;
  const auto access = generated::for_library(c);
  const int threads = c.block[0] * c.block[1] * c.block[2];
  for (int warp = 0; warp * c.own.lanes < threads; ++warp)
    result.push_back(plainly::run_warp(c.own.lanes, generated::block_of(c), access, warp,
                                       {c.block_index, 0, 0}));
  return result;
}

using request = std::vector<std::pair<int, long long>>;  // lanes and their addresses

// Requests of one case. Requests that are whole layers of all banks apart cost the same and are
// counted once.
class counter {
 public:
  explicit counter(const generated::one_case& c) : case_(c), bytes_(c.element_bytes * c.vector) {
    banks_ = c.machine == generated::real_machines ? oracle::banks{c.own.bank_num, c.own.W, c.own.N}
                                                   : tested_machines[c.machine].banks;
  }

  // Returns the request's degree.
  int add(request& lanes) {
    const long long layer = banks_.bank_num * banks_.W,
                    full_layers = lanes.front().second / layer * layer;
    for (auto& lane : lanes) lane.second -= full_layers;
    auto known = known_.find(lanes);
    if (known == known_.end())
      known = known_.emplace(lanes, count({lanes.begin(), lanes.end()})).first;
    const auto& cost = known->second;
    oracle::add_to(sum_, cost);
    return cost.degree;
  }
  const oracle::counts& sum() const { return sum_; }

 private:
  oracle::counts count(const std::map<int, long long>& address) const {
    if (case_.machine < generated::real_machines)
      return counted(tested_machines[case_.machine], address, bytes_, !case_.store);
    std::vector<int> phase_of;
    for (unsigned lane = 0; lane < static_cast<unsigned>(case_.own.lanes); ++lane) {
      int phase = 0;
      for (int bit = 0; bit < 3; ++bit)
        phase |= std::popcount(lane & case_.own.parity[bit]) % 2 << bit;
      phase_of.push_back(phase);
    }
    const oracle::policy rules{case_.own.serves, case_.own.piece, case_.own.overlap};
    return oracle::request(rules, banks_, phase_of, case_.own.pairs, address, bytes_);
  }

  const generated::one_case& case_;
  int bytes_;
  oracle::banks banks_{};
  std::map<request, oracle::counts> known_;
  oracle::counts sum_;
};

// The first request with the highest degree.
struct first_worst {
  int degree = 0;
  std::size_t warp = 0;
  std::array<int, bm::loop_variables> trips{};
  request lanes;
};

// The array's rows, after it was fitted.
permuted::rows_of rows_of(const generated::one_case& c) { return {{c.extent, c.extent + c.rank}}; }

// `order`: makes a permutation for the array after it was fitted; row-major without it.
template <class Order = std::nullptr_t>
oracle::counts counted(generated::one_case& c, first_worst* worst = nullptr,
                       Order order = nullptr) {
  auto warps = touches_of(c);
  generated::fit(c, warps);
  bm::permutation mapping;
  if constexpr (!std::is_same_v<Order, std::nullptr_t>) mapping = order();
  const auto rows = rows_of(c);
  counter total(c);
  const long long bytes = c.element_bytes * c.vector;
  request lanes;
  for (const auto& warp : warps)
    plainly::each_request(warp, [&](const plainly::request& touches) {
      lanes.clear();
      for (const plainly::touch& touch : touches) {
        long long element = 0;
        for (int d = 0; d < c.rank; ++d) {
          const long long subscript = touch.subscripts[static_cast<std::size_t>(d)],
                          extra = d == c.rank - 1 ? c.vector - 1 : 0;
          if (subscript < 0 || subscript + extra >= c.extent[d])
            throw refused("a subscript outside its extent");
          element = element * c.extent[d] + subscript;
        }
        const long long columns = rows.columns();
        const long long address =
            c.base +
            place_of(rows, mapping, element / columns, element % columns) * c.element_bytes;
        if (address % (bytes == 12 ? 4 : bytes) != 0)
          throw refused("an access that is not aligned");
        lanes.emplace_back(touch.lane, address);
      }
      const request as_they_lie = lanes;
      const int degree = total.add(lanes);
      if (worst != nullptr && degree > worst->degree)
        *worst = {degree, static_cast<std::size_t>(&warp - warps.data()), touches.front().trip,
                  as_they_lie};
    });
  return total.sum();
}

// ---- for people ----

std::string text(const generated::one_case& c, int root) {
  constexpr const char* names[] = {"tx",   "ty", "tz", "bx", "by", "bz", "tid", "lane",
                                   "warp", "i",  "j",  "k",  "l",  "m",  "n"};
  const auto& n = c.nodes[root];
  if (n.op == 'c') return std::to_string(n.value);
  if (n.op == 'v') return names[n.value];
  const std::string left = text(c, n.left);
  if (n.op == '!' || n.op == '~') return (n.op == '!' ? "!(" : "-(") + left + ")";
  const std::string right = text(c, n.right);
  const std::string sign = n.op == 'A'   ? "&&"
                           : n.op == 'O' ? "||"
                           : n.op == 'L' ? "<<"
                           : n.op == 'R' ? ">>"
                           : n.op == 'l' ? "<="
                           : n.op == 'g' ? ">="
                           : n.op == '=' ? "=="
                           : n.op == 'n' ? "!="
                                         : std::string(1, n.op);
  if (n.op == 'm' || n.op == 'M')
    return (n.op == 'm' ? "bm::min(" : "bm::max(") + left + ", " + right + ")";
  return "(" + left + " " + sign + " " + right + ")";
}

// The case as a user writes it with the library.
std::string text(const generated::one_case& c) {
  std::string result, end;
  for (int level = 0; level < c.depth; ++level, end += ")") {
    const auto& w = c.wrappers[level];
    if (w.kind == 'i') {
      result += "if_threads(" + text(c, w.first) + ", ";
      continue;
    }
    result += std::string("for_loop(") + "ijklmn"[w.variable - generated::first_loop];
    if (w.kind == 'v') {
      result += ", values(";
      for (int number = 0; number < w.last; ++number)
        result += (number > 0 ? ", " : "") + text(c, w.first + number);
    } else {
      result += w.kind == 'r'   ? ", range("
                : w.kind == 'u' ? ", powers_up("
                : w.kind == 'd' ? ", powers_down("
                                : ", powers(";
      result += text(c, w.first) + ", " + text(c, w.last) + ", " + text(c, w.step);
    }
    result += "), ";
  }
  result += (c.store ? "store(vectorized<" : "load(vectorized<") + std::to_string(c.vector) + ">(a";
  for (int d = 0; d < c.rank; ++d) result += "[" + text(c, c.subscript[d]) + "]";
  std::string array = "elements of " + std::to_string(c.element_bytes) + " bytes a";
  for (int d = 0; d < c.rank; ++d) array += "[" + std::to_string(c.extent[d]) + "]";
  array += " at " + std::to_string(c.base) + ", block " + std::to_string(c.block_index) + " of {" +
           std::to_string(c.block[0]) + ", " + std::to_string(c.block[1]) + ", " +
           std::to_string(c.block[2]) + "}, machine " + std::to_string(c.machine);
  if (c.machine == generated::real_machines)
    array += ": lanes " + std::to_string(c.own.lanes) + ", {" + std::to_string(c.own.bank_num) +
             ", " + std::to_string(c.own.W) + ", " + std::to_string(c.own.N) + ", {" +
             std::to_string(c.own.parity[0]) + ", " + std::to_string(c.own.parity[1]) + ", " +
             std::to_string(c.own.parity[2]) + "}}" + (c.own.pairs ? ", in pairs" : "") + ", by " +
             c.own.serves + ", pieces of " + std::to_string(c.own.piece) +
             (c.own.overlap ? ", overlapping" : "");
  return array + "\n" + result + "))" + end;
}

std::string text(const bm::cost& a) {
  return std::to_string(a.requests) + " requests, " + std::to_string(a.wavefronts) +
         " wavefronts, ideal " + std::to_string(a.ideal) + ", degree " + std::to_string(a.degree);
}

bool equal(const bm::cost& a, const oracle::counts& b) {
  return a.requests == b.requests && a.wavefronts == b.wavefronts && a.ideal == b.ideal &&
         a.degree == b.degree;
}

unsigned long long number_from(const char* name, unsigned long long otherwise) {
  const char* setting = std::getenv(name);
  return setting != nullptr ? std::strtoull(setting, nullptr, 10) : otherwise;
}

struct tally {
  unsigned long long distinct = 0, conflicting = 0, empty = 0, refused = 0;
};

// One case in both ways: the same counts, or an error in both.
void compare(unsigned long long seed, generated::one_case c, tally& result) {
  oracle::counts slow;
  std::string reason;
  try {
    slow = counted(c);
  } catch (const refused& because) {
    reason = because.what();
  }
  bm::cost fast;
  try {
    fast = bm::total(machine_of(c), generated::block_of(c), generated::for_library(c),
                     bm::block_index{c.block_index, 0, 0});
  } catch (const bm::error& e) {
    if (reason.empty())
      FAIL("seed " << seed << ": total() refuses: " << e.what() << '\n' << text(c));
    ++result.refused;
    return;
  }
  if (!reason.empty())
    FAIL("seed " << seed << ": total() says " << text(fast) << " in spite of " << reason << '\n'
                 << text(c));
  if (!equal(fast, slow))
    FAIL("seed " << seed << ": total() says " << text(fast) << "; counting " << slow.requests
                 << ", " << slow.wavefronts << ", " << slow.ideal << ", " << slow.degree << '\n'
                 << text(c));
  result.distinct += fast.method == bm::method::distinct_requests;
  result.conflicting += fast.conflicts() > 0;
  result.empty += fast.requests == 0;
}

void compare(unsigned long long seed, generated::size domain, tally& result) {
  compare(seed, generated::generator(seed, domain).make(), result);
}

// The case on a machine that serves its accesses by lanes, by broadcasts, in pieces or in
// overlapping phases; false for one of the real machines.
bool serve_otherwise(generated::one_case& c, std::mt19937_64& random) {
  if (c.machine != generated::real_machines) return false;
  const auto draw = [&](unsigned end) { return static_cast<int>(random() % end); };
  generated::own_machine& own = c.own;
  own.serves = "lbwwlb"[draw(6)];
  if (c.element_bytes * c.vector == 12 && own.serves == 'b') own.serves = 'l';
  if (own.serves == 'w' || draw(3) == 0) own.overlap = draw(2) == 0;
  if (own.serves == 'b') own.W = own.N;
  const int bytes = c.element_bytes * c.vector;
  const int widest =
      std::min<int>({own.serves == 'b' ? own.N : 16, bytes == 12 ? 4 : bytes, own.W});
  if (own.serves == 'b' || (!own.overlap && draw(2) == 0))
    own.piece = widest >> draw(own.serves == 'b' ? 1 : 2);
  if (own.serves == 'b' && own.piece < 1) own.piece = widest;
  return true;
}

// A permutation of the case's array, or none. Bases that are not aligned to its groups are
// tested in other files.
template <class Random>
bm::permutation any_permutation(const generated::one_case& c, Random& random) {
  if (c.vector == 3 || (c.vector != 1 && c.extent[c.rank - 1] % c.vector != 0)) return {};
  return permuted::any_of(rows_of(c), c.vector, random).value_or(bm::permutation{});
}

std::string text(const bm::permutation& mapping) {
  std::string result = "family " + std::to_string(static_cast<int>(mapping.family)) + " form " +
                       std::to_string(static_cast<int>(mapping.form)) + " group " +
                       std::to_string(mapping.group) + " numbers";
  for (int index = 0; index < 4; ++index) result += " " + std::to_string(mapping.number[index]);
  return result;
}

// Errors because an array is permuted: the triangular number of a row of billions can be the
// reason.
bool is_too_large_permuted(const bm::error& e) {
  const std::string message = e.what();
  return message.find("iterations") != std::string::npos ||
         message.find("nest_at_most") != std::string::npos ||
         message.find("64_bits") != std::string::npos;
}

// explain()'s worst request of an array, permuted or not. False if there is no such array.
bool compare_worst(unsigned long long seed, generated::one_case c, bool is_permuted) {
  std::mt19937_64 random(seed);
  bm::permutation mapping;
  first_worst slow;
  try {
    (void)counted(c, &slow, [&] {
      return mapping = is_permuted ? any_permutation(c, random) : bm::permutation{};
    });
  } catch (const refused&) {
    return false;
  }
  if (is_permuted && mapping.family == bm::layout_family::rows) return false;
  const bm::machine m = machine_of(c);
  auto access = generated::for_library(c);
  access.array.layout = access.array.layout.permuted(mapping);
  bm::explanation fast;
  try {
    fast = bm::detail::worst_of(m, generated::block_of(c), access, {c.block_index, 0, 0});
  } catch (const bm::error& e) {
    if (!is_permuted || !is_too_large_permuted(e))
      FAIL("seed " << seed << ", " << text(mapping) << ": explain() gives an error: " << e.what()
                   << '\n'
                   << text(c));
    return false;
  }
  const bm::cost sum =
      bm::total(m, generated::block_of(c), access, bm::block_index{c.block_index, 0, 0});
  if (!(fast.all == sum))
    FAIL("seed " << seed << ", " << text(mapping) << ": explain() says " << text(fast.all)
                 << "; total() " << text(sum) << '\n'
                 << text(c));
  std::array<int, bm::loop_variables> trips{};
  int loops = 0;
  for (int level = 0; level < c.depth; ++level) loops += c.wrappers[level].kind != 'i';
  for (int loop = 0; loop < fast.loops; ++loop)
    trips[static_cast<std::size_t>(loop)] = static_cast<int>(fast.loop[loop].trip);
  request lanes;
  for (int lane = 0; lane < m.lanes; ++lane)
    if ((fast.worst.active >> lane & 1) != 0) lanes.emplace_back(lane, fast.worst.address[lane]);
  const int slowest =
      slow.degree -
      (c.own.overlap && c.machine == generated::real_machines && slow.degree > 0 ? 1 : 0);
  bool same = fast.degree == slowest && lanes == slow.lanes && fast.of_worst.degree == slow.degree;
  if (slow.degree > 0) {
    same = same && static_cast<std::size_t>(fast.warp) == slow.warp && fast.loops == loops &&
           trips == slow.trips;
    std::map<long long, int> layers;
    for (int number = 0; number < fast.lanes; ++number) {
      const auto& meets = fast.meets[number];
      ++layers[meets.layer];
      const long long word = fast.banks.N * meets.word, address = fast.worst.address[meets.lane];
      same = same && fast.banks.bank(word) == fast.bank && fast.banks.layer(word) == meets.layer &&
             word + fast.banks.N > address && word < address + fast.worst.bytes;
    }
    if (fast.counts == bm::serving::by_layer && fast.worst.bytes <= fast.banks.N)
      same = same && static_cast<int>(layers.size()) == fast.degree;
    if (fast.counts == bm::serving::by_lane) same = same && fast.lanes == fast.degree;
  }
  if (!same)
    FAIL("seed " << seed << ", " << text(mapping) << ": explain() finds degree " << fast.degree
                 << " in warp " << fast.warp << " at " << Catch::Detail::stringify(trips) << " of "
                 << fast.loops << " loops; running every thread " << slow.degree << ", "
                 << slow.warp << ", " << Catch::Detail::stringify(slow.trips) << " of " << loops
                 << '\n'
                 << text(c));
  return true;
}

}  // namespace

TEST_CASE("totals of generated accesses equal running every thread", "[total]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1),
             cases = number_from("BANKMODEL_CASES", 200000);
  tally result;
  for (auto seed = first; seed < first + cases; ++seed)
    compare(seed, generated::size::full, result);
  WARN("seeds " << first << " to " << first + cases - 1 << ": " << result.conflicting
                << " with conflicts, " << result.distinct << " by distinct requests, "
                << result.empty << " without a request, " << result.refused << " refused");
  CHECK(result.conflicting > cases / 4);
  CHECK(result.distinct > cases / 4);
  CHECK(result.distinct < cases);
  CHECK(result.empty < cases / 3);
  CHECK(result.refused < cases / 10);
}

TEST_CASE(
    "totals on machines that serve lanes or broadcasts, in pieces or in overlapping phases, equal "
    "running every thread",
    "[total]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1),
             cases = number_from("BANKMODEL_CASES", 200000) / 4;
  tally result;
  unsigned long long served = 0, explained = 0;
  for (auto seed = first; seed < first + cases; ++seed) {
    auto c = generated::generator(seed, generated::size::full).make();
    std::mt19937_64 random(seed);
    if (!serve_otherwise(c, random)) continue;
    ++served;
    compare(seed, c, result);
    if (served % 8 == 0) explained += compare_worst(seed, c, false);
  }
  WARN("served otherwise: " << served << ", with conflicts " << result.conflicting << ", refused "
                            << result.refused << ", explained " << explained);
  CHECK(served > cases / 6);
  CHECK(result.conflicting > served / 8);
  CHECK(result.refused < served / 8);
  CHECK(explained > served / 16);
}

TEST_CASE(
    "totals of permuted arrays equal running every thread, by the definitions of the permutations",
    "[total][layout]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1),
             cases = number_from("BANKMODEL_CASES", 200000) / 10;
  unsigned long long permuted_cases = 0, refused_cases = 0, conflicting = 0;
  for (auto seed = first; seed < first + cases; ++seed) {
    auto c = generated::generator(seed, generated::size::full).make();
    std::mt19937_64 random(seed);
    bm::permutation mapping;
    oracle::counts slow;
    try {
      slow = counted(c, nullptr, [&] { return mapping = any_permutation(c, random); });
    } catch (const refused&) {
      continue;
    }
    if (mapping.family == bm::layout_family::rows) continue;
    ++permuted_cases;
    auto access = generated::for_library(c);
    access.array.layout = access.array.layout.permuted(mapping);
    bm::cost fast;
    try {
      fast = bm::total(machine_of(c), generated::block_of(c), access,
                       bm::block_index{c.block_index, 0, 0});
    } catch (const bm::error& e) {
      ++refused_cases;
      if (!is_too_large_permuted(e))
        FAIL("seed " << seed << ": total() gives an error: " << e.what() << '\n' << text(c));
      continue;
    }
    conflicting += fast.conflicts() > 0;
    if (!equal(fast, slow))
      FAIL("seed " << seed << ", " << text(mapping) << ": total() says " << text(fast)
                   << "; counting " << slow.requests << ", " << slow.wavefronts << ", "
                   << slow.ideal << ", " << slow.degree << '\n'
                   << text(c));
  }
  WARN("permuted: " << permuted_cases << ", with conflicts " << conflicting << ", refused "
                    << refused_cases);
  CHECK(permuted_cases > cases / 4);
  CHECK(conflicting > permuted_cases / 4);
  CHECK(refused_cases < permuted_cases / 100);
}

TEST_CASE("the worst request of generated accesses is the first one of its degree", "[explain]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1),
             cases = number_from("BANKMODEL_CASES", 200000) / 10;
  unsigned long long permuted_cases = 0;
  for (auto seed = first; seed < first + cases; ++seed) {
    const auto c = generated::generator(seed, generated::size::full).make();
    (void)compare_worst(seed, c, false);
    if (seed % 2 == 0) permuted_cases += compare_worst(seed, c, true);
  }
  CHECK(permuted_cases > cases / 8);
}

TEST_CASE("totals in constant expressions equal running every thread", "[total]") {
  tally result;
  for (unsigned long long seed = 1; seed <= 4000; ++seed)
    compare(seed, generated::size::small, result);
  CHECK(result.conflicting > 800);
  CHECK(result.refused == 0);
}
