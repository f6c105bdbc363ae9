// The class behind cuda_backend.h. Its members are in several files: cuda_backend.cpp (device, kernel, memory),
// cuda_evaluation.cpp (compiling and evaluating one configuration), cuda_finalists.cpp (rounds of the finals),
// cuda_readings.cpp (counters and energy), cuda_samples.cpp (instructions) and cuda_examination.cpp (examinations).
#pragma once

#include "cuda/candidate.h"
#include "cuda/cuda_device.h"
#include "cuda/problem_memory.h"
#include "jit/cubin_cache.h"
#include "jit/prescreen.h"
#include "plan/candidate_plans.h"
#include "profiler/counter_source.h"
#include "worker/backend.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warptune {

class CudaBackend final : public Backend {
 public:
  CudaBackend(int ordinal, const std::string& cache_directory) : ordinal_(ordinal), cache_(cache_directory) {}

  ~CudaBackend() override;

  // Asks only the driver and the libraries that the kernel calls, so that compilers can start while open() is still
  // creating the context. The versions of these libraries are stored with results, like the compiler's version.
  Result<DeviceInfo> device() override;
  Result<Roofs> measure_roofs() override;
  Result<void> set_kernel(const ProblemSetup& setup) override;
  Result<void> open(const ProblemSetup& setup) override;

  Compiled compile(const Config& config, const DeviceInfo& device, double timeout_s) override;
  Evaluation evaluate(const Config& config, const Compiled& compiled, const MeasureOptions& options) override;
  Result<Round> round(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                      const std::vector<float>& idle_us, bool cold_l2) override;
  Result<Verdict> verify_once_more(const Config& config, const Compiled& compiled) override;
  Result<Profiles> profile(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                           const std::string& metrics, bool cold_l2) override;
  Result<Samples> sample(const Config& config, const Compiled& compiled, double us, bool cold_l2) override;
  Result<Samples> count_instructions(const Config& config, const Compiled& compiled) override;
  Result<Power> measure_power(const Config& config, const Compiled& compiled, double window_s) override;
  Result<Verdict> check(const Config& config, const Problem& problem, std::uint64_t seed) override;
  Result<Verdict> examine(const Config& config, const Compiled& compiled, Examination what) override;

 private:
  Result<void> open_device();

  // Makes the buffers and inputs of the current problem and seed, unless they exist already.
  Result<void> ensure_memory();

  Result<std::unique_ptr<LoadedCandidate>> prepare(ProblemMemory& memory, const Problem& problem, const Config& config,
                                                   const std::string& cubin_hash);
  Result<CompileRequest> request_of(const Problem& problem, const Config& config, const DeviceInfo& device,
                                    const LaunchPlan& plan) const;
  // Returns a launch that does the same work each time. `candidate` and the memory must outlive the result.
  ProfiledWork repeatable(const LoadedCandidate& candidate);
  // Makes a tool with `open`, and loads the kernels while the tool observes the context. Then calls use(tool, work,
  // cubin). `use` may launch the kernels, and returns a Result<PcSamples>.
  template <class Open, class Use>
  Result<Samples> watch(const Config& config, const Compiled& compiled, const Open& open, const Use& use);
  bool is_ready(const Config& config) const;
  Result<std::vector<std::string>> prepare_finalists(const std::vector<Config>& configs,
                                                     const std::vector<Compiled>& compiled);
  // Call this before any timing, because counting slows launches down.
  void stop_counting() {
    if (counters_) counters_->release();
  }
  void evaluate_on_device(Evaluation& evaluation, const Compiled& compiled, const MeasureOptions& options);

  int ordinal_;
  CubinCache cache_;
  std::unique_ptr<CudaDevice> device_; // before the members that use it, so that it is destroyed after them
  std::unique_ptr<CounterSource> counters_;
  std::unique_ptr<ProblemSetup> setup_;
  CandidatePlans plans_; // plans of the setup's kernel
  std::map<std::string, Prescreen>
      prescreens_; // keyed by source_hash; kept because a compile worker alternates between kernels
  std::unique_ptr<ProblemMemory> memory_;
  std::map<std::string, std::unique_ptr<LoadedCandidate>> finalists_; // keyed by config_text
  std::uint64_t rounds_ = 0;
};

} // namespace warptune
