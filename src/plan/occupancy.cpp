#include "plan/occupancy.h"

namespace warptune {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kSchedulers = 4;     // per multiprocessor; each has a quarter of the register file
constexpr std::int64_t kRegisterUnit = 256; // allocation unit for one warp
constexpr std::int64_t kAmpere = 80;

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }
std::int64_t warps_of(const BlockNeeds& needs) { return round_up(needs.threads, kWarp) / kWarp; }
std::int64_t registers_of_warp(const BlockNeeds& needs) { return round_up(needs.registers * kWarp, kRegisterUnit); }

// Since compute capability 8.0 the system reserves 1 KiB of shared memory per block, in addition to the block's own
// limit.
std::int64_t shared_of_block(const BlockNeeds& needs, const DeviceLimits& limits) {
  const std::int64_t bytes = needs.static_shared_bytes + needs.dynamic_shared_bytes;
  return limits.compute_capability >= kAmpere ? round_up(bytes + 1024, 128) : round_up(bytes, 256);
}

} // namespace

std::int64_t registers_of_block(const BlockNeeds& needs) {
  return round_up(warps_of(needs), kSchedulers) * registers_of_warp(needs);
}

OccupancyEstimate estimate_occupancy(const BlockNeeds& needs, const DeviceLimits& limits) {
  OccupancyEstimate estimate;
  const std::int64_t warps = warps_of(needs), most_warps = limits.max_threads_per_sm / kWarp;
  if (warps <= 0 || most_warps <= 0) return estimate;
  estimate.blocks_per_sm = needs.threads > limits.max_threads_per_block ? 0 : most_warps / warps;
  const auto limit_to = [&](std::int64_t blocks, OccupancyLimit limit) {
    if (blocks >= estimate.blocks_per_sm) return;
    estimate.blocks_per_sm = blocks;
    estimate.limit = limit;
  };
  limit_to(limits.max_blocks_per_sm, OccupancyLimit::blocks);
  if (needs.registers > 0) {
    const std::int64_t warps_of_scheduler = limits.registers_per_sm / kSchedulers / registers_of_warp(needs);
    const bool fits = registers_of_block(needs) <= limits.registers_per_sm;
    limit_to(fits ? warps_of_scheduler * kSchedulers / warps : 0, OccupancyLimit::registers);
  }
  const std::int64_t shared = needs.static_shared_bytes + needs.dynamic_shared_bytes;
  if (shared > limits.max_shared_per_block)
    limit_to(0, OccupancyLimit::shared_memory);
  else if (const std::int64_t taken = shared_of_block(needs, limits); taken > 0)
    limit_to(limits.max_shared_per_sm / taken, OccupancyLimit::shared_memory);
  estimate.share = static_cast<double>(estimate.blocks_per_sm * warps) / static_cast<double>(most_warps);
  return estimate;
}

} // namespace warptune
