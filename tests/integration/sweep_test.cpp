// Sweeps over several toy devices: the distribution of jobs, the cost of a lost device, and the jobs of a resumed
// sweep.
#include "db/reader.h"
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/sweep.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class Sweeps : public ::testing::Test {
 protected:
  Sweeps() {
    options_.worker_executable = test::program_dir() / "test_worker";
    options_.database = dir_ / "t.db";
    options_.cache_directory = dir_.path();
    options_.compile_workers = 2;
    options_.devices = {"toy:device/uuid A", "toy:device/uuid B"};
    for (int i = 1; i <= 6; ++i) add("n=" + std::to_string(i << 12));
  }
  void add(const std::string& shape, std::shared_ptr<const Kernel> kernel = {}) {
    SweepJob job;
    job.kernel = kernel ? kernel : kernel_;
    job.problem = test::toy_problem(*job.kernel, shape);
    job.options.rounds = 5;
    job.options.compile_timeout_s = job.options.evaluate_timeout_s = 60;
    jobs_.push_back(std::move(job));
  }
  Result<SweepResult> run() {
    return run_sweep(
        jobs_, options_, [this](const SweepProgress& p) { on_progress(p); }, stop_);
  }
  SweepResult swept() {
    auto result = run();
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SweepResult{});
  }
  static std::size_t count(const SweepResult& result, JobState state) {
    return static_cast<std::size_t>(std::count_if(result.jobs.begin(), result.jobs.end(),
                                                  [&](const JobReport& job) { return job.state == state; }));
  }
  // Every recorded trial; fails if a session recorded one twice.
  std::set<std::string> trials() const {
    std::set<std::string> all;
    auto reader = Reader::open(options_.database);
    EXPECT_TRUE(reader);
    const auto sessions = reader->sessions();
    for (const SessionRecord& session : *sessions) {
      const auto rows = reader->trials(session.id);
      for (const TrialRow& row : *rows)
        EXPECT_TRUE(all.insert(session.identity.problem + " " + row.config).second) << "measured twice";
    }
    return all;
  }
  void touch(const char* name) const { std::ofstream(dir_ / name) << "x"; }

  std::function<void(const SweepProgress&)> on_progress = [](const SweepProgress&) {};
  std::shared_ptr<const Kernel> kernel_ = std::make_shared<const Kernel>(test::toy_kernel());
  test::TempDir dir_;
  std::vector<SweepJob> jobs_;
  SweepOptions options_;
  std::atomic<bool> stop_{false};
};

TEST_F(Sweeps, DevicesOfOneModelShareTheJobs) {
  std::set<std::string> seen;
  std::size_t ended = 0;
  on_progress = [&](const SweepProgress& p) {
    for (const auto& running : p.running) seen.insert(running.device);
    ended += p.ended != nullptr;
    EXPECT_LE(p.done, p.total);
  };
  const SweepResult r = swept();
  ASSERT_EQ(r.jobs.size(), 6u);
  EXPECT_EQ(count(r, JobState::finished), 6u);
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(ended, 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(r.jobs[i].job, i) << "in the order given";
    EXPECT_EQ(r.jobs[i].result.best.config, "A=4,B=4,C=0");
  }
  EXPECT_EQ(trials().size(), 6u * 42);
}

TEST_F(Sweeps, EachModelDoesEveryJob) {
  options_.devices = {"toy:", "toy:open/once error when never"};
  const SweepResult r = swept();
  EXPECT_EQ(r.jobs.size(), 12u) << "devices without a UUID are models of their own";
  EXPECT_EQ(count(r, JobState::finished), 12u);
  std::map<std::string, int> jobs;
  for (const JobReport& job : r.jobs) ++jobs[job.device];
  EXPECT_EQ(jobs.size(), 2u);
}

TEST_F(Sweeps, AJobThatFailsIsItsOwnAffair) {
  auto lame = std::make_shared<Kernel>(*kernel_);
  lame->spec.name = "lame"; // its files have no spec.json, so every worker fails on it
  lame->sources.files.clear();
  add("n=999", lame);
  add("n=777");
  const SweepResult r = swept();
  ASSERT_EQ(r.jobs.size(), 8u);
  EXPECT_EQ(r.jobs[6].state, JobState::failed);
  ASSERT_TRUE(r.jobs[6].error);
  EXPECT_THAT(r.jobs[6].error->message, HasSubstr("lack spec.json"));
  EXPECT_EQ(count(r, JobState::finished), 7u);
}

