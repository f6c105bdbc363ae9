#include "predict/select.h"
#include "predict/transfer_model.h"
#include "space/space.h"
#include "support/comma_locale.h"
#include "support/spec_text.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool any(const Config&) { return true; }

class TransferRuleTest : public ::testing::Test {
 protected:
  // The configurations {WARPS, VEC} on the given shapes; `us` gives the time of each.
  template <class Us> TimingMatrix matrix(const std::vector<std::string>& shapes, Us&& us) const {
    TimingMatrix out{device.name, device.arch, {}, {}, {}};
    for (const std::int64_t warps : {1, 2, 4, 8})
      for (const std::int64_t vec : {1, 2, 4}) out.configs.push_back({warps, vec});
    for (const std::string& shape : shapes) {
      out.problems.push_back(problem_of(spec, shape));
      for (const Config& config : out.configs) out.us.push_back(us(out.problems.back(), config));
    }
    return out;
  }
  std::optional<Transfer> chosen(const TimingMatrix& m, const std::string& shape) const {
    return transfer(spec, m, learn_transfer(spec, m, device), problem_of(spec, shape), device, any);
  }

  KernelSpec spec = SpecText().parse();
  DeviceInfo device = h200_device();
};

// A configuration that is the best everywhere is the best on a shape between.
TEST_F(TransferRuleTest, KeepsAWinnerOfAllShapes) {
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=16384"}, [](const Problem& p, const Config& c) {
        return static_cast<double>(p.dims[1]) * (c == Config{2, 4} ? 1.0 : 1.3);
      });
  const auto t = chosen(m, "rows=64,cols=2048");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->config, (Config{2, 4}));
  ASSERT_TRUE(t->predicted_loss);
  EXPECT_NEAR(*t->predicted_loss, 0, 1e-9);
  EXPECT_THAT(t->why,
              testing::AllOf(HasSubstr("expected 0.0 % slower than a configuration tuned for this shape; at worst "),
                             HasSubstr(" % slower in a cross-validation over 3 shapes")));
  EXPECT_FALSE(t->runner_up.empty());
}

// Few warps are the best for few rows, many for many: the nearer shapes decide.
TEST_F(TransferRuleTest, FollowsTheNearerShapes) {
  const auto m = matrix({"rows=16,cols=1024", "rows=32,cols=1024", "rows=4096,cols=1024", "rows=8192,cols=1024"},
                        [](const Problem& p, const Config& c) {
                          const std::int64_t best = p.dims[0] < 256 ? 1 : 8;
                          return 10 + 2 * std::abs(std::log2(static_cast<double>(c[0]) / static_cast<double>(best)));
                        });
  EXPECT_EQ(chosen(m, "rows=24,cols=1024")->config[0], 1);
  EXPECT_EQ(chosen(m, "rows=6000,cols=1024")->config[0], 8);
}

TEST_F(TransferRuleTest, IsValidForTheShapeWhateverWasBestElsewhere) {
  const auto m = matrix({"rows=64,cols=1024", "rows=64,cols=4096"},
                        [](const Problem&, const Config& c) { return c[1] == 4 ? 10.0 : 20.0; });
  for (const char* shape : {"rows=64,cols=1023", "rows=64,cols=1026", "rows=1,cols=1", "rows=1099511627776,cols=6"}) {
    const auto t = chosen(m, shape);
    ASSERT_TRUE(t) << shape;
    EXPECT_FALSE(check_config(spec, problem_of(spec, shape), device, t->config)) << shape;
  }
  EXPECT_EQ(chosen(m, "rows=64,cols=2048")->config[1], 4);
}

// The measured losses decide how far the expected slowdowns count.
TEST_F(TransferRuleTest, TrustsExpectedTimesAsFarAsTheyWereConfirmed) {
  const auto trust_if = [&](double share) { // losses are this share of the expected ones
    const auto m = matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=1024,cols=8192"},
                          [&](const Problem& p, const Config& c) {
                            return std::exp(share * TransferFeatures(spec, p, device).expected_log_time(c));
                          });
    const TransferModel model(spec, canonical(m), device);
    return model.fit(model.near_problems(problem_of(spec, "rows=64,cols=2048"))).trust;
  };
  EXPECT_NEAR(trust_if(1), 1, 0.02);
  EXPECT_NEAR(trust_if(0.5), 0.55, 0.1) << "compressed losses differ from a half";
  EXPECT_EQ(trust_if(0), 0);
  EXPECT_EQ(trust_if(-1), 0) << "never against them";
  EXPECT_EQ(trust_if(3), 1) << "never more than they say";
}

