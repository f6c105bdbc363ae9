// A stored kernel as it may be used: the one place where the sources that a file holds are held to the hash under which
// they stand. Whoever compiles, plans, packs or explains by stored sources gets their spec from here.
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "spec/spec.h"

namespace warptune {

// Errors: there is no spec.json, or the files are not those of the hash (database); the spec is not a valid one.
Result<KernelSpec> spec_of(const KernelRecord& record);

} // namespace warptune
