// One configuration made ready to run on the buffers of its problem: plan, loaded kernels, launch sequence; and the
// ways in which running it can fail, as trial statuses.
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
  int generation = 0;   // of the memory that the sequence points to
  double occupancy = 0; // of the largest launch; 0: no launch is a kernel
  // A first launch may wait: the driver grows local memory, a library loads its kernels.
  bool local_memory = false;
  // The memory and this must outlive it. `poisoned`: the last run of a batch starts on poisoned outputs.
  TimedWork work(ProblemMemory& memory, bool poisoned) const;
};

// Of the launch whose kernel takes the most registers: where there are several, the one that limits. `resources` in the
// order of plan.name_expressions. Precondition: a launch is a kernel.
KernelResources heaviest_resources(const LaunchPlan& plan, const std::vector<KernelResources>& resources);

// `cubin`: null where the plan has no program.
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
  double us = 0; // of the launch that was judged
};

// CUDA_ERROR_NOT_READY: a deadline passed; the device is marked as hung.
RunFailure describe_failure(CudaDevice& device, CUresult status, double deadline_s);
// For an Error whose cause may have been a lost context.
RunFailure describe_failure(CudaDevice& device, const Error& error);

// Prepares the buffers, launches once, waits with a deadline. Its time in microseconds is that of a sample, with a cold
// L2, unless the kernel has local memory: then it may hold a wait for the driver.
RunResult<double> launch_once(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate);

// launch_once and verify. A wrong result whose launch damaged what it was checked against is tried once more on healed
// data.
RunResult<VerifiedRun> run_verified(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate);

// After a correct run_verified and any number of further launches: judges what the last of them left (outputs, guards,
// inputs). `launch`: then one more launch on poisoned outputs, which a kernel that has stopped working would leave as
// they are; not needed where the last launch began so. A wrong result leaves the memory healed.
RunResult<Verdict> verify_again(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate,
                                bool launch);

} // namespace warptune
