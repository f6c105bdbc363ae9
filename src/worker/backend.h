// Backend: one kind of device, inside a worker process. The seam behind which CUDA, a recording (replay) and later
// OpenCL stand. The worker calls: set_kernel, device, then open once per problem, then for each candidate compile
// (maybe in another process) and evaluate; rounds for finalists; check for the winner. A fault that the backend
// survives is a Trial's status; one that it does not (broken context) is `fatal`, after which the coordinator replaces
// the whole process.
#pragma once

#include "core/device.h"
#include "core/device_readings.h"
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

// What a worker is told once per problem. The seed draws the inputs.
struct ProblemSetup {
  Kernel kernel;
  Problem problem;
  std::uint64_t seed = 0;
  Builders builders = {}; // of the kernel's built implementations
};

// The static half of a trial: everything that needs no device. `hash` finds the cubin in the cache.
struct Compiled {
  TrialStatus status = TrialStatus::ok; // ok, invalid, compile_failed, timed_out, crashed
  std::string evidence, cubin_hash;
  KernelResources resources;
  double compile_ms = 0;
  bool no_verdict = false; // the machine failed and not the configuration: `evidence` says how, and nothing is stored
};

struct Evaluation {
  Trial trial;
  bool fatal = false;
};

// One round of interleaved samples of several configurations on fresh data, in the order given; one may be given
// several times. samples_us[i] belongs to configs[i]. The state of the L2 is that of the exploration, or the times
// could not be compared.
struct Round {
  std::vector<float> samples_us;
  DeviceReadings device = {}; // while it ran
  // One sentence per configuration whose output was wrong on the round's data (the first round of each verifies it),
  // empty for the others; then nothing was timed. Empty altogether: none was wrong.
  std::vector<std::string> wrong = {};
};

// Counters of several configurations, each run several times over; profiles[i] belongs to configs[i] and is nothing for
// one that could not run, of which evidence[i] says why.
struct Profiles {
  std::vector<std::optional<Profile>> profiles;
  std::vector<std::string> evidence;
  // Why none can be had here, a sentence that says what to do; then the lists are empty. Empty: they can.
  std::string unavailable;
};

// What a launch draws. Neither a reading nor a reason: it could not be had of this configuration.
struct Power {
  std::optional<PowerReading> reading;
  std::string unavailable; // why none can be had here, a sentence
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Result<DeviceInfo> device() = 0;                  // what it is, quickly: nothing is opened for it
  virtual Result<Roofs> measure_roofs() = 0;                // seconds; the roofs of this very device
  virtual Result<void> open(const ProblemSetup& setup) = 0; // buffers, inputs, reference outputs
  virtual Compiled compile(const Config& config, const DeviceInfo& device,
                           double timeout_s) = 0;                 // needs set_kernel only
  virtual Result<void> set_kernel(const ProblemSetup& setup) = 0; // what compile needs: no device
  virtual Evaluation evaluate(const Config& config, const Compiled& compiled, const MeasureOptions& options) = 0;
  // `idle_us`: how long the device idles after each; empty: not at all.
  virtual Result<Round> round(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                              const std::vector<float>& idle_us, bool cold_l2) = 0;
  // One more launch of a finalist, verified on data that no round had: in the process that ran its rounds, so that a
  // kernel that has stopped working shows it.
  virtual Result<Verdict> verify_once_more(const Config& config, const Compiled& compiled) = 0;
  // `metrics`: a list of sets and metrics (profiler/metric_sets.h). Of configurations that were verified before.
  virtual Result<Profiles> profile(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                                   const std::string& metrics, bool cold_l2) = 0;
  // Back to back for at least `window_s`, of a configuration that was verified before.
  virtual Result<Power> measure_power(const Config& config, const Compiled& compiled, double window_s) = 0;
  // Verification only, with another seed or another problem of the same kernel (a ragged shape).
  virtual Result<Verdict> check(const Config& config, const Problem& problem, std::uint64_t seed) = 0;
  // Sentences for the user that set_kernel or open gave rise to ("the recording was made from another source").
  virtual std::vector<std::string> notes() const { return {}; }
};

// Makes the backend that a device name such as "cuda:0" stands for. The cache directory is where cubins travel; empty:
// the standard one.
using MakeBackend =
    std::function<Result<std::unique_ptr<Backend>>(const std::string& device, const std::string& cache_directory)>;

} // namespace warptune
