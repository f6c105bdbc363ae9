// Finds vendor libraries (gpu/vendor_library.h) and prepares a plan's library calls.
#pragma once

#include "gpu/vendor_library.h"
#include "spec/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// Whether $WARPTUNE_ALLOW_VENDOR is 1: then configurations that call vendor libraries may be chosen.
bool vendor_is_allowed();

// Libraries listed in $WARPTUNE_DISABLE_LIBRARIES ("cublaslt,driver") are treated as missing.
Result<const VendorLibrary*> find_vendor_library(std::string_view name);

Result<std::unique_ptr<const PreparedCall>> prepare_call(const Driver& driver, const LibraryCallPlan& call,
                                                         const LaunchPlan& plan);

// Returns "cublaslt 13.1" and so on: one text for each library that the kernel's implementations call and that can be
// opened. The driver is left out, because its version is stored separately.
std::vector<std::string> library_versions(const Driver& driver, const KernelSpec& spec);

// Returns an error if a library call of the plan is not possible in the current context.
Result<void> check_library_calls(const Driver& driver, const LaunchPlan& plan);

} // namespace warptune
