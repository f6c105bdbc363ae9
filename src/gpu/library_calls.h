// The libraries that there are (gpu/vendor_library.h), and the calls of a plan prepared by them.
#pragma once

#include "gpu/vendor_library.h"

#include <string_view>

namespace warptune {

// $WARPTUNE_DISABLE_LIBRARIES, a list such as "cublaslt,driver", names libraries that count as missing.
Result<const VendorLibrary*> find_vendor_library(std::string_view name);

Result<std::unique_ptr<const PreparedCall>> prepare_call(const Driver& driver, const LibraryCallPlan& call,
                                                         const LaunchPlan& plan);

// Whether all calls of a plan can be made in the current context.
Result<void> check_library_calls(const Driver& driver, const LaunchPlan& plan);

} // namespace warptune
