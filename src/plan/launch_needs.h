// A launch's demands on a multiprocessor: the plan's block and the compiler's figures for its kernel. Pure.
#pragma once

#include "core/trial.h"
#include "plan/occupancy.h"
#include "plan/plan.h"

#include <optional>
#include <vector>

namespace warptune {

// The position of the launch's kernel in plan.name_expressions.
std::size_t kernel_index(const LaunchPlan& plan, const KernelLaunch& launch);

// `resources`: in the order of plan.name_expressions; registers and static shared memory of kernels without an entry
// are 0.
BlockNeeds needs_of(const LaunchPlan& plan, const KernelLaunch& launch, const std::vector<KernelResources>& resources);

} // namespace warptune
