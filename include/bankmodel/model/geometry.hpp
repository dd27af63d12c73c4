// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_GEOMETRY_HPP
#define BANKMODEL_MODEL_GEOMETRY_HPP

#include <bankmodel/core/arithmetic.hpp>

#include <bankmodel/core/hide_macros.hpp>

namespace bankmodel {

namespace detail {

// The largest n for which 2^n divides `value`. Requires: value != 0.
BANKMODEL_FN int twos(long long value) { return trailing_zeros(static_cast<std::uint64_t>(value)); }

}  // namespace detail

namespace rule {
[[noreturn]] BANKMODEL_FN void bank_num_must_be_a_power_of_two_up_to_256(long long bank_num) {
  detail::fail(__func__,
               "bank_num is %; use a power of two up to 256 (GPUs have 16, 32 or 64 banks)",
               bank_num);
}
[[noreturn]] BANKMODEL_FN void W_N_and_M_must_be_powers_of_two_up_to_1024(long long W, long long N,
                                                                          long long M) {
  detail::fail(__func__,
               "W, N, M are %, %, % bytes; make each a power of two up to 1024, for example 8, "
               "4, 4 for floats on Kepler",
               W, N, M);
}
[[noreturn]] BANKMODEL_FN void N_must_not_exceed_W(long long N, long long W) {
  detail::fail(__func__, "a word of N = % bytes is larger than a layer of W = % bytes; use N <= W",
               N, W);
}
[[noreturn]] BANKMODEL_FN void M_must_not_exceed_W(long long M, long long W) {
  detail::fail(__func__,
               "an element of M = % bytes is larger than a layer of W = % bytes; call total() "
               "with a machine, which splits wide accesses",
               M, W);
}
}  // namespace rule

// The mapping cases of elements to banks (dissertation, section 4.1, table 4.1):
//
//   row_major     case one,   M = N < W: a layer holds several rows of words
//                 (Kepler's 4-byte mode, floats)
//   conventional  case two,   M = N = W: one word per layer (Fermi, Maxwell and later, floats)
//   wide          case three, N < M = W: an element covers several words
//                 (Kepler's 4-byte mode, doubles)
//   column_major  case four,  M < N = W: several elements share a word
//                 (Kepler's 8-byte mode, floats)
//   mixed         any other combination, for example W = 8, N = 4, M = 2
enum class mapping : unsigned char { row_major, conventional, wide, column_major, mixed };

// The banks of a shared memory, and the element that an access reads. All sizes are in bytes
// and powers of two.
//
//   bank_num  number of banks, up to 256
//   W         bytes of a layer, the part of a bank that one pass can reach; up to 1024
//   N         bytes of a word; consecutive words are stored in consecutive banks; N <= W
//   M         bytes of an element; M <= W
//
// Example:
//
//   constexpr geometry kepler{.bank_num = 32, .W = 8, .N = 4, .M = 4};
//   static_assert(kepler.bank(132) == 1 && kepler.layer(132) == 0);
//   static_assert(kepler.bank(260) == 1 && kepler.layer(260) == 1);
struct geometry {
  int bank_num, W, N, M;

  // The bank of the byte at `address`, which may be negative: (address / N) mod bank_num.
  // Error: this is not a valid geometry; see require_valid().
  BANKMODEL_FN int bank(long long address) const {
    require_valid();
    return static_cast<int>((address >> detail::twos(N)) & (bank_num - 1));
  }

  // The layer of the byte at `address`: address / (bank_num * W), rounded down.
  // Error: this is not a valid geometry; see require_valid().
  BANKMODEL_FN long long layer(long long address) const {
    require_valid();
    return address >> detail::twos(bank_num * W);
  }

