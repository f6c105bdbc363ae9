// Memory for the way out when memory ends. What is destroyed while an error is on its way may allocate itself, as
// nlohmann's JSON values do; where that fails, in a destructor, the process would be ended by a signal.
#pragma once

namespace warptune {

// Of the whole program, once, at its beginning: the first allocation that fails gives the reserve back and fails all
// the same, and destructors find it. False: there is not even memory for the reserve, and the program must not go on.
[[nodiscard]] bool keep_memory_reserve();

} // namespace warptune
