// Constraints and values without effect: proven ones, ones that were only never seen to have an effect, and guards.
#include "space/lint_problems.h"
#include "space/lint_space.h"
#include "support/spec_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>

namespace warptune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SpecText;

KernelSpec spec_with(const std::string& constraints, const std::string& params) {
  SpecText text;
  text.set("constraints", constraints).set("params", params);
  const auto spec = parse_spec(text.text(), "test");
  EXPECT_TRUE(spec) << spec.error().message;
  return *spec;
}

std::vector<Finding> lint(const std::string& constraints,
                          const std::string& params = R"({"WARPS": {"values": [1, 2, 4, 8], "default": 4},
                                                          "VEC": {"values": [1, 2, 4], "default": 2}})") {
  const std::atomic<bool> stop = false;
  return lint_space(spec_with(constraints, params), {}, {}, {}, stop);
}

TEST(LintSpace, AConstraintThatNeverBinds) {
  EXPECT_THAT(lint(R"([{"expr": "cols % VEC == 0", "why": "whole vectors"}])"), IsEmpty());
  const auto idle = lint(R"([{"expr": "cols % VEC == 0", "why": "a"}, {"expr": "VEC * WARPS <= 32", "why": "b"}])");
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(idle[0].kind, "idle-constraint");
  EXPECT_EQ(idle[0].level, FindingLevel::note);
  EXPECT_EQ(idle[0].place.pointer, "/constraints/1");
  EXPECT_THAT(lint(R"([{"expr": "VEC * WARPS <= 31", "why": "b"}])"), IsEmpty()) << "it removes one";
  EXPECT_EQ(lint(R"([{"expr": "VEC < 4", "why": "a"}, {"expr": "VEC <= 4", "why": "implied"}])").size(), 2U)
      << "the second, and the value 4";
}

TEST(LintSpace, ManyIdleConstraintsAreCounted) {
  const auto notes = [](int count) {
    std::string constraints;
    for (int i = 0; i < count; ++i)
      constraints += fmt::format(R"({}{{"expr": "VEC < {}", "why": "x"}})", i > 0 ? ", " : "", 100 + i);
    return lint("[" + constraints + "]");
  };
  EXPECT_EQ(notes(100).size(), 100U);
  const auto many = notes(1000);
  ASSERT_EQ(many.size(), 101U);
  EXPECT_EQ(many.back().sentence, "and 900 more redundant constraints");
  EXPECT_EQ(many.back().kind, "idle-constraint");
  EXPECT_EQ(many.back().place.pointer, "/constraints");
}

// Refusing a space takes a second. There are hundreds of problems and architectures, and the first refusal ends it.
TEST(LintSpace, ASpaceThatIsTooLargeHasNoFindings) {
  std::string values = "0", params = R"("WARPS": {"values": [4], "default": 4}, "VEC": {"values": [1], "default": 1})";
  for (int i = 1; i < 1000; ++i) values += fmt::format(", {}", i);
  for (int p = 0; p < 6; ++p) params += fmt::format(R"(, "P{}": {{"values": [{}], "default": 0}})", p, values);
  EXPECT_THAT(lint(R"([{"expr": "P0 + P1 + P2 + P3 + P4 + P5 == 5994", "why": "sum"}])", "{" + params + "}"),
              IsEmpty());
}

// The suites lack the shapes for which a guard exists.
TEST(LintSpace, GuardsBindAtShapesThatSuitesLack) {
  EXPECT_THAT(lint(R"([{"expr": "rows * cols < 1099511627776", "why": "indices fit"}])"), IsEmpty());
  EXPECT_THAT(lint(R"([{"expr": "rows >= 2", "why": "one row is a vector"}])"), IsEmpty());
  EXPECT_THAT(lint(R"([{"expr": "cols % 16 == 0 && rows < 4096 && VEC > 0", "why": "its parts bind"}])"), IsEmpty());
  EXPECT_THAT(lint(R"([{"expr": "VEC * WARPS * 32 <= max_threads_per_block * 4", "why": "of devices to come"}])"),
              IsEmpty());
  EXPECT_THAT(lint(R"([{"expr": "log == 0 || VEC > 1", "why": "of a flag"}])"), IsEmpty());
  EXPECT_THAT(lint(R"([{"expr": "dtype == fp32 || VEC > 1", "why": "of a dtype"}])"), IsEmpty());
}

