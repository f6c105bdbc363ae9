// Asks the driver how many blocks of a loaded kernel fit on a multiprocessor.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"

#include <cstddef>

namespace warptune {

struct Occupancy {
  int blocks_per_sm = 0;
  double share = 0;
}; // share: active warps divided by the multiprocessor's maximum
Result<Occupancy> find_occupancy(const Driver& driver, CUdevice device, CUfunction function, int threads,
                                 std::size_t shared_bytes);

} // namespace warptune
