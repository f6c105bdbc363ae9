// Describes a configuration's demands on the device as numbers. They come only from the spec's formulas, without
// compiling or planning, so a configuration takes a few microseconds. The expected time (predict/expected_time.h) and
// the rule for untuned shapes (predict/transfer_features.h) use them. Only make_plan decides whether the configuration
// can run.
#pragma once

#include "core/device.h"
#include "spec/problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

// Figures of one launch. It is the launch that receives most of the caller's data or, among equals, the launch with the
// most threads. (A second launch that only adds up partial results may have more threads than the main launch.) The
// last three figures are sums over all launches.
struct PlanFigures {
  double threads = 0, blocks = 0; // threads per block
  double shared_bytes = 0;        // dynamic, per block
  double cluster = 1;             // blocks per cluster
  double blocks_per_sm = 0;       // upper bound; registers and static shared memory may reduce it (plan/occupancy.h)
  double occupancy = 0;           // threads in blocks_per_sm blocks, divided by a multiprocessor's maximum
  double waves = 0;               // number of blocks divided by the number that run at the same time
  double tail = 0;                // empty share of the last wave
  double launches = 0;            // number of launches that run
  double workspace_bytes = 0;     // data passed between launches or between blocks
  double repeated_bytes = 0; // bytes that launches receive in buffers of the caller that an earlier launch received
};

class PlanFeatures {
 public:
  // `spec` and `device` must outlive this object.
  PlanFeatures(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);
  PlanFeatures(const KernelSpec& spec, const Problem& problem, DeviceInfo&& device) = delete;

  // Returns nullopt if a formula cannot be evaluated, or if every launch is skipped.
  std::optional<PlanFigures> figures(const Config& config) const;

  // The names of the features: the members of PlanFigures, the bytes and the operations of a block, and every derived
  // name of the spec that depends on a param. Values that span orders of magnitude are given as logarithms to base 2,
  // so equal steps mean equal ratios.
  const std::vector<std::string>& names() const { return names_; }
  void fill(const Config& config, std::span<double> out) const; // writes one value per name; NaN: no value

  std::vector<std::int64_t>
  slots(const Config& config) const; // slot values of the problem, the device and the configuration

 private:
  std::optional<PlanFigures> evaluate(const Implementation& implementation, std::span<const std::int64_t> slots) const;

  const KernelSpec& spec_;
  const DeviceLimits& limits_;
  std::vector<std::int64_t> slots_; // slot values of the problem and the device
  struct DerivedFeature {
    std::size_t at; // index into names()
    const Expr* expr;
  };
  std::vector<std::vector<DerivedFeature>> derived_; // per implementation; only derived names that depend on a param
  double bytes_ = 0, flops_ = 0;                     // the problem's cost
  std::vector<std::string> names_;
};

} // namespace warptune
