// Replaces the shipped header. There is no L2.
#pragma once

#include "common/async.cuh"

namespace wt {

inline u64 evict_first() { return 0; }
inline u64 evict_last() { return 1; }
inline void async_copy_hinted(u32 shared, const void* global, u64) { async_copy<16>(shared, global); }
inline void prefetch_l2(const void* global) { emulated::check_inside(global, 16); }

} // namespace wt
