// Finds out whether a source only writes through a pointer of its kernel. Reads text without preprocessing it.
#pragma once

#include <string_view>

namespace warptune {

// True if every use of `name` assigns to an element: y[i] = ... . False if there is any other use.
bool is_only_written(std::string_view source, std::string_view name);

} // namespace warptune
