// Computes numbers that describe a configuration's demands on the device from the spec's formulas only, without
// compiling or planning; a configuration takes a few microseconds. Used by the expected time (predict/expected_time.h)
// and the rule for untuned shapes (predict/transfer_features.h). make_plan decides whether the configuration can run.
#pragma once

#include "core/device.h"
#include "space/space.h"
#include "spec/problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

// Figures of the launch that receives most of the caller's data; among several, of the one with the most threads. (A
// second launch that adds up partial results may have more threads than the launch that does the work.) The last two
// figures are sums over all launches.
struct PlanFigures {
  double threads = 0, blocks = 0; // threads per block
  double shared_bytes = 0;        // dynamic, per block
  double cluster = 1;             // blocks per cluster
  double blocks_per_sm = 0;       // upper limit; registers and static shared memory may allow fewer (plan/occupancy.h)
  double occupancy = 0;           // from blocks_per_sm, relative to a multiprocessor's maximum number of threads
  double waves = 0;               // number of blocks divided by the number that run concurrently
  double tail = 0;                // share of the last wave that is empty
  double launches = 0;            // number of launches that are not skipped
  double workspace_bytes = 0;     // data that passes between launches or between blocks
};

class PlanFeatures {
 public:
  // `spec` and `device` must outlive this.
  PlanFeatures(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);
  PlanFeatures(const KernelSpec& spec, const Problem& problem, DeviceInfo&& device) = delete;

  // Returns nullopt if a formula cannot be evaluated, or if every launch is skipped.
  std::optional<PlanFigures> figures(const Config& config) const;

  // The figures, bytes and operations of a block, then every derived name of the spec that depends on a param. Values
  // over many magnitudes are logarithms to base 2, so that equal steps are equal ratios.
  const std::vector<std::string>& names() const { return names_; }
  void fill(const Config& config, std::span<double> out) const; // returns names().size() values; NaN: no value

  std::vector<std::int64_t> slots(const Config& config) const; // slots of the problem, the device and the configuration

 private:
  std::optional<PlanFigures> evaluate(const Implementation& implementation, std::span<const std::int64_t> slots) const;

  const KernelSpec& spec_;
  const DeviceLimits& limits_;
  std::vector<std::int64_t> slots_; // slots of the problem and the device
  struct DerivedFeature {
    std::size_t at; // into names()
    const Expr* expr;
  };
  std::vector<std::vector<DerivedFeature>> derived_; // by implementation; only those that depend on a param
  double bytes_ = 0, flops_ = 0;                     // the problem's cost
  std::vector<std::string> names_;
};

} // namespace warptune
