// The present time, as databases, run folders and reports store it.
#pragma once

#include <string>

namespace warptune {

std::string utc_now(); // "2025-01-31T12:00:00Z"

} // namespace warptune
