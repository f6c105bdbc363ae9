// What the configuration is called that a result is compared with.
#pragma once

#include "db/records.h"

#include <string>

namespace warptune::report {

// "implementation=cublaslt,RANK=2" -> "cublaslt"; without a choice of implementations the whole text. Empty: there is
// no baseline.
std::string baseline_name(const BestRecord& best);

// "1.05 times as fast as cublaslt"; empty: there is no baseline, or the winner is it.
std::string baseline_sentence(const BestRecord& best);

} // namespace warptune::report
