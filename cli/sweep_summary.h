// What `sweep` says at the end: a table of the jobs, what failed and how it shows, what to type next.
#pragma once

#include "cli/sweep_file.h"
#include "db/reader.h"
#include "tuner/sweep.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::cli {

// Configurations of all jobs that failed in one way, and the first of them.
struct FailureKind {
  TrialStatus status = TrialStatus::invalid;
  std::int64_t count = 0;
  std::string job, config, evidence;
};

// Most frequent first. What the jobs' results do not hold (evidence; the trials of a job in which nothing was correct)
// is read from the database; without a reader it is left out.
std::vector<FailureKind> collect_failures(const std::vector<SweepJob>& jobs, const SweepResult& result,
                                          const Reader* reader);

// Jobs that failed for one reason: errors of one kind whose first clauses differ only in names and numbers.
struct JobFailures {
  ErrorKind kind = ErrorKind::internal;
  std::string evidence;          // the first job's error, whole
  std::vector<std::string> jobs; // "softmax rows=64,cols=128;bf16;log=0 on cuda:0"
};

// Most frequent first.
std::vector<JobFailures> group_job_failures(const std::vector<SweepJob>& jobs, const SweepResult& result);

struct SweepReport {
  std::string name;
  const std::vector<SweepJob>& jobs;
  const SweepResult& result;
  const std::vector<FailureKind>& failures;
  const std::vector<std::string>& notes; // of the file
  std::filesystem::path database;
  std::string db; // as typed
  std::string resume_command;
};

const char* state_name(JobState state);
// The jobs that were begun. `width` 0: as wide as it gets.
std::string render_sweep_table(const std::vector<SweepJob>& jobs, const SweepResult& result, int width);
// "64 jobs: 60 finished, 3 known, 1 failed; 5120 configurations measured in 12m30s". Jobs that were never begun count,
// though they have no report.
std::string render_sweep_totals(const std::vector<SweepJob>& jobs, const SweepResult& result);
void print_sweep_text(const SweepReport& report);
void print_sweep_json(const SweepReport& report);

} // namespace warptune::cli
