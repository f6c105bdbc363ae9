// Row softmax, y = exp(x - max) / sum, or its logarithm. Memory-bound: the row must be read once, kept
// somewhere until its maximum and its sum are known, and written once. Where it is kept is MODE:
//   kRegisters  each thread holds its part of the row; rows of any alignment
//   kShared     the copy engine fills a ring of row slots in shared memory ahead of a persistent block
//   kStream     like kShared, but the ring holds chunks of rows and a warp of its own keeps it full: the next row
//   arrives
//               chunk by chunk while this one leaves, so rows of most of the shared memory still overlap
//   kTwoPass    nowhere: an online maximum and sum, then the row is read again, from the L2 if it is still
//   there
// A row can be spread over the blocks of a cluster, which exchange (maximum, sum) through distributed shared
// memory; a row of hundreds of KiB then fits the registers or the shared memory of several SMs and is still
// read once.
#include "common/async.cuh"
#include "common/reduce.cuh"
#include "common/vec.cuh"

enum Mode : int { kRegisters = 0, kShared = 1, kTwoPass = 2, kStream = 3 };

constexpr float kLog2e = 1.4426950408889634f;

__device__ __forceinline__ float minus_infinity() { return __int_as_float(0xff800000); }

// The part of a row seen so far: sum of 2^(x * log2(e) - shift(max)).
struct State {
  float max, sum;
};

// The exponent's offset. A part without a finite element has nothing to subtract from; 0 makes its sum 0
// instead of NaN. Rounded here and never fused into a subtraction: the offsets of a part and of the whole with
// the same maximum have to be the same number, or each merge would add the rounding of large logits anew.
__device__ __forceinline__ float shift(float max) { return max == minus_infinity() ? 0.0f : __fmul_rn(max, kLog2e); }

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// What a part's sum counts for in a whole with a larger maximum. An empty part's offset is arbitrary: it
// counts nothing.
__device__ __forceinline__ float weight(float part_max, float whole_max) {
  return part_max == minus_infinity() ? 0.0f : exp2_fast(shift(part_max) - shift(whole_max));
}

template <typename T> struct PairOf { using type = __nv_bfloat162; };
template <> struct PairOf<__half> { using type = __half2; };

// Maximum of a vector. fmax drops a NaN; the sum keeps it, and with it the whole row, as it should.
template <typename T, int VEC> __device__ __forceinline__ float vector_max(const wt::Vec<T, VEC>& vector) {
  if constexpr (sizeof(T) == 2 && VEC % 2 == 0) { // pairs, without a conversion
    using Pair = typename PairOf<T>::type;
    const Pair* pairs = reinterpret_cast<const Pair*>(&vector);
    Pair max = pairs[0];
#pragma unroll
    for (int i = 1; i < VEC / 2; ++i) max = __hmax2(max, pairs[i]);
    return fmaxf(wt::to_float(max.x), wt::to_float(max.y));
  } else {
    float max = wt::to_float(vector.v[0]);
#pragma unroll
    for (int i = 1; i < VEC; ++i) max = fmaxf(max, wt::to_float(vector.v[i]));
    return max;
  }
}

template <typename T, int VEC>
__device__ __forceinline__ float exponential_sum(const wt::Vec<T, VEC>& vector, float offset) {
  float v[VEC], sum = 0;
  wt::unpack<T, VEC>(vector, v);
#pragma unroll
  for (int i = 0; i < VEC; ++i) sum += exp2_fast(fmaf(v[i], kLog2e, -offset));
  return sum;
}

template <typename T, int VEC, bool LOG>
__device__ __forceinline__ wt::Vec<T, VEC> normalise(const wt::Vec<T, VEC>& vector, const State& row) {
  float v[VEC];
  wt::unpack<T, VEC>(vector, v);
  if constexpr (LOG) {
    const float log_sum = logf(row.sum);
#pragma unroll
    for (int i = 0; i < VEC; ++i) v[i] = (v[i] - row.max) - log_sum;
  } else {
    // The same offset as in the sum: its rounding error cancels.
    const float offset = shift(row.max), scale = 1.0f / row.sum;
#pragma unroll
    for (int i = 0; i < VEC; ++i) v[i] = exp2_fast(fmaf(v[i], kLog2e, -offset)) * scale;
  }
  return wt::pack<T, VEC>(v);
}

