// How many blocks of a kernel fit on a multiprocessor, from what the compiler says of it and the device's limits: known
// before a launch and without a device. Knows no driver; gpu/launch.h asks one.
#pragma once

#include "core/device.h"

#include <cstdint>

namespace warptune {

struct BlockNeeds {
  std::int64_t threads = 0;
  std::int64_t registers = 0; // of a thread; 0: not known, and not counted
  std::int64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
};

enum class OccupancyLimit { threads, blocks, registers, shared_memory };

struct OccupancyEstimate {
  std::int64_t blocks_per_sm = 0;
  double share = 0; // resident warps of those that a multiprocessor can hold
  OccupancyLimit limit = OccupancyLimit::threads;
};

// What the block takes of the register file: a warp's registers in units of 256, its warps in groups of four (one for
// each of the four schedulers).
std::int64_t registers_of_block(const BlockNeeds& needs);

// The formula of NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA Toolkit) for compute capability 7.0 and
// above, with the most shared memory that the multiprocessor can be given. Agrees with
// cuOccupancyMaxActiveBlocksPerMultiprocessor of an H200 in all 2145 cases of tests/data/occupancy/h200.txt.
OccupancyEstimate estimate_occupancy(const BlockNeeds& needs, const DeviceLimits& limits);

} // namespace warptune
