// The jobs of a run: their identity, their cost, and their order. Also how a process joins a run.
#include "cluster/collect.h"
#include "cluster/local_results.h"
#include "cluster/run_jobs.h"
#include "db/writer.h"
#include "support/scale_recording.h"
#include "support/temp_dir.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

SweepJob job(const std::string& shape) {
  static const auto kernel =
      std::make_shared<const Kernel>(TemplateStore({test::data_dir() / "specs"}).load("scale").value());
  SweepJob made;
  made.kernel = kernel;
  made.problem = make_problem(kernel->spec, shape, "", {}).value();
  return made;
}

TEST(RunJobs, LargerProblemsAndBudgetsCostMore) {
  const DeviceInfo device = test::scale_recording().device;
  std::vector<SweepJob> jobs = {job("rows=64,cols=1024"), job("rows=65536,cols=8192"), job("rows=64,cols=1024"),
                                job("rows=65536,cols=8192")};
  jobs[2].options.budget.evaluations = 3;
  jobs[3].options.budget.seconds = 0.01;
  const auto listed = list_jobs(jobs, device);
  ASSERT_EQ(listed.size(), 4u);
  EXPECT_EQ(listed[0].kernel, "scale");
  EXPECT_GT(listed[0].cost_s, 9 * 0.03 * 0.999) << "nine configurations";
  EXPECT_LT(listed[0].cost_s, 9 * 0.04);
  EXPECT_GT(listed[1].cost_s, 2 * listed[0].cost_s);
  EXPECT_NEAR(listed[2].cost_s, listed[0].cost_s / 3, 1e-9);
  EXPECT_EQ(listed[3].cost_s, 0.01);
  EXPECT_THAT(longest_first(listed), ElementsAre(1, 0, 2, 3));
}

TEST(RunJobs, EqualCostsKeepTheOrderOfTheFile) {
  EXPECT_THAT(longest_first({{"a", "", 1}, {"b", "", 2}, {"c", "", 1}, {"d", "", 2}}), ElementsAre(1, 3, 0, 2));
}

TEST(RunJobs, TheDigestIsOfAllThatIsMeasured) {
  const std::vector<SweepJob> jobs = {job("rows=64,cols=1024")};
  const std::string digest = jobs_digest(jobs);
  EXPECT_EQ(jobs_digest({job("rows=64,cols=1024")}), digest);
  EXPECT_NE(jobs_digest({job("rows=65,cols=1024")}), digest);
  const auto changed = [&](auto change) {
    std::vector<SweepJob> others = jobs;
    change(others[0].options);
    return jobs_digest(others);
  };
  EXPECT_NE(changed([](SessionOptions& o) { o.seed = 7; }), digest);
  EXPECT_NE(changed([](SessionOptions& o) { o.budget = parse_budget("7").value(); }), digest);
  EXPECT_NE(changed([](SessionOptions& o) { o.strategy = "random"; }), digest);
  EXPECT_NE(changed([](SessionOptions& o) { o.finalists = 1; }), digest);
  EXPECT_NE(changed([](SessionOptions& o) { o.energy = true; }), digest);
  EXPECT_EQ(changed([](SessionOptions& o) { o.compile_timeout_s = 1; }), digest) << "does not change what is measured";
}

TEST(RunFolders, OfThoseThatMakeARunAtOnceOneWins) {
  const test::TempDir dir;
  const auto run = dir / "run";
  std::vector<std::thread> threads;
  std::vector<std::string> sweeps(8);
  for (std::size_t i = 0; i < sweeps.size(); ++i)
    threads.emplace_back([&, i] {
      const auto joined =
          join_run(run, "sweep " + std::to_string(i), "digest", [&] { return std::vector<RunJob>(i + 1); }, {});
      ASSERT_TRUE(joined) << joined.error().message;
      sweeps[i] = joined->sweep + " " + std::to_string(joined->jobs.size());
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& sweep : sweeps) EXPECT_EQ(sweep, sweeps[0]);
}

// Between this process's look for run.json and its look at the folder, others make the run and begin.
TEST(RunFolders, ARunThatAnotherProcessHasJustMadeIsJoined) {
  const test::TempDir dir;
  const auto list = [] { return std::vector<RunJob>(2); };
  ASSERT_TRUE(join_run(dir.path(), "s", "digest", list, {}));
  std::filesystem::rename(dir / "run.json", dir / "away");
  std::ofstream(dir / "last-look") << "x";
  EXPECT_THAT(join_run(dir.path(), "s", "digest", list, {}).error().message,
              HasSubstr("contains other files, such as"));
  std::filesystem::remove(dir / "away");
  std::filesystem::create_directory(dir / "run.json"); // in the list of the folder, but not found as a file
  EXPECT_THAT(join_run(dir.path(), "s", "digest", list, {}).error().message, Not(HasSubstr("contains other files")));
}

TEST(RunFolders, ANewerFormatIsRefused) {
  const test::TempDir dir;
  std::ofstream(dir / "run.json") << R"({"warptune_run": 2})";
  EXPECT_THAT(open_run(dir.path()).error().message, HasSubstr("newer warptune"));
}

TEST(LocalResultsTest, AnotherDatabaseBeginsWhenOneIsLarge) {
  const test::TempDir dir;
  const auto run = dir / "run";
  ASSERT_TRUE(join_run(run, "s", "d", [] { return std::vector<RunJob>(1); }, {}));
  auto results = LocalResults::make(dir / "local", run, "p").value();
  const auto first = results->database();
  { std::ofstream(first) << ""; }
  EXPECT_EQ(results->publish(first).value(), "") << "no session, nothing to publish";
  EXPECT_EQ(results->database(), first);
  EXPECT_THAT(CollectedRun::copy(run).error().message, HasSubstr("has published no result yet"));
  // A process cannot continue from a published database that is damaged, in another folder, or gone.
  { std::ofstream(run / "results" / "other.1.db") << "theirs"; }
  EXPECT_EQ(results->continue_from("other.1.db"), first);
  EXPECT_EQ(results->continue_from("../run.json"), first);
  EXPECT_EQ(results->continue_from("none.db"), results->database());
  std::filesystem::remove(first);
  ASSERT_TRUE(Writer::open(first));
  {
    SQLite::Database filled(first.string(), SQLite::OPEN_READWRITE);
    filled.exec(fmt::format("CREATE TABLE filler AS SELECT zeroblob({}) AS x", LocalResults::kMaxBytes));
  }
  EXPECT_TRUE(results->publish(first));
  EXPECT_NE(results->database(), first);
  results.reset();
  EXPECT_FALSE(std::filesystem::exists(first.parent_path()));
}

} // namespace
} // namespace warptune
