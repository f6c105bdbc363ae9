// Describes how an implementation is made if NVRTC does not compile it: a command of its description builds it, or it
// calls a library.
#pragma once

#include "spec/spec.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

// "built by a command, which runs only with --allow-build", "calls cublaslt.matmul"; empty: compiled as usual.
std::string kind_text(const Implementation& implementation);

// Adds the members "built" and "library_calls".
void add_kind(nlohmann::json& row, const Implementation& implementation);

} // namespace warptune::cli
