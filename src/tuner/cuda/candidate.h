// One configuration made ready to run on the buffers of its problem: plan, loaded kernels, launch sequence; and the
// ways in which running it can fail, as trial statuses.
#pragma once

#include "core/trial.h"
#include "gpu/launch.h"
#include "tuner/cuda/cuda_device.h"
#include "tuner/cuda/problem_memory.h"

#include <memory>
#include <string>

namespace warptune {

struct Candidate {
  LaunchPlan plan;
  LoadedKernels kernels;
  LaunchSequence sequence;
  int generation = 0;                          // of the memory that the sequence points to
  double occupancy = 0;                        // of the largest launch
  TimedWork work(ProblemMemory& memory) const; // the memory and this must outlive it
};

// Of the launch whose kernel takes the most registers: where there are several, the one that limits. `resources` in the
// order of plan.compile.name_expressions.
KernelResources heaviest_resources(const LaunchPlan& plan, const std::vector<KernelResources>& resources);

Result<std::unique_ptr<Candidate>> prepare_candidate(CudaDevice& device, ProblemMemory& memory, LaunchPlan plan,
                                                     const Cubin& cubin);

struct RunFailure {
  TrialStatus status = TrialStatus::launch_failed;
  std::string evidence;
  bool fatal = false;
};
using RunResult = tl::expected<void, RunFailure>;

// CUDA_ERROR_NOT_READY: a deadline passed; the device is marked as hung.
RunFailure describe_failure(CudaDevice& device, CUresult status, double deadline_s);
// For an Error whose cause may have been a lost context.
RunFailure describe_failure(CudaDevice& device, const Error& error);

// Prepares the buffers, launches once, waits with a deadline.
RunResult launch_once(CudaDevice& device, ProblemMemory& memory, const Candidate& candidate);

// launch_once and verify. A wrong result whose launch damaged what it was checked against is tried once more on healed
// data.
tl::expected<Verdict, RunFailure> run_verified(CudaDevice& device, ProblemMemory& memory, const Candidate& candidate);

// After a correct run_verified and any number of further launches: judges what the last of them left (outputs, guards,
// inputs), then one more launch on poisoned outputs, which a kernel that has stopped working would leave as they are.
// A wrong result leaves the memory healed.
tl::expected<Verdict, RunFailure> verify_again(CudaDevice& device, ProblemMemory& memory, const Candidate& candidate);

} // namespace warptune
