#include "predict/theoretical_roofs.h"

#include <array>

namespace warptune {
namespace {

// Fused multiply-adds per clock and SM, dense. L2: bytes per clock.
struct Rates {
  int compute_capability;
  int fp32, fp64, fp16;
  int bf16_tensor, fp16_tensor, tf32_tensor, fp8_tensor, int8_tensor, fp64_tensor;
  int l2_bytes; // whole device, for the chip in device_table.cpp; 0: not published
  int l2_sms;   // SMs of that device; others of the architecture have a different L2
};

// fp32, fp64, fp16: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions" (fp16 as half2). Tensor:
// NVIDIA's architecture white papers for V100, Turing, A100, GA102, Ada, H100, Blackwell and RTX Blackwell PRO, with
// fp32 (int32, fp64) sums; GeForce products of 8.6, 8.9 and 12.0 reach half of their fp16, bf16 and tf32. L2: A100
// white paper, "L2 cache read bandwidth".
constexpr std::array kRates = {
    Rates{70, 64, 32, 128, 0, 512, 0, 0, 0, 0, 2048, 80},
    Rates{75, 64, 2, 128, 0, 512, 0, 0, 1024, 0, 0, 0},
    Rates{80, 64, 32, 256, 1024, 1024, 512, 0, 2048, 64, 5120, 108},
    Rates{86, 128, 2, 128, 512, 512, 256, 0, 1024, 0, 0, 0},
    Rates{89, 128, 2, 128, 512, 512, 256, 1024, 1024, 0, 0, 0},
    Rates{90, 128, 64, 256, 2048, 2048, 1024, 4096, 4096, 128, 0, 0},
    Rates{100, 128, 64, 256, 4096, 4096, 2048, 8192, 8192, 64, 0, 0},
    Rates{120, 128, 2, 128, 512, 512, 256, 1024, 1024, 0, 0, 0},
};

// 32 banks of four bytes each clock: Programming Guide, "Shared Memory" of every architecture since 5.0.
constexpr double kSharedBytes = 128;

} // namespace

Roofs theoretical_roofs(const DeviceInfo& device) {
  Roofs roofs;
  // Two transfers per clock; reads and writes share the bus.
  const double dram = 2 * device.memory_clock_mhz * 1e6 * static_cast<double>(device.memory_bus_bits) / 8 / 1e9;
  roofs.dram_read_gbs = roofs.dram_copy_gbs = roofs.dram_write_gbs = dram;
  for (const Rates& rates : kRates) {
    if (rates.compute_capability != device.limits.compute_capability) continue;
    const double clocks = device.max_sm_clock_mhz * 1e6; // per second
    const double sm_clocks = clocks * static_cast<double>(device.limits.sm_count);
    const auto tflops = [&](int fmas) { return 2 * fmas * sm_clocks / 1e12; };
    roofs.shared_gbs = kSharedBytes * sm_clocks / 1e9;
    if (rates.l2_sms == device.limits.sm_count) roofs.l2_gbs = rates.l2_bytes * clocks / 1e9;
    roofs.fp32_tflops = tflops(rates.fp32);
    roofs.fp64_tflops = tflops(rates.fp64);
    roofs.fp16_tflops = tflops(rates.fp16);
    roofs.tensor_tflops = tflops(rates.bf16_tensor);
    roofs.tensor_fp16_tflops = tflops(rates.fp16_tensor);
    roofs.tensor_tf32_tflops = tflops(rates.tf32_tensor);
    roofs.tensor_fp8_tflops = tflops(rates.fp8_tensor);
    roofs.tensor_int8_tflops = tflops(rates.int8_tensor);
    roofs.tensor_fp64_tflops = tflops(rates.fp64_tensor);
  }
  return roofs;
}

} // namespace warptune
