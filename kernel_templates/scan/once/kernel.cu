// Cumulative sums or products along long rows, which are read once: a block holds a piece of a row in registers, gives
// the other blocks the total of the piece, and waits for the totals of the pieces before it. All orders are fixed: a
// block adds up totals of pieces, never what another block has added up for itself in the meantime.
#include "common/team_pairs.cuh"
#include "scan.cuh"

using namespace wt;

// The result for all threads of the block before this one, and for all.
struct Scanned {
  float before, all;
};
template <bool PRODUCT, int BLOCK> __device__ __forceinline__ Scanned scan_block(float value) {
  __shared__ float of_warps[BLOCK / 32];
  const float scanned = scan_lanes<PRODUCT, 32>(value);
  if (threadIdx.x % 32 == 31) of_warps[threadIdx.x / 32] = scanned;
  __syncthreads();
  Scanned result{kNothing<PRODUCT>, kNothing<PRODUCT>};
#pragma unroll
  for (int w = 0; w < BLOCK / 32; ++w) {
    if (w == threadIdx.x / 32) result.before = result.all;
    result.all = both<PRODUCT>(result.all, of_warps[w]);
  }
  __syncthreads(); // the next call may write
  result.before = both<PRODUCT>(result.before, before_lane<PRODUCT, 32>(scanned));
  return result;
}

// A thread holds ITERS vectors. Blocks take the pieces in the order in which they begin, so that those that one waits
// for are complete or run. A group is BLOCK pieces of a row, and its last block gives the result up to its end.
// `words`, which are 0 before the launch: the number of pieces taken, the totals of all pieces, then the results of the
// groups.
template <typename T, bool PRODUCT, bool EXCLUSIVE, bool REVERSE, bool MASKED, int BLOCK, int VEC, int ITERS,
          int RESIDENT, bool ALIGNED>
__global__ void __launch_bounds__(BLOCK, RESIDENT / BLOCK)
    scan_once(const T* __restrict__ x, const bool* __restrict__ mask, T* __restrict__ y, u64* words, int rows, i64 n,
              int piece_length, int pieces) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(is_pow2(BLOCK) && BLOCK >= 128 && BLOCK <= 1024, "threads of a block: a power of two from 128 to 1024");
  using V = Vec<T, VEC>;
  __shared__ int taken;
  if (threadIdx.x == 0) taken = atomicAdd(reinterpret_cast<int*>(words), 1);
  __syncthreads();
  const int row = taken % rows, piece = taken / rows; // rows in turn: their chains of pieces are independent
  const i64 skipped = i64(REVERSE ? pieces - 1 - piece : piece) * piece_length, start = row * n + skipped;
  Row<T, VEC, ALIGNED> run(0, static_cast<int>(n - skipped < piece_length ? n - skipped : piece_length));
  run.lead = ALIGNED ? 0 : static_cast<int>(start % VEC);
  run.first = start - run.lead;
  run.vectors = (run.lead + run.cols + VEC - 1) / VEC;
  const auto index = [&](int i) { return (threadIdx.x / 32 * ITERS + i) * 32 + threadIdx.x % 32; };
  const auto vector_at = [&](int i) { return REVERSE ? run.vectors - 1 - index(i) : index(i); };
  const auto is_whole = [&](int i) { return ALIGNED || run.whole(vector_at(i)); };

  V held[ITERS];
  Chosen<VEC> chosen[ITERS] = {}; // only with a mask
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
#pragma unroll
    for (int k = 0; k < VEC; ++k) held[i].v[k] = from_float<T>(kNothing<PRODUCT>);
    if (index(i) < run.vectors && is_whole(i)) {
      held[i] = load<kDefault, V>(x + run.first + i64(vector_at(i)) * VEC);
      if constexpr (MASKED) chosen[i] = load<kDefault, Chosen<VEC>>(mask + run.first + i64(vector_at(i)) * VEC);
    }
  }
  if constexpr (!ALIGNED) {
#pragma unroll
    for (int i = 0; i < ITERS; ++i)
      if (index(i) < run.vectors && !is_whole(i)) {
        held[i] = run.load(x, vector_at(i), kNothing<PRODUCT>);
        if constexpr (MASKED) chosen[i] = load_chosen(run, mask, vector_at(i));
      }
  }
  if constexpr (MASKED) {
#pragma unroll
    for (int i = 0; i < ITERS; ++i) leave_out<PRODUCT>(held[i], chosen[i]);
  }
  float before[ITERS], of_warp = kNothing<PRODUCT>; // of a vector in its warp; of the warp
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    float v[VEC];
    unpack<T, VEC>(held[i], v);
    const float scanned = scan_lanes<PRODUCT, 32>(scan_vector<PRODUCT, REVERSE>(v));
    before[i] = both<PRODUCT>(of_warp, before_lane<PRODUCT, 32>(scanned));
    of_warp = both<PRODUCT>(of_warp, __shfl_sync(0xffffffffu, scanned, 31, 32));
  }
  keep_packed(held);
  // The last lane's value counts for its warp, so `before` of the first lane is that of the warp.
  const Scanned own = scan_block<PRODUCT, BLOCK>(threadIdx.x % 32 == 31 ? of_warp : kNothing<PRODUCT>);
  const float before_warp = __shfl_sync(0xffffffffu, own.before, 0, 32);

  u64* const totals = words + 1 + i64(row) * pieces;
  u64* const groups = words + 1 + i64(rows) * pieces + i64(row) * ceil_div(pieces, BLOCK);
  const int group = piece / BLOCK, place = piece % BLOCK;
  // A pair's 1 makes its word differ from 0 whatever the total is, so that a total of 0 keeps its sign.
  if (threadIdx.x == 0) give_pair(&totals[piece], make_float2(own.all, 1.0f));
  float earlier = kNothing<PRODUCT>;
  if (threadIdx.x < place) earlier = take_pair(&totals[group * BLOCK + threadIdx.x]).x;
  if (threadIdx.x == BLOCK - 1 && group > 0) earlier = take_pair(&groups[group - 1]).x; // a place is below BLOCK
  const float before_piece = scan_block<PRODUCT, BLOCK>(earlier).all;
  if (threadIdx.x == 0 && place == BLOCK - 1)
    give_pair(&groups[group], make_float2(both<PRODUCT>(before_piece, own.all), 1.0f));

  const float before_all = both<PRODUCT>(before_piece, before_warp);
#pragma unroll
  for (int i = 0; i < ITERS; ++i) {
    if (index(i) >= run.vectors) break;
    float v[VEC];
    unpack<T, VEC>(held[i], v);
    scan_vector<PRODUCT, REVERSE>(v);
    run.store(y, vector_at(i), results_of<T, PRODUCT, EXCLUSIVE, REVERSE>(v, both<PRODUCT>(before_all, before[i])));
  }
}
