// NVRTC finds an in-memory header only under the exact text of its #include, and does not search the folder of the
// including file. So this code gives every header all names under which it is included. Works on text only.
#pragma once

#include "plan/compile_request.h"

#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Returns pairs (name, index into request.headers): first the headers' own names, then other spellings. For example,
// common/prelude.cuh includes common/types.cuh as "types.cuh". If a spelling could mean two files, the first one is
// used.
std::vector<std::pair<std::string, std::size_t>> header_names(const CompileRequest& request);

} // namespace warptune
