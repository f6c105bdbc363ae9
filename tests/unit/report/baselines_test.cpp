// Files of baselines: the accepted content, the places that errors name, and the views that get them.
#include "report/baselines.h"
#include "support/sample_view.h"

#include <gmock/gmock.h>

namespace warptune::report {
namespace {

using testing::HasSubstr;

std::string file_with(const std::string& entries) {
  return R"({"warptune_baselines": 1, "device": "NVIDIA H200", "source": "torch 2.11", "entries": [)" + entries + "]}";
}

constexpr const char* kSound = R"({"kernel": "softmax", "problem": "rows=8,cols=4;bf16", "name": "torch eager",
  "median_us": 130, "ci_low_us": 129, "ci_high_us": 131, "cold_l2": true})";

std::string error_of(const std::string& text) {
  const auto file = parse_baselines(text, "b.json");
  EXPECT_FALSE(file) << "accepted: " << text;
  return file ? std::string() : file.error().message;
}

TEST(Baselines, AreReadAndGivenToTheirView) {
  const auto file = parse_baselines(file_with(kSound), "b.json");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->entries.size(), 1U);
  std::vector<View> views = {test::sample_view(), test::sample_view(), test::sample_view()};
  views[1].problem = "rows=9,cols=4;bf16";
  views[2].device.name = "NVIDIA H100";
  EXPECT_EQ(add_baselines(views, *file), 1);
  ASSERT_EQ(views[0].baselines.size(), 1U);
  EXPECT_EQ(views[0].baselines[0].name, "torch eager");
  EXPECT_EQ(views[0].baselines[0].source, "torch 2.11");
  EXPECT_EQ(views[0].baselines[0].ci_high_us, 131);
  EXPECT_TRUE(views[1].baselines.empty());
  EXPECT_TRUE(views[2].baselines.empty());
}

TEST(Baselines, AnotherStateOfTheCacheIsNoted) {
  std::vector<View> views = {test::sample_view()};
  views[0].session.identity.cold_l2 = false;
  ASSERT_EQ(add_baselines(views, *parse_baselines(file_with(kSound), "b.json")), 1);
  ASSERT_FALSE(views[0].notes.empty());
  EXPECT_EQ(views[0].notes.back(),
            "torch eager was measured with a cold L2 cache, but this session with a warm L2 cache");
}

TEST(Baselines, ErrorsNameFilePlaceAndCure) {
  EXPECT_THAT(error_of("{"), HasSubstr("b.json: invalid JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("not a file of baselines"));
  EXPECT_THAT(error_of(R"({"warptune_baselines": 2, "device": "x", "entries": []})"),
              HasSubstr("b.json: at /warptune_baselines: this version of warptune reads version 1"));
  EXPECT_THAT(error_of(R"({"warptune_baselines": 1, "entries": []})"), HasSubstr("the key 'device' is missing"));
  EXPECT_THAT(error_of(file_with(R"({"kernel": "k", "problem": "p", "name": "n", "median_u": 1})")),
              HasSubstr("at /entries/0: unknown key 'median_u'; did you mean 'median_us'?"));
  EXPECT_THAT(error_of(file_with(R"({"kernel": "k", "problem": "p", "name": "n"})")),
              HasSubstr("at /entries/0: the key 'median_us' is missing"));
  EXPECT_THAT(error_of(file_with(R"({"kernel": "k", "problem": "p", "name": "n", "median_us": 0})")),
              HasSubstr("at /entries/0/median_us: expected a time in microseconds, above 0"));
  EXPECT_THAT(error_of(file_with(R"({"kernel": "", "problem": "p", "name": "n", "median_us": 1})")),
              HasSubstr("at /entries/0/kernel: expected a string that is not empty"));
  EXPECT_THAT(error_of(file_with(R"({"kernel": "k", "problem": "p", "name": "n", "median_us": 5, "ci_low_us": 4})")),
              HasSubstr("or neither"));
  EXPECT_THAT(error_of(file_with(R"({"kernel": "k", "problem": "p", "name": "n", "median_us": 5, "ci_low_us": 6,
                                     "ci_high_us": 7})")),
              HasSubstr("does not contain the median"));
  EXPECT_THAT(error_of(file_with(R"({"kernel": "k", "problem": "p", "name": "n", "median_us": 5, "ci_low_us": 3,
                                     "ci_high_us": 4})")),
              HasSubstr("does not contain the median"));
}

} // namespace
} // namespace warptune::report
