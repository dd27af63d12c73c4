// SPDX-License-Identifier: MIT
// Kernels of one warp whose lanes part and rejoin, with the requests to shared memory that each
// line makes with n = 3: as bankmodel counts them, and those of sm_90's machine code
// (compare_with_machine_code.py) where these are others. They are volatile, so that nvcc keeps them
// all.
//
// Where ptxas puts BSSY and BSYNC, as these kernels and shapes.py show:
// - A branch whose arms meet: where they meet. Lanes that end are not waited for.
// - A loop: where all its exits meet, however much code there is on the way from it to there. That
//   code is executed for each iteration in which lanes leave. One exit is different: that of the
//   branch that goes back, if nothing else comes to the code behind it, and there is as much of it
//   as behind each other exit. Its lanes rejoin in it too.
// - A loop whose exits never meet, because lanes return: at one exit, that with the most code
//   behind it. The code behind the others is executed for each iteration.
// - Other blocks in which lanes of several branches meet (short circuits, labels of a switch, code
//   reached by fall-through): for each branch above them all at most one, by ptxas's own measure of
//   the code in them. bankmodel lets lanes rejoin in all.

extern "C" __global__ void or_else(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t < 8 || t >= 24) {
    s[t] = 0;  // 1
  } else {
    s[t] = out[t];  // 1
  }
  out[t] = s[t];  // 1
}

extern "C" __global__ void or_of_loaded(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 5;                    // 1
  if ((t & 1) || s[t] % 3 == 1) {  // 1
    s[t + 32] = out[t];            // 1
  } else {
    s[t + 64] = t;  // 1
  }
  out[t] = s[t + 32];  // 1
}

extern "C" __global__ void and_of_loaded(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 5;                    // 1
  if ((t & 1) && s[t] % 3 == 1) {  // 1
    s[t + 32] = out[t];            // 1
  } else {
    s[t + 64] = t;  // 1
  }
  out[t] = s[t + 32];  // 1
}

extern "C" __global__ void three_conditions(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;                                         // 1
  if (t > 4 && (s[t] % 4 == 1 || s[t + 1] % 5 == 2)) {  // 2
    acc += s[t + 2];                                    // 1, machine code 2
  } else {
    s[t + 64] = t;  // 1
  }
  acc += s[t + 4];  // 1
  out[t] = acc;
}

extern "C" __global__ void choice(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 7;                                           // 1
  acc = (t & 1) && s[t] % 5 == 2 ? s[t + 1] : -s[t + 2];  // 3
  out[t] = acc;
}

extern "C" __global__ void nested_if_else(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t > 4) {
    if (t * n % 7 < 3) {
      acc += s[t];  // 1
    } else {
      s[t + 64] = t;  // 1
    }
    acc += s[t + 2];  // 1
  } else {
    s[t + 96] = n;  // 1
  }
  acc += s[t + 4];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_and(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t > 8 && t * n % 5 == 2) return;
  s[t] = out[t];  // 1
  out[t] = s[t];  // 1
}

extern "C" __global__ void return_or(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t < 3 || t * n % 5 == 2) return;
  s[t] = out[t];  // 1
  out[t] = s[t];  // 1
}

extern "C" __global__ void return_in_arms(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t % 3 == 0) {
    if (t > 20) return;
    acc += s[t];  // 1
  } else {
    if (t % 5 == 2) return;
    s[t + 64] = t;  // 1
  }
  acc += s[t + 2];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_in_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 4 + n; ++i) {
    if (t == 5 * i + 1) return;
    acc += s[t + i];  // 7
  }
  acc += s[t];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_with_a_store(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < n + 1; ++i) {
    if ((t + i) % 9 == 2) {
      s[t] = i;  // 1
      return;
    }
    acc += s[t + i];  // 4
  }
  out[t] = acc;
}

extern "C" __global__ void continue_and_break(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    acc += s[t + i];  // 4
    if (t & 1) continue;
    if (t + i == 9) break;
    acc += s[t];  // 4
  }
  out[t] = acc;
}

extern "C" __global__ void continue_and_return(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    acc += s[t + i];  // 4
    if (t & 1) continue;
    if (t + i == 9) return;
    acc += s[t];  // 4
  }
  out[t] = acc;
}

