// A candidate's plan is made once.
#include "plan/candidate_plans.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::problem_of;
using testing::SpecText;

struct Plans : ::testing::Test {
  KernelSpec spec = SpecText().parse();
  Problem problem = problem_of(spec, "rows=100,cols=1024");
  DeviceInfo device = h200_device();
  CandidatePlans plans;

  std::shared_ptr<const LaunchPlan> find(const Config& config) {
    const auto plan = plans.find(spec, problem, config, device);
    EXPECT_TRUE(plan.has_value()) << plan.error().message;
    return plan.value_or(nullptr);
  }
};

TEST_F(Plans, AreMadeOnceForEachCandidateAndProblem) {
  const Config standard = default_config(spec);
  const auto plan = find(standard);
  EXPECT_EQ(find(standard), plan);
  EXPECT_EQ(plans.made(), 1);
  const auto made = make_plan(spec, problem, standard, device);
  EXPECT_EQ(plan->name_expressions, made->name_expressions);
  problem = problem_of(spec, "rows=101,cols=1024");
  EXPECT_NE(find(standard), plan) << "a ragged problem has a plan of its own";
  problem = problem_of(spec, "rows=100,cols=1024");
  EXPECT_EQ(find(standard), plan);
  EXPECT_EQ(plans.made(), 2);
  plans.clear();
  find(standard);
  EXPECT_EQ(plans.made(), 3);
}

TEST_F(Plans, AreThoseOfTheDevice) {
  const Config standard = default_config(spec);
  const auto plan = find(standard);
  device.driver = "another";
  device.roofs.measured = true;
  EXPECT_EQ(find(standard), plan) << "no plan depends on those";
  device.limits.max_threads_per_block = 1;
  const auto refused = plans.find(spec, problem, standard, device);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::no_candidate);
  device = h200_device();
  EXPECT_NE(find(standard), nullptr);
}

} // namespace
} // namespace warptune
