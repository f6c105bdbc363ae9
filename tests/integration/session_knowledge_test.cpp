// Early ends of searches, and the knowledge that a session takes from earlier ones, on the toy device.
#include "db/reader.h"
#include "search/strategy.h"
#include "support/temp_dir.h"
#include "support/toy.h"
#include "support/toy_session.h"
#include "tuner/gather_knowledge.h"
#include "tuner/ledger.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <atomic>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class Knowing : public ::testing::Test {
 protected:
  SessionResult tuned(const std::string& shape = "n=1048576") {
    auto result = run_session(
        kernel_, test::toy_problem(kernel_, shape), options_,
        [this](const Progress& p) {
          if (stop_at_ > 0 && p.done >= stop_at_) stop_ = true;
        },
        stop_);
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SessionResult{});
  }
  // The knowledge for a session of this shape.
  GatheredKnowledge gathered(const std::string& shape, const KnowledgeParts& parts = {}, RowId session = 0) {
    problem_ = test::toy_problem(kernel_, shape);
    space_ = SearchSpace::build(kernel_.spec, problem_, device_).value();
    return gather_knowledge({kernel_, problem_, device_, space_, parts,
                             make_identity(kernel_, problem_, device_, options_), session, options_.database});
  }
  std::string first_hint(const GatheredKnowledge& known) {
    const auto& hints = known.knowledge.hints;
    return hints.empty() ? "none" : config_text(kernel_.spec, space_.config(hints.front().index));
  }
  std::vector<std::string> measured(RowId session) {
    std::vector<std::string> configs;
    const auto rows = Reader::open(options_.database)->trials(session);
    for (const TrialRow& row : *rows) configs.push_back(row.config);
    std::sort(configs.begin(), configs.end());
    return configs;
  }

  Kernel kernel_ = test::toy_kernel();
  DeviceInfo device_ = test::toy_device();
  Problem problem_;
  SearchSpace space_;
  test::TempDir dir_;
  SessionOptions options_ = test::toy_session_options(dir_);
  std::int64_t stop_at_ = 0;
  std::atomic<bool> stop_{false};
};

TEST_F(Knowing, ATargetEndsTheSearch) {
  options_.strategy = "random";
  options_.compile_workers = 1; // several end in any order, so the one that reaches the target may be the last
  ASSERT_TRUE(parse_target("45us", options_.stop_rules));
  const SessionResult r = tuned();
  EXPECT_EQ(r.ending, Ending::target);
  EXPECT_FALSE(r.interrupted);
  EXPECT_LT(r.measured, 42);
  EXPECT_LE(r.best.median_us, 45.1);
  EXPECT_EQ(Reader::open(options_.database)->sessions()->front().identity.budget, "target 45us");
  options_.resume = true;
  const SessionResult again = tuned();
  EXPECT_TRUE(again.known) << "a session that reached its target is finished";
  EXPECT_FALSE(again.ending);
}

TEST_F(Knowing, ATargetMayBeAShareOfTheRoofline) {
  ASSERT_TRUE(parse_target("5%", options_.stop_rules)); // 2.1 us of 42
  const SessionResult r = tuned();
  EXPECT_EQ(r.ending, Ending::target);
  EXPECT_GE(r.roofline.share, 0.049);
  options_.stop_rules = {};
  ASSERT_TRUE(parse_target("100%", options_.stop_rules));
  EXPECT_EQ(tuned().ending, Ending::all_tried) << "out of reach";
}

TEST_F(Knowing, WhicheverComesFirst) {
  options_.strategy = "random";
  options_.budget = *parse_budget("7,3600s,50%");
  ASSERT_TRUE(parse_target("1us", options_.stop_rules) && parse_stop_below("1%", options_.stop_rules));
  const SessionResult r = tuned();
  EXPECT_EQ(r.ending, Ending::evaluations);
  EXPECT_EQ(r.measured, 7);
  EXPECT_THAT(r.notes, Contains(HasSubstr("random makes no forecast")));
  options_.budget = {};
  options_.stop_rules = {};
  options_.strategy = "exhaustive";
  EXPECT_EQ(tuned().ending, Ending::all_tried);
}

// With results of earlier sessions, and for every way in which strategies use observations.
TEST_F(Knowing, StoppedAndResumedEveryStrategyLooksAtTheSameConfigurations) {
  tuned("n=2097152");
  options_.budget = *parse_budget("24");
  for (const StrategyEntry& entry : strategies()) {
    options_.strategy = entry.name;
    options_.seed = 1;
    options_.resume = false;
    const SessionResult whole = tuned();
    EXPECT_EQ(whole.measured, 24) << entry.name;
    options_.database = dir_ / (std::string(entry.name) + ".db");
    std::filesystem::copy_file(dir_ / "t.db", options_.database);
    {
      // The other session must not get hints from the undisturbed one: both use the same earlier results.
      options_.seed = 2;
      stop_at_ = 9;
      EXPECT_TRUE(tuned().interrupted);
    }
    stop_at_ = 0;
    stop_ = false;
    options_.resume = true;
    const SessionResult resumed = tuned();
    EXPECT_GT(resumed.reused, 0);
    EXPECT_EQ(resumed.reused + resumed.measured, 24);
    const auto in_two = measured(resumed.session);
    options_.database = dir_ / "t.db";
    options_.resume = false;
    EXPECT_EQ(measured(tuned().session), in_two) << entry.name;
    std::filesystem::remove(dir_ / (std::string(entry.name) + ".db"));
  }
}

