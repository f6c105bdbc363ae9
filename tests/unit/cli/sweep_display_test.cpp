// The display of a sweep while it runs and after it ends. The jobs use tests/data/specs/scale.
#include "cli/sweep_progress.h"
#include "cli/sweep_summary.h"
#include "cli/table.h"
#include "support/paths.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<SweepJob> make_jobs(const std::vector<std::string>& shapes) {
  static const auto kernel =
      std::make_shared<const Kernel>(TemplateStore({test::data_dir() / "specs"}).load("scale").value());
  std::vector<SweepJob> jobs;
  for (const std::string& shape : shapes)
    jobs.push_back({kernel, make_problem(kernel->spec, shape, "", {}).value(), {}});
  return jobs;
}

struct SweepDisplay : testing::Test {
  std::vector<SweepJob> jobs = make_jobs(
      {"rows=64,cols=1024", "rows=65,cols=1024", "rows=66,cols=1024", "rows=67,cols=1024", "rows=68,cols=1024"});
  const std::string first = job_text(jobs[0]);
  JobReport report(std::size_t job, JobState state) {
    JobReport r{job, "cuda:" + std::to_string(job % 2), state, {}, {}};
    r.result.session = static_cast<RowId>(job + 1);
    r.result.best.median_us = 136;
    r.result.best.default_us = 193.12;
    r.result.best.config = "THREADS=64,VEC=1";
    r.result.roofline.share = 0.932;
    r.result.by_status = {{TrialStatus::ok, 300}, {TrialStatus::compile_failed, 30}};
    r.result.measured = state == JobState::known ? 0 : 330;
    r.result.wall_s = 3.14;
    return r;
  }
  JobReport failed(std::size_t job) {
    return {job, "cuda:0", JobState::failed, {}, Error{ErrorKind::internal, "it broke\x1b[2J\nand more"}};
  }
  std::string ended(const JobReport& r, int width = 0) {
    SweepProgress p;
    p.ended = &r;
    p.done = 12;
    p.total = 64;
    return render_ended(jobs, p, width);
  }
  SweepProgress::Running running() {
    SweepProgress::Running r{0, "cuda:0", {}};
    r.progress.phase = "compiling and measuring";
    r.progress.done = 41;
    r.progress.total = 330;
    r.progress.best_us = 150.25;
    r.progress.best_share = 0.921;
    r.progress.by_status = {{TrialStatus::ok, 40}, {TrialStatus::wrong_result, 1}};
    r.progress.eta_s = 80;
    return r;
  }
};

TEST_F(SweepDisplay, AnEndedJobIsOneLine) {
  EXPECT_EQ(ended(report(0, JobState::finished)),
            "[12/64] " + first + " cuda:0: 136.00 us, 93.2 % of roofline, 1.42x default (330 configurations, 3.1 s)");
  EXPECT_EQ(ended(report(0, JobState::known)),
            "[12/64] " + first +
                " cuda:0: 136.00 us, 93.2 % of roofline, 1.42x default (330 configurations, from an "
                "earlier run)");
  EXPECT_THAT(ended(report(0, JobState::interrupted)), HasSubstr("cuda:0: stopped, best so far 136.00 us"));
  EXPECT_THAT(ended({0, "cuda:0", JobState::interrupted, {}, {}}), HasSubstr("cuda:0: stopped (0 configurations)"));
  EXPECT_EQ(ended(failed(0)), "[12/64] " + first + " cuda:0: failed: it broke\\x1b[2J");
}

TEST_F(SweepDisplay, AnEndedJobLosesDetailsInANarrowTerminalButIsNotCut) {
  const JobReport one = report(0, JobState::finished);
  const std::string head = "[12/64] " + first + " cuda:0: 136.00 us, ";
  EXPECT_EQ(ended(one, 120), head + "93.2 % of roofline, 1.42x default");
  EXPECT_EQ(ended(one, 80), head + "1.42x default");
  EXPECT_EQ(ended(one, 60), "[12/64] " + first + " cuda:0:\n        136.00 us, 1.42x default");
  const std::string reason = "cannot open /proc/results.db: " + std::string(300, 'x') + " and the end";
  const JobReport two = {0, "cuda:0", JobState::failed, {}, Error{ErrorKind::internal, reason}};
  EXPECT_THAT(ended(two), HasSubstr("failed: " + reason)) << "in a pipe";
  const std::string narrow = ended(two, 80);
  EXPECT_THAT(narrow, AllOf(HasSubstr(" cuda:0: failed: cannot open\n        /proc/results.db:\n"),
                            HasSubstr(std::string(300, 'x')), testing::EndsWith("\n        and the end")));
}

