// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_DETAIL_LINEAR_TERMS_HPP
#define BANKMODEL_LAYOUT_DETAIL_LINEAR_TERMS_HPP

#include <bankmodel/layout/detail/lightest_cover.hpp>
#include <bankmodel/layout/family.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The index function of a bit matrix, written with few instructions.
namespace bankmodel::detail {

// The shortest terms that were found for a linear index function.
class linear_terms {
 public:
  BANKMODEL_FN linear_terms(const layout& array_layout, const unsigned (&columns)[16])
      : layout_(array_layout) {
    for (int d = 0; d < array_layout.rank; ++d) {
      first_[d] = trailing_zeros(static_cast<std::uint64_t>(array_layout.stride[d]));
      bits_[d] = static_cast<unsigned>((array_layout.extent[d] - 1) * array_layout.stride[d]);
      used_ |= bits_[d];
    }
    const unsigned row = bits_[array_layout.rank - 1];
    bool rows_stay = array_layout.rank > 1;
    for (int bit = 0; used_ >> bit != 0; ++bit)
      rows_stay = rows_stay && ((columns[bit] ^ 1u << bit) & ~row) == 0;
    if (rows_stay) find(columns, row);
    if (!rows_stay || reads_number()) find(columns, used_);
  }

  BANKMODEL_FN void write(element_to_place& element) const {
    const bool in_row = changes_ != used_;
    term sum = !adds_ ? element.constant(0) : in_row ? element.column() : element.number();
    bool is_written[48] = {};
    for (int i = 0; i < best_.count; ++i) {
      if (is_written[i]) continue;
      const linear_term& t = best_.line[i].term;
      const int left_shift = shape_of(t).left_shift;
      term part = unshifted(i, element);
      for (int j = i + 1; j < best_.count && t.copies == 1 && left_shift != 0; ++j) {
        if (best_.line[j].term.copies != 1 || shape_of(best_.line[j].term).left_shift != left_shift)
          continue;
        part = part ^ unshifted(j, element);
        is_written[j] = true;
      }
      sum = sum ^ (t.copies != 1    ? part * (static_cast<long long>(t.copies) << left_shift)
                   : left_shift < 0 ? part >> -left_shift
                                    : part << left_shift);
    }
    in_row ? element.set_column(sum) : element.set_number(sum);
  }

 private:
  // A number that a term shifts, to the right: the element's number or a coordinate.
  struct operand {
    int coordinate;  // -1: the number
    int shift;
    unsigned bits;  // those that are not 0, after the shift
  };
  // How a term is written: its operands are shifted by `left_shift` less, and their sum by
  // `left_shift` more.
  struct shape {
    int left_shift, instructions;
    bool is_masked;
  };

  // ---- terms for all entries ----