// A slice of a row: VEC elements at a time from a row that may begin and end inside a vector. Vector i holds
// the columns [i * VEC - lead, i * VEC - lead + VEC); whole vectors move in one access, the two broken ones
// by element.
template <typename T, int VEC, bool ALIGNED> struct Row {
  const T* x;
  T* y;
  i64 first; // of the row, in elements, rounded down to a vector
  int lead, cols, vectors;
  using V = wt::Vec<T, VEC>;

  __device__ __forceinline__ Row(const T* x_, T* y_, i64 row, int cols_) : x(x_), y(y_), cols(cols_) {
    const i64 start = row * cols_;
    lead = ALIGNED ? 0 : static_cast<int>(start % VEC);
    first = start - lead;
    vectors = (lead + cols_ + VEC - 1) / VEC;
  }
  __device__ __forceinline__ bool whole(int i) const { return i * VEC >= lead && (i + 1) * VEC - lead <= cols; }
  // Elements outside the row read as minus infinity: no effect on maximum and sum.
  __device__ __forceinline__ V load(int i) const {
    V value;
    if (i < vectors && (ALIGNED || whole(i))) return wt::load<wt::kDefault, V>(x + first + i64(i) * VEC);
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      value.v[k] = wt::from_float<T>(minus_infinity());
      if constexpr (!ALIGNED) {
        const int col = i * VEC + k - lead;
        if (i < vectors && col >= 0 && col < cols) value.v[k] = x[first + i64(i) * VEC + k];
      }
    }
    return value;
  }
  __device__ __forceinline__ void store(int i, const V& value) const {
    if (i >= vectors) return;
    if (ALIGNED || whole(i)) {
      wt::store<wt::kStreaming>(y + first + i64(i) * VEC, value);
    } else {
#pragma unroll
      for (int k = 0; k < VEC; ++k) {
        const int col = i * VEC + k - lead;
        if (col >= 0 && col < cols) y[first + i64(i) * VEC + k] = value.v[k];
      }
    }
  }
};

// Two parts of a row become one.
template <int WIDTH> __device__ __forceinline__ State merge_lanes(State part) {
  State all;
  all.max = wt::warp_all_reduce<WIDTH>(part.max, wt::Max{});
  all.sum = wt::warp_all_reduce<WIDTH>(part.sum * weight(part.max, all.max), wt::Sum{});
  return all;
}

