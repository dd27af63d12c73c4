// SPDX-License-Identifier: MIT
// LU decomposition by tiles: a tile in the row of the diagonal tile by half a warp, and one in its
// column by the other half.
// bankmodel examples/cuda/lud_perimeter.cu --arg offset=0
constexpr int side = 16, width = 256;

__global__ void lud_perimeter(float* matrix, int offset) {
  __shared__ float dia[side][side];
  __shared__ float peri_row[side][side];
  __shared__ float peri_col[side][side];
  const bool is_first = threadIdx.x < side;
  const int tx = threadIdx.x % side;
  const int corner = offset * width + offset, away = (blockIdx.x + 1) * side;
  if (is_first) {
    for (int i = 0; i < side / 2; ++i) dia[i][tx] = matrix[corner + i * width + tx];
    for (int i = 0; i < side; ++i) peri_row[i][tx] = matrix[corner + i * width + away + tx];
  } else {
    for (int i = side / 2; i < side; ++i) dia[i][tx] = matrix[corner + i * width + tx];
    for (int i = 0; i < side; ++i) peri_col[i][tx] = matrix[corner + (away + i) * width + tx];
  }
  __syncthreads();
  if (is_first) {
    for (int i = 1; i < side; ++i)
      for (int j = 0; j < i; ++j) peri_row[i][tx] -= dia[i][j] * peri_row[j][tx];
  } else {
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < i; ++j) peri_col[tx][i] -= peri_col[tx][j] * dia[j][i];
      peri_col[tx][i] /= dia[i][i];
    }
  }
  __syncthreads();
  if (is_first) {
    for (int i = 1; i < side; ++i) matrix[corner + i * width + away + tx] = peri_row[i][tx];
  } else {
    for (int i = 0; i < side; ++i) matrix[corner + (away + i) * width + tx] = peri_col[i][tx];
  }
}

void launch(float* matrix, int offset) {
  lud_perimeter<<<(width / side) - 1, 2 * side>>>(matrix, offset);
}
