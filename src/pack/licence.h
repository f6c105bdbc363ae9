// The licence text that goes into a pack unless the user gives another: warptune's own, which covers only the kernels
// shipped with it.
#pragma once

#include <string>

namespace warptune {

std::string shipped_licence();

} // namespace warptune
