// Finds includes that NVRTC would read from this machine's files: an absolute path, or one with "..", even if a macro
// contains the path. The sources of a kernel are in its folder, in common/ and in the include roots, and warptune has
// all of them by name (header_names.h). The only files that the compiler may open are the toolkit's headers. Works on
// text only.
#pragma once

#include "plan/compile_request.h"

#include <string>
#include <vector>

namespace warptune {

struct OutsideIncludes {
  std::vector<std::string> names; // names as spelled, including those in comments
  std::string unclear;            // for the log: an #include whose macro is not a file name; empty if there is none
};

OutsideIncludes outside_includes(const CompileRequest& request);

} // namespace warptune
