#include "common/prelude.cuh"

template <typename T, int BM, int BN>
__global__ void tensor_map_copy(const __grid_constant__ TensorMap x_map, const __grid_constant__ TensorMap y_map) {
  __shared__ alignas(128) T tile[BM * BN];
  __shared__ alignas(8) u64 barrier;
  const u32 tile_at = (u32)__cvta_generic_to_shared(tile), barrier_at = (u32)__cvta_generic_to_shared(&barrier);
  const int col = (int)blockIdx.x * BN, row = (int)blockIdx.y * BM;
  if (threadIdx.x != 0) return;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_at));
  asm volatile("fence.mbarrier_init.release.cluster;");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_at), "r"((u32)sizeof(tile)));
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   tile_at),
               "l"(&x_map), "r"(col), "r"(row), "r"(barrier_at)
               : "memory");
  u32 done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier_at)
                 : "memory");
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&y_map), "r"(col), "r"(row),
               "r"(tile_at)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
