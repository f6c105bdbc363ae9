// The default licence text of a pack: warptune's own, which covers only the kernels shipped with it.
#pragma once

#include <string>

namespace warptune {

std::string shipped_licence();

} // namespace warptune