// Earlier versions stored sessions whose knowledge included features and counters.
TEST_F(Knowing, SessionsStoredWithFormerKnowledgeAreResumed) {
  tuned("n=2097152");
  options_.strategy = "random";
  options_.knowledge = *parse_knowledge("prior,hints,features");
  EXPECT_EQ(strategy_identity(options_), "random") << "all that there is";
  options_.budget = *parse_budget("24");
  for (const char* former : {"random; knowledge features,prior,hints", "random; knowledge prior,hints,counters"}) {
    SCOPED_TRACE(former);
    options_.seed += 1;
    options_.resume = false;
    stop_at_ = 9;
    const SessionResult begun = tuned();
    ASSERT_TRUE(begun.interrupted);
    {
      SQLite::Database db(options_.database.string(), SQLite::OPEN_READWRITE);
      SQLite::Statement rename(db, "UPDATE sessions SET strategy = ? WHERE id = ?");
      rename.bind(1, former);
      rename.bind(2, begun.session);
      ASSERT_EQ(rename.exec(), 1);
    }
    stop_at_ = 0;
    stop_ = false;
    EXPECT_NE(first_hint(gathered("n=1048576", options_.knowledge, begun.session)), "none")
        << "the result of another shape was there when it began";
    options_.resume = true;
    const SessionResult resumed = tuned();
    EXPECT_EQ(resumed.session, begun.session);
    EXPECT_GT(resumed.reused, 0);
    EXPECT_EQ(resumed.reused + resumed.measured, 24);
    EXPECT_TRUE(tuned().known) << "finished";
  }
}

TEST_F(Knowing, HintsComeFromEarlierSessions) {
  EXPECT_EQ(first_hint(gathered("n=2097152")), "none") << "there is no database yet";
  const RowId first = tuned().session;
  const KnowledgeParts hints_alone{false, true}; // in their order there, whatever a model expects here
  const GatheredKnowledge known = gathered("n=2097152", hints_alone);
  EXPECT_TRUE(known.notes.empty());
  EXPECT_THAT(first_hint(known), HasSubstr("A=4,B=4,"));
  EXPECT_EQ(known.knowledge.hints.size(), 8U);
  EXPECT_NEAR(known.knowledge.hints.front().weight, std::exp2(-1.0 / 3), 1e-9) << "one doubling away";
  EXPECT_EQ(known.knowledge.hints.front().relative_time, 1);
  EXPECT_THAT(first_hint(gathered("n=1048577", hints_alone)), HasSubstr("A=4,B=4,")) << "an odd size";

  EXPECT_EQ(first_hint(gathered("n=2097152", {true, false})), "none") << "switched off";
  EXPECT_EQ(first_hint(gathered("n=2097152", {}, first)), "none") << "not there when that session began";
  kernel_.source_hash = "another";
  EXPECT_LT(gathered("n=2097152").knowledge.hints.front().weight, std::exp2(-1.0 / 3)) << "of other sources";
}

TEST_F(Knowing, WhatWonByEnergyHintsAtWhatWasFast) {
  options_.objective = Objective::energy;
  EXPECT_THAT(tuned().best.config, HasSubstr("A=8,B=3,"));
  const GatheredKnowledge known = gathered("n=2097152", {false, true});
  EXPECT_THAT(first_hint(known), HasSubstr("A=4,B=4,"));
  ASSERT_EQ(known.knowledge.hints.size(), 8U);
  EXPECT_EQ(known.knowledge.hints.front().relative_time, 1);
  EXPECT_GT(known.knowledge.hints.back().relative_time, 1.02) << "told by their times, not by the winner's";
}

TEST_F(Knowing, WhatACheckFoundWrongIsNoHint) {
  const SessionResult r = tuned();
  auto writer = Writer::open(options_.database);
  ASSERT_TRUE(writer);
  CheckRecord check;
  check.best = Reader::open(options_.database)->best()->front().id;
  check.status = CheckStatus::wrong;
  check.driver = check.compiler = check.version = "1";
  check.evidence = "y[3] is 7";
  ASSERT_TRUE(writer->put_check(check));
  EXPECT_EQ(first_hint(gathered("n=2097152")), "none") << r.best.config;
}

TEST_F(Knowing, PartsAreThereOnlyWhenAskedFor) {
  const Knowledge all = gathered("n=2097152").knowledge;
  ASSERT_TRUE(all.expected_log_time);
  EXPECT_GT(all.expected_log_time(0), std::log(2.0 * 4 * 2097152 / 4000e3)) << "slower than the roofline";
  const Knowledge none = gathered("n=2097152", *parse_knowledge("none")).knowledge;
  EXPECT_TRUE(!none.expected_log_time && none.hints.empty());
  device_.roofs = {};
  EXPECT_FALSE(gathered("n=2097152").knowledge.expected_log_time) << "without a roofline nothing is expected";
}

TEST_F(Knowing, ADamagedDatabaseCostsTheHintsAlone) {
  std::ofstream(options_.database) << "this is no database, but longer than the header of one would be: ............";
  const GatheredKnowledge known = gathered("n=2097152");
  EXPECT_TRUE(known.knowledge.expected_log_time);
  ASSERT_EQ(known.notes.size(), 1U);
  EXPECT_THAT(known.notes.front(), HasSubstr("earlier results gave no hints: "));
}

} // namespace
} // namespace warptune
