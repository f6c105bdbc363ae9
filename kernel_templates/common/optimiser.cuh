// One step of an optimiser for neighbouring parameters, in fp32: the work of for_each_tile (tiles.cuh).
#pragma once

#include "common/root_fast.cuh"
#include "common/tiles.cuh"

namespace wt {

enum class Rule : int { kAdamW, kAdam, kSgd, kNesterov };

// The caller's numbers, with differences from 1 taken in double. `step` and `root` are approximations,
// because exact ones take 3 KB of code.
struct StepNumbers {
  float rate, decay, kept, scale, beta1, rest1, beta2, rest2, eps, step, root, momentum, rest;
};

__device__ __forceinline__ StepNumbers step_numbers(double rate, double decay, double scale, double beta1, double beta2,
                                                    double eps, double correction1, double correction2, double momentum,
                                                    double dampening) {
  return {float(rate),
          float(decay),
          float(1 - rate * decay),
          float(scale),
          float(beta1),
          float(1 - beta1),
          float(beta2),
          float(1 - beta2),
          float(eps),
          divide_fast(float(rate), float(correction1)),
          rsqrtf(float(correction2)),
          float(momentum),
          float(1 - dampening)};
}

// Depends on all numbers whose computation takes long.
__device__ __forceinline__ int any_bits(const StepNumbers& numbers) {
  return static_cast<int>(__float_as_uint(numbers.kept + numbers.rest1 + numbers.rest2) |
                          __float_as_uint(numbers.step + numbers.root) | __float_as_uint(numbers.rest));
}

template <typename P, bool MASTER> struct WeightOf { using type = P; };
template <typename P> struct WeightOf<P, true> { using type = float; };

// P: of params, and without MASTER of weights too. S: of the running means. STORES: a cache hint.
template <typename P, typename G, typename S, Rule RULE, bool MASTER, int STORES> struct Step {
  using W = typename WeightOf<P, MASTER>::type;
  static constexpr bool kSquares = RULE == Rule::kAdamW || RULE == Rule::kAdam;
  const G* grads;
  W* weights;
  S *means, *squares;
  P* params;
  StepNumbers at;

  template <int N> struct Loaded {
    Vec<G, N> g;
    Vec<W, N> w;
    Vec<S, N> m, v;
  };
  template <int N> __device__ __forceinline__ void load(i64 i, Loaded<N>& held) const {
    static_assert(N * sizeof(W) <= 16 && N * sizeof(G) <= 16 && N * sizeof(S) <= 16, "at most 16 bytes an access");
    held.g = wt::load<kDefault, Vec<G, N>>(grads + i);
    held.w = wt::load<kDefault, Vec<W, N>>(weights + i);
    held.m = wt::load<kDefault, Vec<S, N>>(means + i);
    if constexpr (kSquares) held.v = wt::load<kDefault, Vec<S, N>>(squares + i);
  }
  __device__ __forceinline__ void update(float g, float& w, float& m, float& v) const {
    g *= at.scale;
    if constexpr (RULE == Rule::kAdamW)
      w *= at.kept;
    else
      g = fmaf(w, at.decay, g);
    if constexpr (kSquares) {
      m = fmaf(m, at.beta1, g * at.rest1);
      v = fmaf(v, at.beta2, g * g * at.rest2);
      w = fmaf(-at.step, divide_fast(m, fmaf(sqrt_fast(v), at.root, at.eps)), w);
    } else {
      m = fmaf(m, at.momentum, g * at.rest);
      w = fmaf(-at.rate, RULE == Rule::kNesterov ? fmaf(m, at.momentum, g) : m, w);
    }
  }
  template <int N> __device__ __forceinline__ void store(i64 i, const Loaded<N>& held) const {
    float g[N], w[N], m[N], v[N] = {};
    unpack<G, N>(held.g, g);
    unpack<W, N>(held.w, w);
    unpack<S, N>(held.m, m);
    if constexpr (kSquares) unpack<S, N>(held.v, v);
#pragma unroll
    for (int k = 0; k < N; ++k) update(g[k], w[k], m[k], v[k]);
    wt::store<STORES>(weights + i, pack<W, N>(w));
    wt::store<STORES>(means + i, pack<S, N>(m));
    if constexpr (kSquares) wt::store<STORES>(squares + i, pack<S, N>(v));
    if constexpr (MASTER) wt::store<STORES>(params + i, pack<P, N>(w));
  }
};

} // namespace wt
