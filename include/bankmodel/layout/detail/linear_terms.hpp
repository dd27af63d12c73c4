// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_DETAIL_LINEAR_TERMS_HPP
#define BANKMODEL_LAYOUT_DETAIL_LINEAR_TERMS_HPP

#include <bankmodel/layout/detail/lightest_cover.hpp>
#include <bankmodel/layout/family.hpp>

// The index function of a bit matrix, written with few instructions.
namespace bankmodel::detail {

// The shortest terms that were found for a linear index function.
class linear_terms {
 public:
  BANKMODEL_FN linear_terms(const layout& of, const unsigned (&columns)[16]) : of_(of) {
    for (int d = 0; d < of.rank; ++d) {
      first_[d] = trailing_zeros(static_cast<std::uint64_t>(of.stride[d]));
      bits_[d] = static_cast<unsigned>((of.extent[d] - 1) * of.stride[d]);
      all_ |= bits_[d];
    }
    const unsigned row = bits_[of.rank - 1];
    bool rows_stay = of.rank > 1;
    for (int bit = 0; all_ >> bit != 0; ++bit)
      rows_stay = rows_stay && ((columns[bit] ^ 1u << bit) & ~row) == 0;
    if (rows_stay) find(columns, row);
    if (!rows_stay || reads_number()) find(columns, all_);
  }

  BANKMODEL_FN void write(element_to_place& at) const {
    const bool in_row = changes_ != all_;
    term sum = !adds_ ? at.constant(0) : in_row ? at.column() : at.number();
    bool is_written[48] = {};
    for (int i = 0; i < best_.count; ++i) {
      if (is_written[i]) continue;
      const linear_term& t = best_.line[i].term;
      const int up = shape_of(t).up;
      term part = unshifted(i, at);
      for (int j = i + 1; j < best_.count && t.copies == 1 && up != 0; ++j) {
        if (best_.line[j].term.copies != 1 || shape_of(best_.line[j].term).up != up) continue;
        part = part ^ unshifted(j, at);
        is_written[j] = true;
      }
      sum = sum ^ (t.copies != 1 ? part * (static_cast<long long>(t.copies) << up)
                   : up < 0      ? part >> -up
                                 : part << up);
    }
    in_row ? at.set_column(sum) : at.set_number(sum);
  }

 private:
  // A number that a term shifts, to the right: the element's number or a coordinate.
  struct operand {
    int coordinate;  // -1: the number
    int shift;
    unsigned bits;  // those that are not 0, after the shift
  };
  // How a term is written: its operands are shifted by `up` less, and their sum by `up` more.
  struct shape {
    int up, instructions;
    bool is_masked;
  };

  // ---- terms for all entries ----

  // Finds the terms for the places `changes`; other bits stay.
  BANKMODEL_FN void find(const unsigned (&columns)[16], unsigned changes) {
    unsigned moved[16] = {}, added[16] = {};
    bool all_stay = true;
    changes_ = changes;
    instructions_ = 1 << 20;
    for (int bit = 0; all_ >> bit != 0; ++bit) {
      const unsigned itself = 1u << bit & changes;
      moved[bit] = columns[bit] & changes;
      added[bit] = moved[bit] ^ itself;
      all_stay = all_stay && (moved[bit] & itself) == itself;
    }
    if (!all_stay) consider(moved, false);
    consider(added, true);
    prefers_number_ = adds_;
  }

  // Finds terms for all entries, and keeps them if they are the shortest so far.
  BANKMODEL_FN void consider(const unsigned (&entries)[16], bool adds) {
    constexpr int origin = linear_term::origin;
    linear_lines distances, bits, to;
    unsigned moving[31] = {}, rest[16] = {};  // the bits that move by each distance
    prefers_number_ = adds;
    for (int bit = 0; all_ >> bit != 0; ++bit) {
      rest[bit] = entries[bit];
      const std::uint32_t by = entries[bit] << (origin - bit);
      if (by != 0) add(by, 1u << bit, bits);
      for (std::uint32_t more = by; more != 0; more &= more - 1)
        moving[trailing_zeros(more)] |= 1u << bit;
    }
    for (int i = 0; i < 31; ++i) {  // to the right first, the shortest distance first
      const int d = i <= origin ? origin - i : i;
      if (moving[d] != 0) add(1u << d, moving[d], distances);
    }
    const lightest_cover cover(distances, bits);
    for (std::uint32_t more = cover.distances(); more != 0; more &= more - 1) {
      const auto& line = distances.line[trailing_zeros(more)];
      add(line.term, line.distances, to);
      for (int bit = 0; all_ >> bit != 0; ++bit) rest[bit] &= ~(line.distances >> (origin - bit));
    }
    for (int bit = 0; all_ >> bit != 0; ++bit)
      if (rest[bit] != 0) add(rest[bit] << (origin - bit), 1u << bit, to);
    int instructions = adds ? 0 : -1;
    for (int i = 0; i < to.count; ++i) instructions += to.line[i].instructions;
    if (instructions >= instructions_) return;
    instructions_ = instructions;
    adds_ = adds;
    best_ = to;
  }