// The whole row's state from each thread's part. Threads of a row are neighbours; `slots` holds one State for
// each warp of the row in each block of the cluster, for each row of the block.
template <int TPR, int RPB, int CLUSTER> struct Exchange {
  static constexpr int kWarps = TPR <= 32 ? 1 : TPR / 32;
  static constexpr int kSlots = kWarps * CLUSTER;
  static constexpr bool kNeeded = kSlots > 1;
  float2 slots[kNeeded ? RPB : 1][kNeeded ? kSlots : 1];

  __device__ __forceinline__ State merge(State part, u32 rank, int row) {
    part = merge_lanes<(TPR < 32 ? TPR : 32)>(part);
    if constexpr (kNeeded) {
      const int lane = threadIdx.x % 32, warp = threadIdx.x % TPR / 32;
      if constexpr (CLUSTER > 1) {
        if (lane < CLUSTER)
          wt::store_remote(wt::peer_address(&slots[row][rank * kWarps + warp], lane), make_float2(part.max, part.sum));
        wt::cluster_arrive();
        wt::cluster_wait();
      } else {
        if (lane == 0) slots[row][warp] = make_float2(part.max, part.sum);
        __syncthreads();
      }
      part = collect(row);
    }
    return part;
  }

  // For one row a block, and warps that are not all of the block's: across a cluster the parts announce themselves at
  // `arrived`, one phase a row.
  __device__ __forceinline__ State merge(State part, u32 rank, u64* arrived, u32 phase) {
    part = merge_lanes<32>(part);
    if constexpr (kNeeded) {
      const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      if constexpr (CLUSTER > 1) {
        if (threadIdx.x == 0) wt::barrier_arrive_expect(arrived, kSlots * sizeof(float2));
        if (lane < CLUSTER)
          wt::store_remote_async(wt::peer_address(&slots[0][rank * kWarps + warp], lane),
                                 make_float2(part.max, part.sum), wt::peer_address(arrived, lane));
        wt::barrier_wait(arrived, phase);
      } else {
        if (lane == 0) slots[0][warp] = make_float2(part.max, part.sum);
        wt::named_barrier<1, TPR>();
      }
      part = collect(0);
    }
    return part;
  }

  // Every lane reads its share, so that each group of lanes holds all of them.
  __device__ __forceinline__ State collect(int row) const {
    constexpr int kShare = kSlots < 32 ? kSlots : 32;
    State all{minus_infinity(), 0.0f};
#pragma unroll
    for (int i = 0; i < kSlots; i += kShare) {
      const float2 slot = slots[row][i + threadIdx.x % kShare];
      const float max = fmaxf(all.max, slot.x);
      all.sum = all.sum * weight(all.max, max) + slot.y * weight(slot.x, max);
      all.max = max;
    }
    return merge_lanes<kShare>(all);
  }
};

// A block's part of a row in whole vectors: all of it, or an equal share for each block of the cluster.
struct Slice {
  int begin, count;
  __device__ __forceinline__ Slice(int vectors, int parts, int part) {
    const int share = wt::ceil_div(vectors, parts);
    begin = part * share;
    count = vectors - begin < share ? (vectors - begin > 0 ? vectors - begin : 0) : share;
  }
};

