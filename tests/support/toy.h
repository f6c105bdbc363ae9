// The toy kernel (tests/data/tuner/toy), a formula instead of a device that gives the time of each configuration, and a
// recording made from it.
#pragma once

#include "jit/template_store.h"
#include "recording/recorded_params.h"
#include "recording/recording.h"
#include "space/space.h"
#include "support/paths.h"

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace warptune::test {

// "toy", or "choice": the same in two implementations.
inline Kernel toy_kernel(const std::string& name = "toy") {
  auto kernel = TemplateStore({}).load((data_dir() / "tuner" / name).string());
  if (!kernel) throw std::runtime_error(kernel.error().message);
  return std::move(*kernel);
}

inline Problem toy_problem(const Kernel& kernel, const std::string& shape = "n=1048576") {
  auto problem = make_problem(kernel.spec, shape, "", {});
  if (!problem) throw std::runtime_error(problem.error().message);
  return *problem;
}

inline DeviceInfo toy_device() {
  DeviceInfo device = h200_device();
  device.backend = "toy";
  device.driver = "1.0";
  device.compiler = "none";
  device.roofs.dram_read_gbs = device.roofs.dram_copy_gbs = device.roofs.dram_write_gbs = 4000;
  device.roofs.fp32_tflops = 60;
  device.roofs.measured = true;
  return device;
}

// If there is a choice among implementations, it is the first value (a label's id); A and B follow it.
inline bool has_choice(const Config& c) { return c[0] >= std::int64_t{1} << 32; }

// Best at A=4, B=4; C makes no difference. `draw` selects noise of up to 0.1 %. The second implementation takes half as
// long.
inline double toy_time_us(const Config& c, std::uint64_t draw) {
  if (has_choice(c)) return toy_time_us(Config(c.begin() + 1, c.end()), draw) / static_cast<double>(1 + (c[0] & 1));
  const double a = std::log2(static_cast<double>(c[0]) / 4), b = static_cast<double>(c[1] - 4) / 6;
  std::uint64_t h = draw * 0x9e3779b97f4a7c15u;
  for (const std::int64_t v : c) h = (h ^ static_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdu, h ^= h >> 29;
  return 40 * (1 + 0.1 * a * a + 0.3 * b * b) * (1 + 1e-3 * static_cast<double>(h % 1000) / 1000);
}

// The more elements per thread, the lower the power: A=8, B=3 takes 10 % longer than the fastest but less energy.
inline PowerReading toy_power(const Config& c, std::uint64_t draw, double window_s) {
  PowerReading p;
  p.average_w = 450 - 50 * std::log2(static_cast<double>(c[0]));
  p.energy_mj = p.average_w * toy_time_us(c, draw) / 1e3;
  p.sm_clock_mhz = 1755;
  p.temperature_c = 55;
  p.throttle_reasons = 4;
  p.launches = static_cast<std::int64_t>(window_s * 1e6 / toy_time_us(c, draw));
  p.window_ms = window_s * 1e3;
  return p;
}

inline Trial toy_trial(const Config& config) {
  Trial t;
  t.config = config;
  t.status = TrialStatus::ok;
  const std::size_t a = has_choice(config) ? 1 : 0;
  const std::int64_t c = a + 2 < config.size() ? config[a + 2] : 0; // some toys have no C
  t.resources = {static_cast<int>(16 + 2 * config[a] * config[a + 1] + (c & 7)), 0, 0, 0.5};
  t.compile_ms = 20;
  t.verify_ms = 1;
  t.measure_ms = 2;
  t.verdict.emplace().correct = true;
  t.verdict->worst_ratio = 0.25;
  Timing& timing = t.timing.emplace();
  for (std::uint64_t i = 0; i < 20; ++i) timing.samples_us.push_back(static_cast<float>(toy_time_us(config, i)));
  timing.median_us = toy_time_us(config, 3);
  timing.ci_low_us = timing.median_us * 0.999;
  timing.ci_high_us = timing.median_us * 1.001;
  timing.min_us = timing.median_us * 0.998;
  timing.rel_iqr = 0.001;
  timing.sm_clock_mhz = 1980;
  return t;
}

// Two of the configurations failed.
inline Recording toy_recording(const Kernel& kernel, const Problem& problem) {
  Recording r;
  r.kernel = kernel.spec.name;
  r.source_hash = kernel.source_hash;
  r.problem = problem_key(kernel.spec, problem);
  r.device = toy_device();
  r.recorded_at = "2026-01-02T03:04:05Z";
  r.version = "0.1.0";
  r.strategy = "exhaustive";
  auto space = SearchSpace::build(kernel.spec, problem, r.device);
  if (!space) throw std::runtime_error(space.error().message);
  for (ConfigIndex i = 0; i < space->size(); ++i) {
    Trial t = toy_trial(space->config(i));
    if (t.config == Config{2, 3, 1}) {
      t.status = TrialStatus::compile_failed;
      t.evidence = "kernel.cu(2): error: no such luck";
      t.timing.reset(), t.verdict.reset();
    }
    if (t.config == Config{4, 4, 1}) {
      t.status = TrialStatus::wrong_result;
      t.evidence = "y[17] is 3, expected 2";
      t.timing.reset();
      t.verdict->correct = false;
      t.verdict->worst_ratio = 1e6;
      t.verdict->worst_index = 17;
      t.verdict->mismatches = 3;
      t.verdict->worst_buffer = "y";
    }
    r.trials.push_back(std::move(t));
  }
  describe_params(kernel.spec, r);
  return r;
}

} // namespace warptune::test
