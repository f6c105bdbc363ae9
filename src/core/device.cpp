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
  d.max_sm_clock_mhz = 1980;
  d.memory_clock_mhz = 3201;
  d.memory_bus_bits = 6016;
  // NVIDIA H200 datasheet (dense rates, boost clock), which does not distinguish directions of DRAM traffic.
  d.roofs.dram_read_gbs = 4800;
  d.roofs.dram_copy_gbs = 4800;
  d.roofs.dram_write_gbs = 4800;
  d.roofs.fp32_tflops = 67;
  d.roofs.fp64_tflops = 34;
  d.roofs.fp16_tflops = 134;
  d.roofs.tensor_tflops = 989;
  return d;
}

bool is_recorded_device(std::string_view device) { return device.substr(0, device.find(':')) == kReplayBackend; }

// Never destroyed: an application's threads may still use it at exit.
const std::vector<DeviceLimitName>& device_limit_names() {
  static const auto& names = *new std::vector<DeviceLimitName>(std::apply(
      [](const auto&... m) {
        return std::vector<DeviceLimitName>{{m.name, m.at}...};
      },
      kMembers<DeviceLimits>));
  return names;
}

const std::vector<RoofName>& roof_names() {
  static const auto& names = *new std::vector<RoofName>{
      {"dram_read_gbs", "DRAM read", "GB/s", &Roofs::dram_read_gbs},
      {"dram_copy_gbs", "DRAM copy", "GB/s", &Roofs::dram_copy_gbs},
      {"dram_write_gbs", "DRAM write", "GB/s", &Roofs::dram_write_gbs},
      {"l2_gbs", "L2 read", "GB/s", &Roofs::l2_gbs},
      {"shared_gbs", "L1/shared read", "GB/s", &Roofs::shared_gbs},
      {"fp32_tflops", "fp32", "TFLOP/s", &Roofs::fp32_tflops},
      {"fp64_tflops", "fp64", "TFLOP/s", &Roofs::fp64_tflops},
      {"fp16_tflops", "fp16x2", "TFLOP/s", &Roofs::fp16_tflops},
      {"tensor_tflops", "tensor bf16", "TFLOP/s", &Roofs::tensor_tflops},
      {"tensor_fp16_tflops", "tensor fp16", "TFLOP/s", &Roofs::tensor_fp16_tflops},
      {"tensor_tf32_tflops", "tensor tf32", "TFLOP/s", &Roofs::tensor_tf32_tflops},
      {"tensor_fp64_tflops", "tensor fp64", "TFLOP/s", &Roofs::tensor_fp64_tflops},
      {"tensor_fp8_tflops", "tensor fp8", "TFLOP/s", &Roofs::tensor_fp8_tflops},
      {"tensor_int8_tflops", "tensor int8", "TOP/s", &Roofs::tensor_int8_tflops},
  };
  return names;
}

} // namespace warptune
