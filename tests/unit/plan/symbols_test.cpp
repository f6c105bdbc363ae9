// Variables of the source that are filled before the launches ("symbols"): in the reader, in plans and in requests.
#include "plan/compile_request.h"
#include "plan/plan.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

SpecText convolution(const std::string& symbols) {
  SpecText text;
  text.set("format", "2").set("symbols", symbols);
  text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows", "role": "input"},
                            "filter": {"buffer": "fp32", "count": "9", "role": "input", "when": "log"},
                            "y": {"buffer": "dtype", "count": "rows", "role": "output"}})");
  text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [32], "args": ["x", "y"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["x", "filter", "y"]}]})");
  return text;
}

constexpr const char* kSymbols = R"({"d_filter": {"buffer": "filter"},
                                     "detail::d_n": {"scalar": "int32", "value": "rows * WARPS"}})";

TEST(Symbols, ArePlannedAndAskedFor) {
  const KernelSpec spec = convolution(kSymbols).parse();
  const Problem problem = problem_of(spec, "rows=4,cols=8", "", {"log=1"});
  const Config config = default_config(spec);
  const auto plan = make_plan(spec, problem, config, h200_device());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_EQ(plan->symbols.size(), 2U);
  EXPECT_EQ(plan->symbols[0].buffer, 1);
  EXPECT_EQ(plan->symbols[1].scalar.integer, 16);
  EXPECT_THAT(plan->name_expressions, ElementsAre("k"));
  const auto instance = instance_of(spec, problem, config, h200_device(), *plan);
  ASSERT_TRUE(instance.has_value());
  EXPECT_THAT(instance->name_expressions, ElementsAre("k", "&d_filter", "&detail::d_n"));
  EXPECT_EQ(count_symbols(instance->name_expressions), 2U);
}

TEST(Symbols, AreCopiedBeforeTheFirstLaunchStarts) {
  for (const char* symbols : {kSymbols, "{}"}) {
    const KernelSpec spec =
        convolution(symbols)
            .set("launches", R"([{"kernel": "k", "early": true, "grid": [1], "block": [32], "args": ["x", "y"]}])")
            .parse();
    const auto plan = make_plan(spec, problem_of(spec, "rows=4,cols=8"), default_config(spec), h200_device());
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    EXPECT_EQ(plan->launches.front().programmatic, plan->symbols.empty());
  }
}

TEST(Symbols, OfAnAbsentBufferAreLeftAlone) {
  const KernelSpec spec = convolution(kSymbols).parse();
  const auto plan = make_plan(spec, problem_of(spec, "rows=4,cols=8"), default_config(spec), h200_device());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_EQ(plan->symbols.size(), 1U);
  EXPECT_EQ(plan->symbols[0].name, "detail::d_n");
}

TEST(Symbols, WhatIsRefusedWhenRead) {
  EXPECT_THAT(convolution("{}").set("format", "1").error(), HasSubstr("unknown key 'symbols'"));
  EXPECT_THAT(convolution(R"({"d": {"buffer": "y"}})").error(), HasSubstr("'y' is not an input"));
  EXPECT_THAT(convolution(R"({"d": {"buffer": "z"}})").error(), HasSubstr("'z' is not an input"));
  for (const char* name : {"d f", "a b::c", "a);evil(::c", "a::", "::c"})
    EXPECT_THAT(convolution(R"({")" + std::string(name) + R"(": {"buffer": "x"}})").error(),
                HasSubstr("not a valid name for a variable"))
        << name;
}

} // namespace
} // namespace warptune
