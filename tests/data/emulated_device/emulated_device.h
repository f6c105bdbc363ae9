// A GPU's blocks on the host, for kernels compiled by a host compiler: each CUDA thread is a fiber, so that shuffles
// and barriers work; the blocks of a cluster are threads of the operating system, other blocks run one after another.
// Shared memory is memory of the block's thread. Enough for the row operators; races do not show,
// because fibers take turns in one order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

#undef __device__
#undef __global__
#undef __shared__
#undef __forceinline__
#undef __launch_bounds__
#undef __align__
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ thread_local

using std::isinf;
using std::isnan;
using std::max;
using std::min;

namespace emulated {

[[noreturn]] inline void stop(const char* what) {
  std::fprintf(stderr, "emulated device: %s\n", what);
  std::abort();
}

// The memory that launches may access: begin and end of each buffer. Vectors are checked; single elements are not.
inline std::vector<std::pair<std::uintptr_t, std::uintptr_t>> buffers;

inline void check_inside(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  for (const auto& [first, end] : buffers)
    if (begin >= first && begin + size <= end) return;
  stop("a vector outside all buffers");
}

// A ucontext gives the fiber its stack; all later switches are jumps, which need no system call.
struct Fiber {
  ucontext_t context;
  std::jmp_buf jump;
  bool has_begun = false, is_done = false;
};
struct Meeting { // of fibers, as often as they like
  int here = 0, round = 0;
};
struct Warp {
  Meeting meeting;
  std::map<unsigned, Meeting> meetings; // of some of its lanes, a bit each
  unsigned long long values[32];
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
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  std::vector<long> cluster_rounds; // of each thread
  Meeting meeting;
  std::jmp_buf scheduler;
  const std::function<void()>* body = nullptr;
};

inline thread_local Block* block = nullptr;
static thread_local char shared_anchor = 0;

inline void yield() {
  if (_setjmp(block->fibers[block->thread].jump) == 0) _longjmp(block->scheduler, 1);
}
// Runs the fiber until it yields.
inline void resume(Block& own, Fiber& fiber) {
  if (_setjmp(own.scheduler) != 0) return;
  if (fiber.has_begun) _longjmp(fiber.jump, 1);
  fiber.has_begun = true;
  setcontext(&fiber.context);
}

inline void meet(Meeting& meeting, int members) {
  const int round = meeting.round;
  if (++meeting.here == members) {
    meeting.here = 0;
    ++meeting.round;
  }
  while (meeting.round == round) yield();
}

inline void run_fiber() {
  Block* const own = block;
  (*own->body)();
  own->fibers[own->thread].is_done = true;
  yield();
}

inline void run_block(Block& own, const std::function<void()>& body) {
  constexpr std::size_t kStack = 64 << 10;
  block = &own;
  own.body = &body;
  own.fibers = std::vector<Fiber>(own.threads);
  own.warps = std::vector<Warp>((own.threads + 31) / 32);
  own.cluster_rounds.assign(own.threads, 0);
  own.cluster->shared[own.rank] = reinterpret_cast<std::uintptr_t>(&shared_anchor);
  ++own.cluster->begun;
  while (own.cluster->begun < own.blocks) std::this_thread::yield();
  static thread_local const std::unique_ptr<char[]> stacks(new char[kStack * 1024]); // of the most threads; not cleared
  for (int t = 0; t < own.threads; ++t) {
    ucontext_t& context = own.fibers[t].context;
    getcontext(&context);
    context.uc_stack.ss_sp = &stacks[kStack * t];
    context.uc_stack.ss_size = kStack;
    context.uc_link = nullptr;
    makecontext(&context, run_fiber, 0);
  }
  int rounds = 0;
  for (bool is_running = true; is_running;) {
    is_running = false;
    for (own.thread = 0; own.thread < own.threads; ++own.thread) {
      if (own.fibers[own.thread].is_done) continue;
      is_running = true;
      resume(own, own.fibers[own.thread]);
    }
    if (++rounds > 1'000'000) stop("threads wait for one another");
  }
  ++own.cluster->ended; // its shared memory is valid until all have ended
  while (own.cluster->ended < own.blocks) std::this_thread::yield();
}

template <class... Params, std::size_t... I>
void call(void (*kernel)(Params...), void** args, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_const_t<Params>*>(args[I])...);
}

