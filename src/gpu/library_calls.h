// Finds the available libraries (gpu/vendor_library.h) and prepares the library calls of a plan.
#pragma once

#include "gpu/vendor_library.h"
#include "spec/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// $WARPTUNE_DISABLE_LIBRARIES, a list such as "cublaslt,driver", names libraries that are treated as missing.
Result<const VendorLibrary*> find_vendor_library(std::string_view name);

Result<std::unique_ptr<const PreparedCall>> prepare_call(const Driver& driver, const LibraryCallPlan& call,
                                                         const LaunchPlan& plan);

// "cublaslt 13.1" for each library that implementations of the kernel call and that can be opened. The driver is left
// out, because its version is stored separately.
std::vector<std::string> library_versions(const Driver& driver, const KernelSpec& spec);

// Whether all calls of a plan can be made in the current context.
Result<void> check_library_calls(const Driver& driver, const LaunchPlan& plan);

} // namespace warptune
