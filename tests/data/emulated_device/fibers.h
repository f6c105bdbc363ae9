// A GPU's blocks as fibers: what device code and the scheduler (fibers.cpp, compiled once) say to one another.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>
#include <vector_types.h>

namespace emulated {

[[noreturn]] void stop(const char* what);
// Of a launch, in a buffer: see set_buffers in fibers.cpp.
void check_inside(const void* address, std::size_t size);

struct Meeting { // of fibers, as often as they like
  int here = 0, round = 0;
};
struct Cluster {
  std::atomic<long> arrivals{0};
  std::atomic<int> begun{0}, ended{0};
  std::vector<std::uintptr_t> shared; // an address in each block's shared memory
};
struct Block {
  uint3 index{}, grid{};
  int threads = 0, thread = 0, rank = 0, blocks = 1; // rank and blocks: in the cluster
  Cluster* cluster = nullptr;
  std::vector<long> cluster_rounds; // of each thread
  Meeting meeting;                  // of all threads
};
inline thread_local Block* block = nullptr;

void yield(); // lets the other fibers of the block run
void meet(Meeting& meeting, int members);
// Of the calling fiber's warp: what the lane `from` of `members` (a bit each, all of which call) gives as `bits`; of
// the values of all 32 lanes.
unsigned long long bits_of_lane(unsigned members, unsigned long long bits, int from);
unsigned sum_of_lanes(unsigned value);
unsigned least_of_lanes(unsigned value);

// Calls body(arguments) in each thread of a grid (x, y and z).
void run_grid(void (*body)(void* arguments), void* arguments, const unsigned* grid, int threads, int cluster_blocks);

} // namespace emulated
