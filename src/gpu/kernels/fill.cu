// Fills a buffer of WT_T. Element i depends on (seed, i) alone, so any launch shape draws the same numbers.
#include "convert.cuh"

__device__ inline u64 draw(u64 seed, i64 i) { return mix(seed + (u64)(i + 1) * 0x9E3779B97F4A7C15ull); }
__device__ inline double unit(u64 bits) { return (double)(bits >> 11) * (1.0 / 9007199254740992.0); } // [0, 1)

extern "C" __global__ void fill_uniform(WT_T* out, i64 count, u64 seed, double low, double high) {
  for (i64 i = first_index(); i < count; i += index_step())
    out[i] = From<WT_T>::number(low + (high - low) * unit(draw(seed, i)));
}

// Box-Muller on the two halves of one draw; 32 bits reach 6.6 standard deviations.
extern "C" __global__ void fill_normal(WT_T* out, i64 count, u64 seed, double mean, double deviation) {
  for (i64 i = first_index(); i < count; i += index_step()) {
    const u64 bits = draw(seed, i);
    const float u = ((float)(unsigned)(bits >> 32) + 1.0f) * 2.3283064e-10f;
    const float v = (float)(unsigned)bits * 2.3283064e-10f;
    const float z = sqrtf(-2.0f * logf(fminf(u, 1.0f))) * cospif(2.0f * v);
    out[i] = From<WT_T>::number(mean + deviation * (double)z);
  }
}

// low .. high, both included.
extern "C" __global__ void fill_integers(WT_T* out, i64 count, u64 seed, i64 low, i64 high) {
  const u64 range = (u64)high - (u64)low + 1;
  for (i64 i = first_index(); i < count; i += index_step()) {
    const u64 bits = draw(seed, i);
    const i64 value = (i64)((u64)low + (range == 0 ? bits : __umul64hi(bits, range)));
    out[i] = IsInteger<WT_T>::value ? (WT_T)value : From<WT_T>::number((double)value);
  }
}

extern "C" __global__ void fill_constant(WT_T* out, i64 count, double value) {
  for (i64 i = first_index(); i < count; i += index_step()) out[i] = From<WT_T>::number(value);
}
