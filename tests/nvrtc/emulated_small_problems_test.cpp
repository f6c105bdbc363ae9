// The implementations of normalisation for small problems give the results of their references on an emulated device,
// also with NaN and infinities.
#include "support/emulated_images.h"
#include "support/emulated_operator.h"

#include <gtest/gtest.h>

namespace warptune::test {
namespace {

class SmallProblems {
 public:
  SmallProblems(const std::string& kernel, const std::string& implementation)
      : tested_(kernel, {implementation}), prefix_("implementation=" + implementation + ",") {}
  void add(const std::string& shape, const char* dtype, const std::vector<std::string>& flags,
           const std::vector<std::string>& configs) {
    std::vector<std::string> texts;
    for (const std::string& config : configs) texts.push_back(prefix_ + config);
    tested_.add(make_problem(tested_.spec(), shape, dtype, flags).value(), texts);
  }
  void expect_results(int results) {
    expect_right_on_images(tested_);
    EXPECT_EQ(tested_.check(put_far_from_zero), "") << "with a large mean";
    EXPECT_EQ(tested_.checked, results);
  }

 private:
  EmulatedOperator tested_;
  std::string prefix_;
};

class HeldChannels : public testing::TestWithParam<const char*> {};

// Threads with one vector less than others, or none; blocks of a cluster that cannot divide the rows evenly; lanes that
// merge the parts of several warps.
TEST_P(HeldChannels, giveTheResultsOfTheReference) {
  const bool is_gradient = GetParam() == std::string("batch_norm_backward");
  const auto flags = [&](bool adds, bool cuts) {
    if (is_gradient) return std::vector{std::string("after=") + (adds ? "add_relu" : cuts ? "relu" : "nothing")};
    return std::vector{std::string("residual=") + (adds ? "1" : "0"), std::string("relu=") + (cuts ? "1" : "0")};
  };
  SmallProblems images(GetParam(), "held");
  images.add("batch=3,channels=24,pixels=49", "bf16", flags(false, true),
             {"PIXEL_BYTES=8,VECTOR_BYTES=8,THREADS=128,CLUSTER=1",
              "PIXEL_BYTES=16,VECTOR_BYTES=4,THREADS=128,CLUSTER=2",
              "PIXEL_BYTES=16,VECTOR_BYTES=8,THREADS=256,CLUSTER=1"});
  images.add(
      "batch=5,channels=16,pixels=203", "fp32", flags(true, true),
      {"PIXEL_BYTES=32,VECTOR_BYTES=8,THREADS=256,CLUSTER=8", "PIXEL_BYTES=16,VECTOR_BYTES=4,THREADS=512,CLUSTER=2"});
  images.add("batch=5,channels=16,pixels=67", "fp32", flags(false, false),
             {"PIXEL_BYTES=64,VECTOR_BYTES=4,THREADS=128,CLUSTER=4"});
  images.add("batch=2,channels=16,pixels=1", "fp16", flags(true, false),
             {"PIXEL_BYTES=32,VECTOR_BYTES=4,THREADS=128,CLUSTER=1"});
  images.expect_results(35);
}

INSTANTIATE_TEST_SUITE_P(All, HeldChannels, testing::Values("batch_norm", "batch_norm_backward"),
                         [](const auto& tested) { return tested.param; });

TEST(HeldGroups, giveTheResultsOfTheReference) {
  SmallProblems images("group_norm", "held");
  images.add("batch=2,channels=40,pixels=67,groups=4", "bf16", {},
             {"THREADS=64,VECTOR_BYTES=4,CLUSTER=1", "THREADS=128,VECTOR_BYTES=4,CLUSTER=2"});
  images.add("batch=3,channels=64,pixels=401,groups=4", "fp16", {},
             {"THREADS=128,VECTOR_BYTES=16,CLUSTER=4", "THREADS=128,VECTOR_BYTES=8,CLUSTER=8",
              "THREADS=512,VECTOR_BYTES=4,CLUSTER=1"});
  images.add("batch=1,channels=21,pixels=131,groups=7", "fp32", {}, {"THREADS=64,VECTOR_BYTES=4,CLUSTER=2"});
  images.add("batch=2,channels=48,pixels=1,groups=2", "fp32", {}, {"THREADS=64,VECTOR_BYTES=16,CLUSTER=1"});
  images.expect_results(35);
}

// Threads beyond the last channel, several tiles of channels, rows and vectors that a block or a thread has not.
TEST(DirectInference, givesTheResultsOfTheReference) {
  SmallProblems images("batch_norm", "direct");
  const auto flags = [](const char* layout, const char* residual) {
    return std::vector<std::string>{"mode=inference", std::string("layout=") + layout, "relu=1",
                                    std::string("residual=") + residual};
  };
  images.add("batch=3,channels=24,pixels=49", "bf16", flags("nhwc", "1"),
             {"THREADS=128,VECTOR_BYTES=16,COUNT=4", "THREADS=128,VECTOR_BYTES=4,COUNT=1"});
  images.add("batch=2,channels=530,pixels=5", "fp16", flags("nhwc", "0"), {"THREADS=256,VECTOR_BYTES=4,COUNT=1"});
  images.add("batch=3,channels=264,pixels=11", "fp32", flags("nhwc", "0"), {"THREADS=128,VECTOR_BYTES=16,COUNT=4"});
  images.add("batch=3,channels=7,pixels=1416", "bf16", flags("nchw", "1"),
             {"THREADS=128,VECTOR_BYTES=16,COUNT=2", "THREADS=128,VECTOR_BYTES=8,COUNT=1"});
  images.add("batch=2,channels=5,pixels=301", "fp32", flags("nchw", "0"), {"THREADS=128,VECTOR_BYTES=4,COUNT=4"});
  images.expect_results(35);
}

// Rows of fewer vectors than threads, and of several vectors a thread; columns that do not fill a block; warps without
// a row.
TEST(RowsAndColumnsTogether, giveTheResultsOfTheReference) {
  SmallProblems matrices("row_norm_backward", "together");
  matrices.add("rows=37,cols=200", "bf16", {"norm=layer", "weight=1", "bias=1", "residual=1"},
               {"THREADS=64,COLUMN_BYTES=4", "THREADS=64,COLUMN_BYTES=16"});
  matrices.add("rows=9,cols=1544", "fp16", {"norm=rms", "weight=1"},
               {"THREADS=64,COLUMN_BYTES=8", "THREADS=256,COLUMN_BYTES=4"});
  matrices.add("rows=67,cols=132", "fp32", {"norm=layer", "bias=1"}, {"THREADS=64,COLUMN_BYTES=4"});
  matrices.add("rows=3,cols=2052", "fp32", {"norm=rms", "residual=1"}, {"THREADS=512,COLUMN_BYTES=4"});
  matrices.expect_results(30);
}

// Threads with one vector of the row less than others, or none; a block without a row in its last place.
TEST(WeightsBeforeSums, giveTheResultsOfTheReference) {
  SmallProblems rows("row_norm", "registers");
  rows.add("rows=5,cols=56", "bf16", {"norm=layer", "weight=1", "bias=1"},
           {"THREADS_PER_ROW=8,ROWS_PER_BLOCK=4,CLUSTER=1,LOAD_BYTES=8,WEIGHTS=before"});
  rows.add("rows=3,cols=168", "fp16", {"norm=rms", "weight=1", "residual=1"},
           {"THREADS_PER_ROW=16,ROWS_PER_BLOCK=2,CLUSTER=1,LOAD_BYTES=16,WEIGHTS=before"});
  rows.add("rows=2,cols=332", "fp32", {"norm=layer", "bias=1"},
           {"THREADS_PER_ROW=64,ROWS_PER_BLOCK=1,CLUSTER=1,LOAD_BYTES=16,WEIGHTS=before"});
  rows.expect_results(15);
}

} // namespace
} // namespace warptune::test
