// Pooling: a thread computes a tile of windows from registers. It reads each row of its tile once, and windows that
// overlap those of its neighbours come from the caches.
#include "common/early_next.cuh"
#include "places_tile.cuh"

// A thread has TH x TW windows, in VEC neighbouring channels (CHANNELS_LAST) or one; a load holds LOAD columns, a store
// STORE columns of results. K, S, P: the window, stride and padding along each axis.
template <typename T, typename I, int OP, bool CHANNELS_LAST, bool DEEP, bool WIDE, int VEC, int LOAD, int STORE,
          int TH, int TW, int KD, int SD, int PD, int KH, int SH, int PH, int KW, int SW, int PW, int LOADS, int STORES,
          int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    pool_windows(const T* __restrict__ x, T* __restrict__ y, I* __restrict__ indices, int channels, int depth,
                 int height, int width, int out_depth, int out_height, int out_width, i64 threads) {
  wt::let_next_start();
  using D = wt::Axis<KD, SD, PD>;
  using H = wt::Axis<KH, SH, PH>;
  using W = wt::Axis<KW, SW, PW>;
  static_assert(VEC == 1 || (CHANNELS_LAST && LOAD == 1 && STORE == 1), "a vector is of channels or of columns");
  static_assert(TW % STORE == 0 && (TW * W::STRIDE) % LOAD == 0, "tiles begin at whole vectors");
  constexpr int kN = VEC * LOAD, kRows = (TH - 1) * H::STRIDE + H::SIZE;
  // The tile's columns, and those before it in its first load; at most kBatch loads are in flight at once.
  constexpr int kLead = (LOAD - W::PAD % LOAD) % LOAD, kColumns = kLead + (TW - 1) * W::STRIDE + W::SIZE;
  constexpr int kLoads = wt::ceil_div(kColumns, LOAD), kBatch = kLoads < 10 ? kLoads : 8;
  constexpr bool kIsSmall = kRows * kLoads <= 64;
  // An element outside the image is no more than the nearest inside, which is in the same windows.
  constexpr bool kNearest = OP == kMax;
  // For columns that fit in registers.
  constexpr bool kColumnsFirst = OP == kMax && sizeof(T) == 2 && LOAD > 1 && TH * kLoads * LOAD <= 128;
  // For elements that fit in registers.
  constexpr bool kPlacesLast =
      has_place(OP) && sizeof(T) == 2 && VEC % 2 == 0 && KD == 1 && kRows * kLoads * VEC <= 128;
  using Tile = WindowTile<kColumnsFirst || kPlacesLast, T, OP, VEC, LOAD, kLoads, kLead, TH, TW, H, W>;
  using Index = typename wt::IndexOf<WIDE>::type;
  const i64 i = i64(blockIdx.x) * BLOCK + threadIdx.x;
  const wt::TilePlace<CHANNELS_LAST, DEEP, Index> tile(Index(i), channels / VEC, (out_width + TW - 1) / TW,
                                                       (out_height + TH - 1) / TH, out_depth);
  wt::wait_for_earlier_work_after(tile.group ^ tile.column ^ tile.row ^ tile.depth ^ static_cast<int>(tile.image));
  if (i >= threads) return;
  const int pitch = CHANNELS_LAST ? channels : 1, channel = tile.group * VEC;
  const int d0 = D::start(tile.depth), h0 = H::start(tile.row * TH), w0 = W::start(tile.column * TW);

  int firsts[TH][TW]; // places
#pragma unroll
  for (int r = 0; r < TH; ++r)
#pragma unroll
    for (int c = 0; c < TW; ++c)
      firsts[r][c] = (D::first_place(tile.depth) * H::SIZE + H::first_place(tile.row * TH + r)) * W::SIZE +
                     W::first_place(tile.column * TW + c);
  Tile out(firsts);
#pragma unroll(DEEP ? 1 : D::SIZE)
  for (int kd = 0; kd < D::SIZE; ++kd) {
    const int d = kNearest ? min(max(d0 + kd, 0), depth - 1) : d0 + kd;
    const bool slice_exists = !DEEP || kNearest || static_cast<u32>(d) < static_cast<u32>(depth);
#pragma unroll(kIsSmall ? kRows : 1)
    for (int r = 0; r < kRows; ++r) {
      const int h = kNearest ? min(max(h0 + r, 0), height - 1) : h0 + r;
      const bool exists = slice_exists && (kNearest || static_cast<u32>(h) < static_cast<u32>(height));
      const T* const row = x + ((i64(tile.image) * depth + d) * height + h) * width * pitch + channel;
      out.begin_row();
#pragma unroll(kLoads <= 32 ? kLoads : 1)
      for (int first = 0; first < kLoads; first += kBatch) {
        wt::Vec<T, kN> held[kBatch];
        if constexpr (kNearest && LOAD == 1)
#pragma unroll
          for (int l = 0; l < kBatch; ++l)
            held[l] = wt::load<LOADS, wt::Vec<T, kN>>(row + i64(min(max(w0 + first + l, 0), width - 1)) * pitch);
        else
          wt::load_columns<LOADS, LOAD>(row, exists, w0 - kLead + first * LOAD, width, pitch, outside<OP, T>(), held);
#pragma unroll
        for (int l = 0; l < kBatch; ++l) out.add(r, first + l, held[l]);
      }
      out.end_row(r, kd * H::SIZE * W::SIZE);
    }
  }

#pragma unroll
  for (int t = 0; t < TH; ++t) {
    const int row = tile.row * TH + t;
    if (row >= out_height) break;
    const i64 line = ((i64(tile.image) * out_depth + tile.depth) * out_height + row) * out_width;
#pragma unroll
    for (int c = 0; c < TW; c += STORE) {
      const int column = tile.column * TW + c;
      if (column >= out_width) break;
      const i64 to = (line + column) * pitch + channel;
      if constexpr (kColumnsFirst) {
        wt::store<STORES>(y + to, out.template result<STORE>(t, c));
      } else {
        typename Tile::Windows::V results[Tile::Windows::kCount * STORE];
        I places[VEC * STORE];
#pragma unroll
        for (int e = 0; e < STORE; ++e) {
          auto one = out.window(t, c + e);
          if constexpr (is_average(OP)) {
            constexpr bool kPadded = OP == kAverage;
            const int count = D::template count<kPadded>(tile.depth, depth) * H::template count<kPadded>(row, height) *
                              W::template count<kPadded>(column + e, width);
            one.scale(__fdividef(1.0f, static_cast<float>(count)));
          }
#pragma unroll
          for (int k = 0; k < one.kCount; ++k) results[e * one.kCount + k] = one.v[k];
#pragma unroll
          for (int k = 0; k < VEC; ++k) {
            const int place = one.place[k], kw = place % W::SIZE, kh = place / W::SIZE % H::SIZE;
            const int kd = place / (W::SIZE * H::SIZE);
            places[e * VEC + k] = OP == kMaxPlace
                                      ? static_cast<I>(place)
                                      : static_cast<I>((i64(d0 + kd) * height + (h0 + t * H::STRIDE + kh)) * width +
                                                       (w0 + (c + e) * W::STRIDE + kw));
          }
        }
        wt::store<STORES>(y + to, pack<T, VEC * STORE>(results));
        if constexpr (has_place(OP)) store_places(indices + to, places);
      }
    }
  }
}
