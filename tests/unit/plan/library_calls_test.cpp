// Library calls in plans: values and arguments by name, their place among the kernels, and no cubin without a kernel.
#include "plan/compile_request.h"
#include "plan/plan.h"
#include "predict/plan_features.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::problem_of;
using testing::SpecText;

constexpr const char* kKernel = R"({"kernel": "k", "when": "VEC > 1", "grid": [1], "block": [32], "args": ["x", "y"]})";

KernelSpec spec_with(const std::string& launches) {
  SpecText text;
  return text.set("format", "2").set("launches", "[" + launches + "]").parse();
}

Result<LaunchPlan> plan_of(const KernelSpec& spec, const std::string& config) {
  return make_plan(spec, problem_of(spec, "rows=4,cols=8"), parse_config(spec, config).value(), h200_device());
}

TEST(LibraryCallPlans, HaveAllValuesAndArgumentsByName) {
  const KernelSpec spec = spec_with(std::string(kKernel) + "," +
                                    R"({"library": "driver", "call": "fill", "when": "WARPS > 1",
                                        "values": {"bytes": "WARPS * rows * 4", "pattern": 7}, "args": {"to": "tmp"}})" +
                                    "," + kKernel);
  const auto plan = plan_of(spec, "WARPS=2,VEC=2");
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_EQ(plan->library_calls.size(), 1U);
  const LibraryCallPlan& call = plan->library_calls.front();
  EXPECT_EQ(call.name(), "driver.fill");
  EXPECT_THAT(call.values, ElementsAre(Pair("bytes", 32), Pair("pattern", 7), Pair("pattern_bytes", 1)));
  ASSERT_EQ(call.args.size(), 1U);
  EXPECT_EQ(call.args[0].second.kind, ArgRef::Kind::buffer);
  EXPECT_EQ(plan->buffers[static_cast<std::size_t>(call.args[0].second.index)].name, "tmp") << "it is used by the call";
  EXPECT_EQ(call.position, 1U);
  EXPECT_TRUE(plan->has_program());
  EXPECT_EQ(plan->launches.size(), 2U);

  const auto alone = plan_of(spec, "WARPS=2,VEC=1");
  ASSERT_TRUE(alone.has_value()) << alone.error().message;
  EXPECT_EQ(alone->library_calls.front().position, 0U) << "none of the kernels takes place";
  EXPECT_FALSE(alone->has_program());
  const auto request = make_compile_request(spec, {}, problem_of(spec, "rows=4,cols=8"),
                                            parse_config(spec, "WARPS=2,VEC=1").value(), h200_device(), *alone);
  ASSERT_TRUE(request.has_value()) << "nothing is compiled, so no source is missing: " << request.error().message;
  EXPECT_TRUE(request->source_name.empty());

  EXPECT_TRUE(plan_of(spec, "WARPS=1,VEC=2")->library_calls.empty());
  const auto nothing = plan_of(spec, "WARPS=1,VEC=1");
  ASSERT_FALSE(nothing.has_value());
  EXPECT_THAT(nothing.error().message, HasSubstr("nothing is launched"));
}

TEST(LibraryCallPlans, RefuseValuesOutOfRange) {
  const KernelSpec spec =
      spec_with(std::string(kKernel) +
                R"(, {"library": "driver", "call": "fill", "values": {"bytes": "WARPS - 2"}, "args": {"to": "tmp"}})");
  const auto plan = plan_of(spec, "WARPS=1,VEC=2");
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::no_candidate) << "a param is to blame";
  EXPECT_THAT(plan.error().message, HasSubstr("the value 'bytes' of 'driver.fill'"));
}

TEST(LibraryCallPlans, TakeAnyWordAsPattern) {
  const auto plan = [](const std::string& pattern) {
    return plan_of(spec_with(R"({"library": "driver", "call": "fill", "args": {"to": "tmp"},
                                 "values": {"bytes": 4, "pattern_bytes": 4, "pattern": )" +
                             pattern + "}}, " + kKernel),
                   "WARPS=1,VEC=2");
  };
  const auto most = plan("4294967295");
  ASSERT_TRUE(most.has_value()) << most.error().message;
  EXPECT_THAT(most->library_calls.front().values,
              ElementsAre(Pair("bytes", 4), Pair("pattern", 4294967295), Pair("pattern_bytes", 4)));
  EXPECT_FALSE(plan("4294967296").has_value());
  EXPECT_FALSE(plan("-1").has_value());
}

TEST(LibraryCallPlans, CountAsLaunchesInFeatures) {
  const KernelSpec spec =
      spec_with(std::string(kKernel) +
                R"(, {"library": "driver", "call": "fill", "values": {"bytes": 4}, "args": {"to": "tmp"}})");
  const DeviceInfo device = h200_device();
  const PlanFeatures features(spec, problem_of(spec, "rows=4,cols=8"), device);
  const auto mixed = features.figures(parse_config(spec, "WARPS=2,VEC=2").value());
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->launches, 2);
  EXPECT_EQ(mixed->workspace_bytes, 32);
  EXPECT_FALSE(features.figures(parse_config(spec, "WARPS=2,VEC=1").value())) << "its kernels are not known";
}

} // namespace
} // namespace warptune
