// spec.json and the implementation.json of each implementation -> KernelSpec. The only reader of the format
// (docs/spec.md); validates everything that can be known without a problem or a device. Errors: "FILE: at POINTER: what
// is wrong; what to do".
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <map>
#include <string>
#include <string_view>

namespace warptune {

// From "spec.json" and all "NAME/implementation.json" among the files. `origin` names spec.json in errors (a path);
// `elsewhere` the paths of files that are not beside it.
Result<KernelSpec> parse_spec(const SourceFiles& files, const std::string& origin,
                              const std::map<std::string, std::string>& elsewhere = {});
// Of an operator with nothing but spec.json.
Result<KernelSpec> parse_spec(std::string_view json, const std::string& origin);

} // namespace warptune
