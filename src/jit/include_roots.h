// Headers of others: "include" of spec.json names folders of headers, --include the roots where these lie. What sources
// really include is read, by the names that they use, so that a root may hold any number of files; from then on such a
// header is a source like any other.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <filesystem>
#include <vector>

namespace warptune {

// Adds to `sources` what they include from `roots`, directly or not. Nothing where spec.include is empty. Errors: a
// name of spec.include that no root holds; an include of such a name that is not there; more than 16 MiB.
Result<void> add_included_headers(SourceFiles& sources, const KernelSpec& spec,
                                  const std::vector<std::filesystem::path>& roots);

} // namespace warptune
