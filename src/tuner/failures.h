// Writes the message for a session without a correct configuration: how often each kind of failure occurred, and the
// first diagnostic of the most frequent kind.
#pragma once

#include "spec/spec.h"
#include "tuner/pipeline.h"

#include <string>

namespace warptune {

// Returns "none of 12 configurations of softmax is correct: 10 compile_failed, 2 wrong_result; the first compile_failed
// (VEC=4) says:\nLOG".
std::string describe_failures(const KernelSpec& spec, const TrialBook& book);

} // namespace warptune
