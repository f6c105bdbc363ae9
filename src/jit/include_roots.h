// Finds third-party headers: "include" of spec.json names folders of headers; --include names the roots that contain
// these folders. Only headers that sources actually include are read, by the name in the #include, so a root may
// contain any number of files. They are then treated like any other source.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <filesystem>
#include <vector>

namespace warptune {

// Adds to `sources` the headers that they include from `roots`, directly or indirectly. Does nothing if spec.include is
// empty. Errors: a name of spec.include that no root holds; an included file of such a name that does not exist; more
// than 16 MiB.
Result<void> add_included_headers(SourceFiles& sources, const KernelSpec& spec,
                                  const std::vector<std::filesystem::path>& roots);

} // namespace warptune