// A derived name counts as its parts, but the constraint keeps its own text.
TEST(LintSpace, AGuardByADerivedNameBinds) {
  SpecText text;
  text.set("derived", R"({"threads": "WARPS * warp_size", "aligned": "cols % 16 == 0"})")
      .set("constraints", R"([{"expr": "aligned", "why": "whole pieces"}])");
  const std::atomic<bool> stop = false;
  EXPECT_THAT(lint_space(parse_spec(text.text(), "test").value(), {}, {}, {}, stop), IsEmpty());
}

TEST(LintSpace, AValueThatIsNeverValid) {
  const auto proven = lint(R"([{"expr": "WARPS * VEC < 32", "why": "small"}, {"expr": "VEC > 1", "why": "odd"}])");
  ASSERT_EQ(proven.size(), 1U);
  EXPECT_EQ(proven[0].level, FindingLevel::warning);
  EXPECT_EQ(proven[0].kind, "unused-value");
  EXPECT_EQ(proven[0].place.pointer, "/params/VEC/values");
  EXPECT_THAT(proven[0].sentence, AllOf(HasSubstr("the value 1 of the param 'VEC' is not valid for any shape"),
                                        HasSubstr("mostly because of 'VEC > 1' (odd)")));
  const auto by_size = lint(R"([{"expr": "VEC < 4 || cols == 12345", "why": "of one size"}])");
  ASSERT_EQ(by_size.size(), 1U);
  EXPECT_EQ(by_size[0].level, FindingLevel::note) << "a shape may need it";
  EXPECT_THAT(by_size[0].sentence, HasSubstr("the value 4 of the param 'VEC' is not valid in any of "));
  EXPECT_THAT(lint(R"([{"expr": "VEC < 4 || compute_capability == 75", "why": "of one GPU"}])"), IsEmpty());
  EXPECT_THAT(lint(R"json([{"expr": "VEC < 4 || (log == 1 && layout == 'nn' && dtype == fp32)", "why": "rare"}])json"),
              IsEmpty());
}

// If the space is empty, `check` reports that elsewhere.
TEST(LintSpace, NothingIsSaidOfValuesWhereNothingIsValid) {
  EXPECT_THAT(lint(R"([{"expr": "VEC > 100", "why": "never"}])"), IsEmpty());
}

TEST(LintSpace, AStoppedLintAccusesNobody) {
  const std::atomic<bool> stop = true;
  EXPECT_THAT(lint_space(spec_with(R"([{"expr": "VEC > 1", "why": "odd"}])", R"({"VEC": {"values": [1, 2],
    "default": 2}, "WARPS": {"values": [1], "default": 1}})"),
                         {}, {}, {}, stop),
              IsEmpty());
}

TEST(LintProblems, AreDiverseAndAtMostAsManyAsAskedFor) {
  const KernelSpec spec =
      spec_with("[]", R"({"VEC": {"values": [1], "default": 1}, "WARPS": {"values": [1], "default": 1}})");
  const auto few = lint_problems(spec, 8);
  EXPECT_EQ(few.size(), 8U);
  std::set<std::string> keys;
  std::set<std::vector<std::int64_t>> flags;
  std::set<DType> dtypes;
  for (const Problem& problem : few) {
    keys.insert(problem_key(spec, problem));
    flags.insert(problem.flags);
    dtypes.insert(problem.dtype);
  }
  EXPECT_EQ(keys.size(), 8U);
  EXPECT_GT(flags.size(), 2U);
  EXPECT_EQ(dtypes.size(), 2U);
  const auto all = lint_problems(spec, 100000);
  EXPECT_GT(all.size(), 300U);
  EXPECT_LT(all.size(), 2000U);
}

} // namespace
} // namespace warptune
