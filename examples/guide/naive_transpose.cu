// A transpose without shared memory: the stores go along columns.
__global__ void transpose(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

void run(float* out, const float* in) { transpose<<<dim3(32, 32), dim3(32, 32)>>>(out, in, 1024); }
