// Finds third-party headers. "include" of spec.json names folders of headers, and --include names the roots in which
// these folders are. Only the headers that a source includes are read, so a root may have any number of files. Headers
// that were read are treated like the kernel's own sources.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <filesystem>
#include <vector>

namespace warptune {

// Adds to `sources` the headers from `roots` that the sources include, directly or indirectly. Does nothing if
// spec.include is empty. Errors: no root has a folder that spec.include names; an included file does not exist in such
// a folder; the headers have more than 16 MiB.
Result<void> add_included_headers(SourceFiles& sources, const KernelSpec& spec,
                                  const std::vector<std::filesystem::path>& roots);

} // namespace warptune
