// A cache of the plans of a kernel's candidates. A process that compiles, runs and verifies a candidate needs its plan
// several times; the cache makes each plan once.
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace warptune {

class CandidatePlans {
 public:
  // Makes the plan on the first call. Its errors are those of make_plan, and are not cached. The cache is emptied when
  // the device changes or when it holds kMaxPlans plans. Precondition: `spec` has not changed since clear().
  Result<std::shared_ptr<const LaunchPlan>> find(const KernelSpec& spec, const Problem& problem, const Config& config,
                                                 const DeviceInfo& device);
  void clear() { plans_.clear(); }
  std::int64_t made() const { return made_; } // plans made so far

  static constexpr std::size_t kMaxPlans = 4096; // about 10 MB

 private:
  DeviceLimits limits_; // the part of the device that a plan depends on
  std::map<std::pair<std::string, Config>, std::shared_ptr<const LaunchPlan>> plans_; // plans by problem_key and config
  std::int64_t made_ = 0;
};

} // namespace warptune
