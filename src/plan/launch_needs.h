// Computes what one block of a launch needs from a multiprocessor (registers, shared memory), using the plan and the
// compiler's figures. Pure functions.
#pragma once

#include "core/trial.h"
#include "plan/occupancy.h"
#include "plan/plan.h"

#include <vector>

namespace warptune {

// Returns the position of the launch's kernel in plan.name_expressions.
std::size_t kernel_index(const LaunchPlan& plan, const KernelLaunch& launch);

// `resources` is in the order of plan.name_expressions. For a kernel without an entry, registers and static shared
// memory are 0.
BlockNeeds needs_of(const LaunchPlan& plan, const KernelLaunch& launch, const std::vector<KernelResources>& resources);

} // namespace warptune
