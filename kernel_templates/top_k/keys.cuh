// Elements of short rows as integer keys: the place of the number in the order, then the inverted index. A larger key
// comes earlier, all keys of a row differ, and 0 is the key of no element. The 16-bit types have keys of 32 bits.
#pragma once

#include "order.cuh"

template <typename T> struct KeyType { using Type = u32; };
template <> struct KeyType<float> { using Type = u64; };
template <typename T> using KeyOf = typename KeyType<T>::Type;
inline constexpr u32 kFirst = 0xffff; // the index 0, inverted

template <typename T> struct PairType { using Type = __half2; };
template <> struct PairType<__nv_bfloat16> { using Type = __nv_bfloat162; };

// The places of two 16-bit numbers. The addition gives all NaNs the same bits, of which the sign does not count; -0 is
// not less than 0, so both zeros become 0x8000.
template <typename T, bool LARGEST> __device__ __forceinline__ u32 order_of_pair(u32 pair) {
  using Pair = typename PairType<T>::Type;
  const u32 zeros = 0;
  const Pair zero = *reinterpret_cast<const Pair*>(&zeros);
  const Pair sum = __hadd2(*reinterpret_cast<const Pair*>(&pair), zero);
  const u32 bits = *reinterpret_cast<const u32*>(&sum), is_negative = __hlt2_mask(sum, zero);
  const u32 order = (bits | 0x80008000u) & ~is_negative | ~bits & is_negative;
  return LARGEST ? order : ~order;
}

// `first`: the inverted index of the first of them.
template <typename T, bool LARGEST, int N>
__device__ __forceinline__ void make_keys(const wt::Vec<T, N>& elements, u32 first, KeyOf<T>* keys) {
  if constexpr (sizeof(T) == 4) {
#pragma unroll
    for (int i = 0; i < N; ++i) keys[i] = u64(key_of<LARGEST>(elements.v[i])) << 32 | (first - i);
  } else if constexpr (N == 1) {
    keys[0] = (order_of_pair<T, LARGEST>(*reinterpret_cast<const u16*>(&elements)) << 16) + first;
  } else {
#pragma unroll
    for (int i = 0; i < N; i += 2) {
      const u32 order = order_of_pair<T, LARGEST>(reinterpret_cast<const u32*>(&elements)[i / 2]);
      keys[i] = (order << 16) + (first - i);
      keys[i + 1] = (order & 0xffff0000u) | (first - i - 1);
    }
  }
}

template <typename T, bool LARGEST> __device__ __forceinline__ T element_of(KeyOf<T> key) {
  if constexpr (sizeof(T) == 4) {
    return number_of<LARGEST>(static_cast<u32>(key >> 32));
  } else {
    const u32 order = LARGEST ? key >> 16 : ~key >> 16;
    const u16 bits = static_cast<u16>(order & 0x8000u ? order ^ 0x8000u : ~order);
    return *reinterpret_cast<const T*>(&bits);
  }
}
template <typename Key> __device__ __forceinline__ int index_of(Key key) {
  return static_cast<int>(kFirst - (static_cast<u32>(key) & 0xffffu));
}