extern "C" __global__ void continue_in_while(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  int i = 0;
#pragma unroll 1
  while (i < 4 + n) {
    i += 1 + (t & 1);
    if ((t + i) % 5 == 2) continue;
    if (t + i == 9) break;
    acc += s[t + i];  // 7
  }
  acc += s[t];  // 1
  out[t] = acc;
}

extern "C" __global__ void break_and(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    if (t > 3 && (t + i) % 5 == 2) break;
    acc += s[t];  // 8
  }
  out[t] = acc;
}

extern "C" __global__ void break_or(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    if (t < i - 3 || (t + i) % 5 == 2) break;
    acc += s[t];  // 4
  }
  acc += s[t + 1];  // 1
  out[t] = acc;
}

extern "C" __global__ void break_with_a_store(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 6; ++i) {
    if ((t + i) % 5 == 2) {
      s[t] = i;  // 5
      break;
    }
    acc += s[t + i];  // 4
  }
  out[t] = acc + s[63 - t];  // 1
}

extern "C" __global__ void two_breaks_with_stores(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 6; ++i) {
    if ((t + i) % 7 == 2) {
      s[t] = i;  // 6
      break;
    }
    acc += s[t + i];  // 6
    if ((t * i) % 5 == 3) {
      s[2 * t] = i;  // 4
      break;
    }
    acc += s[t];  // 6
  }
  out[t] = acc + s[63 - t];  // 1
}

extern "C" __global__ void break_past_the_end(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < t + n; ++i) {
    if ((t + i) % 5 == 2) goto next;
    acc += s[t + i];  // 4
  }
  acc += s[t + 100];
next:
  out[t] = s[t] + acc;  // 1
}

extern "C" __global__ void while_and(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  int i = t;
#pragma unroll 1
  while (i < 64 && i * n % 11 != 5) {
    acc += s[i];  // 10
    i += 3;
  }
  out[t] = acc;
}

extern "C" __global__ void do_while_or(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  int i = 0;
#pragma unroll 1
  do {
    acc += s[t + i];  // 4
    ++i;
  } while (i < t % 4 || t * i % 7 == 3);
  out[t] = acc;
}

extern "C" __global__ void trips_of_lanes(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < t % 5; ++i) acc += s[t + i];  // 4
  acc += s[t];                                      // 1
  out[t] = acc;
}

extern "C" __global__ void loop_in_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
#pragma unroll 1
    for (int j = 0; j < (t + i) % 4; ++j) acc += s[t + j];  // 9
    acc += s[t + i];                                        // 3
  }
  out[t] = acc;
}

extern "C" __global__ void next_of_outer_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
#pragma unroll 1
    for (int j = 0; j < 4; ++j) {
      if (t == j * i) goto next;
      acc += s[t + j];  // 16
    }
  next:
    acc += s[i];  // 4
  }
  out[t] = acc;
}

extern "C" __global__ void out_of_both_loops(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
#pragma unroll 1
    for (int j = 0; j < 4; ++j) {
      if (t == 3 * j * i + 1) goto end;
      acc += s[t + j];  // 16
    }
    acc += s[i];  // 4
  }
end:
  acc += s[t];  // 1
  out[t] = acc;
}

extern "C" __global__ void out_of_both_with_a_store(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
#pragma unroll 1
    for (int j = 0; j < 3; ++j) {
      if ((t + i * j) % 9 == 2) {
        s[t + j] = i;  // 4
        goto end;
      }
      acc += s[t + i];  // 9
    }
    acc += s[t + i + 1];  // 3
  }
  acc += s[t + 3];  // 1
end:
  out[t] = s[63 - t] + acc;  // 1
}

extern "C" __global__ void break_of_inner_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
#pragma unroll 1
    for (int j = 0; j < 5; ++j) {
      if ((t ^ j) % 6 == i) break;
      acc += s[t + j];  // 15
    }
    acc += s[t + i];  // 3
  }
  out[t] = acc;
}

extern "C" __global__ void if_in_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 5; ++i) {
    if ((t + i) % 3 == 0) {
      acc += s[t];  // 5
    } else {
      s[t + 64] = i;  // 5
    }
    acc += s[i];  // 5
  }
  out[t] = acc;
}

extern "C" __global__ void or_in_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;  // 1
#pragma unroll 1
  for (int i = 0; i < 5; ++i) {
    if ((t + i) % 3 == 0 || s[t] % 4 == i) {  // 5
      acc += s[t + 1];                        // 5
    } else {
      s[t + 64] = i;  // 5
    }
    acc += s[i];  // 5
  }
  out[t] = acc;
}

