// Names of a kernel folder that miss each other: macros that sources never read, macros that sources test and nothing
// defines, params that reach neither a program nor a launch. A misspelled name is found so, where a compiler finds
// nothing: an undefined macro is 0 in #if, and #ifndef gives it a default.
#pragma once

#include "spec/source_files.h"
#include "spec/spec.h"

#include <string>
#include <vector>

namespace warptune {

// A sentence for each, in the order of the implementations, each once. Implementations that a command builds are left
// out: its compiler defines what it likes. So are tested macros where headers of others are included (`include` of the
// spec), and those whose names the language, the compiler or the CUDA Toolkit keeps for itself.
std::vector<std::string> unread_names(const KernelSpec& spec, const SourceFiles& sources);

} // namespace warptune
