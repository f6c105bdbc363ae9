// Finds names in a kernel folder that do not match or have no effect: macros that sources never read, macros that
// sources test but nothing defines, params that affect neither a cubin nor a launch, and dims that nothing uses. This
// finds misspelled names that a compiler accepts: an undefined macro is 0 in #if, and #ifndef gives it a default.
#pragma once

#include "core/finding.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <string_view>
#include <vector>

namespace warptune {

// Returns one finding for each name, without repetition, at most 100 (then the number of the others): macros and params
// in the order of the implementations, then dims. Macros and params of implementations that a command builds are not
// checked, because its compiler may define any macro. Also not checked: tested macros if the spec includes headers of
// other projects (`include`), and macro names reserved for the language, the compiler or the CUDA Toolkit.
std::vector<Finding> lint_names(const KernelSpec& spec, const SourceFiles& sources);

// Whether the macro name is reserved for the language, the compiler or the CUDA Toolkit.
bool is_reserved_macro(std::string_view name);

} // namespace warptune
