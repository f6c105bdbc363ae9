// The work of a query, in steps of SQLite's virtual machine, must not grow with rows that it does not return.
#include "support/spec_text.h"
#include "unit/db/fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <random>
#include <sqlite3.h>

namespace warptune {
namespace {

using namespace test;

std::int64_t steps = 0; // by all connections

int count_step(void*) {
  ++steps;
  return 0;
}
int count_steps_of(sqlite3* db, const char**, const sqlite3_api_routines*) {
  sqlite3_progress_handler(db, 1, count_step, nullptr);
  return SQLITE_OK;
}

// Counts the steps of connections that are opened during its lifetime.
class StepsAreCounted {
 public:
  StepsAreCounted() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(count_steps_of)); }
  ~StepsAreCounted() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(count_steps_of)); }
  StepsAreCounted(const StepsAreCounted&) = delete;
  StepsAreCounted& operator=(const StepsAreCounted&) = delete;
};

SessionIdentity identity_of(int problem) {
  SessionIdentity identity = sample_identity();
  identity.kernel = "demo";
  identity.problem = fmt::format("rows={},cols=64;bf16;log=0,layout=nt", problem + 1);
  return identity;
}

std::string config_of(int trial) { return fmt::format("WARPS={},VEC={}", 1 << trial % 4, 1 << trial / 4); }

// Adds a finished session with a result for each problem.
void fill(const std::filesystem::path& file, int problems, int trials) {
  Writer writer = must(Writer::open(file));
  must(writer.put_device(sample_device()));
  for (int p = 0; p < problems; ++p) {
    const RowId session = must(writer.begin_session(identity_of(p), 100, "0"));
    for (int t = 0; t < trials; ++t) {
      Trial trial = sample_trial(t);
      trial.profile.reset();
      trial.power.reset();
      must(writer.record(session, config_of(t), trial));
    }
    BestRecord best;
    best.session = session;
    best.config = config_of(0);
    best.median_us = 10;
    must(writer.put_best(best));
    must(writer.end_session(session, SessionState::finished));
  }
}

struct Sizes {
  int problems, trials;
};

// Made only once.
const std::filesystem::path& database(const Sizes& sizes) {
  static TempDir dir;
  static std::map<std::pair<int, int>, std::filesystem::path> files;
  const auto [file, is_new] = files.try_emplace({sizes.problems, sizes.trials});
  if (is_new) {
    file->second = dir / fmt::format("{}-{}.db", sizes.problems, sizes.trials);
    fill(file->second, sizes.problems, sizes.trials);
  }
  return file->second;
}

// The steps of a query, without the one-time preparation of its connection.
std::int64_t steps_of(const Sizes& sizes, const std::function<void(const Reader&)>& query) {
  const std::filesystem::path& file = database(sizes);
  const StepsAreCounted counted;
  const Reader reader = must(Reader::open(file));
  query(reader);
  steps = 0;
  query(reader);
  return steps;
}

constexpr Sizes kBase{80, 4}, kMoreProblems{240, 4}, kMoreTrials{80, 12};
constexpr int kAskedProblem = 40; // the one that queries ask for
constexpr RowId kSession = kAskedProblem + 1;

TEST(QuerySteps, WhatIsAskedOfOneProblemCostsTheSameInALargerDatabase) {
  const std::vector<std::pair<const char*, std::function<void(const Reader&)>>> queries = {
      {"find_session", [](const Reader& r) { ASSERT_TRUE(must(r.find_session(identity_of(kAskedProblem)))); }},
      {"best_of_problem",
       [](const Reader& r) {
         ASSERT_EQ(must(r.best_of_problem("demo", identity_of(kAskedProblem).problem)).size(), 1U);
       }},
      {"best_of_session", [](const Reader& r) { ASSERT_TRUE(must(r.best_of_session(kSession))); }},
      {"trials", [](const Reader& r) { ASSERT_FALSE(must(r.trials(kSession)).empty()); }},
      {"count_trials", [](const Reader& r) { ASSERT_GT(must(r.count_trials(kSession)).ok, 0); }},
      {"checks", [](const Reader& r) { must(r.checks(1)); }},
  };
  for (const auto& [name, query] : queries) {
    const std::int64_t base = steps_of(kBase, query);
    EXPECT_GT(base, 0) << name;
    EXPECT_LE(steps_of(kMoreProblems, query), base + base / 10) << name;
  }
}

