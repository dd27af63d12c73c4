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
    term sum = !best_.added ? at.constant(0) : in_row ? at.column() : at.number();
    bool is_written[48] = {};
    for (int i = 0; i < best_.terms; ++i) {
      if (is_written[i]) continue;
      const linear_term& t = best_.term[i];
      const int up = shape_of(t).up;
      term part = unshifted(i, at);
      for (int j = i + 1; j < best_.terms && t.copies == 1 && up != 0; ++j) {
        if (best_.term[j].copies != 1 || shape_of(best_.term[j]).up != up) continue;
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
  struct function {
    bool added = true;  // to the number itself, or in a row to the column
    linear_term term[48] = {};
    int terms = 0;
    int instructions = 0;
  };
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
    best_.instructions = 1 << 20;
    for (int bit = 0; all_ >> bit != 0; ++bit) {
      const unsigned itself = 1u << bit & changes;
      moved[bit] = columns[bit] & changes;
      added[bit] = moved[bit] ^ itself;
      all_stay = all_stay && (moved[bit] & itself) == itself;
    }
    if (!all_stay) {
      consider(moved, {.added = false});
      function exchanged;
      unsigned rest[16] = {};
      for (int bit = 0; all_ >> bit != 0; ++bit) rest[bit] = added[bit];
      if (take_exchanges(rest, exchanged)) consider(rest, exchanged);
    }
    consider(added, {});
    prefers_number_ = best_.added;
  }

  // Takes bits that change places off a matrix: x ^ 5 * ((x ^ x >> 2) & 1) exchanges bits 0 and 2.
  BANKMODEL_FN bool take_exchanges(unsigned (&entries)[16], function& to) const {
    for (int apart = 1; all_ >> apart != 0; ++apart) {
      unsigned lower = 0;
      for (int bit = 0; all_ >> (bit + apart) != 0; ++bit) {
        const unsigned both = 1u << bit | 1u << (bit + apart);
        if ((entries[bit] & entries[bit + apart] & both) != both) continue;
        lower |= 1u << bit;
        entries[bit] ^= both;
        entries[bit + apart] ^= both;
      }
      if (lower == 0) continue;
      to.term[to.terms++] = {lower, 1u << apart | 1, (1u << apart | 1) << linear_term::origin};
    }
    return to.terms != 0;
  }

  // Adds terms for all entries, and keeps the result if it is the shortest so far.
  BANKMODEL_FN void consider(const unsigned (&entries)[16], function to) {
    grid_lines distances, bits;
    collect(entries, distances, bits);
    prefers_number_ = to.added;
    for (int d = 0; d < distances.count; ++d)
      distances.weight[d] = shape_of(distances.line[d].term()).instructions;
    for (int b = 0; b < bits.count; ++b)
      bits.weight[b] = shape_of(bits.line[b].term()).instructions;
    const lightest_cover cover(distances, bits);
    std::uint32_t covered = 0;
    for (std::uint32_t rest = cover.distances(); rest != 0; rest &= rest - 1) {
      const moved_bits& line = distances.line[trailing_zeros(rest)];
      covered |= line.distances;
      add(line.term(), to);
    }
    for (std::uint32_t rest = cover.bits(); rest != 0; rest &= rest - 1) {
      const moved_bits& line = bits.line[trailing_zeros(rest)];
      add(moved_bits{line.distances & ~covered, line.bits}.term(), to);
    }
    to.instructions = to.added ? 0 : -1;
    for (int i = 0; i < to.terms; ++i) to.instructions += shape_of(to.term[i]).instructions;
    if (to.instructions < best_.instructions) best_ = to;
  }
  // Terms of the same places and copies are one, with one mask: (x >> 1 ^ x >> 2) & 1.
  BANKMODEL_FN void add(const linear_term& t, function& to) const {
    for (int i = 0; i < to.terms; ++i) {
      linear_term& other = to.term[i];
      const linear_term both{t.places, t.copies, t.shifts | other.shifts};
      if (other.places != t.places || other.copies != t.copies ||
          shape_of(both).instructions > shape_of(t).instructions + shape_of(other).instructions)
        continue;
      other = both;
      return;
    }
    to.term[to.terms++] = t;
  }

  BANKMODEL_FN void collect(const unsigned (&entries)[16], grid_lines& distances,
                            grid_lines& bits) const {
    constexpr int origin = linear_term::origin;
    unsigned moving[31] = {};  // the bits that move by each distance
    for (int bit = 0; all_ >> bit != 0; ++bit) {
      const std::uint32_t by = entries[bit] << (origin - bit);
      if (by != 0) bits.add({by, 1u << bit}, entries[bit]);
      for (std::uint32_t rest = by; rest != 0; rest &= rest - 1)
        moving[trailing_zeros(rest)] |= 1u << bit;
    }
    for (int i = 0; i < 31; ++i) {  // to the right first, the shortest distance first
      const int d = i <= origin ? origin - i : i;
      if (moving[d] != 0)
        distances.add({1u << d, moving[d]}, moved_bits::places_of(moving[d], d - origin));
    }
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
    const operand number{-1, shift, moved_bits::places_of(all_, -shift)};
    const unsigned read = moved_bits::places_of(t.places, shift);
    for (int d = 0; d < of_.rank && of_.rank > 1; ++d) {
      if ((read & ~bits_[d]) != 0) continue;
      const operand part{d, shift - first_[d], moved_bits::places_of(bits_[d], -shift)};
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
    for (int i = 0; i < best_.terms; ++i)
      for (std::uint32_t rest = best_.term[i].shifts; rest != 0; rest &= rest - 1)
        if (operand_of(best_.term[i], trailing_zeros(rest) - linear_term::origin).coordinate < 0)
          return true;
    return false;
  }

  // A term without its product or last shift.
  BANKMODEL_FN term unshifted(int number, element_to_place& at) const {
    const linear_term& t = best_.term[number];
    const shape s = shape_of(t);
    term sum = at.constant(0);
    for (std::uint32_t rest = t.shifts; rest != 0; rest &= rest - 1) {
      const operand each = operand_of(t, trailing_zeros(rest) - linear_term::origin);
      const term value = each.coordinate < 0 ? at.number() : at.coordinate(each.coordinate);
      const int right = each.shift + s.up;
      if (s.is_masked && right > 0 && shares_bits(number))
        return (value & moved_bits::places_of(t.places, right)) >> right;
      sum = sum ^ (right < 0 ? value << -right : value >> right);
    }
    return s.is_masked ? sum & moved_bits::places_of(t.places, -s.up) : sum;
  }
  // True if another term shifts the same bits to the right too, so that one mask is enough.
  BANKMODEL_FN bool shares_bits(int number) const {
    const std::uint64_t bits = read_by_one_shift(best_.term[number]);
    for (int i = 0; i < best_.terms && bits != 0; ++i)
      if (i != number && read_by_one_shift(best_.term[i]) == bits) return true;
    return false;
  }
  BANKMODEL_FN static std::uint64_t read_by_one_shift(const linear_term& t) {
    const int right = trailing_zeros(t.shifts) - linear_term::origin;
    const bool is_one =
        t.copies == 1 && t.shifts >> linear_term::origin > 1 && (t.shifts & (t.shifts - 1)) == 0;
    return is_one ? moved_bits::places_of(t.places, right) : 0;
  }

  const layout& of_;
  int first_[max_rank] = {};                // the lowest bit of each coordinate in the number
  unsigned bits_[max_rank] = {}, all_ = 0;  // all of its bits, and those of the number
  unsigned changes_ = 0;                    // places that change
  bool prefers_number_ = true;              // to a coordinate that is as good
  function best_;
};

}  // namespace bankmodel::detail

#endif
