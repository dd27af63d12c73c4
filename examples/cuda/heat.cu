// SPDX-License-Identifier: MIT
// A step of heat conduction: a tile with a halo of one element on each side, loaded by all threads
// one after another.
// bankmodel examples/cuda/heat.cu
constexpr int side = 16, padded = side + 2, n = 16 * side, pitch = n + 2;

__global__ void heat(float* out, const float* in) {
  __shared__ float tile[padded][padded];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const int corner = blockIdx.y * side * pitch + blockIdx.x * side;
  for (int at = threadIdx.y * side + threadIdx.x; at < padded * padded; at += side * side)
    tile[at / padded][at % padded] = in[corner + at / padded * pitch + at % padded];
  __syncthreads();
  const float here = tile[y][x];
  const float around = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
  out[corner + y * pitch + x] = here + 0.2f * (around - 4 * here);
}

void launch(float* out, const float* in) {
  heat<<<dim3(n / side, n / side), dim3(side, side)>>>(out, in);
}
