// Words for a sweep in which nothing worked: how often each kind of failure came, and the first evidence of it.
#pragma once

#include "spec/spec.h"
#include "tuner/pipeline.h"

#include <string>

namespace warptune {

// "of 12 configurations of softmax none is correct: 10 compile failed, 2 wrong result; the first compile failed,
// ...:\nLOG"
std::string describe_failures(const KernelSpec& spec, const TrialBook& book);

} // namespace warptune
