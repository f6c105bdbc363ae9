// Finds names in a kernel folder that do not match or have no effect: macros that no source reads, macros that sources
// test but nothing defines, params that do not reach the macro of the same name, params that affect neither a cubin nor
// a launch, and dims that nothing uses. Such names are often misspelled, and the compiler accepts them: an undefined
// macro counts as 0 in #if, and #ifndef gives it a default.
#pragma once

#include "core/finding.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <string_view>
#include <vector>

namespace warptune {

// Returns one finding for each name: first macros and params, in the order of the implementations, then dims. There are
// at most 100 findings, and one more that says how many were left out. Macros and params of built implementations are
// not checked, because their compiler may define any macro. Tested macros are not checked if the spec includes headers
// of other projects (`include`). Reserved macro names are never checked.
std::vector<Finding> lint_names(const KernelSpec& spec, const SourceFiles& sources);

// Whether the macro name is reserved for the language, the compiler or the CUDA Toolkit.
bool is_reserved_macro(std::string_view name);

} // namespace warptune