// `args` points to the values of the kernel's parameters. `grid`: x, y and z.
template <class... Params>
void launch(void (*kernel)(Params...), void** args, const unsigned* grid, int threads, int cluster_blocks) {
  const std::function<void()> body = [&] { call(kernel, args, std::index_sequence_for<Params...>()); };
  for (unsigned line = 0; line < grid[1] * grid[2]; ++line) {
    for (unsigned x = 0; x < grid[0]; x += cluster_blocks) {
      Cluster cluster;
      cluster.shared.resize(cluster_blocks);
      const auto run = [&](int rank) {
        Block own;
        own.index = {x + rank, line % grid[1], line / grid[1]};
        own.grid = {grid[0], grid[1], grid[2]};
        own.threads = threads;
        own.rank = rank;
        own.blocks = cluster_blocks;
        own.cluster = &cluster;
        run_block(own, body);
      };
      std::vector<std::thread> peers;
      for (int rank = 1; rank < cluster_blocks; ++rank) peers.emplace_back(run, rank);
      run(0);
      for (std::thread& peer : peers) peer.join();
    }
  }
}

} // namespace emulated

#define threadIdx (uint3{static_cast<unsigned>(emulated::block->thread), 0, 0})
#define blockIdx (emulated::block->index)
#define gridDim (emulated::block->grid)
#define blockDim (uint3{static_cast<unsigned>(emulated::block->threads), 1, 1})

inline void __syncthreads() { emulated::meet(emulated::block->meeting, emulated::block->threads); }

// The value of another lane of the warp; all of `members` call.
template <class T> T value_of_lane(unsigned members, T value, int from) {
  static_assert(sizeof(T) <= sizeof(unsigned long long));
  const int lane = emulated::block->thread % 32, count = __builtin_popcount(members);
  if ((members >> lane & 1) == 0 || (members >> from & 1) == 0)
    emulated::stop("a shuffle with a lane that is not a member");
  emulated::Warp& warp = emulated::block->warps[emulated::block->thread / 32];
  std::memcpy(&warp.values[lane], &value, sizeof value);
  emulated::meet(warp.meetings[members], count);
  std::memcpy(&value, &warp.values[from], sizeof value);
  emulated::meet(warp.meetings[members], count);
  return value;
}
template <class T> T __shfl_xor_sync(unsigned members, T value, int mask) {
  return value_of_lane(members, value, emulated::block->thread % 32 ^ mask);
}
template <class T> T __shfl_up_sync(unsigned members, T value, int offset, int width) {
  const int lane = emulated::block->thread % 32;
  return value_of_lane(members, value, lane % width < offset ? lane : lane - offset);
}
template <class T> T __shfl_sync(unsigned members, T value, int from, int width) {
  const int lane = emulated::block->thread % 32;
  return value_of_lane(members, value, lane - lane % width + from);
}

inline void __syncwarp() { emulated::meet(emulated::block->warps[emulated::block->thread / 32].meeting, 32); }
// Of the values of all lanes; all 32 call.
template <class Op> unsigned of_all_lanes(unsigned value, Op op) {
  emulated::Warp& warp = emulated::block->warps[emulated::block->thread / 32];
  warp.values[emulated::block->thread % 32] = value;
  emulated::meet(warp.meeting, 32);
  auto all = static_cast<unsigned>(warp.values[0]);
  for (int lane = 1; lane < 32; ++lane) all = op(all, static_cast<unsigned>(warp.values[lane]));
  emulated::meet(warp.meeting, 32);
  return all;
}
inline unsigned __reduce_add_sync(unsigned, unsigned value) { return of_all_lanes(value, std::plus<unsigned>()); }
inline unsigned __reduce_min_sync(unsigned, unsigned value) {
  return of_all_lanes(value, [](unsigned a, unsigned b) { return std::min(a, b); });
}
inline unsigned __reduce_max_sync(unsigned, unsigned value) {
  return of_all_lanes(value, [](unsigned a, unsigned b) { return std::max(a, b); });
}
inline int atomicAdd(int* address, int value) { return std::exchange(*address, *address + value); } // fibers take turns
inline int __clz(unsigned bits) { return bits == 0 ? 32 : __builtin_clz(bits); }

template <class T> T __ldg(const T* address) {
  emulated::check_inside(address, sizeof(T));
  return *address;
}
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return std::exp(x); }
inline float __fmul_rn(float a, float b) {
  const volatile float product = a * b; // not fused into a sum
  return product;
}
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __int_as_float(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) { return __int_as_float(static_cast<int>(bits)); }
