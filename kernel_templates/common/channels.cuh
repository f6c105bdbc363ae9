// The channels of images, for sums over all elements of a channel: which elements a thread works on, where channels are
// innermost (ChannelRows) or planes of one channel (ChannelPlanes), and how the parts of threads and blocks become one.
// All orders are fixed, so that the same launch gives the same bits each time.
#pragma once

#include "common/moments.cuh"
#include "common/row_exchange.cuh"

namespace wt {

// A thread's share [first, end) of n.
__device__ __forceinline__ i64 share_begin(i64 n, int part, int parts) {
  return n / parts * part + min(n % parts, i64(part));
}

// X threads cover X * VEC neighbouring channels, and Y of them take turns at the rows of a block: its share of all
// rows.
template <int X, int Y, int VEC> struct ChannelRows {
  int turn, channel, channels;
  i64 first, end; // rows

  __device__ __forceinline__ ChannelRows(int tile, int part, int parts, i64 rows, int channels_) : channels(channels_) {
    turn = threadIdx.x / X;
    channel = (tile * X + static_cast<int>(threadIdx.x) % X) * VEC;
    first = share_begin(rows, part, parts);
    end = exists() ? share_begin(rows, part + 1, parts) : first;
  }
  __device__ __forceinline__ bool exists() const { return channel < channels; }
  // load(i, held) and use(i, held) for the vector at element i, BATCH loads at a time. REVERSED: the last rows first,
  // so that what another launch read last comes from the L2.
  template <int BATCH, bool REVERSED, typename Held, typename Load, typename Use>
  __device__ __forceinline__ void each(const Load& load, const Use& use) const {
    const auto element = [&](i64 row) { return (REVERSED ? end - 1 - row : first + row) * channels + channel; };
    for (i64 row = turn; row < end - first; row += BATCH * Y) {
      Held held[BATCH];
#pragma unroll
      for (int b = 0; b < BATCH; ++b)
        if (row + b * Y < end - first) load(element(row + b * Y), held[b]);
#pragma unroll
      for (int b = 0; b < BATCH; ++b)
        if (row + b * Y < end - first) use(element(row + b * Y), held[b]);
    }
  }
  // The parts of all turns; valid in the first. Every thread of the block calls it.
  template <typename Part> __device__ __forceinline__ void merge(Part (&part)[VEC]) const {
    static_assert(is_pow2(Y), "turns are merged by halves");
    __shared__ __align__(16) u8 memory[(Y > 1 ? Y / 2 : 1) * VEC * X * sizeof(Part)];
    const auto upper = reinterpret_cast<Part(*)[VEC][X]>(memory);
    const int lane = threadIdx.x % X;
#pragma unroll
    for (int half = Y / 2; half > 0; half /= 2) {
      if (turn >= half && turn < 2 * half)
#pragma unroll
        for (int k = 0; k < VEC; ++k) upper[turn - half][k][lane] = part[k];
      __syncthreads();
      if (turn < half)
#pragma unroll
        for (int k = 0; k < VEC; ++k) part[k].merge(upper[turn][k][lane]);
      __syncthreads();
    }
  }
};

// TPC threads share the planes of a channel, CPB channels a block. Blocks take turns at the images, so that together
// they read the tensor from its begin to its end.
template <typename T, int TPC, int CPB, int VEC, bool ALIGNED> struct ChannelPlanes {
  using Plane = Row<T, VEC, ALIGNED>;
  RowPlace<TPC, CPB, 1> place;
  int channel, channels, pixels, chunks;
  int step;               // of images
  i64 first, count, size; // images; of the tensor in elements

  __device__ __forceinline__ ChannelPlanes(int tile, int part, int parts, i64 images, int channels_, int pixels_)
      : channels(channels_), pixels(pixels_), step(parts), first(part) {
    channel = tile * CPB + place.row_in_block;
    chunks = (pixels / VEC + (ALIGNED ? 0 : 2) + TPC - 1) / TPC; // a plane may begin and end inside a vector
    count = exists() && part < images ? (images - 1 - part) / parts + 1 : 0;
    size = images * channels * pixels;
  }
  __device__ __forceinline__ bool exists() const { return channel < channels; }
  // load(i, held) for the vector at element i; load_one(i, held, k) for its element k, where the vector is not inside
  // the tensor; use(held, plane, v): vector v of the plane, whose elements may be of others.
  template <int BATCH, typename Held, typename Load, typename LoadOne, typename Use>
  __device__ __forceinline__ void each(const Load& load, const LoadOne& load_one, const Use& use) const {
    const i64 runs = count * chunks;
    for (i64 run = 0; run < runs; run += BATCH) {
      Held held[BATCH];
      const auto with_plane = [&](int b, const auto& work) {
        const i64 image = chunks == 1 ? run + b : (run + b) / chunks;
        const int v = place.thread + static_cast<int>(run + b - image * chunks) * TPC;
        const Plane plane((first + image * step) * channels + channel, pixels);
        if (run + b < runs && v < plane.vectors) work(plane, v);
      };
#pragma unroll
      for (int b = 0; b < BATCH; ++b)
        with_plane(b, [&](const Plane& plane, int v) {
          const i64 i = plane.first + i64(v) * VEC;
          if (ALIGNED || i + VEC <= size) {
            load(i, held[b]);
          } else {
#pragma unroll
            for (int k = 0; k < VEC; ++k)
              if (i + k < size) load_one(i + k, held[b], k);
          }
        });
#pragma unroll
      for (int b = 0; b < BATCH; ++b) with_plane(b, [&](const Plane& plane, int v) { use(held[b], plane, v); });
    }
  }
};

// A sum of many numbers whose error does not grow with their count (Kahan 1965).
struct LongSum {
  float sum = 0, excess = 0; // what rounding added to the sum

