// Pooling of bands of rows that a block holds in shared memory, where channels are innermost: elements that windows
// share are read from global memory once.
#include "common/band.cuh"
#include "staged_tile.cuh"

// A block has BAND rows of windows in CHANNELS neighbouring channels; a thread has tiles of TH x TW windows in VEC
// channels. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CEIL, int CHANNELS, int VEC, int BAND, int HEIGHT, int WIDTH, int OUT_H,
          int OUT_W, int TH, int TW, int KH, int SH, int PH, int KW, int SW, int PW, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_bands(const T* __restrict__ x, T* __restrict__ y, I* __restrict__ indices, i64 images, int channels) {
  using H = wt::Axis<KH, SH, PH>;
  constexpr int kLanes = CHANNELS / VEC, kAcross = wt::ceil_div(OUT_W, TW), kBands = wt::ceil_div(OUT_H, BAND);
  constexpr bool kColumnsExist = PW == 0 && kAcross * TW * SW - SW + KW <= WIDTH;
  using Tile =
      StagedTile<T, OP, CEIL, VEC, CHANNELS, HEIGHT, WIDTH, TH, TW, H, wt::Axis<KW, SW, PW>, false, kColumnsExist>;
  static_assert(BAND % TH == 0, "a band is whole tiles");
  extern __shared__ __align__(16) u8 memory[];
  T* const held = reinterpret_cast<T*>(memory);
  const int groups = channels / CHANNELS, group = blockIdx.x % groups, band = blockIdx.x / groups % kBands;
  const i64 image = blockIdx.x / groups / kBands;
  if (image >= images) return; // the one block of a batch without images
  const int begin = band * BAND, end = min(begin + BAND, OUT_H);
  const int first = max(H::start(begin), 0), rows = min(H::start(end - 1) + KH, HEIGHT) - first;
  wt::copy_band<CHANNELS, BLOCK>(held, x + (image * HEIGHT + first) * WIDTH * channels + group * CHANNELS, rows * WIDTH,
                                 channels);
  wt::async_copy_wait_all();
  __syncthreads();
  for (int i = threadIdx.x; i < wt::ceil_div(end - begin, TH) * kAcross * kLanes; i += BLOCK) {
    const int channel = i % kLanes * VEC, across = i / kLanes % kAcross, down = i / (kLanes * kAcross);
    Tile tile(held + channel, begin + down * TH, across * TW, first, rows);
    tile.finish(end, OUT_W, [&](int t, int c, const Pooled<OP, VEC>& one) {
      const i64 to = ((image * OUT_H + tile.row + t) * OUT_W + tile.column + c) * channels + group * CHANNELS + channel;
      wt::store<STORES>(y + to, wt::pack<T, VEC>(one.v));
      if constexpr (has_place(OP)) {
        I places[VEC];
#pragma unroll
        for (int k = 0; k < VEC; ++k) places[k] = static_cast<I>(one.place[k]);
        store_places(indices + to, places);
      }
    });
  }
}
