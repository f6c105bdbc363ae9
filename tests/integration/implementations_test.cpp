// An operator with two implementations through whole sessions: the choice is an additional param everywhere.
#include "predict/select.h"
#include "support/session_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Implementations : public test::SessionFixture {
 protected:
  Implementations() { kernel_ = test::toy_kernel("choice"); }
  KernelSpec& spec() { return kernel_.spec; }
};

// plain: 24 pairs of A and B without (8, 4), (8, 5), (8, 6) = 21. wide: 3 of A times (rows, and tiles with 3 depths) =
// 12.
TEST_F(Implementations, AreTunedAsOneSpace) {
  const SessionResult r = tuned();
  EXPECT_EQ(r.space_size, 21 + 12);
  EXPECT_EQ(r.measured, r.space_size);
  EXPECT_THAT(r.best.config, StartsWith("implementation=wide,A=4,ORDER="));
  EXPECT_EQ(r.best.default_config, "implementation=plain,A=1,B=1");
  EXPECT_TRUE(r.best.certified);
  int plain = 0;
  for (const auto& [config, trial] : trials(r.session)) {
    const auto parsed = parse_config(spec(), config);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(config_text(spec(), *parsed), config);
    if (!config.starts_with("implementation=plain")) continue;
    ++plain;
    EXPECT_THAT(config, Not(HasSubstr("ORDER")));
  }
  EXPECT_EQ(plain, 21);
}

TEST_F(Implementations, AreResumedAndFoundAgain) {
  options_.strategy = "random";
  options_.budget = *parse_budget("12");
  const SessionResult first = tuned();
  EXPECT_EQ(first.measured, 12);
  options_.resume = true;
  const SessionResult again = tuned();
  EXPECT_TRUE(again.known);
  EXPECT_EQ(again.session, first.session);
  EXPECT_EQ(again.best.config, first.best.config);
}

// The text looks like a configuration, but is not one of this kernel.
TEST_F(Implementations, ATrialWithADamagedLabelIsMeasuredAgain) {
  on_progress = [this](const Progress& p) {
    if (p.done == 15) stop_ = true;
  };
  const SessionResult first = tuned();
  const auto whole = trials(first.session).size();
  SQLite::Database db(options_.database.string(), SQLite::OPEN_READWRITE);
  db.exec("UPDATE configs SET text = replace(text, 'implementation=plain', 'implementation=plai') "
          "WHERE id = (SELECT min(config_id) FROM trials t JOIN configs c ON c.id = t.config_id "
          "WHERE c.text LIKE 'implementation=plain%')");
  stop_ = false;
  options_.resume = true;
  on_progress = [](const Progress&) {};
  const SessionResult second = tuned();
  EXPECT_EQ(second.session, first.session);
  EXPECT_EQ(second.reused, static_cast<std::int64_t>(whole) - 1);
  EXPECT_THAT(second.notes, Contains("1 trial of session 1 could not be read and is measured again"));
  EXPECT_EQ(trials(first.session).size(), 21u + 12u);
  for (const auto& [config, trial] : trials(first.session)) EXPECT_TRUE(parse_config(spec(), config)) << config;
}

TEST_F(Implementations, EveryStrategyWalksTheUnion) {
  for (const char* strategy : {"portfolio", "surrogate", "genetic", "local_search", "tabu_greywolf"}) {
    options_.strategy = strategy;
    options_.budget = *parse_budget("30");
    options_.database = dir_ / (std::string(strategy) + ".db");
    EXPECT_THAT(tuned().best.config, StartsWith("implementation=wide,A=4")) << strategy;
  }
}

TEST_F(Implementations, AnOddSizeLeavesWhatIsValidForIt) {
  const Problem odd = test::toy_problem(kernel_, "n=1003");
  const auto space = SearchSpace::build(spec(), odd, test::toy_device());
  ASSERT_TRUE(space);
  EXPECT_EQ(space->size(), 21 + 8);
  const auto eight = parse_config(spec(), "implementation=wide,A=8,ORDER=rows,DEPTH=1");
  ASSERT_TRUE(eight) << eight.error().message;
  EXPECT_EQ(check_config(spec(), odd, test::toy_device(), *eight),
            "!odd || A < 8 does not hold: odd sizes cannot be loaded eight elements at a time");
}

TEST_F(Implementations, AreSelectedAsTheyWereTuned) {
  const SessionResult r = tuned();
  const auto reader = Reader::open(options_.database);
  const auto rows = reader->best();
  ASSERT_EQ(rows->size(), 1u);
  TunedEntry entry;
  entry.problem = test::toy_problem(kernel_);
  entry.config = *parse_config(spec(), rows->front().config);
  entry.device_name = r.device.name;
  entry.arch = r.device.arch;
  entry.median_us = rows->front().median_us;
  entry.certified = true;
  const auto exact = select(spec(), {entry}, entry.problem, r.device);
  ASSERT_TRUE(exact) << exact.error().message;
  EXPECT_EQ(exact->match, Match::exact);
  EXPECT_EQ(config_text(spec(), exact->config), r.best.config);
  const auto near = select(spec(), {entry}, test::toy_problem(kernel_, "n=1048578"), r.device);
  ASSERT_TRUE(near) << near.error().message;
  EXPECT_EQ(near->match, Match::nearest_shape);
  EXPECT_THAT(config_text(spec(), near->config), StartsWith("implementation=wide"));
}

} // namespace
} // namespace warptune
