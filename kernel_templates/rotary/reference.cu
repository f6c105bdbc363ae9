// The reference of rotary, in double: one thread an element of a result.
#include "common/prelude.cuh"

template <typename T, typename A, bool NEIGHBOURS, bool INVERSE>
__global__ void rotary_reference(const T* q, const T* k, const A* cosines, const A* sines, const i64* positions,
                                 float* q_out, float* k_out, i64 tokens, i64 seq, int q_heads, int k_heads,
                                 int head_dim, int half) {
  const i64 step = i64(gridDim.x) * blockDim.x, of_q = tokens * q_heads * head_dim, of_k = tokens * k_heads * head_dim;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < of_q + of_k; i += step) {
    const bool is_q = i < of_q;
    const i64 at = is_q ? i : i - of_q, column = at % head_dim, token = at / head_dim / (is_q ? q_heads : k_heads);
    const T* const x = (is_q ? q : k) + (at - column);
    double value = wt::to_double(x[column]);
    if (column < 2 * half) {
      const i64 pair = NEIGHBOURS ? column / 2 : column % half, row = positions ? positions[token] : token % seq;
      const bool is_first = NEIGHBOURS ? column % 2 == 0 : column < half;
      const double c = wt::to_double(cosines[row * half + pair]);
      const double s = (INVERSE ? -1 : 1) * wt::to_double(sines[row * half + pair]);
      const double other = wt::to_double(x[NEIGHBOURS ? column ^ 1 : is_first ? column + half : column - half]);
      value = value * c + (is_first ? -other : other) * s;
    }
    (is_q ? q_out : k_out)[at] = static_cast<float>(value);
  }
}
