// A GPU's blocks as fibers: the interface between device code and the scheduler (fibers.cpp, compiled once).
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>
#include <vector_types.h>

namespace emulated {

[[noreturn]] void stop(const char* what);
// Aborts if the access is not inside a buffer of the launch: see set_buffers in fibers.cpp.
void check_inside(const void* address, std::size_t size);

struct Meeting { // a meeting point of fibers, for any number of rounds
  int here = 0, round = 0;
};
struct Cluster {
  std::atomic<long> arrivals{0};
  std::atomic<int> begun{0}, ended{0};
  std::vector<std::uintptr_t> shared; // addresses in the shared memory of each block
};
struct Block {
  uint3 index{}, grid{};
  int threads = 0, thread = 0, rank = 0, blocks = 1; // rank: in the cluster; blocks: of the cluster
  Cluster* cluster = nullptr;
  std::vector<long> cluster_rounds; // by thread
  Meeting meeting;                  // the meeting of all threads
};
inline thread_local Block* block = nullptr;

void yield(); // lets the other fibers of the block run
void meet(Meeting& meeting, int members);
// Exchange values between the lanes of the calling fiber's warp. bits_of_lane returns `bits` of the lane `from`, and
// equal_lanes one bit for each lane with the same `bits`; all lanes in the mask `members` must call them. The others
// return the sum and the smallest of the values of all 32 lanes.
unsigned long long bits_of_lane(unsigned members, unsigned long long bits, int from);
unsigned equal_lanes(unsigned members, unsigned long long bits);
unsigned sum_of_lanes(unsigned value);
unsigned least_of_lanes(unsigned value);

// Calls body(arguments) in each thread of a grid (x, y and z).
void run_grid(void (*body)(void* arguments), void* arguments, const unsigned* grid, int threads, int cluster_blocks);

} // namespace emulated
