#include "core/device.h"

namespace warptune {

DeviceInfo h200_device() {
  DeviceInfo d;
  d.name = "NVIDIA H200";
  d.arch = "sm_90a";
  d.memory_bytes = std::int64_t{141} * 1000 * 1000 * 1000;
  d.limits.sm_count = 132;
  d.limits.compute_capability = 90;
  constexpr std::int64_t kKiB = 1024;
  d.limits.max_shared_per_block = 227 * kKiB;
  d.limits.max_shared_per_sm = 228 * kKiB;
  d.limits.l2_bytes = 60 * kKiB * kKiB;
  // NVIDIA H200 datasheet (dense rates, boost clock); no direction of DRAM traffic is told apart there.
  d.roofs.dram_read_gbs = 4800;
  d.roofs.dram_copy_gbs = 4800;
  d.roofs.dram_write_gbs = 4800;
  d.roofs.fp32_tflops = 67;
  d.roofs.fp64_tflops = 34;
  d.roofs.fp16_tflops = 134;
  d.roofs.tensor_tflops = 989;
  return d;
}

const std::vector<DeviceLimitName>& device_limit_names() {
  static const std::vector<DeviceLimitName> names = {
      {"sm_count", &DeviceLimits::sm_count},
      {"compute_capability", &DeviceLimits::compute_capability},
      {"warp_size", &DeviceLimits::warp_size},
      {"max_threads_per_block", &DeviceLimits::max_threads_per_block},
      {"max_threads_per_sm", &DeviceLimits::max_threads_per_sm},
      {"max_shared_per_block", &DeviceLimits::max_shared_per_block},
      {"max_shared_per_sm", &DeviceLimits::max_shared_per_sm},
      {"registers_per_sm", &DeviceLimits::registers_per_sm},
      {"max_blocks_per_sm", &DeviceLimits::max_blocks_per_sm},
      {"l2_bytes", &DeviceLimits::l2_bytes},
  };
  return names;
}

} // namespace warptune
