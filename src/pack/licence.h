// The default licence text of a pack: warptune's own licence, which covers only the shipped kernels.
#pragma once

#include <string>

namespace warptune {

std::string shipped_licence();

} // namespace warptune
