#include "predict/expected_time.h"

#include "plan/occupancy.h"
#include "predict/roofline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune {
namespace {

constexpr double kLatencyUs = 0.8;         // DRAM latency under load
constexpr double kBytesInFlight = 32;      // per thread: two loads of 16 bytes
constexpr double kBusyWarps = 8;           // per multiprocessor, two per scheduler: an FMA takes four cycles
constexpr double kBlockUs = 1;             // time from a block's start to its first useful access
constexpr double kLaunchUs = 1.5;          // from the end of one launch to the start of the next
constexpr double kClockMhz = 1700;         // of the multiprocessors, if it is not known
constexpr double kClusterClocks = 12;      // per block of a cluster; other blocks: 1
constexpr double kStaticShare = 0.1;       // by how much the slowest block of a single wave exceeds the average
constexpr double kMaxResults = 224;        // per thread, in registers
constexpr double kOtherRegisters = 32;     // addresses, counters
constexpr double kRegistersOfResult = 1.2; // a result and its share of the operands
constexpr double kOperandBytes = 8;        // bytes of shared memory per FMA, if operands are not reused
constexpr double kAccumulatorBytes = 4;

// The slowdown if only `have` of the `needed` amount is available. The transition is smooth, so that more is always
// slightly better.
double slowdown(double needed, double have) { return have > 0 ? std::hypot(1.0, needed / have) : 1e3; }

// Resident blocks per multiprocessor if each thread holds `results` results in registers.
double blocks_with_results(const PlanFigures& f, double results, const DeviceLimits& limits) {
  const auto registers = static_cast<std::int64_t>(kOtherRegisters + kRegistersOfResult * results);
  const BlockNeeds needs{static_cast<std::int64_t>(f.threads), registers, 0, static_cast<std::int64_t>(f.shared_bytes)};
  return static_cast<double>(std::max<std::int64_t>(estimate_occupancy(needs, limits).blocks_per_sm, 1));
}

} // namespace

std::optional<double> expected_us(const PlanFigures& f, const CostEstimate& cost, const DeviceInfo& device) {
  const auto sms = static_cast<double>(device.limits.sm_count);
  if (!(f.waves > 0) || sms <= 0) return std::nullopt;
  const CostEstimate traffic{
      cost.bytes_read + f.workspace_bytes + f.repeated_bytes, cost.bytes_written + f.workspace_bytes, {}};
  const double memory_us = roofline_point(traffic, device.roofs, 0).floor_us;
  const double pipe_us = roofline_point({0, 0, cost.flops}, device.roofs, 0).floor_us;
  if (!(memory_us > 0) && !(pipe_us > 0)) return std::nullopt;

  // A thread that multiplies keeps its results in registers; one that only moves data may write any number of them.
  const double all_threads = f.blocks * f.threads;
  const double results = traffic.bytes_written / kAccumulatorBytes / all_threads;
  const bool tiled = pipe_us > memory_us && results >= 1 && results <= kMaxResults;
  const double most_blocks = tiled ? blocks_with_results(f, results, device.limits) : f.blocks_per_sm;
  const double waves = f.blocks / (most_blocks * sms);
  const double blocks = most_blocks * waves / std::ceil(waves); // per multiprocessor, averaged over the waves
  const double threads = blocks * f.threads;

  // Little's law: full bandwidth needs as many bytes in flight as arrive during the latency.
  const double bytes = traffic.bytes_read + traffic.bytes_written;
  const double needed = memory_us > 0 ? bytes / memory_us * kLatencyUs / sms : 0;
  const double in_flight = std::max(threads * std::min(kBytesInFlight, bytes / all_threads), blocks * f.shared_bytes);
  // With many waves, a free slot is refilled at once; in a single wave the share of each block is fixed.
  const double moving_us = memory_us * slowdown(needed, in_flight) * (1 + kStaticShare / (1 + waves));

  // A square tile of n results needs 2 sqrt(n) operands for n FMAs; shared memory delivers 4 bytes in the time of one
  // FMA.
  const double busiest = std::ceil(f.blocks / sms) * sms / f.blocks; // multiprocessor, relative to the average
  const double uneven = waves < 1 ? busiest : std::ceil(waves) / waves;
  const double operands = tiled ? kOperandBytes / std::sqrt(results) : 0;
  const double computing_us = pipe_us * uneven * std::hypot(slowdown(kBusyWarps, threads / 32), operands);

  // The device starts about one block per clock cycle, and blocks of clusters more slowly (docs/notes/knowledge.md).
  // Starts overlap with the work of other blocks, so this norm is close to the larger of the two times.
  const double clock_mhz = device.max_sm_clock_mhz > 0 ? device.max_sm_clock_mhz : kClockMhz;
  const double starting_us = f.blocks * (f.cluster > 1 ? kClusterClocks : 1) / clock_mhz;
  const double working_us = std::hypot(moving_us, computing_us);
  const double running_us = std::sqrt(std::hypot(working_us * working_us, starting_us * starting_us));
  return running_us + kBlockUs * waves / most_blocks + kLaunchUs * (f.launches - 1);
}

TimeModel::TimeModel(const KernelSpec& spec, const Problem& problem, DeviceInfo device)
    : spec_(spec), device_(std::move(device)), features_(spec, problem, device_) {
  if (auto cost = estimate_cost(spec, problem, device_)) cost_ = std::move(*cost);
  floor_us_ = roofline_point(cost_, device_.roofs, 0).floor_us;
}

std::optional<double> TimeModel::authors_us(const Config& config) const {
  const auto& formula = spec_.implementation(config).expected_us;
  if (!formula) return std::nullopt;
  const Result<double> us = formula->evaluate(features_.slots(config));
  return us && *us > 0 ? std::optional(*us) : std::nullopt;
}

bool TimeModel::is_by_author(const Config& config) const { return authors_us(config).has_value(); }

double TimeModel::expected_log_time(const Config& config) const {
  if (!spec_.implementation(config).is_estimated) return std::numeric_limits<double>::quiet_NaN();
  if (const auto us = authors_us(config)) return std::log(*us);
  const auto figures = features_.figures(config);
  const auto us = figures ? expected_us(*figures, cost_, device_) : std::nullopt;
  return us ? std::log(*us) : std::numeric_limits<double>::quiet_NaN();
}

double TimeModel::expected_log_slowdown(const Config& config) const {
  return expected_log_time(config) - std::log(floor_us_);
}

} // namespace warptune
