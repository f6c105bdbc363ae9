// Names the configuration that a result is compared with (its baseline).
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::report {

// Returns "cublaslt" for "implementation=cublaslt,RANK=2". If the kernel has only one implementation, returns the whole
// text; empty if there is no baseline.
std::string baseline_name(const BestRecord& best);

// Returns "1.05x the speed of cublaslt"; empty if there is no baseline, or if the winner is the baseline.
std::string baseline_sentence(const BestRecord& best);

} // namespace warptune::report