extern "C" __global__ void switch_with_labels(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  switch (t & 7) {
    case 0:
    case 1:
    case 5: acc = s[t]; break;      // 1
    case 2: acc = s[t + n]; break;  // 1
    case 4: acc = 4; break;
    case 3: acc = s[t * 2];  // 1
  }
  out[t] = acc;
}

extern "C" __global__ void switch_with_default(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  switch (t & 3) {
    case 0: acc += s[t]; break;   // 1
    case 2: s[t + n] = t; break;  // 1
    default: acc ^= s[t * 2];     // 1
  }
  out[t] = acc;
}

extern "C" __global__ void fall_through(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  switch (t & 3) {
    case 0: acc += s[t];             // 1
    case 2: acc += s[t + n]; break;  // 1
    default: acc = 1;
  }
  out[t] = acc;
}

extern "C" __global__ void switch_in_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    switch ((t + i) & 3) {
      case 0: acc += s[t]; break;  // 4
      case 1: continue;
      case 2: s[t + 64] = i; break;  // 4
      default: acc ^= s[t + 2];      // 4
    }
    acc += s[t + i];  // 4
  }
  out[t] = acc;
}

extern "C" __global__ void switch_with_return(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  switch (t & 3) {
    case 0: acc += s[t]; break;  // 1
    case 1: return;
    case 2: acc += s[t + 1]; break;  // 1
  }
  acc += s[t + 2];  // 1
  out[t] = acc;
}

extern "C" __global__ void switch_of_many(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  switch (t % 11) {
    case 0: acc += s[t]; break;      // 1
    case 1: s[t + 32] = t; break;    // 1
    case 3: acc ^= s[t + 2]; break;  // 1
    case 4: s[t + 64] = n; break;    // 1
    case 6: acc -= s[t + 4]; break;  // 1
    case 7: acc |= s[t + 5]; break;  // 1
    case 9: acc &= s[t + 6]; break;  // 1
    default: s[t + 96] = 1;          // 1
  }
  acc += s[t + 8];  // 1
  out[t] = acc;
}

extern "C" __global__ void goto_into_arm(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;                       // 1
  if ((t & 1) && s[t] % 4 > n - 2) {  // 1
    acc += s[t + 3];                  // 1
    if (t * n % 5 == 2) goto other;
    acc += s[t + 4];  // 1
  } else {
  other:
    acc += s[t + 5];      // 1
    s[t + n] = s[2 * t];  // 2
  }
  out[t] = s[t + 64] + acc;  // 1
}

extern "C" __global__ void barrier_behind_a_return(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t > 20) return;
  if (t & 1) s[t] = t;  // 1
  __syncthreads();
  acc += s[31 - t];  // 1
  out[t] = acc;
}

extern "C" __global__ void shuffle_behind_arms(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t & 1) {
    acc += s[t];  // 1
  } else {
    s[t + 64] = t;  // 1
  }
  int other = __shfl_xor_sync(0xffffffffu, t, 1);
  s[other] = t;  // 1
  out[t] = acc;
}

extern "C" __global__ void syncwarp_in_a_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    if (t % 3 == i) continue;
    acc += s[t + i];  // 3
  }
  __syncwarp();
  acc += s[t];  // 1
  out[t] = acc;
}

extern "C" __global__ void warp_function_of_some(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t < 16) {
    if (t & 1) acc += s[t];  // 1
    acc += __any_sync(0xffffu, t & 1);
    acc += s[t + 1];  // 1
  }
  acc += s[t + 2];  // 1
  out[t] = acc;
}

extern "C" __global__ void loop_with_three_ways_out(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 5; ++i) {
    if (t == i) return;
    if (t == 2 * i + 1) break;
    acc += s[t + i];  // 5
    if (t == 3 * i + 20) break;
    acc += s[t];  // 5
  }
  acc += s[t + 9];  // 1
  out[t] = acc;
}