// On shapes far from all tuned ones, nothing else says how much slower a configuration is.
TEST_F(TransferRuleTest, PredictsWhatConfirmedExpectedTimesSay) {
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=1024,cols=8192"}, [&](const Problem& p, const Config& c) {
        return std::exp(TransferFeatures(spec, p, device).expected_log_time(c));
      });
  const TransferModel model(spec, canonical(m), device);
  const Problem far = problem_of(spec, "rows=65536,cols=65536");
  const auto ranked = model.rank(model.fit(model.near_problems(far)), far);
  ASSERT_FALSE(ranked.empty());
  const TransferFeatures there(spec, far, device);
  const auto expected = [&](const TransferModel::Scored& s) {
    return there.expected_log_time(model.matrix().configs[s.config]);
  };
  const double slowdown = expected(ranked.back()) - expected(ranked.front());
  ASSERT_GT(slowdown, 0.1);
  EXPECT_NEAR(ranked.back().log_loss - ranked.front().log_loss, slowdown, 0.25 * slowdown);
}

TEST_F(TransferRuleTest, TimesThatAreNoneNeverWin) {
  for (const double lie : {kNone, std::numeric_limits<double>::infinity(), 0.0, -5.0}) {
    const auto m =
        matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=8192"}, [&](const Problem&, const Config& c) {
          return c == Config{8, 1} ? lie : 10.0 + static_cast<double>(c[0]);
        });
    const auto t = chosen(m, "rows=64,cols=2048");
    ASSERT_TRUE(t);
    EXPECT_NE(t->config, (Config{8, 1}));
    EXPECT_NE(t->runner_up, (Config{8, 1}));
  }
  const auto nothing =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096"}, [](const Problem&, const Config&) { return kNone; });
  EXPECT_FALSE(chosen(nothing, "rows=64,cols=2048"));
  EXPECT_FALSE(chosen(TimingMatrix{device.name, device.arch, {}, {}, {}}, "rows=64,cols=2048"));
}

TEST_F(TransferRuleTest, TheOrderOfRowsAndColumnsChangesNothing) {
  const auto us = [](const Problem& p, const Config& c) {
    return 10 + static_cast<double>((p.dims[1] / 7 + c[0] * 5 + c[1] * 3) % 11);
  };
  const auto m = matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=128,cols=512"}, us);
  TimingMatrix turned = matrix({"rows=128,cols=512", "rows=64,cols=1024", "rows=64,cols=4096"}, us);
  std::vector<std::size_t> backwards;
  for (std::size_t c = turned.configs.size(); c-- > 0;) backwards.push_back(c);
  turned = with_configs(turned, backwards);
  EXPECT_EQ(learn_transfer(spec, m, device), learn_transfer(spec, turned, device));
  for (const char* shape : {"rows=64,cols=2048", "rows=1,cols=4", "rows=100,cols=600"}) {
    EXPECT_EQ(chosen(m, shape)->config, chosen(turned, shape)->config);
    EXPECT_EQ(chosen(m, shape)->predicted_loss, chosen(turned, shape)->predicted_loss);
  }
}

TEST_F(TransferRuleTest, AsksForTheBestFirstUntilOneIsAllowed) {
  const auto m = matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=8192"},
                        [](const Problem&, const Config& c) { return 10.0 + static_cast<double>(c[0]); });
  const auto t =
      transfer(spec, m, {}, problem_of(spec, "rows=64,cols=2048"), device, [](const Config& c) { return c[0] >= 4; });
  ASSERT_TRUE(t);
  EXPECT_EQ(t->config[0], 4);
  EXPECT_FALSE(t->predicted_loss);
  EXPECT_FALSE(
      transfer(spec, m, {}, problem_of(spec, "rows=64,cols=2048"), device, [](const Config&) { return false; }));
}

