// One configuration prepared to run on the buffers of its problem: plan, loaded kernels, launch sequence. Also maps
// failures of a run to trial statuses.
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
  int generation = 0;   // generation of the memory to which the sequence points
  double occupancy = 0; // occupancy of the largest launch; 0: no launch is a kernel
  // Whether the first launch may be delayed, because the driver grows local memory or a library loads its kernels.
  bool local_memory = false;
  // `memory` and this object must outlive the result. `poisoned`: the last run of a batch begins with poisoned outputs.
  TimedWork work(ProblemMemory& memory, bool poisoned) const;
};

// Returns the resources of the launch whose kernel uses the most registers, because it limits occupancy. `resources`:
// in the order of plan.name_expressions. Precondition: some launch is a kernel.
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
  double us = 0; // time of the launch that was verified
};

// CUDA_ERROR_NOT_READY: a deadline passed; the device is marked as hung.
RunFailure describe_failure(CudaDevice& device, CUresult status, double deadline_s);
// Maps an Error that may have been caused by a lost context.
RunFailure describe_failure(CudaDevice& device, const Error& error);

// Prepares the buffers, launches once, and waits up to a deadline. Returns the time in microseconds, measured like a
// sample with a cold L2. If the kernel has local memory, the time may include a wait for the driver.
RunResult<double> launch_once(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate);

inline constexpr double kLaunchTimeout = 15; // seconds; shorter than the worker's limit, so that the cause is known

// Launches on the buffers as they are, without preparing them, and waits. Returns the time between two events in
// microseconds.
RunResult<double> launch_unprepared(CudaDevice& device, const LoadedCandidate& candidate,
                                    double timeout_s = kLaunchTimeout);

// Runs launch_once and verify. If the result is wrong and the launch damaged the data it was compared with, both run
// once more on restored data.
RunResult<VerifiedRun> run_verified(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate);

// Verifies outputs, guards and inputs after the last launch, which follows a correct run_verified and any number of
// further launches. `launch`: first launches once more on poisoned outputs, because a kernel that no longer works
// leaves the poison; not needed if the last launch began on poisoned outputs. After a wrong result the memory is
// restored.
RunResult<Verdict> verify_again(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate,
                                bool launch);

} // namespace warptune