TEST(QuerySteps, ListsOfSessionsAndResultsReadNoTrials) {
  const std::vector<std::pair<const char*, std::function<void(const Reader&)>>> queries = {
      {"sessions", [](const Reader& r) { ASSERT_FALSE(must(r.sessions()).empty()); }},
      {"find_session", [](const Reader& r) { ASSERT_TRUE(must(r.find_session(identity_of(kAskedProblem)))); }},
      {"nearest_session", [](const Reader& r) { ASSERT_TRUE(must(r.nearest_session(identity_of(kAskedProblem)))); }},
      {"best", [](const Reader& r) { ASSERT_FALSE(must(r.best("demo")).empty()); }},
      {"kernel", [](const Reader& r) { ASSERT_TRUE(must(r.kernel("demo"))); }},
      {"devices", [](const Reader& r) { ASSERT_EQ(must(r.devices()).size(), 1U); }},
  };
  for (const auto& [name, query] : queries) {
    const std::int64_t base = steps_of(kBase, query);
    EXPECT_GT(base, 0) << name;
    EXPECT_LE(steps_of(kMoreTrials, query), base + base / 50) << name;
  }
}

TEST(QuerySteps, TheFirstResultsOfAListCostLittleForEachOther) {
  const auto query = [](const Reader& r) {
    std::int64_t left_out = 0;
    ASSERT_EQ(must(r.newest_best({}, 5, left_out)).size(), 5U);
  };
  const std::int64_t base = steps_of(kBase, query), more = steps_of(kMoreProblems, query);
  constexpr std::int64_t kOfOne = 30; // for a row of the list: read, sort, count; a result takes hundreds
  EXPECT_LE(more - base, kOfOne * (kMoreProblems.problems - kBase.problems));
  EXPECT_LE(steps_of(kMoreTrials, query), base + base / 50);
}

TEST(QuerySteps, AnUnfinishedSessionIsFoundByItsProblem) {
  const auto steps_with = [](const Sizes& sizes) {
    const std::filesystem::path& file = database(sizes);
    const StepsAreCounted counted;
    const Writer writer = must(Writer::open(file));
    must(writer.find_unfinished(identity_of(kAskedProblem)));
    steps = 0;
    EXPECT_FALSE(must(writer.find_unfinished(identity_of(kAskedProblem))));
    return steps;
  };
  const std::int64_t base = steps_with(kBase);
  EXPECT_GT(base, 0);
  EXPECT_LE(steps_with(kMoreProblems), base + base / 10);
}

TEST(QuerySteps, TheLearnedRuleReadsTheTimesOfNeighboursOnly) {
  const KernelSpec spec = testing::SpecText().parse();
  const auto query = [&](const Reader& r) {
    const Problem problem = must(parse_problem_key(spec, identity_of(kAskedProblem).problem));
    const auto near = must(r.near_problems(spec, problem, sample_device()));
    ASSERT_TRUE(near);
    ASSERT_EQ(near->size(), 64U);
    steps = 0; // without the search for them, which looks at every problem
    ASSERT_EQ(must(r.timings(spec, "abc", near)).front().problems.size(), 64U);
  };
  const std::int64_t base = steps_of(kBase, query);
  EXPECT_GT(base, 0);
  EXPECT_LE(steps_of(kMoreProblems, query), base + base / 10);
}