// MODE kStream: TPR threads compute, one thread of a further warp fills the ring of SLOTS chunks, CHUNK vectors a
// thread. The ring must hold a slice; what it holds beyond that is the head start of the next row.
template <typename T, int TPR, int VEC, int CHUNK, int CLUSTER, int SLOTS, bool LOG>
__device__ __forceinline__ void stream_rows(const T* __restrict__ x, T* __restrict__ y, i64 rows, int cols, u32 rank,
                                            u8* ring) {
  using V = wt::Vec<T, VEC>;
  constexpr int kChunk = TPR * CHUNK; // vectors
  __shared__ u64 full[SLOTS], empty[SLOTS], arrived[2];
  __shared__ Exchange<TPR, 1, CLUSTER> exchange[2]; // in turn: a fast warp writes while a slow one still reads
  const Slice slice(cols / VEC, CLUSTER, rank);
  const i64 first_row = blockIdx.x / CLUSTER, step = gridDim.x / CLUSTER;
  if (threadIdx.x == TPR) {
    for (int s = 0; s < SLOTS; ++s) {
      wt::barrier_init(&full[s], 1);
      wt::barrier_init(&empty[s], TPR / 32);
    }
    wt::barrier_init(&arrived[0], 1);
    wt::barrier_init(&arrived[1], 1);
    wt::barrier_init_fence();
  }
  if constexpr (CLUSTER > 1) { // peers write to this block's exchange: they must find it initialised
    __syncwarp();
    wt::cluster_arrive();
    wt::cluster_wait();
  } else {
    __syncthreads();
  }

  int slot = 0;
  u32 phase = 0;
  const auto advance = [](int& which, u32& parity) {
    if (++which == SLOTS) {
      which = 0;
      parity ^= 1;
    }
  };
  if (threadIdx.x >= TPR) {
    if (threadIdx.x == TPR) {
      for (i64 row = first_row; row < rows; row += step) {
        const T* from = x + row * cols + i64(slice.begin) * VEC;
        for (int at = 0; at < slice.count; at += kChunk) {
          const u32 bytes = (slice.count - at < kChunk ? slice.count - at : kChunk) * sizeof(V);
          wt::barrier_wait(&empty[slot], phase ^ 1);
          wt::barrier_arrive_expect(&full[slot], bytes);
          wt::bulk_load(ring + slot * (kChunk * sizeof(V)), from + i64(at) * VEC, bytes, &full[slot]);
          advance(slot, phase);
        }
      }
    }
    __syncwarp();
  } else {
    // Chunk by chunk this row leaves and the next one's maximum and sum are taken, so that the memory reads and writes
    // at an even pace.
    const V* data = reinterpret_cast<const V*>(ring);
    const int chunks = wt::ceil_div(slice.count, kChunk);
    int ahead = 0, turn = 0;
    u32 turn_phase = 0;
    State part{minus_infinity(), 0.0f};
    const auto take = [&](int chunk) {
      const int at = chunk * kChunk + threadIdx.x;
      wt::barrier_wait(&full[ahead], phase);
      V held[CHUNK];
      float max = part.max;
#pragma unroll
      for (int i = 0; i < CHUNK; ++i) {
        if (at + i * TPR < slice.count) {
          held[i] = data[ahead * kChunk + i * TPR + threadIdx.x];
          max = fmaxf(max, vector_max<T, VEC>(held[i]));
        }
      }
      part.sum *= weight(part.max, max);
      part.max = max;
      const float offset = shift(max);
#pragma unroll
      for (int i = 0; i < CHUNK; ++i)
        if (at + i * TPR < slice.count) part.sum += exponential_sum<T, VEC>(held[i], offset);
      advance(ahead, phase);
    };
    if (first_row < rows)
      for (int chunk = 0; chunk < chunks; ++chunk) take(chunk);
    for (i64 row = first_row; row < rows; row += step) {
      const bool more = row + step < rows;
      const State all = exchange[turn].merge(part, rank, &arrived[turn], turn_phase);
      part = State{minus_infinity(), 0.0f};
      turn_phase ^= turn; // both barriers have seen a phase after each second row
      turn ^= 1;
      T* to = y + row * cols + i64(slice.begin) * VEC;
      for (int chunk = 0; chunk < chunks; ++chunk) {
#pragma unroll
        for (int i = 0; i < CHUNK; ++i) {
          const int vector = chunk * kChunk + i * TPR + threadIdx.x;
          if (vector < slice.count) // no hint: the L2 may hold on to what is written
            wt::store<wt::kDefault>(to + i64(vector) * VEC,
                                    normalise<T, VEC, LOG>(data[slot * kChunk + i * TPR + threadIdx.x], all));
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) wt::barrier_arrive(&empty[slot]);
        if (++slot == SLOTS) slot = 0;
        if (more) take(chunk);
      }
    }
  }
  if constexpr (CLUSTER > 1) { // no block leaves while a peer may still write to it
    __syncwarp();
    wt::cluster_arrive();
    wt::cluster_wait();
  }
}

// TPR threads of each block work on a row, RPB rows a block at a time; ITERS is the number of vectors a
// thread holds (kRegisters) a chunk of the stream, or 0. BLOCKS_PER_SM is the residency that the register allocation
// must allow.
template <typename T, int MODE, int TPR, int RPB, int VEC, int ITERS, int CLUSTER, int STAGES, int BLOCKS_PER_SM,
          bool ALIGNED, bool LOG>
