// Finds out whether a kernel writes through one of its pointers and never reads through it. Reads the source without
// preprocessing it.
#pragma once

#include <string_view>

namespace warptune {

// Whether the source assigns to elements of `name` (y[i] = ...) and uses `name` in no other way.
bool is_only_written(std::string_view source, std::string_view name);

} // namespace warptune
