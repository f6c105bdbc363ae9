// Pooling of bands of rows that a block holds in shared memory, where channels are innermost: elements that windows
// share are read from global memory once.
#include "common/async.cuh"
#include "common/early.cuh"
#include "staged_tile.cuh"

// Begins to copy CHANNELS neighbouring channels of ROWS x COLUMNS pixels of an image, from row h0 and column w0 on, to
// shared memory: async_copy_wait_all() and a barrier end it. Pixels outside the image become `outside`.
template <int CHANNELS, int ROWS, int COLUMNS, int HEIGHT, int WIDTH, int BLOCK, typename T>
__device__ __forceinline__ void copy_band(T* shared, const T* image, int h0, int w0, int channels, T outside) {
  using V = wt::Vec<T, 16 / sizeof(T)>;
  constexpr int kVec = 16 / sizeof(T), kAcross = CHANNELS / kVec;
  static_assert(CHANNELS % kVec == 0, "whole vectors");
  V filling;
#pragma unroll
  for (int k = 0; k < kVec; ++k) filling.v[k] = outside;
  for (int i = threadIdx.x; i < ROWS * COLUMNS * kAcross; i += BLOCK) {
    const int h = h0 + i / (COLUMNS * kAcross), w = w0 + i / kAcross % COLUMNS;
    if (static_cast<u32>(h) < static_cast<u32>(HEIGHT) && static_cast<u32>(w) < static_cast<u32>(WIDTH))
      wt::async_copy<16>(wt::shared_address(shared + i * kVec),
                         image + (i64(h) * WIDTH + w) * channels + i % kAcross * kVec);
    else
      *reinterpret_cast<V*>(shared + i * kVec) = filling;
  }
}

// A block has BAND rows of windows in CHANNELS neighbouring channels; a thread has tiles of TH x TW windows in VEC
// channels. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CEIL, int CHANNELS, int VEC, int BAND, int HEIGHT, int WIDTH, int OUT_H,
          int OUT_W, int TH, int TW, int KH, int SH, int PH, int KW, int SW, int PW, int STORES, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_bands(const T* __restrict__ x, T* __restrict__ y, I* __restrict__ indices, i64 images, int channels) {
  wt::wait_for_earlier_work();
  using H = wt::Axis<KH, SH, PH>;
  using W = wt::Axis<KW, SW, PW>;
  constexpr int kLanes = CHANNELS / VEC, kAcross = wt::ceil_div(OUT_W, TW), kBands = wt::ceil_div(OUT_H, BAND);
  // The pixels of a band: all that its tiles read, in the image or not.
  constexpr int kRows = (wt::ceil_div(BAND < OUT_H ? BAND : OUT_H, TH) * TH - 1) * SH + KH;
  constexpr int kColumns = (kAcross * TW - 1) * SW + KW, kRow = kColumns * CHANNELS;
  using Tile = StagedTile<T, OP, CEIL, VEC, CHANNELS, kRow, HEIGHT, WIDTH, TH, TW, H, W, true, true>;
  static_assert(BAND % TH == 0, "a band is whole tiles");
  extern __shared__ __align__(16) u8 memory[];
  T* const held = reinterpret_cast<T*>(memory);
  const int groups = channels / CHANNELS, group = blockIdx.x % groups, band = blockIdx.x / groups % kBands;
  const i64 image = blockIdx.x / groups / kBands;
  if (image >= images) return; // the one block of a batch without images
  const int begin = band * BAND, end = min(begin + BAND, OUT_H);
  copy_band<CHANNELS, kRows, kColumns, HEIGHT, WIDTH, BLOCK>(held,
                                                             x + image * HEIGHT * WIDTH * channels + group * CHANNELS,
                                                             H::start(begin), W::start(0), channels, outside<OP, T>());
  wt::async_copy_wait_all();
  __syncthreads();
  for (int i = threadIdx.x; i < wt::ceil_div(end - begin, TH) * kAcross * kLanes; i += BLOCK) {
    const int channel = i % kLanes * VEC, across = i / kLanes % kAcross, down = i / (kLanes * kAcross);
    Tile tile(held + channel + (down * TH * SH) * kRow + (across * TW * SW) * CHANNELS, begin + down * TH, across * TW);
    tile.template finish<OUT_H, OUT_W>([&](int t, int c, const Pooled<OP, T, VEC>& one) {
      const i64 to = ((image * OUT_H + tile.row + t) * OUT_W + tile.column + c) * channels + group * CHANNELS + channel;
      wt::store<STORES>(y + to, one.result());
      if constexpr (has_place(OP)) {
        I places[VEC];
#pragma unroll
        for (int k = 0; k < VEC; ++k) places[k] = static_cast<I>(one.place[k]);
        store_places(indices + to, places);
      }
    });
  }
}
