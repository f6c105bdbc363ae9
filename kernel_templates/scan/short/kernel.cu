// Cumulative sums or products along contiguous rows that neighbouring lanes hold, one vector each. A thread works on
// several rows, whose loads are in flight together. No barriers.
#include "common/early.cuh"
#include "scan.cuh"

using namespace wt;

// LANES share a row. A thread has a vector of each of ROWS rows, which are as far apart as the block is wide.
template <typename T, bool PRODUCT, bool EXCLUSIVE, bool REVERSE, bool MASKED, int LANES, int ROWS, int BLOCK, int VEC,
          bool ALIGNED, int STORES>
__global__ void __launch_bounds__(BLOCK)
    scan_short_rows(const T* __restrict__ x, const bool* __restrict__ mask, T* __restrict__ y, i64 rows, int n) {
  static_assert(is_pow2(LANES) && LANES <= 32 && BLOCK % 32 == 0, "the lanes of a row are in one warp");
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  wt::wait_for_earlier_work();
  using V = Vec<T, VEC>;
  using Run = Row<T, VEC, ALIGNED>;
  constexpr int kStep = BLOCK / LANES;
  const int lane = threadIdx.x % LANES;
  const i64 first = i64(blockIdx.x) * (kStep * ROWS) + threadIdx.x / LANES;
  const auto row_at = [&](int r) { return Run(first + r * kStep, n); };
  const auto vector_of = [&](const Run& row) { return REVERSE ? row.vectors - 1 - lane : lane; };
  const auto is_live = [&](const Run& row, int r) { return first + r * kStep < rows && lane < row.vectors; };

  V held[ROWS];
  Chosen<VEC> chosen[ROWS] = {}; // only with a mask
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const Run row = row_at(r);
#pragma unroll
    for (int k = 0; k < VEC; ++k) held[r].v[k] = from_float<T>(kNothing<PRODUCT>);
    if (is_live(row, r) && (ALIGNED || row.whole(vector_of(row)))) {
      held[r] = wt::load<kDefault, V>(x + row.first + i64(vector_of(row)) * VEC);
      if constexpr (MASKED) chosen[r] = wt::load<kDefault, Chosen<VEC>>(mask + row.first + i64(vector_of(row)) * VEC);
    }
  }
  if constexpr (!ALIGNED) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const Run row = row_at(r);
      if (is_live(row, r) && !row.whole(vector_of(row))) {
        held[r] = row.load(x, vector_of(row), kNothing<PRODUCT>);
        if constexpr (MASKED) chosen[r] = load_chosen(row, mask, vector_of(row));
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const Run row = row_at(r);
    float v[VEC];
    if constexpr (MASKED) leave_out<PRODUCT>(held[r], chosen[r]);
    unpack<T, VEC>(held[r], v);
    const float scanned = scan_lanes<PRODUCT, LANES>(scan_vector<PRODUCT, REVERSE>(v));
    const float before = before_lane<PRODUCT, LANES>(scanned);
    if (!is_live(row, r)) continue;
    const V results = results_of<T, PRODUCT, EXCLUSIVE, REVERSE>(v, before);
    if constexpr (ALIGNED)
      wt::store<STORES>(y + row.first + i64(vector_of(row)) * VEC, results);
    else
      row.store(y, vector_of(row), results);
  }
}