TEST_F(SweepDisplay, LiveLinesFitEveryWidth) {
  SweepProgress p;
  p.done = 12;
  p.total = 64;
  p.eta_s = 3700;
  for (int width = 1; width <= 220; ++width) {
    const auto limit = static_cast<std::size_t>(width);
    EXPECT_LE(display_width(render_overall(p, 2, 41.25, {width, false})), limit);
    EXPECT_LE(display_width(render_device(jobs[0], running(), {width, false})), limit);
  }
  EXPECT_EQ(render_overall(p, 2, 41.25, {200, false}),
            "[###.................]  12/64 jobs  19 %  41.2 trials/s  2 failed  ETA 1h01m");
  EXPECT_EQ(render_overall(p, 2, 41.25, {20, false}), "12/64  ETA 1h01m");
  EXPECT_EQ(render_overall({}, 0, 0, {200, false}), "0/0 jobs");
}

TEST_F(SweepDisplay, ADeviceShowsItsJobAsLongAsItFits) {
  EXPECT_EQ(render_device(jobs[0], running(), {220, false}),
            "cuda:0  " + first +
                "  compiling and measuring  41/330  12 %  best 150.25 us (92.1 % of roofline)  "
                "1 failed (1 wrong result)  ETA 1m20s");
  EXPECT_EQ(render_device(jobs[0], running(), {90, false}), "cuda:0  " + first + "  41/330  best 150.25 us  ETA 1m20s");
  EXPECT_EQ(render_device(jobs[0], running(), {50, false}), "cuda:0  scale  41/330  best 150.25 us");
  EXPECT_EQ(render_device(jobs[0], running(), {12, false}), "scale");
  EXPECT_THAT(render_device(jobs[0], running(), {220, true}), HasSubstr("\x1b[32mbest 150.25 us"));
}

SweepResult mixed(SweepDisplay& t) {
  SweepResult result;
  result.jobs = {t.report(0, JobState::finished), t.report(1, JobState::known), t.failed(2),
                 t.report(3, JobState::interrupted), JobReport{4, "", JobState::waiting, {}, {}}};
  result.interrupted = true;
  result.wall_s = 750;
  return result;
}

TEST_F(SweepDisplay, TheTableHasEveryJobThatWasBegun) {
  const std::string table = sweep_table(jobs, mixed(*this)).render(0);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
  EXPECT_THAT(table,
              AllOf(HasSubstr("136.00 us"), HasSubstr("93.2 %"), HasSubstr("1.42x"), HasSubstr("  300  "),
                    HasSubstr("cuda:1"), HasSubstr("known"), HasSubstr("stopped"), HasSubstr("THREADS=64,VEC=1")));
  SweepResult one_device = mixed(*this);
  for (JobReport& job : one_device.jobs) job.device = "cuda:0";
  EXPECT_THAT(sweep_table(jobs, one_device).render(0), Not(HasSubstr("cuda:0")));
}

TEST_F(SweepDisplay, TheTotalsCountJobsThatWereNeverBegun) {
  EXPECT_EQ(render_sweep_totals(jobs, mixed(*this)),
            "5 jobs: 1 finished, 1 known, 1 failed, 1 stopped, 1 not started; 660 configurations measured in 12m30s");
  EXPECT_EQ(render_sweep_totals({}, {}), "0 jobs: nothing to do; 0 configurations measured in 0.0 s");
}

TEST_F(SweepDisplay, JobsThatFailAlikeAreOneGroup) {
  const auto fails = [&](std::size_t job, ErrorKind kind, const std::string& why) {
    return JobReport{job, "cuda:0", JobState::failed, {}, Error{kind, why}};
  };
  SweepResult result;
  result.jobs = {
      report(0, JobState::finished), fails(1, ErrorKind::no_candidate, "none of the 9 fits: too large"),
      fails(2, ErrorKind::bad_input, "/a contains no recording of scale for rows=66; the nearest is rows=64"),
      fails(3, ErrorKind::bad_input, "/a contains no recording of scale for rows=67; the nearest is rows=65"),
      fails(4, ErrorKind::no_candidate, "none of the 12 fits: too small")};
  const auto groups = group_job_failures(jobs, result);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].jobs, testing::ElementsAre(job_text(jobs[1]) + " on cuda:0", job_text(jobs[4]) + " on cuda:0"));
  EXPECT_EQ(groups[0].evidence, "none of the 9 fits: too large");
  EXPECT_EQ(groups[1].kind, ErrorKind::bad_input);
  EXPECT_EQ(groups[1].jobs.size(), 2U);
}

