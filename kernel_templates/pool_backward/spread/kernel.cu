// The gradient of an average over the whole image, channels innermost: each pixel gets the same share. No search for
// windows, only stores.
#include "common/broadcast.cuh"

// A thread writes VEC neighbouring channels of PIXELS neighbouring pixels. `groups`: of VEC channels. `pieces`: of
// PIXELS pixels in an image.
template <typename T, int VEC, int PIXELS, bool WIDE, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    spread_average(const T* __restrict__ dy, T* __restrict__ dx, int groups, int pixels, int pieces, i64 threads) {
  using Index = typename wt::IndexOf<WIDE>::type;
  const i64 i = i64(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= threads) return;
  const Index line = Index(i) / Index(groups), image = line / Index(pieces);
  const i64 channel = i64(Index(i) - line * Index(groups)) * VEC, pitch = i64(groups) * VEC;
  const int first = static_cast<int>(line - image * Index(pieces)) * PIXELS;
  float v[VEC];
  wt::unpack<T, VEC>(wt::load<wt::kDefault, wt::Vec<T, VEC>>(dy + i64(image) * pitch + channel), v);
  const float share = __fdividef(1.0f, static_cast<float>(pixels));
#pragma unroll
  for (int k = 0; k < VEC; ++k) v[k] *= share;
  const wt::Vec<T, VEC> result = wt::pack<T, VEC>(v);
  T* const to = dx + (i64(image) * pixels + first) * pitch + channel;
#pragma unroll
  for (int p = 0; p < PIXELS; ++p)
    if (first + p < pixels) wt::store<STORES>(to + p * pitch, result);
}
