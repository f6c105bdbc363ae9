// Counts the calls of operator new in this thread, in the program and in its shared libraries, and can make them fail;
// link count_allocations.cpp.
#pragma once

namespace warptune::test {

long allocation_count();
void fail_allocations(long after); // in this thread, after `after` further allocations; negative: never

} // namespace warptune::test
