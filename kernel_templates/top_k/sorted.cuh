// Sorted lists in registers, the largest key first. All indices are constants, so that a list never leaves them.
#pragma once

#include "common/prelude.cuh"

template <typename Key> __device__ __forceinline__ void put_in_order(Key& first, Key& second) {
  const Key larger = max(first, second);
  second = min(first, second);
  first = larger;
}

// Batcher's odd-even merge of the two sorted halves of every STEP-th of COUNT keys from FROM.
template <int FROM, int COUNT, int STEP, typename Key, int N>
__device__ __forceinline__ void merge_halves(Key (&keys)[N]) {
  if constexpr (2 * STEP < COUNT) {
    merge_halves<FROM, COUNT, 2 * STEP>(keys);
    merge_halves<FROM + STEP, COUNT, 2 * STEP>(keys);
#pragma unroll
    for (int i = FROM + STEP; i + STEP < FROM + COUNT; i += 2 * STEP) put_in_order(keys[i], keys[i + STEP]);
  } else {
    put_in_order(keys[FROM], keys[FROM + STEP]);
  }
}
template <int FROM, int COUNT, typename Key, int N> __device__ __forceinline__ void sort_keys(Key (&keys)[N]) {
  if constexpr (COUNT > 1) {
    sort_keys<FROM, COUNT / 2>(keys);
    sort_keys<FROM + COUNT / 2, COUNT / 2>(keys);
    merge_halves<FROM, COUNT, 1>(keys);
  }
}

// The K largest of two sorted lists. The larger ones of one list and the other one reversed rise and then fall, in any
// rotation; halving steps sort them. The compiler removes what only the zeros behind the lists need.
template <int K, typename Key, int N>
__device__ __forceinline__ void merge_best(Key (&best)[K], const Key (&other)[N]) {
  static_assert(N >= K, "the other list has the first K of its keys");
  constexpr int kSize = K == 1 ? 1 : 2 << wt::log2_floor(K - 1);
  Key keys[kSize];
#pragma unroll
  for (int i = 0; i < kSize; ++i) {
    const int reversed = kSize - 1 - i;
    keys[i] = max(i < K ? best[i < K ? i : 0] : Key(0), reversed < K ? other[reversed < K ? reversed : 0] : Key(0));
  }
#pragma unroll
  for (int stage = wt::log2_floor(kSize) - 1; stage >= 0; --stage) {
#pragma unroll
    for (int i = 0; i < kSize; ++i)
      if ((i >> stage & 1) == 0) put_in_order(keys[i], keys[i + (1 << stage)]);
  }
#pragma unroll
  for (int i = 0; i < K; ++i) best[i] = keys[i];
}
