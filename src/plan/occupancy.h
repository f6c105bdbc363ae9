// The number of blocks of a kernel that fit on a multiprocessor, computed from the compiler's data and the device's
// limits. It needs no launch, device or driver; gpu/launch.h gets the number from the driver.
#pragma once

#include "core/device.h"

#include <cstdint>

namespace warptune {

struct BlockNeeds {
  std::int64_t threads = 0;
  std::int64_t registers = 0; // registers per thread; 0: not known, and ignored
  std::int64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
};

enum class OccupancyLimit { threads, blocks, registers, shared_memory };

struct OccupancyEstimate {
  std::int64_t blocks_per_sm = 0;
  double share = 0; // resident warps, as a share of the maximum of a multiprocessor
  OccupancyLimit limit = OccupancyLimit::threads;
};

// Returns the registers that a block occupies in the register file. A warp's registers are rounded up to units of 256,
// and the block's warps to groups of four: one for each of the four schedulers.
std::int64_t registers_of_block(const BlockNeeds& needs);

// The formula of NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA Toolkit) for compute capability 7.0 and
// above, with the maximum shared memory of a multiprocessor. The results agree with
// cuOccupancyMaxActiveBlocksPerMultiprocessor of an H200 in all 2145 cases of tests/data/occupancy/h200.txt.
OccupancyEstimate estimate_occupancy(const BlockNeeds& needs, const DeviceLimits& limits);

} // namespace warptune
