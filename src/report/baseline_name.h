// The name of the configuration with which a result is compared.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::report {

// "implementation=cublaslt,RANK=2" -> "cublaslt"; the whole text if the kernel has only one implementation. Empty:
// there is no baseline.
std::string baseline_name(const BestRecord& best);

// "1.05 times as fast as cublaslt"; empty: there is no baseline, or it is the winner.
std::string baseline_sentence(const BestRecord& best);

} // namespace warptune::report
