// Backend: one kind of device, inside a worker process: CUDA, a recording (replay) and later OpenCL implement this
// interface. The worker calls set_kernel and device, then open once per problem, then compile (possibly in another
// process) and evaluate for each candidate; round for finalists; check for the winner. A fault after which the backend
// still works becomes a Trial's status. Any other fault (a broken context) is `fatal`: the coordinator then replaces
// the whole process.
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

// The input that a worker receives once per problem. The inputs of the kernel are drawn from the seed.
struct ProblemSetup {
  Kernel kernel;
  Problem problem;
  std::uint64_t seed = 0;
  Builders builders = {}; // builders of the kernel's built implementations
  bool line_info = false; // compile with -lineinfo, so that tools can name lines of the source
};

// The static half of a trial: everything that needs no device. `cubin_hash`: key in the cubin cache.
struct Compiled {
  TrialStatus status = TrialStatus::ok; // one of ok, invalid, compile_failed, timed_out, crashed
  std::string evidence, cubin_hash;
  KernelResources resources;
  double compile_ms = 0;
  bool no_verdict = false; // the machine failed, not the configuration; `evidence` says how, and nothing is stored
};

struct Evaluation {
  Trial trial;
  bool fatal = false;
};

// One round of interleaved samples of several configurations on fresh data, in the given order; a configuration may
// occur several times. samples_us[i] belongs to configs[i]. The L2 is in the same state as in the exploration, because
// times could not be compared otherwise.
struct Round {
  std::vector<float> samples_us;
  DeviceReadings device = {}; // during the round
  // For each configuration, a sentence if its output on the round's data was wrong (its first round verifies it),
  // otherwise empty; if any is wrong, nothing was timed. An empty list: no output was wrong.
  std::vector<std::string> wrong = {};
};

// Counters of several configurations, each run several times. profiles[i] belongs to configs[i]; it is nullopt if the
// configuration could not run, and evidence[i] then says why.
struct Profiles {
  std::vector<std::optional<Profile>> profiles;
  std::vector<std::string> evidence;
  // A sentence: why there are no counters here, and what to do; the lists are then empty. Empty if counters are
  // available.
  std::string unavailable;
};

// The sampled or counted instructions of a configuration's warps; if there are none, the reason.
struct Samples {
  std::optional<PcSamples> samples;
  std::string unavailable; // a sentence: why instructions cannot be sampled or counted, and what to do
};

// Energy per launch. If both the reading and the reason are missing, this configuration could not be measured.
struct Power {
  std::optional<PowerReading> reading;
  std::string unavailable; // a sentence: why no reading is possible here
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Result<DeviceInfo> device() = 0;                  // fast: opens nothing
  virtual Result<Roofs> measure_roofs() = 0;                // measures the roofs of this device, which takes seconds
  virtual Result<void> open(const ProblemSetup& setup) = 0; // makes buffers, inputs, reference outputs
  virtual Compiled compile(const Config& config, const DeviceInfo& device,
                           double timeout_s) = 0;                 // needs only set_kernel
  virtual Result<void> set_kernel(const ProblemSetup& setup) = 0; // enough for compile; needs no device
  virtual Evaluation evaluate(const Config& config, const Compiled& compiled, const MeasureOptions& options) = 0;
  // `idle_us`: the device's idle time after each sample; empty: none.
  virtual Result<Round> round(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                              const std::vector<float>& idle_us, bool cold_l2) = 0;
  // Launches a finalist once more and verifies it on data that no round used. It runs in the process that ran the
  // rounds, so that a kernel that has stopped working is detected.
  virtual Result<Verdict> verify_once_more(const Config& config, const Compiled& compiled) = 0;
  // `metrics`: a list of sets and metrics (profiler/metric_sets.h). Precondition: the configurations are
  // verified.
  virtual Result<Profiles> profile(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                                   const std::string& metrics, bool cold_l2) = 0;
  // Samples the instructions of a configuration that takes `us` microseconds, with their source lines if the setup has
  // line_info. Precondition: the configuration is verified.
  virtual Result<Samples> sample(const Config& config, const Compiled& compiled, double us, bool cold_l2) = 0;
  // Counts how often each instruction of a configuration is executed, and what its accesses to memory cost; the result
  // has no stalls. Lines as in `sample`. Precondition: the configuration is verified.
  virtual Result<Samples> count_instructions(const Config& config, const Compiled& compiled) = 0;
  // Launches a configuration back to back for at least `window_s`. Precondition: the configuration is verified.
  virtual Result<Power> measure_power(const Config& config, const Compiled& compiled, double window_s) = 0;
  // Only verifies a configuration, with another seed or another problem of the same kernel (a ragged shape).
  virtual Result<Verdict> check(const Config& config, const Problem& problem, std::uint64_t seed) = 0;
  // Launches a configuration in a special way and verifies it. A correct verdict with a `detail` says why the
  // examination does not apply to the kernel. Error: the reference cannot be run in this way.
  virtual Result<Verdict> examine(const Config& config, const Compiled& compiled, Examination what) = 0;
  // Sentences for the user from set_kernel or open ("the recording was made from other sources of softmax; ...").
  virtual std::vector<std::string> notes() const { return {}; }
};

// Makes the backend for a device name such as "cuda:0". Processes exchange cubins through the cache directory; empty:
// the standard one.
using MakeBackend =
    std::function<Result<std::unique_ptr<Backend>>(const std::string& device, const std::string& cache_directory)>;

} // namespace warptune