TEST_F(TransferRuleTest, TheLossOfTheNearestShapeCountsMost) {
  const auto m = matrix({"rows=64,cols=1024", "rows=64,cols=4096"},
                        [](const Problem&, const Config& c) { return 10.0 + static_cast<double>(c[0]); });
  const TransferRule rule = *parse_transfer("3;64x1024:0,64x65536:0.4");
  const auto predicted = [&](const char* shape) {
    return *transfer(spec, m, rule, problem_of(spec, shape), device, any)->predicted_loss;
  };
  EXPECT_NEAR(rule.leave_one_out.mean, 0.2, 1e-12);
  EXPECT_LT(predicted("rows=64,cols=1024"), 0.1);
  EXPECT_GT(predicted("rows=64,cols=65536"), 0.3);
  EXPECT_NEAR(predicted("rows=64,cols=8192"), 0.2, 1e-9) << "in the middle";
}

TEST_F(TransferRuleTest, NothingIsPredictedFurtherOutThanTheCrossValidationReached) {
  // Leaving out the largest cols is a step of two doublings. All shapes have the same rows.
  const auto m = matrix({"rows=64,cols=1024", "rows=64,cols=2048", "rows=64,cols=8192"},
                        [](const Problem&, const Config& c) { return 10.0 + static_cast<double>(c[0]); });
  for (const char* shape : {"rows=64,cols=256", "rows=64,cols=4096", "rows=64,cols=32768", "rows=80,cols=8192"}) {
    EXPECT_TRUE(chosen(m, shape)->predicted_loss) << shape;
    EXPECT_THAT(chosen(m, shape)->why, HasSubstr("at worst")) << shape;
  }
  const auto why = [&](const char* shape) {
    EXPECT_FALSE(chosen(m, shape)->predicted_loss) << shape;
    EXPECT_FALSE(chosen(m, shape)->config.empty()) << "it is chosen all the same";
    return chosen(m, shape)->why;
  };
  EXPECT_EQ(why("rows=64,cols=65536"),
            "the slowdown cannot be predicted, because cols=65536 is too far from the tuned shapes (1024 to 8192)");
  EXPECT_THAT(why("rows=64,cols=128"), HasSubstr("cols=128 is too far"));
  EXPECT_THAT(why("rows=128,cols=2048"), HasSubstr("rows=128 is too far from the tuned shapes (all have 64)"));
  EXPECT_THAT(why("rows=32,cols=2048"), HasSubstr("rows=32 is too far"));
}

// A replacement of the best is slower by the loss that the model predicts, which may exceed any loss so far.
TEST_F(TransferRuleTest, TheSecondBestLosesMore) {
  const auto m = matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=8192"},
                        [](const Problem&, const Config& c) { return 10.0 * static_cast<double>(c[0]); });
  const TransferRule rule = learn_transfer(spec, m, device);
  ASSERT_NEAR(rule.leave_one_out.worst, 0, 1e-9);
  const auto t =
      transfer(spec, m, rule, problem_of(spec, "rows=64,cols=2048"), device, [](const Config& c) { return c[0] == 4; });
  ASSERT_TRUE(t);
  ASSERT_TRUE(t->predicted_loss);
  EXPECT_GT(*t->predicted_loss, 1) << "four times as long as the best";
  const std::string percent = std::to_string(std::lround(100 * *t->predicted_loss)) + " %";
  EXPECT_THAT(t->why, HasSubstr("expected " + percent + " slower than a configuration tuned for this shape"));
  EXPECT_THAT(t->why, HasSubstr("at worst 0.0 % slower in a cross-validation"))
      << "no prediction stands for a measured loss";
}

TEST_F(TransferRuleTest, LossesAreThoseAgainstTheBestOfAllWhereFewConfigurationsShip) {
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=8192"}, [](const Problem&, const Config& c) {
        return c == Config{2, 2} ? 10.0 : 12.0;
      });
  EXPECT_NEAR(learn_transfer(spec, m, device).leave_one_out.worst, 0, 1e-9);
  const auto shipped = learn_transfer(spec, m, device, {{1, 1}, {4, 2}});
  EXPECT_EQ(shipped.leave_one_out.shapes, 3);
  EXPECT_NEAR(shipped.leave_one_out.mean, 0.2, 1e-9);
  EXPECT_NEAR(shipped.leave_one_out.worst, 0.2, 1e-9);
}

