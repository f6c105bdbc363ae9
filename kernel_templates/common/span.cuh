// A span of neighbouring elements of a tensor, moved between global and shared memory by all threads of a block. The
// span may begin and end anywhere: its place in shared memory has the same offset from a multiple of 16 bytes, so all
// but its ends move in whole vectors. The tensor begins at a multiple of 16 bytes.
#pragma once

#include "common/async.cuh"
#include "common/vec.cuh"

namespace wt {

template <typename T> constexpr int kSpanVector = 16 / sizeof(T);

// Bytes of shared memory for a span of `count` elements, wherever it begins.
template <typename T> constexpr int span_bytes(int count) {
  return ceil_div(count + kSpanVector<T> - 1, kSpanVector<T>) * 16;
}

// The elements [first, first + count) of a tensor, and their place in `memory`.
template <typename T> struct Span {
  static constexpr int kVec = kSpanVector<T>;
  i64 first;
  int count, lead;
  T* own; // of the first element, in shared memory

  __device__ __forceinline__ Span(i64 first_, int count_, void* memory)
      : first(first_), count(count_), lead(static_cast<int>(first_ % kVec)), own(static_cast<T*>(memory) + lead) {}

  // use(i, whole) for the vectors of 16 bytes that hold the span: from element i on, which is negative in a first
  // vector that also holds elements before the span.
  template <int BLOCK, typename Use> __device__ __forceinline__ void each_vector(Use use) const {
    for (int i = threadIdx.x * kVec - lead; i < count; i += BLOCK * kVec) use(i, i >= 0 && i + kVec <= count);
  }
  // Begins to copy the span to shared memory: async_copy_wait_all() and a barrier end it.
  template <int BLOCK> __device__ __forceinline__ void copy(const T* tensor) const {
    each_vector<BLOCK>([&](int i, bool whole) {
      if (whole) {
        async_copy<16>(shared_address(own + i), tensor + first + i);
      } else {
#pragma unroll
        for (int k = 0; k < kVec; ++k)
          if (i + k >= 0 && i + k < count) own[i + k] = tensor[first + i + k];
      }
    });
  }
  // Stores the span from `shared`: `own`, or elements of another type.
  template <int BLOCK, int HINT, typename S> __device__ __forceinline__ void store(T* tensor, const S* shared) const {
    each_vector<BLOCK>([&](int i, bool whole) {
      if (whole) {
        Vec<T, kVec> value;
        if constexpr (sizeof(S) == sizeof(T)) {
          value = *reinterpret_cast<const Vec<T, kVec>*>(shared + i);
        } else {
#pragma unroll
          for (int k = 0; k < kVec; ++k) value.v[k] = static_cast<T>(shared[i + k]);
        }
        wt::store<HINT>(tensor + first + i, value);
      } else {
#pragma unroll
        for (int k = 0; k < kVec; ++k)
          if (i + k >= 0 && i + k < count) tensor[first + i + k] = static_cast<T>(shared[i + k]);
      }
    });
  }
};

} // namespace wt
