// Maps the params of a recording to those of a kernel. A recording has labels where a spec has ids, and it may be older
// than the kernel's implementations. This code converts the recording's names and labels to the spec's values.
#pragma once

#include "recording/recording.h"
#include "spec/spec.h"

namespace warptune {

// Converts the recording's params and configurations to those of the spec. Trials with a value that the spec no longer
// has are left out. Returns false if the recording has other params.
bool adopt_params(const KernelSpec& spec, Recording& recording);

Result<Problem> recorded_problem(const KernelSpec& spec, const Recording& recording);

// Sets the params of a recording from the spec. Precondition: its configurations already have the spec's values.
void describe_params(const KernelSpec& spec, Recording& recording);

} // namespace warptune
