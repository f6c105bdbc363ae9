// Finds out whether a kernel writes through one of its pointers and never reads through it. Reads the source without
// preprocessing it.
#pragma once

#include <string_view>

namespace warptune {

// Whether every use of `name` assigns to an element (y[i] = ...), and there is no other use.
bool is_only_written(std::string_view source, std::string_view name);

} // namespace warptune