TEST(NewestBest, IsTheBeginningOfTheWholeList) {
  TempDir dir;
  std::mt19937 random(3);
  {
    Writer writer = must(Writer::open(dir / "w.db"));
    for (int i = 0; i < 120; ++i) {
      SessionIdentity identity = identity_of(static_cast<int>(random() % 6));
      identity.kernel = random() % 4 == 0 ? "other" : "demo";
      identity.device_uuid = random() % 2 == 0 ? "GPU-1" : "GPU-2";
      identity.objective = random() % 3 == 0 ? Objective::energy : Objective::time;
      identity.compiler = random() % 2 == 0 ? "NVRTC 13.0" : "NVRTC 13.1";
      BestRecord best;
      best.session = must(writer.begin_session(identity, 100, "0"));
      best.config = config_of(0);
      best.median_us = static_cast<double>(10 + random() % 5);
      best.energy_mj = 1;
      best.certified = random() % 2 == 0;
      best.created_at = fmt::format("2026-01-0{}T00:00:00Z", 1 + random() % 4);
      Trial trial = sample_trial();
      if (random() % 5 == 0) trial.status = TrialStatus::wrong_result; // it contradicts the result
      must(writer.record(best.session, best.config, trial));
      must(writer.put_best(best));
    }
  }
  const Reader reader = must(Reader::open(dir / "w.db"));
  for (const char* kernel : {"", "demo", "other", "missing"}) {
    const std::vector<BestRecord> all = must(reader.best(kernel));
    for (std::size_t limit = 0; limit < all.size() + 2; ++limit) {
      std::int64_t left_out = -1;
      const std::vector<BestRecord> newest = must(reader.newest_best(kernel, limit, left_out));
      ASSERT_EQ(newest.size(), std::min(limit, all.size())) << kernel;
      EXPECT_EQ(left_out, static_cast<std::int64_t>(all.size() - newest.size()));
      for (std::size_t i = 0; i < newest.size(); ++i) {
        EXPECT_EQ(newest[i].id, all[i].id);
        EXPECT_EQ(newest[i].disqualified, all[i].disqualified);
      }
    }
  }
}

struct NearProblems : ::testing::Test {
  TempDir dir;
  const KernelSpec spec = testing::SpecText().parse();
  std::vector<std::string> near(const std::string& key, const DeviceInfo& device) {
    const Reader reader = must(Reader::open(dir / "w.db"));
    const auto ids = must(reader.near_problems(spec, must(parse_problem_key(spec, key)), device));
    std::vector<std::string> keys;
    SQLite::Database db((dir / "w.db").string());
    for (const RowId id : ids.value_or(std::vector<RowId>{}))
      keys.push_back(db.execAndGet(fmt::format("SELECT key FROM problems WHERE id = {}", id)).getString());
    return keys;
  }
};

TEST_F(NearProblems, AreThoseOfTheSameKindNearestToTheShape) {
  fill(dir / "w.db", 200, 1);
  const std::vector<std::string> keys = near("rows=150,cols=64;bf16;log=0,layout=nt", sample_device());
  ASSERT_EQ(keys.size(), 64U);
  // By the ratio of rows: 150 / 121 = 1.24 and 184 / 150 = 1.227 are included; 185 is nearer than 120.
  EXPECT_EQ(keys.front(), "rows=122,cols=64;bf16;log=0,layout=nt");
  EXPECT_EQ(keys.back(), "rows=185,cols=64;bf16;log=0,layout=nt");
  EXPECT_TRUE(near("rows=150,cols=64;fp32;log=0,layout=nt", sample_device()).empty());
  EXPECT_TRUE(near("rows=150,cols=64;bf16;log=1,layout=nt", sample_device()).empty());
  DeviceInfo other = sample_device();
  other.name = "another";
  EXPECT_TRUE(near("rows=150,cols=64;bf16;log=0,layout=nt", other).empty());
}

TEST_F(NearProblems, OfFewAreAll) {
  fill(dir / "w.db", 64, 1);
  const Reader reader = must(Reader::open(dir / "w.db"));
  const Problem problem = must(parse_problem_key(spec, "rows=5,cols=64;bf16;log=0,layout=nt"));
  EXPECT_FALSE(must(reader.near_problems(spec, problem, sample_device())));
  EXPECT_EQ(must(reader.timings(spec, "abc", std::nullopt)).front().problems.size(), 64U);
  EXPECT_EQ(must(reader.timings(spec, "abc", std::vector<RowId>{2, 3})).front().problems.size(), 2U);
  EXPECT_TRUE(must(reader.timings(spec, "abc", std::vector<RowId>{})).empty());
}

} // namespace
} // namespace warptune
