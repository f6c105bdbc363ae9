// Times single calls on the host, for benchmark programs: reads the clock before and after each call, and subtracts the
// cost of these readings.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

namespace warptune::bench {

using Clock = std::chrono::steady_clock;

inline double ns_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - start).count();
}

// Returns a percentile: the value below which the share `share` of the samples is. Reorders the samples.
inline double percentile(std::vector<double>& samples, double share) {
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

// The median difference of two consecutive readings.
inline double clock_cost_ns() {
  std::vector<double> pairs(10001);
  for (double& pair : pairs) {
    const auto start = Clock::now();
    pair = ns_between(start, Clock::now());
  }
  return percentile(pairs, 0.5);
}

template <class F> double time_call(F&& call, double clock_ns) {
  const auto start = Clock::now();
  call();
  return std::max(0.0, ns_between(start, Clock::now()) - clock_ns);
}

// Keeps the compiler from dropping the computation of the value.
template <class T> void keep(const T& value) { asm volatile("" : : "r,m"(value) : "memory"); }

// Pins the calling thread to its own processor, on its own core as long as there are free cores. (Two threads on one
// core share it, so their rates do not add up.) If the cores are not known, the thread is not pinned.
inline void pin(unsigned thread) {
  static const std::vector<int> order = [] {
    std::vector<int> first, others;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return first;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &allowed)) continue;
      int sibling = cpu; // the first processor of its core
      std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list") >> sibling;
      (sibling == cpu ? first : others).push_back(cpu);
    }
    first.insert(first.end(), others.begin(), others.end());
    return first;
  }();
  if (order.empty()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(order[thread % order.size()], &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

// The samples that `work(thread)` returned in all threads, and the wall time of all threads together.
struct ThreadTimes {
  std::vector<double> ns;
  double wall_s = 0;
};
template <class F> ThreadTimes time_threads(unsigned count, F&& work) {
  std::vector<std::vector<double>> parts(count);
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (unsigned t = 0; t < count; ++t) threads.emplace_back([&, t] { parts[t] = work(t); });
  for (std::thread& thread : threads) thread.join();
  ThreadTimes times;
  times.wall_s = ns_between(start, Clock::now()) * 1e-9;
  for (const std::vector<double>& part : parts) times.ns.insert(times.ns.end(), part.begin(), part.end());
  return times;
}

// Numbers from 0 to `count` in an order that a prefetcher cannot guess.
class Walk {
 public:
  Walk(unsigned seed, unsigned count) : state_(seed * 2654435761U + 1), count_(count) {}
  std::size_t next() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<std::size_t>((std::uint64_t{state_} * count_) >> 32);
  }

 private:
  std::uint32_t state_, count_;
};

} // namespace warptune::bench
