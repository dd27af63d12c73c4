// One kernel has what nvcc alone knows: Clang's libraries read the other one.
static __global__ void transposed(float* out, const float* in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[32 * threadIdx.y + threadIdx.x];
  __syncthreads();
  out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <int Step>
static __global__ void strided(float* out, const float* in, int row) {
  __shared__ float s[1024];
  constexpr bool is_lambda = __nv_is_extended_device_lambda_closure_type(int);
  s[threadIdx.x * Step] = in[row + threadIdx.x + is_lambda];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

void launches(float* out, const float* in) {
  transposed<<<1, dim3(32, 32)>>>(out, in);
  strided<4><<<2, 128>>>(out, in, 64);
}
