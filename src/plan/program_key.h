// A key that identifies a cubin regardless of the compiler. With this key, code without a compiler can find the cubin
// of a (problem, config) in a pack. jit's compile_key covers the same bytes and also the compiler's name.
#pragma once

#include "plan/compile_request.h"

#include <string>

namespace warptune {

// Returns the whole request as bytes. The length of each part is written before the part, so different requests have
// different bytes.
std::string request_bytes(const CompileRequest& request);

// SHA-256 of request_bytes, as 64 hex digits.
std::string program_key(const CompileRequest& request);

} // namespace warptune
