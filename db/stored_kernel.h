// A stored kernel as it may be used: the one place where the sources that a file holds are held to the hash under which
// they stand. All that compiles, plans, packs or explains by stored sources gets their spec from here.
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "spec/spec.h"

namespace warptune {

// Errors (database): there is no spec.json, it is not a valid one, or the files are not those of the hash.
Result<KernelSpec> spec_of(const KernelRecord& record);

} // namespace warptune