// The shipped configurations were chosen with the times of the left-out shape, so a choice among them looks better than
// it is: a pack must not promise more than its database.
TEST_F(TransferRuleTest, FewConfigurationsPromiseNoSmallerLossThanAll) {
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=8192"}, [](const Problem& p, const Config& c) {
        const std::int64_t own = p.dims[1] == 1024 ? 1 : p.dims[1] == 4096 ? 8 : 2;
        return c[0] == own ? 10.0 : c == Config{4, 2} ? 10.1 : 20.0;
      });
  const LossEstimate all = learn_transfer(spec, m, device).leave_one_out;
  const LossEstimate shipped = learn_transfer(spec, m, device, {{4, 2}}).leave_one_out;
  ASSERT_EQ(shipped.shapes, all.shapes);
  for (int i = 0; i < all.shapes; ++i)
    EXPECT_GE(shipped.left_out[static_cast<std::size_t>(i)].loss, all.left_out[static_cast<std::size_t>(i)].loss);
  EXPECT_GE(shipped.mean, all.mean);
  EXPECT_GE(shipped.worst, all.worst);
}

// The rule does not learn from a left-out shape: information that only its times have is lost.
TEST_F(TransferRuleTest, WhatIsLeftOutIsNotLearnedFrom) {
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=8192"}, [](const Problem& p, const Config& c) {
        const std::int64_t own = p.dims[1] == 1024 ? 1 : p.dims[1] == 4096 ? 8 : 2;
        return c[0] == own ? 10.0 : 20.0;
      });
  EXPECT_NEAR(learn_transfer(spec, m, device).leave_one_out.mean, 1, 1e-9);
}

TEST_F(TransferRuleTest, TheWorstLossIsTheLargestWhereverItStands) {
  const auto rule = parse_transfer("3;64x64:0.5,64x128:0.1");
  ASSERT_TRUE(rule) << rule.error().message;
  EXPECT_EQ(rule->leave_one_out.shapes, 2);
  EXPECT_DOUBLE_EQ(rule->leave_one_out.mean, 0.3);
  EXPECT_EQ(rule->leave_one_out.worst, 0.5);
}

TEST_F(TransferRuleTest, TextBringsTheRuleBack) {
  TransferRule rule;
  EXPECT_EQ(parse_transfer(transfer_text(rule)), rule);
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=8192"},
             [](const Problem& p, const Config& c) { return 10.0 + static_cast<double>(p.dims[1] % (c[0] + 6)); });
  rule = learn_transfer(spec, m, device);
  EXPECT_EQ(rule.leave_one_out.shapes, 3);
  EXPECT_EQ(parse_transfer(transfer_text(rule)), rule);
  const auto without_gaps = parse_transfer("3;64x0:0.1"); // a dim such as the gap between rows may be 0
  ASSERT_TRUE(without_gaps);
  EXPECT_EQ(transfer_text(*without_gaps).substr(0, 7), "3;64x0:");
  for (const char* text : {"", "3", "1;", "2;64x64:0.1", "1;0.5;", "3;64x64", "3;64x-1:0.1", "3;64:nan", "3;a:0.1",
                           "3;64:-1", "3;64:0.1,", "3;;"})
    EXPECT_FALSE(parse_transfer(text)) << text;
}

// Applications set locales, and setlocale applies to the libraries of the process too.
TEST_F(TransferRuleTest, TextIgnoresTheDecimalPointOfTheLocale) {
  const std::string text = "3;64x64:0.5,64x128:0.125";
  const test::CommaLocale comma;
  if (!comma.is_active()) {
    GTEST_SKIP() << "needs a locale with a decimal comma, or localedef and glibc's locales";
  }
  const auto rule = parse_transfer(text);
  ASSERT_TRUE(rule) << rule.error().message;
  EXPECT_EQ(rule->leave_one_out.worst, 0.5);
  EXPECT_EQ(transfer_text(*rule), text);
  EXPECT_FALSE(parse_transfer("3;64x64:0,5"));
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=16384"}, [](const Problem& p, const Config& c) {
        return static_cast<double>(p.dims[1]) * (c == Config{2, 4} ? 1.0 : 1.3);
      });
  const auto t = chosen(m, "rows=64,cols=2048");
  ASSERT_TRUE(t);
  EXPECT_THAT(t->why, HasSubstr("expected 0.0 % slower"));
}

