// Quotients by a number that the host knows before the launch: a multiplication by its reciprocal. A 32-bit division by
// a runtime number takes about twenty dependent instructions.
#pragma once

#include "common/prelude.cuh"

namespace wt {

// n / divisor, where `share` is ceil(2^32 / divisor), exact if n * divisor <= 2^32. With e = share * divisor - 2^32,
// which is at least 0 and less than `divisor`, n * share / 2^32 = n / divisor + n * e / divisor / 2^32. The second term
// is less than 1 / divisor, because n * e < n * divisor <= 2^32, and n / divisor is at most (divisor - 1) / divisor
// above a whole number; so the sum does not reach the next one. (For n = 0, both are 0.) A share of 0 gives 0.
__device__ __forceinline__ u32 quotient(u32 n, u64 share) { return static_cast<u32>(n * share >> 32); }

} // namespace wt