TEST_F(Sweeps, ADeviceThatIsLostLeavesItsJobsToTheOther) {
  options_.devices = {"toy:device/uuid A", "toy:device/exit when lost;open/exit when lost;device/uuid B"};
  on_progress = [&](const SweepProgress& p) {
    if (p.done == 2) touch("lost");
  };
  const SweepResult r = swept();
  EXPECT_EQ(count(r, JobState::finished), 6u);
  EXPECT_THAT(r.notes, Contains(HasSubstr("no more jobs run on the device")));
}

TEST_F(Sweeps, WithoutAnyDeviceTheSweepIsAnError) {
  options_.devices = {"toy:device/error"};
  auto r = run();
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::no_device);
  options_.devices = {"toy:device/uuid A", "toy:device/error"};
  r = run();
  ASSERT_FALSE(r) << "one of several that does not exist is a mistake in the command";
  EXPECT_THAT(r.error().message, HasSubstr("device toy:device/error: there is no toy"));
  EXPECT_EQ(run_sweep({}, options_, {}, stop_).error().kind, ErrorKind::bad_input);
}

TEST_F(Sweeps, StoppedTwiceAndResumedTwiceIsTheSameAsUndisturbed) {
  const SweepResult whole = swept();
  const auto expected = trials();
  options_.database = dir_ / "other.db";
  for (const std::int64_t after : {10, 70}) {
    std::int64_t seen = 0;
    on_progress = [&](const SweepProgress& p) {
      for (const auto& running : p.running) seen += running.progress.last != nullptr;
      if (seen >= after) stop_ = true;
    };
    const SweepResult r = swept();
    EXPECT_TRUE(r.interrupted);
    EXPECT_GT(count(r, JobState::interrupted), 0u);
    stop_ = false;
    options_.resume = true;
  }
  on_progress = [](const SweepProgress&) {};
  const SweepResult resumed = swept();
  EXPECT_FALSE(resumed.interrupted);
  EXPECT_EQ(count(resumed, JobState::finished) + count(resumed, JobState::known), 6u);
  EXPECT_EQ(trials(), expected);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(resumed.jobs[i].result.best.config, whole.jobs[i].result.best.config);

  const SweepResult again = swept();
  EXPECT_EQ(count(again, JobState::known), 6u);
  EXPECT_EQ(trials(), expected);
}

TEST_F(Sweeps, ADatabaseThatCannotBeWrittenEndsTheSweepAtOnce) {
  options_.database = "/proc/nowhere/t.db";
  const auto r = run();
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::database);
}

TEST_F(Sweeps, TheTraceShowsCompilersAndDevices) {
  options_.trace = dir_ / "trace.json";
  swept();
  std::ifstream in(options_.trace);
  const auto events = nlohmann::json::parse(in);
  std::map<std::string, int> spans;
  std::set<std::string> groups;
  std::map<std::string, std::vector<std::pair<double, double>>> compilations;
  for (const auto& event : events) {
    if (event["ph"] == "X") ++spans[event["name"].get<std::string>()];
    if (event["ph"] == "X" && event["name"] == "compile" && event.contains("args")) {
      const double begin = event["ts"];
      compilations[event["args"]["configuration"]].emplace_back(begin, begin + event["dur"].get<double>());
    }
    if (event["name"] == "process_name") groups.insert(event["args"]["name"].get<std::string>());
  }
  EXPECT_GE(spans["compile"], 6 * 42) << "ahead ones as well";
  for (auto& [config, times] : compilations) {
    std::sort(times.begin(), times.end());
    for (std::size_t i = 1; i < times.size(); ++i)
      EXPECT_GE(times[i].first, times[i - 1].second) << config << " is compiled by two workers at once";
  }
  EXPECT_EQ(spans["evaluate"], 6 * 42);
  EXPECT_EQ(spans["round"], 6 * 5);
  EXPECT_EQ(groups, (std::set<std::string>{"compile", "coordinator", "toy:device/uuid A", "toy:device/uuid B"}));
}

} // namespace
} // namespace warptune
