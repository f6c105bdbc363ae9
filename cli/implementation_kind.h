// Describes how an implementation is made if NVRTC does not compile it: a command builds it, or it calls a library.
#pragma once

#include "spec/spec.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

// Returns "built by a command, which runs only with --allow-build" or "calls cublaslt.matmul"; empty: NVRTC compiles
// it.
std::string kind_text(const Implementation& implementation);

// Adds the members "built" and "library_calls" to `row`.
void add_kind(nlohmann::json& row, const Implementation& implementation);

} // namespace warptune::cli