__global__ void __launch_bounds__(TPR* RPB + (MODE == kStream ? 32 : 0), BLOCKS_PER_SM)
    softmax(const T* __restrict__ x, T* __restrict__ y, i64 rows, int cols) {
  static_assert(wt::is_pow2(TPR) && TPR >= 8 && TPR <= 1024, "threads of a row: a power of two from 8 to 1024");
  static_assert(TPR * RPB % 32 == 0 && TPR * RPB <= 1024, "a block is a number of warps, at most 1024 threads");
  static_assert(VEC * sizeof(T) <= 16, "a thread's access is at most 16 bytes");
  static_assert(CLUSTER == 1 || (RPB == 1 && TPR >= 128), "a row that needs a cluster needs whole blocks");
  static_assert(CLUSTER <= 8, "portable clusters have at most 8 blocks");
  static_assert(MODE == kShared || MODE == kStream || STAGES == 1, "only the ring has stages");
  static_assert((MODE != kShared && MODE != kStream) || (ALIGNED && VEC * sizeof(T) == 16),
                "the copy engine moves whole 16-byte pieces");
  static_assert(MODE != kShared || CLUSTER == 1, "a ring of whole rows is for rows that fit a block");
  static_assert(MODE != kStream || (RPB == 1 && TPR >= 128 && TPR <= 512), "a stream takes one row at a time");
  static_assert(MODE != kRegisters || (ITERS >= 1 && ITERS * VEC * sizeof(T) * TPR * RPB <= 131072),
                "the rows of a block fit half the registers of an SM");
  using V = wt::Vec<T, VEC>;
  const int row_in_block = threadIdx.x / TPR;
  const int thread = threadIdx.x % TPR;
  const u32 rank = CLUSTER > 1 ? wt::cluster_rank() : 0;
  const i64 group = blockIdx.x / CLUSTER; // of RPB rows

  extern __shared__ __align__(128) u8 ring[];

  if constexpr (MODE == kStream) {
    stream_rows<T, TPR, VEC, ITERS, CLUSTER, STAGES, LOG>(x, y, rows, cols, rank, ring);
  } else if constexpr (MODE == kShared) {
    // Rows are whole vectors here. A stage holds RPB rows.
    __shared__ u64 full[STAGES];
    __shared__ Exchange<TPR, RPB, CLUSTER> exchange[2]; // in turn: a fast warp writes while a slow one still reads
    const int count = cols / VEC;
    const i64 groups = wt::ceil_div<i64>(rows, RPB), step = gridDim.x;
    const u32 stage_bytes = RPB * count * sizeof(V);
    const auto fetch = [&](i64 which, int stage) { // one thread
      const i64 first_row = which * RPB;
      const i64 rows_here = rows - first_row < RPB ? rows - first_row : RPB;
      const u32 bytes = static_cast<u32>(rows_here) * count * sizeof(V);
      wt::barrier_arrive_expect(&full[stage], bytes);
      wt::bulk_load(ring + stage * stage_bytes, x + first_row * cols, bytes, &full[stage]);
    };
    if (threadIdx.x == 0) {
#pragma unroll
      for (int s = 0; s < STAGES; ++s) wt::barrier_init(&full[s], 1);
      wt::barrier_init_fence();
      for (int s = 0; s < STAGES; ++s)
        if (group + s * step < groups) fetch(group + s * step, s);
    }
    __syncthreads();

    int stage = 0, turn = 0;
    u32 phase = 0;
    i64 previous = -1; // the group whose stage is to be filled again
    int previous_stage = 0;
    for (i64 at = group; at < groups; at += step) {
      wt::barrier_wait(&full[stage], phase);
      const i64 row = at * RPB + row_in_block;
      const V* data = reinterpret_cast<const V*>(ring + stage * stage_bytes) + row_in_block * count;
      State part{minus_infinity(), 0.0f};
      const bool live = row < rows;
      if (live) {
#pragma unroll 4
        for (int i = thread; i < count; i += TPR) part.max = fmaxf(part.max, vector_max<T, VEC>(data[i]));
        const float offset = shift(part.max);
#pragma unroll 4
        for (int i = thread; i < count; i += TPR) part.sum += exponential_sum<T, VEC>(data[i], offset);
      }
      const State all = exchange[turn].merge(part, 0, row_in_block);
      if constexpr (!Exchange<TPR, RPB, CLUSTER>::kNeeded) __syncthreads();
      // Every thread has now left the previous group: its stage takes the next one.
      if (threadIdx.x == 0 && previous >= 0 && previous + STAGES * step < groups)
        fetch(previous + STAGES * step, previous_stage);
      if (live) {
        T* to = y + row * cols;
#pragma unroll 4
        for (int i = thread; i < count; i += TPR)
          wt::store<wt::kStreaming>(to + i64(i) * VEC, normalise<T, VEC, LOG>(data[i], all));
      }
      previous = at;
      previous_stage = stage;
      turn ^= 1;
      if (++stage == STAGES) {
        stage = 0;
        phase ^= 1;
      }
      if constexpr (STAGES == 1) { // nothing else to work on: refill at once
        __syncthreads();
        if (threadIdx.x == 0 && at + step < groups) fetch(at + step, 0);
        previous = -1;
      }
    }
  } else {
    __shared__ Exchange<TPR, RPB, CLUSTER> exchange;
    if constexpr (CLUSTER > 1) wt::cluster_arrive(); // waited for below, behind the loads
    const i64 row = group * RPB + row_in_block;
    const bool live = row < rows;
    const Row<T, VEC, ALIGNED> slice(x, y, live ? row : 0, live ? cols : 0);
    const int first = static_cast<int>(rank) * TPR + thread;
    constexpr int kStep = TPR * CLUSTER;
    State part{minus_infinity(), 0.0f};

    if constexpr (MODE == kRegisters) {
      V held[ITERS];
#pragma unroll
      for (int i = 0; i < ITERS; ++i) held[i] = slice.load(first + i * kStep);
#pragma unroll
      for (int i = 0; i < ITERS; ++i) part.max = fmaxf(part.max, vector_max<T, VEC>(held[i]));
      const float offset = shift(part.max);
#pragma unroll
      for (int i = 0; i < ITERS; ++i) part.sum += exponential_sum<T, VEC>(held[i], offset);
      if constexpr (sizeof(T) == 2 && ITERS * VEC > 32) {
        // Keeps the compiler from holding the row as floats, twice the registers, across the exchange.
#pragma unroll
        for (int i = 0; i < ITERS; ++i)
#pragma unroll
          for (int k = 0; k < VEC / 2; ++k) asm volatile("" : "+r"(reinterpret_cast<u32*>(&held[i])[k]));
      }
      if constexpr (CLUSTER > 1) wt::cluster_wait(); // the peers run
      const State all = exchange.merge(part, rank, row_in_block);
#pragma unroll
      for (int i = 0; i < ITERS; ++i) slice.store(first + i * kStep, normalise<T, VEC, LOG>(held[i], all));
    } else {
      constexpr int kBatch = 4; // loads in flight a thread
      for (int at = first; at < slice.vectors; at += kBatch * kStep) {
        V batch[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) batch[i] = slice.load(at + i * kStep);
        float max = part.max;
#pragma unroll
        for (int i = 0; i < kBatch; ++i) max = fmaxf(max, vector_max<T, VEC>(batch[i]));
        const float offset = shift(max);
        part.sum *= weight(part.max, max);
        part.max = max;
        float sum = 0; // short sums of short sums: a long row costs less precision
#pragma unroll
        for (int i = 0; i < kBatch; ++i) sum += exponential_sum<T, VEC>(batch[i], offset);
        part.sum += sum;
      }
      if constexpr (CLUSTER > 1) wt::cluster_wait(); // the peers run
      const State all = exchange.merge(part, rank, row_in_block);
      for (int at = first; at < slice.vectors; at += kBatch * kStep) {
        V batch[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) batch[i] = slice.load(at + i * kStep);
#pragma unroll
        for (int i = 0; i < kBatch; ++i) slice.store(at + i * kStep, normalise<T, VEC, LOG>(batch[i], all));
      }
    }
  }
}
