// The registers that hold elements of a row: a pair of a 16-bit type or one fp32 number.
#pragma once

#include "common/ptx_numbers.cuh"
#include "keys.cuh"

template <typename T> inline constexpr int kPerWord = 4 / sizeof(T);

// The better of two words, number by number. A NaN is the best of the largest, and the last of the smallest.
template <typename T, bool LARGEST> __device__ __forceinline__ u32 better(u32 a, u32 b) {
  if constexpr (sizeof(T) == 4) {
    const float x = __uint_as_float(a), y = __uint_as_float(b);
    return __float_as_uint(LARGEST ? wt::max_nan(x, y) : fminf(x, y));
  } else {
    using Pair = typename PairType<T>::Type;
    const Pair x = *reinterpret_cast<const Pair*>(&a), y = *reinterpret_cast<const Pair*>(&b);
    const Pair best = LARGEST ? __hmax2_nan(x, y) : __hmin2(x, y);
    return *reinterpret_cast<const u32*>(&best);
  }
}

// All bits of each number of the word that may be as good as `bound`: such a number, or a NaN, or any if it is a NaN.
template <typename T, bool LARGEST> __device__ __forceinline__ u32 reaches(u32 word, T bound) {
  if constexpr (sizeof(T) == 4) {
    const float x = __uint_as_float(word);
    return (LARGEST ? x < bound : x > bound) ? 0 : ~0u;
  } else {
    using Pair = typename PairType<T>::Type;
    const Pair x = *reinterpret_cast<const Pair*>(&word), y(bound, bound);
    return LARGEST ? __hgeu2_mask(x, y) : __hleu2_mask(x, y);
  }
}

// The places in the order of a word's numbers, in the upper bits; of 16-bit types, the lower 16 bits are 0.
template <typename T, bool LARGEST> __device__ __forceinline__ void orders_of(u32 word, u32 (&orders)[kPerWord<T>]) {
  if constexpr (sizeof(T) == 4) {
    orders[0] = key_of<LARGEST>(__uint_as_float(word));
  } else {
    const u32 order = order_of_pair<T, LARGEST>(word);
    orders[0] = order << 16;
    orders[1] = order & 0xffff0000u;
  }
}