TEST_F(SweepDisplay, WhatAnErrorSaysInParenthesesMakesNoGroup) {
  const auto fails = [](std::size_t job, const std::string& why) {
    return JobReport{job, "cuda:0", JobState::failed, {}, Error{ErrorKind::bad_input, why}};
  };
  SweepResult result;
  result.jobs = {fails(1, "cannot open the reference (out of memory)"), fails(2, "cannot open the reference (busy)"),
                 fails(3, "cannot open the kernel (busy)")};
  const auto groups = group_job_failures(jobs, result);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].jobs.size(), 2U);
  EXPECT_EQ(groups[0].evidence, "cannot open the reference (out of memory)");
}

TEST_F(SweepDisplay, ANarrowTerminalKeepsTheProblems) {
  const Table table = sweep_table(jobs, mixed(*this));
  EXPECT_THAT(table.render(80),
              AllOf(Not(HasSubstr("config")), Not(HasSubstr("...")), HasSubstr("rows=64,cols=1024;fp32;mode=plain ")));
  EXPECT_THAT(table.hidden(80), testing::ElementsAre("ok", "failed", "state", "device", "config"));
  EXPECT_THAT(table.hidden(0), testing::IsEmpty());
  EXPECT_THAT(table.render(40), HasSubstr("\n    rows=64,cols=1024;fp32;mode=plain\n")) << "below the row, not cut";
}

TEST_F(SweepDisplay, ASweepWithABaselineComparesEveryResultWithIt) {
  SweepResult result = mixed(*this);
  BestRecord &first_best = result.jobs[0].result.best, &second_best = result.jobs[1].result.best;
  first_best.baseline = second_best.baseline = "implementation=cublaslt,RANK=2";
  first_best.baseline_us = 163.2;
  second_best.baseline_us = second_best.median_us;
  second_best.config = second_best.baseline;
  for (const int width : {0, 80}) {
    const std::string table = sweep_table(jobs, result).render(width);
    EXPECT_THAT(table,
                AllOf(HasSubstr("  vs cublaslt"), HasSubstr("1.42x        1.20x"), HasSubstr("1.42x       winner")));
    EXPECT_THAT(table, HasSubstr("rows=64,cols=1024;fp32;mode=plain "));
  }
  EXPECT_THAT(ended(result.jobs[0]), HasSubstr("1.42x default, 1.20x cublaslt (330"));
  EXPECT_THAT(ended(result.jobs[1]), HasSubstr("1.42x default (330"));
  second_best = first_best;
  second_best.baseline = "implementation=copy";
  EXPECT_THAT(sweep_table(jobs, result).render(0),
              AllOf(HasSubstr("  vs baseline"), HasSubstr("1.20x cublaslt"), HasSubstr("1.20x copy")));
  EXPECT_THAT(sweep_table(jobs, mixed(*this)).render(0), Not(HasSubstr("vs baseline")));
}

TEST_F(SweepDisplay, ANoteOfSeveralTimesNamesTheFirstAndTheLastDay) {
  const auto notes = [&](const std::vector<std::string>& times) {
    SweepResult result;
    for (std::size_t i = 0; i < times.size(); ++i) {
      result.jobs.push_back(report(i, JobState::finished));
      result.jobs.back().result.notes = {"the times come from NVIDIA H200, " + times[i]};
    }
    return grouped_notes({"s", jobs, result, {}, {}, {}, {}, {}});
  };
  using testing::ElementsAre;
  const std::string first_day = "2026-11-21T19:51:12Z", same_day = "2026-11-21T20:00:00Z",
                    last = "2026-11-22T12:56:38Z";
  EXPECT_THAT(notes({last, first_day, same_day}),
              ElementsAre("the times come from NVIDIA H200, 2026-11-21 to 2026-11-22 (3 jobs)"));
  EXPECT_THAT(notes({same_day, first_day}), ElementsAre("the times come from NVIDIA H200, 2026-11-21 (2 jobs)"));
  EXPECT_THAT(notes({last, last}), ElementsAre("the times come from NVIDIA H200, " + last + " (2 jobs)"));
  EXPECT_THAT(notes({last}), ElementsAre("the times come from NVIDIA H200, " + last));
}

TEST_F(SweepDisplay, FailuresAreCountedOverAllJobsWithoutADatabase) {
  SweepResult result = mixed(*this);
  result.jobs[1].result.by_status = {{TrialStatus::crashed, 61}};
  const auto kinds = collect_failures(jobs, result, nullptr);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].status, TrialStatus::crashed) << "the most frequent first";
  EXPECT_EQ(kinds[0].count, 61);
  EXPECT_EQ(kinds[1].status, TrialStatus::compile_failed);
  EXPECT_EQ(kinds[1].count, 60);
  EXPECT_TRUE(kinds[1].evidence.empty());
}

} // namespace
} // namespace warptune::cli
