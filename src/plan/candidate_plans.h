// A cache of the plans of a kernel's candidates. A process that compiles, runs and verifies a candidate needs the
// candidate's plan several times, but makes it only once.
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
  // Returns the plan, which is made on the first call. Errors are those of make_plan and are not cached. The cache is
  // emptied when the device changes, and when it holds kMaxPlans plans. Precondition: after a change of `spec`, clear()
  // was called.
  Result<std::shared_ptr<const LaunchPlan>> find(const KernelSpec& spec, const Problem& problem, const Config& config,
                                                 const DeviceInfo& device);
  void clear() { plans_.clear(); }
  std::int64_t made() const { return made_; } // plans made so far

  static constexpr std::size_t kMaxPlans = 4096; // this number of plans takes about 10 MB

 private:
  DeviceLimits limits_; // limits of the plans' device; plans depend on no other property of the device
  std::map<std::pair<std::string, Config>, std::shared_ptr<const LaunchPlan>>
      plans_; // keyed by problem_key and configuration
  std::int64_t made_ = 0;
};

} // namespace warptune
