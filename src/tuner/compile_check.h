// Checks a kernel folder without a GPU: compiles a sample of a problem's configurations for an architecture. Launches
// nothing and prints nothing.
#pragma once

#include "space/space.h"
#include "tuner/progress.h"
#include "tuner/session_options.h"
#include "worker/compile_pool.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warptune {

struct CheckedConfig {
  Config config;
  Compiled compiled;
  std::int64_t shared_bytes = 0; // static and dynamic shared memory per block
};

struct CompileCheck {
  std::int64_t valid = 0, sampled = 0; // configurations
  std::vector<CheckedConfig> configs;  // results in the order of the sample; fewer than `sampled` if stopped
  std::string reference_error;         // why the reference or `prepare` does not compile; empty: both compile
  std::vector<std::string> notes;
};

// Returns at most `count` configurations; 0: all. They begin with the valid defaults of all implementations, then come
// configurations with a value that no earlier one has, then a random sample.
std::vector<Config> sample_configs(const KernelSpec& spec, const SearchSpace& space, std::int64_t count,
                                   std::uint64_t seed);

// The compiler must support `device.arch`. Uses only the seed and the compile options of `options`. Errors: no
// configuration is valid (no_candidate), or there is no compiler.
Result<CompileCheck> check_compiles(CompilePool& pool, const Kernel& kernel, const Problem& problem,
                                    const DeviceInfo& device, const SessionOptions& options, std::int64_t sample,
                                    const std::function<void(const Progress&)>& show, const std::atomic<bool>& stop);

} // namespace warptune