  // The mapping case of W, N and M: mapping::conventional for {32, 4, 4, 4}.
  // Error: this is not a valid geometry; see require_valid().
  BANKMODEL_FN bankmodel::mapping mapping() const {
    require_valid();
    if (M == N) return N < W ? bankmodel::mapping::row_major : bankmodel::mapping::conventional;
    if (N < M && M == W) return bankmodel::mapping::wide;
    if (M < N && N == W) return bankmodel::mapping::column_major;
    return bankmodel::mapping::mixed;
  }

  // True if each size is a power of two, bank_num is at most 256, W at most 1024, and N and M are
  // at most W.
  BANKMODEL_FN bool is_valid() const {
    const auto b = static_cast<unsigned>(bank_num), w = static_cast<unsigned>(W);
    const auto n = static_cast<unsigned>(N), m = static_cast<unsigned>(M);
    // A power of two has no bit in common with the number before it, and 0 is before none.
    const std::uint64_t product = static_cast<std::uint64_t>(b) * w * n * m;
    return b <= 256 && w <= 1024 && n <= w && m <= w && (product ^ (product - 1)) > product - 1;
  }
  // Does nothing if the geometry is valid. Called by every function that takes a geometry.
  // Error: bank_num is not a power of two up to 256; W, N or M is not a power of two up to
  // 1024; N > W; M > W.
  BANKMODEL_FN void require_valid() const {
    if (!is_valid()) refuse();
  }

  BANKMODEL_FN bool operator==(const geometry& other) const {
    return bank_num == other.bank_num && W == other.W && N == other.N && M == other.M;
  }

 private:
  // Reports the first rule that the geometry violates.
  BANKMODEL_FN void refuse() const {
    if (!detail::is_power_of_two(bank_num) || bank_num > 256)
      rule::bank_num_must_be_a_power_of_two_up_to_256(bank_num);
    if (!detail::is_power_of_two(W) || !detail::is_power_of_two(N) || !detail::is_power_of_two(M) ||
        W > 1024)
      rule::W_N_and_M_must_be_powers_of_two_up_to_1024(W, N, M);
    if (N > W) rule::N_must_not_exceed_W(N, W);
    rule::M_must_not_exceed_W(M, W);
  }
};

// A geometry as a type: bank_geometry<32, 8, 4, 4>{} converts to geometry{32, 8, 4, 4}. An
// invalid combination does not compile, and the message contains its numbers.
template <int BankNum, int LayerBytes, int WordBytes, int ElementBytes>
struct bank_geometry {
  static_assert(BankNum > 0 && (BankNum & (BankNum - 1)) == 0 && BankNum <= 256,
                "bankmodel: bank_num must be a power of two up to 256 (the first argument of "
                "bank_geometry<bank_num, W, N, M>)");
  static_assert(
      LayerBytes > 0 && (LayerBytes & (LayerBytes - 1)) == 0 && WordBytes > 0 &&
          (WordBytes & (WordBytes - 1)) == 0 && ElementBytes > 0 &&
          (ElementBytes & (ElementBytes - 1)) == 0 && LayerBytes <= 1024,
      "bankmodel: W, N and M of bank_geometry<bank_num, W, N, M> must be powers of two up to 1024");
  static_assert(WordBytes <= LayerBytes,
                "bankmodel: in bank_geometry<bank_num, W, N, M> a word of N bytes must not exceed "
                "a layer of W bytes");
  static_assert(ElementBytes <= LayerBytes,
                "bankmodel: in bank_geometry<bank_num, W, N, M> an element of M bytes must not "
                "exceed a layer of W bytes; "
                "call total() with a machine, which splits wide accesses");

  static constexpr int bank_num = BankNum, W = LayerBytes, N = WordBytes, M = ElementBytes;

  BANKMODEL_FN operator geometry() const { return {BankNum, LayerBytes, WordBytes, ElementBytes}; }
  BANKMODEL_FN int bank(long long address) const { return geometry(*this).bank(address); }
  BANKMODEL_FN long long layer(long long address) const { return geometry(*this).layer(address); }
  BANKMODEL_FN bankmodel::mapping mapping() const { return geometry(*this).mapping(); }
};

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
