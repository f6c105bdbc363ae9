// One configuration that is ready to run on its problem's buffers: its plan, loaded kernels and launch sequence. Also
// maps failed runs to trial statuses.
#pragma once

#include "core/trial.h"
#include "cuda/cuda_device.h"
#include "cuda/problem_memory.h"
#include "gpu/launch.h"

#include <memory>
#include <string>

namespace warptune {

struct LoadedCandidate {
  LaunchPlan plan;
  LoadedKernels kernels;
  LaunchSequence sequence;
  int generation = 0;   // ProblemMemory::generation() for which the sequence was made
  double occupancy = 0; // occupancy of the largest launch; 0: no launch is a kernel
  // Whether the first launch may take longer, because the driver enlarges local memory or a library loads its kernels.
  bool local_memory = false;
  // `memory` and this object must outlive the result. `poisoned`: whether the last run of a batch begins with poisoned
  // outputs, so that it can be verified.
  TimedWork work(ProblemMemory& memory, bool poisoned) const;
};

// Returns the resources of the launch whose kernel uses the most registers, because this launch limits occupancy.
// `resources`: in the order of plan.name_expressions. Precondition: at least one launch is a kernel.
KernelResources heaviest_resources(const LaunchPlan& plan, const std::vector<KernelResources>& resources);

// `cubin`: null if the plan has no program.
Result<std::unique_ptr<LoadedCandidate>> prepare_candidate(CudaDevice& device, ProblemMemory& memory, LaunchPlan plan,
                                                           const Cubin* cubin);

struct RunFailure {
  TrialStatus status = TrialStatus::launch_failed;
  std::string evidence;
  bool fatal = false;
};
template <class T> using RunResult = tl::expected<T, RunFailure>;

struct VerifiedRun {
  Verdict verdict;
  double us = 0; // time of the verified launch
};

// CUDA_ERROR_NOT_READY means that a deadline passed; the device is then marked as hung.
RunFailure describe_failure(CudaDevice& device, CUresult status, double deadline_s);
// Describes an Error that a broken context may have caused.
RunFailure describe_failure(CudaDevice& device, const Error& error);

// Prepares the buffers, launches once, and waits up to a deadline. Returns the time in microseconds, measured like a
// sample with a cold L2. For a kernel with local memory, the time may include a wait for the driver.
RunResult<double> launch_once(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate);

inline constexpr double kLaunchTimeout =
    15; // seconds; below the worker's time limit, so that the cause of a hang is known

// Launches once without preparing the buffers, and waits. Returns the time between events around the launch, in us.
RunResult<double> launch_unprepared(CudaDevice& device, const LoadedCandidate& candidate,
                                    double timeout_s = kLaunchTimeout);

// Runs launch_once, then verifies. If the result is wrong and the launch also damaged the data for the comparison,
// restores that data, then launches and verifies once more.
RunResult<VerifiedRun> run_verified(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate);

// Verifies outputs, guards and inputs again, after a correct run_verified and any number of further launches. `launch`:
// whether to launch once more first, on poisoned outputs. Without this launch, a kernel that has stopped working would
// be missed, because the outputs still hold earlier results. The launch is not needed if the last launch already began
// with poisoned outputs. After a wrong result the memory is restored.
RunResult<Verdict> verify_again(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate,
                                bool launch);

} // namespace warptune
