// Rotary embedding of the heads of q and k in one pass. A thread turns the same two vectors of several heads of a
// token, so that it needs their cosines and sines once.
#include "common/broadcast.cuh"
#include "common/early_next.cuh"

using namespace wt;

// Two vectors of each head whose elements are rotated with one another, or which are only copied.
template <int VEC, bool NEIGHBOURS> struct Place {
  int lower, upper; // columns; upper is negative if there is only one
  bool turns;

  // `pairs`: of vectors that are rotated; behind them are those that are not.
  __device__ __forceinline__ Place(int item, int pairs, int half, int head_dim) : turns(item < pairs) {
    if (turns) {
      lower = NEIGHBOURS && VEC == 1 ? 2 * item : item * VEC;
      upper = NEIGHBOURS && VEC == 1 ? lower + 1 : half + lower;
    } else {
      const int copied = (head_dim - 2 * half) / VEC, step = (copied + 1) / 2, at = item - pairs;
      lower = 2 * half + at * VEC;
      upper = at + step < copied ? lower + step * VEC : -1;
    }
  }
};

// One of each of the VEC angles: of the pairs in two vectors, or of those in the lower and then in the upper one.
template <typename A, int VEC, bool NEIGHBOURS>
__device__ __forceinline__ void load_angles(const A* row, int item, int half, float (&out)[VEC]) {
  if constexpr (NEIGHBOURS && VEC > 1) {
    using Part = Vec<A, VEC / 2>;
    float lower[VEC / 2], upper[VEC / 2];
    const Part of_lower = wt::load<kDefault, Part>(row + item * (VEC / 2)),
               of_upper = wt::load<kDefault, Part>(row + half / 2 + item * (VEC / 2));
    unpack<A, VEC / 2>(of_lower, lower);
    unpack<A, VEC / 2>(of_upper, upper);
#pragma unroll
    for (int k = 0; k < VEC; ++k) out[k] = k < VEC / 2 ? lower[k % (VEC / 2)] : upper[k % (VEC / 2)];
  } else { // a vector has at most 16 bytes
    constexpr int kWide = VEC * sizeof(A) <= 16 ? VEC : 16 / sizeof(A);
    Vec<A, kWide> parts[VEC / kWide];
#pragma unroll
    for (int i = 0; i < VEC / kWide; ++i) parts[i] = wt::load<kDefault, Vec<A, kWide>>(row + item * VEC + i * kWide);
#pragma unroll
    for (int k = 0; k < VEC; ++k) out[k] = to_float(parts[k / kWide].v[k % kWide]);
  }
}

// A block takes `block_tokens` tokens and one of the `parts` of their heads: head_groups * BATCH heads, each by `lanes`
// threads.
template <typename T, typename A, int VEC, int BATCH, bool NEIGHBOURS, bool INVERSE, bool POSITIONS, bool WIDE,
          int STORES>
__global__ void __launch_bounds__(512)
    rotary(const T* __restrict__ q, const T* __restrict__ k, const A* __restrict__ cosines, const A* __restrict__ sines,
           const i64* __restrict__ positions, T* __restrict__ q_out, T* __restrict__ k_out, i64 tokens, i64 seq,
           int q_heads, int k_heads, int head_dim, int half, int lanes, int head_groups, u32 parts, int block_tokens) {
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(BATCH * VEC * sizeof(T) <= 64, "more elements of a thread in flight spill");
  wt::let_next_start();
  using V = Vec<T, VEC>;
  using Index = typename IndexOf<WIDE>::type;
  const int lane = threadIdx.x % lanes, group = threadIdx.x / lanes, pairs = half / VEC;
  const int items = pairs + ((head_dim - 2 * half) / VEC + 1) / 2;
  const i64 token = i64(blockIdx.x / parts) * block_tokens + group / head_groups;
  const int first = static_cast<int>(blockIdx.x % parts) * head_groups * BATCH + group % head_groups;
  wt::wait_for_earlier_work_after(first ^ lane ^ items ^ static_cast<int>(token));
  if (token >= tokens) return;
  for (int item = lane; item < items; item += lanes) {
    const Place<VEC, NEIGHBOURS> place(item, pairs, half, head_dim);
    V lower[BATCH], upper[BATCH];
    const auto start_of = [&](int head) {
      return (head < q_heads ? token * q_heads + head : token * k_heads + head - q_heads) * head_dim;
    };
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int head = first + i * head_groups;
      if (head >= q_heads + k_heads) continue;
      const T* const from = (head < q_heads ? q : k) + start_of(head);
      lower[i] = wt::load<kDefault, V>(from + place.lower);
      if (place.upper >= 0) upper[i] = wt::load<kDefault, V>(from + place.upper);
    }
    float c[VEC], s[VEC];
    if (place.turns) {
      const i64 row = (POSITIONS ? positions[token] : i64(Index(token) % Index(seq))) * half;
      load_angles<A, VEC, NEIGHBOURS>(cosines + row, item, half, c);
      load_angles<A, VEC, NEIGHBOURS>(sines + row, item, half, s);
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int head = first + i * head_groups;
      if (head >= q_heads + k_heads) continue;
      if (place.turns) {
        float v[2][VEC];
        unpack<T, VEC>(lower[i], v[0]);
        unpack<T, VEC>(upper[i], v[1]);
#pragma unroll
        for (int p = 0; p < VEC; ++p) {
          constexpr bool kInside = NEIGHBOURS && VEC > 1; // both elements of a pair are in one vector
          float& x = kInside ? v[2 * p / VEC][2 * p % VEC] : v[0][p];
          float& y = kInside ? v[2 * p / VEC][(2 * p + 1) % VEC] : v[1][p];
          const float sine = INVERSE ? -s[p] : s[p], turned = fmaf(x, c[p], -(y * sine));
          y = fmaf(x, sine, y * c[p]);
          x = turned;
        }
        lower[i] = pack<T, VEC>(v[0]);
        upper[i] = pack<T, VEC>(v[1]);
      }
      T* const to = (head < q_heads ? q_out : k_out) + start_of(head);
      wt::store<STORES>(to + place.lower, lower[i]);
      if (place.upper >= 0) wt::store<STORES>(to + place.upper, upper[i]);
    }
  }
}
