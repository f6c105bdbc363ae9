// The gradient of a table from few tokens, in one launch without barriers: each warp looks for the tokens of its rows in
// the whole list of indices, and adds their gradients in the order of the list. Rows without tokens become zeros.
#include "common/early.cuh"
#include "common/vec.cuh"
#include "counting.cuh"

using namespace wt;

// What a warp keeps of a token: its number, and above it the row, relative to the warp's first one.
inline constexpr int kTokenBits = 10, kMaxRows = 64;

// TPR threads share a row, and have ROWS rows one after the other; the rows of a warp are neighbours. A lane reads CHUNKS
// indices, and the order of these if the caller sorted them.
template <typename T, typename I, int TPR, int ROWS, int BLOCK, int CHUNKS, int VEC, int BATCH, bool SORTED, bool PADDING>
__global__ void __launch_bounds__(BLOCK)
    add_few(const T* __restrict__ dy, const I* __restrict__ ids, const i64* __restrict__ order, T* __restrict__ dtable,
            i64 padding, int tokens, i64 rows, int cols) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(CHUNKS * 32 <= 1 << kTokenBits && 32 % BATCH == 0, "a token is a number of ten bits");
  wt::wait_for_earlier_work();
  constexpr int kMost = SORTED ? 8 : 16, kTogether = CHUNKS < kMost ? CHUNKS : kMost; // loads in flight
  constexpr int kTeams = TPR < 32 ? 32 / TPR : 1, kRows = kTeams * ROWS, kWarps = TPR > 32 ? TPR / 32 : 1;
  static_assert(kRows <= kMaxRows, "a row of a warp is a number of six bits");
  __shared__ __align__(16) u16 all_found[BLOCK / 32][CHUNKS * 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 first = (blockIdx.x * (BLOCK / 32 / kWarps) + warp / kWarps) * kRows;
  if (first >= rows) return;

  u16* const found = all_found[warp];
  int count = 0;
#pragma unroll 1
  for (int begin = 0; begin < CHUNKS; begin += kTogether) {
    I id[kTogether];
    i64 token[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i) { // behind the end the last one again: loads under conditions might wait
      const int at = (begin + i) * 32 + lane;
      id[i] = ids[min(at, tokens - 1)];
      token[i] = SORTED ? order[min(at, tokens - 1)] : at;
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const u32 own = narrow(id[i]) - first; // large for indices outside the table
      const bool is_own = own < kRows && (begin + i) * 32 + lane < tokens;
      const u32 owners = __ballot_sync(kAllLanes, is_own);
      if (is_own)
        found[count + __popc(owners & ((1u << lane) - 1))] = static_cast<u16>(token[i] | own << kTokenBits);
      count += __popc(owners);
    }
  }
  __syncwarp();

#pragma unroll 1
  for (int i = 0; i < ROWS; ++i) {
    const u32 own = i * kTeams + lane / TPR;
    const i64 to_row = i64(first) + own;
    if (to_row >= rows) break;
    const int end = PADDING && to_row == padding ? 0 : count;
#pragma unroll 1
    for (int column = threadIdx.x % TPR * VEC; column < cols; column += TPR * VEC) {
      float sum[VEC] = {};
#pragma unroll 1 // BATCH says how many loads
      for (int at = 0; at < end; at += BATCH) {
        const auto entries = *reinterpret_cast<const Vec<u16, BATCH>*>(found + at);
        Vec<T, VEC> batch[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; ++k) {
          const T* const from = dy + i64(entries.v[k] % (1 << kTokenBits)) * cols + column;
          batch[k] = {}; // zeros do not change a sum
          if (at + k < end && entries.v[k] >> kTokenBits == own) batch[k] = wt::load<kDefault, Vec<T, VEC>>(from);
        }
        if constexpr (BATCH > 1) __syncwarp(__activemask()); // else the compiler puts additions between the loads
#pragma unroll
        for (int k = 0; k < BATCH; ++k) {
          if (at + k >= end) break;
          float v[VEC];
          unpack<T, VEC>(batch[k], v);
#pragma unroll
          for (int j = 0; j < VEC; ++j) sum[j] += v[j];
        }
      }
      wt::store<kDefault>(dtable + to_row * cols + column, pack<T, VEC>(sum));
    }
  }
}
