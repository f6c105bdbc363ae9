// Mangled names of C++ as a programmer reads them.
#pragma once

#include <string>

namespace warptune {

// Returns the name itself if it is not a mangled one, such as that of an extern "C" kernel.
std::string demangled(const std::string& name);

} // namespace warptune
