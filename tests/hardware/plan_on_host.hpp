// SPDX-License-Identifier: MIT
// No include guard: time_plan.cu includes this twice, in two namespaces, as the original and the
// planned source. The planned one is wrong if WRONG is set.
inline float factors[2];

inline void launch(float* out, const float4* in, int first, int last) {
  const char* const wrong = std::getenv("WRONG");
  const bool is_wrong = wrong != nullptr && original_was_launched;
  original_was_launched = !original_was_launched;
  for (int at = first; at < last; ++at) out[at] = in[at].x * factors[at % 2];
  if (is_wrong) out[last - 1] += 1;
}
