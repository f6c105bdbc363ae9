// One warp computes a tile of 16 x 8; the fragments of m16n8k16 come from global memory as the PTX manual lays them out, past
// the L1, whose hits would differ from run to run.
#include "common/prelude.cuh"

template <int WARPS>
__global__ void __launch_bounds__(32 * WARPS) mma(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, i64 m, i64 n, i64 k) {
  const int lane = threadIdx.x % 32, group = lane / 4, pair = lane % 4 * 2;
  const i64 row = i64(blockIdx.y) * 16 + group, column = (i64(blockIdx.x) * WARPS + threadIdx.x / 32) * 8;
  const __nv_bfloat16* upper = a + row * k + pair;
  const __nv_bfloat16* lower = upper + 8 * k;
  const __nv_bfloat16* right = b + (column + group) * k + pair;
  const auto two = [](const __nv_bfloat16* p) { return __ldcg(reinterpret_cast<const u32*>(p)); };
  float sum[4] = {};
  for (i64 l = 0; l < k; l += 16)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(two(upper + l)), "r"(two(lower + l)), "r"(two(upper + l + 8)), "r"(two(lower + l + 8)),
                   "r"(two(right + l)), "r"(two(right + l + 8)));
  float* out = c + row * n + column + pair;
  out[0] = sum[0], out[1] = sum[1];
  out[8 * n] = sum[2], out[8 * n + 1] = sum[3];
}
