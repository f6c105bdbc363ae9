// NVRTC finds an in-memory header only by the exact text of the #include, and does not search the folder of the
// including file. This code gives every header all names under which it is included. Works on text only.
#pragma once

#include "plan/compile_request.h"

#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Returns pairs (name, index into request.headers): the headers' own names, then other spellings, such as "types.cuh"
// for a common/types.cuh that common/prelude.cuh includes by that name. If a spelling could mean two files, the first
// file is used.
std::vector<std::pair<std::string, std::size_t>> header_names(const CompileRequest& request);

} // namespace warptune
