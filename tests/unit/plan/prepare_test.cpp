// Inputs made from other inputs ("prepare"): in the reader, in plans, in compile requests and in the hash.
#include "plan/compile_request.h"
#include "plan/plan.h"
#include "spec/source_hash.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

constexpr const char* kLaunches = R"([{"kernel": "forward", "grid": [1], "block": [32], "args": ["x", "y", "sums"]}])";

std::string prepare(const std::string& launches) {
  return R"({"source": "forward.cu", "launches": )" + launches +
         R"(, "arguments": {"sums": {"buffer": "fp32", "count": "rows", "role": "workspace"}}})";
}

SpecText backward() {
  SpecText text;
  text.set("format", "2").set("prepare", prepare(kLaunches));
  text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows", "role": "input"},
                            "y": {"buffer": "dtype", "count": "rows", "role": "input", "fill": "prepared"},
                            "dx": {"buffer": "dtype", "count": "rows", "role": "output"}})");
  text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [32], "args": ["x", "y", "dx"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["x", "y", "dx"]}]})");
  return text;
}

TEST(Prepare, IsPlannedWithItsOwnBuffers) {
  const KernelSpec spec = backward().parse();
  const auto plan = make_prepare_plan(spec, problem_of(spec, "rows=4,cols=8"), h200_device());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_EQ(plan->buffers.size(), 3U);
  EXPECT_EQ(plan->buffers[1].fill.kind, Fill::Kind::prepared);
  EXPECT_EQ(plan->buffers[1].dtype, DType::bf16) << "what the kernel reads, not what the reference does";
  EXPECT_EQ(plan->buffers[2].name, "sums");
  EXPECT_THAT(plan->name_expressions, ElementsAre("forward"));
}

TEST(Prepare, ItsSourceIsCompiledAndHashed) {
  const KernelSpec spec = backward().parse();
  SourceFiles sources{{{"kernel.cu", "k"}, {"reference.cu", "r"}, {"forward.cu", "f"}, {"spec.json", "{}"}}};
  const Problem problem = problem_of(spec, "rows=4,cols=8");
  const auto plan = make_prepare_plan(spec, problem, h200_device());
  ASSERT_TRUE(plan.has_value());
  const auto request = make_prepare_request(spec, sources, problem, h200_device(), *plan);
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->source, "f");
  const std::string before = source_hash(spec, sources);
  sources.files[2].second = "other";
  EXPECT_NE(source_hash(spec, sources), before);
}

TEST(Prepare, ALaunchOfItHasToTakePlace) {
  SpecText text = backward();
  text.set("prepare", prepare(R"([{"kernel": "forward", "when": "rows > 4", "grid": [1], "block": [32],
                                   "args": ["x", "y", "sums"]}])"));
  const KernelSpec spec = text.parse();
  EXPECT_TRUE(make_prepare_plan(spec, problem_of(spec, "rows=5,cols=8"), h200_device()).has_value());
  const auto refused = make_prepare_plan(spec, problem_of(spec, "rows=4,cols=8"), h200_device());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("no launch of 'prepare' for this problem takes 'y'"));
}

TEST(Prepare, WhatIsRefusedWhenRead) {
  EXPECT_THAT(backward().drop("prepare").error(), HasSubstr("no launch of 'prepare' takes 'y'"));
  EXPECT_THAT(backward().set("format", "1").error(), HasSubstr("unknown key 'prepare'"));
  const auto launch = [](const std::string& args) {
    return prepare(R"([{"kernel": "forward", "grid": [1], "block": [32], "args": [)" + args + "]}]");
  };
  EXPECT_THAT(backward().set("prepare", launch(R"("x")")).error(), HasSubstr("no launch of 'prepare' takes 'y'"));
  EXPECT_THAT(backward().set("prepare", launch(R"("y", "dx")")).error(), HasSubstr("'dx' is not an input"));
  EXPECT_THAT(backward()
                  .set("prepare", R"({"launches": [{"kernel": "f", "grid": ["WARPS"], "block": [1], "args": ["y"]}]})")
                  .error(),
              HasSubstr("prepare may not depend on a param"));
  EXPECT_THAT(
      backward()
          .set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "inout", "fill": "prepared"}})")
          .error(),
      HasSubstr("only a buffer of spec.json with the role input can have the fill"));
}

} // namespace
} // namespace warptune
