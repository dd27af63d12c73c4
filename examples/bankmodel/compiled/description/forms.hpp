// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/analysis/value_range.hpp>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../common_names.hpp"

// Integers as expressions of the thread and of the trips of loops: what a register of a compiled
// kernel has, in one expression for all threads and iterations.
namespace compiled {

namespace bm = bankmodel;

// A sum of atoms, each with a factor, and a constant.
struct form {
  std::map<int, long long> factors;  // by the number of the atom; never 0
  long long constant = 0;

  bool is_constant() const { return factors.empty(); }
  long long factor(int atom) const;
  auto operator<=>(const form&) const = default;
};

form constant_form(long long value);
form atom_form(int atom);

// Why something has no expression.
struct inexpressible {
  std::string reason;
};

// Error (inexpressible): more than 64 bits.
long long checked_sum(long long a, long long b);
long long checked_product(long long a, long long b);
form operator+(const form& left, const form& right);
form operator-(const form& left, const form& right);
form operator*(const form& left, long long right);

// The result of an operation that is an atom; of a division by 0 it is 0.
// Error (inexpressible): more than 64 bits.
long long evaluated(bm::operation kind, long long a, long long b);

// Ranges are those of the library's programs, but never unknown: what is beyond `unbounded` is cut
// off there.
using bm::detail::all_bits_of;
using bm::detail::value_range;
constexpr long long unbounded = bm::detail::narrow_limit;

struct atom {
  enum class kind : unsigned char {
    thread,     // `number`: a bm::variable
    trip,       // how many iterations of loop `number` came before this one
    carried,    // a register at the start of an iteration, while it is not known what it has then
    argument,   // one that nobody gave: `number` is its own among symbolic_evaluator::symbols()
    operation,  // `operation` of two forms
  };
  kind is = kind::thread;
  int number = 0;
  bm::operation operation = bm::operation::add;
  form left, right;

  auto operator<=>(const atom&) const = default;
};

constexpr int most_atoms = 256;  // of an operation with its operands

// The atoms of a kernel, their ranges, and what is known at a place.
class form_table {
 public:
  int number_of(const atom& term);
  const atom& operator[](int number) const { return atoms_[slot(number)]; }

  // Of an atom that is no operation.
  void set_range(int number, const value_range& range);
  // Forms that are 0 or more at the place that is looked at.
  void set_facts(std::vector<form> new_facts);
  const std::vector<form>& facts() const { return facts_; }

  // Never an error: what is beyond `unbounded` is cut off there.
  value_range range_of(const form& expression) const;
  // True if the value is the one that a register of `bits` bits has. Carried registers are believed
  // to: they are replaced before anything is said about the kernel. So is what is computed from
  // arguments that nobody gave, or from trips without a known end once believe_trips() was called;
  // believes() is true then.
  bool fits(const form& expression, int bits, bool is_signed) const;
  void believe_trips() { believes_trips_ = true; }
  bool believes() const { return believes_; }
  bool is_never_negative(const form& expression) const { return range_of(expression).lowest >= 0; }

  // True if an atom of the form, or of an operand in it, is one for which `is` holds.
  template <class Predicate>
  bool has(const form& expression, const Predicate& is) const {
    for (const auto& [number, factor] : expression.factors) {
      if (is(number)) return true;
      const atom& term = (*this)[number];
      if (term.is == atom::kind::operation && (has(term.left, is) || has(term.right, is)))
        return true;
    }
    return false;
  }
  bool has_atom(const form& expression, int atom) const {
    return has(expression, [&](int number) { return number == atom; });
  }
  bool has_carried(const form& expression) const {
    return has_kind(expression, atom::kind::carried);
  }
  bool has_kind(const form& expression, atom::kind kind) const {
    return has(expression, [&](int number) { return (*this)[number].is == kind; });
  }

  // Returns the operation's result, simplified. Error (inexpressible): the index language has no
  // such operation on these values.
  form computed(bm::operation kind, const form& left, const form& right);

  // The operation as an atom of its own, whatever its operands are. Error (inexpressible): it has
  // more than most_atoms atoms.
  form of_operation(bm::operation kind, const form& left, const form& right);

  // The form with each atom that `replacements` has replaced by replacements[atom] / divided_by.
  // Error (inexpressible): a factor of such an atom is no multiple of divided_by.
  using replacement = std::map<int, form>;
  form replaced(const form& expression, const replacement& replacements, long long divided_by = 1);

 private:
  int size_of(const form& expression) const;
  bool is_believed(const form& expression) const;
  value_range interval_of(const form& expression) const;
  value_range bounded(const form& expression, bool by_all_facts) const;
  value_range range_of_atom(int number) const;
  value_range range_of_operation(const atom& term) const;
  form divided(const form& left, const form& right, bool wants_remainder);
  form masked(const form& left, const form& right);
  form either_bits(bm::operation kind, const form& left, const form& right);

  std::vector<atom> atoms_;
  std::map<atom, int> numbers_;
  std::vector<int> sizes_;  // of atoms: themselves and what is in their operands
  std::vector<value_range> ranges_;
  std::vector<form> facts_;
  bool believes_trips_ = false;
  mutable bool believes_ = false;
  // Of operations, while neither ranges nor facts change.
  mutable std::map<int, value_range> known_ranges_;
};

}  // namespace compiled