  // Finds the terms for the places `changes`; other bits stay.
  BANKMODEL_FN void find(const unsigned (&columns)[16], unsigned changes) {
    unsigned moved[16] = {}, added[16] = {};
    bool all_stay = true;
    changes_ = changes;
    instructions_ = 1 << 20;
    for (int bit = 0; used_ >> bit != 0; ++bit) {
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
    linear_lines distances, bits, lines;
    unsigned moving[31] = {}, rest[16] = {};  // the bits that move by each distance
    prefers_number_ = adds;
    for (int bit = 0; used_ >> bit != 0; ++bit) {
      rest[bit] = entries[bit];
      const std::uint32_t mask = entries[bit] << (origin - bit);
      if (mask != 0) add(mask, 1u << bit, bits);
      for (std::uint32_t remaining = mask; remaining != 0; remaining &= remaining - 1)
        moving[trailing_zeros(remaining)] |= 1u << bit;
    }
    for (int i = 0; i < 31; ++i) {  // to the right first, the shortest distance first
      const int d = i <= origin ? origin - i : i;
      if (moving[d] != 0) add(1u << d, moving[d], distances);
    }
    const lightest_cover cover(distances, bits);
    for (std::uint32_t remaining = cover.distances(); remaining != 0; remaining &= remaining - 1) {
      const auto& line = distances.line[trailing_zeros(remaining)];
      add(line.term, line.distances, lines);
      for (int bit = 0; used_ >> bit != 0; ++bit) rest[bit] &= ~(line.distances >> (origin - bit));
    }
    for (int bit = 0; used_ >> bit != 0; ++bit)
      if (rest[bit] != 0) add(rest[bit] << (origin - bit), 1u << bit, lines);
    int instructions = adds ? 0 : -1;
    for (int i = 0; i < lines.count; ++i) instructions += lines.line[i].instructions;
    if (instructions >= instructions_) return;
    instructions_ = instructions;
    adds_ = adds;
    best_ = lines;
  }

  // The term that moves these bits by these distances.
  BANKMODEL_FN void add(std::uint32_t distances, unsigned bits, linear_lines& lines) const {
    const int lowest = trailing_zeros(distances), distance = lowest - linear_term::origin;
    add({moved(bits, distance), distances >> lowest, 1u << (linear_term::origin - distance)},
        distances, lines);
  }
  BANKMODEL_FN void add(linear_term t, std::uint32_t distances, linear_lines& lines) const {
    for (int index = 0; index < lines.count; ++index) {
      if (!join(lines.line[index].term, t)) continue;
      distances |= lines.line[index].distances;
      lines.line[index] = lines.line[--lines.count];
      index = -1;
    }
    lines.line[lines.count++] = {t, distances, shape_of(t).instructions};
  }
  // Makes one term of two if that takes no more instructions: of the same places, with one mask;
  // with the same copies; or of the same bits.
  BANKMODEL_FN bool join(const linear_term& a, linear_term& b) const {
    linear_term merged = b;
    const int distance = trailing_zeros(a.shifts) - trailing_zeros(b.shifts);
    if (a.places == b.places && a.copies == b.copies)
      merged.shifts |= a.shifts;
    else if ((a.places * a.copies & b.places * b.copies) != 0)
      return false;
    else if (a.copies == b.copies && a.shifts == b.shifts)
      merged.places |= a.places;
    else if (!is_power_of_two(a.shifts) || !is_power_of_two(b.shifts) ||
             moved(a.places, distance) != b.places || moved(b.places, -distance) != a.places)
      return false;
    else if (distance < 0)
      merged.copies |= a.copies << -distance;
    else
      merged = {a.places, a.copies | b.copies << distance, a.shifts};
    if (shape_of(merged).instructions > shape_of(a).instructions + shape_of(b).instructions)
      return false;
    b = merged;
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
      const operand part = operand_of(t, trailing_zeros(rest) - linear_term::origin);
      bits |= part.bits;
      shift[operands++] = part.shift;
    }
    const int left_shift = common_shift(shift, operands, t.copies == 1 && operands > 1);
    for (int i = 0; i < operands; ++i) in_place += shift[i] + left_shift == 0 ? 1 : 0;
    const int instructions = 2 * operands - in_place;
    const bool is_masked = (bits & ~t.places) != 0;
    return {left_shift,
            instructions + (is_masked ? 1 : 0) + (t.copies == 1 && left_shift == 0 ? 0 : 1),
            is_masked};
  }

  BANKMODEL_FN operand operand_of(const linear_term& t, int shift) const {
    const operand number{-1, shift, moved(used_, -shift)};
    const unsigned read = moved(t.places, shift);
    for (int d = 0; d < layout_.rank && layout_.rank > 1; ++d) {
      if ((read & ~bits_[d]) != 0) continue;
      const operand part{d, shift - first_[d], moved(bits_[d], -shift)};
      const int saved = instructions_of(number, t) - instructions_of(part, t);
      return changes_ != used_ || saved > 0 || (saved == 0 && !prefers_number_) ? part : number;
    }
    return number;
  }
  BANKMODEL_FN static int instructions_of(const operand& part, const linear_term& t) {
    return (part.shift > 0 || (part.shift < 0 && t.copies == 1) ? 1 : 0) +
           ((part.bits & ~t.places) != 0 ? 1 : 0);
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
  BANKMODEL_FN term unshifted(int number, element_to_place& element) const {
    const linear_term& t = best_.line[number].term;
    const shape s = shape_of(t);
    term sum = element.constant(0);
    for (std::uint32_t rest = t.shifts; rest != 0; rest &= rest - 1) {
      const operand part = operand_of(t, trailing_zeros(rest) - linear_term::origin);
      const term value =
          part.coordinate < 0 ? element.number() : element.coordinate(part.coordinate);
      const int right = part.shift + s.left_shift;
      sum = sum ^ (right < 0 ? value << -right : value >> right);
    }
    return s.is_masked ? sum & moved(t.places, -s.left_shift) : sum;
  }

  const layout& layout_;
  int first_[max_rank] = {};                 // the lowest bit of each coordinate in the number
  unsigned bits_[max_rank] = {}, used_ = 0;  // all of its bits, and those of the number
  unsigned changes_ = 0;                     // places that change
  bool prefers_number_ = true;               // to a coordinate that is as good
  bool adds_ = true;                         // to the number itself, or in a row to the column
  linear_lines best_;
  int instructions_ = 0;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
