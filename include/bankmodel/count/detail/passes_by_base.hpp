// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_PASSES_BY_BASE_HPP
#define BANKMODEL_COUNT_DETAIL_PASSES_BY_BASE_HPP

#include <bankmodel/model/wavefronts.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The passes of one request at all its bases, if a layer holds several rows of words (W > N).
namespace bankmodel::detail {

constexpr int most_rows_of_a_layer = 16;

// The most layers of one bank among banks [0, b) and among banks [b, bank_num).
struct most_layers {
  int prefix[max_banks + 1], suffix[max_banks + 1];

  BANKMODEL_FN void read(const int* layers, int banks) {
    prefix[0] = suffix[banks] = 0;
    for (int bank = 0; bank < banks; ++bank)
      prefix[bank + 1] = layers[bank] > prefix[bank] ? layers[bank] : prefix[bank];
    for (int bank = banks - 1; bank >= 0; --bank)
      suffix[bank] = layers[bank] > suffix[bank + 1] ? layers[bank] : suffix[bank + 1];
  }
};

// Writes the passes and the degree of a request at each of `residues` bases, `element_bytes` apart;
// if `times` is not null, only at those with times that are not 0. Returns the ideal passes.
//
// A base that is `row` rows and `words` words into a layer moves the lanes of each bank by `row`
// rows, and the lanes that pass the last bank by one more. So the layers of each bank are counted
// once for each row, and the degree at a base is the largest number among the banks that stay and
// the banks that pass.
// Requires: the machine serves the request plainly; W / N is at most most_rows_of_a_layer.
BANKMODEL_FN int passes_by_base(const machine& m, const service& rules, const geometry& banks,
                                const request& shape, int element_bytes, int residues,
                                const std::uint64_t* times, int* wavefronts, int* degree) {
  for (int residue = 0; residue < residues; ++residue) wavefronts[residue] = degree[residue] = 0;
  const int rows = banks.W / banks.N, row_bytes = banks.bank_num * banks.N;
  const int in_a_word = banks.N > element_bytes ? banks.N / element_bytes : 1;  // bases of one word
  const lane_groups phases = phases_of(m, rules, shape);
  int ideal = 0;
  for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
    const std::uint64_t lanes = shape.active & phases.lanes_of(phase);
    if (lanes == 0) continue;
    ++ideal;
    for (int part = 0; part < in_a_word; ++part) {
      const auto read_row = [&](int row, most_layers& result) {
        long long address[max_lanes];
        int layers[max_banks];
        const int count =
            gather(shape, lanes, part * element_bytes + row * row_bytes, m.lanes, address);
        count_layers(banks, address, count, shape.bytes, layers);
        result.read(layers, banks.bank_num);
      };
      // The present row is in maxima[row & 1], the next one in the other; after the last row comes
      // the first.
      most_layers maxima[2];
      read_row(0, maxima[0]);
      int residue = part;
      for (int row = 0; row < rows && residue < residues; ++row) {
        read_row(row + 1 < rows ? row + 1 : 0, maxima[(row + 1) & 1]);
        for (; residue < residues && residue * element_bytes / banks.N / banks.bank_num == row;
             residue += in_a_word) {
          if (times != nullptr && times[residue] == 0) continue;
          const int words = residue * element_bytes / banks.N,
                    stay = banks.bank_num - words % banks.bank_num;
          const int passing = maxima[(row + 1) & 1].suffix[stay],
                    staying = maxima[row & 1].prefix[stay];
          const int passes = passing > staying ? passing : staying;
          wavefronts[residue] += passes;
          if (passes > degree[residue]) degree[residue] = passes;
        }
      }
    }
  }
  return ideal;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
