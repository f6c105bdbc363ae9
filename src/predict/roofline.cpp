#include "predict/roofline.h"

#include <algorithm>

namespace warptune {
namespace {

double interpolate(double from, double to, double t) { return from + (to - from) * t; }

// The DRAM rate depends on the mix of reads and writes, because each change of bus direction costs time: a copy is
// slower than either. Three mixes are measured (0, 1/2 and all of the bytes written); between them the rate is
// interpolated linearly by the fraction of bytes written.
double memory_roof_gbs(const CostEstimate& cost, const Roofs& roofs) {
  const double best = std::max({roofs.dram_copy_gbs, roofs.dram_read_gbs, roofs.dram_write_gbs});
  // The rate of another direction is better than no lower bound.
  const auto known = [&](double rate) { return rate > 0 ? rate : best; };
  const double bytes = cost.bytes_read + cost.bytes_written;
  const double written = bytes > 0 ? cost.bytes_written / bytes : 0;
  if (written < 0.5) return interpolate(known(roofs.dram_read_gbs), known(roofs.dram_copy_gbs), 2 * written);
  return interpolate(known(roofs.dram_copy_gbs), known(roofs.dram_write_gbs), 2 * written - 1);
}

// 0 if no roof is known, as for sfu, whose ratio to fp32 differs between architectures.
double pipe_roof_tflops(const std::string& pipe, const Roofs& roofs) {
  if (pipe == "fp32") return roofs.fp32_tflops;
  if (pipe == "fp64") return roofs.fp64_tflops;
  if (pipe == "fp16") return roofs.fp16_tflops;
  const auto known_or = [](double rate, double otherwise) { return rate > 0 ? rate : otherwise; };
  // If a type's own roof was not measured, derive it from the 16-bit types: NVIDIA H100 Tensor Core GPU Architecture,
  // table 2.
  const double half = known_or(roofs.tensor_tflops, roofs.tensor_fp16_tflops);
  if (pipe == "tensor") return half;
  if (pipe == "tensor fp32" || pipe == "tensor tf32") return known_or(roofs.tensor_tf32_tflops, half / 2);
  if (pipe == "tensor fp64") return known_or(roofs.tensor_fp64_tflops, roofs.fp64_tflops * 2);
  if (pipe.starts_with("tensor fp8")) return known_or(roofs.tensor_fp8_tflops, half * 2);
  if (pipe == "tensor int8" || pipe == "tensor uint8") return known_or(roofs.tensor_int8_tflops, half * 2);
  return 0;
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
