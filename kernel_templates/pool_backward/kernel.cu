// The gradient of pooling: a thread computes a tile of the image's gradient from the windows that hold its elements. No
// window adds to memory, so each run gives the same bits.
#include "common/windows.cuh"

enum Op : int { kMaxIndex = 1, kMaxPlace, kAverage, kAverageInside }; // as in pool

// N neighbouring places, in accesses of at most 16 bytes.
template <typename I, int N> struct Places {
  static constexpr int kWide = N * sizeof(I) <= 16 ? N : 16 / sizeof(I);
  wt::Vec<I, kWide> some[N / kWide];

  template <int HINT> __device__ __forceinline__ void load(const I* from) {
#pragma unroll
    for (int i = 0; i < N / kWide; ++i) some[i] = wt::load<HINT, wt::Vec<I, kWide>>(from + i * kWide);
  }
  __device__ __forceinline__ int at(int k) const { return static_cast<int>(some[k / kWide].v[k % kWide]); }
};

// A thread has TH x TW elements, in VEC neighbouring channels (CHANNELS_LAST) or one; a load holds LOAD columns of dy,
// a store STORE columns of dx. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CHANNELS_LAST, bool DEEP, bool WIDE, int VEC, int LOAD, int STORE,
          int TH, int TW, int KD, int SD, int PD, int KH, int SH, int PH, int KW, int SW, int PW, int LOADS, int STORES,
          int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_backward(const T* __restrict__ dy, const I* __restrict__ indices, T* __restrict__ dx, int channels, int depth,
                  int height, int width, int out_depth, int out_height, int out_width, i64 threads) {
  using D = wt::Axis<KD, SD, PD>;
  using H = wt::Axis<KH, SH, PH>;
  using W = wt::Axis<KW, SW, PW>;
  using Slices = wt::Covering<D, 1>;
  using Rows = wt::Covering<H, TH>;
  using Columns = wt::Covering<W, TW>;
  static_assert(VEC == 1 || (CHANNELS_LAST && LOAD == 1 && STORE == 1), "a vector is of channels or of columns");
  static_assert(TW % STORE == 0 && (LOAD == 1 || (Columns::kRegular && TW / SW % LOAD == 0)),
                "tiles begin at whole vectors");
  constexpr bool kIsMax = OP == kMaxIndex || OP == kMaxPlace;
  // Windows before the tile's first in its first load; at most kBatch loads are in flight at once.
  constexpr int kN = VEC * LOAD, kLead = LOAD == 1 ? 0 : (Columns::kOffset % LOAD + LOAD) % LOAD;
  constexpr int kLoads = wt::ceil_div(kLead + Columns::kCount, LOAD), kBatch = kLoads < 8 ? kLoads : 4;
  constexpr bool kIsSmall = Rows::kCount * kLoads <= 32;
  using Index = typename wt::IndexOf<WIDE>::type;
  const i64 i = i64(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= threads) return;
  const wt::TilePlace<CHANNELS_LAST, DEEP, Index> tile(Index(i), channels / VEC, (width + TW - 1) / TW,
                                                       (height + TH - 1) / TH, depth);
  const int pitch = CHANNELS_LAST ? channels : 1, channel = tile.group * VEC;

  float sum[TH][TW][VEC] = {};
#pragma unroll(DEEP ? 1 : Slices::kCount)
  for (int z = 0; z < Slices::kCount; ++z) {
    const int slice = DEEP ? Slices::first(tile.depth) + z : 0, kd = DEEP ? Slices::place(tile.depth, 0, z) : 0;
    if (DEEP && (static_cast<u32>(slice) >= static_cast<u32>(out_depth) || kd < 0 || kd >= KD)) continue;
#pragma unroll(kIsSmall ? Rows::kCount : 1)
    for (int a = 0; a < Rows::kCount; ++a) {
      const int row = Rows::first(tile.row) + a;
      const bool exists = static_cast<u32>(row) < static_cast<u32>(out_height);
      const i64 line = ((i64(tile.image) * out_depth + slice) * out_height + row) * out_width * pitch + channel;
      float part[TW][VEC] = {}; // of an average: of this row of windows
#pragma unroll(kLoads <= 32 ? kLoads : 1)
      for (int first = 0; first < kLoads; first += kBatch) {
        const int column = Columns::first(tile.column) - kLead + first * LOAD;
        wt::Vec<T, kN> held[kBatch];
        Places<I, kN> places[kBatch];
        wt::load_columns<LOADS, LOAD>(dy + line, exists, column, out_width, pitch, wt::from_float<T>(0.0f), held);
        if constexpr (kIsMax) {
#pragma unroll
          for (int l = 0; l < kBatch; ++l)
            if (exists && static_cast<u32>(column + l * LOAD) < static_cast<u32>(out_width))
              places[l].template load<LOADS>(indices + line + i64(column + l * LOAD) * pitch);
        }
#pragma unroll
        for (int l = 0; l < kBatch; ++l) {
          float v[kN];
          wt::unpack<T, kN>(held[l], v);
#pragma unroll
          for (int e = 0; e < LOAD; ++e) {
            const int window = (first + l) * LOAD + e - kLead, at = column + l * LOAD + e;
            const bool is_real = exists && static_cast<u32>(at) < static_cast<u32>(out_width);
            float factor = 1;
            if constexpr (!kIsMax) {
              constexpr bool kPadded = OP == kAverage;
              const int count = D::template count<kPadded>(slice, depth) * H::template count<kPadded>(row, height) *
                                W::template count<kPadded>(at, width);
              factor = is_real ? __fdividef(1.0f, static_cast<float>(count)) : 0.0f;
            }
#pragma unroll
            for (int c = 0; c < TW; ++c) {
              const int kw = Columns::place(tile.column, c, window);
              if (window < 0 || kw < 0 || kw >= KW) continue;
              if constexpr (kIsMax) {
#pragma unroll
                for (int r = 0; r < TH; ++r) {
                  const int kh = Rows::place(tile.row, r, a);
                  if (kh < 0 || kh >= KH) continue;
                  const int own = OP == kMaxPlace
                                      ? (kd * KH + kh) * KW + kw
                                      : (tile.depth * height + tile.row * TH + r) * width + tile.column * TW + c;
#pragma unroll
                  for (int k = 0; k < VEC; ++k)
                    if (is_real && places[l].at(e * VEC + k) == own) sum[r][c][k] += v[e * VEC + k];
                }
              } else {
#pragma unroll
                for (int k = 0; k < VEC; ++k) part[c][k] = fmaf(v[e * VEC + k], factor, part[c][k]);
              }
            }
          }
        }
      }
      if constexpr (!kIsMax) {
#pragma unroll
        for (int r = 0; r < TH; ++r) {
          const int kh = Rows::place(tile.row, r, a);
          if (kh < 0 || kh >= KH) continue;
#pragma unroll
          for (int c = 0; c < TW * VEC; ++c) sum[r][c / VEC][c % VEC] += part[c / VEC][c % VEC];
        }
      }
    }
  }

#pragma unroll
  for (int r = 0; r < TH; ++r) {
    const int row = tile.row * TH + r;
    if (row >= height) break;
    const i64 line = ((i64(tile.image) * depth + tile.depth) * height + row) * width;
#pragma unroll
    for (int c = 0; c < TW; c += STORE) {
      const int column = tile.column * TW + c;
      if (column >= width) break;
      float results[VEC * STORE];
#pragma unroll
      for (int k = 0; k < VEC * STORE; ++k) results[k] = sum[r][c + k / VEC][k % VEC];
      wt::store<STORES>(dx + (line + column) * pitch + channel, wt::pack<T, VEC * STORE>(results));
    }
  }
}
