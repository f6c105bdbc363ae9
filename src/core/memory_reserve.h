// Memory reserved for error handling when memory runs out. Objects destroyed while an exception propagates may
// allocate, as nlohmann's JSON values do. A failed allocation in a destructor would abort the process.
#pragma once

namespace warptune {

// Call once, at the start of the program. The first failing allocation frees the reserve and still fails; destructors
// can then use the freed memory. False: there is not enough memory for the reserve; the program must exit.
[[nodiscard]] bool keep_memory_reserve();

} // namespace warptune
