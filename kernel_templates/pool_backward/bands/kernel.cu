// The gradient of pooling in bands of rows, where channels are innermost: a block holds the windows of a band in shared
// memory, so gradients and places that several elements need are read from global memory once.
#include "common/band.cuh"
#include "staged_tile.cuh"

// A block has BAND rows of dx in CHANNELS neighbouring channels; a thread has tiles of TH x TW elements in VEC
// channels. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CEIL, int CHANNELS, int VEC, int BAND, int WINDOW_ROWS, int HEIGHT,
          int WIDTH, int OUT_H, int OUT_W, int TH, int TW, int KH, int SH, int PH, int KW, int SW, int PW, int STORES,
          int BLOCK>
__global__ void __launch_bounds__(BLOCK) pool_backward_bands(const T* __restrict__ dy, const I* __restrict__ indices,
                                                             T* __restrict__ dx, i64 images, int channels) {
  using H = wt::Axis<KH, SH, PH>;
  using Tile = GradientTile<T, I, OP, CEIL, VEC, CHANNELS, HEIGHT, WIDTH, OUT_W, TH, TW, H, wt::Axis<KW, SW, PW>>;
  constexpr int kLanes = CHANNELS / VEC, kAcross = wt::ceil_div(WIDTH, TW), kBands = wt::ceil_div(HEIGHT, BAND);
  constexpr int kHeld = WINDOW_ROWS * OUT_W * CHANNELS;
  static_assert(BAND % TH == 0, "a band is whole tiles");
  extern __shared__ __align__(16) u8 memory[];
  T* const held = reinterpret_cast<T*>(memory);
  I* const places = reinterpret_cast<I*>(memory + sizeof(T) * kHeld);
  const int groups = channels / CHANNELS, group = blockIdx.x % groups, band = blockIdx.x / groups % kBands;
  const i64 image = blockIdx.x / groups / kBands;
  if (image >= images) return; // the one block of a batch without images
  const int begin = band * BAND, end = min(begin + BAND, HEIGHT);
  // The windows that hold rows of the band.
  const int first = max(wt::Covering<H, BAND>::first(band), 0), rows = min((end - 1 + PH) / SH + 1, OUT_H) - first;
  const i64 from = (image * OUT_H + first) * OUT_W * channels + group * CHANNELS;
  wt::copy_band<CHANNELS, BLOCK>(held, dy + from, rows * OUT_W, channels);
  if constexpr (is_maximum(OP)) wt::copy_band<CHANNELS, BLOCK>(places, indices + from, rows * OUT_W, channels);
  wt::async_copy_wait_all();
  __syncthreads();
  for (int i = threadIdx.x; i < wt::ceil_div(end - begin, TH) * kAcross * kLanes; i += BLOCK) {
    const int channel = i % kLanes * VEC, column = i / kLanes % kAcross; // column and row: of the tile, in tiles
    const int row = begin / TH + i / (kLanes * kAcross);
    const Tile tile(held + channel, places + channel, row, column, first, rows);
#pragma unroll
    for (int r = 0; r < TH; ++r) {
      if (row * TH + r >= end) break;
#pragma unroll
      for (int c = 0; c < TW; ++c) {
        if (column * TW + c >= WIDTH) break;
        const i64 to = ((image * HEIGHT + row * TH + r) * WIDTH + column * TW + c) * channels + group * CHANNELS;
        wt::store<STORES>(dx + to + channel, wt::pack<T, VEC>(tile.sums[r][c]));
      }
    }
  }
}
