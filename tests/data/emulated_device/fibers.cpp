// The scheduler of emulated_device.h: each CUDA thread is a fiber. The blocks of a cluster run in threads of the
// operating system; other blocks run one after another.
#include "fibers.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <thread>
#include <ucontext.h>

namespace emulated {
namespace {

// A ucontext gives the fiber its stack; all later switches are jumps, which need no system call.
struct Fiber {
  ucontext_t context;
  std::jmp_buf jump;
  bool is_made = false, has_begun = false, is_done = false;
};
// The fibers of one thread of the operating system, as many as the largest block has threads. All blocks reuse them,
// because making a fiber takes two system calls.
struct Fibers {
  static constexpr std::size_t kStack = 64 << 10, kMost = 1024;
  std::vector<Fiber> all = std::vector<Fiber>(kMost);
  const std::unique_ptr<char[]> stacks{new char[kStack * kMost]}; // not cleared
};
// A shuffle among some lanes of a warp. The values of the previous round stay until all lanes have reached the next.
struct Exchange : Meeting {
  unsigned long long values[2][32];
};
// A fiber waits for the end of a meeting's round.
struct Wait {
  const Meeting* meeting = nullptr;
  int round = 0;
  bool is_over() const { return !meeting || meeting->round != round; }
};
struct Running : Block {
  Fiber* fibers = nullptr;                             // the fibers of this thread
  std::vector<Wait> waits;                             // by fiber
  std::vector<std::map<unsigned, Exchange>> exchanges; // by warp, then by lanes
  std::jmp_buf scheduler;
  void (*body)(void*) = nullptr;
  void* arguments = nullptr;
};

constexpr unsigned kAllLanes = ~0u;

thread_local Running* running = nullptr; // set together with emulated::block
thread_local char shared_anchor = 0;
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> buffers;

// Runs the fiber until it yields.
void resume(Running& own, Fiber& fiber) {
  if (_setjmp(own.scheduler) != 0) return;
  if (fiber.has_begun) _longjmp(fiber.jump, 1);
  fiber.has_begun = true;
  setcontext(&fiber.context);
}

void run_fiber() {
  for (;;) {
    running->body(running->arguments);
    running->fibers[running->thread].is_done = true;
    yield();
  }
}
void make_fiber(Fiber& fiber, char* stack) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack;
  fiber.context.uc_stack.ss_size = Fibers::kStack;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, run_fiber, 0);
  fiber.is_made = true;
}

void run_block(Running& own) {
  static thread_local Fibers fibers;
  block = running = &own;
  own.fibers = fibers.all.data();
  own.waits.assign(own.threads, {});
  own.exchanges.resize((own.threads + 31) / 32);
  own.cluster_rounds.assign(own.threads, 0);
  own.cluster->shared[own.rank] = reinterpret_cast<std::uintptr_t>(&shared_anchor);
  ++own.cluster->begun;
  while (own.cluster->begun < own.blocks) std::this_thread::yield();
  for (int t = 0; t < own.threads; ++t) {
    if (!own.fibers[t].is_made) make_fiber(own.fibers[t], &fibers.stacks[Fibers::kStack * t]);
    own.fibers[t].is_done = false;
  }
  int rounds = 0;
  for (bool is_running = true; is_running;) {
    is_running = false;
    for (own.thread = 0; own.thread < own.threads; ++own.thread) {
      if (own.fibers[own.thread].is_done) continue;
      is_running = true;
      if (!own.waits[own.thread].is_over()) continue;
      own.waits[own.thread] = {};
      resume(own, own.fibers[own.thread]);
    }
    if (++rounds > 1'000'000) stop("threads wait for one another");
  }
  ++own.cluster->ended; // its shared memory is valid until all blocks have ended
  while (own.cluster->ended < own.blocks) std::this_thread::yield();
}

// Shows `value` to the lanes of `members`, and returns the values of all of them, valid until the next call.
const unsigned long long* show(unsigned members, unsigned long long value) {
  Exchange& exchange = running->exchanges[running->thread / 32][members];
  unsigned long long* const values = exchange.values[exchange.round % 2];
  values[running->thread % 32] = value;
  meet(exchange, __builtin_popcount(members));
  return values;
}

} // namespace

void stop(const char* what) {
  std::fprintf(stderr, "emulated device: %s\n", what);
  std::abort();
}

void check_inside(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  for (const auto& [first, end] : buffers)
    if (begin >= first && begin + size <= end) return;
  stop("a vector outside all buffers");
}

void yield() {
  if (_setjmp(running->fibers[running->thread].jump) == 0) _longjmp(running->scheduler, 1);
}

void meet(Meeting& meeting, int members) {
  const int round = meeting.round;
  if (++meeting.here == members) { // the last lane has arrived, so no lane must wait any longer
    meeting.here = 0;
    ++meeting.round;
    return;
  }
  running->waits[running->thread] = {&meeting, round};
  yield();
}

unsigned long long bits_of_lane(unsigned members, unsigned long long bits, int from) {
  const int lane = running->thread % 32;
  if ((members >> lane & 1) == 0 || (members >> from & 1) == 0) stop("a shuffle with a lane that is not a member");
  return show(members, bits)[from];
}
unsigned equal_lanes(unsigned members, unsigned long long bits) {
  const unsigned long long* const values = show(members, bits);
  unsigned equal = 0;
  for (int lane = 0; lane < 32; ++lane) equal |= unsigned{(members >> lane & 1) != 0 && values[lane] == bits} << lane;
  return equal;
}
unsigned sum_of_lanes(unsigned value) {
  const unsigned long long* const values = show(kAllLanes, value);
  return std::accumulate(values, values + 32, 0u);
}
unsigned least_of_lanes(unsigned value) {
  const unsigned long long* const values = show(kAllLanes, value);
  return static_cast<unsigned>(*std::min_element(values, values + 32));
}

void run_grid(void (*body)(void*), void* arguments, const unsigned* grid, int threads, int cluster_blocks) {
  for (unsigned line = 0; line < grid[1] * grid[2]; ++line) {
    for (unsigned x = 0; x < grid[0]; x += cluster_blocks) {
      Cluster cluster;
      cluster.shared.resize(cluster_blocks);
      const auto run = [&](int rank) {
        Running own;
        own.index = {x + rank, line % grid[1], line / grid[1]};
        own.grid = {grid[0], grid[1], grid[2]};
        own.threads = threads;
        own.rank = rank;
        own.blocks = cluster_blocks;
        own.cluster = &cluster;
        own.body = body;
        own.arguments = arguments;
        run_block(own);
      };
      std::vector<std::thread> peers;
      for (int rank = 1; rank < cluster_blocks; ++rank) peers.emplace_back(run, rank);
      run(0);
      for (std::thread& peer : peers) peer.join();
    }
  }
}

} // namespace emulated

// The memory that launches may access: begin and end of each buffer. Vectors and asynchronous copies are checked;
// single elements are not.
extern "C" void set_buffers(const std::pair<std::uintptr_t, std::uintptr_t>* first, std::size_t count) {
  emulated::buffers.assign(first, first + count);
}
