// Finds #includes of absolute paths and of paths with "..", also in macros. For these, NVRTC would read files of this
// machine. NVRTC gets all sources of a kernel (from its folder, common/ and the include roots) by name
// (header_names.h). The only files that the compiler may open by itself are the toolkit's headers. Works on text only.
#pragma once

#include "plan/compile_request.h"

#include <string>
#include <vector>

namespace warptune {

struct OutsideIncludes {
  std::vector<std::string> names; // names as spelled in the source, also those in comments
  std::string unclear;            // a text for the log: an #include of a macro that is not a file name; empty: none
};

OutsideIncludes outside_includes(const CompileRequest& request);

} // namespace warptune
