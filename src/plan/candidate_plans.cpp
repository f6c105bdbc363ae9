#include "plan/candidate_plans.h"

namespace warptune {
namespace {

bool are_equal(const DeviceLimits& a, const DeviceLimits& b) {
  bool equal = true;
  for_each_member<DeviceLimits>([&](const auto& m) { equal = equal && a.*m.at == b.*m.at; });
  return equal;
}

} // namespace

Result<std::shared_ptr<const LaunchPlan>> CandidatePlans::find(const KernelSpec& spec, const Problem& problem,
                                                               const Config& config, const DeviceInfo& device) {
  if (plans_.size() >= kMaxPlans || !are_equal(limits_, device.limits)) plans_.clear();
  limits_ = device.limits;
  const std::pair key(problem_key(spec, problem), config);
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  ++made_;
  WT_TRY(auto plan, make_plan(spec, problem, config, device));
  return plans_.emplace(key, std::make_shared<const LaunchPlan>(std::move(plan))).first->second;
}

} // namespace warptune
