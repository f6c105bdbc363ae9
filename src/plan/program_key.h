// A key that identifies a cubin independently of the compiler. A pack uses it to find the cubin of a (problem, config)
// without a compiler. jit's compile_key adds the compiler's name to the same bytes.
#pragma once

#include "plan/compile_request.h"

#include <string>

namespace warptune {

// Returns the whole request as bytes. Each part is preceded by its length, so different requests never have the same
// bytes.
std::string request_bytes(const CompileRequest& request);

// SHA-256 of request_bytes: 64 hex digits.
std::string program_key(const CompileRequest& request);

} // namespace warptune
