// Whether a source only writes to a pointer of its kernel. Reads text without preprocessing it.
#pragma once

#include <string_view>

namespace warptune {

// True if every use of `name` is an assignment to an element: y[i] = ... . False if anything else is done with it.
bool is_only_written(std::string_view source, std::string_view name);

} // namespace warptune
