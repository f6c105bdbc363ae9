// NVRTC finds an in-memory header only by the very text of the #include, and never beside the file that includes it.
// This gives every header the names under which it is asked for. Pure text.
#pragma once

#include "plan/compile_request.h"

#include <string>
#include <utility>
#include <vector>

namespace warptune {

// (name, index into request.headers): their own names, then "types.cuh" for a common/types.cuh that common/prelude.cuh
// includes so. Where one spelling would mean two files, the first stays.
std::vector<std::pair<std::string, std::size_t>> header_names(const CompileRequest& request);

} // namespace warptune
