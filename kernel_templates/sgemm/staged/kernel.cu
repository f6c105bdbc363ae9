// C[m x n] = A[m x k] * B in fp32 on the FMA pipe; A and C row-major, B k x n ("nn") or n x k ("nt") row-major. Slices
// pass through registers, which transposes them in 16-byte accesses.
#include "split_k.cuh"
#include "tile.cuh"

// The template arguments are those of compute_tile. BLOCKS_PER_SM bounds the registers.
template <int BM, int BN, int TM, int TN, int LANES_M, int STAGES, int GROUP_M, int SPLIT_K, int B_IS_NT, int FULL_M,
          int FULL_N, int FULL_K, int VEC_K, int VEC_N, int FIXED_N, int FIXED_K, int BLOCKS_PER_SM>
__global__ void __launch_bounds__(BM* BN / (TM * TN), BLOCKS_PER_SM)
    sgemm_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int m, int n,
                 int k) {
  compute_tile<BM, BN, 8, TM, TN, LANES_M, STAGES, 1, 1, GROUP_M, SPLIT_K, B_IS_NT, FULL_M, FULL_N, FULL_K, VEC_K,
               VEC_N, FIXED_N, FIXED_K>(a, b, out, m, n, k);
}
