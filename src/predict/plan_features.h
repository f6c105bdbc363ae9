// Numbers that describe what a configuration asks of the device, from the spec's formulas alone: nothing is compiled,
// no plan is made, a few microseconds each. Feeds the expected time (predict/expected_time.h) and the rule
// for untuned shapes (predict/transfer_features.h). Whether the configuration can run is make_plan's matter.
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

// Of the launch that is given the most of the caller's data, of equals the one with the most threads: a second one that
// adds up parts may have more threads than the one that does the work. The last two are of all launches.
struct PlanFigures {
  double threads = 0, blocks = 0; // threads of a block
  double shared_bytes = 0;        // dynamic, of a block
  double cluster = 1;             // blocks
  double blocks_per_sm = 0;       // at most: registers and static shared memory may allow fewer (plan/occupancy.h)
  double occupancy = 0;           // by blocks_per_sm, of the threads that a multiprocessor can hold
  double waves = 0;               // blocks over those that run at once
  double tail = 0;                // share of the last wave's places that stay empty
  double launches = 0;            // that take place
  double workspace_bytes = 0;     // what passes between the launches, or between blocks
};

class PlanFeatures {
 public:
  // `spec` and `device` must outlive this.
  PlanFeatures(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);
  PlanFeatures(const KernelSpec& spec, const Problem& problem, DeviceInfo&& device) = delete;

  // Nothing when a formula cannot be evaluated, or no launch takes place.
  std::optional<PlanFigures> figures(const Config& config) const;

  // The figures, bytes and operations of a block, then every derived name of the spec that depends on a param. What
  // spans magnitudes is a logarithm to base 2, so that a step is a ratio.
  const std::vector<std::string>& names() const { return names_; }
  void fill(const Config& config, std::span<double> out) const; // names().size() values; NaN where there is none

  std::vector<std::int64_t> slots(const Config& config) const; // of the problem, the device and the configuration

 private:
  std::optional<PlanFigures> evaluate(const Implementation& implementation, std::span<const std::int64_t> slots) const;

  const KernelSpec& spec_;
  const DeviceLimits& limits_;
  std::vector<std::int64_t> slots_; // of the problem and the device
  struct DerivedFeature {
    std::size_t at; // into names()
    const Expr* expr;
  };
  std::vector<std::vector<DerivedFeature>> derived_; // by implementation; those that depend on a param
  double bytes_ = 0, flops_ = 0;                     // of the problem's cost
  std::vector<std::string> names_;
};

} // namespace warptune
