// Maps the params of a recording to those of a kernel. A recording has labels where a spec has ids, and may be older
// than the kernel's division into implementations. This code converts the recording's names and strings to the spec's
// values.
#pragma once

#include "recording/recording.h"
#include "spec/spec.h"

namespace warptune {

// Converts a recording's params and configurations to the spec's. Trials with values that the spec no longer has are
// left out. False: the recording has different params.
bool adopt_params(const KernelSpec& spec, Recording& recording);

Result<Problem> recorded_problem(const KernelSpec& spec, const Recording& recording);

// Sets the params of a recording whose configurations are already the spec's.
void describe_params(const KernelSpec& spec, Recording& recording);

} // namespace warptune