TEST_F(TransferRuleTest, SelectTakesTheRuleBeforeTheNearestShapeAndAfterTheExactOne) {
  const auto m =
      matrix({"rows=64,cols=1024", "rows=64,cols=4096", "rows=64,cols=16384"}, [](const Problem&, const Config& c) {
        return c == Config{2, 4} ? 10.0 : 13.0;
      });
  const LearnedTransfers learned(spec, {m});
  SelectOptions options;
  options.learned = &learned;
  TunedEntry entry;
  entry.problem = problem_of(spec, "rows=64,cols=1024");
  entry.config = {8, 1};
  entry.device_name = device.name;
  entry.arch = device.arch;
  const auto exact = select(spec, {entry}, entry.problem, device, options);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->match, Match::exact);
  EXPECT_EQ(exact->config, (Config{8, 1}));
  const Problem other = problem_of(spec, "rows=64,cols=2048");
  const auto ruled = select(spec, {entry}, other, device, options);
  ASSERT_TRUE(ruled);
  EXPECT_EQ(ruled->match, Match::learned_rule);
  EXPECT_EQ(ruled->config, (Config{2, 4}));
  EXPECT_EQ(ruled->entry, -1);
  EXPECT_TRUE(ruled->predicted_loss);
  EXPECT_THAT(ruled->why, HasSubstr("learned from the times of all configurations for other shapes on this device"));
  const Problem other_flags = problem_of(spec, "rows=64,cols=2048", "", {"log=1"});
  EXPECT_EQ(select(spec, {entry}, other_flags, device, options)->match, Match::fallback_default);
  DeviceInfo elsewhere = device;
  elsewhere.name = "another";
  EXPECT_EQ(select(spec, {entry}, other, elsewhere, options)->match, Match::other_device);
  options.refuse = [](const Config& c) {
    return c == Config{2, 4} ? std::optional<std::string>("its program is missing") : std::nullopt;
  };
  const auto passed_over = select(spec, {entry}, other, device, options);
  EXPECT_NE(passed_over->config, (Config{2, 4}));
  EXPECT_THAT(passed_over->why, HasSubstr("; passed over 1 configuration that should be faster but cannot be launched "
                                          "here (its program is missing)"));
  EXPECT_EQ(ruled->why.find("passed over"), std::string::npos);
}

// One tuned shape: its result where it is valid, otherwise the fastest of its valid configurations; for a distant
// shape, the default.
TEST_F(TransferRuleTest, OneShapeServesItsNeighbours) {
  const auto m = matrix({"rows=64,cols=1024"}, [](const Problem&, const Config& c) {
    return c == Config{2, 4} ? 10.0 : c == Config{8, 2} ? 11.0 : 20.0;
  });
  const LearnedTransfers learned(spec, {m});
  SelectOptions options;
  options.learned = &learned;
  TunedEntry entry;
  entry.problem = m.problems.front();
  entry.config = {2, 4};
  entry.device_name = device.name;
  entry.arch = device.arch;
  const auto selected = [&](const char* shape) {
    return select(spec, {entry}, problem_of(spec, shape), device, options);
  };
  EXPECT_EQ(selected("rows=64,cols=2048")->match, Match::nearest_shape);
  const auto near = selected("rows=64,cols=1026"); // no vectors of 4
  EXPECT_EQ(near->match, Match::learned_rule);
  EXPECT_EQ(near->config, (Config{8, 2}));
  EXPECT_FALSE(near->predicted_loss);
  EXPECT_THAT(near->why, HasSubstr("learned from too few shapes to predict the slowdown"));
  EXPECT_EQ(selected("rows=65536,cols=1026")->match, Match::fallback_default);
}

TEST(TimingMatrixTest, CanonicalMergesAndLeavesOut) {
  const KernelSpec spec = SpecText().parse();
  const Problem a = problem_of(spec, "rows=1,cols=8"), b = problem_of(spec, "rows=1,cols=4"),
                c = problem_of(spec, "rows=2,cols=4");
  const TimingMatrix m{"d",
                       "sm_90a",
                       {a, b, c, a},
                       {{2, 1}, {1, 1}, {4, 1}},
                       {5, 6, kNone, 7, kNone, kNone, kNone, kNone, kNone, 4, 9, kNone}};
  const TimingMatrix out = canonical(m);
  EXPECT_EQ(out.problems, (std::vector<Problem>{b, a}));
  EXPECT_EQ(out.configs, (std::vector<Config>{{1, 1}, {2, 1}}));
  EXPECT_TRUE(std::isnan(out.at(0, 0)));
  EXPECT_EQ(out.at(0, 1), 7);
  EXPECT_EQ(out.at(1, 0), 6);
  EXPECT_EQ(out.at(1, 1), 4);
  EXPECT_EQ(best_us(out, 1), 4);
  EXPECT_EQ(without_problem(out, 0).problems, std::vector<Problem>{a});
}

} // namespace
} // namespace warptune