extern "C" __global__ void else_if(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t % 4 == 0) {
    acc += s[t];  // 1
  } else if (t % 4 == 1) {
    acc += s[t + 1];  // 1
  } else if (t > 20) {
    acc += s[t + 2];  // 1
  }
  acc += s[t + 3];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_out_of_do_while(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  int i = 0;
#pragma unroll 1
  do {
    ++i;
    if (0x81204812u >> ((t * 5 + i + n) & 31) & 1) {
      acc += s[t + 40];  // 7
      return;
    }
  } while (i < (t & 7));
  acc += s[t + 50];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_out_of_loop_with_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;  // 1
  int i = 0;
#pragma unroll 1
  do {
    ++i;
#pragma unroll 1
    for (int j = t & 3; j < (t * 5 & 7); ++j) acc += s[t + j];  // 16
    if (t > 6) {
      acc += s[t + 40];  // 1
      return;
    }
  } while (i < (t + n & 7) && 0xefcfef7fu >> ((s[t] + t * 3 + i) & 31) & 1);  // 4
  acc += s[t + 50];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_out_of_both_loops(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;  // 1
  int i = 0;
#pragma unroll 1
  do {
    ++i;
    acc += s[t + 3];  // 5
    int j = 0;
#pragma unroll 1
    while (j < (t + 4 & 7) && 0x9183f4f5u >> ((s[t] + t * 3 + i + j) & 31) & 1) {  // 5
      ++j;
      acc += s[t + 40];  // 4
      return;
    }
  } while (i < (t + t & 7));
  acc += s[t + 50];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_out_of_functions_do_while(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  [&]() {
    int i = 0;
#pragma unroll 1
    do {
      ++i;
      if (0x81204812u >> ((t * 5 + i + n) & 31) & 1) return;
      acc += s[t + i];  // 6
    } while (i < (t & 7));
    acc += s[t + 50];  // 1
    s[t + 90] = i;     // 1
    s[t + 91] = n;     // 1
  }();
  acc += s[t + 51];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_out_of_functions_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;  // 1
  [&]() {
#pragma unroll 1
    for (int i = t & 3; i < t && 0xefcfef7fu >> ((s[t] + t * 3 + i) & 31) & 1; ++i) {  // 7
      if (0x81204812u >> ((t * 5 + i + n) & 31) & 1) return;
      acc += s[t + i];  // 6
    }
    acc += s[t + 50];  // 5, machine code 6
  }();
  acc += s[t + 51];  // 1
  out[t] = acc;
}

extern "C" __global__ void short_end_of_functions_do_while(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  [&]() {
    int i = 0;
#pragma unroll 1
    do {
      ++i;
      if (0x81204812u >> ((t * 5 + i + n) & 31) & 1) {
        s[t + 80] = s[t + 70];  // 14
        s[t + 81] = s[t + 71];  // 14
        s[t + 82] = s[t + 72];  // 14
        s[t + 83] = s[t + 73];  // 14
        return;
      }
    } while (i < (t & 7));
    s[t + 91] = n;  // 5
  }();
  acc += s[t + 51];  // 1
  out[t] = acc;
}

extern "C" __global__ void break_before_the_end(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = t & 3; i < t; ++i) {
    if (0x81204812u >> ((t * 5 + i + n) & 31) & 1) {
      acc += s[t + 40];  // 1
      break;
    }
  }
}

extern "C" __global__ void warp_function_behind_returns(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;                                                    // 1
  if (n <= 3 ? t * n % 7 == 2 || s[t] == 12 : s[t] >= 10) return;  // 1
  acc += s[t + 8];                                                 // 1
  if (0xaaaaaaaau >> t & 1) {
    acc += __all_sync(0xaaaaaaaau, t > 3);
    acc += s[t + 9];  // 1
  }
  acc += s[t + 10];  // 1
  out[t] = acc;
}

extern "C" __global__ void long_return_in_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  int i = 0;
#pragma unroll 1
  do {
    ++i;
    if (0x81204812u >> ((t * 5 + i + n) & 31) & 1) {
      s[t] = s[t + 40];      // 2
      s[t + 1] = s[t + 41];  // 2
      s[t + 2] = s[t + 42];  // 2
      s[t + 3] = s[t + 43];  // 2
      s[t + 4] = s[t + 44];  // 2
      s[t + 5] = s[t + 45];  // 2
      s[t + 6] = s[t + 46];  // 2
      s[t + 7] = s[t + 47];  // 2
      return;
    }
  } while (i < (t & 7));
  out[t] = s[t + 50];  // 5
}

