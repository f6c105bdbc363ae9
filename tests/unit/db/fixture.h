// Records with every field set, and queries for the database tests.
#pragma once

#include "db/reader.h"
#include "db/writer.h"
#include "support/temp_dir.h"

#include <gmock/gmock.h>

namespace warptune::test {

inline DeviceInfo sample_device() {
  DeviceInfo d;
  d.name = "NVIDIA Test";
  d.uuid = "GPU-1234";
  d.arch = "sm_90a";
  d.memory_bytes = 141'000'000'000;
  d.driver = "580.1";
  d.compiler = "NVRTC 13.0.88";
  d.max_sm_clock_mhz = 1980;
  d.memory_clock_mhz = 3201;
  d.memory_bus_bits = 6016;
  d.limits = {132, 90, 32, 1024, 2048, 232448, 233472, 65536, 32, 60'000'000};
  return d;
}

inline SessionIdentity sample_identity() {
  SessionIdentity i;
  i.kernel = "softmax";
  i.source_hash = "abc";
  i.problem = "rows=8,cols=4;bf16";
  i.device_backend = "cuda";
  i.device_name = "NVIDIA Test";
  i.device_uuid = "GPU-1234";
  i.arch = "sm_90a";
  i.driver = "580.1";
  i.compiler = "NVRTC 13.0.88";
  i.strategy = "exhaustive";
  i.budget = "10%";
  i.seed = 0xFFFF'FFFF'FFFF'FFFEull;
  return i;
}

inline Roofs sample_roofs() {
  Roofs roofs;
  double rate = 4000;
  for (const RoofName& roof : roof_names()) roofs.*roof.member = rate++;
  roofs.measured = true;
  roofs.driver = "580.1";
  roofs.clocks = {{"tensor_tflops", 1755}};
  return roofs;
}

inline Trial sample_trial(std::int64_t n = 4) {
  Trial t;
  t.config = {n, -2};
  t.index = n;
  t.status = TrialStatus::ok;
  t.cubin_hash = "c0ffee";
  t.resources = {40, 8, 1024, 0.5};
  t.compile_ms = 100.5;
  t.verify_ms = 2;
  t.measure_ms = 30;
  t.verdict = Verdict{true, 1e-3, 1e-4, 0.25, 0, 17, "y", ""};
  Timing timing;
  timing.median_us = 10.5;
  timing.ci_low_us = 10;
  timing.ci_high_us = 11;
  timing.min_us = 9.5;
  timing.rel_iqr = 0.01;
  timing.samples_us = {9.5F, 10.5F, 11.25F};
  timing.cold_l2 = false;
  timing.complete = false;
  timing.sm_clock_mhz = 1980;
  timing.temperature_c = 40;
  timing.power_w = 300;
  t.timing = timing;
  t.profile = Profile{{{"dram__bytes_read.sum", 1e9}, {"sm__cycles.avg", 12.5}}, "CUPTI 13.0", 2, false};
  t.power = PowerReading{12.5, 600, 1755, 61, 4, 1000, 250.5};
  return t;
}

inline std::string sample_config(std::int64_t n = 4) { return "VEC=" + std::to_string(n) + ",SHIFT=-2"; }

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

} // namespace warptune::test
