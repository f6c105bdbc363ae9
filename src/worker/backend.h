// Backend: one kind of device, used inside a worker process. CUDA and recordings (replay) implement this interface. The
// worker calls `set_kernel` and `device`, and then `open` once per problem. It calls `compile` (possibly in another
// process) and `evaluate` for each candidate, then `round` for the finalists and `check` for the winner. If the backend
// still works after a fault, the fault becomes the trial's status. Any other fault, such as a broken context, is
// `fatal`: the coordinator replaces the process.
#pragma once

#include "core/device.h"
#include "core/device_readings.h"
#include "core/examination.h"
#include "core/pc_samples.h"
#include "core/result.h"
#include "core/trial.h"
#include "jit/builders.h"
#include "plan/plan.h"
#include "profiler/timer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// The data that a worker receives once per problem. The values of the kernel's inputs are drawn from `seed`.
struct ProblemSetup {
  Kernel kernel;
  Problem problem;
  std::uint64_t seed = 0;
  Builders builders = {}; // compilers of built implementations
  bool line_info = false; // compile with -lineinfo, so that tools can name source lines
};

// The part of a trial that needs no device. `cubin_hash`: the cubin's key in the cubin cache.
struct Compiled {
  TrialStatus status = TrialStatus::ok; // one of ok, invalid, compile_failed, timed_out, crashed
  std::string evidence, cubin_hash;
  KernelResources resources;
  double compile_ms = 0;
  bool no_verdict = false; // the machine failed, not the configuration; `evidence` says how; nothing is stored
};

struct Evaluation {
  Trial trial;
  bool fatal = false;
};

// One round of the finals: interleaved samples of several configurations on new inputs, in the given order.
// samples_us[i] belongs to configs[i]; a configuration may occur several times. The L2 is in the same state as during
// the search, so that the times can be compared.
struct Round {
  std::vector<float> samples_us;
  DeviceReadings device = {}; // during the round
  // Per configuration: a sentence if its output was wrong, otherwise empty; an empty list means that no output was
  // wrong. A configuration's first round verifies it. If any output was wrong, nothing was timed.
  std::vector<std::string> wrong = {};
};

// Counters of several configurations, each of which runs several times. profiles[i] belongs to configs[i]. profiles[i]
// is nullopt if the configuration could not run; evidence[i] then says why.
struct Profiles {
  std::vector<std::optional<Profile>> profiles;
  std::vector<std::string> evidence;
  // If counters cannot be read here: a sentence that says why, and what to do; the lists are then empty. Otherwise
  // empty.
  std::string unavailable;
};

// The sampled or counted instructions of one configuration, or the reason why there are none.
struct Samples {
  std::optional<PcSamples> samples;
  std::string unavailable; // a sentence: why instructions cannot be sampled or counted here, and what to do
};

// Energy per launch. If both members are empty, this configuration has no reading, but others may have one.
struct Power {
  std::optional<PowerReading> reading;
  std::string unavailable; // a sentence: why no device reading is possible here
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Result<DeviceInfo> device() = 0;                  // fast; opens nothing
  virtual Result<Roofs> measure_roofs() = 0;                // takes seconds
  virtual Result<void> open(const ProblemSetup& setup) = 0; // makes buffers, inputs and reference outputs
  virtual Compiled compile(const Config& config, const DeviceInfo& device,
                           double timeout_s) = 0; // precondition: set_kernel was called
  // Prepares what `compile` needs. Does not use the device.
  virtual Result<void> set_kernel(const ProblemSetup& setup) = 0;
  virtual Evaluation evaluate(const Config& config, const Compiled& compiled, const MeasureOptions& options) = 0;
  // `idle_us`: how long to leave the device idle after each sample; empty: it does not idle.
  virtual Result<Round> round(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                              const std::vector<float>& idle_us, bool cold_l2) = 0;
  // Launches a finalist once more and verifies it on inputs that no round used. This launch runs in the same process as
  // the rounds, so a kernel that stopped working during them is detected.
  virtual Result<Verdict> verify_once_more(const Config& config, const Compiled& compiled) = 0;
  // `metrics`: a list of metrics and metric sets (profiler/metric_sets.h). Precondition: the configurations were
  // verified.
  virtual Result<Profiles> profile(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                                   const std::string& metrics, bool cold_l2) = 0;
  // Samples the instructions of a configuration that takes `us` microseconds. Adds source lines if the setup has
  // line_info. Precondition: the configuration was verified.
  virtual Result<Samples> sample(const Config& config, const Compiled& compiled, double us, bool cold_l2) = 0;
  // Counts how often each instruction of a configuration is executed, and what its memory accesses cost. The result has
  // no stalls. Source lines and precondition: as for `sample`.
  virtual Result<Samples> count_instructions(const Config& config, const Compiled& compiled) = 0;
  // Launches a configuration repeatedly, without pauses, for at least `window_s`. Precondition: the configuration was
  // verified.
  virtual Result<Power> measure_power(const Config& config, const Compiled& compiled, double window_s) = 0;
  // Verifies a configuration without timing it, with another seed or another problem (such as a ragged shape) of the
  // same kernel.
  virtual Result<Verdict> check(const Config& config, const Problem& problem, std::uint64_t seed) = 0;
  // Launches a configuration as the examination requires, and verifies it. If the examination does not apply to the
  // kernel, the verdict is correct and its `detail` says why. Error: the reference cannot be run as the examination
  // requires.
  virtual Result<Verdict> examine(const Config& config, const Compiled& compiled, Examination what) = 0;
  // Sentences for the user, from set_kernel or open: "the recording was made from other sources of softmax; ...".
  virtual std::vector<std::string> notes() const { return {}; }
};

// Makes the backend for a device name such as "cuda:0". `cache_directory`: the cubin cache through which processes
// exchange cubins; empty: the standard one.
using MakeBackend =
    std::function<Result<std::unique_ptr<Backend>>(const std::string& device, const std::string& cache_directory)>;

} // namespace warptune
