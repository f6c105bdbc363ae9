// A sweep of tests/data/specs/scale as a GPU would have measured it, so that the command line can tune without a GPU.
#pragma once

#include "jit/template_store.h"
#include "recording/recording.h"
#include "support/paths.h"

#include <filesystem>
#include <stdexcept>

namespace warptune::test {

inline constexpr const char* kScaleShape = "rows=64,cols=1024";

// THREADS=64,VEC=1 is the fastest with 10 us; each later configuration takes 1 us more; the last one is wrong.
inline Recording scale_recording() {
  const Result<Kernel> kernel = TemplateStore({data_dir() / "specs"}).load("scale");
  if (!kernel) throw std::runtime_error(kernel.error().message);
  Recording r;
  r.kernel = "scale";
  r.source_hash = kernel->source_hash;
  r.problem = problem_key(kernel->spec, make_problem(kernel->spec, kScaleShape, "", {}).value());
  r.device = h200_device();
  r.device.compiler = "NVRTC 13.0";
  r.device.driver = "580.1";
  r.recorded_at = "2025-01-01T00:00:00Z";
  r.version = "0.1.0";
  r.strategy = "exhaustive";
  r.param_names = {"THREADS", "VEC"};
  double us = 10;
  for (const std::int64_t threads : {64, 128, 256})
    for (const std::int64_t vec : {1, 2, 4}) {
      Trial t;
      t.config = {threads, vec};
      t.index = static_cast<ConfigIndex>(r.trials.size());
      t.status = TrialStatus::ok;
      t.verdict = Verdict{true, 0, 0, 0, 0, 0, "y", ""};
      Timing timing;
      timing.median_us = timing.ci_low_us = timing.ci_high_us = timing.min_us = us;
      timing.samples_us.assign(7, static_cast<float>(us));
      t.timing = timing;
      us += 1;
      r.trials.push_back(std::move(t));
    }
  Trial& last = r.trials.back();
  last.status = TrialStatus::wrong_result;
  last.evidence = "y[3] is 0 and should be 1\x1b[2J";
  last.verdict->correct = false;
  last.timing.reset();
  return r;
}

// The same with the energy of each configuration: the slower, the less (6 mJ * 10 us / time).
inline Recording scale_recording_with_energy() {
  Recording r = scale_recording();
  for (Trial& t : r.trials)
    if (t.timing)
      t.power = PowerReading{6 * 10 / t.timing->median_us * 10 / t.timing->median_us, 400, 1755, 60, 0x4, 1000, 800};
  return r;
}

inline void save_scale_recording(const std::filesystem::path& file) {
  if (Result<void> saved = save_recording(scale_recording(), file); !saved)
    throw std::runtime_error(saved.error().message);
}

} // namespace warptune::test
