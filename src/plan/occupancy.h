// Computes how many blocks of a kernel fit on a multiprocessor, from the compiler's figures and the device's limits.
// Needs no launch, device or driver. gpu/launch.h asks the driver for the same number.
#pragma once

#include "core/device.h"

#include <cstdint>

namespace warptune {

struct BlockNeeds {
  std::int64_t threads = 0;
  std::int64_t registers = 0; // per thread; 0: not known, and then ignored
  std::int64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
};

enum class OccupancyLimit { threads, blocks, registers, shared_memory };

struct OccupancyEstimate {
  std::int64_t blocks_per_sm = 0;
  double share = 0; // resident warps divided by the multiprocessor's maximum
  OccupancyLimit limit = OccupancyLimit::threads;
};

// Returns the registers that a block occupies in the register file. The hardware rounds a warp's registers up to a
// multiple of 256, and the block's warps to a multiple of four, because there are four schedulers.
std::int64_t registers_of_block(const BlockNeeds& needs);

// Uses the formula of NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA Toolkit) for compute capability 7.0
// and above, and assumes the maximum shared memory of a multiprocessor. Agrees with
// cuOccupancyMaxActiveBlocksPerMultiprocessor on an H200 in all 2145 cases of tests/data/occupancy/h200.txt.
OccupancyEstimate estimate_occupancy(const BlockNeeds& needs, const DeviceLimits& limits);

} // namespace warptune
