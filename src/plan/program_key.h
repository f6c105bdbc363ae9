// What identifies a program wherever it was compiled: a pack finds the cubin of a (problem, config) by it, without a
// compiler. Knows nothing of compilers; jit's compile_key adds the compiler's name to the same bytes.
#pragma once

#include "plan/compile_request.h"

#include <string>

namespace warptune {

// All that the request says, each part preceded by its length, so that no two requests run together.
std::string request_bytes(const CompileRequest& request);

// SHA-256 of request_bytes: 64 hex digits.
std::string program_key(const CompileRequest& request);

} // namespace warptune
