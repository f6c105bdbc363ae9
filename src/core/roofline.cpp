#include "core/roofline.h"

#include <algorithm>

namespace warptune {
namespace {

// A kernel that writes less than a tenth of what it moves is held against the read roof: a few results do not turn the
// memory bus around often enough to cost what a copy's alternation does.
constexpr double kReadOnlyShare = 0.1;

double memory_roof_gbs(const CostEstimate& cost, const Roofs& roofs) {
  const double bytes = cost.bytes_read + cost.bytes_written;
  double roof = roofs.dram_copy_gbs;
  if (cost.bytes_written < kReadOnlyShare * bytes)
    roof = roofs.dram_read_gbs;
  else if (cost.bytes_read < kReadOnlyShare * bytes)
    roof = roofs.dram_write_gbs;
  // Another direction's rate is a better floor than none.
  return roof > 0 ? roof : std::max({roofs.dram_copy_gbs, roofs.dram_read_gbs, roofs.dram_write_gbs});
}

double pipe_roof_tflops(const std::string& pipe, const Roofs& roofs) {
  if (pipe == "fp32") return roofs.fp32_tflops;
  if (pipe == "fp64") return roofs.fp64_tflops;
  if (pipe == "fp16") return roofs.fp16_tflops;
  // Tensor rates relative to the 16-bit types: NVIDIA H100 Tensor Core GPU Architecture, table 2.
  if (pipe == "tensor") return roofs.tensor_tflops;
  if (pipe == "tensor fp32" || pipe == "tensor tf32") return roofs.tensor_tflops / 2;
  if (pipe == "tensor fp64") return roofs.fp64_tflops * 2;
  const bool one_byte = pipe.starts_with("tensor fp8") || pipe == "tensor int8" || pipe == "tensor uint8";
  return one_byte ? roofs.tensor_tflops * 2 : 0;
}

} // namespace

RooflinePoint roofline_point(const CostEstimate& cost, const Roofs& roofs, double time_us) {
  RooflinePoint point;
  const double bytes = cost.bytes_read + cost.bytes_written;
  const double gbs = memory_roof_gbs(cost, roofs);
  if (gbs > 0) {
    point.floor_us = bytes / gbs * 1e-3; // bytes / (1e9 bytes/s) in 1e-6 s
    point.bound = "DRAM";
  }
  double flops = 0;
  for (const auto& [pipe, count] : cost.flops) {
    flops += count;
    const double tflops = pipe_roof_tflops(pipe, roofs);
    const double pipe_us = tflops > 0 ? count / tflops * 1e-6 : 0;
    if (pipe_us > point.floor_us) {
      point.floor_us = pipe_us;
      point.bound = pipe;
    }
  }
  point.intensity = bytes > 0 ? flops / bytes : 0;
  if (time_us > 0) {
    point.share = point.floor_us / time_us;
    point.gbs = bytes / time_us * 1e-3;
    point.tflops = flops / time_us * 1e-6;
  }
  return point;
}

} // namespace warptune
