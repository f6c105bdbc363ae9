// The plans of a kernel's candidates, each made once: a candidate that is compiled, run and judged in the finals by one
// process is asked for its plan several times.
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
  // Made when it is first asked for. Errors are those of make_plan, and are not kept. Plans for another device are
  // forgotten, and so are all when there are too many of them. Precondition: `spec` is the same since clear().
  Result<std::shared_ptr<const LaunchPlan>> find(const KernelSpec& spec, const Problem& problem, const Config& config,
                                                 const DeviceInfo& device);
  void clear() { plans_.clear(); }
  std::int64_t made() const { return made_; } // so far

  static constexpr std::size_t kMaxPlans = 4096; // some 10 MB

 private:
  DeviceLimits limits_; // all of a device that a plan depends on
  std::map<std::pair<std::string, Config>, std::shared_ptr<const LaunchPlan>> plans_; // by problem_key and values
  std::int64_t made_ = 0;
};

} // namespace warptune
