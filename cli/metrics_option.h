// --profile and --metrics: which counters, of which trials. What is wrong with them is said before anything is
// measured.
#pragma once

#include "core/dtype.h"
#include "core/result.h"
#include "tuner/session.h"

#include <string>

namespace warptune::cli {

// "none", "best" or "all" into the session's options, and its metrics checked where any are wanted.
Result<void> read_profile_options(const std::string& scope, DType dtype, SessionOptions& session);

// As far as it can be known without the device: sets by name, and metrics by the catalogue where CUPTI is installed.
Result<void> check_metrics(const std::string& metrics, DType dtype);

} // namespace warptune::cli
