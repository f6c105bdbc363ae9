// Compiles a sample of a problem's configurations for an architecture, and launches nothing: what can be said of a
// kernel folder without a GPU. Prints nothing.
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
  std::int64_t shared_bytes = 0; // of a block, static and dynamic
};

struct CompileCheck {
  std::int64_t valid = 0, sampled = 0; // configurations
  std::vector<CheckedConfig> configs;  // in the order of the sample; fewer than `sampled` when it was stopped
  std::string reference_error;         // why the reference, or what prepares inputs, does not compile; empty: it does
  std::vector<std::string> notes;
};

// At most `count`, 0: all. The valid defaults of all implementations first, then configurations that have a value which
// none before has, then a random sample.
std::vector<Config> sample_configs(const KernelSpec& spec, const SearchSpace& space, std::int64_t count,
                                   std::uint64_t seed);

// `device.arch` is one that the compiler has. Of the options those of compiling count, and the seed. Errors:
// no_candidate where no configuration is valid; no compiler.
Result<CompileCheck> check_compiles(CompilePool& pool, const Kernel& kernel, const Problem& problem,
                                    const DeviceInfo& device, const SessionOptions& options, std::int64_t sample,
                                    const std::function<void(const Progress&)>& show, const std::atomic<bool>& stop);

} // namespace warptune
