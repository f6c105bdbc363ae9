// Counts this thread's calls of operator new in the program and in its shared libraries, and can make them fail. Link
// count_allocations.cpp to use it.
#pragma once

namespace warptune::test {

long allocation_count();
void fail_allocations(long after); // makes allocations of this thread fail after `after` further ones; negative: never

} // namespace warptune::test
