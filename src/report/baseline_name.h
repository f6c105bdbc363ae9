// The name of the configuration with which a result is compared.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::report {

// Returns "cublaslt" for "implementation=cublaslt,RANK=2"; the whole text if the kernel has only one implementation;
// empty if there is no baseline.
std::string baseline_name(const BestRecord& best);

// "1.05x the speed of cublaslt"; empty if there is no baseline, or if it is the winner.
std::string baseline_sentence(const BestRecord& best);

} // namespace warptune::report
