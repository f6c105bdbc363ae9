// Selection for problems with lists: only the four numbers matter, not how a list was written.
#include "predict/select.h"
#include "predict/timing_matrix.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

struct SelectLists : ::testing::Test {
  KernelSpec spec = [] {
    SpecText text;
    text.set("format", "2")
        .set("problem", R"({"dtypes": ["fp32"], "dims": {"rows": {"list": true, "min": 0}, "cols": {}}})");
    text.set("derived", R"({"threads": "WARPS * 32"})").set("suites", R"({"default": [{"rows": [1], "cols": 4}]})");
    text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows_sum", "role": "input"},
                              "y": {"buffer": "dtype", "count": "rows_sum", "role": "output"}})");
    text.set("launches", R"([{"kernel": "k", "grid": ["rows_count"], "block": ["threads"], "args": ["x", "y"]}])");
    text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [32], "args": ["x", "y"]}]})");
    text.set("cost", R"({"bytes_read": "rows_sum", "bytes_written": "rows_sum"})");
    return text.parse();
  }();

  TunedEntry entry(const std::string& shape, Config config) const {
    TunedEntry e;
    e.problem = problem_of(spec, shape);
    e.config = std::move(config);
    e.device_name = h200_device().name;
    e.arch = h200_device().arch;
    return e;
  }
  Selection chosen(const std::vector<TunedEntry>& entries, const Problem& problem) const {
    const auto selection = select(spec, entries, problem, h200_device());
    EXPECT_TRUE(selection) << selection.error().message;
    return selection.value_or(Selection());
  }
};

TEST_F(SelectLists, AListWithTheSameNumbersIsExact) {
  const auto entries = {entry("rows=equal(4,64),cols=8", {8, 1}), entry("rows=uniform(64,0,9,1),cols=8", {1, 1})};
  const auto by_numbers = make_problem(spec, Shape{4, 256, 64, 64, 8}, DType::fp32, {});
  ASSERT_TRUE(by_numbers);
  const Selection s = chosen(entries, *by_numbers);
  EXPECT_EQ(s.match, Match::exact);
  EXPECT_EQ(s.config, (Config{8, 1}));
  EXPECT_THAT(s.why, HasSubstr("rows=equal(4,64),cols=8;fp32, whose lists have the same count"));
  EXPECT_TRUE(select_exact(spec, entries, problem_of(spec, "rows=[64,64,64,64],cols=8"), h200_device(), {}));
}

TEST_F(SelectLists, TheVeryListGoesBeforeOthersWithItsNumbers) {
  auto other = entry("rows=[5,3,1,3],cols=8", {8, 1});
  other.certified = true;
  const auto own = entry("rows=[1,5,3,3],cols=8", {1, 1});
  EXPECT_EQ(chosen({other, own}, own.problem).config, own.config);
  EXPECT_EQ(chosen({own, other}, own.problem).config, own.config);
  EXPECT_EQ(chosen({own, other}, problem_of(spec, "rows=[3,3,5,1],cols=8")).config, other.config); // the certified one
}

TEST_F(SelectLists, TheNearestIsThatOfTheNearestNumbers) {
  const auto entries = {entry("rows=equal(4,64),cols=8", {8, 1}), entry("rows=equal(64,64),cols=8", {1, 1})};
  const Selection s = chosen(entries, problem_of(spec, "rows=[64,64,60,64,64],cols=8"));
  EXPECT_EQ(s.match, Match::nearest_shape);
  EXPECT_EQ(s.config, (Config{8, 1}));
}

TEST_F(SelectLists, AMatrixHasOneRowForAllListsWithTheSameNumbers) {
  TimingMatrix matrix;
  matrix.problems = {problem_of(spec, "rows=[1,5,3,3],cols=8"), problem_of(spec, "rows=[5,3,1,3],cols=8")};
  matrix.configs = {{1, 1}};
  matrix.us = {4, 3};
  const TimingMatrix merged = canonical(matrix);
  ASSERT_EQ(merged.problems.size(), 1U);
  EXPECT_EQ(merged.us, std::vector<double>{3});
}

} // namespace
} // namespace warptune
