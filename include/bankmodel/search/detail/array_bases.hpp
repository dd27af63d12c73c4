// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_ARRAY_BASES_HPP
#define BANKMODEL_SEARCH_DETAIL_ARRAY_BASES_HPP

#include <bankmodel/count/price_at_all_bases.hpp>
#include <bankmodel/search/detail/kernel_access.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The bases that one array may have, and which of them cost the same.
namespace bankmodel::detail {

struct array_bases {
  int align = 1;                // its bases are multiples of this number of bytes
  int modulus = 1, layer = 1;   // of the accesses: bytes after which costs repeat, of all banks
  bool takes_intervals = true;  // and permutations

  // Bases that are equal modulo this number of bytes cost the same.
  BANKMODEL_FN int period() const { return modulus > align ? modulus : align; }
  // The bases that are tried: multiples of the alignment below a period, or 0 alone.
  BANKMODEL_FN int count() const { return are_all() ? period() / align : 1; }
  BANKMODEL_FN bool are_all() const { return period() / align <= price::most_residues; }
  // The most bytes between any byte and the next base of a residue.
  BANKMODEL_FN long long detour() const { return period() - align; }
};

// The bases for the accesses to array number `array`.
BANKMODEL_FN array_bases bases_of(const machine& m, const kernel_accesses& accesses, int array,
                                  int element_bytes) {
  array_bases result{.align = element_bytes};
  for (int number = 0; number < accesses.count; ++number) {
    const kernel_access& access = accesses.list[number];
    if (access.array != array) continue;
    const int bytes = access.bytes(), aligned = bytes == 12 ? 4 : bytes;
    if (aligned > result.align) result.align = aligned;
    // Three elements do not fit intervals of a power of two.
    if (bytes == 12) result.takes_intervals = false;
    const geometry banks = m.banks(bytes, access.kind);
    if (banks.bank_num * banks.W > result.layer) result.layer = banks.bank_num * banks.W;
    const int modulus = banks.W == banks.N ? banks.N : banks.bank_num * banks.W;
    if (modulus > result.modulus) result.modulus = modulus;
  }
  return result;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
