// The results of a database that are compared: those in use, by time, with the samples of the winner only.
#include "report/compare.h"
#include "unit/db/fixture.h"

#include <gmock/gmock.h>

namespace warptune::report {
namespace {

using namespace test;

struct Outcomes : ::testing::Test {
  TempDir dir;
  std::filesystem::path file = dir / "w.db";
  Writer writer = must(Writer::open(file));
  SessionIdentity identity = sample_identity();

  Outcomes() {
    must(writer.put_kernel({0, identity.kernel, identity.source_hash, {{"spec.json", "{}"}}}));
    must(writer.put_device(sample_device()));
  }
  RowId add(double median_us) {
    BestRecord best;
    best.session = must(writer.begin_session(identity, 2, "0.1.0"));
    for (const std::int64_t vec : {4, 8}) {
      Trial trial = sample_trial(vec);
      trial.timing->samples_us.assign(9, static_cast<float>(vec));
      must(writer.record(best.session, sample_config(vec), trial));
    }
    best.config = sample_config(4);
    best.median_us = best.ci_low_us = best.ci_high_us = median_us;
    best.certified = true;
    must(writer.put_best(best));
    must(writer.end_session(best.session, SessionState::finished));
    return best.session;
  }
  std::vector<Outcome> load(RowId session = 0) { return must(load_outcomes(must(Reader::open(file)), "", session)); }
};

TEST_F(Outcomes, HaveTheSamplesOfTheWinner) {
  add(10);
  const std::vector<Outcome> found = load();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].median_us, 10);
  EXPECT_EQ(found[0].samples_us, std::vector<float>(9, 4));
}

TEST_F(Outcomes, ThoseThatACheckDisqualifiedAreLeftOut) {
  const RowId session = add(10);
  CheckRecord check;
  check.best = must(must(Reader::open(file)).best()).at(0).id;
  check.status = CheckStatus::wrong;
  check.driver = "580.1";
  check.evidence = "y[3] is 7";
  must(writer.put_check(check));
  EXPECT_TRUE(load().empty());
  EXPECT_TRUE(load(session).empty());
}

TEST_F(Outcomes, WhatWasChosenForItsEnergyIsNotComparedByTime) {
  identity.objective = Objective::energy;
  add(10);
  EXPECT_TRUE(load().empty());
}

} // namespace
} // namespace warptune::report
