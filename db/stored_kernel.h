// Checks a stored kernel before use: the only place that compares a file's sources with their hash. All code that
// compiles, plans, packs or explains from stored sources gets their spec here.
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "spec/spec.h"

namespace warptune {

// Errors (database): spec.json is missing or invalid, or the files do not match the hash.
Result<KernelSpec> spec_of(const KernelRecord& record);

} // namespace warptune
