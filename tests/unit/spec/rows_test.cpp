// `rows` of a buffer: how a spec declares gaps between rows, and the plans that follow from it.
#include "plan/plan.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

SpecText with_rows(const std::string& rows, const std::string& count = "rows * (cols + 3)") {
  return SpecText()
      .set("format", "2")
      .set("arguments", R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input"},
        "y": {"buffer": "dtype", "count": ")" +
                            count + R"(", "role": "output", "rows": )" + rows +
                            R"(}, "tmp": {"buffer": "acc", "count": "WARPS * rows", "role": "workspace"},
        "cols": {"scalar": "int32", "value": "cols"},
        "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})");
}

BufferPlan output(const Result<LaunchPlan>& plan) {
  EXPECT_TRUE(plan) << plan.error().message;
  if (plan)
    for (const BufferPlan& buffer : plan->buffers)
      if (buffer.name == "y") return buffer;
  return {};
}

std::string refusal(const SpecText& text, const std::string& shape = "rows=4,cols=8") {
  const KernelSpec spec = text.parse();
  const auto plan = make_plan(spec, problem_of(spec, shape), {4, 2}, h200_device());
  EXPECT_FALSE(plan);
  return plan ? "" : plan.error().message;
}

TEST(Rows, ArePlannedForTheKernelAndItsReference) {
  const KernelSpec spec = with_rows(R"({"length": "cols", "stride": "cols + 3"})").parse();
  const Problem problem = problem_of(spec, "rows=4,cols=8");
  for (const auto& plan :
       {make_plan(spec, problem, {4, 2}, h200_device()), make_reference_plan(spec, problem, h200_device())}) {
    const BufferPlan y = output(plan);
    EXPECT_EQ(y.rows.length, 8);
    EXPECT_EQ(y.rows.stride, 11);
    EXPECT_EQ(y.rows.gaps(y.count), 4);
    EXPECT_EQ(y.rows.elements(y.count), 32);
  }
}

TEST(Rows, TheLastGapMayBeMissing) {
  const KernelSpec spec = with_rows(R"({"length": "cols", "stride": "cols + 3"})", "rows * (cols + 3) - 3").parse();
  const BufferPlan y = output(make_plan(spec, problem_of(spec, "rows=4,cols=8"), {4, 2}, h200_device()));
  EXPECT_EQ(y.count, 41);
  EXPECT_EQ(y.rows.gaps(y.count), 3);
  EXPECT_EQ(y.rows.elements(y.count), 32);
}

TEST(Rows, WithoutGapsAreNoRows) {
  const KernelSpec spec = with_rows(R"({"length": "cols", "stride": "cols"})", "rows * cols").parse();
  const BufferPlan y = output(make_plan(spec, problem_of(spec, "rows=4,cols=8"), {4, 2}, h200_device()));
  EXPECT_FALSE(y.rows.have_gaps());
  EXPECT_EQ(y.rows.elements(y.count), 32);
  EXPECT_FALSE(BufferRows{}.have_gaps());
  EXPECT_EQ(BufferRows{}.elements(17), 17);
}

TEST(Rows, ThatCannotBeAreRefused) {
  EXPECT_THAT(
      refusal(with_rows(R"({"length": "cols + 4", "stride": "cols + 3"})")),
      HasSubstr("the rows of 'y' are 12 ('cols + 4') elements long and 11 ('cols + 3') apart; the stride must be at "
                "least the length"));
  EXPECT_THAT(refusal(with_rows(R"({"length": "cols", "stride": "cols + 3"})", "rows * (cols + 3) - 1")),
              HasSubstr("'y' has 43 elements, which is not a whole number of rows (length 8, stride 11); set count to "
                        "rows * stride, or to rows * stride minus the last gap"));
  EXPECT_THAT(refusal(with_rows(R"({"length": "cols - 8", "stride": "cols"})", "rows * cols")),
              HasSubstr("'y' has 32 elements, which is not a whole number of rows (length 0, stride 8)"));
}

TEST(Rows, AreCheckedWhenTheSpecIsRead) {
  const auto error = [](const SpecText& text) { return text.error(); };
  EXPECT_THAT(error(with_rows(R"({"length": 8, "stride": 7})")), HasSubstr("the stride must be at least the length"));
  EXPECT_THAT(error(with_rows(R"({"length": 0, "stride": 7})")), HasSubstr("a row has at least one element"));
  EXPECT_THAT(error(with_rows(R"({"length": "cols"})")), HasSubstr("stride"));
  EXPECT_THAT(error(with_rows(R"({"length": "cols", "stride": "cols * VEC"})")),
              HasSubstr("a buffer that is not a workspace"));
  EXPECT_THAT(error(with_rows(R"({"length": "cols", "pitch": "cols"})")), HasSubstr("pitch"));
  EXPECT_THAT(error(with_rows(R"({"length": "cols", "stride": "cols"})").set("format", "1")),
              HasSubstr("needs \"format\": 2"));
  EXPECT_THAT(error(SpecText()
                        .set("format", "2")
                        .set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output"},
                                   "tmp": {"buffer": "acc", "count": 8, "role": "workspace",
                                           "rows": {"length": 2, "stride": 4}}})")),
              HasSubstr("only buffers that a caller gives have rows with gaps"));
  EXPECT_THAT(error(SpecText()
                        .set("format", "2")
                        .set("reference", R"({"arguments": {"table": {"buffer": "fp32", "count": 8, "role": "input",
                                                                      "rows": {"length": 2, "stride": 4}}},
                          "launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["table"]}]})")),
              HasSubstr("only buffers that a caller gives have rows with gaps"));
}

} // namespace
} // namespace warptune