  __device__ __forceinline__ void operator+=(float v) {
    const float wanted = v - excess, next = sum + wanted;
    excess = (next - sum) - wanted;
    sum = next;
  }
  __device__ __forceinline__ operator float() const { return sum - excess; }
};

// The moments of some numbers near each other, from sums of their distances to the first one: three operations a
// number. If it is far from the others, their spread is small against its own share of the variance. A few numbers are
// added before they are folded into a Total (float or LongSum): rounding a long sum of 16-bit numbers is biased, by
// 1e-5 of the variance after 10,000 of them.
template <typename Total> struct ShiftedMoments {
  float shift = 0, sum = 0, squares = 0;
  Total total = {}, total_squares = {};

  __device__ __forceinline__ void add(float v, bool is_first) {
    shift = is_first ? v : shift;
    const float apart = v - shift;
    sum += apart;
    squares = fmaf(apart, apart, squares);
  }
  __device__ __forceinline__ void fold() {
    total += sum;
    total_squares += squares;
    sum = squares = 0;
  }
  __device__ __forceinline__ Moments of(int count) {
    fold();
    Moments all;
    if (count == 0) return all;
    const float whole = total, middle = __fdividef(whole, static_cast<float>(count)),
                rest = fmaf(-whole, middle, total_squares);
    all.count = static_cast<float>(count);
    all.mean = shift + middle;
    all.squares = rest < 0 ? 0.0f : rest; // NaN stays NaN
    return all;
  }
};

// The whole of one of 8 neighbouring channels from its parts, by 32 of 256 threads; valid in the first 8. The parts of
// a channel are `step` apart.
template <typename Part> __device__ __forceinline__ Part merge_channel_parts(const Part* parts, int count, i64 step) {
  __shared__ __align__(16) u8 memory[32 * 8 * sizeof(Part)];
  const auto slots = reinterpret_cast<Part(*)[8]>(memory);
  const int lane = threadIdx.x % 8, turn = threadIdx.x / 8;
  Part all;
#pragma unroll 4
  for (int part = turn; part < count; part += 32) all.merge(parts[part * step]);
  slots[turn][lane] = all;
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    __syncthreads();
    if (turn < half) {
      all.merge(slots[turn + half][lane]);
      slots[turn][lane] = all;
    }
  }
  return all;
}

} // namespace wt
