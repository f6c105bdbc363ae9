// spec.json and the implementation.json of each implementation -> KernelSpec. This is the only reader of the format
// (docs/spec.md). It checks everything that does not depend on a problem or a device. Errors: "FILE: at POINTER:
// what is wrong; what to do".
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <map>
#include <string>
#include <string_view>

namespace warptune {

// Reads "spec.json" and all "NAME/implementation.json" among the files. Errors refer to spec.json by the path `origin`;
// `elsewhere` has the paths of files in other folders.
Result<KernelSpec> parse_spec(const SourceFiles& files, const std::string& origin,
                              const std::map<std::string, std::string>& elsewhere = {});
// Reads an operator that has only a spec.json.
Result<KernelSpec> parse_spec(std::string_view json, const std::string& origin);

} // namespace warptune
