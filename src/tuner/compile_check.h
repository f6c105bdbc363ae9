// Checks a kernel folder without a GPU: compiles a sample of a problem's configurations for an architecture. Launches
// nothing and prints nothing.
#pragma once

#include "jit/ptxas_log.h"
#include "plan/launch_needs.h"
#include "space/space.h"
#include "tuner/progress.h"
#include "tuner/session_options.h"
#include "worker/compile_pool.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// A compiled kernel with the block size and shared memory of one launch.
struct CheckedLaunch {
  std::string kernel; // "softmax_kernel<float, 4>"
  BlockNeeds needs;
  OccupancyEstimate occupancy;
  std::int64_t spill_bytes = 0;     // per thread; the larger of stores and loads
  std::optional<SpillBytes> spills; // nullopt: no spills, or an older cubin without this detail

  std::int64_t shared_bytes() const { return needs.static_shared_bytes + needs.dynamic_shared_bytes; }
};

struct CheckedConfig {
  Config config;
  Compiled compiled;
  bool is_default = false;             // whether it is an implementation's default
  std::vector<CheckedLaunch> launches; // worst first: most spills, then fewest resident warps, then most registers
  std::vector<CompilerWarning> warnings;
  std::string exceeds_bounds; // a sentence: which launch's block exceeds its kernel's __launch_bounds__; empty: none
  std::vector<std::string> unfilled_constants =
      {}; // names of __constant__ variables that are zero and that no symbol fills
};

// Whether `a` uses the device worse than `b`: more spills or, if equal, fewer resident warps or, if equal, more
// registers.
bool is_worse(const CheckedLaunch& a, const CheckedLaunch& b);

struct CompileCheck {
  std::int64_t valid = 0, sampled = 0; // numbers of configurations
  std::vector<CheckedConfig> configs;  // in the order of the sample; fewer than `sampled` if stopped
  std::string reference_error;         // why the reference or `prepare` does not compile; empty: they do
  std::vector<std::string> notes;
};

// Returns at most `count` configurations (0: all): first the valid defaults of all implementations, then configurations
// with a value that no earlier one has, then a random sample.
std::vector<Config> sample_configs(const KernelSpec& spec, const SearchSpace& space, std::int64_t count,
                                   std::uint64_t seed);

// The compiler must support `device.arch`. Of `options`, uses only the seed and the options about compiling. Errors: no
// configuration is valid (no_candidate), or there is no compiler.
Result<CompileCheck> check_compiles(CompilePool& pool, const Kernel& kernel, const Problem& problem,
                                    const DeviceInfo& device, const SessionOptions& options, std::int64_t sample,
                                    const std::function<void(const Progress&)>& show, const std::atomic<bool>& stop);

} // namespace warptune
