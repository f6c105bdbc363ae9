// Finds names in a kernel folder that do not match: macros that sources never read, macros that sources test but
// nothing defines, and params that affect neither a cubin nor a launch. This finds misspelled names that a compiler
// accepts: an undefined macro is 0 in #if, and #ifndef gives it a default.
#pragma once

#include "spec/source_files.h"
#include "spec/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// Returns one sentence for each name, without repetition, in the order of the implementations. Not checked:
// implementations that a command builds, because its compiler may define any macro; tested macros, if the spec includes
// headers of other projects (`include`); and macro names reserved for the language, the compiler or the CUDA Toolkit.
std::vector<std::string> unread_names(const KernelSpec& spec, const SourceFiles& sources);

// Whether macros of this name belong to the language, the compiler or the CUDA Toolkit.
bool is_reserved_macro(std::string_view name);

} // namespace warptune
