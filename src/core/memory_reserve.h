// A block of memory reserved for error handling when memory runs out. While an exception propagates, destructors may
// allocate (those of nlohmann's JSON values do), and an allocation that fails there would abort the process.
#pragma once

namespace warptune {

// Call once, at the start of the program. The first allocation that fails frees the reserve and still fails, so that
// destructors can use the freed memory. Returns false if there is not enough memory for the reserve; then exit.
[[nodiscard]] bool keep_memory_reserve();

} // namespace warptune
