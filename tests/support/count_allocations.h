// Counts operator new of this thread, in the program and in the shared libraries it uses; link count_allocations.cpp.
#pragma once

namespace warptune::test {

long allocation_count();

} // namespace warptune::test
