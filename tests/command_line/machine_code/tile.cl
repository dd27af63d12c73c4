__kernel void tile(__global float* out, __global const float4* in, int n) {
  __local float4 t[64];
  __local int count[8];
  int i = __builtin_amdgcn_workitem_id_x();
  t[i] = in[i];
  count[i & 7] = 0;
  __builtin_amdgcn_s_barrier();
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += ((__local float*)t)[(k * 4 + i) & 255];
    __builtin_amdgcn_s_barrier();
  }
  __opencl_atomic_fetch_add((__local atomic_int*)&count[i & 3], 1, memory_order_relaxed, memory_scope_work_group);
  out[i] = sum + count[i & 7];
}