  // The term that moves these bits by these distances.
  BANKMODEL_FN void add(std::uint32_t distances, unsigned bits, linear_lines& to) const {
    const int lowest = trailing_zeros(distances), distance = lowest - linear_term::origin;
    add({moved(bits, distance), distances >> lowest, 1u << (linear_term::origin - distance)},
        distances, to);
  }
  BANKMODEL_FN void add(linear_term t, std::uint32_t distances, linear_lines& to) const {
    for (int at = 0; at < to.count; ++at) {
      if (!join(to.line[at].term, t)) continue;
      distances |= to.line[at].distances;
      to.line[at] = to.line[--to.count];
      at = -1;
    }
    to.line[to.count++] = {t, distances, shape_of(t).instructions};
  }
  // Makes one term of two if that takes no more instructions: of the same places, with one mask;
  // with the same copies; or of the same bits.
  BANKMODEL_FN bool join(const linear_term& a, linear_term& b) const {
    linear_term both = b;
    const int apart = trailing_zeros(a.shifts) - trailing_zeros(b.shifts);
    if (a.places == b.places && a.copies == b.copies)
      both.shifts |= a.shifts;
    else if ((a.places * a.copies & b.places * b.copies) != 0)
      return false;
    else if (a.copies == b.copies && a.shifts == b.shifts)
      both.places |= a.places;
    else if (!is_power_of_two(a.shifts) || !is_power_of_two(b.shifts) ||
             moved(a.places, apart) != b.places || moved(b.places, -apart) != a.places)
      return false;
    else if (apart < 0)
      both.copies |= a.copies << -apart;
    else
      both = {a.places, a.copies | b.copies << apart, a.shifts};
    if (shape_of(both).instructions > shape_of(a).instructions + shape_of(b).instructions)
      return false;
    b = both;
    return true;
  }

  BANKMODEL_FN static unsigned moved(unsigned bits, int distance) {
    return distance < 0 ? bits >> -distance : bits << distance;
  }

  // ---- one term ----

  // A product shifts too, before a shift to the left a mask is smaller, and a shift that two
  // operands of a sum have in common is one.
  BANKMODEL_FN static int common_shift(const int (&shift)[31], int operands, bool is_sum) {
    for (int i = 0; i < operands; ++i) {
      if (!is_sum && shift[i] < 0) return -shift[i];
      for (int j = i + 1; j < operands && is_sum; ++j)
        if (shift[j] == shift[i]) return -shift[i];
    }
    return 0;
  }
  BANKMODEL_FN shape shape_of(const linear_term& t) const {
    int shift[31], operands = 0, in_place = 0;
    unsigned bits = 0;
    for (std::uint32_t rest = t.shifts; rest != 0; rest &= rest - 1) {
      const operand each = operand_of(t, trailing_zeros(rest) - linear_term::origin);
      bits |= each.bits;
      shift[operands++] = each.shift;
    }
    const int up = common_shift(shift, operands, t.copies == 1 && operands > 1);
    for (int i = 0; i < operands; ++i) in_place += shift[i] + up == 0 ? 1 : 0;
    const int instructions = 2 * operands - in_place;
    const bool is_masked = (bits & ~t.places) != 0;
    return {up, instructions + (is_masked ? 1 : 0) + (t.copies == 1 && up == 0 ? 0 : 1), is_masked};
  }

  BANKMODEL_FN operand operand_of(const linear_term& t, int shift) const {
    const operand number{-1, shift, moved(all_, -shift)};
    const unsigned read = moved(t.places, shift);
    for (int d = 0; d < of_.rank && of_.rank > 1; ++d) {
      if ((read & ~bits_[d]) != 0) continue;
      const operand part{d, shift - first_[d], moved(bits_[d], -shift)};
      const int saved = instructions_of(number, t) - instructions_of(part, t);
      return changes_ != all_ || saved > 0 || (saved == 0 && !prefers_number_) ? part : number;
    }
    return number;
  }
  BANKMODEL_FN static int instructions_of(const operand& of, const linear_term& t) {
    return (of.shift > 0 || (of.shift < 0 && t.copies == 1) ? 1 : 0) +
           ((of.bits & ~t.places) != 0 ? 1 : 0);
  }

  // True if a term in a row reads bits of several coordinates.
  BANKMODEL_FN bool reads_number() const {
    for (int i = 0; i < best_.count; ++i) {
      const linear_term& t = best_.line[i].term;
      for (std::uint32_t rest = t.shifts; rest != 0; rest &= rest - 1)
        if (operand_of(t, trailing_zeros(rest) - linear_term::origin).coordinate < 0) return true;
    }
    return false;
  }

  // A term without its product or last shift.
  BANKMODEL_FN term unshifted(int number, element_to_place& at) const {
    const linear_term& t = best_.line[number].term;
    const shape s = shape_of(t);
    term sum = at.constant(0);
    for (std::uint32_t rest = t.shifts; rest != 0; rest &= rest - 1) {
      const operand each = operand_of(t, trailing_zeros(rest) - linear_term::origin);
      const term value = each.coordinate < 0 ? at.number() : at.coordinate(each.coordinate);
      const int right = each.shift + s.up;
      sum = sum ^ (right < 0 ? value << -right : value >> right);
    }
    return s.is_masked ? sum & moved(t.places, -s.up) : sum;
  }

  const layout& of_;
  int first_[max_rank] = {};                // the lowest bit of each coordinate in the number
  unsigned bits_[max_rank] = {}, all_ = 0;  // all of its bits, and those of the number
  unsigned changes_ = 0;                    // places that change
  bool prefers_number_ = true;              // to a coordinate that is as good
  bool adds_ = true;                        // to the number itself, or in a row to the column
  linear_lines best_;
  int instructions_ = 0;
};

}  // namespace bankmodel::detail

#endif
