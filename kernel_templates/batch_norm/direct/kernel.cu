// Batch normalisation of small images in inference, where latency is most of the time: a thread loads its elements at
// once, and what belongs to their channels at the same time. The grid has a dimension for channels, so that no index is
// divided by a number that the compiler does not know.
#include "batch_norm.cuh"
#include "common/channel_floats.cuh"
#include "common/early.cuh"

// Vectors of elements of x and the residual at first, first + step, ..., as many as `exists` says.
template <typename T, bool RESIDUAL, int VEC, int COUNT> struct Elements {
  using V = wt::Vec<T, VEC>;
  V x[COUNT], residual[RESIDUAL ? COUNT : 1];

  template <typename Exists>
  __device__ __forceinline__ Elements(const T* all_x, const T* all_residual, int first, int step,
                                      const Exists& exists) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      if (!exists(i)) continue;
      x[i] = wt::load<wt::kDefault, V>(all_x + first + i * step);
      if constexpr (RESIDUAL) residual[i] = wt::load<wt::kDefault, V>(all_residual + first + i * step);
    }
  }
  // of(k): the coefficients of element k of a vector.
  template <bool RELU, typename Exists, typename Of>
  __device__ __forceinline__ void store(T* y, int first, int step, const Exists& exists, const Of& of) const {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      if (!exists(i)) continue;
      float v[VEC], added[VEC] = {};
      wt::unpack<T, VEC>(x[i], v);
      if constexpr (RESIDUAL) wt::unpack<T, VEC>(residual[i], added);
#pragma unroll
      for (int k = 0; k < VEC; ++k) v[k] = activate<RELU>(of(k).normalise(v[k]) + added[k]);
      wt::store<wt::kDefault>(y + first + i * step, wt::pack<T, VEC>(v));
    }
  }
};

// Channels are innermost: X threads side by side, and COUNT rows of pixels a thread.
template <typename T, bool RESIDUAL, bool RELU, int X, int Y, int VEC, int COUNT>
__global__ void __launch_bounds__(X* Y)
    normalise_small_rows(const T* __restrict__ x, const T* __restrict__ residual, const float* __restrict__ weight,
                         const float* __restrict__ bias, const float* __restrict__ mean,
                         const float* __restrict__ variance, T* __restrict__ y, float eps, int rows, int channels) {
  wt::wait_for_earlier_work();
  const int channel = static_cast<int>(blockIdx.y * X + threadIdx.x % X) * VEC,
            row = static_cast<int>(blockIdx.x) * Y * COUNT + static_cast<int>(threadIdx.x) / X;
  if (channel >= channels) return;
  const int first = row * channels + channel, step = Y * channels;
  const auto exists = [&](int i) { return row + i * Y < rows; };
  const Elements<T, RESIDUAL, VEC, COUNT> held(x, residual, first, step, exists);
  float w[VEC], b[VEC], centre[VEC], spread[VEC];
  wt::load_floats(variance + channel, spread);
  wt::load_floats(weight + channel, w);
  wt::load_floats(mean + channel, centre);
  wt::load_floats(bias + channel, b);
#pragma unroll
  for (int k = 0; k < VEC; ++k) w[k] *= rsqrtf(spread[k] + eps);
  held.template store<RELU>(y, first, step, exists, [&](int k) { return Coefficients{centre[k], w[k], b[k]}; });
}

// Planes of one channel, of whole vectors: a block works on a part of one plane.
template <typename T, bool RESIDUAL, bool RELU, int THREADS, int VEC, int COUNT>
__global__ void __launch_bounds__(THREADS)
    normalise_small_planes(const T* __restrict__ x, const T* __restrict__ residual, const float* __restrict__ weight,
                           const float* __restrict__ bias, const float* __restrict__ mean,
                           const float* __restrict__ variance, T* __restrict__ y, float eps, int channels, int pixels) {
  wt::wait_for_earlier_work();
  constexpr int kStep = THREADS * VEC;
  const int channel = blockIdx.y, pixel = static_cast<int>(blockIdx.x) * kStep * COUNT + threadIdx.x * VEC;
  const int first = static_cast<int>(blockIdx.z * channels + blockIdx.y) * pixels + pixel;
  const auto exists = [&](int i) { return pixel + i * kStep < pixels; };
  const Elements<T, RESIDUAL, VEC, COUNT> held(x, residual, first, kStep, exists);
  const Coefficients own = Channels<false>{mean, variance, weight, bias, eps}.of(channel);
  held.template store<RELU>(y, first, kStep, exists, [&](int) { return own; });
}
