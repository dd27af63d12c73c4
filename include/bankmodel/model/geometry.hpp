// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_GEOMETRY_HPP
#define BANKMODEL_MODEL_GEOMETRY_HPP

#include <bankmodel/core/arithmetic.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void bank_num_must_be_a_power_of_two_up_to_256(long long bank_num) {
  detail::fail(__func__, "bank_num is %; GPUs have 16, 32 or 64 banks", bank_num);
}
[[noreturn]] BANKMODEL_FN void W_N_and_M_must_be_powers_of_two_up_to_1024(long long W, long long N,
                                                                          long long M) {
  detail::fail(__func__,
               "W, N, M are %, %, % bytes; each must be a power of two up to 1024, for example 8, "
               "4, 4 for floats on Kepler",
               W, N, M);
}
[[noreturn]] BANKMODEL_FN void N_must_not_exceed_W(long long N, long long W) {
  detail::fail(__func__, "a word of N = % bytes does not fit in a layer of W = % bytes; use N <= W",
               N, W);
}
[[noreturn]] BANKMODEL_FN void M_must_not_exceed_W(long long M, long long W) {
  detail::fail(__func__,
               "an element of M = % bytes does not fit in a layer of W = % bytes; ask total() on a "
               "machine, which knows how "
               "wide accesses are split",
               M, W);
}
}  // namespace rule

// The four ways in which elements fall into banks (dissertation, section 4.1, table 4.1).
enum class mapping : unsigned char {
  // case one:   M = N < W, a layer holds several rows of words     (Kepler's 4-byte mode, floats)
  row_major,
  // case two:   M = N = W, one word a layer                        (Fermi, Maxwell and later,
  // floats)
  conventional,
  // case three: N < M = W, an element covers several words         (Kepler's 4-byte mode, doubles)
  wide,
  // case four:  M < N = W, several elements share a word           (Kepler's 8-byte mode, floats)
  column_major,
  mixed  // any other, for example W = 8, N = 4, M = 2
};

// How shared memory is banked, and the element that an access reads. All sizes in bytes, each a
// power of two, bank_num up to 256 and W up to 1024.
//   bank_num  how many banks
//   W         the layer: the bytes of one bank that one pass can reach
//   N         the word: consecutive words of N bytes lie in consecutive banks, N <= W
//   M         the element, M <= W
// geometry{.bank_num = 32, .W = 8, .N = 4, .M = 4}: address 132 lies in bank 1, layer 0; address
// 260 in bank 1, layer 1.
struct geometry {
  int bank_num, W, N, M;

  // The bank that holds the byte at `address`, which may be negative: (address / N) mod bank_num.
  BANKMODEL_FN int bank(long long address) const {
    require_valid();
    return static_cast<int>((address >> detail::trailing_zeros(static_cast<std::uint64_t>(N))) &
                            (bank_num - 1));
  }

  // The layer that holds the byte at `address`: address / (bank_num * W), rounded down.
  BANKMODEL_FN long long layer(long long address) const {
    require_valid();
    return address >> detail::trailing_zeros(static_cast<std::uint64_t>(bank_num) *
                                             static_cast<std::uint64_t>(W));
  }

  BANKMODEL_FN bankmodel::mapping mapping() const {
    require_valid();
    if (M == N) return N < W ? bankmodel::mapping::row_major : bankmodel::mapping::conventional;
    if (N < M && M == W) return bankmodel::mapping::wide;
    if (M < N && N == W) return bankmodel::mapping::column_major;
    return bankmodel::mapping::mixed;
  }

  // Refuses what is no geometry. Every function that takes a geometry calls it.
  BANKMODEL_FN void require_valid() const {
    const auto b = static_cast<unsigned>(bank_num), w = static_cast<unsigned>(W);
    const auto n = static_cast<unsigned>(N), m = static_cast<unsigned>(M);
    const bool powers = ((b & (b - 1)) | (w & (w - 1)) | (n & (n - 1)) | (m & (m - 1))) == 0;
    // 0 becomes the largest
    if (!powers || b - 1 >= 256 || w - 1 >= 1024 || n - 1 >= w || m - 1 >= w) refuse();
  }

  bool operator==(const geometry&) const = default;

 private:
  // Names the rule that is broken.
  BANKMODEL_FN void refuse() const {
    if (!detail::is_power_of_two(bank_num) || bank_num > 256)
      rule::bank_num_must_be_a_power_of_two_up_to_256(bank_num);
    if (!detail::is_power_of_two(W) || !detail::is_power_of_two(N) || !detail::is_power_of_two(M) ||
        W > 1024)
      rule::W_N_and_M_must_be_powers_of_two_up_to_1024(W, N, M);
    if (N > W) rule::N_must_not_exceed_W(N, W);
    if (M > W) rule::M_must_not_exceed_W(M, W);
  }
};

// The same as a type: bank_geometry<32, 8, 4, 4>{} converts to the geometry, and a combination
// that is none does not compile, with its numbers in the message.
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
                "exceed a layer of W bytes; ask "
                "total() on a machine, which knows how wide accesses are split");

  static constexpr int bank_num = BankNum, W = LayerBytes, N = WordBytes, M = ElementBytes;

  BANKMODEL_FN operator geometry() const { return {BankNum, LayerBytes, WordBytes, ElementBytes}; }
  BANKMODEL_FN int bank(long long address) const { return geometry(*this).bank(address); }
  BANKMODEL_FN long long layer(long long address) const { return geometry(*this).layer(address); }
  BANKMODEL_FN bankmodel::mapping mapping() const { return geometry(*this).mapping(); }
};

}  // namespace bankmodel

#endif
