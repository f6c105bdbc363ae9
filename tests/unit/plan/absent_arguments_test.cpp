// Arguments that do not exist for a problem ("when"): in the reader, and as null pointers in plans.
#include "plan/plan.h"
#include "spec/alignment.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

constexpr const char* kArguments = R"json({
  "x": {"buffer": "dtype", "count": "rows", "role": "input"},
  "bias": {"buffer": "dtype", "count": "rows", "role": "input", "when": "log", "align": 256},
  "y": {"buffer": "dtype", "count": "rows", "role": "output"},
  "mask": {"buffer": "uint8", "count": "rows / (rows - 8)", "role": "output", "when": "rows > 8"},
  "tmp": {"buffer": "fp32", "count": "rows", "role": "workspace", "when": "WARPS > 1"},
  "scale": {"scalar": "fp32", "value": 2, "role": "parameter", "when": "log"},
  "steps": {"scalar": "int32", "value": "rows", "when": "VEC > 1"},
  "map": {"tensor_map": "bias", "dims": ["rows"], "box": [8]}})json";

SpecText demo() {
  SpecText text;
  text.set("format", "2").set("arguments", kArguments);
  text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [32],
                            "args": ["x", "bias", "y", "mask", "tmp", "scale", "steps", "map"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1],
                                          "args": ["x", "bias", "y", "mask", "scale"]}]})");
  return text;
}

std::string names(const LaunchPlan& plan) {
  std::string all;
  for (const BufferPlan& buffer : plan.buffers) all += buffer.name + " ";
  for (const ScalarPlan& scalar : plan.scalars) all += scalar.name + " ";
  for (const TensorMapPlan& map : plan.tensor_maps) all += map.name + " ";
  return all;
}

// One letter for each argument of the launch.
std::string kinds(const KernelLaunch& launch) {
  std::string all;
  for (const ArgRef& arg : launch.args) all += "bsm-"[static_cast<std::size_t>(arg.kind)];
  return all;
}

LaunchPlan plan_of(const std::string& shape, const std::string& config, const std::vector<std::string>& sets) {
  const KernelSpec spec = demo().parse();
  const auto plan = make_plan(spec, problem_of(spec, shape, "", sets), *parse_config(spec, config), h200_device());
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  return plan.value_or(LaunchPlan());
}

// The arguments that the caller passes are known without a device.
TEST(AbsentArguments, WhatACallerGivesDoesNotDependOnTheDevice) {
  const auto error = [](const std::string& from, const std::string& to) {
    std::string arguments = kArguments;
    arguments.replace(arguments.find(from), from.size(), to);
    const auto spec = demo().set("arguments", arguments).try_parse();
    return spec ? std::string("read") : spec.error().message;
  };
  EXPECT_THAT(error("rows > 8\"", "sm_count > 100\""),
              HasSubstr("at /arguments/mask/when: an argument that the caller passes may not depend on the device, and "
                        "this formula uses "
                        "'sm_count'"));
  EXPECT_THAT(error("\"when\": \"log\", \"align\"", "\"when\": \"compute_capability\", \"align\""),
              HasSubstr("at /arguments/bias/when"));
  EXPECT_EQ(error("WARPS > 1", "sm_count > 100"), "read") << "a workspace";
}

TEST(AbsentArguments, ArePlannedWhereTheyExist) {
  const LaunchPlan all = plan_of("rows=16,cols=8", "WARPS=2,VEC=2", {"log=1"});
  EXPECT_EQ(names(all), "x bias y mask tmp scale steps map ");
  EXPECT_EQ(kinds(all.launches[0]), "bbbbbssm");
}

TEST(AbsentArguments, AreNullElsewhere) {
  // The count of `mask` has no value here, and is not needed.
  const LaunchPlan few = plan_of("rows=8,cols=8", "WARPS=1,VEC=1", {"log=0"});
  EXPECT_EQ(names(few), "x y ");
  EXPECT_EQ(kinds(few.launches[0]), "b-b-----");
}

TEST(AbsentArguments, TheReferenceLacksThemToo) {
  const KernelSpec spec = demo().parse();
  const auto plan = make_reference_plan(spec, problem_of(spec, "rows=8,cols=8"), h200_device());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_EQ(names(*plan), "x y ");
  EXPECT_EQ(kinds(plan->launches[0]), "b-b--");
}

TEST(AbsentArguments, NeedNoAlignment) {
  const KernelSpec spec = demo().parse();
  const auto refusal = [&](const char* log) {
    const Problem problem = problem_of(spec, "rows=8,cols=8", "", {log});
    return check_alignment(spec, problem, h200_device(), default_config(spec), 16);
  };
  EXPECT_TRUE(refusal("log=1").has_value());
  EXPECT_FALSE(refusal("log=0").has_value());
}

TEST(AbsentArguments, AnOutputHasToExist) {
  SpecText text = demo();
  text.set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output", "when": "log"}})");
  text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [32], "args": ["y"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
  const KernelSpec spec = text.parse();
  const Problem problem = problem_of(spec, "rows=8,cols=8");
  const auto plan = make_plan(spec, problem, default_config(spec), h200_device());
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(plan.error().message, HasSubstr("every output is left out"));
  EXPECT_FALSE(make_reference_plan(spec, problem, h200_device()).has_value());
}

TEST(AbsentArguments, WhatIsRefusedWhenRead) {
  EXPECT_THAT(demo().set("format", "1").error(), HasSubstr("unknown key 'when'"));
  SpecText of_params = demo();
  of_params.set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output", "when": "WARPS"}})");
  EXPECT_THAT(of_params.error(), HasSubstr("an argument that the caller passes may not depend on a param"));
  SpecText of_reference = demo();
  of_reference.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1],
                                                  "args": ["x", "bias", "y", "mask", "steps"]}]})");
  EXPECT_THAT(of_reference.error(), HasSubstr("an argument of the reference may not depend on a param"));
}

} // namespace
} // namespace warptune
