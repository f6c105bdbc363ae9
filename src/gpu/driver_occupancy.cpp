#include "gpu/driver_occupancy.h"

namespace warptune {

Result<Occupancy> find_occupancy(const Driver& driver, CUdevice device, CUfunction function, int threads,
                                 std::size_t shared_bytes) {
  Occupancy found;
  const CUresult status =
      driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&found.blocks_per_sm, function, threads, shared_bytes);
  WT_CHECK(check_cuda(driver, status, "cannot compute the occupancy"));
  int threads_per_sm = 0, warp = 32;
  driver.cuDeviceGetAttribute(&threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
  driver.cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  const int warps = (threads + warp - 1) / warp;
  if (threads_per_sm > 0) found.share = static_cast<double>(found.blocks_per_sm) * warps * warp / threads_per_sm;
  return found;
}

} // namespace warptune
