// Replaces the shipped header. Copies are done at once.
#pragma once

namespace wt {

inline void cp_async_commit() {}
template <int> void cp_async_wait() {}

} // namespace wt
