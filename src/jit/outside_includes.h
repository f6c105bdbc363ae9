// Includes that NVRTC would read from this machine's files: an absolute path, and one with "..", also where a macro
// holds it. The sources of a kernel are its folder's, common/ and the include roots, all of them known by name
// (header_names.h); of files the compiler sees only the toolkit's headers. Pure text.
#pragma once

#include "plan/compile_request.h"

#include <string>
#include <vector>

namespace warptune {

struct OutsideIncludes {
  std::vector<std::string> names; // as they are spelled; found in comments, too
  std::string unclear;            // an #include whose macro does not hold a name: a sentence for the log; empty: none
};

OutsideIncludes outside_includes(const CompileRequest& request);

} // namespace warptune
