// Reads spec.json and the implementation.json files into a KernelSpec. No other code reads this format (docs/spec.md).
// Checks everything that does not depend on a problem or a device. Errors have the form "FILE: at POINTER: what is
// wrong; what to do".
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <map>
#include <string>
#include <string_view>

namespace warptune {

// Reads "spec.json" and every "NAME/implementation.json" among the files. `origin`: the path of spec.json, for error
// messages. `elsewhere` maps the names of files in other folders to their paths.
Result<KernelSpec> parse_spec(const SourceFiles& files, const std::string& origin,
                              const std::map<std::string, std::string>& elsewhere = {});
// Reads an operator that has only a spec.json.
Result<KernelSpec> parse_spec(std::string_view json, const std::string& origin);

} // namespace warptune
