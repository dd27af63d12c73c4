// A product of matrices whose sizes only a caller knows.
__global__ void __launch_bounds__(256) gemm(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][16], right[16][16];
  const int row = 16 * blockIdx.y + threadIdx.y, column = 16 * blockIdx.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.x][threadIdx.y] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[threadIdx.y][i] * right[threadIdx.x][i];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
