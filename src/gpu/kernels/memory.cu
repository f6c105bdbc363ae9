// Bytes, whatever they mean: checksums of inputs and guard zones around buffers.
#include "convert.cuh"

// 8 bytes as a number, read in accesses of Unit.
template <class Unit> __device__ u64 word_at(const unsigned char* begin) {
  const Unit* units = (const Unit*)begin;
  u64 word = 0;
  for (int i = 0; i < 8 / (int)sizeof(Unit); ++i) word |= (u64)units[i] << (8 * (int)sizeof(Unit) * i);
  return word;
}

template <class Unit> __device__ u64 sum_of_words(const unsigned char* data, i64 count) {
  u64 sum = 0;
  for (i64 i = first_index(); i < count; i += index_step())
    sum += mix(word_at<Unit>(data + 8 * i) + (u64)(i + 1) * 0x9E3779B97F4A7C15ull);
  return sum;
}

// A sum of mixed words, so the order of addition does not matter. Neither `bytes` nor the address need be a multiple of 8,
// and equal bytes have the same sum at every address.
extern "C" __global__ void checksum(const unsigned char* data, i64 bytes, u64* sum) {
  const i64 count = bytes / 8;
  const int rest = (int)((u64)data % 8);
  u64 mine = rest == 0       ? sum_of_words<u64>(data, count)
             : rest == 4     ? sum_of_words<unsigned>(data, count)
             : rest % 2 == 0 ? sum_of_words<unsigned short>(data, count)
                             : sum_of_words<unsigned char>(data, count);
  for (i64 i = count * 8 + first_index(); i < bytes; i += index_step())
    mine += mix(data[i] + (u64)(i + 1) * 0xD1B54A32D192ED03ull);
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xFFFFFFFFu, mine, step);
  if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(sum, mine);
}

struct Zone {
  const unsigned char* begin;
  u64 bytes;
  u64 pattern;     // one byte
  u64 rows, pitch; // so many times `bytes`, `pitch` apart
};

// One row of blocks per zone; first_bad[zone] is the offset of the first byte that changed, what lies between the rows not
// counted (all bits set: none).
extern "C" __global__ void check_zones(const Zone* zones, u64* first_bad) {
  const Zone zone = zones[blockIdx.y];
  for (u64 i = (u64)first_index(); i < zone.bytes * zone.rows; i += (u64)index_step()) {
    const u64 at = zone.rows == 1 ? i : i / zone.bytes * zone.pitch + i % zone.bytes;
    if (zone.begin[at] == (unsigned char)zone.pattern) continue;
    atomicMin(&first_bad[blockIdx.y], i);
    break;
  }
}

// The place of the first element of `size` bytes that all equal `byte`, of `count` in rows (all bits set: none).
extern "C" __global__ void find_element(const unsigned char* data, i64 count, Rows rows, i64 size, u64 byte, u64* first) {
  for (i64 i = first_index(); i < count; i += index_step()) {
    const i64 at = rows.place(i);
    i64 same = 0;
    while (same < size && data[at * size + same] == (unsigned char)byte) ++same;
    if (same < size) continue;
    atomicMin(first, (u64)at);
    break;
  }
}
