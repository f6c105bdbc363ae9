// The licence text that goes into a pack unless another is given: warptune's own, which covers the kernels that come
// with it and no others.
#pragma once

#include <string>

namespace warptune {

std::string shipped_licence();

} // namespace warptune
