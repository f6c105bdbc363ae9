// Counts operator new of this thread, in the program and in the shared libraries it uses, and makes it fail; link
// count_allocations.cpp.
#pragma once

namespace warptune::test {

long allocation_count();
void fail_allocations(long after); // of this thread, from the one that comes `after` others on; negative: none

} // namespace warptune::test
