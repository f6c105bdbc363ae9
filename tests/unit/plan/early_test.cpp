// Which first launches may start before the caller's earlier work has ended.
#include "plan/plan.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::problem_of;
using testing::SpecText;

// Whether each launch of two may start early, of which the first is launched if `when` holds.
std::vector<bool> starts(const std::string& tmp, const std::string& when, int capability) {
  DeviceInfo device = h200_device();
  device.limits.compute_capability = capability;
  const std::string launch = R"({"kernel": "k", "args": ["y", "tmp"], "grid": [1], "block": [1], "early": true)";
  const KernelSpec spec = SpecText()
                              .set("launches", "[" + launch + R"(, "when": ")" + when + R"("}, )" + launch + "}]")
                              .set("arguments", R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input"},
                                "y": {"buffer": "dtype", "count": "rows * cols", "role": "output"},
                                "tmp": {"buffer": "acc", "count": "rows", "role": "workspace")" +
                                                    tmp + R"(}, "cols": {"scalar": "int32", "value": "cols"},
                                "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})")
                              .parse();
  const auto plan = make_plan(spec, problem_of(spec, "rows=100,cols=1024"), default_config(spec), device);
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  std::vector<bool> early;
  for (const KernelLaunch& one : plan->launches) early.push_back(one.programmatic);
  return early;
}

TEST(EarlyStarts, AreThoseOfTheFirstLaunch) {
  EXPECT_THAT(starts("", "1", 90), ElementsAre(true, false));
  EXPECT_THAT(starts("", "rows < 5", 90), ElementsAre(true)) << "the second launch comes first";
}

TEST(EarlyStarts, NeedHopper) { EXPECT_THAT(starts("", "1", 89), ElementsAre(false, false)); }

TEST(EarlyStarts, DoNotPassTheClearingOfWorkspaces) {
  EXPECT_THAT(starts(R"(, "zero": true)", "1", 90), ElementsAre(false, false));
}

} // namespace
} // namespace warptune
