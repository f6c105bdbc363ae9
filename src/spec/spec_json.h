// spec.json -> KernelSpec. The only reader of the format (docs/spec.md); validates everything that can be known without
// a problem or a device. Errors: "FILE: at POINTER: what is wrong; what to do".
#pragma once

#include "core/result.h"
#include "spec/spec.h"

#include <string>
#include <string_view>

namespace warptune {

// `origin` names the text in errors (a path).
Result<KernelSpec> parse_spec(std::string_view json, const std::string& origin);

} // namespace warptune