extern "C" __global__ void labels_of_both_halves(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  switch (t * 5 + n & 7) {
    case 5:
      s[t + 40] = n;  // 1
      s[t + 41] = t;  // 1
      acc += s[t];    // 1
      break;
    case 3: s[t + 96] = 4; break;  // 1
    case 4:
    case 0: acc += s[t + 33]; break;  // 1, machine code 2
    default: acc += s[t + 82];        // 1
  }
  acc += s[t + 57];  // 1
  out[t] = acc;
}

extern "C" __global__ void return_in_arm_of_three(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;                                         // 1
  if (t > 4 && (s[t] % 4 == 1 || s[t + 1] % 5 == 2)) {  // 2
    s[t + 2] = n;                                       // 1, machine code 2
    return;
  }
  acc += s[t + 4];  // 1
  s[t + 70] = acc;  // 1
  s[t + 71] = n;    // 1
  out[t] = acc;
}

extern "C" __global__ void condition_in_subscript(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  s[t] = t * 3;                                                           // 1
  s[t + 32] = t;                                                          // 1
  acc += s[(t & 1 && s[t] % 5 == 2) || t * n % 7 < 2 ? t + 32 : t + 64];  // 2
  acc += s[t + (s[t] % 4 == 1 ? s[t + 32] & 31 : n)];                     // 3
  out[t] = acc;
}

extern "C" __global__ void arms_with_effects(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t, i = 0;
  s[t] = t * 3;                                                                          // 1
  acc += s[t] % 3 == 1 || n * t % 5 == 2 ? (s[t + 32] = n, ++i) : (s[t + 64] = n, --i);  // 3
  acc += s[t + 96 + i];                                                                  // 1
  out[t] = acc;
}

extern "C" __global__ void two_gotos_out_of_loops(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    int j = 0;
#pragma unroll 1
    do {
      if ((t + i * j) % 11 == 2) goto far;
      acc += s[t + j];  // 16
      if ((t + 3 * j) % 9 == 4) goto near;
      ++j;
    } while (j < n + (t & 1));
    acc += s[t + i];  // 8
  near:
    acc += s[t + 2 * i];  // 4
  }
  acc += s[t + 3];  // 1
far:
  out[t] = s[63 - t] + acc;  // 1
}

extern "C" __global__ void barrier_of_some_behind_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (t < 20) {
#pragma unroll 1
    for (int i = 0; i < t % 4; ++i) acc += s[t + i];  // 3
    __syncwarp(0xfffffu);
    acc += s[t + 1];  // 1
    if (t % 3 == 1) return;
    acc += s[t + 2];  // 1
  }
  acc += s[t + 5];  // 1
  acc += __match_any_sync(__activemask(), t & 3);
  acc += s[t + 6];  // 1
  out[t] = acc;
}

extern "C" __global__ void loop_before_last_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
#pragma unroll 1
  for (int i = t; i < 23; i += 7) acc += s[i];  // 4
  if (t < 17) {
#pragma unroll 1
    for (int i = 0; i < n + (t & 1); ++i) {
      s[t + i] = acc;  // 4
    }
  }
}

extern "C" __global__ void vote_waits_for_lanes_that_return(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x, acc = t;
  if (0xffff00u >> t & 1) {
    if (t % 6 != 0) {
      s[t + 32] = n;  // 1
      return;
    }
#pragma unroll 1
    for (int i = 1; i < n; ++i) acc = __any_sync(0xffff00u, s[t + i]);  // 2
  }
  s[t] = acc;         // 1
  out[t] = s[t ^ 1];  // 1
}

extern "C" __global__ void returns_before_the_last_loop(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < t % 2 + 2; ++i) {
    if (i * n > 777) return;
    s[t] = i;  // 3
  }
  s[t + 32] = 1;  // 1
#pragma unroll 1
  for (int i = t; i < 20 * n; i += 32) out[i] = s[i];  // 2
}

extern "C" __global__ void returns_before_two_last_loops(int* out, int n) {
  volatile __shared__ int s[160];
  int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < t % 3 + 1; ++i) {
    if (i * n > 777) return;
    s[t] = i;  // 3
  }
  s[t + 32] = 1;  // 1
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
#pragma unroll 1
    for (int i = 0; i < t % 2 + k; ++i) {
      if (s[t + i] * n > 777) return;  // 6
      s[t + i] = k;                    // 6
    }
    s[t + 64] = k;  // 3
  }
}
