// Checks a stored kernel before it is used. Only this code compares stored sources with their hash. All code that
// compiles, plans, packs or explains from stored sources gets the spec from here.
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "spec/spec.h"

namespace warptune {

// Error (database): spec.json is missing or invalid, or the files do not match the hash.
Result<KernelSpec> spec_of(const KernelRecord& record);

} // namespace warptune
