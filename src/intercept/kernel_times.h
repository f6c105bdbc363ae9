// Sums the device times of kernels, so that there is one line of records per CUPTI buffer and not one per launch.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace warptune::intercept {

struct TimedKernel {
  std::string name;
  int grid[3], block[3];
  int shared = 0, static_shared = 0, registers = 0; // shared: bytes of dynamic shared memory
  bool is_graph = false;
  std::uint32_t correlation = 0;
  std::uint64_t ns = 0;
};

class KernelTimes {
 public:
  static KernelTimes& get();

  void expect(std::uint32_t correlation, int a_case); // announces a launch of case `a_case`
  void add(const TimedKernel& kernel);
  void write(); // appends a line for the times added since the last call

 private:
  struct Sum {
    std::uint64_t calls = 0, ns = 0, min = 0, max = 0;
  };
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, int> expected_;
  std::map<std::string, Sum> sums_; // key: all members of a line except the sums
};

} // namespace warptune::intercept
